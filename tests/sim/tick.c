// SPDX-License-Identifier: GPL-2.0
/*
 * The policy tick: it decides at ticks and only then, by priority; and what that costs, held
 * against timegraph's PRT on the same load (TimeGraph, Figure 16).
 */
#include <stdlib.h>
#include <unistd.h>
#include "../lib/test.h"
#include "run.h"
#include "timeline.h"

/* Run a scenario under a policy. */
static void run(const char *text, const char *policy, const char *trace, struct tgs_result *r)
{
	char error[TGS_MESSAGE];
	struct tgs_scenario s;

	if (tgs_scenario_parse(&s, text, "tests/sim/scenarios", error)) {
		fprintf(stderr, "tick: %s\n", error);
		exit(1);
	}
	s.gpus[0].policy = tg_policy_find(policy, strlen(policy));
	if (tgs_run(&s, trace, r, error)) {
		fprintf(stderr, "tick: %s\n", error);
		exit(1);
	}
	tgs_scenario_deinit(&s);
}

/* ---- when it decides -------------------------------------------------------------------- */

static const struct when_row {
	const char *name, *knob, *clients;
	s64 period;
	const char *order;	/* first letters of the clients, as their groups are let go */
	u32 ticks[8];		/* at which */
} when_rows[] = {
	{ "an arrival waits for the tick", "", "[client a]\nstart = 100us\n"
	  "arrival = bursts 1 every 10ms\ncost = fixed 100us\n", TG_MSEC, "a", { 1 } },
	{ "one group a tick", "", "[client a]\narrival = bursts 4 every 100ms\n"
	  "cost = fixed 10us\n", TG_MSEC, "aaaa", { 1, 2, 3, 4 } },
	{ "a completion waits for the tick", "", "[client a]\narrival = bursts 3 every 100ms\n"
	  "cost = fixed 1100us\n", TG_MSEC, "aaa", { 1, 3, 5 } },
	{ "by priority, equals by arrival", "", "[client a]\narrival = bursts 2 every 100ms\n"
	  "cost = fixed 10us\nspec = prt:bg:1:0:0\n[client b]\narrival = bursts 2 every 100ms\n"
	  "cost = fixed 10us\nspec = prt:bg:1:0:0\n[client c]\narrival = bursts 1 every 100ms\n"
	  "cost = fixed 10us\nspec = prt:bg:9:0:0\nstart = 1500us\n", TG_MSEC, "acabb",
	  { 1, 2, 3, 4, 5 } },
	{ "another period", "knob = tick_us 2500\n", "[client a]\n"
	  "arrival = bursts 3 every 100ms\ncost = fixed 10us\nstart = 1us\n", 2500 * TG_USEC, "aaa",
	  { 1, 2, 3 } },
	{ "HT does not follow", "", "[client a]\narrival = bursts 3 every 100ms\n"
	  "cost = fixed 10us\nspec = ht:bg:1:0:0\n", TG_MSEC, "aaa", { 1, 2, 3 } },
	{ "reserves hold", "", "[client a]\narrival = bursts 3 every 1s\n"
	  "cost = fixed 900us\nspec = prt:pe:1:1000:5000\n", TG_MSEC, "aaa", { 1, 2, 5 } },
};

static void when(const struct when_row *row)
{
	char text[1024], trace[] = "/tmp/tg-tick-XXXXXX", error[TGS_MESSAGE], why[128] = "";
	struct tgs_timeline tl = { .until = 9 * TG_MSEC };
	static char bytes[1 << 20];
	struct tgs_result r;
	struct tgs_trace t;
	FILE *file;
	u64 len;
	u32 i, j;

	close(mkstemp(trace));
	snprintf(text, sizeof(text), "duration = 30ms\n[gpu g]\npolicy = tick\n%s%s", row->knob, row->clients);
	run(text, "tick", trace, &r);
	tgs_result_deinit(&r);
	file = fopen(trace, "r");
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	unlink(trace);
	if (tgs_trace_read(&t, bytes, len, error) || tgs_timeline_read(&tl, &t, stderr))
		exit(1);
	/* the tick at 0 is that of the first event, before anybody has joined */
	for (i = 0; row->order[i] && !*why; i++) {
		const struct tgs_group *g = NULL;

		for (j = 0; j < tl.nr; j++)
			if (tl.groups[j].freed == row->ticks[i] * row->period)
				g = &tl.groups[j];
		if (!g || g->comm[0] != row->order[i])
			snprintf(why, sizeof(why), "tick %u: %s, not %c", row->ticks[i],
				 g ? g->comm : "nothing", row->order[i]);
	}
	for (j = 0; j < tl.nr && !*why; j++)
		if (tl.groups[j].freed != TG_NEVER && tl.groups[j].freed % row->period)
			snprintf(why, sizeof(why), "%s goes at %lld ns", tl.groups[j].comm,
				 (long long)tl.groups[j].freed);
	test_row(row->name, !*why, "%s", why);
	tgs_timeline_deinit(&tl);
	tgs_trace_deinit(&t);
}

/* ---- event against tick ----------------------------------------------------------------- */

static const struct against_row {
	const char *name, *cost;
	double least, most;	/* timegraph's groups per second to tick's */
} against_rows[] = {
	{ "event against tick: groups of 10 us, at least 15 times as many", "fixed 10us", 15, 40 },
	{ "event against tick: 20 us, at least 15 times", "fixed 20us", 15, 40 },
	{ "event against tick: 40 us, at least 15 times", "fixed 40us", 15, 40 },
	{ "event against tick: 20 us in the mean, at least 15 times", "exponential 20us", 15, 40 },
	{ "event against tick: 5 to 50 us, at least 15 times", "uniform 5us 50us", 15, 40 },
	{ "event against tick: 500 us, about twice", "fixed 500us", 1.8, 2 },
	{ "event against tick: 20 ms, hardly any difference", "fixed 20ms", 1, 1.06 },
};

static void against(const struct against_row *row)
{
	u64 groups[2];
	char text[512];
	u32 i;

	snprintf(text, sizeof(text), "duration = 2s\n[gpu g]\nsubmit = 20us\n[client a]\n"
		 "arrival = back-to-back\ncost = %s\n", row->cost);
	for (i = 0; i < 2; i++) {
		struct tgs_result r;

		run(text, i ? "tick" : "timegraph", NULL, &r);
		groups[i] = r.clients[0].stats.done;
		tgs_result_deinit(&r);
	}
	test_row(row->name, groups[1] && groups[0] >= row->least * groups[1] &&
		 groups[0] <= row->most * groups[1], "%llu against %llu",
		 (unsigned long long)groups[0], (unsigned long long)groups[1]);
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(when_rows); i++)
		when(&when_rows[i]);
	for (i = 0; i < ARRAY_SIZE(against_rows); i++)
		against(&against_rows[i]);
	return test_end();
}
