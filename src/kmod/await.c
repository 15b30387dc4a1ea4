// SPDX-License-Identifier: GPL-2.0
/*
 * What a submission through drm_sched (nouveau's EXEC, those of sched.c) waits for before the core
 * hears of it.
 *
 * Such a submission may name fences of any driver that the GPU has to wait for. The driver queues
 * its job and returns; if the core had freed the job already, it would keep its engine's slot until
 * the fence signals, which another device decides, or the client itself. So its thread waits here,
 * in the place of the ioctl, under no lock, and submits when the GPU can begin at once. No client
 * is charged for this wait.
 *
 * The client may change the list of fences before the driver reads it. It gains nothing: a job that
 * waits inside the driver has not STARTED (fence.c), and the core takes its slot away.
 *
 * Before any such wait the GPU is asked for an interrupt (tgk_await_signal()); client.c does that,
 * too, where it waits for what went through an open gate.
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/sched/signal.h>

#include "await.h"
#include "driver/driver.h"
#include "fence.h"
#include "stats.h"

#define CLOSING_CHECK	(HZ / 10)

/**
 * tgk_await_signal() - have the GPU interrupt for a fence that the caller is to wait for
 * @gpu: a GPU of the driver that may have made it. That driver is asked by want_signal(), and the
 *	fence signals here if its interrupt came before
 * @fence: any driver's fence, referenced
 *
 * Context: process.
 */
void tgk_await_signal(const struct tgk_gpu *gpu, struct dma_fence *fence)
{
	bool ours;

	rcu_read_lock();	/* its names stay until then */
	ours = gpu->driver->want_signal && gpu->driver->makes_fence(fence);
	rcu_read_unlock();
	if (ours) {
		gpu->driver->want_signal(fence);
		dma_fence_is_signaled(fence);
	}
}

/* Return: 0: the fence has signalled, or the GPU closes; -ERESTARTSYS. */
static int await_one(struct tgk_gpu *gpu, struct dma_fence *fence, bool *waited)
{
	long left;

	while (!READ_ONCE(gpu->closing)) {
		if (dma_fence_is_signaled(fence))
			return 0;
		if (!*waited)
			tgk_count(TGK_STAT_FENCE_WAITED);
		*waited = true;
		tgk_await_signal(gpu, fence);
		left = dma_fence_wait_timeout(fence, true, CLOSING_CHECK);
		if (left < 0)
			return left;
	}
	return 0;
}

/*
 * A fence may stand for many, and a point of a timeline for all before it. However many
 * there are, nothing is allocated and no lock is held over them. A fence of the call's own
 * channel needs no wait: its job goes to the GPU ahead of this one. That is known where all fences
 * of a channel are of one context, and that one is the channel's alone: for tgk_driver.mixed
 * drivers the thread waits for these, too.
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

/**
 * tgk_await() - wait until the GPU can begin with a submission at once
 * @gpu: the GPU, held
 * @call: the ioctl, of one that goes through drm_sched
 *
 * From the first fence that the driver will refuse on, there is no wait. in_fence() may end the
 * list there. That of nouveau.c has the rest looked at: the driver may not survive one that cannot
 * be read.
 * Context: process; sleeps until those fences signal; a signal to the thread ends it, and so does
 * the end of the GPU or of this module.
 *
 * Return: 0; -EFAULT; -ENOMEM; -ERESTARTSYS: nothing has happened yet, and the call can be made
 * again.
 */
int tgk_await(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	bool waited = false, refused = false;
	struct dma_fence *fence;
	int ret = 0, more;
	u32 i;

	for (i = 0; !ret && !READ_ONCE(gpu->closing); i++) {
		more = gpu->driver->in_fence(gpu->driver, call, i, &fence);
		if (more <= 0)
			return more;
		cond_resched();
		refused |= !fence;
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else if (!refused)
			ret = await_all(gpu, call, fence, &waited);
		dma_fence_put(fence);
	}
	return ret;
}

/**
 * tgk_await_end() - wait for a submission's end, as nouveau does where PUSHBUF says SYNC
 * @fence: its fence, referenced
 *
 * Signals do not end it: the submission must not be repeated. A fatal one does.
 * Context: process; sleeps, at most nouveau's 15 seconds.
 *
 * Return: 0, -EBUSY after that time, -EINTR, or the fence's error.
 */
int tgk_await_end(struct dma_fence *fence)
{
	unsigned long end = jiffies + 15 * HZ;
	int status;

	while (!dma_fence_wait_timeout(fence, false, HZ / 10)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, end))
			return -EBUSY;
	}
	status = dma_fence_get_status(fence);
	return min(status, 0);
}
