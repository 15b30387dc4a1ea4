// SPDX-License-Identifier: GPL-2.0
/*
 * The simulator itself: timers in order, random numbers of the right shape, scenarios read or
 * refused, runs whose outcome was worked out by hand, and the same again for a seed.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "evq.h"
#include "gpu.h"
#include "report.h"

/* ---- timers ----------------------------------------------------------------------------- */

#define TIMERS	1000

static void timers(void)
{
	static struct tgs_timer timer[TIMERS];
	static s64 at[TIMERS];
	static u32 order[TIMERS];
	struct tgs_rng rng = { 1 };
	struct tgs_evq q = { };
	struct tgs_timer *t;
	s64 now, last = -1;
	u32 i, n, set = 0, last_order = 0;
	bool good = true;

	for (i = 1; i <= 20 * TIMERS; i++) {
		n = tgs_rng_below(&rng, TIMERS);
		if (tgs_rng_below(&rng, 4)) {
			at[n] = tgs_rng_below(&rng, 200);
			order[n] = i;
			set += !timer[n].slot;
			tgs_evq_set(&q, &timer[n], at[n]);
		} else {
			set -= !!timer[n].slot;
			tgs_evq_clear(&q, &timer[n]);
		}
		good = good && q.nr == set;
	}
	while ((t = tgs_evq_pop(&q, &now))) {
		n = t - timer;
		good = good && now == at[n] && !t->slot &&
		       (now > last || (now == last && order[n] > last_order));
		last = now;
		last_order = order[n];
		set--;
	}
	test_row("timers in order, equals as they were set", good && !set, "%u left", set);
	tgs_evq_deinit(&q);
}

/* ---- random numbers --------------------------------------------------------------------- */

static const struct dist_row {
	const char *name;
	struct tgs_dist dist;
	s64 mean, deviation;	/* to within 1 in 50 */
	s64 least, most;
} dist_rows[] = {
	{ "fixed", { TGS_FIXED, 1, { 5000 } }, 5000, 0, 5000, 5000 },
	{ "fixed at nothing", { TGS_FIXED, 1, { 0 } }, 1, 0, 1, 1 },
	{ "uniform", { TGS_UNIFORM, 2, { 1000, 3000 } }, 2000, 577, 1000, 3000 },
	{ "uniform over one value", { TGS_UNIFORM, 2, { 7, 7 } }, 7, 0, 7, 7 },
	{ "exponential", { TGS_EXPONENTIAL, 1, { 100000 } }, 100000, 100000, 1, 100000 * 45 },
	{ "exponential with a large mean", { TGS_EXPONENTIAL, 1, { 1000000 * TG_SEC } },
	  1000000 * TG_SEC, 1000000 * TG_SEC, 1, S64_MAX },
	{ "normal", { TGS_NORMAL, 2, { 100000, 10000 } }, 100000, 10000, 40000, 160000 },
	{ "choice", { TGS_CHOICE, 4, { 1, 1, 1, 1001 } }, 251, 433, 1, 1001 },
};

static bool near(double got, double want)
{
	return got >= want * 0.98 && got <= want * 1.02;
}

static void dist(const struct dist_row *row)
{
	enum { N = 100000 };
	struct tgs_rng rng = { 42 };
	double sum = 0, squares = 0, mean, variance, want = row->deviation;
	s64 v, least = S64_MAX, most = 0;
	u32 i, choice;

	for (i = 0; i < N; i++) {
		v = tgs_dist_draw(&row->dist, &rng, &choice);
		sum += v;
		squares += (double)v * v;
		least = min(least, v);
		most = max(most, v);
	}
	mean = sum / N;
	variance = squares / N - mean * mean;
	test_row(row->name, near(mean, row->mean) && near(variance + 1, want * want + 1) &&
		 least >= row->least && most <= row->most,
		 "mean %.1f, variance %.1f, from %lld to %lld", mean, variance, (long long)least,
		 (long long)most);
}

/* ---- histograms ------------------------------------------------------------------------- */

static void histogram(void)
{
	struct tgs_hist h = { }, sum = { };
	s64 v, worst = 0;
	u32 i;

	for (v = 1; v < TG_SEC; v += 1 + v / 3) {
		struct tgs_hist one = { };
		s64 off;

		tgs_hist_add(&one, v);
		tgs_hist_add(&one, S64_MAX / 2);
		off = tgs_hist_at(&one, 500) - v;
		worst = max(worst, off < 0 ? S64_MAX : off * 128 / v);
		tgs_hist_deinit(&one);
	}
	test_row("histogram: true to 1 in 128", worst <= 1, "off by %lld in 128",
		 (long long)worst);
	for (i = 1; i <= 1000; i++)
		tgs_hist_add(&h, i);
	tgs_hist_merge(&sum, &h);
	tgs_hist_merge(&sum, &h);
	test_row("histogram: percentiles", tgs_hist_at(&h, 0) == 1 && tgs_hist_at(&h, 100) == 100 &&
		 tgs_hist_at(&h, 500) / 4 == 125 && tgs_hist_at(&h, 1000) == 1000 &&
		 tgs_hist_at(&sum, 500) == tgs_hist_at(&h, 500) && sum.n == 2000 &&
		 sum.max == 1000 && sum.sum == 2 * 500500, "wrong: p50 %lld",
		 (long long)tgs_hist_at(&h, 500));
	tgs_hist_deinit(&h);
	tgs_hist_deinit(&sum);
	test_row("histogram: empty", !tgs_hist_at(&h, 500), "not 0");
}

/* ---- scenarios -------------------------------------------------------------------------- */

#define TOP	"duration = 1s\n"
#define CLIENT	"[client a]\narrival = periodic 10ms\ncost = fixed 1ms\n"

/* What is wrong, as it is told; NULL: nothing. */
static const struct scenario_row {
	const char *name, *text, *error;
} scenario_rows[] = {
	{ "smallest scenario", TOP CLIENT, NULL },
	{ "comments and blanks", "\n# c\n  duration=1s # d\n\t[client a]\t\r\n arrival =  poisson "
	  "5/s\r\ncost=fixed 0\n\n", NULL },
	{ "all keys", "seed = 18446744073709551615\n" TOP "[gpu g]\npolicy = timegraph\nthen = 5s "
	  "fifo\nengines = 2\nsubmit = 1us\ninterrupt = 0\nswitch = 1.5us\nslice = 1ms\npoll = 2us\nknob = "
	  "starvation_us 1000000\nknob = depth 4\n[gpu h]\n[spec]\n# one\na:prt:pe:1:1:2\n"
	  "[client a]\n"
	  "gpu = h\ncount = 2\nstagger = 1ms\nchannels = 3\nengines = 0\narrival = bursts 3 every "
	  "10ms\ncost = choice 1ms 2ms\ndepth = unlimited\nstart = 1ms\nstop = 2ms\n"
	  "deadline = 5ms\n"
	  "spec = ht:bg:0:0:0\n[client b]\narrival = back-to-back 1ms\ncost = normal 1ms 1us\n"
	  "[client c]\narrival = trace tests/sim/scenarios/wants\n", "line 30: column 1 of 'a:ht:bg:0:0:0'" },
	{ "trace file", TOP "[client c]\narrival = trace tests/sim/scenarios/wants\n", NULL },
	{ "nice values and classes", TOP CLIENT "nice = 0 -20\nnice = 1s 19\nnice = 2s rt 99\n"
	  "nice = 3s idle\nnice = 4s deadline\n", NULL },
	{ "nice without a time", TOP CLIENT "nice = 5\n", "two words at least wanted" },
	{ "nicer than can be", TOP CLIENT "nice = 0 20\n", "'20': one of: -20 to 19" },
	{ "less nice than can be", TOP CLIENT "nice = 0 -21\n", "'-21': one of" },
	{ "real time without a priority", TOP CLIENT "nice = 0 rt\n", "'rt': one of" },
	{ "real-time priority 0", TOP CLIENT "nice = 0 rt 0\n", "'rt': one of" },
	{ "a class with a number", TOP CLIENT "nice = 0 idle 5\n", "'idle': one of" },
	{ "nice values out of order", TOP CLIENT "nice = 1s 1\nnice = 1s 2\n", "not after the change" },
	{ "no duration", CLIENT, "duration is missing" },
	{ "no client", TOP, "no client" },
	{ "duration 0", "duration = 0\n" CLIENT, "line 1: '0' is too short" },
	{ "time without unit", "duration = 5\n" CLIENT, "line 1: '5' is not a time" },
	{ "time finer than a nanosecond", "duration = 0.1ns\n" CLIENT, "line 1: '0.1ns' is not" },
	{ "time too long", "duration = 1000001s\n" CLIENT, "is not a time" },
	{ "time of many digits", "duration = 99999999999999999999999ns\n" CLIENT, "is not a time" },
	{ "time with a sign", "duration = -1s\n" CLIENT, "is not a time" },
	{ "point alone", "duration = .s\n" CLIENT, "is not a time" },
	{ "seed too large", "seed = 18446744073709551616\n" TOP CLIENT, "out of range" },
	{ "two words", "seed = 1 2\n" TOP CLIENT, "line 1: 2 words; 1 wanted" },
	{ "no value", "seed =\n" TOP CLIENT, "line 1: 0 words; 1 wanted" },
	{ "key of another section", "cost = fixed 1ms\n" TOP CLIENT, "no key 'cost' at the top" },
	{ "no such key", TOP CLIENT "colour = red\n", "line 5: no key 'colour' in [client]" },
	{ "no equals sign", TOP CLIENT "colour\n", "is not KEY = VALUE" },
	{ "two words as key", TOP CLIENT "a b = c\n", "one word wanted before '='" },
	{ "no key", TOP CLIENT "= c\n", "one word wanted before '='" },
	{ "no such section", TOP "[cpu]\n", "[gpu NAME], [client NAME] or [spec] wanted" },
	{ "section without end", TOP "[client a\n", "wanted" },
	{ "client without name", TOP "[client]\n", "wanted" },
	{ "client of 16 letters", TOP "[client 0123456789abcdef]\n", "1 to 15" },
	{ "client with a colon", TOP "[client a:b]\n", "1 to 15" },
	{ "client twice", TOP CLIENT CLIENT, "client 'a' is there already" },
	{ "an address", TOP "[gpu a]\naddress = 10000:ab:1F.7\n" CLIENT, NULL },
	{ "an address of a GPU that is none", TOP "[gpu a]\naddress = 0\n", "'0' is not a PCI address; one" },
	{ "an address and more", TOP "[gpu a]\naddress = 0000:01:00.00\n", "'0000:01:00.00' is not" },
	{ "two addresses", TOP "[gpu a]\naddress = 01:00.0 02:00.0\n", "2 words; 1 wanted" },
	{ "GPU twice", TOP "[gpu a]\n[gpu a]\n", "GPU 'a' is there already" },
	{ "GPU after a client", TOP CLIENT "[gpu a]\n", "GPU after a client" },
	{ "no such GPU", TOP CLIENT "gpu = x\n", "no GPU 'x' above" },
	{ "no such engine", TOP CLIENT "engines = 1\n", "an engine that GPU gpu does not have" },
	{ "engine out of range", TOP CLIENT "engines = 4\n", "from 0 to 3" },
	{ "no engine", TOP CLIENT "engines =\n", "no engine" },
	{ "a user and a cgroup", TOP CLIENT "user = 4294967295\ncgroup = /a/b /a\n", NULL },
	{ "the root is above all", TOP CLIENT "cgroup = /a/b /\n", NULL },
	{ "user out of range", TOP CLIENT "user = 4294967296\n", "out of range" },
	{ "a cgroup that is no path", TOP CLIENT "cgroup = a\n", "begins with /" },
	{ "a cgroup that is not above", TOP CLIENT "cgroup = /ab /a\n", "'/a' is not above" },
	{ "no such policy", TOP "[gpu a]\npolicy = best\n", "no policy 'best'" },
	{ "switches out of order", TOP "[gpu a]\nthen = 2s fifo\nthen = 2s none\n", "not after the" },
	{ "polling without pause", TOP "[gpu a]\npoll = 0\n", "too short" },
	{ "no such policy later", TOP "[gpu a]\nthen = 1s best\n", "no policy 'best'" },
	{ "policy after knobs", TOP "[gpu a]\nknob = depth 2\npolicy = fifo\n", "after knobs" },
	{ "no such knob", TOP "[gpu a]\npolicy = fifo\nknob = depth 1\n", "in policy fifo" },
	{ "knob out of range", TOP "[gpu a]\nknob = depth 65\n", "from 1 to 64" },
	{ "too many engines", TOP "[gpu a]\nengines = 5\n", "from 1 to 4" },
	{ "no arrival", TOP "[client a]\ncost = fixed 1ms\n", "client a has no arrival" },
	{ "no cost", TOP "[client a]\narrival = periodic 1ms\n", "client a has no cost" },
	{ "cost beside a trace", TOP "[client a]\narrival = trace tests/sim/scenarios/wants\n"
	  "cost = "
	  "fixed 1s\n", "a trace that tells its costs" },
	{ "no such arrival", TOP "[client a]\narrival = now\n", "arrival is one of" },
	{ "arrival with too many words", TOP "[client a]\narrival = periodic 1s 2s\n", "one of" },
	{ "arrival every 0", TOP "[client a]\narrival = periodic 0\n", "too short" },
	{ "rate 0", TOP "[client a]\narrival = poisson 0/s\n", "is not a rate" },
	{ "rate of a word", TOP "[client a]\narrival = poisson x/s\n", "is not a rate" },
	{ "bursts of none", TOP "[client a]\narrival = bursts 0 every 1s\n", "from 1 to" },
	{ "bursts, no word", TOP "[client a]\narrival = bursts 2 each 1s\n", "one of" },
	{ "no such trace", TOP "[client a]\narrival = trace none\n", "cannot read 'none'" },
	{ "bad trace", TOP "[client a]\narrival = trace tests/sim/sim_test.c\n",
	  "two times wanted" },
	{ "no such cost", TOP "[client a]\ncost = high 1s\n", "cost starts with" },
	{ "no cost at all", TOP "[client a]\ncost =\n", "cost starts with" },
	{ "cost without time", TOP "[client a]\ncost = fixed\n", "0 times after 'fixed'; 1 to 1" },
	{ "uniform upside down", TOP "[client a]\ncost = uniform 2s 1s\n", "from the smaller" },
	{ "17 choices", TOP "[client a]\ncost = choice 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	  "too many" },
	{ "back to back without limit", TOP "[client a]\narrival = back-to-back\ncost = fixed 1s\n"
	  "depth = unlimited\n", "without limit" },
	{ "bad spec of a client", TOP CLIENT "# c\nspec = prt:pe:100:1:2\n[client b]\narrival = back-to-back\n"
	  "cost = fixed 1s\n[spec]\n# s\n", "line 6: column 10 of 'a:prt:pe:100:1:2': prio out of range" },
	{ "bad spec of the second client", TOP "[spec]\n# s\n" CLIENT "spec = prt:pe:1:1:2\n[client b]\n"
	  "arrival = back-to-back\ncost = fixed 1s\nspec = x\n", "line 11: column 3 of 'b:x': " },
	{ "policy in the spec section", TOP "[spec]\n\npolicy fifo\n" CLIENT,
	  "line 4: a scenario has its policy and knobs in [gpu]" },
	{ "knob in the spec section", TOP "[spec]\nknob stall_us 1ms\n" CLIENT,
	  "line 3: a scenario has its policy and knobs in [gpu]" },
	{ "bad spec section", TOP "[spec]\n\nx\n" CLIENT, "line 4: column 2 of 'x': " },
	{ "bad spec section, lines of Windows", TOP "[spec]\r\nx\r\n" CLIENT, "line 3: column 2 of 'x': " },
	{ "duration twice", TOP TOP CLIENT, "line 2: 'duration' stands on line 1 already; once wanted" },
	{ "policy twice", TOP "[gpu a]\npolicy = fifo\n#\npolicy = fifo\n", "line 5: 'policy' stands on line 3" },
	{ "cost twice", TOP CLIENT "cost = fixed 2ms\n", "line 5: 'cost' stands on line 4 already" },
	{ "a trace twice", TOP "[client a]\narrival = trace /dev/null\narrival = trace /dev/null\n",
	  "line 4: 'arrival' stands on line 3 already" },
	{ "the same keys in two sections", TOP "[gpu a]\nsubmit = 0\n[gpu b]\nsubmit = 0\n" CLIENT "[client b]\n"
	  "arrival = periodic 1s\ncost = fixed 1s\n", NULL },
	{ "knob twice", TOP "[gpu a]\nknob = depth 2\nknob = depth 3\n", "line 4: knob 'depth' is set above" },
	{ "knob of a time", TOP "[gpu a]\nknob = stall_us 2.5ms\n" CLIENT, NULL },
	{ "knob of a time out of range", TOP "[gpu a]\nknob = stall_us 1us\n", "'1us' is out of range" },
	{ "knob of a time that is not whole", TOP "[gpu a]\nknob = stall_us 2500.5us\n", "is out of range" },
	{ "knob that is no time", TOP "[gpu a]\nknob = depth 2us\n", "'2us' is out of range" },
	{ "no cost is told where the section begins", TOP "[client a]\narrival = periodic 1s\n\n[client b]\n",
	  "line 2: client a has no cost" },
	{ "a million clients", TOP "[client a]\ncount = 999999\narrival = periodic 1s\ncost = fixed 1s\n"
	  "[client b]\narrival = periodic 1s\ncost = fixed 1s\n", NULL },
	{ "one more", TOP CLIENT "count = 999999\n[client b]\ncount = 2\narrival = periodic 1s\ncost = fixed 1s\n",
	  "line 6: too many clients; at most 1000000 in all" },
	{ "a folder as trace", TOP "[client a]\narrival = trace tests\n", "cannot read 'tests': Is a directory" },
};

static void scenario(const struct scenario_row *row)
{
	char error[TGS_MESSAGE] = "";
	struct tgs_scenario s;
	int err = tgs_scenario_parse(&s, row->text, ".", error);

	if (row->error)
		test_row(row->name, err == -EINVAL && strstr(error, row->error),
			 "%d, \"%s\"", err, error);
	else
		test_row(row->name, !err, "%d, \"%s\"", err, error);
	tgs_scenario_deinit(&s);
}

/* ---- runs ------------------------------------------------------------------------------- */

/* One number of a run, worked out by hand. */
enum number { GROUPS, WANTED, REFUSED, MISSED, USED, P50, MAX, BACKLOG, RESERVE, WINDOW, POLICY,
	      HARDWARE, BUSY, SWITCHING, SWITCHES };

static const struct run_row {
	const char *name, *text;
	struct { u32 client; enum number what; s64 value; } want[8];
} run_rows[] = {
	/* every 10 ms from 0: 100 groups; 5 us in, 3 us back */
	{ "periodic, alone", "duration = 1s\n[gpu g]\nsubmit = 5us\ninterrupt = 3us\n" CLIENT,
	  { { 0, GROUPS, 100 }, { 0, USED, 100000000 }, { 0, MAX, 1008000 }, { 0, HARDWARE,
	  800000 },
	    { 0, POLICY, 0 }, { 0, MISSED, 0 }, { 0, BUSY, 100000000 }, { 0, SWITCHES, 0 } } },
	/* 15 ms of work every 10 ms: late ones move the later ones, so 1 s holds 66 */
	{ "periodic, overloaded", "duration = 1s\n[client a]\narrival = periodic 10ms\n"
	  "cost = fixed "
	  "15ms\n", { { 0, GROUPS, 66 }, { 0, MAX, 15000000 }, { 0, MISSED, 66 },
		      { 0, BACKLOG, 0 }, { 0, WANTED, 67 } } },
	/* three at once every 100 ms, 10 ms each, one at a time: waits 0, 10, 20 ms */
	{ "bursts, window of one's own", "duration = 1s\n[client a]\n"
	  "arrival = bursts 3 every 100ms\n"
	  "cost = fixed 10ms\n", { { 0, GROUPS, 30 }, { 0, WINDOW, 300000000 }, { 0, POLICY, 0 },
				   { 0, MAX, 30000000 }, { 0, BACKLOG, 0 } } },
	/* the same with depth 1: its own program waits instead */
	{ "bursts, backlog", "duration = 1s\n[client a]\narrival = bursts 3 every 100ms\n"
	  "cost = fixed 10ms\ndepth = 1\n", { { 0, GROUPS, 30 }, { 0, BACKLOG, 300000000 },
					     { 0, WINDOW, 0 }, { 0, MAX, 30000000 } } },
	/* HT, depth 2: the second of three goes at once and waits in hardware */
	{ "bursts, high throughput", "duration = 1s\n[client a]\narrival = bursts 3 every 100ms\n"
	  "cost = fixed 10ms\nspec = ht:bg:0:0:0\n", { { 0, GROUPS, 30 }, { 0, WINDOW, 100000000 },
						      { 0, HARDWARE, 200000000 } } },
	/* a's group comes 1 ms into b's of 10 ms: 9 ms of policy, each time */
	{ "priority", "duration = 1s\n[client b]\narrival = periodic 100ms\ncost = fixed 10ms\n"
	  "[client a]\nstart = 1ms\narrival = periodic 100ms\ncost = fixed 1ms\n"
	  "spec = prt:bg:9:0:0\n", { { 1, GROUPS, 10 }, { 1, POLICY, 90000000 },
				     { 1, MAX, 10000000 }, { 0, POLICY, 0 } } },
	/* c until 10 ms; a waits since 1 ms, b since 2 ms: a is behind b five times, then before it */
	{ "nice", "duration = 1s\n[client c]\narrival = periodic 100ms\ncost = fixed 10ms\n"
	  "[client a]\nstart = 1ms\narrival = periodic 100ms\ncost = fixed 1ms\nspec = prt:bg:nice:0:0\n"
	  "nice = 0 5\nnice = 450ms -10\n[client b]\nstart = 2ms\narrival = periodic 100ms\n"
	  "cost = fixed 1ms\nspec = prt:bg:25:0:0\n", { { 1, GROUPS, 10 }, { 1, POLICY, 95000000 },
	    { 2, POLICY, 85000000 }, { 0, POLICY, 0 } } },
	/* C 10 ms, T 100 ms, groups of 5 ms back to back: two per period, then 90 ms of waiting */
	{ "reserve", "duration = 1s\n[client a]\narrival = back-to-back\ncost = fixed 5ms\n"
	  "spec = prt:pe:0:10000:100000\n", { { 0, GROUPS, 20 }, { 0, USED, 100000000 },
					     { 0, RESERVE, 810000000 } } },
	/* two with equal work under fifo: the hardware takes turns, and pays for each switch */
	{ "fifo: turns by groups", "duration = 1s\n[gpu g]\npolicy = fifo\nswitch = 1ms\n"
	  "[client a]\narrival = back-to-back\ncost = fixed 9ms\n[client b]\n"
	  "arrival = back-to-back\n"
	  "cost = fixed 9ms\n", { { 0, GROUPS, 50 }, { 1, GROUPS, 50 }, { 0, SWITCHES, 100 },
				  { 0, SWITCHING, 100000000 } } },
	/* slices of 1 ms let a short group pass a long one, whose turn it is when it comes */
	{ "fifo: turns by time", "duration = 100ms\n[gpu g]\npolicy = fifo\nslice = 1ms\n"
	  "[client a]\narrival = periodic 100ms\ncost = fixed 50ms\n[client b]\nstart = 5ms\n"
	  "arrival = periodic 100ms\ncost = fixed 5ms\n", { { 0, GROUPS, 1 }, { 0, MAX, 55000000 },
							   { 1, GROUPS, 1 }, { 1, MAX,
	  10000000 } } },
	{ "none: straight to the hardware", "duration = 1s\n[gpu g]\npolicy = none\nsubmit = 1us\n"
	  CLIENT, { { 0, GROUPS, 100 }, { 0, MAX, 1001000 }, { 0, POLICY, 0 } } },
	{ "from none to timegraph", "duration = 1s\n[gpu g]\npolicy = none\nthen = 500500us "
	  "timegraph\n" CLIENT, { { 0, GROUPS, 100 }, { 0, MAX, 1000000 } } },
	{ "from timegraph to none", "duration = 1s\n[gpu g]\nthen = 500500us none\n" CLIENT,
	  { { 0, GROUPS, 100 }, { 0, MAX, 1000000 } } },
	/* what was seen before belongs to no phase: there would be more work than time */
	{ "loga: away in a poll phase, and back", "duration = 1s\n[gpu g]\npolicy = loga\n"
	  "then = 315ms fifo\nthen = 316ms loga\n[client a]\narrival = back-to-back\n"
	  "cost = fixed 5ms\ndepth = 2\n", { { 0, GROUPS, 199 } } },
	/* killed at 15 ms: the one in flight ends, of the two that wait nothing is seen again */
	{ "stop", "duration = 1s\n[client a]\narrival = bursts 3 every 100ms\ncost = fixed 20ms\n"
	  "stop = 15ms\n[client b]\narrival = periodic 30ms\ncost = fixed 1ms\nstop = 100ms\n",
	  { { 0, GROUPS, 1 }, { 0, WANTED, 3 }, { 1, GROUPS, 4 } } },
	/* killed between being freed and its doorbell */
	{ "stop on the way", "duration = 1s\n[gpu g]\nsubmit = 10ms\n[client a]\n"
	  "arrival = periodic "
	  "30ms\ncost = fixed 1ms\nstop = 35ms\n", { { 0, GROUPS, 1 }, { 0, REFUSED, 1 } } },
	{ "stop on the way, open gate", "duration = 1s\n[gpu g]\npolicy = none\nsubmit = 10ms\n"
	  "[client a]\narrival = periodic 30ms\ncost = fixed 1ms\nstop = 35ms\n",
	  { { 0, GROUPS, 1 }, { 0, REFUSED, 1 } } },
	/* the wants file: 3 submissions at 0, 10, 10 ms of 1, 2, 3 ms */
	{ "trace", "duration = 1s\n[client a]\narrival = trace tests/sim/scenarios/wants\n",
	  { { 0, GROUPS, 3 }, { 0, USED, 6000000 }, { 0, WINDOW, 2000000 } } },
	{ "trace that is empty", "duration = 1s\n[client a]\narrival = trace /dev/null\n",
	  { { 0, GROUPS, 0 } } },
	/* the first starts; for the 9224th and later ones, number times 1000000 s is beyond the clock's end */
	{ "stagger beyond the clock's end", "duration = 1s\n" CLIENT "count = 20000\nstagger = 1000000s\n",
	  { { 0, GROUPS, 100 }, { 9223, WANTED, 0 }, { 9224, WANTED, 0 }, { 18447, WANTED, 0 } } },
	{ "start and stagger beyond the clock's end", "duration = 1s\n" CLIENT "count = 9224\nstagger = 1000000s\n"
	  "start = 1000000s\n", { { 0, GROUPS, 0 }, { 9223, WANTED, 0 } } },
	/* at 107.5 ms b's group is freed; 5 ms later it is late (stall_us), and at 120 ms a's budget is there */
	{ "the core asks for a time that has passed", "duration = 200ms\n[gpu g]\nsubmit = 10ms\n[client a]\n"
	  "arrival = periodic 30ms\ncost = fixed 5ms\nspec = prt:pe:62:4ms:10ms\n[client b]\n"
	  "arrival = back-to-back\ncost = fixed 1ms\ndepth = 3\n", { { 0, GROUPS, 5 }, { 1, GROUPS, 14 },
	    { 0, MAX, 40000000 } } },
	/* c5 has left, c0 goes on as it: all that the poll phase saw of both is c0's, and not more than the phase */
	{ "loga: comes back as one further down", "duration = 3s\n[gpu g]\npolicy = loga\n[client c0]\nuser = 1\n"
	  "start = 400ms\narrival = back-to-back\ncost = fixed 6115us\n[client c2]\nstart = 300ms\n"
	  "arrival = back-to-back\ncost = fixed 2794us\n[client c4]\narrival = back-to-back\n"
	  "cost = fixed 4594us\n[client c5]\nuser = 1\nstart = 150ms\nlife = 206ms\narrival = back-to-back\n"
	  "cost = fixed 7816us\n[client c7]\nstart = 100ms\narrival = back-to-back\ncost = fixed 3978us\n",
	  { { 0, GROUPS, 111 }, { 1, GROUPS, 193 }, { 2, GROUPS, 195 }, { 3, GROUPS, 13 }, { 4, GROUPS, 197 } } },
	/* d goes on as c, which was killed while three waited; d is idle, so a and b take turns: 227 and 226 */
	{ "loga: what waited when it was killed is over", "duration = 2s\n[gpu g]\npolicy = loga\nsubmit = 20us\n"
	  "interrupt = 10us\n[client a]\narrival = back-to-back\ncost = fixed 3ms\ndepth = 2\n[client b]\n"
	  "arrival = back-to-back\ncost = fixed 3756us\n[client c]\nuser = 1\nstop = 1091ms\n"
	  "arrival = back-to-back\ncost = fixed 6153us\ndepth = 4\n[client d]\nuser = 1\nstart = 1092ms\n"
	  "arrival = periodic 10s\ncost = fixed 1us\n", { { 0, GROUPS, 227 }, { 1, GROUPS, 226 },
	    { 2, GROUPS, 76 }, { 3, GROUPS, 1 } } },
	/* a is of no user that is told, b is of user 0: half each */
	{ "nobody else is of the user that is not told", "duration = 1s\n[gpu g]\npolicy = timeslice\n"
	  "knob = share 1\n[client a]\ncount = 3\narrival = back-to-back\ncost = fixed 1ms\n[client b]\n"
	  "user = 0\narrival = back-to-back\ncost = fixed 1ms\n", { { 3, GROUPS, 489 } } },
	{ "two GPUs", "duration = 1s\n[gpu g]\n[gpu h]\n[client a]\narrival = back-to-back\ncost = "
	  "fixed 10ms\n[client b]\ngpu = h\narrival = back-to-back\ncost = fixed 10ms\n",
	  { { 0, POLICY, 0 }, { 1, POLICY, 0 }, { 1, GROUPS, 99 }, { 0, BUSY, 1000000000 } } },
	/* one user's work on two GPUs: a tenth of the one, all of the other */
	{ "two GPUs, a line for one", "duration = 1s\n[gpu g]\naddress = 0000:01:00.0\n[gpu h]\n"
	  "address = 10000:01:00.0\n[spec]\nuid=7 gpu=01:00.0 : prt : pe : 0 : 10ms : 100ms\n"
	  "[client a]\nuser = 7\narrival = back-to-back\ncost = fixed 5ms\n[client b]\nuser = 7\n"
	  "gpu = h\narrival = back-to-back\ncost = fixed 5ms\n",
	  { { 0, GROUPS, 20 }, { 0, USED, 100000000 }, { 0, RESERVE, 810000000 }, { 1, GROUPS, 199 },
	    { 1, RESERVE, 0 }, { 1, POLICY, 0 } } },
	{ "a GPU without an address", "duration = 1s\n[spec]\ngpu=01:00.0 : prt : pe : 0 : 10ms : 100ms\n"
	  "[client a]\narrival = back-to-back\ncost = fixed 5ms\n",
	  { { 0, GROUPS, 199 }, { 0, RESERVE, 0 } } },
	{ "two engines", "duration = 1s\n[gpu g]\nengines = 2\n[client a]\narrival = back-to-back\n"
	  "cost = fixed 10ms\n[client b]\nengines = 1\narrival = back-to-back\ncost = fixed 10ms\n",
	  { { 0, GROUPS, 99 }, { 1, GROUPS, 99 } } },
	{ "channels in turn", "duration = 1s\n[gpu g]\npolicy = fifo\nswitch = 1ms\n[client a]\n"
	  "channels = 2\narrival = periodic 10ms\ncost = fixed 1ms\n",
	  { { 0, GROUPS, 100 }, { 0, SWITCHES, 99 } } },
	/* a group that does not end: written off after 10 s, its late fence repairs the accounts */
	{ "a job is lost and found", "duration = 40s\n[client a]\narrival = periodic 100s\ncost = "
	  "fixed 15s\n[client b]\nstart = 1s\narrival = periodic 30s\ncost = fixed 1ms\n",
	  { { 0, GROUPS, 1 }, { 1, GROUPS, 2 }, { 1, POLICY, 9000000000 } } },
};

static s64 number(const struct tgs_result *r, u32 client, enum number what)
{
	const struct tgs_stats *s = &r->clients[client].stats;

	switch (what) {
	case GROUPS:
		return s->done;
	case WANTED:
		return s->released;
	case REFUSED:
		return s->failed;
	case MISSED:
		return s->missed;
	case USED:
		return s->used;
	case P50:
		return tgs_hist_at(&s->latency, 500);
	case MAX:
		return s->latency.max;
	case BUSY:
		return r->gpus[client].engine[0].busy;
	case SWITCHING:
		return r->gpus[client].engine[0].switching;
	case SWITCHES:
		return r->gpus[client].engine[0].switches;
	default:
		return s->waited[what - BACKLOG];
	}
}

static void run(const struct run_row *row)
{
	char error[TGS_MESSAGE] = "";
	struct tgs_scenario s;
	struct tgs_result r = { };
	u32 i;

	if (tgs_scenario_parse(&s, row->text, ".", error) || tgs_run(&s, NULL, &r, error)) {
		test_row(row->name, false, "%s", error);
		tgs_scenario_deinit(&s);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(row->want); i++) {
		s64 got = number(&r, row->want[i].client, row->want[i].what);

		if (i && !row->want[i].what && !row->want[i].value)
			break;
		if (got != row->want[i].value) {
			test_row(row->name, false, "number %u of client %u is %lld, not %lld",
				 row->want[i].what, row->want[i].client, (long long)got,
				 (long long)row->want[i].value);
			break;
		}
	}
	if (i == ARRAY_SIZE(row->want) || (!row->want[i].what && !row->want[i].value))
		test_row(row->name, true, "-");
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* ---- the same again --------------------------------------------------------------------- */

static char *report(u64 seed, void (*print)(const struct tgs_result *r, FILE *to))
{
	static const char text[] = "duration = 2s\n[client a]\ncount = 5\narrival = poisson 100/s\n"
		"cost = exponential 2ms\nspec = prt:pe:1:1000:10000\n[client b]\narrival = "
		"back-to-back\ncost = normal 1ms 100us\n";
	char error[TGS_MESSAGE], *out = NULL;
	struct tgs_scenario s;
	struct tgs_result r;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	if (!to || tgs_scenario_parse(&s, text, ".", error))
		abort();
	s.seed = seed;
	tgs_run(&s, NULL, &r, error);
	print(&r, to);
	fclose(to);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	return out;
}

static void seeds(void)
{
	char *a = report(1, tgs_report_json), *b = report(1, tgs_report_json);
	char *c = report(2, tgs_report_json), *csv = report(1, tgs_report_csv);
	char *text = report(1, tgs_report_text);
	u32 lines = 0;
	char *p;

	test_row("same seed, same run", !strcmp(a, b), "they differ");
	test_row("other seed, other run", strcmp(a, c), "they are the same");
	for (p = csv; (p = strchr(p, '\n')); p++)
		lines++;
	test_row("CSV: a head and a line per client", lines == 7, "%u lines", lines);
	test_row("table: clients of a kind on one line", strstr(text, "\na x 5 ") &&
		 strstr(text, "\nb "), "%s", text);
	free(a);
	free(b);
	free(c);
	free(csv);
	free(text);
}

int main(void)
{
	u32 i;

	timers();
	for (i = 0; i < ARRAY_SIZE(dist_rows); i++)
		dist(&dist_rows[i]);
	histogram();
	for (i = 0; i < ARRAY_SIZE(scenario_rows); i++)
		scenario(&scenario_rows[i]);
	for (i = 0; i < ARRAY_SIZE(run_rows); i++)
		run(&run_rows[i]);
	seeds();
	return test_end();
}
