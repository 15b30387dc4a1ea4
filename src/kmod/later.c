// SPDX-License-Identifier: GPL-2.0
/*
 * What the holder of tgk_gpu.lock puts off until it has given the lock back: threads to wake, and
 * work items to queue.
 *
 * Neither is done under the lock. To decide whether a thread that wakes up preempts another, the
 * kernel's scheduler takes tasks that sleep out of its tree, one by one, and how many there are is
 * for any user to choose; queue_work() wakes a worker, too. So the holder only writes down what to
 * do, and does it in tgk_unlock_irq() or tgk_unlock_irqrestore(). These two alone give the lock
 * back: scripts/checkdeps holds that.
 *
 * From the lock to the last of these wake-ups its holder cannot be preempted, since threads wait
 * for them. That is a reader's section of RCU, too. So a thread that was alive under the lock is
 * still there when it is woken; and after synchronize_rcu() all that was put off is in the queue.
 *
 * A section wakes TGK_WAKES threads at most: four that the core has let go (feed.c), the poller,
 * and three that get the places which a submission gives back, two of its thread, one of its job.
 */
#include <linux/kobject.h>
#include <linux/preempt.h>

#include "later.h"
#include "tgk.h"

/**
 * tgk_errand_init() - prepare a work item
 * @errand: the work item
 * @function: its function
 * @holds: what it holds until it has run; NULL: nothing. @function ends with kobject_put() of it
 */
void tgk_errand_init(struct tgk_errand *errand, work_func_t function, struct kobject *holds)
{
	INIT_WORK(&errand->work, function);
	INIT_LIST_HEAD(&errand->node);
	errand->holds = holds;
}

/**
 * tgk_queue_later() - queue a work item once the lock is given back
 * @gpu: the GPU
 * @errand: the work item
 *
 * Its function runs after this, at least once, and sees what was written before.
 * Context: under tgk_gpu.lock.
 */
void tgk_queue_later(struct tgk_gpu *gpu, struct tgk_errand *errand)
{
	lockdep_assert_held(&gpu->lock);
	/* Pairs with the xchg() in queue(): it has yet to be queued, or we put it off. */
	if (xchg(&errand->off, true))
		return;
	if (errand->holds)
		kobject_get(errand->holds);
	list_add_tail(&errand->node, &gpu->later.errands);
}

/**
 * tgk_wake_later() - wake a thread once the lock is given back
 * @gpu: the GPU
 * @task: the thread. It cannot end before the lock is given back. Should a section have more than
 *	TGK_WAKES, it is woken here
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_wake_later(struct tgk_gpu *gpu, struct task_struct *task)
{
	struct tgk_later *later = &gpu->later;

	lockdep_assert_held(&gpu->lock);
	if (unlikely(later->nr_tasks == TGK_WAKES)) {
		wake_up_process(task);
		return;
	}
	later->tasks[later->nr_tasks++] = task;
}

static __always_inline bool is_none(const struct tgk_later *later)
{
	return !later->nr_tasks && list_empty(&later->errands);
}

/* Under tgk_gpu.lock: take over what was put off. */
static void take(struct tgk_gpu *gpu, struct tgk_later *mine)
{
	struct tgk_later *later = &gpu->later;

	mine->nr_tasks = later->nr_tasks;
	memcpy(mine->tasks, later->tasks, later->nr_tasks * sizeof(*later->tasks));
	INIT_LIST_HEAD(&mine->errands);
	list_splice_init(&later->errands, &mine->errands);
	later->nr_tasks = 0;
}

static void queue(struct tgk_errand *errand)
{
	struct kobject *holds = errand->holds;

	list_del_init(&errand->node);
	/* From now on it may be put off again, for another run. */
	xchg(&errand->off, false);
	if (!queue_work(tgk_wq, &errand->work) && holds)
		kobject_put(holds);	/* it is queued, and has not run yet */
}

static void do_all(struct tgk_later *mine)
{
	struct tgk_errand *errand, *next;
	u32 i;

	for (i = 0; i < mine->nr_tasks; i++)
		wake_up_process(mine->tasks[i]);
	list_for_each_entry_safe(errand, next, &mine->errands, node)
		queue(errand);
}

/**
 * tgk_unlock_irq() - give tgk_gpu.lock back, enable interrupts, and do what was put off
 * @gpu: the GPU
 *
 * Context: under the lock, taken by raw_spin_lock_irq().
 */
void tgk_unlock_irq(struct tgk_gpu *gpu) __releases(gpu)
{
	struct tgk_later mine;

	if (likely(is_none(&gpu->later))) {
		raw_spin_unlock_irq(&gpu->lock);
		return;
	}
	take(gpu, &mine);
	preempt_disable();
	raw_spin_unlock_irq(&gpu->lock);
	do_all(&mine);
	preempt_enable();
}

/**
 * tgk_unlock_irqrestore() - the same, where interrupts may have been off before
 * @gpu: the GPU
 * @flags: of raw_spin_lock_irqsave()
 *
 * Context: under the lock.
 */
void tgk_unlock_irqrestore(struct tgk_gpu *gpu, unsigned long flags) __releases(gpu)
{
	struct tgk_later mine;

	if (likely(is_none(&gpu->later))) {
		raw_spin_unlock_irqrestore(&gpu->lock, flags);
		return;
	}
	take(gpu, &mine);
	preempt_disable();
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	do_all(&mine);
	preempt_enable();
}
