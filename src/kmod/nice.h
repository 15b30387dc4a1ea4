/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The priority `nice`: what the current process has on the CPU (tg/nice.h).
 *
 * submit.c reads it in the thread that submits, from the group leader's task, while any client of
 * the GPU follows it; and every TGK_RENICE in a thread that waits, so that a process which others
 * keep from the GPU can be helped. Neither takes a lock for it or looks anything up: a thread's
 * group leader stays until the thread has ended, and a value that changes meanwhile is the old or
 * the new one.
 */
#ifndef TGK_NICE_H
#define TGK_NICE_H

#include <linux/sched.h>
#include <linux/sched/prio.h>

#include <tg/nice.h>

#include "feed.h"
#include "tgk.h"

#define TGK_RENICE	(HZ / 10)	/* so often a thread that waits looks again */

static inline u8 tgk_nice_level(void)
{
	const struct task_struct *task = current->group_leader;

	switch (READ_ONCE(task->policy)) {
	case SCHED_DEADLINE:
		return tg_nice_level(TG_CLASS_DEADLINE, 0);
	case SCHED_FIFO:
	case SCHED_RR:
		return tg_nice_level(TG_CLASS_RT, READ_ONCE(task->rt_priority));
	case SCHED_IDLE:
		return tg_nice_level(TG_CLASS_IDLE, 0);
	default:
		return tg_nice_level(TG_CLASS_NORMAL, PRIO_TO_NICE(READ_ONCE(task->static_prio)));
	}
}

/* Is the core to be told something new of @client, the current process's? Under tgk_gpu.lock. */
static inline bool tgk_nice_changed(const struct tgk_gpu *gpu, const struct tgk_client *client)
{
	const struct tg_client *known;

	if (likely(!gpu->core.nice))
		return false;
	known = tg_gpu_client(&gpu->core, client->id);
	return known && known->nice && known->prio != tgk_nice_level();
}

/* Tell it, if so. Under tgk_gpu.lock. */
static inline void tgk_nice_feed(struct tgk_gpu *gpu, const struct tgk_client *client)
{
	struct tg_event ev = { .kind = TG_EV_NICE, .client = client->id };

	if (!tgk_nice_changed(gpu, client))
		return;
	ev.nice.level = tgk_nice_level();
	tgk_feed(gpu, &ev);
}

/* The same for a thread that waits, without the lock. */
static inline void tgk_nice_look(struct tgk_gpu *gpu, const struct tgk_client *client)
{
	raw_spin_lock_irq(&gpu->lock);
	if (!gpu->closing)
		tgk_nice_feed(gpu, client);
	tgk_unlock_irq(gpu);
}

#endif /* TGK_NICE_H */
