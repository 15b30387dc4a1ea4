// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Devices: which physical device a cl_device_id is, and how its clock stands to the system's.
 *
 * Several platforms may show the same card, and a program may use parts of it (sub-devices): all of
 * them are one device here, by its key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "launch.h"

#define PCI_BUS_INFO	0x410F	/* cl_khr_pci_bus_info */
#define DEVICE_UUID	0x106A	/* cl_khr_device_uuid */
#define PCI_BUS_NV	0x4008	/* cl_nv_device_attribute_query */
#define PCI_SLOT_NV	0x4009
#define PCI_DOMAIN_NV	0x400A
#define COMPARE_AGAIN	1000000000	/* ns */
#define COMPARISONS	5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *all;

static bool info(cl_device_id id, cl_device_info name, void *value, size_t size)
{
	return !next->clGetDeviceInfo(id, name, size, value, NULL);
}

static cl_device_id root_of(cl_device_id id)
{
	cl_device_id parent = NULL;

	while (info(id, CL_DEVICE_PARENT_DEVICE, &parent, sizeof(parent)) && parent)
		id = parent;
	return id;
}

/* The number of @id among its platform's devices. */
static unsigned int index_of(cl_platform_id platform, cl_device_id id)
{
	cl_device_id ids[64];
	cl_uint nr = 0, i;

	if (next->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &nr))
		return 0;
	for (i = 0; i < nr && i < 64; i++)
		if (ids[i] == id)
			return i;
	return 0;
}

static void make_key(cl_device_id id, char *key, size_t size)
{
	char platform_name[64] = "";
	cl_platform_id platform = NULL;
	unsigned char uuid[16];
	cl_uint pci[4];
	int i, len;

	if (info(id, PCI_BUS_INFO, pci, sizeof(pci))) {
		snprintf(key, size, "pci:%04x:%02x:%02x.%x", pci[0], pci[1], pci[2], pci[3]);
		return;
	}
	pci[0] = 0;
	if (info(id, PCI_BUS_NV, &pci[1], 4) && info(id, PCI_SLOT_NV, &pci[2], 4)) {
		info(id, PCI_DOMAIN_NV, &pci[0], 4);
		snprintf(key, size, "pci:%04x:%02x:%02x.%x", pci[0], pci[1], pci[2] >> 3, pci[2] & 7);
		return;
	}
	if (info(id, DEVICE_UUID, uuid, sizeof(uuid))) {
		len = snprintf(key, size, "uuid:");
		for (i = 0; i < 16; i++)
			len += snprintf(key + len, size - len, "%02x", uuid[i]);
		return;
	}
	info(id, CL_DEVICE_PLATFORM, &platform, sizeof(platform));
	next->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(platform_name), platform_name, NULL);
	platform_name[sizeof(platform_name) - 1] = '\0';
	snprintf(key, size, "platform:%s:%u", platform_name, index_of(platform, id));
}

/** devices_in_child() - a forked child has neither the parent's launches nor its threads */
void devices_in_child(void)
{
	struct device *d;

	pthread_mutex_init(&lock, NULL);
	for (d = all; d; d = d->next) {
		pthread_mutex_init(&d->lock, NULL);
		pthread_cond_init(&d->more, NULL);
		d->first = d->last;
		d->waits = NULL;
		d->waits_end = &d->waits;
		d->waits_of = NULL;
		d->watched = false;
		d->forked = true;
	}
}

/* Become a client. Where no daemon is, all launches go at once: people are to know. */
static void join(struct device *d)
{
	d->tgu = tgu_open(&d->ops);
	if (!d->tgu || !tgu_found(d->tgu))
		fprintf(stderr, "timegraph: %.150s: no tgd answers; this program runs unscheduled until one does\n",
			d->name);
}

/*
 * Under the lock. The first context or queue of a child on this device: it becomes a client. Nobody
 * uses the client that it has of its parent, since it knows neither queues nor contexts but its
 * own.
 */
static void open_anew(struct device *d)
{
	struct tgu *before = d->tgu;

	d->forked = false;
	join(d);
	if (before)
		tgu_close(before);
}

/* Under the lock. */
static struct device *open_device(cl_device_id id, const char *key)
{
	struct device *d = calloc(1, sizeof(*d));
	cl_ulong memory = 0;

	if (!d)
		return NULL;
	d->id = id;
	memcpy(d->key, key, sizeof(d->key));
	info(id, CL_DEVICE_NAME, d->name, sizeof(d->name));
	d->name[sizeof(d->name) - 1] = '\0';
	info(id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof(memory));
	info(id, CL_DEVICE_MAX_COMPUTE_UNITS, &d->units, sizeof(d->units));
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->more, NULL);
	d->waits_end = &d->waits;
	d->ops = (struct tgu_device){
		.key = d->key, .name = d->name, .memory = memory, .engines = 2,
		.told = launch_told, .drain = launch_drain, .settle = launch_settle, .owner = d,
	};
	join(d);
	d->next = all;
	__atomic_store_n(&all, d, __ATOMIC_RELEASE);
	return d;
}

/** device_get() - the physical device of @id; NULL: out of memory */
struct device *device_get(cl_device_id id)
{
	char key[sizeof(((struct device *)0)->key)] = "";
	cl_device_id root = root_of(id);
	struct device *d;

	make_key(root, key, sizeof(key));
	pthread_mutex_lock(&lock);
	for (d = all; d && strcmp(d->key, key); d = d->next)
		;
	if (!d)
		d = open_device(root, key);
	else if (d->forked)
		open_anew(d);
	pthread_mutex_unlock(&lock);
	return d;
}

/* Under the device's lock: compare the clocks, by the narrowest of a few brackets. */
static void compare(struct device *d, int64_t at)
{
	int64_t before, after, best = INT64_MAX;
	cl_ulong device, host;
	int i;

	d->compared = at;
	if (!next->clGetDeviceAndHostTimer)
		return;
	for (i = 0; i < COMPARISONS; i++) {
		before = tgu_now();
		if (next->clGetDeviceAndHostTimer(d->id, &device, &host))
			return;
		after = tgu_now();
		if (after - before >= best)
			continue;
		best = after - before;
		d->offset = before + (after - before) / 2 - (int64_t)device;
		d->exact = true;
	}
}

/**
 * device_time() - a time of the device's clock, in the past, as one of CLOCK_MONOTONIC
 * @exact: receives whether the driver has compared the clocks
 *
 * Where the driver cannot compare the clocks: what has just been noticed has just ended, the
 * promptest notice so far being the measure.
 */
int64_t device_time(struct device *d, cl_ulong time, bool *exact)
{
	const int64_t at = tgu_now();
	int64_t result;

	pthread_mutex_lock(&d->lock);
	if (!d->compared || at - d->compared > COMPARE_AGAIN)
		compare(d, at);
	if (!d->exact && (!d->offset || at - (int64_t)time < d->offset))
		d->offset = at - (int64_t)time;
	result = (int64_t)time + d->offset;
	*exact = d->exact;
	pthread_mutex_unlock(&d->lock);
	return result < at ? result : at;
}

/** devices_reap() - report what has ended, on whichever device. They stay, so no lock is needed */
void devices_reap(void)
{
	struct device *d;

	for (d = __atomic_load_n(&all, __ATOMIC_ACQUIRE); d; d = d->next)
		launch_reap(d);
}
