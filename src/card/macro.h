/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fermi's macros: macro.c.
 *
 * Called by pusher.c to run one, and by pgraph.c for the methods that write and start one. struct
 * macro is a part of struct chan. One thread at a time (card.h).
 */
#ifndef CARD_MACRO_H
#define CARD_MACRO_H

#include "types.h"

struct card;
struct chan;

/* A macro at work (macro.c). */
struct macro {
	bool running;
	bool waits;		/* for a parameter, */
	bool wait_send;		/* to be sent on, */
	u32 wait_reg;		/* or for this register */
	bool sent;		/* the held method is the macro's */
	bool carry;
	u32 subc;
	u32 pc;
	u32 next;		/* what is executed after it */
	u32 steps;		/* since it last made work */
	u32 reg[8];
	u32 mthd;		/* to be sent next, */
	u32 step;		/* and how far the one after it is */
};

bool macro_run(struct card *card, struct chan *ch);
bool macro_mthd(struct card *card, struct chan *ch, u32 subc, u32 mthd, u32 data);

#endif
