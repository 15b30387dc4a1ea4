// SPDX-License-Identifier: GPL-2.0
/*
 * pfifo.c - channels: how they come and go, their errors, and G80's registers.
 *
 * Each channel is a pusher (pusher.c), which turns the indirect ring into a stream of methods, and
 * a puller (puller.c), which executes PFIFO's own methods and hands the others to an engine.
 * runlist.c decides which channel has which engine. What Fermi's driver sees of all this is in
 * pfifo_gf100.c.
 *
 * A channel is in at most one of these sets: ready (there is something to pull), want (the next
 * method waits for that engine), acquire (a semaphore that is not fulfilled). In none of them it is
 * dry, or an engine is executing its work.
 *
 * Not modelled: the single CACHE1 that real channels share (so 0x002500 bit 0, which only forbids
 * changing what it holds, changes nothing here), and timeslices within a group.
 *
 * Called by mmio.c for registers, by pfifo_gf100.c, by the three files above for errors, under
 * cardd's lock. Everything read from memory is the guest's and may be nonsense.
 */
#include <string.h>

#include "pfifo.h"
#include "card.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "gr.h"
#include "instmem.h"
#include "mmio.h"
#include "pfifo_gf100.h"
#include "pfifo_priv.h"
#include "pmc.h"
#include "pusher.h"
#include "runlist.h"
#include "vm.h"

#define PFIFO_INTR		0x002100
#define PFIFO_INTR_EN		0x002140
#define PFIFO_CHAN_TABLE	0x002600
#define PFIFO_CHAN_TABLE_END	0x002800
#define PFIFO_RUNLIST_COUNT	0x0032ec
#define PFIFO_KICK		0x0032fc
#define PFIFO_PUSH1		0x003204
#define PFIFO_FLUSH		0x00330c

#define INTR_NOTIFY		BIT(30)

#define USER_BASE		0xc00000
#define USER_SIZE		0x2000

bool chan_runs(const struct chan *ch)
{
	return ch->enabled && ch->listed && !ch->stopped;
}

static bool chan_waits(const struct pfifo *fifo, const struct chan *ch)
{
	return set_test(fifo->want[ch->engine], ch->chid) || set_test(fifo->acquire, ch->chid) ||
	       set_test(fifo->ready, ch->chid);
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

void chan_notify(struct card *card, const struct chan *ch)
{
	if (card->chip->fermi)
		pfifo_gf100_nonstall(card, ch);
	else
		pfifo_raise(card, INTR_NOTIFY);
}

/* pfifo_notify() - raise the interrupt that completions make, without a completion (fault.c) */
void pfifo_notify(struct card *card)
{
	chan_notify(card, card->pfifo.chan);
}

enum pull pfifo_stall(struct card *card, struct chan *ch, u32 intr, const char *what,
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

enum pull chan_error(struct card *card, struct chan *ch, enum pfifo_error error)
{
	ch->held = false;
	pfifo_gf100_error(card, ch, error);
	return PULL_STOP;
}

/* The driver has handled an error when it has both acknowledged it and let the unit go on. */
void pfifo_unstall(struct card *card)
{
	if (card->pfifo.intr & card->pfifo.stall)
		return;
	card->pfifo.stall = 0;
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
 * Real hardware saves a channel's state in RAMFC when it is switched off. The model keeps the state
 * itself, and writes a number into words of RAMFC that the driver leaves alone: when the channel
 * comes back, the state is only found by that number, so a driver that does not preserve RAMFC
 * loses it.
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

/*
 * chan_stop() - the channel is switched off; the work in hand is cut off, and begins anew if the
 * channel comes back
 */
void chan_stop(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;

	if (chan_engine(card, ch) && chan_engine(card, ch)->op) {
		ch->held = true;
		ch->redo = true;
	}
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
 * chan_start() - a channel appears: the one that chan_save() kept at @ramfc, or a new one. The
 * caller sets its addresses (instance block, ring)
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
	ch->work_end = -1;
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

/* ---- registers ------------------------------------------------------------------------------ */

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
			chan_skip(ch);
			ch->long_count = false;
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
