// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of tgrund's methods: see bus.h. A refusal comes back as one line, which is printed as it is.
 */
#include "bus.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME	"org.timegraph.Run1"
#define PATH	"/org/timegraph/Run1"
#define WAIT_US	120000000	/* tgrund, polkit and systemd have to do their parts */

/* As <systemd/sd-bus.h> has them; they are libsystemd's stable interface. */
struct error {
	const char *name, *message;
	int need_free;
};

struct bus {
	void *bus;
	int (*open)(void **bus);
	int (*set_timeout)(void *bus, uint64_t us);
	int (*call)(void *bus, const char *to, const char *path, const char *interface,
		    const char *member, struct error *error, void **reply, const char *types, ...);
};

bool bus_there(void)
{
	return !access("/run/systemd/system", F_OK);
}

static bool find(void *library, const char *name, void *to)
{
	void *symbol = dlsym(library, name);

	memcpy(to, &symbol, sizeof(symbol));
	return symbol;
}

/* One connection for all calls: D-Bus gives each user 256 at most. */
static bool reach(struct bus *bus)
{
	void *library;
	int err;

	if (bus->bus)
		return true;
	library = dlopen("libsystemd.so.0", RTLD_NOW);
	if (!library || !find(library, "sd_bus_open_system", &bus->open) ||
	    !find(library, "sd_bus_set_method_call_timeout", &bus->set_timeout) ||
	    !find(library, "sd_bus_call_method", &bus->call)) {
		tgctl_error("cannot open libsystemd.so.0, which speaks D-Bus");
		return false;
	}
	err = bus->open(&bus->bus);
	if (err >= 0)
		err = bus->set_timeout(bus->bus, WAIT_US);
	if (err < 0)
		tgctl_error("cannot reach the system's D-Bus: %s", strerror(-err));
	return err >= 0;
}

/* Return: @err >= 0. */
static bool explain(int err, const struct error *error)
{
	if (err < 0 && error->name && !strcmp(error->name, "org.freedesktop.DBus.Error.ServiceUnknown"))
		tgctl_error("no tgrund on D-Bus: the package timegraph-tools brings it");
	else if (err < 0)
		tgctl_error("refused: %s", error->message ? error->message : strerror(-err));
	return err >= 0;
}

bool bus_start(const struct run_line *line)
{
	struct error error = { 0 };
	struct bus bus = { 0 };
	int pidfd;

	if (!reach(&bus))
		return false;
	pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	return explain(bus.call(bus.bus, NAME, PATH, NAME, "Start", &error, NULL, "hittts", pidfd,
				line->prio, line->capacity / TG_USEC, line->period / TG_USEC, line->mem,
				line->vgpu), &error);
}

bool bus_prio(u32 client, unsigned int prio)
{
	struct error error = { 0 };
	static struct bus bus;

	return reach(&bus) && explain(bus.call(bus.bus, NAME, PATH, NAME, "SetPriority", &error, NULL,
					       "uu", client, prio), &error);
}
