/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Methods executed: puller.c.
 *
 * Called by runlist.c for a channel that has something to pull, and by pgraph.c to find an object.
 * One thread at a time (card.h).
 */
#ifndef CARD_PULLER_H
#define CARD_PULLER_H

#include "types.h"

struct card;
struct chan;

/* Pull until the channel is dry, waits, or the budget is spent. */
void chan_pull(struct card *card, struct chan *ch);
bool pfifo_ramht(struct card *card, const struct chan *ch, u32 handle, u32 *context);

#endif
