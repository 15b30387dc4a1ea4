/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PFIFO's state, and its channels: how they come and go, their errors, G80's registers: pfifo.c.
 *
 * Called by mmio.c for registers, by pmc.c for the interrupt, by dev.c and pmc.c at reset, and by
 * fault.c. struct pfifo belongs to all of PFIFO's files: pfifo.c, pusher.c, puller.c, runlist.c and
 * pfifo_gf100.c. One thread at a time (card.h).
 */
#ifndef CARD_PFIFO_H
#define CARD_PFIFO_H

#include "chan.h"
#include "engine.h"

struct pfifo {
	struct chan chan[CARD_CHANNELS];
	u64 ready[2];		/* channels with something to pull; */
	u64 want[ENGINES][2];	/* whose next method waits for an engine; */
	u64 acquire[2];		/* with an unmet semaphore acquire */
	s64 retry_at;		/* when the acquires are looked at again */
	u8 runlist[CARD_CHANNELS];
	u32 runlist_len;
	u32 last[ENGINES];	/* channel last given that engine */
	u32 current;		/* 0x003204 */
	u32 intr;
	u32 stall;		/* error interrupt that the driver must handle before we go on */
	u64 kick;		/* instance being unloaded, or 0 */
	u32 saves;		/* channels switched off so far */
	bool running;
	bool behind;		/* budget ran out with work left at the present instant */
	/* Fermi, as its driver sees it */
	u32 mmu_units;		/* 0x00259c: units that had a memory fault */
	u32 pbdma_units;	/* 0x0025a0: which of the pushers is in error */
	u32 nonstall;		/* 0x0025a4: engines whose channels interrupt */
	u32 runlist_intr;	/* 0x002a00 */
	u32 preempt;		/* 0x002634: channel to be taken off its engine */
};

void pfifo_reset(struct card *card);
bool pfifo_intr(const struct card *card);
void pfifo_notify(struct card *card);
u32 pfifo_rd(struct card *card, u32 off);
void pfifo_wr(struct card *card, u32 off, u32 val);
u32 pfifo_user_rd(struct card *card, u32 off);
void pfifo_user_wr(struct card *card, u32 off, u32 val);

/* An error of a channel */
enum pfifo_error { PFIFO_BAD_COMMAND, PFIFO_EMPTY_ENTRY, PFIFO_NO_MEMORY, PFIFO_BAD_METHOD,
		   PFIFO_NO_OBJECT, PFIFO_SOFTWARE, PFIFO_BAD_SEMAPHORE };

#endif
