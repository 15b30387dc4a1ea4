// SPDX-License-Identifier: GPL-2.0
/*
 * gr_compute.c - class 0x50c0, compute: a launch takes as long as its grid, its blocks and its
 * program's length say.  The program is read, not run: its instructions are counted from the
 * start to the first one that ends the thread, and loops are not followed.
 */
#include "priv.h"

#define DMA_QUERY		0x01a4
#define DMA_CODE_CB		0x01c0
#define CP_ADDRESS_HIGH		0x0210
#define CP_ADDRESS_LOW		0x0214
#define BLOCK_ALLOC		0x02b4
#define QUERY_ADDRESS_HIGH	0x0310
#define QUERY_GET		0x031c
#define LAUNCH			0x0368
#define GRIDDIM			0x03a4
#define BLOCKDIM_XY		0x03ac
#define BLOCKDIM_Z		0x03b0
#define CP_START_ID		0x03b4

/* Error code: more threads than one block can have (NV50 data error names). */
#define ERROR_INVALID_VALUE	4
#define THREADS_MAX		512
#define PROGRAM_MAX		0x100000

#define TRAP_CCACHE		0x010
#define TRAP_CCACHE_USTATUS	0x405018

/*
 * Count instructions: bit 0 of the first word says whether an instruction has two; the low bits
 * of the second are 1 when the thread ends with it.  0: the code cannot be read.
 */
static u32 compute_length(struct card *card, const struct dmaobj *code, u64 addr)
{
	u32 buf[256], words = 0, at = 0, n = 0;

	while (n < PROGRAM_MAX) {
		u32 w[2];

		for (u32 i = 0; i < 2; i++) {
			if (at == words) {
				/* up to a page's end: memory may end where the program does */
				words = (0x400 - (addr & 0x3ff)) / 4;
				if (!vm_read(card, code, addr, buf, words * 4, VM_GR_CODE))
					return 0;
				addr += words * 4;
				at = 0;
			}
			w[i] = buf[at++];
			if (!(w[0] & 1))
				break;
		}
		n++;
		if (w[0] & 1 && (w[1] & 3) == 1)
			break;
	}
	if (card->budget > n / 64)
		card->budget -= n / 64;
	else
		card->budget = 0;
	return n;
}

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
	length = compute_length(card, &code, addr);
	if (!length)
		return pgraph_trap(card, TRAP_CCACHE, TRAP_CCACHE_USTATUS, 1);
	return cost_launch(blocks, threads, length);
}

static s64 compute_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	switch (mthd) {
	case LAUNCH:
		return compute_launch(card, ch, state);
	case QUERY_GET:
		return pgraph_query(card, ch, state, DMA_QUERY, QUERY_ADDRESS_HIGH, data);
	default:
		return 0;
	}
}

static void compute_done(struct card *card, struct chan *ch, u32 *state)
{
	(void)card;
	(void)ch;
	(void)state;
}

const struct gr_class gr_compute = {
	.oclass = 0x50c0,
	.slot = GR_COMPUTE,
	.status = BIT(23),
	.vstatus = { 0, 1 << 12, 0 },
	.mthd = compute_mthd,
	.done = compute_done,
};
