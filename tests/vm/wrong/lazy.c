// SPDX-License-Identifier: GPL-2.0
/*
 * lazy: wrong on purpose. Lets three groups go, one at a time, and then nobody any more.
 *
 * For the VM case `ejection`: a module of the tests alone has it (mk/vmtools.mk). tests/sim/wrong has
 * more of its kind, in user space.
 */
#include <tg/policy.h>

struct state {
	struct list_head jobs;
	u32 picks;
};

static void lazy_init(struct tg_gpu *gpu)
{
	INIT_LIST_HEAD(&tg_gpu_priv(gpu, struct state)->jobs);
}

static void lazy_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	list_add_tail(&job->link, &tg_gpu_priv(gpu, struct state)->jobs);
}

static void lazy_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
}

static struct tg_job *lazy_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *state = tg_gpu_priv(gpu, struct state);
	struct tg_job *job = list_first_entry_or_null(&state->jobs, struct tg_job, link);

	if (!job || engine->inflight || state->picks == 3)
		return NULL;
	state->picks++;
	list_del_init(&job->link);
	return job;
}

TG_POLICY(lazy) = {
	.name = "lazy",
	.mode = TG_GATE_ASK,
	.init = lazy_init,
	.queue = lazy_queue,
	.drop = lazy_drop,
	.pick = lazy_pick,
};
