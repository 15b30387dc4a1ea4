// SPDX-License-Identifier: GPL-2.0
/*
 * nouveau: finding its GPUs, and standing in for its functions.
 *
 * nouveau stays as it is. The addresses of the functions that we need stand in its drm_driver;
 * ftrace calls us at their first instruction (on_entry()), and we let them go on in our
 * function instead, which calls the original itself: that call comes from this module, and is
 * let through. A tail call would not look so; this module is built without. DRM is not: its
 * drm_gem_object_free() ends in a jump to nouveau's function, so a last reference that this
 * module gave back through it would look like our own call. tgk_object_put() does it instead.
 *
 * Hooks are on while at least one GPU is attached, and nouveau cannot be unloaded meanwhile; those
 * that tell which engine a channel uses, while one with several engines is. Each proves itself
 * before its GPU is scheduled (prove()).
 * GPUs attach at load, or when nouveau binds to them; they detach when it is unbound, before
 * it removes anything: waiters are out of our functions by then, and so is every call that was
 * in nouveau through us.
 *
 * Calls in our functions are counted in @calls. None holds a module reference, so that the
 * module can be unloaded under load: hooks off, a grace period for those who are not counted
 * yet, none left, a grace period for those who are not counted any more.
 *
 * Attach and detach run under the device's lock, then tgk_mutex.
 */
#include <linux/device.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "await.h"
#include "channel.h"
#include "gpu.h"
#include "hook.h"
#include "poll.h"
#include "submit.h"
#include "vram.h"
#include "wrap/ftrace.h"
#include "wrap/nouveau.h"

#define DRM_MAJOR	226

enum hook {
	PUSHBUF, EXEC, IOCTL, GROBJ_ALLOC, CHANNEL_ALLOC, CHANNEL_FREE, POSTCLOSE, GEM_NEW,
	DUMB_CREATE, GEM_FREE, HOOKS
};

typedef long (*file_ioctl_fn)(struct file *file, unsigned int cmd, unsigned long arg);
typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);
typedef void (*postclose_fn)(struct drm_device *dev, struct drm_file *file);
typedef int (*dumb_fn)(struct drm_file *file, struct drm_device *dev,
		       struct drm_mode_create_dumb *args);

/*
 * Written under tgk_mutex, @orig and @ours only while the hooks are off; but GEM_FREE's @orig is
 * learnt from an object, under free_mutex (tgk_hook_free()). @orig is 0 where this nouveau has no
 * such function, or it is not known yet. @site is where in it ftrace calls us, as ftrace itself
 * says when the hook proves itself: the first instruction, or one behind it. 0: calls go their way.
 */
static struct {
	unsigned long orig, ours, site;
} hooks[HOOKS];

static atomic_t calls;		/* in our functions */
static struct module *nouveau;	/* held while the hooks are on; tgk_mutex */
static bool several;		/* IOCTL and GROBJ_ALLOC are hooked, too; tgk_mutex */

/*
 * A hook that proves itself; tgk_mutex. @task holds it, and its next call of a hooked function is
 * the proof of @hook; read by any, who see that it is not them. @answered: by a function of ours.
 */
static struct {
	struct task_struct *task;
	enum hook hook;
	bool answered;
} proof;

/* --- our functions, in the place of nouveau's --- */

/*
 * A submission. Without @pushes, PUSHBUF is a query, and EXEC a mere wait: that one needs no turn,
 * but holds up what comes behind it on its channel.
 */
static __always_inline int submit(const struct tgk_call *call, u32 pushes)
{
	struct tgk_gpu *gpu;
	int ret = 0;

	atomic_inc(&calls);
	gpu = pushes || call->exec ? tgk_gpu_get(call->dev) : NULL;
	if (gpu && call->exec)
		ret = tgk_await(gpu, call);
	if (gpu && pushes && !ret)
		ret = tgk_submit(gpu, call);
	else if (!ret)
		ret = call->orig(call->dev, call->data, call->file);
	if (gpu)
		tgk_gpu_put(gpu);
	atomic_dec(&calls);
	return ret;
}

static int our_pushbuf(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct drm_nouveau_gem_pushbuf *req = data;
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[PUSHBUF].orig,
		.dev = dev, .data = data, .file = file,
		.size = sizeof(*req), .chid = req->channel,
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
		.size = sizeof(*req), .chid = req->channel, .exec = true,
	};

	BUILD_BUG_ON(sizeof(*req) > TGK_ARGS);
	return submit(&call, req->push_count);
}

/* Of a push's length: bytes, and a flag for the GPU that older headers do not name. */
#define PUSH_BYTES		0x007ffffcULL
#define PUSH_NO_PREFETCH	0x00800000ULL

/**
 * tgk_call_piece() - where does a submission's push buffer lie?
 * @call: the ioctl
 * @i: which piece of it, from 0, in the order in which the GPU fetches them
 * @piece: receives it; the client may change its mind before nouveau looks, too
 *
 * EXEC names addresses of the GPU, and only nouveau knows what is there.
 * Context: process; reads the client's memory.
 *
 * Return: 1; 0: there are only @i; negative: that cannot be told.
 */
int tgk_call_piece(const struct tgk_call *call, u32 i, struct tgk_piece *piece)
{
	const struct drm_nouveau_gem_pushbuf *req = call->data;
	const struct drm_nouveau_gem_pushbuf_push __user *pushes = u64_to_user_ptr(req->push);
	const struct drm_nouveau_gem_pushbuf_bo __user *bos = u64_to_user_ptr(req->buffers);
	struct drm_nouveau_gem_pushbuf_push push;

	if (call->exec)
		return -EOPNOTSUPP;
	if (i == req->nr_push)
		return 0;
	if (req->nr_push > NOUVEAU_GEM_MAX_PUSH || req->nr_buffers > NOUVEAU_GEM_MAX_BUFFERS)
		return -EINVAL;
	if (copy_from_user(&push, &pushes[i], sizeof(push)))
		return -EFAULT;
	if (push.bo_index >= req->nr_buffers || push.length & ~(PUSH_BYTES | PUSH_NO_PREFETCH))
		return -EINVAL;
	if (get_user(piece->handle, &bos[push.bo_index].handle))
		return -EFAULT;
	piece->offset = push.offset;
	piece->bytes = push.length & PUSH_BYTES;
	return 1;
}

/**
 * tgk_call_vram() - how much VRAM does a submission need at the same time?
 * @call: the ioctl, refused by nouveau
 * @bytes: receives the size of the objects that it lets lie nowhere else; U64_MAX: all that its
 *	process has. The client may tell nouveau something else
 *
 * Context: process; reads the client's memory.
 *
 * Return: false: it names nothing that may lie there.
 */
bool tgk_call_vram(const struct tgk_call *call, u64 *bytes)
{
	const struct drm_nouveau_gem_pushbuf *req = call->data;
	const struct drm_nouveau_gem_pushbuf_bo __user *bos = u64_to_user_ptr(req->buffers);
	struct drm_nouveau_gem_pushbuf_bo bo;
	struct drm_gem_object *obj;
	bool any = false;
	u32 i, domains;

	*bytes = call->exec ? U64_MAX : 0;
	if (call->exec)
		return true;
	for (i = 0; i < min_t(u32, req->nr_buffers, NOUVEAU_GEM_MAX_BUFFERS); i++) {
		if (copy_from_user(&bo, &bos[i], sizeof(bo)))
			return false;
		domains = bo.valid_domains & (bo.write_domains ?: bo.read_domains);
		any |= !!(domains & NOUVEAU_GEM_DOMAIN_VRAM);
		if (!(domains & NOUVEAU_GEM_DOMAIN_VRAM) || domains & NOUVEAU_GEM_DOMAIN_GART)
			continue;
		obj = drm_gem_object_lookup(call->file, bo.handle);
		if (!obj)
			return false;
		*bytes += obj->size;
		tgk_object_put(obj);
	}
	return any;
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

	atomic_inc(&calls);
	ret = ((ioctl_fn)hooks[CHANNEL_ALLOC].orig)(dev, data, file);
	gpu = ret ? NULL : tgk_gpu_get(dev);
	if (gpu) {
		learn_vram(gpu, file, req->notifier_handle);
		/* Without memory, it is learnt at its first submission. */
		tgk_channel_join(gpu, file, req->channel, true);
		tgk_gpu_put(gpu);
	}
	atomic_dec(&calls);
	return ret;
}

static int our_grobj_alloc(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_grobj_alloc *req = data;
	struct tgk_gpu *gpu;
	int ret;

	atomic_inc(&calls);
	ret = ((ioctl_fn)hooks[GROBJ_ALLOC].orig)(dev, data, file);
	gpu = ret ? NULL : tgk_gpu_get(dev);
	if (gpu) {
		tgk_channel_object(gpu, file, req->channel, req->class);
		tgk_gpu_put(gpu);
	}
	atomic_dec(&calls);
	return ret;
}

/* All ioctls of nouveau's files come this way; on_entry() lets NVIF alone come here. */
static long our_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	struct tgk_nvif_new req;
	struct tgk_gpu *gpu;
	bool makes;
	long ret;

	atomic_inc(&calls);
	/* Before nouveau answers in its place, which may leave no word of the channel. */
	makes = _IOC_SIZE(cmd) >= sizeof(req) &&
		!copy_from_user(&req, (const void __user *)arg, sizeof(req)) &&
		req.type == TGK_NVIF_NEW && req.route;
	ret = ((file_ioctl_fn)hooks[IOCTL].orig)(filp, cmd, arg);
	if (!ret && makes) {
		gpu = tgk_gpu_get(file->minor->dev);
		if (gpu) {
			tgk_channel_object(gpu, file, req.token, req.new.oclass);
			tgk_gpu_put(gpu);
		}
	}
	atomic_dec(&calls);
	return ret;
}

/* Is this entry into nouveau's ioctl function one that we want? */
static bool is_nvif(struct ftrace_regs *fregs)
{
	return _IOC_NR(tgk_ftrace_arg2(fregs)) == DRM_COMMAND_BASE + TGK_NR_NVIF;
}

static int our_channel_free(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct tgk_channel_free *req = data;
	const u32 chid = req->channel;
	struct tgk_gpu *gpu;
	int ret;

	atomic_inc(&calls);
	gpu = tgk_gpu_get(dev);
	if (gpu)
		tgk_channel_leave(gpu, file, &chid);
	ret = ((ioctl_fn)hooks[CHANNEL_FREE].orig)(dev, data, file);
	if (gpu) {
		tgk_channel_forget(gpu, file, &chid);
		tgk_gpu_put(gpu);
	}
	atomic_dec(&calls);
	return ret;
}

static void our_postclose(struct drm_device *dev, struct drm_file *file)
{
	struct tgk_gpu *gpu;

	atomic_inc(&calls);
	gpu = tgk_gpu_get(dev);
	if (gpu)
		tgk_channel_leave(gpu, file, NULL);
	((postclose_fn)hooks[POSTCLOSE].orig)(dev, file);
	if (gpu) {
		tgk_channel_forget(gpu, file, NULL);
		tgk_gpu_put(gpu);
	}
	atomic_dec(&calls);
}

static int our_gem_new(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_nouveau_gem_new *req = data;
	const struct tgk_call call = {
		.orig = (ioctl_fn)hooks[GEM_NEW].orig, .dev = dev, .data = data, .file = file,
	};
	struct tgk_gpu *gpu = NULL;
	int ret;

	atomic_inc(&calls);
	if (req->info.domain & NOUVEAU_GEM_DOMAIN_VRAM)
		gpu = tgk_gpu_get(dev);
	if (gpu) {
		ret = tgk_vram_make(gpu, &call, req->info.size, &req->info.handle, &req->info.size);
		tgk_gpu_put(gpu);
	} else {
		ret = call.orig(dev, data, file);
	}
	atomic_dec(&calls);
	return ret;
}

/* As large as nouveau makes it; when it has made it, its own size counts. */
static u64 dumb_size(const struct drm_mode_create_dumb *args)
{
	return (u64)round_up((u64)args->width * DIV_ROUND_UP(args->bpp, 8), 256) * args->height;
}

/* As if it were one of the table's. */
static int dumb_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return ((dumb_fn)hooks[DUMB_CREATE].orig)(file, dev, data);
}

/*
 * A handle without a file is the kernel's own, a console's: it has no process to account for, and
 * must not wait under the locks of whoever looks after the screen.
 */
static int our_dumb_create(struct drm_file *file, struct drm_device *dev,
			   struct drm_mode_create_dumb *args)
{
	const struct tgk_call call = {
		.orig = dumb_ioctl, .dev = dev, .data = args, .file = file,
	};
	struct tgk_gpu *gpu;
	int ret;

	atomic_inc(&calls);
	gpu = file->filp ? tgk_gpu_get(dev) : NULL;
	if (gpu) {
		ret = tgk_vram_make(gpu, &call, dumb_size(args), &args->handle, &args->size);
		tgk_gpu_put(gpu);
	} else {
		ret = call.orig(dev, args, file);
	}
	atomic_dec(&calls);
	return ret;
}

/*
 * The original is what the object says, as DRM would call it: hooks[GEM_FREE] may be another
 * nouveau's by now, or nobody's, where the last GPU has gone and one has come since.
 */
static void our_gem_free(struct drm_gem_object *obj)
{
	struct tgk_object *booked;
	struct tgk_gpu *gpu;

	atomic_inc(&calls);
	gpu = tgk_gpu_get(obj->dev);
	booked = gpu ? tgk_vram_free(gpu, obj) : NULL;
	obj->funcs->free(obj);
	if (gpu) {
		tgk_vram_freed(gpu, booked);
		tgk_gpu_put(gpu);
	}
	atomic_dec(&calls);
}

static void last_put(struct kref *refcount)
{
	our_gem_free(container_of(refcount, struct drm_gem_object, refcount));
}

/**
 * tgk_object_put() - give back a reference to an object of nouveau's
 * @obj: the object
 *
 * In the place of drm_gem_object_put(), whose free would not be heard of (head of this file).
 * Context: process; sleeps.
 */
void tgk_object_put(struct drm_gem_object *obj)
{
	kref_put(&obj->refcount, last_put);
}

/* --- ftrace --- */

/* In the place of a function that is called for its proof alone. */
static long answer(void)
{
	proof.answered = true;
	return -ECANCELED;
}

static void answer_postclose(struct drm_device *dev, struct drm_file *file)
{
	proof.answered = true;
	((postclose_fn)hooks[POSTCLOSE].orig)(dev, file);
}

static void answer_gem_free(struct drm_gem_object *obj)
{
	proof.answered = true;
	obj->funcs->free(obj);
}

/* The rest of what nouveau does for that call is no proof. */
static __always_inline void prove_entry(unsigned long ip, struct ftrace_regs *fregs)
{
	void *go = answer;

	if (proof.hook == POSTCLOSE)
		go = answer_postclose;
	else if (proof.hook == GEM_FREE)
		go = answer_gem_free;
	WRITE_ONCE(proof.task, NULL);
	WRITE_ONCE(hooks[proof.hook].site, ip);
	tgk_ftrace_go(fregs, (unsigned long)go);
}

/* Any context in which the traced functions are called: process, preemption off. */
static void notrace on_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	int i;

	if (unlikely(READ_ONCE(proof.task) == current)) {
		prove_entry(ip, fregs);
		return;
	}
	if (within_module_core(parent_ip, THIS_MODULE))
		return;
	for (i = 0; i < HOOKS; i++) {
		if (ip != READ_ONCE(hooks[i].site))
			continue;
		if (i != IOCTL || is_nvif(fregs))
			tgk_ftrace_go(fregs, hooks[i].ours);
		return;
	}
}

/*
 * PERMANENT: sysctl kernel.ftrace_enabled=0 must not switch off the gates. IPMODIFY: we change
 * where the function goes on, and nobody else does.
 */
static struct ftrace_ops ops = {
	.func = on_entry,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT,
};

static bool has_ioctl(const struct drm_driver *drv, unsigned int nr)
{
	return drv->num_ioctls > nr && drv->ioctls[nr].func;
}

static DEFINE_MUTEX(free_mutex);	/* hooks[GEM_FREE], while the hooks are on */

/**
 * tgk_hook_free() - hear of the end of nouveau's objects from now on
 * @obj: one of them: where they end stands in it alone
 *
 * Context: process, in one of our functions, or the hooks are on otherwise; sleeps.
 *
 * Return: 0; or a negative errno after a message: VRAM is not counted.
 */
int tgk_hook_free(const struct drm_gem_object *obj)
{
	const unsigned long free = obj->funcs && obj->funcs->free ?
		(unsigned long)obj->funcs->free : 0;
	int ret;

	mutex_lock(&free_mutex);
	ret = hooks[GEM_FREE].orig ? -EINVAL : -EOPNOTSUPP;
	if (free && free == hooks[GEM_FREE].orig) {
		ret = 0;
	} else if (free && !hooks[GEM_FREE].orig) {
		WRITE_ONCE(hooks[GEM_FREE].orig, free);
		ret = ftrace_set_filter_ip(&ops, free, 0, 0);
		if (ret)
			WRITE_ONCE(hooks[GEM_FREE].orig, 0);
	}
	mutex_unlock(&free_mutex);
	if (ret)
		pr_err_once("cannot hear of the end of nouveau's objects (error %d): VRAM is not counted\n",
			    ret);
	return ret;
}

/* --- the proof --- */

static void prove_begin(enum hook i)
{
	proof.hook = i;
	proof.answered = false;
	WRITE_ONCE(proof.task, current);
}

static int prove_end(void)
{
	WRITE_ONCE(proof.task, NULL);
	if (proof.answered)
		return 0;
	pr_err("%ps cannot be replaced: ftrace takes the hook, but calls go on in nouveau. Remove whatever else traces or patches it\n",
	       (void *)hooks[proof.hook].orig);
	return -EOPNOTSUPP;
}

/*
 * Calls that function in a way that nouveau itself would refuse before it does anything: a channel
 * and an object that are not there, a size of 0, an ioctl that does not exist.
 */
static int prove_call(enum hook i, struct drm_file *file)
{
	const unsigned long orig = hooks[i].orig;
	struct drm_device *dev = file->minor->dev;
	union {
		struct drm_nouveau_gem_pushbuf pushbuf;
		struct tgk_exec exec;
		struct tgk_grobj_alloc object;
		struct tgk_channel_alloc channel;
		struct tgk_channel_free free;
		struct drm_nouveau_gem_new new;
		struct drm_mode_create_dumb dumb;
	} args;

	memset(&args, 0, sizeof(args));
	if (i == GROBJ_ALLOC) {
		args.object.channel = -1;
		args.object.handle = ~0;
	} else if (i == CHANNEL_ALLOC) {
		args.channel.fb_ctxdma_handle = ~0;
		args.channel.tt_ctxdma_handle = ~0;
	} else if (i == CHANNEL_FREE) {
		args.free.channel = -1;
	}
	prove_begin(i);
	if (i == IOCTL)
		((file_ioctl_fn)orig)(file->filp, _IO(DRM_IOCTL_BASE, 0xff), 0);
	else if (i == DUMB_CREATE)
		((dumb_fn)orig)(file, dev, &args.dumb);
	else
		((ioctl_fn)orig)(dev, &args, file);
	return prove_end();
}

/* The end of an object, which has to be made first. */
static int prove_free(struct drm_file *file)
{
	struct drm_nouveau_gem_new req = {
		.info.domain = NOUVEAU_GEM_DOMAIN_GART, .info.size = PAGE_SIZE,
	};
	struct drm_gem_object *obj;
	int ret;

	ret = ((ioctl_fn)hooks[GEM_NEW].orig)(file->minor->dev, &req, file);
	if (ret) {
		pr_err("nouveau refuses an object of one page (error %d)\n", ret);
		return ret;
	}
	obj = drm_gem_object_lookup(file, req.info.handle);
	ret = obj ? tgk_hook_free(obj) : -ENOENT;
	drm_gem_handle_delete(file, req.info.handle);
	if (ret) {
		if (obj)
			tgk_object_put(obj);
		return ret;
	}
	prove_begin(GEM_FREE);
	drm_gem_object_put(obj);
	return prove_end();
}

/*
 * Does each of the functions @which, a mask, go on in this module when it is called? Asked before a
 * GPU is scheduled that needs it, with a file of @drm that nobody else knows. From then on ours
 * stand in for them. Under tgk_mutex; the hooks are on.
 */
static int prove(const struct drm_device *drm, unsigned long which)
{
	struct {
		struct inode inode;
		struct file file;
	} *f;
	struct drm_file *file;
	int i, ret;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->inode.i_rdev = MKDEV(DRM_MAJOR, drm->render->index);
	f->file.f_op = drm->driver->fops;
	ret = drm_open(&f->inode, &f->file);
	if (ret) {
		pr_err("nouveau refuses a file of its own (error %d)\n", ret);
		goto free;
	}
	file = f->file.private_data;
	for (i = 0; i < HOOKS && !ret; i++)
		if (which & BIT(i) && hooks[i].orig && i != POSTCLOSE && i != GEM_FREE)
			ret = prove_call(i, file);
	if (!ret && which & BIT(GEM_FREE))
		ret = prove_free(file);
	if (!ret && which & BIT(POSTCLOSE))
		prove_begin(POSTCLOSE);
	drm_release(&f->inode, &f->file);
	if (!ret && which & BIT(POSTCLOSE))
		ret = prove_end();
free:
	kfree(f);
	return ret;
}

/* --- on and off --- */

#define SEVERAL		(BIT(IOCTL) | BIT(GROBJ_ALLOC))	/* they tell a channel's engines */

static unsigned long ioctl_of(const struct drm_driver *drv, unsigned int nr)
{
	return has_ioctl(drv, nr) ? (unsigned long)drv->ioctls[nr].func : 0;
}

static void hooks_name(const struct drm_driver *drv)
{
	int i;

	hooks[PUSHBUF].orig = ioctl_of(drv, TGK_NR_PUSHBUF);
	hooks[PUSHBUF].ours = (unsigned long)our_pushbuf;
	hooks[EXEC].orig = ioctl_of(drv, TGK_NR_EXEC);
	hooks[EXEC].ours = (unsigned long)our_exec;
	hooks[IOCTL].orig = (unsigned long)drv->fops->unlocked_ioctl;
	hooks[IOCTL].ours = (unsigned long)our_ioctl;
	hooks[GROBJ_ALLOC].orig = ioctl_of(drv, TGK_NR_GROBJ_ALLOC);
	hooks[GROBJ_ALLOC].ours = (unsigned long)our_grobj_alloc;
	hooks[CHANNEL_ALLOC].orig = ioctl_of(drv, TGK_NR_CHANNEL_ALLOC);
	hooks[CHANNEL_ALLOC].ours = (unsigned long)our_channel_alloc;
	hooks[CHANNEL_FREE].orig = ioctl_of(drv, TGK_NR_CHANNEL_FREE);
	hooks[CHANNEL_FREE].ours = (unsigned long)our_channel_free;
	hooks[POSTCLOSE].orig = (unsigned long)drv->postclose;
	hooks[POSTCLOSE].ours = (unsigned long)our_postclose;
	hooks[GEM_NEW].orig = ioctl_of(drv, TGK_NR_GEM_NEW);
	hooks[GEM_NEW].ours = (unsigned long)our_gem_new;
	hooks[DUMB_CREATE].orig = (unsigned long)drv->dumb_create;
	hooks[DUMB_CREATE].ours = (unsigned long)our_dumb_create;
	hooks[GEM_FREE].orig = 0;
	hooks[GEM_FREE].ours = (unsigned long)our_gem_free;
	for (i = 0; i < HOOKS; i++)
		hooks[i].site = 0;
}

/* The filter stays, for the next time: ops cannot be used again once it is freed. */
static void hooks_off(void)
{
	unregister_ftrace_function(&ops);
	several = false;
}

/* All but those of GPUs with several engines. */
static int hooks_on(const struct drm_device *drm)
{
	const struct drm_driver *drv = drm->driver;
	int i, ret = 0;

	hooks_name(drv);
	if (!try_module_get(drv->fops->owner))
		return -ENODEV;
	for (i = 0; i < HOOKS && !ret; i++)
		if (hooks[i].orig && !(SEVERAL & BIT(i)))
			ret = ftrace_set_filter_ip(&ops, hooks[i].orig, 0, !i);
	if (ret) {
		pr_err("ftrace cannot trace nouveau's functions (error %d)\n", ret);
		goto put;
	}
	ret = register_ftrace_function(&ops);
	if (ret) {
		pr_err("cannot replace nouveau's functions (error %d)%s\n", ret,
		       ret == -EBUSY ? ": a live patch or another such module has them" : "");
		goto put;
	}
	ret = prove(drm, ~SEVERAL);
	if (ret) {
		hooks_off();
		goto put;
	}
	nouveau = drv->fops->owner;
	return 0;

put:
	module_put(drv->fops->owner);
	return ret;
}

/*
 * Where the filter cannot be changed, for lack of memory, on_entry() lets those calls go. One that
 * has been redirected still needs @orig.
 */
static void several_off(void)
{
	int i;

	for (i = 0; i < HOOKS; i++)
		if (SEVERAL & BIT(i) && hooks[i].orig) {
			WRITE_ONCE(hooks[i].site, 0);
			ftrace_set_filter_ip(&ops, hooks[i].orig, 1, 0);
		}
	several = false;
}

/* The hooks are on: those that only a GPU with several engines needs. */
static int several_on(const struct drm_device *drm)
{
	int i, ret = 0;

	for (i = 0; i < HOOKS && !ret; i++)
		if (SEVERAL & BIT(i) && hooks[i].orig)
			ret = ftrace_set_filter_ip(&ops, hooks[i].orig, 0, 0);
	if (ret)
		pr_err("ftrace cannot trace nouveau's functions (error %d)\n", ret);
	ret = ret ?: prove(drm, SEVERAL);
	if (ret)
		several_off();
	else
		several = true;
	return ret;
}

/* The last thing: nouveau may go now. */
static void nouveau_put(void)
{
	module_put(nouveau);
	nouveau = NULL;
}

static noinline bool trial(bool ret)
{
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static bool trial_redirected(bool ret)
{
	return !ret;
}

static void notrace on_trial(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs)
{
	tgk_ftrace_go(fregs, (unsigned long)trial_redirected);
}

/* Does ftrace work, and redirect? Asked at load, so that it does not show when nouveau comes. */
static int ftrace_works(void)
{
	static struct ftrace_ops trial_ops = {
		.func = on_trial,
		.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT,
	};
	int ret;

	ret = ftrace_set_filter_ip(&trial_ops, (unsigned long)trial, 0, 1) ?:
	      register_ftrace_function(&trial_ops);
	if (!ret) {
		if (!trial(false)) {
			pr_err("ftrace does not let a function go on elsewhere on this kernel\n");
			ret = -EOPNOTSUPP;
		}
		unregister_ftrace_function(&trial_ops);
	} else {
		pr_err("ftrace is off or not usable (error %d): needs sysctl kernel.ftrace_enabled=1\n",
		       ret);
	}
	ftrace_free_filter(&trial_ops);
	return ret;
}

/* --- attach and detach --- */

static bool is_ioctl(const struct drm_driver *drv, unsigned int nr, size_t size)
{
	return has_ioctl(drv, nr) && _IOC_SIZE(drv->ioctls[nr].cmd) == size;
}

static bool layout_known(const struct drm_driver *drv)
{
	return is_ioctl(drv, TGK_NR_PUSHBUF, sizeof(struct drm_nouveau_gem_pushbuf)) &&
	       (!has_ioctl(drv, TGK_NR_EXEC) ||
		is_ioctl(drv, TGK_NR_EXEC, sizeof(struct tgk_exec))) &&
	       is_ioctl(drv, TGK_NR_CHANNEL_ALLOC, sizeof(struct tgk_channel_alloc)) &&
	       is_ioctl(drv, TGK_NR_CHANNEL_FREE, sizeof(struct tgk_channel_free)) &&
	       is_ioctl(drv, TGK_NR_GEM_NEW, sizeof(struct drm_nouveau_gem_new)) &&
	       drv->postclose && drv->fops && drv->fops->owner;
}

/* A child of the PCI device: the DRM minor's device keeps the minor. */
static int minor_of(struct device *dev, void *data)
{
	struct drm_device **drm = data;
	const struct drm_minor *minor;

	if (!dev->class || strcmp(dev->class->name, "drm") || MAJOR(dev->devt) != DRM_MAJOR)
		return 0;
	minor = dev_get_drvdata(dev);
	if (minor)
		*drm = minor->dev;
	return *drm ? 1 : 0;
}

static bool bound_to_nouveau(const struct device *dev)
{
	return to_pci_dev(dev)->vendor == PCI_VENDOR_ID_NVIDIA && dev->driver &&
	       !strcmp(dev->driver->name, "nouveau");
}

static struct tgk_gpu *gpu_of(const struct device *dev)
{
	struct tgk_gpu *gpu;

	list_for_each_entry(gpu, &tgk_gpus, node)
		if (gpu->dev == dev)
			return gpu;
	return NULL;
}

/* Wait until no thread is in this module, nor on its way in or out: the hooks are off. */
static void calls_end(void)
{
	/* Calls that were redirected and are not counted yet do not sleep until they are. */
	synchronize_rcu_tasks();
	while (atomic_read(&calls))
		schedule_timeout_idle(HZ / 100);
	/* And those that are not counted any more. */
	synchronize_rcu_tasks();
}

/* Those that no GPU needs any more. Return: all of them are off; nouveau_put() is to follow. */
static bool hooks_rest(void)
{
	const struct tgk_gpu *gpu;
	bool need = false;

	if (list_empty(&tgk_gpus)) {
		hooks_off();
		return true;
	}
	list_for_each_entry(gpu, &tgk_gpus, node)
		need |= gpu->core.nr_engines > 1;
	if (several && !need)
		several_off();
	return false;
}

/* Under the device's lock and tgk_mutex. */
static int attach(struct device *dev)
{
	struct drm_device *drm = NULL;
	const struct drm_driver *drv;
	struct tgk_gpu *gpu;
	u32 chip;
	int ret;

	if (gpu_of(dev))
		return 0;
	device_for_each_child(dev, &drm, minor_of);
	if (!drm) {
		pr_err("%s: nouveau is bound but has no DRM device\n", dev_name(dev));
		return -ENODEV;
	}
	drv = drm->driver;
	if (!layout_known(drv)) {
		pr_err("%s: this nouveau's ioctls are not those that we know (Linux 6.1 to 7.2)\n",
		       dev_name(dev));
		return -EOPNOTSUPP;
	}
	if (nouveau && hooks[PUSHBUF].orig != (unsigned long)drv->ioctls[TGK_NR_PUSHBUF].func) {
		pr_err("%s: belongs to a second nouveau\n", dev_name(dev));
		return -EOPNOTSUPP;
	}
	chip = tgk_chip_id(dev);
	if (chip == TGK_CHIP_NONE) {
		pr_err("%s: does not answer, so what chip it is cannot be told\n", dev_name(dev));
		ret = -ENODEV;
		goto refuse;
	}
	ret = nouveau ? 0 : hooks_on(drm);
	if (ret)
		goto refuse;
	if (!several && tgk_chip_engines(chip) > 1)
		ret = several_on(drm);
	gpu = ret ? ERR_PTR(ret) : tgk_gpu_create(drm, dev);
	if (IS_ERR(gpu)) {
		if (hooks_rest())
			nouveau_put();
		ret = PTR_ERR(gpu);
		goto refuse;
	}
	pr_info("GPU %u is %s, policy %s\n", gpu->index, dev_name(dev),
		tg_gpu_policy(&gpu->core)->name);
	return 0;

refuse:
	pr_err("%s: not scheduled (error %d)\n", dev_name(dev), ret);
	return ret;
}

/* Under the device's lock and tgk_mutex. */
static void detach(struct tgk_gpu *gpu)
{
	const unsigned int index = gpu->index;
	const u32 waiters = tgk_gpu_close(gpu, TGK_GONE);
	const bool last = hooks_rest();

	tgk_gpu_quiesce(gpu);
	tgk_gpu_destroy(gpu);
	if (last)
		nouveau_put();
	pr_info("GPU %u has gone: %u waiters released, hooks %s\n", index, waiters,
		last ? "off" : "stay on for the others");
}

static bool leaving;	/* tgk_mutex: none is attached any more */

static int on_bus(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;
	struct tgk_gpu *gpu;

	if (action != BUS_NOTIFY_BOUND_DRIVER && action != BUS_NOTIFY_UNBIND_DRIVER)
		return NOTIFY_DONE;
	mutex_lock(&tgk_mutex);
	gpu = gpu_of(dev);
	if (action == BUS_NOTIFY_BOUND_DRIVER && !leaving && bound_to_nouveau(dev))
		attach(dev);
	else if (action == BUS_NOTIFY_UNBIND_DRIVER && gpu)
		detach(gpu);
	mutex_unlock(&tgk_mutex);
	return NOTIFY_OK;
}

static struct notifier_block on_bus_block = { .notifier_call = on_bus };

/*
 * The device's lock keeps nouveau bound meanwhile. Return: 0 if a GPU is scheduled, or none was
 * refused; else why the first one was.
 */
static int attach_all(void)
{
	struct pci_dev *pci = NULL;
	int ret, refused = 0;
	bool any = false;

	while ((pci = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, pci))) {
		device_lock(&pci->dev);
		mutex_lock(&tgk_mutex);
		if (bound_to_nouveau(&pci->dev)) {
			ret = attach(&pci->dev);
			refused = refused ?: ret;
			any |= !ret;
		}
		mutex_unlock(&tgk_mutex);
		device_unlock(&pci->dev);
	}
	return any ? 0 : refused;
}

/*
 * Redirected calls that are not counted yet may come until calls_end(): they find no GPU, and
 * pass through.
 */
static void detach_all(void)
{
	struct tgk_gpu *gpu, *next;
	LIST_HEAD(closed);

	mutex_lock(&tgk_mutex);
	leaving = true;
	list_for_each_entry_safe(gpu, next, &tgk_gpus, node) {
		tgk_gpu_close(gpu, TGK_PASS);
		list_add(&gpu->node, &closed);
	}
	if (nouveau)
		hooks_off();
	list_for_each_entry_safe(gpu, next, &closed, node) {
		tgk_gpu_quiesce(gpu);
		tgk_gpu_destroy(gpu);
	}
	calls_end();
	if (nouveau)
		nouveau_put();
	mutex_unlock(&tgk_mutex);
}

/**
 * tgk_hook_init() - attach to all GPUs that are there, and to those that come
 *
 * Context: process, at load.
 *
 * Return: 0, also when there is none; else a negative errno after a message.
 */
int tgk_hook_init(void)
{
	int ret;

	ret = ftrace_works() ?: bus_register_notifier(&pci_bus_type, &on_bus_block);
	if (ret)
		return ret;
	ret = attach_all();
	if (ret) {
		tgk_hook_exit();
		return ret;
	}
	if (!READ_ONCE(nouveau))
		pr_info("no GPU is bound to nouveau: waiting for one\n");
	return 0;
}

/**
 * tgk_hook_exit() - detach from all GPUs; no call is in this module when it returns
 *
 * Context: process, at unload.
 */
void tgk_hook_exit(void)
{
	/* A GPU that is unbound meanwhile is waited for by its notifier. */
	detach_all();
	/* Without tgk_mutex: it waits for notifiers, and they take it. */
	bus_unregister_notifier(&pci_bus_type, &on_bus_block);
	ftrace_free_filter(&ops);
}
