/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens next: timers in a heap. Called by the hardware (gpu.c) and the host (run.c). One
 * thread.
 */
#ifndef TGS_EVQ_H
#define TGS_EVQ_H

#include <tg/types.h>

/**
 * struct tgs_timer - a function to be called at a time
 * @slot: place in the heap, from 1; 0: not set. Zeroed memory is a timer that is not set.
 * @fire: called with @owner when its time has come, after it has been taken out of the queue
 * @owner: given to @fire
 */
struct tgs_timer {
	u32 slot;
	void (*fire)(void *owner, s64 now);
	void *owner;
};

/**
 * struct tgs_evq - timers in the order of their time; equals in the order in which they were set
 * @heap: slots 1 to @nr
 * @nr: timers that are set
 * @room: slots there is memory for
 * @order: number of settings so far
 */
struct tgs_evq {
	struct tgs_slot {
		s64 at;
		u64 order;
		struct tgs_timer *timer;
	} *heap;
	u32 nr, room;
	u64 order;
};

/** tgs_evq_set() - set @timer to @at, or move it there */
void tgs_evq_set(struct tgs_evq *q, struct tgs_timer *timer, s64 at);
/** tgs_evq_clear() - cancel @timer; nothing happens when it is not set */
void tgs_evq_clear(struct tgs_evq *q, struct tgs_timer *timer);
/**
 * tgs_evq_pop() - take the next timer out
 * @q: the queue
 * @at: its time
 *
 * Return: the timer, or NULL when none is set.
 */
struct tgs_timer *tgs_evq_pop(struct tgs_evq *q, s64 *at);
void tgs_evq_deinit(struct tgs_evq *q);

#endif /* TGS_EVQ_H */
