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
 * flight, or from another priority, starts with the least of its equals at least; where none is
 * there, with the most of all clients: no time is saved up. What it had more than they it repays,
 * up to TG_READY_REPAID. One whose jobs were throttled was not away.
 *
 * A policy that charges no client has equals in arrival order.
 *
 * Before priorities comes the tier (enum tg_tier), for a policy that keeps guarantees. Guaranteed
 * clients go first, by the deadline of their reserve. It grows while a client is in the tree, with
 * each charge of any client of that reserve, so each client is sorted by what it was when it came,
 * and put right when it is the first of all (tg_ready_refresh()): tg_ready_next() then chooses as
 * if all were right.
 */
#include "ready.h"

/* Clients that one pick puts right; a reserve shows TG_RESERVE_WINDOW at most */
#define REFRESHED	64

/* The arrival of the first job of a client that has one. */
static u64 arrived(const struct tg_client *client)
{
	return list_first_entry(&client->queue, struct tg_job, link)->seq;
}

/*
 * What a client is sorted by, before its virtual time: its deadline, behind these its priority, and
 * behind these what goes last. One number, as it is compared at each level of the tree.
 */
#define ORDINARY(prio)	(S64_MAX - TG_PRIO_MAX - 1 - (prio))
#define LAST(prio)	(S64_MAX - (prio))

static s64 *key(struct tg_client *client)
{
	return &tg_client_priv(client, struct tg_ready_client)->key;
}

static s64 deadline(const struct tg_client *client)
{
	return min(tg_reserve_deadline(client->reserve), ORDINARY(TG_PRIO_MAX) - 1);
}

static s64 *vt(struct tg_client *client)
{
	return &tg_client_priv(client, struct tg_ready_client)->vt;
}

bool tg_ready_before(struct tg_client *a, struct tg_client *b)
{
	if (*key(a) != *key(b))
		return *key(a) < *key(b);
	if (*vt(a) != *vt(b))
		return *vt(a) < *vt(b);
	return arrived(a) < arrived(b);
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return tg_ready_before(rb_entry(a, struct tg_client, node),
			       rb_entry(b, struct tg_client, node));
}

/* Does the client go by its priority? */
static bool ordinary(const struct tg_ready *ready, const struct tg_client *client)
{
	return client->tier == TG_TIER_ORDINARY || !ready->tiers;
}

void tg_ready_insert(struct tg_ready *ready, struct tg_client *client)
{
	if (ordinary(ready, client))
		*key(client) = ORDINARY(client->prio);
	else if (client->tier == TG_TIER_FIRST)
		*key(client) = deadline(client);
	else
		*key(client) = LAST(client->prio);
	rb_add_cached(&client->node, &ready->clients, before);
}

s64 tg_ready_least(const struct tg_ready *ready, u8 prio)
{
	s64 least = ready->prio == prio ? ready->vt : TG_NEVER;
	struct rb_node *node = rb_first_cached(&ready->clients);
	struct tg_client *client;

	/* Mostly the first of all has that priority: then it has the least. */
	if (node && *key(rb_entry(node, struct tg_client, node)) < ORDINARY(prio))
		node = ready->clients.rb_root.rb_node;
	while (node) {
		client = rb_entry(node, struct tg_client, node);
		if (*key(client) == ORDINARY(prio))
			least = min(least, *vt(client));
		node = *key(client) < ORDINARY(prio) ? node->rb_right : node->rb_left;
	}
	return least;
}

s64 tg_ready_outside(const struct tg_ready *ready, const struct tg_client *client)
{
	struct rb_node *node = ready->clients.rb_root.rb_node, *first = NULL;
	struct tg_client *other;
	u32 i;

	while (node) {
		other = rb_entry(node, struct tg_client, node);
		if (*key(other) >= ORDINARY(client->prio))
			first = node;
		node = *key(other) < ORDINARY(client->prio) ? node->rb_right : node->rb_left;
	}
	for (i = 0; first && i < TG_READY_SHOWN; i++, first = rb_next(first)) {
		other = rb_entry(first, struct tg_client, node);
		if (*key(other) != ORDINARY(client->prio))
			break;
		if (tg_ready_apart(other, client))
			return *vt(other);
	}
	return TG_NEVER;
}

bool tg_ready_comes(const struct tg_client *client, u32 inflight)
{
	return !inflight || !tg_ready_counts(client);
}

void tg_ready_come(struct tg_client *client, s64 least, s64 most)
{
	tg_client_priv(client, struct tg_ready_client)->level = tg_ready_level(client);
	if (least != TG_NEVER)
		*vt(client) = min(max(*vt(client), least), least + TG_READY_REPAID);
	else
		*vt(client) = max(*vt(client), most);
}

void tg_ready_return(struct tg_client *client, s64 least, s64 outside)
{
	tg_client_priv(client, struct tg_ready_client)->level = tg_ready_level(client);
	*vt(client) = tg_ready_within(*vt(client), least, outside);
}

s64 tg_ready_ahead(const struct tg_client *client, s64 least)
{
	if (least == TG_NEVER)
		return 0;
	return min(tg_client_priv(client, const struct tg_ready_client)->vt - least,
		   TG_READY_REPAID);
}

bool tg_ready_leads(const struct tg_ready *ready, const struct tg_client *client)
{
	const struct rb_node *node = rb_first_cached(&ready->clients);
	const s64 own = ORDINARY(client->prio);
	const struct tg_ready_client *first;

	if (!node)
		return true;
	if (!ordinary(ready, client))
		return false;
	first = tg_client_priv(rb_entry(node, const struct tg_client, node),
			       const struct tg_ready_client);
	/* The virtual time of a client that has nothing in flight may change as its job comes. */
	return own < first->key || (own == first->key && client->inflight &&
	       tg_client_priv(client, const struct tg_ready_client)->vt < first->vt);
}

void tg_ready_charge(struct tg_ready *ready, struct tg_client *client, s64 used)
{
	struct rb_node *next = RB_EMPTY_NODE(&client->node) ? NULL : rb_next(&client->node);

	*vt(client) += min(used, TG_SEC);
	if (ordinary(ready, client) && tg_ready_counts(client)) {
		ready->vt = *vt(client);
		ready->prio = client->prio;
	}
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

void tg_ready_refresh(struct tg_ready *ready)
{
	struct tg_client *client;
	struct rb_node *node;
	u32 i;

	for (i = 0; i < REFRESHED && (node = rb_first_cached(&ready->clients)); i++) {
		client = rb_entry(node, struct tg_client, node);
		if (client->tier != TG_TIER_FIRST || deadline(client) <= *key(client))
			return;
		tg_ready_remove(ready, client);
		tg_ready_insert(ready, client);
	}
}

struct tg_job *tg_ready_next(struct tg_gpu *gpu, struct tg_ready *ready,
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
