/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Poll phases. Called by run.c for the core's action and for each stretch of work, and by a timer.
 * For client.c, poll.c and run.c only. One thread.
 */
#ifndef TGS_POLL_H
#define TGS_POLL_H

#include "workload.h"

struct client;
struct gpu;

/*
 * A poll phase. No event happens at a look: how many looks fell into a stretch of work is computed
 * when the stretch is over.
 */
struct poll {
	bool on;
	bool sparse;		/* looks at random distances; dense: at regular ones */
	s64 distance, from, next;
	u64 looks;
	struct client *last;	/* dense: the client seen last, */
	s64 last_to;		/* and the first look after that */
	struct tgs_rng rng;
};

/**
 * tgs_poll_start() - begin a poll phase, or give the one under way another end
 * @gpu: the GPU
 * @until: when it ends
 * @distance: mean distance of sparse looks; 1: dense, at the scenario's; 0: end it without a SAMPLE
 */
void tgs_poll_start(struct gpu *gpu, s64 until, u32 distance);
/** tgs_poll_saw() - @client ran from @from to @to on the engine that is looked at */
void tgs_poll_saw(struct gpu *gpu, struct client *client, s64 from, s64 to);
/**
 * tgs_poll_over() - timer, @owner is the GPU: feed what the phase has seen, per client and of all
 */
void tgs_poll_over(void *owner, s64 now);

#endif /* TGS_POLL_H */
