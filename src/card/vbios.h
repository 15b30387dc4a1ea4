/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VBIOS, the least that nouveau accepts: vbios.c.
 *
 * Called by dev.c when a card is made, and by mmio.c when the driver reads it. One thread at a time
 * (card.h).
 */
#ifndef CARD_VBIOS_H
#define CARD_VBIOS_H

#include "types.h"

struct card;

void vbios_build(struct card *card);
u32 vbios_rd(struct card *card, u32 off);
void vbios_wr(struct card *card, u32 off, u32 val);

#endif
