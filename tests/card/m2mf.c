// SPDX-License-Identifier: GPL-2.0
/*
 * m2mf.c - copies: which bytes go where, in video and guest memory, pitch and block-linear; how
 * long they take; what is reported when memory is missing.
 */
#include <string.h>

#include "lib.h"

#define CH	1
#define SRC	0x3200000u
#define DST	0x3400000u
#define GOB	4		/* lines of one, on Tesla */

static const struct {
	const char *name;
	struct face in;
	struct face out;
	u32 length;
	u32 lines;
	s64 ns;			/* how long it takes, at least; 0: not looked at */
} rows[] = {
	{ "a few bytes", LINES(SRC, 64), LINES(DST, 64), 5, 1, 1 },
	{ "over page boundaries", LINES(SRC + 0xfff1, 64), LINES(DST + 0xffe7, 64), 0x20011, 1,
	  4552 },
	{ "lines with gaps", LINES(SRC, 256), LINES(DST, 512), 100, 50, 173 },
	{ "lines without gaps, as nouveau copies", LINES(SRC, 64), LINES(DST, 64), 64, 1024, 2275 },
	{ "more lines, as it moves buffers", LINES(SRC, 64), LINES(DST, 64), 64, 4096, 0 },
	{ "to guest memory", LINES(SRC, 4096), LINES(BENCH_GART + 12, 4096), 4096, 16, 9729 },
	{ "from guest memory", LINES(BENCH_GART, 4096), LINES(DST, 4096), 4000, 16, 9501 },
	{ "within guest memory", LINES(BENCH_GART, 4096), LINES(BENCH_GART + 0x40000, 4096), 4096,
	  16, 19458 },
	{ "into a block-linear surface", LINES(SRC, 256), { DST, 0, 256, 64, 0x20, 0, 0 }, 256, 64,
	  569 },
	{ "out of one", { SRC, 0, 256, 64, 0x10, 0, 0 }, LINES(DST, 256), 256, 64, 569 },
	{ "between two of different blocks", { SRC, 0, 256, 64, 0x00, 0, 0 },
	  { DST, 0, 256, 64, 0x40, 0, 0 }, 256, 64, 569 },
	{ "a part of each", { SRC, 0, 256, 64, 0x20, 65, 7 }, { DST, 0, 320, 80, 0x30, 3, 9 }, 99,
	  33, 0 },
};

static void side(struct bench *b, const struct face *s, bool out)
{
	u32 o = out ? 0x1c : 0;

	chan_mthd(b, CH, SUB_M2MF, 0x200 + o, s->pitch ? 1 : 0);
	if (!s->pitch) {
		chan_mthd(b, CH, SUB_M2MF, 0x204 + o, s->block);
		chan_mthd(b, CH, SUB_M2MF, 0x208 + o, s->width);
		chan_mthd(b, CH, SUB_M2MF, 0x20c + o, s->height);
		chan_mthd(b, CH, SUB_M2MF, 0x210 + o, 1);
		chan_mthd(b, CH, SUB_M2MF, 0x214 + o, 0);
		chan_mthd(b, CH, SUB_M2MF, 0x218 + o, s->y << 16 | s->x);
	}
	chan_mthd(b, CH, SUB_M2MF, out ? 0x23c : 0x238, (u32)(s->addr >> 32));
	chan_mthd(b, CH, SUB_M2MF, out ? 0x310 : 0x30c, (u32)s->addr);
	chan_mthd(b, CH, SUB_M2MF, out ? 0x318 : 0x314, s->pitch);
}

static void copy(struct bench *b, const struct face *in, const struct face *out, u32 length,
		 u32 lines, u32 format)
{
	side(b, in, false);
	side(b, out, true);
	chan_mthd(b, CH, SUB_M2MF, 0x31c, length);
	chan_mthd(b, CH, SUB_M2MF, 0x320, lines);
	chan_mthd(b, CH, SUB_M2MF, 0x324, format);
	chan_mthd(b, CH, SUB_M2MF, 0x328, 0);
	chan_fence(b, CH, 1);
	chan_kick(b, CH);
}

static void setup(struct bench *b)
{
	bench_init(b, 1);
	bench_start(b);
	chan_open(b, CH);
	chan_bind(b, CH, SUB_M2MF);
	chan_kick(b, CH);
	bench_run(b, b->now + 1000000);
	for (u32 i = 0; i < 0x100000; i++) {
		b->vram[SRC + i] = (u8)(i * 2654435761u >> 13);
		b->ram[i] = (u8)(i * 2246822519u >> 11);
	}
}

/* Errors: what the registers say; the fence comes all the same once the driver has looked. */
static const struct {
	const char *name;
	struct face in;
	struct face out;
	u32 length;
	u32 format;
	u32 intr;
	u32 trap;
	u32 ustatus;
} errors[] = {
	{ "source without memory", LINES(0x5000000000, 64), LINES(DST, 64), 64, 0x101, 0x200000, 2,
	  2 },
	{ "destination without memory", LINES(SRC, 64), LINES(0x5000000000, 64), 64, 0x101,
	  0x200000, 2, 4 },
	{ "steps other than a byte", LINES(SRC, 64), LINES(DST, 64), 64, 0x104, 0x100000, 0, 0 },
	{ "more than there is memory", LINES(SRC, 64), LINES(DST, 64), 0xffffffff, 0x101, 0x100000,
	  0, 0 },
};

/* 32 copies of 8 MiB are more than one call of the card makes. */
static void run_many(void)
{
	struct face in = LINES(SRC, 64), out = LINES(DST, 64);
	struct bench b;

	setup(&b);
	copy(&b, &in, &out, 0x100000, 8, 0x101);
	for (u32 i = 1; i < 32; i++)
		chan_mthd(&b, CH, SUB_M2MF, 0x328, 0);
	chan_fence(&b, CH, 2);
	chan_kick(&b, CH);
	bench_pass(&b, 20000000);
	check(card_next_event(b.card) <= b.now && vram32(&b, FENCE(CH)) == 1,
	      "many copies: one call does not make them all", "fence %u", vram32(&b, FENCE(CH)));
	bench_run(&b, b.now);
	check_eq("... the next ones do", vram32(&b, FENCE(CH)), 2);
	bench_fini(&b);
}

int main(void)
{
	struct bench b;

	run_many();

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 length = rows[i].length, bad = 0, early = 0;
		s64 start, ns;

		setup(&b);
		start = b.now;
		copy(&b, &rows[i].in, &rows[i].out, length, rows[i].lines, 0x101);
		/* nothing shows before its time */
		for (u64 x = 0; x < length; x++)
			early += *bench_mem(&b, face_at(&rows[i].out, GOB, x, 0)) ==
				 *bench_mem(&b, face_at(&rows[i].in, GOB, x, 0));
		while (card_next_event(b.card) != CARD_NEVER)
			bench_run(&b, card_next_event(b.card));
		ns = b.now - start;
		for (u64 y = 0; y < rows[i].lines; y++)
			for (u64 x = 0; x < length; x++)
				bad += *bench_mem(&b, face_at(&rows[i].out, GOB, x, y)) !=
				       *bench_mem(&b, face_at(&rows[i].in, GOB, x, y));
		check(!bad && vram32(&b, FENCE(CH)) == 1, rows[i].name, "%u bytes differ, fence %u",
		      bad, vram32(&b, FENCE(CH)));
		check(early < length / 8 + 2, "... and not before its time", "%u bytes equal",
		      early);
		if (rows[i].ns)
			check(ns >= rows[i].ns && ns < rows[i].ns + 100, "... in its time",
			      "%lld ns", (long long)ns);
		bench_fini(&b);
	}
	for (u32 i = 0; i < ARRAY_LEN(errors); i++) {
		u32 intr, trap, ustatus;

		setup(&b);
		copy(&b, &errors[i].in, &errors[i].out, errors[i].length, 1, errors[i].format);
		bench_run(&b, b.now + 1000000);
		intr = rd(&b, R_GR_INTR);
		trap = rd(&b, 0x400108);
		ustatus = rd(&b, 0x406800) & 0x7fffffff;
		check(intr == errors[i].intr && trap == errors[i].trap &&
		      ustatus == errors[i].ustatus,
		      errors[i].name, "interrupt %#x, trap %#x, %#x", intr, trap, ustatus);
		check_eq("... by this context", rd(&b, R_GR_CTX) & 0x7fffffff,
			 b.chan[CH].inst >> 12);
		check_eq("... and this class", rd(&b, 0x400814), 0x5039);
		check_eq("... which stops the engine", vram32(&b, FENCE(CH)), 0);
		wr(&b, 0x406800, 0xc0000000);
		wr(&b, 0x400108, 2);
		wr(&b, R_GR_INTR, intr);
		wr(&b, R_GR_FIFO, 0x00010001);
		bench_run(&b, b.now + 1000000);
		check(rd(&b, 0x406800) == 0x80000000 && !rd(&b, 0x400108) && !rd(&b, R_GR_INTR),
		      "... acknowledged", "not");
		check_eq("... and the group ends", vram32(&b, FENCE(CH)), 1);
		bench_fini(&b);
	}
	return done();
}
