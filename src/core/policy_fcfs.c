// SPDX-License-Identifier: GPL-2.0
/*
 * fcfs: one group at a time, in the order of arrival (NEON's baseline of that name).
 *
 * A group goes when nothing is in flight on its engines and none that arrived before it waits
 * for any of them. So a client that submits more gets more, groups are never run beside
 * each other, and each costs the gap from a completion to the next doorbell: what a
 * disengaged policy saves. Weights and priorities are not looked at; reserves decide who is
 * eligible.
 *
 * Good as a baseline: what asking for each group costs, without any decision. Bad at fairness.
 *
 * Structure: one list per mask of engines, in arrival order; a job is put in from the end, where
 * nearly all belong. pick looks at the first of each list that names the engine.
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

static struct tg_job *fcfs_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_job *job, *first = NULL;
	u32 mask;

	if (engine->inflight)
		return NULL;
	for (mask = 1; mask < 1u << gpu->nr_engines; mask++) {
		if (!(mask & 1 << engine->index))
			continue;
		job = list_first_entry_or_null(list_of(gpu, mask), struct tg_job, link);
		if (job && (!first || job->seq < first->seq))
			first = job;
	}
	if (!first || !tg_engines_idle(gpu, first))
		return NULL;
	list_del_init(&first->link);
	return first;
}

TG_POLICY(fcfs) = {
	.name = "fcfs",
	.mode = TG_GATE_ASK,
	.init = fcfs_init,
	.queue = fcfs_queue,
	.drop = fcfs_drop,
	.pick = fcfs_pick,
};
