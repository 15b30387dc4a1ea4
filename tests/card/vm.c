// SPDX-License-Identifier: GPL-2.0
/*
 * vm.c - page tables and windows: what an address means, and why it means nothing.
 *
 * Everything is looked at through BAR1, whose page tables each row writes.
 */
#include <string.h>

#include "lib.h"

#define INST	0x200000u
#define OBJ	0x5000u		/* in the instance block */
#define PT	0x300000u

enum {
	OK = -1, PT_NOT_PRESENT = 0, PT_TOO_SHORT = 1, PAGE_NOT_PRESENT = 2, READ_ONLY = 4,
	NULL_DMAOBJ = 6, VRAM_LIMIT = 11, DMAOBJ_LIMIT = 15,
};

static const struct {
	const char *name;
	u64 base;		/* of the window's DMA object; */
	u64 limit;
	u64 off;		/* in the window */
	u64 pde;		/* entry for it, and */
	u64 pte;		/* all of its table's entries that matter */
	u64 pte_index;
	bool write;
	int why;
	u64 want;		/* where it goes: video memory, or guest memory from BENCH_RAM */
} rows[] = {
	{ "64 KiB page", 0, ~0ull, 0x12345, PT | 1, 0x450001, 1, false, OK, 0x452345 },
	{ "4 KiB page", 0, ~0ull, 0x3678, PT | 3, 0x451001, 3, false, OK, 0x451678 },
	{ "window base is added", 0x100000, ~0ull, 0x12345, PT | 1, 0x450001, 0x11, false, OK,
	  0x452345 },
	{ "block of 8 pages, third of them", 0, ~0ull, 0x2010, PT | 3, 0x460181, 2, false, OK,
	  0x462010 },
	{ "block that is not aligned to its size", 0, ~0ull, 0x2010, PT | 3, 0x461181, 2, false, OK,
	  0x463010 },
	{ "guest memory, snooped", 0, ~0ull, 0x1004, PT | 3, BENCH_RAM + 0x5021, 1, false, OK,
	  BENCH_RAM + 0x5004 },
	{ "guest memory, not snooped", 0, ~0ull, 0x1004, PT | 3, BENCH_RAM + 0x5031, 1, false, OK,
	  BENCH_RAM + 0x5004 },
	{ "storage type and compression bits are ignored", 0, ~0ull, 0x1004, PT | 3,
	  0x00007f0000455001ull, 1, false, OK, 0x455004 },
	{ "read of a read-only page", 0, ~0ull, 0x1004, PT | 3, 0x455009, 1, false, OK, 0x455004 },
	{ "write to a read-only page", 0, ~0ull, 0x1004, PT | 3, 0x455009, 1, true, READ_ONLY, 0 },
	{ "no table", 0, ~0ull, 0x1004, PT, 0x455001, 1, false, PT_NOT_PRESENT, 0 },
	{ "no page", 0, ~0ull, 0x1004, PT | 3, 0x455000, 1, false, PAGE_NOT_PRESENT, 0 },
	{ "table too short", 0, ~0ull, 0x2000000, PT | 0x63, 0x455001, 0x2000, false, PT_TOO_SHORT,
	  0 },
	{ "table just long enough", 0, ~0ull, 0x1fff000, PT | 0x63, 0x455001, 0x1fff, false, OK,
	  0x455000 },
	{ "page past the end of video memory", 0, ~0ull, 0x1004, PT | 3, BENCH_VRAM | 1, 1, false,
	  VRAM_LIMIT, 0 },
	{ "guest memory that is not there", 0, ~0ull, 0x1004, PT | 3, 0x12345021, 1, false,
	  PAGE_NOT_PRESENT, 0 },
	{ "table past the end of video memory", 0, ~0ull, 0x1004, BENCH_VRAM | 3, 0, 0, false,
	  VRAM_LIMIT, 0 },
	{ "table in guest memory", 0, ~0ull, 0x1004, BENCH_RAM + 0x8000 + 0xb, 0, 0, false, OK,
	  0x455004 },
	{ "past the DMA object's limit", 0, 0xfff, 0x1004, PT | 3, 0x455001, 1, false, DMAOBJ_LIMIT,
	  0 },
};

static void set64(struct bench *b, u64 addr, u64 val)
{
	memcpy(b->vram + addr, &val, sizeof(val));
}

static void window(struct bench *b, u64 base, u64 limit)
{
	limit &= 0xffffffffffull;
	vram_set32(b, INST + OBJ, 0x7fc00000);
	vram_set32(b, INST + OBJ + 4, (u32)limit);
	vram_set32(b, INST + OBJ + 8, (u32)base);
	vram_set32(b, INST + OBJ + 12, (u32)(limit >> 32) << 24 | (u32)(base >> 32));
	wr(b, 0x1704, INST >> 12 | 0x40000000);
	wr(b, 0x1708, 0x80000000 | OBJ >> 4);
	wr(b, 0x170c, 0x80000000 | OBJ >> 4);
}

static u32 fault(struct bench *b)
{
	u32 val;

	if (!rd(b, 0x100c90))
		return ~0u;
	wr(b, 0x100c90, 0);
	val = rd(b, 0x100c94);
	wr(b, 0x100c90, 0x80000000);
	return val;
}

int main(void)
{
	struct bench b;
	u64 mark;
	u32 val;

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 got = 0, why;

		bench_init(&b, 1);
		window(&b, rows[i].base, rows[i].limit);
		set64(&b, INST + 0x200 + ((rows[i].base + rows[i].off) >> 29) % 2048 * 8,
		      rows[i].pde);
		if (rows[i].pde < BENCH_VRAM)
			set64(&b, PT + 8 * rows[i].pte_index, rows[i].pte);
		mark = 0x455001;
		memcpy(b.ram + 0x8008, &mark, sizeof(mark));
		if (rows[i].want >= BENCH_RAM)
			memcpy(b.ram + (rows[i].want - BENCH_RAM), "\xef\xbe\xad\xde", 4);
		else if (rows[i].want)
			memcpy(b.vram + rows[i].want, "\xef\xbe\xad\xde", 4);
		if (rows[i].write)
			card_write(b.card, b.now, CARD_BAR1, rows[i].off, &got, 4);
		else
			card_read(b.card, b.now, CARD_BAR1, rows[i].off, &got, 4);
		why = fault(&b);
		if (rows[i].why == OK)
			check(got == 0xdeadbeef && why == ~0u, rows[i].name, "%#x, fault %#x", got,
			      why);
		else
			check(why != ~0u && (why >> 4 & 15) == (u32)rows[i].why && (why & 15) == 6,
			      rows[i].name, "%#x, fault %#x", got, why);
		bench_fini(&b);
	}

	bench_init(&b, 1);
	val = 0;
	card_read(b.card, b.now, CARD_BAR1, 0, &val, 4);
	check_eq("a window that is not set up reads ones", val, 0xffffffff);
	check_eq("and faults for want of an object", fault(&b) >> 4 & 15, NULL_DMAOBJ);
	window(&b, 0, ~0ull);
	set64(&b, INST + 0x200, PT | 3);
	set64(&b, PT, 0x450001);
	set64(&b, PT + 8, 0x470001);
	card_write(b.card, b.now, CARD_BAR3, 0xffe, "\x11\x22\x33\x44", 4);
	check(b.vram[0x450ffe] == 0x11 && b.vram[0x450fff] == 0x22 && b.vram[0x470000] == 0x33 &&
	      b.vram[0x470001] == 0x44, "an access across two pages", "other");
	wr(&b, 0x1700, 0x45);
	check_eq("the BAR0 window is physical", rd(&b, 0x700ffc), 0x22110000);
	wr(&b, 0x700010, 0x12345678);
	check_eq("and can be written", vram32(&b, 0x450010), 0x12345678);
	wr(&b, 0x1700, BENCH_VRAM >> 16);
	check_eq("past the end of video memory it reads ones", rd(&b, 0x700000), 0xffffffff);
	card_read(b.card, b.now, CARD_BAR1, (256u << 20) - 2, &val, 4);
	check_eq("past the end of a region: ones", val, 0xffffffff);
	card_read(b.card, b.now, 2, 0, &val, 4);
	check_eq("a region that is not there: ones", val, 0xffffffff);
	bench_fini(&b);
	return done();
}
