// SPDX-License-Identifier: GPL-2.0
/*
 * compute.c - launches: how a program's length is counted, what a launch costs, what cannot be
 * launched; and the queries of compute and 3D.
 */
#include <string.h>

#include "chip.h"
#include "cost.h"
#include "lib.h"

#define CH	1
#define CODE	0x3200000u

#define L(exit)	0xf0000001, 0xe0000000 | (exit)	/* a long instruction */
#define S	0x10000000			/* a short one */

static const struct {
	const char *name;
	u32 word[16];
	u32 at;			/* the program starts there, from CODE on */
	u32 start_id;
	u32 grid;
	u32 xy, z, alloc;
	u32 instructions;	/* 0: the launch fails */
	u64 blocks;
	u32 threads;
} rows[] = {
	{ "one long instruction", { L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 1, 1, 32 },
	{ "long ones", { L(0), L(0), L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 3, 1, 32 },
	{ "short ones count too", { S, S, L(0), S, L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32,
	  5, 1, 32 },
	{ "an immediate is no exit", { L(3), L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 2, 1,
	  32 },
	{ "nor is a join", { L(2), L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 2, 1, 32 },
	{ "start offset", { L(1), L(0), L(1) }, 0, 8, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 2, 1, 32 },
	{ "over a page boundary", { L(0), L(0), L(1) }, 0xfff4, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32,
	  3, 1, 32 },
	{ "grid of two dimensions", { L(1) }, 0, 0, 70 << 16 | 30, 1 << 16 | 32, 1, 32, 1, 2100,
	  32 },
	{ "threads by allocation", { L(1) }, 0, 0, 1 << 16 | 100, 8 << 16 | 8, 2, 96, 1, 100, 96 },
	{ "threads by dimensions", { L(1) }, 0, 0, 1 << 16 | 100, 8 << 16 | 8, 2, 0, 1, 100, 128 },
	{ "no blocks", { L(1) }, 0, 0, 1 << 16, 1 << 16 | 32, 1, 32, 0, 0, 0 },
	{ "no threads", { L(1) }, 0, 0, 1 << 16 | 1, 0, 1, 0, 0, 0, 0 },
	{ "too many threads", { L(1) }, 0, 0, 1 << 16 | 1, 1 << 16 | 513, 1, 513, 0, 0, 0 },
	{ "code that is not there", { L(1) }, 0x70000000, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 0, 0,
	  0 },
	{ "unaligned code", { L(1) }, 2, 0, 1 << 16 | 1, 1 << 16 | 32, 1, 32, 0, 0, 0 },
};

static void setup(struct bench *b)
{
	bench_init(b, 1);
	bench_start(b);
	chan_open(b, CH);
	chan_bind(b, CH, SUB_COMPUTE);
	chan_bind(b, CH, SUB_3D);
	chan_kick(b, CH);
	bench_run(b, b->now + 1000000);
}

static void run_launches(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct card_truth t0, t;
		s64 want;

		setup(&b);
		if (rows[i].at + sizeof(rows[i].word) < BENCH_VRAM - CODE)
			memcpy(b.vram + CODE + rows[i].at, rows[i].word, sizeof(rows[i].word));
		card_truth(b.card, b.now, &t0);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x210, 0);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x214, CODE + rows[i].at);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x3b4, rows[i].start_id);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x3a4, rows[i].grid);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x3ac, rows[i].xy);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x3b0, rows[i].z);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x2b4, rows[i].alloc);
		chan_mthd(&b, CH, SUB_COMPUTE, 0x368, 0);
		chan_fence(&b, CH, 1);
		chan_kick(&b, CH);
		bench_run(&b, b.now + 10000000);
		card_truth(b.card, b.now, &t);
		if (!rows[i].instructions) {
			check(rd(&b, R_GR_INTR) & 0x300000, rows[i].name, "no error");
			bench_fini(&b);
			continue;
		}
		want = cost_launch(&chip_g92, rows[i].blocks, rows[i].threads, rows[i].instructions) +
		       cost_methods(&chip_g92, 8);
		check(t.busy_ns - t0.busy_ns == want && vram32(&b, FENCE(CH)) == 1, rows[i].name,
		      "%lld ns, want %lld; fence %u", (long long)(t.busy_ns - t0.busy_ns),
		      (long long)want, vram32(&b, FENCE(CH)));
		bench_fini(&b);
	}
}

static const struct {
	const char *name;
	u32 sub;
	u32 mthd;
	u32 get;
	bool time;
} queries[] = {
	{ "compute query with time", SUB_COMPUTE, 0x310, 0, true },
	{ "compute query, short", SUB_COMPUTE, 0x310, 0x8000, false },
	{ "3D query with time", SUB_3D, 0x1b00, 0x10, true },
	{ "3D query, short", SUB_3D, 0x1b00, 0x8010, false },
};

static void run_queries(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(queries); i++) {
		u64 time;
		s64 start;

		setup(&b);
		memset(b.vram + CODE, 0x55, 16);
		start = b.now;
		wr(&b, 0x9410, 0);
		wr(&b, 0x9400, 0);
		chan_launch(&b, CH, 1000);
		chan_mthd(&b, CH, queries[i].sub, queries[i].mthd, 0);
		chan_mthd(&b, CH, queries[i].sub, queries[i].mthd + 4, CODE);
		chan_mthd(&b, CH, queries[i].sub, queries[i].mthd + 8, 0xabcd);
		chan_mthd(&b, CH, queries[i].sub, queries[i].mthd + 12, queries[i].get);
		chan_fence(&b, CH, 1);
		chan_kick(&b, CH);
		bench_run(&b, start + launch_ns(1000) - 1);
		check_eq("not before the work is done", vram32(&b, CODE), 0x55555555);
		bench_run(&b, start + 10000000);
		memcpy(&time, b.vram + CODE + 8, sizeof(time));
		check(vram32(&b, CODE) == 0xabcd, queries[i].name, "%#x", vram32(&b, CODE));
		if (queries[i].time)
			check(!vram32(&b, CODE + 4) && (s64)time + 32 >= launch_ns(1000) &&
			      (s64)time < launch_ns(1000) + 200, "... and the time is right",
			      "%llu", (unsigned long long)time);
		else
			check_eq("... and nothing else is written", time, 0x5555555555555555);
		bench_fini(&b);
	}
}

static void run_objects(void)
{
	struct bench b;

	setup(&b);
	chan_mthd(&b, CH, SUB_BAD, 0x0000, BENCH_BAD);
	chan_kick(&b, CH);
	bench_run(&b, b.now + 1000000);
	check_eq("an object of an unknown class", rd(&b, R_GR_INTR), 0x20);
	bench_fini(&b);

	setup(&b);
	chan_mthd(&b, CH, SUB_COMPUTE, 0x01c0, 0x777);
	chan_kick(&b, CH);
	bench_run(&b, b.now + 1000000);
	check_eq("a DMA object that is not there", rd(&b, R_GR_INTR), 0x10);
	check_eq("its method", rd(&b, 0x400704), 0x80000000 | SUB_COMPUTE << 16 | 0x1c0);
	check_eq("its parameter", rd(&b, 0x400708), 0x777);
	bench_fini(&b);
}

int main(void)
{
	run_launches();
	run_queries();
	run_objects();
	return done();
}
