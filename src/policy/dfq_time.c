// SPDX-License-Identifier: GPL-2.0
/*
 * dfq: virtual time, on each engine.
 *
 * At the end of each sampling, for each client that ran, with its mean length of a request in the
 * sample times the channels that these came by, turn:
 *
 *	vt += (turn / sum of turns * time of the free-run before + time in its sample) / w
 *
 * w is its weight over the smallest weight of the active clients.
 *
 * The first term is NEON's metric: hardware that takes turns among channels that always have work
 * gives each time in proportion to the length of its requests. NEON counts on one channel for each
 * client. It leaves out the second term: then a client whose few requests last longer than the
 * sample gets the rest for nothing, a tenth of the GPU at 20 ms beside 0.5 ms.
 *
 * What jobs of clients that ask (dfq_ask.c) take is known: it is charged when they end, and is not
 * part of the time of the free-run that the others share.
 *
 * System time is the least vt of all clients that ran, or wait while they are held back. Idle
 * clients are moved up to it: time cannot be saved up. One that ran and was away when it was to be
 * sampled keeps what it is behind, up to a free-run. A client that is ahead of it by more than the
 * coming free-run is held back during that. All this is of sharers: users or cgroups with the knob
 * `share`. Each client has its vt beside the others of its sharer, too, and is held back if it is
 * ahead of these by as much (struct tg_level).
 *
 * dfq_season.c calls it for each client, in walks.
 */
#include "dfq.h"

#define PARTS	20		/* binary places of a share */

/* Of the season that @st is in. */
static struct tg_dfq_level *in_season(const struct tg_dfq_season *st,
				      const struct tg_client *client)
{
	struct tg_dfq_level *own = tg_dfq_level(st, client);

	if (own->season != st->nr) {
		own->season = st->nr;
		own->lightest = TG_DFQ_NONE;
		own->least = TG_NEVER;
		own->ran = false;
	}
	return own;
}

/* Is the client, or its sharer, ahead by more than the coming free-run? */
static void look_ahead(const struct tg_gpu *gpu, const struct tg_dfq_season *st,
		       struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	sh->ahead &= ~tg_dfq_bit(st);
	if (gpu->policy_knob[TG_DFQ_HOLD] &&
	    tg_level_over(&tg_dfq_level(st, client)->level, client, *tg_dfq_vt(st, client),
			  st->vt, st->length, st->length))
		sh->ahead |= tg_dfq_bit(st);
}

void tg_dfq_comes(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_level *own = tg_dfq_level(st, client);
	struct tg_dfq_share *sh = tg_dfq_share(client);

	if (!own->known) {
		own->lightest = TG_DFQ_NONE;
		own->left = client->sharer->left;
	}
	*tg_dfq_vt(st, client) = tg_level_join(&own->level, &own->known, st->vt);
	/* One that comes back to an engine has saved up nothing. */
	if (tg_sharer_single(client))
		own->level.vt = max(own->level.vt, st->vt);
	sh->engines |= tg_dfq_bit(st);
	tg_probe_begin(&sh->probe);
	look_ahead(gpu, st, client);
}

s64 tg_dfq_turn(struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	if (sh->asks || !sh->requests)
		return 0;
	return min(div64_s64(sh->used, sh->requests) * (sh->channels ?: 1), TG_DFQ_LONG);
}

bool tg_dfq_counts(const struct tg_dfq_season *st, struct tg_client *client)
{
	const struct tg_dfq_share *sh = tg_dfq_share(client);

	if (sh->asks)
		return sh->active & tg_dfq_bit(st);
	return sh->requests ||
	       ((sh->ahead || st->filling) && !sh->stuck && tg_client_waits(client));
}

/* Does @client count with what it has used in this season? */
static bool ran(struct tg_client *client)
{
	return tg_dfq_share(client)->asks || tg_dfq_share(client)->requests;
}

void tg_dfq_add(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_level *own = in_season(st, client);
	s64 weight = client->weight, sharer_weight = client->sharer->weight;

	st->sum += tg_dfq_turn(client);
	if (!tg_dfq_counts(st, client))
		return;
	st->lightest = min(st->lightest, sharer_weight);
	if (weight < own->lightest)
		own->lightest = weight;
}

s64 tg_dfq_part(s64 time, s64 sum)
{
	return div64_s64(min(time, TG_DFQ_LONG) << PARTS, sum);
}

s64 tg_dfq_of_part(s64 time, s64 part)
{
	return time * part >> PARTS;
}

/* FINDING: all are charged. One that has come during the turns has saved up nothing. */
void tg_dfq_find(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	const struct tg_dfq_level *own = tg_dfq_level(st, client);
	const struct tg_dfq_level *first = st->first ? tg_dfq_level(st, st->first) : NULL;
	const struct tg_dfq_share *sh = tg_dfq_share(client);

	if (!tg_dfq_counts(st, client))
		return;
	st->least = min(st->least, ran(client) ? own->level.vt : max(own->level.vt, st->vt));
	if (sh->ahead && !ran(client) &&
	    (!first || own->level.vt < first->level.vt ||
	     (own == first && sh->vt < tg_dfq_share(st->first)->vt)))
		st->first = client;
}

/* CHARGING: what the free-run and the sample have taken. */
void tg_dfq_charge(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_level *own = in_season(st, client);
	struct tg_dfq_share *sh = tg_dfq_share(client);
	s64 took, vt;

	own->ran |= !sh->asks && client->sent && !sh->requests;
	if (!tg_dfq_counts(st, client))
		return;
	if (st->sum && !sh->asks && sh->requests) {
		took = tg_dfq_of_part(st->ran, tg_dfq_part(tg_dfq_turn(client), st->sum));
		tg_charge(gpu, client, took);
		took += sh->used + min(sh->held, TG_DFQ_LONG);
		sh->held = 0;
		sh->vt += tg_level_weighed(took, own->lightest, client->weight);
		own->level.vt += tg_level_weighed(took, st->lightest, client->sharer->weight);
	}
	vt = *tg_dfq_vt(st, client);
	own->least = min(own->least, ran(client) ? vt : max(vt, own->level.client_vt));
	if (gpu->share_by == TG_BY_PROCESS)
		tg_dfq_find(gpu, st, client);
}

void tg_dfq_charge_now(struct tg_dfq_season *st, struct tg_client *client, s64 used)
{
	struct tg_dfq_level *own = tg_dfq_level(st, client);

	used = min(used, TG_DFQ_LONG);
	*tg_dfq_vt(st, client) += tg_level_weighed(used, own->lightest, client->weight);
	own->level.vt += tg_level_weighed(used, st->lightest, client->sharer->weight);
}

/* OPENING: idle clients are moved up. One that ran and was away keeps what it is behind. */
void tg_dfq_bring_up(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_level *own = in_season(st, client);
	struct tg_dfq_share *sh = tg_dfq_share(client);
	bool away = !sh->asks && client->sent && !sh->requests;
	s64 *vt = tg_dfq_vt(st, client);

	if (own->least != TG_NEVER)
		own->level.client_vt = own->least;
	own->level.vt = max(own->level.vt, st->vt - (away || own->ran ? st->length : 0));
	*vt = max(*vt, own->level.client_vt - (away ? st->length : 0));
	look_ahead(gpu, st, client);
}

/* How far the client is ahead on one engine. */
static s64 ahead_on(const struct tg_dfq_season *st, const struct tg_client *client, s64 left)
{
	const struct tg_dfq_share *sh = tg_client_priv(client, const struct tg_dfq_share);
	const struct tg_dfq_level *own = tg_dfq_level(st, client);
	bool active = own->season == st->nr && own->least != TG_NEVER;
	s64 season = st->since;

	if (sh->asks)
		return tg_level_ahead(&own->level, client, sh->vts[st->engine], st->vt, active);
	if (st->phase != FREE_RUN && st->phase != HOLDING && st->phase != DRAINING)
		season -= st->ran + st->seen + st->tail;
	if (st->phase != WAITING && left >= season)
		return S64_MAX;
	return tg_level_ahead(&own->level, client, sh->vt, st->vt, active) +
	       min(sh->held, TG_DFQ_LONG);
}

/* It is charged for this free-run, and for its sample, when all have been sampled. */
s64 tg_dfq_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	u32 engines = tg_client_priv(client, const struct tg_dfq_share)->engines;
	s64 most = engines ? S64_MIN : 0;

	for (; engines; engines &= engines - 1)
		most = max(most, ahead_on(&tg_dfq(gpu)->season[__builtin_ctz(engines)], client,
					  left));
	return most;
}
