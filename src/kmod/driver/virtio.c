// SPDX-License-Identifier: GPL-2.0
/*
 * virtio_gpu: a virtual machine's GPU, whose commands the host executes by its OpenGL or Vulkan.
 *
 * What occupies the host for a client: EXECBUFFER, which carries commands, and the two transfers,
 * which copy an object to the host and back: large ones take as long as drawing does. Each is a
 * submission. The host takes all of them from one queue, in order, so they are one engine.
 *
 * A channel is a file and a ring of fences: ring 0 of all files is one for the whole device;
 * a file that has made a context of its own kind may have up to 64 beside. When a fence of ring 1
 * and later signals, a part of the host says that the context has chosen: for one of OpenGL, whose
 * commands are done at once, never. So these rings are an engine of their own: what does not end
 * there holds nobody on the other one, and a client that uses both has a group on each.
 *
 * The driver tells by the tracepoint dma_fence_emit that work with a fence goes to the host. It
 * makes no fence for commands that name no object and want none, and then nobody would learn when
 * they have ended. So we want one for them, and close its file.
 *
 * What the host sees of its own GPU, or of memory there, it does not tell: the memory is not
 * counted, and the GPU's registers are not read.
 *
 * hook.c calls the functions that stand in for the driver's, as it does nouveau's (driver.h).
 */
#include <linux/fdtable.h>
#include <linux/module.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>

#include "await.h"
#include "fence.h"
#include "gpu.h"
#include "submit.h"
#include "virtio.h"
#include "wrap/fence.h"

#define RINGS	64	/* of a file, at most */
#define NR_ENGINES	2	/* the host's queue; the rings beside */

enum hook { EXECBUFFER, TRANSFER_TO, TRANSFER_FROM, POSTCLOSE, HOOKS };

typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);

static struct tgk_hook hooks[HOOKS];

static size_t size_of(const struct drm_driver *drv, u32 nr)
{
	return _IOC_SIZE(drv->ioctls[nr].cmd);
}

/* Are there syncobjs among the arguments? */
static bool has_syncs(const struct drm_device *dev)
{
	return size_of(dev->driver, TGK_NR_EXECBUFFER) > TGK_EXECBUFFER_OLD;
}

/* --- submissions --- */

/*
 * Close the file of the fence that we have asked for. Another thread may have put another file in
 * its place meanwhile: that one stays.
 */
static void close_fence(s32 fd)
{
	struct dma_fence *fence = sync_file_get_fence(fd);

	if (fence && tgk_capture_has(fence))
		close_fd(fd);
	dma_fence_put(fence);
}

/* The driver's EXECBUFFER, with a fence. The client finds its arguments as it expects them. */
static int execbuffer(struct drm_device *dev, void *data, struct drm_file *file)
{
	const ioctl_fn orig = (ioctl_fn)hooks[EXECBUFFER].orig;
	struct tgk_execbuffer *req = data;
	const s32 fd = req->fence_fd;
	int ret;

	if (req->nr_objects || req->flags & TGK_EXECBUF_FENCE_OUT ||
	    (has_syncs(dev) && req->nr_out))
		return orig(dev, data, file);
	req->flags |= TGK_EXECBUF_FENCE_OUT;
	ret = orig(dev, data, file);
	req->flags &= ~TGK_EXECBUF_FENCE_OUT;
	if (!ret)
		close_fence(req->fence_fd);
	req->fence_fd = fd;
	return ret;
}

static int our_execbuffer(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_execbuffer *req = data;
	const struct tgk_call call = {
		.orig = execbuffer, .dev = dev, .data = data, .file = file,
		.size = has_syncs(dev) ? sizeof(*req) : TGK_EXECBUFFER_OLD,
		.chid = req->flags & TGK_EXECBUF_RING ? 1 + req->ring : 0,
	};
	struct tgk_gpu *gpu = NULL;
	int ret;

	BUILD_BUG_ON(sizeof(*req) > TGK_ARGS);
	tgk_hook_enter();
	/* The driver refuses a ring beyond. */
	if (call.chid <= RINGS && (!(req->flags & TGK_EXECBUF_RING) || call.chid))
		gpu = tgk_gpu_get(dev);
	if (gpu) {
		ret = tgk_await(gpu, &call) ?: tgk_submit(gpu, &call);
		tgk_gpu_put(gpu);
	} else {
		ret = ((ioctl_fn)hooks[EXECBUFFER].orig)(dev, data, file);
	}
	tgk_hook_leave();
	return ret;
}

static __always_inline int transfer(enum hook hook, struct drm_device *dev, void *data,
				    struct drm_file *file)
{
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[hook].orig, .dev = dev, .data = data, .file = file,
		.size = sizeof(struct tgk_transfer),
	};
	struct tgk_gpu *gpu;
	int ret;

	BUILD_BUG_ON(sizeof(struct tgk_transfer) > TGK_ARGS);
	tgk_hook_enter();
	gpu = tgk_gpu_get(dev);
	ret = gpu ? tgk_submit(gpu, &call) : call.orig(dev, data, file);
	if (gpu)
		tgk_gpu_put(gpu);
	tgk_hook_leave();
	return ret;
}

static int our_transfer_to(struct drm_device *dev, void *data, struct drm_file *file)
{
	return transfer(TRANSFER_TO, dev, data, file);
}

static int our_transfer_from(struct drm_device *dev, void *data, struct drm_file *file)
{
	return transfer(TRANSFER_FROM, dev, data, file);
}

static void our_postclose(struct drm_device *dev, struct drm_file *file)
{
	tgk_driver_close(hooks[POSTCLOSE].orig, dev, file);
}

/* The driver keeps a pointer for each, in one piece of memory, which the kernel limits. */
#define SYNCS_MAX	(INT_MAX / sizeof(void *))

/*
 * The driver waits for these itself, and not for those of the ring that the submission is for. We
 * wait for these, too: the contexts of a ring's fences are not kept (tgk_driver.mixed). A client
 * that names its own earlier work submits when that has ended, and keeps its order. What the driver
 * will refuse ends the list: it answers, as it would without us.
 */
static int in_fence(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
		    struct dma_fence **fence)
{
	const struct tgk_execbuffer *req = call->data;
	const u32 nr = has_syncs(call->dev) ? req->nr_in : 0;
	struct tgk_execbuffer_sync sync = { };

	if (nr > SYNCS_MAX)
		return 0;
	if (i < nr) {
		if (copy_from_user(&sync, u64_to_user_ptr(req->in + (u64)i * req->sync_stride),
				   min_t(size_t, req->sync_stride, sizeof(sync))))
			return 0;
		return !drm_syncobj_find_fence(call->file, sync.handle, sync.point, 0, fence);
	}
	if (i > nr || !(req->flags & TGK_EXECBUF_FENCE_IN))
		return 0;
	*fence = sync_file_get_fence(req->fence_fd);
	return 1;
}

/* --- the proof that each hook redirects (hook.c) --- */

/* With flags that do not exist, or with an object that is not there. */
static void prove_ioctl(const struct tgk_hook *hook, struct drm_file *file)
{
	union {
		struct tgk_execbuffer execbuffer;
		struct tgk_transfer transfer;
	} args;

	memset(&args, 0, sizeof(args));
	if (hook == &hooks[EXECBUFFER])
		args.execbuffer.flags = ~0;
	((ioctl_fn)hook->orig)(file->minor->dev, &args, file);
}

/* --- what hook.c stands in for --- */

#define OURS(_function)		.ours = (unsigned long)_function

static struct tgk_hook hooks[HOOKS] = {
	[EXECBUFFER] = { OURS(our_execbuffer), .prove = prove_ioctl },
	[TRANSFER_TO] = { OURS(our_transfer_to), .prove = prove_ioctl },
	[TRANSFER_FROM] = { OURS(our_transfer_from), .prove = prove_ioctl },
	[POSTCLOSE] = { OURS(our_postclose) },
};

static const u8 nr[HOOKS] = {
	[EXECBUFFER] = TGK_NR_EXECBUFFER, [TRANSFER_TO] = TGK_NR_TRANSFER_TO,
	[TRANSFER_FROM] = TGK_NR_TRANSFER_FROM,
};

static bool is_known(const struct tgk_driver *driver, const struct drm_driver *drv)
{
	u32 i;

	if (drv->num_ioctls <= TGK_NR_TRANSFER_TO || !(drv->driver_features & DRIVER_RENDER) ||
	    !drv->postclose || !drv->fops || !drv->fops->owner)
		return false;
	for (i = 0; i < POSTCLOSE; i++)
		if (!drv->ioctls[nr[i]].func)
			return false;
	if (size_of(drv, TGK_NR_TRANSFER_TO) != sizeof(struct tgk_transfer) ||
	    size_of(drv, TGK_NR_TRANSFER_FROM) != sizeof(struct tgk_transfer))
		return false;
	switch (size_of(drv, TGK_NR_EXECBUFFER)) {
	case TGK_EXECBUFFER_OLD:
		return true;
	case sizeof(struct tgk_execbuffer):
		return drv->driver_features & DRIVER_SYNCOBJ;
	default:
		return false;
	}
}

static unsigned long address(const struct tgk_driver *driver, const struct drm_driver *drv,
			     u32 hook)
{
	return hook == POSTCLOSE ? (unsigned long)drv->postclose :
				   (unsigned long)drv->ioctls[nr[hook]].func;
}

static bool makes_fence(struct dma_fence *fence)
{
	return !strcmp(tgk_fence_driver(fence), "virtio_gpu");
}

/* Of a channel: its number is 0, or 1 and the ring's. */
static u32 engine_of(u32 chid)
{
	return chid > 1;
}

/* A fence tells no more. */
static u32 engine(struct dma_fence *fence)
{
	return NR_ENGINES;
}

static struct tgk_hooked hooked;

const struct tgk_driver tgk_virtio = {
	.name = "virtio_gpu",
	.vendor = 0x1af4,
	.virtio = true,
	.hooked = &hooked,
	.hooks = hooks,
	.nr_hooks = HOOKS,
	.close = &hooks[POSTCLOSE],
	.engines = NR_ENGINES,
	.engine = engine,
	.engine_of = engine_of,
	.draws = tgk_virtio_draws,
	.is_known = is_known,
	.address = address,
	.makes_fence = makes_fence,
	.mixed = true,
	.emits = true,
	.in_fence = in_fence,
};
