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
 * Structure: each client keeps its own waiting jobs in arrival order; the clients that have
 * any are in one tree, ordered by priority, then by the arrival of their first job.
 * queue and drop cost O(log clients), and so does pick where all wait for the same engine;
 * with several, it walks past the clients whose first job is for another one.
 */
#include <tg/policy.h>

enum { KNOB_DEPTH };

static const struct tg_param params[] = {
	[KNOB_DEPTH] = { "depth", 1, TG_DEPTH_MAX, 2 },
	{ }
};

struct state {
	struct rb_root_cached ready;	/* clients with queued jobs */
	struct tg_client *holder[TG_ENGINES_MAX];	/* last one that an idle engine went to */
};

static struct tg_job *first_job(struct tg_client *client)
{
	return list_first_entry_or_null(&client->queue, struct tg_job, link);
}

static bool before(struct tg_client *a, struct tg_client *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	return first_job(a)->seq < first_job(b)->seq;
}

static void insert(struct state *st, struct tg_client *client)
{
	struct rb_node **link = &st->ready.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (before(client, rb_entry(parent, struct tg_client, node))) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&client->node, parent, link);
	rb_insert_color_cached(&client->node, &st->ready, leftmost);
}

static void remove(struct state *st, struct tg_client *client)
{
	rb_erase_cached(&client->node, &st->ready);
	RB_CLEAR_NODE(&client->node);
}

static void timegraph_init(struct tg_gpu *gpu)
{
	tg_gpu_priv(gpu, struct state)->ready = RB_ROOT_CACHED;
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
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *client = job->client;

	if (!tg_client_queue(job))
		return;
	if (!RB_EMPTY_NODE(&client->node))
		remove(st, client);
	insert(st, client);
}

static void timegraph_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *client = job->client;
	bool first = first_job(client) == job;

	if (first)
		remove(st, client);
	list_del_init(&job->link);
	if (first && first_job(client))
		insert(st, client);
}

/* The client that may follow its own groups on the engine: HT, and all that is in flight is its. */
static struct tg_client *follower(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	struct tg_client *holder = tg_gpu_priv(gpu, struct state)->holder[engine->index];
	s64 depth;

	if (!holder || holder->sched != TG_HT || holder->inflight != engine->inflight)
		return NULL;
	depth = holder->depth ? holder->depth : gpu->policy_knob[KNOB_DEPTH];
	return holder->inflight < depth && !RB_EMPTY_NODE(&holder->node) ? holder : NULL;
}

/* The first client, in the order of the tree, whose first job is for @engine. */
static struct tg_client *first_client(struct state *st, const struct tg_engine *engine)
{
	struct rb_node *node;

	for (node = rb_first_cached(&st->ready); node; node = rb_next(node)) {
		struct tg_client *client = rb_entry(node, struct tg_client, node);

		if (first_job(client)->engines & 1 << engine->index)
			return client;
	}
	return NULL;
}

static struct tg_job *timegraph_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *holder = NULL, *top;
	struct tg_job *job;

	if (engine->inflight) {
		holder = follower(gpu, engine);
		if (!holder)
			return NULL;
	}
	top = first_client(st, engine);
	if (!top)
		return NULL;
	job = first_job(top);
	if (holder) {
		if (top->prio > holder->prio)
			return NULL;
		job = first_job(holder);
		if (job->engines != 1 << engine->index)
			return NULL;
	} else {
		if (!tg_engines_idle(gpu, job))
			return NULL;
		st->holder[engine->index] = top;
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
