/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The priority `nice` of a spec's line: a client's GPU priority follows what its process has on the
 * CPU, its nice value and its scheduling class (Gdev, section 5).
 *
 * Hosts read both where a process submits, call tg_nice_level(), and feed TG_EV_NICE when the
 * answer has changed. So a process that is reniced, or whose class is changed, is found at its
 * new place by the next decision about its groups. A process cannot raise its priority by this
 * without the right to raise it on the CPU.
 *
 *	class		value				priority
 *	deadline					99
 *	real time	rt priority 99 to 1		98 to 41: above all normal tasks
 *	normal, batch	nice -20 to 19			40 to 1; nice 0: 20
 *	idle						0
 *
 * The 99 real-time priorities share 58 levels: a higher one never has a lower level, and two that
 * follow each other may have the same.
 */
#ifndef TG_NICE_H
#define TG_NICE_H

#include <tg/types.h>

#define TG_NICE_LOWEST	19	/* the nicest a task may be; the least nice is -20 */
#define TG_RT_MAX	99	/* highest real-time priority; the lowest is 1 */
#define TG_LEVEL_RT	41	/* of the lowest real-time priority */

/**
 * enum tg_class - a task's scheduling class
 * @TG_CLASS_IDLE: SCHED_IDLE
 * @TG_CLASS_NORMAL: SCHED_OTHER, SCHED_BATCH and any other one
 * @TG_CLASS_RT: SCHED_FIFO and SCHED_RR
 * @TG_CLASS_DEADLINE: SCHED_DEADLINE
 */
enum tg_class { TG_CLASS_IDLE, TG_CLASS_NORMAL, TG_CLASS_RT, TG_CLASS_DEADLINE };

/**
 * tg_nice_level() - the GPU priority that goes with a place on the CPU
 * @class: the task's
 * @value: NORMAL: its nice value; RT: its real-time priority; else not looked at. One that is
 *	out of range counts as the nearest within it
 *
 * Return: TG_PRIO_MIN to TG_PRIO_MAX.
 */
static inline u8 tg_nice_level(enum tg_class class, s32 value)
{
	const s32 levels = TG_PRIO_MAX - 1 - TG_LEVEL_RT;

	switch (class) {
	case TG_CLASS_DEADLINE:
		return TG_PRIO_MAX;
	case TG_CLASS_RT:
		value = value < 1 ? 1 : min(value, TG_RT_MAX);
		return TG_LEVEL_RT + (value - 1) * levels / (TG_RT_MAX - 1);
	case TG_CLASS_NORMAL:
		value = value < -20 ? -20 : min(value, TG_NICE_LOWEST);
		return TG_NICE_LOWEST + 1 - value;
	default:
		return TG_PRIO_MIN;
	}
}

#endif /* TG_NICE_H */
