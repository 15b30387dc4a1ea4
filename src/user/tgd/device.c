// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: how the daemon drives the core, one tg_gpu for each physical device.
 *
 * The circle feed -> action -> feed:
 *
 *  1 Something happens: a bell, a hang-up, a timer, a tool's wish. Its function ends the lease that
 *    is out, if the event is not the lessee's own (lease.c), and calls device_feed().
 *  2 device_feed() sets the time, fills the pools, records the event and feeds the core.
 *  3 emit() does what the core says: it answers a slot, sets the timer, keeps a gate. It never
 *    feeds.
 *  4 device_settle() shows the gates to the clients, and leases if it can.
 *
 * A device is claimed by a name in the abstract name space of sockets, so that two daemons, of two
 * users, never schedule the same one. The name goes with the daemon, however that ends.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "device.h"
#include "lease.h"
#include "main.h"
#include "settings.h"
#include "socket.h"
#include "tgd.h"
#include "totals.h"
#include "trace.h"

#define BUCKET_BITS	12

struct device *devices[TGD_DEVICES];
u32 nr_devices;

/* --- actions: inside tg_gpu_feed() --- */

static const char *const notes[TG_NOTES] = {
	[TG_NOTE_LOST] = "a group of %s did not end in time (job_deadline_us): it is written off",
	[TG_NOTE_REPAIRED] = "a group of %s that was written off has ended after all",
	[TG_NOTE_RECOVERED] = "the device completes groups again, the first of %s",
	[TG_NOTE_OVERLAP] = "%s was let go and did not launch in time (freed_timeout_us)",
	[TG_NOTE_EJECTED_PICK] = "the policy failed: fifo is in force%.0s",
	[TG_NOTE_EJECTED_STARVED] = "the policy left a client waiting: fifo is in force%.0s",
	[TG_NOTE_DRAIN_CUT] = "%s did not end its work in time: it is not waited for any more",
	[TG_NOTE_NOT_ADMITTED] = "the reserve of %s does not fit: it is in Background",
	[TG_NOTE_NO_VRAM] = "the memory of %s does not fit (mem=): it is in Background",
	[TG_NOTE_VRAM_LATE] = "a request of %s for memory has waited for too long: it is refused",
	[TG_NOTE_VRAM_DEADLOCK] = "a request of %s for memory is refused: holders wait for each other",
	[TG_NOTE_OVERLONG] = "%s ran a group longer than guaranteed reserves allow",
};

/* Is the job of this note one that was to end early? */
static bool was_ending(const struct client *c, const struct tg_action *action)
{
	u32 i;

	for (i = 0; c && i < TGD_SLOTS; i++)
		if (c->slot[i].state == SLOT_BUSY && c->slot[i].number == action->job)
			return c->slot[i].ending;
	return false;
}

/* A program keeps its turn. Return: it is ended, as the user wants it. */
static bool end_stuck(const struct client *c)
{
	return settings.end_stuck && c->conn && c->conn->process.fd >= 0 &&
	       !syscall(SYS_pidfd_send_signal, c->conn->process.fd, SIGKILL, NULL, 0);
}

static void tell(struct device *d, const struct tg_action *action)
{
	const struct client *c = action->host;
	char who[64];

	stats[STAT_NOTES]++;
	stats[STAT_LOST] += action->arg == TG_NOTE_LOST;
	if (action->arg >= TG_NOTES || !notes[action->arg])
		return;
	snprintf(who, sizeof(who), "%s[%u]", c ? c->identity.comm : "a client",
		 c ? c->identity.pid : 0);
	if (action->arg == TG_NOTE_LOST && was_ending(c, action))
		say("%s has not given its turn back in time (job_deadline_us): its kernel is written off%s",
		    who, end_stuck(c) ? "; the program is ended" : "");
	else
		say(notes[action->arg], who);
}

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct device *d = container_of(out, struct device, out);
	struct client *c = action->host;
	struct slot *s = action->host;

	trace_action(d, action);
	switch (action->kind) {
	case TG_ACT_FREE:
		s->client->waits[tg_hist_bucket(d->core.now - s->arrived)]++;
		s->freed = d->core.now;
		s->state = SLOT_FREED;
		client_answer(s, TGD_GO);
		break;
	case TG_ACT_YIELD:
		client_yield(s);
		break;
	case TG_ACT_MEM_GRANT:
	case TG_ACT_MEM_REFUSE:
		s->state = SLOT_FREE;
		client_answer(s, action->kind == TG_ACT_MEM_GRANT ? TGD_GO : TGD_NO_MEMORY);
		break;
	case TG_ACT_ARM:
		d->armed = action->at;
		break;
	case TG_ACT_NOTE:
		tell(d, action);
		break;
	case TG_ACT_GATE:
		c->gate = action->arg;
		break;
	case TG_ACT_SYNC:
		client_notice(c, TGD_NOTICE_SYNC, ++c->synced);
		break;
	case TG_ACT_GONE:
		totals_add(c);
		c->id = 0;	/* device_settle() forgets it */
		break;
	default:
		break;
	}
}

/* --- events --- */

static void fill(struct device *d, const struct tg_event *ev)
{
	static const u32 least[TG_POOLS] = {
		[TG_POOL_CLIENT] = 1, [TG_POOL_CHANNEL] = 1, [TG_POOL_RESERVE] = 1,
		[TG_POOL_JOB] = 2, [TG_POOL_HISTORY] = 1, [TG_POOL_COST] = 1,
		[TG_POOL_CHUNK] = 1, [TG_POOL_ACCOUNT] = 1, [TG_POOL_REQUEST] = 1,
		[TG_POOL_SHARER] = 1,
	};
	u32 pool, want;

	for (pool = 0; pool < TG_POOLS; pool++) {
		want = least[pool];
		if (pool == TG_POOL_RESERVE && ev->kind == TG_EV_SPEC)
			want += d->core.nr_clients;
		want += pool == TG_POOL_DRY && (ev->kind == TG_EV_KNOB || ev->kind == TG_EV_SPEC);
		while (d->core.pooled[pool] < want)
			tg_gpu_give(&d->core, pool, need(calloc(1, tg_pool_size[pool])));
	}
}

/** device_now() - the time of what is fed next */
s64 device_now(const struct device *d)
{
	return d->as_of ? max(d->core.now, min(d->as_of, now())) : now();
}

/**
 * device_feed() - feed one event
 * @d: the device; nobody else has its lease
 * @ev: the event; its at is now where it is 0, or not in the past
 *
 * Return: as tg_gpu_feed().
 */
int device_feed(struct device *d, struct tg_event *ev)
{
	u32 spec_len = 0;
	int ret;

	ev->now = device_now(d);
	if (ev->kind != TG_EV_KNOB && (ev->at <= 0 || ev->at > ev->now))
		ev->at = ev->now;
	if (ev->kind == TG_EV_SPEC && ev->new_spec)
		spec_len = container_of(ev->new_spec, struct spec, spec)->len;
	fill(d, ev);
	trace_begin(d, ev, spec_len);
	ret = tg_gpu_feed(&d->core, ev, &d->out);
	trace_end(d, ev, spec_len, ret);
	stats[STAT_REFUSED_EVENTS] += ret && ret != -EBUSY;
	return ret;
}

/**
 * device_settle() - show the clients their gates, forget those that are gone, lease
 * @d: the device; all that has happened was fed
 */
void device_settle(struct device *d)
{
	struct client **at = &d->clients, *c;
	u8 state;

	if (d->knobs_due && !d->core.next_policy)
		settings_policy_knobs(d);
	while ((c = *at)) {
		state = c->gate == TG_GATE_OPEN ? TGD_OPEN : TGD_ASK;
		if (c->id && c->conn && state != c->shown) {
			if (d->lessee == c)
				lease_end(d);
			c->shown = state;
			tgd_set_state(c->page, state);
		}
		if (!c->id && !c->conn) {
			*at = c->next;
			client_forget(c);
		} else {
			at = &c->next;
		}
	}
	lease_try(d);
}

/** device_due() - when device_time() is to be called; TG_NEVER: no need */
s64 device_due(const struct device *d)
{
	return d->lessee ? min(d->armed, min(d->lease_until, d->lease_look)) : d->armed;
}

/* What no bell told of: starts, mostly. Before a timer that may look for them. */
static void drain_all(struct device *d)
{
	struct client *c;

	for (c = d->clients; c; c = c->next)
		if (c->conn)
			client_drain(c, tgd_head_of(tgd_load(&c->page->word)));
}

/**
 * device_time() - do what is due
 * @d: the device
 */
void device_time(struct device *d)
{
	struct tg_event timer = { .kind = TG_EV_TIMER };
	s64 time = now();

	if (device_due(d) > time)
		return;
	if (d->armed <= time || (d->lessee && d->lease_until <= time))
		lease_end(d);
	else if (d->lessee && d->lease_look <= time)
		lease_look(d);
	if (d->armed <= time) {
		drain_all(d);
		d->armed = TG_NEVER;
		device_feed(d, &timer);
	}
	device_settle(d);
}

static struct tg_event spec_event(const struct spec *spec, bool rematch, bool all)
{
	return (struct tg_event){ .kind = TG_EV_SPEC, .new_spec = &spec->spec,
				  .spec = { .rematch = rematch, .settings = all } };
}

/**
 * device_takes_spec() - what device_spec() would answer; changes nothing
 * @d: the device
 * @spec: the spec
 * @rematch: for running clients too
 *
 * Nothing may be fed before device_spec(). Return: 0 or -EBUSY.
 */
int device_takes_spec(struct device *d, const struct spec *spec, bool rematch)
{
	struct tg_event ev = spec_event(spec, rematch, true);

	lease_end(d);
	fill(d, &ev);
	return tg_gpu_takes_spec(&d->core, &ev);
}

/**
 * device_spec() - put a spec in force
 * @d: the device
 * @spec: kept until the next one is in force
 * @rematch: for running clients too
 * @all: its policy and knobs too
 */
int device_spec(struct device *d, const struct spec *spec, bool rematch, bool all)
{
	struct tg_event ev = spec_event(spec, rematch, all);

	lease_end(d);
	return device_feed(d, &ev);
}

/* --- a device --- */

/* Claim the key against other daemons. Return: a descriptor, or -1. */
static int claim(const char *key)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "timegraph/device/%.80s", key);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 1 + len)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Does timegraph.ko schedule it? It does what nouveau drives. */
static bool in_kernel(const char *key)
{
	char path[TGD_KEY + 64], driver[256];
	struct stat st;
	ssize_t len;

	if (strncmp(key, "pci:", 4) || strchr(key, '/') || stat("/sys/kernel/timegraph", &st))
		return false;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", key + 4);
	len = readlink(path, driver, sizeof(driver) - 1);
	if (len < 0)
		return false;
	driver[len] = '\0';
	return strstr(driver, "nouveau");
}

static void start(struct device *d)
{
	d->buckets.bits = BUCKET_BITS;
	d->buckets.jobs = need(calloc(1 << BUCKET_BITS, sizeof(void *)));
	d->buckets.clients = need(calloc(1 << BUCKET_BITS, sizeof(void *)));
	d->buckets.channels = need(calloc(1 << BUCKET_BITS, sizeof(void *)));
	d->out.emit = emit;
	d->armed = TG_NEVER;
	tg_gpu_init(&d->core, TGD_CHANNELS, settings_first_policy(), &d->buckets, now());
	trace_start(d);
	settings_feed(d);
}

/**
 * device_size() - who says how much memory the device has, comes or goes
 * @d: the device
 * @comes: a client that is about to join; NULL: none
 *
 * The largest size that one of those says who are there counts: nobody makes others' requests fail
 * by a small one, and what only one who has gone has said does not make all of them granted for
 * ever.
 */
void device_size(struct device *d, const struct client *comes)
{
	struct tg_event memory = { .kind = TG_EV_MEM_SIZE, .mem.bytes = comes ? comes->memory : 0 };
	const struct client *c;
	bool any = comes;

	for (c = d->clients; c; c = c->next)
		if (c->conn) {
			memory.mem.bytes = max(memory.mem.bytes, c->memory);
			any = true;
		}
	if (!any || memory.mem.bytes == d->core.mem.size)
		return;
	lease_end(d);
	device_feed(d, &memory);
}

/** device_name() - its PCI address; of one that has none, its key */
const char *device_name(const struct device *d)
{
	return d->key + (strncmp(d->key, "pci:", 4) ? 0 : 4);
}

/**
 * device_get() - the device of a key, a new one if there is none
 * @hello: what a client says of it, checked
 * @uid: the client's user
 * @why: set when there is none
 *
 * Return: the device, or NULL.
 */
struct device *device_get(const struct tgd_hello *hello, u32 uid, const char **why)
{
	u32 i, brought = 0;
	struct device *d;

	for (i = 0; i < nr_devices; i++) {
		if (!strcmp(devices[i]->key, hello->key))
			return devices[i];
		brought += devices[i]->uid == uid;
	}
	*why = "there are too many devices";
	if (nr_devices == TGD_DEVICES || brought == TGD_DEVICES_PER_USER)
		return NULL;
	*why = "timegraph.ko schedules it";
	if (in_kernel(hello->key))
		return NULL;
	d = need(calloc(1, sizeof(*d)));
	d->claim = claim(hello->key);
	if (d->claim < 0) {
		*why = "another user's tgd schedules it";
		free(d);
		return NULL;
	}
	d->index = nr_devices;
	d->uid = uid;
	memcpy(d->key, hello->key, sizeof(d->key));
	memcpy(d->name, hello->name, sizeof(d->name));
	start(d);
	devices[nr_devices++] = d;
	return d;
}
