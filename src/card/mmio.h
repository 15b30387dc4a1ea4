/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The register space: mmio.c. The entry points for the guest's accesses are in card.h.
 *
 * Called by dev.c at reset, and by all units for plain registers. One thread at a time (card.h).
 */
#ifndef CARD_MMIO_H
#define CARD_MMIO_H

#include "dev.h"

void mmio_reset(struct card *card);
u32 mmio_rd(struct card *card, u32 off);
void mmio_wr(struct card *card, u32 off, u32 val);

/* Plain registers: what was last written. */
static inline u32 reg_get(const struct card *card, u32 off)
{
	return card->reg[off / 4];
}

static inline void reg_set(struct card *card, u32 off, u32 val)
{
	card->reg[off / 4] = val;
	card->reg_used[off >> CARD_REG_PAGE] = true;
}

#endif
