// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the accounts of VRAM, one for each process that has an object or a channel on a GPU.
 *
 * vram.c and channel.c hold and release them, in process context. The table is under tgk_gpu.lock.
 */
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "owner.h"

/* Numbers of accounts in use: a number comes again only when its account has gone. */
static DEFINE_IDA(accounts);

static void owner_free(struct tgk_owner *owner)
{
	if (!owner)
		return;
	ida_free(&accounts, owner->nr);
	put_pid(owner->pid);
	kfree(owner);
}

static struct tgk_owner *owner_new(void)
{
	struct tgk_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	int nr = owner ? ida_alloc_min(&accounts, 1, GFP_KERNEL) : -ENOMEM;

	if (nr < 0) {
		kfree(owner);
		return NULL;
	}
	owner->pid = get_pid(task_tgid(current));
	owner->nr = nr;
	return owner;
}

/* Under tgk_gpu.lock: the current process's, or NULL. */
struct tgk_owner *tgk_owner_find(const struct tgk_gpu *gpu)
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
		owner = tgk_owner_find(gpu);
		if (!owner && new) {
			owner = new;
			new = NULL;
			hash_add(gpu->owners, &owner->node, (unsigned long)owner->pid);
		}
		if (owner)
			owner->users++;
		tgk_unlock_irq(gpu);
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
	tgk_unlock_irq(gpu);
	if (last)
		owner_free(owner);
}
