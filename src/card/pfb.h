/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory controller, and the record of the first fault: pfb.c.
 *
 * Called by mmio.c for registers, and by dev.c at reset. vm.c writes the record. One thread at a
 * time (card.h).
 */
#ifndef CARD_PFB_H
#define CARD_PFB_H

#include "types.h"

struct card;

struct pfb {
	u32 trap[6];		/* the first fault since the last acknowledge */
	bool trapped;
};

void pfb_reset(struct card *card);
u32 pfb_rd(struct card *card, u32 off);
void pfb_wr(struct card *card, u32 off, u32 val);
u32 pfb_gf100_rd(struct card *card, u32 off);
void pfb_gf100_wr(struct card *card, u32 off, u32 val);

#endif
