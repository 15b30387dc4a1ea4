// SPDX-License-Identifier: GPL-2.0
/*
 * Debts: clients that have left and owe something.
 *
 * A client leaves with its last channel. It may have used some of its own reserve's budget, or be
 * ahead of the others under a fair policy. If that were forgotten, a process would close its device
 * and open it again, and begin with a full budget.
 *
 * So a client that owes something stays, without channels. It is a client that has nothing to do:
 * it keeps its place and its budget, and gives back its memory and its share of what reserves may
 * promise. When a process of the same payer (tg_identity.payer) comes by the same line of the spec,
 * whatever its name (and from the same cgroup where cgroups have shares), the host lets it join as
 * that client (tg_gpu_left()), even while jobs of the process before it are in flight. So a process
 * that comes back has what it would have without leaving. One that could not get its reserve back
 * does not come back: it would lose the debt with it.
 *
 * A client goes when it owes nothing: its reserve has its full budget, and the policy does not have
 * it ahead of the others. While the GPU has nothing to do, system time stands still: then it goes
 * after as much time as it is ahead. A new spec forgives all debts.
 *
 * There is room for TG_LEFT. When it is used up, one more takes the place of the one of its payer
 * that owes least; of a payer that has none there, the place of the one that owes least of all.
 *
 * client.c calls this file when clients leave and come back, engine.c when time passes, match.c for
 * a new spec; hosts call tg_gpu_left(). All of it runs under the GPU's lock.
 */
#include <tg/reserve.h>

#include "admit.h"
#include "client.h"
#include "debt.h"
#include "feed.h"
#include "match.h"
#include "memory.h"
#include "share.h"
#include "throttle.h"

#define LOOK	(100 * TG_MSEC)	/* between two looks at what those that have left still owe */

/* What it owes is in a reserve of its own, which has a limit. */
static bool owns_reserve(const struct tg_client *client)
{
	const struct tg_reserve *r = client->reserve;

	return !tg_reserve_shared(r) && !tg_reserve_unlimited(r);
}

/* When the client's reserve has its full budget; not after now: it has it. */
static s64 full_at(const struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_reserve r = *client->reserve;

	if (!owns_reserve(client))
		return gpu->now;
	tg_reserve_refill(&r, 0, gpu->now);
	if (r.budget >= r.capacity)
		return gpu->now;
	return tg_after(r.next, min(div64_s64(r.capacity - r.budget - 1, r.capacity),
				    div64_s64(S64_MAX, r.period)) * r.period);
}

/* How far the client is ahead of the others, as if it had not left; not above 0: it is not. */
static s64 ahead(struct tg_gpu *gpu, const struct tg_left *left)
{
	s64 ns;

	if (!gpu->policy->ahead || !tg_client_joined(gpu, left->client))
		return 0;
	ns = gpu->policy->ahead(gpu, left->client, left->since);
	return ns > gpu->now - left->idle ? ns : 0;
}

/* How long it will take at most until the client owes nothing, ns; not above 0: it owes nothing. */
static s64 owes(struct tg_gpu *gpu, const struct tg_left *left)
{
	return max(full_at(gpu, left->client) - gpu->now, ahead(gpu, left));
}

static struct tg_left *find(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_left *left;

	for (left = gpu->left; left < gpu->left + gpu->nr_left; left++)
		if (left->client == client)
			return left;
	return NULL;
}

void tg_debt_over(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_left *left = find(gpu, client);

	if (!left)
		return;
	gpu->nr_away -= left->away;
	gpu->nr_left--;
	for (; left < gpu->left + gpu->nr_left; left++)
		*left = left[1];
}

bool tg_debt_of(struct tg_gpu *gpu, const struct tg_client *client, u32 uid)
{
	const struct tg_left *left = find(gpu, client);

	return left && left->uid == uid;
}

void tg_debt_left(struct tg_gpu *gpu, struct tg_client *client)
{
	if (gpu->nr_left == TG_LEFT)
		return;
	gpu->left[gpu->nr_left++] = (struct tg_left){
		.client = client, .since = gpu->now, .idle = gpu->now,
		.uid = client->id_data->uid,
	};
}

/* The one that gives its place to one more of @payer; NULL: jobs of all of them are in flight. */
static struct tg_client *displaced(struct tg_gpu *gpu, u32 payer)
{
	struct tg_client *of_payer = NULL, *of_all = NULL;
	s64 least_of_payer = S64_MAX, least = S64_MAX, ns;
	const struct tg_left *left;

	for (left = gpu->left; left < gpu->left + gpu->nr_left; left++) {
		if (!left->away)
			continue;
		ns = owes(gpu, left);
		if (ns <= least) {
			least = ns;
			of_all = left->client;
		}
		if (left->client->id_data->payer == payer && ns <= least_of_payer) {
			least_of_payer = ns;
			of_payer = left->client;
		}
	}
	return of_payer ?: of_all;
}

/* Others may have what was promised to the client: it will be admitted anew. */
static void give_back(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_reserve *r = client->reserve;

	tg_memory_leave(gpu, client);
	client->account = 0;
	if (client->tier == TG_TIER_FIRST)
		client->tier = TG_TIER_ORDINARY;
	if (owns_reserve(client)) {
		tg_reserve_dismiss(gpu, r);
		return;
	}
	client->reserve = &gpu->background;
	client->resv = TG_BG;
	gpu->background.users++;
	tg_reserve_put(gpu, r);
}

bool tg_debt_keeps(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_left now = { .client = client, .since = gpu->now, .idle = gpu->now };
	struct tg_left *left = find(gpu, client);
	struct tg_client *other;

	if (left)
		left->idle = gpu->now;	/* its own jobs were in flight */
	if (client->forgiven || tg_client_stale(gpu, client) || owes(gpu, left ?: &now) <= 0)
		return false;
	if (!left && gpu->nr_left == TG_LEFT) {
		other = displaced(gpu, client->id_data->payer);
		if (!other)
			return false;
		tg_client_forget(gpu, other);
	}
	if (!left) {
		tg_debt_left(gpu, client);
		left = find(gpu, client);
	}
	give_back(gpu, client);
	left->away = true;
	gpu->nr_away++;
	gpu->left_look = min(gpu->left_look, tg_after(gpu->now, LOOK));
	tg_wake_by(gpu, gpu->left_look);
	return true;
}

void tg_debts_lapse(struct tg_gpu *gpu)
{
	struct tg_left *left;
	s64 next = TG_NEVER;
	bool busy;

	if (gpu->now < gpu->left_look)
		return;
	busy = tg_gpu_waits(gpu) || tg_gpu_in_flight(gpu) || gpu->open;
	for (left = gpu->left; left < gpu->left + gpu->nr_left; left++) {
		if (!left->away)
			continue;
		if (busy)
			left->idle = gpu->now;
		if (owes(gpu, left) <= 0) {
			tg_client_forget(gpu, left->client);
			next = tg_after(gpu->now, TG_PAUSE);
			break;
		}
		next = min(next, ahead(gpu, left) > 0 ? tg_after(gpu->now, LOOK) :
						       full_at(gpu, left->client));
	}
	gpu->left_look = next;
}

void tg_debts_forgive(struct tg_gpu *gpu)
{
	u32 i;

	for (i = gpu->nr_left; i-- > 0;) {
		struct tg_client *client = gpu->left[i].client;

		client->forgiven = true;
		if (gpu->left[i].away)
			tg_client_forget(gpu, client);
		else
			tg_debt_over(gpu, client);
	}
	gpu->left_look = TG_NEVER;
}

struct tg_client *tg_gpu_left(const struct tg_gpu *gpu, const struct tg_identity *id, u32 account)
{
	const struct tg_spec_entry *entry = gpu->nr_left ? tg_match_entry(gpu, id) : NULL;
	const u32 line = entry ? entry->line : 0;
	u32 i;

	for (i = gpu->nr_left; i-- > 0;) {
		struct tg_client *client = gpu->left[i].client;

		if (tg_client_is_kernel(client) || client->id_data->payer != id->payer ||
		    client->matched != line ||
		    tg_client_stale(gpu, client) || !tg_share_same(gpu, client, id))
			continue;
		if (!owns_reserve(client) ||
		    tg_reserve_fits(gpu, client->reserve, entry, account))
			return client;
	}
	return NULL;
}
