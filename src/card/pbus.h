/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bus control unit: pbus.c.
 *
 * Called by mmio.c for registers, and by dev.c at reset. One thread at a time (card.h).
 */
#ifndef CARD_PBUS_H
#define CARD_PBUS_H

#include "types.h"

struct card;

void pbus_reset(struct card *card);
u32 pbus_rd(struct card *card, u32 off);
void pbus_wr(struct card *card, u32 off, u32 val);

#endif
