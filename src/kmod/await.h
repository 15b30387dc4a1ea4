/* SPDX-License-Identifier: GPL-2.0 */
/*
 * await.c: what a submission through drm_sched waits for before SUBMIT, and how to wait for fences.
 */
#ifndef TGK_AWAIT_H
#define TGK_AWAIT_H

#include "tgk.h"

void tgk_await_signal(const struct tgk_gpu *gpu, struct dma_fence *fence);
int tgk_await(struct tgk_gpu *gpu, const struct tgk_call *call);
int tgk_await_end(struct dma_fence *fence);

#endif /* TGK_AWAIT_H */
