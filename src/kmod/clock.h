/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.c: when a submission ended, by the GPU's own clock.
 */
#ifndef TGK_CLOCK_H
#define TGK_CLOCK_H

#include <linux/dma-fence.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <tg/event.h>

#include "wrap/fence.h"

struct tgk_gpu;
struct tgk_job;

#define TGK_SLOT_NONE	(-1)
#define TGK_SLOT_BYTES	16

/**
 * struct tgk_slots - the memory of a driver's fences: for each channel a slot of 16 bytes, in which
 *	the GPU writes the number of the latest fence that it has reached, and the time: 4, 4, 8
 *	bytes
 * @phys: where the memory lies in the machine's address space
 * @size: its size, bytes
 * @combine: the driver maps it write-combining
 * @first: the slot of channel 0; negative where the first channel has another number
 */
struct tgk_slots {
	phys_addr_t phys;
	size_t size;
	bool combine;
	s32 first;
};

/**
 * struct tgk_reading - the GPU's clock was read
 * @before: just before that, by ktime_get_ns()
 * @after: just after
 * @gpu: what it showed, ns
 */
struct tgk_reading {
	s64 before, after;
	u64 gpu;
};

/**
 * struct tgk_fences - the fences of a channel that the core hears of
 * @made: number of the latest that was made; written by the thread that submits
 * @wanted: number of the latest that had not signalled after want_signal(); likewise
 * @ended: number of the latest that has signalled, or was not emitted; written in any context
 * @audited: the GPU was seen at work for the channel, and this one was next to end;
 *	tgk_gpu.lock, as all below. The three above go without a lock
 * @audit: when that was, by ktime_get_ns(); 0: it was not
 * @alone: there was no other one in flight, and no doorbell had been rung for another one
 * @wary: audits that have to pass until the slot's times are believed again
 * @lies: grows with each false time, in any slot, that work of this channel must have written;
 *	shrinks with each audit that finds its own times true
 * @leaving: the driver frees the channel, and may write the slot itself
 * @proven: there were enough, and the GPU's clock was not set
 * @own: of the driver's own work, which is never suspected: read and written under the lock
 * @forged: its client has been named, and the slot is not believed any more; read without the lock
 */
struct tgk_fences {
	u32 made, wanted, ended, audited;
	s64 audit;
	bool alone;
	u16 wary, lies;
	bool proven, forged, leaving, own;
};

/**
 * enum tgk_search - how far the search for the slots is
 * @TGK_SEARCH_NOT: no accounts need them yet
 * @TGK_SEARCH_ORDERED: the work item is about to watch the driver
 * @TGK_SEARCH_ON: it watches: the next thread that makes a fence, or begins a job, has it read
 * @TGK_SEARCH_READS: a thread has the driver read a slot
 * @TGK_SEARCH_OVER: they are found, or cannot be
 */
enum tgk_search {
	TGK_SEARCH_NOT, TGK_SEARCH_ORDERED, TGK_SEARCH_ON, TGK_SEARCH_READS, TGK_SEARCH_OVER
};

/**
 * struct tgk_clock - one GPU's clock
 * @page: the registers of the clock, mapped; NULL: not known for this chip. Constant while the GPU
 *	is visible
 * @due: jiffies after which it is to be read again; set atomically
 * @search: enum tgk_search; set atomically
 * @slots: where they are; written by the thread that ends the search, constant once @base is there
 * @work: begins the search, and maps them when it is over
 * @base: the slots, mapped; NULL: not yet. Written once, by @work
 * @nr: how many there are; constant once @base is there, as @fences
 * @fences: for each slot, what is known of the fences that were made for it
 * @comparable: @mono and @gpu stand for the same time; tgk_gpu.lock, as all below
 * @doubted: a time was false. If the next reading shows that the GPU's clock was set, that is why
 * @lag: how long after a completion its fence signals, about the median, ns
 * @hurry: audits that have yet to follow a strange time, a tick apart
 * @latest: the slot of the fence that signalled last
 * @since: when the first one of that slot did which came behind another slot's
 * @mono: @gpu, by ktime_get_ns()
 * @gpu: a time of the GPU's
 * @rate: how much faster ktime_get_ns() runs than the GPU's clock, per billion
 * @error: @mono is known to so many ns
 * @access: how long it takes to read a register, the shortest so far, ns; read without the lock
 * @last: the latest reading
 * @early: the reading that @rate is measured from
 * @rate_error: @rate is known to so many billionths
 */
struct tgk_clock {
	void __iomem *page;
	unsigned long due;
	u32 search;
	struct tgk_slots slots;
	struct work_struct work;
	void __iomem *base;
	u32 nr;
	struct tgk_fences *fences;

	bool comparable, doubted;
	u8 hurry;
	s32 latest;
	s64 since, lag, mono;
	u64 gpu;
	s64 rate, error, access;
	struct tgk_reading last, early;
	s64 rate_error;
};

/**
 * struct tgk_stamp - what a slot said when its fence signalled
 * @time: the GPU's time
 * @known: enum tg_done
 */
struct tgk_stamp {
	u64 time;
	enum tg_done known;
};

void tgk_clock_attach(struct tgk_gpu *gpu);
void tgk_clock_detach(struct tgk_gpu *gpu);
s64 tgk_clock_end(struct tgk_gpu *gpu, struct tgk_stamp *stamp, const struct tgk_job *job,
		  s64 noticed);
void tgk_clock_audit(struct tgk_gpu *gpu);
void tgk_clock_fresh(struct tgk_gpu *gpu, u32 chid);
void tgk_clock_leave(struct tgk_clock *clock, u32 chid);
void tgk_clock_tune(struct tgk_gpu *gpu);
void tgk_clock_slept(struct tgk_clock *clock);

/**
 * tgk_clock_slot() - the slot of a channel
 * @clock: the GPU's clock
 * @chid: the driver's number of the channel
 *
 * Return: its number; TGK_SLOT_NONE: not known.
 */
static inline s32 tgk_clock_slot(const struct tgk_clock *clock, u32 chid)
{
	u32 slot;

	if (!smp_load_acquire(&clock->base))	/* and what was written before it */
		return TGK_SLOT_NONE;
	slot = chid + clock->slots.first;
	return slot < clock->nr ? slot : TGK_SLOT_NONE;
}

/** tgk_clock_fences() - what is known of a channel's fences; NULL: its slot is not known */
static inline struct tgk_fences *tgk_clock_fences(const struct tgk_clock *clock, u32 chid)
{
	const s32 slot = tgk_clock_slot(clock, chid);

	return slot == TGK_SLOT_NONE ? NULL : &clock->fences[slot];
}

/**
 * tgk_clock_doorbell() - when did the doorbell of a submission reach the card?
 * @clock: the GPU's clock
 * @rung: when the driver began to ring it, by ktime_get_ns(); 0: its fence is being made, and more
 *	is not known
 *
 * The doorbell is a write, which takes half as long as a read.
 */
static inline s64 tgk_clock_doorbell(const struct tgk_clock *clock, s64 rung)
{
	const s64 access = READ_ONCE(clock->access);

	if (!rung)
		rung = ktime_get_ns() - (TGK_FENCE_BEFORE_DOORBELL ? 0 : access);
	return rung + access / 2;
}

/** tgk_clock_behind() - has the fence before this one, on its channel of @slot, yet to signal? */
static inline bool tgk_clock_behind(const struct tgk_clock *clock, s32 slot,
				    const struct dma_fence *fence)
{
	return READ_ONCE(clock->fences[slot].ended) != (u32)fence->seqno - 1;
}

/** tgk_clock_reached() - may the GPU have reached this fence, of the channel of @slot? One read */
static inline bool tgk_clock_reached(const struct tgk_clock *clock, s32 slot,
				     const struct dma_fence *fence)
{
	return slot == TGK_SLOT_NONE ||
	       (s32)(readl(clock->base + slot * TGK_SLOT_BYTES) - (u32)fence->seqno) >= 0;
}

/** tgk_clock_wanted() - fence @seqno of @slot's channel had not signalled after want_signal() */
static inline void tgk_clock_wanted(const struct tgk_clock *clock, s32 slot, u32 seqno)
{
	if (slot != TGK_SLOT_NONE)
		WRITE_ONCE(clock->fences[slot].wanted, seqno);
}

/** tgk_clock_queued() - this fence of drm_sched is the latest of the channel whose slot is @slot */
static inline void tgk_clock_queued(const struct tgk_clock *clock, s32 slot,
				    const struct dma_fence *fence)
{
	if (slot != TGK_SLOT_NONE)
		WRITE_ONCE(clock->fences[slot].made, (u32)fence->seqno);
}

/** tgk_clock_due() - is the GPU's clock to be read again? tgk_clock_tune() does it */
static inline bool tgk_clock_due(const struct tgk_clock *clock)
{
	return time_after(jiffies, READ_ONCE(clock->due));
}

#endif /* TGK_CLOCK_H */
