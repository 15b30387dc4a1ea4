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

/*
 * Lists of jobs that wait, with the first one of each channel: no other one may go. So few jobs
 * are looked at, however many wait.
 */

/** tg_heads_add() - for queue(): @job waits; it is in @list if none of its channel waits before */
static inline void tg_heads_add(struct list_head *list, struct tg_job *job)
{
	INIT_LIST_HEAD(&job->link);
	if (list_is_first(&job->sibling, &job->channel->jobs) ||
	    !list_entry(job->sibling.prev, struct tg_job, sibling)->in_policy)
		list_add_tail(&job->link, list);
}

/** tg_heads_del() - for drop() and pick(): @job leaves, and the next one of its channel follows */
static inline void tg_heads_del(struct list_head *list, struct tg_job *job)
{
	struct tg_job *next = list_entry(job->sibling.next, struct tg_job, sibling);
	const bool first = !list_empty(&job->link);

	list_del_init(&job->link);
	if (first && job->sibling.next != &job->channel->jobs && next->in_policy &&
	    list_empty(&next->link))
		list_add_tail(&next->link, list);
}

#endif /* TG_POLICY_FOLLOW_H */
