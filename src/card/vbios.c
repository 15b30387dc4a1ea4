// SPDX-License-Identifier: GPL-2.0
/*
 * vbios.c - the least video BIOS that nouveau accepts, and the window that shows it.
 *
 * A PCI option ROM with a BIT table ('i': BIOS information, 'I': initialisation, a list of no
 * scripts) and a display configuration block of version 4.0 without outputs.  On Fermi also the
 * limits of two PLLs ('C'), which nouveau insists on and never uses without a change of clocks, and
 * what kind of memory there is ('M').  At 0x300000 of BAR0.
 *
 * Called by mmio.c for registers, by dev.c when a card is made.
 */
#include <string.h>

#include "vbios.h"
#include "chip.h"
#include "dev.h"

#define ROM_BASE	0x300000
#define ROM_DCB_PTR	0x36
#define ROM_PCIR	0x40
#define ROM_BIT		0x100
#define ROM_INFO	0x200
#define ROM_INIT	0x240
#define ROM_SCRIPTS	0x280	/* ended by 0 */
#define ROM_DCB		0x300
#define ROM_CLOCK	0x340
#define ROM_PLLS	0x350
#define ROM_PLL_LIMITS	0x380
#define ROM_MEMORY	0x3a0
#define ROM_MEMORY_KIND	0x3b0

/* PLLs by type: of memory, and that one's reference. */
#define PLL_MEMORY	0x04
#define PLL_MEMORY_REF	0x0c
#define MEMORY_BY_STRAP	0
#define MEMORY_GDDR5	3

static void put16(u8 *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static void bit_entry(u8 *p, char id, u8 version, u16 len, u16 off)
{
	p[0] = (u8)id;
	p[1] = version;
	put16(p + 2, len);
	put16(p + 4, off);
}

static void pll(u8 *p, u8 type, u32 reg)
{
	p[0] = type;
	put16(p + 1, ROM_PLL_LIMITS);
	put32(p + 3, reg);
	put16(p + 9, 27);				/* reference, MHz */
}

static void vbios_gf100(u8 *rom)
{
	static const u16 limits[] = { 500, 1000, 2, 100 };	/* MHz: output, input */
	static const u8 factors[] = { 1, 255, 8, 255, 1, 63 };	/* M, N, P */

	rom[ROM_BIT + 10] = 4;
	bit_entry(rom + ROM_BIT + 24, 'C', 1, 10, ROM_CLOCK);
	bit_entry(rom + ROM_BIT + 30, 'M', 2, 5, ROM_MEMORY);
	put16(rom + ROM_CLOCK + 8, ROM_PLLS);
	rom[ROM_PLLS] = 0x40;				/* version, */
	rom[ROM_PLLS + 1] = 4;				/* header size, */
	rom[ROM_PLLS + 2] = 11;				/* entry size, */
	rom[ROM_PLLS + 3] = 2;				/* entries */
	pll(rom + ROM_PLLS + 4, PLL_MEMORY, 0x132000);
	pll(rom + ROM_PLLS + 15, PLL_MEMORY_REF, 0x10fe20);
	for (u32 i = 0; i < ARRAY_SIZE(limits); i++)
		put16(rom + ROM_PLL_LIMITS + 2 * i, limits[i]);
	memcpy(rom + ROM_PLL_LIMITS + sizeof(limits), factors, sizeof(factors));
	put16(rom + ROM_MEMORY + 3, ROM_MEMORY_KIND);
	rom[ROM_MEMORY_KIND] = 0x10;			/* version, */
	rom[ROM_MEMORY_KIND + 1] = 7;			/* header size, */
	rom[ROM_MEMORY_KIND + 2] = 2;			/* entry size, */
	rom[ROM_MEMORY_KIND + 3] = 1;			/* entries */
	rom[ROM_MEMORY_KIND + 4] = MEMORY_BY_STRAP;
	rom[ROM_MEMORY_KIND + 7] = MEMORY_GDDR5;	/* of strap 0 */
}

void vbios_build(struct card *card)
{
	u8 *rom = card->rom;
	u8 sum = 0;

	memset(rom, 0, CARD_ROM_SIZE);
	put16(rom, 0xaa55);
	rom[2] = CARD_ROM_SIZE / 512;
	put16(rom + ROM_DCB_PTR, ROM_DCB);
	put16(rom + 0x18, ROM_PCIR);

	memcpy(rom + ROM_PCIR, "PCIR", 4);
	put16(rom + ROM_PCIR + 4, 0x10de);
	put16(rom + ROM_PCIR + 6, card->chip->device_id);
	put16(rom + ROM_PCIR + 10, 0x18);		/* length of this structure */
	rom[ROM_PCIR + 15] = 0x03;			/* display controller */
	put16(rom + ROM_PCIR + 16, CARD_ROM_SIZE / 512);
	rom[ROM_PCIR + 21] = 0x80;			/* last image */

	put16(rom + ROM_BIT, 0xb8ff);
	memcpy(rom + ROM_BIT + 2, "BIT", 4);
	put16(rom + ROM_BIT + 6, 0x0100);		/* version */
	rom[ROM_BIT + 8] = 12;				/* header size, */
	rom[ROM_BIT + 9] = 6;				/* entry size, */
	rom[ROM_BIT + 10] = 2;				/* entries */
	bit_entry(rom + ROM_BIT + 12, 'i', 2, 16, ROM_INFO);
	bit_entry(rom + ROM_BIT + 18, 'I', 1, 32, ROM_INIT);
	put32(rom + ROM_INFO, card->chip->bios_version);
	put16(rom + ROM_INIT, ROM_SCRIPTS);
	if (card->chip->fermi)
		vbios_gf100(rom);

	rom[ROM_DCB] = 0x40;				/* version, */
	rom[ROM_DCB + 1] = 0x1b;			/* header size, */
	rom[ROM_DCB + 2] = 1;				/* entries, */
	rom[ROM_DCB + 3] = 8;				/* entry size */
	put32(rom + ROM_DCB + 6, 0x4edcbdcb);
	put32(rom + ROM_DCB + 0x1b, 0x0000000e);	/* end of the list */

	for (u32 i = 0; i < CARD_ROM_SIZE - 1; i++)
		sum += rom[i];
	rom[CARD_ROM_SIZE - 1] = (u8)-sum;
}

u32 vbios_rd(struct card *card, u32 off)
{
	u32 v = 0;

	off -= ROM_BASE;
	if (off < CARD_ROM_SIZE)
		memcpy(&v, card->rom + off, sizeof(v));
	return v;
}

void vbios_wr(struct card *card, u32 off, u32 val)
{
	dev_error(card, "write to the ROM", -1, (u64)off << 32 | val);
}
