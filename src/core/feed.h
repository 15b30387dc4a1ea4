/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the files of the core hand actions to the host: feed.c.
 */
#ifndef TG_CORE_FEED_H
#define TG_CORE_FEED_H

#include <tg/policy.h>

/*
 * An event that has done a part of its work asks for TIMER after this time, for the next part. A
 * TIMER that is due at once would be served in the same interrupt: the host's timers would be late,
 * and Linux would say so ("hrtimer: interrupt took").
 */
#define TG_PAUSE	(20 * TG_USEC)

/*
 * What one event may visit in steps: each client counts as one, and so does each of its waiting
 * jobs. The first client comes as a whole, however many its jobs are (tg_visit()).
 */
#define TG_VISITS	6

/* To so many clients a policy comes with one event, which does little for each (tg_walk_next()). */
#define TG_WALKS	64

/* One action of @kind: about @client and @job, or NULL; @arg as struct tg_action says. */
void tg_emit(struct tg_gpu *gpu, enum tg_action_kind kind, const struct tg_client *client,
	     const struct tg_job *job, u32 arg);

#endif /* TG_CORE_FEED_H */
