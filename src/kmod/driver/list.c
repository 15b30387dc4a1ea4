// SPDX-License-Identifier: GPL-2.0
/*
 * The drivers that we know, and which of them are served. The parameter `drivers` names those that
 * are served beside nouveau and virtio_gpu.
 *
 * main.c calls tgk_drivers_choose() at load; what it sets is constant then.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "driver/nouveau.h"
#include "driver/sched.h"
#include "driver/virtio.h"

const struct tgk_driver *const tgk_drivers[TGK_DRIVERS] = {
	&tgk_nouveau, &tgk_virtio, &tgk_mock.driver, &tgk_amdgpu.driver, &tgk_xe.driver,
	&tgk_panfrost.driver, &tgk_lima.driver, &tgk_v3d.driver, &tgk_etnaviv.driver,
};

#define ELSEWHERE "its submissions do not end in the kernel's DRM scheduler, it has "

/*
 * Drivers that people may ask for in vain. msm's DRM device goes with any component of the device
 * that it binds to, one of which goes with the driver of a panel, on another bus (MIPI DSI, I2C).
 */
static const struct {
	const char *name, *why;
} unserved[] = {
	{ "i915", ELSEWHERE "one of its own" },
	{ "radeon", ELSEWHERE "none" },
	{ "msm", "its GPU goes with parts of its device that other buses bind, unseen" },
};

static bool served[TGK_DRIVERS] = { true, true };
static char named[128];

/* Into @named: the drivers that are served, or all. */
static void name_them(bool all)
{
	size_t used = 0;
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++)
		if (served[i] || all)
			used += scnprintf(named + used, sizeof(named) - used, "%s%s",
					  used ? " or " : "", tgk_drivers[i]->name);
}

static bool is_name(const char *name, size_t len, const char *known)
{
	return strlen(known) == len && !strncmp(known, name, len);
}

static bool choose(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++)
		if (is_name(name, len, tgk_drivers[i]->name)) {
			served[i] = true;
			return true;
		}
	return false;
}

/* @names: the first one is none that is served. */
static void refuse(const char *names, size_t len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unserved); i++)
		if (is_name(names, len, unserved[i].name)) {
			pr_err("drivers=%s: %s is not served: %s\n", names, unserved[i].name,
			       unserved[i].why);
			return;
		}
	name_them(true);
	pr_err("drivers=%s: no such driver in the list: %s are known\n", names, named);
}

/**
 * tgk_drivers_choose() - serve these drivers, too
 * @names: with commas between, or NULL
 *
 * Context: process, at load.
 *
 * Return: 0; -EINVAL after a message.
 */
int tgk_drivers_choose(const char *names)
{
	size_t len;

	while (names && *names) {
		len = strcspn(names, ",\n");
		if (!choose(names, len)) {
			refuse(names, len);
			return -EINVAL;
		}
		names += len + !!names[len];
	}
	name_them(false);
	return 0;
}

/**
 * tgk_driver_served() - is it served?
 * @i: the driver's place in tgk_drivers
 */
bool tgk_driver_served(u32 i)
{
	return served[i];
}

/* The names of those that are, for a message. */
const char *tgk_drivers_named(void)
{
	return named;
}
