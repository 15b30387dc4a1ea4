// SPDX-License-Identifier: GPL-2.0
/*
 * The predictor's history: by example, and on random input against a naive model. key_test.c tests
 * how keys are made.
 */
#include <stdlib.h>
#include <tg/gpu.h>
#include "../lib/test.h"

#define PAIR(subc, mthd, size, times) \
	((u64)(subc) << 56 | (u64)(mthd) << 40 | (u64)(size) << 16 | (times))

static u64 seed = 1;

static u32 below(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

#define E14	"00000000000000"
#define E15	E14 "0"

/* ---- history by example ----------------------------------------------------------------- */

/*
 * A script is a list of steps:
 *	+K	predict a group of key K; logs m or h (miss, hit) and x
 *	*K	the same, a switch would happen
 *	-K=N	the oldest such group has run and cost N
 *	~K=N	the same, after a switch
 *	!K	the oldest such group will not run
 *	#N	predict_records is now N
 *	?	logs u, how many may go unread, and what each may cost
 *	.	one of them goes
 *	=N	it has cost N
 * Keys: a to z have one pair each. A to Y have 512 pairs and one hash, and differ in the last pair
 * only; Z is like Y, but for its hash. _ is an unreadable group. At the end groups that
 * have not run are dropped, the history is freed, and all memory must be back in the pools.
 */
struct history_row {
	const char *name;
	u32 records, chunks;
	s64 switch_cost;
	const char *script, *expected;
};

/* x is the highest but one of the latest eight runs. */
static const struct history_row quantile_rows[] = {
	{ "x: of one run that one, of two the lower", 100, 99, 0, "+a -a=100 +a -a=300 +a -a=200 +a",
	  "m0 h100 h100 h200" },
	{ "x: one long run in eight does not count, two do", 100, 99, 0,
	  "+a -a=10 +a -a=10 +a -a=90 +a -a=10 +a -a=80 +a",
	  "m0 h10 h10 h10 h10 h80" },
	{ "x: what is longer ago does not count", 100, 99, 0,
	  "+a -a=90 +a -a=90 +a -a=1 +a -a=2 +a -a=3 +a -a=4 +a -a=5 +a -a=6 +a -a=7 +a -a=8 +a",
	  "m0 h90 h90 h90 h90 h90 h90 h90 h90 h7 h7" },
	{ "x: equal runs", 100, 99, 0, "+a -a=7 +a -a=7 +a -a=7 +a", "m0 h7 h7 h7" },
	{ "x: a miss has the largest", 100, 99, 0,
	  "+a -a=10 +a -a=90 +a -a=80 +b -b=70 +b -b=75 +c", "m0 h10 h10 m80 h70 m80" },
	{ "x: a run after a switch is less the impact", 100, 99, 30,
	  "+a -a=100 *a ~a=150 *a ~a=150 +a", "m0 h130 h140 h110" },
	{ "x: unreadable groups have one of their own", 100, 99, 0,
	  "+_ -_=10 +_ -_=90 +_ -_=80 +_", "m0 m10 m10 m80" },
	{ "x: what may go unread costs at most x", 100, 99, 0,
	  "+a -a=10 +a -a=90 +a -a=80 +a ?", "m0 h10 h10 h80 u7/80" },
};

/* With the knob ae_faithful: x is the mean. */
static const struct history_row mean_rows[] = {
	{ "the first group is a miss at 0", 100, 99, 0, "+a", "m0" },
	{ "a hit has its record's mean", 100, 99, 0, "+a -a=100 +a", "m0 h100" },
	{ "a miss has the worst mean", 100, 99, 0, "+a -a=100 +b -b=300 +c -c=200 +d",
	  "m0 m100 m300 m300" },
	{ "the worst mean falls with its record", 100, 99, 0,
	  "+a -a=100 +b -b=300 +b -b=240 +c", "m0 m100 h300 m270" },
	{ "a mean is over all runs", 100, 99, 0, "+a -a=100 +a -a=120 +a -a=125 +a",
	  "m0 h100 h110 h115" },
	{ "a run that is off by more than a quarter is left out", 100, 99, 0,
	  "+a -a=100 +a -a=125 +a -a=141 +a -a=112 +a", "m0 h100 h112 h112 h112" },
	{ "two of them, and the mean starts again", 100, 99, 0,
	  "+a -a=100 +a -a=200 +a -a=40 +a -a=50 +a", "m0 h100 h100 h40 h45" },
	{ "one between them, and it does not", 100, 99, 0,
	  "+a -a=100 +a -a=200 +a -a=100 +a -a=200 +a", "m0 h100 h100 h100 h100" },
	{ "a mean looks back on eight runs", 100, 99, 0,
	  "+a -a=80 +a -a=80 +a -a=80 +a -a=80 +a -a=80 +a -a=80 +a -a=80 +a -a=80 +a -a=96 +a -a=66 +a",
	  "m0 h80 h80 h80 h80 h80 h80 h80 h80 h82 h80" },
	{ "a record is there after its first run, not before", 100, 99, 0, "+a +a -a=5 +a",
	  "m0 m0 h5" },
	{ "two first runs of one key are one record", 2, 99, 0,
	  "+a +a +b -b=1 -a=10 -a=12 +a +b", "m0 m0 m0 h11 h1" },
	{ "a group that will not run leaves no record", 100, 99, 0, "+a !a +a -a=7 +a !a +a",
	  "m0 m0 h7 h7" },
	{ "one of two first groups that will not run", 100, 99, 0, "+a +a !a -a=9 +a",
	  "m0 m0 h9" },
	{ "LRU: the oldest goes", 2, 99, 0, "+a -a=1 +b -b=2 +c -c=3 +b +c +a",
	  "m0 m1 m2 h2 h3 m3" },
	{ "LRU: a hit makes young", 2, 99, 0, "+a -a=1 +b -b=2 +a -a=1 +c -c=3 +a +b",
	  "m0 m1 h1 m2 h1 m3" },
	{ "LRU: learning does not", 2, 99, 0, "+a -a=1 +b -b=2 +a +b -b=2 -a=1 +c -c=3 +b +a",
	  "m0 m1 h1 h2 m2 h2 m3" },
	{ "LRU: the worst mean goes with its record", 2, 99, 0, "+a -a=9 +b -b=2 +c -c=3 +d",
	  "m0 m9 m9 m3" },
	{ "LRU: a table of one", 1, 99, 0, "+a -a=1 +b -b=2 +b +a -a=3 +a", "m0 m1 h2 m2 h3" },
	{ "LRU: a record in use may go, its run teaches nothing", 1, 99, 0,
	  "+a -a=1 +a +b -b=2 -a=50 +c +a", "m0 h1 m1 m2 m2" },
	{ "LRU: a record in use that went may come again", 1, 99, 0,
	  "+a -a=1 +a +b -b=2 +a -a=5 -a=50 +a", "m0 h1 m1 m2 h50" },
	{ "a lower limit is reached in steps", 4, 99, 0,
	  "+a -a=1 +b -b=2 +c -c=3 +d -d=4 #1 +e -e=5 +c +d +f -f=6 +e +f",
	  "m0 m1 m2 m3 m4 h3 h4 m5 m6 h6" },
	{ "equal hashes: exact equality only", 100, 99, 0,
	  "+A -A=10 +B -B=20 +C -C=30 +A +B +C +D", "m0 m10 m20 h10 h20 h30 m30" },
	{ "equal pairs, another hash: another key", 100, 99, 0, "+Y -Y=10 +Z -Z=20 +Y +Z",
	  "m0 m10 h10 h20" },
	{ "unreadable groups are misses", 100, 99, 0, "+_ -_=100 +_ +a", "m0 m100 m100" },
	{ "unreadable groups have the worst mean", 100, 99, 0, "+a -a=50 +_ -_=10 +_ -_=20 +_ +a",
	  "m0 m50 m50 m50 h50" },
	{ "unreadable groups evict nobody", 1, 99, 0, "+a -a=50 +_ -_=10 +a", "m0 m50 h50" },
	{ "no room for a key: unreadable", 100, 16, 0, "+A -A=70 +A -A=70 +a -a=5 +a",
	  "m0 m70 m70 h5" },
	{ "no room at all", 100, 0, 0, "+a -a=70 +a -a=50 +a", "m0 m70 m60" },
	{ "room comes back from evicted records", 1, 18, 0, "+A -A=70 +B -B=60 +a -a=5 +B -B=40 +B",
	  "m0 m70 m70 m60 h40" },
	{ "what is known when it is read lets others go unread, ever more", 100, 99, 0,
	  "? +a ? -a=100 ? +a ? -a=100 +a ? -a=100 +a ?", "u0 m0 u0 u0 h100 u1/100 h100 u3/100 h100 u7/100" },
	{ "so many between two that are read", 100, 99, 0,
	  "+a -a=100 +a -a=100 +a ? . ? . . ? -a=100 +a ?", "m0 h100 h100 u3/100 u2/100 u0 h100 u7/100" },
	{ "at most 127", 100, 99, 0, "+a -a=9 +a +a +a +a +a +a +a ? +a ?",
	  "m0 h9 h9 h9 h9 h9 h9 h9 u127/9 h9 u127/9" },
	{ "the worst that is known is what each may cost", 100, 99, 0,
	  "+a -a=10 +b -b=70 +a -a=10 ? +c ?", "m0 m10 h10 u1/70 m70 u0" },
	{ "an unreadable one, and all are read", 100, 99, 0, "+a -a=10 +a +a ? +_ ? -_=10 +_ ? +a ?",
	  "m0 h10 h10 u3/10 m10 u0 m10 u0 h10 u1/10" },
	{ "one that costs more, and all are read", 100, 99, 0,
	  "+a -a=100 +a +a ? . =125 ? . =126 ? +a ?", "m0 h100 h100 u3/100 u2/100 u0 h100 u1/100" },
	{ "a switch adds the impact measured at load", 100, 99, 40, "+a -a=100 *a *b +a",
	  "m0 h140 m140 h100" },
	{ "a switch does not move the mean", 100, 99, 0, "+a -a=100 *a ~a=150 +a", "m0 h100 h100" },
	{ "a switch's difference goes to the impact", 100, 99, 40, "+a -a=100 *a ~a=160 *a",
	  "m0 h140 h150" },
	{ "the impact is one client's, for all keys", 100, 99, 0, "+a -a=100 *a ~a=150 +b -b=7 *b",
	  "m0 h100 m100 h32" },
	{ "the impact may be negative, x may not", 100, 99, 0,
	  "+a -a=100 *a ~a=80 *a +b -b=5 *b", "m0 h100 h90 m100 h0" },
	{ "a switch makes nothing cheaper by more than a quarter: left out", 100, 99, 0,
	  "+a -a=100 *a ~a=74 *a ~a=100 *a ~a=74 *a +a", "m0 h100 h100 h100 h100 h100" },
	{ "two of them, and the mean starts again", 100, 99, 0,
	  "+a -a=100 *a ~a=20 *a ~a=22 *a ~a=24 *a +a", "m0 h100 h100 h22 h23 h23" },
	{ "and is without the switch again once a run is", 100, 99, 10,
	  "+a -a=100 *a ~a=30 *a ~a=30 *a -a=22 *a ~a=40 *a", "m0 h110 h110 h30 h31 h35" },
	{ "a first run after a switch is less the impact", 100, 99, 30, "*a ~a=100 +a *a",
	  "m30 h70 h100" },
	{ "runs that all come after a switch move the mean", 100, 99, 30,
	  "*a ~a=100 *a ~a=110 *a +a", "m30 h100 h105 h75" },
	{ "until one does not", 100, 99, 30, "*a ~a=100 *a -a=80 *a ~a=140 *a +a",
	  "m30 h100 h105 h122 h75" },
	{ "a first run that is cheaper than the impact", 100, 99, 30, "*a ~a=10 +a", "m30 h0" },
	{ "a switch foreseen that does not come", 100, 99, 0, "+a -a=100 *a -a=120 +a",
	  "m0 h100 h110" },
	{ "unreadable groups learn through switches", 100, 99, 0, "*_ ~_=100 *_ ~_=200 *_",
	  "m0 m100 m150" },
	{ "costs without end saturate", 100, 99, 0,
	  "+a -a=9223372036854775807 +a *a ~a=0 *a +b ~b=9223372036854775807 +b",
	  "m0 h1" E15 " h1" E15 " h1" E15 " m1" E15 " h1" E15 },
	{ "negative costs are none", 100, 99, 0, "+a -a=-5 +a -a=-9223372036854775808 +a",
	  "m0 h0 h0" },
};

#define COSTS	200

/* Lends the history its memory. */
struct host {
	struct tg_gpu gpu;
	struct tg_history *h;
	void *memory[COSTS + 4000];
	u32 nr;
	u32 chunks;
};

static void lend(struct host *host, enum tg_pool pool, size_t size)
{
	void *object = malloc(size);

	memset(object, 0x5a, size);
	host->memory[host->nr++] = object;
	tg_gpu_give(&host->gpu, pool, object);
}

static void host_init(struct host *host, u32 records, u32 chunks, s64 switch_cost)
{
	u32 i;

	memset(host, 0, sizeof(*host));
	host->chunks = chunks;
	host->gpu.knob[TG_KNOB_RECORDS] = records;
	host->gpu.knob[TG_KNOB_SWITCH] = switch_cost;
	lend(host, TG_POOL_HISTORY, sizeof(struct tg_history));
	for (i = 0; i < COSTS; i++)
		lend(host, TG_POOL_COST, sizeof(struct tg_cost));
	for (i = 0; i < chunks; i++)
		lend(host, TG_POOL_CHUNK, sizeof(struct tg_chunk));
	host->h = tg_history_new(&host->gpu);
}

/* Free the history. Return: what is missing. */
static const char *host_end(struct host *host)
{
	const char *wrong = NULL;

	if (tg_history_new(&host->gpu))
		wrong = "two histories out of one";
	tg_history_free(&host->gpu, host->h);
	if (host->gpu.pooled[TG_POOL_HISTORY] != 1 || host->gpu.pooled[TG_POOL_COST] != COSTS ||
	    host->gpu.pooled[TG_POOL_CHUNK] != host->chunks)
		wrong = "memory is missing from the pools";
	while (host->nr)
		free(host->memory[--host->nr]);
	return wrong;
}

/* Is the table in order? */
static const char *check(const struct tg_history *h)
{
	const struct tg_cost *cost;
	u32 nr = 0;

	list_for_each_entry(cost, &h->lru, lru) {
		nr++;
		if (!cost->runs || RB_EMPTY_NODE(&cost->by_key))
			return "a record that has not run is in the table";
		if (cost->x > rb_entry(rb_first_cached(&h->costs), struct tg_cost, by_x)->x)
			return "the largest x is not the largest";
	}
	return nr == h->nr ? NULL : "records are counted wrongly";
}

static const struct tg_key *key_of(char name)
{
	static u64 room[1 + TG_KEY_PAIRS];
	struct tg_key *key = (struct tg_key *)room;
	u32 i;

	if (name == '_')
		return NULL;
	if (name >= 'a') {
		key->nr = 1;
		key->hash = name / 2;	/* some collide */
		key->pair[0] = PAIR(0, name * 4, 1, 1);
		return key;
	}
	key->nr = TG_KEY_PAIRS;
	key->hash = name == 'Z';
	for (i = 0; i < key->nr; i++)
		key->pair[i] = PAIR(0, i * 4, 1, 1);
	key->pair[key->nr - 1] = PAIR(7, 4, min(name, 'Y'), 1);
	return key;
}

struct guess {
	char key;
	s64 x;
	struct tg_cost *cost;
};

/* Take the oldest guess of this key out. */
static struct guess oldest(struct guess *guesses, u32 *nr, char key)
{
	struct guess g;
	u32 i;

	for (i = 0; i < *nr && guesses[i].key != key; i++)
		;
	if (i == *nr)
		abort();
	g = guesses[i];
	for (--*nr; i < *nr; i++)
		guesses[i] = guesses[i + 1];
	return g;
}

static void history_row(const struct history_row *row, bool faithful)
{
	struct host *host = malloc(sizeof(*host));
	struct guess guesses[64], g;
	const char *p = row->script, *wrong = NULL, *end;
	char log[512] = "";
	size_t used = 0;
	u32 nr = 0, unread;
	s64 most = 0;

	host_init(host, row->records, row->chunks, row->switch_cost);
	host->gpu.knob[TG_KNOB_AE_FAITHFUL] = faithful;
	while (*p && !wrong) {
		char op = *p++, key = *p;
		u64 hits = host->h->hits;
		char *after = (char *)p + 1;

		switch (op) {
		case '+':
		case '*':
			g.key = key;
			g.x = tg_predict(&host->gpu, host->h, key_of(key), op == '*', &g.cost);
			guesses[nr++] = g;
			used += snprintf(log + used, sizeof(log) - used, "%s%c%lld",
					 used ? " " : "", host->h->hits > hits ? 'h' : 'm',
					 (long long)g.x);
			break;
		case '-':
		case '~':
			g = oldest(guesses, &nr, key);
			tg_predict_learn(&host->gpu, host->h, g.cost, g.x,
					 strtoll(p + 2, &after, 10), op == '~');
			break;
		case '!':
			g = oldest(guesses, &nr, key);
			tg_predict_drop(&host->gpu, host->h, g.cost);
			break;
		case '?':
			for (unread = 0; tg_predict_unread(host->h, unread, &most); unread++)
				;
			used += snprintf(log + used, sizeof(log) - used, unread ? "%su%u/%lld" : "%su0",
					 used ? " " : "", unread, (long long)most);
			after = (char *)p;
			break;
		case '.':
			host->h->unread++;
			after = (char *)p;
			break;
		case '=':
			tg_predict_unread_ran(host->h, most, strtoll(p, &after, 10));
			break;
		case '#':
			host->gpu.knob[TG_KNOB_RECORDS] = strtoll(p, &after, 10);
			break;
		default:
			abort();
		}
		p = after + (*after == ' ');
		wrong = check(host->h);
	}
	while (nr)
		tg_predict_drop(&host->gpu, host->h, guesses[--nr].cost);
	end = host_end(host);
	if (!wrong)
		wrong = end;
	if (!wrong && strcmp(log, row->expected))
		wrong = log;
	test_row(row->name, !wrong, "got %s, expected %s", wrong, row->expected);
	free(host);
}

static void counters(void)
{
	/* x and cost of each group, and the mean error after it */
	static const struct {
		s64 x, used;
		u32 error;
	} runs[] = {
		{ 0, 100, 1000 }, { 110, 100, 550 }, { 90, 100, 400 }, { 5000, 1, 550 },
		{ 0, 0, 440 }, { 1, 0, 533 }, { S64_MAX, S64_MAX, 600 }, { 0, S64_MAX, 650 },
	};
	struct host *host = malloc(sizeof(*host));
	struct tg_cost *cost;
	u32 i, bad = 0;

	host_init(host, 100, 10, 0);
	bad += tg_history_error(host->h) != 0;
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		tg_predict(&host->gpu, host->h, key_of('a'), false, &cost);
		tg_predict_learn(&host->gpu, host->h, cost, runs[i].x, runs[i].used, false);
		if (tg_history_error(host->h) != runs[i].error && !bad)
			bad = 1000 * (i + 1) + tg_history_error(host->h);
	}
	test_row("mean relative error", !bad, "%u", bad);
	test_row("hits, misses and runs are counted", host->h->hits == ARRAY_SIZE(runs) - 1 &&
		 host->h->misses == 1 && host->h->runs == ARRAY_SIZE(runs), "wrongly");
	host_end(host);
	free(host);
}

/* ---- history against a naive model ------------------------------------------------------ */

#define KEYS	12
#define GUESSES	16

/* As the manual tells it, without trees, lists or pools. */
struct model {
	struct model_record {
		int key;		/* -1: free, KEYS: unreadable */
		u32 runs, users;
		bool evicted, warm, odd;
		s64 mean, x, latest[8];
		u64 stamp, seen;
	} record[KEYS + GUESSES + 2];
	u64 stamp;
	s64 impact;
	u32 impact_runs, limit;
	bool faithful;
	u64 hits, misses;
};

static s64 averaged(s64 mean, u32 *runs, s64 value)
{
	if (*runs < 8)
		++*runs;
	return mean + (value - mean) / (s64)*runs;
}

static s64 model_predict(struct model *m, int key, bool switches, struct model_record **r)
{
	struct model_record *spare = NULL;
	s64 x = 0;
	u32 i;

	*r = NULL;
	for (i = 0; i < ARRAY_SIZE(m->record); i++) {
		struct model_record *at = &m->record[i];

		if (at->key < 0)
			spare = at;
		else if (!at->evicted && at->key == key)
			*r = at;
		if (at->key >= 0 && at->runs && !at->evicted && at->x > x)
			x = at->x;
	}
	if (*r && (*r)->runs && key != KEYS) {
		m->hits++;
		(*r)->stamp = ++m->stamp;
		x = (*r)->x;
	} else {
		m->misses++;
	}
	if (!*r) {
		*r = spare;
		memset(spare, 0, sizeof(*spare));
		spare->key = key;
	}
	(*r)->users++;
	if (switches)
		x += m->impact;
	return x < 0 ? 0 : x;
}

static void model_drop(struct model_record *r)
{
	if (!--r->users && (r->evicted || !r->runs))
		r->key = -1;
}

/* What a run does to the mean, the impact and the table. */
static void model_mean(struct model *m, struct model_record *r, s64 used, bool switched)
{
	bool restarts = false;
	u32 i, n, steps;

	if (switched && r->warm && r->key != KEYS) {
		bool low = used < r->mean - r->mean / 4;

		if (!low) {
			if (llabs(used - m->impact - r->mean) <= r->mean / 4)
				r->odd = false;
			m->impact = averaged(m->impact, &m->impact_runs, used - r->mean);
		} else if (!r->odd) {
			r->odd = true;
		} else {
			r->odd = false;
			r->warm = false;
			r->mean = used > m->impact ? used - m->impact : 0;
			r->runs = 1;
		}
		model_drop(r);
		return;
	}
	if (r->key != KEYS) {
		bool odd;

		used -= switched ? m->impact : 0;
		used = used < 0 ? 0 : used;
		odd = r->runs && llabs(used - r->mean) > r->mean / 4;
		if (odd && !r->odd) {
			r->odd = true;
			model_drop(r);
			return;
		}
		if (odd) {
			r->mean = used;
			r->runs = 0;
			restarts = true;
		}
		r->odd = false;
		r->warm |= !switched;
	}
	if (restarts) {
		r->runs = 1;
		model_drop(r);
		return;
	}
	if (!r->runs && r->key != KEYS) {
		r->mean = used;
		r->runs = 1;
		r->stamp = ++m->stamp;
		for (steps = 0; steps < 2; steps++) {
			struct model_record *old = NULL;

			for (i = n = 0; i < ARRAY_SIZE(m->record); i++) {
				struct model_record *at = &m->record[i];

				if (at->key < 0 || at->key == KEYS || at->evicted || !at->runs)
					continue;
				n++;
				if (!old || at->stamp < old->stamp)
					old = at;
			}
			if (n <= m->limit)
				break;
			old->evicted = true;
			if (!old->users)
				old->key = -1;
		}
	} else {
		r->mean = averaged(r->mean, &r->runs, used);
	}
	model_drop(r);
}

static int descending(const void *a, const void *b)
{
	return *(const s64 *)a < *(const s64 *)b ? 1 : -1;
}

static void model_learn(struct model *m, struct model_record *r, s64 used, bool switched)
{
	s64 bare = switched && r->key != KEYS ? used - m->impact : used, sorted[8];
	const u32 n = r->seen < 7 ? r->seen + 1 : 8;

	if (r->evicted) {
		model_drop(r);
		return;
	}
	r->latest[r->seen++ % 8] = bare < 0 ? 0 : bare;
	memcpy(sorted, r->latest, sizeof(sorted));
	qsort(sorted, n, sizeof(*sorted), descending);
	model_mean(m, r, used, switched);
	r->x = m->faithful ? r->mean : sorted[n > 1];
}

static const char *history_model(u32 limit, bool faithful, u32 steps, u32 *step)
{
	static u64 rooms[KEYS][1 + TG_KEY_PAIRS];
	struct {
		struct tg_cost *cost;
		struct model_record *record;
		s64 x;
	} guess[GUESSES];
	struct host *host = malloc(sizeof(*host));
	struct model m = {
		.limit = limit, .impact = 50, .impact_runs = 1, .faithful = faithful,
	};
	const char *wrong = NULL, *end;
	u32 i, j, nr = 0;

	for (i = 0; i < ARRAY_SIZE(m.record); i++)
		m.record[i].key = -1;
	/* Keys of all lengths; few hashes; many begin alike. */
	for (i = 0; i < KEYS; i++) {
		struct tg_key *key = (struct tg_key *)rooms[i];

		key->nr = i % 3 ? below(TG_KEY_PAIRS + 1) : 40;
		key->hash = i & 2;
		for (j = 0; j < key->nr; j++)
			key->pair[j] = PAIR(0, j, 1 + (j + 1 == key->nr ? i : 0), 1);
	}
	host_init(host, limit, (KEYS + GUESSES + 2) * TG_KEY_CHUNKS(TG_KEY_PAIRS), 50);
	host->gpu.knob[TG_KNOB_AE_FAITHFUL] = faithful;
	for (*step = 0; *step < steps && !wrong; ++*step) {
		u32 what = below(16), pick = nr ? below(nr) : 0;
		bool switched = below(2);

		if (what < 8 && nr < GUESSES) {
			u32 key = below(8) ? below(KEYS) : KEYS;
			s64 x;

			x = model_predict(&m, key, switched, &guess[nr].record);
			guess[nr].x = tg_predict(&host->gpu, host->h, key == KEYS ? NULL :
						 (struct tg_key *)rooms[key], switched,
						 &guess[nr].cost);
			if (x != guess[nr++].x)
				wrong = "another x";
		} else if (nr && what < 15) {
			if (what < 14) {
				s64 used = below(1 << below(20));

				model_learn(&m, guess[pick].record, used, switched);
				tg_predict_learn(&host->gpu, host->h, guess[pick].cost,
						 guess[pick].x, used, switched);
			} else {
				model_drop(guess[pick].record);
				tg_predict_drop(&host->gpu, host->h, guess[pick].cost);
			}
			guess[pick] = guess[--nr];
		} else if (limit > 1) {
			m.limit = 1 + below(limit);
			host->gpu.knob[TG_KNOB_RECORDS] = m.limit;
		}
		if (!wrong)
			wrong = check(host->h);
		if (!wrong && (m.hits != host->h->hits || m.misses != host->h->misses))
			wrong = "other counters";
		if (!wrong && m.impact != host->h->impact)
			wrong = "another impact";
	}
	while (nr)
		tg_predict_drop(&host->gpu, host->h, guess[--nr].cost);
	end = host_end(host);
	free(host);
	return wrong ? wrong : end;
}

int main(void)
{
	static const u32 limits[] = { 1, 3, 8, 100 };
	u32 step = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mean_rows); i++)
		history_row(&mean_rows[i], true);
	for (i = 0; i < ARRAY_SIZE(quantile_rows); i++)
		history_row(&quantile_rows[i], false);
	counters();
	for (i = 0; i < 2 * ARRAY_SIZE(limits); i++) {
		const bool faithful = i % 2;
		const char *wrong = history_model(limits[i / 2], faithful, 100000, &step);
		char name[80];

		snprintf(name, sizeof(name), "100000 random steps, against a model, limit %u, %s",
			 limits[i / 2], faithful ? "means" : "quantiles");
		test_row(name, !wrong, "%s at step %u", wrong, step);
	}
	return test_end();
}
