// SPDX-License-Identifier: GPL-2.0
/*
 * pmc.c - master control: identification, unit enables, and the one place where all interrupts come
 * together.
 *
 * 0x000100 shows which units want attention; bit 0 of 0x000140 lets that through to the PCI
 * function.  Every unit calls pmc_update() when its own interrupt state changes.
 *
 * Called by mmio.c for registers, by all units that interrupt.
 */
#include "pmc.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "falcon.h"
#include "mmio.h"
#include "pci.h"
#include "pfifo.h"
#include "pgraph.h"

#define PMC_BOOT_0	0x000000
#define PMC_BOOT_1	0x000004
#define PMC_INTR	0x000100
#define PMC_INTR_EN	0x000140
#define PMC_ENABLE	0x000200
#define PMC_PBDMA	0x000204	/* Fermi: which pushers are on; a bit for each there is */
#define PMC_INTR_MASK	0x000640	/* Fermi: which units may interrupt */
#define PBDMAS		0x7

/* Bits of PMC_ENABLE, beside those of enum pmc_line. */
#define ENABLE_PCE0	BIT(6)
#define ENABLE_PCE1	BIT(7)
#define ENABLE_PMU	BIT(13)

#define PTIMER_INTR	0x009100
#define PTIMER_INTR_EN	0x009140
#define PBUS_INTR	0x001100
#define PBUS_INTR_EN	0x001140

void pmc_reset(struct card *card)
{
	reg_set(card, PMC_INTR_EN, 0);
	reg_set(card, PMC_ENABLE, 0);
}

static u32 pmc_intr(const struct card *card)
{
	u32 intr = 0;

	if (pfifo_intr(card))
		intr |= BIT(PMC_PFIFO);
	if (pgraph_intr(card))
		intr |= BIT(PMC_PGRAPH);
	if (reg_get(card, PTIMER_INTR) & reg_get(card, PTIMER_INTR_EN))
		intr |= BIT(PMC_PTIMER);
	if (reg_get(card, PBUS_INTR) & reg_get(card, PBUS_INTR_EN))
		intr |= BIT(PMC_PBUS);
	return card->chip->fermi ? intr & reg_get(card, PMC_INTR_MASK) : intr;
}

void pmc_update(struct card *card)
{
	pci_intr(card, (reg_get(card, PMC_INTR_EN) & 1) && pmc_intr(card));
}

/* A unit that is switched off forgets everything. */
static void pmc_enable(struct card *card, u32 val)
{
	u32 off_now = reg_get(card, PMC_ENABLE) & ~val;

	reg_set(card, PMC_ENABLE, val);
	if (off_now & BIT(PMC_PGRAPH))
		pgraph_reset(card);
	if (off_now & BIT(PMC_PFIFO))
		pfifo_reset(card);
	if (!card->chip->fermi)
		return;
	if (off_now & ENABLE_PMU)
		pmu_reset(card);
	pce_enable(card, ENGINE_CE0, val & ENABLE_PCE0);
	pce_enable(card, ENGINE_CE1, val & ENABLE_PCE1);
}

u32 pmc_rd(struct card *card, u32 off)
{
	switch (off) {
	case PMC_BOOT_0:
		return card->chip->boot0;
	case PMC_BOOT_1:
		return 0;	/* little endian */
	case PMC_INTR:
		return pmc_intr(card);
	default:
		return reg_get(card, off);
	}
}

void pmc_wr(struct card *card, u32 off, u32 val)
{
	switch (off) {
	case PMC_BOOT_0:
	case PMC_BOOT_1:
	case PMC_INTR:
		return;
	case PMC_ENABLE:
		pmc_enable(card, val);
		break;
	case PMC_PBDMA:
		reg_set(card, off, card->chip->fermi ? val & PBDMAS : val);
		break;
	default:
		reg_set(card, off, val);
	}
	pmc_update(card);
}
