// SPDX-License-Identifier: GPL-2.0
/*
 * Dry run (tg/dry.h) in the simulator: what it predicts against what comes true when the same
 * load is really scheduled, and that it delays nothing: the same completions as under fifo.
 */
#include "../lib/test.h"
#include "run.h"

#define WITHIN	20	/* per cent that a client's mean wait may be off */
#define LITTLE	(50 * TG_USEC)	/* and this is always good enough */

#define HEAD	"seed = 11\nduration = 30s\n[gpu g]\nsubmit = 5us\ninterrupt = 8us\nswitch = 20us\n"

static const struct row {
	const char *name, *policy, *text;
	bool is_same;	/* the model sees arrivals that do not depend on it */
} rows[] = {
	{ "priorities", "timegraph",
	  "[client high]\narrival = poisson 40/s\ncost = uniform 2ms 4ms\nspec = prt:bg:80:0:0\n"
	  "[client mid]\narrival = poisson 30/s\ncost = exponential 8ms\nspec = prt:bg:40:0:0\n"
	  "[client low]\narrival = poisson 15/s\ncost = fixed 15ms\nspec = prt:bg:1:0:0\n", true },
	{ "reserves", "timegraph",
	  "[client game]\narrival = periodic 25ms\ncost = uniform 3ms 5ms\ndepth = unlimited\n"
	  "spec = prt:pe:80:6000:25000\n"
	  "[client work]\narrival = poisson 20/s\ncost = exponential 10ms\n"
	  "spec = prt:bg:10:0:0\n"
	  "[client cap]\narrival = poisson 20/s\ncost = uniform 4ms 8ms\n"
	  "spec = prt:pe:40:9000:50000\n", true },
	{ "high throughput, bursts", "timegraph",
	  "[client a]\narrival = bursts 4 every 60ms\ncost = fixed 4ms\nspec = ht:bg:10:0:0:depth=4\n"
	  "[client b]\nstart = 7ms\narrival = bursts 3 every 90ms\ncost = uniform 6ms 9ms\n"
	  "spec = ht:pe:10:20000:50000\n", true },
	{ "a priori enforcement", "timegraph",
	  "[client a]\narrival = poisson 30/s\ncost = choice 2ms 9ms\nspec = prt:ae:50:14000:40000\n"
	  "[client b]\narrival = poisson 25/s\ncost = uniform 5ms 11ms\nspec = prt:bg:20:0:0\n",
	  true },
	{ "shared reserve, two channels", "timegraph",
	  "[client a]\ncount = 3\nchannels = 2\narrival = poisson 12/s\ncost = uniform 3ms 9ms\n"
	  "spec = prt:pe:30:12000:50000:reserve=r\n"
	  "[client b]\narrival = poisson 30/s\ncost = fixed 6ms\nspec = prt:bg:60:0:0\n", true },
	{ "a program that floods", "timegraph",
	  "[client bomb]\ncount = 2\narrival = back-to-back\ncost = fixed 10ms\ndepth = 4\n"
	  "spec = prt:pe:1:5000:50000\n", false },
};

static char text[4096];

static bool run(const struct row *row, const char *policy, const char *knob,
		struct tgs_scenario *s, struct tgs_result *result)
{
	char error[TGS_MESSAGE];

	snprintf(text, sizeof(text), HEAD "policy = %s\n%s%s", policy, knob, row->text);
	if (!tgs_scenario_parse(s, text, ".", error) && !tgs_run(s, NULL, result, error))
		return true;
	test_row(row->name, false, "%s", error);
	return false;
}

static s64 really_waited(const struct tgs_stats *s)
{
	return (s->waited[TGS_WAIT_RESERVE] + s->waited[TGS_WAIT_WINDOW] +
		s->waited[TGS_WAIT_POLICY]) / (s64)max(s->done, (u64)1);
}

static void compare(const struct row *row)
{
	struct tgs_scenario s[3];
	struct tgs_result r[3];		/* dry run, fifo, for real */
	char name[128];
	u32 i;

	if (!run(row, row->policy, "knob = dry_run 1\n", &s[0], &r[0]) ||
	    !run(row, "fifo", "", &s[1], &r[1]) || !run(row, row->policy, "", &s[2], &r[2]))
		return;
	for (i = 0; i < r[0].nr_clients; i++) {
		const struct tgs_stats *dry = &r[0].clients[i].stats, *fifo = &r[1].clients[i].stats,
				       *real = &r[2].clients[i].stats;
		s64 would = dry->would / (s64)max(dry->modelled, (u64)1);
		s64 did = really_waited(real), off = would > did ? would - did : did - would;

		snprintf(name, sizeof(name), "%s: client %u is not delayed", row->name, i);
		test_row(name, dry->done == fifo->done && dry->latency.sum == fifo->latency.sum &&
			 dry->latency.max == fifo->latency.max, "%llu done, %llu under fifo",
			 (unsigned long long)dry->done, (unsigned long long)fifo->done);
		if (!row->is_same)
			continue;
		snprintf(name, sizeof(name), "%s: client %u's waits are predicted", row->name, i);
		test_row(name, off * 100 <= did * WITHIN || off < LITTLE,
			 "%lld us, really %lld us", (long long)would / 1000,
			 (long long)did / 1000);
		snprintf(name, sizeof(name), "%s: client %u's groups are modelled", row->name, i);
		test_row(name, dry->modelled + TG_DRY_QUEUE / 4 >= real->done, "%llu of %llu",
			 (unsigned long long)dry->modelled, (unsigned long long)real->done);
	}
	for (i = 0; i < 3; i++) {
		tgs_result_deinit(&r[i]);
		tgs_scenario_deinit(&s[i]);
	}
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		compare(&rows[i]);
	return test_end();
}
