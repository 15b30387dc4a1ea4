// SPDX-License-Identifier: GPL-2.0
/*
 * tgagpad: tells timegraph which process has the foreground window (automatic GPU priority
 * assignment; TimeGraph, section 3).
 *
 * A source tells which process it is: sway.c, wlr.c (other Wayland compositors) or x11.c. Whenever
 * it changes, tgagpad writes the pid to the module's file `foreground`; the module sets the
 * priorities. Between changes tgagpad sleeps; it polls nothing. One thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <uapi/timegraph.h>

#include "lib/opt.h"
#include "agpad.h"

/* The first whose variable is set is used: what is exact goes first, X serves when nothing is set. */
static const struct source *const sources[] = { &source_sway, &source_wlr, &source_x11 };

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

struct agpad {
	unsigned int told;	/* pid that was last written to the module */
	sigset_t blocked, unblocked;
};

static char file[4096];		/* the module's */
static volatile sig_atomic_t ended, asking;

/* A source that waits for its server does not come back: what is left to do is done here. */
static void on_signal(int sig)
{
	int fd;

	(void)sig;
	ended = 1;
	if (!asking)
		return;
	fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	_exit(fd < 0 || write(fd, "0\n", 2) != 2);
}

/* Around calls of a source that may wait for its server: signals end the program there and then. */
static void ask(const struct agpad *a, bool now)
{
	if (now)
		asking = 1;
	sigprocmask(SIG_SETMASK, now ? &a->unblocked : &a->blocked, NULL);
	if (!now)
		asking = 0;
}

void say(const char *format, ...)
{
	va_list args;

	fputs("tgagpad: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Return: whether the module took it. */
static bool tell(struct agpad *a, unsigned int pid)
{
	int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int err = 0;

	if (fd < 0 || dprintf(fd, "%u\n", pid) < 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	a->told = pid;
	if (err == ENOENT)
		say("timegraph is not loaded: modprobe timegraph");
	else if (err)
		say("cannot write %s: %s%s", file, strerror(err),
		    err == EACCES ? "; try as root" : "");
	return !err;
}

/* Return: 0: ended by a signal; 1: by an error; -1: the source is unable. */
static int follow(struct agpad *a, const struct source *s)
{
	const struct timespec patience = { .tv_sec = 10 };
	struct pollfd fd = { .fd = s->fd(), .events = POLLIN };
	bool changed = true, complained = false, waits;
	enum state state;
	int ready;

	if (!tell(a, 0))
		return 1;
	while (!ended) {
		if (changed) {
			unsigned int pid;

			ask(a, true);
			pid = s->foreground();
			ask(a, false);
			if (pid != a->told && !tell(a, pid))
				return 1;
		}
		changed = false;
		ask(a, true);
		state = s->read(&changed);
		ask(a, false);
		if (state == UNABLE)
			return -1;
		if (state == GONE) {
			tell(a, 0);
			return 1;
		}
		if (changed)
			continue;
		waits = s->waits() && !complained;
		ready = ppoll(&fd, 1, waits ? &patience : NULL, &a->unblocked);
		if (ready < 0 && errno != EINTR) {
			say("poll: %s", strerror(errno));
			return 1;
		}
		if (!ready) {
			say("the compositor does not answer; waiting");
			complained = true;
		}
	}
	return tell(a, 0) ? 0 : 1;
}

/* Goes from source to source until one can tell the focus. Return: the exit status. */
static int run(struct agpad *a)
{
	bool any = false, opened;
	int i, status;

	for (i = 0; i < SOURCES; i++) {
		const struct source *s = sources[i];
		const char *server = getenv(s->variable);

		if ((!server || !*server) && (i < SOURCES - 1 || any))
			continue;
		if (any)
			say("following the programs of the X server at DISPLAY instead");
		any = true;
		ask(a, true);
		opened = s->open();
		ask(a, false);
		if (!opened)
			return 1;
		status = follow(a, s);
		s->close();
		if (status >= 0)
			return status;
	}
	say("set DISPLAY to the compositor's X server (Xwayland), or use sway or labwc");
	return 1;
}

static void help(void)
{
	puts("usage: tgagpad\n"
	     "Tells timegraph which process has the foreground window: of sway at SWAYSOCK,\n"
	     "else of the Wayland compositor at WAYLAND_DISPLAY, else of the X server at\n"
	     "DISPLAY. Clients whose specification says '*' for the priority come first\n"
	     "among their like while they have it. Ends with that server, or by SIGTERM.\n"
	     "tgagpad(8) says more.");
	opt_help(stdout, opt_standard, 18);
}

/* Return: -1: go on; else the program's exit status. */
static int parse(char **argv)
{
	static const struct opt none[] = { { 0 } };
	struct opts o = { .table = none, .argv = argv };

	switch (opt_next(&o)) {
	case OPT_END:
		return -1;
	case OPT_HELP:
		help();
		return 0;
	case OPT_VERSION:
		opt_version("tgagpad");
		return 0;
	case OPT_LIST:
		return opt_list_all(none);
	default:
		say("'%s': no argument wanted; see tgagpad --help", argv[0]);
		return 2;
	}
}

int main(int argc, char **argv)
{
	const char *sysfs = getenv("TG_SYSFS");
	struct sigaction action = { .sa_handler = on_signal };
	struct agpad a = { };
	int status = parse(argv + (argc > 0));

	if (status >= 0)
		return status;
	snprintf(file, sizeof(file), "%s/foreground", sysfs && *sysfs ? sysfs : TIMEGRAPH_SYSFS);
	sigprocmask(SIG_BLOCK, NULL, &a.blocked);
	a.unblocked = a.blocked;
	sigaddset(&a.blocked, SIGTERM);
	sigaddset(&a.blocked, SIGINT);
	sigdelset(&a.unblocked, SIGTERM);
	sigdelset(&a.unblocked, SIGINT);
	sigprocmask(SIG_SETMASK, &a.blocked, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);

	return run(&a);
}
