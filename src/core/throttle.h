/* SPDX-License-Identifier: GPL-2.0 */
/*
 * May a job go, as far as its reserve is concerned: throttle.c.
 */
#ifndef TG_CORE_THROTTLE_H
#define TG_CORE_THROTTLE_H

#include <tg/policy.h>

/* What its budget means for the jobs that wait for it */
void tg_reserve_throttle(struct tg_gpu *gpu, struct tg_reserve *r, struct tg_job *job);
void tg_reserve_unthrottle(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_join_round(struct tg_job *job);
bool tg_reserve_passes(struct tg_gpu *gpu, struct tg_job *job);
void tg_reserve_review(struct tg_gpu *gpu, struct tg_reserve *r);
void tg_reserve_held(struct tg_gpu *gpu, struct tg_job *job, s64 held);
s64 tg_reserve_above(const struct tg_gpu *gpu, const struct tg_reserve *r);

/* What a job will cost its reserve */
void tg_job_predict(struct tg_gpu *gpu, struct tg_job *job, const struct tg_key *key);
void tg_job_forget_cost(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_settle_in(struct tg_gpu *gpu, struct tg_job *job, struct tg_reserve *reserve);

/*
 * Does @a go before @b, as far as their reserve is concerned: by priority, then by round, then by
 * arrival? Rounds may wrap.
 */
static inline bool tg_job_outranks(const struct tg_job *a, const struct tg_job *b)
{
	if (a->client->prio != b->client->prio)
		return a->client->prio > b->client->prio;
	if (a->round != b->round)
		return (s32)(a->round - b->round) < 0;
	return a->seq < b->seq;
}

/* The job is QUEUED now: its round has begun. */
static inline void tg_job_begin_round(const struct tg_job *job)
{
	struct tg_reserve *r = job->reserve;

	if ((s32)(job->round - r->round) > 0)
		r->round = job->round;
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
