// SPDX-License-Identifier: GPL-2.0
/*
 * pfifo.c - channels: ring entries in, methods out.
 *
 * Each channel is a pusher, which turns the indirect ring into a stream of methods, and a puller,
 * which executes PFIFO's own methods (semaphores, reference count, interrupt) and hands the
 * others to PGRAPH, or on Fermi to the engine that the subchannel's object belongs to. Methods of
 * one channel are executed in order.  A method for an engine waits until the channel holds it;
 * PFIFO's own do not, so a fence that arrives after its group's work is released at once, whoever
 * has the engine by then.
 *
 * Each engine goes round robin over the runlist, at command-group boundaries: a channel gives it up
 * when it releases a semaphore (its fence), runs dry, turns to another engine, or meets a
 * semaphore acquire that is not fulfilled.  Engines work at the same time, for different channels.
 *
 * States of a channel are bits in sets: ready (something to pull), want (the next method waits for
 * that engine), acquire (unmet).  In none of them: dry, or an engine is executing its work.
 *
 * What Fermi's driver sees of all this is in pfifo_gf100.c; G80's registers are here.
 *
 * Not modelled: the single CACHE1 that real channels share (so 0x002500 bit 0, which only forbids
 * changing what it holds, changes nothing here), and timeslices within a group.
 *
 * Called by mmio.c for registers, by dev.c as time passes, by pgraph.c when work ends.
 * Everything read from memory is the guest's and may be nonsense.
 */
#include <string.h>

#include "priv.h"

#define PFIFO_INTR		0x002100
#define PFIFO_INTR_EN		0x002140
#define PFIFO_CACHES		0x002500
#define PFIFO_FREEZE		0x002504
#define PFIFO_CHAN_TABLE	0x002600
#define PFIFO_CHAN_TABLE_END	0x002800
#define PFIFO_RUNLIST_COUNT	0x0032ec
#define PFIFO_RUNLIST_BASE	0x0032f4
#define PFIFO_KICK		0x0032fc
#define PFIFO_PUSH1		0x003204
#define PFIFO_DMA_PUSH		0x003220
#define PFIFO_DMA_STATE		0x003228
#define PFIFO_DMA_PUT		0x003240
#define PFIFO_DMA_GET		0x003244
#define PFIFO_PULL0		0x003250
#define PFIFO_CACHE_GET		0x003270
#define PFIFO_DMA_PUT_HI	0x003320
#define PFIFO_DMA_GET_HI	0x003328
#define PFIFO_IB_PUT		0x003330
#define PFIFO_IB_GET		0x003334
#define PFIFO_FLUSH		0x00330c
#define PFIFO_CACHE_METHOD	0x090000
#define PFIFO_CACHE_DATA	0x090004

#define INTR_CACHE_ERROR	BIT(0)
#define INTR_DMA_PUSHER		BIT(12)
#define INTR_SEMAPHORE		BIT(20)
#define INTR_NOTIFY		BIT(30)

#define PULL0_ACCESS		BIT(0)
#define PULL0_HASH_FAILED	BIT(4)
#define PULL0_SOFTWARE		BIT(8)

enum dma_error { DMA_INVALID_CMD = 4, DMA_IB_EMPTY = 5, DMA_MEM_FAULT = 6 };
enum sema_error { SEMA_UNALIGNED = 1, SEMA_STATE = 2, SEMA_TOO_LARGE = 3, SEMA_MEM_FAULT = 4 };

#define IB_NOT_MAIN		BIT(9)
#define MAIN_GET_VALID		0x8000000000000000ull

#define USER_BASE		0xc00000
#define USER_SIZE		0x2000

/* 0x001c of Fermi: a release at once */
#define RELEASE_NO_WAIT		BIT(20)

/* How often an unmet acquire looks again, besides at every release. */
#define ACQUIRE_RETRY_NS	200000

enum pull { PULL_ON, PULL_STOP };

static bool set_test(const u64 *set, u32 n)
{
	return set[n / 64] >> (n % 64) & 1;
}

static void set_add(u64 *set, u32 n)
{
	set[n / 64] |= 1ull << (n % 64);
}

static void set_del(u64 *set, u32 n)
{
	set[n / 64] &= ~(1ull << (n % 64));
}

static bool set_empty(const u64 *set)
{
	return !(set[0] | set[1]);
}

static void set_move(u64 *to, u64 *from)
{
	for (int i = 0; i < 2; i++) {
		to[i] |= from[i];
		from[i] = 0;
	}
}

bool chan_runs(const struct chan *ch)
{
	return ch->enabled && ch->listed && !ch->stopped;
}

/* The engine that the channel has, or NULL. */
static struct engine *chan_engine(struct card *card, const struct chan *ch)
{
	struct engine *e = &card->engine[ch->engine];

	return e->owner == (int)ch->chid ? e : NULL;
}

static bool chan_waits(const struct pfifo *fifo, const struct chan *ch)
{
	return set_test(fifo->want[ch->engine], ch->chid) || set_test(fifo->acquire, ch->chid) ||
	       set_test(fifo->ready, ch->chid);
}

/* The address of the next word that nobody has looked at. */
static u64 chan_dma_get(const struct chan *ch)
{
	return ch->seg - 4ull * (ch->word_put - ch->word_get);
}

/* Where the ring entry in hand ends. */
static u64 chan_put(const struct chan *ch)
{
	return ch->seg + 4ull * ch->seg_words;
}

/* The same in the main pushbuffer: entries that say that they are not of it leave this alone. */
static u64 chan_main_get(const struct chan *ch)
{
	return ch->main ? chan_dma_get(ch) | MAIN_GET_VALID : ch->main_get;
}

/* ---- interrupts and errors ------------------------------------------------------------------ */

bool pfifo_intr(const struct card *card)
{
	u32 intr = card->chip->fermi ? pfifo_gf100_intr(card) : card->pfifo.intr;

	return intr & reg_get(card, PFIFO_INTR_EN);
}

static void pfifo_raise(struct card *card, u32 intr)
{
	card->pfifo.intr |= intr;
	pmc_update(card);
}

/* The interrupt that completions make. */
static void chan_notify(struct card *card, const struct chan *ch)
{
	if (card->chip->fermi)
		pfifo_gf100_nonstall(card, ch);
	else
		pfifo_raise(card, INTR_NOTIFY);
}

/* pfifo_notify() - the same, as if of the first channel */
void pfifo_notify(struct card *card)
{
	chan_notify(card, card->pfifo.chan);
}

/* An error stops PFIFO until the driver has looked at it. */
static enum pull pfifo_stall(struct card *card, struct chan *ch, u32 intr, const char *what,
			     u64 value)
{
	dev_error(card, what, (int)ch->chid, value);
	card->pfifo.current = ch->chid;
	card->pfifo.stall = intr;
	if (intr != INTR_DMA_PUSHER)
		reg_set(card, PFIFO_PULL0, reg_get(card, PFIFO_PULL0) & ~PULL0_ACCESS);
	pfifo_raise(card, intr);
	return PULL_STOP;
}

/* On Fermi, what the method was is in the record, and it is gone. */
static enum pull chan_error(struct card *card, struct chan *ch, enum pfifo_error error)
{
	ch->held = false;
	pfifo_gf100_error(card, ch, error);
	return PULL_STOP;
}

static enum pull pusher_error(struct card *card, struct chan *ch, enum dma_error error)
{
	static const enum pfifo_error fermi[] = {
		[DMA_INVALID_CMD] = PFIFO_BAD_COMMAND, [DMA_IB_EMPTY] = PFIFO_EMPTY_ENTRY,
		[DMA_MEM_FAULT] = PFIFO_NO_MEMORY,
	};

	if (card->chip->fermi) {
		/* the rest of the entry is skipped */
		ch->seg += 4ull * ch->seg_words;
		ch->seg_words = 0;
		ch->word_get = ch->word_put;
		ch->count = 0;
		return chan_error(card, ch, fermi[error]);
	}
	reg_set(card, PFIFO_DMA_STATE, (u32)error << 29);
	reg_set(card, PFIFO_DMA_GET, (u32)chan_dma_get(ch));
	reg_set(card, PFIFO_DMA_GET_HI, (u32)(chan_dma_get(ch) >> 32));
	reg_set(card, PFIFO_DMA_PUT, (u32)chan_put(ch));
	reg_set(card, PFIFO_DMA_PUT_HI, (u32)(chan_put(ch) >> 32));
	reg_set(card, PFIFO_IB_GET, ch->get);
	reg_set(card, PFIFO_IB_PUT, ch->put);
	return pfifo_stall(card, ch, INTR_DMA_PUSHER, "pusher error", error);
}

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

/* The driver has handled an error when it has both acknowledged it and let the unit go on. */
void pfifo_unstall(struct card *card)
{
	if (card->pfifo.intr & card->pfifo.stall)
		return;
	card->pfifo.stall = 0;
	pfifo_run(card);
}

/* ---- pusher ---------------------------------------------------------------------------------- */

/* Have at least one word in ch->word.  STOP: the channel is dry, or in error. */
static enum pull chan_fetch(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;
	u32 n, entry[2];

	while (ch->word_get == ch->word_put) {
		if (ch->seg_words) {
			n = ch->seg_words;
			if (n > ARRAY_SIZE(ch->word))
				n = ARRAY_SIZE(ch->word);
			/* a page at a time, so that a fault hits the word it belongs to */
			if (n > (0x1000 - (ch->seg & 0xfff)) / 4)
				n = (0x1000 - (ch->seg & 0xfff)) / 4;
			if (!vm_read(card, &ch->push, ch->seg, ch->word, n * 4, VM_PFIFO_PUSHBUF))
				return pusher_error(card, ch, DMA_MEM_FAULT);
			ch->seg += 4ull * n;
			ch->seg_words -= n;
			ch->word_get = 0;
			ch->word_put = n;
			break;
		}
		if (ch->get == ch->put) {
			set_del(fifo->ready, ch->chid);
			return PULL_STOP;
		}
		if (!card->budget)
			return PULL_STOP;
		card->budget--;
		if (!vm_read(card, &ch->push, ch->ib_base + 8ull * ch->get, entry, sizeof(entry),
			     VM_PFIFO_PUSHBUF))
			return pusher_error(card, ch, DMA_MEM_FAULT);
		ch->get = (ch->get + 1) & ch->ib_mask;
		ch->main_get = chan_main_get(ch);
		ch->main = !(entry[1] & IB_NOT_MAIN);
		ch->seg = (entry[0] & ~3u) | (u64)(entry[1] & 0xff) << 32;
		ch->seg_words = entry[1] >> 10 & 0x1fffff;
		if (!ch->seg_words)
			return pusher_error(card, ch, DMA_IB_EMPTY);
	}
	return PULL_ON;
}

/* A command of G80's: methods with data behind it.  False: it is none. */
static bool g80_command(struct chan *ch, u32 word)
{
	if ((word & 0xffff0003) == 0x00030000) {
		ch->long_count = true;
		ch->noninc = true;
	} else if (!(word & 0xa0030003)) {
		ch->noninc = word & BIT(30);
		ch->count = word >> 18 & 0x7ff;
	} else {
		return false;
	}
	ch->mthd = word & 0x1ffc;
	ch->subc = word >> 13 & 7;
	return true;
}

/*
 * Of Fermi's: what kind is in bits 29-31, a count or the datum itself in 16-28, the method in 0-11.
 * Two kinds are G80's; what else there was of old (bits 16-17) selects boards of a group, and
 * there is one.
 */
static bool fermi_command(struct chan *ch, u32 word)
{
	u32 kind = word >> 29;

	ch->subc = word >> 13 & 7;
	ch->mthd = (word & 0xfff) << 2;
	ch->noninc = false;
	ch->once = false;
	ch->count = word >> 16 & 0x1fff;
	switch (kind) {
	case 0:
	case 2:
		ch->mthd = word & 0x1ffc;
		ch->noninc = kind == 2;
		ch->count = word & 0x30000 ? 0 : word >> 18 & 0x7ff;
		return true;
	case 1:
		return true;
	case 3:
		ch->noninc = true;
		return true;
	case 4:
		ch->held = true;
		ch->held_subc = ch->subc;
		ch->held_mthd = ch->mthd;
		ch->held_data = ch->count;
		ch->count = 0;
		return true;
	case 5:
		ch->once = true;
		return true;
	default:
		return false;
	}
}

/* Have a method in ch->held. */
static enum pull chan_decode(struct card *card, struct chan *ch)
{
	u32 word;

	while (!ch->held) {
		if (ch->macro.running && !ch->macro.waits) {
			if (!macro_run(card, ch))
				return PULL_STOP;
			continue;
		}
		if (chan_fetch(card, ch) == PULL_STOP)
			return PULL_STOP;
		if (!card->budget)
			return PULL_STOP;
		card->budget--;
		word = ch->word[ch->word_get++];
		if (ch->count) {
			ch->held = true;
			ch->held_subc = ch->subc;
			ch->held_mthd = ch->mthd;
			ch->held_data = word;
			ch->count--;
			if (!ch->noninc)
				ch->mthd = (ch->mthd + 4) & (card->chip->fermi ? 0x3ffc : 0x1ffc);
			ch->noninc |= ch->once;
		} else if (ch->long_count) {
			ch->long_count = false;
			ch->count = word & 0xffffff;
		} else if (!(card->chip->fermi ? fermi_command : g80_command)(ch, word)) {
			ch->word_get--;
			return pusher_error(card, ch, DMA_INVALID_CMD);
		}
	}
	return PULL_ON;
}

/* ---- puller ---------------------------------------------------------------------------------- */

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
	row->of[ch->engine].groups++;
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

/* These show what the channel has done, so its work must be done first. */
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

/* Fermi: the engine never becomes idle after an error, unless its driver says that it may go on. */
static bool chan_stuck(const struct card *card, const struct engine *e)
{
	return card->chip->fermi && e->halted;
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
		    (chan_stuck(card, e) || !engine_settle(card, e, ch))) {
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
		/* what it did on the other engine is done first */
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

/* Pull until the channel is dry, waits, or the budget is spent. */
static void chan_pull(struct card *card, struct chan *ch)
{
	while (card->budget && !card->pfifo.stall) {
		if (!ch->held && chan_decode(card, ch) == PULL_STOP) {
			struct engine *e = chan_engine(card, ch);

			if (set_test(card->pfifo.ready, ch->chid) || !e)
				return;
			/* dry: what it did takes its time, then the engine is free */
			if (!chan_stuck(card, e) && engine_settle(card, e, ch))
				engine_yield(e);
			return;
		}
		if (chan_execute(card, ch) == PULL_STOP || !chan_runs(ch))
			return;
	}
}

/* ---- arbitration ----------------------------------------------------------------------------- */

/*
 * The channel after the last one, in runlist order, that wants the engine; the first when that is
 * gone.
 */
static struct chan *pfifo_next(struct card *card, u32 engine)
{
	struct pfifo *fifo = &card->pfifo;
	const u64 *want = fifo->want[engine];
	u32 at = 0;

	if (set_empty(want))
		return NULL;
	for (u32 i = 0; i < fifo->runlist_len; i++)
		if (fifo->runlist[i] == fifo->last[engine])
			at = i + 1;
	for (u32 i = 0; i < fifo->runlist_len; i++) {
		struct chan *ch = &fifo->chan[fifo->runlist[(at + i) % fifo->runlist_len]];

		if (set_test(want, ch->chid) && chan_runs(ch))
			return ch;
	}
	return NULL;
}

/* Give each engine that is free to a channel that wants it.  False: nothing changed. */
static bool pfifo_arbitrate(struct card *card)
{
	struct pfifo *fifo = &card->pfifo;
	bool given = false;

	for (u32 i = 0; i < card->chip->engines; i++) {
		struct engine *e = &card->engine[i];
		struct chan *ch;

		if (!engine_free(e) || (card->chip->fermi && pfifo_gf100_blocked(card, i)))
			continue;
		ch = pfifo_next(card, i);
		if (!ch)
			continue;
		set_del(fifo->want[i], ch->chid);
		fifo->last[i] = ch->chid;
		fifo->current = ch->chid;
		if (engine_grant(card, e, ch))
			set_add(fifo->ready, ch->chid);
		given = true;
	}
	return given;
}

/* Does the driver let it work at all? */
static bool pfifo_on(const struct card *card)
{
	if (card->pfifo.stall)
		return false;
	return card->chip->fermi || (!(reg_get(card, PFIFO_FREEZE) & 1) &&
				     (reg_get(card, PFIFO_PULL0) & PULL0_ACCESS));
}

static struct chan *pfifo_ready(struct card *card)
{
	for (int i = 0; i < 2; i++) {
		u64 set = card->pfifo.ready[i];

		while (set) {
			struct chan *ch = &card->pfifo.chan[i * 64 + __builtin_ctzll(set)];

			if (chan_runs(ch))
				return ch;
			set &= set - 1;
		}
	}
	return NULL;
}

/* pfifo_run() - do everything that PFIFO can do at the present instant */
void pfifo_run(struct card *card)
{
	struct pfifo *fifo = &card->pfifo;
	struct chan *ch;

	if (fifo->running)
		return;
	fifo->running = true;
	fifo->behind = false;
	while (pfifo_on(card)) {
		ch = pfifo_ready(card);
		if (ch) {
			if (!card->budget) {
				fifo->behind = true;
				break;
			}
			chan_pull(card, ch);
			continue;
		}
		if (!pfifo_arbitrate(card))
			break;
	}
	fifo->running = false;
}

/* pfifo_resume() - an engine has done what the channel gave it */
void pfifo_resume(struct card *card, struct chan *ch)
{
	set_add(card->pfifo.ready, ch->chid);
	/* it is to be run no more: others are */
	if (ch->stopped && chan_engine(card, ch))
		engine_yield(chan_engine(card, ch));
}

/* pfifo_retry() - look at the unmet acquires again */
void pfifo_retry(struct card *card)
{
	struct pfifo *fifo = &card->pfifo;

	if (card->t < fifo->retry_at)
		return;
	fifo->retry_at = CARD_NEVER;
	set_move(fifo->ready, fifo->acquire);
	pfifo_run(card);
}

/* ---- channels come and go -------------------------------------------------------------------- */

/* chan_off_engine() - the channel has no engine and no context on one from now on */
void chan_off_engine(struct card *card, struct chan *ch)
{
	for (u32 i = 0; i < ENGINES; i++) {
		if (card->engine[i].owner == (int)ch->chid)
			engine_abort(card, &card->engine[i]);
		if (card->engine[i].ctx == ch->inst)
			card->engine[i].ctx = 0;
	}
}

/*
 * Where a channel's state goes when it is switched off, and comes from when it is back: the words of
 * RAMFC that the driver leaves alone.  The model keeps the state itself, and puts a number there by
 * which it is found again, so that a driver that does not preserve RAMFC loses it.
 */
#define RAMFC_STATE	0xf0

void chan_save(struct card *card, struct chan *ch)
{
	u8 *p = vram_ptr(card, ch->ramfc + RAMFC_STATE, sizeof(ch->saved));

	ch->saved = ++card->pfifo.saves;
	if (p)
		memcpy(p, &ch->saved, sizeof(ch->saved));
}

static bool chan_load(struct card *card, struct chan *ch)
{
	if (!ch->saved || vram_rd32(card, ch->ramfc + RAMFC_STATE) != ch->saved)
		return false;
	ch->saved = 0;
	ch->enabled = true;
	card->row[ch->row].alive = true;
	set_add(card->pfifo.ready, ch->chid);
	return true;
}

/* chan_stop() - the channel is none any more; work in hand is cut off, and done anew if it is back */
void chan_stop(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;

	if (chan_engine(card, ch) && chan_engine(card, ch)->op)
		ch->held = true;
	chan_off_engine(card, ch);
	set_del(fifo->ready, ch->chid);
	for (u32 i = 0; i < ENGINES; i++)
		set_del(fifo->want[i], ch->chid);
	set_del(fifo->acquire, ch->chid);
	if (ch->enabled)
		card->row[ch->row].alive = false;
	ch->enabled = false;
}

/*
 * chan_start() - a channel appears, as it was when it was switched off, or a new one.  What it is
 * made of is the caller's
 */
void chan_start(struct card *card, struct chan *ch, u64 ramfc)
{
	u32 *state = ch->state, chid = ch->chid;
	bool listed = ch->listed;

	ch->ramfc = ramfc;
	if (chan_load(card, ch))
		return;
	*ch = (struct chan){ .chid = chid, .state = state, .listed = listed,
			      .ramfc = ramfc };
	memset(state, 0, GR_SLOTS * GR_METHODS * sizeof(*state));
	ch->enabled = true;
	ch->row = dev_row(card, chid);
	ch->sema_off = ~0u;
	ch->done_at = -1;
	for (u32 i = 0; i < CARD_SUBCHANNELS; i++)
		ch->subch[i].slot = -1;
}

static void chan_start_g80(struct card *card, struct chan *ch, u32 entry)
{
	u64 ramfc = (u64)(entry & 0x00ffffff) << 8;
	u32 ramht = vram_rd32(card, ramfc + 0x80);

	chan_start(card, ch, ramfc);
	ch->inst = (u64)vram_rd32(card, ramfc + 0x98) << 12;
	vm_dmaobj(card, ch->inst, (vram_rd32(card, ramfc + 0x48) & 0xfffff) << 4, &ch->push);
	ch->ib_base = vram_rd32(card, ramfc + 0x50) |
		      (u64)(vram_rd32(card, ramfc + 0x54) & 0xff) << 32;
	ch->ib_mask = (1u << (vram_rd32(card, ramfc + 0x54) >> 16 & 0x1f)) - 1;
	ch->ramht = (ramht & 0xffff) << 4;
	ch->ramht_bits = 9 + (ramht >> 27 & 3);
}

static void pfifo_runlist(struct card *card, u32 count)
{
	struct pfifo *fifo = &card->pfifo;
	u64 base = (u64)reg_get(card, PFIFO_RUNLIST_BASE) << 12;

	if (count > CARD_CHANNELS) {
		dev_error(card, "runlist too long", -1, count);
		count = CARD_CHANNELS;
	}
	for (u32 i = 0; i < CARD_CHANNELS; i++)
		fifo->chan[i].listed = false;
	for (u32 i = 0; i < count; i++) {
		fifo->runlist[i] = vram_rd32(card, base + 4 * i) % CARD_CHANNELS;
		fifo->chan[fifo->runlist[i]].listed = true;
	}
	fifo->runlist_len = count;
	pfifo_run(card);
}

void pfifo_reset(struct card *card)
{
	struct pfifo *fifo = &card->pfifo;

	for (u32 i = 0; i < CARD_CHANNELS; i++) {
		chan_stop(card, &fifo->chan[i]);
		fifo->chan[i].listed = false;
	}
	for (u32 r = 0x002000; r < 0x004000; r += 4)
		reg_set(card, r, 0);
	fifo->retry_at = CARD_NEVER;
	fifo->runlist_len = 0;
	for (u32 i = 0; i < ENGINES; i++)
		fifo->last[i] = CARD_CHANNELS - 1;
	fifo->current = CARD_CHANNELS - 1;
	fifo->intr = 0;
	fifo->stall = 0;
	fifo->kick = 0;
	fifo->behind = false;
	if (card->chip->fermi)
		pfifo_gf100_reset(card);
	pmc_update(card);
}

/* A doorbell: ring entries up to @put are valid. */
void chan_doorbell(struct card *card, struct chan *ch, u32 put)
{
	struct pfifo *fifo = &card->pfifo;

	if (!ch->enabled) {
		dev_error(card, "doorbell of a disabled channel", (int)ch->chid, put);
		return;
	}
	ch->put = put & ch->ib_mask;
	if (chan_waits(fifo, ch))
		return;
	if (ch->done_at >= 0 && ch->get != ch->put) {
		dev_gap(card, card->t - ch->done_at);
		ch->done_at = -1;
	}
	/* its engine resumes it when its work ends; otherwise it was dry */
	if (!chan_engine(card, ch))
		set_add(fifo->ready, ch->chid);
	pfifo_run(card);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* A channel is off the engine when neither its work nor its context is being handled. */
static bool pfifo_kicking(const struct card *card)
{
	const struct engine *gr = &card->engine[ENGINE_GR];

	return card->pfifo.kick && gr->owner >= 0 && engine_working(gr) &&
	       card->pfifo.chan[gr->owner].inst == card->pfifo.kick;
}

u32 pfifo_rd(struct card *card, u32 off)
{
	struct pfifo *fifo = &card->pfifo;
	u32 val = reg_get(card, off);

	switch (off) {
	case PFIFO_INTR:
		return fifo->intr;
	case PFIFO_FREEZE:
		return val | (val & 1 && !engine_working(&card->engine[ENGINE_GR]) ? BIT(4) : 0);
	case PFIFO_PUSH1:
		return BIT(16) | fifo->current;
	case PFIFO_KICK:
		return pfifo_kicking(card) ? ~0u : val;
	default:
		return val;
	}
}

void pfifo_wr(struct card *card, u32 off, u32 val)
{
	struct pfifo *fifo = &card->pfifo;
	struct chan *ch = &fifo->chan[fifo->current];

	if (off >= PFIFO_CHAN_TABLE && off < PFIFO_CHAN_TABLE_END) {
		ch = &fifo->chan[(off - PFIFO_CHAN_TABLE) / 4];
		if (!(val & BIT(31)) && ch->enabled)
			chan_save(card, ch);
		if (!(val & BIT(31)) || !(reg_get(card, off) & BIT(31)))
			chan_stop(card, ch);
		if (val & BIT(31) && !(reg_get(card, off) & BIT(31)))
			chan_start_g80(card, ch, val);
		reg_set(card, off, val);
		pfifo_run(card);
		return;
	}
	switch (off) {
	case PFIFO_INTR:
		fifo->intr &= ~val;
		pmc_update(card);
		if (fifo->stall == INTR_DMA_PUSHER)
			pfifo_unstall(card);
		return;
	case PFIFO_PUSH1:
		return;
	default:
		reg_set(card, off, val);
	}
	switch (off) {
	case PFIFO_INTR_EN:
		pmc_update(card);
		break;
	case PFIFO_FREEZE:
		pfifo_run(card);
		break;
	case PFIFO_RUNLIST_COUNT:
		pfifo_runlist(card, val);
		break;
	case PFIFO_FLUSH:
		reg_set(card, off, val & ~3u);	/* flushed */
		break;
	case PFIFO_KICK:
		fifo->kick = (u64)val << 12;
		/* its context leaves PGRAPH now, or when the work in hand ends */
		if (card->engine[ENGINE_GR].ctx == fifo->kick && !pfifo_kicking(card))
			card->engine[ENGINE_GR].ctx = 0;
		break;
	case PFIFO_DMA_GET:
		/* the driver skips the rest of the ring entry that failed */
		if (fifo->stall == INTR_DMA_PUSHER && val == reg_get(card, PFIFO_DMA_PUT)) {
			ch->seg += 4ull * ch->seg_words;
			ch->seg_words = 0;
			ch->count = 0;
			ch->long_count = false;
			ch->word_get = ch->word_put;
		}
		break;
	case PFIFO_IB_GET:
		if (fifo->stall == INTR_DMA_PUSHER)
			ch->get = val & ch->ib_mask;
		break;
	case PFIFO_PULL0:
		if (!(val & PULL0_ACCESS))
			break;
		if (fifo->stall & (INTR_CACHE_ERROR | INTR_SEMAPHORE))
			pfifo_unstall(card);
		else
			pfifo_run(card);
		break;
	}
}

/* chan_user_rd() - a word of the page that a channel shows its user */
u32 chan_user_rd(const struct chan *ch, u32 off)
{
	switch (off) {
	case 0x40:
		return (u32)chan_put(ch);
	case 0x44:
		return (u32)chan_dma_get(ch);
	case 0x48:
		return ch->ref;
	case 0x4c:
		return (u32)(chan_put(ch) >> 32);
	case 0x58:
		return (u32)chan_main_get(ch);
	case 0x5c:
		return (u32)(chan_main_get(ch) >> 32);
	case 0x60:
		return (u32)(chan_dma_get(ch) >> 32);
	case 0x88:
		return ch->get;
	case 0x8c:
		return ch->put;
	default:
		return 0;
	}
}

u32 pfifo_user_rd(struct card *card, u32 off)
{
	u32 chid = (off - USER_BASE) / USER_SIZE;

	if (chid >= CARD_CHANNELS)
		return 0;
	return chan_user_rd(&card->pfifo.chan[chid], off % USER_SIZE);
}

void pfifo_user_wr(struct card *card, u32 off, u32 val)
{
	u32 chid = (off - USER_BASE) / USER_SIZE;

	if (chid < CARD_CHANNELS && off % USER_SIZE == 0x8c)
		chan_doorbell(card, &card->pfifo.chan[chid], val);
}
