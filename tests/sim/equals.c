// SPDX-License-Identifier: GPL-2.0
/*
 * Equals: clients of one priority, under timegraph and inside a virtual GPU of band, whether they
 * are PRT or HT: each has its part of the time, and a client that comes waits for the groups that
 * have begun. In tgsim, over half a minute of virtual time. It prints every figure.
 *
 * Also from when one comes, or changes its priority: what it had before, and its equals, says
 * nothing then, whatever runs in that moment.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "run.h"

#define HEAD	"duration = 30s\n[gpu g]\nsubmit = 20us\ninterrupt = 10us\nswitch = 20us\npolicy = "
#define VIRTUAL	"[spec]\n[vgpu v]:50:50:50\n"
#define CLIENTS	3

#define CLIENT(arrival, cost, sched, more) \
	"arrival = " arrival "\ncost = fixed " cost "\nspec = " sched ":bg:50:0:0:vgpu=v\n" more
#define HT(cost, depth)		CLIENT("back-to-back", cost, "ht", "depth = " depth "\n")
#define PRT(cost, depth)	CLIENT("back-to-back", cost, "prt", "depth = " depth "\n")
#define FRAMES(sched)		CLIENT("periodic 16.7ms", "2ms", sched, "")

/*
 * @wait: the latency that 99 of 100 groups of the first client may have, us; 0: each client has an
 * equal part of the time, within 2 points.
 */
static const struct row {
	const char *name, *client[CLIENTS];
	s64 wait;
} rows[] = {
	{ "three HT", { HT("1ms", "4"), HT("1ms", "4"), HT("1ms", "4") }, 0 },
	{ "two HT and PRT", { HT("1ms", "4"), HT("1ms", "4"), PRT("1ms", "4") }, 0 },
	{ "HT and two PRT", { HT("1ms", "4"), PRT("1ms", "4"), PRT("1ms", "4") }, 0 },
	{ "three PRT", { PRT("1ms", "4"), PRT("1ms", "4"), PRT("1ms", "4") }, 0 },
	{ "three HT, 1, 5 and 20 ms", { HT("1ms", "4"), HT("5ms", "4"), HT("20ms", "4") }, 0 },
	{ "HT and two PRT, 20, 5 and 1 ms", { HT("20ms", "4"), PRT("5ms", "4"), PRT("1ms", "4") }, 0 },
	{ "two HT and PRT, one by one", { HT("2ms", "1"), HT("3ms", "1"), PRT("5ms", "1") }, 0 },
	{ "HT a hundred deep and two PRT", { HT("1ms", "100"), PRT("1ms", "2"), PRT("2ms", "2") }, 0 },
	/* 2 ms alone, and two groups of each equal */
	{ "frames (PRT) beside two HT", { FRAMES("prt"), HT("1ms", "4"), HT("1ms", "4") }, 6100 },
	{ "frames (HT) beside two HT", { FRAMES("ht"), HT("1ms", "4"), HT("1ms", "4") }, 6100 },
	{ "frames (PRT) beside HT of 5 ms", { FRAMES("prt"), HT("5ms", "4") }, 12100 },
};

static const char *const policies[] = { "timegraph\n", "band\n" VIRTUAL };

static void run(const struct row *row, const char *policy)
{
	char error[TGS_MESSAGE], text[4096], name[128], got[128] = "";
	struct tgs_scenario s;
	struct tgs_result r;
	s64 sum = 0, wait;
	bool good = true;
	u32 i;

	snprintf(text, sizeof(text), HEAD "%s", policy);
	for (i = 0; i < CLIENTS && row->client[i]; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "[client %c]\n%s",
			 'a' + i, row->client[i]);
	snprintf(name, sizeof(name), "%.*s: %s", (int)strcspn(policy, "\n"), policy, row->name);
	if (tgs_scenario_parse(&s, text, ".", error) || tgs_run(&s, NULL, &r, error)) {
		test_row(name, false, "%s", error);
		tgs_scenario_deinit(&s);
		return;
	}
	for (i = 0; i < r.nr_clients; i++)
		sum += r.clients[i].stats.used;
	for (i = 0; i < r.nr_clients; i++) {
		s64 has = r.clients[i].stats.used * 1000 / max(sum, (s64)1);

		good = good && (row->wait || llabs(has - 1000 / (s64)r.nr_clients) <= 20);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %lld.%lld %%",
			 (long long)has / 10, (long long)has % 10);
	}
	wait = tgs_hist_at(&r.clients[0].stats.latency, 990) / TG_USEC;
	if (row->wait)
		snprintf(got + strlen(got), sizeof(got) - strlen(got),
			 "; %lld us in 99 of 100, of at most %lld", (long long)wait,
			 (long long)row->wait);
	printf("# %s:%s\n", name, got);
	test_row(name, good && (!row->wait || wait <= row->wait), "%s", got);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* ---- from a time on ----------------------------------------------------------------------- */

#define AT	"[gpu g]\nsubmit = 20us\ninterrupt = 10us\nswitch = 20us\npolicy = %s\n"
#define GAME	"[client game]\narrival = periodic 50ms\ncost = fixed 4ms\nspec = prt:bg:90:0:0\n"
#define A	"[client a]\narrival = back-to-back\ncost = fixed 10ms\ndepth = 2\n"
#define B	"[client b]\narrival = back-to-back\ncost = fixed 10ms\ndepth = 2\n"
#define FOUR_DEEP(name) "[client " name "]\narrival = back-to-back\ncost = fixed 10ms\ndepth = 4\n" \
	"spec = prt:bg:nice:0:0\n"

/*
 * From @from on, but for @settles, the clients a and b have equal parts of what both get, within 4
 * points: for each of @tries times that @from may be, 5 ms apart. @text ends in front of that time.
 */
static const struct change {
	const char *name, *text;
	u32 from, tries, settles, duration;	/* ms */
} changes[] = {
	{ "b comes beside a game, HT", GAME A "spec = ht:bg:10:0:0\n" B "spec = ht:bg:10:0:0\nstart = ",
	  6000, 12, 0, 6000 },
	{ "b comes beside a game, PRT", GAME A "spec = prt:bg:10:0:0\n" B "spec = prt:bg:10:0:0\n"
	  "start = ", 6000, 12, 0, 6000 },
	{ "b's priority falls, HT", A "spec = ht:bg:nice:0:0\n" B "spec = ht:bg:nice:0:0\n"
	  "nice = 0s -5\nnice = ", 8000, 4, 1000, 8000 },
	{ "b's priority falls, PRT", FOUR_DEEP("a") FOUR_DEEP("b") "nice = 0s -5\nnice = ", 8000, 4,
	  1000, 8000 },
	{ "a's priority falls, HT", B "spec = ht:bg:nice:0:0\n" A "spec = ht:bg:nice:0:0\n"
	  "nice = 0s -5\nnice = ", 8000, 4, 1000, 8000 },
};

/* What the clients a and b have used until @until, ms, where the change is at @from. */
static bool used_until(const struct change *c, const char *policy, u32 from, u32 until, s64 used[2])
{
	char error[TGS_MESSAGE], text[4096];
	struct tgs_scenario s;
	struct tgs_result r;
	u32 i;

	snprintf(text, sizeof(text), "duration = %ums\n" AT "%s%ums%s\n", until, policy, c->text,
		 from, strstr(c->text, "nice = ") ? " 0" : "");
	if (tgs_scenario_parse(&s, text, ".", error) || tgs_run(&s, NULL, &r, error)) {
		test_row(c->name, false, "%s", error);
		tgs_scenario_deinit(&s);
		return false;
	}
	for (i = 0; i < 2; i++)
		used[i] = r.clients[r.nr_clients - 2 + i].stats.used;
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	return true;
}

static void run_change(const struct change *c, const char *policy)
{
	s64 before[2], after[2], has, worst = 500;
	u32 i, from, at = 0;
	char name[128];

	for (i = 0; i < c->tries; i++) {
		from = c->from + 5 * i;
		if (!used_until(c, policy, from, from + c->settles, before) ||
		    !used_until(c, policy, from, from + c->duration, after))
			return;
		has = (after[1] - before[1]) * 1000 /
		      max(after[0] - before[0] + after[1] - before[1], (s64)1);
		if (llabs(has - 500) > llabs(worst - 500)) {
			worst = has;
			at = from;
		}
	}
	snprintf(name, sizeof(name), "%s: %s", policy, c->name);
	printf("# %s: the last has %lld.%lld %% of both where that is farthest from the half\n", name,
	       (long long)worst / 10, (long long)worst % 10);
	test_row(name, llabs(worst - 500) <= 40, "%lld permille, at %u ms", (long long)worst, at);
}

int main(void)
{
	static const char *const levels[] = { "timegraph", "credit", "vfifo", "band" };
	u32 i, p;

	for (p = 0; p < ARRAY_SIZE(levels); p++)
		for (i = 0; i < ARRAY_SIZE(changes); i++)
			run_change(&changes[i], levels[p]);
	for (p = 0; p < ARRAY_SIZE(policies); p++)
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			run(&rows[i], policies[p]);
	return test_end();
}
