// SPDX-License-Identifier: GPL-2.0
/*
 * Clients in turn, in the order of their first JOIN, with NEON's overuse control: what a turn was
 * overrun by is paid with later turns.
 *
 * For the policies that give out turns; under the GPU's lock.
 */
#include <tg/policy.h>

s64 tg_turns_length(const struct tg_turns *turns, const struct tg_client *client, s64 slice)
{
	return div64_s64(slice * client->weight, turns->least);
}

static s64 *overuse(struct tg_client *client)
{
	return tg_client_priv(client, s64);
}

/* How many turns must the client skip? */
static s64 skips(const struct tg_turns *turns, struct tg_client *client, s64 slice)
{
	if (*overuse(client) <= 0)
		return 0;
	return div64_s64(*overuse(client) - 1, tg_turns_length(turns, client, slice));
}

static struct tg_client *after(struct tg_gpu *gpu, struct tg_client *client)
{
	struct list_head *next = client ? client->all.next : gpu->all_clients.next;

	if (next == &gpu->all_clients)
		next = next->next;
	return list_entry(next, struct tg_client, all);
}

struct tg_client *tg_turns_next(struct tg_gpu *gpu, struct tg_turns *turns, s64 slice,
				bool (*wants)(const struct tg_client *client))
{
	struct tg_client *client;
	s64 rounds = TG_NEVER;

	turns->least = U32_MAX;
	list_for_each_entry(client, &gpu->all_clients, all)
		if (client == turns->last || wants(client))
			turns->least = min(turns->least, (u32)client->weight);
	list_for_each_entry(client, &gpu->all_clients, all)
		if (wants(client))
			rounds = min(rounds, skips(turns, client, slice));
	if (rounds == TG_NEVER)
		return NULL;
	/* Rounds in which everybody skips. */
	list_for_each_entry(client, &gpu->all_clients, all)
		if (rounds && wants(client))
			*overuse(client) -= rounds * tg_turns_length(turns, client, slice);
	for (client = after(gpu, turns->last); ; client = after(gpu, client)) {
		if (!wants(client))
			continue;
		if (!skips(turns, client, slice))
			break;
		*overuse(client) -= tg_turns_length(turns, client, slice);
	}
	turns->last = client;
	return client;
}

void tg_turns_leave(struct tg_gpu *gpu, struct tg_turns *turns, struct tg_client *client)
{
	if (turns->last != client)
		return;
	turns->last = client->all.prev == &gpu->all_clients ? NULL :
		      list_entry(client->all.prev, struct tg_client, all);
}
