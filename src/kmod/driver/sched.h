/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sched.c: drivers all of whose submissions go through drm_sched, a row for each.
 */
#ifndef TGK_SCHED_H
#define TGK_SCHED_H

#include "driver/driver.h"

enum tgk_sched_hook { TGK_SCHED_SUBMIT, TGK_SCHED_CLOSE, TGK_SCHED_HOOKS };

/**
 * struct tgk_sched - one driver on drm_sched
 * @driver: what it is to the others; the first member
 * @hooked: its
 * @hook: its
 * @nr: which of the driver's ioctls submits
 * @size: of its arguments, at most TGK_ARGS
 * @channel: the channel that a submission names: one for each queue of drm_sched that the file has,
 *	and few for each file. Return: false: the driver will refuse it
 * @in_sync: the syncobj number @i that a submission waits for. Return: 1 and its handle; 0: there
 *	are only @i, or it cannot be read, and the driver will say so
 */
struct tgk_sched {
	struct tgk_driver driver;
	struct tgk_hooked hooked;
	struct tgk_hook hook[TGK_SCHED_HOOKS];
	u32 nr;
	size_t size;
	bool (*channel)(const void *args, u32 *chid);
	int (*in_sync)(const void *args, u32 i, u32 *handle);
};

extern struct tgk_sched tgk_mock;

#endif /* TGK_SCHED_H */
