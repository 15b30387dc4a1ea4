// SPDX-License-Identifier: GPL-2.0
/*
 * The books of VRAM: who asks nouveau for it, and when it is free again.
 *
 * Called by hook.c in the place of nouveau's GEM_NEW and dumb-buffer functions, before and after
 * them, and in the place of its function that frees an object, in whatever way the last reference
 * went (handle, file, dma-buf); by client.c, whose clients name the account of their process.
 * Process context, without a lock of nouveau's where it sleeps.
 *
 * A request is booked with the size that was asked for, rounded up to pages, and corrected to the
 * object's when nouveau has made it. Between the two a thread of the program may have closed the
 * handle, whose number it can guess: then the object has gone, as far as we can tell, and its
 * bytes are given back. Not counted are objects older than the module, and what the kernel asks
 * for itself: a console's buffer, a channel's memory.
 *
 * A thread that waits can be killed and frozen. Other signals do not interrupt it: its request
 * would lose its place, and ends by its timeout anyway.
 */
#include <drm/drm_gem.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "tgk.h"

/**
 * struct tgk_owner - a process that has VRAM of a GPU, or a channel; tgk_gpu.lock
 * @node: in tgk_gpu.owners
 * @pid: the process, referenced; constant
 * @nr: the core's number of its account; constant
 * @users: its objects, clients, and calls under way
 */
struct tgk_owner {
	struct hlist_node node;
	struct pid *pid;
	u32 nr, users;
};

/**
 * struct tgk_object - what has been booked for one object of nouveau's
 * @hash: in tgk_gpu.objects, by @obj; tgk_gpu.lock
 * @obj: the object, compared only; NULL: nouveau has not made it yet; constant in the table, as
 *	all below; before, only the asking thread knows of it
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
 * One part in so many is left to nouveau: channels, contexts and page tables lie in VRAM too, and
 * TTM knows nothing of them. Where all were given out, objects that are being made could not be
 * moved aside, and nouveau would refuse what we have granted.
 */
#define DRIVERS_PART	16

/* Nouveau is asked again for so long, at most so much apart, both in ms. */
#define AGAIN_TIME	30000
#define AGAIN_STEP	16

static atomic_t last_account;

/* --- owners --- */

static void owner_free(struct tgk_owner *owner)
{
	if (!owner)
		return;
	put_pid(owner->pid);
	kfree(owner);
}

static struct tgk_owner *owner_new(void)
{
	struct tgk_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return NULL;
	owner->pid = get_pid(task_tgid(current));
	owner->nr = atomic_inc_return(&last_account);
	return owner;
}

/* Under tgk_gpu.lock: the current process's, or NULL. */
static struct tgk_owner *owner_find(const struct tgk_gpu *gpu)
{
	const struct pid *pid = task_tgid(current);
	struct tgk_owner *owner;

	hash_for_each_possible(gpu->owners, owner, node, (unsigned long)pid)
		if (owner->pid == pid)
			return owner;
	return NULL;
}

/**
 * tgk_owner_get() - the current process's account
 * @gpu: the GPU
 *
 * Return: the owner, held; NULL: no memory.
 */
struct tgk_owner *tgk_owner_get(struct tgk_gpu *gpu)
{
	struct tgk_owner *owner, *new = NULL;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		owner = owner_find(gpu);
		if (!owner && new) {
			owner = new;
			new = NULL;
			hash_add(gpu->owners, &owner->node, (unsigned long)owner->pid);
		}
		if (owner)
			owner->users++;
		raw_spin_unlock_irq(&gpu->lock);
		if (owner)
			break;
		new = owner_new();
		if (!new)
			return NULL;
	}
	owner_free(new);
	return owner;
}

/**
 * tgk_owner_put() - give it back
 * @gpu: the GPU
 * @owner: as tgk_owner_get() gave it
 *
 * Context: process.
 */
void tgk_owner_put(struct tgk_gpu *gpu, struct tgk_owner *owner)
{
	bool last;

	raw_spin_lock_irq(&gpu->lock);
	last = !--owner->users;
	if (last)
		hash_del(&owner->node);
	raw_spin_unlock_irq(&gpu->lock);
	if (last)
		owner_free(owner);
}

u32 tgk_owner_nr(const struct tgk_owner *owner)
{
	return owner->nr;
}

/* --- requests --- */

/* Under tgk_gpu.lock. */
static void feed_free(struct tgk_gpu *gpu, const struct tgk_owner *owner, u64 bytes)
{
	struct tg_event ev = { .kind = TG_EV_MEM_FREE, .client = owner->nr, .arg = bytes };

	if (bytes)
		tgk_feed(gpu, &ev);
}

/* Forget an object: what it has, it must have given back. */
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
	raw_spin_unlock_irq(&gpu->lock);
	object_free(gpu, object);
}

/* Under tgk_gpu.lock: TG_ACT_MEM_GRANT, TG_ACT_MEM_REFUSE. */
void tgk_vram_answer(struct tgk_ask *ask, bool granted)
{
	WRITE_ONCE(ask->answer, granted ? TGK_GRANTED : TGK_REFUSED);
	if (ask->task)
		wake_up_process(ask->task);
	if (!granted)
		tgk_count(TGK_STAT_VRAM_REFUSED);
}

/* Sleep until there is an answer, or none is to come. The request is in tgk_gpu.asking before. */
static int wait_for_answer(struct tgk_gpu *gpu, struct tgk_ask *ask)
{
	struct tg_event ev = { .kind = TG_EV_MEM_CANCEL, .job = ask->id };
	int ret = 0;

	for (;;) {
		set_current_state(TASK_KILLABLE | TASK_FREEZABLE);
		if (READ_ONCE(ask->answer) || READ_ONCE(gpu->closing) ||
		    fatal_signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	list_del(&ask->node);
	if (!ask->answer) {
		tgk_feed(gpu, &ev);
		ret = gpu->closing ? -ENODEV : -EINTR;
	}
	raw_spin_unlock_irq(&gpu->lock);
	return ret;
}

/* Under tgk_gpu.lock: the request is taken, and answered, or in tgk_gpu.asking; or an errno. */
static int feed_ask(struct tgk_gpu *gpu, const struct tgk_object *object, struct tgk_ask *ask)
{
	struct tg_event ev = {
		.kind = TG_EV_MEM_ASK, .client = object->owner->nr, .job = gpu->last_ask + 1,
		.arg = object->bytes, .host = ask,
	};
	int ret;

	ret = tgk_feed(gpu, &ev);
	if (ret)
		return ret;
	ask->id = ++gpu->last_ask;
	tgk_count(TGK_STAT_VRAM_REQUESTS);
	if (!ask->answer) {
		ask->task = current;
		list_add_tail(&ask->node, &gpu->asking);
		tgk_count(TGK_STAT_VRAM_WAITED);
	}
	return 0;
}

/* Return: 0: granted; else as tgk_vram_ask(), or -EINVAL: the sums of the books are full. */
static int ask_for(struct tgk_gpu *gpu, const struct tgk_object *object)
{
	struct tgk_ask ask = { };
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ret = gpu->closing ? -ENODEV : feed_ask(gpu, object, &ask);
		raw_spin_unlock_irq(&gpu->lock);
		if (ret != -ENOMEM)
			break;
		ret = tgk_pool_fill(gpu, TG_POOL_ACCOUNT, 1) ?:
		      tgk_pool_fill(gpu, TG_POOL_ASK, 1);
		if (ret)
			return ret;
	}
	if (!ret && ask.task)
		ret = wait_for_answer(gpu, &ask);
	if (!ret && ask.answer == TGK_REFUSED)
		ret = -ENOMEM;
	return ret;
}

/**
 * tgk_vram_ask() - before nouveau is asked for VRAM
 * @gpu: the GPU
 * @bytes: how much
 * @booked: receives what has been booked, for tgk_vram_made(); NULL: nothing
 *
 * Context: process; sleeps, for up to the knob vram_timeout_us.
 *
 * Return: 0: go on; -ENOMEM: refused, or no memory; -EINTR: killed; -ENODEV: the device goes.
 */
int tgk_vram_ask(struct tgk_gpu *gpu, u64 bytes, struct tgk_object **booked)
{
	struct tgk_object *object;
	int ret;

	*booked = NULL;
	if (!bytes || bytes > TG_MEM_MAX)
		return 0;	/* nouveau will say what it thinks of it */
	object = kzalloc(sizeof(*object), GFP_KERNEL);
	if (!object)
		return -ENOMEM;
	object->bytes = PAGE_ALIGN(bytes);
	object->owner = tgk_owner_get(gpu);
	if (!object->owner) {
		kfree(object);
		return -ENOMEM;
	}
	ret = ask_for(gpu, object);
	if (!ret) {
		*booked = object;
		return 0;
	}
	object_free(gpu, object);
	/* Uncounted, where the sums are full, or the module goes and the device stays. */
	if (ret == -EINVAL || (ret == -ENODEV && READ_ONCE(gpu->closing) == TGK_PASS))
		return 0;
	return ret;
}

/* Under tgk_gpu.lock. */
static struct tgk_object *object_find(const struct tgk_gpu *gpu, const struct drm_gem_object *obj)
{
	struct tgk_object *object;

	hash_for_each_possible(gpu->objects, object, hash, (unsigned long)obj)
		if (object->obj == obj)
			return object;
	return NULL;
}

/*
 * Under tgk_gpu.lock: from now on the booking is @obj's. Return: false: it has one already (a
 * handle that was closed and given out again meanwhile).
 */
static bool object_add(struct tgk_gpu *gpu, struct tgk_object *object,
		       const struct drm_gem_object *obj)
{
	struct tg_event more = {
		.kind = TG_EV_MEM_ASK, .client = object->owner->nr, .channel = 1,
	};

	if (object_find(gpu, obj))
		return false;
	if (obj->size <= object->bytes) {
		feed_free(gpu, object->owner, object->bytes - obj->size);
		object->bytes = obj->size;
	} else {
		more.arg = obj->size - object->bytes;
		if (!tgk_feed(gpu, &more))
			object->bytes = obj->size;
	}
	object->obj = obj;
	hash_add(gpu->objects, &object->hash, (unsigned long)obj);
	return true;
}

/**
 * tgk_vram_fits() - may nouveau have memory for it at another time?
 * @gpu: the GPU; NULL: the request is not for VRAM, or its GPU is not scheduled
 * @object: what has been booked; or NULL, as it always is without a GPU
 *
 * Context: any.
 *
 * Return: it is booked, and not larger than all of VRAM.
 */
bool tgk_vram_fits(const struct tgk_gpu *gpu, const struct tgk_object *object)
{
	const struct ttm_resource_manager *man;

	if (!object)
		return false;
	man = READ_ONCE(gpu->vram);
	return !man || object->bytes <= (u64)man->size << PAGE_SHIFT;
}

/**
 * tgk_vram_again() - shall nouveau be asked again for what it had no memory for?
 * @gpu: the GPU
 * @waited: how long has been waited so far, in ms; 0 at first
 *
 * What has been granted fits, but beside it lie nouveau's own channels and tables, and TTM moves
 * nothing aside that somebody is using or making at this moment: a moment later it may.
 * Context: process; sleeps, 1 ms, then as long as all before, but not longer than AGAIN_STEP: where
 * many ask, an object is at rest for moments only.
 *
 * Return: false: no; it has had time enough, the thread is being killed, or we go.
 */
bool tgk_vram_again(const struct tgk_gpu *gpu, u32 *waited)
{
	u32 ms = clamp_t(u32, *waited, 1, AGAIN_STEP);

	if (*waited >= AGAIN_TIME || READ_ONCE(gpu->closing))
		return false;
	*waited += ms;
	schedule_timeout_killable(msecs_to_jiffies(ms));
	if (fatal_signal_pending(current))
		return false;
	tgk_count(TGK_STAT_VRAM_AGAIN);
	return true;
}

/**
 * tgk_vram_made() - nouveau has been asked
 * @gpu: the GPU
 * @object: what had been booked, not the caller's any more; or NULL
 * @file: nouveau's handle
 * @handle: the object that it has made; 0: none
 *
 * Context: process.
 */
void tgk_vram_made(struct tgk_gpu *gpu, struct tgk_object *object, struct drm_file *file,
		   u32 handle)
{
	struct drm_gem_object *obj;
	bool added = false;

	if (!object)
		return;
	obj = handle ? drm_gem_object_lookup(file, handle) : NULL;
	if (obj && !tgk_vram_learn(gpu, obj)) {
		raw_spin_lock_irq(&gpu->lock);
		added = object_add(gpu, object, obj);
		raw_spin_unlock_irq(&gpu->lock);
	}
	if (!added)
		object_return(gpu, object);
	if (obj)
		tgk_object_put(obj);
}

/**
 * tgk_vram_free() - nouveau is about to free an object
 * @gpu: the GPU
 * @obj: the object
 *
 * Context: process.
 *
 * Return: its booking, for tgk_vram_freed(), or NULL.
 */
struct tgk_object *tgk_vram_free(struct tgk_gpu *gpu, const struct drm_gem_object *obj)
{
	struct tgk_object *object;

	raw_spin_lock_irq(&gpu->lock);
	object = object_find(gpu, obj);
	if (object)
		hash_del(&object->hash);
	raw_spin_unlock_irq(&gpu->lock);
	return object;
}

/**
 * tgk_vram_freed() - nouveau has freed it
 * @gpu: the GPU
 * @object: what tgk_vram_free() returned
 */
void tgk_vram_freed(struct tgk_gpu *gpu, struct tgk_object *object)
{
	if (object)
		object_return(gpu, object);
}

/* --- the GPU's memory --- */

/**
 * tgk_vram_learn() - learn from one of its objects how much VRAM a GPU has
 * @gpu: the GPU
 * @obj: an object of nouveau's
 *
 * Sees to it that the end of objects is heard of, too.
 * Context: process; sleeps.
 *
 * Return: 0; or a negative errno: their end is not heard of.
 */
int tgk_vram_learn(struct tgk_gpu *gpu, struct drm_gem_object *obj)
{
	struct tg_event ev = { .kind = TG_EV_MEM_SIZE };
	struct ttm_resource_manager *man;
	int ret;

	if (likely(READ_ONCE(gpu->vram)))
		return 0;
	ret = tgk_hook_free(obj);
	if (ret)
		return ret;
	man = ttm_manager_type(drm_gem_ttm_of_gem(obj)->bdev, TTM_PL_VRAM);
	if (!man)
		return -ENODEV;
	raw_spin_lock_irq(&gpu->lock);
	if (!gpu->vram) {
		ev.arg = (u64)man->size << PAGE_SHIFT;
		ev.arg -= ev.arg / DRIVERS_PART;
		tgk_feed(gpu, &ev);
		WRITE_ONCE(gpu->vram, man);
	}
	raw_spin_unlock_irq(&gpu->lock);
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
	struct ttm_resource_manager *man = READ_ONCE(gpu->vram);

	return man ? ttm_resource_manager_usage(man) : 0;
}

/**
 * tgk_vram_forget_all() - the books are closed
 * @gpu: the GPU, closed and quiet, without hooks
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
