// SPDX-License-Identifier: GPL-2.0
/*
 * timegraph: fixed priorities over non-preemptive command groups (TimeGraph, section 4.1).
 *
 * A group that is on the engine cannot be taken back, so the only decision is which group
 * goes next, and when. Clients choose by their spec:
 *
 * PRT, predictable response time. A group goes only when nothing is in flight on its
 *	engines; on each completion the highest-priority waiter goes. A job therefore waits for
 *	one lower-priority group at most, the one that was running when it came. The price is
 *	an idle engine from each completion to the next doorbell.
 *
 * HT, high throughput. A group may also go at once when everything in flight is its own
 *	client's, no waiter has a higher priority, and fewer than depth groups are in flight.
 *	The engine then does not idle between a client's own groups; a higher-priority
 *	arrival waits for up to depth groups.
 *
 * Both are properties of clients and coexist. Equals go in arrival order. Which jobs are
 * eligible at all is decided by reserves, before this policy sees them.
 *
 * queue and drop cost O(log clients) (struct tg_ready), and so does pick where all wait for the
 * same engine; with several, it walks past the clients whose first job is for another one.
 */
#include <tg/policy.h>

enum { KNOB_DEPTH };

static const struct tg_param params[] = {
	[KNOB_DEPTH] = { "depth", 1, TG_DEPTH_MAX, 2 },
	{ }
};

struct state {
	struct tg_ready ready;
	struct tg_client *holder[TG_ENGINES_MAX];	/* last one that an idle engine went to */
};

static void timegraph_init(struct tg_gpu *gpu)
{
	tg_ready_init(&tg_gpu_priv(gpu, struct state)->ready);
}

static void timegraph_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	u32 i;

	for (i = 0; i < TG_ENGINES_MAX; i++)
		if (st->holder[i] == client)
			st->holder[i] = NULL;
}

static void timegraph_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_ready_queue(&tg_gpu_priv(gpu, struct state)->ready, job);
}

static void timegraph_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_ready_drop(&tg_gpu_priv(gpu, struct state)->ready, job);
}

/* May the client follow its own groups on the engine: is it HT, and all that is in flight its? */
static bool may_follow(struct tg_gpu *gpu, const struct tg_engine *engine,
		       const struct tg_client *holder)
{
	if (!holder || holder->sched != TG_HT || holder->inflight != engine->inflight ||
	    RB_EMPTY_NODE(&holder->node))
		return false;
	return holder->inflight < (holder->depth ?: gpu->policy_knob[KNOB_DEPTH]);
}

static struct tg_job *timegraph_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *holder = engine->inflight ? st->holder[engine->index] : NULL;
	struct tg_job *job, *top;

	if (engine->inflight && !may_follow(gpu, engine, holder))
		return NULL;
	top = tg_ready_first(&st->ready, engine);
	if (!top)
		return NULL;
	job = top;
	if (holder) {
		if (top->client->prio > holder->prio)
			return NULL;
		job = list_first_entry(&holder->queue, struct tg_job, link);
		if (job->engines != 1 << engine->index)
			return NULL;
	} else {
		if (!tg_engines_idle(gpu, job))
			return NULL;
		st->holder[engine->index] = top->client;
	}
	timegraph_drop(gpu, job);
	return job;
}

TG_POLICY(timegraph) = {
	.name = "timegraph",
	.mode = TG_GATE_ASK,
	.params = params,
	.init = timegraph_init,
	.leave = timegraph_leave,
	.queue = timegraph_queue,
	.drop = timegraph_drop,
	.pick = timegraph_pick,
};
