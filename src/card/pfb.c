// SPDX-License-Identifier: GPL-2.0
/*
 * pfb.c - the memory controller: geometry, TLB invalidation, and the fault record.
 *
 * The model translates every access afresh, so an invalidation is complete at once.  The
 * fault record keeps the first fault until the driver acknowledges it: it selects one of six
 * words by writing 0x100c90 and reads it at 0x100c94.  On Fermi PFIFO keeps the record; memory
 * partitions say at 0x11020c how much they have.
 *
 * Called by mmio.c for registers; vm.c writes the fault record.
 */
#include "pfb.h"
#include "chip.h"
#include "dev.h"
#include "mmio.h"

#define PFB_CFG0	0x100200
#define PFB_CFG1	0x100204
#define PFB_SIZE	0x10020c
#define PFB_INVALIDATE	0x100c80
#define PFB_TRAP_IDX	0x100c90
#define PFB_TRAP_DATA	0x100c94

/* Fermi */
#define PFB_CONFIG	0x100c80	/* bit 0: large pages of 64 KiB; 15: flush is queued, */
#define PFB_FLUSHED	(0xffu << 16 | BIT(15))	/* and 16-23: room for so many more */
#define FBPA_SIZE	0x11020c	/* MiB, of partition n at + 0x1000 n */

/* Row of one partition: 2^10 columns of 8 bytes in 8 banks. */
#define ROW_BYTES	(8u << 13)
#define COLUMN_BITS	10
#define BANKS_CODE	1	/* 4 << 1 */

static void pfb_gf100_reset(struct card *card)
{
	u32 parts = card->chip->partitions;

	for (u32 i = 0; i < parts; i++)
		reg_set(card, FBPA_SIZE + 0x1000 * i, (u32)(card->vram_size >> 20) / parts);
}

static void pfb_g80_reset(struct card *card)
{
	u32 rows = (u32)(card->vram_size / (card->chip->partitions * ROW_BYTES));
	u32 row_bits = 0;

	while ((1u << row_bits) < rows)
		row_bits++;
	reg_set(card, PFB_CFG0, 0);
	reg_set(card, PFB_CFG1, BANKS_CODE << 24 | (row_bits - 8) << 16 | COLUMN_BITS << 12);
	reg_set(card, 0x100250, 0);
	reg_set(card, 0x100714, 2);	/* GDDR3 */
	reg_set(card, 0x101000, card->chip->crystal_strap);
	card->pfb = (struct pfb){0};
}

void pfb_reset(struct card *card)
{
	if (card->chip->fermi) {
		pfb_gf100_reset(card);
		return;
	}
	pfb_g80_reset(card);
}

u32 pfb_rd(struct card *card, u32 off)
{
	u32 word;

	switch (off) {
	case PFB_SIZE:
		/* bits 8-31 of the size, and bits 32-39 of it in the low byte */
		return (u32)card->vram_size | (u32)(card->vram_size >> 32);
	case PFB_TRAP_IDX:
		return card->pfb.trapped ? BIT(31) : 0;
	case PFB_TRAP_DATA:
		word = reg_get(card, PFB_TRAP_IDX) >> 24;
		return word < ARRAY_SIZE(card->pfb.trap) ? card->pfb.trap[word] : 0;
	default:
		return reg_get(card, off);
	}
}

void pfb_wr(struct card *card, u32 off, u32 val)
{
	switch (off) {
	case PFB_SIZE:
		return;
	case PFB_INVALIDATE:
		reg_set(card, off, val & ~1u);	/* done */
		return;
	case PFB_TRAP_IDX:
		if (val & BIT(31))
			card->pfb.trapped = false;
		reg_set(card, off, val & ~BIT(31));
		return;
	default:
		reg_set(card, off, val);
	}
}

u32 pfb_gf100_rd(struct card *card, u32 off)
{
	return reg_get(card, off) | (off == PFB_CONFIG ? PFB_FLUSHED : 0);
}

void pfb_gf100_wr(struct card *card, u32 off, u32 val)
{
	reg_set(card, off, off == PFB_CONFIG ? val & ~PFB_FLUSHED : val);
}
