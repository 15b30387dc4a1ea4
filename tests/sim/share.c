// SPDX-License-Identifier: GPL-2.0
/*
 * Shares as a tree: users or cgroups share first, by weight, and then the clients of each. Fair
 * policies in tgsim, over a minute of virtual time: what each kind of clients gets, and how busy
 * the engine is beside how busy it is without a policy. It prints every figure.
 *
 * A bound that does not hold yet is an open row. It is printed with its figure, and fails as soon
 * as it holds, so that the mark goes.
 */
#include <stdlib.h>
#include "rows.h"

#define FROM	25	/* hundredths of the time that are left out: queues are filled in them */
#define HEAD	"duration = 60s\n[gpu g]\nsubmit = 20us\ninterrupt = 10us\nswitch = 20us\npolicy = "
#define KINDS	4
#define LEAST	970			/* permille of what the clients use without a policy */

static const char *const policies[] = { "timeslice", "dtimeslice", "band", "dfq", "loga" };

/* Lines of a [client] section. From a completion to the next doorbell are 30 us more. */
#define BUSY(depth, cost) \
	"arrival = back-to-back\ncost = fixed " cost "\ndepth = " depth "\n"
#define ONE_BY_ONE(gap, cost)	"arrival = back-to-back " gap "\ncost = fixed " cost "\n"
#define PERIODIC(time, cost)	"arrival = periodic " time "\ncost = fixed " cost "\n"
#define NINE			"count = 9\n"
#define USER(nr)		"user = " nr "\n"
#define CGROUP(path)		"cgroup = " path "\n"

#define BG			" : prt : bg : 0 : 0 : 0 : weight="
#define WEIGH(what, nr)		what BG nr "\n"

/*
 * @client: of a kind each, called a, b, c and d. @spec: text, or NULL. @share: the knob. @want:
 * permille of the time used that each kind gets, +- @off; @most: that the first gets at most.
 */
static const struct row {
	const char *name, *client[KINDS], *spec;
	u32 share;
	s64 want[KINDS], off;
	bool most;
	u32 share_open, busy_open;	/* masks of policies */
} rows[] = {
	{ .name = "nine processes of a user and one of another, by process",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_PROCESS, .want = { 900, 100 }, .off = 20 },
	{ .name = "nine processes of a user and one of another",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine and one, 32 deep",
	  .client = { USER("1") NINE BUSY("32", "5ms"), USER("2") BUSY("32", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine and one, one group at a time",
	  .client = { USER("1") NINE BUSY("1", "5ms"), USER("2") BUSY("1", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine of 20 ms, 8 deep, and one of 2 ms, one group at a time",
	  .client = { USER("1") NINE BUSY("8", "20ms"), USER("2") BUSY("1", "2ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine of 20 ms, 32 deep, and one of 2 ms, one group at a time",
	  .client = { USER("1") NINE BUSY("32", "20ms"), USER("2") BUSY("1", "2ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine of 1 ms, one group at a time, and one of 20 ms, 8 deep",
	  .client = { USER("1") NINE BUSY("1", "1ms"), USER("2") BUSY("8", "20ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine and one, users of weight 3 and 1",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("uid=1", "3"),
	  .share = TG_BY_USER, .want = { 750, 250 }, .off = 20 },
	{ .name = "nine and one, users of weight 1 and 3",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("uid=2", "3"),
	  .share = TG_BY_USER, .want = { 250, 750 }, .off = 20 },
	{ .name = "nine and one, users of weight 1 and 100",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("uid=2", "100"),
	  .share = TG_BY_USER, .want = { 10, 990 }, .off = 20 },
	{ .name = "nine and one, users of weight 10000 and 1",
	  .client = { USER("1") NINE BUSY("2", "5ms"), USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("uid=1", "10000"),
	  .share = TG_BY_USER, .want = { 999, 1 }, .off = 20 },
	{ .name = "three users of four, two and one, of weight 1, 2 and 4",
	  .client = { USER("1") "count = 4\n" BUSY("4", "8ms"),
		      USER("2") "count = 2\n" BUSY("4", "2ms"), USER("3") BUSY("4", "4ms") },
	  .spec = WEIGH("uid=2", "2") WEIGH("uid=3", "4"),
	  .share = TG_BY_USER, .want = { 143, 286, 571 }, .off = 20 },
	{ .name = "a user's processes of weight 1 and 3, beside another's of weight 1000",
	  .client = { USER("1") BUSY("2", "5ms"), USER("1") BUSY("2", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("b", "3") WEIGH("c", "1000"),
	  .share = TG_BY_USER, .want = { 125, 375, 500 }, .off = 20 },
	{ .name = "a user of weight 3 whose process weighs 3",
	  .client = { USER("1") BUSY("2", "5ms"), USER("1") BUSY("2", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .spec = WEIGH("b", "3") WEIGH("uid=1", "3"),
	  .share = TG_BY_USER, .want = { 187, 562, 250 }, .off = 20 },
	{ .name = "four of one user, and of no other",
	  .client = { USER("1") BUSY("2", "0.5ms"), USER("1") BUSY("2", "2ms"),
		      USER("1") BUSY("2", "8ms"), USER("1") BUSY("2", "20ms") },
	  .share = TG_BY_USER, .want = { 250, 250, 250, 250 }, .off = 20 },
	{ .name = "one light and eight busy of a user, and one of another",
	  .client = { USER("1") PERIODIC("50ms", "1ms"), USER("1") "count = 8\n" BUSY("2", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 20, 480, 500 }, .off = 20 },
	{ .name = "a busy user beside a light one of nine",
	  .client = { USER("1") NINE PERIODIC("100ms", "1ms") "stagger = 11ms\n",
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 90, 910 }, .off = 20 },
	{ .name = "nine that come and go, and one that stays",
	  .client = { USER("1") "count = 5445\nstagger = 11ms\nlife = 99ms\n" BUSY("2", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "a new process for each group or two, and one that stays",
	  .client = { USER("1") "count = 2998\nstagger = 20ms\nlife = 19ms\n" BUSY("1", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500 }, .off = 20, .most = true },
	{ .name = "new processes, of which one or two are there, and one that stays",
	  .client = { USER("1") "count = 1496\nstagger = 40ms\nlife = 60ms\n" BUSY("1", "5ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500 }, .off = 20, .most = true },
	{ .name = "four at a time that leave work on the hardware, and one that stays",
	  .client = { USER("1") "count = 11996\nstagger = 5ms\nlife = 20ms\n" BUSY("8", "1ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500 }, .off = 20, .most = true },
	{ .name = "the same, 16 deep, each for 40 ms",
	  .client = { USER("1") "count = 5996\nstagger = 10ms\nlife = 40ms\n" BUSY("16", "1ms"),
		      USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500 }, .off = 20, .most = true },
	{ .name = "one at a time, of a group each, and one that stays",
	  .client = { USER("1") "count = 1199\nstagger = 50ms\nlife = 49ms\n"
		      ONE_BY_ONE("60ms", "5ms"), USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 100, 900 }, .off = 20 },
	{ .name = "twenty that take turns, and one that stays",
	  .client = { USER("1") "count = 20\nstagger = 10ms\narrival = periodic 200ms\n"
		      "cost = fixed 10ms\n", USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "a hundred that take turns, and one that stays",
	  .client = { USER("1") "count = 100\nstagger = 10ms\narrival = periodic 1s\n"
		      "cost = fixed 10ms\n", USER("2") BUSY("2", "5ms") },
	  .share = TG_BY_USER, .want = { 500, 500 }, .off = 20 },
	{ .name = "nine in a cgroup and one in another",
	  .client = { CGROUP("/a") NINE BUSY("2", "5ms"), CGROUP("/b") BUSY("2", "5ms") },
	  .share = TG_BY_CGROUP, .want = { 500, 500 }, .off = 20 },
	{ .name = "three in cgroups of their own below a delegated one, and one in another",
	  .client = { CGROUP("/u.slice/a/x /u.slice") BUSY("2", "5ms"),
		      CGROUP("/u.slice/a/y /u.slice") BUSY("2", "5ms"),
		      CGROUP("/u.slice/b /u.slice") BUSY("2", "5ms"),
		      CGROUP("/v.slice/a /v.slice") BUSY("2", "5ms") },
	  .share = TG_BY_CGROUP, .want = { 167, 167, 167, 500 }, .off = 20 },
	{ .name = "nine in a cgroup of weight 3, one in one of weight 1",
	  .client = { CGROUP("/u.slice/a /u.slice") NINE BUSY("2", "5ms"),
		      CGROUP("/v.slice/u.slice /v.slice") BUSY("2", "5ms") },
	  .spec = WEIGH("cgroup=/u.slice*", "3") WEIGH("cgroup=*/u.slice", "9"),
	  .share = TG_BY_CGROUP, .want = { 750, 250 }, .off = 20 },
};

/* @policy: with the knob; or `none`, without */
static bool simulate(const struct row *row, const char *policy, struct tgs_scenario *s,
		     struct tgs_result *r)
{
	char text[4096], knob[32] = "";
	u32 i;

	if (strcmp(policy, "none"))
		snprintf(knob, sizeof(knob), "knob = share %u\n", row->share);
	snprintf(text, sizeof(text), HEAD "%s\n%s%s%s", policy, knob, row->spec ? "[spec]\n" : "",
		 row->spec ?: "");
	for (i = 0; i < KINDS && row->client[i]; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "[client %c]\n%s",
			 'a' + i, row->client[i]);
	return rows_run(row->name, policy, text, s, r);
}

/* Time used by clients of the kind. */
static s64 used(const struct tgs_result *r, u32 kind)
{
	s64 sum = 0;
	u32 i, step;

	for (i = 0; i < r->nr_clients; i++)
		for (step = FROM; r->clients[i].conf == kind && step < TGS_SHARE_STEPS; step++)
			sum += r->clients[i].stats.share[step];
	return sum;
}

/* @open: the bound is known not to hold. */
static void tell(const struct row *row, const char *policy, const char *what, bool open,
		 bool holds, const char *figures)
{
	char name[256];

	snprintf(name, sizeof(name), "%s: %s: %s", policy, row->name, what);
	rows_tell(name, open, holds, figures);
}

static void run(const struct row *row, u32 policy, s64 none)
{
	const char *name = policies[policy];
	struct tgs_scenario s;
	struct tgs_result r;
	char text[128] = "";
	s64 sum = 0, busy;
	bool good = true;
	u32 i;

	if (!simulate(row, name, &s, &r))
		return;
	for (i = 0; i < KINDS; i++)
		sum += used(&r, i);
	for (i = 0; i < KINDS && row->client[i]; i++) {
		s64 has = used(&r, i) * 1000 / max(sum, (s64)1);

		good = good && (row->most ? i || has <= row->want[i] + row->off :
				llabs(has - row->want[i]) <= row->off);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%lld.%lld %%",
			 i ? ", " : "", (long long)has / 10, (long long)has % 10);
	}
	tell(row, name, "shares", row->share_open & 1 << policy, good, text);
	busy = r.gpus[0].engine[0].busy * 1000 / none;
	snprintf(text, sizeof(text), "%lld.%lld %% of what none reaches", (long long)busy / 10,
		 (long long)busy % 10);
	tell(row, name, "busy", row->busy_open & 1 << policy, busy >= LEAST, text);
	test_row("nothing is wrong", !r.gpus[0].notes[TG_NOTE_EJECTED_STARVED] &&
		 !r.gpus[0].notes[TG_NOTE_EJECTED_PICK] && !r.gpus[0].notes[TG_NOTE_LOST], "%s: %s",
		 name, row->name);
	rows_end(&s, &r);
}

int main(void)
{
	struct tgs_scenario s;
	struct tgs_result r;
	u32 i, policy;
	s64 none;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!simulate(&rows[i], "none", &s, &r))
			continue;
		none = r.gpus[0].engine[0].busy;
		rows_end(&s, &r);
		for (policy = 0; policy < ARRAY_SIZE(policies); policy++)
			run(&rows[i], policy, none);
	}
	return test_end();
}
