/* SPDX-License-Identifier: GPL-2.0 */
/*
 * channel.c: channels, and submissions through an open gate; join.c: how channels join.
 */
#ifndef TGK_CHANNEL_H
#define TGK_CHANNEL_H

#include "driver/driver.h"
#include "tgk.h"

struct tgk_claim;

/**
 * enum tgk_known - what is known about a channel that the current process names
 * @TGK_UNKNOWN: nothing
 * @TGK_KNOWN: everything
 * @TGK_FOREIGN: that it is there, as another process's
 * @TGK_DYING: that a thread is about to free it, or to let it join
 */
enum tgk_known { TGK_UNKNOWN, TGK_KNOWN, TGK_FOREIGN, TGK_DYING };

/**
 * enum tgk_way - how a channel is known to be there
 * @TGK_FRESH: the driver has just made it
 * @TGK_PLAIN: from a submission that does not go through drm_sched
 * @TGK_SCHED: from one that does
 */
enum tgk_way { TGK_FRESH, TGK_PLAIN, TGK_SCHED };

struct tgk_channel *tgk_channel_look(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known);
struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known);
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
void tgk_open_undo(struct tgk_gpu *gpu, struct tgk_client *client);
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence);
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch);
void tgk_channel_put(struct tgk_channel *ch);
int tgk_channel_join(struct tgk_gpu *gpu, struct drm_file *file, u32 chid, enum tgk_way how);
void tgk_channel_engines(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u8 engines);
void tgk_channel_drop(struct tgk_gpu *gpu, struct tgk_channel *ch);
int tgk_channel_end(struct tgk_gpu *gpu, struct tgk_claim *c);
void tgk_channel_ended(struct tgk_gpu *gpu, struct tgk_claim *c);
int tgk_channel_await_end(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);

/**
 * tgk_channel_list() - where a channel is in tgk_gpu.channels
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number. Where the driver has no tgk_driver.find, each file has the same ones
 */
static inline struct hlist_head *tgk_channel_list(const struct tgk_gpu *gpu,
						  const struct drm_file *file, u32 chid)
{
	const unsigned long key = likely(gpu->driver->find) ? chid : (unsigned long)file;

	return &gpu->channels[hash_long(key, gpu->channel_bits)];
}

/**
 * tgk_channel_lists() - where channels are in tgk_gpu.channels
 * @gpu: the GPU
 * @file: of this handle; NULL: of all
 * @chid: of this number; NULL: of all
 * @first: the first list
 *
 * Return: the last list.
 */
static inline u32 tgk_channel_lists(const struct tgk_gpu *gpu, const struct drm_file *file,
				    const u32 *chid, u32 *first)
{
	const bool one = gpu->driver->find ? !!chid : !!file;

	*first = one ? tgk_channel_list(gpu, file, chid ? *chid : 0) - gpu->channels : 0;
	return one ? *first : (1U << gpu->channel_bits) - 1;
}

/**
 * tgk_open_begin() - begin a submission through an open gate
 * @gpu: the GPU
 * @ch: its channel, held; not the caller's any more if it begins
 *
 * Context: process, the submitting one.
 *
 * Return: it has begun, until tgk_open_leave(); false: the gate is not open.
 */
static inline bool tgk_open_begin(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	struct tgk_client *client = ch->client;

	atomic64_inc(&client->open_begun);
	smp_mb__after_atomic();		/* see tgk_client_gate() */
	if (likely(READ_ONCE(client->gate) == TG_GATE_OPEN))
		return true;
	tgk_open_undo(gpu, client);
	return false;
}

#endif /* TGK_CHANNEL_H */
