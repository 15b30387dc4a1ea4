/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring entries to methods: pusher.c.
 *
 * Called by puller.c for the next method, and by pfifo.c for registers and after errors. One thread
 * at a time (card.h).
 */
#ifndef CARD_PUSHER_H
#define CARD_PUSHER_H

#include "pfifo_priv.h"

/* The address of the next word that has not been decoded. */
u64 chan_dma_get(const struct chan *ch);
/* Where the ring entry in hand ends. */
u64 chan_put(const struct chan *ch);
/* chan_dma_get() in the main pushbuffer: entries marked as not of it leave this alone. */
u64 chan_main_get(const struct chan *ch);
/* Have a method in ch->held. STOP: the channel is dry, in error, or the budget is spent. */
enum pull chan_decode(struct card *card, struct chan *ch);
/* Skip what is left of the ring entry in hand. */
void chan_skip(struct chan *ch);

#endif
