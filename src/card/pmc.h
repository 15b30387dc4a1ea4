/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Master control, where all interrupts come together: pmc.c.
 *
 * Called by mmio.c for registers, by dev.c at reset, and by each unit when its own interrupt state
 * changes. One thread at a time (card.h).
 */
#ifndef CARD_PMC_H
#define CARD_PMC_H

#include "types.h"

struct card;

enum pmc_line { PMC_PFIFO = 8, PMC_PGRAPH = 12, PMC_PTIMER = 20, PMC_PBUS = 28 };

void pmc_reset(struct card *card);
void pmc_update(struct card *card);
u32 pmc_rd(struct card *card, u32 off);
void pmc_wr(struct card *card, u32 off, u32 val);

#endif
