// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: what a guest may do to the card by registers, windows and time, and faults on request.
 * The input is a list of operations of a byte each with their operands. Two channels are there and
 * work when it begins. However it ends, the ground truth adds up.
 */
#include <stdlib.h>
#include <string.h>

#include "lib.h"

static const u8 *in;
static size_t left;

static u32 take(u32 bytes)
{
	u32 v = 0;

	for (; bytes && left; bytes--, left--)
		v = v << 8 | *in++;
	return v;
}

/* Where the card's state is; the registers there are reached with one byte. */
static const u32 places[] = {
	0x000100, 0x000140, 0x000200, 0x001100, 0x001700, 0x001704, 0x001708, 0x00170c, 0x002100,
	0x002140, 0x002500, 0x002504, 0x002600, 0x002604, 0x002608, 0x003204, 0x003220, 0x003228,
	0x003240, 0x003244, 0x003250, 0x003270, 0x0032ec, 0x0032f4, 0x0032fc, 0x00330c, 0x003330,
	0x003334, 0x009100, 0x009140, 0x009400, 0x009410, 0x009420, 0x070000, 0x088004, 0x088068,
	0x100c80, 0x100c90, 0x100c94, 0x400100, 0x400108, 0x40013c, 0x40032c, 0x400500, 0x400700,
	0x400804, 0x405018, 0xc0208c, 0xc0408c,
};

static u32 place(void)
{
	u8 n = (u8)take(1);

	return n < ARRAY_LEN(places) ? places[n] : take(3);
}

static void group(struct bench *b, u32 chid)
{
	chan_launch(b, chid, 100);
	chan_fence(b, chid, 1 + take(1));
	chan_kick(b, chid);
}

static void step(struct bench *b)
{
	static const int regions[] = { CARD_BAR0, CARD_BAR1, CARD_BAR3, CARD_CONFIG, 2, 9 };
	char text[40], why[CARD_WHY];
	u8 buf[64] = { 0 }, op = (u8)take(1);
	u32 at, n;

	switch (op % 10) {
	case 0:
		wr(b, place(), take(4));
		break;
	case 1:
		rd(b, place());
		break;
	case 2:
		bench_pass(b, take(3));
		break;
	case 3:
		group(b, 1 + (take(1) & 1));
		break;
	case 4:
		n = 1 + take(1) % sizeof(buf);
		for (u32 i = 0; i < n; i++)
			buf[i] = (u8)take(1);
		at = take(1);
		card_write(b->card, b->now, regions[at % ARRAY_LEN(regions)], take(4), buf, n);
		break;
	case 5:
		n = 1 + take(1) % sizeof(buf);
		at = take(1);
		card_read(b->card, b->now, regions[at % ARRAY_LEN(regions)], take(4), buf, n);
		break;
	case 6:
		/* instance blocks, page tables, rings */
		at = 0x100000 + take(3) % (BENCH_VRAM - 0x100004);
		vram_set32(b, at, take(4));
		break;
	case 7:
		for (n = 0; n < sizeof(text) - 1 && left && *in; n++)
			text[n] = (char)take(1);
		text[n] = 0;
		take(1);
		card_fault(b->card, b->now, text, why, sizeof(why));
		break;
	case 8:
		card_msi_enable(b->card, take(1) & 1);
		break;
	case 9:
		if (take(1) == 0x5a)
			card_reset(b->card, b->now);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct card_truth t;
	struct bench b;

	in = data;
	left = size;
	bench_init(&b, 1);
	bench_start(&b);
	for (u32 c = 1; c <= 2; c++) {
		chan_open(&b, c);
		chan_bind(&b, c, SUB_COMPUTE);
		chan_kick(&b, c);
	}
	bench_pass(&b, 1000000);
	while (left)
		step(&b);
	card_truth(b.card, b.now, &t);
	if (t.busy_ns + t.switch_ns + t.idle_ns != t.elapsed_ns)
		abort();
	bench_fini(&b);
	return 0;
}
