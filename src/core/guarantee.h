/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guaranteed reserves (TG_CBS): which are admitted, and which client breaks what they promise:
 * guarantee.c.
 */
#ifndef TG_CORE_GUARANTEE_H
#define TG_CORE_GUARANTEE_H

#include <tg/guarantee.h>
#include <tg/policy.h>

/* Is it one of those that are admitted? What an older edition of the spec has admitted is void. */
static inline bool tg_guaranteed(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	return r->guaranteed && r->edition == gpu->edition;
}

bool tg_guarantee_fits(const struct tg_gpu *gpu, const struct tg_reserve *r,
		       const struct tg_spec_entry *entry, struct tg_refusal *why);
/* Does @r hold the guarantee of @entry already? Then another channel or process adds nothing. */
bool tg_guarantee_stays(const struct tg_gpu *gpu, const struct tg_reserve *r,
			const struct tg_spec_entry *entry);
void tg_guarantee_begin(struct tg_gpu *gpu, struct tg_reserve *r);
void tg_guarantee_end(struct tg_gpu *gpu, struct tg_reserve *r);
void tg_guarantees_void(struct tg_gpu *gpu);
/* Do jobs of @r wait, or are in flight? A short gap counts as such where there is one guarantee. */
bool tg_guarantee_backlog(const struct tg_gpu *gpu, const struct tg_reserve *r);
void tg_guarantee_job(struct tg_gpu *gpu, const struct tg_job *job);
/* A FREED job of TG_CBS has held slots up to @until, for less than stall_us. */
void tg_guarantee_held(struct tg_gpu *gpu, struct tg_job *job, s64 until);
void tg_guarantee_measure(struct tg_gpu *gpu, struct tg_job *job, s64 used, bool sure);
/* Is the client blamed, and need be no longer? If it is blamed still, there is a look in time. */
bool tg_blame_over(struct tg_gpu *gpu, const struct tg_client *client);
/* If it is time: come to all clients, in steps, and forgive those whose blame is over. */
void tg_blames_lapse(struct tg_gpu *gpu);
const char *tg_guarantees_check(const struct tg_gpu *gpu);

/* A job comes to its reserve, which does not count it yet. */
static inline void tg_guarantee_comes(struct tg_gpu *gpu, const struct tg_job *job)
{
	if (job->reserve->kind == TG_CBS)
		tg_guarantee_job(gpu, job);
}

/*
 * The job has run for @used, which its reserve has been charged. @sure: the GPU has written when it
 * ended, or it is past its deadline. Mostly that says nothing new.
 */
static inline void tg_guarantee_ran(struct tg_gpu *gpu, struct tg_job *job, s64 used, bool sure)
{
	if ((used > gpu->longest || job->reserve->kind == TG_CBS || tg_gpu_guards(gpu)) &&
	    gpu->policy->mode == TG_GATE_ASK)
		tg_guarantee_measure(gpu, job, used, sure);
}

#endif /* TG_CORE_GUARANTEE_H */
