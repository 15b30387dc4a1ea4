// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: a token goes to one client at a time, each time to the client that has had the least of
 * it.
 *
 * Every client has a virtual time, which grows by what its turns take, over its weight. Clients
 * that want a turn are in one tree, by virtual time. While all keep to their slices the token goes
 * round. A turn that is overrun moves its client back by as much, so that others come before it
 * until they have had the same: NEON's overuse control, without counting the turns to be skipped.
 * No client saves up time: one that comes back starts where the holder of the token was when it got
 * it, at least, and a new one a slice further, so that newcomers never keep others from their turn.
 *
 * It uses the whole of tg_gpu.priv, for the policies that give out turns, under the GPU's lock.
 */
#include "turns.h"

static s64 *vt(struct tg_client *client)
{
	return tg_client_priv(client, s64);
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return *vt(rb_entry(a, struct tg_client, node)) < *vt(rb_entry(b, struct tg_client, node));
}

void tg_turns_init(struct tg_gpu *gpu)
{
	tg_turns(gpu)->waiting = RB_ROOT_CACHED;
}

void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client, s64 slice)
{
	*vt(client) = tg_turns(gpu)->vt + div64_s64(slice, client->weight);
}

void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	if (client == turns->holder || !RB_EMPTY_NODE(&client->node))
		return;
	*vt(client) = max(*vt(client), turns->vt);
	rb_add_cached(&client->node, &turns->waiting, before);
}

static void withdraw(struct tg_turns *turns, struct tg_client *client)
{
	if (RB_EMPTY_NODE(&client->node))
		return;
	rb_erase_cached(&client->node, &turns->waiting);
	RB_CLEAR_NODE(&client->node);
}

void tg_turns_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
	if (list_empty(&job->client->queue))
		withdraw(tg_turns(gpu), job->client);
}

void tg_turns_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	if (turns->holder == client)
		turns->holder = NULL;
}

struct tg_client *tg_turns_first(struct tg_gpu *gpu)
{
	struct rb_node *node = rb_first_cached(&tg_turns(gpu)->waiting);

	return node ? rb_entry(node, struct tg_client, node) : NULL;
}

struct tg_client *tg_turns_after(const struct tg_client *client)
{
	struct rb_node *node = rb_next(&client->node);

	return node ? rb_entry(node, struct tg_client, node) : NULL;
}

void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	turns->holder = client;
	turns->since = gpu->now;
	turns->vt = max(turns->vt, *vt(client));
}

s64 tg_turns_end(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *client = turns->holder;
	s64 took = gpu->now - turns->since;

	*vt(client) += div64_s64(took, client->weight);
	/* If no client waits, the next to come starts even with this one. */
	if (!tg_turns_first(gpu))
		turns->vt = max(turns->vt, *vt(client));
	turns->holder = NULL;
	return took;
}
