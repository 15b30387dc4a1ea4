// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of a group for Tesla GPUs (NV50 to NVAF): work by classes whose objects have handles
 * and whose addresses go through DMA objects. Called by gpu.c while it makes a channel.
 *
 * Every group sets up all the state it needs: it does not matter what ran before it.
 *
 * Method numbers and fields: envytools' rnndb (nv_object, g80_compute, g80_2d, nv_m2mf).
 */
#include "commands.h"

/* Class 0x50c0, compute */
#define SUBC_COMPUTE		6
#define CP_DMA_GLOBAL		0x01a0
#define CP_DMA_LOCAL		0x01b8
#define CP_ADDRESS		0x0210
#define CP_STACK_SIZE_LOG	0x0220
#define CP_UNK0290		0x0290
#define CP_LOCAL_SIZE_LOG	0x029c
#define CP_UNK02A0		0x02a0
#define CP_BLOCK_ALLOC		0x02b4
#define CP_LANES32_ENABLE	0x02b8
#define CP_REG_ALLOC_TEMP	0x02c0
#define CP_BLOCKDIM_LATCH	0x02f8
#define CP_LOCAL_WARPS		0x02fc
#define CP_QUERY		0x0310
#define CP_LAUNCH		0x0368
#define CP_USER_PARAM_COUNT	0x0374
#define CP_CODE_CB_FLUSH	0x0380
#define CP_UNK0384		0x0384
#define CP_GRIDID		0x0388
#define CP_GRIDDIM		0x03a4
#define CP_SHARED_SIZE		0x03a8
#define CP_BLOCKDIM_XY		0x03ac
#define CP_START_ID		0x03b4
#define QUERY_GET_SHORT		0x8000	/* write the sequence alone, four bytes */
#define REG_MODE_STRIPED	2

/* Class 0x502d, 2D */
#define SUBC_2D			4
#define TWOD_DMA_DST		0x0184

/* Class 0x5039, memory to memory */
#define SUBC_M2MF		5
#define M2MF_DMA_NOTIFY		0x0180
#define M2MF_LAYOUT_IN		0x0200
#define M2MF_LAYOUT_OUT		0x021c
#define M2MF_OFFSET_HIGH	0x0238
#define M2MF_OFFSET_IN		0x030c
#define M2MF_LAUNCH		0x0328
#define LAYOUT_LINEAR		1
#define FORMAT_BYTES		0x0101	/* both sides advance by single bytes */

/* A method that takes count words, for that method and those that follow it. */
static uint32_t command(unsigned int subchannel, uint32_t method, unsigned int count)
{
	return count << 18 | subchannel << 13 | method;
}

static void write_compute(struct tgl_slot *slot, uint64_t program)
{
	method(slot, SUBC_COMPUTE, OBJECT, TGL_HANDLE_COMPUTE);
	begin(slot, SUBC_COMPUTE, CP_DMA_GLOBAL, 2);	/* and query */
	put(slot, TGL_HANDLE_VRAM);
	put(slot, TGL_HANDLE_VRAM);
	begin(slot, SUBC_COMPUTE, CP_DMA_LOCAL, 3);	/* and stack, and code */
	put(slot, TGL_HANDLE_VRAM);
	put(slot, TGL_HANDLE_VRAM);
	put(slot, TGL_HANDLE_VRAM);

	/* The program needs no stack and no local memory; all its warps may run. */
	begin(slot, SUBC_COMPUTE, CP_ADDRESS, 2);
	put_address(slot, program);
	method(slot, SUBC_COMPUTE, CP_STACK_SIZE_LOG, 0);
	method(slot, SUBC_COMPUTE, CP_UNK0290, 1);
	method(slot, SUBC_COMPUTE, CP_LOCAL_SIZE_LOG, 0);
	method(slot, SUBC_COMPUTE, CP_UNK02A0, 1);
	method(slot, SUBC_COMPUTE, CP_LANES32_ENABLE, 1);
	begin(slot, SUBC_COMPUTE, CP_LOCAL_WARPS, 4);
	put(slot, 7);	/* local memory: no bits for the warp's number */
	put(slot, 1);	/* and no fewer warps for that */
	put(slot, 7);	/* the same for the stack */
	put(slot, 1);
	method(slot, SUBC_COMPUTE, CP_USER_PARAM_COUNT, 0);
	method(slot, SUBC_COMPUTE, CP_CODE_CB_FLUSH, 0);
	method(slot, SUBC_COMPUTE, CP_UNK0384, 0x100);	/* run every block, not the first alone */

	begin(slot, SUBC_COMPUTE, CP_START_ID, 2);	/* and the register mode */
	put(slot, 0);
	put(slot, REG_MODE_STRIPED);
	method(slot, SUBC_COMPUTE, CP_SHARED_SIZE, 0x40);
	method(slot, SUBC_COMPUTE, CP_REG_ALLOC_TEMP, TGL_PROGRAM_REGS);
	begin(slot, SUBC_COMPUTE, CP_BLOCKDIM_XY, 2);	/* and Z */
	put(slot, 1 << 16 | TGL_BLOCK_THREADS);
	put(slot, 1);
	method(slot, SUBC_COMPUTE, CP_BLOCK_ALLOC, 1 << 16 | TGL_BLOCK_THREADS);
	method(slot, SUBC_COMPUTE, CP_BLOCKDIM_LATCH, 1);
	begin(slot, SUBC_COMPUTE, CP_GRIDDIM, 1);
	put_size(slot);
	method(slot, SUBC_COMPUTE, CP_GRIDID, 1);
	method(slot, SUBC_COMPUTE, CP_LAUNCH, 0);
	method(slot, SUBC_COMPUTE, SERIALIZE, 0);

	/* Leaves the group's number behind. */
	begin(slot, SUBC_COMPUTE, CP_QUERY, 4);
	put_address(slot, slot->bo.va);
	put_patch(slot);
	put(slot, QUERY_GET_SHORT);
}

static void write_fill(struct tgl_slot *slot, const struct tgl_work *work)
{
	method(slot, SUBC_2D, OBJECT, TGL_HANDLE_2D);
	method(slot, SUBC_2D, TWOD_DMA_DST, TGL_HANDLE_VRAM);
	put_fill(slot, SUBC_2D, work);
}

static void write_copy(struct tgl_slot *slot, const struct tgl_work *work)
{
	uint64_t to = slot->bo.va;

	method(slot, SUBC_M2MF, OBJECT, TGL_HANDLE_M2MF);
	begin(slot, SUBC_M2MF, M2MF_DMA_NOTIFY, 3);	/* and buffer in, buffer out */
	put(slot, TGL_HANDLE_NOTIFY);
	put(slot, TGL_HANDLE_VRAM);
	put(slot, TGL_HANDLE_VRAM);
	method(slot, SUBC_M2MF, M2MF_LAYOUT_IN, LAYOUT_LINEAR);
	method(slot, SUBC_M2MF, M2MF_LAYOUT_OUT, LAYOUT_LINEAR);
	begin(slot, SUBC_M2MF, M2MF_OFFSET_HIGH, 2);	/* in, out */
	put_patch(slot);
	slot->patch_high = slot->patch;
	put(slot, to >> 32);
	begin(slot, SUBC_M2MF, M2MF_OFFSET_IN, 7);
	put_patch(slot);
	put(slot, (uint32_t)to);
	put(slot, TGL_LINE_BYTES);	/* pitch in */
	put(slot, TGL_LINE_BYTES);	/* pitch out */
	put(slot, TGL_LINE_BYTES);	/* bytes of a line */
	put_size(slot);
	put(slot, FORMAT_BYTES);
	put_launches(slot, work->passes, command(SUBC_M2MF, M2MF_LAUNCH, 1), 0);
	method(slot, SUBC_M2MF, SERIALIZE, 0);
}

const struct tgl_dialect tgl_tesla = {
	.command = command,
	.compute = write_compute,
	.fill = write_fill,
	.copy = write_copy,
};
