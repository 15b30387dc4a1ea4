/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults on request: fault.c. The host makes a request by card_fault() of card.h.
 *
 * Called by puller.c, pgraph.c and engine.c for what they do, and by dev.c as time passes. One
 * thread at a time (card.h).
 */
#ifndef CARD_FAULT_H
#define CARD_FAULT_H

#include "types.h"

struct card;
struct chan;

enum fault_kind {
	FAULT_HANG, FAULT_MMU, FAULT_METHOD, FAULT_SEMAPHORE, FAULT_LOST_IRQ, FAULT_LATE_IRQ,
	FAULT_SPURIOUS_IRQ, FAULT_NOTIFY, FAULT_STOP, FAULT_GONE,
	FAULT_CLOCK_FAST, FAULT_CLOCK_BACK, FAULT_EARLY_TIME, FAULT_HEAL, FAULT_KINDS
};

#define CARD_FAULTS	32
/* How late a late interrupt is. */
#define FAULT_LATE_NS	100000000
#define FAULT_EARLY_NS	15000000

struct fault {
	enum fault_kind kind;
	int chid;		/* -1: any */
	u64 left;		/* due with the so many-th group from now; 0: by time */
	s64 at;
	bool second;		/* the rest of one that has happened: nobody asked for it */
};

bool fault_hits(struct card *card, enum fault_kind kind, const struct chan *ch);
void fault_group(struct card *card, const struct chan *ch);
s64 fault_next(const struct card *card);
void fault_later(struct card *card, enum fault_kind kind, s64 ns);
void fault_event(struct card *card);

#endif
