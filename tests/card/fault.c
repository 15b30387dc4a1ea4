// SPDX-License-Identifier: GPL-2.0
/*
 * fault.c - faults on request: what may be asked for, when it happens, and what the registers, the
 * interrupts and memory show of each.
 */
#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "vm.h"

#define WORK	1000		/* blocks of a group */
#define INTR_NOTIFY	0x40000000u

/* ---- requests -------------------------------------------------------------------------------- */

static const struct {
	const char *request;
	const char *why;	/* a part of it; NULL: the request is good */
} requests[] = {
	{ "hang", NULL },
	{ "hang@3", NULL },
	{ "hang@random:127", NULL },
	{ "mmu@20ms:1+heal@2s+stop@500us+gone@1s", NULL },
	{ "notify@1+spurious-irq+late-irq+lost-irq+semaphore+method", NULL },
	{ "", "is wanted" },
	{ "bang", "known: hang, mmu" },
	{ "hang@", "when?" },
	{ "hang@0", "when?" },
	{ "hang@-1", "when?" },
	{ "hang@5h", "when?" },
	{ "hang@99999999999999999999", "when?" },
	{ "hang@1000000000000s", "when?" },
	{ "hang:", "a channel from 0 to 127" },
	{ "hang:128", "a channel from 0 to 127" },
	{ "hang:-1", "a channel from 0 to 127" },
	{ "hang:x", "a channel from 0 to 127" },
	{ "stop:1", "no one channel's" },
	{ "\"\\\n", "'??" "?'" },
	{ "hang+bang", "'bang'" },
	{ "clock-fast@1ms+clock-back@2+heal@1s", NULL },
	{ "clock-fast:1", "no one channel's" },
	{ "clock-back:1", "no one channel's" },
	{ "clock", "clock-fast, clock-back, heal" },
	{ "heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+"
	  "heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+"
	  "heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s+heal@1s",
	  "more than 32" },
};

static void run_requests(void)
{
	char why[CARD_WHY], name[64];
	struct card_truth t;
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(requests); i++) {
		bool good;

		bench_init(&b, 1);
		why[0] = 0;
		good = card_fault(b.card, b.now, requests[i].request, why, sizeof(why));
		snprintf(name, sizeof(name), "request %.40s", i == 18 ? "of nonsense" :
			 requests[i].request);
		check(requests[i].why ? !good && strstr(why, requests[i].why) : good, name,
		      "%d: %s", good, why);
		if (requests[i].why) {
			bench_run(&b, b.now + 3000000000);
			card_truth(b.card, b.now, &t);
			check_eq("... and nothing happens", t.faults, 0);
		}
		bench_fini(&b);
	}
}

/* ---- two channels with a group each ---------------------------------------------------------- */

static void fault(struct bench *b, const char *request)
{
	char why[CARD_WHY];

	if (!card_fault(b->card, b->now, request, why, sizeof(why)))
		check(false, request, "%s", why);
}

static u64 faults(struct bench *b)
{
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	return t.faults;
}

static void setup(struct bench *b)
{
	bench_init(b, 1);
	bench_start(b);
	card_msi_enable(b->card, true);
	for (u32 c = 1; c <= 2; c++) {
		chan_open(b, c);
		chan_bind(b, c, SUB_COMPUTE);
		chan_fence(b, c, 1);
		chan_kick(b, c);
	}
	bench_run(b, b->now + 1000000);
}

/* As the driver does when it has handled what there was. */
static void handled(struct bench *b)
{
	wr(b, R_PFIFO_INTR, 0xffffffff);
	wr(b, 0x088068, 0xff);
	b->msis = 0;
}

static void group(struct bench *b, u32 chid, u32 seq)
{
	chan_launch(b, chid, WORK);
	chan_fence(b, chid, seq);
	chan_kick(b, chid);
}

static void adds_up(struct bench *b, const char *name)
{
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	check(t.busy_ns + t.switch_ns + t.idle_ns == t.elapsed_ns, name,
	      "%lld + %lld + %lld != %lld", (long long)t.busy_ns, (long long)t.switch_ns, (long long)t.idle_ns,
	      (long long)t.elapsed_ns);
}

/* What a fault leaves behind 10 ms after channels 1 and 2 have submitted a group each. */
static const struct {
	const char *request;
	u32 fence[2];		/* 2: its group is done */
	u32 pmc;		/* 0x000100 */
	u32 pfifo;		/* 0x002100 */
	u32 gr;			/* 0x400100 */
	u32 msis;
} rows[] = {
	{ "heal", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "hang:1", { 1, 1 }, 0, 0, 0, 0 },
	{ "hang:2", { 2, 1 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "mmu:1", { 1, 1 }, 0x1000, 0, 0x200000, 1 },
	{ "method:1", { 1, 1 }, 0x1000, 0, 0x10, 1 },
	{ "semaphore:1", { 1, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "lost-irq+lost-irq", { 2, 2 }, 0, 0, 0, 0 },
	{ "lost-irq:1", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "late-irq+late-irq", { 2, 2 }, 0, 0, 0, 0 },
	{ "stop", { 1, 1 }, 0, 0, 0, 0 },
	{ "gone", { 1, 1 }, ~0u, ~0u, ~0u, 0 },
	{ "hang@2", { 2, 1 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "hang@2:1", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "hang@1ms:1", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "clock-fast+clock-back", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "stop@50us", { 1, 1 }, 0, 0, 0, 0 },
	{ "stop@50us+heal@100us", { 2, 2 }, 0x100, INTR_NOTIFY, 0, 1 },
	{ "stop@1", { 2, 1 }, 0x100, INTR_NOTIFY, 0, 1 },
};

static void run_rows(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 pmc, pfifo, gr;

		setup(&b);
		handled(&b);
		fault(&b, rows[i].request);
		group(&b, 1, 2);
		group(&b, 2, 2);
		bench_run(&b, b.now + 10000000);
		pmc = rd(&b, R_PMC_INTR);
		pfifo = rd(&b, R_PFIFO_INTR);
		gr = rd(&b, R_GR_INTR);
		check(vram32(&b, FENCE(1)) == rows[i].fence[0] &&
		      vram32(&b, FENCE(2)) == rows[i].fence[1] && pmc == rows[i].pmc &&
		      pfifo == rows[i].pfifo && gr == rows[i].gr && b.msis == rows[i].msis,
		      rows[i].request, "fences %u %u, interrupts %#x %#x %#x, %u messages",
		      vram32(&b, FENCE(1)), vram32(&b, FENCE(2)), pmc, pfifo, gr, b.msis);
		adds_up(&b, "... the truth adds up");
		bench_fini(&b);
	}
}

/* ---- each in detail -------------------------------------------------------------------------- */

/* PGRAPH is reset, and set going again. */
static void reset_graphics(struct bench *b)
{
	wr(b, 0x200, 0xffffefff);
	wr(b, 0x200, 0xffffffff);
	wr(b, R_GR_INTR_EN, 0xffffffff);
	wr(b, R_GR_FIFO, 0x00010001);
}

static void run_hang(void)
{
	struct card_truth_channel c;
	struct bench b;

	setup(&b);
	handled(&b);
	fault(&b, "hang:1");
	group(&b, 1, 2);
	group(&b, 2, 2);
	bench_run(&b, b.now + 1000000000);
	check_eq("hang: the status says busy", rd(&b, R_GR_STATUS), 0x800003);
	check_eq("hang: with the guilty channel", rd(&b, R_CUR_CHAN) & 0x7f, 1);
	card_truth_channel(b.card, 0, &c);
	check(c.busy_ns > 999000000, "hang: it is charged for it", "%lld", (long long)c.busy_ns);
	wr(&b, 0x32fc, b.chan[1].inst >> 12);
	check_eq("hang: the channel cannot be unloaded", rd(&b, 0x32fc), ~0u);
	bench_run(&b, b.now + 1000000);
	fault(&b, "heal");
	check(rd(&b, 0x32fc) != ~0u, "heal: it can", "%#x", rd(&b, 0x32fc));
	bench_run(&b, b.now + 10000000);
	check(vram32(&b, FENCE(1)) == 2 && vram32(&b, FENCE(2)) == 2, "heal: all groups end",
	      "%u %u", vram32(&b, FENCE(1)), vram32(&b, FENCE(2)));
	adds_up(&b, "heal: the truth adds up");
	bench_fini(&b);

	/* a hung engine stays so until it is reset */
	setup(&b);
	handled(&b);
	fault(&b, "hang:1");
	group(&b, 1, 2);
	group(&b, 2, 2);
	bench_run(&b, b.now + 10000000);
	chan_close(&b, 1);
	bench_run(&b, b.now + 10000000);
	check_eq("hang: the next one waits though the guilty is gone", vram32(&b, FENCE(2)), 1);
	reset_graphics(&b);
	bench_run(&b, b.now + 10000000);
	check_eq("hang: a reset of PGRAPH ends it", vram32(&b, FENCE(2)), 2);
	bench_fini(&b);
}

/* A reset ends no stop, whether or not the engine hangs as well; the stop may come first or last. */
static void run_stop(void)
{
	static const char *const orders[][2] = {
		{ "stop", NULL }, { "hang:1", "stop" }, { "stop@100us", "hang:1" },
	};
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(orders); i++) {
		setup(&b);
		handled(&b);
		for (u32 n = 0; n < 2 && orders[i][n]; n++) {
			fault(&b, orders[i][n]);
			if (n == 0) {
				group(&b, 1, 2);
				group(&b, 2, 2);
				bench_run(&b, b.now + 20000);
			}
		}
		bench_run(&b, b.now + 10000000);
		chan_close(&b, 1);
		reset_graphics(&b);
		bench_run(&b, b.now + 10000000);
		check(vram32(&b, FENCE(2)) == 1, "stop: a reset of PGRAPH does not end it",
		      "row %u: fence %u", i, vram32(&b, FENCE(2)));
		card_reset(b.card, b.now);
		bench_start(&b);
		chan_open(&b, 3);
		chan_bind(&b, 3, SUB_COMPUTE);
		group(&b, 3, 2);
		bench_run(&b, b.now + 10000000);
		check_eq("stop: nor does one of the card", vram32(&b, FENCE(3)), 0);
		fault(&b, "heal");
		bench_run(&b, b.now + 10000000);
		check_eq("stop: healed, it works", vram32(&b, FENCE(3)), 2);
		adds_up(&b, "... the truth adds up");
		bench_fini(&b);
	}
}

static void run_mmu(void)
{
	struct bench b;

	setup(&b);
	handled(&b);
	fault(&b, "mmu:1");
	group(&b, 1, 2);
	group(&b, 2, 2);
	bench_run(&b, b.now + 10000000);
	check_eq("mmu: the trap", rd(&b, 0x400108), 0x10);
	check_eq("mmu: its unit", rd(&b, 0x405018), 0x80000001);
	wr(&b, 0x100c90, 0);
	check_eq("mmu: who, and why", rd(&b, 0x100c94), VM_GR_CODE | VM_PAGE_NOT_PRESENT << 4);
	wr(&b, 0x100c90, 1 << 24);
	check_eq("mmu: whose", rd(&b, 0x100c94), b.chan[1].inst >> 12);
	wr(&b, 0x100c90, 4 << 24);
	check_eq("mmu: where", rd(&b, 0x100c94), 0x1234);
	wr(&b, 0x100c90, BIT(31));
	wr(&b, 0x405018, 0xc0000000);
	wr(&b, 0x400108, 0x10);
	wr(&b, R_GR_INTR, 0x200000);
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_run(&b, b.now + 10000000);
	check(vram32(&b, FENCE(1)) == 2 && vram32(&b, FENCE(2)) == 2, "mmu: handled, it goes on",
	      "%u %u", vram32(&b, FENCE(1)), vram32(&b, FENCE(2)));
	bench_fini(&b);

	setup(&b);
	handled(&b);
	fault(&b, "method:2");
	group(&b, 1, 2);
	group(&b, 2, 2);
	bench_run(&b, b.now + 10000000);
	check_eq("method: which", rd(&b, 0x400704), 0x80000000 | SUB_COMPUTE << 16 | 0x210);
	wr(&b, R_GR_INTR, 0x10);
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_run(&b, b.now + 10000000);
	check_eq("method: handled, it goes on", vram32(&b, FENCE(2)), 2);
	check_eq("method: and happens once", faults(&b), 1);
	bench_fini(&b);
}

static void run_interrupts(void)
{
	struct bench b;
	s64 start;

	setup(&b);
	handled(&b);
	fault(&b, "late-irq:1");
	start = b.now;
	group(&b, 1, 2);
	bench_run(&b, start + launch_ns(WORK) + 99000000);
	check(!b.msis && !rd(&b, R_PFIFO_INTR), "late-irq: nothing for 99 ms", "%u %#x", b.msis,
	      rd(&b, R_PFIFO_INTR));
	bench_run(&b, start + 102000000);
	check(b.msis == 1 && rd(&b, R_PFIFO_INTR) == INTR_NOTIFY, "late-irq: then it comes",
	      "%u %#x", b.msis, rd(&b, R_PFIFO_INTR));
	check_eq("late-irq: it is one fault", faults(&b), 1);
	bench_fini(&b);

	/* with as many pending as there may be, it comes all the same */
	setup(&b);
	handled(&b);
	for (u32 i = 0; i < 31; i++)
		fault(&b, "notify@10s");
	fault(&b, "late-irq:1");
	start = b.now;
	group(&b, 1, 2);
	bench_run(&b, start + 102000000);
	check(b.msis == 1 && faults(&b) == 1, "late-irq: the last of 32 comes too", "%u, %llu faults",
	      b.msis, (unsigned long long)faults(&b));
	bench_run(&b, start + 11000000000);
	check_eq("late-irq: a fault of its own behind it counts", faults(&b), 32);
	bench_fini(&b);

	setup(&b);
	handled(&b);
	fault(&b, "notify");
	check(b.msis == 1 && rd(&b, R_PFIFO_INTR) == INTR_NOTIFY && vram32(&b, FENCE(1)) == 1,
	      "notify: PFIFO interrupts though nothing is complete", "%u %#x", b.msis,
	      rd(&b, R_PFIFO_INTR));
	bench_fini(&b);

	setup(&b);
	handled(&b);
	fault(&b, "spurious-irq");
	check(b.msis == 1 && !rd(&b, R_PMC_INTR), "spurious-irq: a message with nothing pending",
	      "%u %#x", b.msis, rd(&b, R_PMC_INTR));
	card_msi_enable(b.card, false);
	b.intx_rises = 0;
	fault(&b, "spurious-irq");
	check(b.intx_rises == 1 && !b.intx && !card_intx_level(b.card), "spurious-irq: or a pulse",
	      "%u rises, %d", b.intx_rises, b.intx);
	group(&b, 1, 2);
	bench_run(&b, b.now + 10000000);
	check(b.intx, "spurious-irq: and the next true one is seen", "not");
	bench_fini(&b);
}

static void run_gone(void)
{
	u32 word = 0x5a5a5a5a;
	struct bench b;

	setup(&b);
	group(&b, 1, 2);
	bench_run(&b, b.now + launch_ns(WORK) / 2);
	fault(&b, "gone");
	check(rd(&b, R_PMC_INTR) != ~0u, "gone: not while an interrupt is pending", "it is");
	handled(&b);
	bench_run(&b, b.now + 200000);
	check_eq("gone: registers read as ones", rd(&b, 0), ~0u);
	card_read(b.card, b.now, CARD_CONFIG, 0, &word, 4);
	check_eq("gone: so does configuration space", word, ~0u);
	card_read(b.card, b.now, CARD_BAR1, 0x1000, &word, 4);
	check_eq("gone: and memory", word, ~0u);
	wr(&b, 0x1700, 0x77);
	group(&b, 2, 2);
	card_reset(b.card, b.now);
	bench_run(&b, b.now + 1000000000);
	check(!b.msis && vram32(&b, FENCE(1)) == 1, "gone: nothing happens",
	      "%u messages, fence %u", b.msis, vram32(&b, FENCE(1)));
	fault(&b, "heal");
	check_eq("heal: it answers", rd(&b, 0), 0x092000a2);
	check_eq("heal: what was written meanwhile is lost", rd(&b, 0x1700), 0);
	bench_run(&b, b.now + 10000000);
	check(vram32(&b, FENCE(1)) == 2 && vram32(&b, FENCE(2)) == 1,
	      "heal: what it did goes on; what it was not told of does not", "%u %u",
	      vram32(&b, FENCE(1)), vram32(&b, FENCE(2)));
	check_eq("heal: with its interrupt", b.msis, 1);
	adds_up(&b, "heal: the truth adds up");
	bench_fini(&b);
}

/* ---- the clock ------------------------------------------------------------------------------- */

enum {
	TIME_0 = 0x9400, TIME_1 = 0x9410, ALARM = 0x9420, TIMER_INTR = 0x9100,
	TIMER_INTR_EN = 0x9140,
};

#define CLOCK		0x123456789a0ull
#define SECOND		1000000000ll

static u64 clock_now(struct bench *b)
{
	return rd(b, TIME_0) | (u64)rd(b, TIME_1) << 32;
}

static void clock_set(struct bench *b)
{
	wr(b, TIME_1, CLOCK >> 32);
	wr(b, TIME_0, (u32)CLOCK);
}

/* The clock is set, @first happens, @pass passes, @then happens, @pass passes again. */
static const struct {
	const char *name;
	const char *first;
	const char *then;
	s64 pass;
	s64 want;		/* by how much the clock has gone on */
} clocks[] = {
	{ "clock: as it is", "heal", "heal", SECOND, 2 * SECOND },
	{ "clock-fast: no jump", "clock-fast", "clock-fast", 0, 0 },
	{ "clock-fast: 31 ns ahead", "clock-fast", NULL, 159999, 160000 },
	{ "clock-fast: 32 ns ahead", "clock-fast", NULL, 160000, 160032 },
	{ "clock-fast: 200 ppm", "clock-fast", NULL, SECOND, SECOND + 200000 },
	{ "clock-fast: for an hour", "clock-fast", NULL, 3600 * SECOND, 3600 * (SECOND + 200000) },
	{ "clock-fast: twice is no faster", "clock-fast", "clock-fast", SECOND,
	  2 * (SECOND + 200000) },
	{ "clock-fast: later", "clock-fast@1s", NULL, 2 * SECOND, 2 * SECOND + 200000 },
	{ "clock-fast: healed", "clock-fast", "heal", SECOND, 2 * SECOND + 200000 },
	{ "clock-back: by a second", "clock-back", NULL, 0, -SECOND },
	{ "clock-back: once", "clock-back", NULL, 5 * SECOND, 4 * SECOND },
	{ "clock-back: of a fast one", "clock-fast", "clock-back", SECOND, SECOND + 400000 },
};

/* Alarms from odd places to others ring at the first instant at which the counter reads so. */
static void clock_rings(struct bench *b, const char *name)
{
	u32 bad = 0;

	for (u32 i = 0; i < 1000; i++) {
		u32 want, silent, early, rung;
		s64 at;

		bench_run(b, b->now + 1 + i % 67);
		want = rd(b, TIME_0) + 32 * (1 + i * i % 40000);
		wr(b, ALARM, want);
		at = card_next_event(b->card);
		bench_run(b, at - 1);
		silent = rd(b, TIMER_INTR);
		early = rd(b, TIME_0);
		bench_run(b, at);
		rung = rd(b, TIMER_INTR);
		wr(b, TIMER_INTR, 1);
		bad += silent || early != want - 32 || rung != 1 || rd(b, TIME_0) != want;
	}
	check_eq(name, bad, 0);
}

static void run_clock(void)
{
	struct bench b;
	u64 time;

	for (u32 i = 0; i < ARRAY_LEN(clocks); i++) {
		setup(&b);
		clock_set(&b);
		fault(&b, clocks[i].first);
		bench_run(&b, b.now + clocks[i].pass);
		if (clocks[i].then) {
			fault(&b, clocks[i].then);
			bench_run(&b, b.now + clocks[i].pass);
		}
		check_eq(clocks[i].name, clock_now(&b) - CLOCK, (u64)clocks[i].want);
		bench_fini(&b);
	}

	setup(&b);
	wr(&b, TIMER_INTR_EN, 1);
	clock_rings(&b, "clock: alarms ring in time");
	fault(&b, "clock-fast");
	clock_rings(&b, "clock-fast: alarms ring in time");
	wr(&b, ALARM, rd(&b, TIME_0) + 1024);
	fault(&b, "clock-back");
	bench_run(&b, b.now + SECOND / 2);
	check_eq("clock-back: an alarm is not due for a second more", rd(&b, TIMER_INTR), 0);
	bench_run(&b, b.now + SECOND / 2 + 1024);
	check_eq("... and then it is", rd(&b, TIMER_INTR), 1);
	wr(&b, TIMER_INTR, 1);
	clock_rings(&b, "clock-back: alarms ring in time");

	bench_run(&b, b.now + 1);
	fault(&b, "early-time:1");
	chan_fence(&b, 1, 7);
	chan_kick(&b, 1);
	memcpy(&time, b.vram + FENCE(1) + 8, sizeof(time));
	check_eq("early-time: 15 ms, once", time, clock_now(&b) - 15000000);

	/* still fast, the work is over before the fence comes: it is released at once */
	bench_run(&b, b.now + 1);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	memcpy(&time, b.vram + FENCE(1) + 8, sizeof(time));
	check_eq("clock-fast: a fence has the same time", time, clock_now(&b));
	clock_set(&b);
	check_eq("clock-fast: set, it is what it is set to", clock_now(&b), CLOCK);
	bench_run(&b, b.now + SECOND);
	check_eq("... and runs on fast", clock_now(&b), CLOCK + SECOND + 200000);
	card_reset(b.card, b.now);
	check_eq("... a reset sets it to 0", clock_now(&b), 0);
	bench_run(&b, b.now + SECOND);
	check_eq("... and heals nothing", clock_now(&b), SECOND + 200000);
	bench_fini(&b);
}

static void run_random(void)
{
	u64 first = 0;
	struct bench b;

	/* the same seed, the same group */
	for (u32 round = 0; round < 2; round++) {
		u64 n = 1;

		setup(&b);
		handled(&b);
		fault(&b, "semaphore@random:1");
		while (!faults(&b) && n < 1100) {
			group(&b, 1, (u32)++n);
			bench_run(&b, b.now + 500000);
		}
		check(n > 1 && n <= 1001 && (!round || n == first), round ? "random: by the seed" :
		      "random: one of the next thousand", "group %llu", (unsigned long long)n);
		first = n;
		bench_fini(&b);
	}
}

int main(void)
{
	run_requests();
	run_rows();
	run_hang();
	run_stop();
	run_mmu();
	run_interrupts();
	run_gone();
	run_clock();
	run_random();
	return done();
}
