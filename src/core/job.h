/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's life: job.c. Each arrow of the state diagram in tg/gpu.h is one of these functions.
 */
#ifndef TG_CORE_JOB_H
#define TG_CORE_JOB_H

#include <tg/policy.h>

/* Events */
int tg_job_submit(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_bypassed(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_cancel(struct tg_gpu *gpu, u64 id);
int tg_job_started(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_refused(struct tg_gpu *gpu, u64 id);
int tg_job_done(struct tg_gpu *gpu, const struct tg_event *ev);

/* Arrows that other files take: engines, gates, reserves, clients that leave */
void tg_job_free(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_pass(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_throttle(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_unthrottle(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_abandon(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_lost(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_overlap(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_over(struct tg_gpu *gpu, struct tg_job *job);

/* Waiting jobs get another place */
void tg_job_line_up(struct tg_gpu *gpu, struct tg_job *job);
void tg_jobs_turn(struct tg_gpu *gpu, struct tg_channel *ch);
void tg_jobs_place(struct tg_gpu *gpu, struct tg_client *client, u8 tier, u8 prio, u8 vgpu);

/* Does the job wait? If so, it is in its reserve's list. */
static inline bool tg_job_waits(const struct tg_job *job)
{
	return job->state == TG_JOB_THROTTLED || job->state == TG_JOB_QUEUED;
}

/* Does the policy in force hear of the job's end? */
static inline bool tg_job_picked(const struct tg_gpu *gpu, const struct tg_job *job)
{
	return job->picked == gpu->term && tg_client_joined(gpu, job->client);
}

/* The job that was submitted next to the same channel; NULL: none was. */
static inline struct tg_job *tg_job_next(const struct tg_job *job)
{
	const struct list_head *next = job->sibling.next;

	return next == &job->channel->jobs ? NULL : list_entry(next, struct tg_job, sibling);
}

/* Of a job that waits: does no earlier one of its channel? Order there is arrival order. */
static inline bool tg_job_is_next(const struct tg_job *job)
{
	const struct list_head *prev = job->sibling.prev;

	return prev == &job->channel->jobs ||
	       !tg_job_waits(list_entry(prev, struct tg_job, sibling));
}

/*
 * The first job of the channel that waits; all behind it wait, too. Looked for from both ends: many
 * may be in flight, and as many threads as a client likes may wait. NULL: none waits.
 */
static inline struct tg_job *tg_channel_waiting(const struct tg_channel *ch)
{
	const struct list_head *front = ch->jobs.next, *back = ch->jobs.prev;

	for (; front != &ch->jobs; front = front->next, back = back->prev) {
		if (tg_job_waits(list_entry(front, struct tg_job, sibling)))
			return list_entry(front, struct tg_job, sibling);
		if (!tg_job_waits(list_entry(back, struct tg_job, sibling)))
			return tg_job_next(list_entry(back, struct tg_job, sibling));
	}
	return NULL;
}

/* Do jobs of the channel wait? */
static inline bool tg_channel_waits(const struct tg_channel *ch)
{
	return !list_empty(&ch->jobs) &&
	       tg_job_waits(list_entry(ch->jobs.prev, struct tg_job, sibling));
}

/* Of tg_client.channels, from @ch on: the next one with jobs that wait, since those come first. */
static inline struct tg_channel *tg_waiting(struct tg_channel *ch)
{
	return ch && tg_channel_waits(ch) ? ch : NULL;
}

/* The first engine of a mask. */
static inline struct tg_engine *tg_engine_first(struct tg_gpu *gpu, u32 mask)
{
	return &gpu->engine[__builtin_ctz(mask)];
}

/* The engines that a job needs, one after the other. */
#define tg_job_for_each_engine(gpu, job, engine)	\
	for (u32 mask = (job)->engines;			\
	     mask && ((engine) = tg_engine_first(gpu, mask), true); mask &= mask - 1)

/* The engine that keeps a job's accounts: the first that it names. */
static inline struct tg_engine *tg_job_engine(struct tg_gpu *gpu, const struct tg_job *job)
{
	return tg_engine_first(gpu, job->engines);
}

/* So many more of such jobs are THROTTLED. */
static inline void tg_job_count_throttled(struct tg_gpu *gpu, struct tg_job *job, int by)
{
	struct tg_engine *engine;

	tg_job_for_each_engine(gpu, job, engine)
		engine->throttled += by;
}

#endif /* TG_CORE_JOB_H */
