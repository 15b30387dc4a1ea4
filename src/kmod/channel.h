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
 * @TGK_DYING: that the driver is freeing it, or is about to
 */
enum tgk_known { TGK_UNKNOWN, TGK_KNOWN, TGK_FOREIGN, TGK_DYING };

/**
 * struct tgk_ending - a thread frees a channel; on its stack, one at a time for a channel
 * @node: in tgk_gpu.ending; tgk_gpu.lock
 * @file: the driver's handle
 * @chid: the driver's number
 * @begun: it is in tgk_gpu.ending
 * @killed: the thread was killed while it waited
 */
struct tgk_ending {
	struct hlist_node node;
	const struct drm_file *file;
	u32 chid;
	bool begun, killed;
};

struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known);
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
bool tgk_open_begin(struct tgk_gpu *gpu, struct tgk_channel *ch);
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence);
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch);
void tgk_channel_put(struct tgk_channel *ch);
int tgk_channel_join(struct tgk_gpu *gpu, struct drm_file *file, u32 chid, bool fresh);
void tgk_channel_engines(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u8 engines);
int tgk_channel_end(struct tgk_gpu *gpu, struct tgk_ending *e);
void tgk_channel_ended(struct tgk_gpu *gpu, struct tgk_ending *e);
int tgk_channel_await_end(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);

#endif /* TGK_CHANNEL_H */
