// SPDX-License-Identifier: GPL-2.0
/*
 * When a submission ended, by the GPU's own clock.
 *
 * An interrupt tells late that a submission has ended: by 10 us on hardware, by a millisecond on a
 * machine that is emulated. The GPU itself writes the time beside each fence, into the slot of the
 * fence's channel, in memory that the driver owns. slots.c finds and reads the slots; this file
 * says what such a time is worth, and turns it into ktime_get_ns()'s. fence.c calls it.
 *
 * What a slot is worth. It tells of the latest fence of its channel that the GPU has reached. If a
 * later one has been made, the number in the slot says whether the time is this fence's or a later
 * one's. Every client can write every slot: nouveau maps them into each address space. So a time
 * counts only if it lies between the submission's start and its interrupt.
 *
 * Some twenty times a second, at moments that no client knows, an audit reads from the GPU which
 * channel it works for. If the slot says later that the group had ended before, that is false, and
 * the slot's times are not believed for a while: interrupts count, less the lag that audits have
 * shown. One time out of its bounds has the same effect. A time far ahead of its interrupt may be
 * true, since interrupts may be late; but the next audits come at once.
 *
 * Only work on the GPU can write a slot, and only work that came after the fence has written such a
 * time. So an audit suspects the channel that the GPU works for, where no third one can have
 * been. One case proves nothing: the driver may have rung a doorbell whose fence it had yet to
 * make. A channel that is often suspected, far more often than others, is the liar's: its client is
 * named, and its interrupts count in full from then on. On a GPU with several engines no channel is
 * suspected: the register shows one engine, and another may run work that the core does not know.
 *
 * Two clocks. The registers tell the GPU's time, and no client can write them. A reading between
 * two calls of ktime_get_ns() says how the clocks differ, to half the time that it takes: 1 us on
 * hardware, 15 us emulated. One is due each second of work, in the thread that submits next. The
 * rate between the clocks is measured over a minute, and the offset moves only as far as a reading
 * demands, so it hardly jumps. Where a reading is off by a millisecond or more, the GPU's clock has
 * been set, by the driver after a sleep, for example: both begin anew.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pci.h>

#include "clock.h"
#include "doorbell.h"
#include "driver/driver.h"
#include "sleep.h"
#include "slots.h"
#include "tgk.h"
#include "wrap/fence.h"

#define FAR		((s64)BIT_ULL(50))	/* ns, 13 days: no true time is so far away */
#define STEP		NSEC_PER_MSEC		/* the GPU's clock was set */
#define RATE_MAX	500000			/* of tgk_clock.rate: no clock is worse */
#define RATE_SPAN	(64 * NSEC_PER_SEC)	/* it is measured over so long, and then anew */
#define SLACK		(50 * NSEC_PER_USEC)	/* allowed to a time that is out of its bounds */
#define UNNOTICED	(5 * NSEC_PER_MSEC)	/* an interrupt is hardly ever so late */
#define WARY		16			/* a false time costs the trust of so many audits */
#define HURRY		8			/* audits that follow a strange time */
#define FEW		16			/* jobs that are looked at */
#define LIE		4			/* a false time counts so much, a true one 1 */
#define LIES		16			/* so much is too much */
#define LIES_MAX	1000			/* more are not counted */
#define SOON		(HZ / 8)		/* when the clock is read again, after a lie */
#define TRIES		3			/* to read the clock without being held up */

/* --- two clocks: under tgk_gpu.lock --- */

/* ktime_get_ns() when the GPU's clock shows @gpu. A false one may show anything. */
static s64 to_mono(const struct tgk_clock *c, u64 gpu)
{
	s64 since = clamp_t(s64, gpu - c->gpu, -FAR, FAR);

	return c->mono + since + div_s64(since / 1000 * c->rate, 1000000);
}

static s64 middle(const struct tgk_reading *r)
{
	return r->before + (r->after - r->before) / 2;
}

/*
 * The latest reading has shown whether the GPU's clock was set. If it was not, a client has lied.
 * Now and then an audit suspects an innocent channel, so the liar's must stand out far.
 */
static void judge(struct tgk_clock *c, bool set)
{
	struct tgk_fences *most = NULL;
	u32 i, second = 0;

	for (i = 0; c->doubted && i < c->nr; i++) {
		struct tgk_fences *f = &c->fences[i];

		if (set) {
			f->wary = 0;
			f->lies = 0;
		} else if (f->proven) {
			continue;
		} else if (!most || f->lies > most->lies) {
			second = most ? most->lies : 0;
			most = f;
		} else {
			second = max_t(u32, second, f->lies);
		}
	}
	c->doubted = false;
	if (most && most->lies >= LIES && most->lies >= 2 * second)
		most->proven = true;
}

static void begin(struct tgk_clock *c, const struct tgk_reading *r)
{
	c->comparable = true;
	c->mono = middle(r);
	c->gpu = r->gpu;
	c->error = (r->after - r->before) / 2;
	c->rate = 0;
	c->rate_error = RATE_MAX;
	c->early = *r;
}

/* How fast one clock runs by the other, if this reading tells that better than the earlier ones. */
static void measure_rate(struct tgk_clock *c, const struct tgk_reading *r)
{
	const struct tgk_reading *e = &c->early;
	s64 span = r->gpu - e->gpu, error;

	if (span < NSEC_PER_SEC / 4)
		return;
	error = (r->after - r->before + e->after - e->before) / 2;
	error = div64_s64(error * NSEC_PER_SEC, span);
	if (error > c->rate_error)
		return;
	c->rate = div64_s64((middle(r) - middle(e) - span) * NSEC_PER_SEC, span);
	c->rate = clamp_t(s64, c->rate, -RATE_MAX, RATE_MAX);
	c->rate_error = error;
	if (span > RATE_SPAN)
		c->early = *r;
}

/*
 * By offset and rate the reading was made at @mono, give or take @error, which grows with time as
 * the rate is not known exactly; by ktime_get_ns(), from r->before to r->after. It was made where
 * both agree.
 */
static void compare(struct tgk_clock *c, const struct tgk_reading *r)
{
	s64 mono = to_mono(c, r->gpu), error, from, to;

	error = c->error + div_s64((r->before - c->last.after) / 1000 * c->rate_error, 1000000);
	from = max(mono - error, r->before);
	to = min(mono + error, r->after);
	if (!c->comparable || mono < r->before - STEP || mono > r->after + STEP) {
		judge(c, true);
		begin(c, r);
	} else {
		judge(c, false);
		if (from > to) {	/* the rate is not what it was */
			from = r->before;
			to = r->after;
			c->early = c->last;
			c->rate_error = RATE_MAX;
		}
		c->mono = from + (to - from) / 2;
		c->gpu = r->gpu;
		c->error = (to - from) / 2;
		measure_rate(c, r);
	}
	c->last = *r;
}

/**
 * tgk_clock_slept() - the system has slept, and the driver may have set the GPU's clock
 * @clock: the GPU's
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_clock_slept(struct tgk_clock *clock)
{
	clock->comparable = false;
	WRITE_ONCE(clock->due, jiffies - 1);
}

/* A time was false: is it the clock? */
static void doubt(struct tgk_clock *c)
{
	c->doubted = true;
	if (time_after(READ_ONCE(c->due), jiffies + SOON))
		WRITE_ONCE(c->due, jiffies + SOON);
}

/* The fences of the channel that the GPU works for; NULL: not known, or it has no slot. */
static struct tgk_fences *at_work(struct tgk_gpu *gpu)
{
	const struct tgk_poll *p = &gpu->poll;
	struct tgk_clock *c = &gpu->clock;
	u32 chid = p->chip->read(p->page);

	/* A switch of channels between the registers that it reads could show a wrong one. */
	if (chid == TGK_CHID_NONE || chid == TGK_CHID_GONE || p->chip->read(p->page) != chid)
		return NULL;
	return tgk_clock_fences(c, chid);
}

/* Are there no jobs on the GPU but of these two channels? A few are looked at. */
static bool only_two(const struct tgk_gpu *gpu, const struct tgk_fences *a,
		     const struct tgk_fences *b)
{
	const struct tgk_fences *f, *all = gpu->clock.fences;
	const struct tgk_job *host;
	const struct tg_job *job;
	u32 i, n = 0;

	for (i = 0; i < gpu->core.nr_engines; i++) {
		list_for_each_entry(job, &gpu->core.engine[i].busy, wait) {
			host = job->host;
			if (++n > FEW || !host || host->fence_slot == TGK_SLOT_NONE)
				return false;
			f = &all[host->fence_slot];
			if (f != a && f != b)
				return false;
		}
	}
	return true;
}

/* Since @seen, was there work of this channel alone? @seen 0: that is not known. */
static bool only_own(const struct tgk_gpu *gpu, const struct tgk_fences *own, s64 seen)
{
	u32 i;

	for (i = 0; i < gpu->core.nr_engines; i++)
		if (gpu->core.engine[i].last_done >= seen)
			return false;
	return only_two(gpu, own, own);
}

/*
 * The time in @own, this job's slot, is false; at @seen, unless 0, the channel was at work for it.
 * Work that came after the fence has written it: of the channel at work, if no other's work can
 * have been there. If that is the slot's own, another's may have come and gone before this fence
 * was noticed, so no other's may have ended since the job began. If none is at work now, and none
 * has been but the channel's own, its own has.
 * No channel is suspected where the GPU has not reached the fence, where the driver may write the
 * slot itself, and while work may go through open gates, or be in flight behind one that was open.
 * The registers of a GPU that closes are not read: they go (tgk_poll_detach()).
 */
static void suspect(struct tgk_gpu *gpu, const struct tgk_job *job, struct tgk_fences *own,
		    s64 seen)
{
	struct tgk_clock *c = &gpu->clock;
	struct tgk_fences *f;

	doubt(c);
	if (gpu->core.nr_engines > 1 || gpu->closing || gpu->core.open || gpu->core.syncing)
		return;
	if (own->leaving || own->own || job->scheduled || job->fence->error ||
	    !tgk_clock_reached(c, job->fence_slot, job->fence))
		return;
	f = at_work(gpu);
	if (!f && !only_own(gpu, own, seen))
		return;
	if (f && !only_two(gpu, own, f))
		return;
	if (f == own && (READ_ONCE(own->made) == (u32)job->fence->seqno || c->since > job->began))
		return;
	f = f ?: own;
	if (f->own)
		return;
	f->lies = min(f->lies + LIE, LIES_MAX);
}

/* What an audit says of a time. */
enum audit { AUDIT_NONE, AUDIT_TRUE, AUDIT_FALSE };

/*
 * Was the channel seen at work for this fence after @at? If there was another one in flight, it may
 * have been for that one: by then this one may have ended, with its interrupt still to come.
 */
static enum audit audit(struct tgk_fences *f, const struct dma_fence *fence, s64 at, s64 noticed)
{
	s64 seen = f->audit;

	if (!seen || (s32)((u32)fence->seqno - f->audited) < 0)
		return AUDIT_NONE;
	f->audit = 0;
	if ((u32)fence->seqno != f->audited || (!f->alone && noticed - seen < UNNOTICED))
		return AUDIT_NONE;
	if (at < seen) {
		f->wary = WARY;
		return AUDIT_FALSE;
	}
	if (f->wary)
		f->wary--;
	else if (f->lies)
		f->lies--;
	return AUDIT_TRUE;
}

/* Move towards the median, however late single ones are. */
static void learn_lag(struct tgk_clock *c, s64 lag)
{
	const s64 step = c->lag / 4 + 10 * NSEC_PER_USEC;

	c->lag = max(c->lag + (lag > c->lag ? step : -step), (s64)0);
}

/**
 * tgk_clock_end() - when did a submission end?
 * @gpu: the GPU
 * @stamp: what its slot said; its known is NOTICED where that cannot be true, FORGED where its
 *	client's lies have been found out
 * @job: the submission
 * @noticed: when its fence signalled, by ktime_get_ns()
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: the time, by ktime_get_ns(): from the job's begin to @noticed where @stamp is worth
 * something.
 */
s64 tgk_clock_end(struct tgk_gpu *gpu, struct tgk_stamp *stamp, const struct tgk_job *job,
		  s64 noticed)
{
	struct tgk_clock *c = &gpu->clock;
	s64 began = job->began, slack = c->error + SLACK, at, seen;
	struct tgk_fences *f;
	enum audit says;

	if (c->latest != job->fence_slot) {
		c->latest = job->fence_slot;
		c->since = noticed;
	}
	if (stamp->known == TG_DONE_NOTICED)
		return noticed;
	f = &c->fences[job->fence_slot];
	if (f->proven && !f->forged) {
		WRITE_ONCE(f->forged, true);
		stamp->known = TG_DONE_FORGED;
		return noticed;
	}
	if (!c->comparable)
		goto interrupt;
	at = to_mono(c, stamp->time);
	if (at < began - slack || at > noticed + slack) {
		if (stamp->known == TG_DONE_BY)
			return noticed;
		/* `scheduled` may signal long after drm_sched has sent the job: no lie */
		if (job->scheduled && at < began) {
			doubt(c);
			goto interrupt;
		}
		suspect(gpu, job, f, 0);
		f->wary = WARY;
		goto about;
	}
	seen = f->audit;
	says = audit(f, job->fence, at + slack, noticed);
	at = clamp(at, began, noticed);
	if (says == AUDIT_FALSE)
		suspect(gpu, job, f, seen);
	if (f->wary)
		goto about;
	if (says == AUDIT_TRUE && stamp->known == TG_DONE_EXACT)
		learn_lag(c, noticed - at);
	else if (says == AUDIT_NONE && noticed - at > 4 * c->lag + STEP)
		c->hurry = HURRY;
	return at;
about:
	noticed = max(began, noticed - c->lag);
interrupt:
	stamp->known = TG_DONE_NOTICED;
	return noticed;
}

/* --- the registers --- */

/* Read the clock; a reading that was held up is tried again. Return: the GPU has answered. */
static bool read_clock(const struct tgk_clock *c, const struct tgk_chip *chip,
		       struct tgk_reading *best)
{
	struct tgk_reading r;
	unsigned long flags;
	bool read;
	u32 i;

	for (i = 0; i < TRIES; i++) {
		local_irq_save(flags);
		read = chip->time(c->page, &r);
		local_irq_restore(flags);
		if (!read)
			return false;
		if (!i || r.after - r.before < best->after - best->before)
			*best = r;
		if (best->after - best->before <= 3 * c->access)
			break;
	}
	return true;
}

/**
 * tgk_clock_tune() - compare the GPU's clock with ktime_get_ns(), if that is due
 * @gpu: the GPU
 *
 * Context: process.
 */
void tgk_clock_tune(struct tgk_gpu *gpu)
{
	struct tgk_clock *c = &gpu->clock;
	unsigned long due = READ_ONCE(c->due);
	struct tgk_reading r;
	bool read;

	/* One of the threads that come here does it. */
	if (!time_after(jiffies, due) || cmpxchg(&c->due, due, jiffies + HZ) != due)
		return;
	if (!c->page || !tgk_card_get(gpu))
		return;
	read = read_clock(c, gpu->poll.chip, &r);
	tgk_card_put(gpu);
	if (!read)
		return;
	raw_spin_lock_irq(&gpu->lock);
	c->access = c->access ? min(c->access + c->access / 8, r.after - r.before) :
				r.after - r.before;
	compare(c, &r);
	tgk_unlock_irq(gpu);
}

/* --- audits --- */

/**
 * tgk_clock_audit() - see which channel the GPU works for
 * @gpu: the GPU
 *
 * Context: process, between tgk_card_get() and tgk_card_put(), before tgk_poll_detach().
 */
void tgk_clock_audit(struct tgk_gpu *gpu)
{
	struct tgk_clock *c = &gpu->clock;
	s64 at = ktime_get_ns();
	struct tgk_fences *f;
	u32 flying;
	bool rung;

	/* Acquire: all that was written before @base is there, too. */
	f = smp_load_acquire(&c->base) && gpu->poll.chip ? at_work(gpu) : NULL;
	if (!f)
		return;
	/* Where the driver rings before it makes the fence, this may be work of the next one. */
	rung = tgk_doorbell_rung(f);
	raw_spin_lock_irq(&gpu->lock);
	flying = READ_ONCE(f->made) - READ_ONCE(f->ended);
	if (flying) {
		f->audited = READ_ONCE(f->made) - flying + 1;
		f->alone = flying == 1 && !rung;
		f->audit = at;
	}
	tgk_unlock_irq(gpu);
}

/**
 * tgk_clock_fresh() - a channel was allocated, whose number may have been another's
 * @gpu: the GPU
 * @chid: the driver's number of the channel
 *
 * Context: process.
 */
void tgk_clock_fresh(struct tgk_gpu *gpu, u32 chid)
{
	struct tgk_clock *c = &gpu->clock;
	s32 slot = tgk_clock_slot(c, chid);

	if (slot == TGK_SLOT_NONE)
		return;
	raw_spin_lock_irq(&gpu->lock);
	c->fences[slot].audit = 0;
	c->fences[slot].wary = 0;
	c->fences[slot].lies = 0;
	c->fences[slot].proven = false;
	c->fences[slot].leaving = false;
	WRITE_ONCE(c->fences[slot].forged, false);
	tgk_unlock_irq(gpu);
}

/**
 * tgk_clock_leave() - the driver is about to free a channel
 * @clock: the GPU's clock
 * @chid: the driver's number of the channel
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_clock_leave(struct tgk_clock *clock, u32 chid)
{
	s32 slot = tgk_clock_slot(clock, chid);

	if (slot != TGK_SLOT_NONE)
		clock->fences[slot].leaving = true;
}

/* --- life --- */

/**
 * tgk_clock_attach() - a GPU whose clock may be read
 * @gpu: the GPU, not yet visible; tgk_poll_attach() has been called
 *
 * Where the clock or the slots are not known, accounts go by interrupts.
 * Context: process, under tgk_mutex.
 */
void tgk_clock_attach(struct tgk_gpu *gpu)
{
	const resource_size_t bar = pci_resource_start(to_pci_dev(gpu->dev), 0);
	const struct tgk_chip *chip = gpu->poll.chip;
	struct tgk_clock *c = &gpu->clock;

	c->due = jiffies - 1;
	c->page = chip ? ioremap(bar + chip->clock, PAGE_SIZE) : NULL;
	tgk_slots_attach(c);
	if (!chip && gpu->driver->nr_chips)
		pr_info("GPU %u: of chip %03x we do not know where its clock stands: accounts go by interrupts\n",
			gpu->index, gpu->poll.id);
}

/**
 * tgk_clock_detach() - it is read no more
 * @gpu: the GPU; no fence's callback and no channel is left
 *
 * Context: process, under tgk_mutex.
 */
void tgk_clock_detach(struct tgk_gpu *gpu)
{
	struct tgk_clock *c = &gpu->clock;

	tgk_slots_detach(c);
	if (c->page)
		iounmap(c->page);
}
