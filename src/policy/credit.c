// SPDX-License-Identifier: GPL-2.0
/*
 * credit: Xen's credit scheduler over virtual GPUs, Gdev's first baseline (Gdev, section 5.2).
 *
 * Each virtual GPU has a budget that grows by its share of a period (30 ms) every period, up to
 * that, and falls by what its groups took. Virtual GPUs stand in a queue; the first that waits
 * goes, and in it the client of highest priority (vqueue.c). One whose budget is exhausted when a
 * group of it ends goes to the tail.
 *
 * Good where everybody always has a group waiting and groups are short beside the period: then
 * shares hold. Bad where they are not, which is why BAND exists: somebody with one group at a time
 * is not waiting when its group ends, and the engine goes to the next one, for a group of whatever
 * length. The budgets then say who is owed, but the bound on them forgets it, and who is not there
 * cannot be chosen.
 */
#include "vqueue.h"

static const struct tg_param params[] = {
	TG_VQUEUE_PARAMS,
	TG_VQUEUE_BUDGET_PARAMS,
	{ }
};

static struct tg_job *credit_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return tg_vqueue_pick(gpu, engine, tg_vqueue_head);
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
	.params = params,
	.init = tg_vqueue_init,
	.leave = tg_vqueue_leave,
	.queue = tg_vqueue_queue,
	.drop = tg_vqueue_drop,
	.pick = credit_pick,
	.done = credit_done,
	.lost = credit_lost,
	.held = credit_held,
	.wake = tg_vqueue_wake,
};
