// SPDX-License-Identifier: GPL-2.0
/*
 * nouveau: our functions that stand in for its own, and what else is only its (driver.h).
 *
 * hook.c lets a call of one of nouveau's functions go on in ours: in the user's thread, in process
 * context, under no lock of nouveau, with the arguments in kernel memory. Ours calls nouveau's
 * (@orig), before or after the rest of the module has done its part.
 */
#include <linux/module.h>
#include <linux/pci_ids.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "await.h"
#include "channel.h"
#include "claim.h"
#include "gpu.h"
#include "nouveau.h"
#include "submit.h"
#include "vram.h"
#include "wrap/fence.h"
#include "wrap/nouveau.h"

#define GRAPHICS	1	/* mask of engine 0, PGRAPH */

/* hooks[], and the argument `deaf` of the test module that mk/kmod.mk makes (kmod-deaf) */
enum hook {
	PUSHBUF, EXEC, IOCTL, GROBJ_ALLOC, CHANNEL_ALLOC, CHANNEL_FREE, POSTCLOSE, GEM_NEW,
	DUMB_CREATE, GEM_FREE, VM_BIND, HOOKS
};

typedef long (*file_ioctl_fn)(struct file *file, unsigned int cmd, unsigned long arg);
typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);
typedef int (*dumb_fn)(struct drm_file *file, struct drm_device *dev,
		       struct drm_mode_create_dumb *args);

static struct tgk_hook hooks[HOOKS];

/* --- submissions --- */

/*
 * A submission. Without @pushes, PUSHBUF is a query, and EXEC a mere wait: the core does not hear
 * of that one, but it delays what comes behind it on its channel.
 */
static __always_inline int submit(const struct tgk_call *call, u32 pushes)
{
	struct tgk_gpu *gpu;
	int ret = 0;

	tgk_hook_enter();
	gpu = pushes || call->sched ? tgk_gpu_get(call->dev) : NULL;
	if (gpu && call->sched)
		ret = tgk_await(gpu, call);
	if (gpu && pushes && !ret)
		ret = tgk_submit(gpu, call);
	else if (!ret)
		ret = call->orig(call->dev, call->data, call->file);
	if (gpu)
		tgk_gpu_put(gpu);
	tgk_hook_leave();
	return ret;
}

static int our_pushbuf(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_nouveau_gem_pushbuf *req = data;
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[PUSHBUF].orig,
		.dev = dev, .data = data, .file = file,
		.size = sizeof(*req), .chid = req->channel, .pushes = req->nr_push,
		.flags = &req->vram_available, .sync = NOUVEAU_GEM_PUSHBUF_SYNC,
	};

	BUILD_BUG_ON(sizeof(*req) > TGK_ARGS);
	return submit(&call, req->nr_push);
}

static int our_exec(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_exec *req = data;
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[EXEC].orig,
		.dev = dev, .data = data, .file = file,
		.size = sizeof(*req), .chid = req->channel, .sched = true,
	};

	BUILD_BUG_ON(sizeof(*req) > TGK_ARGS);
	return submit(&call, req->push_count);
}

/* What it maps is known before the call returns. */
static int our_vm_bind(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	ret = ((ioctl_fn)hooks[VM_BIND].orig)(dev, data, file);
	gpu = ret ? NULL : tgk_gpu_get(dev);
	if (gpu) {
		tgk_nouveau_bound(gpu, file, data);
		tgk_gpu_put(gpu);
	}
	tgk_hook_leave();
	return ret;
}

/* --- channels --- */

/* The engine that objects of this class are of; Fermi's copy engines have classes of their own. */
static u8 engine_of(const struct tgk_gpu *gpu, u32 class)
{
	if (gpu->core.nr_engines == 1)
		return GRAPHICS;
	switch (class) {
	case 0x90b5:
		return 1 << 1;
	case 0x90b8:
		return 1 << 2;
	default:
		return GRAPHICS;
	}
}

/* nouveau gives each channel an object of its own: before a client is matched, VRAM is known. */
static void learn_vram(struct tgk_gpu *gpu, struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj;

	if (READ_ONCE(gpu->vram))
		return;
	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return;
	tgk_vram_learn(gpu, obj);
	tgk_object_put(obj);
}

static int our_channel_alloc(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_channel_alloc *req = data;
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	ret = ((ioctl_fn)hooks[CHANNEL_ALLOC].orig)(dev, data, file);
	gpu = ret ? NULL : tgk_gpu_get(dev);
	if (gpu) {
		learn_vram(gpu, file, req->notifier_handle);
		/* Without memory, its first submission lets it join. */
		tgk_channel_join(gpu, file, req->channel, TGK_FRESH);
		tgk_gpu_put(gpu);
	}
	tgk_hook_leave();
	return ret;
}

/*
 * By calls that nouveau ends just behind its look for the channel: a PUSHBUF without a push does
 * nothing, and an EXEC whose pushes cannot be read is refused.
 */
static int find_channel(struct drm_file *file, u32 chid, bool sched)
{
	struct drm_nouveau_gem_pushbuf pushbuf = { .channel = chid };
	struct tgk_exec exec = { .channel = chid, .push_count = 1, .push_ptr = U64_MAX };
	struct drm_device *dev = file->minor->dev;
	int ret;

	if (!sched)
		return ((ioctl_fn)hooks[PUSHBUF].orig)(dev, &pushbuf, file);
	if (!hooks[EXEC].orig)
		return 0;
	ret = ((ioctl_fn)hooks[EXEC].orig)(dev, &exec, file);
	return ret == -EFAULT ? 0 : ret;
}

static int our_grobj_alloc(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_grobj_alloc *req = data;
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	ret = ((ioctl_fn)hooks[GROBJ_ALLOC].orig)(dev, data, file);
	gpu = ret ? NULL : tgk_gpu_get(dev);
	if (gpu) {
		tgk_channel_engines(gpu, file, req->channel, engine_of(gpu, req->class));
		tgk_gpu_put(gpu);
	}
	tgk_hook_leave();
	return ret;
}

/* nouveau's one ioctl function for its files; is_nvif() lets only NVIF come here. */
static long our_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	struct tgk_nvif_new req;
	struct tgk_gpu *gpu;
	bool makes;
	long ret;

	tgk_hook_enter();
	/* Read the token first: nouveau writes its answer over it. */
	makes = _IOC_SIZE(cmd) >= sizeof(req) &&
		!copy_from_user(&req, (const void __user *)arg, sizeof(req)) &&
		req.type == TGK_NVIF_NEW && req.route;
	ret = ((file_ioctl_fn)hooks[IOCTL].orig)(filp, cmd, arg);
	if (!ret && makes) {
		gpu = tgk_gpu_get(file->minor->dev);
		if (gpu) {
			tgk_channel_engines(gpu, file, req.token,
					    engine_of(gpu, req.new.oclass));
			tgk_gpu_put(gpu);
		}
	}
	tgk_hook_leave();
	return ret;
}

/* By the ioctl's number; on_entry() calls this. */
static bool notrace is_nvif(unsigned long cmd)
{
	return _IOC_NR(cmd) == DRM_COMMAND_BASE + TGK_NR_NVIF;
}

static int our_channel_free(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_channel_free *req = data;
	struct tgk_claim claim = { .file = file, .chid = req->channel };
	struct tgk_gpu *gpu;
	int ret = 0;

	tgk_hook_enter();
	gpu = tgk_gpu_get(dev);
	if (gpu)
		ret = tgk_channel_end(gpu, &claim);
	if (!ret) {
		ret = ((ioctl_fn)hooks[CHANNEL_FREE].orig)(dev, data, file);
		if (gpu)
			tgk_channel_ended(gpu, &claim);
	}
	if (gpu)
		tgk_gpu_put(gpu);
	tgk_hook_leave();
	return ret;
}

static void our_postclose(struct drm_device *dev, struct drm_file *file)
{
	tgk_driver_close(hooks[POSTCLOSE].orig, dev, file);
}

/* --- objects in VRAM; vram.c stands in for the end of one --- */

static int our_gem_new(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_nouveau_gem_new *req = data;
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[GEM_NEW].orig, .dev = dev, .data = data, .file = file,
	};
	struct tgk_gpu *gpu = NULL;
	int ret;

	tgk_hook_enter();
	if (req->info.domain & NOUVEAU_GEM_DOMAIN_VRAM)
		gpu = tgk_gpu_get(dev);
	if (gpu) {
		ret = tgk_vram_make(gpu, &call, req->info.size, &req->info.handle, &req->info.size,
				    &req->info.map_handle);
		tgk_gpu_put(gpu);
	} else {
		ret = call.orig(dev, data, file);
	}
	tgk_hook_leave();
	return ret;
}

/* The size that nouveau will give it; the object's own size counts once it is made. */
static u64 dumb_size(const struct drm_mode_create_dumb *args)
{
	return (u64)round_up((u64)args->width * DIV_ROUND_UP(args->bpp, 8), 256) * args->height;
}

/* A tgk_call.orig for a function that is not in the table of ioctls. */
static int dumb_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return ((dumb_fn)hooks[DUMB_CREATE].orig)(file, dev, data);
}

/*
 * A handle without a file is the kernel's own, a console's: it has no process to account for, and
 * must not wait under the locks of the code that sets the screen's mode.
 */
static int our_dumb_create(struct drm_file *file, struct drm_device *dev,
			   struct drm_mode_create_dumb *args)
{
	const struct tgk_call call = {
		.orig = dumb_ioctl, .dev = dev, .data = args, .file = file,
	};
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	gpu = file->filp ? tgk_gpu_get(dev) : NULL;
	if (gpu) {
		ret = tgk_vram_make(gpu, &call, dumb_size(args), &args->handle, &args->size,
				    NULL);
		tgk_gpu_put(gpu);
	} else {
		ret = call.orig(dev, args, file);
	}
	tgk_hook_leave();
	return ret;
}

/* --- the proof that each hook redirects (hook.c) --- */

/*
 * An ioctl of the table, of a channel and an object that are not there, or of size 0; VM_BIND of a
 * file without VM_INIT.
 */
static void prove_ioctl(const struct tgk_hook *hook, struct drm_file *file)
{
	union {
		struct drm_nouveau_gem_pushbuf pushbuf;
		struct tgk_exec exec;
		struct tgk_vm_bind bind;
		struct tgk_grobj_alloc object;
		struct tgk_channel_alloc channel;
		struct tgk_channel_free free;
		struct drm_nouveau_gem_new new;
	} args;

	memset(&args, 0, sizeof(args));
	if (hook == &hooks[GROBJ_ALLOC]) {
		args.object.channel = -1;
		args.object.handle = ~0;
	} else if (hook == &hooks[CHANNEL_ALLOC]) {
		args.channel.fb_ctxdma_handle = ~0;
		args.channel.tt_ctxdma_handle = ~0;
	} else if (hook == &hooks[CHANNEL_FREE]) {
		args.free.channel = -1;
	}
	((ioctl_fn)hook->orig)(file->minor->dev, &args, file);
}

/* An ioctl that does not exist. */
static void prove_file_ioctl(const struct tgk_hook *hook, struct drm_file *file)
{
	((file_ioctl_fn)hook->orig)(file->filp, _IO(DRM_IOCTL_BASE, 0xff), 0);
}

/* An object of size 0, which nouveau refuses. */
static void prove_dumb(const struct tgk_hook *hook, struct drm_file *file)
{
	struct drm_mode_create_dumb args = { };

	((dumb_fn)hook->orig)(file, file->minor->dev, &args);
}

static int make_object(struct drm_file *file, u32 *handle)
{
	struct drm_nouveau_gem_new req = {
		.info.domain = NOUVEAU_GEM_DOMAIN_GART, .info.size = PAGE_SIZE,
	};
	const int ret = ((ioctl_fn)hooks[GEM_NEW].orig)(file->minor->dev, &req, file);

	*handle = req.info.handle;
	return ret;
}

/* --- what hook.c stands in for --- */

#define OURS(_function)		.ours = (unsigned long)_function

static struct tgk_hook hooks[HOOKS] = {
	[PUSHBUF] = { OURS(our_pushbuf), .prove = prove_ioctl },
	[EXEC] = { OURS(our_exec), .prove = prove_ioctl },
	[IOCTL] = {
		OURS(our_ioctl), .prove = prove_file_ioctl, .wants = is_nvif, .several = true,
	},
	[GROBJ_ALLOC] = { OURS(our_grobj_alloc), .prove = prove_ioctl, .several = true },
	[CHANNEL_ALLOC] = { OURS(our_channel_alloc), .prove = prove_ioctl },
	[CHANNEL_FREE] = { OURS(our_channel_free), .prove = prove_ioctl },
	[POSTCLOSE] = { OURS(our_postclose) },
	[GEM_NEW] = { OURS(our_gem_new), .prove = prove_ioctl },
	[DUMB_CREATE] = { OURS(our_dumb_create), .prove = prove_dumb },
	[GEM_FREE] = { OURS(tgk_object_free) },
	[VM_BIND] = { OURS(our_vm_bind), .prove = prove_ioctl },
};

static bool has_ioctl(const struct drm_driver *drv, unsigned int nr)
{
	return drv->num_ioctls > nr && drv->ioctls[nr].func;
}

static bool is_ioctl(const struct drm_driver *drv, unsigned int nr, size_t size)
{
	return has_ioctl(drv, nr) && _IOC_SIZE(drv->ioctls[nr].cmd) == size;
}

static bool is_known(const struct tgk_driver *driver, const struct drm_driver *drv)
{
	return is_ioctl(drv, TGK_NR_PUSHBUF, sizeof(struct drm_nouveau_gem_pushbuf)) &&
	       (!has_ioctl(drv, TGK_NR_EXEC) ||
		is_ioctl(drv, TGK_NR_EXEC, sizeof(struct tgk_exec))) &&
	       is_ioctl(drv, TGK_NR_CHANNEL_ALLOC, sizeof(struct tgk_channel_alloc)) &&
	       is_ioctl(drv, TGK_NR_CHANNEL_FREE, sizeof(struct tgk_channel_free)) &&
	       is_ioctl(drv, TGK_NR_GEM_NEW, sizeof(struct drm_nouveau_gem_new)) &&
	       drv->postclose && drv->fops && drv->fops->owner;
}

static unsigned long address(const struct tgk_driver *driver, const struct drm_driver *drv,
			     u32 hook)
{
	static const u8 nr[HOOKS] = {
		[PUSHBUF] = TGK_NR_PUSHBUF, [EXEC] = TGK_NR_EXEC,
		[GROBJ_ALLOC] = TGK_NR_GROBJ_ALLOC, [CHANNEL_ALLOC] = TGK_NR_CHANNEL_ALLOC,
		[CHANNEL_FREE] = TGK_NR_CHANNEL_FREE, [GEM_NEW] = TGK_NR_GEM_NEW,
		[VM_BIND] = TGK_NR_VM_BIND,
	};

	switch (hook) {
	case IOCTL:
		return (unsigned long)drv->fops->unlocked_ioctl;
	case POSTCLOSE:
		return (unsigned long)drv->postclose;
	case DUMB_CREATE:
		return (unsigned long)drv->dumb_create;
	case GEM_FREE:
		return 0;
	case VM_BIND:	/* which only predictions need: another form of it is none */
		if (!is_ioctl(drv, TGK_NR_VM_BIND, sizeof(struct tgk_vm_bind)))
			return 0;
		fallthrough;
	default:
		return has_ioctl(drv, nr[hook]) ? (unsigned long)drv->ioctls[nr[hook]].func : 0;
	}
}

/* --- fences --- */

/* The channels that nouveau makes for itself, to move memory for all; NOT_OWN: a client's */
enum own { NOT_OWN, OWN_GENERIC, OWN_COPY };

/* The name of each client's channel ends with the number of a process in brackets. */
static enum own own_of(struct dma_fence *fence)
{
	const char *timeline = tgk_fence_timeline(fence);

	return !strcmp(timeline, "generic kernel channel") ? OWN_GENERIC :
	       !strcmp(timeline, "copy engine channel") ? OWN_COPY : NOT_OWN;
}

static bool is_nouveau(struct dma_fence *fence)
{
	return !strcmp(tgk_fence_driver(fence), "nouveau");
}

static bool makes_fence(struct dma_fence *fence)
{
	return is_nouveau(fence) && own_of(fence) == NOT_OWN;
}

/* Fermi copies with its second copy engine. What copies for younger chips is not scheduled. */
static int own_engine(const struct tgk_gpu *gpu, struct dma_fence *fence)
{
	const enum own own = is_nouveau(fence) ? own_of(fence) : NOT_OWN;

	if (own == NOT_OWN)
		return -ENOENT;
	if (own == OWN_GENERIC)
		return 0;
	return gpu->core.nr_engines > 2 ? 2 : -EOPNOTSUPP;
}

/* nouveau keeps each array of EXEC in one piece of memory. */
#define SYNCS_MAX	(KMALLOC_MAX_SIZE / sizeof(struct tgk_exec_sync))

/*
 * Find the fence as nouveau does: a point that no job has promised yet is an error. nouveau refuses
 * a syncobj that is not there, or has no fence. An array that cannot be read, or is too large for
 * memory, is refused here: nouveau would free on its way out what it could not get (seen on 6.12).
 */
static int in_fence(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
		    struct dma_fence **fence)
{
	const struct tgk_exec *req = call->data;
	const struct tgk_exec_sync __user *syncs = u64_to_user_ptr(req->wait_ptr);
	struct tgk_exec_sync sync;
	u32 type;

	if (max(req->wait_count, req->sig_count) > SYNCS_MAX)
		return -ENOMEM;
	if (i == req->wait_count)
		return 0;
	if (copy_from_user(&sync, &syncs[i], sizeof(sync)))
		return -EFAULT;
	type = sync.flags & TGK_SYNC_TYPE;
	if ((type != TGK_SYNC_PLAIN && type != TGK_SYNC_TIMELINE) ||
	    drm_syncobj_find_fence(call->file, sync.handle,
				   type == TGK_SYNC_TIMELINE ? sync.point : 0, 0, fence))
		*fence = NULL;
	return 1;
}

static struct tgk_hooked hooked;

const struct tgk_driver tgk_nouveau = {
	.name = "nouveau",
	.vendor = PCI_VENDOR_ID_NVIDIA,
	.hooked = &hooked,
	.hooks = hooks,
	.nr_hooks = HOOKS,
	.close = &hooks[POSTCLOSE],
	.free = &hooks[GEM_FREE],
	.chips = tgk_nouveau_chips,
	.nr_chips = TGK_NOUVEAU_CHIPS,
	.readable = "Tesla (084 to 0af), Fermi (0c0 to 0d9) and Kepler (0e4 to 108)",
	.is_known = is_known,
	.address = address,
	.object = make_object,
	.find = find_channel,
	.chip_id = tgk_nouveau_chip_id,
	.makes_fence = makes_fence,
	.own = own_engine,
	/* The other is for all chips from G80 to Maxwell. */
	.doorbell = TGK_FENCE_BEFORE_DOORBELL ? "nvif_chan506f_gpfifo_kick" : "nv50_dma_push",
	.check = "nouveau_fence_done",
	.watch = tgk_nouveau_watch,
	.unwatch = tgk_nouveau_unwatch,
	.slots = tgk_nouveau_slots,
	.want_signal = tgk_nouveau_want_signal,
	.in_fence = in_fence,
	.vram = tgk_nouveau_vram,
	.key = tgk_nouveau_key,
};

MODULE_DESCRIPTION("GPU scheduler on unmodified nouveau");
