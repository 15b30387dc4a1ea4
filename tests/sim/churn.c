// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that leave and come back: a process that closes its device and opens it again, as often
 * as it likes, has what it would have without that, beside one that stays. In tgsim, over half a
 * minute of virtual time. It prints every figure.
 */
#include "../lib/test.h"
#include "run.h"

#define HEAD	"duration = 30s\n[gpu g]\nsubmit = 20us\ninterrupt = 10us\nswitch = 20us\npolicy = "
#define BUSY(depth, cost) \
	"arrival = back-to-back\ncost = fixed " cost "\ndepth = " depth "\n"

#define FAIR(fair, ms) \
	{ .name = fair ", groups of " ms " ms", .policy = fair, .cost = ms "ms", \
	  .spec = "prt:bg:0:0:0", .most = 520 }

/*
 * Lives of one long group, and away for half as long after each. A tenth is due; half a minute ends in
 * the middle of a group.
 */
#define LONG(fair, ms, most_permille) \
	{ .name = fair ", groups of " ms " ms, beside nine", .policy = fair, .cost = ms "ms", \
	  .spec = "prt:bg:0:0:0", .most = most_permille, .others = 9 }

/*
 * @others: that stay, of 5 ms; 0: one
 * @most: permille of what both use, or of the time, that those that come back may have
 */
static const struct row {
	const char *name, *policy, *cost, *spec;
	s64 most;
	u32 others;
	bool of_time;
} rows[] = {
	{ .name = "timegraph, PE 10 %", .policy = "timegraph", .cost = "1ms",
	  .spec = "prt:pe:50:2500:25000", .most = 105, .of_time = true },
	{ .name = "timegraph, PE 10 %, groups of 5 ms", .policy = "timegraph", .cost = "5ms",
	  .spec = "prt:pe:50:2500:25000", .most = 105, .of_time = true },
	{ .name = "timegraph, AE 10 %", .policy = "timegraph", .cost = "1ms",
	  .spec = "prt:ae:50:2500:25000", .most = 105, .of_time = true },
	{ .name = "timegraph, PE 10 % of a second", .policy = "timegraph", .cost = "1ms",
	  .spec = "prt:pe:50:100000:1000000", .most = 105, .of_time = true },
	FAIR("timeslice", "5"), FAIR("timeslice", "20"),
	FAIR("dtimeslice", "5"), FAIR("dtimeslice", "20"),
	FAIR("dfq", "5"), FAIR("dfq", "20"),
	FAIR("loga", "5"), FAIR("loga", "20"),
	FAIR("band", "5"), FAIR("band", "20"),
	LONG("timeslice", "500", 116), LONG("dtimeslice", "500", 116), LONG("band", "500", 116),
	LONG("timegraph", "500", 116), LONG("timeslice", "600", 116),
	/* Of a longer group one repays half a second, whether it stays or not (ready.c) */
	LONG("timegraph", "600", 130),
};

/* Each client lives for @life ms but 1 us, and then the next one comes; 0: one that stays. */
static s64 part(const struct row *row, u32 life, char *error)
{
	struct tgs_scenario s;
	struct tgs_result r;
	s64 mine = 0, sum = 0;
	const u32 away = row->others ? 1500 : 1000;	/* from start to start, in permille of a life */
	char text[1024];
	u32 i;

	snprintf(text, sizeof(text), HEAD "%s\n[client churn]\n" BUSY("2", "%s") "spec = %s\n",
		 row->policy, row->cost, row->spec);
	if (life)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "count = %u\nstagger = %uus\nlife = %uus\n", 30000 / life, life * away,
			 life * 1000 - 1);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "[client stays]\n" BUSY("2", "5ms") "count = %u\n", row->others ?: 1);
	if (tgs_scenario_parse(&s, text, ".", error))
		return -1;
	if (tgs_run(&s, NULL, &r, error)) {
		tgs_scenario_deinit(&s);
		return -1;
	}
	for (i = 0; i < r.nr_clients; i++) {
		mine += r.clients[i].conf ? 0 : r.clients[i].stats.used;
		sum += r.clients[i].stats.used;
	}
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	return row->of_time ? mine / 30000000 : mine * 1000 / max(sum, (s64)1);
}

int main(void)
{
	static const u32 lives[] = { 20, 100 }, long_lives[] = { 400, 1000 };
	const u32 *life;
	char error[TGS_MESSAGE] = "", name[128];
	s64 stays, has;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		stays = part(&rows[i], 0, error);
		life = rows[i].others ? long_lives : lives;
		for (k = 0; k < ARRAY_SIZE(lives); k++) {
			has = part(&rows[i], life[k], error);
			snprintf(name, sizeof(name), "%s, back every %u ms", rows[i].name, life[k]);
			printf("# %s: %lld.%lld %%; who stays has %lld.%lld %%\n", name,
			       (long long)has / 10, (long long)has % 10, (long long)stays / 10,
			       (long long)stays % 10);
			test_row(name, has >= 0 && has <= rows[i].most, "%lld.%lld %%%s",
				 (long long)has / 10, (long long)has % 10, error);
		}
	}
	return test_end();
}
