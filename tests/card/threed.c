// SPDX-License-Identifier: GPL-2.0
/*
 * threed.c - what clears and draws cost; notifiers; caches after a switch; jitter.
 */
#include <stdio.h>
#include <string.h>

#include "chip.h"
#include "cost.h"
#include "dev.h"
#include "lib.h"

#define CH	1
#define CODE	0x3200000u
#define NOTE	0x3300000u

#define VP_LENGTH	10
#define FP_LENGTH	20
#define FORMAT_32	0xcf	/* 4 bytes a pixel */

static void program(struct bench *b, u32 at, u32 length)
{
	for (u32 i = 0; i < length; i++) {
		vram_set32(b, at + 8 * i, 0xf0000001);
		vram_set32(b, at + 8 * i + 4, i == length - 1 ? 0xe0000001 : 0xe0000000);
	}
}

static void threed(struct bench *b, u32 mthd, u32 data)
{
	chan_mthd(b, CH, SUB_3D, mthd, data);
}

/* A target of 800 by 600 with depth, and programs. */
static void target(struct bench *b)
{
	program(b, CODE + 0x100, VP_LENGTH);
	program(b, CODE + 0x1000, FP_LENGTH);
	chan_bind(b, CH, SUB_3D);
	threed(b, 0x0198, BENCH_DMA);
	threed(b, 0x0208, FORMAT_32);
	threed(b, 0x1240, 800);
	threed(b, 0x1244, 600);
	threed(b, 0x121c, 1);
	threed(b, 0x0ff4, 800 << 16);
	threed(b, 0x0ff8, 600 << 16);
	threed(b, 0x0c00, 800 << 16);
	threed(b, 0x0c04, 600 << 16);
	threed(b, 0x1228, 800);
	threed(b, 0x122c, 600);
	threed(b, 0x0f7c, 0);
	threed(b, 0x0f80, CODE);
	threed(b, 0x140c, 0x100);
	threed(b, 0x0fa4, 0);
	threed(b, 0x0fa8, CODE);
	threed(b, 0x1414, 0x1000);
}

static const struct {
	const char *name;
	struct { u32 mthd, data; } mthd[8];
	u64 vertices, pixels, bytes;	/* per pixel */
} rows[] = {
	{ "clear of colour", { { 0x19d0, 0x3c } }, 0, 480000, 4 },
	{ "clear of colour and depth", { { 0x19d0, 0x3f } }, 0, 480000, 8 },
	{ "clear of depth", { { 0x19d0, 0x01 } }, 0, 480000, 4 },
	{ "clear of nothing", { { 0x19d0, 0 } }, 0, 0, 0 },
	{ "clear within a scissor", { { 0xe00, 1 }, { 0xe04, 110 << 16 | 10 }, { 0xe08, 50 << 16 },
	  { 0x19d0, 0x3c } }, 0, 5000, 4 },
	{ "clear of the viewport", { { 0xc00, 400 << 16 }, { 0x143c, 0x10 }, { 0x19d0, 0x3c } }, 0,
	  240000, 4 },
	{ "clear of a target by pitch", { { 0x1240, BIT(31) | 3200 }, { 0x19d0, 0x3c } }, 0, 480000,
	  4 },
	{ "clear without a colour target", { { 0x121c, 0 }, { 0x1228, 100 }, { 0x122c, 10 },
	  { 0x19d0, 3 } }, 0, 1000, 4 },
	{ "draw of three vertices", { { 0x15dc, 4 }, { 0xd74, 0 }, { 0xd78, 3 }, { 0x15e0, 0 } }, 3,
	  480000, 4 },
	{ "draw with depth", { { 0x1538, 1 }, { 0x15dc, 4 }, { 0xd78, 3 }, { 0x15e0, 0 } }, 3,
	  480000, 12 },
	{ "draw of a million vertices", { { 0xc00, 8 << 16 }, { 0xc04, 8 << 16 }, { 0x15dc, 4 },
	  { 0xd78, 1000000 }, { 0x15e0, 0 } }, 1000000, 64, 4 },
	{ "draw of elements", { { 0x15dc, 4 }, { 0x15e8, 7 }, { 0x15f0, 7 }, { 0x1304, 7 },
	  { 0x15e0, 0 } }, 7, 480000, 4 },
	{ "draw of data", { { 0x1650, 0x77 }, { 0x15dc, 4 }, { 0x1640, 7 }, { 0x1640, 7 },
	  { 0x1640, 7 }, { 0x1640, 7 }, { 0x1640, 7 }, { 0x15e0, 0 } }, 0, 0, 0 },
	{ "... two vertices of it", { { 0x1650, 0x3 }, { 0x15dc, 4 }, { 0x1640, 7 },
	  { 0x1640, 7 }, { 0x1640, 7 }, { 0x1640, 7 }, { 0x1640, 7 }, { 0x15e0, 0 } }, 2, 480000, 4 },
	{ "draw of nothing", { { 0x15dc, 4 }, { 0xd78, 0 }, { 0x15e0, 0 } }, 0, 0, 0 },
};

static s64 busy(struct bench *b)
{
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	return t.busy_ns;
}

static void run_costs(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		s64 before, got, want = 0;
		u32 n = 0;

		bench_init(&b, 1);
		bench_start(&b);
		chan_open(&b, CH);
		target(&b);
		chan_fence(&b, CH, 1);
		chan_kick(&b, CH);
		bench_run(&b, b.now + 10000000);
		before = busy(&b);
		while (n < ARRAY_LEN(rows[i].mthd) && rows[i].mthd[n].mthd) {
			threed(&b, rows[i].mthd[n].mthd, rows[i].mthd[n].data);
			n++;
		}
		chan_fence(&b, CH, 2);
		chan_kick(&b, CH);
		bench_run(&b, b.now + 100000000);
		got = busy(&b) - before - cost_methods(&chip_g92, n);
		if (rows[i].vertices)
			want = cost_draw(&chip_g92, rows[i].vertices, VP_LENGTH, rows[i].pixels, FP_LENGTH,
					 rows[i].pixels * rows[i].bytes);
		else if (rows[i].pixels)
			want = cost_pixels(&chip_g92, rows[i].pixels, rows[i].pixels * rows[i].bytes, 0);
		check(got == want && vram32(&b, FENCE(CH)) == 2, rows[i].name,
		      "%lld ns, want %lld; fence %u", (long long)got, (long long)want,
		      vram32(&b, FENCE(CH)));
		bench_fini(&b);
	}
	/* by hand: 15001 warps of 20 instructions, 1 of 10, 4 clocks, 14 MPs at 1.5 GHz: 57.1 us */
	check_eq("a screen of 20 instructions is bound by shading",
		 (u64)cost_draw(&chip_g92, 3, 10, 480000, 20, 480000 * 4), 57149);
	check_eq("a screen of 1 by the ROPs", (u64)cost_draw(&chip_g92, 3, 10, 480000, 1, 480000 * 4),
		 50000);
	check_eq("a million vertices of 1 by their set-up",
		 (u64)cost_draw(&chip_g92, 1000000, 1, 64, 1, 256), 1666667);
}

/* Programs without an end, before the end of memory: to find that out takes the host its time. */
static void run_endless(void)
{
	struct bench b;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, CH);
	target(&b);
	threed(&b, 0x0f80, BENCH_VRAM - 4 * 1000000);
	threed(&b, 0x140c, 0);
	threed(&b, 0x0fa8, BENCH_VRAM - 4 * 1000000);
	threed(&b, 0x1414, 0);
	for (u32 i = 0; i < 4; i++) {
		threed(&b, 0x15dc, 4);
		threed(&b, 0x0d78, 3);
		threed(&b, 0x15e0, 0);
	}
	chan_fence(&b, CH, 1);
	chan_kick(&b, CH);
	bench_pass(&b, 10000000);
	check(card_next_event(b.card) <= b.now && !vram32(&b, FENCE(CH)),
	      "programs that cannot be read: one call does not read them all", "fence %u",
	      vram32(&b, FENCE(CH)));
	bench_run(&b, b.now);
	check_eq("... the next ones do", vram32(&b, FENCE(CH)), 1);
	bench_fini(&b);
}

/* A draw is cut off when its channel is switched off, and done anew when that is back. */
static void run_off_and_on(void)
{
	struct card_truth t;
	struct bench b;
	s64 before, ns = cost_draw(&chip_g92, 3, VP_LENGTH, 480000, FP_LENGTH, 480000 * 4);
	u32 ramfc;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, CH);
	ramfc = b.chan[CH].inst + 0x4200;
	target(&b);
	chan_fence(&b, CH, 1);
	chan_kick(&b, CH);
	bench_run(&b, b.now + 10000000);
	before = busy(&b);
	threed(&b, 0x15dc, 4);
	threed(&b, 0x0d78, 3);
	threed(&b, 0x15e0, 0);
	chan_fence(&b, CH, 2);
	chan_kick(&b, CH);
	for (u32 i = 0; i < 2; i++) {
		bench_run(&b, b.now + ns / 2);
		wr(&b, 0x2600 + 4 * CH, 0);
		bench_run(&b, b.now + 1000000);
		wr(&b, 0x2600 + 4 * CH, 0x80000000 | ramfc >> 8);
		bench_run(&b, b.now + cost_switch(&chip_g92));
	}
	check_eq("draw, cut off twice: not done", vram32(&b, FENCE(CH)), 1);
	bench_run(&b, b.now + 2 * ns);
	check_eq("... done", vram32(&b, FENCE(CH)), 2);
	card_truth(b.card, b.now, &t);
	check(t.busy_ns - before >= 2 * ns && t.busy_ns - before < 2 * ns + 100,
	      "... and its time is in the truth twice", "%lld of %lld", (long long)(t.busy_ns - before),
	      (long long)ns);
	bench_fini(&b);
}

/* ---- notifiers ------------------------------------------------------------------------------- */

static void run_notifiers(void)
{
	struct bench b;
	s64 start;

	for (u32 interrupt = 0; interrupt < 2; interrupt++) {
		bench_init(&b, 1);
		bench_start(&b);
		chan_open(&b, CH);
		chan_bind(&b, CH, SUB_COMPUTE);
		/* a DMA object of its own: video memory from NOTE on */
		vram_set32(&b, b.chan[CH].inst + 0x4600, 0x1003d);
		vram_set32(&b, b.chan[CH].inst + 0x4604, NOTE + 0xfff);
		vram_set32(&b, b.chan[CH].inst + 0x4608, NOTE);
		vram_set32(&b, b.chan[CH].inst + 0x8000 + 8 * 0x20, 0x20);
		vram_set32(&b, b.chan[CH].inst + 0x8004 + 8 * 0x20, 0x4600 >> 4);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0180, 0x20);
		chan_kick(&b, CH);
		bench_run(&b, b.now + 1000000);
		memset(b.vram + NOTE, 0xee, 32);
		start = b.now;
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0104, interrupt);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0210, 0);
		chan_kick(&b, CH);
		bench_run(&b, start + 10000);
		check(!vram32(&b, NOTE + 12) && vram32(&b, NOTE + 16) == 0xeeeeeeee,
		      interrupt ? "notifier with interrupt" : "notifier", "%#x %#x",
		      vram32(&b, NOTE + 12), vram32(&b, NOTE + 16));
		check_eq("... its interrupt", rd(&b, R_GR_INTR), interrupt);
		memset(b.vram + NOTE, 0xee, 32);
		chan_launch(&b, CH, 1000);
		b.chan[CH].push -= 8;
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0104, 0);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0368, 0);
		start = b.now;
		chan_kick(&b, CH);
		bench_run(&b, start + launch_ns(1000) - 1);
		check_eq("... of work that goes on", vram32(&b, NOTE + 12), 0xeeeeeeee);
		bench_run(&b, start + 2 * launch_ns(1000));
		check_eq("... that is done", vram32(&b, NOTE + 12), 0);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0180, 0x10);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0104, 0);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x0210, 0);
		chan_kick(&b, CH);
		bench_run(&b, b.now + 1000000);
		check_eq("... without memory: a trap", rd(&b, R_GR_INTR) & 0x200000, 0x200000);
		bench_fini(&b);
	}
}

/* ---- cold caches and jitter ------------------------------------------------------------------ */

/* Busy ns of one launch on each of two channels in turn, @n times. */
static s64 spread(bool cold, bool jitter, u64 seed, u32 n, s64 *least, s64 *most)
{
	static struct bench b;
	s64 sum = 0;

	bench_init(&b, 1);
	bench_start(&b);
	for (u32 c = 1; c <= 2; c++) {
		chan_open(&b, c);
		chan_bind(&b, c, SUB_COMPUTE);
		chan_fence(&b, c, 1);
		chan_kick(&b, c);
	}
	bench_run(&b, b.now + 10000000);
	b.card->config.cold = cold;
	b.card->config.jitter = jitter;
	b.card->cold_seed = seed;
	b.card->jitter_seed = seed;
	*least = INT64_MAX;
	*most = 0;
	for (u32 i = 0; i < n; i++) {
		s64 before = busy(&b), ns;

		chan_launch(&b, 1 + i % 2, 6563);
		chan_fence(&b, 1 + i % 2, 2 + i);
		chan_kick(&b, 1 + i % 2);
		bench_run(&b, b.now + 10000000);
		ns = busy(&b) - before - launch_ns(6563);
		sum += ns;
		*least = ns < *least ? ns : *least;
		*most = ns > *most ? ns : *most;
	}
	bench_fini(&b);
	return sum / n;
}

static void run_random(void)
{
	s64 least, most, mean, again, l, m;

	mean = spread(false, false, 1, 20, &least, &most);
	check(least == most && most < 200, "off: always the same", "%lld to %lld", (long long)least,
	      (long long)most);
	mean = spread(true, false, 1, 200, &least, &most);
	check(least >= 0 && most > 30000 && most < 37000 && mean > 15000 && mean < 21000,
	      "cold: up to 36 us, half of it on average", "%lld, %lld to %lld", (long long)mean,
	      (long long)least, (long long)most);
	again = spread(true, false, 1, 200, &l, &m);
	check(again == mean && l == least && m == most, "cold: the same seed, the same", "%lld",
	      (long long)again);
	again = spread(true, false, 2, 200, &l, &m);
	check(l != least && m != most, "cold: another seed, other", "%lld", (long long)again);
	mean = spread(false, true, 1, 200, &least, &most);
	check(least < -4500 && least > -5100 && most > 4500 && most < 5200 && mean > -600 &&
	      mean < 600, "jitter: half a percent of 1 ms, none on average", "%lld, %lld to %lld",
	      (long long)mean, (long long)least, (long long)most);
}

int main(void)
{
	run_costs();
	run_endless();
	run_off_and_on();
	run_notifiers();
	run_random();
	return done();
}
