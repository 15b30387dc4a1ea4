// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: what a job has used of the GPU, and which accounts are charged for it.
 *
 * The time that a job used is done - max(own start, previous completion on its engine). It goes to
 * its client, its virtual GPU and its reserve.
 *
 * A completion whose time comes from the GPU's own clock is exact, but the host may hear of two in
 * the wrong order. So each engine remembers its latest completions in the order of their times, and
 * the one that comes in between takes its part from the job after it. Times of interrupts are no
 * such evidence. Of two jobs of a channel that the host sees as one, the first has no time of its
 * own, and gets the likeliest. Where all jobs go at once (fifo), they are settled between the jobs
 * that a late one concerns. A lost job is charged until it is lost, and no other job for that time;
 * it is settled when the host hears of its end.
 *
 * job.c calls this file when a job ends or is lost; policies whose gates are open call tg_charge()
 * (tg/policy.h). Under the GPU's lock.
 */
#include "account.h"
#include "job.h"
#include "throttle.h"

/* What is typical of the client; 0: not known. A user or cgroup that it was of has none. */
static s64 typical(const struct tg_client *client)
{
	return client->sharer->typical;
}

/*
 * A job of @client and of @kind is charged @ns less for @engine: another one was at work for as
 * long. The client is NULL if it has been forgotten.
 */
static void less(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_client *client, u32 kind,
		 s64 ns)
{
	enum tg_gate mode = gpu->policy->mode;
	s64 booked;

	if (mode == TG_GATE_TRACK || mode == TG_GATE_ASK ||
	    (client && tg_client_is_kernel(client)))
		engine->used -= ns;
	if (!client)
		return;
	if (!tg_client_is_kernel(client))
		gpu->vgpu[client->vgpu].used[kind] -= ns;
	booked = client->stats.gpu_time;
	client->stats.gpu_time -= min(ns, booked);
}

/*
 * Where all jobs are tracked, jobs of many clients are in flight at once. A completion that is
 * reported late makes its own job look longer and the jobs behind it shorter: when the host stood
 * still, all jobs that completed meanwhile carry one time, and the first of them would pay for all.
 * So what a job took beyond its client's typical time is given back to that client, as far as the
 * jobs right behind it took less than is typical of theirs. The sum of all charges stays the time
 * that has passed.
 *
 * Return: what @job is charged.
 */
static s64 balance(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_job *job, s64 used)
{
	struct tg_client *client = job->client;
	s64 lack = client->stats.completed ? typical(client) - used : 0;

	if (lack > 0 && engine->surplus > 0 && job->since <= engine->last_done) {
		lack = min(lack, engine->surplus);
		less(gpu, engine, tg_gpu_client(gpu, engine->surplus_client), tg_job_kind(job),
		     lack);
		used += lack;
		engine->surplus -= lack;
	} else {
		engine->surplus = max(-lack, (s64)0);
		engine->surplus_client = client->id;
	}
	return used;
}

/*
 * What is typical of the client: the mean of its first 16 jobs, then of about the last 16; no job
 * counts for more than two.
 */
static void learn(struct tg_client *client, s64 used)
{
	u64 seen = client->stats.completed;
	s64 mean = typical(client);

	if (client->sharer->by != TG_BY_PROCESS)
		return;
	if (seen && mean)
		mean += div64_s64(min(used, 2 * mean + 1) - mean, min(seen + 1, (u64)16));
	else
		mean = used;
	client->sharer->typical = mean;
}

/* --- the latest completions of an engine --- */

/* Its completion number @nr, counted from its first one. */
static struct tg_end *end_nr(struct tg_engine *engine, u64 nr)
{
	return &engine->ends[nr % TG_ENDS];
}

/* The completion before number @nr, which is at most the next one's; NULL: none is remembered. */
static struct tg_end *end_before(struct tg_engine *engine, u64 nr)
{
	return nr && nr + TG_ENDS > engine->nr_ends ? end_nr(engine, nr - 1) : NULL;
}

/* The number that a completion at @at gets: there are so many before it, as far as is known. */
static u64 rank(struct tg_engine *engine, s64 at)
{
	u64 nr = engine->nr_ends;
	const struct tg_end *before;

	while ((before = end_before(engine, nr)) && before->at > at)
		nr--;
	return nr;
}

/* Remember the completion. The earliest one is forgotten for it. */
static void remember(struct tg_engine *engine, const struct tg_end *end)
{
	u64 nr = rank(engine, end->at), n;

	/* It is earlier than all that are remembered. */
	if (nr && !end_before(engine, nr))
		return;
	for (n = engine->nr_ends++; n > nr; n--)
		*end_nr(engine, n) = *end_nr(engine, n - 1);
	*end_nr(engine, nr) = *end;
}

/* The completion @end on @engine is charged @ns less. */
static void take_back(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_end *end, s64 ns)
{
	struct tg_client *client = tg_gpu_client(gpu, end->client);

	ns = min(ns, end->used);
	if (ns <= 0)
		return;
	end->used -= ns;
	less(gpu, engine, client, end->kind, ns);
	if (client && gpu->policy->mode == TG_GATE_ASK) {
		tg_reserve_charge(client->reserve, -ns);
		tg_reserve_review(gpu, client->reserve);
	}
}

/*
 * What a job has used that began at @began and ended at @at by the GPU's own clock: the time since
 * the completion before it. The completion after it, if the host has heard of that one first, is
 * charged less.
 */
static s64 exact(struct tg_gpu *gpu, struct tg_engine *engine, s64 began, s64 at)
{
	u64 nr = rank(engine, at);
	const struct tg_end *before = end_before(engine, nr);
	s64 free = before ? before->at : S64_MIN;
	struct tg_end *next;

	if (nr && !before)
		return 0;
	if (nr < engine->nr_ends) {
		next = end_nr(engine, nr);
		take_back(gpu, engine, next, at - max(next->start, max(began, free)));
	}
	return max(at - max(began, free), (s64)0);
}

/* The channel's next job is on its way, too: since when? TG_NEVER: it is not. */
static s64 next_since(const struct tg_job *job)
{
	const struct tg_job *next = tg_job_next(job);

	return next && next->state == TG_JOB_BUSY ? next->since : TG_NEVER;
}

/**
 * tg_job_place() - when did a job complete whose channel's next job has completed, too?
 * @gpu: the GPU
 * @job: BUSY
 * @by: when the next one completed, not after gpu->now
 *
 * Where all jobs are tracked: it took its client's typical time, at the first place since its start
 * where another job has taken too much; else behind the last completion that is known. What passed
 * until the channel's next job started is its own in any case: the client pays for all of it,
 * whatever its jobs usually take. O(TG_ENDS).
 *
 * Return: from its start to @by; @by where nothing is known.
 */
s64 tg_job_place(struct tg_gpu *gpu, const struct tg_job *job, s64 by)
{
	struct tg_engine *engine = tg_job_engine(gpu, job);
	const s64 usual = typical(job->client), next = next_since(job);
	u64 nr = rank(engine, job->since);
	const struct tg_client *client;
	const struct tg_end *end;
	s64 from, at;

	if (gpu->policy->mode != TG_GATE_TRACK || !usual || next >= by)
		return by;
	for (; nr < engine->nr_ends && end_nr(engine, nr)->at <= by; nr++) {
		end = end_nr(engine, nr);
		client = tg_gpu_client(gpu, end->client);
		from = end->at - end->used;
		at = from + usual;
		if (client && end->used - typical(client) > usual / 2 &&
		    from >= job->since && at <= end->at && at >= next)
			return at;
	}
	end = end_before(engine, nr);
	at = max(job->since, end ? end->at : job->since) + usual;
	return min(max(at, next), by);
}

/**
 * tg_job_used() - what a job has used of its first engine that has just completed
 * @gpu: the GPU
 * @job: BUSY
 * @at: when it completed, not after gpu->now
 * @known: enum tg_done
 *
 * Return: ns, not negative
 */
s64 tg_job_used(struct tg_gpu *gpu, struct tg_job *job, s64 at, u64 known)
{
	struct tg_engine *engine = tg_job_engine(gpu, job);

	if (known == TG_DONE_EXACT || known == TG_DONE_BY)
		return exact(gpu, engine, job->since, at);
	return max(at - max(job->since, max(engine->last_done, engine->paid)), (s64)0);
}

/**
 * tg_job_used_lost() - what a LOST job has used of its first engine that it is not charged for yet
 * @gpu: the GPU
 * @job: LOST
 * @at: when it completed, not after gpu->now
 * @known: enum tg_done
 *
 * It has been charged until it was lost. It may have ended before: the host, or all of the machine,
 * stood still. By the GPU's clock it is settled then among the completions of that time.
 *
 * Return: ns; negative: it gets back so much, at most job->charged
 */
s64 tg_job_used_lost(struct tg_gpu *gpu, struct tg_job *job, s64 at, u64 known)
{
	struct tg_engine *engine = tg_job_engine(gpu, job);

	if (at > job->since)
		return tg_job_used(gpu, job, at, TG_DONE_NOTICED);
	if (known == TG_DONE_EXACT || known == TG_DONE_BY)
		return exact(gpu, engine, job->began, at) - job->charged;
	return max(at - job->since, -job->charged);
}

/**
 * tg_job_settle() - the same where all jobs are tracked: settled with the job before it
 * @gpu: the GPU
 * @job: the job
 * @used: what tg_job_used() says
 * @known: enum tg_done
 *
 * Return: what it is charged, ns
 */
s64 tg_job_settle(struct tg_gpu *gpu, struct tg_job *job, s64 used, u64 known)
{
	struct tg_engine *engine = tg_job_engine(gpu, job);

	if (known == TG_DONE_EXACT || known == TG_DONE_BY)
		engine->surplus = 0;
	else
		used = balance(gpu, engine, job, used);
	/* The host saw two jobs end as one. Neither has a time of its own to learn from. */
	if (known != TG_DONE_BY && !job->client->paired)
		learn(job->client, used);
	job->client->paired = known == TG_DONE_BY;
	return used;
}

/**
 * tg_job_remember() - a job has completed on one of its engines
 * @engine: the engine
 * @job: BUSY or LOST
 * @at: when
 * @used: what it was charged for that engine
 */
void tg_job_remember(struct tg_engine *engine, const struct tg_job *job, s64 at, s64 used)
{
	const struct tg_end end = {
		.at = at, .start = job->state == TG_JOB_LOST ? job->began : job->since,
		.used = used, .client = job->client->id, .kind = tg_job_kind(job),
	};

	remember(engine, &end);
}
