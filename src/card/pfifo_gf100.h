/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Channels as the driver of a GF100 sees them: pfifo_gf100.c.
 *
 * Called by mmio.c for registers, by instmem.c for BAR1, by vm_gf100.c for faults, and by pfifo.c
 * and runlist.c for interrupts, errors and blocked engines. One thread at a time (card.h).
 */
#ifndef CARD_PFIFO_GF100_H
#define CARD_PFIFO_GF100_H

#include "pfifo.h"

u32 pfifo_gf100_intr(const struct card *card);
bool pfifo_gf100_blocked(const struct card *card, u32 engine);
void pfifo_gf100_nonstall(struct card *card, const struct chan *ch);
void pfifo_gf100_error(struct card *card, struct chan *ch, enum pfifo_error error);
void pfifo_gf100_fault(struct card *card, u32 unit, u64 inst, u64 addr, u32 type);
bool pfifo_gf100_user(struct card *card, u64 off, void *buf, u32 len, bool write);
void pfifo_gf100_reset(struct card *card);
u32 pfifo_gf100_rd(struct card *card, u32 off);
void pfifo_gf100_wr(struct card *card, u32 off, u32 val);
u32 pbdma_rd(struct card *card, u32 off);
void pbdma_wr(struct card *card, u32 off, u32 val);

#endif
