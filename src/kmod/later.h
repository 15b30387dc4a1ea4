/* SPDX-License-Identifier: GPL-2.0 */
/*
 * later.c: giving tgk_gpu.lock back, and what its holder has put off until then.
 */
#ifndef TGK_LATER_H
#define TGK_LATER_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct kobject;
struct task_struct;
struct tgk_gpu;

#define TGK_WAKES	8	/* threads that a section wakes, at most: later.c */

/**
 * struct tgk_errand - a work item that is queued once the lock is given back
 * @work: the work item
 * @holds: it holds this until it has run, and gives it back itself; NULL: nothing
 * @off: it is put off, and not queued yet; atomic
 * @node: while it is @off: in tgk_later.errands, and then in the list of the thread that queues it
 */
struct tgk_errand {
	struct work_struct work;
	struct kobject *holds;
	bool off;
	struct list_head node;
};

/**
 * struct tgk_later - what a section has put off; tgk_gpu.lock
 * @nr_tasks: how many threads
 * @tasks: they are woken; alive until the lock is given back
 * @errands: tgk_errand.node of work items to queue
 */
struct tgk_later {
	u32 nr_tasks;
	struct task_struct *tasks[TGK_WAKES];
	struct list_head errands;
};

void tgk_errand_init(struct tgk_errand *errand, work_func_t function, struct kobject *holds);
void tgk_queue_later(struct tgk_gpu *gpu, struct tgk_errand *errand);
void tgk_wake_later(struct tgk_gpu *gpu, struct task_struct *task);
void tgk_unlock_irq(struct tgk_gpu *gpu) __releases(gpu);
void tgk_unlock_irqrestore(struct tgk_gpu *gpu, unsigned long flags) __releases(gpu);

#endif /* TGK_LATER_H */
