/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dma_fence: who made a fence, and when it signalled.
 *
 * 6.17 and later: names by functions of dma_fence, since ops may vanish after the signal.
 */
#ifndef TGK_WRAP_FENCE_H
#define TGK_WRAP_FENCE_H

#include <linux/dma-fence.h>
#include <linux/version.h>

#include <drm/gpu_scheduler.h>

/*
 * 6.16: nouveau makes the fence of a PUSHBUF before it rings the doorbell, and rings it once.
 * Before, it rings for the group, makes the fence, and rings for that.
 */
#define TGK_FENCE_BEFORE_DOORBELL	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0))

/* Both tracepoints call this: a changed prototype must break the build. */
#include <trace/events/dma_fence.h>

static inline void tgk_fence_canary(void (*probe)(void *data, struct dma_fence *fence))
{
	check_trace_callback_type_dma_fence_init(probe);
	check_trace_callback_type_dma_fence_emit(probe);
}

static inline const char *tgk_fence_driver(struct dma_fence *fence)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return (const char __force *)dma_fence_driver_name(fence);
#else
	return fence->ops->get_driver_name(fence);
#endif
}

static inline const char *tgk_fence_timeline(struct dma_fence *fence)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return (const char __force *)dma_fence_timeline_name(fence);
#else
	return fence->ops->get_timeline_name(fence);
#endif
}

/* 7.1 and later: a fence may have a lock of its own. */
#ifndef dma_fence_lock_irqsave
#define dma_fence_spinlock(fence)	((fence)->lock)
#define dma_fence_lock_irqsave(fence, flags)	spin_lock_irqsave((fence)->lock, flags)
#define dma_fence_unlock_irqrestore(fence, flags)	spin_unlock_irqrestore((fence)->lock, flags)
#endif

/* When it signalled, or 0: not written yet. */
static inline ktime_t tgk_fence_time(struct dma_fence *fence)
{
	if (!test_bit(DMA_FENCE_FLAG_TIMESTAMP_BIT, &fence->flags))
		return 0;
	return fence->timestamp;
}

/* The fences of a job of the DRM scheduler, of which `finished` is given. */
static inline struct drm_sched_fence *tgk_fences_of(struct dma_fence *finished)
{
	return container_of(finished, struct drm_sched_fence, finished);
}

#endif /* TGK_WRAP_FENCE_H */
