/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The card itself, and what all units ask of it: dev.c. For src/card only.
 *
 * Unit names are nouveau's (and envytools'): a register is found in the file that has the name of
 * the driver's file.  Every unit has a reset function, and read and write functions for its
 * registers, which mmio.c calls by address.  A register that belongs to no unit keeps what is
 * written.
 *
 * Each file that others call has a header of its own. struct card has the state of all of them.
 *
 * Called by all units for errors, random numbers and the ground truth.
 *
 * No unit has a lock or a thread: the host lets one thread at a time into the card (card.h).
 */
#ifndef CARD_DEV_H
#define CARD_DEV_H

#include "card.h"
#include "engine.h"
#include "fault.h"
#include "pci.h"
#include "pfb.h"
#include "pfifo.h"
#include "pgraph.h"
#include "ptimer.h"

#define CARD_MMIO_SIZE	(16u << 20)
#define CARD_ROM_SIZE	4096
#define CARD_REG_PAGE	16	/* log2 of the piece in which reset clears registers */
/* Methods, ring entries and events that one call works through before it returns to its caller. */
#define CARD_BUDGET	16384
/* Rows of ground truth: far more channels than a run creates. */
#define CARD_ROWS	65536

struct row {
	u32 chid;
	u32 instance;
	bool alive;
	struct {
		s64 busy_ns;
		s64 switch_ns;
		s64 fence_gap_ns;
		u64 groups;
		u64 switches;
	} of[ENGINES];
};

#define GAP_MAX_NS	50000000
#define GAP_STEP_NS	5000

struct card {
	struct card_config config;
	struct card_host host;
	const struct card_chip *chip;
	s64 t0;			/* power-on */
	s64 now;		/* latest time that the host told us */
	s64 t;			/* instant being modelled, <= now */
	u32 budget;		/* work left for this call */
	u8 *vram;
	u64 vram_size;
	u32 *reg;		/* plain registers, by address / 4, */
	bool reg_used[CARD_MMIO_SIZE >> CARD_REG_PAGE];	/* and where any may not be 0 */
	u8 rom[CARD_ROM_SIZE];
	struct pci pci;
	struct ptimer ptimer;
	struct pfb pfb;
	struct pfifo pfifo;
	struct pgraph pgraph;
	struct engine engine[ENGINES];
	struct row *row;
	u32 rows;
	u32 rows_room;
	u64 errors;
	u32 gap[GAP_MAX_NS / GAP_STEP_NS];
	u64 gaps;
	struct fault fault[CARD_FAULTS];	/* not yet due */
	u32 faults;
	u64 faults_done;
	u64 fault_seed;
	u64 cold_seed;
	u64 jitter_seed;
	u64 away;		/* accesses while it was in D3hot */
	bool gone;		/* nothing of it can be reached */
};

u32 dev_row(struct card *card, u32 chid);
void dev_gap(struct card *card, s64 ns);
void dev_off(struct card *card);
void dev_error(struct card *card, const char *what, int chid, u64 value);
u64 dev_random(u64 *state);
s64 dev_taken(const struct card *card);

/* dev_charge() - something took the host as long as @n methods do: this call may do so much less */
static inline void dev_charge(struct card *card, u64 n)
{
	card->budget -= card->budget > n ? (u32)n : card->budget;
}

static inline s64 dev_scaled(const struct card *card, s64 ns)
{
	return ns * card->config.scale;
}

#endif
