// SPDX-License-Identifier: GPL-2.0
/*
 * What the text of the TimeGraph paper says of Figures 5(a), 5(b), 6(a) and 6(b), sentence by sentence,
 * held against the simulated timelines of tests/sim/scenarios/figure-*.tgs.
 *
 * figures [FOLDER]: where the scenarios are
 */
#include <stdlib.h>
#include <unistd.h>
#include "../lib/test.h"
#include "run.h"
#include "timeline.h"

enum figure { PRT_5A, HT_5B, PE_6A, AE_6B, FIGURES };

static const struct {
	const char *file;
	s64 from;
} files[FIGURES] = {
	[PRT_5A] = { "figure-5a", 0 },
	[HT_5B] = { "figure-5b", 0 },
	[PE_6A] = { "figure-6a", TG_SEC },
	[AE_6B] = { "figure-6b", TG_SEC },
};

/* Section 5: the reserve of both figures. */
#define C	(4 * TG_MSEC)
#define T	(10 * TG_MSEC)

static struct tgs_timeline figures[FIGURES];

static void read_figure(enum figure f, const char *folder)
{
	char path[512], trace[] = "/tmp/tg-figures-XXXXXX", error[TGS_MESSAGE];
	static char bytes[1 << 20];
	struct tgs_scenario scenario;
	struct tgs_result result;
	struct tgs_trace t;
	u64 len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.tgs", folder, files[f].file);
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "figures: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	close(mkstemp(trace));
	if (tgs_scenario_parse(&scenario, bytes, folder, error) ||
	    tgs_run(&scenario, trace, &result, error)) {
		fprintf(stderr, "figures: %s: %s\n", path, error);
		exit(1);
	}
	file = fopen(trace, "r");
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	unlink(trace);
	figures[f] = (struct tgs_timeline){ .from = files[f].from, .until = TG_NEVER };
	if (tgs_trace_read(&t, bytes, len, error) ||
	    tgs_timeline_read(&figures[f], &t, stderr))
		exit(1);
	tgs_trace_deinit(&t);
	tgs_result_deinit(&result);
	tgs_scenario_deinit(&scenario);
}

/* The nr-th group of a client, from 1. */
static const struct tgs_group *group(enum figure f, const char *comm, u32 nr)
{
	u32 i;

	for (i = 0; i < figures[f].nr; i++)
		if (figures[f].groups[i].nr == nr && !strcmp(figures[f].groups[i].comm, comm))
			return &figures[f].groups[i];
	fprintf(stderr, "figures: %s has no group %s %u\n", files[f].file, comm, nr);
	exit(1);
}

static const struct tgs_group *task(enum figure f, u32 nr)
{
	return group(f, "task", nr);
}

/* Was any group on the hardware, or on its way there, at @at? */
static bool in_flight(enum figure f, s64 at)
{
	u32 i;

	for (i = 0; i < figures[f].nr; i++)
		if (figures[f].groups[i].freed < at && figures[f].groups[i].done > at)
			return true;
	return false;
}

static bool waits_at(const struct tgs_group *g, s64 at)
{
	return g->arrived < at && g->freed >= at;
}

static bool runs_at(const struct tgs_group *g, s64 at)
{
	return g->started < at && g->done > at;
}

/* The group that began next after the engine's completion at @at. */
static const struct tgs_group *next_after(enum figure f, s64 at)
{
	const struct tgs_group *next = NULL;
	u32 i;

	for (i = 0; i < figures[f].nr; i++)
		if (figures[f].groups[i].started >= at &&
		    (!next || figures[f].groups[i].started < next->started))
			next = &figures[f].groups[i];
	return next;
}

/* ---- Figure 5(a): PRT ------------------------------------------------------------------- */

#define HP(f, nr)	group(f, "hp", nr)
#define MP(f, nr)	group(f, "mp", nr)
#define LP(f, nr)	group(f, "lp", nr)

static bool prt_first(void)
{
	const struct tgs_group *mp = MP(PRT_5A, 1);

	return !in_flight(PRT_5A, mp->arrived) && mp->freed == mp->arrived;
}

static bool prt_async(void)
{
	return runs_at(MP(PRT_5A, 1), MP(PRT_5A, 2)->arrived);
}

static bool prt_mp_queued(void)
{
	return MP(PRT_5A, 2)->freed > MP(PRT_5A, 2)->arrived &&
	       MP(PRT_5A, 2)->freed >= MP(PRT_5A, 1)->done;
}

static bool prt_hp_queued(void)
{
	return runs_at(MP(PRT_5A, 1), HP(PRT_5A, 1)->arrived) &&
	       HP(PRT_5A, 1)->freed == MP(PRT_5A, 1)->done;
}

static bool prt_wakes_highest(void)
{
	s64 interrupt = MP(PRT_5A, 1)->done;

	return waits_at(MP(PRT_5A, 2), interrupt) && waits_at(HP(PRT_5A, 1), interrupt) &&
	       MP(PRT_5A, 2)->arrived < HP(PRT_5A, 1)->arrived &&
	       next_after(PRT_5A, interrupt) == HP(PRT_5A, 1);
}

static bool prt_priorities(void)
{
	return waits_at(LP(PRT_5A, 1), HP(PRT_5A, 1)->done) &&
	       waits_at(HP(PRT_5A, 2), HP(PRT_5A, 1)->done) &&
	       LP(PRT_5A, 1)->arrived < HP(PRT_5A, 2)->arrived &&
	       next_after(PRT_5A, HP(PRT_5A, 1)->done) == HP(PRT_5A, 2) &&
	       next_after(PRT_5A, HP(PRT_5A, 2)->done) == MP(PRT_5A, 2) &&
	       next_after(PRT_5A, MP(PRT_5A, 2)->done) == LP(PRT_5A, 1);
}

static bool prt_overhead(void)
{
	const struct tgs_group *g;
	s64 at = MP(PRT_5A, 1)->done;
	u32 boundaries = 0;

	/* somebody waits at each completion, and still the engine idles until the next doorbell */
	for (; (g = next_after(PRT_5A, at)); at = g->done, boundaries++)
		if (!waits_at(g, at) || g->started <= at)
			return false;
	return boundaries == 4;
}

/* ---- Figure 5(b): HT -------------------------------------------------------------------- */

static bool ht_same(void)
{
	u32 i;

	for (i = 0; i < figures[PRT_5A].nr; i++) {
		const struct tgs_group *a = &figures[PRT_5A].groups[i];
		const struct tgs_group *b = group(HT_5B, a->comm, a->nr);

		if (a->arrived != b->arrived || a->done - a->started != b->done - b->started)
			return false;
	}
	return figures[PRT_5A].nr == figures[HT_5B].nr;
}

static bool ht_mp_at_once(void)
{
	return runs_at(MP(HT_5B, 1), MP(HT_5B, 2)->arrived) &&
	       MP(HT_5B, 2)->freed == MP(HT_5B, 2)->arrived;
}

static bool ht_mp_no_idle(void)
{
	return MP(HT_5B, 2)->started == MP(HT_5B, 1)->done;
}

static bool ht_hp_same(void)
{
	return HP(HT_5B, 2)->freed == HP(HT_5B, 2)->arrived &&
	       runs_at(HP(HT_5B, 1), HP(HT_5B, 2)->arrived) &&
	       HP(HT_5B, 2)->started == HP(HT_5B, 1)->done;
}

static bool ht_blocked_longer(void)
{
	s64 prt = HP(PRT_5A, 1)->started - HP(PRT_5A, 1)->arrived;
	s64 ht = HP(HT_5B, 1)->started - HP(HT_5B, 1)->arrived;

	return ht == prt + MP(HT_5B, 2)->done - MP(HT_5B, 2)->started &&
	       HP(HT_5B, 1)->freed == MP(HT_5B, 2)->done;
}

static bool ht_only_idle(void)
{
	u32 i;

	/* another client's group is let go only when nothing is in flight */
	for (i = 0; i < figures[HT_5B].nr; i++) {
		const struct tgs_group *g = &figures[HT_5B].groups[i];
		u32 j;

		for (j = 0; j < figures[HT_5B].nr; j++) {
			const struct tgs_group *other = &figures[HT_5B].groups[j];

			if (other->client != g->client && other->freed < g->freed &&
			    other->done > g->freed)
				return false;
		}
	}
	return true;
}

static bool ht_throughput(void)
{
	return LP(HT_5B, 1)->done < LP(PRT_5A, 1)->done;
}

/* ---- Figure 6(a): PE -------------------------------------------------------------------- */

static bool pe_init(void)
{
	return task(PE_6A, 1)->arrived_e == C;
}

static bool pe_negative(void)
{
	return task(PE_6A, 2)->freed_e > 0 && task(PE_6A, 2)->done_e < 0;
}

static bool pe_third_waits(void)
{
	const struct tgs_group *g = task(PE_6A, 3);

	return g->arrived > task(PE_6A, 2)->done && g->freed > g->arrived &&
	       g->freed % T == 0 && !in_flight(PE_6A, g->arrived) &&
	       !in_flight(PE_6A, g->freed) && g->waited_reserve == g->freed - g->arrived;
}

static bool pe_formula(void)
{
	s64 e = task(PE_6A, 2)->done_e + C;

	return task(PE_6A, 3)->freed_e == min(C, e) && task(PE_6A, 3)->freed_e > 0;
}

static bool pe_fourth_blocked(void)
{
	const struct tgs_group *g = task(PE_6A, 4);

	return runs_at(task(PE_6A, 3), g->arrived) && g->arrived_e > 0 &&
	       g->freed == task(PE_6A, 3)->done && !g->waited_reserve &&
	       g->waited_policy == g->freed - g->arrived;
}

/* ---- Figure 6(b): AE -------------------------------------------------------------------- */

static bool ae_same(void)
{
	u32 i;

	for (i = 1; i <= 4; i++) {
		const struct tgs_group *a = task(PE_6A, i), *b = task(AE_6B, i);

		if (a->arrived != b->arrived || a->done - a->started != b->done - b->started)
			return false;
	}
	return figures[AE_6B].nr == 4 && figures[PE_6A].nr == 4;
}

static bool ae_accurate(void)
{
	u32 i;

	for (i = 1; i <= 4; i++)
		if (task(AE_6B, i)->predicted != task(AE_6B, i)->done - task(AE_6B, i)->started)
			return false;
	return true;
}

static bool ae_second_not_submitted(void)
{
	const struct tgs_group *g = task(AE_6B, 2);

	return task(PE_6A, 2)->freed == g->arrived && g->arrived_e < g->predicted &&
	       g->freed > g->arrived && !in_flight(AE_6B, g->arrived) &&
	       g->waited_reserve == g->freed - g->arrived;
}

static bool ae_second_later(void)
{
	const struct tgs_group *g = task(AE_6B, 2);

	/* the paper prints "> x", which min{x, e + C} cannot be: at least x */
	return g->predicted > C && g->freed % T == 0 &&
	       g->freed_e == min(g->predicted, task(AE_6B, 1)->done_e + C) &&
	       g->freed_e >= g->predicted;
}

static bool ae_fourth_waits(void)
{
	const struct tgs_group *g = task(AE_6B, 4);

	return task(AE_6B, 3)->done_e < g->predicted && g->freed > task(AE_6B, 3)->done &&
	       g->freed % T == 0 && g->freed_e >= g->predicted;
}

static bool ae_fourth_bounded(void)
{
	const struct tgs_group *g = task(AE_6B, 4);

	return g->predicted < C && g->freed_e == C && task(AE_6B, 3)->done_e + C > C;
}

static bool ae_no_overload(void)
{
	u32 i;

	for (i = 1; i <= 4; i++)
		if (task(AE_6B, i)->done_e < 0)
			return false;
	return true;
}

/* ----------------------------------------------------------------------------------------- */

static const struct claim {
	const char *name;
	bool (*holds)(void);
} claims[] = {
	{ "5a: the MP task arrives while nothing executes, and goes", prt_first },
	{ "5a: it arrives again while its own group executes", prt_async },
	{ "5a: this time it is queued, since the GPU is not idle", prt_mp_queued },
	{ "5a: even the HP task is queued, for the same reason", prt_hp_queued },
	{ "5a: the completion wakes the highest-priority waiter: HP, not MP", prt_wakes_highest },
	{ "5a: the LP task and the second HP group go by their priorities", prt_priorities },
	{ "5a: a decision at every boundary of groups costs time", prt_overhead },
	{ "5b: the same set of groups", ht_same },
	{ "5b: the second MP group goes at once, behind its own client's", ht_mp_at_once },
	{ "5b: both MP groups execute without idle time between them", ht_mp_no_idle },
	{ "5b: so do both HP groups", ht_hp_same },
	{ "5b: the HP task is blocked by MP for longer", ht_blocked_longer },
	{ "5b: after an interrupt, others go only when the GPU is idle", ht_only_idle },
	{ "5b: throughput is higher than under PRT", ht_throughput },
	{ "6a: the budget is C at first", pe_init },
	{ "6a: it is negative when the second group completes", pe_negative },
	{ "6a: the third waits for the replenishment, though the GPU is idle", pe_third_waits },
	{ "6a: which is e = min(C, e + C)", pe_formula },
	{ "6a: the fourth is blocked with e > 0, since another executes", pe_fourth_blocked },
	{ "6b: the same four groups", ae_same },
	{ "6b: predictions are perfectly accurate", ae_accurate },
	{ "6b: the second, unlike under PE, is not submitted: e < x", ae_second_not_submitted },
	{ "6b: it is, once e = min{x, e + C} reaches x", ae_second_later },
	{ "6b: the fourth waits until the budget is replenished enough", ae_fourth_waits },
	{ "6b: its replenished budget is bounded by C, since x < C", ae_fourth_bounded },
	{ "6b: no group overruns the reserve", ae_no_overload },
};

int main(int argc, char **argv)
{
	u32 i;

	for (i = 0; i < FIGURES; i++)
		read_figure(i, argc > 1 ? argv[1] : "tests/sim/scenarios");
	for (i = 0; i < ARRAY_SIZE(claims); i++)
		test_row(claims[i].name, claims[i].holds(), "it does not; see tgsim timeline");
	for (i = 0; i < FIGURES; i++)
		tgs_timeline_deinit(&figures[i]);
	return test_end();
}
