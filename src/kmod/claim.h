/* SPDX-License-Identifier: GPL-2.0 */
/*
 * claim.c: one thread at a time lets a channel join, or frees it.
 */
#ifndef TGK_CLAIM_H
#define TGK_CLAIM_H

#include <linux/sched.h>

#include "tgk.h"

#define TGK_KILLABLE	(TASK_KILLABLE | TASK_FREEZABLE)

/**
 * struct tgk_claim - a thread lets a channel join, or frees it; on its stack, one at a time for a
 *	channel
 * @node: in tgk_gpu.claims; tgk_gpu.lock
 * @file: the driver's handle
 * @chid: the driver's number
 */
struct tgk_claim {
	struct hlist_node node;
	const struct drm_file *file;
	u32 chid;
};

bool tgk_is_claimed(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
int tgk_claim(struct tgk_gpu *gpu, struct tgk_claim *c);
void tgk_unclaim(struct tgk_gpu *gpu, struct tgk_claim *c);
void tgk_sleep_longer(unsigned int state, long *ticks);

#endif /* TGK_CLAIM_H */
