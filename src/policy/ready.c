// SPDX-License-Identifier: GPL-2.0
/*
 * Clients with queued jobs, by priority: for policies that go by it.
 *
 * Each client keeps its waiting jobs in arrival order. The clients that have any are in one tree,
 * ordered by priority, then by the arrival of their first job. Policies call it, under the GPU's
 * lock.
 */
#include "ready.h"

/* The arrival of the first job of a client that has one. */
static u64 arrived(const struct tg_client *client)
{
	return list_first_entry(&client->queue, struct tg_job, link)->seq;
}

static bool before(struct rb_node *node, const struct rb_node *other)
{
	struct tg_client *a = rb_entry(node, struct tg_client, node);
	struct tg_client *b = rb_entry(other, struct tg_client, node);

	if (a->prio > b->prio)
		return true;
	return a->prio == b->prio && arrived(a) < arrived(b);
}

void tg_ready_insert(struct tg_ready *ready, struct tg_client *client)
{
	rb_add_cached(&client->node, &ready->clients, before);
}

void tg_ready_remove(struct tg_ready *ready, struct tg_client *client)
{
	rb_erase_cached(&client->node, &ready->clients);
	RB_CLEAR_NODE(&client->node);
}

void tg_ready_init(struct tg_ready *ready)
{
	ready->clients = RB_ROOT_CACHED;
}

void tg_ready_queue(struct tg_ready *ready, struct tg_job *job)
{
	struct tg_client *client = job->client;

	if (!tg_client_queue(job))
		return;
	if (!RB_EMPTY_NODE(&client->node))
		tg_ready_remove(ready, client);
	tg_ready_insert(ready, client);
}

void tg_ready_drop(struct tg_ready *ready, struct tg_job *job)
{
	struct tg_client *client = job->client;
	bool first = list_is_first(&job->link, &client->queue);

	list_del_init(&job->link);
	if (!first)
		return;
	tg_ready_remove(ready, client);
	if (!list_empty(&client->queue))
		tg_ready_insert(ready, client);
}

struct tg_job *tg_ready_first(const struct tg_ready *ready, const struct tg_engine *engine)
{
	struct rb_node *node;

	for (node = rb_first_cached(&ready->clients); node; node = rb_next(node)) {
		struct tg_job *job = tg_first_job(rb_entry(node, struct tg_client, node));

		if (job->engines & 1 << engine->index)
			return job;
	}
	return NULL;
}

struct tg_job *tg_ready_next(const struct tg_gpu *gpu, const struct tg_ready *ready,
			     const struct tg_engine *engine)
{
	struct rb_node *node;
	u32 claimed = 0;

	for (node = rb_first_cached(&ready->clients); node; node = rb_next(node)) {
		struct tg_job *job = tg_first_job(rb_entry(node, struct tg_client, node));

		if (job->engines & claimed)
			continue;
		claimed |= job->engines;
		if (claimed & 1 << engine->index)
			return tg_engines_idle(gpu, job) ? job : NULL;
	}
	return NULL;
}
