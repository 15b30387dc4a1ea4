/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sched.c: drivers all of whose submissions go through drm_sched, a row for each. A row stands in
 * sched_*.c, with what that driver's arguments look like. Those files include this.
 */
#ifndef TGK_SCHED_H
#define TGK_SCHED_H

#include "driver/driver.h"
#include "sched_row.h"

#define TGK_BESIDE_ARGS	128	/* bytes of the arguments of tgk_sched.beside and .queue, at most */

enum tgk_sched_hook {
	TGK_SCHED_SUBMIT, TGK_SCHED_CLOSE = TGK_SUBMITS, TGK_SCHED_BESIDE, TGK_SCHED_QUEUE,
	TGK_SCHED_HOOKS
};

/**
 * struct tgk_sched - one driver on drm_sched
 * @driver: what it is to the others; the first member
 * @hooked: its
 * @hook: its
 * @submit: how work is submitted; @hook begins with their hooks
 * @beside: what bypasses the gate
 * @queue: how queues are made whose engine a submission does not tell
 * @files: it has no syncobjs: submissions wait for sync_files alone
 */
struct tgk_sched {
	struct tgk_driver driver;
	struct tgk_hooked hooked;
	struct tgk_hook hook[TGK_SCHED_HOOKS];
	struct tgk_sched_ioctl submit[TGK_SUBMITS];
	struct tgk_beside beside;
	struct tgk_queue queue;
	bool files;
};

extern struct tgk_sched tgk_mock, tgk_amdgpu, tgk_xe, tgk_panfrost, tgk_lima, tgk_v3d,
			tgk_etnaviv;

/* For rows alone. */
int tgk_sched_submit(const struct tgk_sched *row, u32 submit, struct drm_device *dev, void *data,
		     struct drm_file *file);
int tgk_sched_beside(const struct tgk_sched *row, struct drm_device *dev, void *data,
		     struct drm_file *file);
int tgk_sched_queue(const struct tgk_sched *row, struct drm_device *dev, void *data,
		    struct drm_file *file);
u32 tgk_sched_engine(struct dma_fence *finished, const struct tgk_ring *ring, u32 nr);
int tgk_sched_in_fence(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
		       struct dma_fence **fence);
void tgk_sched_prove(const struct tgk_hook *hook, struct drm_file *file);
bool tgk_sched_is_known(const struct tgk_driver *driver, const struct drm_driver *drv);
unsigned long tgk_sched_address(const struct tgk_driver *driver, const struct drm_driver *drv,
				u32 hook);

/* What stands in for the driver's ioctl number @_nr of tgk_sched.submit, of such arguments. */
#define TGK_SCHED_SUBMIT_FUNCTION(_row, _name, _nr, _args) \
static_assert(sizeof(_args) <= TGK_ARGS); \
static int submit_##_name(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return tgk_sched_submit(&tgk_##_row, _nr, dev, data, file); \
}

/* A row's functions that stand in for the driver's, and the type of its submission's arguments. */
#define TGK_SCHED_FUNCTIONS(_row, _args) \
static_assert(sizeof(_args) <= TGK_ARGS); \
static int submit_##_row(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return tgk_sched_submit(&tgk_##_row, 0, dev, data, file); \
} \
static void close_##_row(struct drm_device *dev, struct drm_file *file) \
{ \
	tgk_driver_close(tgk_##_row.hook[TGK_SCHED_CLOSE].orig, dev, file); \
}

/* The same for tgk_sched.beside, and its arguments. */
#define TGK_SCHED_BESIDE_FUNCTION(_row, _args) \
static_assert(sizeof(_args) <= TGK_BESIDE_ARGS); \
static int beside_##_row(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return tgk_sched_beside(&tgk_##_row, dev, data, file); \
}

/* The same for tgk_sched.queue, and its arguments. */
#define TGK_SCHED_QUEUE_FUNCTION(_row, _args) \
static_assert(sizeof(_args) <= TGK_BESIDE_ARGS); \
static int queue_##_row(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return tgk_sched_queue(&tgk_##_row, dev, data, file); \
}

/* The hook of tgk_sched.submit by a TGK_SCHED_SUBMIT_FUNCTION() of that name. */
#define TGK_SCHED_SUBMIT_HOOK(_name) \
	{ .ours = (unsigned long)submit_##_name, .prove = tgk_sched_prove }

/* What all rows have, of a driver of this name and vendor (driver.h); then what it has beside. */
#define TGK_SCHED_DRIVER(_row, _name, _vendor, _driver...) \
	.driver = { \
		.name = _name, .vendor = _vendor, .hooked = &tgk_##_row.hooked, \
		.hooks = tgk_##_row.hook, .nr_hooks = TGK_SCHED_HOOKS, \
		.close = &tgk_##_row.hook[TGK_SCHED_CLOSE], \
		.is_known = tgk_sched_is_known, .address = tgk_sched_address, \
		.in_fence = tgk_sched_in_fence, \
		_driver \
	}

/*
 * The same, and hooks, of one that has one ioctl that submits: of tgk_sched.beside and of
 * tgk_sched.queue, or { }.
 */
#define TGK_SCHED_ROW(_row, _name, _vendor, _beside, _queue, _driver...) \
	TGK_SCHED_DRIVER(_row, _name, _vendor, _driver), \
	.hook = { \
		[TGK_SCHED_SUBMIT] = { \
			.ours = (unsigned long)submit_##_row, .prove = tgk_sched_prove, \
		}, \
		[TGK_SCHED_CLOSE] = { .ours = (unsigned long)close_##_row }, \
		[TGK_SCHED_BESIDE] = _beside, \
		[TGK_SCHED_QUEUE] = _queue, \
	}

#define TGK_SCHED_BESIDE_HOOK(_row) \
	{ .ours = (unsigned long)beside_##_row, .prove = tgk_sched_prove }

#define TGK_SCHED_QUEUE_HOOK(_row) \
	{ .ours = (unsigned long)queue_##_row, .prove = tgk_sched_prove }

#endif /* TGK_SCHED_H */
