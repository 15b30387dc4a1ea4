/* SPDX-License-Identifier: GPL-2.0 */
/*
 * channel.c: channels, and submissions through an open gate.
 */
#ifndef TGK_CHANNEL_H
#define TGK_CHANNEL_H

#include "tgk.h"

/**
 * enum tgk_known - what is known about a channel that the current process names
 * @TGK_UNKNOWN: nothing
 * @TGK_KNOWN: everything
 * @TGK_FOREIGN: that it is there, as another process's
 * @TGK_DYING: that nouveau is freeing it
 */
enum tgk_known { TGK_UNKNOWN, TGK_KNOWN, TGK_FOREIGN, TGK_DYING };

struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known);
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
bool tgk_open_begin(struct tgk_gpu *gpu, struct tgk_channel *ch);
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence);
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch);
void tgk_channel_put(struct tgk_channel *ch);
int tgk_channel_join(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, bool fresh);
void tgk_channel_engines(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u8 engines);
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);

#endif /* TGK_CHANNEL_H */
