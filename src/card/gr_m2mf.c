// SPDX-License-Identifier: GPL-2.0
/*
 * gr_m2mf.c - class 0x5039, memory to memory: copies lines of bytes between pitch or block-linear
 * surfaces.  nouveau moves buffers with it.  The copy is made when its time has passed.
 *
 * Called by pgraph.c for methods, and when work ends.
 */
#include "gr.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "pgraph.h"
#include "surface.h"
#include "vm.h"

#define DMA_IN			0x0184
#define DMA_OUT			0x0188
#define LAYOUT_IN		0x0200	/* then block, pitch, height, depth, z, position */
#define LAYOUT_OUT		0x021c
#define OFFSET_IN_HIGH		0x0238
#define OFFSET_OUT_HIGH		0x023c
#define OFFSET_IN		0x030c
#define OFFSET_OUT		0x0310
#define PITCH_IN		0x0314
#define PITCH_OUT		0x0318
#define LINE_LENGTH		0x031c
#define LINE_COUNT		0x0320
#define FORMAT			0x0324
#define LAUNCH			0x0328

#define LINES_MAX		65536	/* nouveau's 4 MiB in lines of 64 bytes */

#define TRAP_UNIT		0x002
#define TRAP_USTATUS		0x406800
#define TRAP_IN			BIT(1)
#define TRAP_OUT		BIT(2)

struct m2mf_side {
	struct surface s;
	u32 x;
	u32 y;
};

static struct m2mf_side m2mf_side(struct card *card, const struct chan *ch, const u32 *state,
				  bool out)
{
	const u32 *layout = state + (out ? LAYOUT_OUT : LAYOUT_IN) / 4;
	struct m2mf_side side = { .s = {
		.addr = (u64)(state[(out ? OFFSET_OUT_HIGH : OFFSET_IN_HIGH) / 4] & 0xff) << 32 |
			state[(out ? OFFSET_OUT : OFFSET_IN) / 4],
		.linear = layout[0] & 1,
		.pitch = state[(out ? PITCH_OUT : PITCH_IN) / 4],
	} };

	pgraph_object(card, ch, state, out ? DMA_OUT : DMA_IN, &side.s.obj);
	if (!side.s.linear) {
		side.s.block = layout[1];
		side.s.pitch = layout[2];
		side.s.height = layout[3];
		side.s.z = layout[5];
		side.x = layout[6] & 0xffff;
		side.y = layout[6] >> 16;
	}
	return side;
}

static s64 m2mf_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	u64 bytes = (u64)state[LINE_LENGTH / 4] * state[LINE_COUNT / 4];
	struct m2mf_side in, out;
	u64 vram = 0, system = 0;

	(void)data;
	if (mthd != LAUNCH)
		return 0;
	/* bytes next to each other only, and no more lines than nouveau copies at a time */
	if (bytes > CARD_OP_BYTES || state[LINE_COUNT / 4] > LINES_MAX ||
	    (state[FORMAT / 4] && state[FORMAT / 4] != 0x0101))
		return pgraph_data_error(card, 4);
	if (!bytes)
		return 0;
	in = m2mf_side(card, ch, state, false);
	out = m2mf_side(card, ch, state, true);
	*(vm_is_system(card, &in.s.obj, in.s.addr) ? &system : &vram) += bytes;
	*(vm_is_system(card, &out.s.obj, out.s.addr) ? &system : &vram) += bytes;
	return cost_memory(card->chip, vram, system);
}

static void m2mf_done(struct card *card, struct chan *ch, u32 *state)
{
	struct m2mf_side in = m2mf_side(card, ch, state, false);
	struct m2mf_side out = m2mf_side(card, ch, state, true);
	u64 length = state[LINE_LENGTH / 4];
	u32 lines = state[LINE_COUNT / 4];
	bool read_failed;

	/* lines without a gap are one long line */
	if (in.s.linear && out.s.linear && in.s.pitch == length && out.s.pitch == length) {
		length *= lines;
		lines = 1;
	}
	for (u32 i = 0; i < lines; i++) {
		if (!surface_copy(card, &out.s, out.x, out.y + i, VM_GR_M2MF_OUT,
				  &in.s, in.x, in.y + i, VM_GR_M2MF_IN, length, &read_failed)) {
			pgraph_trap(card, TRAP_UNIT, TRAP_USTATUS,
				    read_failed ? TRAP_IN : TRAP_OUT);
			return;
		}
	}
}

const struct gr_class gr_m2mf = {
	.oclass = 0x5039,
	.slot = GR_M2MF,
	.status = BIT(6),
	.mthd = m2mf_mthd,
	.done = m2mf_done,
};
