// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of a group for Fermi GPUs (GF100 to GF119): the same work as in tesla.c, by younger
 * classes. Objects have no handles here, addresses need no DMA objects, and copies are done by the
 * copy engine. Called by gpu.c while it makes a channel.
 *
 * Method numbers and fields: envytools' rnndb (gf100_compute, g80_2d, gf100_copy) and nouveau's
 * own buffer moves.
 */
#include "commands.h"

#define CLASS_COMPUTE		0x90c0
#define CLASS_2D		0x902d
#define CLASS_COPY		0x90b5
/* The method that binds an object takes its class and the number of its PFIFO engine. */
#define ENGINE_COPY		(4 << 16)

#define SUBC_COMPUTE		1
#define CP_LOCAL_POS_ALLOC	0x0204
#define CP_GRIDDIM_YX		0x0238
#define CP_SHARED_SIZE		0x024c
#define CP_GPR_ALLOC		0x02c0
#define CP_LAUNCH		0x0368
#define CP_BLOCKDIM_YX		0x03ac
#define CP_START_ID		0x03b4
#define CP_WARP_TEMP_ALLOC	0x07a0
#define CP_CODE_ADDRESS		0x1608
#define CP_FLUSH		0x1698
#define CP_QUERY		0x1b00
#define FLUSH_CODE		1
#define LAUNCH_ALL		0x1000
#define QUERY_SHORT		(1u << 28)	/* write the sequence alone, four bytes */

#define SUBC_2D			3

#define SUBC_COPY		4
#define COPY_LAUNCH		0x0300
#define COPY_IN			0x030c
#define LAUNCH_LINES		0x0110	/* neither side in blocks */

/* A method that takes count words, for that method and those that follow it. */
static uint32_t command(unsigned int subchannel, uint32_t method, unsigned int count)
{
	return 1u << 29 | count << 16 | subchannel << 13 | method >> 2;
}

static void write_compute(struct tgl_slot *slot, uint64_t program)
{
	method(slot, SUBC_COMPUTE, OBJECT, CLASS_COMPUTE);
	begin(slot, SUBC_COMPUTE, CP_CODE_ADDRESS, 2);
	put_address(slot, program);
	method(slot, SUBC_COMPUTE, CP_START_ID, 0);
	/* The program needs no stack, no local and no shared memory. */
	begin(slot, SUBC_COMPUTE, CP_LOCAL_POS_ALLOC, 3);	/* and negative, and stack */
	put(slot, 0);
	put(slot, 0);
	put(slot, 0);
	method(slot, SUBC_COMPUTE, CP_WARP_TEMP_ALLOC, 0);
	begin(slot, SUBC_COMPUTE, CP_SHARED_SIZE, 3);	/* and threads, and barriers */
	put(slot, 0);
	put(slot, TGL_BLOCK_THREADS);
	put(slot, 0);
	method(slot, SUBC_COMPUTE, CP_GPR_ALLOC, TGL_PROGRAM_REGS);
	begin(slot, SUBC_COMPUTE, CP_BLOCKDIM_YX, 2);	/* and Z */
	put(slot, 1 << 16 | TGL_BLOCK_THREADS);
	put(slot, 1);
	begin(slot, SUBC_COMPUTE, CP_GRIDDIM_YX, 2);	/* and Z */
	put_size(slot);
	put(slot, 1);
	method(slot, SUBC_COMPUTE, CP_FLUSH, FLUSH_CODE);
	method(slot, SUBC_COMPUTE, CP_LAUNCH, LAUNCH_ALL);
	method(slot, SUBC_COMPUTE, SERIALIZE, 0);

	/* Leaves the group's number behind. */
	begin(slot, SUBC_COMPUTE, CP_QUERY, 4);
	put_address(slot, slot->bo.va);
	put_patch(slot);
	put(slot, QUERY_SHORT);
}

static void write_fill(struct tgl_slot *slot, const struct tgl_work *work)
{
	method(slot, SUBC_2D, OBJECT, CLASS_2D);
	put_fill(slot, SUBC_2D, work);
}

static void write_copy(struct tgl_slot *slot, const struct tgl_work *work)
{
	method(slot, SUBC_COPY, OBJECT, ENGINE_COPY | CLASS_COPY);
	begin(slot, SUBC_COPY, COPY_IN, 8);
	put_patch(slot);
	slot->patch_high = slot->patch;
	put_patch(slot);
	put_address(slot, slot->bo.va);
	put(slot, TGL_LINE_BYTES);	/* pitch in */
	put(slot, TGL_LINE_BYTES);	/* pitch out */
	put(slot, TGL_LINE_BYTES);	/* bytes of a line */
	put_size(slot);
	put_launches(slot, work->passes, command(SUBC_COPY, COPY_LAUNCH, 1), LAUNCH_LINES);
}

const struct tgl_dialect tgl_fermi = {
	.command = command,
	.compute = write_compute,
	.fill = write_fill,
	.copy = write_copy,
};

uint32_t tgl_fermi_class(enum tgl_kind kind)
{
	static const uint32_t classes[] = {
		[TGL_COMPUTE] = CLASS_COMPUTE,
		[TGL_FILL] = CLASS_2D,
		[TGL_COPY] = CLASS_COPY,
		[TGL_UPLOAD] = CLASS_COPY,
	};

	return classes[kind];
}
