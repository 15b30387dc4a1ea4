// SPDX-License-Identifier: GPL-2.0
/*
 * What an EXEC waits for before it asks for its turn.
 *
 * An EXEC may name fences that the GPU has to wait for, of any driver. nouveau queues such a job
 * and returns; with its turn the job would hold the engine until the fence signals, which another
 * device decides, or the client itself. So its thread waits here, holding nothing, and asks for
 * its turn when the GPU can begin at once. Nobody is charged for this.
 *
 * What the thread finds here, the client may change before nouveau looks. That is no way around:
 * such a job has not STARTED (fence.c), and the core takes its turn away.
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "await.h"
#include "fence.h"
#include "stats.h"
#include "wrap/nouveau.h"

#define CLOSING_LOOK	(HZ / 10)

/* nouveau keeps each array in one piece of memory. */
#define SYNCS_MAX	(KMALLOC_MAX_SIZE / sizeof(struct tgk_exec_sync))

/* Return: 0: it has signalled, or the GPU goes; -ERESTARTSYS. */
static int await_one(struct tgk_gpu *gpu, struct dma_fence *fence, bool *waited)
{
	long left;

	while (!READ_ONCE(gpu->closing)) {
		if (dma_fence_is_signaled(fence))
			return 0;
		if (!*waited)
			tgk_count(TGK_STAT_FENCE_WAITED);
		*waited = true;
		left = dma_fence_wait_timeout(fence, true, CLOSING_LOOK);
		if (left < 0)
			return left;
	}
	return 0;
}

/*
 * A fence may stand for many, and a point of a timeline for all before it. However many
 * there are, nothing is allocated and no lock is held over them. Those of the call's own
 * channel are not waited for: their jobs go to the GPU ahead of this one, in their order.
 */
static int await_all(struct tgk_gpu *gpu, const struct tgk_call *call, struct dma_fence *fence,
		     bool *waited)
{
	struct dma_fence_unwrap iter;
	struct dma_fence *one;
	int ret = 0;

	dma_fence_unwrap_for_each(one, &iter, fence) {
		cond_resched();
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else if (!dma_fence_is_signaled(one) &&
			 !tgk_fence_ahead(one, call->file, call->chid))
			ret = await_one(gpu, one, waited);
		if (ret) {
			dma_fence_put(iter.chain);
			return ret;
		}
	}
	return 0;
}

/* As nouveau finds it: a point that nobody has promised yet is an error. */
static int find_fence(const struct tgk_call *call, const struct tgk_exec_sync *sync,
		      struct dma_fence **fence)
{
	const u32 type = sync->flags & TGK_SYNC_TYPE;

	if (type != TGK_SYNC_PLAIN && type != TGK_SYNC_TIMELINE)
		return -EOPNOTSUPP;
	return drm_syncobj_find_fence(call->file, sync->handle,
				      type == TGK_SYNC_TIMELINE ? sync->point : 0, 0, fence);
}

/**
 * tgk_await() - wait until the GPU can begin with an EXEC at once
 * @gpu: the GPU, held
 * @call: the ioctl, an EXEC
 *
 * A syncobj that is not there, or has no fence, is left to nouveau to refuse. Not so an array that
 * is not there or that no memory is enough for: on its way out nouveau would free what it could not
 * get (seen on 6.12).
 * Context: process; sleeps as long as others decide; any signal ends it, and so does the end of
 * the GPU or of this module.
 *
 * Return: 0; -EFAULT; -ENOMEM; -ERESTARTSYS: nothing has happened yet, and the call can be made
 * again.
 */
int tgk_await(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	const struct tgk_exec *req = call->data;
	const struct tgk_exec_sync __user *syncs = u64_to_user_ptr(req->wait_ptr);
	bool waited = false, known = true;
	struct tgk_exec_sync sync;
	struct dma_fence *fence;
	int ret = 0;
	u32 i;

	if (max(req->wait_count, req->sig_count) > SYNCS_MAX)
		return -ENOMEM;
	for (i = 0; i < req->wait_count && !ret; i++) {
		cond_resched();
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (copy_from_user(&sync, &syncs[i], sizeof(sync)))
			return -EFAULT;
		known = known && !find_fence(call, &sync, &fence);
		if (known) {
			ret = await_all(gpu, call, fence, &waited);
			dma_fence_put(fence);
		}
	}
	return ret;
}
