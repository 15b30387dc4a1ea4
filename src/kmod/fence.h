/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fence.c: the fence of a submission.
 */
#ifndef TGK_FENCE_H
#define TGK_FENCE_H

#include "driver/driver.h"
#include "tgk.h"
#include "wrap/fence.h"

/**
 * struct tgk_start - when a command group starts, as the thread sees it that submits the group
 * @gpu: the GPU
 * @doorbell: of the thread; NULL: it need not be looked at, any more or at all
 * @pushes: tgk_call.pushes
 * @chid: the driver's number of the channel
 * @at: when the doorbell reached the card; 0: that is not known
 * @follows: tgk_clock_behind() may be called
 * @first: `scheduled` of the first job of a submission, referenced (tgk_driver.chained); or NULL
 */
struct tgk_start {
	struct tgk_gpu *gpu;
	struct tgk_doorbell *doorbell;
	u32 pushes, chid;
	s64 at;
	bool follows;
	struct dma_fence *first;
};

/**
 * struct tgk_capture - looks out for the fence that the current thread creates
 * @hash: in the table of captures, if it is in there
 * @task: the thread, if it is in the table; NULL: it is found by its channel
 * @driver: the driver that is called
 * @sched: its submission goes through drm_sched (tgk_call.sched)
 * @fence: the last one seen that it wants, referenced
 * @before: the last one of drm_sched's, where it is in the table; compared only
 * @start: note here when the group starts, or which fence will tell, and ask for the fence's
 *	interrupt; NULL: do neither
 * @sent: the last one of which the driver has said that it goes to the GPU (tgk_driver.emits),
 *	compared only
 */
struct tgk_capture {
	struct hlist_node hash;
	struct task_struct *task;
	const struct tgk_driver *driver;
	bool sched;
	struct dma_fence *fence;
	const struct dma_fence *before, *sent;
	struct tgk_start *start;
};

int tgk_fence_init(void);
void tgk_fence_exit(void);
int tgk_fence_emits_on(void);
void tgk_fence_emits_off(void);
void tgk_capture_list(struct tgk_capture *c);
void tgk_capture_unlist(struct tgk_capture *c, struct tgk_channel *ch);
struct dma_fence *tgk_capture_lone(const struct tgk_capture *c);
bool tgk_capture_has(const struct dma_fence *fence);

/**
 * tgk_capture_begin() - from now on, remember the last fence that this thread creates
 * @c: where; all zero but for what the caller wants
 * @ch: the channel that it is for, held until tgk_capture_end(); or NULL
 */
static inline void tgk_capture_begin(struct tgk_capture *c, struct tgk_channel *ch)
{
	if (likely(ch && READ_ONCE(ch->context) && !cmpxchg(&ch->task, NULL, current)))
		ch->capture = c;
	else
		tgk_capture_list(c);
}

/**
 * tgk_capture_end() - no longer
 * @c: as given to tgk_capture_begin()
 * @ch: likewise
 *
 * Return: the fence, referenced, or NULL when none was emitted.
 */
static inline struct dma_fence *tgk_capture_end(struct tgk_capture *c, struct tgk_channel *ch)
{
	if (likely(!c->task))
		smp_store_release(&ch->task, NULL);	/* @capture is the next one's */
	else
		tgk_capture_unlist(c, ch);
	if (likely(c->fence && kref_read(&c->fence->refcount) > 1 && !c->driver->emits))
		return c->fence;
	return tgk_capture_lone(c);
}

/*
 * Take a callback away from @fence, as dma_fence_remove_callback() does, under the lock of @held,
 * which may be the same one. Else @fence has to be of a job that the job of @held waits for: locks
 * are taken in that order nowhere else, nor in the other order.
 *
 * Return: it has been taken away; false: it has been called.
 */
static inline bool tgk_fence_take_back(struct dma_fence *fence, struct dma_fence_cb *cb,
				       struct dma_fence *held)
{
	spinlock_t *const lock = dma_fence_spinlock(fence);
	bool there;

	if (lock == dma_fence_spinlock(held)) {
		there = !list_empty(&cb->node);
		list_del_init(&cb->node);
		return there;
	}
	spin_lock_nested(lock, SINGLE_DEPTH_NESTING);
	there = !list_empty(&cb->node);
	list_del_init(&cb->node);
	spin_unlock(lock);
	return there;
}

void tgk_fence_forget(struct tgk_channel *ch);
void tgk_fence_gpu(struct tgk_gpu *gpu);
void tgk_fence_arm(struct tgk_job *job, const struct tgk_start *start, struct dma_fence *fence);
bool tgk_fence_ended(const struct tgk_gpu *gpu, struct dma_fence *fence);
bool tgk_fence_ahead(const struct dma_fence *fence, const struct drm_file *file, u32 chid);
void tgk_fence_drop_all(struct tgk_gpu *gpu);

#endif /* TGK_FENCE_H */
