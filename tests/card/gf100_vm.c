// SPDX-License-Identifier: GPL-2.0
/*
 * gf100_vm.c - Fermi's page tables, seen through BAR1: what a page shows, and what the record says
 * when there is none.
 */
#include "lib.h"

#define INST	0xf0000u
#define DIR	0x1000000u
#define LARGE	0x1100000u	/* a table of each kind */
#define SMALL	0x1200000u
#define DATA	0x2000000u	/* each page holds its own address */

#define PT_LARGE	(LARGE >> 8 | 1)
#define PT_SMALL	((u64)(SMALL >> 8 | 1) << 32)
#define PAGE(addr)	((u64)(addr) >> 8 | 1)
#define READ_ONLY	4
#define SYSTEM		(5ull << 32)

enum { SHOWS, FAULTS };

static const struct {
	const char *name;
	u64 dir;
	u64 large;		/* first entry of the table of large pages, */
	u64 small;		/* and of small ones */
	u32 config;		/* 0x100c80 */
	u32 va;
	bool write;
	int result;
	u64 want;		/* what is read; or the record's type */
} rows[] = {
	{ "a large page", PT_LARGE, PAGE(DATA), 0, 0, 0x1f000, false, SHOWS, DATA + 0x1f000 },
	{ "a small page", PT_SMALL, 0, PAGE(DATA + 0x5000), 0, 0, false, SHOWS, DATA + 0x5000 },
	{ "both: the large one counts", PT_LARGE | PT_SMALL, PAGE(DATA), PAGE(DATA + 0x5000), 0, 0,
	  false, SHOWS, DATA },
	{ "both, the large one absent: the small one", PT_LARGE | PT_SMALL, 0, PAGE(DATA + 0x5000),
	  0, 0, false, SHOWS, DATA + 0x5000 },
	{ "large pages of 64 KiB", PT_LARGE, PAGE(DATA), 0, 1, 0xf000, false, SHOWS,
	  DATA + 0xf000 },
	{ "a page of the guest's memory", PT_SMALL, 0, PAGE(BENCH_RAM) | SYSTEM, 0, 0, false, SHOWS,
	  0x52414d },
	{ "a page that may not be written, read", PT_SMALL, 0, PAGE(DATA) | READ_ONLY, 0, 0, false,
	  SHOWS, DATA },
	{ "a page that may not be written, written", PT_SMALL, 0, PAGE(DATA) | READ_ONLY, 0, 0, true,
	  FAULTS, 0x8c6 },
	{ "no table", 0, PAGE(DATA), 0, 0, 0, false, FAULTS, 0x740 },
	{ "no page", PT_LARGE, 0, 0, 0, 0, false, FAULTS, 0x742 },
	{ "no page, written", PT_LARGE, 0, 0, 0, 0, true, FAULTS, 0x8c2 },
	{ "a page behind the end of video memory", PT_SMALL, 0, PAGE(GF_VRAM << 20), 0, 0, false,
	  FAULTS, 0x743 },
	{ "a page of no memory of the guest's", PT_SMALL, 0, PAGE(0x1000) | SYSTEM, 0, 0, false,
	  FAULTS, 0x742 },
	{ "a table behind the end of video memory", ((GF_VRAM << 20) >> 8) | 1, 0, 0, 0, 0, false,
	  FAULTS, 0x742 },
	{ "behind the limit", PT_LARGE, PAGE(DATA), 0, 0, 0x4000000, false, FAULTS, 0x743 },
};

static void run(u32 i)
{
	u32 val = 0x12345678;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	wr(&b, 0x000640, 0xffffffff);
	wr(&b, R_PFIFO_INTR_EN, 0xffffffff);
	wr(&b, 0x100c80, rows[i].config);
	vram_set64(&b, INST + 0x200, DIR);
	vram_set64(&b, INST + 0x208, 0x3ffffff);
	vram_set64(&b, DIR, rows[i].dir);
	vram_set64(&b, LARGE, rows[i].large);
	vram_set64(&b, SMALL, rows[i].small);
	for (u32 at = DATA; at < DATA + 0x20000; at += 0x1000)
		vram_set32(&b, at, at);
	b.ram[0] = 'M';
	b.ram[1] = 'A';
	b.ram[2] = 'R';
	wr(&b, 0x001704, 1u << 31 | INST >> 12);
	if (rows[i].write)
		card_write(b.card, b.now, CARD_BAR1, rows[i].va, &val, sizeof(val));
	else
		card_read(b.card, b.now, CARD_BAR1, rows[i].va, &val, sizeof(val));
	if (rows[i].result == SHOWS) {
		check_eq(rows[i].name, val, rows[i].want);
	} else {
		check(rd(&b, 0x259c) == 1 << 4 && rd(&b, 0x284c) == rows[i].want &&
		      rd(&b, 0x2844) == rows[i].va && rd(&b, 0x2840) == INST >> 12 &&
		      rd(&b, R_PFIFO_INTR) == 1u << 28 && rd(&b, R_PMC_INTR) == 0x100,
		      rows[i].name, "units %#x, type %#x of %#x", rd(&b, 0x259c), rd(&b, 0x284c),
		      rd(&b, 0x2844));
	}
	bench_fini(&b);
}

/* The first fault is kept until it is acknowledged. */
static void record(void)
{
	struct bench b;
	u32 val;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_space(&b, INST);
	wr(&b, 0x001704, 1u << 31 | INST >> 12);
	card_read(b.card, b.now, CARD_BAR1, 0x1000, &val, sizeof(val));
	check_eq("no memory reads as ones", val, 0xffffffff);
	card_read(b.card, b.now, CARD_BAR1, 0x2000, &val, sizeof(val));
	check_eq("the first fault is kept", rd(&b, 0x2844), 0x1000);
	wr(&b, 0x259c, 1 << 4);
	check_eq("until it is acknowledged", rd(&b, 0x259c), 0);
	card_read(b.card, b.now, CARD_BAR1, 0x2000, &val, sizeof(val));
	check_eq("then the next one is", rd(&b, 0x2844), 0x2000);
	card_read(b.card, b.now, CARD_BAR3, 0x2000, &val, sizeof(val));
	check_eq("BAR3, not set up, is another unit", rd(&b, 0x259c), 3 << 4);
	bench_fini(&b);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		run(i);
	record();
	return done();
}
