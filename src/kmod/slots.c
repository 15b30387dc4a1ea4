// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: in which memory the GPU writes how far each channel is, and when.
 *
 * Where the slots are. The driver does not say. But it reads a slot whenever a thread checks
 * whether a fence has signalled. So a thread that makes a fence checks it, and the driver's backend
 * watches which word of which memory that call reads (tgk_driver.slots()). For a job of drm_sched,
 * the worker that begins it does so. The distance from the channel's number to the slot's is the
 * same for all channels of a GPU. The search begins with the first fence that the core hears of.
 * Open gates need no times.
 *
 * fence.c and submit.c call this file where fences are made and signal; clock.c says what the times
 * in the slots are worth.
 */
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/slab.h>

#include "driver/driver.h"
#include "slots.h"
#include "tgk.h"
#include "wrap/fence.h"

#define SLOT_TIME	8		/* offset of the time in a slot */

/**
 * tgk_slots_stamp() - a fence has signalled: what does its slot say?
 * @gpu: the GPU
 * @slot: the slot of its channel, or TGK_SLOT_NONE
 * @fence: the fence
 * @number: what the slot says when the GPU has reached it, of the driver's own fence; or
 *	TGK_NO_NUMBER
 *
 * One read of the card's memory, of all 64 bits: an interrupt may be late by more than the 4 s that
 * the lower ones tell, where a machine was stopped. Two where a later fence has been made.
 * Context: any, the card awake or in system sleep.
 */
struct tgk_stamp tgk_slots_stamp(struct tgk_gpu *gpu, s32 slot, const struct dma_fence *fence,
				 s64 number)
{
	const struct tgk_clock *c = &gpu->clock;
	struct tgk_stamp stamp = { .known = TG_DONE_NOTICED };
	const u32 seqno = fence->seqno;
	struct tgk_fences *f;
	void __iomem *at;

	if (slot == TGK_SLOT_NONE)
		return stamp;
	f = &c->fences[slot];
	if (!READ_ONCE(gpu->sleep.since) && !READ_ONCE(f->forged)) {
		at = c->base + slot * TGK_SLOT_BYTES;
		stamp.time = readq(at + SLOT_TIME);
		stamp.known = TG_DONE_EXACT;
		if (READ_ONCE(f->made) != seqno && readl(at) != number)
			stamp.known = TG_DONE_BY;
	}
	WRITE_ONCE(f->ended, seqno);
	return stamp;
}

/**
 * tgk_slots_search() - one step of a search for the slot of a fence
 * @search: enum tgk_search, how far it is; the caller's, as all but @fence
 * @work: has the driver watched where the search is ORDERED, and is queued here for that
 * @driver: the fence's
 * @fence: the fence, just made, or of a job that has just begun
 * @slots: out
 *
 * Context: where a fence is made or a job begins; may hold any lock of the driver.
 *
 * Return: @slots has been found, by one thread. It says so by OVER, and queues @work, which ends
 * the watch.
 */
bool tgk_slots_search(u32 *search, struct work_struct *work, const struct tgk_driver *driver,
		      struct dma_fence *fence, struct tgk_slots *slots)
{
	if (cmpxchg(search, TGK_SEARCH_NOT, TGK_SEARCH_ORDERED) == TGK_SEARCH_NOT) {
		queue_work(tgk_wq, work);
		return false;
	}
	/* One thread at a time. */
	if (cmpxchg(search, TGK_SEARCH_ON, TGK_SEARCH_READS) != TGK_SEARCH_ON)
		return false;
	if (driver->slots(fence, slots))
		return true;
	WRITE_ONCE(*search, TGK_SEARCH_ON);
	return false;
}

/* No slot is known: search by this fence. */
static noinline void search(struct tgk_gpu *gpu, u32 chid, struct dma_fence *fence)
{
	struct tgk_clock *c = &gpu->clock;
	struct tgk_slots slots;

	if (!tgk_slots_search(&c->search, &c->work, gpu->driver, fence, &slots))
		return;
	slots.first -= chid;
	c->slots = slots;
	WRITE_ONCE(c->search, TGK_SEARCH_OVER);
	queue_work(tgk_wq, &c->work);
}

/**
 * tgk_slots_made() - a fence was made for a channel; the GPU cannot have reached it yet
 * @gpu: the GPU
 * @chid: the driver's number of the channel
 * @fence: the fence
 *
 * Context: in the thread that submits; may hold any lock of the driver.
 *
 * Return: the fence before it had its interrupt in time: tgk_clock_behind() may be called.
 */
bool tgk_slots_made(struct tgk_gpu *gpu, u32 chid, struct dma_fence *fence)
{
	struct tgk_clock *c = &gpu->clock;
	s32 slot = tgk_clock_slot(c, chid);
	struct tgk_fences *f;

	if (unlikely(slot == TGK_SLOT_NONE)) {
		if (READ_ONCE(c->search) != TGK_SEARCH_OVER)
			search(gpu, chid, fence);
		return false;
	}
	f = &c->fences[slot];
	WRITE_ONCE(f->made, (u32)fence->seqno);
	return READ_ONCE(f->wanted) == (u32)fence->seqno - 1;
}

/**
 * tgk_slots_begun() - the driver has begun a job of drm_sched
 * @gpu: the GPU
 * @chid: the driver's number of its channel
 * @fence: the driver's own fence, of which no thread that submits hears; or NULL
 *
 * Context: in the worker that has rung the doorbell; may hold any lock of the driver.
 */
void tgk_slots_begun(struct tgk_gpu *gpu, u32 chid, struct dma_fence *fence)
{
	if (fence && READ_ONCE(gpu->clock.search) != TGK_SEARCH_OVER)
		search(gpu, chid, fence);
}

/**
 * tgk_slots_unmade() - that fence was not emitted after all
 * @gpu: the GPU
 * @chid: the driver's number of the channel
 *
 * Context: as tgk_slots_made().
 */
void tgk_slots_unmade(struct tgk_gpu *gpu, u32 chid)
{
	struct tgk_clock *c = &gpu->clock;
	s32 slot = tgk_clock_slot(c, chid);

	if (slot != TGK_SLOT_NONE)
		WRITE_ONCE(c->fences[slot].ended, c->fences[slot].made);
}

static void map(struct tgk_clock *c)
{
	const struct tgk_slots *s = &c->slots;
	void __iomem *base = NULL;

	c->nr = s->size / TGK_SLOT_BYTES;
	c->fences = kvcalloc(c->nr, sizeof(*c->fences), GFP_KERNEL);
	if (c->fences)
		base = s->combine ? ioremap_wc(s->phys, s->size) : ioremap(s->phys, s->size);
	if (base)
		smp_store_release(&c->base, base);	/* with all of the above */
	else
		pr_notice("no memory to read the GPU's own times: accounts go by interrupts\n");
}

/* The search has been ordered, or is over. */
static void work(struct work_struct *work)
{
	struct tgk_clock *c = container_of(work, struct tgk_clock, work);
	const struct tgk_driver *driver = container_of(c, struct tgk_gpu, clock)->driver;

	if (READ_ONCE(c->search) == TGK_SEARCH_OVER) {
		map(c);
		driver->unwatch();	/* waits until no CPU is in code of ftrace's */
	} else {
		WRITE_ONCE(c->search, driver->watch() ? TGK_SEARCH_OVER : TGK_SEARCH_ON);
	}
}

/**
 * tgk_slots_attach() - prepare the search for the slots
 * @c: the clock of a new GPU, with its page, if there is one
 */
void tgk_slots_attach(struct tgk_clock *c)
{
	INIT_WORK(&c->work, work);
	c->search = c->page ? TGK_SEARCH_NOT : TGK_SEARCH_OVER;
}

/**
 * tgk_slots_detach() - they are not read any more
 * @c: the clock; no fence's callback and no channel is left
 *
 * Context: process.
 */
void tgk_slots_detach(struct tgk_clock *c)
{
	flush_work(&c->work);
	if (c->search == TGK_SEARCH_ON)
		container_of(c, struct tgk_gpu, clock)->driver->unwatch();
	if (c->base)
		iounmap(c->base);
	kvfree(c->fences);
}
