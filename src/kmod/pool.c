// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the core: objects that it takes from pools, which are filled here.
 *
 * The core allocates nothing, since events reach it in hard interrupt context, too. The caller of
 * tgk_feed() gets -ENOMEM when a pool is empty; it fills the pool here, in process context, without
 * tgk_gpu.lock, and feeds the event again.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "pool.h"
#include "tgk.h"

#define POOL_KEEP	128	/* spare objects of a kind, when work has ended */

/**
 * tgk_pool_fill() - see to it that a pool holds @n objects
 * @gpu: the GPU
 * @pool: which
 * @n: how many; others may take them before the caller has the lock again
 *
 * Context: process, without the lock.
 *
 * Return: 0 or -ENOMEM.
 */
int tgk_pool_fill(struct tgk_gpu *gpu, enum tg_pool pool, u32 n)
{
	void *object = NULL;
	bool full;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		if (object) {
			tg_gpu_give(&gpu->core, pool, object);
			gpu->given[pool]++;
		}
		full = gpu->core.pooled[pool] >= n;
		tgk_unlock_irq(gpu);
		if (full)
			return 0;
		object = kvzalloc(tg_pool_size[pool], GFP_KERNEL_ACCOUNT);
		if (!object)
			return -ENOMEM;
	}
}

/* One of the spare objects that are too many, or NULL. */
static void *one_too_many(struct tgk_gpu *gpu, u32 pool)
{
	void *object = NULL;
	u32 keep;

	raw_spin_lock_irq(&gpu->lock);
	keep = max_t(u32, POOL_KEEP, pool == TG_POOL_RESERVE ? gpu->reserved : 0);
	if (gpu->core.pooled[pool] > keep) {
		object = tg_gpu_take(&gpu->core, pool);
		gpu->given[pool]--;
	}
	tgk_unlock_irq(gpu);
	return object;
}

/**
 * tgk_pools_trim() - give back the memory of spare objects, but for some
 * @gpu: the GPU
 *
 * Context: process, without the lock.
 */
void tgk_pools_trim(struct tgk_gpu *gpu)
{
	struct tgk_job *job = NULL;
	void *object;
	u32 pool;

	for (pool = 0; pool < TG_POOLS; pool++)
		while (READ_ONCE(gpu->core.pooled[pool]) > POOL_KEEP &&
		       (object = one_too_many(gpu, pool)))
			kvfree(object);
	while (READ_ONCE(gpu->nr_spare) > POOL_KEEP) {
		raw_spin_lock_irq(&gpu->lock);
		if (gpu->spare.first) {
			job = llist_entry(gpu->spare.first, struct tgk_job, chain);
			gpu->spare.first = job->chain.next;
			gpu->nr_spare--;
		}
		tgk_unlock_irq(gpu);
		kfree(job);
		job = NULL;
	}
}

/**
 * tgk_pools_free() - free all objects
 * @gpu: the GPU: the core has given back each of them
 */
void tgk_pools_free(struct tgk_gpu *gpu)
{
	void *object;
	u32 pool;

	for (pool = 0; pool < TG_POOLS; pool++) {
		while ((object = tg_gpu_take(&gpu->core, pool))) {
			kvfree(object);
			gpu->given[pool]--;
		}
		WARN(gpu->given[pool], "timegraph: %llu objects of pool %u are missing\n",
		     gpu->given[pool], pool);
	}
}
