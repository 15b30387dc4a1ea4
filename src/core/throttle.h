/* SPDX-License-Identifier: GPL-2.0 */
/*
 * May a job go, as far as its reserve is concerned: throttle.c.
 */
#ifndef TG_CORE_THROTTLE_H
#define TG_CORE_THROTTLE_H

#include <tg/policy.h>

#include "job.h"

/* What its budget means for the jobs that wait for it */
void tg_reserve_throttle(struct tg_gpu *gpu, struct tg_reserve *r, struct tg_job *job);
void tg_reserve_unthrottle(struct tg_gpu *gpu, struct tg_job *job);
bool tg_reserve_passes(struct tg_gpu *gpu, struct tg_job *job);
void tg_reserve_review(struct tg_gpu *gpu, struct tg_reserve *r);
void tg_reserve_held(struct tg_gpu *gpu, struct tg_job *job, s64 held);
s64 tg_reserve_above(const struct tg_gpu *gpu, const struct tg_reserve *r);
u32 tg_reserve_sharers(const struct tg_job *job);

/* What a job will cost its reserve */
void tg_job_predict(struct tg_gpu *gpu, struct tg_job *job, const struct tg_key *key);
void tg_job_forget_cost(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_settle_in(struct tg_gpu *gpu, struct tg_job *job, struct tg_reserve *reserve);

/*
 * Does @a go before @b, as far as their reserve is concerned: by priority, then by virtual time,
 * then by arrival?
 */
static inline bool tg_job_outranks(const struct tg_job *a, const struct tg_job *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	if (a->vt != b->vt)
		return (s32)(a->vt - b->vt) < 0;
	return a->seq < b->seq;
}

/* The job waits, and its priority may be new to its reserve. */
static inline void tg_job_set_prio(const struct tg_gpu *gpu, struct tg_job *job)
{
	job->prio = gpu->policy->by_prio ? job->client->prio : 0;
}

/* Give the job, which waits, a virtual time: not one before that of what waits before it. */
static inline void tg_job_set_vt(struct tg_job *job, s64 vt)
{
	const struct tg_job *prev = list_entry(job->sibling.prev, struct tg_job, sibling);

	job->vt = vt >> TG_VT_SHIFT;
	if (!list_is_first(&job->sibling, &job->channel->jobs) && tg_job_waits(prev) &&
	    prev->reserve == job->reserve && (s32)(prev->vt - job->vt) > 0)
		job->vt = prev->vt;
}

/* The job has taken @used of its limited reserve. */
static inline void tg_reserve_shared_out(const struct tg_job *job, s64 used)
{
	struct tg_sharer *sharer = job->client->sharer;
	struct tg_reserve *r = job->reserve;

	r->vt += div64_s64(used, tg_reserve_sharers(job));
	if (sharer->reserve == r->serial)
		sharer->vt += used;
}

/* Are reserves enforced? Only where the policy's mode is ASK, and not in a drain. */
static inline bool tg_reserves_hold(const struct tg_gpu *gpu)
{
	return gpu->policy->mode == TG_GATE_ASK && !gpu->next_policy;
}

/* Does the client's reserve decide which of its jobs the policy sees? */
static inline bool tg_reserve_decides(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->gate == TG_GATE_ASK && tg_reserves_hold(gpu);
}

/* Account for the refills of @r up to @at. Mostly none is due. */
static inline void tg_reserve_catch_up(const struct tg_gpu *gpu, struct tg_reserve *r, s64 at)
{
	if (tg_reserve_due(r, at))
		tg_reserve_refill(r, tg_reserve_above(gpu, r), at);
}

#endif /* TG_CORE_THROTTLE_H */
