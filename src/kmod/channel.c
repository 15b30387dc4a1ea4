// SPDX-License-Identifier: GPL-2.0
/*
 * Channels: how a submission finds its client, and how it passes an open gate.
 *
 * A channel is in the table of its GPU once for each process that uses it, from its join (join.c)
 * on. It leaves the core before the driver frees it, so that its threads come back; it stays in the
 * table, dying, until the driver has freed it. Meanwhile no thread goes to the driver for it, and
 * the freeing thread waits for those inside.
 *
 * The functions of the driver folder call this in process context, submit.c in the submitting
 * thread. The table is changed under tgk_gpu.lock; readers are under it or RCU.
 */
#include <linux/dma-fence.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "channel.h"
#include "claim.h"
#include "client.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "pool.h"

/* Is one of the processes that share a channel dead? Another one may then have its place. */
static bool makes_room(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct tgk_channel *ch;
	bool room = false;

	rcu_read_lock();
	hlist_for_each_entry(ch, tgk_channel_list(gpu, file, chid), hash)
		room |= !ch->dying && ch->file == file && ch->chid == chid &&
			tgk_client_is_dead(ch->client);
	rcu_read_unlock();
	return room;
}

/* Under tgk_gpu.lock: as tgk_channel_find(), whatever is claimed. */
struct tgk_channel *tgk_channel_look(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known)
{
	struct tgk_channel *ch, *other = NULL;
	u32 others = 0;

	*known = TGK_UNKNOWN;
	hlist_for_each_entry(ch, tgk_channel_list(gpu, file, chid), hash) {
		if (ch->file != file || ch->chid != chid)
			continue;
		if (!ch->dying && tgk_client_is_current(ch->client)) {
			*known = TGK_KNOWN;
			return ch;
		}
		if (!ch->dying) {
			*known = TGK_FOREIGN;
			other = ch;
			others++;
		} else if (*known == TGK_UNKNOWN) {
			*known = TGK_DYING;
		}
	}
	if (likely(others < TGK_SHARERS) || makes_room(gpu, file, chid))
		return NULL;
	*known = TGK_KNOWN;
	return other;
}

/**
 * tgk_channel_find() - a channel as the current process uses it
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number
 * @known: what is known about it
 *
 * Of more than TGK_SHARERS processes that share a channel, those that come last use it in the name
 * of one that has come before.
 * Context: under tgk_gpu.lock.
 *
 * Return: the channel if *@known is TGK_KNOWN, else NULL.
 */
struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known)
{
	struct tgk_channel *ch = tgk_channel_look(gpu, file, chid, known);

	if (likely(*known == TGK_KNOWN) || !tgk_is_claimed(gpu, file, chid))
		return ch;
	*known = TGK_DYING;
	return NULL;
}

static void channel_free(struct rcu_head *rcu)
{
	struct tgk_channel *ch = container_of(rcu, struct tgk_channel, rcu);

	dma_fence_put(rcu_access_pointer(ch->last));
	tgk_client_put(ch->client);
	kfree(ch);
}

/* Until now a thread may have been inside the driver for it. */
static noinline void channel_over(struct tgk_channel *ch)
{
	tgk_fence_forget(ch);
	call_rcu(&ch->rcu, channel_free);
}

static __always_inline void put(struct tgk_channel *ch)
{
	if (refcount_dec_and_test(&ch->refs))
		channel_over(ch);
}

/* Any context. */
void tgk_channel_put(struct tgk_channel *ch)
{
	put(ch);
}

/* Under tgk_gpu.lock: out of the table. */
static void unhash(struct tgk_channel *ch)
{
	hash_del_rcu(&ch->hash);
	tgk_channel_put(ch);
}

/**
 * tgk_open_undo() - take back what tgk_open_begin() has counted: the gate is not open
 * @gpu: the GPU
 * @client: the client
 */
void tgk_open_undo(struct tgk_gpu *gpu, struct tgk_client *client)
{
	atomic64_dec(&client->open_begun);
	wake_up_all(&gpu->open_wait);
}

/**
 * tgk_open_enter() - begin a submission through an open gate
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the channel
 *
 * Takes no lock. Context: process, the submitting one.
 *
 * Return: the channel, until tgk_open_leave(); NULL: unknown, or its client's gate is not open.
 */
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct tgk_channel *ch;

	rcu_read_lock_sched();
	hlist_for_each_entry_rcu(ch, tgk_channel_list(gpu, file, chid), hash,
				 rcu_read_lock_sched_held())
		if (ch->file == file && ch->chid == chid && tgk_client_is_current(ch->client) &&
		    !READ_ONCE(ch->dying))
			break;
	if (!ch || READ_ONCE(ch->client->gate) != TG_GATE_OPEN ||
	    !refcount_inc_not_zero(&ch->refs)) {
		rcu_read_unlock_sched();
		return NULL;
	}
	rcu_read_unlock_sched();
	smp_mb__after_atomic();		/* tgk_channel_end() sees this reference, or we the end */
	if (likely(!READ_ONCE(ch->dying) && tgk_open_begin(gpu, ch)))
		return ch;
	tgk_channel_put(ch);
	return NULL;
}

/* Threads come in any order: keep the later fence; of two contexts, the one that comes last. */
static void set_last(struct tgk_channel *ch, struct dma_fence *fence)
{
	struct dma_fence __rcu **last = &ch->last;
	struct dma_fence *old;

	rcu_read_lock_sched();	/* a fence's memory stays meanwhile, so none comes in its place */
	do {
		old = rcu_dereference_sched(*last);
		/* As dma_fence_is_later(): fewer than 2^31 apart. */
		if (old && old->context == fence->context &&
		    (s32)((u32)fence->seqno - (u32)old->seqno) <= 0) {
			old = fence;
			break;
		}
	} while (cmpxchg((__force struct dma_fence **)last, old, fence) != old);
	rcu_read_unlock_sched();
	dma_fence_put(old);
}

/* It is the first through an open gate since QUIET was fed. */
static noinline void end_gap(struct tgk_gpu *gpu)
{
	const s64 since = atomic64_xchg(&gpu->quiet_since, 0);

	if (since)
		atomic64_set(&gpu->gap, max(ktime_get_ns() - since, 1LL));
}

/**
 * tgk_open_leave() - the driver has the submission
 * @gpu: the GPU
 * @ch: as tgk_open_enter() gave it; not the caller's any more
 * @fence: its fence, not the caller's any more; or NULL
 */
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence)
{
	struct tgk_client *client = ch->client;

	if (fence) {
		set_last(ch, fence);
		/* set_last() orders this: see tgk_watch() */
		if (unlikely(atomic64_read(&gpu->quiet_since)))
			end_gap(gpu);
	}
	atomic64_inc(&client->open_ended);
	smp_mb__after_atomic();	/* tgk_client_gate() sees the count, or we see the gate */
	if (unlikely(READ_ONCE(client->gate) != TG_GATE_OPEN))
		wake_up_all(&gpu->open_wait);
	put(ch);
}

/**
 * tgk_channel_fence() - the last fence of what went through the open gate
 * @ch: the channel
 *
 * Context: under rcu_read_lock().
 *
 * Return: the fence, referenced, or NULL.
 */
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch)
{
	return dma_fence_get_rcu_safe(&ch->last);
}

/* Under tgk_gpu.lock. */
static void leave(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	struct tg_event ev = {
		.kind = TG_EV_LEAVE, .client = ch->client->id, .channel = ch->nr,
	};

	WRITE_ONCE(ch->dying, true);
	if (!--ch->client->channels)
		ch->client->closed = true;
	tgk_feed(gpu, &ev);
}

static bool concerns(const struct tgk_channel *ch, const struct drm_file *file, const u32 *chid)
{
	return (!file || ch->file == file) && (!chid || ch->chid == *chid);
}

/*
 * Of a list: one of the channels that @file and @chid name: a dying one, or a living one. Under
 * tgk_gpu.lock.
 */
static struct tgk_channel *one_of(struct tgk_gpu *gpu, u32 list, const struct drm_file *file,
				  const u32 *chid, bool dying)
{
	struct tgk_channel *ch;

	hlist_for_each_entry(ch, &gpu->channels[list], hash)
		if (ch->dying == dying && concerns(ch, file, chid))
			return ch;
	return NULL;
}

/* Under tgk_gpu.lock: it leaves, and goes out of the table. */
void tgk_channel_drop(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	leave(gpu, ch);
	unhash(ch);
}

/**
 * tgk_channel_leave() - the driver is about to free channels
 * @gpu: the GPU
 * @file: of this handle; NULL: all
 * @chid: of this number; NULL: all
 *
 * Context: process. tgk_channel_forget() follows when the driver has freed them. Where one alone is
 * named, tgk_channel_end() tells clock.c.
 */
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid)
{
	struct tgk_channel *ch;
	u32 i, last = tgk_channel_lists(gpu, file, chid, &i);

	for (; i <= last; i += !ch) {
		ch = NULL;
		if (hlist_empty(&gpu->channels[i]))
			continue;	/* as nearly all are */
		raw_spin_lock_irq(&gpu->lock);
		ch = one_of(gpu, i, file, chid, false);
		if (ch && !chid)
			tgk_clock_leave(&gpu->clock, ch->chid);
		if (ch)
			leave(gpu, ch);
		tgk_unlock_irq(gpu);
	}
}

/**
 * tgk_channel_forget() - the driver has freed channels
 * @gpu: the GPU
 * @file: as for tgk_channel_leave()
 * @chid: as for tgk_channel_leave()
 *
 * Context: process.
 */
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid)
{
	struct tgk_channel *ch;
	u32 i, last = tgk_channel_lists(gpu, file, chid, &i);

	for (; i <= last; i += !ch) {
		ch = NULL;
		if (hlist_empty(&gpu->channels[i]))
			continue;
		raw_spin_lock_irq(&gpu->lock);
		ch = one_of(gpu, i, file, chid, true);
		if (ch)
			unhash(ch);
		tgk_unlock_irq(gpu);
	}
	tgk_pools_trim(gpu);
}

/* Is a thread inside the driver for this dying channel, or on its way? */
static bool in_use(const struct tgk_channel *ch)
{
	return refcount_read(&ch->refs) > 1;
}

/* Return: no thread uses the channel, and the driver may free it now. */
static bool end_unused(struct tgk_gpu *gpu, const struct tgk_claim *c)
{
	struct tgk_channel *ch;
	bool unused = true, there = false;

	raw_spin_lock_irq(&gpu->lock);
	hlist_for_each_entry(ch, tgk_channel_list(gpu, c->file, c->chid), hash)
		if (ch->dying && concerns(ch, c->file, &c->chid)) {
			there = true;
			unused &= !in_use(ch);
		}
	unused |= gpu->closing;
	if (unused && there)
		tgk_clock_leave(&gpu->clock, c->chid);
	tgk_unlock_irq(gpu);
	return unused;
}

/**
 * tgk_channel_end() - the driver is about to free a channel: wait until no thread is inside it
 * @gpu: the GPU
 * @c: on the caller's stack, with @file and @chid
 *
 * A thread that was let go could otherwise come to the driver when the number is another channel's,
 * and its fence would not be seen. Until tgk_channel_ended(), which follows a 0, none of that
 * number joins.
 * Context: process; sleeps, unless killed.
 *
 * Return: 0, or -EINTR: do not call the driver.
 */
int tgk_channel_end(struct tgk_gpu *gpu, struct tgk_claim *c)
{
	long ticks = 1;

	if (tgk_claim(gpu, c))
		return -EINTR;
	tgk_channel_leave(gpu, c->file, &c->chid);
	smp_mb();	/* see tgk_open_enter() */
	while (!end_unused(gpu, c)) {
		tgk_sleep_longer(TGK_KILLABLE, &ticks);
		if (fatal_signal_pending(current)) {
			tgk_unclaim(gpu, c);	/* the next submission forgets its entries */
			return -EINTR;
		}
	}
	return 0;
}

/**
 * tgk_channel_ended() - the driver has freed a channel, or has refused to
 * @gpu: the GPU
 * @c: as given to tgk_channel_end()
 *
 * Context: process.
 */
void tgk_channel_ended(struct tgk_gpu *gpu, struct tgk_claim *c)
{
	tgk_channel_forget(gpu, c->file, &c->chid);
	tgk_unclaim(gpu, c);
}

/* Under tgk_gpu.lock: the driver has the channel, and no thread frees it: it may join again. */
static void forget_unused(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct hlist_node *next;
	struct tgk_channel *ch;

	hlist_for_each_entry_safe(ch, next, tgk_channel_list(gpu, file, chid), hash)
		if (ch->dying && concerns(ch, file, &chid) && !in_use(ch))
			unhash(ch);
}

/**
 * tgk_channel_await_end() - sleep while a thread is about to free a channel, or to let it join
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number
 *
 * If the thread that was to free the channel was killed, the driver still has it: this function
 * forgets its entries.
 * Context: process.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int tgk_channel_await_end(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	enum tgk_known known;
	long ticks = 1;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		if (!tgk_is_claimed(gpu, file, chid))
			forget_unused(gpu, file, chid);
		tgk_channel_find(gpu, file, chid, &known);
		tgk_unlock_irq(gpu);
		if (known != TGK_DYING || READ_ONCE(gpu->closing))
			return 0;
		tgk_sleep_longer(TASK_INTERRUPTIBLE, &ticks);
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
}

/**
 * tgk_channel_engines() - a channel got an object, or its job an engine: its jobs use that, too
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number
 * @engines: mask of what the object or the job uses
 *
 * Context: process.
 */
void tgk_channel_engines(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u8 engines)
{
	enum tgk_known known = TGK_UNKNOWN;
	struct tgk_channel *ch;

	raw_spin_lock_irq(&gpu->lock);
	ch = gpu->closing ? NULL : tgk_channel_find(gpu, file, chid, &known);
	if (ch && (ch->engines | engines) != ch->engines) {
		struct tg_event ev = {
			.kind = TG_EV_ENGINES, .client = ch->client->id, .channel = ch->nr,
		};

		WRITE_ONCE(ch->engines, ch->engines | engines);
		ev.engines.mask = ch->engines;
		tgk_feed(gpu, &ev);
	}
	tgk_unlock_irq(gpu);
}
