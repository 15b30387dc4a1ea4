// SPDX-License-Identifier: GPL-2.0
/*
 * Fair policies: what each client gets, in tgsim, over a minute of virtual time. Shares are of
 * the time that the engine worked at all.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "sim.h"

#define CARD	"submit = 5us\ninterrupt = 8us\nswitch = 20us\n"

/* Back to back, two in flight. */
#define BUSY(name, cost, more) \
	"[client " name "]\narrival = back-to-back\ndepth = 2\ncost = fixed " cost "\n" more

#define FOUR	BUSY("a", "0.5ms", "") BUSY("b", "2ms", "") BUSY("c", "8ms", "") \
		BUSY("d", "20ms", "")
#define WEIGHED	BUSY("a", "8ms", "spec = ht:bg:0:0:0:weight=1\n") \
		BUSY("b", "2ms", "spec = ht:bg:0:0:0:weight=2\n") \
		BUSY("c", "4ms", "spec = ht:bg:0:0:0:weight=4\n")
#define MANY	BUSY("a", "1ms", "count = 10\n") BUSY("b", "10ms", "count = 10\n")

#define CLIENTS	20

/* Run a scenario. NULL: it cannot be, and the row has failed. */
static struct tgs_result *simulate(const char *name, const char *duration, const char *gpu,
				   const char *clients, struct tgs_scenario *s)
{
	static struct tgs_result r;
	char error[TGS_MESSAGE], text[8192];

	snprintf(text, sizeof(text), "duration = %s\n[gpu g]\npolicy = %s\n" CARD "%s", duration,
		 gpu, clients);
	if (tgs_scenario_parse(s, text, ".", error) || tgs_run(s, NULL, &r, error)) {
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
} share_rows[] = {
	{ "dfq: groups of 0.5 to 20 ms", "dfq\n", FOUR, { 250, 250, 250, 250 }, 30 },
	{ "loga: groups of 0.5 to 20 ms", "loga\n", FOUR, { 250, 250, 250, 250 }, 30 },
	{ "loga, cheap: groups of 0.5 to 20 ms", "loga\nknob = mode 1\n", FOUR,
	  { 250, 250, 250, 250 }, 30 },
	{ "loga, polling all the time: groups of 0.5 to 20 ms", "loga\nknob = rest_us 0\n", FOUR,
	  { 250, 250, 250, 250 }, 30 },
	{ "dfq: weights", "dfq\n", WEIGHED, { 143, 286, 571 }, 30 },
	{ "loga: weights", "loga\n", WEIGHED, { 143, 286, 571 }, 30 },
	{ "loga, cheap: weights", "loga\nknob = mode 1\n", WEIGHED, { 143, 286, 571 }, 30 },
};

static void share(const struct share_row *row)
{
	struct tgs_scenario s;
	struct tgs_result *r = simulate(row->name, "60s", row->gpu, row->clients, &s);
	char got[256] = "";
	bool good = true;
	u32 i;

	if (!r)
		return;
	for (i = 0; i < r->nr_clients; i++) {
		s64 has = permille(r, i, 0, TGS_SHARE_STEPS);

		good = good && has >= row->want[i] - row->tolerance &&
		       has <= row->want[i] + row->tolerance;
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %lld.%lld",
			 (long long)has / 10, (long long)has % 10);
	}
	printf("# %s:%s %%\n", row->name, got);
	for (i = 0; i < TG_NOTE_POLICY; i++)
		good = good && !r->gpus[0].notes[i];
	test_row(row->name, good, "shares%s %%, %llu ejections", got,
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

int main(void)
{
	u32 i;

	unfair();
	for (i = 0; i < ARRAY_SIZE(share_rows); i++)
		share(&share_rows[i]);
	return test_end();
}
