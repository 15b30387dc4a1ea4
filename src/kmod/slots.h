/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slots.c: in which memory the GPU writes how far each channel is, and when.
 */
#ifndef TGK_SLOTS_H
#define TGK_SLOTS_H

#include "clock.h"

struct tgk_driver;

#define TGK_NO_NUMBER	(-1)	/* in the place of a fence's number */

bool tgk_slots_search(u32 *search, struct work_struct *work, const struct tgk_driver *driver,
		      struct dma_fence *fence, struct tgk_slots *slots);
bool tgk_slots_made(struct tgk_gpu *gpu, u32 chid, struct dma_fence *fence);
void tgk_slots_begun(struct tgk_gpu *gpu, u32 chid, struct dma_fence *fence);
void tgk_slots_unmade(struct tgk_gpu *gpu, u32 chid);
struct tgk_stamp tgk_slots_stamp(struct tgk_gpu *gpu, s32 slot, const struct dma_fence *fence,
				 s64 number);
void tgk_slots_attach(struct tgk_clock *c);
void tgk_slots_detach(struct tgk_clock *c);

#endif /* TGK_SLOTS_H */
