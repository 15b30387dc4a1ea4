// SPDX-License-Identifier: GPL-2.0
/*
 * vfifo: virtual GPUs in turn, one group each. Gdev's second baseline, which it calls FIFO (Gdev,
 * section 7.5, after its published code).
 *
 * The first virtual GPU in the queue that has a job waiting goes, and in it the client of highest
 * priority (vqueue.c). After the group it goes to the tail. Shares do not count.
 *
 * Its only virtue is simplicity: all virtual GPUs get equally many groups, so the one with the
 * longest groups gets the most time. It shows what budgets are for.
 */
#include "vqueue.h"

static const struct tg_param params[] = {
	TG_VQUEUE_PARAMS,
	{ }
};

static struct tg_job *vfifo_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return tg_vqueue_pick(gpu, engine, tg_vqueue_head, -1);
}

static void vfifo_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	u32 queue = tg_vqueue_ended(gpu, job, used);

	tg_vqueue_rotate(gpu, &gpu->vgpu[job->client->vgpu], queue);
}

static void vfifo_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	vfifo_done(gpu, job, 0);
}

TG_POLICY(vfifo) = {
	.name = "vfifo",
	.mode = TG_GATE_ASK,
	.by_prio = true,
	.params = params,
	.init = tg_vqueue_init,
	.ahead = tg_vqueue_ahead,
	.leave = tg_vqueue_leave,
	.queue = tg_vqueue_queue,
	.drop = tg_vqueue_drop,
	.pick = vfifo_pick,
	.done = vfifo_done,
	.lost = vfifo_lost,
	.wake = tg_vqueue_wake,
};
