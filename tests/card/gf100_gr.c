// SPDX-License-Identifier: GPL-2.0
/*
 * gf100_gr.c - a GF100's classes as Mesa uses them: what clears and draws of 0x9097 cost, its
 * queries, macros, copies of 0x9039 between lines, blocks and the pushbuffer, blocks of 0x902d, and
 * objects of the driver's own.
 */
#include <string.h>

#include "chip.h"
#include "cost.h"
#include "dev.h"
#include "gr.h"
#include "lib.h"

#define CH	1
#define SUB	0
#define CODE	0x3200000u
#define SRC	0x3200000u
#define DST	0x3400000u
#define GOB	8		/* lines of one, on Fermi */

#define VP_LENGTH	10
#define FP_LENGTH	20
#define FORMAT_32	0xcf	/* 4 bytes a pixel */
#define DRAWS		20000	/* more than a macro has instructions for without work */

static void mthd(struct bench *b, u32 number, u32 data)
{
	gf_mthd(b, CH, SUB, number, data);
}

static void setup(struct bench *b, u32 oclass)
{
	bench_init_chip(b, "GF100", GF_VRAM, 1);
	gf_start(b);
	gf_open(b, CH);
	mthd(b, 0, oclass);
	for (u32 i = 0; i < 0x100000; i++) {
		b->vram[SRC + i] = (u8)(i * 2654435761u >> 13);
		b->ram[i] = (u8)(i * 2246822519u >> 11);
	}
}

/* Everything so far, and its fence. */
static void work(struct bench *b, u32 seq)
{
	gf_fence(b, CH, seq);
	gf_kick(b, CH);
	bench_run(b, b->now + 100000000);
}

static s64 busy(struct bench *b)
{
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	return t.busy_ns;
}

/* ---- 3D -------------------------------------------------------------------------------------- */

/* Behind a header of 80 bytes. */
static void program(struct bench *b, u32 at, u32 length)
{
	memset(b->vram + at, 0xff, 80);
	for (u32 i = 0; i < length; i++) {
		bool last = i == length - 1;

		vram_set32(b, at + 80 + 8 * i, last ? 0x00001de7 : 0x00001c00);
		vram_set32(b, at + 84 + 8 * i, last ? 0x80000000 : 0x30000000);
	}
}

/* A target of 800 by 600 with depth, and programs. */
static void target(struct bench *b)
{
	static const struct { u32 mthd, data; } state[] = {
		{ 0x0808, 800 }, { 0x080c, 600 }, { 0x0810, FORMAT_32 }, { 0x121c, 1 },
		{ 0x0ff4, 800 << 16 }, { 0x0ff8, 600 << 16 }, { 0x0c00, 800 << 16 },
		{ 0x0c04, 600 << 16 }, { 0x1228, 800 }, { 0x122c, 600 }, { 0x1608, 0 },
		{ 0x160c, CODE }, { 0x2040, 0x11 }, { 0x2044, 0x100 }, { 0x2140, 0x51 },
		{ 0x2144, 0x1000 },
	};

	program(b, CODE + 0x100, VP_LENGTH);
	program(b, CODE + 0x1000, FP_LENGTH);
	for (u32 i = 0; i < ARRAY_LEN(state); i++)
		mthd(b, state[i].mthd, state[i].data);
}

static const struct {
	const char *name;
	struct { u32 mthd, data; } mthd[8];
	u64 vertices, pixels, bytes;	/* per pixel */
} draws[] = {
	{ "clear of colour", { { 0x19d0, 0x3c } }, 0, 480000, 4 },
	{ "clear of colour and depth", { { 0x19d0, 0x3f } }, 0, 480000, 8 },
	{ "clear of depth", { { 0x19d0, 0x01 } }, 0, 480000, 4 },
	{ "clear of nothing", { { 0x19d0, 0 } }, 0, 0, 0 },
	{ "clear beside a scissor", { { 0xe00, 1 }, { 0xe04, 110 << 16 | 10 }, { 0xe08, 50 << 16 },
	  { 0x19d0, 0x3c } }, 0, 480000, 4 },
	{ "clear within it", { { 0xe00, 1 }, { 0xe04, 110 << 16 | 10 }, { 0xe08, 50 << 16 },
	  { 0x10f8, 0x100 }, { 0x19d0, 0x3c } }, 0, 5000, 4 },
	{ "clear of the viewport", { { 0xc00, 400 << 16 }, { 0x10f8, 0x1000 }, { 0x19d0, 0x3c } },
	  0, 240000, 4 },
	{ "clear of a target by pitch", { { 0x0808, 3200 }, { 0x0814, 0x1000 }, { 0x19d0, 0x3c } },
	  0, 480000, 4 },
	{ "clear without a colour target", { { 0x121c, 0 }, { 0x1228, 100 }, { 0x122c, 10 },
	  { 0x19d0, 3 } }, 0, 1000, 4 },
	{ "draw of three vertices", { { 0x1618, 4 }, { 0xd74, 0 }, { 0xd78, 3 }, { 0x1614, 0 } }, 3,
	  480000, 4 },
	{ "draw with depth", { { 0x1538, 1 }, { 0x1618, 4 }, { 0xd78, 3 }, { 0x1614, 0 } }, 3,
	  480000, 12 },
	{ "draw within a scissor", { { 0xe00, 1 }, { 0xe04, 110 << 16 | 10 }, { 0xe08, 50 << 16 },
	  { 0x1618, 4 }, { 0xd78, 3 }, { 0x1614, 0 } }, 3, 5000, 4 },
	{ "draw of a million vertices", { { 0xc00, 8 << 16 }, { 0xc04, 8 << 16 }, { 0x1618, 4 },
	  { 0xd78, 1000000 }, { 0x1614, 0 } }, 1000000, 64, 4 },
	{ "draw of an index array", { { 0xc00, 8 << 16 }, { 0xc04, 8 << 16 }, { 0x1618, 4 },
	  { 0x17dc, 7 }, { 0x17e0, 1000000 }, { 0x1614, 0 } }, 1000000, 64, 4 },
	{ "draw of elements", { { 0x1618, 4 }, { 0x15e8, 7 }, { 0x15f0, 7 }, { 0x1304, 7 },
	  { 0x1614, 0 } }, 7, 480000, 4 },
	{ "draw of nothing", { { 0x1618, 4 }, { 0xd78, 0 }, { 0x1614, 0 } }, 0, 0, 0 },
	{ "vertex arrays' limits draw nothing", { { 0x1ff0, 1000 }, { 0x1ff4, 1000 }, { 0x1614, 0 } },
	  0, 0, 0 },
};

static void run_draws(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(draws); i++) {
		s64 before, got, want = 0;
		u32 n = 0;

		setup(&b, 0x9097);
		target(&b);
		work(&b, 1);
		before = busy(&b);
		while (n < ARRAY_LEN(draws[i].mthd) && draws[i].mthd[n].mthd) {
			mthd(&b, draws[i].mthd[n].mthd, draws[i].mthd[n].data);
			n++;
		}
		work(&b, 2);
		got = busy(&b) - before - cost_methods(&chip_gf100, n);
		if (draws[i].vertices)
			want = cost_draw(&chip_gf100, draws[i].vertices, VP_LENGTH, draws[i].pixels,
					 FP_LENGTH, draws[i].pixels * draws[i].bytes);
		else if (draws[i].pixels)
			want = cost_pixels(&chip_gf100, draws[i].pixels,
					   draws[i].pixels * draws[i].bytes, 0);
		check(got == want && vram32(&b, FENCE(CH)) == 2 && !b.logs, draws[i].name,
		      "%lld ns, want %lld; fence %u, %u lines of log", (long long)got,
		      (long long)want, vram32(&b, FENCE(CH)), b.logs);
		bench_fini(&b);
	}
	/* by hand: 15001 warps of 20 instructions, 1 of 10, a clock each, 15 MPs at 1.401 GHz */
	check_eq("a screen of 20 instructions is bound by the ROPs",
		 (u64)cost_draw(&chip_gf100, 3, 10, 480000, 20, 480000 * 4), 14286);
	check_eq("a screen of 100 by shading",
		 (u64)cost_draw(&chip_gf100, 3, 10, 480000, 100, 480000 * 4), 71383);
}

static void run_queries(void)
{
	struct bench b;

	setup(&b, 0x9097);
	memset(b.vram + DST, 0xee, 32);
	mthd(&b, 0x1b00, 0);
	mthd(&b, 0x1b04, DST);
	mthd(&b, 0x1b08, 77);
	mthd(&b, 0x1b0c, 0x1000f010);
	work(&b, 1);
	check(vram32(&b, DST) == 77 && vram32(&b, DST + 4) == 0xeeeeeeee, "Mesa's fence is a word",
	      "%u %#x", vram32(&b, DST), vram32(&b, DST + 4));
	mthd(&b, 0x1b08, 78);
	mthd(&b, 0x1b0c, 0x0100f002);
	work(&b, 2);
	check(vram32(&b, DST) == 78 && vram32(&b, DST + 4) == 0 && vram32(&b, DST + 8) != 0xeeeeeeee &&
	      vram32(&b, DST + 16) == 0xeeeeeeee, "a query has the time behind it", "%u %u %#x %#x",
	      vram32(&b, DST), vram32(&b, DST + 4), vram32(&b, DST + 8), vram32(&b, DST + 16));
	bench_fini(&b);
}

/* ---- macros ---------------------------------------------------------------------------------- */

/* What becomes of a result. */
enum { PARM, MOV, MADDR, PARM_SEND, SEND, PARM_MADDR, PARMSEND_MADDR, MADDRSEND };

#define EXIT			0x80u
#define ADDI(how, r, a, imm)	(1u | (how) << 4 | (r) << 8 | (a) << 11 | (u32)(imm) << 14)
#define ALU(op, how, r, a, b)	((how) << 4 | (r) << 8 | (a) << 11 | (b) << 14 | (u32)(op) << 17)
#define BITS(op, how, r, a, b, from, size, to) \
	((op) | (how) << 4 | (r) << 8 | (a) << 11 | (b) << 14 | (from) << 17 | (size) << 22 | \
	 (u32)(to) << 27)
#define READ(r, a, imm)		(5u | MOV << 4 | (r) << 8 | (a) << 11 | (u32)(imm) << 14)
#define BRA(nonzero, annul, a, by) \
	(7u | (nonzero) << 4 | (annul) << 5 | (a) << 11 | (u32)(by) << 14)
#define GET(r)			ADDI(PARM, r, 0, 0)
#define PUT(r)			ADDI(SEND, 0, r, 0)
#define OUT			0x1400	/* method 0x1000, then the ones behind it */
#define NOP			0x11

static const struct {
	const char *name;
	u32 code[12];
	u32 data[4];		/* for 0x3800, then 0x3804; 0 ends */
	u32 sent[4];		/* to 0x1000, 0x1004, ... */
	u32 logs;
} macros[] = {
	{ "macro: sends what it was given", { ADDI(MADDR, 0, 0, OUT), EXIT | PUT(1), NOP }, { 5 },
	  { 5 }, 0 },
	{ "macro: and more parameters", { GET(2), GET(3), ADDI(MADDR, 0, 0, OUT), PUT(3),
	  EXIT | PUT(2), PUT(1) }, { 5, 6, 7 }, { 7, 6, 5 }, 0 },
	{ "macro: a parameter sent as it is", { EXIT | ADDI(PARMSEND_MADDR, 0, 0, OUT), NOP },
	  { 5, 6 }, { 6 }, 0 },
	{ "macro: send, then fetch", { ADDI(PARM_MADDR, 2, 0, OUT), ADDI(PARM_SEND, 3, 2, 0),
	  EXIT | PUT(3), NOP }, { 5, 6, 7 }, { 6, 7 }, 0 },
	{ "macro: address and datum in one", { ADDI(MOV, 2, 0, 0x7400), EXIT | ADDI(MADDRSEND, 0, 2, 0),
	  NOP }, { 5 }, { 7 }, 0 },
	{ "macro: sums", { ADDI(MADDR, 0, 0, OUT), GET(2), ALU(0, SEND, 0, 1, 2),
	  ALU(1, SEND, 0, 1, 1), ALU(2, SEND, 0, 0, 1), EXIT | ALU(3, SEND, 0, 2, 1), NOP },
	  { 0x80000001, 0x80000002 }, { 3, 3, 0x7fffffff, 0 }, 0 },
	{ "macro: logic", { ADDI(MADDR, 0, 0, OUT), GET(2), ALU(8, SEND, 0, 1, 2),
	  ALU(9, SEND, 0, 1, 2), ALU(10, SEND, 0, 1, 2), EXIT | ALU(11, SEND, 0, 1, 2), NOP },
	  { 12, 10 }, { 6, 14, 8, 4 }, 0 },
	{ "macro: bits", { ADDI(MADDR, 0, 0, OUT), GET(2), BITS(2, SEND, 0, 1, 2, 4, 8, 16),
	  ADDI(MOV, 3, 0, 8), BITS(3, SEND, 0, 3, 2, 0, 4, 4), EXIT | BITS(4, SEND, 0, 3, 2, 4, 4, 0),
	  NOP }, { 0xffffffff, 0xabc }, { 0xffabffff, 0xa0, 0xb00 }, 0 },
	{ "macro: register 0 stays 0", { ADDI(MADDR, 0, 0, OUT), ADDI(MOV, 0, 0, 7),
	  EXIT | ADDI(SEND, 0, 0, 1), NOP }, { 5 }, { 1 }, 0 },
	{ "macro: reads methods", { ADDI(MADDR, 0, 0, OUT), READ(2, 1, 0x440), EXIT | PUT(2), NOP },
	  { 1 }, { 0x1234 }, 0 },
	{ "macro: a loop, with the instruction behind the branch", { ADDI(MADDR, 0, 0, OUT),
	  ADDI(MOV, 2, 0, 9), ADDI(MOV, 1, 1, -1), PUT(2), EXIT | BRA(1, 0, 1, -2),
	  ADDI(MOV, 2, 2, 1) }, { 3 }, { 9, 10, 11 }, 0 },
	{ "macro: a branch without it", { ADDI(MADDR, 0, 0, OUT), BRA(1, 1, 1, 3), PUT(1), PUT(1),
	  EXIT | ADDI(SEND, 0, 1, 1), NOP }, { 5 }, { 6 }, 0 },
	{ "macro: no branch", { ADDI(MADDR, 0, 0, OUT), BRA(0, 1, 1, 3), PUT(1), NOP,
	  EXIT | ADDI(SEND, 0, 1, 1), NOP }, { 5 }, { 5, 6 }, 0 },
	{ "macro: too many parameters", { ADDI(MADDR, 0, 0, OUT), EXIT | PUT(1), NOP }, { 5, 6 },
	  { 5 }, 1 },
	{ "macro: too few", { ADDI(MADDR, 0, 0, OUT), GET(2), EXIT | PUT(1), NOP }, { 5 }, { 0 }, 1 },
	{ "macro: no instruction", { 6 }, { 5 }, { 0 }, 1 },
	{ "macro: without an end", { BRA(0, 1, 0, 0) }, { 5 }, { 0 }, 1 },
	{ "macro: methods that it does not reach", { ADDI(MADDR, 0, 0, 0x1dff), PUT(1), PUT(1),
	  ADDI(MADDR, 0, 0, 4), PUT(1), EXIT | ADDI(MADDR, 0, 0, OUT), PUT(1) }, { 5 }, { 5 }, 0 },
};

static void macro(struct bench *b, u32 n, u32 pos, const u32 *code, u32 words)
{
	mthd(b, 0x011c, n);
	mthd(b, 0x0120, pos);
	mthd(b, 0x0114, pos);
	for (u32 i = 0; i < words; i++)
		mthd(b, 0x0118, code[i]);
}

static void run_macros(void)
{
	/* as Mesa's for draws whose parameters are in memory: count, then how often */
	static const u32 draw[] = {
		GET(2), GET(3), ADDI(MOV, 4, 0, 1), ADDI(MADDR, 0, 0, 0x586), PUT(1),
		ADDI(MADDR, 0, 0, 0x35e), PUT(2), ALU(2, MOV, 3, 3, 4), ADDI(MADDRSEND, 0, 0, 0x585),
		BRA(1, 0, 3, -6), BITS(2, MOV, 1, 1, 4, 0, 1, 26), EXIT | NOP, NOP,
	};
	s64 want, got;
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(macros); i++) {
		const u32 *state;
		bool good = true;

		setup(&b, 0x9097);
		macro(&b, 3, 0x7f8, macros[i].code, ARRAY_LEN(macros[i].code));
		mthd(&b, 0x1104, 0x1234);
		for (u32 n = 0; n < ARRAY_LEN(macros[i].data) && macros[i].data[n]; n++)
			mthd(&b, n ? 0x381c : 0x3818, macros[i].data[n]);
		mthd(&b, 0x1108, 0x77);
		work(&b, 1);
		state = b.card->pfifo.chan[CH].state + GR_3D * GR_METHODS;
		for (u32 n = 0; n < ARRAY_LEN(macros[i].sent); n++)
			good &= state[0x1000 / 4 + n] == macros[i].sent[n];
		check(good && b.logs == macros[i].logs && state[0x1108 / 4] == 0x77 &&
		      vram32(&b, FENCE(CH)) == 1, macros[i].name,
		      "%#x %#x %#x %#x, %u lines of log, fence %u", state[0x400], state[0x401],
		      state[0x402], state[0x403], b.logs, vram32(&b, FENCE(CH)));
		bench_fini(&b);
	}

	setup(&b, 0x9097);
	target(&b);
	mthd(&b, 0x0c00, 8 << 16);
	mthd(&b, 0x0c04, 8 << 16);
	macro(&b, 7, 0, draw, ARRAY_LEN(draw));
	work(&b, 1);
	got = -busy(&b);
	mthd(&b, 0x3838, 4);
	mthd(&b, 0x383c, 300);
	mthd(&b, 0x383c, DRAWS);
	work(&b, 2);
	got += busy(&b);
	want = DRAWS * cost_draw(&chip_gf100, 300, VP_LENGTH, 64, FP_LENGTH, 64 * 4);
	check(got > want && got < want + DRAWS * 10 && !b.logs, "macro: draws take their time",
	      "%lld ns, want %lld, %u lines of log", (long long)got, (long long)want, b.logs);
	bench_fini(&b);
}

/*
 * Work that a macro sends is cut off with its channel, and done anew when that is back: a clear,
 * behind which the macro waits for a parameter, then a draw.
 */
static void run_off_and_on(void)
{
	static const u32 code[] = {
		ADDI(MADDR, 0, 0, 0x19d0 / 4), ADDI(PARM_SEND, 2, 0, 0x3c), ADDI(MADDR, 0, 0, 0x586),
		PUT(0), ADDI(MADDR, 0, 0, 0x35e), PUT(2), ADDI(MADDR, 0, 0, 0x585), PUT(0),
		ADDI(MADDR, 0, 0, OUT), EXIT | PUT(1), NOP,
	};
	s64 clear = cost_pixels(&chip_gf100, 480000, 480000 * 4, 0), before, got;
	s64 draw = cost_draw(&chip_gf100, 3, VP_LENGTH, 480000, FP_LENGTH, 480000 * 4);
	const u32 *state;
	struct bench b;

	setup(&b, 0x9097);
	target(&b);
	macro(&b, 7, 0, code, ARRAY_LEN(code));
	work(&b, 1);
	before = busy(&b);
	mthd(&b, 0x3838, 5);
	mthd(&b, 0x383c, 3);
	gf_fence(&b, CH, 2);
	gf_kick(&b, CH);
	for (u32 i = 0; i < 2; i++) {
		s64 cut = i ? clear + draw / 2 : clear / 2;

		bench_run(&b, b.now + cut);
		wr(&b, 0x3004 + 8 * CH, 0);
		wr(&b, 0x3000 + 8 * CH, 0);
		bench_run(&b, b.now + 1000000);
		wr(&b, 0x3000 + 8 * CH, 0xc0000000 | b.chan[CH].inst >> 12);
		wr(&b, 0x3004 + 8 * CH, 0x001f0001);
		bench_run(&b, b.now + cost_switch(&chip_gf100));
	}
	bench_run(&b, b.now + 10000000);
	state = b.card->pfifo.chan[CH].state + GR_3D * GR_METHODS;
	check(!b.logs && state[0x1000 / 4] == 5 && vram32(&b, FENCE(CH)) == 2,
	      "macro, cut off: goes on where it was", "%u lines of log, %u sent, fence %u", b.logs,
	      state[0x1000 / 4], vram32(&b, FENCE(CH)));
	got = busy(&b) - before - clear / 2 - clear - draw / 2 - draw;
	check(got >= 0 && got < 100, "... and its work is done anew", "%lld ns more", (long long)got);
	bench_fini(&b);
}

/* ---- M2MF ------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	struct face in;
	struct face out;
	u32 length;
	u32 lines;
	bool push;		/* what is at @in comes by the pushbuffer */
} copies[] = {
	{ "lines with gaps", LINES(SRC, 256), LINES(DST, 512), 100, 50, false },
	{ "into a block-linear surface", LINES(SRC, 256), { DST, 0, 256, 64, 0x20, 0, 0 }, 256, 64,
	  false },
	{ "out of one", { SRC, 0, 256, 64, 0x10, 0, 0 }, LINES(DST, 256), 256, 64, false },
	{ "between two of different blocks", { SRC, 0, 256, 64, 0x00, 0, 0 },
	  { DST, 0, 256, 64, 0x40, 0, 0 }, 256, 64, false },
	{ "a part of each", { SRC, 0, 256, 64, 0x20, 65, 7 }, { DST, 0, 320, 80, 0x30, 3, 9 }, 99,
	  33, false },
	{ "from guest memory into blocks", LINES(BENCH_GART + 12, 100),
	  { DST, 0, 320, 80, 0x30, 4, 2 }, 100, 33, false },
	{ "by the pushbuffer", LINES(SRC, 64), LINES(DST, 64), 61, 1, true },
	{ "by the pushbuffer into blocks", LINES(SRC, 8), { DST, 0, 256, 64, 0x20, 62, 7 }, 7, 5,
	  true },
};

static void face(struct bench *b, const struct face *f, bool out)
{
	const u32 blocks[] = { f->block, f->width, f->height, 1, 0 };

	mthd(b, out ? 0x238 : 0x30c, (u32)(f->addr >> 32));
	mthd(b, out ? 0x23c : 0x310, (u32)f->addr);
	mthd(b, out ? 0x318 : 0x314, f->pitch);
	for (u32 i = 0; !f->pitch && i < ARRAY_LEN(blocks); i++)
		mthd(b, (out ? 0x220 : 0x204) + 4 * i, blocks[i]);
	mthd(b, out ? 0x34c : 0x344, f->x);
	mthd(b, out ? 0x350 : 0x348, f->y);
}

static void run_copies(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(copies); i++) {
		const struct face *in = &copies[i].in, *out = &copies[i].out;
		u32 wrong = 0, touched = 0, length = copies[i].length, lines = copies[i].lines;

		setup(&b, 0x9039);
		memset(b.vram + DST, 0, 0x20000);
		face(&b, in, false);
		face(&b, out, true);
		mthd(&b, 0x31c, length);
		mthd(&b, 0x320, lines);
		mthd(&b, 0x300, copies[i].push | (in->pitch ? 0x10 : 0) | (out->pitch ? 0x100 : 0));
		for (u32 y = 0; copies[i].push && y < lines; y++) {
			for (u32 x = 0; x < length; x += 4) {
				u32 word;

				memcpy(&word, bench_mem(&b, face_at(in, GOB, x, y)), 4);
				mthd(&b, 0x304, word);
			}
		}
		if (copies[i].push)
			mthd(&b, 0x304, 0xdeadbeef);	/* more than asked for */
		work(&b, 1);
		for (u32 y = 0; y < lines; y++)
			for (u32 x = 0; x < length; x++) {
				u8 *to = bench_mem(&b, face_at(out, GOB, x, y));

				wrong += *to != *bench_mem(&b, face_at(in, GOB, x, y));
				*to = 0;
			}
		for (u32 x = 0; x < 0x20000; x++)
			touched += b.vram[DST + x] != 0;
		check(!wrong && !touched && vram32(&b, FENCE(CH)) == 1 && !b.logs, copies[i].name,
		      "%u bytes wrong, %u touched beside, fence %u, %u lines of log", wrong,
		      touched, vram32(&b, FENCE(CH)), b.logs);
		bench_fini(&b);
	}

	setup(&b, 0x9039);
	mthd(&b, 0x238, 0x7f);
	mthd(&b, 0x31c, 4);
	mthd(&b, 0x320, 1);
	mthd(&b, 0x300, 0x111);
	mthd(&b, 0x304, 1);
	work(&b, 1);
	check(rd(&b, 0x259c) && vram32(&b, FENCE(CH)) != 1, "data without memory are a fault",
	      "units %#x, fence %u", rd(&b, 0x259c), vram32(&b, FENCE(CH)));
	bench_fini(&b);
}

/* ---- 2D -------------------------------------------------------------------------------------- */

static void run_fill(void)
{
	static const struct { u32 mthd, data; } fill[] = {
		{ 0x200, FORMAT_32 }, { 0x204, 0 }, { 0x208, 0x10 }, { 0x20c, 1 }, { 0x210, 0 },
		{ 0x218, 64 }, { 0x21c, 64 }, { 0x220, 0 }, { 0x224, DST }, { 0x2ac, 3 },
		{ 0x580, 4 }, { 0x588, 0x11223344 }, { 0x600, 20 }, { 0x604, 20 }, { 0x608, 40 },
		{ 0x60c, 30 },
	};
	static const struct face dst = { DST, 0, 256, 64, 0x10, 0, 0 };
	struct bench b;
	u32 wrong = 0;

	setup(&b, 0x902d);
	for (u32 i = 0; i < ARRAY_LEN(fill); i++)
		mthd(&b, fill[i].mthd, fill[i].data);
	work(&b, 1);
	for (u32 y = 0; y < 64; y++)
		for (u32 x = 0; x < 64; x++)
			wrong += (vram32(&b, face_at(&dst, GOB, 4 * x, y)) == 0x11223344) !=
				 (x >= 20 && x < 40 && y >= 20 && y < 30);
	check(!wrong && vram32(&b, FENCE(CH)) == 1, "2D: blocks of gobs of 8 lines", "%u wrong; fence %u",
	      wrong, vram32(&b, FENCE(CH)));
	bench_fini(&b);
}

/* ---- objects of the driver's own ------------------------------------------------------------- */

static void run_software(void)
{
	struct card_truth t;
	struct bench b;

	setup(&b, 0x9097);
	gf_mthd(&b, CH, 7, 0, 0x1f906e);
	gf_mthd(&b, CH, 7, 0x400, 5);
	work(&b, 1);
	for (u32 i = 0; i < 2; i++) {
		check_eq("software: its method is told", rd(&b, 0x040108), 1 << 23);
		check_eq("... and which", rd(&b, 0x0400c0), 0x80000000 | 7 << 16 | (i ? 0x400 : 0));
		check_eq("... with its datum", rd(&b, 0x0400c4), i ? 5 : 0x1f906e);
		check(vram32(&b, FENCE(CH)) != 1, "... the channel waits", "it did not");
		wr(&b, 0x040108, 1 << 23);
		wr(&b, 0x25a0, 1);
		bench_run(&b, b.now + 1000000);
	}
	check_eq("... and goes on", vram32(&b, FENCE(CH)), 1);
	card_truth(b.card, b.now, &t);
	check_eq("... which is no error", t.errors, 0);
	gf_mthd(&b, CH, 6, 0x400, 5);
	work(&b, 2);
	card_truth(b.card, b.now, &t);
	check_eq("a method without an object is", t.errors, 1);
	bench_fini(&b);
}

int main(void)
{
	run_draws();
	run_queries();
	run_macros();
	run_off_and_on();
	run_copies();
	run_fill();
	run_software();
	return done();
}
