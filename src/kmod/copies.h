/* SPDX-License-Identifier: GPL-2.0 */
/*
 * copies.c: a driver's own work on a GPU.
 */
#ifndef TGK_COPIES_H
#define TGK_COPIES_H

#include "later.h"

struct dma_fence;
struct tgk_client;
struct tgk_gpu;
struct tgk_job;

/**
 * struct tgk_copies - the driver's own work on one GPU
 * @context: of its fences; 0: not known yet. Written once; read without a lock
 * @slot: slots.c's, of its channel; constant once @context is there
 * @client: the client that it is; NULL: none. tgk_gpu.lock, as all below
 * @job: memory for the group in flight: there is one at a time
 * @flying: @job is in flight, and holds its fence
 * @spare: an object for TG_POOL_JOB, should that be empty; NULL: it is used up
 * @refill: gets another one
 */
struct tgk_copies {
	u64 context;
	s32 slot;
	struct tgk_client *client;
	struct tgk_job *job;
	bool flying;
	void *spare;
	struct tgk_errand refill;
};

void tgk_copies_made(struct dma_fence *fence);
void tgk_copies_gpu(struct tgk_gpu *gpu);
void tgk_copies_drop(struct tgk_gpu *gpu);
void tgk_copies_exit(void);

#endif /* TGK_COPIES_H */
