// SPDX-License-Identifier: GPL-2.0
/*
 * How much work tgload asks for: grids and lines by the published rates, worked out by hand here.
 * A block is 2 warps of 256 instructions, 2048 clocks of one of 14 multiprocessors at 1.5 GHz.
 */
#include <inttypes.h>

#include "tgload_test.h"
#include "units.h"
#include "work.h"

/* A block is 512 clocks of one of 15 multiprocessors at 1.401 GHz, 21.015 clocks a nanosecond. */
static const struct {
	const char *name;
	enum tgl_kind kind;
	uint64_t cost_ns;
	uint32_t n;
	uint64_t ps;
} gf100[] = {
	{ "GF100: 15 blocks are the least", TGL_COMPUTE, 1, 15, 365453 },
	{ "GF100: 1 ms of blocks", TGL_COMPUTE, 1000000, 41045, 1000001903 },
	{ "GF100: fill, never less than a line", TGL_FILL, 1, 1, 30476 },
	{ "GF100: fill, 10 us", TGL_FILL, 10000, 328, 9996128 },
	{ "GF100: copy, 10 us", TGL_COPY, 10000, 217, 10020626 },
	{ "GF100: copy, cut to the buffer", TGL_COPY, 1000000, 1008, 46547424 },
	{ "GF100: upload, once", TGL_UPLOAD, 1, 1, 77833728 },
	{ "GF100: upload, 1 ms", TGL_UPLOAD, 1000000, 13, 1011838464 },
	{ "GF100: upload, cut to the push buffer", TGL_UPLOAD, 1000000000, 256, 19925434368 },
};

static const struct {
	const char *name;
	uint64_t cost_ns;
	uint32_t x, y;
	uint64_t ps;
} grids[] = {
	{ "compute: 1 us is 10.25 blocks, but 14 are the least", 1000, 14, 1, 1365333 },
	{ "compute: nothing", 0, 14, 1, 1365333 },
	{ "compute: 1 ns", 1, 14, 1, 1365333 },
	{ "compute: 100 us", 100000, 1025, 1, 99961904 },
	{ "compute: 1 ms", 1000000, 10254, 1, 1000009142 },
	{ "compute: 4 ms", 4000000, 41016, 1, 4000036571 },
	{ "compute: the longest row", 6391223, 65535, 1, 6391222857 },
	{ "compute: 20 ms takes rows", 20000000, 51270, 4, 20000182857 },
	{ "compute: 60 s", UINT64_C(60000000000), 65534, 9388, UINT64_C(59999884629333) },
	{ "compute: 120 s", UINT64_C(120000000000), 65534, 18776, UINT64_C(119999769258666) },
};

static const struct {
	const char *name;
	enum tgl_kind kind;
	uint64_t cost_ns;
	uint32_t lines;
	uint64_t ps;
} lines[] = {
	{ "fill: never less than a line", TGL_FILL, 1, 1, 106666 },
	{ "fill: 10 us", TGL_FILL, 10000, 94, 10026604 },
	{ "fill: cut to the buffer", TGL_FILL, 1000000, 1008, 107519328 },
	{ "copy: never less than a line", TGL_COPY, 1, 1, 142222 },
	{ "copy: 10 us", TGL_COPY, 10000, 70, 9955540 },
	{ "copy: cut to the buffer", TGL_COPY, 1000000, 1008, 143359776 },
};

/* Asking for any time gives it to one part in two thousand, from 100 us on. */
static void check_error(const struct tgl_rates *rates)
{
	uint64_t cost, worst = 0, at = 0;

	for (cost = 100000; cost < 60 * TGL_NS_PER_SEC; cost += cost / 97) {
		struct tgl_work work = tgl_work_size(rates, TGL_COMPUTE, cost);
		uint64_t asked = cost * 1000;
		uint64_t off = work.ps > asked ? work.ps - asked : asked - work.ps;

		if (off * 1000000 / asked > worst || !work.grid_x || work.grid_x > 65535 ||
		    work.grid_y > 65535) {
			worst = off * 1000000 / asked;
			at = cost;
		}
	}
	test_row("compute: any cost within 500 ppm", worst <= 500,
		 "%s: %" PRIu64 " ppm at %" PRIu64 " ns", rates->name, worst, at);
}

#define FRAMES	10000
#define WINDOW	100

/* Costs of --vary: within the bounds, and spread evenly over any stretch of frames. */
static const struct {
	const char *name;
	uint64_t cost_ns;
	unsigned int percent;
	uint32_t seed;
} spreads[] = {
	{ "vary: a third", 4000000, 32, 0 },
	{ "vary: a third, another seed", 4000000, 32, 1 },
	{ "vary: from nothing to twice", 4000000, 100, UINT32_MAX },
	{ "vary: the longest groups", 60 * TGL_NS_PER_SEC, 100, 7 },
	{ "vary: one percent of 1 us", 1000, 1, 12345 },
};

static void check_spread(size_t nr)
{
	uint64_t cost = spreads[nr].cost_ns, span = cost * spreads[nr].percent / 100;
	uint64_t costs[FRAMES], sum = 0, off, worst = 0;
	unsigned int i, tenths[10] = { 0 }, outside = 0, uneven = 0;

	for (i = 0; i < FRAMES; i++) {
		costs[i] = tgl_vary(cost, spreads[nr].percent, spreads[nr].seed, i);
		if (costs[i] < cost - span || costs[i] >= cost + span)
			outside++;
		else
			tenths[(costs[i] - (cost - span)) * 10 / (2 * span)]++;
		sum += costs[i];
		if (i < WINDOW - 1)
			continue;
		off = sum > WINDOW * cost ? sum - WINDOW * cost : WINDOW * cost - sum;
		if (off > worst)
			worst = off;
		sum -= costs[i - (WINDOW - 1)];
	}
	for (i = 0; i < 10; i++)
		uneven += tenths[i] < FRAMES / 10 - 10 || tenths[i] > FRAMES / 10 + 10;
	/* 3 % of the span, and what whole nanoseconds make */
	test_row(spreads[nr].name, !outside && !uneven && worst * 100 <= WINDOW * (3 * span + 100),
		 "%u outside, %u tenths uneven, a mean of %u is off by %" PRIu64 " of %" PRIu64
		 " ns", outside, uneven, WINDOW, worst / WINDOW, span);
}

static void check_vary(void)
{
	unsigned int i, same = 0, seeds = 0;

	for (i = 0; i < ARRAY_SIZE(spreads); i++)
		check_spread(i);
	for (i = 0; i < FRAMES; i++) {
		same += tgl_vary(4000000, 0, i, i) == 4000000;
		seeds += tgl_vary(4000000, 32, 0, i) == tgl_vary(4000000, 32, 1, i);
	}
	test_row("vary: by 0 %, all frames are the same", same == FRAMES, "%u are", same);
	test_row("vary: seeds differ", !seeds, "%u frames are the same", seeds);
	test_row("vary: what frame 12 of seed 3 costs stays what it is",
		 tgl_vary(4000000, 32, 3, 12) == 5243635, "%" PRIu64 " ns",
		 tgl_vary(4000000, 32, 3, 12));
}

static void check_program(void)
{
	uint32_t words[TGL_PROGRAM_WORDS];
	unsigned int i, long_ones = 0, exits = 0;

	tgl_program(words);
	for (i = 0; i < TGL_PROGRAM_WORDS; i += 2) {
		long_ones += words[i] & 1;
		exits += (words[i + 1] & 3) == 1;
	}
	test_row("program: every instruction is long", long_ones == TGL_PROGRAM_INSNS,
		 "%u of %u", long_ones, TGL_PROGRAM_INSNS);
	test_row("program: the last instruction exits, and only that",
		 exits == 1 && (words[TGL_PROGRAM_WORDS - 1] & 3) == 1, "%u exits", exits);
	/* as an independent disassembler reads it: add f32 $r0 (mul $r4 $r4) $r0 */
	test_row("program: multiply-add", words[0] == 0xe0040801 && words[1] == 0x00000780,
		 "%08x %08x", words[0], words[1]);
	tgl_program_gf100(words);
	for (i = 0, exits = 0; i < TGL_PROGRAM_WORDS; i += 2)
		exits += words[i + 1] >> 26 == 0x20;
	test_row("GF100's program: the last instruction exits, and only that",
		 exits == 1 && words[TGL_PROGRAM_WORDS - 2] == 0x1de7, "%u exits", exits);
	/* ffma $r0 $r4 $r4 $r0 */
	test_row("GF100's program: multiply-add", words[0] == 0x10401c00 && words[1] == 0x30000000,
		 "%08x %08x", words[0], words[1]);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(grids); i++) {
		struct tgl_work w = tgl_work_size(&tgl_g92, TGL_COMPUTE, grids[i].cost_ns);

		test_row(grids[i].name, w.kind == TGL_COMPUTE && w.grid_x == grids[i].x &&
			 w.grid_y == grids[i].y && w.ps == grids[i].ps,
			 "%u x %u, %" PRIu64 " ps", w.grid_x, w.grid_y, w.ps);
	}
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct tgl_work w = tgl_work_size(&tgl_g92, lines[i].kind, lines[i].cost_ns);

		test_row(lines[i].name, w.kind == lines[i].kind && w.lines == lines[i].lines &&
			 w.ps == lines[i].ps, "%u lines, %" PRIu64 " ps", w.lines, w.ps);
	}
	for (i = 0; i < ARRAY_SIZE(gf100); i++) {
		struct tgl_work w = tgl_work_size(&tgl_gf100, gf100[i].kind, gf100[i].cost_ns);
		uint32_t n = w.kind == TGL_COMPUTE ? w.grid_x * w.grid_y :
			     w.kind == TGL_UPLOAD ? w.passes : w.lines;

		test_row(gf100[i].name, w.kind == gf100[i].kind && n == gf100[i].n &&
			 w.ps == gf100[i].ps, "%u, %" PRIu64 " ps", n, w.ps);
	}
	check_error(&tgl_g92);
	check_error(&tgl_gf100);
	check_vary();
	check_program();
	return test_end();
}
