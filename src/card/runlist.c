// SPDX-License-Identifier: GPL-2.0
/*
 * runlist.c - which channel has which engine, and PFIFO's loop.
 *
 * Each engine goes round robin over the runlist, at command-group boundaries: a channel gives it up
 * when it releases a semaphore (its fence), runs dry, turns to another engine, or meets a semaphore
 * acquire that is not fulfilled. Engines work at the same time, for different channels.
 *
 * Called when anything may have changed: by pfifo.c and pfifo_gf100.c for registers and doorbells,
 * by dev.c as time passes, by pgraph.c when work ends. Nested calls return at once (fifo->running).
 */
#include "runlist.h"
#include "card.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "instmem.h"
#include "mmio.h"
#include "pfifo.h"
#include "pfifo_gf100.h"
#include "pfifo_priv.h"
#include "puller.h"

#define PFIFO_RUNLIST_BASE	0x0032f4

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

/* May PFIFO work? Not while an error waits for the driver, or the driver has switched it off. */
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

/* pfifo_resume() - an engine has done the channel's work: its next method may be pulled */
void pfifo_resume(struct card *card, struct chan *ch)
{
	set_add(card->pfifo.ready, ch->chid);
	/* the driver has stopped this channel: give the engine to others */
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

void pfifo_runlist(struct card *card, u32 count)
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
