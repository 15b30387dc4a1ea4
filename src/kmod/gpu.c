// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a GPU: tgk_gpu_create(), visible; tgk_gpu_close(), invisible, its waiters leave;
 * tgk_gpu_unused(), no call holds it any more; tgk_gpu_destroy().
 *
 * Owns the list of GPUs. attach.c calls all of this in process context, under tgk_mutex; only
 * tgk_gpu_get() and tgk_gpu_made() are every ioctl's.
 */
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "channel.h"
#include "client.h"
#include "copies.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "gpu.h"
#include "note.h"
#include "owner.h"
#include "poll.h"
#include "pool.h"
#include "recorder.h"
#include "settings.h"
#include "space.h"
#include "submit.h"
#include "sysfs/sysfs.h"
#include "vram.h"

#define BUCKET_BITS	9
#define CHANNEL_BITS	7
#define MEMORY_BITS	16

LIST_HEAD(tgk_gpus);
LIST_HEAD(tgk_gpus_closed);

/*
 * How many lists hold the channels, as a power of two. Where the hardware does not limit their
 * number, memory does: a channel takes 2 KiB, with its file. There is a list for each MiB.
 */
static u32 channel_bits(const struct tgk_driver *driver)
{
	const u32 mib = totalram_pages() >> (20 - PAGE_SHIFT);

	return driver->find ? CHANNEL_BITS : clamp(ilog2(mib | 1), CHANNEL_BITS, MEMORY_BITS);
}

static int tables_alloc(struct tgk_gpu *gpu, struct tg_buckets *b)
{
	gpu->channel_bits = channel_bits(gpu->driver);
	gpu->channels = kvcalloc(1 << gpu->channel_bits, sizeof(*gpu->channels), GFP_KERNEL);
	b->bits = max_t(u32, BUCKET_BITS, gpu->channel_bits);
	b->jobs = kvcalloc(1 << b->bits, sizeof(*b->jobs), GFP_KERNEL);
	b->clients = kvcalloc(1 << b->bits, sizeof(*b->clients), GFP_KERNEL);
	b->channels = kvcalloc(1 << b->bits, sizeof(*b->channels), GFP_KERNEL);
	return gpu->channels && b->jobs && b->clients && b->channels ? 0 : -ENOMEM;
}

static void tables_free(const struct tgk_gpu *gpu, const struct tg_buckets *b)
{
	kvfree(gpu->channels);
	kvfree(b->jobs);
	kvfree(b->clients);
	kvfree(b->channels);
}

static void gpu_init(struct tgk_gpu *gpu, const struct drm_device *drm, struct device *dev)
{
	gpu->drm = drm;
	gpu->dev = get_device(dev);
	atomic_set(&gpu->calls, 1);
	xa_init_flags(&gpu->spaces, XA_FLAGS_ACCOUNT);
	INIT_DELAYED_WORK(&gpu->unpark, tgk_unpark);
	init_llist_head(&gpu->spare);
	tgk_errand_init(&gpu->watch, tgk_watch, NULL);
	init_waitqueue_head(&gpu->open_wait);
	raw_spin_lock_init(&gpu->lock);
	INIT_LIST_HEAD(&gpu->later.errands);
	hash_init(gpu->clients);
	hash_init(gpu->claims);
	gpu->seed = get_random_u32();
	INIT_LIST_HEAD(&gpu->parked);
	hash_init(gpu->parked_by);
	INIT_LIST_HEAD(&gpu->flights);
	INIT_LIST_HEAD(&gpu->unstarted);
	init_llist_head(&gpu->bypassed);
	INIT_LIST_HEAD(&gpu->parked_requests);
	hash_init(gpu->owners);
	hash_init(gpu->objects);
	tgk_feed_gpu(gpu);
	tgk_note_gpu(gpu);
	tgk_fence_gpu(gpu);
	tgk_copies_gpu(gpu);
}

/* Under tgk_mutex: the lowest number that no GPU has. One that is closed has its files still. */
static u32 free_index(void)
{
	const struct tgk_gpu *gpu;
	u32 index = 0;

again:
	list_for_each_entry(gpu, &tgk_gpus, node)
		if (gpu->index == index)
			goto taken;
	list_for_each_entry(gpu, &tgk_gpus_closed, node)
		if (gpu->index == index)
			goto taken;
	return index;

taken:
	index++;
	goto again;
}

/**
 * tgk_gpu_create() - schedule a GPU from now on
 * @driver: its driver
 * @drm: the driver's device
 * @dev: its PCI device
 *
 * Context: process, under tgk_mutex.
 *
 * Return: the GPU, or an ERR_PTR().
 */
struct tgk_gpu *tgk_gpu_create(const struct tgk_driver *driver, const struct drm_device *drm,
			       struct device *dev)
{
	const struct tg_param *params = tg_policy_get(tgk_policy)->params;
	struct list_head *after = &tgk_gpus;
	struct tg_buckets buckets;
	struct tgk_gpu *gpu, *other;
	u32 i;
	int ret;

	gpu = kvzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return ERR_PTR(-ENOMEM);
	gpu->driver = driver;
	gpu->index = free_index();
	list_for_each_entry(other, &tgk_gpus, node) {
		if (other->index > gpu->index)
			break;
		after = &other->node;
	}
	gpu_init(gpu, drm, dev);
	ret = tables_alloc(gpu, &buckets);
	if (ret)
		goto free;
	gpu->poll.id = driver->chip_id ? driver->chip_id(gpu->dev) : TGK_CHIP_NONE;
	tg_gpu_init(&gpu->core, tgk_chip_engines(driver, gpu->poll.id), tgk_policy, &buckets,
		    ktime_get_ns());
	ret = tgk_trace_init(&gpu->trace, tgk_trace_kib, gpu->index, gpu->core.policy->name,
			     gpu->core.nr_engines, gpu->core.now);
	if (ret)
		goto free;
	ret = tgk_recorder_attach(gpu);
	if (ret)
		goto untrace;
	if (tgk_spec) {
		struct tg_event ev = { .kind = TG_EV_SPEC, .new_spec = &tgk_spec->spec };

		tgk_feed_locking(gpu, &ev);
	}
	tgk_vgpus_attach(gpu);
	tgk_poll_attach(gpu);
	tgk_clock_attach(gpu);
	ret = tgk_poll_able(gpu, gpu->core.policy) ? 0 : -EOPNOTSUPP;
	for (i = 0; i < TG_KNOBS && !ret; i++)
		ret = tgk_gpu_set_knob(gpu, -1, i, tgk_knobs[i]);
	for (i = 0; params && params[i].name && !ret; i++)
		if (tgk_policy_knobs[i] != params[i].def)
			ret = tgk_gpu_set_knob(gpu, tgk_policy, i, tgk_policy_knobs[i]);
	if (tgk_foreground) {
		struct tg_event ev = {
			.kind = TG_EV_FOREGROUND, .foreground.pid = tgk_foreground,
		};

		tgk_feed_locking(gpu, &ev);
	}
	ret = ret ?: tgk_sysfs_gpu_add(gpu);
	if (ret)
		goto unpoll;
	list_add_rcu(&gpu->node, after);
	return gpu;

unpoll:
	tgk_clock_detach(gpu);
	tgk_poll_detach(gpu);
	hrtimer_cancel(&gpu->timer);
	tgk_gpu_set_knob(gpu, -1, TG_KNOB_DRY, 0);
	flush_workqueue(tgk_wq);
	tgk_pools_free(gpu);
	tgk_recorder_detach(gpu);
untrace:
	tgk_trace_exit(&gpu->trace);
free:
	tables_free(gpu, &buckets);
	put_device(gpu->dev);
	kvfree(gpu);
	return ERR_PTR(ret);
}

/**
 * tgk_gpu_close() - schedule it no more
 * @gpu: the GPU
 * @how: what its waiters have to do
 *
 * Context: process, under tgk_mutex.
 *
 * Return: how many threads were waiting.
 */
u32 tgk_gpu_close(struct tgk_gpu *gpu, enum tgk_closing how)
{
	struct tg_event ev = { .kind = TG_EV_SPEC };
	u32 waiters;

	list_del_rcu(&gpu->node);
	raw_spin_lock_irq(&gpu->lock);
	WRITE_ONCE(gpu->closing, how);
	/* tgk_set_spec() does not see this GPU any more, and may free the spec that it has. */
	tgk_feed(gpu, &ev);
	tgk_unlock_irq(gpu);
	waiters = tgk_wake_all(gpu);
	wake_up_all(&gpu->open_wait);
	wake_up_all(&tgk_settled);
	synchronize_rcu();
	list_add(&gpu->node, &tgk_gpus_closed);
	tgk_gpu_put(gpu);
	return waiters;
}

/**
 * tgk_gpu_unused() - does no call use it any more?
 * @gpu: the GPU, closed
 *
 * It takes as long as the driver takes for the calls that it has: nouveau up to the 15 s of its
 * own time-outs, and longer while a thread of a client is stuck in the driver (a page fault that
 * is never served). So attach.c waits for this without tgk_mutex.
 */
bool tgk_gpu_unused(const struct tgk_gpu *gpu)
{
	return !atomic_read_acquire(&gpu->calls);
}

/**
 * tgk_gpu_destroy() - forget it
 * @gpu: the GPU, closed and unused
 *
 * Context: process, under tgk_mutex. Waits for no client.
 */
void tgk_gpu_destroy(struct tgk_gpu *gpu)
{
	struct tg_event ev = { .kind = TG_EV_SPEC };

	list_del(&gpu->node);
	/* fence_work reads registers. No submission is left that could queue it again. */
	cancel_delayed_work_sync(&gpu->fence_work);
	tgk_poll_detach(gpu);
	hrtimer_cancel(&gpu->timer);
	cancel_delayed_work_sync(&gpu->unpark);
	tgk_unpark_all(gpu);
	tgk_fence_drop_all(gpu);
	tgk_copies_drop(gpu);
	tgk_channel_leave(gpu, NULL, NULL);
	tgk_channel_forget(gpu, NULL, NULL);
	tgk_feed_locking(gpu, &ev);	/* clients that owe something go, too */
	tgk_clock_detach(gpu);		/* a channel that leaves marks its slot */
	tgk_vram_forget_all(gpu);
	tgk_gpu_set_knob(gpu, -1, TG_KNOB_DRY, 0);
	rcu_barrier();	/* channels, with fences that are nouveau's */
	synchronize_rcu();	/* what fences have put off is queued: later.c */
	tgk_sysfs_gpu_remove(gpu);
	/* Folders of clients, notes, answers to SYNC: all that is queued for this GPU. */
	flush_workqueue(tgk_wq);
	WARN_ON(!hash_empty(gpu->clients) || !hash_empty(gpu->owners));
	tgk_pools_free(gpu);
	tgk_spaces_free(gpu);
	tgk_recorder_detach(gpu);
	tgk_trace_exit(&gpu->trace);
	tables_free(gpu, &gpu->core.buckets);
	put_device(gpu->dev);
	kvfree(gpu);
}

/**
 * tgk_gpu_get() - find and hold a GPU
 * @drm: the driver's device
 *
 * Return: the GPU, or NULL when it is not scheduled.
 */
struct tgk_gpu *tgk_gpu_get(const struct drm_device *drm)
{
	struct tgk_gpu *gpu, *found = NULL;

	rcu_read_lock_sched();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held()) {
		if (gpu->drm == drm && atomic_inc_not_zero(&gpu->calls)) {
			found = gpu;
			break;
		}
	}
	rcu_read_unlock_sched();
	return found;
}

/**
 * tgk_gpu_made() - has the current process got a buffer from a GPU that is scheduled?
 * @buf: the buffer, held
 * @vram: out, if it has: how much VRAM that GPU's books have
 *
 * A buffer whose module is the driver's is an object of the driver's: it exports nothing else.
 *
 * Return: 0; -EOPNOTSUPP: it is of no such GPU; -EPERM: another process has got it, or it is not in
 * the books of VRAM.
 */
int tgk_gpu_made(const struct dma_buf *buf, u64 *vram)
{
	const struct drm_gem_object *obj = buf->priv;
	const struct tgk_owner *owner;
	struct tgk_gpu *gpu;
	int ret = -EOPNOTSUPP;

	rcu_read_lock_sched();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held()) {
		if (!buf->owner || buf->owner != gpu->drm->driver->fops->owner ||
		    obj->dev != gpu->drm)
			continue;
		raw_spin_lock_irq(&gpu->lock);
		owner = tgk_vram_owner(gpu, obj);
		ret = owner && owner->pid == task_tgid(current) ? 0 : -EPERM;
		*vram = gpu->core.mem.size;
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock_sched();
	return ret;
}
