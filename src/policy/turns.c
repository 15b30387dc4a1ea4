// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: a token goes to one client at a time, each time to the client that has had the least of
 * it.
 *
 * Every client has a virtual time, which grows by what its turns take, over its weight. Clients
 * that want a turn are in one tree, by virtual time. While all keep to their slices the token goes
 * round. A turn that is overrun moves its client back by as much, so that others come before it
 * until they have had the same: NEON's overuse control, without counting the turns to be skipped.
 *
 * System time is the least virtual time of the clients that have the token or want it, and never
 * goes back. A client that comes back from having nothing to do is moved up to it: no client saves
 * up time. What it was behind when it left it is still behind, since it had waited for that: a
 * client that sends one group at a time leaves after each of them. The lag is bounded by a slice.
 *
 * A client that comes back and is behind all others goes next: the holder yields. So a client that
 * uses less than its share waits for what is in flight, and not for a round of turns. A new one is
 * a slice ahead, so that newcomers never keep others from their turn.
 *
 * It uses the whole of tg_gpu.priv and tg_client.priv, for the policies that give out turns, under
 * the GPU's lock.
 */
#include "turns.h"

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return tg_turns_share(rb_entry(a, struct tg_client, node))->vt <
	       tg_turns_share(rb_entry(b, struct tg_client, node))->vt;
}

void tg_turns_init(struct tg_gpu *gpu)
{
	tg_turns(gpu)->waiting = RB_ROOT_CACHED;
}

/* What the holder's turn has taken so far, by its weight. */
static s64 taken(const struct tg_gpu *gpu, const struct tg_turns *turns)
{
	return div64_s64(gpu->now - turns->since, turns->holder->weight);
}

/* The least virtual time of the clients that have the token or want it; TG_NEVER: none does. */
static s64 least(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *first = tg_turns_first(gpu);
	s64 vt = TG_NEVER;

	if (turns->holder)
		vt = tg_turns_share(turns->holder)->vt + taken(gpu, turns);
	if (first)
		vt = min(vt, tg_turns_share(first)->vt);
	return vt;
}

static s64 system_time(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 vt = least(gpu);

	if (vt != TG_NEVER)
		turns->vt = max(turns->vt, vt);
	return turns->vt;
}

void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client, s64 slice)
{
	tg_turns_share(client)->vt = system_time(gpu) + div64_s64(slice, client->weight);
}

static void insert(struct tg_turns *turns, struct tg_client *client)
{
	rb_add_cached(&client->node, &turns->waiting, before);
}

void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns_share *sh = tg_turns_share(client);
	struct tg_turns *turns = tg_turns(gpu);
	s64 vt;

	if (client == turns->holder || !RB_EMPTY_NODE(&client->node))
		return;
	/* One ns less than that, or a client that was idle would come after its equal. */
	vt = system_time(gpu) - sh->lag - 1;
	sh->vt = max(sh->vt, vt);
	turns->yields |= turns->holder && sh->vt < least(gpu);
	insert(turns, client);
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
	if (turns->holder != client)
		return;
	turns->holder = NULL;
	tg_linger_end(gpu, &turns->linger, tg_turns_first(gpu));
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

void tg_turns_charge(struct tg_gpu *gpu, struct tg_client *client, s64 used)
{
	bool waits = !RB_EMPTY_NODE(&client->node);
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	tg_turns_share(client)->vt += div64_s64(used, client->weight);
	if (waits)
		insert(turns, client);
}

void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	turns->holder = client;
	turns->since = gpu->now;
	turns->yields = false;
	turns->uses = 0;
	turns->vt = max(turns->vt, tg_turns_share(client)->vt);
	tg_turns_share(client)->lag = 0;
}

bool tg_turns_lingers(struct tg_gpu *gpu, s64 most)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_gap *gap = &tg_turns_share(turns->holder)->gap;

	tg_gap_begin(gpu, gap);
	return !turns->yields && tg_linger(gpu, &turns->linger, gap, most);
}

void tg_turns_back(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);

	turns->since += tg_linger_end(gpu, &turns->linger, tg_turns_first(gpu));
}

s64 tg_turns_end(struct tg_gpu *gpu, bool again, s64 slice)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *client = turns->holder, *first = tg_turns_first(gpu);
	struct tg_turns_share *sh = tg_turns_share(client);
	s64 took;

	tg_turns_back(gpu);
	took = gpu->now - turns->since;
	sh->vt += taken(gpu, turns);
	turns->holder = NULL;
	if (again)
		insert(turns, client);
	else if (first)
		sh->lag = min(max(tg_turns_share(first)->vt - sh->vt, (s64)0),
			      div64_s64(slice, client->weight));
	else
		/* The next to come starts even with this one. */
		turns->vt = max(turns->vt, sh->vt);
	return took;
}
