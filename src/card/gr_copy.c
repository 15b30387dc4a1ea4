// SPDX-License-Identifier: GPL-2.0
/*
 * gr_copy.c - Fermi's classes that copy lines of bytes: 0x9039 of PGRAPH, and those of the copy
 * engines, 0x90b5 and 0x90b8, which are alike but for some numbers.  nouveau moves buffers with
 * the latter.  The copy is made when its time has passed.
 */
#include "priv.h"

#define LAUNCH		0x0300	/* bits 4 and 8: source and target in lines, not in blocks */
#define LINEAR		(BIT(4) | BIT(8))
#define IN		0x030c	/* high, low */
#define OUT_M2MF	0x0238
#define OUT_COPY	0x0314

/* From here on, in both: pitch of source and target, bytes of a line, lines. */
#define PITCH_M2MF	0x0314
#define PITCH_COPY	0x031c

/* nouveau's 8191 pages, rounded up. */
#define LINES_MAX	65536

struct copy {
	struct surface in, out;
	u64 length;
	u32 lines;
};

static struct copy copy_of(const struct chan *ch, const u32 *state, bool m2mf)
{
	const u32 *in = state + IN / 4, *out = state + (m2mf ? OUT_M2MF : OUT_COPY) / 4;
	const u32 *shape = state + (m2mf ? PITCH_M2MF : PITCH_COPY) / 4;
	struct copy c = {
		.in = { .addr = (u64)(in[0] & 0xff) << 32 | in[1], .linear = true,
			.pitch = shape[0] },
		.out = { .addr = (u64)(out[0] & 0xff) << 32 | out[1], .linear = true,
			 .pitch = shape[1] },
		.length = shape[2],
		.lines = shape[3],
	};

	vm_space(ch->inst, &c.in.obj);
	vm_space(ch->inst, &c.out.obj);
	return c;
}

static s64 copy_mthd(struct card *card, struct chan *ch, const u32 *state, u32 mthd, u32 data,
		     bool m2mf)
{
	u64 vram = 0, system = 0;
	struct copy c;

	if (mthd != LAUNCH)
		return 0;
	c = copy_of(ch, state, m2mf);
	if (c.length * c.lines > CARD_OP_BYTES || c.lines > LINES_MAX ||
	    (data & LINEAR) != LINEAR) {
		if (m2mf)
			return pgraph_data_error(card, 4);
		dev_error(card, "a copy that is too large, or not in lines", (int)ch->chid, data);
		return 0;
	}
	if (!c.length || !c.lines)
		return 0;
	*(vm_is_system(card, &c.in.obj, c.in.addr) ? &system : &vram) += c.length * c.lines;
	*(vm_is_system(card, &c.out.obj, c.out.addr) ? &system : &vram) += c.length * c.lines;
	return cost_memory(card->chip, vram, system);
}

static void copy_done(struct card *card, struct chan *ch, const u32 *state, bool m2mf,
		      enum vm_who in, enum vm_who out)
{
	struct copy c = copy_of(ch, state, m2mf);
	bool read_failed;

	/* lines without a gap are one long line */
	if (c.in.pitch == c.length && c.out.pitch == c.length) {
		c.length *= c.lines;
		c.lines = 1;
	}
	for (u32 i = 0; i < c.lines; i++) {
		if (!surface_copy(card, &c.out, 0, i, out, &c.in, 0, i, in, c.length,
				  &read_failed)) {
			/* the MMU tells; the engine waits to be reset */
			card->engine[ch->engine].halted = true;
			return;
		}
	}
}

static s64 m2mf_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	return copy_mthd(card, ch, state, mthd, data, true);
}

static void m2mf_done(struct card *card, struct chan *ch, u32 *state)
{
	copy_done(card, ch, state, true, VM_GR_M2MF_IN, VM_GR_M2MF_OUT);
}

static s64 pce_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	return copy_mthd(card, ch, state, mthd, data, false);
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
