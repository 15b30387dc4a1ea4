// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: push buffers. The input is a list of words for a channel whose subchannels hold an object
 * of every class: a byte of 0 to 4 names a subchannel, and a method and its datum follow; 5 hands
 * over what is there, and time passes; 6 and 7 are a fence and an acquire; anything else is
 * followed by a plain word. Errors are handled as a driver does. However it ends, the ground truth adds up.
 */
#include <stdlib.h>
#include <string.h>

#include "lib.h"

#define CH		1
#define WORDS_MAX	2000
#define KICKS_MAX	16
#define STEP_NS		2000000

static void handle(struct bench *b)
{
	u32 fifo = rd(b, R_PFIFO_INTR), gr = rd(b, R_GR_INTR);

	if (fifo & 0x1000) {
		/* skip the ring entry */
		wr(b, 0x3244, rd(b, 0x3240));
		wr(b, 0x3328, rd(b, 0x3320));
		wr(b, 0x3334, rd(b, 0x3330));
	}
	wr(b, R_PFIFO_INTR, fifo);
	wr(b, R_PFIFO_PULL0, 1);
	wr(b, 0x400108, rd(b, 0x400108));
	wr(b, R_GR_INTR, gr);
	wr(b, R_GR_FIFO, 0x00010001);
	wr(b, 0x100c90, 0x80000000);
}

static void go(struct bench *b)
{
	chan_kick(b, CH);
	for (u32 i = 0; i < 20; i++) {
		bench_pass(b, STEP_NS / 20);
		handle(b);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct card_truth t;
	struct bench b;
	u32 words = 0, kicks = 0;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, CH);
	for (u32 sub = SUB_M2MF; sub <= SUB_3D; sub++)
		chan_bind(&b, CH, sub);
	go(&b);
	while (size >= 7 && words < WORDS_MAX && kicks < KICKS_MAX) {
		u8 op = data[0];
		u32 mthd = (data[1] | (u32)data[2] << 8) & 0x1ffc, datum;

		memcpy(&datum, data + 3, sizeof(datum));
		data += 7;
		size -= 7;
		words += 2;
		switch (op) {
		case 0 ... 4:
			chan_mthd(&b, CH, op, mthd, datum);
			break;
		case 5:
			go(&b);
			kicks++;
			break;
		case 6:
			chan_fence(&b, CH, datum);
			break;
		case 7:
			chan_acquire(&b, CH, FENCE(CH), datum, 4);
			break;
		default:
			chan_word(&b, CH, datum);
		}
	}
	go(&b);
	card_truth(b.card, b.now, &t);
	if (t.busy_ns + t.switch_ns + t.idle_ns != t.elapsed_ns)
		abort();
	bench_fini(&b);
	return 0;
}
