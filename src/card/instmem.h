/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Video memory by physical address, and the windows on it: instmem.c.
 *
 * Called by mmio.c for the windows and their registers, by dev.c at reset, and by PFIFO's files,
 * vm.c and vm_gf100.c, which read and write video memory directly. One thread at a time (card.h).
 */
#ifndef CARD_INSTMEM_H
#define CARD_INSTMEM_H

#include "types.h"

struct card;

u8 *vram_ptr(struct card *card, u64 addr, u64 len);
u32 vram_rd32(struct card *card, u64 addr);
void instmem_reset(struct card *card);
void instmem_window(struct card *card, u32 off, void *buf, u32 len, bool write);
void instmem_bar(struct card *card, int bar, u64 off, void *buf, u32 len, bool write);
u32 instmem_rd(struct card *card, u32 off);
void instmem_wr(struct card *card, u32 off, u32 val);

#endif
