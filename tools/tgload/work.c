// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes work by the published rates of the cards and writes the compute programs.
 * Called while tgload sets up and for each group; no state.
 *
 * A grid of B blocks of W warps running I instructions of C clocks takes B * W * I * C clocks of
 * the multiprocessors, once there is a block for every one of them, and as long as one block even
 * if there is not. Copies read and write each byte once; uploads read it over PCI Express, which
 * takes longer than to write it.
 */
#include "work.h"

#define WARP_THREADS		32
#define BLOCK_INSNS	((uint64_t)TGL_BLOCK_THREADS / WARP_THREADS * TGL_PROGRAM_INSNS)
#define GRID_MAX		65535

/*
 * Both boards have PCI Express 2.0 of 16 lanes: 8e9 bytes a second, of which a packet of 152 bytes
 * carries 128.
 */
#define LINK		(8000 * 128 / 152)

/*
 * GeForce 9800 GT: 14 multiprocessors at a shader clock of 1.5 GHz, each taking four clocks for one
 * instruction of a warp (eight processors to a multiprocessor); 16 raster units at 600 MHz, one
 * pixel of four bytes each a clock; 57.6e9 bytes a second of memory bandwidth.
 */
const struct tgl_rates tgl_g92 = {
	.name = "GeForce 9800 GT",
	.processors = 14,
	.clocks = 14 * 1500,
	.insn_clocks = 4,
	.pixels = 16 * 600,
	.bytes = 57600,
	.link = LINK,
};

/*
 * GeForce GTX 480: 15 multiprocessors of 32 processors at 1401 MHz; 48 raster units at 700 MHz;
 * 177.4e9 bytes a second.
 */
const struct tgl_rates tgl_gf100 = {
	.name = "GeForce GTX 480",
	.processors = 15,
	.clocks = 15 * 1401,
	.insn_clocks = 1,
	.pixels = 48 * 700,
	.bytes = 177400,
	.link = LINK,
};

static uint64_t nearest(uint64_t a, uint64_t b)
{
	return (a + b / 2) / b;
}

static void size_grid(const struct tgl_rates *rates, struct tgl_work *work, uint64_t cost_ns)
{
	const uint64_t block = BLOCK_INSNS * rates->insn_clocks;
	uint64_t blocks = nearest(cost_ns * rates->clocks, block * 1000);

	if (blocks < rates->processors)
		blocks = rates->processors;
	/* Rows are whole: with more than one, the grid is off by less than half a block a row. */
	work->grid_y = (blocks + GRID_MAX - 1) / GRID_MAX;
	work->grid_x = nearest(blocks, work->grid_y);
	blocks = (uint64_t)work->grid_x * work->grid_y;
	work->ps = blocks * block * 1000000 / rates->clocks;
}

static void size_lines(struct tgl_work *work, uint64_t cost_ns, uint64_t line_ps)
{
	uint64_t lines = nearest(cost_ns * 1000, line_ps);

	if (lines < 1)
		lines = 1;
	if (lines > TGL_LINES_MAX)
		lines = TGL_LINES_MAX;
	work->lines = lines;
	work->passes = 1;
	work->ps = lines * line_ps;
}

static void size_passes(struct tgl_work *work, uint64_t cost_ns, uint64_t line_ps)
{
	uint64_t passes = nearest(cost_ns * 1000, TGL_UPLOAD_LINES * line_ps);

	if (passes < 1)
		passes = 1;
	if (passes > TGL_PASSES_MAX)
		passes = TGL_PASSES_MAX;
	work->lines = TGL_UPLOAD_LINES;
	work->passes = passes;
	work->ps = passes * TGL_UPLOAD_LINES * line_ps;
}

struct tgl_work tgl_work_size(const struct tgl_rates *rates, enum tgl_kind kind,
			      uint64_t cost_ns)
{
	struct tgl_work work = { .kind = kind };

	switch (kind) {
	case TGL_COMPUTE:
		size_grid(rates, &work, cost_ns);
		break;
	case TGL_FILL:
		size_lines(&work, cost_ns, TGL_LINE_PIXELS * 1000000ull / rates->pixels);
		break;
	case TGL_COPY:
		size_lines(&work, cost_ns, 2 * TGL_LINE_BYTES * 1000000ull / rates->bytes);
		break;
	case TGL_UPLOAD:
		size_passes(&work, cost_ns, TGL_LINE_BYTES * 1000000ull / rates->link);
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

/*
 * Fermi: fused multiply-add, likewise. Word 0: class in bits 0 to 3, predicate "always" in bits 10
 * to 13, D from bit 14, A from bit 20, B from bit 26; word 1: C from bit 17, operation at the top.
 */
#define GF100_ALWAYS	0x00001c00u
#define GF100_FMA	0x30000000u
#define GF100_EXIT_0	0x00001de7u
#define GF100_EXIT_1	0x80000000u

void tgl_program_gf100(uint32_t *words)
{
	unsigned int i;

	for (i = 0; i < TGL_PROGRAM_INSNS; i++) {
		unsigned int d = i % 4, other = 4 + i % 4;

		*words++ = GF100_ALWAYS | d << 14 | other << 20 | other << 26;
		*words++ = GF100_FMA | d << 17;
	}
	words[-2] = GF100_EXIT_0;
	words[-1] = GF100_EXIT_1;
}
