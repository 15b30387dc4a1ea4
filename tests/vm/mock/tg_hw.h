/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card's own fences: what a ring executes, as dma_fence has it. tg_mock.c alone includes
 * this.
 *
 * A fence of drm_sched keeps the card's one, and whatever has that (a sync_file, a syncobj) may
 * outlast all files of the card. So each holds the module, whose functions it needs to the end.
 * hw_exit() waits until the last of them has returned.
 */
#ifndef TG_HW_H
#define TG_HW_H

#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "tg_chain.h"

struct mock_truth;

/* What a ring executes. */
struct mock_fence {
	struct dma_fence fence;
	spinlock_t lock;
	struct list_head link;			/* in mock_ring.head, or empty */
	struct mock_truth *truth;
	struct mock_chain *chain;		/* or NULL */
	u64 ns;
};

static const char *hw_name(struct dma_fence *fence)
{
	return "tgmock";
}

static void hw_free(struct rcu_head *rcu)
{
	struct mock_fence *hw = container_of(rcu, struct mock_fence, fence.rcu);

	chain_put(hw->chain);
	kfree(hw);
	module_put(THIS_MODULE);
}

static void hw_release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, hw_free);
}

static const struct dma_fence_ops hw_ops = {
	.get_driver_name = hw_name, .get_timeline_name = hw_name, .release = hw_release,
};

/* Any context; while the module is held. */
static void hw_init(struct mock_fence *hw, u64 context, u64 seqno)
{
	__module_get(THIS_MODULE);
	dma_fence_init(&hw->fence, &hw_ops, &hw->lock, context, seqno);
}

static void hw_exit(void)
{
	rcu_barrier();
}

#endif /* TG_HW_H */
