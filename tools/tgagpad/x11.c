// SPDX-License-Identifier: GPL-2.0
/*
 * The focus as an X server tells it. The window manager names the active window in
 * _NET_ACTIVE_WINDOW of the root window, and the server says whose connection made the window
 * (X-Resource 1.2). Where it cannot, the window names its process itself, in _NET_WM_PID (EWMH): by
 * the number that the process has in its own PID namespace. main.c calls, in its one thread.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcb/res.h>
#include <xcb/xcb.h>

#include "agpad.h"

enum { ACTIVE_WINDOW, WM_PID, CLIENT_MACHINE, CHECK, ATOMS };

static const char *const atom_names[ATOMS] = {
	[ACTIVE_WINDOW] = "_NET_ACTIVE_WINDOW",
	[WM_PID] = "_NET_WM_PID",
	[CLIENT_MACHINE] = "WM_CLIENT_MACHINE",
	[CHECK] = "_NET_SUPPORTING_WM_CHECK",
};

static struct {
	xcb_connection_t *x;
	xcb_window_t root, active;
	xcb_atom_t atom[ATOMS];
	bool managed;		/* there is a window manager, or the user was told that there is none */
	bool looked;		/* for a window manager, at first */
	bool resource;		/* the server has X-Resource 1.2 */
} x11;

/* Reads a property, at most 256 bytes. Return: its length; 0: the window has no such property. */
static size_t property(xcb_window_t window, int atom, void *value, size_t room)
{
	xcb_get_property_reply_t *reply;
	size_t len = 0;

	reply = xcb_get_property_reply(x11.x, xcb_get_property(x11.x, 0, window, x11.atom[atom],
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
static bool is_local(xcb_window_t window)
{
	char machine[257] = "", host[257] = "";

	if (!property(window, CLIENT_MACHINE, machine, sizeof(machine) - 1))
		return true;
	gethostname(host, sizeof(host) - 1);
	return !strcmp(machine, host) || !strcmp(machine, "localhost");
}

/* Process at the other end of the connection that made the window; 0: the server cannot tell. */
static unsigned int owner(xcb_window_t window)
{
	const xcb_res_client_id_spec_t spec = { window, XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID };
	xcb_get_window_attributes_reply_t *attributes;
	xcb_res_query_client_ids_reply_t *reply;
	xcb_res_client_id_value_iterator_t id;
	unsigned int pid = 0;

	/* The server looks at the client's part of the number only. */
	attributes = x11.resource ? xcb_get_window_attributes_reply(x11.x,
			xcb_get_window_attributes(x11.x, window), NULL) : NULL;
	if (!attributes)
		return 0;
	free(attributes);
	reply = xcb_res_query_client_ids_reply(x11.x, xcb_res_query_client_ids(x11.x, 1, &spec),
					       NULL);
	if (!reply)
		return 0;
	id = xcb_res_query_client_ids_ids_iterator(reply);
	for (; id.rem; xcb_res_client_id_value_next(&id)) {
		if (id.data->spec.mask & XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID &&
		    xcb_res_client_id_value_value_length(id.data) > 0)
			pid = *xcb_res_client_id_value_value(id.data);
	}
	free(reply);
	return pid;
}

static bool has_resource(void)
{
	const xcb_query_extension_reply_t *extension = xcb_get_extension_data(x11.x, &xcb_res_id);
	xcb_res_query_version_reply_t *version;
	bool has;

	if (!extension || !extension->present)
		return false;
	version = xcb_res_query_version_reply(x11.x, xcb_res_query_version(x11.x, 1, 2), NULL);
	has = version && (version->server_major > 1 ||
			  (version->server_major == 1 && version->server_minor >= 2));
	free(version);
	return has;
}

/* Process of the active window; 0: no window is active, or it names no process. */
static unsigned int foreground(void)
{
	const uint32_t watch = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	const uint32_t nothing = 0;
	xcb_window_t window = XCB_WINDOW_NONE;
	uint32_t pid = 0;

	if (property(x11.root, ACTIVE_WINDOW, &window, sizeof(window)) != sizeof(window))
		window = XCB_WINDOW_NONE;
	if (window != x11.active) {
		/*
		 * Some programs set their pid late. Errors about a window that is gone are ignored.
		 */
		if (x11.active != XCB_WINDOW_NONE)
			xcb_change_window_attributes(x11.x, x11.active, XCB_CW_EVENT_MASK, &nothing);
		if (window != XCB_WINDOW_NONE)
			xcb_change_window_attributes(x11.x, window, XCB_CW_EVENT_MASK, &watch);
		x11.active = window;
	}
	if (window == XCB_WINDOW_NONE || !is_local(window))
		return 0;
	pid = owner(window);
	if (!pid && property(window, WM_PID, &pid, sizeof(pid)) != sizeof(pid))
		pid = 0;
	return pid;
}

/* Without a window manager no window is ever named active: say so, once. */
static void look_for_manager(void)
{
	xcb_window_t check;
	bool managed = property(x11.root, CHECK, &check, sizeof(check)) == sizeof(check);

	if (x11.managed && !managed)
		say("no window manager says which window is active (_NET_ACTIVE_WINDOW); waiting for one");
	x11.managed = managed;
}

static bool connect_x(void)
{
	const uint32_t watch = XCB_EVENT_MASK_PROPERTY_CHANGE;
	const char *display = getenv("DISPLAY");
	xcb_intern_atom_cookie_t cookie[ATOMS];
	xcb_screen_iterator_t screen;
	int nr, i;

	x11.x = xcb_connect(NULL, &nr);
	if (xcb_connection_has_error(x11.x)) {
		if (display && *display)
			say("no X server at DISPLAY '%s', or it does not let us in", display);
		else
			say("no X server: DISPLAY is not set");
		return false;
	}
	screen = xcb_setup_roots_iterator(xcb_get_setup(x11.x));
	for (; nr && screen.rem; nr--)
		xcb_screen_next(&screen);
	x11.root = screen.data->root;
	for (i = 0; i < ATOMS; i++)
		cookie[i] = xcb_intern_atom(x11.x, 0, strlen(atom_names[i]), atom_names[i]);
	for (i = 0; i < ATOMS; i++) {
		xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(x11.x, cookie[i], NULL);

		x11.atom[i] = reply ? reply->atom : XCB_ATOM_NONE;
		free(reply);
	}
	xcb_change_window_attributes(x11.x, x11.root, XCB_CW_EVENT_MASK, &watch);
	x11.resource = has_resource();
	return true;
}

/* Take the events that have come. Return: may the foreground window or its process have changed? */
static bool drain(void)
{
	xcb_generic_event_t *event;
	bool changed = false;

	while ((event = xcb_poll_for_event(x11.x))) {
		const xcb_property_notify_event_t *p = (void *)event;

		if ((event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY) {
			changed |= p->window == x11.root ? p->atom == x11.atom[ACTIVE_WINDOW] :
				   p->atom == x11.atom[WM_PID];
			if (p->window == x11.root && p->atom == x11.atom[CHECK])
				look_for_manager();
		}
		/* The window manager may leave a window active that is no more. */
		changed |= (event->response_type & 0x7f) == XCB_DESTROY_NOTIFY;
		free(event);
	}
	return changed;
}

static int descriptor(void)
{
	return xcb_get_file_descriptor(x11.x);
}

static enum state read_events(bool *changed)
{
	if (!x11.looked) {
		x11.looked = true;
		x11.managed = true;
		look_for_manager();
	}
	*changed |= drain();
	if (xcb_connection_has_error(x11.x)) {
		say("the X server has gone");
		return GONE;
	}
	xcb_flush(x11.x);
	return GOING;
}

/* Each question waits for its answer. */
static bool waits(void)
{
	return false;
}

static void disconnect(void)
{
	xcb_disconnect(x11.x);
}

const struct source source_x11 = {
	.variable = "DISPLAY",
	.open = connect_x,
	.fd = descriptor,
	.read = read_events,
	.foreground = foreground,
	.waits = waits,
	.close = disconnect,
};
