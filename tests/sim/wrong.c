// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that break their contract: each is ejected to fifo within the limit, a note says
 * so, and every job that was asked for is freed. Built with a table of its own in place of
 * src/policy/list.c.
 *
 * They are as small as policies can be: one list of jobs in arrival order, and one mistake.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "host.h"

struct state {
	struct list_head jobs;
	struct tg_job *last;		/* picked */
	u32 picks;
};

static struct state *state(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct state);
}

static void init(struct tg_gpu *gpu)
{
	INIT_LIST_HEAD(&state(gpu)->jobs);
}

static void queue(struct tg_gpu *gpu, struct tg_job *job)
{
	list_add_tail(&job->link, &state(gpu)->jobs);
}

static void drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
}

static struct tg_job *take(struct tg_gpu *gpu)
{
	struct tg_job *job = list_first_entry_or_null(&state(gpu)->jobs, struct tg_job, link);

	if (job)
		list_del_init(&job->link);
	state(gpu)->last = job;
	return job;
}

static struct tg_job *pick_right(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return engine->inflight ? NULL : take(gpu);
}

/* Never picks a job. */
static struct tg_job *pick_nothing(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return NULL;
}

/* Picks three jobs, then none. */
static struct tg_job *pick_three(struct tg_gpu *gpu, struct tg_engine *engine)
{
	if (engine->inflight || state(gpu)->picks == 3)
		return NULL;
	state(gpu)->picks++;
	return take(gpu);
}

/* Chooses a job that the core has never heard of. */
static struct tg_job stranger = { .id = 1ull << 60 };

static struct tg_job *pick_stranger(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return engine->inflight ? NULL : &stranger;
}

/* Chooses a job of the right number that is another object. */
static struct tg_job *pick_double(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_job *job = take(gpu);

	if (!job)
		return NULL;
	stranger = *job;
	return &stranger;
}

/* Frees a job, and then frees it again. */
static struct tg_job *pick_twice(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return state(gpu)->last ? state(gpu)->last : take(gpu);
}

/* Chooses the last job that came, before earlier ones of its channel. */
static struct tg_job *pick_last(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_job *job, *last = NULL;

	if (engine->inflight)
		return NULL;
	list_for_each_entry(job, &state(gpu)->jobs, link)
		last = job;
	if (last)
		list_del_init(&last->link);
	return last;
}

/* Chooses a job that its reserve holds back. */
static struct tg_job *pick_throttled(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *client;

	if (engine->inflight)
		return NULL;
	list_for_each_entry(client, &gpu->all_clients, all)
		if (client->reserve->nr_throttled)
			return rb_entry(rb_first_cached(&client->reserve->throttled), struct tg_job,
					rank);
	return take(gpu);
}

/* Forgets every third job that it is given. */
static void queue_losing(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->seq % 3)
		queue(gpu, job);
	else
		INIT_LIST_HEAD(&job->link);
}

/* Lies down after the third job, and would be woken at the end of time. */
static s64 wake_never(struct tg_gpu *gpu)
{
	return TG_NEVER;
}

/* Lets the engine idle, and asks to be woken without end. */
static s64 wake_always(struct tg_gpu *gpu)
{
	return gpu->now;
}

static s64 wake_in_the_past(struct tg_gpu *gpu)
{
	return 0;
}

/* Holds back the first client, and chooses its jobs. */
static void tick_holding(struct tg_gpu *gpu)
{
	if (!list_empty(&gpu->all_clients))
		tg_gate(gpu, list_first_entry(&gpu->all_clients, struct tg_client, all),
			TG_GATE_HOLD);
}

static struct tg_job *pick_held(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *client = list_first_entry(&gpu->all_clients, struct tg_client, all);
	struct tg_channel *ch;

	if (engine->inflight)
		return NULL;
	for (ch = client->channels; ch; ch = ch->next)
		if (tg_client_waits(client) && !list_empty(&ch->jobs))
			return list_first_entry(&ch->jobs, struct tg_job, sibling);
	return take(gpu);
}

/* Asks, and has no queue. */
static void tick_asking(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		tg_gate(gpu, client, TG_GATE_ASK);
}

/* Lets one client run at a time, never again after the third time. */
static void tick_one(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all) {
		if (client->gate == TG_GATE_TRACK && !client->inflight)
			tg_gate(gpu, client, TG_GATE_HOLD);
		else if (client->gate == TG_GATE_HOLD && state(gpu)->picks < 2 &&
			 tg_client_waits(client) && ++state(gpu)->picks)
			tg_gate(gpu, client, TG_GATE_TRACK);
	}
}

/* Polls without end, and waits for a sample that never comes. */
static void tick_polling(struct tg_gpu *gpu)
{
	if (!gpu->poll_until)
		tg_poll(gpu, gpu->now + TG_SEC, 1);
}

/* Asks again and again whether held clients are idle. */
static void tick_syncing(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (client->opened)
			tg_sync(gpu, client);
}

#define JOBS	24

/* Opens the gate of one client when all jobs wait, and never looks whether anything goes through. */
static void tick_deaf(struct tg_gpu *gpu)
{
	if (gpu->seq == JOBS)
		tg_gate(gpu, list_first_entry(&gpu->all_clients, struct tg_client, all),
			TG_GATE_OPEN);
}

extern const struct tg_policy tg_policy_none, tg_policy_fifo, tg_policy_timegraph;

#define WRONG(n, q, p, w) static const struct tg_policy n = { \
	.name = #n, .mode = TG_GATE_ASK, .init = init, .queue = q, .drop = drop, .pick = p, \
	.wake = w }

WRONG(right, queue, pick_right, NULL);
WRONG(nothing, queue, pick_nothing, NULL);
WRONG(three, queue, pick_three, NULL);
WRONG(strange, queue, pick_stranger, NULL);
WRONG(twin, queue, pick_double, NULL);
WRONG(twice, queue, pick_twice, NULL);
WRONG(disorderly, queue, pick_last, NULL);
WRONG(unthrottled, queue, pick_throttled, NULL);
WRONG(losing, queue_losing, pick_right, NULL);
WRONG(sleepy, queue, pick_three, wake_never);
WRONG(restless, queue, pick_nothing, wake_always);
WRONG(late, queue, pick_nothing, wake_in_the_past);

#define GATES(n, m, t) static const struct tg_policy n = { \
	.name = #n, .mode = m, .init = init, .tick = t }

GATES(holding, TG_GATE_HOLD, NULL);
GATES(asking, TG_GATE_HOLD, tick_asking);
GATES(forgetful, TG_GATE_HOLD, tick_one);
GATES(polling, TG_GATE_HOLD, tick_polling);
GATES(syncing, TG_GATE_HOLD, tick_syncing);
GATES(deaf, TG_GATE_HOLD, tick_deaf);

static const struct tg_policy touching = {
	.name = "touching", .mode = TG_GATE_ASK, .init = init, .queue = queue, .drop = drop,
	.pick = pick_held, .tick = tick_holding,
};

static const struct tg_policy *const table[] = {
	&tg_policy_none, &tg_policy_fifo, &tg_policy_timegraph, &right, &nothing, &three,
	&strange, &twin, &twice, &disorderly, &unthrottled, &losing, &sleepy, &restless,
	&late, &holding, &asking, &forgetful, &polling, &syncing, &deaf, &touching,
};

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

static const struct row {
	const char *name, *policy;
	int note;		/* that tells of the ejection; -1: none may come */
	s64 within;		/* of the first submission */
} rows[] = {
	{ "a right one stays", "right", -1, 0 },
	{ "picks nothing", "nothing", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "picks three jobs, then nothing", "three", TG_NOTE_EJECTED_STARVED, 2 * TG_SEC },
	{ "picks a stranger", "strange", TG_NOTE_EJECTED_PICK, 0 },
	{ "picks a copy of a job", "twin", TG_NOTE_EJECTED_PICK, 0 },
	{ "frees twice", "twice", TG_NOTE_EJECTED_PICK, 0 },
	{ "picks out of a channel's order", "disorderly", TG_NOTE_EJECTED_PICK, 0 },
	{ "picks what a reserve holds back", "unthrottled", TG_NOTE_EJECTED_PICK, 10 * TG_MSEC },
	{ "loses a job", "losing", TG_NOTE_EJECTED_STARVED, 2 * TG_SEC },
	{ "sleeps for ever", "sleepy", TG_NOTE_EJECTED_STARVED, 2 * TG_SEC },
	{ "wakes always", "restless", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "wakes in the past", "late", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "holds everybody", "holding", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "asks without a queue", "asking", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "forgets whom it holds", "forgetful", TG_NOTE_EJECTED_STARVED, 2 * TG_SEC },
	{ "polls and decides nothing", "polling", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "asks who is idle and decides nothing", "syncing", TG_NOTE_EJECTED_STARVED, TG_SEC },
	{ "holds beside an open gate that is quiet", "deaf", TG_NOTE_EJECTED_STARVED, 2 * TG_SEC },
	{ "picks what it holds", "touching", TG_NOTE_EJECTED_PICK, 0 },
};

/* A host's thread for each freed job: start, run for a millisecond, end. */
static void serve(struct th_host *h, s64 until)
{
	struct th_job *next;
	u32 i;

	while (h->now < until && !*h->wrong) {
		next = NULL;
		for (i = 0; i < h->nr_job; i++) {
			struct th_job *job = &h->job[i];

			if (job->state == TH_FREED)
				th_started(h, job, h->now);
			if (job->state == TH_STARTED && (!next || job->id < next->id))
				next = job;
		}
		if (next) {
			th_advance(h, h->now + TG_MSEC);
			th_done(h, next, h->now);
		} else if (h->watch) {
			th_quiet(h);
		} else {
			th_advance(h, min(until, max(h->armed, h->now + 1)));
		}
	}
}

static bool ejected(const struct th_host *h)
{
	return h->notes[TG_NOTE_EJECTED_PICK] || h->notes[TG_NOTE_EJECTED_STARVED];
}

static void run(const struct row *row)
{
	struct th_client *client[3];
	struct th_host h;
	s64 start = 1000, step;
	u32 i;

	th_init(&h, 1, row->policy, start, 3, JOBS, 4);
	th_spec(&h, "b:prt:pe:1:1000:10000\n", false);
	client[0] = th_join(&h, NULL, "a", 0, 1);
	client[1] = th_join(&h, NULL, "b", 0, 1);
	client[2] = th_join(&h, NULL, "c", 0, 1);
	for (i = 0; i < JOBS; i++)
		th_submit(&h, client[i % 3], 0, NULL);
	/* in steps, so as to see when */
	for (step = 0; step <= 4 * TG_SEC && !ejected(&h); step += TG_MSEC) {
		serve(&h, start + step);
		if (row->note >= 0 && step > row->within + 10 * TG_MSEC) {
			th_fail(&h, "still in force");
			break;
		}
	}
	if (row->note >= 0 && (h.notes[row->note] != 1 || h.core.policy != &tg_policy_fifo))
		th_fail(&h, "%llu notes, and %s in force", (unsigned long long)h.notes[row->note],
			h.core.policy->name);
	if (row->note < 0 && ejected(&h))
		th_fail(&h, "ejected");
	/* and life goes on: nothing is lost, new jobs pass */
	serve(&h, h.now + TG_SEC);
	if (h.freed != JOBS)
		th_fail(&h, "%llu of %u jobs were freed", (unsigned long long)h.freed, JOBS);
	for (i = 0; i < 3; i++)
		th_submit(&h, client[i], 0, NULL);
	serve(&h, h.now + TG_SEC);
	if (h.freed != JOBS + 3)
		th_fail(&h, "later jobs do not pass");
	th_wind_up(&h);
	test_row(row->name, !*h.wrong, "%s", h.wrong);
	th_deinit(&h);
}

/* A policy may do with jobs what it wants, and a switch away from it still comes to its end. */
static const struct drain_row {
	const char *name, *from, *to;
	bool hang;		/* a job in flight never ends */
} drain_rows[] = {
	{ "drain of one that picks nothing", "nothing", "timegraph", false },
	{ "drain of one that loses jobs", "losing", "timegraph", false },
	{ "drain of one that wakes always", "restless", "fifo", false },
	{ "drain of one that never wakes", "sleepy", "none", false },
	{ "drain of one that holds everybody", "holding", "timegraph", false },
	{ "drain of one that asks who is idle", "syncing", "fifo", false },
	{ "drain of one that polls", "polling", "fifo", false },
	{ "drain that a hung job holds up", "right", "timegraph", true },
};

static void drain(const struct drain_row *row)
{
	struct th_client *client[3];
	struct th_host h;
	u64 freed;
	u32 i;

	th_init(&h, 1, row->from, 1000, 3, JOBS, 4);
	for (i = 0; i < 3; i++)
		client[i] = th_join(&h, NULL, "a", 0, 1);
	for (i = 0; i < 6; i++)
		th_submit(&h, client[i % 3], 0, NULL);
	if (row->hang) {
		for (i = 0; i < JOBS; i++)
			if (h.job[i].state == TH_FREED)
				th_started(&h, &h.job[i], h.now);
		freed = h.freed;
		th_policy(&h, row->to);
		th_advance(&h, h.now + 9 * TG_SEC);
		if (h.freed != freed || !h.core.next_policy)
			th_fail(&h, "the drain ends before its time");
		th_advance(&h, h.now + 2 * TG_SEC);
		if (!h.notes[TG_NOTE_DRAIN_CUT] && !h.notes[TG_NOTE_LOST])
			th_fail(&h, "nobody is told");
	} else {
		serve(&h, h.now + 10 * TG_MSEC);
		th_policy(&h, row->to);
		serve(&h, h.now + 20 * TG_MSEC);
	}
	if (h.core.next_policy || strcmp(h.core.policy->name, row->to))
		th_fail(&h, "%s is in force", h.core.policy->name);
	serve(&h, h.now + TG_SEC);
	if (h.freed != 6)
		th_fail(&h, "%llu of 6 jobs were freed", (unsigned long long)h.freed);
	if (ejected(&h))
		th_fail(&h, "ejected");
	th_wind_up(&h);
	test_row(row->name, !*h.wrong, "%s", h.wrong);
	th_deinit(&h);
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		run(&rows[i]);
	for (i = 0; i < ARRAY_SIZE(drain_rows); i++)
		drain(&drain_rows[i]);
	return test_end();
}
