/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of a client: how long its command groups waited, and how long each took from its
 * submission to its end.
 *
 * feed.c calls this for SUBMIT, BYPASSED, FREE and DONE, under tgk_gpu.lock, in any context. The
 * counts lie in struct tgk_client, whose memory is the client's to pay; the core knows nothing of
 * them. Times are the core's: while the system sleeps they stand still.
 *
 * What is counted, and what is not:
 *
 *  - A group that goes through a gate at TRACK, ASK or HOLD: from SUBMIT to FREE, and to its DONE.
 *  - A group that bypasses: it waited for 0. It is reported later, so it counts as submitted when
 *    it started; if it has yet to start then, when it is reported.
 *  - A group that was given up while it waited has no FREE, one that was refused or never ended no
 *    DONE: it is not in that histogram.
 *  - Through an open gate no event comes: nothing is counted.
 */
#ifndef TGK_LATENCY_H
#define TGK_LATENCY_H

#include "tgk.h"

static inline void tgk_hist_add(u32 *hist, s64 ns)
{
	hist[tg_hist_bucket(ns)]++;
}

/* Before SUBMIT or BYPASSED is fed. */
static inline void tgk_latency_arrived(const struct tgk_gpu *gpu, const struct tg_event *ev)
{
	struct tgk_job *job = ev->host;
	const struct tg_client *client;

	job->arrived = ev->now;
	if (ev->kind == TG_EV_SUBMIT)
		return;
	if (ev->bypassed.started)
		job->arrived = ev->at;
	client = tg_gpu_client(&gpu->core, ev->client);
	if (client)
		tgk_hist_add(((struct tgk_client *)client->host)->waits, 0);
}

/* With FREE. */
static inline void tgk_latency_freed(const struct tgk_gpu *gpu, const struct tg_action *action)
{
	const struct tg_client *client = tg_gpu_client(&gpu->core, action->client);
	const struct tgk_job *job = action->host;

	tgk_hist_add(((struct tgk_client *)client->host)->waits, gpu->core.now - job->arrived);
}

/* Before DONE is fed: the core forgets the job with it. */
static inline void tgk_latency_done(const struct tgk_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_job *job = tg_gpu_job(&gpu->core, ev->job);

	if (job)
		tgk_hist_add(((struct tgk_client *)job->client->host)->latencies,
			     ev->at - ((struct tgk_job *)job->host)->arrived);
}

#endif /* TGK_LATENCY_H */
