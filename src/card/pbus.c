// SPDX-License-Identifier: GPL-2.0
/*
 * pbus.c - the bus control unit: its interrupt, and the sequencer that is never busy.
 *
 * Called by mmio.c for registers.
 */
#include "pbus.h"
#include "chip.h"
#include "dev.h"
#include "mmio.h"
#include "pmc.h"

#define PBUS_INTR	0x001100
#define PBUS_INTR_EN	0x001140
#define PBUS_UNITS	0x001540

void pbus_reset(struct card *card)
{
	reg_set(card, PBUS_INTR, 0);
	reg_set(card, PBUS_INTR_EN, 0);
	reg_set(card, PBUS_UNITS, card->chip->units);
	reg_set(card, 0x00154c, 3);
}

u32 pbus_rd(struct card *card, u32 off)
{
	return reg_get(card, off);
}

void pbus_wr(struct card *card, u32 off, u32 val)
{
	switch (off) {
	case PBUS_INTR:
		reg_set(card, off, reg_get(card, off) & ~val);
		break;
	case PBUS_UNITS:
		return;
	default:
		reg_set(card, off, val);
	}
	if (off == PBUS_INTR || off == PBUS_INTR_EN)
		pmc_update(card);
}
