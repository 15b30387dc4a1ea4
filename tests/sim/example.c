// SPDX-License-Identifier: GPL-2.0
/*
 * The example of docs/policies/writing.md does what its page says: taken out of the page, one
 * row added to the table, and nothing else changed.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "run.h"

static const struct row {
	const char *name, *clients;
	u64 groups[3];
} rows[] = {
	{ "turns: equal groups, equal shares", "[client a]\narrival = back-to-back\n"
	  "cost = fixed 1ms\n"
	  "depth = 2\n[client b]\narrival = back-to-back\ncost = fixed 1ms\ndepth = 8\n"
	  "[client c]\narrival = back-to-back\ncost = fixed 1ms\ndepth = 3\n", { 33, 33, 32 } },
	{ "turns: in groups, not in time", "[client a]\narrival = back-to-back\ncost = fixed 1ms\n"
	  "[client b]\narrival = back-to-back\ncost = fixed 8ms\n"
	  "[client c]\narrival = back-to-back\ncost = fixed 1ms\n", { 10, 10, 9 } },
	{ "turns: alone", "[client a]\narrival = back-to-back\ncost = fixed 1ms\n", { 99 } },
	{ "turns: beside reserves", "[client a]\narrival = back-to-back\ncost = fixed 1ms\n"
	  "spec = prt:pe:0:2000:20000\n[client b]\narrival = back-to-back\ncost = fixed 1ms\n"
	  "depth = 4\n", { 10, 89 } },
	{ "turns: two engines", "[client a]\narrival = back-to-back\ncost = fixed 1ms\ndepth = 4\n"
	  "[client b]\narrival = back-to-back\ncost = fixed 1ms\nengines = 1\n"
	  "[client c]\narrival = back-to-back\ncost = fixed 1ms\ndepth = 4\n", { 49, 99, 49 } },
};

static void run(const struct row *row)
{
	char text[1024], error[TGS_MESSAGE] = "";
	struct tgs_scenario s;
	struct tgs_result r;
	bool good = true;
	u32 i;

	snprintf(text, sizeof(text), "duration = 100ms\n[gpu g]\npolicy = turns\nengines = 2\n%s",
		 row->clients);
	if (tgs_scenario_parse(&s, text, ".", error) || tgs_run(&s, NULL, &r, error)) {
		test_row(row->name, false, "%s", error);
		tgs_scenario_deinit(&s);
		return;
	}
	for (i = 0; i < r.nr_clients; i++) {
		u64 done = r.clients[i].stats.done;

		if (done < row->groups[i] || done > row->groups[i] + 1) {
			snprintf(error, sizeof(error), "client %u: %llu groups, not %llu", i,
				 (unsigned long long)done, (unsigned long long)row->groups[i]);
			good = false;
		}
	}
	for (i = 0; i < TG_NOTE_POLICY; i++)
		good = good && !r.gpus[0].notes[i];
	test_row(row->name, good, "%s", error);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

int main(void)
{
	u32 i;

	test_row("turns: found by its name", tg_policy_find("turns", 5) == 3 &&
		 tg_policy_find("timegraph", 9) == 2 && tg_policy_find("turn", 4) == -ENOENT,
		 "at %d", tg_policy_find("turns", 5));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		run(&rows[i]);
	return test_end();
}
