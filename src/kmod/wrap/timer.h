/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hrtimer: 6.15 folded hrtimer_init() and the function into hrtimer_setup().
 */
#ifndef TGK_WRAP_TIMER_H
#define TGK_WRAP_TIMER_H

#include <linux/hrtimer.h>
#include <linux/version.h>

static inline void tgk_timer_setup(struct hrtimer *timer,
				   enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	timer->function = function;
#endif
}

#endif /* TGK_WRAP_TIMER_H */
