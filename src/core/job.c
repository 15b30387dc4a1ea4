// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs: every arrow of the state diagram in tg/gpu.h is a function here.
 *
 * feed.c calls this file for the events of a job's life, engine.c for the policy's picks and for
 * deadlines, throttle.c when a reserve's budget changes, gate.c, match.c, client.c and handover.c
 * for jobs whose gate, reserve, client or policy changes; under the GPU's lock.
 */
#include "account.h"
#include "admit.h"
#include "client.h"
#include "dry.h"
#include "engine.h"
#include "feed.h"
#include "gate.h"
#include "guarantee.h"
#include "job.h"
#include "recorder.h"
#include "table.h"
#include "throttle.h"
#include "vgpu.h"
#include "yield.h"

/* Its client and its reserve stop counting the job as in flight. Return: did it hold slots? */
static bool release(struct tg_job *job)
{
	if (!job->slot)
		return false;
	job->slot = false;
	job->client->inflight--;
	job->reserve->inflight--;
	job->reserve->reserved -= job->predicted;
	return true;
}

/* Give back one slot on each engine of the job. */
static void release_slot(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_engine *engine;

	if (release(job))
		tg_job_for_each_engine(gpu, job, engine)
			engine->inflight--;
}

/* Change the state of a job, and book the time that it spent in the old one. */
static void enter(struct tg_gpu *gpu, struct tg_job *job, enum tg_job_state state)
{
	s64 spent = gpu->now - job->since;

	if (job->state == TG_JOB_QUEUED) {
		job->client->stats.wait_policy += spent;
	} else if (job->state == TG_JOB_THROTTLED) {
		job->throttled += spent;
		job->client->stats.wait_reserve += spent;
	}
	job->state = state;
	job->since = gpu->now;
}

static void count_queued(struct tg_gpu *gpu, struct tg_job *job, int by)
{
	struct tg_engine *engine;

	job->reserve->queued += by;
	tg_job_for_each_engine(gpu, job, engine)
		engine->queued += by;
}

static void count_in_policy(struct tg_gpu *gpu, struct tg_job *job, int by)
{
	const u32 level = tg_client_level(job->client);
	struct tg_engine *engine;

	tg_job_for_each_engine(gpu, job, engine) {
		engine->in_policy[level] += by;
		job->reserve->in_policy[engine->index] += by;
		if (job->client->tier == TG_TIER_FIRST)
			job->reserve->first[engine->index] += by;
	}
}

static void set_out_of_policy(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->in_policy)
		count_in_policy(gpu, job, -1);
	job->in_policy = false;
}

/* Put the job into the policy's queue, if its client's gate stands at ASK. */
static void enter_policy(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->client->gate != TG_GATE_ASK || !tg_client_joined(gpu, job->client))
		return;
	job->in_policy = true;
	count_in_policy(gpu, job, 1);
	gpu->policy->queue(gpu, job);
	tg_engines_watch(gpu);
}

/* Out of the policy's queue. That policy is out of force if the client has yet to join. */
static void drop(struct tg_gpu *gpu, struct tg_job *job)
{
	if (tg_client_joined(gpu, job->client))
		gpu->policy->drop(gpu, job);
	else
		INIT_LIST_HEAD(&job->link);
}

static void leave_policy(struct tg_gpu *gpu, struct tg_job *job)
{
	if (!job->in_policy)
		return;
	set_out_of_policy(gpu, job);
	drop(gpu, job);
}

/*
 * Give @client another tier, priority or virtual GPU. Its waiting jobs leave the policy's queue, or
 * their reserve's, before the change and come back after it, since both decide about their places.
 * With another priority, the caller reviews the reserve.
 */
void tg_jobs_place(struct tg_gpu *gpu, struct tg_client *client, u8 tier, u8 prio, u8 vgpu)
{
	bool ranks = prio != client->prio;
	struct tg_channel *ch;
	struct tg_job *job;

	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
			if (job->in_policy) {
				count_in_policy(gpu, job, -1);
				drop(gpu, job);
			} else if (job->state == TG_JOB_THROTTLED && ranks) {
				tg_reserve_unthrottle(gpu, job);
			}
	client->tier = tier;
	client->prio = prio;
	tg_vgpu_move(gpu, client, vgpu);
	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
			if (job->in_policy) {
				if (ranks)
					tg_job_set_prio(gpu, job);
				count_in_policy(gpu, job, 1);
				if (tg_client_joined(gpu, client))
					gpu->policy->queue(gpu, job);
			} else if (job->state == TG_JOB_THROTTLED && ranks) {
				tg_reserve_throttle(gpu, job->reserve, job);
			}
}

/* Enter the state QUEUED, and leave it: the counts, and the policy's queue. */
static void set_queued(struct tg_gpu *gpu, struct tg_job *job)
{
	count_queued(gpu, job, 1);
	enter_policy(gpu, job);
}

static void unset_queued(struct tg_gpu *gpu, struct tg_job *job)
{
	leave_policy(gpu, job);
	count_queued(gpu, job, -1);
}

/* Leave THROTTLED or QUEUED. The job may still be in its reserve's list. */
static void unset_waiting(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->state == TG_JOB_QUEUED)
		unset_queued(gpu, job);
	else
		tg_reserve_unthrottle(gpu, job);
}

/* QUEUED -> THROTTLED. A job that is throttled stays so. */
void tg_job_throttle(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->state == TG_JOB_THROTTLED)
		return;
	unset_queued(gpu, job);
	list_del_init(&job->wait);
	enter(gpu, job, TG_JOB_THROTTLED);
	tg_reserve_throttle(gpu, job->reserve, job);
}

/* THROTTLED -> QUEUED */
void tg_job_unthrottle(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_reserve_unthrottle(gpu, job);
	enter(gpu, job, TG_JOB_QUEUED);
	list_add_tail(&job->wait, &job->reserve->waiting);
	set_queued(gpu, job);
}

/* The channel uses other engines from now on (ENGINES), and so do its jobs that wait. */
void tg_jobs_turn(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_job *job;
	bool in_policy;

	for (job = tg_channel_waiting(ch); job; job = tg_job_next(job)) {
		in_policy = job->in_policy;
		if (job->state == TG_JOB_QUEUED)
			unset_queued(gpu, job);
		else
			tg_job_count_throttled(gpu, job, -1);
		job->engines = ch->engines;
		if (job->state == TG_JOB_QUEUED)
			count_queued(gpu, job, 1);
		else
			tg_job_count_throttled(gpu, job, 1);
		if (in_policy)
			enter_policy(gpu, job);
	}
}

/*
 * The gate of a waiting job's client has changed to ASK or HOLD. The job waits in the policy's
 * queue or in none. A limited reserve throttles it, until the review that follows.
 */
void tg_job_line_up(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->client->gate != TG_GATE_ASK)
		leave_policy(gpu, job);
	if (tg_reserve_decides(gpu, job->client) && !tg_reserve_unlimited(job->reserve)) {
		tg_job_throttle(gpu, job);
	} else if (job->state == TG_JOB_THROTTLED) {
		tg_job_unthrottle(gpu, job);
	} else if (!job->in_policy) {
		tg_job_set_prio(gpu, job);
		list_move_tail(&job->wait, &job->reserve->waiting);
		enter_policy(gpu, job);
	}
}

/* A job that has just arrived is QUEUED, the last in its reserve's list: does it stay so? */
static void place(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_job_set_prio(gpu, job);
	tg_job_set_vt(job, job->reserve->vt);
	if (!tg_reserve_decides(gpu, job->client) || tg_reserve_passes(gpu, job)) {
		set_queued(gpu, job);
		return;
	}
	list_del_init(&job->wait);
	job->state = TG_JOB_THROTTLED;
	tg_reserve_throttle(gpu, job->reserve, job);
}

/*
 * Make the job that @ev announces; it has no state yet. Return: 0; or an error, and there is no
 * job.
 */
static int arrive(struct tg_gpu *gpu, const struct tg_event *ev, struct tg_job **arrived)
{
	struct tg_channel *ch = tg_channel_find(gpu, ev->client, ev->channel);
	struct tg_job **link = tg_job_link(gpu, ev->job), *job;
	struct tg_client *client;

	if (!ch)
		return -ENOENT;
	if (*link)
		return -EEXIST;
	job = tg_gpu_take(gpu, TG_POOL_JOB);
	if (!job)
		return -ENOMEM;

	client = ch->client;
	job->id = ev->job;
	job->hash = NULL;
	*link = job;
	job->client = client;
	job->channel = ch;
	job->host = ev->host;
	job->seq = ++gpu->seq;
	job->engines = ch->engines;
	job->slot = false;
	job->ending = false;
	job->in_policy = false;
	job->picked = 0;
	job->switched = false;
	job->since = gpu->now;
	job->predicted = 0;
	job->throttled = 0;
	job->cost = NULL;
	job->reserve = client->reserve;
	job->reserve->users++;
	INIT_LIST_HEAD(&job->link);
	list_add_tail(&job->sibling, &ch->jobs);
	client->stats.submitted++;
	tg_recorder_arrives(gpu, job);
	*arrived = job;
	return 0;
}

/* Is it a driver's own work, which never waits? It comes with BYPASSED, when it has started. */
static bool of_kernel(const struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_client *client = tg_gpu_client(gpu, ev->client);

	return client && tg_client_is_kernel(client);
}

int tg_job_submit(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_job *job;
	int rc = of_kernel(gpu, ev) ? -EINVAL : arrive(gpu, ev, &job);

	if (rc)
		return rc;
	job->predicted = min(ev->submit.predicted, 3600ULL * TG_SEC);
	if (job->reserve->kind == TG_AE) {
		tg_job_predict(gpu, job, ev->key);
		tg_reserve_expect(job->reserve, job->predicted);
	}
	tg_guarantee_comes(gpu, job);
	list_add_tail(&job->wait, &job->reserve->waiting);
	job->state = TG_JOB_QUEUED;
	if (tg_job_is_next(job))
		tg_channel_begins(job->channel);
	place(gpu, job);
	/* Not before its jobs that wait. */
	if (job->client->unsent)
		tg_gate_go_on(gpu, job->client);
	else if (job->client->gate < TG_GATE_ASK)
		tg_job_free(gpu, job);
	return 0;
}

/* Tell the host that the job's thread may go to the driver. */
static void let_go(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_action action = {
		.kind = TG_ACT_FREE, .client = job->client->id, .job = job->id, .host = job->host,
	};

	gpu->out->emit(gpu->out, &action);
}

/* From now on the job counts as in flight: on its engines, for its client and its reserve. */
static void take_slot(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_engine *engine;

	job->slot = true;
	job->client->inflight++;
	if (job->reserve->inflight++ == 0)
		job->reserve->held = gpu->now;
	job->reserve->reserved += job->predicted;
	tg_job_for_each_engine(gpu, job, engine) {
		engine->inflight++;
		engine->last = job->channel;
	}
}

/* QUEUED -> FREED. The policy has picked the job, or the job is in no policy's queue. */
void tg_job_free(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	struct tg_reserve *r = job->reserve;
	bool switched;

	if (r->kind == TG_CBS)
		tg_reserve_catch_up(gpu, r, gpu->now);	/* while it waited */
	job->picked = job->in_policy || client->gate == TG_GATE_TRACK ? gpu->term : 0;
	set_out_of_policy(gpu, job);
	enter(gpu, job, TG_JOB_FREED);
	if (!tg_channel_waits(job->channel))
		tg_channel_ceases(job->channel);
	list_move_tail(&job->wait, &tg_job_engine(gpu, job)->freed);
	switched = tg_job_engine(gpu, job)->last != job->channel;
	if (job->cost && job->switched != switched)
		job->predicted = tg_predict_switch(client->history, job->predicted, switched);
	job->switched = switched;
	count_queued(gpu, job, -1);
	take_slot(gpu, job);
	tg_wake_by(gpu, tg_after(gpu->now, gpu->knob[TG_KNOB_FREED]));
	tg_engines_watch(gpu);
	let_go(gpu, job);
	if (r->kind == TG_AE || r->nr_throttled)
		tg_reserve_review(gpu, r);
}

/* Waiting -> FREED without asking the policy: the gate has opened, or an engine is wedged. */
void tg_job_pass(struct tg_gpu *gpu, struct tg_job *job)
{
	unset_waiting(gpu, job);
	enter(gpu, job, TG_JOB_QUEUED);
	count_queued(gpu, job, 1);
	tg_job_free(gpu, job);
}

/* The job is over: it is in no list and holds no slot. Its memory returns to the pool. */
static void forget(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_channel *ch = job->channel;

	list_del_init(&job->sibling);
	if (tg_job_waits(job) && !tg_channel_waits(ch))
		tg_channel_ceases(ch);
	tg_reserve_review(gpu, job->reserve);
	*tg_job_link(gpu, job->id) = job->hash;
	tg_reserve_put(gpu, job->reserve);
	tg_gpu_give(gpu, TG_POOL_JOB, job);
	if (ch->left)
		tg_channel_over(gpu, ch);
}

/*
 * The job has held slots for too long without having started: the policy's accounts and the reserve
 * are debited as for time used.
 */
static noinline void pay(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	if (tg_job_picked(gpu, job) && gpu->policy->held)
		gpu->policy->held(gpu, job, held);
	tg_reserve_held(gpu, job, held);
}

/*
 * Book how long a FREED job has held slots, up to @until. Return: true: it had some, and for less
 * than stall_us.
 */
static inline bool count_held(struct tg_gpu *gpu, struct tg_job *job, s64 until)
{
	s64 held = max(until - job->since, (s64)0);

	if (!job->slot)
		return false;
	job->client->stats.held_time += held;
	if (held >= gpu->knob[TG_KNOB_STALL])
		pay(gpu, job, held);
	else if (job->reserve->kind == TG_CBS)
		tg_guarantee_held(gpu, job, until);
	return held < gpu->knob[TG_KNOB_STALL];
}

/* Any state -> over, without a fence. */
void tg_job_over(struct tg_gpu *gpu, struct tg_job *job)
{
	if (gpu->dry)
		tg_dry_over(gpu, job, -1);
	if (tg_job_waits(job)) {
		unset_waiting(gpu, job);
		enter(gpu, job, job->state);	/* books what it waited */
		tg_recorder_given_up(gpu, job);
	} else if (job->state == TG_JOB_FREED) {
		count_held(gpu, job, gpu->now);
	}
	release_slot(gpu, job);
	tg_job_forget_cost(gpu, job);
	list_del_init(&job->wait);
	tg_engines_watch(gpu);
	forget(gpu, job);
}

/* Waiting -> over: the channel has left. The thread goes to the driver, which refuses it. */
void tg_job_abandon(struct tg_gpu *gpu, struct tg_job *job)
{
	let_go(gpu, job);
	job->client->stats.failed++;
	tg_job_over(gpu, job);
}

/* Waiting or FREED -> over: the thread has given up, for a signal, say. */
int tg_job_cancel(struct tg_gpu *gpu, u64 id)
{
	struct tg_job *job = tg_job_find(gpu, id);

	if (!job)
		return -ENOENT;
	if (job->state == TG_JOB_BUSY || job->state == TG_JOB_LOST)
		return -EBUSY;
	tg_job_over(gpu, job);
	return 0;
}

/*
 * FREED -> BUSY. The driver made the job's fence at @at, which may be reported out of order: of two
 * threads that use a channel at once, the one that was freed second may reach the driver first. So
 * the job is sorted into the engine's list by its start.
 */
static void start(struct tg_gpu *gpu, struct tg_job *job, s64 at)
{
	struct tg_engine *engine = tg_job_engine(gpu, job);
	struct list_head *next = &engine->busy;
	struct tg_reserve *r = job->reserve;

	tg_recorder_starts(gpu, job);
	job->state = TG_JOB_BUSY;
	job->since = min(at, gpu->now);
	while (next->prev != &engine->busy &&
	       list_entry(next->prev, struct tg_job, wait)->since > job->since)
		next = next->prev;
	list_move_tail(&job->wait, next);
	if (gpu->dry)
		tg_dry_started(gpu, job);
	tg_yield_starts(job);
	at = max(job->since, engine->last_done);
	/* A job behind others has a later deadline than they. */
	if (list_is_first(&job->wait, &engine->busy))
		tg_wake_by(gpu, min(tg_engine_deadline(gpu, engine), tg_yield_due(gpu, engine)));
	if (r->kind == TG_CBS)
		tg_reserve_catch_up(gpu, r, at);
	if (r->busy++ == 0 || at < r->busy_since)
		r->busy_since = at;
}

int tg_job_started(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_job *job = tg_job_find(gpu, ev->job);

	if (!job)
		return -ENOENT;
	if (job->state != TG_JOB_FREED)
		return -EBUSY;
	if (count_held(gpu, job, min(ev->at, gpu->now)) && job->client->stalls)
		job->client->stalls--;
	start(gpu, job, ev->at);
	tg_engines_watch(gpu);
	return 0;
}

/* (nothing) -> FREED or BUSY: it went as tg_gpu_may_bypass() allowed, or is a driver's own. */
int tg_job_bypassed(struct tg_gpu *gpu, const struct tg_event *ev)
{
	const bool kernel = of_kernel(gpu, ev);
	struct tg_job *job;
	int rc;

	if (kernel ? !ev->bypassed.started :
		     !tg_gpu_may_bypass(gpu, ev->client, ev->channel, 0))
		return -EBUSY;
	rc = arrive(gpu, ev, &job);
	if (rc)
		return rc;
	/* A driver's work may come to such a reserve, and never has a history. */
	if (job->reserve->kind == TG_AE && job->client->history) {
		tg_predict_unread(job->client->history, 0, &job->predicted);
		tg_reserve_expect(job->reserve, job->predicted);
		job->client->history->unread++;
	}
	job->state = TG_JOB_FREED;
	job->picked = kernel ? 0 : gpu->term;
	list_add_tail(&job->wait, &tg_job_engine(gpu, job)->freed);
	take_slot(gpu, job);
	if (!kernel)
		gpu->policy->bypassed(gpu, job);
	if (ev->bypassed.started)
		start(gpu, job, ev->at);
	else
		tg_wake_by(gpu, tg_after(gpu->now, gpu->knob[TG_KNOB_FREED]));
	return 0;
}

/* FREED -> over: the driver refused the job, and made no fence. */
int tg_job_refused(struct tg_gpu *gpu, u64 id)
{
	struct tg_job *job = tg_job_find(gpu, id);

	if (!job)
		return -ENOENT;
	if (job->state != TG_JOB_FREED)
		return -EBUSY;
	job->client->stats.failed++;
	tg_job_over(gpu, job);
	return 0;
}

/* The job left the hardware at @at: from then on its reserve runs nothing, or its next job. */
static void leave_hardware(const struct tg_gpu *gpu, struct tg_job *job, s64 at)
{
	struct tg_reserve *r = job->reserve;

	tg_reserve_catch_up(gpu, r, at);
	r->busy_since = --r->busy ? at : TG_NEVER;
	r->held = at;
}

/* @job has ended on an engine that had lost a job: the engine works again. */
static noinline void recover(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_job *job)
{
	engine->wedged = false;
	tg_wake_by(gpu, tg_engine_deadline(gpu, engine));
	tg_emit(gpu, TG_ACT_NOTE, job->client, job, TG_NOTE_RECOVERED);
}

/* BUSY or LOST -> over: the fence has signalled. */
int tg_job_done(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_job *job = tg_job_find(gpu, ev->job);
	struct tg_engine *engine, *e;
	s64 at, used, before = 0;
	bool slot;

	if (!job)
		return -ENOENT;
	if (job->state != TG_JOB_BUSY && job->state != TG_JOB_LOST)
		return -EBUSY;
	at = min(ev->at, gpu->now);
	engine = tg_job_engine(gpu, job);
	if (job->state == TG_JOB_BUSY) {
		if (ev->done.known == TG_DONE_BY)
			at = tg_job_place(gpu, job, at);
		used = tg_job_used(gpu, job, at, ev->done.known);
		tg_recorder_ran(gpu, job, at, used, TG_WAIT_RAN);
		if (gpu->dry)
			tg_dry_over(gpu, job, used);
		if (gpu->policy->mode == TG_GATE_TRACK)
			used = tg_job_settle(gpu, job, used, ev->done.known);
		leave_hardware(gpu, job, at);
	} else {
		used = tg_job_used_lost(gpu, job, at, ev->done.known);
		before = job->charged;
		tg_emit(gpu, TG_ACT_NOTE, job->client, job, TG_NOTE_REPAIRED);
	}
	if (ev->done.known == TG_DONE_FORGED)
		tg_emit(gpu, TG_ACT_NOTE, job->client, job, TG_NOTE_FORGED);
	tg_job_charge(gpu, job, used);
	used += before;
	tg_guarantee_ran(gpu, job, used, ev->done.known == TG_DONE_EXACT);
	job->client->stats.completed++;

	slot = release(job);
	tg_job_for_each_engine(gpu, job, e) {
		e->inflight -= slot;
		e->last_done = max(e->last_done, at);
		tg_job_remember(e, job, at, e == engine ? used : 0);
		if (e->wedged)
			recover(gpu, e, job);
	}
	if (ev->done.known == TG_DONE_BY || (ev->done.known == TG_DONE_EXACT && !used))
		tg_job_forget_cost(gpu, job);	/* two groups in one: nothing to learn */
	else if (job->cost)
		tg_predict_learn(gpu, job->client->history, job->cost, job->predicted, used,
				 job->switched);
	else if (job->reserve->kind == TG_AE && job->client->history)
		tg_predict_unread_ran(job->client->history, job->predicted, used);
	job->cost = NULL;
	if (tg_job_picked(gpu, job) && gpu->policy->done)
		gpu->policy->done(gpu, job, used);
	list_del_init(&job->wait);
	if (!list_empty(&engine->busy))
		tg_wake_by(gpu, min(tg_engine_deadline(gpu, engine), tg_yield_due(gpu, engine)));
	forget(gpu, job);
	return 0;
}

/*
 * BUSY -> LOST: the job is past its deadline. Its engines are wedged: all jobs that need them pass,
 * until one completes.
 */
void tg_job_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_engine *engine;
	s64 used = tg_job_used(gpu, job, gpu->now, TG_DONE_NOTICED);

	leave_hardware(gpu, job, gpu->now);
	tg_recorder_ran(gpu, job, gpu->now, used, TG_WAIT_LOST);
	tg_job_charge(gpu, job, used);
	if (gpu->dry)
		tg_dry_over(gpu, job, used);
	release_slot(gpu, job);
	job->began = job->since;
	enter(gpu, job, TG_JOB_LOST);
	job->charged = used;
	list_move_tail(&job->wait, &gpu->lost);
	tg_guarantee_ran(gpu, job, used, true);
	tg_job_for_each_engine(gpu, job, engine) {
		engine->wedged = true;
		engine->paid = gpu->now;
	}
	job->client->stats.lost++;
	tg_emit(gpu, TG_ACT_NOTE, job->client, job, TG_NOTE_LOST);
	tg_yield_now(gpu, job);
	if (tg_job_picked(gpu, job) && gpu->policy->lost)
		gpu->policy->lost(gpu, job);
	job->picked = 0;
	tg_reserve_review(gpu, job->reserve);
	if (job->channel->left)
		tg_job_over(gpu, job);
}

/* FREED -> FREED, without slots: the job's thread has been in the driver for too long. */
void tg_job_overlap(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	s64 held = gpu->now - job->since;

	client->stats.held_time += held;
	client->stats.overlaps++;
	client->stalls = min(client->stalls + TG_STALL, TG_STALLS_MAX);
	release_slot(gpu, job);
	pay(gpu, job, held);
	list_move_tail(&job->wait, &gpu->overlaps);
	tg_engines_watch(gpu);
	tg_emit(gpu, TG_ACT_NOTE, client, job, TG_NOTE_OVERLAP);
}
