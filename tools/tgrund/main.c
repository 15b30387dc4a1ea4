// SPDX-License-Identifier: GPL-2.0
/*
 * tgrund: the helper of `tgctl run` and `tgctl prio` where systemd runs. D-Bus starts it for the
 * first request, and it ends half a minute after the last scope.
 *
 *	org.timegraph.Run1 at /org/timegraph/Run1
 *	Start(h process, i priority, t capacity_us, t period_us, t mem, s vgpu) -> s cgroup
 *	SetPriority(u client, u priority)
 *
 * Start has systemd move the process into a scope of its own, and adds the scope's line to the
 * specification in force. scopes.c takes the line away when the scope has been empty for a while.
 *
 * Callers are hostile. What they may have says root in /etc/timegraph.limits (limits.c), and polkit
 * has to agree. D-Bus says who they are, the kernel says whose the process is (process.c). A scope
 * is root's, and lies beside the user's sessions in the user's slice: no user can put a process into
 * it, and a process in it gets no rights that a session does not have. One thread; nothing is kept
 * but what the specification in force says, so it may be killed at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#include "lib/utf8.h"
#include "limits.h"
#include "manager.h"
#include "process.h"
#include "scopes.h"
#include "tgctl/sysfs.h"

#define NAME		"org.timegraph.Run1"
#define PATH		"/org/timegraph/Run1"
#define REFUSED		NAME ".Refused"
#define IDLE_MS		30000
#define LIMITS_MAX	65536	/* bytes of the file */

/* --- whose limits --- */

struct user {
	uid_t uid;
	const char *name;
	gid_t groups[256];
	int nr;
};

static bool is_user(bool group, const char *name, void *arg)
{
	const struct user *user = arg;
	char *end;
	unsigned long id = strtoul(name, &end, 10);
	const struct group *g;
	int i;

	if (!group)
		return *end ? user->name && !strcmp(user->name, name) : id == user->uid;
	if (*end) {
		g = getgrnam(name);
		if (!g)
			return false;
		id = g->gr_gid;
	}
	for (i = 0; i < user->nr; i++)
		if (user->groups[i] == id)
			return true;
	return false;
}

static char *read_file(const char *name, size_t *len)
{
	char *text = malloc(LIMITS_MAX);
	FILE *f = text ? fopen(name, "re") : NULL;

	*len = f ? fread(text, 1, LIMITS_MAX, f) : 0;
	if (f)
		fclose(f);
	else
		free(text);
	return f ? text : NULL;
}

static bool limits_of(uid_t uid, struct limits *limits, char why[256])
{
	static struct user user;
	const struct passwd *pw;
	char *text;
	size_t len;
	int found;

	*limits = (struct limits){ 0 };
	if (!uid)
		return true;
	pw = getpwuid(uid);
	user.uid = uid;
	user.name = pw ? pw->pw_name : NULL;
	user.nr = pw ? 256 : 0;
	if (pw && getgrouplist(pw->pw_name, pw->pw_gid, user.groups, &user.nr) < 0)
		user.nr = 256;
	text = read_file(LIMITS_FILE, &len);
	if (!text) {
		snprintf(why, 256, "no limits for ordinary users: " LIMITS_FILE " is not there");
		return false;
	}
	found = len == LIMITS_MAX ? -1 : limits_find(text, len, is_user, &user, limits, why);
	if (len == LIMITS_MAX)
		snprintf(why, 256, LIMITS_FILE ": longer than %u bytes", LIMITS_MAX - 1);
	if (!found)
		snprintf(why, 256, "no line of " LIMITS_FILE " is about user %u or a group of it", uid);
	free(text);
	return found > 0;
}

/* --- the methods --- */

static bool read_request(sd_bus_message *m, int *pidfd, struct run_line *line)
{
	uint64_t capacity, period, mem;
	const char *vgpu;
	int prio;

	if (sd_bus_message_read(m, "hittts", pidfd, &prio, &capacity, &period, &mem, &vgpu) < 0)
		return false;
	*line = (struct run_line){ .prio = prio, .mem = mem };
	/* Beyond the bound it is beyond the bound in ns, too, and refused. */
	line->capacity = min(capacity, (uint64_t)TG_SPEC_PERIOD_MAX) * TG_USEC;
	line->period = min(period, (uint64_t)TG_SPEC_PERIOD_MAX) * TG_USEC;
	if (strlen(vgpu) >= sizeof(line->vgpu))
		strcpy(line->vgpu, "\"");	/* refused as well */
	else
		strcpy(line->vgpu, vgpu);
	return true;
}

/* D-Bus takes UTF-8 alone; the name of a virtual GPU may be something else, or cut off. */
static void clean(char *text)
{
	uint32_t code;
	size_t n;

	for (; *text; text += n ?: 1) {
		n = utf8_decode(text, strlen(text), &code);
		if (!n)
			*text = '?';
	}
}

static int refused(sd_bus_error *error, uid_t uid, char why[256])
{
	clean(why);
	fprintf(stderr, "tgrund: user %u: %s\n", uid, why);
	return sd_bus_error_set(error, REFUSED, why);
}

static int start(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	struct run_line line, *others = NULL;
	struct limits limits;
	char why[256] = "";
	int pidfd, nr;
	uid_t uid;
	pid_t pid;

	if (!manager_caller(m, &uid) || !read_request(m, &pidfd, &line))
		return sd_bus_error_set(error, REFUSED, "not a request");
	line.uid = uid;
	if (!limits_of(uid, &limits, why))
		return refused(error, uid, why);
	nr = scopes_of(uid, &others);
	if (nr < 0)
		strcpy(why, sysfs_loaded() ? "the specification in force cannot be read; journalctl -u timegraph-run" :
		       "timegraph is not loaded: modprobe timegraph");
	else if (limits_check(&limits, &line, others, nr, why) &&
		 /* polkit takes its time: what the caller can change is looked at behind it. */
		 manager_allows(m, uid, "org.timegraph.run", why) && process_check(pidfd, uid, &pid, why)) {
		manager_name(&line);
		if (scopes_take(&line, why) && scopes_may_start(uid, why) && manager_move(pidfd, pid, &line, why))
			scopes_add(&line, why);
	}
	free(others);
	if (*why)
		return refused(error, uid, why);
	return sd_bus_reply_method_return(m, "s", line.cgroup);
}

/* The number in a file of a client; -1: there is none. */
static long client_value(u32 client, const char *file)
{
	char name[64], *value;
	long n = -1;

	snprintf(name, sizeof(name), "clients/%u/%s", client, file);
	value = sysfs_readable(name) ? sysfs_read_value(name) : NULL;
	if (value)
		n = atol(value);
	free(value);
	return n;
}

/* May the user set that priority? Else @why. */
static bool may_set(uid_t uid, u32 client, u32 prio, char why[256])
{
	const long now = client_value(client, "prio");

	if (now < 0 || (uid && client_value(client, "uid") != (long)uid))
		snprintf(why, 256, "client %u is not yours, or has gone", client);
	else if (prio > (uid ? (u32)now : TG_PRIO_MAX))
		snprintf(why, 256, "client %u has priority %ld: only root may raise it", client, now);
	return !*why;
}

static int set_priority(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	char why[256] = "", name[64], value[16];
	u32 client, prio;
	uid_t uid;

	if (!manager_caller(m, &uid) || sd_bus_message_read(m, "uu", &client, &prio) < 0)
		return sd_bus_error_set(error, REFUSED, "not a request");
	/* Once more behind polkit, which takes its time: root may set a priority meanwhile. */
	if (!may_set(uid, client, prio, why) || !manager_allows(m, uid, "org.timegraph.prio", why) ||
	    !may_set(uid, client, prio, why))
		return refused(error, uid, why);
	snprintf(name, sizeof(name), "clients/%u/prio", client);
	snprintf(value, sizeof(value), "%u", prio);
	if (sysfs_write_value(name, value)) {
		strcpy(why, "the client has just gone");
		return refused(error, uid, why);
	}
	return sd_bus_reply_method_return(m, NULL);
}

static const sd_bus_vtable methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Start", "hittts", "s", start, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("SetPriority", "uu", NULL, set_priority, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END
};

/* --- the loop --- */

static void die(const char *what, int ret)
{
	fprintf(stderr, "tgrund: %s: %s\n", what, strerror(-ret));
	exit(EXIT_FAILURE);
}

/* Answers what has come, for a second at most. Return: there may be more. */
static bool answer(sd_bus *bus)
{
	const time_t end = time(NULL) + 1;
	int ret;

	while ((ret = sd_bus_process(bus, NULL)) > 0)
		if (time(NULL) > end)
			return true;
	if (ret < 0)
		die("the bus", ret);
	return false;
}

int main(void)
{
	sd_bus *bus = NULL;
	bool more;
	int ret, next;

	ret = sd_bus_open_system(&bus);
	if (ret >= 0)
		ret = sd_bus_add_object_vtable(bus, NULL, PATH, NAME, methods, NULL);
	if (ret >= 0)
		ret = sd_bus_request_name(bus, NAME, 0);
	if (ret < 0)
		die("cannot take the name " NAME, ret);
	do {
		more = answer(bus);
		next = scopes_tend();
		ret = more || scopes_wait(bus, next < 0 ? IDLE_MS : next);
	} while (ret || next >= 0);
	/* What comes from here on starts another tgrund; what has come is answered. */
	sd_bus_release_name(bus, NAME);
	while (answer(bus))
		;
	sd_bus_flush_close_unref(bus);
	return 0;
}
