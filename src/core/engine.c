// SPDX-License-Identifier: GPL-2.0
/*
 * Engines: the policy's picks, and what happens when a job does not come back in time.
 *
 * feed.c calls this file after most events, under the GPU's lock: tg_engines_expire() for what is
 * due (refills, FREED jobs without a fence, answers to SYNC and POLL, jobs that are to end early,
 * jobs past their deadline), then tg_engines_run() for the policy's picks, with a check that the
 * policy leaves no engine idle beside an eligible job.
 */
#include "client.h"
#include "debt.h"
#include "engine.h"
#include "feed.h"
#include "gate.h"
#include "guarantee.h"
#include "handover.h"
#include "job.h"
#include "match.h"
#include "poll.h"
#include "table.h"
#include "throttle.h"
#include "yield.h"

/* The least time between the wake-ups that a policy asks for. */
#define WAKE_MIN	(10 * TG_USEC)

/* Jobs that one event frees at a wedged engine. The host wakes a thread for each. */
#define PASSES		4

/* Clients and channels that one event looks at for such jobs. */
#define LOOKS		32

bool tg_gpu_waits(const struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].queued)
			return true;
	return false;
}

bool tg_engines_idle(const struct tg_gpu *gpu, const struct tg_job *job)
{
	u32 mask;

	for (mask = job->engines; mask; mask &= mask - 1)
		if (gpu->engine[__builtin_ctz(mask)].inflight)
			return false;
	return true;
}

static struct tg_job *first_freed(const struct tg_engine *engine)
{
	return list_empty(&engine->freed) ? NULL :
	       list_first_entry(&engine->freed, struct tg_job, wait);
}

/*
 * Does a job of higher priority wait in the policy's queue for an engine that @job needs? For one
 * of a guaranteed reserve, a job of another such reserve: each start counts in its deadline.
 */
static bool outranked(const struct tg_gpu *gpu, const struct tg_job *job)
{
	const u32 level = tg_client_level(job->client), first = TG_PRIO_MAX + 1;
	u32 mask, prio;

	for (mask = job->engines; level == first && mask; mask &= mask - 1)
		if (gpu->engine[__builtin_ctz(mask)].in_policy[first] >
		    job->reserve->first[__builtin_ctz(mask)])
			return true;
	for (mask = job->engines; mask; mask &= mask - 1)
		for (prio = level + 1; prio < TG_LEVELS; prio++)
			if (gpu->engine[__builtin_ctz(mask)].in_policy[prio])
				return true;
	return false;
}

/*
 * How long a FREED job may hold its slots while a job of higher priority waits: half as long for
 * each overlap of its client lately.
 */
static s64 patience(const struct tg_gpu *gpu, const struct tg_job *job)
{
	return min(gpu->knob[TG_KNOB_STALL] >> job->client->stalls / TG_STALL,
		   gpu->knob[TG_KNOB_FREED]);
}

/*
 * When the first FREED job of @engine loses its slots. Those behind it are mostly of the same
 * client, and are looked at when they are first.
 */
static s64 slots_expire(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	const struct tg_job *job = first_freed(engine);

	if (!job)
		return TG_NEVER;
	return tg_after(job->since, tg_reserves_hold(gpu) && outranked(gpu, job) ?
				    patience(gpu, job) : gpu->knob[TG_KNOB_FREED]);
}

/*
 * The jobs that wait, or the first FREED job, have changed: so may the time at which slots expire.
 */
void tg_engines_watch(struct tg_gpu *gpu)
{
	const struct tg_job *job;
	s64 at;
	u32 i;

	if (!tg_gpu_waits(gpu))
		return;
	for (i = 0; i < gpu->nr_engines; i++) {
		job = first_freed(&gpu->engine[i]);
		if (!job)
			continue;
		/*
		 * Mostly the job has started by then: spare the question whether it is outranked.
		 */
		at = tg_after(job->since, patience(gpu, job));
		if (at <= gpu->now)
			at = max(slots_expire(gpu, &gpu->engine[i]), gpu->pause);
		tg_wake_by(gpu, at);
	}
}

/* When the next reserve has to be looked at. */
static s64 reserves_ready(const struct tg_gpu *gpu)
{
	struct rb_node *node = rb_first_cached(&gpu->throttled);

	return node && tg_reserves_hold(gpu) ?
	       rb_entry(node, struct tg_reserve, ready_node)->ready : TG_NEVER;
}

/*
 * May the event come to one more of the reserves, jobs and clients whose time has come? Each counts
 * as two visits. It comes to one only if other work is done in steps, too.
 */
static bool goes_on(struct tg_gpu *gpu)
{
	bool steps = gpu->handover || gpu->rematching || gpu->unsent;

	if (gpu->now < gpu->pause)
		return false;
	if (gpu->visited + 2 <= (steps ? 2 : TG_VISITS)) {
		gpu->visited += 2;
		return true;
	}
	gpu->pause = tg_after(gpu->now, TG_PAUSE);
	return false;
}

/* The client that is to be blamed for its IDLE, which is late; NULL: none is. */
static struct tg_client *late_sync(struct tg_gpu *gpu)
{
	struct tg_client *client = list_first_entry_or_null(&gpu->syncs, struct tg_client, sync);

	return client && tg_after(client->sync_since, gpu->knob[TG_KNOB_DEADLINE]) <= gpu->now ?
	       client : NULL;
}

void tg_engines_expire(struct tg_gpu *gpu)
{
	struct tg_client *client;
	struct tg_reserve *r;
	u32 i;

	/* Each of these is due once only; reserves are due again and again. */
	for (i = 0; i < gpu->nr_engines; i++)
		while (slots_expire(gpu, &gpu->engine[i]) <= gpu->now && goes_on(gpu))
			tg_job_overlap(gpu, first_freed(&gpu->engine[i]));
	while ((client = late_sync(gpu)) && goes_on(gpu))
		tg_client_cut(gpu, client);
	while (reserves_ready(gpu) <= gpu->now && goes_on(gpu)) {
		r = rb_entry(rb_first_cached(&gpu->throttled), struct tg_reserve, ready_node);
		tg_reserve_review(gpu, r);
	}
	tg_poll_expire(gpu);
	for (i = 0; i < gpu->nr_engines; i++) {
		struct tg_engine *engine = &gpu->engine[i];

		if (tg_engine_deadline(gpu, engine) <= gpu->now)
			tg_job_lost(gpu, list_first_entry(&engine->busy, struct tg_job, wait));
		tg_yield_expire(gpu, engine);
	}
	tg_gates_go_on(gpu);
	tg_debts_lapse(gpu);
	tg_blames_lapse(gpu);
}

/*
 * The first job of a channel of the client's that waits for the engine. NULL: there is none.
 * @looks: what was looked at
 */
static struct tg_job *waits_for(const struct tg_engine *engine, const struct tg_client *client,
				u32 *looks)
{
	struct tg_channel *ch;

	*looks += 1;
	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next)) {
		*looks += 1;
		if (ch->engines & 1 << engine->index)
			return tg_channel_waiting(ch);
	}
	return NULL;
}

/*
 * Free jobs that wait for a wedged engine without asking the policy: a few, and the others with
 * the next events, which come soon.
 */
static noinline void pass_some(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	u32 passes = 0, looks = 0;
	struct tg_client *client;
	struct tg_job *job;

	while (engine->queued + engine->throttled) {
		if (passes == PASSES || looks > LOOKS) {
			tg_wake_by(gpu, tg_after(gpu->now, TG_PAUSE));
			return;
		}
		client = gpu->passing ?: tg_client_first(gpu);
		job = waits_for(engine, client, &looks);
		gpu->passing = job ? client : tg_client_after(gpu, client);
		if (!job)
			continue;
		passes++;
		tg_job_pass(gpu, job);
		tg_yield_now(gpu, job);
	}
}

/* May the policy choose this job for this engine now? */
static bool choosable(const struct tg_gpu *gpu, const struct tg_engine *engine,
		      const struct tg_job *job)
{
	return tg_job_find(gpu, job->id) == job && job->in_policy &&
	       job->engines & 1 << engine->index && tg_job_is_next(job);
}

/*
 * When the policy has left the engine idle beside a queued job for too long. While another engine
 * works, that engine's deadline is added: the policy may wait for it, since a job needs both, or
 * since a turn has to end.
 */
static s64 too_long(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	s64 since = engine->idle_since, limit = gpu->knob[TG_KNOB_STARVED];
	bool others_work = false;
	u32 i;

	/* What goes through open gates is not known before the host answers. */
	if (since == TG_NEVER || (gpu->open && gpu->watching))
		return TG_NEVER;
	for (i = 0; i < gpu->nr_engines; i++) {
		others_work |= gpu->engine[i].inflight;
		since = max(since, gpu->engine[i].last_done);
	}
	if (others_work)
		return tg_after(engine->idle_since, gpu->knob[TG_KNOB_DEADLINE] + limit);
	return tg_after(since, limit);
}

/* The queued job of @client that came first; NULL: none is queued. */
static struct tg_job *first_queued(const struct tg_client *client)
{
	struct tg_job *job, *first = NULL;
	const struct tg_channel *ch;

	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next)) {
		job = tg_channel_waiting(ch);
		if (job->state == TG_JOB_QUEUED && (!first || job->seq < first->seq))
			first = job;
	}
	return first;
}

/*
 * Does a queued job need this idle engine, and no engine that is busy? A policy may leave a
 * client's jobs in their order: one that waits for a busy engine holds up those behind it.
 */
static bool starves(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	const struct tg_client *client;
	const struct tg_job *job;

	list_for_each_entry(client, &gpu->all_clients, all) {
		job = first_queued(client);
		if (job && job->engines & 1 << engine->index && tg_engines_idle(gpu, job))
			return true;
	}
	return false;
}

/*
 * The policy chose none of the jobs that are queued for the engine, and no open gate is known to
 * keep it busy. Another engine may have got a job since then that needs this one, too.
 * Return: false: it has been idle for too long, and the policy has been ejected.
 */
static noinline bool idles(struct tg_gpu *gpu, struct tg_engine *engine)
{
	if (engine->inflight) {
		engine->idle_since = TG_NEVER;
		return true;
	}
	engine->idle_since = min(engine->idle_since, gpu->now);
	if (too_long(gpu, engine) <= gpu->now) {
		if (gpu->open && gpu->quiet < too_long(gpu, engine)) {
			tg_watch(gpu);
			return true;
		}
		if (starves(gpu, engine)) {
			tg_policy_eject(gpu, TG_NOTE_EJECTED_STARVED);
			return false;
		}
		engine->idle_since = gpu->now;
	}
	tg_wake_by(gpu, too_long(gpu, engine));
	return true;
}

/*
 * May a gate be open that keeps the engine busy? Yes, until the host has told once that it can tell
 * (QUIET).
 */
static bool may_be_busy(struct tg_gpu *gpu)
{
	if (!gpu->open || gpu->quiet)
		return false;
	tg_watch(gpu);
	return true;
}

/*
 * Let the policy fill one engine. One that it leaves idle is added to @idle.
 * Return: false: it broke its contract and has been ejected.
 */
static bool fill(struct tg_gpu *gpu, struct tg_engine *engine, u32 *idle)
{
	while (engine->queued) {
		struct tg_job *job = gpu->policy->pick ? gpu->policy->pick(gpu, engine) : NULL;

		if (!job) {
			if (engine->inflight || gpu->syncing || may_be_busy(gpu))
				break;
			*idle |= 1 << engine->index;
			return true;
		}
		if (!choosable(gpu, engine, job)) {
			tg_policy_eject(gpu, TG_NOTE_EJECTED_PICK);
			return false;
		}
		tg_job_free(gpu, job);
	}
	engine->idle_since = TG_NEVER;
	return true;
}

/* When the policy wants its pick() to be called again. */
static s64 policy_wake(struct tg_gpu *gpu)
{
	return max(gpu->policy->wake(gpu), tg_after(gpu->now, WAKE_MIN));
}

void tg_engines_run(struct tg_gpu *gpu)
{
	u32 idle = 0, i;

	if (gpu->rematching)
		tg_clients_rematch(gpu);
	if (gpu->handover) {
		tg_handover_go_on(gpu);
		if (gpu->handover)
			return;
	}
	if (gpu->policy->tick)
		gpu->policy->tick(gpu);
	for (i = 0; i < gpu->nr_engines; i++) {
		struct tg_engine *engine = &gpu->engine[i];

		if (engine->wedged) {
			engine->idle_since = TG_NEVER;
			pass_some(gpu, engine);
		} else if (!fill(gpu, engine, &idle)) {
			return;
		}
	}
	/* What a job waits for may be an engine that has got another one just now. */
	for (; idle; idle &= idle - 1)
		if (!idles(gpu, &gpu->engine[__builtin_ctz(idle)]))
			return;
	if (gpu->policy->wake)
		tg_wake_by(gpu, policy_wake(gpu));
	if (gpu->walking)
		tg_wake_by(gpu, tg_after(gpu->now, TG_PAUSE));
}

/*
 * The next time at which something is due without an event. This walks over all engines, so events
 * of jobs do not call it: they report by tg_wake_by() what they change.
 */
s64 tg_engines_wake(const struct tg_gpu *gpu)
{
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++) {
		wake = min(wake, slots_expire(gpu, &gpu->engine[i]));
		wake = min(wake, tg_engine_deadline(gpu, &gpu->engine[i]));
		wake = min(wake, tg_yield_due(gpu, &gpu->engine[i]));
	}
	if (!list_empty(&gpu->syncs))
		wake = min(wake, tg_after(list_first_entry(&gpu->syncs, struct tg_client,
							   sync)->sync_since,
					  gpu->knob[TG_KNOB_DEADLINE]));
	wake = min(max(min(wake, reserves_ready(gpu)), gpu->pause), gpu->left_look);
	wake = min(wake, gpu->lapse);
	if (gpu->rematching || gpu->unsent || gpu->walking)
		wake = min(wake, tg_after(gpu->now, TG_PAUSE));
	if (gpu->handover)
		return min(wake, tg_handover_wake(gpu));
	wake = min(wake, tg_poll_wake(gpu));

	for (i = 0; i < gpu->nr_engines; i++)
		wake = min(wake, too_long(gpu, &gpu->engine[i]));
	return gpu->policy->wake ? min(wake, policy_wake((struct tg_gpu *)gpu)) : wake;
}
