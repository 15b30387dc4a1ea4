// SPDX-License-Identifier: GPL-2.0
/*
 * nouveau's fences: in which memory the GPU writes how far each channel is, and when.
 *
 * nouveau (nv84_fence.c, nvc0_fence.c) has one buffer for the fences of all channels, pinned and
 * mapped as long as the GPU is bound, with a slot of 16 bytes for each channel. It reads a slot by
 * nouveau_bo_rd32(buffer, word) whenever somebody asks whether a fence has signalled. A probe on
 * that function sees the arguments of the one call that tgk_nouveau_slots() makes nouveau do; calls
 * of other threads and of interrupts are not looked at. Before nouveau rings a doorbell it reads
 * word 0 of the channel's push buffer (nv50_dma_push()). clock.c calls this file.
 *
 * The buffer begins with TTM's object, whose resource says where it lies in the machine's address
 * space.
 */
#include <drm/drm_gem_ttm_helper.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "nouveau.h"

static struct task_struct *asking;	/* the thread that makes nouveau read; set atomically */
static void *buffer;			/* what it has read from; only @asking, as @word */
static unsigned long word;
static struct task_struct *flusher;	/* who has read a word 0 last; compared only */
static s64 flushed;			/* when */

/* Return: this read is of no interest. */
static int on_read(struct kretprobe_instance *read, struct pt_regs *regs)
{
	if (!in_task())
		return 1;
	if (READ_ONCE(asking) == current) {
		buffer = (void *)regs_get_kernel_argument(regs, 0);
		word = regs_get_kernel_argument(regs, 1);
		return 1;
	}
	return regs_get_kernel_argument(regs, 1) != 0;
}

static int on_flushed(struct kretprobe_instance *read, struct pt_regs *regs)
{
	WRITE_ONCE(flusher, NULL);
	WRITE_ONCE(flushed, ktime_get_ns());
	smp_store_release(&flusher, current);	/* with @flushed */
	return 0;
}

static DEFINE_MUTEX(watch_mutex);
static struct kretprobe probe;		/* watch_mutex, as @watchers */
static u32 watchers;

int tgk_nouveau_watch(void)
{
	int ret = 0;

	mutex_lock(&watch_mutex);
	if (!watchers) {
		/* A probe that has been registered is used up. */
		probe = (struct kretprobe){
			.kp.symbol_name = "nouveau_bo_rd32",
			.entry_handler = on_read, .handler = on_flushed,
		};
		ret = register_kretprobe(&probe);
	}
	watchers += !ret;
	mutex_unlock(&watch_mutex);
	return ret;
}

void tgk_nouveau_unwatch(void)
{
	mutex_lock(&watch_mutex);
	if (!--watchers)
		unregister_kretprobe(&probe);
	mutex_unlock(&watch_mutex);
}

bool tgk_nouveau_slots(struct dma_fence *fence, struct tgk_slots *slots)
{
	const struct ttm_resource *res = NULL;
	const struct ttm_buffer_object *bo;

	if (cmpxchg(&asking, NULL, current))
		return false;
	buffer = NULL;
	dma_fence_is_signaled(fence);
	bo = buffer;
	if (bo)
		res = bo->resource;
	/* A GPU without memory of its own has them in the machine's. */
	if (res && res->bus.is_iomem && res->bus.offset) {
		slots->phys = res->bus.offset;
		slots->size = bo->base.size;
		slots->combine = res->bus.caching == ttm_write_combined;
		slots->first = word / 4;
		/* Pairs with the release in on_flushed(). */
		slots->flushed = smp_load_acquire(&flusher) == current ? READ_ONCE(flushed) : 0;
	} else {
		bo = NULL;
	}
	WRITE_ONCE(flusher, NULL);
	/* @buffer and @word are the next one's. */
	smp_store_release(&asking, NULL);
	return bo;
}
