// SPDX-License-Identifier: GPL-2.0
/*
 * gr_compute.c - class 0x50c0, compute: a launch takes as long as its grid, its blocks and its
 * program's length say.  The program is read, not run: its instructions are counted from the
 * start to the first one that ends the thread, and loops are not followed.  Class 0x90c0 is the
 * same on Fermi, with other methods and other instructions.
 *
 * Called by pgraph.c for methods, and when work ends.
 */
#include "gr.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "pgraph.h"
#include "vm.h"

#define DMA_QUERY		0x01a4
#define DMA_CODE_CB		0x01c0
#define CP_ADDRESS_HIGH		0x0210
#define CP_ADDRESS_LOW		0x0214
#define BLOCK_ALLOC		0x02b4
#define QUERY_ADDRESS_HIGH	0x0310
#define QUERY_GET		0x031c
#define QUERY_SHORT		BIT(15)
#define LAUNCH			0x0368
#define GRIDDIM			0x03a4
#define BLOCKDIM_XY		0x03ac
#define BLOCKDIM_Z		0x03b0
#define CP_START_ID		0x03b4

/* Error code: more threads than one block can have (NV50 data error names). */
#define ERROR_INVALID_VALUE	4
#define THREADS_MAX		512

/* Class 0x90c0 */
#define GF100_GRIDDIM_YX	0x0238	/* then Z */
#define GF100_BLOCKDIM_YX	0x03ac	/* then Z */
#define GF100_CODE		0x1608	/* high, low */
#define GF100_QUERY		0x1b00	/* high, low, sequence */
#define GF100_QUERY_GET		0x1b0c
#define GF100_QUERY_SHORT	BIT(28)
#define GF100_THREADS_MAX	1024

#define TRAP_CCACHE		0x010
#define TRAP_CCACHE_USTATUS	0x405018

static s64 compute_launch(struct card *card, struct chan *ch, const u32 *state)
{
	u32 grid = state[GRIDDIM / 4], xy = state[BLOCKDIM_XY / 4];
	u64 blocks = (u64)(grid & 0xffff) * (grid >> 16);
	u32 threads = state[BLOCK_ALLOC / 4] & 0xffff, length;
	u64 addr = ((u64)(state[CP_ADDRESS_HIGH / 4] & 0xff) << 32 | state[CP_ADDRESS_LOW / 4]) +
		   state[CP_START_ID / 4];
	struct dmaobj code;

	if (!threads) {
		u64 n = (u64)(xy & 0xffff) * (xy >> 16) * (state[BLOCKDIM_Z / 4] & 0xff);

		threads = n > THREADS_MAX ? THREADS_MAX + 1 : (u32)n;
	}
	if (!blocks || !threads || threads > THREADS_MAX || addr & 3)
		return pgraph_data_error(card, ERROR_INVALID_VALUE);
	pgraph_object(card, ch, state, DMA_CODE_CB, &code);
	length = pgraph_program(card, &code, addr);
	if (!length)
		return pgraph_trap(card, TRAP_CCACHE, TRAP_CCACHE_USTATUS, 1);
	return cost_launch(card->chip, blocks, threads, length);
}

static s64 compute_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	switch (mthd) {
	case LAUNCH:
		return compute_launch(card, ch, state);
	case QUERY_GET:
		return pgraph_query(card, ch, state, DMA_QUERY, QUERY_ADDRESS_HIGH,
				    data & QUERY_SHORT);
	default:
		return 0;
	}
}

const struct gr_class gr_compute = {
	.oclass = 0x50c0,
	.slot = GR_COMPUTE,
	.status = BIT(23),
	.vstatus = { 0, 1 << 12, 0 },
	.mthd = compute_mthd,
};

static s64 gf100_launch(struct card *card, struct chan *ch, const u32 *state)
{
	u32 grid = state[GF100_GRIDDIM_YX / 4], block = state[GF100_BLOCKDIM_YX / 4], length;
	u64 blocks = (u64)(grid & 0xffff) * (grid >> 16) * (state[GF100_GRIDDIM_YX / 4 + 1] & 0xffff);
	u64 threads = (u64)(block & 0xffff) * (block >> 16) *
		      (state[GF100_BLOCKDIM_YX / 4 + 1] & 0xffff);
	u64 addr = ((u64)(state[GF100_CODE / 4] & 0xff) << 32 | state[GF100_CODE / 4 + 1]) +
		   state[CP_START_ID / 4];
	struct dmaobj code;

	if (!blocks || !threads || threads > GF100_THREADS_MAX || addr & 7)
		return pgraph_data_error(card, ERROR_INVALID_VALUE);
	vm_space(ch->inst, &code);
	length = pgraph_program_gf100(card, &code, addr);
	if (!length)
		return pgraph_trap(card, TRAP_CCACHE, TRAP_CCACHE_USTATUS, 1);
	return cost_launch(card->chip, blocks, (u32)threads, length);
}

static s64 gf100_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	switch (mthd) {
	case LAUNCH:
		return gf100_launch(card, ch, state);
	case GF100_QUERY_GET:
		return pgraph_query(card, ch, state, 0, GF100_QUERY,
				    data & GF100_QUERY_SHORT);
	default:
		return 0;
	}
}

const struct gr_class gr_compute_gf100 = {
	.oclass = 0x90c0,
	.slot = GR_COMPUTE,
	.status = BIT(23),
	.mthd = gf100_mthd,
};
