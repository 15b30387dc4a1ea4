// SPDX-License-Identifier: GPL-2.0
/*
 * The books of VRAM: which process has requested how much, and when it is free again.
 *
 * The driver folder calls tgk_vram_make() in the place of the driver's functions that make an
 * object in VRAM; tgk_object_free() stands in for the one that frees an object, however its last
 * reference goes (handle, file, dma-buf). Process context; it sleeps under no lock of the driver.
 *
 * A request is booked with the size that it names, rounded up to pages, and corrected to the
 * object's size when the driver has made the object. Between the two a thread of the program may
 * have closed the handle, whose number it can guess: then the object has gone, as far as can be
 * seen here, and its bytes are given back. Not counted are objects older than the module, and what
 * the kernel makes for itself: a console's buffer, a channel's memory.
 *
 * A thread that waits can be killed, frozen and interrupted. When a signal interrupts it, its
 * request is parked (tgk_gpu.parked_requests), granted or not: it keeps its place for a tenth of a
 * second. It goes on there when the same thread comes back with a request of the same size, as a
 * restarted ioctl does. A submission that the driver has no memory for keeps the time that it has
 * waited in the same way.
 */
#include <drm/drm_gem.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "driver/driver.h"
#include "feed.h"
#include "gpu.h"
#include "owner.h"
#include "pool.h"
#include "stats.h"
#include "vram.h"

/**
 * struct tgk_object - what has been booked for one object of the driver's
 * @hash: in tgk_gpu.objects, by @obj; tgk_gpu.lock
 * @obj: the object, compared only; NULL: the driver has not made it yet; constant in the table, as
 *	all below; before, only the requesting thread knows of it
 * @owner: whose account it is in, held
 * @bytes: how much
 */
struct tgk_object {
	struct hlist_node hash;
	const struct drm_gem_object *obj;
	struct tgk_owner *owner;
	u64 bytes;
};

/*
 * One part in so many is left to the driver: channels, contexts and page tables lie in VRAM too,
 * and TTM does not count them. If all were granted, TTM could not move objects that are being made
 * aside, and the driver would refuse what we have granted.
 */
#define DRIVERS_PART	16

#define RETRY_STEP	16	/* ms: the longest time between two retries */
#define PARKED_MAX	128	/* interrupted requests whose place is kept */

/* --- requests --- */

/* Under tgk_gpu.lock. */
static void feed_free(struct tgk_gpu *gpu, const struct tgk_owner *owner, u64 bytes)
{
	struct tg_event ev = { .kind = TG_EV_MEM_FREE, .account = owner->nr, .mem.bytes = bytes };

	if (bytes)
		tgk_feed(gpu, &ev);
}

/* Forget an object that has nothing booked any more. */
static void object_free(struct tgk_gpu *gpu, struct tgk_object *object)
{
	tgk_owner_put(gpu, object->owner);
	kfree(object);
}

/* Give back what an object has, and forget it. */
static void object_return(struct tgk_gpu *gpu, struct tgk_object *object)
{
	raw_spin_lock_irq(&gpu->lock);
	feed_free(gpu, object->owner, object->bytes);
	tgk_unlock_irq(gpu);
	object_free(gpu, object);
}

/**
 * tgk_vram_answer() - the core grants or refuses a request
 * @req: the request
 * @granted: which of the two
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: its thread sleeps and has to be woken. A request that is answered at once is in no list,
 * and the thread of a parked one is elsewhere.
 */
bool tgk_vram_answer(struct tgk_request *req, bool granted)
{
	WRITE_ONCE(req->answer, granted ? TGK_GRANTED : TGK_REFUSED);
	if (!granted)
		tgk_count(TGK_STAT_VRAM_REFUSED);
	return !list_empty(&req->node) && !req->until;
}

/* @object: what it is for, now the request's; or NULL. Return: NULL: no memory. */
static struct tgk_request *request_new(struct tgk_object *object)
{
	struct tgk_request *req = kzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);

	if (!req)
		return NULL;
	INIT_LIST_HEAD(&req->node);
	req->task = get_task_struct(current);
	req->object = object;
	return req;
}

/* The request is in no list; its object has nothing booked, or has been taken out of it. */
static void request_free(struct tgk_gpu *gpu, struct tgk_request *req)
{
	if (req->object)
		object_free(gpu, req->object);
	put_task_struct(req->task);
	kfree(req);
}

static struct tgk_object *object_new(struct tgk_gpu *gpu, u64 bytes)
{
	struct tgk_object *object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);

	if (!object)
		return NULL;
	object->bytes = bytes;
	object->owner = tgk_owner_get(gpu);
	if (!object->owner) {
		kfree(object);
		return NULL;
	}
	return object;
}

/* Under tgk_gpu.lock: the core forgets a request, whether it has answered or not. */
static void feed_cancel(struct tgk_gpu *gpu, const struct tgk_request *req)
{
	struct tg_event ev = { .kind = TG_EV_MEM_CANCEL, .mem.request = req->id };

	if (!req->object)
		return;
	if (!req->answer)
		tgk_feed(gpu, &ev);
	else if (req->answer == TGK_GRANTED)
		feed_free(gpu, req->object->owner, req->object->bytes);
}

/* --- interrupted threads --- */

/*
 * Under tgk_gpu.lock: a signal has come; the place of the request, and how long it has waited, are
 * kept until its thread comes back with it. Return: false: too many are parked.
 */
static bool park(struct tgk_gpu *gpu, struct tgk_request *req)
{
	if (gpu->nr_parked_requests == PARKED_MAX)
		return false;
	gpu->nr_parked_requests++;
	req->until = (jiffies + TGK_PARK) ?: 1;
	list_move_tail(&req->node, &gpu->parked_requests);
	queue_delayed_work(tgk_wq, &gpu->unpark, TGK_PARK + 1);
	return true;
}

/* Under tgk_gpu.lock. */
static void unpark(struct tgk_gpu *gpu, struct tgk_request *req)
{
	gpu->nr_parked_requests--;
	req->until = 0;
	list_del_init(&req->node);
}

/**
 * tgk_vram_unpark() - give up the oldest request whose thread has not come back
 * @gpu: the GPU
 * @all: also if it may still come
 *
 * Context: process.
 *
 * Return: there was one.
 */
bool tgk_vram_unpark(struct tgk_gpu *gpu, bool all)
{
	struct tgk_request *req;

	raw_spin_lock_irq(&gpu->lock);
	req = list_first_entry_or_null(&gpu->parked_requests, struct tgk_request, node);
	if (req && !all && time_before(jiffies, req->until)) {
		queue_delayed_work(tgk_wq, &gpu->unpark, req->until - jiffies + 1);
		req = NULL;
	}
	if (req) {
		unpark(gpu, req);
		feed_cancel(gpu, req);
	}
	tgk_unlock_irq(gpu);
	if (req)
		request_free(gpu, req);
	return req;
}

/*
 * What this thread has parked, if it is for as much (0: a submission). A thread waits for one thing
 * at a time, so there is at most one; what it does not come back for is given up.
 */
static struct tgk_request *come_back(struct tgk_gpu *gpu, u64 bytes)
{
	struct tgk_request *req, *mine = NULL;
	bool same = false;

	raw_spin_lock_irq(&gpu->lock);
	list_for_each_entry(req, &gpu->parked_requests, node)
		if (req->task == current) {
			mine = req;
			break;
		}
	if (mine) {
		unpark(gpu, mine);
		same = bytes == (mine->object ? mine->object->bytes : 0);
		if (!same)
			feed_cancel(gpu, mine);
		else if (mine->object && !mine->answer)
			list_add_tail(&mine->node, &gpu->requests);
	}
	tgk_unlock_irq(gpu);
	if (mine && !same)
		request_free(gpu, mine);
	return same ? mine : NULL;
}

/* --- waiting for the core's answer --- */

/*
 * Sleep until there is an answer, or none is to come. The request is in tgk_gpu.requests before.
 * Return: 0: answered; -ERESTARTSYS: it is not the caller's any more; or another errno.
 */
static int wait_for_answer(struct tgk_gpu *gpu, struct tgk_request *req)
{
	int ret = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (READ_ONCE(req->answer) || READ_ONCE(gpu->closing) || signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	list_del_init(&req->node);
	if (!req->answer) {
		ret = gpu->closing ? -ENODEV : -EINTR;
		if (!gpu->closing && !fatal_signal_pending(current) && park(gpu, req))
			ret = -ERESTARTSYS;
		else
			feed_cancel(gpu, req);
	}
	tgk_unlock_irq(gpu);
	return ret;
}

/* Under tgk_gpu.lock: the core takes the request: answered, or in tgk_gpu.requests; or an errno. */
static int feed_request(struct tgk_gpu *gpu, struct tgk_request *req)
{
	struct tg_event ev = {
		.kind = TG_EV_MEM_REQUEST, .account = req->object->owner->nr, .host = req,
		.mem = { .request = gpu->last_request + 1, .bytes = req->object->bytes },
	};
	int ret;

	ret = tgk_feed(gpu, &ev);
	if (ret)
		return ret;
	req->id = ++gpu->last_request;
	tgk_count(TGK_STAT_VRAM_REQUESTS);
	if (!req->answer) {
		list_add_tail(&req->node, &gpu->requests);
		tgk_count(TGK_STAT_VRAM_WAITED);
	}
	return 0;
}

/* Return: 0: the core has it; else as book(), or -EINVAL: the sums of the books are full. */
static int request_core(struct tgk_gpu *gpu, struct tgk_request *req)
{
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ret = gpu->closing ? -ENODEV : feed_request(gpu, req);
		tgk_unlock_irq(gpu);
		if (ret != -ENOMEM)
			return ret;
		ret = tgk_pool_fill(gpu, TG_POOL_ACCOUNT, 1) ?:
		      tgk_pool_fill(gpu, TG_POOL_REQUEST, 1);
		if (ret)
			return ret;
	}
}

/*
 * Before the driver makes an object. *@booked: the request, granted; NULL: nothing is booked.
 * Return: 0: go on; -ENOMEM: refused, or no memory; -ERESTARTSYS or -EINTR: a signal; -ENODEV: the
 * device goes.
 */
static int book(struct tgk_gpu *gpu, u64 bytes, struct tgk_request **booked)
{
	struct tgk_object *object;
	struct tgk_request *req;
	int ret = 0;

	*booked = NULL;
	if (!bytes || bytes > TG_MEM_MAX)
		return 0;	/* the driver will refuse it, or not, in its own way */
	bytes = PAGE_ALIGN(bytes);
	req = come_back(gpu, bytes);
	if (!req) {
		object = object_new(gpu, bytes);
		req = object ? request_new(object) : NULL;
		if (!req) {
			if (object)
				object_free(gpu, object);
			return -ENOMEM;
		}
		ret = request_core(gpu, req);
	}
	/* It is in a list, unless it was answered under the lock: an answer may have come since. */
	if (!ret && !list_empty(&req->node))
		ret = wait_for_answer(gpu, req);
	if (ret == -ERESTARTSYS)
		return ret;
	if (!ret && req->answer != TGK_REFUSED) {
		*booked = req;
		return 0;
	}
	ret = ret ?: -ENOMEM;
	request_free(gpu, req);
	/* Uncounted, where the sums are full, or the module goes and the device stays. */
	if (ret == -EINVAL || (ret == -ENODEV && READ_ONCE(gpu->closing) == TGK_PASS))
		return 0;
	return ret;
}

/* --- retrying what the driver has refused --- */

/* Can waiting help, and does a setting make requests wait (tg_gpu_again())? */
static bool may_help(struct tgk_gpu *gpu, const struct tgk_request *req, u64 bytes, s64 waited)
{
	const struct tg_account *account;
	const struct tgk_owner *owner;
	bool may;
	u32 nr;

	raw_spin_lock_irq(&gpu->lock);
	owner = req->object ? req->object->owner : tgk_owner_find(gpu);
	nr = owner ? owner->nr : 0;
	account = tg_mem_account(&gpu->core.mem, nr);
	if (bytes == U64_MAX)
		bytes = account ? account->used : 0;
	may = !gpu->closing && tg_gpu_again(&gpu->core, nr, bytes, waited);
	tgk_unlock_irq(gpu);
	return may;
}

/*
 * The driver had no memory for a call that needs so many @bytes of VRAM at once: repeat the call
 * where waiting helps. The driver's own channels and tables lie beside what is granted, and TTM
 * moves no object aside that is in use or being made; a moment later it may. The first retry is
 * after 1 ms, each next one after as long as all before, but never later than RETRY_STEP: where
 * many clients wait, an object is at rest for moments only.
 * @flags: what stood in tgk_call.flags, where the driver may have put an answer.
 * Return: the driver's answer; -ERESTARTSYS or -EINTR: a signal. *@reqp is NULL if it is parked.
 */
static int retry(struct tgk_gpu *gpu, const struct tgk_call *call, u64 bytes, u64 flags,
		 struct tgk_request **reqp)
{
	struct tgk_request *req = *reqp;
	s64 waited;
	int ret;

	req->refused = req->refused ?: ktime_get_ns();
	do {
		waited = ktime_get_ns() - req->refused;
		if (!may_help(gpu, req, bytes, waited))
			return -ENOMEM;
		set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		schedule_timeout(msecs_to_jiffies(clamp_t(s64, waited / NSEC_PER_MSEC, 1,
							  RETRY_STEP)));
		if (call->flags)
			*call->flags = flags;
		if (signal_pending(current))
			break;
		tgk_count(TGK_STAT_VRAM_AGAIN);
		ret = call->orig(call->dev, call->data, call->file);
		if (ret != -ENOMEM)
			return ret;
	} while (true);

	if (fatal_signal_pending(current))
		return -EINTR;
	raw_spin_lock_irq(&gpu->lock);
	ret = -EINTR;
	if (!gpu->closing && park(gpu, req)) {
		*reqp = NULL;
		ret = -ERESTARTSYS;
	}
	tgk_unlock_irq(gpu);
	return ret;
}

/**
 * tgk_vram_submit() - the driver had no memory for a submission
 * @gpu: the GPU
 * @call: the ioctl
 * @flags: what stood in tgk_call.flags before
 *
 * Context: process; sleeps, where admission is on, for up to the knob vram_timeout_us.
 *
 * Return: what the driver returns in the end; -ERESTARTSYS or -EINTR: a signal came first.
 */
int tgk_vram_submit(struct tgk_gpu *gpu, const struct tgk_call *call, u64 flags)
{
	struct tgk_request *req;
	int ret = -ENOMEM;
	u64 bytes;

	if (!gpu->driver->vram || !gpu->driver->vram(call, &bytes))
		return ret;
	req = come_back(gpu, 0) ?: request_new(NULL);
	if (!req)
		return ret;
	ret = retry(gpu, call, bytes, flags, &req);
	if (req)
		request_free(gpu, req);
	return ret;
}

/* --- objects --- */

/* Under tgk_gpu.lock. */
static struct tgk_object *object_find(const struct tgk_gpu *gpu, const struct drm_gem_object *obj)
{
	struct tgk_object *object;

	hash_for_each_possible(gpu->objects, object, hash, (unsigned long)obj)
		if (object->obj == obj)
			return object;
	return NULL;
}

/* Under tgk_gpu.lock: in whose account an object is booked; NULL: in none. */
const struct tgk_owner *tgk_vram_owner(const struct tgk_gpu *gpu, const struct drm_gem_object *obj)
{
	const struct tgk_object *object = object_find(gpu, obj);

	return object ? object->owner : NULL;
}

/* Under tgk_gpu.lock: the driver has made it smaller or larger than it was booked. */
static noinline void object_resize(struct tgk_gpu *gpu, struct tgk_object *object, u64 bytes)
{
	const bool more = bytes > object->bytes;
	struct tg_event ev = {
		.kind = more ? TG_EV_MEM_REQUEST : TG_EV_MEM_FREE, .account = object->owner->nr,
		.mem.bytes = more ? bytes - object->bytes : object->bytes - bytes, .taken = more,
	};

	if (!tgk_feed(gpu, &ev) || !more)
		object->bytes = bytes;
}

/*
 * Under tgk_gpu.lock: from now on the booking is @obj's. Return: false: @obj has one already (the
 * client has closed the handle, and the driver has given it out again).
 */
static bool object_add(struct tgk_gpu *gpu, struct tgk_object *object,
		       const struct drm_gem_object *obj)
{
	if (object_find(gpu, obj))
		return false;
	if (obj->size != object->bytes)
		object_resize(gpu, object, obj->size);
	object->obj = obj;
	hash_add(gpu->objects, &object->hash, (unsigned long)obj);
	return true;
}

/*
 * The object of so many bytes that mmap() finds at @offset, referenced, or NULL. Its handle is no
 * way: the client may have closed it, and keep the object by another name.
 */
static struct drm_gem_object *object_at(struct drm_device *dev, u64 offset, u64 bytes)
{
	struct drm_vma_offset_manager *manager = dev->vma_offset_manager;
	struct drm_gem_object *obj = NULL;
	struct drm_vma_offset_node *node;

	drm_vma_offset_lock_lookup(manager);
	node = drm_vma_offset_exact_lookup_locked(manager, offset >> PAGE_SHIFT,
						  bytes >> PAGE_SHIFT);
	if (node)
		obj = container_of(node, struct drm_gem_object, vma_node);
	if (obj && !kref_get_unless_zero(&obj->refcount))
		obj = NULL;
	drm_vma_offset_unlock_lookup(manager);
	return obj;
}

/*
 * The driver has made an object, @obj, or none (NULL): the object gets the booking, or it is given
 * back. If @obj is not of @made bytes, the client has put another object in its place.
 */
static void object_made(struct tgk_gpu *gpu, struct tgk_object *object, struct drm_gem_object *obj,
			u64 made)
{
	bool added = false;

	if (obj && obj->size == made && !tgk_vram_learn(gpu, obj)) {
		raw_spin_lock_irq(&gpu->lock);
		added = object_add(gpu, object, obj);
		tgk_unlock_irq(gpu);
	}
	if (!added)
		object_return(gpu, object);
	if (obj)
		tgk_object_put(obj);
}

/**
 * tgk_vram_make() - let the driver make an object in VRAM
 * @gpu: the GPU
 * @call: the ioctl
 * @bytes: the size that it names
 * @handle: where the driver puts its handle
 * @made: where it puts its size
 * @offset: where it puts the offset at which it can be mapped; NULL: nowhere
 *
 * Context: process; sleeps, where admission is on, for up to the knob vram_timeout_us before the
 * driver is called, and as long again where it refuses what is in the books.
 *
 * Return: what the driver returns; -ENOMEM: refused, or no memory; -ERESTARTSYS or -EINTR: a signal
 * came first; -ENODEV: the device goes.
 */
int tgk_vram_make(struct tgk_gpu *gpu, const struct tgk_call *call, u64 bytes, const u32 *handle,
		  const u64 *made, const u64 *offset)
{
	struct drm_gem_object *obj = NULL;
	struct tgk_object *object;
	struct tgk_request *req;
	int ret;

	ret = book(gpu, bytes, &req);
	if (ret)
		return ret;
	ret = call->orig(call->dev, call->data, call->file);
	if (ret == -ENOMEM && req)
		ret = retry(gpu, call, req->object->bytes, 0, &req);
	if (!req)
		return ret;
	object = req->object;
	req->object = NULL;
	request_free(gpu, req);
	if (!ret)
		obj = offset ? object_at(call->dev, *offset, *made) :
			       drm_gem_object_lookup(call->file, *handle);
	object_made(gpu, object, obj, *made);
	return ret;
}

/* Under no lock. The booking of an object that the driver is about to free, or NULL. */
static struct tgk_object *take_booking(struct tgk_gpu *gpu, const struct drm_gem_object *obj)
{
	struct tgk_object *object;

	raw_spin_lock_irq(&gpu->lock);
	object = object_find(gpu, obj);
	if (object)
		hash_del(&object->hash);
	tgk_unlock_irq(gpu);
	return object;
}

/**
 * tgk_object_free() - stands in for the driver's function that frees an object (tgk_driver.free)
 * @obj: the object
 *
 * The original is what the object says, as DRM would call it: tgk_driver.free may be another
 * instance's by now, or empty, if the last GPU has gone and another has come since.
 * Context: process; sleeps.
 */
void tgk_object_free(struct drm_gem_object *obj)
{
	struct tgk_object *booked;
	struct tgk_gpu *gpu;

	tgk_hook_enter();
	gpu = tgk_gpu_get(obj->dev);
	booked = gpu ? take_booking(gpu, obj) : NULL;
	obj->funcs->free(obj);
	if (booked)
		object_return(gpu, booked);
	if (gpu)
		tgk_gpu_put(gpu);
	tgk_hook_leave();
}

static void last_put(struct kref *refcount)
{
	tgk_object_free(container_of(refcount, struct drm_gem_object, refcount));
}

/**
 * tgk_object_put() - give back a reference to an object of the driver's
 * @obj: the object
 *
 * In the place of drm_gem_object_put(), whose free would not be seen (head of hook.c).
 * Context: process; sleeps.
 */
void tgk_object_put(struct drm_gem_object *obj)
{
	kref_put(&obj->refcount, last_put);
}

/* --- the GPU's memory --- */

/**
 * tgk_vram_learn() - learn from one of its objects how much VRAM a GPU has
 * @gpu: the GPU
 * @obj: an object of the driver's
 *
 * Hooks the end of objects, too (tgk_hook_free()).
 * Context: process; sleeps.
 *
 * Return: 0; or a negative errno: their end is not seen.
 */
int tgk_vram_learn(struct tgk_gpu *gpu, struct drm_gem_object *obj)
{
	struct tg_event ev = { .kind = TG_EV_MEM_SIZE };
	struct ttm_resource_manager *man;
	int ret;

	if (likely(READ_ONCE(gpu->vram)))
		return 0;
	ret = tgk_hook_free(gpu->driver, obj);
	if (ret)
		return ret;
	man = ttm_manager_type(drm_gem_ttm_of_gem(obj)->bdev, TTM_PL_VRAM);
	if (!man)
		return -ENODEV;
	raw_spin_lock_irq(&gpu->lock);
	if (!gpu->vram) {
		ev.mem.bytes = (u64)man->size << PAGE_SHIFT;
		ev.mem.bytes -= ev.mem.bytes / DRIVERS_PART;
		tgk_feed(gpu, &ev);
		WRITE_ONCE(gpu->vram, man);
	}
	tgk_unlock_irq(gpu);
	return 0;
}

/**
 * tgk_vram_resident() - how much of a GPU's VRAM the driver has given out, for all purposes
 * @gpu: the GPU, attached
 *
 * Context: process.
 *
 * Return: bytes; 0 before the first object.
 */
u64 tgk_vram_resident(const struct tgk_gpu *gpu)
{
	const struct ttm_resource_manager *man = READ_ONCE(gpu->vram);

	return man ? READ_ONCE(man->usage) : 0;	/* TTM's function needs TTM to load this module */
}

/**
 * tgk_vram_forget_all() - the books are closed
 * @gpu: the GPU, closed and unused, without hooks
 */
void tgk_vram_forget_all(struct tgk_gpu *gpu)
{
	struct tgk_object *object;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(gpu->objects, i, next, object, hash) {
		hash_del(&object->hash);
		object_return(gpu, object);
	}
}
