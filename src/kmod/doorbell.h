/* SPDX-License-Identifier: GPL-2.0 */
/*
 * doorbell.c: when the doorbell of a submission reached the card.
 */
#ifndef TGK_DOORBELL_H
#define TGK_DOORBELL_H

#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/sched.h>

struct tg_policy;
struct tgk_fences;

#define TGK_DOORBELL_BITS	7
#define TGK_DOORBELL_LAST	8	/* rings whose times are kept, beside the first */

/**
 * struct tgk_doorbell - the doorbells that one thread rings while the driver submits for it
 * @task: the thread, NULL: none; set atomically. Only it writes the others
 * @fences: of the channel that it submits to; NULL: not known
 * @nr: how many it has rung
 * @first: when it began to ring the first, by ktime_get_ns()
 * @last: likewise the latest: number i at i modulo their number
 */
struct tgk_doorbell {
	struct task_struct *task;
	const struct tgk_fences *fences;
	u32 nr;
	s64 first, last[TGK_DOORBELL_LAST];
};

extern struct tgk_doorbell tgk_doorbells[1 << TGK_DOORBELL_BITS];

void tgk_doorbell_on(const char *function, const struct tg_policy *policy);
void tgk_doorbell_for(const struct tg_policy *policy);
void tgk_doorbell_off(void);
void tgk_doorbell_exit(void);
bool tgk_doorbell_rung(const struct tgk_fences *fences);

/**
 * tgk_doorbell_begin() - from now on, note when this thread rings
 * @fences: of the channel that it submits to; NULL: not known
 *
 * Return: for tgk_doorbell_time() and tgk_doorbell_end(); NULL: nothing is noted, since another
 * thread has the place.
 */
static inline struct tgk_doorbell *tgk_doorbell_begin(const struct tgk_fences *fences)
{
	struct tgk_doorbell *d = &tgk_doorbells[hash_ptr(current, TGK_DOORBELL_BITS)];

	if (cmpxchg(&d->task, NULL, current))
		return NULL;
	WRITE_ONCE(d->nr, 0);
	WRITE_ONCE(d->fences, fences);
	return d;
}

/** tgk_doorbell_end() - no longer. @d: as tgk_doorbell_begin() has returned it */
static inline void tgk_doorbell_end(struct tgk_doorbell *d)
{
	if (d)
		smp_store_release(&d->task, NULL);	/* the rest is the next one's */
}

/**
 * tgk_doorbell_time() - when did this thread begin to ring for its submission?
 * @d: as tgk_doorbell_begin() has returned it
 * @rings: so many times; nothing has been rung for after it
 *
 * The driver may have rung before, for work of its own: it moves memory, or waits for another
 * channel.
 *
 * Return: the time, by ktime_get_ns(); where that is not kept any more, of the first ring. 0: not
 * known.
 */
static inline s64 tgk_doorbell_time(const struct tgk_doorbell *d, u32 rings)
{
	if (!d || !d->nr)
		return 0;
	if (rings > min_t(u32, d->nr, TGK_DOORBELL_LAST))
		return d->first;
	return d->last[(d->nr - rings) % TGK_DOORBELL_LAST];
}

#endif /* TGK_DOORBELL_H */
