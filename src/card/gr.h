/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Object classes: what one is, and which there are. Each is a table in the file that has its name:
 * gr_m2mf.c, gr_2d.c, gr_compute.c, gr_3d.c, gr_copy.c; gr_null is in pgraph.c.
 *
 * Called by pgraph.c for methods, and when work ends; a chip's table (chip.h) names the classes
 * that it has. Their state is in struct chan: dev.c allocates it, pfifo.c clears it. One thread at
 * a time (card.h).
 */
#ifndef CARD_GR_H
#define CARD_GR_H

#include "types.h"

struct card;
struct chan;

/* Object classes with state of their own.  State belongs to the context, not the subchannel. */
enum gr_slot { GR_M2MF, GR_2D, GR_COMPUTE, GR_3D, GR_COPY0, GR_COPY1, GR_MACRO, GR_SLOTS };

#define GR_METHODS	(0x4000 / 4)

/* Most bytes that one copy, fill or blit may touch: several times the memory there is. */
#define CARD_OP_BYTES	0x40000000ull

/* What a class does with a method: the cost in ns of work that starts (0: none), or a failure. */
#define GR_FAILED	(-1)

struct gr_class {
	u16 oclass;
	u8 engine;		/* enum engine_id */
	int slot;
	u32 status;		/* 0x400700 while its work runs */
	u32 vstatus[3];		/* 0x400380, 384, 388 */
	s64 (*mthd)(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data);
	void (*done)(struct card *card, struct chan *ch, u32 *state);
};

extern const struct gr_class gr_m2mf, gr_2d, gr_compute, gr_3d, gr_3d_g80, gr_null;
extern const struct gr_class gr_m2mf_gf100, gr_2d_gf100, gr_compute_gf100, gr_3d_gf100;
extern const struct gr_class gr_copy0, gr_copy1;

#endif
