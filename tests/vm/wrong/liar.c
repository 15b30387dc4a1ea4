// SPDX-License-Identifier: GPL-2.0
/*
 * liar: wrong on purpose. Chooses a job that nobody has submitted.
 *
 * For the VM case `ejection`, as lazy.c.
 */
#include <tg/policy.h>

static struct tg_job stranger = { .id = 1ull << 60 };

static void liar_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	INIT_LIST_HEAD(&job->link);
}

static void liar_drop(struct tg_gpu *gpu, struct tg_job *job)
{
}

static struct tg_job *liar_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return &stranger;
}

TG_POLICY(liar) = {
	.name = "liar",
	.mode = TG_GATE_ASK,
	.queue = liar_queue,
	.drop = liar_drop,
	.pick = liar_pick,
};
