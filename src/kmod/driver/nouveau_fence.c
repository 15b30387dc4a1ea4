// SPDX-License-Identifier: GPL-2.0
/*
 * nouveau's fences: in which memory the GPU writes how far each channel is, and when; and how a
 * channel's interrupts are had.
 *
 * nouveau (nv84_fence.c, nvc0_fence.c) has one buffer for the fences of all channels, pinned and
 * mapped as long as the GPU is bound, with a slot of 16 bytes for each channel. It reads a slot by
 * nouveau_bo_rd32(buffer, word) whenever a thread checks whether a fence has signalled. By ftrace,
 * on_read() sees the arguments of the one call that tgk_nouveau_slots() makes nouveau do; calls of
 * other threads and of interrupts are not looked at. slots.c calls this file.
 *
 * An armed kprobe would not do. At the entry of a function it is ftrace's, and has no copy of an
 * instruction. While ftrace changes the entry, a breakpoint stands there. If an interrupt's call
 * runs into it, and ftrace is done before the breakpoint is looked at, the kernel takes it for the
 * kprobe's, and goes on with that copy, at address 0 (seen once, on an emulated CPU).
 *
 * The buffer begins with TTM's object, whose resource says where it lies in the machine's address
 * space.
 *
 * Interrupts. nouveau switches them on for a channel as long as one of its fences wants them: its
 * enable_signaling() counts, and the end of a fence that has DMA_FENCE_FLAG_USER_BITS counts down.
 * Where the slot says that the GPU has reached the fence, enable_signaling() also takes the fence
 * off the channel's list, but leaves its pointer to the channel (nouveau_fence_no_signaling()). The
 * channel's end does not find that fence, so the pointer outlives the channel, and the next
 * submission with one of the fence's buffers follows it (nouveau_fence_sync()). Any client can
 * write the slot. So we call enable_signaling() with a stand-in that has no channel: nouveau does
 * not look at the slot then. The real fence gets the stand-in's flag.
 */
#include <drm/drm_gem_ttm_helper.h>
#include <linux/mutex.h>

#include "function.h"
#include "nouveau.h"
#include "wrap/fence.h"
#include "wrap/ftrace.h"

#define FENCE_MAX	192	/* bytes: nouveau's fence is no larger */

static struct task_struct *reader;	/* the thread that makes nouveau read; set atomically */
static void *buffer;			/* what it has read from; only @reader, as @word */
static unsigned long word;

/* Any context; preemption off. */
static void notrace on_read(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	if (in_task() && READ_ONCE(reader) == current) {
		buffer = (void *)tgk_ftrace_arg(fregs, 0);
		word = tgk_ftrace_arg(fregs, 1);
	}
}

static DEFINE_MUTEX(watch_mutex);
static struct ftrace_ops watch;		/* watch_mutex, as @watchers */
static u32 watchers;

/* Under watch_mutex: the filter goes, and with it what ftrace has set up. */
static void watch_drop(void)
{
	ftrace_free_filter(&watch);
	watch = (struct ftrace_ops){ };
}

int tgk_nouveau_watch(void)
{
	int ret = 0;

	mutex_lock(&watch_mutex);
	if (!watchers) {
		watch.func = on_read;
		ret = tgk_function_trace(&watch, "nouveau_bo_rd32") ?:
		      register_ftrace_function(&watch);
		if (ret)
			watch_drop();
	}
	watchers += !ret;
	mutex_unlock(&watch_mutex);
	return ret;
}

void tgk_nouveau_unwatch(void)
{
	mutex_lock(&watch_mutex);
	if (!--watchers) {
		unregister_ftrace_function(&watch);
		watch_drop();
	}
	mutex_unlock(&watch_mutex);
}

bool tgk_nouveau_slots(struct dma_fence *fence, struct tgk_slots *slots)
{
	const struct ttm_resource *res = NULL;
	const struct ttm_buffer_object *bo;
	const struct dma_fence_ops *ops;

	if (cmpxchg(&reader, NULL, current))
		return false;
	buffer = NULL;
	rcu_read_lock();
	ops = rcu_dereference_raw(fence->ops);
	if (ops && ops->signaled)	/* it reads, and does not make the fence signal */
		ops->signaled(fence);
	rcu_read_unlock();
	bo = buffer;
	if (bo)
		res = bo->resource;
	/* A GPU without memory of its own has them in the machine's. */
	if (res && res->bus.is_iomem && res->bus.offset) {
		slots->phys = res->bus.offset;
		slots->size = bo->base.size;
		slots->combine = res->bus.caching == ttm_write_combined;
		slots->first = word / 4;
	} else {
		bo = NULL;
	}
	/* @buffer and @word are the next one's. */
	smp_store_release(&reader, NULL);
	return bo;
}

void tgk_nouveau_want_signal(struct dma_fence *fence)
{
	union {
		struct dma_fence fence;
		u8 room[FENCE_MAX];
	} in = {};
	const struct dma_fence_ops *ops;
	unsigned long flags;

	/* nouveau's fence goes on with a list head, the channel and a time. */
	BUILD_BUG_ON(sizeof(in.fence) + sizeof(struct list_head) + 2 * sizeof(void *) > FENCE_MAX);
	dma_fence_lock_irqsave(fence, flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags) &&
	    !test_and_set_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &fence->flags)) {
		in.fence = *fence;
		kref_init(&in.fence.refcount);
		kref_get(&in.fence.refcount);	/* nouveau warns where it is the last one */
		ops = rcu_dereference_raw(fence->ops);
		if (ops->enable_signaling)
			ops->enable_signaling(&in.fence);
		if (test_bit(DMA_FENCE_FLAG_USER_BITS, &in.fence.flags))
			set_bit(DMA_FENCE_FLAG_USER_BITS, &fence->flags);
	}
	dma_fence_unlock_irqrestore(fence, flags);
}
