// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of a group, as far as all GPUs have them alike: which kind of work is written by
 * what, and fills, by a class that Tesla and Fermi share (envytools' rnndb: g80_2d). Called by
 * gpu.c while it makes a channel.
 */
#include "commands.h"

#define TWOD_DST_FORMAT		0x0200
#define TWOD_DST_PITCH		0x0214
#define TWOD_CLIP_ENABLE	0x0290
#define TWOD_OPERATION		0x02ac
#define TWOD_DRAW_SHAPE		0x0580
#define TWOD_DRAW_POINT32	0x0600
#define FORMAT_BGRA8_UNORM	0xcf
#define OPERATION_SRCCOPY	3
#define DRAW_RECTANGLES		4

void put_fill(struct tgl_slot *slot, unsigned int subchannel, const struct tgl_work *work)
{
	begin(slot, subchannel, TWOD_DST_FORMAT, 2);	/* and linear */
	put(slot, FORMAT_BGRA8_UNORM);
	put(slot, 1);
	begin(slot, subchannel, TWOD_DST_PITCH, 5);	/* and width, height, address */
	put(slot, TGL_LINE_BYTES);
	put(slot, TGL_LINE_PIXELS);
	put(slot, work->lines);
	put_address(slot, slot->bo.va);
	method(slot, subchannel, TWOD_CLIP_ENABLE, 0);
	method(slot, subchannel, TWOD_OPERATION, OPERATION_SRCCOPY);
	begin(slot, subchannel, TWOD_DRAW_SHAPE, 3);	/* and colour format, colour */
	put(slot, DRAW_RECTANGLES);
	put(slot, FORMAT_BGRA8_UNORM);
	put_patch(slot);
	begin(slot, subchannel, TWOD_DRAW_POINT32, 4);	/* two corners, the second one outside */
	put(slot, 0);
	put(slot, 0);
	put(slot, TGL_LINE_PIXELS);
	put_size(slot);
	method(slot, subchannel, SERIALIZE, 0);
}

void tgl_write(struct tgl_slot *slot, const struct tgl_dialect *dialect,
	       const struct tgl_work *work, uint64_t program)
{
	slot->dialect = dialect;
	switch (work->kind) {
	case TGL_COMPUTE:
		dialect->compute(slot, program);
		break;
	case TGL_FILL:
		dialect->fill(slot, work);
		break;
	case TGL_COPY:
	case TGL_UPLOAD:
		dialect->copy(slot, work);
		break;
	}
}
