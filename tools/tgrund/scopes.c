// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of scopes: see scopes.h. The specification in force says which there are. What is kept
 * here beside it, since when a scope is empty and how often a user has started one, may get lost.
 *
 * A scope is over when it has no process, and no process that has left it has its reserve. Its line
 * stays for LINGER_MS from then on. The user's next scope takes the same slot meanwhile, and with it
 * the reserve, by its name: so a debt is not shed by starting anew. And each change of the
 * specification forgives the debts of clients that have left, so a user makes few of them.
 */
#include "scopes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tgctl/sysfs.h"

#define LINGER_MS	5000
#define LINES_MOST	256	/* of all users */
#define STARTS		10	/* of one user, in STARTS_MS */
#define STARTS_MS	60000
#define USERS		64	/* whose starts are kept */

static struct {
	char cgroup[LINES_CGROUP];
	s64 since;	/* ms; 0: unused */
} empty[LINES_MOST];

static struct {
	uid_t uid;
	s64 at[STARTS];	/* ms; a ring */
	unsigned int next;
} starts[USERS];

static s64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000 + 1;
}

/* --- which scopes run --- */

/* Does that file of a client hold @value? */
static bool client_has(const char *client, const char *file, const char *value)
{
	char name[96], *is;
	bool has;

	snprintf(name, sizeof(name), "clients/%s/%s", client, file);
	is = sysfs_readable(name) ? sysfs_read_value(name) : NULL;
	has = is && !strcmp(is, value);
	free(is);
	return has;
}

/* Does the process of that client live? */
static bool client_lives(const char *client)
{
	char name[96], *pid;
	bool lives;

	snprintf(name, sizeof(name), "clients/%s/pid", client);
	pid = sysfs_readable(name) ? sysfs_read_value(name) : NULL;
	snprintf(name, sizeof(name), "/proc/%s", pid ?: "");
	lives = pid && *pid && !access(name, F_OK);
	free(pid);
	return lives;
}

/*
 * Has a process the reserve of that scope still? systemd moves a user's own processes into
 * user@UID.service when the user asks, out of a scope as well, and so does our next scope. A client
 * keeps its line then, since the specification changes for new clients only.
 */
static bool reserve_kept(const char *cgroup)
{
	char name[32], **clients;
	u32 uid, slot;
	bool kept = false;
	int nr, i;

	if (sscanf(strrchr(cgroup, '/') + 1, LINES_NAME "%u-%u", &uid, &slot) != 2 || !sysfs_is_dir("clients"))
		return false;
	snprintf(name, sizeof(name), LINES_RESERVE, uid, slot);
	nr = sysfs_list("clients", &clients);
	for (i = 0; i < nr; i++) {
		kept = kept || (client_has(clients[i], "reserve_name", name) &&
				!client_has(clients[i], "state", "left") && client_lives(clients[i]));
		free(clients[i]);
	}
	if (nr >= 0)
		free(clients);
	return kept;
}

static bool scope_over(const char *cgroup)
{
	return lines_over(cgroup) && !reserve_kept(cgroup);
}

/* For how long the scope has been over, as far as we have seen, ms; -1: it is not. */
static s64 empty_for(const char *cgroup)
{
	const bool over = scope_over(cgroup);
	unsigned int i, unused = LINES_MOST;

	for (i = 0; i < LINES_MOST; i++) {
		if (!empty[i].since)
			unused = i;
		else if (!strcmp(empty[i].cgroup, cgroup))
			break;
	}
	if (!over) {
		if (i < LINES_MOST)
			empty[i].since = 0;
		return -1;
	}
	if (i < LINES_MOST)
		return now_ms() - empty[i].since;
	if (unused == LINES_MOST)
		return LINGER_MS;
	strcpy(empty[unused].cgroup, cgroup);
	empty[unused].since = now_ms();
	return 0;
}

/* For lines_change(): is the line to go? */
static bool lapsed(const char *cgroup)
{
	return empty_for(cgroup) >= LINGER_MS;
}

static int read_lines(struct run_line **lines)
{
	*lines = NULL;
	return sysfs_loaded() ? lines_read(lines) : -1;
}

int scopes_of(uid_t uid, struct run_line **lines)
{
	int nr = read_lines(lines), i, to = 0;

	for (i = 0; i < nr; i++)
		if ((*lines)[i].uid == uid && !scope_over((*lines)[i].cgroup))
			(*lines)[to++] = (*lines)[i];
	return nr < 0 ? -1 : to;
}

bool scopes_may_start(uid_t uid, char why[256])
{
	const s64 now = now_ms();
	unsigned int i, oldest = 0;

	if (!uid)
		return true;
	for (i = 0; i < USERS && starts[i].uid != uid; i++)
		if (starts[i].at[(starts[i].next + STARTS - 1) % STARTS] <
		    starts[oldest].at[(starts[oldest].next + STARTS - 1) % STARTS])
			oldest = i;
	if (i == USERS) {
		i = oldest;
		memset(&starts[i], 0, sizeof(starts[i]));
		starts[i].uid = uid;
	}
	if (starts[i].at[starts[i].next] && now - starts[i].at[starts[i].next] < STARTS_MS) {
		snprintf(why, 256, "%d starts within a minute; wait %lld s", STARTS,
			 (long long)(STARTS_MS - (now - starts[i].at[starts[i].next])) / 1000 + 1);
		return false;
	}
	starts[i].at[starts[i].next] = now;
	starts[i].next = (starts[i].next + 1) % STARTS;
	return true;
}

bool scopes_take(const struct run_line *line, char why[256])
{
	struct run_line *lines;
	const int nr = read_lines(&lines);

	free(lines);
	if (nr >= LINES_MOST)
		snprintf(why, 256, "%d scopes of all users run already", nr);
	else if (!lines_take(line, lapsed))
		snprintf(why, 256, "no line for the scope: %s", tgctl_said());
	return !*why;
}

bool scopes_add(const struct run_line *line, char why[256])
{
	if (lines_change(line, lapsed))
		empty_for(line->cgroup);
	else
		snprintf(why, 256, "no line for the scope: %s", tgctl_said());
	return !*why;
}

/* Forget since when scopes are empty that have no line any more. */
static void forget(const struct run_line *lines, int nr)
{
	unsigned int i;
	int k;

	for (i = 0; i < LINES_MOST; i++) {
		for (k = 0; k < nr && strcmp(lines[k].cgroup, empty[i].cgroup); k++)
			;
		if (k == nr)
			empty[i].since = 0;
	}
}

int scopes_tend(void)
{
	struct run_line *lines;
	int nr = read_lines(&lines), i, next = -1;
	bool any = false;
	s64 ms;

	if (nr >= 0)
		forget(lines, nr);
	for (i = 0; i < nr; i++) {
		ms = empty_for(lines[i].cgroup);
		any |= ms >= LINGER_MS;
		/* The kernel tells of a scope's end, but not of that of a process which has left it. */
		if (ms < 0)
			ms = lines_over(lines[i].cgroup) ? LINGER_MS : 60000;
		else
			ms = LINGER_MS - ms;
		next = next < 0 || ms < next ? (int)max(ms, (s64)1000) : next;
	}
	free(lines);
	if (any)
		lines_change(NULL, lapsed);
	return next;
}

/* The kernel tells by POLLPRI that a cgroup's events have changed since they were read. */
static int open_events(const char *cgroup)
{
	char name[LINES_CGROUP + 64], seen[64];
	int fd;

	snprintf(name, sizeof(name), "%s%s/cgroup.events", lines_root() ?: "", cgroup);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, seen, sizeof(seen)) <= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool scopes_wait(sd_bus *bus, int ms)
{
	struct pollfd fds[LINES_MOST + 1];
	struct run_line *lines;
	int nr = read_lines(&lines), i, used = 1, ret;

	fds[0] = (struct pollfd){ .fd = sd_bus_get_fd(bus), .events = sd_bus_get_events(bus) };
	for (i = 0; i < nr && used <= LINES_MOST; i++) {
		const int fd = open_events(lines[i].cgroup);

		if (fd < 0)
			continue;
		/* It may have ended before the events were read. */
		if (!lines_over(lines[i].cgroup))
			fds[used++] = (struct pollfd){ .fd = fd, .events = POLLPRI };
		else
			close(fd);
		ms = lines_over(lines[i].cgroup) ? min(ms, LINGER_MS) : ms;
	}
	free(lines);
	ret = poll(fds, used, ms);
	while (--used)
		close(fds[used].fd);
	return ret > 0 || (ret < 0 && errno == EINTR);
}
