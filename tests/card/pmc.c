// SPDX-License-Identifier: GPL-2.0
/* pmc.c - identification, enables, and how interrupts meet. */
#include "lib.h"

static const struct {
	const char *name;
	u32 reg;
	u32 want;
} reads[] = {
	{ "boot0 is a G92", 0x000000, 0x092000a2 },
	{ "little endian", 0x000004, 0 },
	{ "7 TPs of 2 MPs, 4 partitions", 0x001540, 0x030f007f },
	{ "27 MHz crystal strap", 0x101000, 0x8000009f },
	{ "no interrupt after reset", R_PMC_INTR, 0 },
	{ "interrupts off after reset", R_PMC_INTR_EN, 0 },
	{ "PFIFO on the inactive channel", R_CUR_CHAN, 0x1007f },
	{ "PGRAPH idle", R_GR_STATUS, 0 },
	{ "no context", R_GR_CTX, 0 },
};

int main(void)
{
	struct bench b;

	bench_init(&b, 1);
	for (u32 i = 0; i < ARRAY_LEN(reads); i++)
		check_eq(reads[i].name, rd(&b, reads[i].reg), reads[i].want);

	bench_start(&b);
	chan_open(&b, 1);
	wr(&b, R_PMC_INTR_EN, 0);
	chan_fence(&b, 1, 1);
	chan_kick(&b, 1);
	check_eq("PFIFO's line is bit 8", rd(&b, R_PMC_INTR), 0x100);
	check_eq("PFIFO says which", rd(&b, R_PFIFO_INTR), 0x40000000);
	check(!b.intx, "disabled: the pin stays low", "high");
	wr(&b, R_PMC_INTR_EN, 1);
	check(b.intx, "enabled: the pin rises", "low");
	wr(&b, R_PFIFO_INTR_EN, 0xbfffffff);
	check(!b.intx, "masked in the unit: the pin falls", "high");
	check_eq("masked in the unit: not in PMC", rd(&b, R_PMC_INTR), 0);
	wr(&b, R_PFIFO_INTR_EN, 0xffffffff);
	check(b.intx, "unmasked: it rises again", "low");
	wr(&b, R_PFIFO_INTR, 0x40000000);
	check(!b.intx, "acknowledged: it falls", "high");
	check_eq("it rose twice in all", b.intx_rises, 2);

	wr(&b, 0x000200, 0xfffffeff);
	check_eq("PFIFO off: channel table cleared", rd(&b, 0x2604), 0);
	bench_fini(&b);
	return done();
}
