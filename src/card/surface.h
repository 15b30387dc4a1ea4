/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures in memory, for the classes that copy and draw: surface.c.
 *
 * Called by gr_m2mf.c, gr_2d.c, gr_3d.c and gr_copy.c. One thread at a time (card.h).
 */
#ifndef CARD_SURFACE_H
#define CARD_SURFACE_H

#include "vm.h"

struct card_chip;

struct surface {
	struct dmaobj obj;
	u64 addr;
	bool linear;
	u32 pitch;		/* linear: bytes from line to line; else bytes in a line */
	u32 height;		/* tiled only: lines, */
	u32 z;			/* layer, */
	u32 block;		/* log2 of the block's size in gobs: bits 0-3 x, 4-7 y, 8-11 z */
};

u32 surface_pixel_bytes(u32 format);
u64 surface_offset(const struct card_chip *chip, const struct surface *s, u64 x, u32 y, u64 *run);
bool surface_copy(struct card *card, const struct surface *dst, u64 dx, u32 dy, enum vm_who dst_who,
		  const struct surface *src, u64 sx, u32 sy, enum vm_who src_who, u64 len,
		  bool *read_failed);
bool surface_write(struct card *card, const struct surface *dst, u64 x, u32 y, const void *buf,
		   u64 len, enum vm_who who);
bool surface_read(struct card *card, const struct surface *src, u64 x, u32 y, void *buf, u64 len,
		  enum vm_who who);

#endif
