// SPDX-License-Identifier: GPL-2.0
/*
 * The focus as a Wayland compositor tells it by wlr-foreign-toplevel-management-unstable-v1: each
 * window's application id, and whether it is activated. match.c finds the process. main.c calls,
 * in its one thread; nothing here waits for the compositor.
 *
 * ext-foreign-toplevel-list-v1 lists windows without their state, so it cannot serve.
 * The tables below describe version 1 of the protocol as libwayland wants it described.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <wayland-client-core.h>
#include <wayland-client-protocol.h>

#include "agpad.h"

#define MANAGER "zwlr_foreign_toplevel_manager_v1"
#define LIST "ext_foreign_toplevel_list_v1"

enum { ACTIVATED = 2, HANDLE_DESTROY = 7, ID_ROOM = 256 };

static const struct wl_interface handle_interface;
static const struct wl_interface *const no_types[5];
static const struct wl_interface *const seat_type[] = { &wl_seat_interface };
static const struct wl_interface *const surface_type[] = { &wl_surface_interface, NULL, NULL, NULL,
							   NULL };
static const struct wl_interface *const output_type[] = { &wl_output_interface };
static const struct wl_interface *const handle_type[] = { &handle_interface };

#define MESSAGE(name, signature, types) { name, signature, (const struct wl_interface **)(types) }

static const struct wl_message handle_requests[] = {
	MESSAGE("set_maximized", "", no_types),
	MESSAGE("unset_maximized", "", no_types),
	MESSAGE("set_minimized", "", no_types),
	MESSAGE("unset_minimized", "", no_types),
	MESSAGE("activate", "o", seat_type),
	MESSAGE("close", "", no_types),
	MESSAGE("set_rectangle", "oiiii", surface_type),
	MESSAGE("destroy", "", no_types),
};

static const struct wl_message handle_events[] = {
	MESSAGE("title", "s", no_types),
	MESSAGE("app_id", "s", no_types),
	MESSAGE("output_enter", "o", output_type),
	MESSAGE("output_leave", "o", output_type),
	MESSAGE("state", "a", no_types),
	MESSAGE("done", "", no_types),
	MESSAGE("closed", "", no_types),
};

static const struct wl_interface handle_interface = {
	"zwlr_foreign_toplevel_handle_v1", 1, 8, handle_requests, 7, handle_events
};

static const struct wl_message manager_requests[] = { MESSAGE("stop", "", no_types) };

static const struct wl_message manager_events[] = {
	MESSAGE("toplevel", "n", handle_type),
	MESSAGE("finished", "", no_types),
};

static const struct wl_interface manager_interface = {
	MANAGER, 1, 1, manager_requests, 2, manager_events
};

/* A window. @app_id: what counts since it has the focus, of @next_app_id. */
struct window {
	struct wl_proxy *handle;
	char app_id[ID_ROOM], next_app_id[ID_ROOM];
	bool active;
};

static struct {
	struct wl_display *display;
	struct wl_registry *registry;
	struct wl_callback *sync;	/* until the compositor has named what it has */
	struct wl_proxy *manager;
	struct window *active;
	uid_t uid;
	bool listed;			/* it has ext_foreign_toplevel_list_v1 */
	bool finished, changed;
} w;

/* The events of a window, in the protocol's order */

static void on_title(void *data, struct wl_proxy *handle, const char *title)
{
	(void)data, (void)handle, (void)title;
}

static void on_app_id(void *data, struct wl_proxy *handle, const char *app_id)
{
	struct window *window = data;
	size_t len = strlen(app_id);

	(void)handle;
	/* No application's id is that long: such a window belongs to none. */
	if (len >= ID_ROOM)
		len = 0;
	memcpy(window->next_app_id, app_id, len);
	window->next_app_id[len] = '\0';
}

static void on_output(void *data, struct wl_proxy *handle, struct wl_output *output)
{
	(void)data, (void)handle, (void)output;
}

static void on_state(void *data, struct wl_proxy *handle, struct wl_array *states)
{
	struct window *window = data;
	const uint32_t *state;

	(void)handle;
	window->active = false;
	wl_array_for_each(state, states)
		window->active |= *state == ACTIVATED;
}

static void on_done(void *data, struct wl_proxy *handle)
{
	struct window *window = data;

	(void)handle;
	if (window->active) {
		/*
		 * A window that takes another id while it has the focus keeps the process of the
		 * first: it must not make us search at its own pace.
		 */
		if (w.active != window || (!*window->app_id && *window->next_app_id)) {
			strcpy(window->app_id, window->next_app_id);
			w.active = window;
			w.changed = true;
		}
	} else if (w.active == window) {
		w.active = NULL;
		w.changed = true;
	}
}

static void on_closed(void *data, struct wl_proxy *handle)
{
	struct window *window = data;

	if (w.active == window) {
		w.active = NULL;
		w.changed = true;
	}
	wl_proxy_marshal_flags(handle, HANDLE_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
	free(window);
}

static void (*const on_window[])(void) = {
	(void (*)(void))on_title, (void (*)(void))on_app_id, (void (*)(void))on_output,
	(void (*)(void))on_output, (void (*)(void))on_state, (void (*)(void))on_done,
	(void (*)(void))on_closed,
};

/* The events of the manager */

static void on_toplevel(void *data, struct wl_proxy *manager, struct wl_proxy *handle)
{
	struct window *window = calloc(1, sizeof(*window));

	(void)data, (void)manager;
	if (!window) {
		say("out of memory");
		w.finished = true;
		return;
	}
	window->handle = handle;
	wl_proxy_add_listener(handle, (void (**)(void))on_window, window);
}

static void on_finished(void *data, struct wl_proxy *manager)
{
	(void)data, (void)manager;
	w.finished = true;
}

static void (*const on_manager[])(void) = {
	(void (*)(void))on_toplevel, (void (*)(void))on_finished,
};

/* What the compositor has */

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
		      const char *interface, uint32_t version)
{
	(void)data, (void)version;
	w.listed |= !strcmp(interface, LIST);
	if (w.manager || strcmp(interface, MANAGER))
		return;
	w.manager = wl_registry_bind(registry, name, &manager_interface, 1);
	if (w.manager)
		wl_proxy_add_listener(w.manager, (void (**)(void))on_manager, NULL);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
	(void)data, (void)registry, (void)name;
}

static const struct wl_registry_listener on_registry = { on_global, on_global_remove };

static void on_sync(void *data, struct wl_callback *sync, uint32_t serial)
{
	(void)data, (void)serial;
	wl_callback_destroy(sync);
	w.sync = NULL;
}

static const struct wl_callback_listener on_sync_done = { on_sync };

static void no_log(const char *format, va_list args)
{
	(void)format, (void)args;
}

static bool connect_wayland(void)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	wl_log_set_handler_client(no_log);
	w.display = wl_display_connect(NULL);
	if (!w.display) {
		say("no Wayland compositor at WAYLAND_DISPLAY '%s': %s", getenv("WAYLAND_DISPLAY"),
		    strerror(errno));
		return false;
	}
	w.uid = getsockopt(wl_display_get_fd(w.display), SOL_SOCKET, SO_PEERCRED, &peer, &len) ?
		(uid_t)-1 : peer.uid;
	w.registry = wl_display_get_registry(w.display);
	wl_registry_add_listener(w.registry, &on_registry, NULL);
	w.sync = wl_display_sync(w.display);
	wl_callback_add_listener(w.sync, &on_sync_done, NULL);
	return true;
}

static int descriptor(void)
{
	return wl_display_get_fd(w.display);
}

static enum state read_events(bool *changed)
{
	int bad = 0;

	while (bad >= 0 && wl_display_prepare_read(w.display))
		bad = wl_display_dispatch_pending(w.display);
	if (bad >= 0) {
		wl_display_flush(w.display);
		bad = wl_display_read_events(w.display);
	}
	if (bad >= 0)
		bad = wl_display_dispatch_pending(w.display);
	wl_display_flush(w.display);
	if (bad < 0 || w.finished || wl_display_get_error(w.display)) {
		say("the Wayland compositor has gone");
		return GONE;
	}
	if (!w.sync && !w.manager) {
		say("this compositor does not tell which window has the focus (no " MANAGER "%s)",
		    w.listed ? "; " LIST " lists windows only" : "");
		return UNABLE;
	}
	*changed |= w.changed;
	w.changed = false;
	return GOING;
}

static unsigned int foreground(void)
{
	return w.active ? match_app(w.active->app_id, w.uid) : 0;
}

static bool waits(void)
{
	return w.sync;
}

/* The windows go with the program. */
static void disconnect(void)
{
	wl_display_disconnect(w.display);
}

const struct source source_wlr = {
	.variable = "WAYLAND_DISPLAY",
	.open = connect_wayland,
	.fd = descriptor,
	.read = read_events,
	.foreground = foreground,
	.waits = waits,
	.close = disconnect,
};
