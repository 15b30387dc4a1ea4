/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder, inside the core: recorder.c. job.c calls these for each job, client.c for a
 * client that goes, under the GPU's lock; where no recorder is on they do next to nothing.
 */
#ifndef TG_CORE_RECORDER_H
#define TG_CORE_RECORDER_H

#include <tg/policy.h>
#include <tg/recorder.h>

void tg_recorder_over(struct tg_gpu *gpu, struct tg_job *job, s64 at, s64 used,
		      enum tg_wait_end end);
void tg_recorder_given_up(struct tg_gpu *gpu, struct tg_job *job);
void tg_recorder_leaves(struct tg_gpu *gpu, const struct tg_client *client);
s64 tg_recorder_own(struct tg_gpu *gpu, const struct tg_job *job);

static inline struct tg_times *tg_job_times(const struct tg_gpu *gpu, const struct tg_job *job)
{
	return (struct tg_times *)((char *)job->host + gpu->recorder->times);
}

/* The job has been submitted, now. */
static inline void tg_recorder_arrives(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_times *times;

	if (!gpu->recorder)
		return;
	times = tg_job_times(gpu, job);
	times->arrived = gpu->now;
	times->freed = TG_NEVER;
	times->own = tg_recorder_own(gpu, job);
}

/* It is FREED, and starts. */
static inline void tg_recorder_starts(struct tg_gpu *gpu, struct tg_job *job)
{
	if (gpu->recorder)
		tg_job_times(gpu, job)->freed = job->since;
}

/* It leaves the GPU at @at, which it has used for @used. */
static inline void tg_recorder_ran(struct tg_gpu *gpu, struct tg_job *job, s64 at, s64 used,
				   enum tg_wait_end end)
{
	if (gpu->recorder)
		tg_recorder_over(gpu, job, at, used, end);
}

#endif /* TG_CORE_RECORDER_H */
