// SPDX-License-Identifier: GPL-2.0
/*
 * credit: Xen's credit scheduler over virtual GPUs, Gdev's first baseline (Gdev, section 5.2).
 *
 * Each virtual GPU has a budget. It grows every period (30 ms) by the virtual GPU's share of the
 * period, up to that share, and falls by what its groups took. Virtual GPUs stand in a queue. The
 * first one that has a job waiting goes, and in it the client of highest priority (vqueue.c). A
 * virtual GPU whose budget is exhausted when a group of it ends goes to the tail.
 *
 * Good where every virtual GPU always has a group waiting and groups are short beside the period:
 * then shares hold. Bad otherwise, which is why BAND exists. A client that sends one group at a
 * time has none waiting when its group ends, so the engine goes to another virtual GPU, for a group
 * of any length. The budgets then say which virtual GPU is owed time, but their bound forgets it,
 * and one that is not waiting cannot be chosen.
 */
#include "vqueue.h"

static const struct tg_param params[] = {
	TG_VQUEUE_PARAMS,
	TG_VQUEUE_BUDGET_PARAMS,
	{ }
};

static struct tg_job *credit_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return tg_vqueue_pick(gpu, engine, tg_vqueue_head, -1);
}

static void credit_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	u32 queue = tg_vqueue_ended(gpu, job, used);
	struct tg_vgpu *vgpu = &gpu->vgpu[job->client->vgpu];

	if (tg_vqueue_charge(gpu, vgpu, queue, used) <= 0)
		tg_vqueue_rotate(gpu, vgpu, queue);
}

static void credit_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	credit_done(gpu, job, job->charged);
}

static void credit_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	if (tg_vqueue_held(gpu, job, held) <= 0)
		tg_vqueue_rotate(gpu, &gpu->vgpu[job->client->vgpu], tg_vqueue_of(gpu, job));
}

TG_POLICY(credit) = {
	.name = "credit",
	.mode = TG_GATE_ASK,
	.by_prio = true,
	.params = params,
	.init = tg_vqueue_init,
	.ahead = tg_vqueue_ahead,
	.leave = tg_vqueue_leave,
	.queue = tg_vqueue_queue,
	.drop = tg_vqueue_drop,
	.pick = credit_pick,
	.done = credit_done,
	.lost = credit_lost,
	.held = credit_held,
	.wake = tg_vqueue_wake,
};
