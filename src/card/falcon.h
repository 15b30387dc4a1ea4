/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The small processors of GF100 that nouveau loads programs into: falcon.c.
 *
 * Called by mmio.c for registers, by pmc.c when one is switched on or off, and by dev.c at reset.
 * One thread at a time (card.h).
 */
#ifndef CARD_FALCON_H
#define CARD_FALCON_H

#include "engine.h"

u32 falcon_rd(struct card *card, u32 off);
void falcon_wr(struct card *card, u32 off, u32 val);
void pmu_reset(struct card *card);
void pce_enable(struct card *card, enum engine_id id, bool on);

#endif
