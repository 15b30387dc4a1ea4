// SPDX-License-Identifier: GPL-2.0
/*
 * Fair policies: what each client gets, in tgsim, over a minute of virtual time. Shares are of
 * the time that the engine worked at all.
 */
#include <stdlib.h>
#include <unistd.h>
#include "../lib/test.h"
#include "replay.h"
#include "run.h"

#define CARD	"submit = 5us\ninterrupt = 8us\nswitch = 20us\n"

/* Back to back, two in flight. */
#define BUSY(name, cost, more) \
	"[client " name "]\narrival = back-to-back\ndepth = 2\ncost = fixed " cost "\n" more

#define FOUR	BUSY("a", "0.5ms", "") BUSY("b", "2ms", "") BUSY("c", "8ms", "") \
		BUSY("d", "20ms", "")
#define WEIGHED	BUSY("a", "8ms", "spec = ht:bg:0:0:0:weight=1\n") \
		BUSY("b", "2ms", "spec = ht:bg:0:0:0:weight=2\n") \
		BUSY("c", "4ms", "spec = ht:bg:0:0:0:weight=4\n")
#define HEAVY	BUSY("a", "8ms", "spec = ht:bg:0:0:0:weight=100\n") \
		BUSY("b", "2ms", "spec = ht:bg:0:0:0:weight=200\n") \
		BUSY("c", "4ms", "spec = ht:bg:0:0:0:weight=400\n")
#define SHORT	BUSY("a", "0.1ms", "") BUSY("b", "0.2ms", "") BUSY("c", "0.5ms", "") \
		BUSY("d", "1ms", "")
#define MANY	BUSY("a", "1ms", "count = 10\n") BUSY("b", "10ms", "count = 10\n")

#define DEEP	"[client a]\narrival = back-to-back\ncost = fixed 4ms\n" \
		"[client b]\narrival = back-to-back\ndepth = 1000\ncost = fixed 20ms\n"

#define LEAST	970	/* permille of the time that the engine works without a policy */

#define TWENTY	{ 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50 }
#define CLIENTS	20

/* Run a scenario. NULL: it cannot be, and the row has failed. */
static const char *trace;	/* to be written, or NULL */

static struct tgs_result *simulate(const char *name, const char *duration, const char *gpu,
				   const char *clients, struct tgs_scenario *s)
{
	static struct tgs_result r;
	char error[TGS_MESSAGE], text[8192];

	snprintf(text, sizeof(text), "duration = %s\n[gpu g]\npolicy = %s\n" CARD "%s", duration,
		 gpu, clients);
	if (tgs_scenario_parse(s, text, ".", error) || tgs_run(s, trace, &r, error)) {
		test_row(name, false, "%s", error);
		tgs_scenario_deinit(s);
		return NULL;
	}
	return &r;
}

static void end(struct tgs_scenario *s, struct tgs_result *r)
{
	tgs_result_deinit(r);
	tgs_scenario_deinit(s);
}

/* 1000 times the client's share of what all used, in steps @from to @to of a hundred. */
static s64 permille(const struct tgs_result *r, u32 client, u32 from, u32 to)
{
	s64 sum = 0, own = 0;
	u32 i, step;

	for (i = 0; i < r->nr_clients; i++)
		for (step = from; step < to; step++) {
			sum += r->clients[i].stats.share[step];
			own += i == client ? r->clients[i].stats.share[step] : 0;
		}
	return sum ? own * 1000 / sum : 0;
}

/* ---- shares ----------------------------------------------------------------------------- */

static const struct share_row {
	const char *name, *gpu, *clients;
	s64 want[CLIENTS];		/* permille; only as many as are given */
	s64 tolerance;
	u32 from;			/* percent that are left out, of ten minutes; 0: of one */
} share_rows[] = {
	{ "dfq: groups of 0.5 to 20 ms", "dfq\n", FOUR, { 250, 250, 250, 250 }, 30, 0 },
	{ "loga: groups of 0.5 to 20 ms", "loga\n", FOUR, { 250, 250, 250, 250 }, 30, 0 },
	{ "loga: one that pauses, groups of 20 and 2 ms", "loga\n",
	  "[client a]\narrival = back-to-back 3ms\ncost = fixed 20ms\n" BUSY("b", "2ms", ""),
	  { 500, 500 }, 10, 10 },
	{ "loga, cheap: groups of 0.5 to 20 ms", "loga\nknob = mode 1\n", FOUR,
	  { 250, 250, 250, 250 }, 30, 0 },
	{ "loga, polling all the time: groups of 0.5 to 20 ms", "loga\nknob = rest_us 0\n", FOUR,
	  { 250, 250, 250, 250 }, 30, 0 },
	{ "loga, 1 and 5 ms: groups of 0.5 to 20 ms", "loga\nknob = poll_us 1000\n"
	  "knob = rest_us 5000\n", FOUR, { 250, 250, 250, 250 }, 20, 0 },
	{ "timeslice: groups of 0.5 to 20 ms", "timeslice\n", FOUR, { 250, 250, 250, 250 }, 30, 0 },
	{ "dtimeslice: groups of 0.5 to 20 ms", "dtimeslice\n", FOUR, { 250, 250, 250, 250 }, 30, 0 },
	/* as it comes out */
	{ "loga, faithful: groups of 0.5 to 20 ms", "loga\nknob = faithful 1\n", FOUR,
	  { 500, 500, 500, 500 }, 500, 0 },
	{ "loga, LoGA-CL: groups of 0.5 to 20 ms", "loga\nknob = metric 1\n", FOUR,
	  { 500, 500, 500, 500 }, 500, 0 },
	{ "fcfs: groups of 0.5 to 20 ms", "fcfs\n", FOUR, { 16, 66, 262, 656 }, 10, 0 },
	{ "dfq: twenty", "dfq\n", MANY, TWENTY, 10, 20 },
	{ "loga: twenty", "loga\n", MANY, TWENTY, 10, 20 },
	{ "loga, cheap: twenty", "loga\nknob = mode 1\n", MANY, TWENTY, 10, 20 },
	{ "timeslice: twenty", "timeslice\n", MANY, TWENTY, 10, 20 },
	{ "dtimeslice: twenty", "dtimeslice\n", MANY, TWENTY, 10, 20 },
	{ "timeslice: weights", "timeslice\n", WEIGHED, { 143, 286, 571 }, 30, 0 },
	{ "dtimeslice: weights", "dtimeslice\n", WEIGHED, { 143, 286, 571 }, 30, 0 },
	{ "dfq: large weights", "dfq\n", HEAVY, { 143, 286, 571 }, 30, 0 },
	{ "loga: large weights", "loga\n", HEAVY, { 143, 286, 571 }, 30, 0 },
	{ "timeslice: large weights", "timeslice\n", HEAVY, { 143, 286, 571 }, 30, 0 },
	{ "dtimeslice: large weights", "dtimeslice\n", HEAVY, { 143, 286, 571 }, 30, 0 },
	{ "dfq: whoever was not held back leaves", "dfq\nknob = sample_us 100000\nknob = free_run 100\n",
	  BUSY("a", "20ms", "") BUSY("b", "1ms", "stop = 45s\n"), { 500, 500 }, 500, 0 },
	{ "dfq: weights", "dfq\n", WEIGHED, { 143, 286, 571 }, 30, 0 },
	{ "loga: weights", "loga\n", WEIGHED, { 143, 286, 571 }, 30, 0 },
	{ "loga, cheap: weights", "loga\nknob = mode 1\n", WEIGHED, { 143, 286, 571 }, 30, 0 },
};

/* How long the engine works on the row's load without a policy, ns. */
static s64 busy_without(const struct share_row *row)
{
	static struct {
		const char *clients;
		u32 from;
		s64 busy;
	} known[8];
	struct tgs_scenario s;
	struct tgs_result *r;
	u32 i = 0;

	while (i < ARRAY_SIZE(known) - 1 && known[i].clients &&
	       (strcmp(known[i].clients, row->clients) || known[i].from != row->from))
		i++;
	if (known[i].clients && !strcmp(known[i].clients, row->clients) &&
	    known[i].from == row->from)
		return known[i].busy;
	r = simulate(row->name, row->from ? "600s" : "60s", "none\n", row->clients, &s);
	if (!r)
		return 0;
	known[i].clients = row->clients;
	known[i].from = row->from;
	known[i].busy = r->gpus[0].engine[0].busy;
	end(&s, r);
	return known[i].busy;
}

static void share(const struct share_row *row)
{
	s64 none = busy_without(row), busy;
	struct tgs_scenario s;
	struct tgs_result *r = simulate(row->name, row->from ? "600s" : "60s", row->gpu,
					row->clients, &s);
	char got[256] = "";
	bool good = true;
	u32 i;

	if (!r)
		return;
	for (i = 0; i < r->nr_clients; i++) {
		s64 has = permille(r, i, row->from, TGS_SHARE_STEPS);

		good = good && has >= row->want[i] - row->tolerance &&
		       has <= row->want[i] + row->tolerance;
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %lld.%lld",
			 (long long)has / 10, (long long)has % 10);
	}
	busy = r->gpus[0].engine[0].busy * 1000 / max(none, (s64)1);
	good = good && busy >= LEAST;
	printf("# %s:%s %%, %lld.%lld %% of what none uses\n", row->name, got, (long long)busy / 10,
	       (long long)busy % 10);
	for (i = 0; i < TG_NOTE_POLICY; i++)
		good = good && !r->gpus[0].notes[i];
	test_row(row->name, good, "shares%s %%, %lld permille of what none uses, %llu ejections", got,
		 (long long)busy,
		 (unsigned long long)r->gpus[0].notes[TG_NOTE_EJECTED_STARVED]);
	end(&s, r);
}

/* Without a policy the longest group takes the most, many times what the shortest does. */
static void unfair(void)
{
	struct tgs_scenario s;
	struct tgs_result *r = simulate("none: unfair", "60s", "none\n", FOUR, &s);
	s64 least, most;

	if (!r)
		return;
	least = permille(r, 0, 0, TGS_SHARE_STEPS);
	most = permille(r, 3, 0, TGS_SHARE_STEPS);
	printf("# none: %lld to %lld permille\n", (long long)least, (long long)most);
	test_row("none: unfair by more than 5 times", most > 5 * least, "%lld and %lld permille",
		 (long long)most, (long long)least);
	end(&s, r);
}

/* ---- a client that sleeps half the time ------------------------------------------------- */

/* What sharing takes: half the engine while it works, so that its work lasts twice as long. */
#define SLEEPER(cost)	"[client z]\narrival = back-to-back " cost "\ncost = fixed " cost "\n"

static const struct sleep_row {
	const char *name, *gpu, *clients;
	s64 period;		/* of its work and sleep, when it has half the engine, us */
	s64 least;		/* percent of what that gives; 0: as it comes out */
} sleep_rows[] = {
	{ "loga: a client that sleeps, beside equal groups", "loga\n",
	  SLEEPER("2ms") BUSY("b", "2ms", ""), 6000, 97 },
	{ "loga, cheap: a client that sleeps, beside equal groups", "loga\nknob = mode 1\n",
	  SLEEPER("2ms") BUSY("b", "2ms", ""), 6000, 97 },
	{ "dfq: a client that sleeps, beside equal groups", "dfq\n",
	  SLEEPER("2ms") BUSY("b", "2ms", ""), 6000, 97 },
	{ "loga: a client that sleeps, beside long groups", "loga\n",
	  SLEEPER("10ms") BUSY("b", "20ms", ""), 30000, 97 },
	{ "loga, cheap: a client that sleeps, beside long groups", "loga\nknob = mode 1\n",
	  SLEEPER("10ms") BUSY("b", "20ms", ""), 30000, 97 },
	{ "dfq: a client that sleeps, beside long groups", "dfq\n",
	  SLEEPER("10ms") BUSY("b", "20ms", ""), 30000, 97 },
	{ "dtimeslice: a client that sleeps, beside long groups", "dtimeslice\n",
	  SLEEPER("10ms") BUSY("b", "20ms", ""), 30000, 0 },
};

static void sleeper(const struct sleep_row *row)
{
	s64 shared = 60 * TG_SEC / TG_USEC / row->period, got;
	struct tgs_scenario s;
	struct tgs_result *r = simulate(row->name, "60s", row->gpu, row->clients, &s);

	if (!r)
		return;
	got = r->clients[0].stats.done;
	printf("# %s: %lld groups; sharing gives %lld\n", row->name, (long long)got,
	       (long long)shared);
	test_row(row->name, got * 100 >= shared * row->least, "%lld groups; sharing gives %lld",
		 (long long)got, (long long)shared);
	end(&s, r);
}

/* ---- a client that was idle ------------------------------------------------------------- */

/* It works in the first seconds, is idle, and comes back at 30 s: the other keeps its half. */
static const struct idle_row {
	const char *name, *gpu;
	s64 first, later;	/* permille that the other keeps at least, in 1.2 s, in 6 s */
} idle_rows[] = {
	{ "dfq: idle time is not saved up", "dfq\n", 400, 450 },
	{ "loga: idle time is not saved up", "loga\n", 400, 450 },
	{ "loga, cheap: idle time is not saved up", "loga\nknob = mode 1\n", 400, 450 },
	{ "loga, faithful: idle time", "loga\nknob = faithful 1\n", 0, 0 },	/* as it comes out */
	{ "timeslice: idle time is not saved up", "timeslice\n", 400, 450 },
	{ "dtimeslice: idle time is not saved up", "dtimeslice\n", 400, 450 },
};

static void idle(const struct idle_row *row)
{
	struct tgs_scenario s;
	struct tgs_result *r = simulate(row->name, "60s", row->gpu, BUSY("a", "8ms", "")
					"[client b]\narrival = bursts 3000 every 30s\n"
					"cost = fixed 2ms\ndepth = 2\n", &s);
	s64 first, later;

	if (!r)
		return;
	first = permille(r, 0, 50, 52);
	later = permille(r, 0, 52, 62);
	printf("# %s: the other had %lld, then %lld permille\n", row->name, (long long)first,
	       (long long)later);
	test_row(row->name, first >= row->first && later >= row->later, "%lld, then %lld permille",
		 (long long)first, (long long)later);
	end(&s, r);
}

/* ---- a drain that does not end ---------------------------------------------------------- */

/*
 * A group of 100 s on hardware that takes turns by time: it alone is blamed, the other goes on. That
 * one is due twice as much as the hardware's turns give it, so the other is held. Under
 * dtimeslice its client stands at ASK, and the group is lost instead.
 */
static const struct drain_row {
	const char *name, *gpu;
	u64 cuts;		/* at most, or lost: within 60 s, every 10 s once it is known */
	u64 groups;		/* of the other, at least */
} drain_rows[] = {
	{ "dfq: a drain that does not end is cut", "dfq\n", 6, 2200 },
	{ "loga: a drain that does not end is cut", "loga\n", 6, 2700 },
	{ "dtimeslice: a drain that does not end is cut", "dtimeslice\n", 1, 2200 },
};

static void drain(const struct drain_row *row)
{
	struct tgs_scenario s;
	char gpu[128];
	struct tgs_result *r;
	u64 cuts, other;

	snprintf(gpu, sizeof(gpu), "%sslice = 5ms\n", row->gpu);
	r = simulate(row->name, "60s", gpu, BUSY("a", "10ms", "spec = ht:bg:0:0:0:weight=200\n")
		     "[client b]\narrival = back-to-back\ndepth = 2\n"
		     "cost = choice 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 100s\n",
		     &s);
	if (!r)
		return;
	cuts = r->gpus[0].notes[TG_NOTE_DRAIN_CUT] ?: r->gpus[0].notes[TG_NOTE_LOST];
	other = r->clients[0].stats.done;
	printf("# %s: %llu cuts, %llu groups of the other\n", row->name, (unsigned long long)cuts,
	       (unsigned long long)other);
	test_row(row->name, cuts && cuts <= row->cuts && other >= row->groups &&
		 !r->gpus[0].notes[TG_NOTE_EJECTED_STARVED], "%llu cuts, %llu groups",
		 (unsigned long long)cuts, (unsigned long long)other);
	end(&s, r);
}

/* ---- accounts --------------------------------------------------------------------------- */

static const struct account_row {
	const char *name, *gpu, *clients;
	s64 percent;		/* off the truth at most, per client; 0: as it comes out */
	u64 looks;		/* a second, at most; 0: no matter */
} account_rows[] = {
	{ "loga, polling all the time: accounts", "loga\nknob = rest_us 0\n", FOUR, 1, 0 },
	/* two groups of 20 ms in flight are looked at whenever their client is held */
	{ "loga: accounts", "loga\n", FOUR, 3, 150000 },
	{ "loga: accounts, groups of 0.1 to 1 ms", "loga\n", SHORT, 3, 120000 },
	{ "loga, cheap: accounts, groups of 0.1 to 1 ms", "loga\nknob = mode 1\n", SHORT, 3, 4100 },
	{ "loga, cheap: accounts", "loga\nknob = mode 1\n", FOUR, 3, 4100 },
	{ "loga: accounts, a deep queue", "loga\n", DEEP, 3, 120000 },
	{ "dfq: accounts", "dfq\n", FOUR, 0, 1 },
	{ "dfq: accounts, a deep queue", "dfq\n", DEEP, 3, 1 },
	{ "loga, polling all the time: accounts of one, groups of 0.1 ms",
	  "loga\nknob = rest_us 0\n", BUSY("a", "0.1ms", ""), 1, 0 },
	{ "loga: accounts of one, half the time", "loga\n",
	  "[client a]\narrival = periodic 1ms\ncost = fixed 0.5ms\n", 3, 120000 },
	{ "loga, cheap: accounts of one, half the time", "loga\nknob = mode 1\n",
	  "[client a]\narrival = periodic 1ms\ncost = fixed 0.5ms\n", 3, 1100 },
	{ "loga: accounts of ten that do little", "loga\n", BUSY("b", "2ms", "")
	  "[client a]\ncount = 10\narrival = back-to-back 1ms\ncost = fixed 100us\n", 3, 120000 },
	{ "loga, cheap: accounts of ten that do little", "loga\nknob = mode 1\n",
	  BUSY("b", "2ms", "")
	  "[client a]\ncount = 10\narrival = back-to-back 1ms\ncost = fixed 100us\n", 3, 4100 },
};

static void account(const struct account_row *row)
{
	struct tgs_scenario s;
	struct tgs_result *r = simulate(row->name, "60s", row->gpu, row->clients, &s);
	s64 worst = 0;
	u64 looks;
	u32 i;

	if (!r)
		return;
	for (i = 0; i < r->nr_clients; i++) {
		const struct tgs_stats *st = &r->clients[i].stats;

		worst = max(worst, (s64)llabs(st->accounted - st->used) * 10000 /
			    max(st->used, (s64)1));
	}
	looks = r->gpus[0].looks / 60;
	printf("# %s: %lld.%02lld %% off at worst, %llu looks/s\n", row->name,
	       (long long)worst / 100, (long long)worst % 100, (unsigned long long)looks);
	test_row(row->name, (!row->percent || worst <= row->percent * 100) &&
		 (!row->looks || looks <= row->looks), "%lld permyriad off, %llu looks/s",
		 (long long)worst, (unsigned long long)looks);
	end(&s, r);
}

/* ---- all policies, a second each -------------------------------------------------------- */

/* Does the trace replay, action for action? */
static bool replays(const char *path)
{
	static char bytes[1 << 26];
	FILE *file = fopen(path, "r"), *nowhere = fopen("/dev/null", "w");
	char error[TGS_MESSAGE];
	struct tgs_trace t;
	bool good;

	if (!file || !nowhere)
		abort();
	good = !tgs_trace_read(&t, bytes, fread(bytes, 1, sizeof(bytes), file), error) &&
	       !tgs_replay(&t, nowhere);
	tgs_trace_deinit(&t);
	fclose(file);
	fclose(nowhere);
	return good;
}

static void switches(void)
{
	static const char name[] = "all policies in turn, a second each";
	char gpu[4096] = "none\n", path[] = "/tmp/fair-XXXXXX";
	struct tgs_scenario s;
	struct tgs_result *r;
	const struct tgs_gpu_result *g;
	u64 lost = 0, wrong = 0;
	u32 i, nr = 0;

	while (tg_policy_get(nr))
		nr++;
	for (i = 1; i < 60; i++)
		snprintf(gpu + strlen(gpu), sizeof(gpu) - strlen(gpu), "then = %us %s\n", i,
			 tg_policy_get(i % nr)->name);
	close(mkstemp(path));
	trace = path;
	r = simulate(name, "60s", gpu, FOUR SLEEPER("3ms"), &s);
	trace = NULL;
	if (!r)
		return;
	test_row("its trace replays", replays(path), "it does not");
	unlink(path);
	g = &r->gpus[0];
	for (i = 0; i < r->nr_clients; i++) {
		const struct tgs_stats *st = &r->clients[i].stats;

		lost += st->released - st->done > 2 || st->failed;
	}
	for (i = 0; i < TG_NOTE_POLICY; i++)
		wrong += g->notes[i];
	printf("# %s: %llu switches, at most %llu waited through\n", name,
	       (unsigned long long)g->notes[TG_NOTE_POLICY],
	       (unsigned long long)g->switches_waited);
	test_row(name, !lost && !wrong && g->notes[TG_NOTE_POLICY] == 59 && g->switches_waited <= 1,
		 "%llu clients miss jobs, %llu notes, %llu switches, %llu waited through",
		 (unsigned long long)lost, (unsigned long long)wrong,
		 (unsigned long long)g->notes[TG_NOTE_POLICY],
		 (unsigned long long)g->switches_waited);
	end(&s, r);
}

int main(void)
{
	u32 i;

	unfair();
	for (i = 0; i < ARRAY_SIZE(share_rows); i++)
		share(&share_rows[i]);
	for (i = 0; i < ARRAY_SIZE(sleep_rows); i++)
		sleeper(&sleep_rows[i]);
	for (i = 0; i < ARRAY_SIZE(idle_rows); i++)
		idle(&idle_rows[i]);
	for (i = 0; i < ARRAY_SIZE(drain_rows); i++)
		drain(&drain_rows[i]);
	for (i = 0; i < ARRAY_SIZE(account_rows); i++)
		account(&account_rows[i]);
	switches();
	return test_end();
}
