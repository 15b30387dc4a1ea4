// SPDX-License-Identifier: GPL-2.0
/*
 * timegraph: fixed priorities over non-preemptive command groups (TimeGraph, section 4.1).
 *
 * A group that is on the engine cannot be taken back, so the only decision is which group goes
 * next, and when. Clients choose by their spec:
 *
 *	PRT	predictable response time. A group goes only when nothing is in flight on its
 *		engines; on each completion the waiting client of highest priority goes. A job
 *		therefore waits for one group of lower priority at most, the one that was running
 *		when it came. The price is an idle engine from each completion to the next doorbell.
 *
 *	HT	high throughput. A group may also go at once when everything in flight is its own
 *		client's, no waiting client goes before it, and fewer than depth groups are in
 *		flight. The engine then does not idle between a client's own groups; a group of
 *		higher priority waits for up to depth groups.
 *
 * The knob lead_us shortens the idle gap of PRT. The next job, if its reserve has no limit, may go
 * while one group is in flight whose cost is predicted (AE), from lead_us before its predicted end
 * on. Its doorbell then rings in time. A job that arrives later waits for two groups.
 *
 * PRT and HT are properties of clients and coexist. Among equals a client that has had the engine
 * for longer goes after those that had less, and otherwise they go in arrival order (struct
 * tg_ready). To the letter of the paper an HT client whose queue never empties would keep the
 * engine from its equals for ever.
 *
 * A group that needs several engines and is next on all of them keeps each idle until the last one
 * is, and no client follows its own groups meanwhile; a group that is not next on all of them lets
 * others go first.
 * Reserves decide which jobs are eligible, before this policy sees them.
 *
 * A group of a program that can suspend its kernel is asked to end when a client of higher
 * priority, or a guaranteed one, comes (tg_yield()). The others take nothing back.
 *
 * Clients of guaranteed reserves (TG_CBS) go before all others, by deadline. While one is admitted,
 * the group in flight is all that a deadline may wait for. So no group follows another, HT or not,
 * and none is chosen early; but for a client of the only guaranteed reserve, which follows its own
 * groups as far as its budget covers them. And the engine lingers (struct tg_linger) for a
 * guaranteed client that has one group at a time, where a group of L would break its deadline.
 *
 * The job of a client that goes before all that wait may bypass the core, where nothing is in
 * flight but its own groups: what pick() would say is known (may_bypass()).
 *
 * queue and drop cost O(log clients) (struct tg_ready), and so does pick where all jobs wait for
 * the same engine; with several, it walks to the first job that claims the engine in question.
 */
#include "linger.h"
#include "ready.h"

#define LINGER_MAX	TG_MSEC

enum { KNOB_DEPTH, KNOB_LEAD };

static const struct tg_param params[] = {
	[KNOB_DEPTH] = { "depth", 1, TG_DEPTH_MAX, 2,
		"groups in flight of an ht client whose line names no depth=" },
	[KNOB_LEAD] = { "lead_us", 0, 100000, 0,
		"how long before the predicted end of a group the next one may be chosen" },
	{ }
};

struct state {
	struct tg_ready ready;
	struct tg_client *holder[TG_ENGINES_MAX];	/* an idle engine last went to it */
	struct tg_client *absent[TG_ENGINES_MAX];	/* guaranteed, and had the last group */
	struct tg_linger linger[TG_ENGINES_MAX];
	s64 most;					/* virtual time, of any client */
};

/* In each client. @gap: of a guaranteed one */
struct own {
	struct tg_ready_client ready;
	struct tg_gap gap;
};

static void timegraph_init(struct tg_gpu *gpu)
{
	struct tg_ready *ready = &tg_gpu_priv(gpu, struct state)->ready;

	tg_ready_init(ready);
	ready->tiers = true;
}

static void timegraph_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	u32 i;

	for (i = 0; i < TG_ENGINES_MAX; i++) {
		if (st->holder[i] == client)
			st->holder[i] = NULL;
		if (st->absent[i] == client) {
			tg_linger_end(gpu, &st->linger[i], true);
			st->absent[i] = NULL;
		}
	}
}

/* The least virtual time of the client's equals, those included that have groups in flight only. */
static noinline s64 least(struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);
	s64 least = tg_ready_least(&st->ready, client->prio);
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		least = min(least, tg_ready_held(st->holder[i], client));
	return least;
}

/* ... and of those that bound what it may be behind (tg_ready_apart()) */
static noinline s64 outside(struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);
	s64 least = tg_ready_outside(&st->ready, client);
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (st->holder[i] && tg_ready_apart(st->holder[i], client))
			least = min(least, tg_ready_held(st->holder[i], client));
	return least;
}

/* The client comes with @job, and had none in the policy's queue or in flight. */
static void come(struct tg_gpu *gpu, struct tg_client *client, const struct tg_job *job)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	s64 from = least(gpu, client);

	if (tg_ready_is_new(client))
		tg_ready_come(client, tg_ready_new(&st->ready, client->prio, from, job->throttled),
			      st->most);
	else if (job->throttled)
		tg_ready_return(client, from, outside(gpu, client));
	else
		tg_ready_come(client, from, st->most);
}

/* The client has used @used ns. */
static void charge(struct state *st, struct tg_client *client, s64 used)
{
	tg_ready_charge(&st->ready, client, used);
	st->most = max(st->most, tg_ready_vt(client));
}

/* Out of line, as done_guarding(): the common path keeps no registers for it. */
static noinline void queue_guaranteed(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gap_end(gpu, &tg_client_priv(job->client, struct own)->gap);
	tg_ready_queue(&tg_gpu_priv(gpu, struct state)->ready, job);
}

static void timegraph_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;

	if (RB_EMPTY_NODE(&client->node) && tg_ready_comes(client, client->inflight))
		come(gpu, client, job);
	if (client->tier == TG_TIER_FIRST)
		queue_guaranteed(gpu, job);
	else
		tg_ready_queue(&tg_gpu_priv(gpu, struct state)->ready, job);
}

static void timegraph_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_ready_drop(&tg_gpu_priv(gpu, struct state)->ready, job);
}

/* Beside a guaranteed reserve: charge, and see whether its client comes back for a next group. */
static noinline void done_guarding(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	const u32 i = __builtin_ctz(job->engines);
	struct tg_client *client = job->client;

	tg_linger_earn(&st->linger[i], used);
	/* A client that is exhausted comes back with its refill. */
	if (client->tier != TG_TIER_FIRST || client->inflight || tg_client_waits(client) ||
	    client->reserve->budget <= 0)
		client = NULL;
	st->absent[i] = client;
	if (client)
		tg_gap_begin(gpu, &tg_client_priv(client, struct own)->gap);
	charge(st, job->client, used);
}

static void timegraph_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	if (tg_gpu_guards(gpu))
		done_guarding(gpu, job, used);
	else
		charge(tg_gpu_priv(gpu, struct state), job->client, used);
}

static void timegraph_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	timegraph_done(gpu, job, job->charged);
}

/* The engine stood still for it, so it counts as used. */
static void timegraph_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	if (tg_gpu_waits(gpu))
		timegraph_done(gpu, job, held);
}

/*
 * The next job, if all that is in flight is one group that is to end within the lead time. Out of
 * line, so that it costs nothing where the knob is 0.
 */
static noinline struct tg_job *early(struct tg_gpu *gpu, struct tg_engine *engine)
{
	const struct tg_job *runs = list_first_entry_or_null(&engine->busy, struct tg_job, wait);
	s64 lead = gpu->policy_knob[KNOB_LEAD] * TG_USEC, at;
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_job *job;

	if (tg_gpu_guards(gpu))
		return NULL;
	gpu->starts = true;
	if (engine->inflight != 1 || !runs || !runs->slot || !runs->predicted)
		return NULL;
	at = tg_after(max(runs->since, engine->last_done), runs->predicted) - lead;
	if (gpu->now < at) {
		tg_wake_by(gpu, at);
		return NULL;
	}
	job = tg_ready_first(&st->ready, engine);
	if (!job || job->engines != 1 << engine->index || !tg_reserve_unlimited(job->reserve))
		return NULL;
	st->holder[engine->index] = job->client;
	timegraph_drop(gpu, job);
	return job;
}

/* What @holder has in flight is to end early, once, where a client of a higher level waits. */
static noinline void make_room(struct tg_gpu *gpu, struct tg_engine *engine,
			       struct tg_client *holder)
{
	const struct tg_job *runs = list_first_entry_or_null(&engine->busy, struct tg_job, wait);
	const struct tg_job *job = tg_ready_first(&tg_gpu_priv(gpu, struct state)->ready, engine);

	if (runs && !runs->ending && job &&
	    tg_client_level(job->client) > tg_client_level(holder))
		tg_yield(gpu, holder);
}

/* No job may go beside what is in flight, @holder's, unless lead_us says so. */
static struct tg_job *beside(struct tg_gpu *gpu, struct tg_engine *engine,
			     struct tg_client *holder)
{
	if (holder && holder->yields)
		make_room(gpu, engine, holder);
	return gpu->policy_knob[KNOB_LEAD] ? early(gpu, engine) : NULL;
}

/* A guaranteed reserve is admitted: may @holder follow its own groups? */
static bool follows(const struct tg_gpu *gpu, const struct tg_client *holder)
{
	const struct tg_reserve *r = holder->reserve;

	return holder->tier == TG_TIER_FIRST && !rb_next(rb_first_cached(&gpu->guarantees)) &&
	       r->costliest && div64_s64(r->budget, r->costliest) > r->inflight;
}

/* All that is in flight is @holder's, and fewer than depth groups: may its next job go? */
static noinline struct tg_job *follow(struct tg_gpu *gpu, struct tg_engine *engine,
				      struct tg_client *holder)
{
	struct tg_job *job = tg_first_job(holder), *top;

	top = tg_ready_first(&tg_gpu_priv(gpu, struct state)->ready, engine);
	/* Other engines may be kept idle for one that needs several. */
	if (job->engines != 1 << engine->index || top->engines != job->engines ||
	    top->client != holder || (tg_gpu_guards(gpu) && !follows(gpu, holder)))
		return beside(gpu, engine, holder);
	timegraph_drop(gpu, job);
	return job;
}

/*
 * Does the engine idle for the guaranteed client that had the last group? It does where the longest
 * group, and what is due after that with its gaps, would end behind its deadline.
 */
static bool lingers(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_linger *linger = &st->linger[engine->index];
	const struct tg_client *client = st->absent[engine->index];
	const struct tg_reserve *r;
	const struct tg_gap *gap;
	s64 need, longest;

	if (client->tier != TG_TIER_FIRST || !tg_gpu_guards(gpu))
		return false;
	r = client->reserve;
	gap = &tg_client_priv(client, const struct own)->gap;
	need = r->budget +
	       div64_s64(r->budget, max(r->costliest, TG_USEC)) * min(gap->mean, LINGER_MAX);
	longest = gpu->knob[TG_KNOB_MAX_GROUP] ?: gpu->longest;
	if (tg_after(gpu->now, longest + need) <= tg_reserve_deadline(r) ||
	    !tg_linger(gpu, linger, gap, LINGER_MAX))
		return false;
	tg_wake_by(gpu, linger->until);
	return true;
}

/*
 * May the client not go, since it goes last, and a guaranteed reserve is active? The engine idles
 * for that, but no longer than for half of the starvation limit: the reserve may be active on
 * another one.
 */
static bool guarded(struct tg_gpu *gpu, const struct tg_engine *engine,
		    const struct tg_client *client)
{
	s64 until = gpu->guarded;

	if (engine->idle_since != TG_NEVER)
		until = min(until, tg_after(engine->idle_since, gpu->knob[TG_KNOB_STARVED] / 2));
	if (client->tier != TG_TIER_LAST || !tg_gpu_guards(gpu) || gpu->now >= until)
		return false;
	tg_wake_by(gpu, until);
	return true;
}

/* Beside a guaranteed reserve: the next job, unless the engine idles instead. */
static noinline struct tg_job *next_guarding(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_job *job;

	tg_ready_refresh(&st->ready);
	job = tg_ready_next(gpu, &st->ready, engine);
	if (!job || guarded(gpu, engine, job->client))
		return NULL;
	if (st->absent[engine->index]) {
		if (job->client->tier != TG_TIER_FIRST && lingers(gpu, engine))
			return NULL;
		tg_linger_end(gpu, &st->linger[engine->index], true);
		st->absent[engine->index] = NULL;
	}
	return job;
}

/* The engine is idle. */
static noinline struct tg_job *next(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_job *job;

	/* The client that it lingers for may have had the last guarantee. */
	if (tg_gpu_guards(gpu) || st->absent[engine->index])
		job = next_guarding(gpu, engine);
	else
		job = tg_ready_next(gpu, &st->ready, engine);
	if (!job)
		return NULL;
	st->holder[engine->index] = job->client;
	timegraph_drop(gpu, job);
	return job;
}

/* Most calls end here with NULL: what goes further is out of line. */
static struct tg_job *timegraph_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *holder = tg_gpu_priv(gpu, struct state)->holder[engine->index];

	if (!engine->inflight)
		return next(gpu, engine);
	if (holder && holder->sched == TG_HT && holder->inflight == engine->inflight &&
	    !RB_EMPTY_NODE(&holder->node) &&
	    holder->inflight < (holder->depth ?: gpu->policy_knob[KNOB_DEPTH]))
		return follow(gpu, engine, holder);
	return beside(gpu, engine, holder);
}

/*
 * What pick() would say of a job before which no other goes. Answered for channels of one engine,
 * as nearly all are.
 */
static bool timegraph_may_bypass(const struct tg_gpu *gpu, const struct tg_channel *ch,
				 u32 unreported)
{
	const struct state *st = tg_gpu_priv(gpu, const struct state);
	const struct tg_engine *engine = &gpu->engine[__builtin_ctz(ch->engines)];
	const struct tg_client *client = ch->client;

	/* Where there are guarantees, the answer depends on the time. */
	if (ch->engines & (ch->engines - 1) || engine->wedged ||
	    tg_gpu_guards(gpu) || !tg_ready_leads(&st->ready, client))
		return false;
	/* early() goes by what is predicted of a group. */
	if (gpu->policy_knob[KNOB_LEAD] && client->reserve->kind == TG_AE)
		return false;
	if (!engine->inflight && !unreported)
		return true;
	return client->sched == TG_HT && client->inflight == engine->inflight &&
	       (!engine->inflight || st->holder[engine->index] == client) &&
	       client->inflight + unreported < (client->depth ?: gpu->policy_knob[KNOB_DEPTH]);
}

static void timegraph_bypassed(struct tg_gpu *gpu, struct tg_job *job)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	/* This job is in flight. */
	if (tg_ready_comes(job->client, job->client->inflight - 1))
		come(gpu, job->client, job);
	st->holder[__builtin_ctz(job->engines)] = job->client;
}

static s64 timegraph_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	return tg_ready_ahead(client, least(gpu, client));
}

TG_POLICY(timegraph) = {
	.name = "timegraph",
	.mode = TG_GATE_ASK,
	.by_prio = true,
	.params = params,
	.guarantees = true,
	.init = timegraph_init,
	.ahead = timegraph_ahead,
	.leave = timegraph_leave,
	.queue = timegraph_queue,
	.drop = timegraph_drop,
	.pick = timegraph_pick,
	.done = timegraph_done,
	.lost = timegraph_lost,
	.held = timegraph_held,
	.may_bypass = timegraph_may_bypass,
	.bypassed = timegraph_bypassed,
};
