// SPDX-License-Identifier: GPL-2.0
/*
 * tgagpad: tells timegraph which process has the foreground window (automatic GPU priority
 * assignment; TimeGraph, section 3).
 *
 * The window manager names the active window in _NET_ACTIVE_WINDOW of the root window, and each
 * program its process in _NET_WM_PID of its own window (EWMH). Whenever either changes, tgagpad
 * writes the pid to the module's file `foreground`; the module sets the priorities. Between changes
 * tgagpad sleeps; it polls nothing. One thread.
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
#include <unistd.h>

#include <uapi/timegraph.h>
#include <xcb/xcb.h>

#include "lib/opt.h"

enum { ACTIVE_WINDOW, WM_PID, CLIENT_MACHINE, CHECK, ATOMS };

static const char *const atom_names[ATOMS] = {
	[ACTIVE_WINDOW] = "_NET_ACTIVE_WINDOW",
	[WM_PID] = "_NET_WM_PID",
	[CLIENT_MACHINE] = "WM_CLIENT_MACHINE",
	[CHECK] = "_NET_SUPPORTING_WM_CHECK",
};

struct agpad {
	xcb_connection_t *x;
	xcb_window_t root, active;
	xcb_atom_t atom[ATOMS];
	char file[4096];
	unsigned int told;	/* pid that was last written to the module */
	bool managed;		/* there is a window manager, or the user was told that there is none */
};

static volatile sig_atomic_t ended;

static void on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
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
	int fd = open(a->file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int err = 0;

	if (fd < 0 || dprintf(fd, "%u\n", pid) < 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	a->told = pid;
	if (err == ENOENT)
		say("timegraph is not loaded: modprobe timegraph");
	else if (err)
		say("cannot write %s: %s%s", a->file, strerror(err),
		    err == EACCES ? "; try as root" : "");
	return !err;
}

/* Reads a property, at most 256 bytes. Return: its length; 0: the window has no such property. */
static size_t property(const struct agpad *a, xcb_window_t window, int atom, void *value,
		       size_t room)
{
	xcb_get_property_reply_t *reply;
	size_t len = 0;

	reply = xcb_get_property_reply(a->x, xcb_get_property(a->x, 0, window, a->atom[atom],
				       XCB_GET_PROPERTY_TYPE_ANY, 0, 64), NULL);
	if (!reply)
		return 0;
	if (reply->type != XCB_ATOM_NONE) {
		len = xcb_get_property_value_length(reply);
		len = len < room ? len : room;
		memcpy(value, xcb_get_property_value(reply), len);
	}
	free(reply);
	return len;
}

/* A program on another machine has a pid of that one. */
static bool is_local(const struct agpad *a, xcb_window_t window)
{
	char machine[257] = "", host[257] = "";

	if (!property(a, window, CLIENT_MACHINE, machine, sizeof(machine) - 1))
		return true;
	gethostname(host, sizeof(host) - 1);
	return !strcmp(machine, host) || !strcmp(machine, "localhost");
}

/* Process of the active window; 0: no window is active, or it names no process. */
static unsigned int foreground(struct agpad *a)
{
	const uint32_t watch = XCB_EVENT_MASK_PROPERTY_CHANGE, nothing = 0;
	xcb_window_t window = XCB_WINDOW_NONE;
	uint32_t pid = 0;

	if (property(a, a->root, ACTIVE_WINDOW, &window, sizeof(window)) != sizeof(window))
		window = XCB_WINDOW_NONE;
	if (window != a->active) {
		/*
		 * Some programs set their pid late. Errors about a window that is gone are ignored.
		 */
		if (a->active != XCB_WINDOW_NONE)
			xcb_change_window_attributes(a->x, a->active, XCB_CW_EVENT_MASK, &nothing);
		if (window != XCB_WINDOW_NONE)
			xcb_change_window_attributes(a->x, window, XCB_CW_EVENT_MASK, &watch);
		a->active = window;
	}
	if (window == XCB_WINDOW_NONE || !is_local(a, window) ||
	    property(a, window, WM_PID, &pid, sizeof(pid)) != sizeof(pid))
		return 0;
	return pid;
}

/* Without a window manager no window is ever named active: say so, once. */
static void look_for_manager(struct agpad *a)
{
	xcb_window_t check;
	bool managed = property(a, a->root, CHECK, &check, sizeof(check)) == sizeof(check);

	if (a->managed && !managed)
		say("no window manager says which window is active (_NET_ACTIVE_WINDOW); waiting for one");
	a->managed = managed;
}

static bool connect_x(struct agpad *a)
{
	const uint32_t watch = XCB_EVENT_MASK_PROPERTY_CHANGE;
	const char *display = getenv("DISPLAY");
	xcb_intern_atom_cookie_t cookie[ATOMS];
	xcb_screen_iterator_t screen;
	int nr, i;

	a->x = xcb_connect(NULL, &nr);
	if (xcb_connection_has_error(a->x)) {
		if (display && *display)
			say("no X server at DISPLAY '%s', or it does not let us in", display);
		else
			say("no X server: DISPLAY is not set");
		return false;
	}
	screen = xcb_setup_roots_iterator(xcb_get_setup(a->x));
	for (; nr && screen.rem; nr--)
		xcb_screen_next(&screen);
	a->root = screen.data->root;
	for (i = 0; i < ATOMS; i++)
		cookie[i] = xcb_intern_atom(a->x, 0, strlen(atom_names[i]), atom_names[i]);
	for (i = 0; i < ATOMS; i++) {
		xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(a->x, cookie[i], NULL);

		a->atom[i] = reply ? reply->atom : XCB_ATOM_NONE;
		free(reply);
	}
	xcb_change_window_attributes(a->x, a->root, XCB_CW_EVENT_MASK, &watch);
	return true;
}

/* Take the events that have come. Return: may the foreground window or its process have changed? */
static bool drain(struct agpad *a)
{
	xcb_generic_event_t *event;
	bool changed = false;

	while ((event = xcb_poll_for_event(a->x))) {
		const xcb_property_notify_event_t *p = (void *)event;

		if ((event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY) {
			changed |= p->window == a->root ? p->atom == a->atom[ACTIVE_WINDOW] :
				   p->atom == a->atom[WM_PID];
			if (p->window == a->root && p->atom == a->atom[CHECK])
				look_for_manager(a);
		}
		free(event);
	}
	return changed;
}

static int follow(struct agpad *a, const sigset_t *unblocked)
{
	struct pollfd fd = { .fd = xcb_get_file_descriptor(a->x), .events = POLLIN };
	bool changed = true;
	unsigned int pid;

	a->managed = true;
	look_for_manager(a);
	while (!ended) {
		if (changed) {
			pid = foreground(a);
			if (pid != a->told && !tell(a, pid))
				return 1;
		}
		/* events that came while foreground() waited for replies are in xcb's queue */
		changed = drain(a);
		if (xcb_connection_has_error(a->x)) {
			say("the X server has gone");
			tell(a, 0);
			return 1;
		}
		xcb_flush(a->x);
		if (!changed && ppoll(&fd, 1, NULL, unblocked) < 0 && errno != EINTR) {
			say("poll: %s", strerror(errno));
			return 1;
		}
		changed |= drain(a);
	}
	return tell(a, 0) ? 0 : 1;
}

static void help(void)
{
	puts("usage: tgagpad\n"
	     "Tells timegraph which process has the foreground window of the X server at DISPLAY.\n"
	     "Clients whose specification says '*' for the priority come first among their like\n"
	     "while they have it. Ends with the X server, or by SIGTERM. tgagpad(8) says more.");
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
	sigset_t blocked, unblocked;
	struct agpad a = { };
	int status = parse(argv + (argc > 0));

	if (status >= 0)
		return status;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &unblocked);
	sigdelset(&unblocked, SIGTERM);
	sigdelset(&unblocked, SIGINT);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);

	snprintf(a.file, sizeof(a.file), "%s/foreground",
		 sysfs && *sysfs ? sysfs : TIMEGRAPH_SYSFS);
	if (!connect_x(&a) || !tell(&a, 0))
		return 1;
	status = follow(&a, &unblocked);
	xcb_disconnect(a.x);
	return status;
}
