// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes work by the published rates of the GeForce 9800 GT and writes the compute program.
 * Called while tgload sets up and for each group; no state.
 *
 * Compute: 14 multiprocessors at a shader clock of 1.5 GHz, each taking four clocks for one
 * instruction of a warp of 32 threads (eight processors to a multiprocessor). A grid of B blocks
 * of W warps running I instructions so takes B * W * I * 4 / (14 * 1.5e9) seconds once there is a
 * block for every multiprocessor, and that long even if there is not.
 * Fill: 16 raster units at 600 MHz, one pixel of four bytes each a clock: 9.6e9 pixels a second.
 * Copy: 57.6e9 bytes a second of memory bandwidth, shared by reading and writing.
 */
#include "work.h"

#define SM_COUNT		14
#define SM_CLOCKS_PER_NS_X2	3	/* 1.5 GHz, doubled to stay whole */
#define CLOCKS_PER_INSN		4
#define WARP_THREADS		32
#define BLOCK_CLOCKS	((uint64_t)TGL_BLOCK_THREADS / WARP_THREADS * \
			 TGL_PROGRAM_INSNS * CLOCKS_PER_INSN)
/* What all multiprocessors together offer: 21 clocks a nanosecond. */
#define CARD_CLOCKS_PER_NS	(SM_COUNT * SM_CLOCKS_PER_NS_X2 / 2)
#define GRID_MAX		65535

/* 1024 pixels at 9.6 a nanosecond, and 4096 bytes each way at 57.6 a nanosecond, in picoseconds */
#define FILL_LINE_PS		(TGL_LINE_PIXELS * 10000ull / 96)
#define COPY_LINE_PS		(2 * TGL_LINE_BYTES * 10000ull / 576)

static uint64_t nearest(uint64_t a, uint64_t b)
{
	return (a + b / 2) / b;
}

static void size_grid(struct tgl_work *work, uint64_t cost_ns)
{
	uint64_t blocks = nearest(cost_ns * CARD_CLOCKS_PER_NS, BLOCK_CLOCKS);

	if (blocks < SM_COUNT)
		blocks = SM_COUNT;
	/* Rows are whole: with more than one, the grid is off by less than half a block a row. */
	work->grid_y = (blocks + GRID_MAX - 1) / GRID_MAX;
	work->grid_x = nearest(blocks, work->grid_y);
	blocks = (uint64_t)work->grid_x * work->grid_y;
	work->ps = blocks * BLOCK_CLOCKS * 1000 / CARD_CLOCKS_PER_NS;
}

static void size_lines(struct tgl_work *work, uint64_t cost_ns, uint64_t line_ps)
{
	uint64_t lines = nearest(cost_ns * 1000, line_ps);

	if (lines < 1)
		lines = 1;
	if (lines > TGL_LINES_MAX)
		lines = TGL_LINES_MAX;
	work->lines = lines;
	work->ps = lines * line_ps;
}

struct tgl_work tgl_work_size(enum tgl_kind kind, uint64_t cost_ns)
{
	struct tgl_work work = { .kind = kind };

	switch (kind) {
	case TGL_COMPUTE:
		size_grid(&work, cost_ns);
		break;
	case TGL_FILL:
		size_lines(&work, cost_ns, FILL_LINE_PS);
		break;
	case TGL_COPY:
		size_lines(&work, cost_ns, COPY_LINE_PS);
		break;
	}
	return work;
}

/*
 * A Weyl sequence: the multiples of the golden ratio, modulo 1, fill the interval more evenly than
 * random numbers do, without an order that is seen at once. 24 bits of it, so that nothing wraps.
 */
#define GOLDEN		2654435769u	/* 2^32 divided by the golden ratio */
#define APART		2246822507u	/* sequences of neighbouring seeds begin far apart */

uint64_t tgl_vary(uint64_t cost_ns, unsigned int percent, uint32_t seed, uint64_t frame)
{
	uint64_t span = cost_ns * percent / 100;
	uint32_t at = (seed * APART + (uint32_t)frame * GOLDEN) >> 8;

	return cost_ns - span + (2 * span * at >> 24);
}

/*
 * 32-bit float multiply-add rD = rA * rB + rC, always executed. Word 0: opcode in bits 28 to 31,
 * D from bit 2, A from bit 9, B from bit 16; bit 0 says that the instruction is long. Word 1: C
 * from bit 14, condition "always" in bits 7 to 11; the value 1 in bits 0 and 1 exits afterwards.
 */
#define MAD_F32		0xe0000001u
#define ALWAYS		0x00000780u
#define EXIT		0x00000001u

void tgl_program(uint32_t *words)
{
	unsigned int i;

	/* Four accumulators in turn, so that no instruction waits for the one before. */
	for (i = 0; i < TGL_PROGRAM_INSNS; i++) {
		unsigned int d = i % 4, other = 4 + i % 4;

		*words++ = MAD_F32 | d << 2 | other << 9 | other << 16;
		*words++ = ALWAYS | d << 14;
	}
	words[-1] |= EXIT;
}
