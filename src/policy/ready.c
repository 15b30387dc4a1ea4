// SPDX-License-Identifier: GPL-2.0
/*
 * Clients with queued jobs, by priority: for policies that go by it.
 *
 * Each client keeps its waiting jobs in arrival order. The clients that have any are in one tree,
 * ordered by priority, then by virtual time, then by the arrival of their first job. Policies call
 * it, under the GPU's lock.
 *
 * Virtual time grows by what a client's jobs have used, so a client that had the engine for longer
 * goes after equals that had less. A client that comes back, after having had nothing waiting or in
 * flight, starts with the least of its equals at least: no time is saved up. What it had more than
 * they it repays, up to TG_READY_REPAID.
 *
 * A policy that charges no client has equals in arrival order.
 */
#include "ready.h"

/* The arrival of the first job of a client that has one. */
static u64 arrived(const struct tg_client *client)
{
	return list_first_entry(&client->queue, struct tg_job, link)->seq;
}

static s64 *vt(struct tg_client *client)
{
	return tg_client_priv(client, s64);
}

bool tg_ready_before(struct tg_client *a, struct tg_client *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	if (*vt(a) != *vt(b))
		return *vt(a) < *vt(b);
	return arrived(a) < arrived(b);
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return tg_ready_before(rb_entry(a, struct tg_client, node),
			       rb_entry(b, struct tg_client, node));
}

void tg_ready_insert(struct tg_ready *ready, struct tg_client *client)
{
	rb_add_cached(&client->node, &ready->clients, before);
}

s64 tg_ready_least(const struct tg_ready *ready, u8 prio)
{
	s64 least = ready->prio == prio ? ready->vt : TG_NEVER;
	struct rb_node *node = rb_first_cached(&ready->clients);
	struct tg_client *client;

	/* Mostly the first of all has that priority: then it has the least. */
	if (node && rb_entry(node, struct tg_client, node)->prio > prio)
		node = ready->clients.rb_root.rb_node;
	while (node) {
		client = rb_entry(node, struct tg_client, node);
		if (client->prio == prio)
			least = min(least, *vt(client));
		node = client->prio > prio ? node->rb_right : node->rb_left;
	}
	return least;
}

void tg_ready_come(struct tg_client *client, s64 least)
{
	if (least != TG_NEVER)
		*vt(client) = min(max(*vt(client), least), least + TG_READY_REPAID);
}

s64 tg_ready_ahead(const struct tg_client *client, s64 least)
{
	if (least == TG_NEVER)
		return 0;
	return min(*tg_client_priv(client, const s64) - least, TG_READY_REPAID);
}

void tg_ready_charge(struct tg_ready *ready, struct tg_client *client, s64 used)
{
	struct rb_node *next = RB_EMPTY_NODE(&client->node) ? NULL : rb_next(&client->node);

	*vt(client) += min(used, TG_SEC);
	ready->vt = *vt(client);
	ready->prio = client->prio;
	if (!next || !before(next, &client->node))
		return;
	tg_ready_remove(ready, client);
	tg_ready_insert(ready, client);
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
	else if (!client->inflight)
		tg_ready_come(client, tg_ready_least(ready, client->prio));
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
