// SPDX-License-Identifier: GPL-2.0
/*
 * fault.c - faults on request: what may be asked for, when it happens, and what the registers, the
 * interrupts and memory show of each.
 */
#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "priv.h"

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
	wr(&b, 0x200, 0xffffefff);
	wr(&b, 0x200, 0xffffffff);
	wr(&b, R_GR_INTR_EN, 0xffffffff);
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_run(&b, b.now + 10000000);
	check_eq("hang: a reset of PGRAPH ends it", vram32(&b, FENCE(2)), 2);
	bench_fini(&b);
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
	run_mmu();
	run_interrupts();
	run_gone();
	run_random();
	return done();
}
