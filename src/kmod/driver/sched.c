// SPDX-License-Identifier: GPL-2.0
/*
 * Drivers on drm_sched: ioctls submit; drm_sched's fences of the job are made in the thread that
 * calls one; `scheduled` signals when the job goes to the GPU, and `finished` when it has ended.
 * That is all that the core hears of a job (fence.c), whatever the driver. A row says the rest:
 * sched_mock.c, sched_amdgpu.c, sched_xe.c, sched_panfrost.c, sched_lima.c, sched_v3d.c,
 * sched_etnaviv.c.
 *
 * A submission is gated at the ioctl. Behind it nothing may wait: drivers hold locks there, or are
 * on the way of memory that the system needs.
 *
 * Which engine executes it, the policy has to know at the gate: so a row tells that by the channel,
 * or a queue's channel learns it when the queue is made. Both may be read from memory that the
 * client changes then. The scheduler of the job's fence tells the truth, behind the gate: that
 * channel needs both engines from its next job on (submit.c, learn_engine()).
 *
 * A driver may let a client submit in another way, too, which passes no ioctl. That is not gated.
 * The ioctl by which the client begins so is watched, and the log names the first such client.
 *
 * None of them is served unless the parameter `drivers` names it (list.c). hook.c calls the
 * functions that stand in for the driver's, as it does nouveau's (driver.h).
 */
#include <linux/module.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>

#include "await.h"
#include "channel.h"
#include "gpu.h"
#include "sched.h"
#include "submit.h"
#include "wrap/fence.h"

typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);

/* One submission; on the thread's stack. */
struct submission {
	struct tgk_call call;
	struct tgk_sched_args args;
};

static const struct tgk_sched *row_of(const struct tgk_driver *driver)
{
	return container_of(driver, struct tgk_sched, driver);
}

/* In the place of a row's driver's ioctl that submits, one of tgk_sched.submit. */
int tgk_sched_submit(const struct tgk_sched *row, u32 submit, struct drm_device *dev, void *data,
		     struct drm_file *file)
{
	struct submission s = {
		.call = {
			.orig = (ioctl_fn)row->hook[TGK_SCHED_SUBMIT + submit].orig, .dev = dev,
			.data = data, .file = file, .size = row->submit[submit].size,
			.sched = true,
		},
	};
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	gpu = row->submit[submit].read(data, &s.args) ? tgk_gpu_get(dev) : NULL;
	if (gpu) {
		s.call.chid = s.args.chid;
		ret = tgk_await(gpu, &s.call) ?: tgk_submit(gpu, &s.call);
		tgk_gpu_put(gpu);
	} else {
		ret = s.call.orig(dev, data, file);
	}
	tgk_hook_leave();
	return ret;
}

static void tell(struct drm_device *dev, const char *what)
{
	struct tgk_gpu *gpu = tgk_gpu_get(dev);

	if (!gpu)
		return;
	if (!xchg(&gpu->beside_told, true))
		pr_notice("GPU %u: process %d has made %s\n", gpu->index, task_tgid_nr(current),
			  what);
	tgk_gpu_put(gpu);
}

/* In the place of a row's driver's ioctl that makes what bypasses the gate. */
int tgk_sched_beside(const struct tgk_sched *row, struct drm_device *dev, void *data,
		     struct drm_file *file)
{
	/* Asked first: the driver may write its answer over the arguments. */
	const bool makes = row->beside.makes(data);
	int ret;

	tgk_hook_enter();
	ret = ((ioctl_fn)row->hook[TGK_SCHED_BESIDE].orig)(dev, data, file);
	if (makes && !ret)
		tell(dev, row->beside.what);
	tgk_hook_leave();
	return ret;
}

/*
 * In the place of a row's driver's ioctl that makes a queue: its channel joins, with its engine.
 * Without memory its first submission lets it join, and tells the engine behind the gate.
 */
int tgk_sched_queue(const struct tgk_sched *row, struct drm_device *dev, void *data,
		    struct drm_file *file)
{
	struct tgk_gpu *gpu = NULL;
	u32 engine, chid;
	int ret;

	tgk_hook_enter();
	engine = row->queue.engine(data);
	ret = ((ioctl_fn)row->hook[TGK_SCHED_QUEUE].orig)(dev, data, file);
	if (!ret && engine < row->driver.engines)
		gpu = tgk_gpu_get(dev);
	if (gpu) {
		chid = row->queue.chid(data);
		tgk_channel_join(gpu, file, chid, TGK_SCHED);
		tgk_channel_engines(gpu, file, chid, 1 << engine);
		tgk_gpu_put(gpu);
	}
	tgk_hook_leave();
	return ret;
}

/*
 * Which engine executes a job, by its scheduler's name? A driver may free the scheduler as soon as
 * the job has ended. The job's fence signals before that, under its lock.
 *
 * Return: one of @nr rings' engines; TG_ENGINES_MAX: it has ended, or its ring is not among them.
 */
u32 tgk_sched_engine(struct dma_fence *finished, const struct tgk_ring *ring, u32 nr)
{
	const struct tgk_ring *const end = ring + nr;
	u32 engine = TG_ENGINES_MAX;
	unsigned long flags;
	const char *name;

	dma_fence_lock_irqsave(finished, flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &finished->flags)) {
		name = tgk_fences_of(finished)->sched->name;
		while (ring < end && !str_has_prefix(name, ring->name))
			ring++;
		engine = ring < end ? ring->engine : TG_ENGINES_MAX;
	}
	dma_fence_unlock_irqrestore(finished, flags);
	return engine;
}

/*
 * The driver refuses a syncobj that is not there, or has no fence. That ends the list, and so does
 * what cannot be read: the driver answers, as it would without us. So it does for a descriptor that
 * is of no sync_file. A point that nobody submits has its 5 s here once
 * (drm_syncobj_find_fence()), however many such entries follow.
 */
int tgk_sched_in_fence(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
		       struct dma_fence **fence)
{
	const struct tgk_sched_args *args = &container_of(call, struct submission, call)->args;
	const struct tgk_sync_list *list = args->list;
	u64 entry[TGK_SYNC_SIZE / sizeof(u64)];
	struct tgk_sync sync = { };
	int ret;

	if (args->has_file && !i--) {
		*fence = sync_file_get_fence(args->file);
		return 1;
	}
	if (i < args->nr_handles) {
		sync.handle = args->handle[i];
	} else {
		for (i -= args->nr_handles; list < args->list + args->nr_lists && i >= list->nr;
		     list++)
			i -= list->nr;
		if (list == args->list + args->nr_lists ||
		    copy_from_user(entry, u64_to_user_ptr(list->at + (u64)i * list->size),
				   list->size))
			return 0;
		list->decode(entry, &sync);
	}
	if (!sync.handle) {
		*fence = dma_fence_get_stub();
		return 1;
	}
	ret = drm_syncobj_find_fence(call->file, sync.handle, sync.point, sync.flags, fence);
	return ret == -ERESTARTSYS ? ret : !ret;
}

/*
 * Such arguments are refused by the driver before it does anything: no number is that high, and
 * each has flags that no version knows. v3d's flag for extensions is not set: its SUBMIT_CPU has
 * made a job already when it finds that those cannot be read, and cleans up what it has not set up.
 */
void tgk_sched_prove(const struct tgk_hook *hook, struct drm_file *file)
{
	u8 args[TGK_BESIDE_ARGS];

	static_assert(sizeof(args) >= TGK_ARGS);
	memset(args, 0xfd, sizeof(args));
	((ioctl_fn)hook->orig)(file->minor->dev, args, file);
}

/* The driver's ioctl of this number, if its arguments are of this size; or 0. */
static unsigned long ioctl(const struct drm_driver *drv, u32 nr, size_t size)
{
	if (nr >= drv->num_ioctls || _IOC_SIZE(drv->ioctls[nr].cmd) != size)
		return 0;
	return (unsigned long)drv->ioctls[nr].func;
}

/* The sizes say whether the arguments are those that the row knows. */
bool tgk_sched_is_known(const struct tgk_driver *driver, const struct drm_driver *drv)
{
	const struct tgk_sched_ioctl *submit = row_of(driver)->submit;
	u32 i;

	for (i = 0; i < TGK_SUBMITS; i++)
		if (submit[i].size && !ioctl(drv, submit[i].nr, submit[i].size))
			return false;
	return (drv->driver_features & DRIVER_RENDER) &&
	       (row_of(driver)->files || drv->driver_features & DRIVER_SYNCOBJ) &&
	       drv->postclose && drv->fops && drv->fops->owner;
}

unsigned long tgk_sched_address(const struct tgk_driver *driver, const struct drm_driver *drv,
				u32 hook)
{
	const struct tgk_sched *row = row_of(driver);

	if (hook < TGK_SUBMITS)
		return row->submit[hook].size ?
		       ioctl(drv, row->submit[hook].nr, row->submit[hook].size) : 0;
	switch (hook) {
	case TGK_SCHED_CLOSE:
		return (unsigned long)drv->postclose;
	case TGK_SCHED_BESIDE:
		return row->beside.size ? ioctl(drv, row->beside.nr, row->beside.size) : 0;
	default:
		return row->queue.size ? ioctl(drv, row->queue.nr, row->queue.size) : 0;
	}
}
