// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to systemd and polkit: see manager.h. They go over a connection of their own, since an
 * answer is waited for inside of a request.
 */
#include "manager.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define ANSWER_US	30000000	/* polkit may have to be started for it */
#define TIMEOUT_US	10000000	/* what systemd has agreed to is done by then */
#define LOOK_US		10000
#define JOBS		"/org/freedesktop/systemd1/job/"
#define SLOTS		1000	/* scopes of one user, with and without a line */

static sd_bus *connection(void)
{
	static sd_bus *bus;

	if (bus && sd_bus_is_open(bus) <= 0)
		bus = sd_bus_close_unref(bus);
	if (!bus && sd_bus_open_system(&bus) >= 0)
		sd_bus_set_method_call_timeout(bus, ANSWER_US);
	return bus;
}

/*
 * Over the connection that requests come by, the answer would come behind all of them. And a name of
 * a connection is not used twice, so many requests in a row cost one question.
 */
bool manager_caller(sd_bus_message *m, uid_t *uid)
{
	static char last[256];
	static uint32_t last_uid;
	const char *sender = sd_bus_message_get_sender(m);
	sd_bus_message *reply = NULL;
	int ret = 0;

	if (!sender || strlen(sender) >= sizeof(last))
		return false;
	if (strcmp(sender, last)) {
		ret = sd_bus_call_method(connection(), "org.freedesktop.DBus", "/org/freedesktop/DBus",
					 "org.freedesktop.DBus", "GetConnectionUnixUser", NULL, &reply, "s", sender);
		*last = '\0';
		if (ret >= 0)
			ret = sd_bus_message_read(reply, "u", &last_uid);
		if (ret >= 0)
			strcpy(last, sender);
		sd_bus_message_unref(reply);
	}
	*uid = last_uid;
	return ret >= 0;
}

bool manager_allows(sd_bus_message *m, uid_t uid, const char *action, char why[256])
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int yes = 0, challenge, ret;

	if (!uid)
		return true;
	ret = sd_bus_call_method(connection(), "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
				 "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", &error, &reply,
				 "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s", sd_bus_message_get_sender(m),
				 action, 0, 0, "");
	if (ret >= 0)
		ret = sd_bus_message_enter_container(reply, 'r', "bba{ss}");
	if (ret >= 0)
		ret = sd_bus_message_read(reply, "bb", &yes, &challenge);
	if (ret < 0)
		snprintf(why, 256, "polkit does not answer: %s", error.message ? error.message : strerror(-ret));
	else if (!yes)
		snprintf(why, 256, "polkit does not allow you %s", action);
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return ret >= 0 && yes;
}

/* Return: 1, and the @job that makes the unit; 0: a unit of that name is there still; -1: @why. */
static int start_unit(const char *unit, const char *slice, pid_t pid, uint32_t *job, char why[256])
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	const char *path;
	int ret = sd_bus_call_method(connection(), "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
				     "org.freedesktop.systemd1.Manager", "StartTransientUnit", &error, &reply,
				     "ssa(sv)a(sa(sv))", unit, "fail", 4, "Description", "s", "tgctl run",
				     "Slice", "s", slice, "CollectMode", "s", "inactive-or-failed",
				     "PIDs", "au", 1, (uint32_t)pid, 0);

	*job = 0;
	if (ret >= 0) {
		ret = 1;
		if (sd_bus_message_read(reply, "o", &path) >= 0)
			sscanf(path, JOBS "%u", job);
	} else if (sd_bus_error_has_name(&error, "org.freedesktop.systemd1.UnitExists")) {
		ret = 0;
	} else {
		snprintf(why, 256, "systemd makes no scope: %s", error.message ? error.message : strerror(-ret));
	}
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return ret;
}

/* Does systemd have that job no more? 0: it has not said which. */
static bool job_over(uint32_t job)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	bool over;

	if (!job)
		return false;
	sd_bus_call_method(connection(), "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
			   "org.freedesktop.systemd1.Manager", "GetJob", &error, NULL, "u", job);
	over = sd_bus_error_has_name(&error, "org.freedesktop.systemd1.NoSuchJob");
	sd_bus_error_free(&error);
	return over;
}

/*
 * Waits until the process is in the cgroup. When the job is over, systemd has moved it: then it is
 * there, or never will be, since its user has had it moved elsewhere, for one.
 */
static bool arrives(int pidfd, pid_t pid, uint32_t job, const char *cgroup)
{
	char path[LINES_CGROUP];
	bool over = false;
	int left;

	for (left = TIMEOUT_US / LOOK_US; left && !over && process_alive(pidfd) == pid; left--) {
		over = job_over(job);
		if (process_cgroup(pid, path, sizeof(path)) && !strcmp(path, cgroup))
			return process_alive(pidfd) == pid;
		if (!over)
			usleep(LOOK_US);
	}
	return false;
}

/* The names of the scope and its slice, and the path of its cgroup. */
static void name(struct run_line *line, char unit[64], char slice[64])
{
	snprintf(unit, 64, LINES_NAME "%u-%u.scope", line->uid, line->slot);
	if (line->uid) {
		snprintf(slice, 64, "user-%u.slice", line->uid);
		snprintf(line->cgroup, sizeof(line->cgroup), "/user.slice/%s/%s", slice, unit);
	} else {
		strcpy(slice, "system.slice");
		snprintf(line->cgroup, sizeof(line->cgroup), "/%s/%s", slice, unit);
	}
}

void manager_name(struct run_line *line)
{
	char unit[64], slice[64];

	name(line, unit, slice);
}

/*
 * systemd takes a number, which another process may have by the time that it moves it. So each try
 * looks first whether the process of the pidfd still has it. If that lives afterwards, it was that
 * one. If not, the scope gets no line.
 */
bool manager_move(int pidfd, pid_t pid, struct run_line *line, char why[256])
{
	char unit[64], slice[64];
	uint32_t job;
	int left, ret = 0;

	/*
	 * A scope may run without a line: of a request that failed after its move, or since root has
	 * put another text in force.
	 */
	for (name(line, unit, slice); !lines_over(line->cgroup) && line->slot < SLOTS;) {
		line->slot++;
		name(line, unit, slice);
	}
	/* The unit of the scope before may be going. */
	for (left = TIMEOUT_US / LOOK_US / 10; left && !ret; left--) {
		if (process_alive(pidfd) != pid)
			break;
		ret = start_unit(unit, slice, pid, &job, why);
		if (!ret)
			usleep(10 * LOOK_US);
	}
	if (left && !ret)
		snprintf(why, 256, "the process is over");
	else if (!ret)
		snprintf(why, 256, "systemd has a unit %s already", unit);
	else if (ret > 0 && !arrives(pidfd, pid, job, line->cgroup))
		snprintf(why, 256, "the process is over, or did not come to %s", line->cgroup);
	return !*why;
}
