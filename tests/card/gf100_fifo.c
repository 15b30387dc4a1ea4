// SPDX-License-Identifier: GPL-2.0
/*
 * gf100_fifo.c - Fermi's channels: commands, doorbells, fences and their interrupt, errors, turns
 * on the graphics engine, and copy engines beside it.
 */
#include <string.h>

#include "chip.h"
#include "cost.h"
#include "engine.h"
#include "lib.h"

#define SEMAPHORE	0x3000100u	/* where the rows below write */
#define US		1000ll
#define MS		1000000ll

/* Words of a pushbuffer, and what they leave at SEMAPHORE. */
#define INC(mthd, n)	(1u << 29 | (n) << 16 | (mthd) >> 2)
#define NINC(mthd, n)	(3u << 29 | (n) << 16 | (mthd) >> 2)
#define IMMD(mthd, data)	(4u << 29 | (data) << 16 | (mthd) >> 2)
#define ONCE(mthd, n)	(5u << 29 | (n) << 16 | (mthd) >> 2)
#define OLD(mthd, n)	((n) << 18 | (mthd))

static const struct {
	const char *name;
	u32 words[12];
	u32 n;
	u32 want;
	u32 intr;		/* of the pusher */
} commands[] = {
	{ "incrementing", { INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 5, 7, 0 },
	{ "incrementing, of old", { OLD(0x10, 4), 0, SEMAPHORE, 7, 2 }, 5, 7, 0 },
	{ "no words to begin with", { 0, 0, INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 7, 7, 0 },
	{ "not incrementing: the last datum counts",
	  { INC(0x10, 2), 0, SEMAPHORE, NINC(0x18, 3), 1, 2, 3, IMMD(0x1c, 2) }, 8, 3, 0 },
	{ "immediate", { INC(0x10, 2), 0, SEMAPHORE, IMMD(0x18, 0x1fff), IMMD(0x1c, 2) }, 5, 0x1fff,
	  0 },
	{ "incrementing once", { INC(0x10, 2), 0, SEMAPHORE, ONCE(0x18, 3), 9, 2, 2 }, 7, 9, 0 },
	{ "a release of four bytes", { INC(0x10, 4), 0, SEMAPHORE, 7, 2 | 1 << 24 }, 5, 7, 0 },
	{ "what does nothing", { IMMD(0x08, 5), INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 6, 7, 0 },
	{ "no command: the rest of the entry is skipped",
	  { 0xe0000000, INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 6, 0, 1 << 18 },
	{ "a method that is none", { IMMD(0x60, 1), INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 6, 7,
	  1 << 21 },
	{ "an unaligned semaphore", { INC(0x10, 2), 0, SEMAPHORE + 1, INC(0x10, 4), 0, SEMAPHORE, 7,
	  2 }, 8, 7, 1 << 25 },
	{ "a subchannel without object", { IMMD(0x2000 | 0x100, 1), INC(0x10, 4), 0, SEMAPHORE, 7,
	  2 }, 6, 7, 1 << 23 },
	{ "an object of software", { INC(0, 1), 0x1f906e, INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 7, 7,
	  1 << 23 },
	{ "an object of a video engine", { INC(0, 1), 0x190b2, INC(0x10, 4), 0, SEMAPHORE, 7, 2 }, 7,
	  7, 1 << 21 },
};

static void run_command(u32 i)
{
	u32 intr;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 3);
	for (u32 w = 0; w < commands[i].n; w++)
		chan_word(&b, 3, commands[i].words[w]);
	gf_kick(&b, 3);
	intr = rd(&b, 0x040108);
	if (intr) {
		check(rd(&b, R_PFIFO_INTR) & 1u << 29 && rd(&b, 0x25a0) == 1 &&
		      (rd(&b, 0x040120) & 0x7f) == 3, commands[i].name, "intr %#x", intr);
		wr(&b, 0x0400c0, 0x80600008);
		wr(&b, 0x040108, intr);
		wr(&b, 0x25a0, 1);
	}
	bench_pass(&b, 1 * MS);
	check(intr == commands[i].intr && vram32(&b, SEMAPHORE) == commands[i].want,
	      commands[i].name, "intr %#x, wrote %#x", intr, vram32(&b, SEMAPHORE));
	bench_fini(&b);
}

/* A launch, its fence, its interrupt. */
static void launch(void)
{
	s64 want = 25 * US + cost_launch(&chip_gf100, 1500, 256, 100) +
		   cost_methods(&chip_gf100, 8), start;
	struct card_truth t;
	struct card_truth_channel c;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	wr(&b, 0x2a00, ~0u);
	start = b.now;
	gf_launch(&b, 1, 1500);
	gf_fence(&b, 1, 77);
	gf_kick(&b, 1);
	check_eq("the engine switches to the channel", rd(&b, 0x2640) & 0x9000507f, 0x90005001);
	bench_run(&b, start + 26 * US);
	check_eq("then it is busy with it", rd(&b, 0x2640) & 0x9000507f, 0x90000001);
	check_eq("its context is loaded", rd(&b, 0x409b00), 0x80000000 | b.chan[1].inst >> 12);
	bench_run(&b, start + want - 1);
	check_eq("no fence before its time", vram32(&b, FENCE(1)), 0);
	bench_run(&b, start + want);
	check_eq("the fence at its time", vram32(&b, FENCE(1)), 77);
	check_eq("the engine is idle", rd(&b, 0x2640), 0);
	check_eq("an interrupt of engine 0", rd(&b, 0x25a4), 1);
	check_eq("in one bit", rd(&b, 0x25a8), 1);
	check_eq("seen at PFIFO", rd(&b, R_PFIFO_INTR), 1u << 31);
	check(b.intx, "and outside", "no");
	wr(&b, 0x25a8, 1);
	check(!b.intx, "until it is acknowledged", "still there");
	card_truth(b.card, b.now, &t);
	card_truth_channel(b.card, 0, &c);
	check_eq("ground truth: three engines", t.engines, 3);
	check_eq("ground truth: a switch", (u64)t.switch_ns, 25 * US);
	check_eq("ground truth: busy", (u64)t.busy_ns, (u64)want - 25 * US);
	check_eq("ground truth: the channel's", (u64)c.busy_ns, (u64)t.busy_ns);
	check_eq("nothing was wrong", t.errors, 0);
	bench_fini(&b);
}

/* As 7.2 does it: a release that waits for nothing, behind each entry of the ring. */
static void groups(void)
{
	struct card_truth t;
	char why[100];
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	check(card_fault(b.card, b.now, "semaphore", why, sizeof(why)), "a fault", "%s", why);
	gf_launch(&b, 1, 100);
	gf_semaphore(&b, 1, SEMAPHORE, 8, 2 | 1 << 20);
	gf_kick(&b, 1);
	gf_fence(&b, 1, 77);
	gf_semaphore(&b, 1, SEMAPHORE, 9, 2 | 1 << 20);
	gf_kick(&b, 1);
	bench_pass(&b, 1 * MS);
	card_truth(b.card, b.now, &t);
	check_eq("a release without waiting is written", vram32(&b, SEMAPHORE), 9);
	check_eq("... and is not the fence: a group", t.groups, 1);
	check_eq("... nor hit by a fault of fences", vram32(&b, FENCE(1)), 0);
	bench_fini(&b);
}

/* The page of each channel, in video memory and through BAR1. */
static void user_page(void)
{
	struct bench b;
	u32 val;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 2);
	gf_fence(&b, 2, 5);
	gf_kick(&b, 2);
	check_eq("PUT lies in memory", vram32(&b, GF_USERD + 0x2000 + 0x8c), 1);
	card_read(b.card, b.now, CARD_BAR1, GF_USERD + 0x2000 + 0x88, &val, sizeof(val));
	check_eq("GET of the ring is read from the channel", val, 1);
	card_read(b.card, b.now, CARD_BAR1, GF_USERD + 0x2000 + 0x44, &val, sizeof(val));
	check_eq("and GET of the pushbuffer", val, b.chan[2].push);
	wr(&b, 0x3004 + 16, 0x001f0000);
	gf_fence(&b, 2, 6);
	gf_kick(&b, 2);
	check_eq("a stopped channel does nothing", vram32(&b, FENCE(2)), 5);
	wr(&b, 0x3004 + 16, 0x001f0001);
	check_eq("set going, it looks at PUT itself", vram32(&b, FENCE(2)), 6);
	gf_close(&b, 2);
	gf_put(&b, 2, 9);
	check_eq("one that is gone is memory alone", vram32(&b, GF_USERD + 0x2000 + 0x8c), 9);
	check_eq("and no error", b.logs, 0);
	bench_fini(&b);
}

/* Compute on one channel, copies on another: at the same time, each with an account of its own. */
static void beside(u32 engine, const char *const *names)
{
	s64 launch_ns = cost_launch(&chip_gf100, 40000, 256, 100), start, copy_ns;
	u32 lines = 4000, id = engine == 4 ? ENGINE_CE0 : ENGINE_CE1;
	struct card_truth_engine gr, ce;
	struct card_truth_channel c;
	struct card_truth t;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	gf_open(&b, 2);
	vram_set32(&b, 0x3800000 + 4096 * 3999, 0xc0ffee);
	start = b.now;
	gf_launch(&b, 1, 40000);
	gf_fence(&b, 1, 1);
	gf_kick(&b, 1);
	gf_copy(&b, 2, engine, 0x3800000, 0x4800000, lines);
	gf_fence(&b, 2, 2);
	gf_kick(&b, 2);
	check_eq(names[0], rd(&b, 0x2640 + 4 * engine) & 0x9000007f, 0x90000002);
	copy_ns = 1000 + cost_memory(&chip_gf100, 2 * 4096ull * lines, 0) +
		  cost_methods(&chip_gf100, 10);
	bench_run(&b, start + copy_ns);
	check_eq(names[1], vram32(&b, FENCE(2)), 2);
	check_eq(names[2], vram32(&b, 0x4800000 + 4096 * 3999), 0xc0ffee);
	check_eq(names[3], rd(&b, 0x25a4), 1u << engine);
	check_eq(names[4], vram32(&b, FENCE(1)), 0);
	bench_run(&b, start + 25 * US + launch_ns + cost_methods(&chip_gf100, 8));
	check_eq(names[5], vram32(&b, FENCE(1)), 1);
	card_truth(b.card, b.now, &t);
	card_truth_engine(b.card, ENGINE_GR, &gr);
	card_truth_engine(b.card, id, &ce);
	card_truth_channel_of(b.card, 1, id, &c);
	check(!strcmp(ce.name, engine == 4 ? "PCE0" : "PCE1") && ce.busy_ns == copy_ns - 1000 &&
	      ce.switch_ns == 1000 && c.busy_ns == ce.busy_ns && c.switch_ns == 1000 &&
	      c.groups == 1 && c.fence_gap_ns == 0 && ce.groups == 1 &&
	      ce.busy_ns + ce.switch_ns + ce.idle_ns == t.elapsed_ns, names[6], "%s %lld",
	      ce.name, (long long)ce.busy_ns);
	check(gr.groups == 1 && gr.busy_ns + gr.switch_ns + gr.idle_ns == t.elapsed_ns, names[7],
	      "%llu", (unsigned long long)gr.groups);
	bench_fini(&b);
}

/* One channel that uses both: in its order. */
static void both(void)
{
	s64 start, first = 25 * US + cost_launch(&chip_gf100, 1500, 256, 100) +
			   cost_methods(&chip_gf100, 8);
	struct card_truth_channel c, c_gr;
	struct card_truth_engine gr, ce;
	struct card_truth t;
	struct bench b;
	s64 end, fence;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	start = b.now;
	gf_launch(&b, 1, 1500);
	gf_copy(&b, 1, 4, 0x3800000, 0x4800000, 100);
	gf_fence(&b, 1, 3);
	gf_kick(&b, 1);
	bench_run(&b, start + first - 1);
	check_eq("one channel: no copy before the launch has ended", rd(&b, 0x2650), 0);
	bench_run(&b, start + first + 1);
	check_eq("one channel: then the copy engine", rd(&b, 0x2650) & 0x7f, 1);
	check_eq("one channel: and PGRAPH is free", rd(&b, 0x2640), 0);
	bench_run(&b, start + 2 * MS);
	check_eq("one channel: the fence is after both", vram32(&b, FENCE(1)), 3);
	card_truth(b.card, b.now, &t);
	card_truth_engine(b.card, ENGINE_GR, &gr);
	card_truth_engine(b.card, ENGINE_CE0, &ce);
	check(gr.groups == 0 && ce.groups == 1 && gr.busy_ns > 0 && ce.busy_ns > 0,
	      "one channel: the group is the last engine's", "%llu", (unsigned long long)ce.groups);
	gf_launch(&b, 1, 1500);
	gf_copy(&b, 1, 4, 0x3800000, 0x4800000, 100);
	gf_kick(&b, 1);
	end = b.now;
	while (card_next_event(b.card) != CARD_NEVER) {
		end = card_next_event(b.card);
		bench_run(&b, end);
	}
	fence = end + 1 * MS;
	bench_run(&b, fence);
	gf_fence(&b, 1, 4);
	gf_kick(&b, 1);
	bench_run(&b, fence + 1 * MS);
	card_truth_channel_of(b.card, 0, ENGINE_GR, &c_gr);
	card_truth_channel_of(b.card, 0, ENGINE_CE0, &c);
	check(vram32(&b, FENCE(1)) == 4 && c.fence_gap_ns == fence - end && c_gr.fence_gap_ns == 0,
	      "one channel: so is the time to the fence behind the last work", "%lld, %lld",
	      (long long)c.fence_gap_ns, (long long)c_gr.fence_gap_ns);
	bench_fini(&b);
}

/* Taking a channel off its engine: what nouveau does before it touches a context. */
static void preempt(void)
{
	s64 work = cost_launch(&chip_gf100, 1500, 256, 100), start;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	gf_open(&b, 2);
	start = b.now;
	gf_launch(&b, 1, 1500);
	gf_launch(&b, 1, 1500);
	gf_fence(&b, 1, 1);
	gf_kick(&b, 1);
	gf_launch(&b, 2, 1500);
	gf_fence(&b, 2, 2);
	gf_kick(&b, 2);
	bench_run(&b, start + 30 * US);
	wr(&b, 0x3004 + 8, 0x001f0000);
	wr(&b, 0x2634, 1);
	check_eq("while its work runs, it has not left", rd(&b, 0x2634), 1 << 20 | 1);
	bench_run(&b, start + 25 * US + work + 1 * US);
	check_eq("then it has", rd(&b, 0x2634), 1);
	check_eq("and the next channel has the engine", rd(&b, 0x2640) & 0x7f, 2);
	bench_run(&b, start + 10 * MS);
	check_eq("whose fence comes", vram32(&b, FENCE(2)), 2);
	check_eq("its own does not", vram32(&b, FENCE(1)), 0);
	wr(&b, 0x3004 + 8, 0x001f0001);
	bench_run(&b, start + 20 * MS);
	check_eq("until it may run again", vram32(&b, FENCE(1)), 1);
	wr(&b, 0x2630, 1);
	gf_launch(&b, 1, 1500);
	gf_fence(&b, 1, 3);
	gf_kick(&b, 1);
	bench_run(&b, start + 30 * MS);
	check_eq("an engine that is blocked gets no channel", rd(&b, 0x2640), 0);
	wr(&b, 0x2630, 0);
	bench_run(&b, start + 40 * MS);
	check_eq("then it does", vram32(&b, FENCE(1)), 3);
	bench_fini(&b);
}

/* Memory faults: which unit reports them, and that other channels go on. */
static void faults(void)
{
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	gf_open(&b, 1);
	gf_open(&b, 2);
	gf_copy(&b, 1, 5, 0x7000000, 0x4800000, 1);
	gf_fence(&b, 1, 1);
	gf_kick(&b, 1);
	bench_pass(&b, 1 * MS);
	check_eq("a copy from nowhere: PCE1's fault", rd(&b, 0x259c), 1 << 0x16);
	check_eq("its address", rd(&b, 0x2964), 0x7000000);
	check_eq("its channel's instance", rd(&b, 0x2960), b.chan[1].inst >> 12);
	check_eq("no fence", vram32(&b, FENCE(1)), 0);
	check_eq("the engine is stuck with it", rd(&b, 0x2654) & 0x9000007f, 0x90000001);
	wr(&b, 0x259c, 1 << 0x16);
	gf_close(&b, 1);
	wr(&b, 0x000200, ~(1u << 7));
	wr(&b, 0x000200, 0xffffffff);
	gf_copy(&b, 2, 5, 0x3800000, 0x4800000, 1);
	gf_fence(&b, 2, 2);
	gf_kick(&b, 2);
	bench_pass(&b, 1 * MS);
	check_eq("reset, it serves the next channel", vram32(&b, FENCE(2)), 2);

	gf_open(&b, 1);
	gf_mthd(&b, 1, SUB_COMPUTE, 0, 0x90c0);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x160c, 0x7000000);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x0238, 1 << 16 | 1);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x023c, 1);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x03ac, 1 << 16 | 1);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x03b0, 1);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x0368, 0);
	gf_kick(&b, 1);
	bench_pass(&b, 1 * MS);
	check_eq("a program from nowhere: PGRAPH's fault", rd(&b, 0x259c), 1);
	check_eq("of its code", rd(&b, 0x280c), 0x1442);
	wr(&b, 0x259c, 1);
	gf_close(&b, 1);
	wr(&b, 0x000200, ~(1u << 12));
	wr(&b, 0x000200, 0xffffffff);
	wr(&b, R_GR_FIFO, 0x00010001);

	gf_open(&b, 1);
	vram_set32(&b, 0x2000000 + 0x20000 + 0x1f000, 0x7000000);
	vram_set32(&b, 0x2000000 + 0x20000 + 0x1f004, 1 << 10);
	gf_put(&b, 1, 1);
	check_eq("a pushbuffer from nowhere: PFIFO's fault", rd(&b, 0x259c), 1 << 7);
	wr(&b, 0x259c, 1 << 7);
	gf_launch(&b, 2, 15);
	gf_fence(&b, 2, 4);
	gf_kick(&b, 2);
	bench_pass(&b, 1 * MS);
	check_eq("which stops nobody else", vram32(&b, FENCE(2)), 4);
	wr(&b, 0x2a30, 0x100 | 0x15);
	check_eq("a fault that the driver asks for", rd(&b, 0x259c), 1 << 0x15);
	bench_fini(&b);
}

/* Two channels take turns; what PGRAPH cannot do is told as on G92. */
static void turns(void)
{
	struct card_truth_channel c;
	struct bench b;

	bench_init_chip(&b, "GF100", GF_VRAM, 1);
	gf_start(&b);
	for (u32 chid = 1; chid < 3; chid++) {
		gf_open(&b, chid);
		for (u32 i = 1; i < 6; i++) {
			gf_launch(&b, chid, 1500);
			gf_fence(&b, chid, i);
		}
		gf_kick(&b, chid);
	}
	bench_run(&b, b.now + 20 * MS);
	for (u32 i = 0; i < 2; i++) {
		card_truth_channel(b.card, i, &c);
		check(c.groups == 5 && c.switches == 5, i ? "the second has five turns" :
		      "the first of two has five turns", "%llu groups, %llu switches",
		      (unsigned long long)c.groups, (unsigned long long)c.switches);
	}
	gf_mthd(&b, 1, SUB_COMPUTE, 0x03ac, 9999);
	gf_mthd(&b, 1, SUB_COMPUTE, 0x0368, 0);
	gf_fence(&b, 1, 9);
	gf_kick(&b, 1);
	bench_pass(&b, 1 * MS);
	check_eq("a block that is too large: a data error", rd(&b, R_GR_INTR), 1 << 20);
	check_eq("of this class", rd(&b, 0x404200 + 4 * SUB_COMPUTE), 0x90c0);
	check_eq("and method", rd(&b, 0x400704) & 0x73ffc, SUB_COMPUTE << 16 | 0x368);
	wr(&b, R_GR_INTR, 1 << 20);
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_pass(&b, 1 * MS);
	check_eq("acknowledged, the channel goes on", vram32(&b, FENCE(1)), 9);
	gf_mthd(&b, 1, 4, 0, 4 << 16 | 0x1234);
	gf_mthd(&b, 1, 4, 0x300, 0x110);
	gf_fence(&b, 1, 10);
	gf_kick(&b, 1);
	bench_pass(&b, 1 * MS);
	check_eq("what no copy engine knows is dropped", vram32(&b, FENCE(1)), 10);
	bench_fini(&b);
}

int main(void)
{
	static const char *const pce0[] = {
		"PCE0 works at once", "its fence comes", "its copy is made",
		"its interrupt is engine 4's", "PGRAPH still works", "PGRAPH's fence comes",
		"PCE0's account", "PGRAPH's account",
	}, *const pce1[] = {
		"PCE1 works at once", "PCE1: its fence comes", "PCE1: its copy is made",
		"PCE1: its interrupt is engine 5's", "PCE1: PGRAPH still works",
		"PCE1: PGRAPH's fence comes", "PCE1's account", "PCE1: PGRAPH's account",
	};

	for (u32 i = 0; i < ARRAY_LEN(commands); i++)
		run_command(i);
	launch();
	groups();
	user_page();
	beside(4, pce0);
	beside(5, pce1);
	both();
	preempt();
	faults();
	turns();
	return done();
}
