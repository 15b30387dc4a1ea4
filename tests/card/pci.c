// SPDX-License-Identifier: GPL-2.0
/* pci.c - identity, what can be written, the message and its re-arming. */
#include <string.h>

#include "lib.h"

static u32 cfg(struct bench *b, u32 off, u32 len)
{
	u32 val = 0;

	card_read(b->card, b->now, CARD_CONFIG, off, &val, len);
	return val;
}

static void cfg_wr(struct bench *b, u32 off, u32 val, u32 len)
{
	card_write(b->card, b->now, CARD_CONFIG, off, &val, len);
}

static const struct {
	const char *name;
	u32 off;
	u32 len;
	u32 want;
} reads[] = {
	{ "vendor and device", 0x00, 4, 0x060510de },
	{ "class: VGA display", 0x0a, 2, 0x0300 },
	{ "revision", 0x08, 1, 0xa2 },
	{ "subsystem", 0x2c, 4, 0x062d10de },
	{ "BAR0: 32-bit", 0x10, 4, 0 },
	{ "BAR1: 64-bit prefetchable", 0x14, 4, 0xc },
	{ "BAR3: 64-bit", 0x1c, 4, 4 },
	{ "interrupt pin A", 0x3d, 1, 1 },
	{ "capabilities start at power management", 0x34, 1, 0x60 },
	{ "power management", 0x60, 2, 0x6801 },
	{ "MSI, where nouveau re-arms it", 0x68, 1, 0x05 },
	{ "MSI: one vector, 64 bits", 0x6a, 2, 0x0080 },
	{ "past the end of the structure: 0", 0xf0, 4, 0 },
};

static const struct {
	const char *name;
	u32 off;
	u32 write;
	u32 want;
} writes[] = {
	{ "identity is read-only", 0x00, 0xffffffff, 0x060510de },
	{ "command: the bits that exist", 0x04, 0x0000ffff, 0x00100547 },
	{ "interrupt line", 0x3c, 0xff, 0x000001ff },
	{ "MSI: enable is the only control bit", 0x68, 0xffff0000, 0x00810005 },
	{ "MSI address", 0x6c, 0xfee01000, 0xfee01000 },
};

static u64 away(struct bench *b)
{
	struct card_truth truth;

	card_truth(b->card, b->now, &truth);
	return truth.away;
}

/* D3hot and back, with a channel at work. */
static void sleeps(void)
{
	struct bench b;
	u32 val;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, 1);
	chan_bind(&b, 1, SUB_COMPUTE);
	chan_launch(&b, 1, 1000);
	chan_fence(&b, 1, 1);
	chan_kick(&b, 1);
	cfg_wr(&b, 0x04, 0x0406, 2);
	cfg_wr(&b, 0x64, 0, 2);
	check_eq("D0 again: nothing changes", rd(&b, R_PMC_INTR_EN), 1);
	cfg_wr(&b, 0x64, 3, 2);
	check_eq("D3hot", cfg(&b, 0x64, 2), 3);
	check_eq("nobody was there yet", away(&b), 0);
	check_eq("its identity can be read", cfg(&b, 0x00, 4), 0x060510de);
	check_eq("registers are ones", rd(&b, 0), 0xffffffff);
	card_read(b.card, b.now, CARD_BAR1, 0x1000, &val, 4);
	check_eq("so is the memory", val, 0xffffffff);
	wr(&b, R_PMC_INTR_EN, 1);
	check_eq("each access is counted", away(&b), 3);
	bench_run(&b, b.now + 10 * launch_ns(1000));
	check_eq("nothing runs", vram32(&b, FENCE(1)), 0);
	check_eq("and nothing interrupts", b.intx_rises, 0);
	cfg_wr(&b, 0x64, 0, 2);
	check_eq("D0: identity", rd(&b, 0), 0x092000a2);
	check_eq("the space has been reset", cfg(&b, 0x04, 2), 0);
	check_eq("and the units", rd(&b, R_PMC_INTR_EN), 0);
	check_eq("the memory holds nothing of use", vram32(&b, FENCE(1)), 0xa5a5a5a5);
	check_eq("not counted any more", away(&b), 3);
	bench_fini(&b);
}

int main(void)
{
	struct bench b;

	bench_init(&b, 1);
	for (u32 i = 0; i < ARRAY_LEN(reads); i++)
		check_eq(reads[i].name, cfg(&b, reads[i].off, reads[i].len), reads[i].want);
	for (u32 i = 0; i < ARRAY_LEN(writes); i++) {
		cfg_wr(&b, writes[i].off, writes[i].write, 4);
		check_eq(writes[i].name, cfg(&b, writes[i].off, 4), writes[i].want);
	}
	check_eq("mirrored in BAR0", rd(&b, 0x088000), 0x060510de);
	bench_fini(&b);

	sleeps();

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, 1);
	chan_fence(&b, 1, 1);
	chan_kick(&b, 1);
	check_eq("no message while MSI is off", b.msis, 0);
	card_msi_enable(b.card, true);
	check_eq("a pending interrupt is sent when MSI comes on", b.msis, 1);
	wr(&b, R_PFIFO_INTR, 0xffffffff);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	check_eq("not armed: no second message", b.msis, 1);
	/* as the driver does it: mask, re-arm, acknowledge, unmask */
	wr(&b, R_PMC_INTR_EN, 0);
	cfg_wr(&b, 0x68, 0xff, 1);
	check_eq("re-armed while masked: nothing yet", b.msis, 1);
	wr(&b, R_PMC_INTR_EN, 1);
	check_eq("unmasked with the cause still there: sent", b.msis, 2);
	wr(&b, R_PMC_INTR_EN, 0);
	cfg_wr(&b, 0x68, 0xff, 1);
	wr(&b, R_PFIFO_INTR, 0xffffffff);
	wr(&b, R_PMC_INTR_EN, 1);
	check_eq("cause gone: nothing sent", b.msis, 2);
	bench_fini(&b);
	return done();
}
