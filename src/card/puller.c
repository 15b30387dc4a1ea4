// SPDX-License-Identifier: GPL-2.0
/*
 * puller.c - executes methods.
 *
 * PFIFO's own methods (semaphores, reference count, interrupt) are executed here, others are handed
 * to PGRAPH, or on Fermi to the engine that the subchannel's object belongs to. Methods of one
 * channel are executed in order. A method for an engine waits until the channel holds it; PFIFO's
 * own do not, so a fence that arrives after its group's work is released at once, whichever channel
 * has the engine by then.
 *
 * Called by runlist.c for a channel that is ready. Handles and addresses are the guest's and may be
 * nonsense.
 */
#include "puller.h"
#include "card.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "fault.h"
#include "instmem.h"
#include "mmio.h"
#include "pfifo.h"
#include "pfifo_priv.h"
#include "pgraph.h"
#include "ptimer.h"
#include "pusher.h"
#include "vm.h"

#define PFIFO_CACHE_GET		0x003270
#define PFIFO_CACHE_METHOD	0x090000
#define PFIFO_CACHE_DATA	0x090004

#define PULL0_HASH_FAILED	BIT(4)
#define PULL0_SOFTWARE		BIT(8)

/* 0x001c of Fermi: a release that does not wait for earlier work */
#define RELEASE_NO_WAIT		BIT(20)

/* How often an unmet acquire looks again, besides at every release. */
#define ACQUIRE_RETRY_NS	200000

enum sema_error { SEMA_UNALIGNED = 1, SEMA_STATE = 2, SEMA_TOO_LARGE = 3, SEMA_MEM_FAULT = 4 };

/* The held method cannot be executed; the driver may do it in software.  Either way it is gone. */
static enum pull cache_error(struct card *card, struct chan *ch, u32 pull0)
{
	u32 subc = ch->held_subc, mthd = ch->held_mthd;

	if (card->chip->fermi)
		return chan_error(card, ch, !(pull0 & PULL0_SOFTWARE) ? PFIFO_BAD_METHOD :
				  ch->subch[subc].software ? PFIFO_SOFTWARE : PFIFO_NO_OBJECT);
	reg_set(card, PFIFO_PULL0, pull0 | PULL0_ACCESS);
	reg_set(card, PFIFO_CACHE_GET, 0);
	reg_set(card, PFIFO_CACHE_METHOD, subc << 13 | mthd);
	reg_set(card, PFIFO_CACHE_DATA, ch->held_data);
	ch->held = false;
	return pfifo_stall(card, ch, INTR_CACHE_ERROR, "method without an engine",
			   (u64)mthd << 32 | ch->held_data);
}

static enum pull sema_error(struct card *card, struct chan *ch, enum sema_error error)
{
	if (card->chip->fermi)
		return chan_error(card, ch, error == SEMA_MEM_FAULT ? PFIFO_NO_MEMORY :
							      PFIFO_BAD_SEMAPHORE);
	ch->held = false;
	reg_set(card, PFIFO_PULL0, (u32)error << 20 | PULL0_ACCESS);
	return pfifo_stall(card, ch, INTR_SEMAPHORE, "semaphore error", error);
}

/*
 * pfifo_ramht() - look a handle up in the channel's hash table
 *
 * The search is over the whole table, as the driver sets it up; an entry of 0 is free.
 */
bool pfifo_ramht(struct card *card, const struct chan *ch, u32 handle, u32 *context)
{
	u32 n = 1u << ch->ramht_bits, hash = 0;

	for (u32 h = handle; h; h >>= ch->ramht_bits)
		hash ^= h & (n - 1);
	for (u32 i = 0; i < n; i++) {
		u64 entry = ch->inst + ch->ramht + 8ull * ((hash + i) & (n - 1));

		if (vram_rd32(card, entry) == handle && vram_rd32(card, entry + 4)) {
			*context = vram_rd32(card, entry + 4);
			return true;
		}
		/* a search costs a hostile guest more than a method does */
		if (i % 16 == 15 && card->budget)
			card->budget--;
	}
	return false;
}

static bool sema_done(struct card *card, struct chan *ch, bool *error)
{
	u32 op = ch->held_mthd == 0x68 ? 1 : ch->held_data & 7;
	u64 addr = ch->held_mthd == 0x68 ? ch->sema_off : ch->sema_addr;
	u32 want = ch->held_mthd == 0x68 ? ch->held_data : ch->sema_seq;
	u32 val;

	*error = !vm_read(card, &ch->sema, addr, &val, sizeof(val), VM_PFIFO_SEMAPHORE);
	if (*error)
		return false;
	if (card->chip->fermi && (ch->held_data & 0x1f) == 8)
		return val & want;
	return op == 4 ? (s32)(val - want) >= 0 : op == 1 && val == want;
}

static enum pull pull_acquire(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;
	bool error;

	if (sema_done(card, ch, &error)) {
		ch->held = false;
		return PULL_ON;
	}
	if (error)
		return sema_error(card, ch, SEMA_MEM_FAULT);
	set_del(fifo->ready, ch->chid);
	set_add(fifo->acquire, ch->chid);
	if (fifo->retry_at == CARD_NEVER)
		fifo->retry_at = card->t + ACQUIRE_RETRY_NS;
	if (chan_engine(card, ch))
		engine_yield(chan_engine(card, ch));
	return PULL_STOP;
}

/*
 * A release ends the command group: it is the fence.  Not so on Fermi one that does not wait for
 * the work before it, by which nouveau 7.2 learns how far the pusher is.
 */
static enum pull pull_release(struct card *card, struct chan *ch)
{
	bool fence = !card->chip->fermi || !(ch->held_data & RELEASE_NO_WAIT);
	struct row *row = &card->row[ch->row];
	struct { u32 seq; u32 zero; u64 time; } sema = { ch->sema_seq, 0, ptimer_time(card) };
	bool brief = card->chip->fermi && ch->held_data & BIT(24);
	struct engine *e = &card->engine[ch->engine];
	bool ok;

	if (fence && fault_hits(card, FAULT_EARLY_TIME, ch))
		sema.time -= FAULT_EARLY_NS;
	if (fence && fault_hits(card, FAULT_SEMAPHORE, ch))
		ok = true;
	else if (ch->held_mthd == 0x6c)
		ok = vm_write(card, &ch->sema, ch->sema_off, &ch->held_data, 4, VM_PFIFO_SEMAPHORE);
	else
		ok = vm_write(card, &ch->sema, ch->sema_addr, &sema, brief ? 4 : sizeof(sema),
			      VM_PFIFO_SEMAPHORE);
	if (!ok)
		return sema_error(card, ch, SEMA_MEM_FAULT);
	ch->held = false;
	set_move(card->pfifo.ready, card->pfifo.acquire);
	card->pfifo.retry_at = CARD_NEVER;
	if (!fence)
		return PULL_ON;
	e->groups++;
	e->late_ns += card->now - card->t;
	e->self_late_ns += dev_taken(card);
	row->of[ch->engine].groups++;
	if (ch->work_end >= 0)
		row->of[ch->engine].fence_gap_ns += card->t - ch->work_end;
	ch->work_end = -1;
	ch->done_at = card->t;
	if (chan_engine(card, ch))
		engine_yield(e);
	fault_group(card, ch);
	return PULL_ON;
}

/* Semaphores in a DMA object, 0x0060 to 0x006c; Fermi has them no more. */
static enum pull pull_old_semaphore(struct card *card, struct chan *ch)
{
	u32 data = ch->held_data, context;

	switch (ch->held_mthd) {
	case 0x0060:
		if (!pfifo_ramht(card, ch, data, &context))
			return cache_error(card, ch, PULL0_HASH_FAILED);
		vm_dmaobj(card, ch->inst, (context & 0xfffff) << 4, &ch->sema);
		break;
	case 0x0064:
		if (data & 3)
			return sema_error(card, ch, SEMA_UNALIGNED);
		if (data >> 16)
			return sema_error(card, ch, SEMA_TOO_LARGE);
		ch->sema_off = data;
		break;
	default:
		if (ch->sema_off == ~0u)
			return sema_error(card, ch, SEMA_STATE);
		return ch->held_mthd == 0x68 ? pull_acquire(card, ch) : pull_release(card, ch);
	}
	ch->held = false;
	return PULL_ON;
}

/* Methods that PFIFO executes itself. */
static enum pull pull_own(struct card *card, struct chan *ch)
{
	u32 data = ch->held_data;

	switch (ch->held_mthd) {
	case 0x0010:
		if (data & ~0xffu)
			return sema_error(card, ch, SEMA_TOO_LARGE);
		ch->sema_addr = (ch->sema_addr & 0xffffffff) | (u64)data << 32;
		break;
	case 0x0014:
		if (data & 3)
			return sema_error(card, ch, SEMA_UNALIGNED);
		ch->sema_addr = (ch->sema_addr & ~0xffffffffull) | data;
		break;
	case 0x0018:
		ch->sema_seq = data;
		break;
	case 0x001c:
		if ((data & 7) == 2)
			return pull_release(card, ch);
		return pull_acquire(card, ch);
	case 0x0020:
		if (fault_hits(card, FAULT_LATE_IRQ, ch))
			fault_later(card, FAULT_NOTIFY, FAULT_LATE_NS);
		else if (!fault_hits(card, FAULT_LOST_IRQ, ch))
			chan_notify(card, ch);
		break;
	case 0x0050:
		ch->ref = data;
		break;
	case 0x0060 ... 0x006c:
		if (card->chip->fermi)
			return cache_error(card, ch, 0);
		return pull_old_semaphore(card, ch);
	case 0x0008:	/* Fermi: does nothing */
		if (!card->chip->fermi)
			return cache_error(card, ch, 0);
		break;
	case 0x0024:	/* write cache flush: nothing is cached */
	case 0x0080:	/* yield: groups end at fences here */
		break;
	default:
		return cache_error(card, ch, 0);
	}
	ch->held = false;
	return PULL_ON;
}

/* Does the method show what the channel has done? Then the channel's work must be done first. */
static bool mthd_waits_for_idle(u32 mthd)
{
	return mthd == 0x001c || mthd == 0x0020 || mthd == 0x0050 || mthd == 0x0068 ||
	       mthd == 0x006c;
}

/*
 * An object is bound to a subchannel: which engine is it for?  Fermi's pushbuffers name the class
 * itself (bits 0-15) and the engine (16-20): 0 PGRAPH, 4 and 5 the copy engines, 31 none.
 */
static enum pull pull_bind(struct card *card, struct chan *ch, u32 *engine, u32 *oclass)
{
	u32 context;

	if (card->chip->fermi) {
		static const u8 engines[32] = {
			[0] = 1 + ENGINE_GR, [4] = 1 + ENGINE_CE0, [5] = 1 + ENGINE_CE1,
		};
		u32 id = ch->held_data >> 16 & 0x1f;

		*engine = engines[id];
		*oclass = ch->held_data & 0xffff;
		if (*engine)
			return PULL_ON;
		ch->subch[ch->held_subc].engine = 0;
		ch->subch[ch->held_subc].software = id == 31;
		return cache_error(card, ch, id == 31 ? PULL0_SOFTWARE : 0);
	}
	if (!pfifo_ramht(card, ch, ch->held_data, &context))
		return cache_error(card, ch, PULL0_HASH_FAILED);
	*engine = context >> 20 & 0xf;
	if (*engine == 0) {
		ch->subch[ch->held_subc].engine = 0;
		return cache_error(card, ch, PULL0_SOFTWARE);
	}
	*oclass = vram_rd32(card, ch->inst + ((u64)(context & 0xfffff) << 4)) & 0xffff;
	return PULL_ON;
}

/* The engine does not become idle after an error before its driver says that it may go on. */
static bool chan_stuck(const struct engine *e)
{
	return e->halted;
}

/* Execute the held method.  ON: it is done, or work for it has just ended; go on. */
static enum pull chan_execute(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;
	struct engine *e = chan_engine(card, ch);
	u32 subc = ch->held_subc, mthd = ch->held_mthd;
	u32 engine = ch->subch[subc].engine, oclass = 0;

	if (mthd && mthd < 0x100) {
		if (mthd_waits_for_idle(mthd) && e &&
		    (chan_stuck(e) || !engine_settle(card, e, ch))) {
			set_del(fifo->ready, ch->chid);
			return PULL_STOP;
		}
		return pull_own(card, ch);
	}
	if (!mthd && pull_bind(card, ch, &engine, &oclass) == PULL_STOP)
		return PULL_STOP;
	if (engine == 0)
		return cache_error(card, ch, PULL0_SOFTWARE);
	if (engine > card->chip->engines)	/* the video engines are not there */
		return cache_error(card, ch, 0);
	ch->done_at = -1;
	if (e && ch->engine != engine - 1) {
		/* its work on the other engine must be done first */
		if (!engine_settle(card, e, ch)) {
			set_del(fifo->ready, ch->chid);
			return PULL_STOP;
		}
		engine_yield(e);
	}
	ch->engine = engine - 1;
	e = &card->engine[ch->engine];
	if (e->owner != (int)ch->chid) {
		set_del(fifo->ready, ch->chid);
		set_add(fifo->want[ch->engine], ch->chid);
		return PULL_STOP;
	}
	if (engine_paused(e)) {
		set_del(fifo->ready, ch->chid);
		return PULL_STOP;
	}
	ch->held = false;
	if (!mthd)
		ch->subch[subc].engine = engine;
	if (pgraph_mthd(card, e, ch, subc, mthd, mthd ? ch->held_data : oclass))
		return PULL_ON;
	set_del(fifo->ready, ch->chid);
	return PULL_STOP;
}

void chan_pull(struct card *card, struct chan *ch)
{
	while (card->budget && !card->pfifo.stall) {
		if (!ch->held && chan_decode(card, ch) == PULL_STOP) {
			struct engine *e = chan_engine(card, ch);

			if (set_test(card->pfifo.ready, ch->chid) || !e)
				return;
			/* dry: the engine is free once the decoded methods are paid for */
			if (!chan_stuck(e) && engine_settle(card, e, ch))
				engine_yield(e);
			return;
		}
		if (chan_execute(card, ch) == PULL_STOP || !chan_runs(ch))
			return;
	}
}
