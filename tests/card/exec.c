// SPDX-License-Identifier: GPL-2.0
/*
 * exec.c - execution: which channel gets the engine and when, how long it takes, what the registers show
 * meanwhile, and that the ground truth adds up.
 */
#include <stdio.h>
#include <string.h>

#include "chip.h"
#include "cost.h"
#include "lib.h"

#define SWITCH_NS	cost_switch(&chip_g92)
#define CHANNELS	4

/* What decoding a group's methods may add, and rounding. */
#define SLACK_NS	200

static bool near(s64 got, s64 want)
{
	return got >= want && got <= want + SLACK_NS;
}

static void adds_up(struct bench *b, const char *name)
{
	s64 busy = 0, switching = 0;
	struct card_truth_channel c;
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	for (u32 i = 0; i < t.channels; i++) {
		card_truth_channel(b->card, i, &c);
		busy += c.busy_ns;
		switching += c.switch_ns;
	}
	check(t.busy_ns + t.switch_ns + t.idle_ns == t.elapsed_ns && busy == t.busy_ns &&
	      switching == t.switch_ns, name,
	      "busy %lld + switch %lld + idle %lld != %lld; channels %lld + %lld",
	      (long long)t.busy_ns, (long long)t.switch_ns, (long long)t.idle_ns,
	      (long long)t.elapsed_ns, (long long)busy, (long long)switching);
}

/* The newest row of a channel number. */
static struct card_truth_channel channel(struct bench *b, u32 chid)
{
	struct card_truth_channel c = { 0 };
	struct card_truth t;

	card_truth(b->card, b->now, &t);
	for (u32 i = t.channels; i-- > 0;) {
		card_truth_channel(b->card, i, &c);
		if (c.chid == chid)
			return c;
	}
	check(false, "each number has a row", "%u has none", chid);
	return c;
}

static s64 channel_busy(struct bench *b, u32 chid)
{
	return channel(b, chid).busy_ns;
}

static void open_all(struct bench *b, u32 scale, u32 n)
{
	bench_init(b, scale);
	bench_start(b);
	for (u32 i = 1; i <= n; i++) {
		chan_open(b, i);
		chan_bind(b, i, SUB_COMPUTE);
		chan_fence(b, i, 1);
		chan_kick(b, i);
	}
	bench_run(b, b->now + 1000000000);
	wr(b, R_PFIFO_INTR, 0xffffffff);
}

/* ---- one group ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	u32 scale;
	u32 blocks;
	bool split;		/* the fence in a doorbell of its own */
	s64 fence_after;	/* so much later */
} groups[] = {
	{ "a group with its fence in one doorbell", 1, 6563, false, 0 },
	{ "the fence's doorbell comes while it executes", 1, 6563, true, 1000 },
	{ "the fence's doorbell comes after its end", 1, 6563, true, 3000000 },
	{ "ten times slower", 10, 6563, false, 0 },
	{ "a short group whose fence is late", 1, 1, true, 100000 },
};

static void run_groups(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(groups); i++) {
		s64 work = launch_ns(groups[i].blocks) * groups[i].scale, busy, gap, start, slack;
		struct card_truth_channel c;
		s64 end = work > groups[i].fence_after ? work : groups[i].fence_after;
		u32 before, after;

		open_all(&b, groups[i].scale, 1);
		slack = SLACK_NS * groups[i].scale;
		busy = channel_busy(&b, 1);
		start = b.now;
		chan_launch(&b, 1, groups[i].blocks);
		if (groups[i].split) {
			chan_kick(&b, 1);
			bench_run(&b, start + groups[i].fence_after);
		}
		chan_fence(&b, 1, 2);
		chan_kick(&b, 1);
		bench_run(&b, start + end - 1);
		before = vram32(&b, FENCE(1));
		bench_run(&b, start + end + slack);
		after = vram32(&b, FENCE(1));
		c = channel(&b, 1);
		busy = c.busy_ns - busy;
		gap = groups[i].fence_after > work ? groups[i].fence_after - busy : 0;
		check((before == 1 || groups[i].fence_after > work) && after == 2, groups[i].name,
		      "fence %u just before the end, %u after", before, after);
		check(busy >= work && busy <= work + slack, "... takes the time of its work",
		      "%lld ns of %lld", (long long)busy, (long long)work);
		check(c.groups == 2 && c.switches == 1, "... is one group, no switch",
		      "%llu groups, %llu switches",
		      (unsigned long long)c.groups, (unsigned long long)c.switches);
		check_eq("... and its fence comes so much later", (u64)c.fence_gap_ns, (u64)gap);
		check(rd(&b, R_PFIFO_INTR) == 0x40000000 && b.intx, "... and one interrupt", "%#x",
		      rd(&b, R_PFIFO_INTR));
		adds_up(&b, "... and the truth adds up");
		bench_fini(&b);
	}
}

/* ---- several channels ------------------------------------------------------------------------ */

/* Each channel submits @depth groups of so many blocks at once, in the order of @submit. */
static const struct {
	const char *name;
	const char *submit;
	u32 blocks[CHANNELS];
	u32 depth;
	const char *order;	/* of completions */
	u32 switches;		/* besides the first loads */
} orders[] = {
	{ "round robin", "123", { 500, 500, 500 }, 3, "123123123", 9 },
	{ "whatever came first goes first", "312", { 500, 500, 500 }, 2, "312312", 6 },
	{ "long groups are not interrupted", "12", { 5000, 100 }, 3, "121212", 6 },
	{ "alone: no switch", "2", { 0, 500 }, 4, "2222", 1 },
	{ "who runs dry is left out", "123", { 500, 500, 500 }, 1, "123", 3 },
	{ "four", "1234", { 100, 200, 300, 400 }, 2, "12341234", 8 },
};

static void run_orders(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(orders); i++) {
		u32 seen[CHANNELS + 1] = { 1, 1, 1, 1, 1 };
		s64 busy[CHANNELS + 1] = { 0 };
		char order[64] = "";
		size_t n = 0;
		struct card_truth t0, t;
		bool good = true;

		open_all(&b, 1, CHANNELS);
		card_truth(b.card, b.now, &t0);
		for (u32 c = 1; c <= CHANNELS; c++)
			busy[c] = channel_busy(&b, c);
		for (const char *c = orders[i].submit; *c; c++) {
			u32 chid = (u32)(*c - '0');

			for (u32 g = 0; g < orders[i].depth; g++) {
				chan_launch(&b, chid, orders[i].blocks[chid - 1]);
				chan_kick(&b, chid);
				chan_fence(&b, chid, 2 + g);
				chan_kick(&b, chid);
			}
		}
		while (card_next_event(b.card) != CARD_NEVER) {
			bench_run(&b, card_next_event(b.card));
			for (u32 c = 1; c <= CHANNELS; c++)
				while (seen[c] < vram32(&b, FENCE(c)) && n < sizeof(order) - 1) {
					order[n++] = (char)('0' + c);
					seen[c]++;
				}
		}
		check(!strcmp(order, orders[i].order), orders[i].name, "%s, want %s", order,
		      orders[i].order);
		card_truth(b.card, b.now, &t);
		check_eq("... switches", t.switches - t0.switches, orders[i].switches);
		check_eq("... each takes its time", (u64)(t.switch_ns - t0.switch_ns),
			 (u64)(orders[i].switches * SWITCH_NS));
		check(t.idle_ns == t0.idle_ns, "... the engine was never idle", "%lld ns",
		      (long long)(t.idle_ns - t0.idle_ns));
		for (const char *c = orders[i].submit; *c; c++) {
			u32 chid = (u32)(*c - '0');
			s64 got = channel_busy(&b, chid) - busy[chid];
			s64 want = launch_ns(orders[i].blocks[chid - 1]) * orders[i].depth;

			good &= got >= want && got <= want + SLACK_NS * orders[i].depth;
		}
		check(good, "... each channel used its work's time", "it did not");
		adds_up(&b, "... and the truth adds up");
		bench_fini(&b);
	}
}

/* ---- the account of switches and of late fences ---------------------------------------------- */

static void run_shares(void)
{
	struct card_truth_channel c1, c2;
	s64 start, switched, work;
	struct bench b;

	/* 2 is loaded; 1 is switched to; 2 gets the engine back while 1's fence is not there yet */
	open_all(&b, 1, 2);
	c1 = channel(&b, 1);
	c2 = channel(&b, 2);
	start = b.now;
	chan_launch(&b, 1, 1000);
	chan_kick(&b, 1);
	bench_run(&b, start + SWITCH_NS / 2);
	check_eq("half of a switch", (u64)(channel(&b, 1).switch_ns - c1.switch_ns), SWITCH_NS / 2);
	check_eq("... is no work", (u64)channel_busy(&b, 1), (u64)c1.busy_ns);
	adds_up(&b, "... and the truth adds up");
	bench_run(&b, start + SWITCH_NS);
	check_eq("a whole switch", (u64)(channel(&b, 1).switch_ns - c1.switch_ns), SWITCH_NS);
	chan_launch(&b, 2, 5000);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	bench_run(&b, start + SWITCH_NS + launch_ns(1000) + SLACK_NS + SWITCH_NS + 10000);
	check_eq("the next one has the engine", rd(&b, R_CUR_CHAN) & 0x7f, 2);
	work = channel_busy(&b, 1) - c1.busy_ns;
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	check_eq("a late fence: at once all the same", vram32(&b, FENCE(1)), 2);
	check_eq("... its time behind the work",
		 (u64)(channel(&b, 1).fence_gap_ns - c1.fence_gap_ns),
		 (u64)(b.now - start - SWITCH_NS - work));
	chan_fence(&b, 1, 3);
	bench_run(&b, b.now + 1000);
	chan_kick(&b, 1);
	check_eq("... which one without work does not add to",
		 (u64)(channel(&b, 1).fence_gap_ns - c1.fence_gap_ns),
		 (u64)(b.now - 1000 - start - SWITCH_NS - work));
	bench_run(&b, b.now + launch_ns(5000));
	check_eq("a fence in time: none", vram32(&b, FENCE(2)) == 2 ?
		 (u64)(channel(&b, 2).fence_gap_ns - c2.fence_gap_ns) : ~0ull, 0);
	check_eq("the switch to it is its own", (u64)(channel(&b, 2).switch_ns - c2.switch_ns),
		 SWITCH_NS);

	/* a switch that is cut off, to a channel that goes */
	c1 = channel(&b, 1);
	start = b.now;
	chan_launch(&b, 1, 1000);
	chan_kick(&b, 1);
	bench_run(&b, start + 1000);
	chan_close(&b, 1);
	bench_run(&b, start + 2 * SWITCH_NS);
	switched = channel(&b, 1).switch_ns - c1.switch_ns;
	check_eq("a switch that is cut off: what there was of it", (u64)switched, 1000);
	check_eq("... counts as none", channel(&b, 1).switches, c1.switches);
	adds_up(&b, "... and the truth adds up");
	bench_fini(&b);
}

/* ---- the host is late ------------------------------------------------------------------------ */

static void run_late(void)
{
	s64 work = launch_ns(1000);
	struct card_truth t0, t;
	struct bench b;

	open_all(&b, 1, 2);
	card_truth(b.card, b.now, &t0);
	for (u32 g = 0; g < 10; g++) {
		for (u32 c = 1; c <= 2; c++) {
			chan_launch(&b, c, 1000);
			chan_fence(&b, c, 2 + g);
			chan_kick(&b, c);
		}
	}
	/* the host sleeps through all of it */
	bench_pass(&b, 20 * work + 20 * SWITCH_NS + 20 * SLACK_NS + 5000000);
	card_truth(b.card, b.now, &t);
	check_eq("asleep: all groups are done", t.groups - t0.groups, 20);
	check(near(t.busy_ns - t0.busy_ns, 20 * work) ||
	      t.busy_ns - t0.busy_ns <= 20 * (work + SLACK_NS), "asleep: in their own time", "%lld",
	      (long long)(t.busy_ns - t0.busy_ns));
	check(t.idle_ns - t0.idle_ns >= 5000000 &&
	      t.idle_ns - t0.idle_ns <= 5000000 + 20 * SLACK_NS, "asleep: lateness did not become idle time", "%lld",
	      (long long)(t.idle_ns - t0.idle_ns));
	check(t.late_ns - t0.late_ns > 19 * 5000000ll + 190 * work, "asleep: it is reported",
	      "%lld", (long long)(t.late_ns - t0.late_ns));
	adds_up(&b, "asleep: the truth adds up");
	bench_fini(&b);

	open_all(&b, 1, 1);
	card_truth(b.card, b.now, &t0);
	chan_launch(&b, 1, 1000);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	bench_run(&b, b.now + 1000000);
	card_truth(b.card, b.now, &t);
	check_eq("awake: nothing is late", (u64)(t.late_ns - t0.late_ns), 0);
	check_eq("... not by the card itself either", (u64)(t.self_late_ns - t0.self_late_ns), 0);
	b.slow = 70000;
	for (u32 g = 0; g < 3; g++) {
		chan_launch(&b, 1, 1000);
		chan_fence(&b, 1, 3 + g);
		chan_kick(&b, 1);
		bench_run(&b, b.now + 1000000);
	}
	card_truth(b.card, b.now, &t0);
	check_eq("slow: it is the card that is late", (u64)(t0.self_late_ns - t.self_late_ns), 3 * 70000);
	check_eq("... not its host", (u64)(t0.late_ns - t.late_ns), 0);
	check_eq("... and nothing of it is in its times", (u64)(t0.busy_ns - t.busy_ns) / 1000,
		 (u64)3 * launch_ns(1000) / 1000);
	b.slow = -1000;
	chan_fence(&b, 1, 6);
	chan_kick(&b, 1);
	card_truth(b.card, b.now, &t);
	check_eq("... a clock that is behind takes nothing away",
		 (u64)(t.self_late_ns - t0.self_late_ns), 0);
	bench_fini(&b);
}

/* ---- the truth in a backlog ------------------------------------------------------------------ */

#define STATE_WORDS	20000
#define STATE_ENTRIES	15

/* Far more methods than one call works through, which take the engine's time. */
static void methods(struct bench *b, u32 chid)
{
	u32 start = b->chan[chid].push, ring = 0x2000000 + chid * 0x20000 + 0x1f000;

	chan_word(b, chid, 0x00030000 | SUB_COMPUTE << 13 | 0x3a4);
	chan_word(b, chid, STATE_WORDS);
	for (u32 i = 0; i < STATE_WORDS; i++)
		chan_word(b, chid, i);
	for (u32 i = 0; i < STATE_ENTRIES; i++) {
		vram_set32(b, ring + 8 * b->chan[chid].put, start);
		vram_set32(b, ring + 8 * b->chan[chid].put + 4, (STATE_WORDS + 2) << 10);
		b->chan[chid].put++;
	}
	wr(b, 0xc00000 + chid * 0x2000 + 0x8c, b->chan[chid].put);
}

static void run_backlog(void)
{
	struct card_truth first, last, t;
	bool forward = true, sums = true;
	u32 readings = 0;
	struct bench b;
	s64 t0;

	open_all(&b, 20, 1);
	card_truth(b.card, b.now, &first);
	t0 = b.now - first.elapsed_ns;
	methods(&b, 1);
	b.now += 40000000;
	card_truth(b.card, b.now, &last);
	t = last;
	check(t.behind_ns > 0, "backlog: a reading in it says so", "%lld", (long long)t.behind_ns);
	while (t.behind_ns && readings++ < 100) {
		card_truth(b.card, b.now, &t);
		forward &= t.busy_ns >= last.busy_ns && t.idle_ns >= last.idle_ns &&
			   t.switch_ns >= last.switch_ns && t.elapsed_ns >= last.elapsed_ns;
		sums &= t.busy_ns + t.switch_ns + t.idle_ns == t.elapsed_ns &&
			t.elapsed_ns + t.behind_ns == b.now - t0;
		last = t;
	}
	check(forward, "... no later one goes back", "one does");
	check(sums, "... all add up to what is done of the time", "one does not");
	check(readings > 10 && !t.behind_ns && t.elapsed_ns == b.now - t0,
	      "... the last one has all of it", "after %u, %lld behind", readings,
	      (long long)t.behind_ns);
	check(near(t.busy_ns - first.busy_ns,
		   20 * cost_methods(&chip_g92, STATE_WORDS * STATE_ENTRIES)),
	      "... with the methods' time", "%lld", (long long)(t.busy_ns - first.busy_ns));
	adds_up(&b, "... and its channel's");
	bench_fini(&b);
}

/* ---- what the registers show ----------------------------------------------------------------- */

static void run_registers(void)
{
	struct bench b;
	s64 start;

	open_all(&b, 1, 2);
	check_eq("between channels: the last one's number", rd(&b, R_CUR_CHAN) & 0x7f, 2);
	check_eq("its context", rd(&b, R_GR_CTX), 0x80000000 | b.chan[2].inst >> 12);
	check_eq("idle", rd(&b, R_GR_STATUS), 0);
	start = b.now;
	chan_launch(&b, 1, 5000);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	bench_run(&b, start + SWITCH_NS - 1);
	check_eq("switching: the new number", rd(&b, R_CUR_CHAN) & 0x7f, 1);
	check_eq("switching: still the old context", rd(&b, R_GR_CTX),
		 0x80000000 | b.chan[2].inst >> 12);
	check_eq("switching: the context program is busy", rd(&b, R_GR_STATUS), 0x101);
	bench_run(&b, start + SWITCH_NS);
	check_eq("working: the new context", rd(&b, R_GR_CTX), 0x80000000 | b.chan[1].inst >> 12);
	check_eq("working: dispatcher and multiprocessors", rd(&b, R_GR_STATUS), 0x800003);
	check_eq("working: in detail", rd(&b, 0x400384), 1 << 12);
	chan_launch(&b, 2, 100);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	check_eq("another one waits: number unchanged", rd(&b, R_CUR_CHAN) & 0x7f, 1);
	bench_run(&b, start + SWITCH_NS + launch_ns(5000) - 1);
	check_eq("to the last nanosecond", rd(&b, R_GR_STATUS), 0x800003);
	bench_run(&b, start + SWITCH_NS + launch_ns(5000) + SLACK_NS);
	check_eq("then it is the other's turn", rd(&b, R_CUR_CHAN) & 0x7f, 2);
	bench_fini(&b);
}

/* ---- the driver interferes ------------------------------------------------------------------- */

static void run_pause(void)
{
	struct card_truth t0, t;
	struct bench b;
	s64 start;

	open_all(&b, 1, 2);
	card_truth(b.card, b.now, &t0);
	start = b.now;
	for (u32 g = 0; g < 2; g++)
		chan_launch(&b, 2, 1000);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	/* as a TLB flush does: stop fetching, wait until idle, go on */
	wr(&b, R_GR_FIFO, 0x00010000);
	check_eq("stopped: the work in hand goes on", rd(&b, 0x400384), 1 << 12);
	bench_run(&b, start + 10 * launch_ns(1000));
	check_eq("stopped: then it is idle", rd(&b, 0x400384), 0);
	check_eq("stopped: the group is not done", vram32(&b, FENCE(2)), 1);
	start = b.now;
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_run(&b, start + launch_ns(1000) + SLACK_NS);
	check_eq("let go: it is", vram32(&b, FENCE(2)), 2);
	card_truth(b.card, b.now, &t);
	check(t.busy_ns - t0.busy_ns < 2 * launch_ns(1000) + 2 * SLACK_NS,
	      "the stop is not busy time", "%lld", (long long)(t.busy_ns - t0.busy_ns));
	adds_up(&b, "the truth adds up");
	bench_fini(&b);

	/* a channel is taken away while it works, another waits */
	open_all(&b, 1, 2);
	start = b.now;
	chan_launch(&b, 2, 60000);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	chan_launch(&b, 1, 1000);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	bench_run(&b, start + 100000);
	wr(&b, 0x32fc, b.chan[2].inst >> 12);
	check_eq("unloading a channel that works takes until it is done", rd(&b, 0x32fc),
		 0xffffffff);
	chan_close(&b, 2);
	bench_run(&b, b.now + SWITCH_NS + launch_ns(1000) + SLACK_NS);
	check_eq("a channel that is taken away shows nothing more", vram32(&b, FENCE(2)), 1);
	check_eq("and the next one has the engine", vram32(&b, FENCE(1)), 2);
	check(channel_busy(&b, 2) < 200000, "it is charged for what it used", "%lld",
	      (long long)channel_busy(&b, 2));
	adds_up(&b, "the truth adds up");
	bench_fini(&b);

	/* the last channel is gone: the round starts again */
	open_all(&b, 1, 3);
	chan_close(&b, 3);
	wr(&b, R_GR_FIFO, 0x00010000);
	for (u32 c = 1; c <= 2; c++) {
		chan_launch(&b, c, 100);
		chan_fence(&b, c, 2);
		chan_kick(&b, c);
	}
	start = b.now;
	wr(&b, R_GR_FIFO, 0x00010001);
	bench_run(&b, start + SWITCH_NS + launch_ns(100) + SLACK_NS);
	check(vram32(&b, FENCE(1)) == 2 && vram32(&b, FENCE(2)) == 1,
	      "after the last channel's end the round begins anew", "%u %u", vram32(&b, FENCE(1)),
	      vram32(&b, FENCE(2)));
	bench_fini(&b);

	/* reset in the middle */
	open_all(&b, 1, 1);
	chan_launch(&b, 1, 60000);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	bench_pass(&b, 1000);
	card_reset(b.card, b.now);
	check_eq("reset: nothing is going to happen", (u64)card_next_event(b.card),
		 (u64)CARD_NEVER);
	check(!b.intx, "reset: the pin is low", "high");
	adds_up(&b, "reset: the truth adds up");
	bench_start(&b);
	b.runlist_len = 0;
	chan_open(&b, 1);
	chan_bind(&b, 1, SUB_COMPUTE);
	chan_launch(&b, 1, 10);
	chan_fence(&b, 1, 7);
	chan_kick(&b, 1);
	bench_run(&b, b.now + 1000000);
	check_eq("reset: and it works again", vram32(&b, FENCE(1)), 7);
	bench_fini(&b);
}

/* ---- groups without work, gaps, and acquires between channels -------------------------------- */

static void run_small(void)
{
	struct card_truth t0, t;
	struct bench b;
	s64 busy;

	open_all(&b, 1, 2);
	card_truth(b.card, b.now, &t0);
	busy = channel_busy(&b, 1);
	chan_launch(&b, 2, 5000);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	for (u32 i = 0; i < 5; i++) {
		chan_fence(&b, 1, 2 + i);
		chan_kick(&b, 1);
	}
	check_eq("fences without work do not wait for the engine", vram32(&b, FENCE(1)), 6);
	card_truth(b.card, b.now, &t);
	check_eq("they are groups", t.groups - t0.groups, 5);
	check_eq("but no switches", t.switches - t0.switches, 0);
	check_eq("and no time", (u64)channel_busy(&b, 1), (u64)busy);
	bench_fini(&b);

	open_all(&b, 1, 1);
	card_truth(b.card, b.now, &t0);
	for (u32 i = 0; i < 10; i++) {
		chan_launch(&b, 1, 100);
		chan_fence(&b, 1, 2 + i);
		chan_kick(&b, 1);
		bench_run(&b, b.now + launch_ns(100) + SLACK_NS);
		bench_run(&b, b.now + 300000);
	}
	card_truth(b.card, b.now, &t);
	check_eq("gaps are counted between groups", t.gap_n - t0.gap_n, 9);
	check(t.gap_p50_ns >= 297500 && t.gap_p50_ns <= 307500, "their median", "%lld",
	      (long long)t.gap_p50_ns);
	for (u32 i = 0; i < 4; i++) {
		chan_launch(&b, 1, 1000);
		chan_fence(&b, 1, 12 + i);
		chan_kick(&b, 1);
	}
	bench_run(&b, b.now + 100000000);
	card_truth(b.card, b.now, &t0);
	check_eq("back to back: no gap but the first", t0.gap_n - t.gap_n, 1);
	bench_fini(&b);

	/* 1 waits for 2 in the middle of its group, and lets it have the engine */
	open_all(&b, 1, 2);
	chan_launch(&b, 1, 1000);
	chan_acquire(&b, 1, FENCE(2), 2, 4);
	chan_launch(&b, 1, 1000);
	chan_fence(&b, 1, 2);
	chan_kick(&b, 1);
	chan_launch(&b, 2, 3000);
	chan_fence(&b, 2, 2);
	chan_kick(&b, 2);
	bench_run(&b, b.now + 2 * SWITCH_NS + launch_ns(4000) + 2 * SLACK_NS);
	check(vram32(&b, FENCE(1)) == 1 && vram32(&b, FENCE(2)) == 2, "an unmet acquire gives way",
	      "%u %u", vram32(&b, FENCE(1)), vram32(&b, FENCE(2)));
	bench_run(&b, b.now + SWITCH_NS + launch_ns(1000) + SLACK_NS);
	check_eq("and goes on when it is met", vram32(&b, FENCE(1)), 2);
	adds_up(&b, "the truth adds up");
	bench_fini(&b);
}

int main(void)
{
	run_groups();
	run_orders();
	run_shares();
	run_late();
	run_backlog();
	run_registers();
	run_pause();
	run_small();
	return done();
}
