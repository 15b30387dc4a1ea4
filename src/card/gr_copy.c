// SPDX-License-Identifier: GPL-2.0
/*
 * gr_copy.c - Fermi's classes that copy lines of bytes: 0x9039 of PGRAPH, and those of the copy
 * engines, 0x90b5 and 0x90b8, which are alike but for some numbers.  nouveau moves buffers with
 * the latter.  The copy is made when its time has passed.
 *
 * Class 0x9039 also copies from and to block-linear surfaces, and writes what the pushbuffer holds,
 * as it arrives.
 *
 * Called by pgraph.c for methods, and when work ends.
 */
#include "gr.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "engine.h"
#include "pgraph.h"
#include "surface.h"
#include "vm.h"

#define LAUNCH		0x0300	/* see below */
#define DATA		0x0304	/* class 0x9039 */
#define IN		0x030c	/* high, low */
#define OUT_M2MF	0x0238
#define OUT_COPY	0x0314

/* From here on, in both: pitch of source and target, bytes of a line, lines. */
#define PITCH_M2MF	0x0314
#define PITCH_COPY	0x031c

/* Class 0x9039, block-linear: block, bytes in a line, lines, layers, layer; position x, y */
#define BLOCK_IN	0x0204
#define BLOCK_OUT	0x0220
#define POSITION_IN	0x0344
#define POSITION_OUT	0x034c

#define LAUNCH_PUSH	BIT(0)	/* class 0x9039: the source is the pushbuffer */
#define LINEAR_IN	BIT(4)	/* in lines, not in blocks */
#define LINEAR_OUT	BIT(8)
#define LINEAR		(LINEAR_IN | LINEAR_OUT)

/* How far the data have come; methods of these numbers are PFIFO's, and do not get here. */
#define OWN_X		0x0010
#define OWN_Y		0x0014

/* nouveau's 8191 pages, rounded up. */
#define LINES_MAX	65536

struct side {
	struct surface s;
	u32 x, y;
};

struct copy {
	struct side in, out;
	u64 length;
	u32 lines;
};

/* @layout: where a block-linear surface is described, when it is one. */
static struct side copy_side(const struct chan *ch, const u32 *addr, u32 pitch, const u32 *layout,
			     const u32 *position)
{
	struct side side = { .s = {
		.addr = (u64)(addr[0] & 0xff) << 32 | addr[1],
		.linear = !layout,
		.pitch = pitch,
	} };

	vm_space(ch->inst, &side.s.obj);
	if (layout) {
		side.s.block = layout[0];
		side.s.pitch = layout[1];
		side.s.height = layout[2];
		side.s.z = layout[4];
		side.x = position[0];
		side.y = position[1];
	}
	return side;
}

static struct copy copy_of(const struct chan *ch, const u32 *state, bool m2mf)
{
	const u32 *shape = state + (m2mf ? PITCH_M2MF : PITCH_COPY) / 4;
	u32 how = m2mf ? state[LAUNCH / 4] : LINEAR;

	return (struct copy){
		.in = copy_side(ch, state + IN / 4, shape[0],
				how & LINEAR_IN ? NULL : state + BLOCK_IN / 4,
				state + POSITION_IN / 4),
		.out = copy_side(ch, state + (m2mf ? OUT_M2MF : OUT_COPY) / 4, shape[1],
				 how & LINEAR_OUT ? NULL : state + BLOCK_OUT / 4,
				 state + POSITION_OUT / 4),
		.length = shape[2],
		.lines = shape[3],
	};
}

static s64 copy_mthd(struct card *card, struct chan *ch, u32 *state, u32 data, bool m2mf)
{
	struct copy c = copy_of(ch, state, m2mf);
	u64 vram = 0, system = 0;

	if (c.length * c.lines > CARD_OP_BYTES || c.lines > LINES_MAX ||
	    (!m2mf && (data & LINEAR) != LINEAR)) {
		if (m2mf)
			return pgraph_data_error(card, 4);
		dev_error(card, "a copy that is too large, or not in lines", (int)ch->chid, data);
		return 0;
	}
	if (m2mf && data & LAUNCH_PUSH) {
		state[OWN_X / 4] = 0;
		state[OWN_Y / 4] = 0;
		return 0;
	}
	if (!c.length || !c.lines)
		return 0;
	*(vm_is_system(card, &c.in.s.obj, c.in.s.addr) ? &system : &vram) += c.length * c.lines;
	*(vm_is_system(card, &c.out.s.obj, c.out.s.addr) ? &system : &vram) += c.length * c.lines;
	return cost_memory(card->chip, vram, system);
}

static void copy_done(struct card *card, struct chan *ch, const u32 *state, bool m2mf,
		      enum vm_who in, enum vm_who out)
{
	struct copy c = copy_of(ch, state, m2mf);
	bool read_failed;

	/* lines without a gap are one long line */
	if (c.in.s.linear && c.out.s.linear && c.in.s.pitch == c.length &&
	    c.out.s.pitch == c.length) {
		c.length *= c.lines;
		c.lines = 1;
	}
	for (u32 i = 0; i < c.lines; i++) {
		if (!surface_copy(card, &c.out.s, c.out.x, c.out.y + i, out, &c.in.s, c.in.x,
				  c.in.y + i, in, c.length, &read_failed)) {
			/* the MMU tells; the engine waits to be reset */
			card->engine[ch->engine].halted = true;
			return;
		}
	}
}

/* One word of data for the target; every line starts with a fresh word. */
static s64 m2mf_data(struct card *card, struct chan *ch, u32 *state, u32 data)
{
	struct copy c = copy_of(ch, state, true);
	u32 x = state[OWN_X / 4], y = state[OWN_Y / 4];
	u64 n;

	if (!(state[LAUNCH / 4] & LAUNCH_PUSH) || x >= c.length || y >= c.lines)
		return 0;	/* more data than asked for */
	n = c.length - x < sizeof(data) ? c.length - x : sizeof(data);
	state[OWN_X / 4] = x + (u32)n;
	if (x + n == c.length) {
		state[OWN_X / 4] = 0;
		state[OWN_Y / 4] = y + 1;
	}
	if (surface_write(card, &c.out.s, (u64)c.out.x + x, c.out.y + y, &data, n, VM_GR_M2MF_OUT))
		return 0;
	card->engine[ch->engine].halted = true;
	return GR_FAILED;
}

static s64 m2mf_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	if (mthd == DATA)
		return m2mf_data(card, ch, state, data);
	return mthd == LAUNCH ? copy_mthd(card, ch, state, data, true) : 0;
}

static void m2mf_done(struct card *card, struct chan *ch, u32 *state)
{
	copy_done(card, ch, state, true, VM_GR_M2MF_IN, VM_GR_M2MF_OUT);
}

static s64 pce_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	return mthd == LAUNCH ? copy_mthd(card, ch, state, data, false) : 0;
}

static void pce0_done(struct card *card, struct chan *ch, u32 *state)
{
	copy_done(card, ch, state, false, VM_PCE0, VM_PCE0);
}

static void pce1_done(struct card *card, struct chan *ch, u32 *state)
{
	copy_done(card, ch, state, false, VM_PCE1, VM_PCE1);
}

const struct gr_class gr_m2mf_gf100 = {
	.oclass = 0x9039,
	.slot = GR_M2MF,
	.status = BIT(6),
	.mthd = m2mf_mthd,
	.done = m2mf_done,
};

const struct gr_class gr_copy0 = {
	.oclass = 0x90b5,
	.engine = ENGINE_CE0,
	.slot = GR_COPY0,
	.mthd = pce_mthd,
	.done = pce0_done,
};

const struct gr_class gr_copy1 = {
	.oclass = 0x90b8,
	.engine = ENGINE_CE1,
	.slot = GR_COPY1,
	.mthd = pce_mthd,
	.done = pce1_done,
};
