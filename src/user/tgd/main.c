// SPDX-License-Identifier: GPL-2.0
/*
 * tgd: the policy core in user space, for devices that no kernel module schedules.
 *
 * This file starts it, waits, and ends it. A user's first program starts it (--on-demand), and it
 * goes a little after the last connection. Two that start at once agree by a lock on a file beside
 * the socket: the second ends at once, and its program connects to the first.
 *
 * With --on-demand it goes into the background when the socket is there: the program that has
 * started it waits for that, and knows then that it can connect.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <tg/policy.h>
#include <uapi/tgd.h>

#include "../client/place.h"
#include "device.h"
#include "lib/opt.h"
#include "main.h"
#include "rights.h"
#include "settings.h"
#include "socket.h"

#define LINGER	(2 * TG_SEC)	/* without a connection, before it goes */
#define ELECTION	(2 * TG_SEC)	/* that another may take until it listens, or has gone */
#define BACKLOG	256		/* connections that wait */
#define LINES	20		/* in a second */
#define LOG_MAX	(1 << 20)	/* bytes; then it begins anew: clients cause lines, and /run is memory */
#define SYSTEM_SPEC	"/etc/timegraph.spec"

u64 stats[STATS];

static int waits = -1;
static bool in_log;	/* standard error is the log beside the socket */
static volatile sig_atomic_t ending;
static char fault[512];	/* of the specification that it was to begin with */

/* --- for all files --- */

s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TG_SEC + t.tv_nsec;
}

/** say() - one line to standard error; a client may cause any number, so not more than some */
void say(const char *format, ...)
{
	static u32 lines;
	static s64 since;
	char line[512], *at;
	struct stat st;
	va_list ap;

	if (now() - since > TG_SEC) {
		since = now();
		lines = 0;
	}
	if (lines++ >= LINES)
		return;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	for (at = line; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';	/* a client chooses its name: it is not to move a cursor */
	if (in_log && !fstat(2, &st) && st.st_size > LOG_MAX && ftruncate(2, 0))
		in_log = false;
	fprintf(stderr, "tgd: %s\n", line);
}

/** need() - memory that was got, or the end: clients then run unscheduled */
void *need(void *memory)
{
	if (memory)
		return memory;
	say("out of memory");
	exit(1);
}

static int watch_for(struct source *s, int fd, u32 events, void (*ready)(void *), void *owner)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	*s = (struct source){ fd, ready, owner };
	return epoll_ctl(waits, EPOLL_CTL_ADD, fd, &ev);
}

int watch(struct source *s, int fd, void (*ready)(void *), void *owner)
{
	return watch_for(s, fd, EPOLLIN, ready, owner);
}

/* Each ring wakes once, and nobody reads: the client has the same bell, and may let a read of it wait for ever. */
int watch_bell(struct source *s, int fd, void (*ready)(void *), void *owner)
{
	return watch_for(s, fd, EPOLLIN | EPOLLET, ready, owner);
}

/* Return: the descriptor, which is not closed; -1: there is none */
int watch_end(struct source *s)
{
	const int fd = s->fd;

	/* To close it is not enough: a client has the same bell. */
	if (fd >= 0)
		epoll_ctl(waits, EPOLL_CTL_DEL, fd, NULL);
	s->fd = -1;
	return fd;
}

void unwatch(struct source *s)
{
	const int fd = watch_end(s);

	if (fd >= 0)
		close(fd);
}

/* --- starting --- */

struct options {
	const char *socket, *spec, *policy;
	bool on_demand;
};

static const struct opt table[] = {
	{ "socket", 0, "PATH",
	  "listen there; else /run/timegraph/tgd.sock for root,\n"
	  "timegraph/tgd.sock in $XDG_RUNTIME_DIR or /run/user/UID\n"
	  "for others, or /tmp/timegraph-UID/tgd.sock" },
	{ "spec", 0, "FILE",
	  "specification; else $XDG_CONFIG_HOME/timegraph/spec or\n"
	  "/etc/timegraph.spec, if they are there" },
	{ "policy", 0, "NAME", "policy, where the specification names none; else timegraph" },
	{ "trace-kib", 0, "N", "record up to N KiB for each device" },
	{ "end-stuck", 0, NULL, "kill programs that do not suspend their kernel when they are to" },
	{ "on-demand", 0, NULL, "go into the background, and end after the last client" },
	{ 0 }
};

static void help(void)
{
	puts("usage: tgd [OPTION...]\n"
	     "Schedules GPUs between programs, without a kernel module (tgd(1)).");
	opt_help(stdout, table, 19);
	opt_help(stdout, opt_standard, 19);
}

static u32 policy_of(const char *name)
{
	int nr = tg_policy_find(name, strlen(name));
	const struct tg_policy *p;
	char known[256] = "";
	size_t len = 0;
	u32 i;

	if (nr >= 0 && !tg_policy_get(nr)->sample)
		return nr;
	for (i = 0; (p = tg_policy_get(i)); i++)
		if (!p->sample && len < sizeof(known))
			len += snprintf(known + len, sizeof(known) - len, " %s", p->name);
	if (nr < 0)
		say("--policy: no policy '%s'; known:%s", name, known);
	else
		say("policy '%s' reads a GPU's registers, which no program can", name);
	exit(2);
}

static void set(const struct opts *given, struct options *o)
{
	const char *v = given->value;
	char *end;

	if (opt_is(given, "socket"))
		o->socket = v;
	if (opt_is(given, "spec"))
		o->spec = v;
	if (opt_is(given, "policy"))
		o->policy = v;
	if (opt_is(given, "end-stuck"))
		settings.end_stuck = true;
	if (opt_is(given, "on-demand"))
		o->on_demand = true;
	if (!opt_is(given, "trace-kib"))
		return;
	settings.trace_kib = strtoul(v, &end, 10);
	if (!*v || *end || *v == '-' || settings.trace_kib > 4 << 20) {
		say("--trace-kib: '%s' is no number of KiB, 0 to 4194304", v);
		exit(2);
	}
}

static void parse(char **argv, struct options *o)
{
	struct opts given = { .table = table, .argv = argv + 1 };
	enum opt_what what;

	while ((what = opt_next(&given)) != OPT_END) {
		switch (what) {
		case OPT_GIVEN:
			set(&given, o);
			break;
		case OPT_HELP:
			help();
			exit(0);
		case OPT_VERSION:
			exit(opt_version("tgd"));
		case OPT_LIST:
			exit(opt_list_all(table));
		case OPT_NO_VALUE:
			say("no value for '%s'; see tgd --help", given.word);
			exit(2);
		case OPT_STRAY_VALUE:
			say("--%s takes no value: --%s alone; see tgd --help", given.opt->name,
			    given.opt->name);
			exit(2);
		case OPT_WORD:
			say("'%s' is no option, and tgd takes nothing else; see tgd --help", given.word);
			exit(2);
		default:
			say("unknown option '%s'; see tgd --help", given.word);
			exit(2);
		}
	}
}

/* The spec's text from @path; false: it is not there, or cannot be read. One that is wrong ends the start. */
static bool load_spec(const char *path, bool must)
{
	static char text[TG_SPEC_TEXT_MAX + 1];
	char result[256];
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(text, 1, sizeof(text), f) : 0;
	bool unread = !f || ferror(f);

	if (unread && (must || errno != ENOENT))
		snprintf(fault, sizeof(fault), "cannot read %s: %s", path, strerror(errno));
	else if (!unread && spec_commit(text, len, false, result, sizeof(result)))
		snprintf(fault, sizeof(fault), "%s:%s; nothing of it is in force", path, result);
	if (f)
		fclose(f);
	if (*fault)
		say("%s", fault);
	if (*fault && must)
		exit(1);
	return !unread;
}

static void load_specs(const struct options *o)
{
	const char *home = getenv("XDG_CONFIG_HOME"), *user = getenv("HOME");
	char path[4096];

	if (o->spec) {
		load_spec(o->spec, true);
		return;
	}
	snprintf(path, sizeof(path), "%s%s/timegraph/spec", home && *home ? home : user ?: "",
		 home && *home ? "" : "/.config");
	if (!load_spec(path, false))
		load_spec(SYSTEM_SPEC, false);
}

/* The socket of this user's daemon; its directory is made. */
static void default_socket(char path[TGU_PATH])
{
	char why[TGU_WHY];

	if (!tgu_home(path, why))
		return;
	say("%s", why);
	exit(1);
}

/* A file beside the socket; -1 after a line: it cannot be this user's. Never waits, as for a FIFO. */
static int open_beside(const char *path, const char *suffix, int flags)
{
	char name[160];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	fd = open(name, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0) {
		say("cannot open %s: %s", name, strerror(errno));
		return -1;
	}
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	say("%s is not a file of this user's: remove it", name);
	close(fd);
	return -1;
}

/* Does anybody listen there? One who has no time for it just now does, too. */
static bool listens(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool yes;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	yes = !connect(fd, (struct sockaddr *)&address, sizeof(address)) || errno == EAGAIN;
	close(fd);
	return yes;
}

/*
 * The only one that listens there; false: another does. The lock is kept until the process ends.
 * @await: another that has the lock and does not listen is starting, or ending: await which.
 */
static bool elected(const char *path, bool await)
{
	const s64 until = now() + ELECTION;
	const int fd = open_beside(path, ".lock", O_RDWR);

	if (fd < 0)
		exit(1);
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (!await || listens(path)) {
			close(fd);
			return false;
		}
		if (now() > until) {
			say("another tgd has locked %s.lock, and does not listen", path);
			exit(1);
		}
		usleep(2000);
	}
	return true;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (!lstat(path, &st) && !S_ISSOCK(st.st_mode)) {
		say("%s is there, and is no socket: remove it", path);
		exit(1);
	}
	unlink(path);
	rights_refuse(fd);
	umask(settings.system ? 0 : 077);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG)) {
		say("cannot listen at %s: %s", path, strerror(errno));
		exit(1);
	}
	umask(077);
	return fd;
}

/* What it has to say goes to a file beside the socket: the program's own pipes are to end with it. */
static void background(const char *path)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int log = open_beside(path, ".log", O_WRONLY | O_APPEND);

	switch (fork()) {
	case -1:
		say("cannot fork: %s", strerror(errno));
		exit(1);
	case 0:
		break;
	default:
		_exit(0);
	}
	setsid();
	if (chdir("/"))
		say("cannot enter /: %s", strerror(errno));
	dup2(null, 0);
	dup2(null, 1);
	dup2(log < 0 ? null : log, 2);
	in_log = log >= 0 && !ftruncate(log, 0);
}

/* The first three descriptors are not for a lock or a socket: background() puts others there. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	close(fd);
}

/* Each client takes three descriptors. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/*
 * What the program that has started it had for itself is not the daemon's, which serves others,
 * too: the CPUs that it may run on, its scheduling class, nice value and timers' slack, and limits.
 */
static void shed(void)
{
	static const int limits[] = { RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	const struct sched_param usual = { 0 };
	struct rlimit limit;
	u64 every[128];
	u32 i;

	memset(every, 0xff, sizeof(every));
	sched_setaffinity(0, sizeof(every), (cpu_set_t *)every);
	sched_setscheduler(0, SCHED_OTHER, &usual);
	if (getpriority(PRIO_PROCESS, 0) > 0)
		setpriority(PRIO_PROCESS, 0, 0);
	prctl(PR_SET_TIMERSLACK, 50000);	/* ns, as a process has it that nobody has given another */
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (!setrlimit(limits[i], &none) || getrlimit(limits[i], &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(limits[i], &limit);
	}
}

/* What it could not shed, since that takes privileges */
static void tell_kept(void)
{
	const int value = getpriority(PRIO_PROCESS, 0);
	struct rlimit limit;

	if (value > 0)
		say("it has the nice value %d of the program that started it: others may wait",
		    value);
	if (!getrlimit(RLIMIT_CPU, &limit) && limit.rlim_cur != RLIM_INFINITY)
		say("it ends after %llu s of CPU time, a limit of the program that started it",
		    (unsigned long long)limit.rlim_cur);
}

/* --- running --- */

static void end(int signal)
{
	ending = 1;
}

static s64 due(void)
{
	s64 at = TG_NEVER;
	u32 i;

	for (i = 0; i < nr_devices; i++)
		at = min(at, device_due(devices[i]));
	return at;
}

/* Wait for one source, until @until. One at a time: it may close others. */
static void wait_one(s64 until)
{
	struct timespec t, *limit = NULL;
	struct epoll_event ev;
	struct source *s;
	s64 left;
	int nr;

	if (until != TG_NEVER) {
		left = max(until - now(), (s64)0);
		t = (struct timespec){ left / TG_SEC, left % TG_SEC };
		limit = &t;
	}
	nr = epoll_pwait2(waits, &ev, 1, limit, NULL);
	if (nr < 0 && errno != EINTR) {
		say("cannot wait: %s", strerror(errno));
		exit(1);
	}
	if (nr != 1)
		return;
	s = ev.data.ptr;
	if (s->fd >= 0)
		s->ready(s->owner);
}

static void serve(bool on_demand)
{
	s64 alone = now();
	u32 i;

	while (!ending) {
		s64 until = due();

		if (conns_open())
			alone = TG_NEVER;
		else if (alone == TG_NEVER)
			alone = now();
		if (on_demand && alone != TG_NEVER && now() - alone > LINGER)
			return;
		if (on_demand && alone != TG_NEVER)
			until = min(until, alone + LINGER + TG_MSEC);
		wait_one(until);
		for (i = 0; i < nr_devices; i++)
			device_time(devices[i]);
	}
}

int main(int argc, char **argv)
{
	static char path[TGU_PATH];
	struct options o = { .policy = "timegraph" };
	struct sigaction act = { .sa_handler = end };
	sigset_t none;
	int fd;

	umask(0);		/* each file is made with its mode */
	open_standard();
	parse(argv, &o);
	if (o.on_demand) {
		close_range(3, ~0U, 0);		/* of the program that started it */
		shed();
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	settings_init(policy_of(o.policy));
	if (o.socket && (!*o.socket || strlen(o.socket) >= sizeof(path))) {
		say("--socket: the path is empty, or longer than %zu bytes", sizeof(path) - 1);
		return 2;
	}
	if (o.socket)
		memcpy(path, o.socket, strlen(o.socket));
	else
		default_socket(path);
	settings.system = !getuid() && !strcmp(path, TGD_SOCKET);
	if (!elected(path, o.on_demand)) {
		if (!o.on_demand)
			say("another tgd listens at %s", path);
		return !o.on_demand;
	}
	load_specs(&o);
	raise_limit();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a client's page cannot be made then: it is refused */
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	waits = epoll_create1(EPOLL_CLOEXEC);
	fd = listen_at(path);
	if (o.on_demand) {
		background(path);
		listen(fd, BACKLOG);	/* again, as this process: SO_PEERCRED told of the one that ended */
		tell_kept();
		if (*fault)	/* who started the program may not see what it writes */
			say("%s", fault);
	}
	socket_open(fd);
	serve(o.on_demand);
	unlink(path);
	return 0;
}
