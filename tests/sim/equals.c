// SPDX-License-Identifier: GPL-2.0
/*
 * Equals: clients of one priority, under timegraph and inside a virtual GPU of band, whether they
 * are PRT or HT: each has its part of the time, and a client that comes waits for the groups that
 * have begun. In tgsim, over half a minute of virtual time. It prints every figure.
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

int main(void)
{
	u32 i, p;

	for (p = 0; p < ARRAY_SIZE(policies); p++)
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			run(&rows[i], policies[p]);
	return test_end();
}
