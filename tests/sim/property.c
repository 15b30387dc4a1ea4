// SPDX-License-Identifier: GPL-2.0
/*
 * What policies and reserves promise, on random loads over a hardware that does one group at a
 * time, in the order of the doorbells:
 *
 * priority	while a job is eligible, at most one lower-priority group runs that was not freed
 *		before; D where an HT client of depth D was in flight
 * depth	PRT: alone on its engine. HT: beside its own client's only, at most D in all
 * lead		with lead_us: a group whose reserve limits nothing also goes beside one that is
 *		predicted to end within it; a job that arrives then waits for those two
 * reserve	over any window of length t at most C (ceil(t/T) + 1) plus one group per job that
 *		may be in flight (AE: one x more, the largest, since the budget grows to C and x;
 *		only that where all costs are equal and smaller than C, and with ae_faithful not
 *		even that)
 * share	a client that always has work and no rival gets C/T, to within a few groups
 * work		an engine is not idle while a job is eligible for it
 * bypass	where jobs may bypass the core (tg_gpu_may_bypass()), all is as if they had been
 *		submitted to it: which job goes when, what is charged, what is left of the budgets;
 *		only the predictor may differ, where groups that are not alike went unread (AE)
 *
 * property [STEPS [SEED]]: steps per row (default 100 000), first seed
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "host.h"
#include "mem.h"
#include "workload.h"

#define CLIENTS	12
#define JOBS	64
#define USES	4096		/* groups remembered per reserve */
#define KNOB_LEAD	1	/* of timegraph: lead_us */

static const struct row {
	const char *name, *policy, *spec;
	const char *comms;	/* clients: one letter each, matched by the spec */
	s64 cost;		/* up to */
	s64 gap;		/* between a client's submissions: up to; 0: back to back */
	u32 burst;		/* submissions at once: up to */
	s64 submit;		/* from FREE to doorbell: up to */
	s64 now;
	enum { SHARE = 1, EXACT = 2, FAITHFUL = 4 } what;	/* all groups have the cost; see check_*() */
	u32 lead;		/* us */
} rows[] = {
	{ "prt: priorities", "timegraph", "a:prt:bg:9:0:0\nb:prt:bg:8:0:0\nc:prt:bg:8:0:0\n"
	  "d:prt:bg:1:0:0\n", "abbccdde", 5 * TG_MSEC, 40 * TG_MSEC, 3, 50 * TG_USEC, 0, 0, 0 },
	{ "prt: many", "timegraph", "a:prt:bg:9:0:0\nb:prt:bg:8:0:0\n", "abbbbbbbbbbb",
	  TG_MSEC, 20 * TG_MSEC, 4, 10 * TG_USEC, 0, 0, 0 },
	{ "ht: depth", "timegraph", "a:prt:bg:9:0:0\nb:ht:bg:8:0:0:depth=4\nc:ht:bg:8:0:0\n"
	  "d:ht:bg:1:0:0:depth=1\n", "abbccdde", 5 * TG_MSEC, 40 * TG_MSEC, 6, 50 * TG_USEC, 0, 0, 0 },
	{ "ht: deepest", "timegraph", "a:prt:bg:9:0:0\nb:ht:bg:8:0:0:depth=64\n", "aabb",
	  TG_MSEC, 20 * TG_MSEC, 30, 50 * TG_USEC, 0, 0, 0 },
	{ "ht: in company", "timegraph", "a:ht:bg:9:0:0:depth=16\nb:ht:bg:8:0:0\n", "abb",
	  TG_MSEC / 2, TG_MSEC, 1, 50 * TG_USEC, 0, 0, 0 },
	{ "ht: among equals", "timegraph", "exe=*:ht:bg:8:0:0:depth=16\n", "abc",
	  TG_MSEC, 8 * TG_MSEC, 16, 50 * TG_USEC, 0, 0, 0 },
	{ "pe", "timegraph", "a:prt:pe:9:4000:16000\nb:prt:pe:8:2000:10000\nc:prt:pe:1:500:40000\n",
	  "abbcd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "pe: ht", "timegraph", "a:ht:pe:9:4000:16000:depth=5\nb:ht:pe:8:2000:10000\n", "abbd",
	  3 * TG_MSEC, 10 * TG_MSEC, 8, 50 * TG_USEC, 0, 0, 0 },
	{ "pe: shared", "timegraph", "a:prt:pe:9:4000:16000:reserve=r\n"
	  "b:ht:pe:8:4000:16000:reserve=r\n",
	  "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "pe: background", "timegraph", "a:prt:bg:9:5000:20000\nb:ht:bg:2:0:0\n", "aabbd",
	  3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "ae", "timegraph", "a:prt:ae:9:4000:16000\nb:prt:ae:8:2000:10000\nc:prt:ae:1:500:40000\n",
	  "abbcd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "ae: ht", "timegraph", "a:ht:ae:9:4000:16000:depth=5\nb:ht:ae:8:2000:10000\n", "abbd",
	  3 * TG_MSEC, 10 * TG_MSEC, 8, 50 * TG_USEC, 0, 0, 0 },
	{ "ae: shared", "timegraph", "a:prt:ae:9:4000:16000:reserve=r\n"
	  "b:ht:ae:8:4000:16000:reserve=r\n",
	  "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "ae: debts", "timegraph", "a:prt:ae:9:2500:25000\n", "aa", 20 * TG_MSEC, 10 * TG_MSEC, 2,
	  50 * TG_USEC, 0, 0, 0 },
	{ "ae: exact", "timegraph", "a:prt:ae:9:4000:16000\nb:ht:ae:8:9000:30000:depth=5\n",
	  "aabbd",
	  3 * TG_MSEC / 2, 4 * TG_MSEC, 8, 50 * TG_USEC, 0, EXACT, 0 },
	{ "ae: alone", "timegraph", "a:ht:ae:9:20000:30000:depth=5\n", "a", TG_MSEC, 12 * TG_MSEC, 4,
	  50 * TG_USEC, 0, EXACT, 0 },
	{ "cbs: above caps", "timegraph", "a:prt:cbs:9:4000:16000\nb:prt:pe:8:2000:10000\n"
	  "c:ht:ae:1:500:40000\n", "abbcd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "cbs: share", "timegraph", "a:prt:cbs:9:2000:10000\n", "a", 2 * TG_MSEC, 0, 1, 0, 0,
	  SHARE, 0 },
	{ "cbs: share, groups longer than T", "timegraph", "a:prt:cbs:9:2000:10000\n", "a",
	  25 * TG_MSEC, 0, 1, 0, 0, SHARE, 0 },
	{ "pe: share, groups as long as C", "timegraph", "a:prt:pe:9:2000:10000\n", "a",
	  2 * TG_MSEC, 0, 1, 0, 0, SHARE, 0 },
	{ "pe: share, groups longer than T", "timegraph", "a:prt:pe:9:2000:10000\n", "a",
	  25 * TG_MSEC, 0, 1, 0, 0, SHARE, 0 },
	{ "pe: share, short groups", "timegraph", "a:ht:pe:9:2000:10000\n", "a", 20 * TG_USEC, 0, 2,
	  0, 0, SHARE, 0 },
	{ "ae: share", "timegraph", "a:prt:ae:9:2000:10000\n", "a", 2 * TG_MSEC, 0, 1, 0, 0,
	  SHARE, 0 },
	{ "C = T", "timegraph", "a:prt:pe:9:16000:16000\nb:prt:ae:9:1:1\n", "aabb", 3 * TG_MSEC,
	  10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "C = 1 us, T = 10 s", "timegraph", "a:prt:pe:9:1:10000000\nb:prt:ae:8:1:10000000\n", "ab",
	  100, 10 * TG_MSEC, 1, 50 * TG_USEC, 0, 0, 0 },
	{ "C = 1 us, T = 2 us", "timegraph", "a:prt:pe:9:1:2\nb:ht:ae:9:1:2\n", "aabb", 3 * TG_MSEC,
	  10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "costs of 1 ns", "timegraph", "a:prt:pe:9:1:2\nb:ht:ae:9:1000:2000\n", "aabb", 1,
	  10 * TG_USEC, 4, 1, 0, 0, 0 },
	{ "costs of an hour", "timegraph", "a:prt:pe:9:1000000:10000000\n"
	  "b:prt:pe:8:9999999:10000000\n",
	  "ab", 3600 * TG_SEC, 10 * TG_SEC, 2, 50 * TG_USEC, 0, 0, 0 },
	{ "the clock's end", "timegraph", "a:prt:pe:9:4000:16000\nb:ht:ae:8:2000:10000\n", "abbd",
	  3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, S64_MAX - 100000 * TG_SEC, 0, 0 },
	{ "lead: priorities", "timegraph", "a:prt:ae:9:1000:1000\nb:prt:ae:8:1000:1000\n"
	  "c:prt:bg:8:0:0\nd:prt:ae:1:1000:1000\n", "abbccdde", 5 * TG_MSEC, 40 * TG_MSEC, 3,
	  50 * TG_USEC, 0, 0, 300 },
	{ "lead: longer than any group", "timegraph", "a:prt:ae:9:1000:1000\nb:prt:ae:8:1000:1000\n"
	  "c:prt:ae:1:1000:1000\n", "abbccc", TG_MSEC, 10 * TG_MSEC, 3, 50 * TG_USEC, 0, 0,
	  100000 },
	{ "lead: ht", "timegraph", "a:prt:ae:9:1000:1000\nb:ht:ae:8:1000:1000:depth=4\n"
	  "c:ht:ae:8:1000:1000\n", "abbccd", 5 * TG_MSEC, 30 * TG_MSEC, 6, 50 * TG_USEC, 0, 0,
	  1000 },
	{ "lead: reserves", "timegraph", "a:prt:ae:9:4000:16000\nb:prt:pe:8:2000:10000\n"
	  "c:ht:ae:8:4000:16000:reserve=r\nd:prt:ae:9:1000:1000\n", "abbccddd",
	  3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 500 },
	{ "band: one virtual GPU is timegraph", "band", "a:prt:bg:9:0:0\nb:ht:bg:8:0:0:depth=4\n"
	  "c:prt:pe:8:4000:16000\nd:prt:bg:1:0:0\n", "abbccdde", 5 * TG_MSEC, 40 * TG_MSEC, 6,
	  50 * TG_USEC, 0, 0, 0 },
	{ "credit: virtual GPUs in debt, never idle", "credit", "[vgpu v]:10:1:1\n[vgpu w]:60:1:1\n"
	  "a:prt:bg:1:0:0:vgpu=v\nb:prt:bg:1:0:0:vgpu=v\nc:ht:bg:1:0:0:vgpu=w\nd:prt:bg:1:0:0\n",
	  "aabbccdd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "vfifo: reserves", "vfifo", "[vgpu v]:10:1:1\na:prt:pe:0:4000:16000:vgpu=v\n"
	  "b:prt:ae:0:2000:10000\n", "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "fcfs: alone, never idle", "fcfs", "", "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0,
	  0, 0 },
	{ "fcfs: reserves", "fcfs", "a:prt:pe:5:4000:16000\nb:prt:ae:5:2000:10000\n"
	  "d:prt:bg:5:0:0\n", "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "fifo", "fifo", "a:prt:pe:9:4000:16000\n", "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4,
	  50 * TG_USEC, 0, 0, 0 },
	{ "none", "none", "", "aabbd", 3 * TG_MSEC, 10 * TG_MSEC, 4, 50 * TG_USEC, 0, 0, 0 },
	{ "ae: exact, as in the paper", "timegraph",
	  "a:prt:ae:9:4000:16000\nb:ht:ae:8:9000:30000:depth=5\n", "aabbd",
	  3 * TG_MSEC / 2, 4 * TG_MSEC, 8, 50 * TG_USEC, 0, EXACT | FAITHFUL, 0 },
};

/* A reserve's uses: groups on the hardware, in order. */
struct uses {
	const struct tg_reserve *reserve;
	u32 nr, depth;
	u32 known;		/* from this one on, all were predicted at what they took */
	s64 x;			/* the largest prediction */
	s64 from[USES], to[USES];
};

struct prop {
	struct th_host h;
	struct tgs_rng rng;
	const struct row *row;
	struct list_head doorbells;	/* started jobs, in order */
	s64 head_since;			/* when the first of them began */
	struct uses uses[CLIENTS + 1];
	u32 nr_uses;
	s64 used, began;
	struct past *past;
};

/* What happened, to be held against a run in which jobs bypass the core. */
struct past {
	struct {
		u64 job;
		s64 at, gpu_time, budget;	/* went: 0, 0; ended: of its client, its reserve */
	} *what;
	u64 nr, room, seen;
	bool again;				/* the second run: @seen of @nr were the same */
	bool unlike;				/* groups went unread: the predictor lacks their costs */
	u64 went;
};

static struct tg_client *client_of(struct prop *p, const struct th_job *job)
{
	return tg_gpu_client(&p->h.core, job->client->id);
}

static void remember(struct prop *p, const struct th_job *job, s64 gpu_time, s64 budget)
{
	struct past *past = p->past;

	if (!past)
		return;
	if (!past->again) {
		if (past->nr == past->room) {
			past->room = past->room ? 2 * past->room : 1024;
			past->what = realloc(past->what, past->room * sizeof(*past->what));
			if (!past->what)
				abort();
		}
		past->what[past->nr].job = job->id;
		past->what[past->nr].at = p->h.now;
		past->what[past->nr].gpu_time = gpu_time;
		past->what[past->nr++].budget = budget;
	} else if (!past->unlike && past->seen < past->nr) {
		if (past->what[past->seen].job != job->id || past->what[past->seen].at != p->h.now ||
		    past->what[past->seen].gpu_time != gpu_time ||
		    past->what[past->seen].budget != budget)
			th_fail(&p->h, "job %llu: used %lld, left %lld; asked, it was job %llu at %lld: "
				"used %lld, left %lld", (unsigned long long)job->id,
				(long long)gpu_time, (long long)budget,
				(unsigned long long)past->what[past->seen].job,
				(long long)past->what[past->seen].at,
				(long long)past->what[past->seen].gpu_time,
				(long long)past->what[past->seen].budget);
		past->seen++;
	}
}

static bool asks(const struct prop *p)
{
	return p->h.core.policy->mode == TG_GATE_ASK;
}

static u32 depth_of(const struct tg_client *client)
{
	if (client->sched == TG_PRT)
		return 1;
	return client->depth ? client->depth : 2;
}

/* Is the group on the hardware predicted to end within the lead time? */
static bool ends_soon(struct prop *p)
{
	struct th_job *head = list_first_entry_or_null(&p->doorbells, struct th_job, link);
	s64 lead = p->row->lead * TG_USEC;

	return lead && head && head->core.predicted &&
	       p->head_since + head->core.predicted - lead <= p->h.now;
}

/* ---- priority and depth ----------------------------------------------------------------- */

static void on_free(struct th_host *h, struct th_job *job)
{
	struct prop *p = h->test;
	struct tg_client *client = client_of(p, job);
	u32 i, others = 0, own = 0, early;

	remember(p, job, 0, 0);
	if (!asks(p))
		return;
	for (i = 0; i < h->nr_job; i++) {
		struct th_job *other = &h->job[i];

		if (other == job || (h->kind == TG_EV_DONE && other->id == h->target))
			continue;
		if (other->state == TH_FREED || other->state == TH_STARTED) {
			own += other->client == job->client;
			others += other->client != job->client;
		}
		/* waits, eligible, and is worth more: the one that goes now passes it */
		if (other->state == TH_ASKED && other->core.state == TG_JOB_QUEUED &&
		    other->core.client->prio > client->prio)
			th_fail(h, "a job of priority %u goes before one of %u", client->prio,
				other->core.client->prio);
	}
	early = own + others == 1 && ends_soon(p);
	if (early && client->reserve->capacity < client->reserve->period)
		early = 0;
	if (others > early)
		th_fail(h, "a job goes beside %u of other clients", others);
	if (own + 1 > max(depth_of(client), 1 + early))
		th_fail(h, "%u groups in flight; %u allowed", own + 1, depth_of(client));
	if (job->lower > job->allowed)
		th_fail(h, "%u lower-priority groups went before; %u allowed", job->lower,
			job->allowed);
}

/* Jobs that have just become eligible: what is in flight now is what they may wait for. */
static void look(struct prop *p)
{
	struct th_host *h = &p->h;
	struct th_job *head = NULL;
	u32 i, allowed = 0, inflight = 0;

	if (*h->wrong)
		return;
	for (i = 0; i < h->nr_job; i++)
		if (h->job[i].state == TH_FREED || h->job[i].state == TH_STARTED) {
			head = &h->job[i];
			allowed = max(allowed, depth_of(client_of(p, head)));
			inflight++;
		}
	if (p->row->lead)
		allowed = max(allowed, inflight);
	for (i = 0; i < h->nr_job; i++) {
		struct th_job *job = &h->job[i];

		if (job->state != TH_ASKED)
			continue;
		if (job->core.state == TG_JOB_QUEUED && job->seen != TG_JOB_QUEUED + 1) {
			job->lower = 0;
			job->allowed = allowed;
		}
		job->seen = job->core.state + 1;
		if (asks(p) && job->core.state == TG_JOB_QUEUED && !head)
			th_fail(h, "job %llu waits, and the engine is idle",
				(unsigned long long)job->id);
		if (asks(p) && job->core.state == TG_JOB_THROTTLED &&
		    job->core.reserve->capacity >= job->core.reserve->period)
			th_fail(h, "a reserve that is unlimited holds a job back");
		if (!asks(p))
			th_fail(h, "a job waits under %s", p->row->policy);
	}
}

static void count_lower(struct prop *p, const struct th_job *ended)
{
	u32 i;

	for (i = 0; i < p->h.nr_job; i++) {
		struct th_job *job = &p->h.job[i];

		if (job->state == TH_ASKED && job->core.state == TG_JOB_QUEUED &&
		    job->core.client->prio > client_of(p, ended)->prio)
			job->lower++;
	}
}

/* ---- reserves --------------------------------------------------------------------------- */

static void use(struct prop *p, const struct th_job *job, s64 from, s64 to)
{
	const struct tg_client *client = client_of(p, job);
	struct uses *u;
	u32 i;

	p->used += to - from;
	for (i = 0; i < p->nr_uses && p->uses[i].reserve != client->reserve; i++)
		;
	u = &p->uses[i];
	if (i == p->nr_uses) {
		p->nr_uses++;
		u->reserve = client->reserve;
	}
	u->depth = max(u->depth, depth_of(client));
	if (u->nr == USES)
		return;
	u->from[u->nr] = from;
	u->to[u->nr++] = to;
	u->x = max(u->x, job->core.predicted);
	if (job->core.predicted < to - from)
		u->known = u->nr;
}

/* All windows from the start of one group to the end of another. */
static void check_windows(struct prop *p, const struct uses *u)
{
	const struct tg_reserve *r = u->reserve;
	s64 longest = 0, sum, t, bound, slack;
	u32 i, j;

	if (r->capacity >= r->period)
		return;
	for (i = 0; i < u->nr; i++)
		longest = max(longest, u->to[i] - u->from[i]);
	slack = longest * u->depth + (r->kind == TG_AE ? max(longest, u->x) : 0);
	i = 0;
	if (p->row->what & EXACT) {	/* but those that came before any was known: nothing is overdrawn */
		slack = p->row->what & FAITHFUL ? 0 : u->x;
		i = u->known;
		if (i > JOBS / 2)
			th_fail(&p->h, "%u groups were predicted at less than they took", i);
	}
	for (; i < u->nr; i++)
		for (sum = 0, j = i; j < u->nr; j++) {
			sum += u->to[j] - u->from[j];
			t = u->to[j] - u->from[i];
			bound = r->capacity * ((t + r->period - 1) / r->period + 1) + slack;
			if (sum > bound) {
				th_fail(&p->h, "%lld us used within %lld us; %lld allowed",
					(long long)(sum / 1000), (long long)(t / 1000),
					(long long)(bound / 1000));
				return;
			}
		}
}

static void check_share(struct prop *p)
{
	const struct tg_reserve *r = p->uses[0].reserve;
	s64 ran = p->h.now - p->began, fair;

	if (!r)
		return;
	fair = ran / r->period * r->capacity;
	if (p->used < fair - 2 * (p->row->cost + r->capacity) ||
	    p->used > fair + 2 * (p->row->cost + r->capacity))
		th_fail(&p->h, "%lld us used in %lld us; %lld wanted", (long long)(p->used / 1000),
			(long long)(ran / 1000), (long long)(fair / 1000));
}

/* ---- load and hardware ------------------------------------------------------------------ */

static s64 some(struct prop *p, s64 most)
{
	return most ? (s64)tgs_rng_below(&p->rng, most) : 0;
}

static u32 waiting(struct prop *p, const struct th_client *client)
{
	u32 i, n = 0;

	for (i = 0; i < JOBS; i++)
		n += p->h.job[i].state != TH_SPARE && p->h.job[i].client == client;
	return n;
}

static void submit(struct prop *p, struct th_client *client)
{
	u32 n = 1 + some(p, p->row->burst);
	const struct tg_key key = { };		/* all groups look the same */
	struct th_job *job;

	if (!p->row->gap)		/* back to back: keep it full */
		n = p->row->burst > waiting(p, client) ? p->row->burst - waiting(p, client) : 0;
	while (n--) {
		job = th_submit(&p->h, client, 0, &key);
		if (!job)
			break;
		job->cost = p->row->what ? p->row->cost : 1 + some(p, p->row->cost);
		look(p);
	}
	client->next = p->h.now + (p->row->gap ? 1 + some(p, p->row->gap) : TG_NEVER / 4);
}

/* The next doorbell, and the end of the group that runs. */
static void doorbell(struct prop *p, struct th_job *job)
{
	if (list_empty(&p->doorbells))
		p->head_since = p->h.now;
	list_add_tail(&job->link, &p->doorbells);
	th_started(&p->h, job, p->h.now);
	look(p);
}

static void complete(struct prop *p)
{
	struct th_job *job = list_first_entry(&p->doorbells, struct th_job, link);
	struct th_client *client = job->client;

	list_del_init(&job->link);
	th_tell(&p->h);		/* what has been predicted of it */
	use(p, job, p->head_since, p->h.now);
	p->head_since = p->h.now;
	count_lower(p, job);
	th_done(&p->h, job, p->h.now);
	remember(p, job, tg_gpu_client(&p->h.core, client->id)->stats.gpu_time,
		 tg_gpu_client(&p->h.core, client->id)->reserve->budget);
	look(p);
	if (!p->row->gap)
		submit(p, client);
}

static void step(struct prop *p)
{
	struct th_host *h = &p->h;
	struct th_job *bell = NULL, *head;
	struct th_client *next = NULL;
	s64 at = h->armed, end = TG_NEVER;
	u32 i;

	for (i = 0; i < JOBS; i++) {
		struct th_job *job = &h->job[i];

		if (job->state != TH_FREED)
			continue;
		if (job->lower != U32_MAX) {	/* freed just now: its thread is on the way */
			job->lower = U32_MAX;
			job->at = h->now + some(p, p->row->submit);
		}
		if (!bell || job->at < bell->at || (job->at == bell->at && job->id < bell->id))
			bell = job;
	}
	for (i = 0; i < CLIENTS; i++)
		if (h->client[i].used && (!next || h->client[i].next < next->next))
			next = &h->client[i];
	head = list_first_entry_or_null(&p->doorbells, struct th_job, link);
	if (head)
		end = p->head_since + head->cost;

	at = min(at, min(end, min(bell ? bell->at : TG_NEVER, next->next)));
	if (at == h->armed && at != TG_NEVER) {
		th_advance(h, max(at, h->now));
		look(p);
		return;
	}
	h->now = max(h->now, at);
	if (head && end == at)
		complete(p);
	else if (bell && bell->at == at)
		doorbell(p, bell);
	else
		submit(p, next);
}

static void run(const struct row *row, u64 events, u64 seed, struct past *past)
{
	struct prop *p = calloc(1, sizeof(*p));
	char comm[2] = "", name[80];
	u64 steps;
	u32 i;

	if (!p)
		abort();
	p->row = row;
	p->past = past;
	p->rng.state = seed;
	p->began = row->now;
	INIT_LIST_HEAD(&p->doorbells);
	th_init(&p->h, 1, row->policy, row->now, CLIENTS, JOBS, 4);
	p->h.on_free = on_free;
	p->h.test = p;
	p->h.check_every = 64;
	p->h.may_bypass = past->again;
	th_spec(&p->h, row->spec, false);
	th_knob(&p->h, false, TG_KNOB_DEADLINE, 3600 * TG_SEC / TG_USEC);
	if (row->what & FAITHFUL)
		th_knob(&p->h, false, TG_KNOB_AE_FAITHFUL, 1);
	if (row->lead)
		th_knob(&p->h, true, KNOB_LEAD, row->lead);
	for (i = 0; row->comms[i]; i++) {
		comm[0] = row->comms[i];
		th_join(&p->h, NULL, comm, 0, 1)->next = row->now + some(p, row->gap);
	}
	for (steps = 0; steps < events && !*p->h.wrong && p->h.now < S64_MAX / 2 + row->now / 2;
	     steps++)
		step(p);
	for (i = 0; i < p->nr_uses && asks(p) && !*p->h.wrong; i++)
		check_windows(p, &p->uses[i]);
	if (row->what == SHARE && !*p->h.wrong)
		check_share(p);
	if (row->lead)		/* what ends is not told by check_*() from here on */
		th_knob(&p->h, true, KNOB_LEAD, 0);
	p->past = NULL;		/* nor is it alike in which order */
	th_wind_up(&p->h);
	for (i = 0; i < TG_NOTE_POLICY; i++)
		if (p->h.notes[i])
			th_fail(&p->h, "note %u", i);
	past->went += p->h.went;
	if (past->again && !past->unlike && past->seen < past->nr / 2)
		th_fail(&p->h, "only %llu of %llu were seen again", (unsigned long long)past->seen,
			(unsigned long long)past->nr);
	snprintf(name, sizeof(name), "%s%s", row->name, past->again ? ": bypass" : "");
	test_row(name, !*p->h.wrong, "seed %llu: %s", (unsigned long long)seed, p->h.wrong);
	th_deinit(&p->h);
	free(p);
}

int main(int argc, char **argv)
{
	u64 events = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u64 went = 0, unread = 0, company = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct past past = { };
		const struct tg_policy *policy =
			tg_policy_get(tg_policy_find(rows[i].policy, strlen(rows[i].policy)));

		run(&rows[i], events, seed + i, &past);
		past.again = true;
		past.unlike = strstr(rows[i].spec, ":ae:") && !rows[i].what;
		if (policy->may_bypass)
			run(&rows[i], events, seed + i, &past);
		went += past.went;
		if (!strcmp(rows[i].name, "ae: alone"))
			unread = past.went;
		if (!strcmp(rows[i].name, "ht: in company"))
			company = past.went;
		free(past.what);
	}
	test_row("many bypass the core", went > events / 4, "only %llu", (unsigned long long)went);
	test_row("many bypass in company", company > events / 50, "only %llu",
		 (unsigned long long)company);
	test_row("many go unread", unread > events / 8, "only %llu", (unsigned long long)unread);
	return test_end();
}
