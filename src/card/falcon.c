// SPDX-License-Identifier: GPL-2.0
/*
 * falcon.c - the small processors of GF100 outside PGRAPH: the copy engines (PCE0 at 0x104000, PCE1
 * at 0x105000) and the power manager (PMU, 0x10a000).
 *
 * nouveau loads programs of its own into them.  These are not run: a copy engine does what the
 * program for its methods would do (gr_copy.c). The power manager has rings for messages once it is
 * started, but never answers: nouveau sends it messages only when clocks change, and they never do.
 *
 * Called by mmio.c, and by pmc.c when one is switched on or off.
 */
#include "falcon.h"
#include "dev.h"
#include "engine.h"
#include "mmio.h"

#define FALCON_CPU_CONTROL	0x100
#define FALCON_CAPS		0x108	/* bits 0-8: code, 9-17: data, in pieces of 256 bytes */
#define FALCON_VERSION		0x12c

#define PMU_BASE		0x10a000
#define PMU_RING_IN		0x10a4d0	/* base, and from bit 16 on the size */
#define PMU_RING_OUT		0x10a4dc

#define CODE_BYTES		0x1000
#define DATA_BYTES		0x800

u32 falcon_rd(struct card *card, u32 off)
{
	switch (off & 0xfff) {
	case FALCON_CAPS:
		return CODE_BYTES >> 8 | (DATA_BYTES >> 8) << 9;
	case FALCON_VERSION:
		return 3;
	default:
		return reg_get(card, off);
	}
}

void falcon_wr(struct card *card, u32 off, u32 val)
{
	reg_set(card, off, val);
	if (off == PMU_BASE + FALCON_CPU_CONTROL && val & BIT(1)) {
		reg_set(card, PMU_RING_IN, 0x00800200);
		reg_set(card, PMU_RING_OUT, 0x00800280);
	}
}

/* pmu_reset() - the power manager stops, and has no rings */
void pmu_reset(struct card *card)
{
	for (u32 r = PMU_BASE; r < PMU_BASE + 0x1000; r += 4)
		reg_set(card, r, 0);
}

/* pce_enable() - a copy engine is switched on or off; switching it off cuts its work off */
void pce_enable(struct card *card, enum engine_id id, bool on)
{
	struct engine *e = &card->engine[id];

	if (e->on && !on)
		engine_reset(card, e);
	e->on = on;
}
