// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: what a guest may do to a GF100: registers, windows, page tables, push buffers, time. The
 * input is a list of operations of a byte each with their operands. Two channels are there and work
 * when it begins. Errors are handled as a driver does. However it ends, every engine's account adds up.
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
	0x000100, 0x000140, 0x000200, 0x000204, 0x000640, 0x001700, 0x001704, 0x001714, 0x002100,
	0x002140, 0x002254, 0x002270, 0x002274, 0x00259c, 0x0025a0, 0x0025a4, 0x0025a8, 0x0025b8,
	0x002630, 0x002634, 0x002640, 0x002650, 0x002a00, 0x002a30, 0x003000, 0x003004, 0x003008,
	0x00300c, 0x003010, 0x003014, 0x040108, 0x042108, 0x044108, 0x070000, 0x088704, 0x100c80,
	0x100cbc, 0x104100, 0x10a100, 0x400100, 0x400108, 0x40013c, 0x400500, 0x400700, 0x409000,
	0x409100, 0x409500, 0x409504, 0x409800, 0x409820, 0x409840, 0x409b00, 0x409b04,
};

/* Bound to the subchannels from the beginning; gf_launch() and gf_copy() bind theirs. */
static const u16 classes[] = { 0x9097, 0x902d, 0, 0x9039 };

static u32 place(void)
{
	u8 n = (u8)take(1);

	return n < ARRAY_LEN(places) ? places[n] : take(3);
}

static void handle(struct bench *b)
{
	for (u32 unit = 0; unit < 3; unit++)
		wr(b, 0x040108 + unit * 0x2000, 0xffffffff);
	wr(b, 0x25a0, 0xffffffff);
	wr(b, 0x259c, rd(b, 0x259c));
	for (u32 engine = 0; engine < 6; engine++)
		wr(b, 0x25a8 + 4 * engine, 1);
	wr(b, 0x2a00, 0xffffffff);
	wr(b, R_GR_INTR, 0xffffffff);
	wr(b, R_GR_FIFO, 0x00010001);
}

static void step(struct bench *b)
{
	u32 op = take(1), chid = 1 + (op >> 7), at;
	u8 buf[8] = { 0 };

	switch (op % 12) {
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
		gf_launch(b, chid, take(1));
		break;
	case 4:
		gf_copy(b, chid, 4 + take(1) % 2, take(4), take(4), take(1));
		break;
	case 5:
		gf_fence(b, chid, take(1));
		break;
	case 6:
		gf_semaphore(b, chid, FENCE(take(1) % 3), take(1), take(1));
		break;
	case 7:
		at = take(2);
		gf_mthd(b, chid, at >> 13, (at & 0xfff) << 2, take(4));
		break;
	case 8:
		chan_word(b, chid, take(4));
		break;
	case 9:
		gf_kick(b, chid);
		break;
	case 10:
		/* page tables, rings, instance blocks */
		at = take(1);
		vram_set32(b, (at % 3 == 0 ? 0x1000000 : at % 3 == 1 ? 0x203f000 : 0x120000) +
			   (take(2) & 0xfffc), take(4));
		break;
	default:
		for (u32 i = 0; i < sizeof(buf); i++)
			buf[i] = (u8)take(1);
		card_write(b->card, b->now, CARD_BAR1, GF_USERD + take(2), buf, 1 + buf[0] % 8);
		handle(b);
	}
	/* room for what the next one writes */
	if (b->chan[chid].push - b->chan[chid].start > 0x4000)
		gf_kick(b, chid);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct card_truth_engine e;
	struct card_truth t;
	struct bench b;

	in = data;
	left = size;
	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	for (u32 chid = 1; chid < 3; chid++) {
		gf_open(&b, chid);
		for (u32 sub = 0; sub < ARRAY_LEN(classes); sub++)
			if (classes[sub])
				gf_mthd(&b, chid, sub, 0, classes[sub]);
		gf_launch(&b, chid, 100);
		gf_fence(&b, chid, 1);
		gf_kick(&b, chid);
	}
	while (left)
		step(&b);
	bench_pass(&b, 10000000);
	card_truth(b.card, b.now, &t);
	for (u32 i = 0; i < t.engines; i++) {
		card_truth_engine(b.card, i, &e);
		if (e.busy_ns + e.switch_ns + e.idle_ns != t.elapsed_ns)
			abort();
	}
	bench_fini(&b);
	return 0;
}
