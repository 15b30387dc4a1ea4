// SPDX-License-Identifier: GPL-2.0
/*
 * gf100_units.c - a GF100's identity, memory, and the small processors that nouveau talks to: what
 * its read-and-wait loops need to come to an end.
 */
#include <string.h>

#include "lib.h"

static const struct {
	const char *name;
	u32 reg;
	u32 want;
} values[] = {
	{ "PMC: GF100, revision a3", 0x000000, 0x0c0000a3 },
	{ "PMC: any unit may interrupt", 0x000640, 0xffffffff },
	{ "PCI: a GeForce GTX 480 in the mirror", 0x088000, 0x06c010de },
	{ "PFB: six partitions", 0x022438, 6 },
	{ "PFB: none of them disabled", 0x022554, 0 },
	{ "PFB: 16 MiB in the first", 0x11020c, 16 },
	{ "PFB: 16 MiB in the last", 0x11520c, 16 },
	{ "PFB: no seventh", 0x11620c, 0 },
	{ "PFB: 27 MHz, memory of kind 0", 0x101000, 0x80400000 },
	{ "PFB: a flush is queued, and there is room for more", 0x100c80, 0x00ff8000 },
	{ "PLTC: four slices", 0x17e8dc, 4u << 28 },
	{ "devinit: the board's firmware has run", 0x02240c, 2 },
	{ "fuses: there is a speed grade", 0x0212cc, 1 },
	{ "PCE0: falcon of version 3", 0x10412c, 3 },
	{ "PCE1: 4 KiB of code, 2 KiB of data", 0x105108, 8 << 9 | 0x10 },
	{ "PMU: no rings yet", 0x10a4d0, 0 },
	{ "PGRAPH: 4 GPCs, 6 ROP partitions", 0x409604, 6 << 16 | 4 },
	{ "PGRAPH: 4 TPCs in the first GPC", 0x502608, 4 },
	{ "PGRAPH: 3 TPCs in the last", 0x51a608, 3 },
	{ "PGRAPH: its microcontroller has not started", 0x409800, 0 },
	{ "PGRAPH: no context", 0x409b00, 0 },
};

/* Written, then read: what the driver waits for. */
static const struct {
	const char *name;
	u32 reg;
	u32 write;
	u32 read;
	u32 want;
} answers[] = {
	{ "PMC: three pushers", 0x000204, 0xffffffff, 0x000204, 7 },
	{ "flush of BARs is done", 0x070000, 1, 0x070000, 0 },
	{ "invalidation of PLTC is done", 0x070004, 1, 0x070004, 0 },
	{ "flush of PLTC is done", 0x070010, 1, 0x070010, 0 },
	{ "PFB: large pages of 64 KiB", 0x100c80, 1, 0x100c80, 0x00ff8001 },
	{ "PFB: the size of a partition stays", 0x100cbc, 0x80000001, 0x11020c, 16 },
	{ "PMU: started, it has a ring from the host", 0x10a100, 2, 0x10a4d0, 0x00800200 },
	{ "PMU: started, it has a ring to the host", 0x10a100, 2, 0x10a4dc, 0x00800280 },
	{ "PGRAPH: power mode is taken over", 0x404170, 0x12, 0x404170, 0x02 },
	{ "PGRAPH: no bundle is pending", 0x400200, 0x1234, 0x400700, 0 },
	{ "PGRAPH: the microcontroller is ready", 0x409100, 2, 0x409800, 0x80000000 },
	{ "PGRAPH: and says how large a context is", 0x409100, 2, 0x409804, 0x20000 },
	{ "PGRAPH: context switches stop", 0x409504, 0x38, 0x409804, 1 },
	{ "PGRAPH: and go", 0x409504, 0x39, 0x409804, 1 },
	{ "PGRAPH: mailbox bits are set", 0x409820, 0x30, 0x409800, 0x30 },
	{ "PFIFO: the runlist is taken at once", 0x2274, 0x01f00000, 0x227c, 0 },
	{ "PFIFO: and that is told", 0x2274, 0x01f00000, 0x2a00, 1 << 28 },
	{ "PFIFO: no channel, nothing to preempt", 0x2634, 5, 0x2634, 5 },
};

static void golden(void)
{
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	wr(&b, 0x409100, 2);
	wr(&b, 0x409840, 0x80000000);
	check_eq("golden context: the mailbox is cleared", rd(&b, 0x409800), 0);
	wr(&b, 0x409500, 0x80000100);
	wr(&b, 0x409504, 1);
	check_eq("golden context: the channel is set", rd(&b, 0x409800), 0x80000000);
	check_eq("golden context: it is current", rd(&b, 0x409b00), 0x80000100);
	wr(&b, 0x409b04, rd(&b, 0x409b04) & 0x7fffffff);
	wr(&b, 0x409000, 0x100);
	check_eq("golden context: it is unloaded", rd(&b, 0x409b00), 0);
	wr(&b, 0x409504, 0x77);
	check_eq("an unknown command is told of", b.logs, 1);
	bench_fini(&b);
}

static void interrupts(void)
{
	struct bench b;
	u8 all = 0xff;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	card_msi_enable(b.card, true);
	wr(&b, 0x2270, 0x1f00);
	wr(&b, 0x000640, 0);
	wr(&b, 0x2274, 0x01f00000);
	check_eq("PMC: what the mask hides is not seen", rd(&b, R_PMC_INTR), 0);
	check_eq("PMC: and does not interrupt", b.msis, 0);
	wr(&b, 0x000640, 0x100);
	check_eq("PMC: what it lets through is", rd(&b, R_PMC_INTR), 0x100);
	check_eq("PMC: one message", b.msis, 1);
	wr(&b, 0x2a00, 1 << 28);
	wr(&b, 0x2274, 0x01f00000);
	check_eq("PCI: no second message before it is re-armed", b.msis, 1);
	card_write(b.card, b.now, CARD_BAR0, 0x088704, &all, 1);
	check_eq("PCI: a byte at 0x088704 re-arms", b.msis, 2);
	check_eq("that was no error", b.logs, 0);
	bench_fini(&b);
}

static const struct {
	const char *name;
	const char *chip;
	u32 mib;
	bool ok;
} sizes[] = {
	{ "64 MiB are a G92's", "G92", 64, true }, { "1024 too", "G92", 1024, true },
	{ "2048 are not", "G92", 2048, false }, { "96 MiB are a GF100's", "GF100", 96, true },
	{ "1536 too", "GF100", 1536, true }, { "256 are not", "GF100", 256, false },
	{ "0 are nobody's", "G92", 0, false }, { "no such chip", "GF119", 96, false },
	{ "no chip", NULL, 96, false },
};

int main(void)
{
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	for (u32 i = 0; i < ARRAY_LEN(values); i++)
		check_eq(values[i].name, rd(&b, values[i].reg), values[i].want);
	bench_fini(&b);
	for (u32 i = 0; i < ARRAY_LEN(answers); i++) {
		bench_init_chip(&b, "GF100", GF_VRAM, 1);
		wr(&b, answers[i].reg, answers[i].write);
		check_eq(answers[i].name, rd(&b, answers[i].read), answers[i].want);
		bench_fini(&b);
	}
	golden();
	interrupts();
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++)
		check(card_vram_ok(sizes[i].chip, sizes[i].mib) == sizes[i].ok, sizes[i].name,
		      "%u MiB", sizes[i].mib);
	check_eq("384 MiB, unless told", card_vram_default("GF100"), 384);
	return done();
}
