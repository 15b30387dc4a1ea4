// SPDX-License-Identifier: GPL-2.0
/*
 * ptimer.c - the time counter and its alarm.
 *
 * Counts nanoseconds in steps of 32, as the chip does with the ratio that nouveau programs (the
 * ratio registers keep what is written and change nothing).  The driver sets the time; the alarm
 * compares the low word.  Time is the model's instant, which is the host's time of the access.
 *
 * Called by mmio.c for registers, by dev.c as time passes, by units that write the time.
 */
#include "priv.h"

#define PTIMER_INTR	0x009100
#define PTIMER_INTR_EN	0x009140
#define PTIMER_TIME_0	0x009400
#define PTIMER_TIME_1	0x009410
#define PTIMER_ALARM	0x009420

void ptimer_reset(struct card *card)
{
	card->ptimer.offset = -(u64)card->t;
	card->ptimer.alarm = CARD_NEVER;
	reg_set(card, PTIMER_INTR, 0);
	reg_set(card, PTIMER_INTR_EN, 0);
	reg_set(card, PTIMER_ALARM, 0);
}

u64 ptimer_time(const struct card *card)
{
	return ((u64)card->t + card->ptimer.offset) & ~31ull;
}

/* The alarm rings when the low word of the time next equals the register. */
static void ptimer_arm(struct card *card)
{
	u32 delta = (reg_get(card, PTIMER_ALARM) & ~31u) - (u32)ptimer_time(card);

	card->ptimer.alarm = CARD_NEVER;
	if (reg_get(card, PTIMER_INTR_EN) & 1)
		card->ptimer.alarm = card->t + (delta ? delta : 1ll << 32);
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
		time = (time & ~0xffffffffull) | val;
		card->ptimer.offset = time - (u64)card->t;
		ptimer_arm(card);
		break;
	case PTIMER_TIME_1:
		time = (time & 0xffffffff) | (u64)val << 32;
		card->ptimer.offset = time - (u64)card->t;
		ptimer_arm(card);
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
