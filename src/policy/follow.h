/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a job may follow those of its channel that are in flight.
 */
#ifndef TG_POLICY_FOLLOW_H
#define TG_POLICY_FOLLOW_H

#include <tg/policy.h>

/**
 * tg_follows() - are all jobs of its channel before this one in flight, and not too many?
 * @job: the job
 * @most: how many may be in flight with this one
 * @looks: how many are looked at
 */
static inline bool tg_follows(const struct tg_job *job, u32 most, u32 looks)
{
	const struct tg_job *before = job;
	u32 n = 0;

	while (looks-- && n < most) {
		if (list_is_first(&before->sibling, &job->channel->jobs))
			return true;
		before = list_entry(before->sibling.prev, struct tg_job, sibling);
		if (before->state == TG_JOB_QUEUED || before->state == TG_JOB_THROTTLED)
			return false;
		n += before->slot;
	}
	return false;
}

#endif /* TG_POLICY_FOLLOW_H */
