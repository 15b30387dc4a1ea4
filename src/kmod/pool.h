/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool.c: the memory of the core.
 */
#ifndef TGK_POOL_H
#define TGK_POOL_H

#include "tgk.h"

int tgk_pool_fill(struct tgk_gpu *gpu, enum tg_pool pool, u32 n);
void tgk_pools_trim(struct tgk_gpu *gpu);
void tgk_pools_free(struct tgk_gpu *gpu);

#endif /* TGK_POOL_H */
