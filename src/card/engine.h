/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all engines have in common: engine.c.
 *
 * Called by PFIFO's files, pgraph.c, falcon.c and fault.c, and by dev.c as time passes. One thread
 * at a time (card.h).
 */
#ifndef CARD_ENGINE_H
#define CARD_ENGINE_H

#include "types.h"

struct card;
struct chan;
struct gr_class;

/* Engines that hold channels' contexts, each with an account of its own. */
enum engine_id { ENGINE_GR, ENGINE_CE0, ENGINE_CE1, ENGINES };

/* Why an engine is frozen: a hang lasts until it is reset, the others until they are healed. */
enum engine_freeze { FREEZE_HANG = 1, FREEZE_STOP = 2 };

enum gr_state { GR_IDLE, GR_SWITCHING, GR_BUSY, GR_STATES };

struct engine {
	bool on;		/* may take the next method */
	bool halted;		/* by an error, until the driver handles it */
	int owner;		/* channel whose group it executes, -1 none */
	u64 ctx;		/* instance block whose context is loaded, 0 none */
	enum gr_state state;
	s64 since;		/* accounted for up to here */
	s64 end;		/* when the work in hand ends, CARD_NEVER none */
	u32 frozen;		/* by faults: nothing begins, and what is in hand does not end */
	s64 cold;		/* what the next work takes longer, since caches are */
	s64 rest;		/* frozen: what the work in hand still takes */
	const struct gr_class *op;	/* class of the work in hand; NULL: decoding or a context switch */
	s64 ns[GR_STATES];
	s64 late_ns;		/* acted on so much too late: by the host, */
	s64 self_late_ns;	/* and by ourselves */
	u64 groups;
	u64 switches;
};

void engine_account(struct card *card, struct engine *e, enum gr_state next);
bool engine_free(const struct engine *e);
bool engine_paused(const struct engine *e);
bool engine_working(const struct engine *e);
void engine_freeze(struct card *card, struct engine *e, enum engine_freeze why);
void engine_thaw(struct card *card, struct engine *e);
bool engine_grant(struct card *card, struct engine *e, struct chan *ch);
void engine_yield(struct engine *e);
void engine_abort(struct card *card, struct engine *e);
void engine_reset(struct card *card, struct engine *e);
void engine_start(struct card *card, struct engine *e, struct chan *ch,
		  const struct gr_class *op, s64 ns);
bool engine_settle(struct card *card, struct engine *e, struct chan *ch);
void engine_event(struct card *card, struct engine *e);

#endif
