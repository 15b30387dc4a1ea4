/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What PFIFO's files know of each other: pfifo.c (channels, errors, G80's registers), pfifo_gf100.c
 * (the same for Fermi), pusher.c (ring entries to methods), puller.c (methods executed), runlist.c
 * (which channel has which engine). For these only; what the rest of the card calls is in the
 * headers of these names. One thread at a time (card.h).
 */
#ifndef CARD_PFIFO_PRIV_H
#define CARD_PFIFO_PRIV_H

#include "dev.h"
#include "pfifo.h"

/* G80's registers, as far as more than one file knows them */
#define PFIFO_FREEZE		0x002504
#define PFIFO_DMA_PUT		0x003240
#define PFIFO_DMA_GET		0x003244
#define PFIFO_PULL0		0x003250
#define PFIFO_IB_GET		0x003334

#define INTR_CACHE_ERROR	BIT(0)
#define INTR_DMA_PUSHER		BIT(12)
#define INTR_SEMAPHORE		BIT(20)

#define PULL0_ACCESS		BIT(0)

enum pull { PULL_ON, PULL_STOP };

/* ---- sets of channels, a bit for each ---- */

static inline bool set_test(const u64 *set, u32 n)
{
	return set[n / 64] >> (n % 64) & 1;
}

static inline void set_add(u64 *set, u32 n)
{
	set[n / 64] |= 1ull << (n % 64);
}

static inline void set_del(u64 *set, u32 n)
{
	set[n / 64] &= ~(1ull << (n % 64));
}

static inline bool set_empty(const u64 *set)
{
	return !(set[0] | set[1]);
}

static inline void set_move(u64 *to, u64 *from)
{
	for (int i = 0; i < 2; i++) {
		to[i] |= from[i];
		from[i] = 0;
	}
}

/* The engine that the channel has, or NULL. */
static inline struct engine *chan_engine(struct card *card, const struct chan *ch)
{
	struct engine *e = &card->engine[ch->engine];

	return e->owner == (int)ch->chid ? e : NULL;
}

/* ---- pfifo.c ---- */

/*
 * An error stops PFIFO until the driver has acknowledged @intr and lets PFIFO go on. @what and
 * @value go to the card's log.
 */
enum pull pfifo_stall(struct card *card, struct chan *ch, u32 intr, const char *what, u64 value);
/* Fermi: record @error for the driver; the held method is dropped. */
enum pull chan_error(struct card *card, struct chan *ch, enum pfifo_error error);
/* Raise the interrupt that completions make. */
void chan_notify(struct card *card, const struct chan *ch);
bool chan_runs(const struct chan *ch);
void chan_start(struct card *card, struct chan *ch, u64 ramfc);
void chan_save(struct card *card, struct chan *ch);
void chan_stop(struct card *card, struct chan *ch);
void chan_off_engine(struct card *card, struct chan *ch);
void chan_doorbell(struct card *card, struct chan *ch, u32 put);
u32 chan_user_rd(const struct chan *ch, u32 off);
void pfifo_unstall(struct card *card);

/* ---- runlist.c ---- */

/* G80: the driver has written a runlist of @count channels. */
void pfifo_runlist(struct card *card, u32 count);

#endif
