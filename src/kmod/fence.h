/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fence.c: the fence of a submission.
 */
#ifndef TGK_FENCE_H
#define TGK_FENCE_H

#include "tgk.h"

/**
 * struct tgk_capture - looks out for the fence that the current thread creates
 * @hash: in the table of captures, if @listed
 * @task: the thread, if @listed
 * @listed: in the table, else found by its channel
 * @driver: the driver that is called
 * @sched: its submission goes through drm_sched (tgk_call.sched)
 * @timed: the GPU, if the fence goes to tgk_fence_arm(): @at is wanted, and that it signals; NULL
 * @doorbell: of the thread, if @at is wanted; or NULL
 * @pushes: tgk_call.pushes, if @at is wanted
 * @chid: the driver's number of the channel, if it goes to tgk_fence_arm()
 * @fence: the last one seen, referenced
 * @unsent: @fence may yet go to the GPU, or never will: the driver tells (tgk_driver.emits)
 * @at: when the doorbell reached the card, if that is wanted; else 0
 * @follows: tgk_clock_behind() may be called
 */
struct tgk_capture {
	struct hlist_node hash;
	struct task_struct *task;
	const struct tgk_driver *driver;
	bool listed, sched;
	struct tgk_gpu *timed;
	struct tgk_doorbell *doorbell;
	u32 pushes, chid;
	struct dma_fence *fence;
	bool unsent;
	s64 at;
	bool follows;
};

int tgk_fence_init(void);
void tgk_fence_exit(void);
int tgk_fence_emits_on(void);
void tgk_fence_emits_off(void);
void tgk_capture_list(struct tgk_capture *c);
void tgk_capture_unlist(struct tgk_capture *c, struct tgk_channel *ch);
struct dma_fence *tgk_capture_lone(const struct tgk_capture *c);

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
	if (likely(!c->listed))
		smp_store_release(&ch->task, NULL);	/* @capture is the next one's */
	else
		tgk_capture_unlist(c, ch);
	if (likely(c->fence && !c->unsent && kref_read(&c->fence->refcount) > 1))
		return c->fence;
	return tgk_capture_lone(c);
}

void tgk_fence_forget(struct tgk_channel *ch);
void tgk_fence_gpu(struct tgk_gpu *gpu);
void tgk_fence_arm(struct tgk_job *job, const struct tgk_capture *capture,
		   struct dma_fence *fence);
bool tgk_fence_ahead(const struct dma_fence *fence, const struct drm_file *file, u32 chid);
int tgk_fence_wait(struct dma_fence *fence);
void tgk_fence_drop_all(struct tgk_gpu *gpu);

#endif /* TGK_FENCE_H */
