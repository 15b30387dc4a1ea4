/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The graphics engine: pgraph.c, and pgraph_gf100.c for how a GF100's driver sets it up.
 *
 * Called by mmio.c for registers, by puller.c for methods, by engine.c when work ends, by pmc.c for
 * the interrupt, by dev.c and pmc.c at reset, and by the classes (gr.h) for errors, objects,
 * queries and the lengths of programs. One thread at a time (card.h).
 */
#ifndef CARD_PGRAPH_H
#define CARD_PGRAPH_H

#include "types.h"

struct card;
struct chan;
struct dmaobj;
struct engine;
struct gr_class;

struct pgraph {
	u32 intr;
};

void pgraph_reset(struct card *card);
void pgraph_done(struct card *card, struct engine *e, struct chan *ch, const struct gr_class *op);
bool pgraph_mthd(struct card *card, struct engine *e, struct chan *ch, u32 subc, u32 mthd,
		 u32 data);
bool pgraph_intr(const struct card *card);
s64 pgraph_data_error(struct card *card, u32 code);
s64 pgraph_trap(struct card *card, u32 unit, u32 ustatus_reg, u32 ustatus);
void pgraph_object(struct card *card, const struct chan *ch, const u32 *state, u32 mthd,
		   struct dmaobj *obj);
s64 pgraph_query(struct card *card, const struct chan *ch, const u32 *state, u32 object,
		 u32 mthd, bool brief);
u32 pgraph_program(struct card *card, const struct dmaobj *code, u64 addr);
u32 pgraph_program_gf100(struct card *card, const struct dmaobj *code, u64 addr);
u32 pgraph_rd(struct card *card, u32 off);
void pgraph_wr(struct card *card, u32 off, u32 val);
u32 pgraph_gf100_rd(struct card *card, u32 off);
void pgraph_gf100_wr(struct card *card, u32 off, u32 val);

#endif
