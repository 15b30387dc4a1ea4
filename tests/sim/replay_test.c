// SPDX-License-Identifier: GPL-2.0
/*
 * Replay: a trace replays as it was recorded; one that was changed in any way that matters does
 * not, and neither does one that was recorded with another policy than is built in. And what
 * `tgsim why` tells about jobs whose story is known, and what `tgsim blocking` counts.
 *
 * The table of policies is this file's own: what it calls timegraph may be a mutant of it.
 */
#include <stdlib.h>
#include <unistd.h>
#include "../lib/test.h"
#include "blocking.h"
#include "mem.h"
#include "replay.h"
#include "run.h"
#include "timeline.h"

/* ---- mutants of a policy ---------------------------------------------------------------- */

extern const struct tg_policy tg_policy_none, tg_policy_fifo, tg_policy_timegraph;

static struct tg_policy in_force;
static u32 picks;

static struct tg_job *pick_no_follow(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return engine->inflight ? NULL : tg_policy_timegraph.pick(gpu, engine);
}

static struct tg_job *pick_skip_once(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return !engine->inflight && ++picks == 100 ? NULL : tg_policy_timegraph.pick(gpu, engine);
}

static struct tg_job *pick_two(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_job *job = tg_policy_timegraph.pick(gpu, engine);

	if (!job && engine->inflight == 1) {
		engine->inflight = 0;
		job = tg_policy_timegraph.pick(gpu, engine);
		engine->inflight = 1;
	}
	return job;
}

/* The lowest first. */
static struct tg_job *pick_lowest(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *client, *lowest = NULL;
	struct tg_job *job;

	if (engine->inflight)
		return NULL;
	list_for_each_entry(client, &gpu->all_clients, all)
		if (!list_empty(&client->queue) && (!lowest || client->prio < lowest->prio))
			lowest = client;
	if (!lowest)
		return NULL;
	job = list_first_entry(&lowest->queue, struct tg_job, link);
	tg_policy_timegraph.drop(gpu, job);
	return job;
}

static void join_equal(struct tg_gpu *gpu, struct tg_client *client)
{
	client->prio = 0;
}

static void join_ht(struct tg_gpu *gpu, struct tg_client *client)
{
	client->sched = TG_HT;
}

static void join_prt(struct tg_gpu *gpu, struct tg_client *client)
{
	client->sched = TG_PRT;
}

static void join_nothing(struct tg_gpu *gpu, struct tg_client *client)
{
}

static s64 wake_often(struct tg_gpu *gpu)
{
	return gpu->now + TG_MSEC;
}

static s64 wake_never(struct tg_gpu *gpu)
{
	return TG_NEVER;
}

static const struct tg_param deeper[] = { { "depth", 1, TG_DEPTH_MAX, 3, NULL }, { } };

static const struct mutant {
	const char *name;
	bool same;		/* it is no change after all */
	bool fifo;
	struct tg_policy change;	/* members that are not NULL */
} mutants[] = {
	{ "policy unchanged", true, false, { } },
	{ "policy that does nothing more", true, false, { .join = join_nothing,
	  .wake = wake_never } },
	{ "policy without HT's following", false, false, { .pick = pick_no_follow } },
	{ "policy that skips one pick", false, false, { .pick = pick_skip_once } },
	{ "policy that frees one job too many", false, false, { .pick = pick_two } },
	{ "policy that takes the lowest", false, false, { .pick = pick_lowest } },
	{ "policy without priorities", false, false, { .join = join_equal } },
	{ "policy with HT for all", false, false, { .join = join_ht } },
	{ "policy with PRT for all", false, false, { .join = join_prt } },
	{ "policy that wakes more often", false, false, { .wake = wake_often } },
	{ "policy with another default", false, false, { .params = deeper } },
	{ "policy that tracks only", false, true, { } },
};

static const struct tg_policy *const table[] = { &tg_policy_none, &tg_policy_fifo, &in_force };

const struct tg_policy *tg_policy_get(u32 nr)
{
	return nr < ARRAY_SIZE(table) ? table[nr] : NULL;
}

const char *const tg_policy_names = "one of these";

int tg_policy_find(const char *name, u32 len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (strlen(table[i]->name) == len && !memcmp(table[i]->name, name, len))
			return i;
	return -ENOENT;
}

static void put_in_force(const struct mutant *mutant)
{
	in_force = mutant->fifo ? tg_policy_fifo : tg_policy_timegraph;
	in_force.name = "timegraph";
	picks = 0;
	if (mutant->change.pick)
		in_force.pick = mutant->change.pick;
	if (mutant->change.join)
		in_force.join = mutant->change.join;
	if (mutant->change.wake)
		in_force.wake = mutant->change.wake;
	if (mutant->change.params)
		in_force.params = mutant->change.params;
}

/* ---- traces ----------------------------------------------------------------------------- */

struct bytes {
	char *data;
	u64 len;
};

/* Run a scenario and get its trace. */
static struct bytes record(const char *text)
{
	char path[] = "/tmp/replay_test.XXXXXX", error[TGS_MESSAGE];
	struct bytes b = { tgs_alloc(1, 1 << 24), 0 };
	struct tgs_scenario s;
	struct tgs_result r;
	FILE *file;
	int fd = mkstemp(path);

	if (fd < 0 || tgs_scenario_parse(&s, text, ".", error) ||
	    tgs_run(&s, path, &r, error)) {
		fprintf(stderr, "replay_test: %s\n", fd < 0 ? path : error);
		exit(1);
	}
	file = fdopen(fd, "r");
	b.len = fread(b.data, 1, 1 << 24, file);
	fclose(file);
	unlink(path);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	return b;
}

/* Replay; what it says goes to @said (freed by the caller), or nowhere. */
static int replay(const struct bytes *b, char **said)
{
	char error[TGS_MESSAGE], *out = NULL;
	struct tgs_trace t;
	size_t len;
	FILE *to = open_memstream(&out, &len);
	int result;

	result = tgs_trace_read(&t, b->data, b->len, error);
	if (result)
		fprintf(to, "%s", error);
	else
		result = tgs_replay(&t, to);
	tgs_trace_deinit(&t);
	fclose(to);
	if (said)
		*said = out;
	else
		free(out);
	return result;
}

/* Much happens here: PRT and HT, reserves of all kinds, a kill, and near the end a switch. */
static const char everything[] =
	"duration = 1s\n"
	"[gpu g]\n"
	"submit = 10us\n"
	"interrupt = 10us\n"
	"then = 900ms fifo\n"
	"knob = starvation_us 2000000\n"
	"[spec]\n"
	"share:prt:pe:20:2000:20000:reserve=r\n"
	"other:ht:pe:20:2000:20000:reserve=r\n"
	"[client game]\narrival = periodic 16ms\ncost = uniform 1ms 3ms\n"
	  "spec = prt:pe:80:4000:16000\n"
	"[client video]\narrival = periodic 40ms\ncost = fixed 2ms\nspec = ht:ae:60:3000:40000\n"
	"channels = 2\ndepth = 4\n"
	"[client work]\narrival = back-to-back\ncost = exponential 2ms\ndepth = 8\n"
	  "spec = ht:bg:10:0:0\n"
	"[client share]\narrival = back-to-back 1ms\ncost = fixed 700us\n"
	"[client other]\narrival = poisson 100/s\ncost = exponential 500us\nstop = 700ms\n"
	"[client urgent]\narrival = bursts 3 every 100ms\ncost = fixed 500us\n"
	  "spec = prt:bg:90:0:0\n"
	"[client plain]\narrival = bursts 4 every 50ms\ncost = normal 1ms 100us\nstart = 100ms\n";

/* ---- mutations of a trace --------------------------------------------------------------- */

enum mutation {
	NONE, DROP, DOUBLE, SWAP_NEXT, ADD_JOB, ADD_TIME, ADD_ARG, RESULT, BACK, GAP, CUT_BEFORE,
	CUT_INSIDE, EARLIER_ALL,
};

static const struct row {
	const char *name;
	enum mutation how;
	u8 type, kind;		/* of the records that it is done to, one at a time */
	s64 by;
	bool same;
} rows[] = {
	{ "unchanged", NONE, 0, 0, 0, true },
	{ "a FREE is missing", DROP, TG_REC_ACTION, TG_ACT_FREE, 0, false },
	{ "an ARM is missing", DROP, TG_REC_ACTION, TG_ACT_ARM, 0, false },
	{ "a GATE is missing", DROP, TG_REC_ACTION, TG_ACT_GATE, 0, false },
	{ "a NOTE is missing", DROP, TG_REC_ACTION, TG_ACT_NOTE, 0, false },
	{ "a GONE is missing", DROP, TG_REC_ACTION, TG_ACT_GONE, 0, false },
	{ "a FREE too many", DOUBLE, TG_REC_ACTION, TG_ACT_FREE, 0, false },
	{ "an ARM too many", DOUBLE, TG_REC_ACTION, TG_ACT_ARM, 0, false },
	{ "FREE of another job", ADD_JOB, TG_REC_ACTION, TG_ACT_FREE, 1, false },
	{ "ARM for another time", ADD_TIME, TG_REC_ACTION, TG_ACT_ARM, 1, false },
	{ "another GATE", ADD_ARG, TG_REC_ACTION, TG_ACT_GATE, 1, false },
	{ "another NOTE", ADD_ARG, TG_REC_ACTION, TG_ACT_NOTE, 1, false },
	{ "actions in another order", SWAP_NEXT, TG_REC_ACTION, TG_ACT_FREE, 0, false },
	{ "a JOIN is missing", DROP, TG_REC_EVENT, TG_EV_JOIN, 0, false },
	{ "a SUBMIT is missing", DROP, TG_REC_EVENT, TG_EV_SUBMIT, 0, false },
	{ "a STARTED is missing", DROP, TG_REC_EVENT, TG_EV_STARTED, 0, false },
	{ "a DONE is missing", DROP, TG_REC_EVENT, TG_EV_DONE, 0, false },
	{ "a LEAVE is missing", DROP, TG_REC_EVENT, TG_EV_LEAVE, 0, false },
	{ "the SPEC is missing", DROP, TG_REC_EVENT, TG_EV_SPEC, 0, false },
	{ "the POLICY is missing", DROP, TG_REC_EVENT, TG_EV_POLICY, 0, false },
	{ "a TIMER is missing", DROP, TG_REC_EVENT, TG_EV_TIMER, 0, false },
	{ "a SUBMIT too many", DOUBLE, TG_REC_EVENT, TG_EV_SUBMIT, 0, false },
	{ "a DONE too many", DOUBLE, TG_REC_EVENT, TG_EV_DONE, 0, false },
	{ "DONE of another job", ADD_JOB, TG_REC_EVENT, TG_EV_DONE, 1000000, false },
	{ "SUBMIT of another job", ADD_JOB, TG_REC_EVENT, TG_EV_SUBMIT, 1000000, false },
	{ "a SUBMIT that failed", RESULT, TG_REC_EVENT, TG_EV_SUBMIT, ENOENT, false },
	{ "a SUBMIT without memory", RESULT, TG_REC_EVENT, TG_EV_SUBMIT, ENOMEM, false },
	{ "a SUBMIT back in time", BACK, TG_REC_EVENT, TG_EV_SUBMIT, 0, false },
	{ "all completions earlier", EARLIER_ALL, TG_REC_EVENT, TG_EV_DONE, 100000, false },
	{ "a gap", GAP, TG_REC_EVENT, TG_EV_SUBMIT, 0, false },
	{ "the end is missing before a FREE", CUT_BEFORE, TG_REC_ACTION, TG_ACT_FREE, 0, false },
	{ "the end is missing inside a record", CUT_INSIDE, TG_REC_EVENT, TG_EV_DONE, 0, false },
	{ "the end is missing before a SUBMIT", CUT_BEFORE, TG_REC_EVENT, TG_EV_SUBMIT, 0, true },
};

#define HEAD	sizeof(struct tg_trace_head)

/* The @nr-th record that the row speaks of; 0: there is none. */
static u64 find(const struct bytes *b, const struct row *row, u32 nr)
{
	const struct tg_record *r;
	u64 pos;

	for (pos = HEAD; pos < b->len; pos += r->size) {
		r = (const struct tg_record *)(b->data + pos);
		if (r->type == row->type && r->kind == row->kind && !nr--)
			return pos;
	}
	return 0;
}

/* Return: false: nothing to do there, or it would be no change. */
static bool mutate(struct bytes *m, const struct row *row, u64 pos)
{
	struct tg_record *r = (struct tg_record *)(m->data + pos), copy = *r;
	struct tg_record *next = (struct tg_record *)((char *)r + r->size);
	u64 rest = m->len - pos;

	switch (row->how) {
	case DROP:
		memmove(r, next, rest - copy.size);
		m->len -= copy.size;
		break;
	case DOUBLE:
		memmove(next, r, rest);
		m->len += copy.size;
		break;
	case SWAP_NEXT:
		if (rest <= copy.size || next->type != TG_REC_ACTION ||
		    !memcmp(r, next, sizeof(*r)))
			return false;
		*r = *next;
		*next = copy;
		break;
	case ADD_JOB:
		r->job += row->by;
		break;
	case ADD_TIME:
		r->now += row->by;
		break;
	case ADD_ARG:
		r->channel += row->by;
		break;
	case RESULT:
		r->result = row->by;
		break;
	case BACK:
		r->now = -1;
		break;
	case GAP:
		memmove((char *)r + sizeof(*r), r, rest);
		*r = (struct tg_record){ .size = sizeof(*r), .type = TG_REC_GAP, .arg = 5 };
		m->len += sizeof(*r);
		break;
	case CUT_BEFORE:
		m->len = pos;
		break;
	case CUT_INSIDE:
		m->len = pos + 20;
		break;
	case EARLIER_ALL:
		for (; pos < m->len; pos += r->size) {
			r = (struct tg_record *)(m->data + pos);
			if (r->type == row->type && r->kind == row->kind)
				r->at -= row->by;
		}
		break;
	default:
		break;
	}
	return true;
}

/* Do it to every record of the kind, or to 40 of them; after the switch few matter. */
static void mutations(const struct bytes *b, const struct row *row)
{
	struct bytes m = { tgs_alloc(1, 2 * b->len), 0 };
	u32 nr, all, step, done = 0, wrong = 0;
	u64 pos;

	for (all = 0; row->how && find(b, row, all); all++)
		;
	step = all > 40 ? all / 40 : 1;
	for (nr = 0; nr < max(all, 1u); nr += step) {
		pos = row->how ? find(b, row, nr) : HEAD;
		if (!pos || (pos > b->len / 20 * 17 && nr))
			break;
		memcpy(m.data, b->data, b->len);
		m.len = b->len;
		if (!mutate(&m, row, pos))
			continue;
		done++;
		if ((replay(&m, NULL) == 0) != row->same)
			wrong++;
		if (row->how == EARLIER_ALL)
			break;
	}
	test_row(row->name, done && !wrong, "%u of %u are taken for %s", wrong, done,
		 row->same ? "different" : "the same");
	free(m.data);
}

/* ---- the head, and what is said --------------------------------------------------------- */

static const struct head_row {
	const char *name;
	u64 len;		/* cut to this; 0: whole */
	u32 offset;
	const char *bytes;
	u32 n;
	const char *said;
} head_rows[] = {
	{ "empty file", 1, 0, "", 0, "a trace starts with 32 bytes of head" },
	{ "head cut off", 31, 0, "", 0, "31 bytes" },
	{ "head alone", 32, 0, "", 0, "0 events, 0 actions: all the same" },
	{ "other file", 0, 0, "\177ELF", 4, "not a trace" },
	{ "other byte order", 0, 0, "1GRT", 4, "other byte order" },
	{ "other version", 0, 4, "\2", 1, "version 2; version 1 wanted" },
	{ "no engine", 0, 6, "\0", 1, "0 engines" },
	{ "too many engines", 0, 6, "\5", 1, "5 engines" },
	{ "no such policy", 0, 8, "tim", 4, "no policy 'tim' here" },
	{ "policy without end", 0, 8, "timegraphtimegra", 16, "no policy 'timegraphtimegra'" },
	{ "policy that it was not", 0, 8, "fifo", 5, "  trace:" },
	{ "start before the clock's", 0, 24, "\0\0\0\0\0\0\0\x80", 8, "start at -9223372036854775808 ns" },
	{ "start at the clock's end", 0, 24, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8,
	  "start at 9223372036854775807 ns" },
	{ "malformed record", 0, 36, "\7", 1, "malformed record at byte 32" },
	{ "record cut off", 40, 0, "", 0, "cut off inside a record at byte 32" },
};

static void head(const struct bytes *b, const struct head_row *row)
{
	struct bytes m = { tgs_alloc(1, b->len), row->len ? row->len : b->len };
	char *said;

	memcpy(m.data, b->data, m.len);
	memcpy(m.data + row->offset, row->bytes, row->n);
	replay(&m, &said);
	test_row(row->name, strstr(said, row->said), "%s", said);
	free(said);
	free(m.data);
}

/* ---- why -------------------------------------------------------------------------------- */

static const struct why_row {
	const char *name, *scenario;
	u64 job;
	const char *said[6];
	int result;
} why_rows[] = {
	{ "why: it did not wait", "duration = 1s\n[client a]\narrival = periodic 100ms\n"
	  "cost = fixed "
	  "1ms\n", 1, { "client 1 \"a\"", "no reserve holds it back",
		       "over at 0.001000 s: 1000.000 us", "1000.000 us  ran\n" }, 0 },
	{ "why: the policy", "duration = 1s\n[client b]\narrival = periodic 100ms\ncost = fixed "
	  "10ms\n[client a]\nstart = 1ms\narrival = periodic 100ms\ncost = fixed 1ms\nspec = "
	  "prt:bg:9:0:0\n", 2, { "prt, priority 9", "9000.000 us  waited for the policy",
				"9000.000 us  client 1 \"b\", priority 0, ran 1 group\n" }, 0 },
	{ "why: the reserve", "duration = 1s\n[client a]\narrival = back-to-back\n"
	  "cost = fixed 5ms\n"
	  "spec = prt:pe:0:10000:100000\n", 3,
	  { "reserve pe: 10000 us every 100000 us, budget 0.000 us",
	    "90000.000 us  waited for its reserve", "90000.000 us  the engine was idle" }, 0 },
	{ "why: the window", "duration = 1s\n[client a]\narrival = bursts 3 every 100ms\n"
	  "cost = fixed "
	  "10ms\n", 3, { "20000.000 us  waited for its window",
			"20000.000 us  client 1 \"a\", priority 0, ran 2 groups" }, 0 },
	{ "why: the hardware", "duration = 1s\n[gpu g]\nsubmit = 1ms\n[client a]\n"
	  "arrival = bursts 3 "
	  "every 100ms\ncost = fixed 10ms\nspec = ht:bg:0:0:0\n", 2,
	  { "ht, priority 0", "1000.000 us  on the way through the driver",
	    "10000.000 us  on the hardware, behind other groups", "10000.000 us  ran" }, 0 },
	{ "why: a switch of policies", "duration = 1s\n[gpu g]\nthen = 1ms fifo\n[client b]\n"
	  "arrival = "
	  "periodic 100ms\ncost = fixed 10ms\n[client a]\nstart = 2ms\narrival = periodic 100ms\n"
	  "cost = "
	  "fixed 1ms\n", 2, { "8000.000 us  waited for a switch of policies" }, 0 },
	{ "why: it was lost", "duration = 40s\n[client a]\narrival = periodic 100s\n"
	  "cost = fixed 15s\n",
	  1, { "10000000.000 us  ran", "5000000.000 us  past its deadline" }, 0 },
	{ "why: it is not over", "duration = 1s\n[client a]\narrival = periodic 100s\ncost = fixed "
	  "15s\n[client b]\nstart = 500ms\narrival = periodic 1s\ncost = fixed 1ms\n", 1,
	  { "not over at 0.500000 s" }, 0 },
	{ "why: no such job", "duration = 1s\n[client a]\narrival = periodic 100ms\ncost = fixed "
	  "1ms\n", 1000, { "no job 1000 in what can be replayed" }, 1 },
};

static void why(const struct why_row *row)
{
	struct bytes b = record(row->scenario);
	char error[TGS_MESSAGE], *said = NULL;
	const char *missing = NULL;
	struct tgs_trace t;
	size_t len;
	FILE *to = open_memstream(&said, &len);
	int result;
	u32 i;

	tgs_trace_read(&t, b.data, b.len, error);
	result = tgs_why(&t, row->job, to);
	fclose(to);
	for (i = 0; i < ARRAY_SIZE(row->said) && row->said[i] && !missing; i++)
		if (!strstr(said, row->said[i]))
			missing = row->said[i];
	test_row(row->name, !missing && result == row->result, "%d, no \"%s\" in: %s", result,
		 missing ? missing : "-", said);
	free(said);
	tgs_trace_deinit(&t);
	free(b.data);
}

/* ---- blocking --------------------------------------------------------------------------- */

#define LOAD	"duration = 2s\n[gpu g]\nsubmit = 20us\n"				\
	"[client low]\ncount = 3\narrival = back-to-back\ncost = fixed 1ms\ndepth = 3\n"	\
	"spec = ht:bg:1:0:0\n[client mid]\narrival = poisson 200/s\ncost = fixed 1ms\n"	\
	"spec = ht:bg:5:0:0:depth=4\n[client high]\narrival = poisson 100/s\n"	\
	"cost = fixed 500us\nspec = prt:pe:9:2000:20000\n"

static const struct blocking_row {
	const char *name, *scenario;
	struct tg_policy change;
	int result;
	const char *said[2];
} blocking_rows[] = {
	{ "blocking: priorities are kept", LOAD, { }, 0, { "; 0 saw more groups", "high   " } },
	{ "blocking: they are, on everything", everything, { }, 0, { "; 0 saw more groups" } },
	{ "blocking: the lowest goes first", LOAD, { .pick = pick_lowest }, 1,
	  { "when they arrived: job " } },
	{ "blocking: one goes beside another", LOAD, { .pick = pick_two }, 0,
	  { "; 0 saw more groups" } },
	{ "blocking: equals do not count", LOAD, { .pick = pick_lowest, .join = join_equal }, 0,
	  { "; 0 saw more groups" } },
};

static void blocking(const struct blocking_row *row)
{
	const struct mutant mutant = { .change = row->change };
	char error[TGS_MESSAGE], *said = NULL;
	struct tgs_trace t;
	struct bytes b;
	size_t len;
	FILE *to = open_memstream(&said, &len);
	int result;
	u32 i;

	put_in_force(&mutant);
	b = record(row->scenario);
	tgs_trace_read(&t, b.data, b.len, error);
	put_in_force(&mutant);
	result = tgs_blocking(&t, to);
	fclose(to);
	for (i = 0; i < ARRAY_SIZE(row->said) && row->said[i]; i++)
		if (!strstr(said, row->said[i]))
			result = -1;
	test_row(row->name, result == row->result, "%d: %s", result, said);
	free(said);
	tgs_trace_deinit(&t);
	free(b.data);
}

static void context(const struct bytes *b)
{
	static const struct row row = { "", ADD_JOB, TG_REC_ACTION, TG_ACT_FREE, 7, false };
	struct bytes m = { tgs_alloc(1, b->len), b->len };
	u64 pos = find(b, &row, 50);
	char *said, where[64];

	memcpy(m.data, b->data, b->len);
	mutate(&m, &row, pos);
	replay(&m, &said);
	snprintf(where, sizeof(where), "difference at byte %llu, after", (unsigned long long)pos);
	test_row("the first difference, with its context", strstr(said, where) &&
		 strstr(said, " event ") && strstr(said, "  trace:   -> FREE client=") &&
		 strstr(said, "  core:    -> FREE client="), "%s", said);
	free(said);
	free(m.data);
}

int main(void)
{
	struct bytes trace;
	u32 i;

	put_in_force(&mutants[0]);
	trace = record(everything);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		mutations(&trace, &rows[i]);
	for (i = 0; i < ARRAY_SIZE(head_rows); i++)
		head(&trace, &head_rows[i]);
	context(&trace);
	for (i = 0; i < ARRAY_SIZE(why_rows); i++)
		why(&why_rows[i]);
	for (i = 0; i < ARRAY_SIZE(blocking_rows); i++)
		blocking(&blocking_rows[i]);
	for (i = 0; i < ARRAY_SIZE(mutants); i++) {
		char *said;
		bool same;

		put_in_force(&mutants[i]);
		same = !replay(&trace, &said);
		test_row(mutants[i].name, same == mutants[i].same, "%s", said);
		free(said);
	}
	free(trace.data);
	return test_end();
}
