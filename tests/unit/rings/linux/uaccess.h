/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rows of amdgpu, xe and v3d (src/kmod/driver) take from the kernel, for tests/unit/rings.c. And
 * what they take from driver/sched.h, whose guard this has: that header needs the rest of the module.
 */
#ifndef TGK_SCHED_H
#define TGK_SCHED_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "tg_env.h"
#include "tg/types.h"

#define __user
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define u64_to_user_ptr(address)	((void *)(uintptr_t)(address))

#include "../../../../src/kmod/driver/sched_row.h"

struct drm_device;
struct drm_file;

static inline size_t str_has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) ? 0 : strlen(prefix);
}

/* Of a job: the name of its ring's scheduler. */
struct dma_fence {
	const char *scheduler;
};

struct tgk_driver {
	const char *name;
	u32 engines;
	u32 (*engine)(struct dma_fence *finished);
	u32 (*engine_of)(u32 chid);
	bool (*is_client)(const void *owner, const char *scheduler);
	bool chained, mixed, unseen;
};

enum { TGK_SCHED_SUBMIT, TGK_SCHED_CLOSE = TGK_SUBMITS, TGK_SCHED_HOOKS };

struct tgk_hook {
	unsigned long ours;
};

struct tgk_sched {
	struct tgk_driver driver;
	struct tgk_hook hook[TGK_SCHED_HOOKS];
	struct tgk_sched_ioctl submit[TGK_SUBMITS];
	struct tgk_beside beside;
	struct tgk_queue queue;
};

#define TGK_SCHED_FUNCTIONS(_row, _args) \
__attribute__((unused)) static void close_##_row(struct drm_device *dev, struct drm_file *file) { }
#define TGK_SCHED_SUBMIT_FUNCTION(_row, _name, _nr, _args)
#define TGK_SCHED_SUBMIT_HOOK(_name) { 0 }
#define TGK_SCHED_BESIDE_FUNCTION(_row, _args)
#define TGK_SCHED_QUEUE_FUNCTION(_row, _args)
#define TGK_SCHED_ROW(_row, _name, _vendor, _beside, _queue, _driver...) \
	.driver = { .name = _name, _driver }
#define TGK_SCHED_DRIVER(_row, _name, _vendor, _driver...) \
	.driver = { .name = _name, _driver }

extern struct tgk_sched tgk_amdgpu, tgk_xe, tgk_v3d;

/* In rings.c. */
unsigned long copy_from_user(void *to, const void *from, size_t size);
u32 tgk_sched_engine(struct dma_fence *finished, const struct tgk_ring *ring, u32 nr);

#endif /* TGK_SCHED_H */
