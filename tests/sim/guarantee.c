// SPDX-License-Identifier: GPL-2.0
/*
 * What guaranteed reserves (cbs) promise: beside every load, whatever its priority, while no group
 * is longer than L. In tgsim, from the times of the groups in its trace:
 *
 *	share		at least C/T, less a point
 *	deadlines	k C by k T, less one own group, which is not divided
 *	windows		(n - 1) C - L in any n T, n = 1 ... 100. Two random sets fall short of it: open
 *			rows. Where the own groups take up to x > L/2, less 2 x is what is promised: one
 *			that has gone beyond a budget, and one that has yet to end
 *
 * What counts is what the reserve is charged: groups, and the time that the engine idles between the
 * pick of a group and its start while others wait. Only rows with overhead have such held time.
 *
 * It prints every share, the groups' part of it, and how busy the GPU is.
 */
#include <stdlib.h>
#include <unistd.h>
#include "rows.h"
#include "trace.h"
#include "workload.h"

#define SECONDS	20
#define WINDOWS	100
#define MOST	4	/* guaranteed clients: g0 to g3 */

/* Without overhead, the bounds hold to the nanosecond. @REAL: what nouveau has. */
#define HEAD	"duration = 20s\n[gpu g]\npolicy = timegraph\n"
#define REAL	"submit = 20us\ninterrupt = 10us\nswitch = 20us\n"
#define LIMIT(us) "knob = max_group_us " us "\n"
#define GUARANTEED(name, cost, depth, spec) \
	"[client " name "]\narrival = back-to-back\ncost = " cost "\ndepth = " depth "\n" \
	"spec = " spec "\n"
#define HALF	GUARANTEED("g0", "fixed 2ms", "2", "prt:cbs:1:12500:25000")
#define FLOOD(cost, depth, spec) \
	"[client x]\narrival = back-to-back\ncost = " cost "\ndepth = " depth "\nspec = " spec "\n"
#define L12	LIMIT("12500")

/* Everything at once that may be in the way of one half. */
#define STORM \
	FLOOD("fixed 12.5ms", "32", "ht:bg:99:0:0:depth=32") \
	"[client many]\ncount = 20\narrival = back-to-back\ncost = uniform 1ms 12.5ms\n" \
	"spec = prt:bg:98:0:0\n" \
	"[client burst]\narrival = bursts 8 every 100ms\ncost = fixed 12.5ms\n" \
	"spec = ht:bg:97:0:0\n" \
	"[client pe]\narrival = back-to-back\ncost = fixed 5ms\nspec = prt:pe:99:20000:25000\n" \
	"[client ae]\narrival = back-to-back\ncost = fixed 5ms\nspec = prt:ae:99:20000:25000\n"

/*
 * @own: of each guaranteed client C, T and its longest group, us
 * @longest: L, us
 * @late: by how much all deadlines may move, once, us
 */
static const struct row {
	const char *name, *text;
	struct { s64 c, t, x; } own[MOST];
	s64 longest, late;
} rows[] = {
	{ "50 %, alone", HEAD L12 HALF, { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, groups of L at priority 99", HEAD L12 HALF
	  FLOOD("fixed 12.5ms", "2", "prt:bg:99:0:0"),
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, HT 32 deep, groups of L", HEAD L12 HALF
	  FLOOD("fixed 12.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, HT 32 deep, short groups", HEAD L12 HALF
	  FLOOD("fixed 0.7ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, fifty clients", HEAD L12 HALF
	  "[client x]\ncount = 50\narrival = back-to-back\ncost = uniform 0.1ms 12.5ms\n"
	  "spec = prt:bg:99:0:0\n",
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, bursts of L", HEAD L12 HALF
	  "[client x]\narrival = bursts 8 every 110ms\ncost = fixed 12.5ms\nspec = ht:bg:99:0:0\n",
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, PE of 80 % above", HEAD L12 HALF
	  FLOOD("fixed 12.5ms", "4", "ht:pe:99:20000:25000"),
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, AE of 80 % above", HEAD L12 HALF
	  FLOOD("fixed 12.5ms", "4", "ht:ae:99:20000:25000"),
	  { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, all of these", HEAD L12 HALF STORM, { { 12500, 25000, 2000 } }, 12500, 0 },
	{ "50 %, HT, all of these", HEAD L12
	  GUARANTEED("g0", "uniform 0.5ms 4ms", "8", "ht:cbs:0:12500:25000:depth=8") STORM,
	  { { 12500, 25000, 4000 } }, 12500, 0 },
	{ "50 %, groups as long as C, all of these", HEAD L12
	  GUARANTEED("g0", "fixed 12.5ms", "2", "prt:cbs:0:12500:25000") STORM,
	  { { 12500, 25000, 12500 } }, 12500, 0 },
	{ "10 %, groups longer than C, all of these", HEAD L12
	  GUARANTEED("g0", "fixed 7ms", "2", "prt:cbs:0:2500:25000") STORM,
	  { { 2500, 25000, 7000 } }, 12500, 0 },
	{ "80 %, L a fifth of T", HEAD LIMIT("5000")
	  GUARANTEED("g0", "uniform 1ms 3ms", "2", "prt:cbs:0:20000:25000")
	  FLOOD("fixed 5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 20000, 25000, 3000 } }, 5000, 0 },
	{ "two", HEAD LIMIT("3500")
	  GUARANTEED("g0", "fixed 2ms", "2", "prt:cbs:1:4000:10000")
	  GUARANTEED("g1", "fixed 3ms", "2", "prt:cbs:90:10000:40000")
	  FLOOD("fixed 3.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 4000, 10000, 2000 }, { 10000, 40000, 3000 } }, 3500, 0 },
	{ "two, HT", HEAD LIMIT("3500")
	  GUARANTEED("g0", "fixed 2ms", "8", "ht:cbs:1:4000:10000:depth=8")
	  GUARANTEED("g1", "uniform 1ms 3ms", "8", "ht:cbs:90:10000:40000:depth=8")
	  FLOOD("fixed 3.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 4000, 10000, 2000 }, { 10000, 40000, 3000 } }, 3500, 0 },
	{ "two, one with groups longer than its C", HEAD LIMIT("3600")
	  GUARANTEED("g0", "fixed 1ms", "2", "prt:cbs:1:3000:10000")
	  GUARANTEED("g1", "fixed 3.5ms", "2", "prt:cbs:90:2000:8000")
	  FLOOD("fixed 3.6ms", "2", "ht:bg:99:0:0"),
	  { { 3000, 10000, 1000 }, { 2000, 8000, 3500 } }, 3600, 0 },
	{ "three", HEAD LIMIT("3500")
	  GUARANTEED("g0", "fixed 1ms", "2", "prt:cbs:1:2000:10000")
	  GUARANTEED("g1", "uniform 0.3ms 2.5ms", "2", "prt:cbs:50:5000:20000")
	  GUARANTEED("g2", "fixed 3.5ms", "2", "prt:cbs:90:8000:40000")
	  FLOOD("fixed 3.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 2000, 10000, 1000 }, { 5000, 20000, 2500 }, { 8000, 40000, 3500 } }, 3500, 0 },
	{ "beside one that saves up and comes just before its refill", HEAD LIMIT("2000")
	  GUARANTEED("g0", "fixed 1ms", "2", "prt:cbs:1:4000:10000")
	  "[client w]\narrival = bursts 10 every 95ms\ncost = fixed 2ms\n"
	  "spec = prt:cbs:90:20000:50000\n"
	  FLOOD("fixed 2ms", "4", "ht:bg:99:0:0"), { { 4000, 10000, 1000 } }, 2000, 0 },
	{ "50 %, one group at a time", HEAD REAL LIMIT("11600")
	  GUARANTEED("g0", "fixed 2ms", "1", "prt:cbs:1:12500:25000")
	  FLOOD("fixed 11.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 12500, 25000, 2020 } }, 11600, 0 },
	{ "50 %, one group at a time, short ones", HEAD REAL LIMIT("11600")
	  GUARANTEED("g0", "fixed 1ms", "1", "prt:cbs:1:12500:25000")
	  FLOOD("fixed 11.5ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 12500, 25000, 1020 } }, 11600, 0 },
	{ "50 %, beside a guaranteed one with tiny groups", HEAD REAL LIMIT("2500")
	  GUARANTEED("g0", "fixed 2ms", "2", "prt:cbs:1:10000:20000")
	  "[client t]\narrival = back-to-back\ncost = fixed 2us\ndepth = 4\n"
	  "spec = prt:cbs:1:30000:100000\n"
	  FLOOD("fixed 2ms", "2", "prt:bg:50:0:0"), { { 10000, 20000, 2020 } }, 2500, 0 },
	{ "50 %, one client of groups longer than L", HEAD L12 HALF
	  FLOOD("fixed 40ms", "4", "ht:bg:99:0:0") , { { 12500, 25000, 2000 } }, 12500, 40000 },
	{ "50 %, the same, L is measured", HEAD HALF FLOOD("fixed 40ms", "4", "ht:bg:99:0:0"),
	  { { 12500, 25000, 2000 } }, 12500, 40000 },
	{ "50 %, all of these, with the overhead of nouveau", HEAD REAL LIMIT("11100") HALF
	  FLOOD("fixed 11ms", "32", "ht:bg:99:0:0:depth=32"),
	  { { 12500, 25000, 2020 } }, 11100, 0 },
};

/*
 * When the groups of one client ran, or were held, those in a row as one, and how much up to each.
 */
struct run {
	u64 nr;
	s64 groups;	/* without held time */
	struct { s64 from, to, sum; } *at;
};

static u64 groups;

/* What the client has had up to @t; @*i is where the search goes on. */
static s64 had(const struct run *r, s64 t, u64 *i)
{
	while (*i < r->nr && r->at[*i].to <= t)
		++*i;
	if (*i == r->nr)
		return r->nr ? r->at[r->nr - 1].sum : 0;
	return r->at[*i].sum - (r->at[*i].to - max(t, r->at[*i].from));
}

static void ran(struct run *r, s64 from, s64 to)
{
	s64 sum = r->nr ? r->at[r->nr - 1].sum : 0;

	if (from >= to)
		return;
	if (!r->nr || r->at[r->nr - 1].to != from) {
		if (!(r->nr & (r->nr - 1)))
			r->at = realloc(r->at, max(2 * r->nr, (u64)1) * sizeof(*r->at));
		r->at[r->nr].from = from;
		r->nr++;
	}
	r->at[r->nr - 1].to = to;
	r->at[r->nr - 1].sum = sum + to - from;
}

/* Read what the guaranteed clients have had. Groups run one after the other, as they start. */
static void read_runs(const char *path, struct run *runs, char *error)
{
	static s64 start[1 << 20], freed[1 << 20];
	FILE *file = fopen(path, "rb");
	const struct tg_record *rec;
	u32 who[256] = { };
	s64 last = 0, now = 0;
	struct tgs_trace t;
	void *bytes;
	u64 pos = 0;
	long len;

	if (!file)
		return;
	fseek(file, 0, SEEK_END);
	len = ftell(file);
	rewind(file);
	bytes = malloc(len);
	if (!bytes || fread(bytes, 1, len, file) != (size_t)len ||
	    tgs_trace_read(&t, bytes, len, error))
		abort();
	while ((rec = tgs_trace_next(&t, &pos, error))) {
		const char *data = tg_record_data(rec);

		if (rec->type == TG_REC_ACTION && rec->kind == TG_ACT_FREE)
			freed[rec->job % ARRAY_SIZE(freed)] = now;
		if (rec->type != TG_REC_EVENT || rec->result)
			continue;
		now = rec->now;
		if (rec->kind == TG_EV_JOIN && data[8] == 'g' && rec->client < ARRAY_SIZE(who))
			who[rec->client] = data[9] - '0' + 1;
		if (rec->kind == TG_EV_SUBMIT || rec->kind == TG_EV_BYPASSED)
			start[rec->job % ARRAY_SIZE(start)] = (s64)rec->client << 48;
		if (rec->kind == TG_EV_STARTED)
			start[rec->job % ARRAY_SIZE(start)] |= rec->at;
		if (rec->kind == TG_EV_DONE) {
			s64 packed = start[rec->job % ARRAY_SIZE(start)];
			u32 client = packed >> 48;
			s64 from = max(packed & ((1LL << 48) - 1), last);

			groups++;
			if (client < ARRAY_SIZE(who) && who[client]) {
				runs[who[client] - 1].groups += max(rec->at - from, (s64)0);
				from = min(from, max(freed[rec->job % ARRAY_SIZE(freed)], last));
				ran(&runs[who[client] - 1], from, rec->at);
			}
			last = rec->at;
		}
	}
	tgs_trace_deinit(&t);
	free(bytes);
	fclose(file);
}

/* By each deadline, all of C but a group. Return: how far behind at most, ns; negative: ahead. */
static s64 behind(const struct row *row, u32 g, const struct run *r)
{
	const s64 c = row->own[g].c * TG_USEC, t = row->own[g].t * TG_USEC;
	const s64 x = row->own[g].x * TG_USEC, late = row->late * TG_USEC;
	s64 k, most = S64_MIN;
	u64 i = 0;

	for (k = 1; k * t + late <= SECONDS * TG_SEC; k++)
		most = max(most, k * c - x - had(r, k * t + late, &i));
	return most;
}

/* Return: by how much a window of @n T has less than is promised, ns; negative: none has */
static s64 short_of(const struct row *row, u32 g, const struct run *r, s64 n)
{
	const s64 c = row->own[g].c * TG_USEC, w = n * row->own[g].t * TG_USEC;
	const s64 l = max(row->longest, row->late) * TG_USEC;
	s64 least = S64_MAX;
	u64 i, a = 0, b = 0;

	/* The least is in one that begins where a run ends, or ends where one begins. */
	for (i = 0; i < r->nr; i++)
		if (r->at[i].to + w <= SECONDS * TG_SEC)
			least = min(least, had(r, r->at[i].to + w, &b) - r->at[i].sum);
	for (i = 0; i < r->nr; i++)
		if (r->at[i].from >= w)
			least = min(least, r->at[i].sum - (r->at[i].to - r->at[i].from) -
				    had(r, r->at[i].from - w, &a));
	return least == S64_MAX ? S64_MIN : (n - 1) * c - l - least;
}

/* By how much a window may lack more than L: its own groups are longer than half of that. */
static s64 beyond(const struct row *row, u32 g)
{
	return max(2 * row->own[g].x - max(row->longest, row->late), (s64)0) * TG_USEC;
}

/* Is the window's bound known not to hold? */
static bool is_open(const char *name)
{
	return !strcmp(name, "set 13, L is 2181 us: g3") ||
	       !strcmp(name, "set 26, L is 1282 us: g2");
}

/* One guaranteed client: all three bounds. */
static void judge(const struct row *row, u32 g, const struct run *r, s64 busy)
{
	const s64 share = r->nr ? r->at[r->nr - 1].sum / (SECONDS * TG_SEC / 10000) : 0;
	const s64 of_groups = r->groups / (SECONDS * TG_SEC / 10000);
	const s64 due = row->own[g].c * 10000 / row->own[g].t;
	s64 late = behind(row, g, r), worst = S64_MIN, n;
	char name[128], figures[256];

	for (n = 1; n <= WINDOWS; n++)
		worst = max(worst, short_of(row, g, r, n));
	snprintf(name, sizeof(name), "%s: g%u", row->name, g);
	snprintf(figures, sizeof(figures),
		 "%lld.%02lld %% of %lld.%02lld %%, groups %lld.%02lld %%, the GPU is %lld.%02lld %% busy; %lld us late; a window lacks %lld us",
		 (long long)share / 100, (long long)share % 100, (long long)due / 100,
		 (long long)due % 100, (long long)of_groups / 100, (long long)of_groups % 100,
		 (long long)busy / 100, (long long)busy % 100, (long long)late / TG_USEC,
		 (long long)worst / TG_USEC);
	rows_tell(name, is_open(name), share >= due - 100 && late <= 0 && worst <= 0, figures);
	test_row("by twice its own longest group at most", worst <= beyond(row, g), "%s: %s", name,
		 figures);
}

static void measure(const struct row *row)
{
	char error[TGS_MESSAGE] = "", path[] = "/tmp/guarantee-XXXXXX";
	struct run runs[MOST] = { };
	struct tgs_scenario s;
	struct tgs_result r;
	u32 g;

	close(mkstemp(path));
	if (tgs_scenario_parse(&s, row->text, ".", error) || tgs_run(&s, path, &r, error)) {
		test_row(row->name, false, "%s", error);
		return;
	}
	read_runs(path, runs, error);
	for (g = 0; g < MOST && row->own[g].c; g++)
		judge(row, g, &runs[g], r.gpus[0].engine[0].busy / (SECONDS * TG_SEC / 10000));
	/* Blame lapses after 10 s: then the client's next group is too long again. */
	test_row(row->name, r.gpus[0].notes[TG_NOTE_OVERLONG] == (row->late ? SECONDS / 10 : 0) &&
		 !r.gpus[0].notes[TG_NOTE_NOT_ADMITTED] && !*error, "notes: %llu, %llu; %s",
		 (unsigned long long)r.gpus[0].notes[TG_NOTE_OVERLONG],
		 (unsigned long long)r.gpus[0].notes[TG_NOTE_NOT_ADMITTED], error);
	for (g = 0; g < MOST; g++)
		free(runs[g].at);
	unlink(path);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* --- random sets: what is admitted is kept --- */

#define SETS	40

static u64 pick(struct tgs_rng *rng, u64 from, u64 to)
{
	return from + tgs_rng_below(rng, to - from + 1);
}

/* One more reserve of @c and @t us, groups of up to @x: g* always has jobs, w* comes and goes. */
static void add_reserve(char *text, size_t room, const char *name, s64 c, s64 t, s64 x,
			struct tgs_rng *rng)
{
	static const char *const comes[] = {
		"poisson 30ms", "bursts 6 every 170ms", "periodic 41ms", "back-to-back 3ms",
	};

	snprintf(text + strlen(text), room - strlen(text),
		 "[client %s]\narrival = %s\ncost = uniform %lldus %lldus\n"
		 "spec = %s:cbs:%llu:%lld:%lld\n", name,
		 *name == 'g' ? "back-to-back\ndepth = 2" : comes[pick(rng, 0, 3)],
		 (long long)pick(rng, (x + 1) / 2, x), (long long)x,
		 pick(rng, 0, 1) ? "ht" : "prt", (unsigned long long)pick(rng, 0, 99),
		 (long long)c, (long long)t);
}

/*
 * One to three reserves that always have jobs, and one, w, that comes and goes and is not judged,
 * beside a load whose groups take up to L, which is as long as may be.
 */
static void random_set(u64 seed)
{
	struct tgs_rng rng = { .state = seed };
	char text[4096], name[64];
	struct row row = { .name = name, .text = text };
	const u32 nr = pick(&rng, 2, 1 + MOST);
	s64 c[MOST + 1], t[MOST + 1], left = 1000000, shortest = S64_MAX;
	u32 i;

	for (i = 0; i < nr; i++) {
		t[i] = pick(&rng, 5000, 60000);
		c[i] = max((s64)pick(&rng, left / 6, left / 2) * t[i] / 1000000, (s64)10);
		left -= c[i] * 1000000 / t[i] + 1;
		shortest = min(shortest, t[i]);
	}
	row.longest = shortest * left / 1000000;
	snprintf(name, sizeof(name), "set %llu, L is %lld us", (unsigned long long)seed,
		 (long long)row.longest);
	snprintf(text, sizeof(text),
		 "duration = 20s\nseed = %llu\n[gpu g]\nknob = max_group_us %lld\n",
		 (unsigned long long)seed, (long long)row.longest);
	for (i = 0; i < nr; i++) {
		const char own[] = { i + 1 < nr ? 'g' : 'w', '0' + i, '\0' };
		const s64 x = pick(&rng, row.longest / 10, row.longest);

		add_reserve(text, sizeof(text), own, c[i], t[i], x, &rng);
		if (*own != 'g')
			continue;
		row.own[i].c = c[i];
		row.own[i].t = t[i];
		row.own[i].x = x;
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "[client x]\ncount = 3\narrival = back-to-back\ncost = uniform 100us %lldus\n"
		 "depth = 32\nspec = ht:bg:99:0:0:depth=32\n[client y]\narrival = back-to-back\n"
		 "cost = fixed %lldus\nspec = prt:bg:98:0:0\n",
		 (long long)row.longest, (long long)row.longest);
	measure(&row);
}

/* What does not fit is refused, and is in Background. */
static void refuse(void)
{
	char error[TGS_MESSAGE] = "";
	struct tgs_scenario s;
	struct tgs_result r;
	bool good;

	good = !tgs_scenario_parse(&s, HEAD LIMIT("20000") HALF, ".", error) &&
	       !tgs_run(&s, NULL, &r, error);
	test_row("12.5/25 ms beside groups of 20 ms is refused",
		 good && r.gpus[0].notes[TG_NOTE_NOT_ADMITTED] == 1, "%s", error);
	if (good) {
		tgs_result_deinit(&r);
		tgs_scenario_deinit(&s);
	}
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		measure(&rows[i]);
	for (i = 1; i <= SETS; i++)
		random_set(i);
	refuse();
	printf("# %llu groups in all\n", (unsigned long long)groups);
	test_row("100 000 groups in all", groups >= 100000, "%llu", (unsigned long long)groups);
	return test_end();
}
