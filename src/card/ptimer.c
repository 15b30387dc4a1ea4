// SPDX-License-Identifier: GPL-2.0
/*
 * ptimer.c - the time counter and its alarm.
 *
 * Counts nanoseconds in steps of 32, as the chip does with the ratio that nouveau programs (the
 * ratio registers keep what is written and change nothing).  The driver sets the time; the alarm
 * compares the low word.  Time is the model's instant, which is the host's time of the access.  A
 * fault on request makes the counter fast, which lasts over a reset, or sets it back.
 *
 * Called by mmio.c for registers, by dev.c as time passes, by fault.c, and by units that write the
 * time.
 */
#include "ptimer.h"
#include "card.h"
#include "dev.h"
#include "mmio.h"
#include "pmc.h"

#define PTIMER_INTR	0x009100
#define PTIMER_INTR_EN	0x009140
#define PTIMER_TIME_0	0x009400
#define PTIMER_TIME_1	0x009410
#define PTIMER_ALARM	0x009420

/* A fast counter gains a nanosecond in so many of ours: 200 ppm. */
#define FAST_GAIN	5000
#define BACK_NS		1000000000

/* The counter, to the nanosecond. */
static u64 ptimer_exact(const struct card *card)
{
	const struct ptimer *p = &card->ptimer;

	return (u64)card->t + p->offset + (p->fast ? (u64)(card->t - p->since) / FAST_GAIN : 0);
}

u64 ptimer_time(const struct card *card)
{
	return ptimer_exact(card) & ~31ull;
}

/*
 * Our time when the counter will first have gone on by @ns.  In the first d ns after @since a fast
 * one goes on by d + d / FAST_GAIN, rounded down; the least d that makes this n or more is
 * n - n / (FAST_GAIN + 1).
 */
static s64 ptimer_when(const struct card *card, s64 ns)
{
	const struct ptimer *p = &card->ptimer;
	s64 past = card->t - p->since, n = past + past / FAST_GAIN + ns;

	return p->fast ? p->since + n - n / (FAST_GAIN + 1) : card->t + ns;
}

/* The alarm rings when the low word of the time next equals the register. */
static void ptimer_arm(struct card *card)
{
	u32 delta = (reg_get(card, PTIMER_ALARM) & ~31u) - (u32)ptimer_exact(card);

	card->ptimer.alarm = CARD_NEVER;
	if (reg_get(card, PTIMER_INTR_EN) & 1)
		card->ptimer.alarm = ptimer_when(card, delta ? delta : 1ll << 32);
}

/* The counter is at @time now. */
static void ptimer_set(struct card *card, u64 time)
{
	card->ptimer.offset = time - (u64)card->t;
	card->ptimer.since = card->t;
	ptimer_arm(card);
}

void ptimer_reset(struct card *card)
{
	reg_set(card, PTIMER_INTR, 0);
	reg_set(card, PTIMER_INTR_EN, 0);
	reg_set(card, PTIMER_ALARM, 0);
	ptimer_set(card, 0);
}

/* ptimer_fast() - from now on the counter is fast, or no longer; it goes on from where it is */
void ptimer_fast(struct card *card, bool fast)
{
	u64 time = ptimer_exact(card);

	card->ptimer.fast = fast;
	ptimer_set(card, time);
}

/* ptimer_back() - the counter is set back, once */
void ptimer_back(struct card *card)
{
	ptimer_set(card, ptimer_exact(card) - BACK_NS);
}

void ptimer_event(struct card *card)
{
	if (card->t < card->ptimer.alarm)
		return;
	ptimer_arm(card);
	reg_set(card, PTIMER_INTR, 1);
	pmc_update(card);
}

u32 ptimer_rd(struct card *card, u32 off)
{
	switch (off) {
	case PTIMER_TIME_0:
		return ptimer_time(card);
	case PTIMER_TIME_1:
		return ptimer_time(card) >> 32;
	default:
		return reg_get(card, off);
	}
}

void ptimer_wr(struct card *card, u32 off, u32 val)
{
	u64 time = ptimer_time(card);

	switch (off) {
	case PTIMER_TIME_0:
		ptimer_set(card, (time & ~0xffffffffull) | val);
		break;
	case PTIMER_TIME_1:
		ptimer_set(card, (time & 0xffffffff) | (u64)val << 32);
		break;
	case PTIMER_INTR:
		reg_set(card, off, reg_get(card, off) & ~val);
		pmc_update(card);
		break;
	case PTIMER_ALARM:
		reg_set(card, off, val);
		ptimer_arm(card);
		break;
	case PTIMER_INTR_EN:
		reg_set(card, off, val);
		ptimer_arm(card);
		pmc_update(card);
		break;
	default:
		reg_set(card, off, val);
	}
}
