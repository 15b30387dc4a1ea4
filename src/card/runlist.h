/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which channel has which engine: runlist.c. What only PFIFO's own files call is in pfifo_priv.h.
 *
 * Called by engine.c, pgraph.c, pfifo.c and pfifo_gf100.c when a channel may go on, and by dev.c as
 * time passes. One thread at a time (card.h).
 */
#ifndef CARD_RUNLIST_H
#define CARD_RUNLIST_H

#include "types.h"

struct card;
struct chan;

void pfifo_run(struct card *card);
void pfifo_resume(struct card *card, struct chan *ch);
void pfifo_retry(struct card *card);

#endif
