// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl run: this process goes into a cgroup of its own, a line of the specification in force names
 * that cgroup, and then the process executes the program.
 *
 * Where systemd runs, tgrund makes the cgroup and the line, for root too, and takes the line away
 * (bus.c). Elsewhere root's tgctl makes both, and leaves a watcher behind, which waits until the
 * cgroup is empty and takes both away. If somebody kills the watcher, the next `tgctl run` or
 * `tgctl load` takes the line.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus.h"
#include "config.h"
#include "host.h"
#include "lib/number.h"
#include "lines.h"
#include "spec.h"
#include "sysfs.h"

#define SLOTS	1000	/* cgroups that one user may have without systemd */
#define LOOK_MS	10000	/* between two looks at a cgroup whose events do not change */

/* --- the command line --- */

static bool refuse_option(const char *option, const char *word, const char *want)
{
	tgctl_error("run: --%s: '%s' is wrong; %s", option, word, want);
	return false;
}

/* A time of the specification's: whole microseconds, 10 s at most. */
static bool read_us(const char *word, s64 *ns)
{
	struct time_text t;
	uint64_t us;

	if (number_read(word, TG_SPEC_PERIOD_MAX / TG_USEC, &us)) {
		*ns = us * TG_USEC;
		return us;
	}
	if (time_read(word, TG_SPEC_PERIOD_MAX, &t) != TIME_GOOD || t.ragged || t.fine)
		return false;
	*ns = t.ns;
	return t.ns > 0 && !(t.ns % TG_USEC);
}

static bool read_reserve(const char *word, struct run_line *line)
{
	const char *slash = strchr(word, '/');
	char capacity[32];

	if (slash && (size_t)(slash - word) < sizeof(capacity)) {
		snprintf(capacity, sizeof(capacity), "%.*s", (int)(slash - word), word);
		if (read_us(capacity, &line->capacity) && read_us(slash + 1, &line->period) &&
		    line->capacity <= line->period)
			return true;
	}
	return refuse_option("reserve", word, "C/T, such as 2.5ms/25ms: 1us to 10s, C up to T");
}

static bool read_mem(const char *word, u64 *mem)
{
	uint64_t bytes;

	if (!size_read(word, TG_SPEC_MEM_MAX, &bytes) || !bytes)
		return refuse_option("mem", word, "bytes, or with K, M or G behind, such as 512M");
	*mem = bytes;
	return true;
}

static bool read_vgpu(const char *word, char vgpu[TG_NAME_LEN])
{
	const unsigned char *at;

	for (at = (const unsigned char *)word; *at >= ' ' && *at != 127 && *at != '"'; at++)
		;
	if (*at || strlen(word) >= TG_NAME_LEN)
		return refuse_option("vgpu", word, "1 to 31 bytes, no quote and no control byte");
	strcpy(vgpu, word);
	return true;
}

static bool read_line(const struct tgctl_args *args, struct run_line *line)
{
	const char *const *option = args->option;
	uint64_t n;

	*line = (struct run_line){ .prio = -1 };
	if (option[RUN_PRIO]) {
		if (!number_read(option[RUN_PRIO], TG_PRIO_MAX, &n))
			return refuse_option("prio", option[RUN_PRIO], "0 (lowest) to 99");
		line->prio = n;
	}
	return (!option[RUN_RESERVE] || read_reserve(option[RUN_RESERVE], line)) &&
	       (!option[RUN_VGPU] || read_vgpu(option[RUN_VGPU], line->vgpu)) &&
	       (!option[RUN_MEM] || read_mem(option[RUN_MEM], &line->mem));
}

static bool wants_line(const struct tgctl_args *args)
{
	return args->option[RUN_PRIO] || args->option[RUN_RESERVE] || args->option[RUN_VGPU] ||
	       args->option[RUN_MEM];
}

/* --- a cgroup without systemd --- */

/* Moves this process into a cgroup. */
static bool enter(const char *dir)
{
	char name[LINES_CGROUP + 96];
	int fd, err = 0;

	snprintf(name, sizeof(name), "%s/cgroup.procs", dir);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err = errno;
	if (fd >= 0)
		close(fd);
	if (err)
		tgctl_error("run: cannot enter the cgroup %s: %s", dir, strerror(err));
	return !err;
}

/*
 * Waits until the cgroup has no process, or is gone, by a descriptor: another one may take its name.
 * The kernel tells of a change of its events by POLLPRI, some 10 ms late, and not at all if the
 * cgroup is removed meanwhile.
 */
static void wait_empty(const char *dir)
{
	struct pollfd events = { .events = POLLPRI };
	char name[LINES_CGROUP + 96], seen[256];
	ssize_t len;

	snprintf(name, sizeof(name), "%s/cgroup.events", dir);
	events.fd = open(name, O_RDONLY | O_CLOEXEC);
	while (events.fd >= 0) {
		len = pread(events.fd, seen, sizeof(seen), 0);
		if (len <= 0 || !memmem(seen, len, "populated 1", strlen("populated 1")))
			break;
		poll(&events, 1, LOOK_MS);
	}
}

/* The watcher's life. @moved ends when the process that it watches is in the cgroup, or is over. */
static void watch(const char *dir, const char *cgroup, int moved)
{
	int null = open("/dev/null", O_RDWR), lock;
	char byte;

	setsid();
	signal(SIGHUP, SIG_IGN);
	/* A reader of the program's output waits for its end, not for ours. */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (chdir("/"))
		_exit(TGCTL_FAILED);
	while (read(moved, &byte, 1) < 0 && errno == EINTR)
		;
	wait_empty(dir);
	lines_change(NULL, lines_over);
	/* The next `tgctl run` may have taken the folder over. */
	lock = spec_lock();
	if (lock >= 0 && lines_over(cgroup))
		rmdir(dir);
	_exit(TGCTL_OK);
}

/*
 * Leaves a watcher behind, a child of init. @lock is not for it. Return: what to close when we are in
 * the cgroup, or -1.
 */
static int leave_watcher(const char *dir, const char *cgroup, int lock)
{
	int moved[2];
	int status = 0;
	pid_t pid;

	if (pipe2(moved, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		close(moved[1]);
		close(lock);
		pid = fork();
		if (!pid)
			watch(dir, cgroup, moved[0]);
		_exit(pid < 0);
	}
	close(moved[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
		close(moved[1]);
		return -1;
	}
	return moved[1];
}

/* Makes the first cgroup of ours that is free. */
static bool make(const char *root, struct run_line *line, char *dir, size_t size)
{
	for (line->slot = 1; line->slot <= SLOTS; line->slot++) {
		snprintf(line->cgroup, sizeof(line->cgroup), "/" LINES_NAME "%u-%u", line->uid,
			 line->slot);
		snprintf(dir, size, "%s%s", root, line->cgroup);
		if (!mkdir(dir, 0755))
			return true;
		/* What a watcher that was killed has left; a cgroup with processes stays. */
		if (errno == EEXIST && !rmdir(dir) && !mkdir(dir, 0755))
			return true;
		if (errno != EEXIST && errno != EBUSY && errno != ENOTEMPTY)
			break;
	}
	tgctl_error("run: cannot make the cgroup %s: %s%s", dir, strerror(errno),
		    errno == EACCES || errno == EPERM ? "; try as root" : "");
	return false;
}

/* Under spec_lock(), so that a watcher does not take the new cgroup for one that is over. */
static bool enter_new(const char *root, struct run_line *line, int lock)
{
	char dir[LINES_CGROUP + 64];
	int moved;
	bool ok;

	if (!make(root, line, dir, sizeof(dir)))
		return false;
	moved = leave_watcher(dir, line->cgroup, lock);
	if (moved < 0) {
		tgctl_error("run: no process to watch the cgroup: %s", strerror(errno));
		rmdir(dir);
		return false;
	}
	/* From here on the watcher cleans up, whatever becomes of us. */
	ok = enter(dir);
	close(moved);
	return ok;
}

static bool run_plain(struct run_line *line)
{
	const char *root = lines_root();
	int lock = root ? spec_lock() : -1;
	bool ok;

	if (lock < 0)
		return false;
	if (line->prio < 0)
		line->prio = TG_PRIO_AGPA;
	ok = enter_new(root, line, lock);
	close(lock);
	return ok && lines_change(line, lines_over);
}

/* --- both --- */

static bool get_line(struct run_line *line)
{
	const char *why;

	if (host_is_user()) {
		tgctl_error("run: --prio, --reserve, --vgpu and --mem are for the kernel module; "
			    "tgd has its own specification");
		return false;
	}
	if (!sysfs_loaded()) {
		sysfs_explain("write", "spec", ENOENT);
		return false;
	}
	if (!(bus_there() ? bus_start(line) : run_plain(line)))
		return false;
	why = tgctl_no_effect();
	if (why)
		tgctl_error("%s", why);
	return true;
}

enum tgctl_status tgctl_run(const struct tgctl_args *args)
{
	enum tgctl_status status;
	struct run_line line;

	if (args->option[RUN_HOST] && !host_choose(args->option[RUN_HOST]))
		return TGCTL_USAGE;
	if (!read_line(args, &line))
		return TGCTL_USAGE;
	if (host_is_kernel() && !sysfs_loaded()) {
		sysfs_explain("read", "version", ENOENT);
		return TGCTL_FAILED;
	}
	if (wants_line(args) && !get_line(&line))
		return TGCTL_FAILED;
	if (!host_layer())
		return TGCTL_FAILED;
	fflush(stdout);
	execvp(args->names[0], args->names);
	status = errno == ENOENT ? TGCTL_NOT_THERE : TGCTL_NOT_RUN;
	tgctl_error("run: cannot execute %s: %s", args->names[0], strerror(errno));
	return status;
}
