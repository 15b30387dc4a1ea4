// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that consist of parts (tgk_driver.component): which parts come or go just now.
 *
 * The driver has a DRM device while all parts of its device are bound, each a device of its own on
 * the platform bus. The probe of the last one makes it, and the removal of any one takes it away:
 * under that part's lock, and not under that of the driver's device. While none moves, the DRM
 * device stays as it is.
 *
 * attach.c calls this for what the bus tells, before a part is probed or removed and after that,
 * under the part's lock; and before it attaches a GPU. A part begins to move under tgk_mutex, so
 * none does while a GPU is attached. That it rests is told without: any device may be bound in a
 * thread that holds tgk_mutex.
 */
#include <linux/device.h>
#include <linux/platform_device.h>

#include "driver/driver.h"
#include "parts.h"

#define PARTS	8	/* at most, that move at a time */

/* Compared only. Set under tgk_mutex, and cleared by the thread that has set it, without. */
static const struct device *moving[PARTS];
static bool too_many;				/* tgk_mutex: more did once; none rests any more */

/**
 * tgk_part_of() - of whose devices is this one a part?
 * @dev: a device, locked
 *
 * Return: a driver that is served; NULL: of none.
 */
const struct tgk_driver *tgk_part_of(const struct device *dev)
{
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++)
		if (tgk_driver_served(i) && tgk_drivers[i]->component && dev->driver &&
		    dev->bus == &platform_bus_type &&
		    !strcmp(dev->driver->name, tgk_drivers[i]->component))
			return tgk_drivers[i];
	return NULL;
}

static const struct device **find(const struct device *dev)
{
	u32 i;

	for (i = 0; i < PARTS; i++)
		if (READ_ONCE(moving[i]) == dev)
			return &moving[i];
	return NULL;
}

/**
 * tgk_part_moves() - a part comes or goes
 * @dev: the part
 *
 * Under tgk_mutex.
 */
void tgk_part_moves(const struct device *dev)
{
	const struct device **room = find(dev) ?: find(NULL);

	if (room)
		WRITE_ONCE(*room, dev);
	else
		too_many = true;
}

/**
 * tgk_part_rests() - it has come or gone
 * @dev: the part, or any other device, locked
 */
void tgk_part_rests(const struct device *dev)
{
	const struct device **room = find(dev);

	if (room)
		smp_store_release(room, NULL);	/* what it has made or taken away is seen then */
}

/**
 * tgk_parts_rest() - does none move? Those that did before the bus was heard of are not known
 *
 * Under tgk_mutex.
 */
bool tgk_parts_rest(void)
{
	u32 i;

	for (i = 0; i < PARTS; i++)
		if (smp_load_acquire(&moving[i]))	/* pairs with tgk_part_rests() */
			return false;
	return !too_many;
}
