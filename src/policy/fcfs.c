// SPDX-License-Identifier: GPL-2.0
/*
 * fcfs: one group at a time, in the order of arrival (NEON's baseline of that name).
 *
 * A group claims the engines that it needs, unless one that arrived before it claims any of them.
 * It goes when nothing is in flight on them. So a client that submits more gets more, no two groups
 * run on an engine at once, and each costs the gap from a completion to the next doorbell: what a
 * disengaged policy saves. Weights and priorities do not count; reserves decide which jobs are
 * eligible.
 *
 * Good as a baseline: it shows what asking for each group costs, without any decision. Bad at
 * fairness.
 *
 * Structure: one list per mask of engines, in arrival order. A job is inserted from the end, where
 * nearly all belong. pick() looks at the first job of each list; in the order of their arrival they
 * claim engines, until one of them claims the engine in question.
 */
#include <tg/policy.h>

#define MASKS	((1 << TG_ENGINES_MAX) - 1)	/* a job names one engine at least */

struct state {
	struct list_head waiting[MASKS];
};

static struct list_head *list_of(struct tg_gpu *gpu, u32 mask)
{
	return &tg_gpu_priv(gpu, struct state)->waiting[mask - 1];
}

static void fcfs_init(struct tg_gpu *gpu)
{
	u32 mask;

	for (mask = 1; mask <= MASKS; mask++)
		INIT_LIST_HEAD(list_of(gpu, mask));
}

static void fcfs_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	struct list_head *list = list_of(gpu, job->engines), *pos = list->prev;

	while (pos != list && list_entry(pos, struct tg_job, link)->seq > job->seq)
		pos = pos->prev;
	list_add(&job->link, pos);
}

static void fcfs_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
}

/* The first job to arrive among those that need no engine of @claimed. */
static struct tg_job *first(struct tg_gpu *gpu, u32 claimed)
{
	struct tg_job *job, *first = NULL;
	u32 mask;

	for (mask = 1; mask < 1u << gpu->nr_engines; mask++) {
		if (mask & claimed)
			continue;
		job = list_first_entry_or_null(list_of(gpu, mask), struct tg_job, link);
		if (job && (!first || job->seq < first->seq))
			first = job;
	}
	return first;
}

static struct tg_job *fcfs_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_job *job = NULL;
	u32 claimed;

	if (engine->inflight)
		return NULL;
	for (claimed = 0; !(claimed & 1 << engine->index); claimed |= job->engines) {
		job = first(gpu, claimed);
		if (!job)
			return NULL;
	}
	if (!tg_engines_idle(gpu, job))
		return NULL;
	list_del_init(&job->link);
	return job;
}

TG_POLICY(fcfs) = {
	.name = "fcfs",
	.mode = TG_GATE_ASK,
	.init = fcfs_init,
	.queue = fcfs_queue,
	.drop = fcfs_drop,
	.pick = fcfs_pick,
};
