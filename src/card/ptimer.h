/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time counter and its alarm: ptimer.c.
 *
 * Called by mmio.c for registers, by puller.c and pgraph.c for the time that they write beside
 * fences and query reports, by fault.c, and by dev.c at reset and when the alarm is due. One thread
 * at a time (card.h).
 */
#ifndef CARD_PTIMER_H
#define CARD_PTIMER_H

#include "types.h"

struct card;

struct ptimer {
	u64 offset;		/* PTIMER time minus ours at @since, modulo 2^64 */
	s64 since;		/* when it was last set, our time */
	bool fast;		/* by a fault: what it has gained since then comes on top */
	s64 alarm;		/* when the alarm rings, our time, or CARD_NEVER */
};

void ptimer_reset(struct card *card);
u64 ptimer_time(const struct card *card);
void ptimer_event(struct card *card);
void ptimer_fast(struct card *card, bool fast);
void ptimer_back(struct card *card);
u32 ptimer_rd(struct card *card, u32 off);
void ptimer_wr(struct card *card, u32 off, u32 val);

#endif
