// SPDX-License-Identifier: GPL-2.0
/*
 * pfifo.c - the pusher's commands, the puller's methods, their errors, and channels coming and
 * going.
 *
 * The methods used are PFIFO's own, so nothing here takes time.
 */
#include <string.h>

#include "lib.h"

#define CH	5
#define USER	(0xc00000 + CH * 0x2000)

enum { CACHE_ERROR = 1, DMA_PUSHER = 1 << 12, SEMAPHORE = 1 << 20, NOTIFY = 1 << 30 };

#define INC(n, sub, mthd)	((n) << 18 | (sub) << 13 | (mthd))
#define NONINC(n, sub, mthd)	(1 << 30 | INC(n, sub, mthd))
#define LONG(sub, mthd)		(0x00030000 | (sub) << 13 | (mthd))
#define HI(a)			((u32)((u64)(a) >> 32))

/* One ring entry; then what the interrupt register, REF and fence read. */
static const struct {
	const char *name;
	u32 word[12];
	u32 words;
	u32 intr;
	u32 ref;
	u32 fence;
	u32 state;		/* error in bits 29-31 of 0x003228 (pusher), or 0x003250 (puller) */
} rows[] = {
	{ "increasing methods", { INC(1, 0, 0x50), 7 }, 2, 0, 7, 0, 0 },
	{ "empty commands do nothing", { 0, 0, 0, INC(1, 0, 0x50), 7 }, 5, 0, 7, 0, 0 },
	{ "non-increasing methods", { NONINC(3, 0, 0x50), 1, 2, 3 }, 4, 0, 3, 0, 0 },
	{ "long non-increasing methods", { LONG(0, 0x50), 3, 1, 2, 9 }, 5, 0, 9, 0, 0 },
	{ "increasing over several methods", { INC(1, 0, 0x60), BENCH_DMA, INC(4, 0, 0x10),
	  0, FENCE(CH), 42, 2 }, 7, 0, 0, 42, 0 },
	{ "notify raises the interrupt", { INC(1, 0, 0x20), 0 }, 2, NOTIFY, 0, 0, 0 },
	{ "methods 0x24 and 0x80 do nothing", { INC(1, 0, 0x24), 0, INC(1, 0, 0x80), 0,
	  INC(1, 0, 0x50), 4 }, 6, 0, 4, 0, 0 },
	{ "old-style semaphore", { INC(1, 0, 0x60), BENCH_DMA, INC(1, 0, 0x64), 0x8000,
	  INC(1, 0, 0x6c), 77, INC(1, 0, 0x50), 1 }, 8, 0, 1, 0, 0 },
	{ "a jump is not a command here", { 0x20000000, INC(1, 0, 0x50), 7 }, 3, DMA_PUSHER, 0, 0,
	  4u << 29 },
	{ "nor is a call", { 0x00000002 }, 1, DMA_PUSHER, 0, 0, 4u << 29 },
	{ "a method that does not exist", { INC(1, 0, 0x30), 0 }, 2, CACHE_ERROR, 0, 0, 0 },
	{ "an unknown object", { INC(1, 0, 0x00), 0x999 }, 2, CACHE_ERROR, 0, 0, 0x10 },
	{ "a software object goes to the driver", { INC(1, 4, 0x00), BENCH_SW }, 2, CACHE_ERROR, 0,
	  0, 0x100 },
	{ "so does a method of an unbound subchannel", { INC(1, 6, 0x200), 1 }, 2, CACHE_ERROR, 0,
	  0, 0x100 },
	{ "semaphore address over 40 bits", { INC(1, 0, 0x10), 0x100 }, 2, SEMAPHORE, 0, 0,
	  3 << 20 },
	{ "semaphore address unaligned", { INC(1, 0, 0x14), 2 }, 2, SEMAPHORE, 0, 0, 1 << 20 },
	{ "semaphore without an object", { INC(4, 0, 0x10), 0, FENCE(CH), 1, 2 }, 5, SEMAPHORE, 0,
	  0, 4 << 20 },
	{ "semaphore without a page", { INC(1, 0, 0x60), BENCH_DMA, INC(4, 0, 0x10), 9, 0, 1, 2 },
	  7, SEMAPHORE, 0, 0, 4 << 20 },
	{ "old-style semaphore without an offset", { INC(1, 0, 0x68), 1 }, 2, SEMAPHORE, 0, 0,
	  2 << 20 },
	{ "old-style offset too large", { INC(1, 0, 0x64), 0x10000 }, 2, SEMAPHORE, 0, 0, 3 << 20 },
};

static void run_rows(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 intr, state, ref, fence;

		bench_init(&b, 1);
		bench_start(&b);
		chan_open(&b, CH);
		for (u32 w = 0; w < rows[i].words; w++)
			chan_word(&b, CH, rows[i].word[w]);
		chan_kick(&b, CH);
		intr = rd(&b, R_PFIFO_INTR);
		ref = rd(&b, USER + 0x48);
		fence = vram32(&b, FENCE(CH));
		state = intr & DMA_PUSHER ? rd(&b, 0x3228) : rd(&b, R_PFIFO_PULL0) & ~1u;
		check(intr == rows[i].intr && ref == rows[i].ref && fence == rows[i].fence &&
		      state == rows[i].state, rows[i].name,
		      "interrupt %#x, ref %u, fence %u, state %#x", intr, ref, fence, state);
		if (!(intr & ~NOTIFY)) {
			bench_fini(&b);
			continue;
		}
		/* the driver handles it as nouveau does, and the channel goes on */
		check_eq("... on this channel", rd(&b, R_CUR_CHAN) & 0x7f, CH);
		chan_mthd(&b, CH, 0, 0x50, 1234);
		chan_kick(&b, CH);
		check(rd(&b, USER + 0x48) != 1234, "... which waits for the driver", "it went on");
		if (intr == DMA_PUSHER) {
			if (rd(&b, 0x3244) != rd(&b, 0x3240))
				wr(&b, 0x3244, rd(&b, 0x3240));
			wr(&b, 0x3228, 0);
			wr(&b, 0x3220, 1);
			wr(&b, R_PFIFO_INTR, DMA_PUSHER);
		} else {
			wr(&b, R_PFIFO_INTR, intr);
			wr(&b, 0x3270, rd(&b, 0x3270) + 4);
			wr(&b, R_PFIFO_PULL0, 1);
		}
		check_eq("... and goes on after it", rd(&b, USER + 0x48), 1234);
		check_eq("... the interrupt is gone", rd(&b, R_PFIFO_INTR), 0);
		bench_fini(&b);
	}
}

/* Acquires: the semaphore holds @now at first and @later afterwards. */
static const struct {
	const char *name;
	u32 op;
	u32 seq;
	u32 now;
	bool passes;
	u32 later;
	bool passes_later;
} acquires[] = {
	{ "acquire equal, fulfilled", 1, 5, 5, true, 5, true },
	{ "acquire equal, unmet, then met", 1, 5, 4, false, 5, true },
	{ "acquire equal, passed over", 1, 5, 4, false, 6, false },
	{ "acquire greater or equal, greater", 4, 5, 6, true, 6, true },
	{ "acquire greater or equal, less, then greater", 4, 5, 4, false, 9, true },
	{ "acquire greater or equal, around the end", 4, 0xfffffff0, 0x10, true, 0x10, true },
	{ "acquire greater or equal, half a turn away", 4, 0x10, 0xfffffff0, false, 0x10, true },
};

static void run_acquires(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(acquires); i++) {
		for (int by_cpu = 0; by_cpu < 2; by_cpu++) {
			u32 first, second;

			bench_init(&b, 1);
			bench_start(&b);
			chan_open(&b, CH);
			chan_open(&b, 6);
			vram_set32(&b, FENCE(6), acquires[i].now);
			chan_acquire(&b, CH, FENCE(6), acquires[i].seq, acquires[i].op);
			chan_mthd(&b, CH, 0, 0x50, 1);
			chan_kick(&b, CH);
			first = rd(&b, USER + 0x48);
			if (by_cpu) {
				vram_set32(&b, FENCE(6), acquires[i].later);
				bench_run(&b, b.now + 1000000);
			} else {
				chan_fence(&b, 6, acquires[i].later);
				chan_kick(&b, 6);
			}
			second = rd(&b, USER + 0x48);
			check(first == acquires[i].passes && second == acquires[i].passes_later,
			      acquires[i].name, "%u, after the release by %s %u", first,
			      by_cpu ? "CPU" : "another channel", second);
			bench_fini(&b);
		}
	}
}

#define ENTRY(b)	(0x2000000 + CH * 0x20000 + 0x1f000 + 8 * (b)->chan[CH].put)

static void run_ring(void)
{
	struct bench b;
	u32 end;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, CH);
	check_eq("ring is empty", rd(&b, USER + 0x88), 0);
	check_eq("no entry of the main pushbuffer yet", rd(&b, USER + 0x5c), 0);
	for (u32 i = 1; i <= 1500; i++) {
		chan_mthd(&b, CH, 0, 0x50, i);
		chan_kick(&b, CH);
		if (rd(&b, USER + 0x48) != i) {
			check(false, "1500 entries around the ring", "stuck at %u", i);
			break;
		}
	}
	check_eq("1500 entries around the ring", rd(&b, USER + 0x88), 1500 % 512);
	check_eq("get has caught up with put", rd(&b, USER + 0x8c), 1500 % 512);
	check_eq("DMA_GET is where the last entry ended", rd(&b, USER + 0x44), b.chan[CH].push);
	check_eq("its high part", rd(&b, USER + 0x60), HI(b.chan[CH].push));

	/* an entry that is not of the main pushbuffer moves DMA_GET alone */
	end = b.chan[CH].push;
	chan_mthd(&b, CH, 0, 0x50, 77);
	vram_set32(&b, ENTRY(&b), b.chan[CH].start);
	vram_set32(&b, ENTRY(&b) + 4, 2 << 10 | 1 << 9);
	b.chan[CH].start = b.chan[CH].push;
	wr(&b, USER + 0x8c, ++b.chan[CH].put);
	check_eq("an entry beside the main pushbuffer", rd(&b, USER + 0x48), 77);
	check_eq("DMA_GET is at its end", rd(&b, USER + 0x44), b.chan[CH].push);
	check_eq("DMA_MGET is not", rd(&b, USER + 0x58), end);
	check_eq("DMA_MGET is valid", rd(&b, USER + 0x5c), 1u << 31);

	/* a command may go over the end of an entry */
	chan_word(&b, CH, INC(1, 0, 0x50));
	chan_kick(&b, CH);
	chan_word(&b, CH, 4321);
	chan_kick(&b, CH);
	check_eq("a command in two entries", rd(&b, USER + 0x48), 4321);

	/* an entry of no words */
	chan_kick(&b, CH);
	check_eq("an empty entry is an error", rd(&b, 0x3228) >> 29, 5);
	wr(&b, 0x3220, 1);
	wr(&b, R_PFIFO_INTR, DMA_PUSHER);

	/* an entry where there is no memory */
	vram_set32(&b, ENTRY(&b), 0);
	vram_set32(&b, ENTRY(&b) + 4, 4 << 10 | 0x55);
	b.chan[CH].put++;
	wr(&b, USER + 0x8c, b.chan[CH].put);
	check_eq("a pushbuffer without memory is an error", rd(&b, 0x3228) >> 29, 6);
	wr(&b, 0x3244, rd(&b, 0x3240));
	wr(&b, 0x3220, 1);
	wr(&b, R_PFIFO_INTR, DMA_PUSHER);
	chan_mthd(&b, CH, 0, 0x50, 99);
	chan_kick(&b, CH);
	check_eq("and the next one is executed", rd(&b, USER + 0x48), 99);

	/* not running */
	wr(&b, 0x2504, 1);
	chan_mthd(&b, CH, 0, 0x50, 100);
	chan_kick(&b, CH);
	check_eq("frozen: nothing is executed", rd(&b, USER + 0x48), 99);
	check_eq("frozen: it says so", rd(&b, 0x2504), 0x11);
	wr(&b, 0x2504, 0);
	check_eq("thawed: it is", rd(&b, USER + 0x48), 100);
	wr(&b, 0x32ec, 0);
	chan_mthd(&b, CH, 0, 0x50, 101);
	chan_kick(&b, CH);
	check_eq("not on the runlist: nothing is executed", rd(&b, USER + 0x48), 100);
	wr(&b, 0x32ec, 1);
	check_eq("on it again: it is", rd(&b, USER + 0x48), 101);
	chan_close(&b, CH);
	b.logs = 0;
	wr(&b, USER + 0x8c, 0);
	check_eq("a doorbell of a channel that is gone is logged", b.logs, 1);
	wr(&b, 0x32fc, b.chan[CH].inst >> 12);
	check(rd(&b, 0x32fc) != ~0u, "unloading it is done at once", "still busy");
	bench_fini(&b);
}

static void run_rows_of_truth(void)
{
	static const struct { u32 chid, instance; bool alive; } want[] = {
		{ 5, 0, false }, { 6, 0, true }, { 5, 1, false }, { 5, 2, true },
	};
	struct card_truth_channel c;
	struct card_truth t;
	struct bench b;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, 5);
	chan_open(&b, 6);
	for (int i = 0; i < 2; i++) {
		chan_close(&b, 5);
		chan_open(&b, 5);
	}
	card_truth(b.card, b.now, &t);
	check_eq("a row for each channel that ever was", t.channels, ARRAY_LEN(want));
	for (u32 i = 0; i < ARRAY_LEN(want) && i < t.channels; i++) {
		card_truth_channel(b.card, i, &c);
		check(c.chid == want[i].chid && c.instance == want[i].instance &&
		      c.alive == want[i].alive, "its number, instance, and whether it lives",
		      "row %u: %u.%u %d", i, c.chid, c.instance, c.alive);
	}
	bench_fini(&b);
}

/* A channel is switched off in the midst of work, its memory is lost and restored, and it is back. */
static void run_off_and_on(void)
{
	struct card_truth_channel c;
	struct bench b;
	u32 ramfc[64], at;

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, CH);
	at = b.chan[CH].inst + 0x4200;
	chan_bind(&b, CH, SUB_COMPUTE);
	chan_fence(&b, CH, 1);
	chan_kick(&b, CH);
	bench_pass(&b, 1000000);
	check_eq("off and on: a first fence", vram32(&b, FENCE(CH)), 1);
	vram_set32(&b, FENCE(CH), 0);
	chan_launch(&b, CH, 1000);
	chan_fence(&b, CH, 2);
	chan_kick(&b, CH);
	bench_pass(&b, launch_ns(1000) / 2);
	wr(&b, 0x2600 + 4 * CH, 0);
	bench_pass(&b, 2 * launch_ns(1000));
	check_eq("off: its work does not end", vram32(&b, FENCE(CH)), 0);
	memcpy(ramfc, b.vram + at, sizeof(ramfc));
	memset(b.vram + at, 0xa5, sizeof(ramfc));
	memcpy(b.vram + at, ramfc, sizeof(ramfc));
	wr(&b, 0x2600 + 4 * CH, 0x80000000 | at >> 8);
	check_eq("on: where it was in its ring", rd(&b, USER + 0x88), b.chan[CH].put);
	check_eq("what was done is not done again", vram32(&b, FENCE(CH)), 0);
	bench_pass(&b, 2 * launch_ns(1000));
	check_eq("the work that was cut off is", vram32(&b, FENCE(CH)), 2);
	card_truth_channel(b.card, 0, &c);
	check_eq("it is the same row of the truth", c.groups, 2);
	check_eq("which lives", c.alive, true);

	/* its memory comes back as it was at its birth */
	wr(&b, 0x2600 + 4 * CH, 0);
	vram_set32(&b, at + 0xf0, 0);
	wr(&b, 0x2600 + 4 * CH, 0x80000000 | at >> 8);
	check_eq("RAMFC lost: a new channel", rd(&b, USER + 0x88), 0);
	bench_fini(&b);
}

int main(void)
{
	run_rows();
	run_acquires();
	run_ring();
	run_rows_of_truth();
	run_off_and_on();
	return done();
}
