// SPDX-License-Identifier: GPL-2.0
/*
 * Fair policies keep the engine busy: how much of its time the clients use, beside how much they
 * use without a policy, on the same load; which part each gets; and how long a client waits that
 * seldom submits. In tgsim, over half a minute of virtual time. It prints every figure.
 *
 * A bound that does not hold yet is an open row. It is printed with its figure, and fails as soon
 * as it holds, so that the mark goes.
 */
#include <stdlib.h>
#include "rows.h"

#define HEAD	"duration = 30s\n[gpu g]\nsubmit = 20us\ninterrupt = 10us\nswitch = 20us\npolicy = "
#define LINGER	(1 * TG_MSEC)		/* linger_us unless set */
#define SAMPLE	(5 * TG_MSEC)		/* sample_us likewise */
#define LEAST	970			/* permille of what the clients use without a policy */
#define CLIENTS	4

static const char *const policies[] = { "timeslice", "dtimeslice", "band", "dfq", "loga" };

enum { TIMESLICE = 1, DTIMESLICE = 2, BAND = 4, DFQ = 8, LOGA = 16 };	/* masks of them */

#define UNSEEN	(DFQ | LOGA)	/* gates are open */
#define ALL	(TIMESLICE | DTIMESLICE | BAND | UNSEEN)

/* Lines of a [client] section. From a completion to the next doorbell are 30 us more. */
#define ONE_BY_ONE(gap, cost)	"arrival = back-to-back " gap "\ncost = fixed " cost "\n"
#define BUSY(depth, cost)	ONE_BY_ONE("", cost) "depth = " depth "\n"
#define PERIODIC(time, cost)	"arrival = periodic " time "\ncost = fixed " cost "\n"
#define UNIFORM(gap, costs)	"arrival = back-to-back " gap "\ncost = uniform " costs "\n"
#define GAME			ONE_BY_ONE("170us", "4ms")

/*
 * @client: of a kind each, called a, b, c and d. @weight: of each; 0: 1. Under band, each kind has
 * a virtual GPU, and its weight is that one's part of @parts percent (0: 100). @light: a seldom
 * submits, and waits for one group of the others at most, of @longest; where gates are open, for
 * one of each client besides, @each together, and under dfq for each client's sample. @want: permille of the time
 * used that each kind gets, +- @off; 0: no matter.
 */
static const struct load {
	const char *name, *client[CLIENTS];
	u32 weight[CLIENTS], parts;
	s64 want[CLIENTS], off;
	bool light;
	s64 longest, each;
	u32 busy_open, wait_open;	/* for these policies */
} loads[] = {
	{ .name = "0.2 ms every 50 ms beside 10 ms",
	  .client = { PERIODIC("50ms", "0.2ms"), BUSY("2", "10ms") },
	  .light = true, .longest = 10 * TG_MSEC, .each = 10 * TG_MSEC },
	{ .name = "1 ms every 50 ms beside 10 ms",
	  .client = { PERIODIC("50ms", "1ms"), BUSY("2", "10ms") },
	  .light = true, .longest = 10 * TG_MSEC, .each = 10 * TG_MSEC },
	{ .name = "1 ms every 50 ms beside 10 ms one by one",
	  .client = { PERIODIC("50ms", "1ms"), BUSY("1", "10ms") },
	  .light = true, .longest = 10 * TG_MSEC, .each = 10 * TG_MSEC },
	{ .name = "1 ms every 50 ms beside three of 5 ms",
	  .client = { PERIODIC("50ms", "1ms"), BUSY("2", "5ms") "count = 3\n" },
	  .light = true, .longest = 5 * TG_MSEC, .each = 15 * TG_MSEC },
	{ .name = "24 fps video, 60 fps compositor, 20 ms",
	  .client = { PERIODIC("41.7ms", "4ms"), PERIODIC("16.7ms", "2ms"), BUSY("2", "20ms") },
	  .light = true, .longest = 20 * TG_MSEC, .each = 22 * TG_MSEC,
	  .wait_open = TIMESLICE | DTIMESLICE /* the compositor waits, too */ },
	{ .name = "ten of 1 ms every 100 ms beside 10 ms",
	  .client = { PERIODIC("100ms", "1ms") "count = 10\nstagger = 7ms\n", BUSY("2", "10ms") },
	  .light = true, .longest = 10 * TG_MSEC, .each = 19 * TG_MSEC,
	  .wait_open = TIMESLICE | DTIMESLICE /* other light clients wait, too */ },
	{ .name = "weight 1000 with 2 %, weight 1 busy",
	  .client = { PERIODIC("50ms", "1ms"), BUSY("2", "10ms") }, .weight = { 1000, 1 },
	  .light = true, .longest = 10 * TG_MSEC, .each = 10 * TG_MSEC },
	{ .name = "weight 1 with 2 %, weight 1000 busy",
	  .client = { PERIODIC("50ms", "1ms"), BUSY("2", "10ms") }, .weight = { 1, 1000 } },
	{ .name = "bursts of ten beside 10 ms",
	  .client = { "arrival = bursts 10 every 100ms\ncost = fixed 1ms\n", BUSY("2", "10ms") } },
	{ .name = "at random beside 10 ms",
	  .client = { "arrival = poisson 30/s\ncost = fixed 5ms\n", BUSY("2", "10ms") } },
	{ .name = "ten that think for 3 ms",
	  .client = { ONE_BY_ONE("3ms", "1ms") "count = 10\n" } },
	{ .name = "5 ms with thinking beside 20 ms",
	  .client = { ONE_BY_ONE("5ms", "5ms"), BUSY("2", "20ms") } },
	{ .name = "0.5, 2, 8 and 20 ms",
	  .client = { BUSY("2", "0.5ms"), BUSY("2", "2ms"), BUSY("2", "8ms"), BUSY("2", "20ms") },
	  .want = { 250, 250, 250, 250 }, .off = 20 },
	{ .name = "0.1, 0.2, 0.5 and 1 ms",
	  .client = { BUSY("2", "0.1ms"), BUSY("2", "0.2ms"), BUSY("2", "0.5ms"), BUSY("2", "1ms") },
	  .want = { 250, 250, 250, 250 }, .off = 20 },
	{ .name = "0.1, 0.2, 0.5 and 1 ms, virtual GPUs of 24 % each",
	  .client = { BUSY("2", "0.1ms"), BUSY("2", "0.2ms"), BUSY("2", "0.5ms"), BUSY("2", "1ms") },
	  .parts = 96, .busy_open = BAND },
	{ .name = "weights 1, 2 and 4",
	  .client = { BUSY("2", "8ms"), BUSY("2", "2ms"), BUSY("2", "4ms") },
	  .weight = { 1, 2, 4 },
	  .want = { 143, 286, 571 }, .off = 20 },
	{ .name = "1 ms, a hundred deep and one by one",
	  .client = { BUSY("100", "1ms"), BUSY("1", "1ms") }, .want = { 500, 500 }, .off = 20 },
	{ .name = "twelve channels and one",
	  .client = { BUSY("24", "5ms") "channels = 12\n", BUSY("2", "5ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "twelve channels of 1 ms and one",
	  .client = { BUSY("24", "1ms") "channels = 12\n", BUSY("2", "1ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 1", .client = { GAME, BUSY("1", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 2", .client = { GAME, BUSY("2", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 8", .client = { GAME, BUSY("8", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 32", .client = { GAME, BUSY("32", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 100", .client = { GAME, BUSY("100", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 1000", .client = { GAME, BUSY("1000", "20ms") },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "a game beside a bomb of depth 1000 that comes after 10 s",
	  .client = { GAME, BUSY("1000", "20ms") "start = 10s\n" },
	  .want = { 667, 333 }, .off = 20 },
	{ .name = "0.5 ms with gaps of a fifth of it, beside 2, 8 and 20 ms",
	  .client = { ONE_BY_ONE("100us", "0.5ms"), BUSY("1", "2ms"), BUSY("1", "8ms"),
		      BUSY("1", "20ms") },
	  .busy_open = TIMESLICE | BAND | UNSEEN /* lingers, and turns that go over */ },
	/* What search.c has found */
	{ .name = "0.2 ms one by one, and 0.1 ms on three channels",
	  .client = { UNIFORM("", "21us 295us") "depth = 1\n",
		      ONE_BY_ONE("386us", "0.113ms") "depth = 3\nchannels = 3\n" },
	  .busy_open = ALL },
	{ .name = "0.1 ms and 0.2 ms with gaps, and 0.1 ms now and then",
	  .client = { UNIFORM("156us", "87us 113us") "depth = 1\n",
		      UNIFORM("196us", "122us 226us") "depth = 2\n",
		      PERIODIC("11671us", "0.133ms") "depth = 18\n" },
	  .busy_open = ALL },
	{ .name = "0.1 ms one by one beside 4.7 ms and 0.6 ms",
	  .client = { UNIFORM("", "21us 145us") "depth = 1\n",
		      UNIFORM("", "4.27ms 5.114ms") "depth = 29\n",
		      PERIODIC("86972us", "0.577ms") "depth = 18\n" },
	  .busy_open = TIMESLICE | DTIMESLICE | UNSEEN },
	{ .name = "3.5, 4.5 and 9 ms, 32 deep",
	  .client = { BUSY("32", "3.543ms"), BUSY("8", "4.554ms") "channels = 3\n",
		      UNIFORM("", "3.025ms 14.769ms") "depth = 32\n" },
	  .want = { 333, 333, 333 }, .off = 20 },
	{ .name = "7 ms on two channels, 32 deep, and 5 to 17 ms, 8 deep",
	  .client = { BUSY("32", "7.128ms") "channels = 2\n",
		      UNIFORM("", "5.392ms 17.074ms") "depth = 8\n" },
	  .want = { 500, 500 }, .off = 20 },
	{ .name = "3.6, 1.9 and 0.6 ms, 29 and 23 deep",
	  .client = { UNIFORM("", "3.17ms 4.116ms") "depth = 29\n",
		      UNIFORM("", "1.287ms 2.441ms") "depth = 23\n",
		      UNIFORM("", "0.22ms 0.998ms") "depth = 23\n" },
	  .want = { 333, 333, 333 }, .off = 20 },
};

static u32 weight(const struct load *load, u32 i)
{
	return load->client[i] ? load->weight[i] ?: 1 : 0;
}

/* The virtual GPUs, one for each kind, in percent. */
static void vgpus(const struct load *load, char *text, size_t room)
{
	u32 i, sum = 0, share;

	for (i = 0; i < CLIENTS; i++)
		sum += weight(load, i);
	snprintf(text, room, "[spec]\n");
	for (i = 0; i < CLIENTS && load->client[i]; i++) {
		share = max((load->parts ?: 100) * weight(load, i) / sum, 1u);
		snprintf(text + strlen(text), room - strlen(text), "[vgpu %c]:%u:%u:%u\n", 'a' + i,
			 share, share, share);
	}
}

/* The first @kinds kinds; @back: from the last to the first, as the order of arrivals matters. */
static bool simulate(const struct load *load, const char *policy, u32 kinds, bool back,
		     struct tgs_scenario *s, struct tgs_result *r)
{
	char text[4096], virtual[256] = "";
	u32 nr = 0, i, n;

	while (nr < kinds && load->client[nr])
		nr++;

	if (!strcmp(policy, "band"))
		vgpus(load, virtual, sizeof(virtual));
	snprintf(text, sizeof(text), HEAD "%s\n%s", policy, virtual);
	for (n = 0; n < nr; n++) {
		i = back ? nr - 1 - n : n;
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "[client %c]\n%sspec = ht:bg:0:0:0:weight=%u, vgpu=%c\n", 'a' + i,
			 load->client[i], weight(load, i), 'a' + i);
	}
	return rows_run(load->name, policy, text, s, r);
}

/* Time used by clients of the kind; of all. */
static s64 used(const struct tgs_result *r, u32 kind)
{
	s64 sum = 0;
	u32 i;

	for (i = 0; i < r->nr_clients; i++)
		sum += r->clients[i].conf == kind ? r->clients[i].stats.used : 0;
	return sum;
}

static s64 busy(const struct tgs_result *r)
{
	return r->gpus[0].engine[0].busy;
}

/* The latency that 99 of 100 groups of the first kind do not exceed; of its worst client. */
static s64 latency(const struct tgs_result *r)
{
	s64 worst = 0;
	u32 i;

	for (i = 0; i < r->nr_clients && !r->clients[i].conf; i++)
		worst = max(worst, tgs_hist_at(&r->clients[i].stats.latency, 990));
	return worst;
}

/* @open: the bound is known not to hold. */
static void row(const struct load *load, const char *policy, const char *what, bool open,
		bool holds, const char *figures)
{
	char name[256];

	snprintf(name, sizeof(name), "%s: %s: %s", policy, load->name, what);
	rows_tell(name, open, holds, figures);
}

static void shares(const struct load *load, u32 policy, const struct tgs_result *r)
{
	bool good = true;
	char text[64] = "";
	s64 sum = 0;
	u32 i;

	for (i = 0; i < CLIENTS; i++)
		sum += used(r, i);
	for (i = 0; i < CLIENTS && load->client[i]; i++) {
		s64 has = used(r, i) * 1000 / max(sum, (s64)1);

		good = good && llabs(has - load->want[i]) <= load->off;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%lld.%lld %%",
			 i ? ", " : "", (long long)has / 10, (long long)has % 10);
	}
	row(load, policies[policy], "shares", false, good, text);
}

/* The wait of a light client beside what it has alone. */
static void wait(const struct load *load, u32 policy, const struct tgs_result *r)
{
	struct tgs_scenario s;
	struct tgs_result alone;
	char text[128];
	s64 limit;

	if (!simulate(load, policies[policy], 1, false, &s, &alone))
		return;
	limit = latency(&alone) + load->longest + LINGER;
	if (1 << policy & UNSEEN)
		limit += load->each;
	if (1 << policy & DFQ)
		limit += r->nr_clients * SAMPLE;
	snprintf(text, sizeof(text), "%.2f ms in 99 of 100, of at most %.2f", latency(r) / 1e6,
		 limit / 1e6);
	row(load, policies[policy], "the light client's wait", load->wait_open & 1 << policy,
	    latency(r) <= limit, text);
	rows_end(&s, &alone);
}

/* How busy the engine is, beside how busy it is without a policy. */
static void busy_row(const struct load *load, u32 policy, const char *what,
		     const struct tgs_result *r, s64 none)
{
	s64 permille = busy(r) * 1000 / none;
	char text[128];

	snprintf(text, sizeof(text), "%.1f %% busy, %lld.%lld %% of what none reaches",
		 busy(r) / 30e7, (long long)permille / 10, (long long)permille % 10);
	row(load, policies[policy], what, load->busy_open & 1 << policy, permille >= LEAST, text);
}

static void run(const struct load *load, u32 policy, s64 none)
{
	struct tgs_scenario s;
	struct tgs_result r;

	if (!simulate(load, policies[policy], CLIENTS, true, &s, &r))
		return;
	busy_row(load, policy, "busy, the last client first", &r, none);
	rows_end(&s, &r);
	if (!simulate(load, policies[policy], CLIENTS, false, &s, &r))
		return;
	busy_row(load, policy, "busy", &r, none);
	test_row("nothing is wrong", !r.gpus[0].notes[TG_NOTE_EJECTED_STARVED] &&
		 !r.gpus[0].notes[TG_NOTE_EJECTED_PICK] && !r.gpus[0].notes[TG_NOTE_LOST], "it is");
	if (load->want[0])
		shares(load, policy, &r);
	if (load->light)
		wait(load, policy, &r);
	rows_end(&s, &r);
}

int main(void)
{
	struct tgs_scenario s;
	struct tgs_result r;
	u32 i, policy;
	s64 none;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		if (!simulate(&loads[i], "none", CLIENTS, false, &s, &r))
			continue;
		none = busy(&r);
		rows_end(&s, &r);
		for (policy = 0; policy < ARRAY_SIZE(policies); policy++)
			run(&loads[i], policy, none);
	}
	return test_end();
}
