// SPDX-License-Identifier: GPL-2.0
/*
 * loga: virtual time. What was seen in a poll phase is charged for a whole cycle, or for the part
 * of one before it is decided again; what clients had in flight when they were held, apart from
 * that.
 *
 * loga.c calls it for each sample, and for each client in walks; under the GPU's lock.
 */
#include "loga.h"

void tg_loga_lower(const struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_sharer *own = tg_loga_sharer(client);

	if (own->lows != st->lows)
		own->low = TG_NEVER;
	own->lows = st->lows;
	own->low = min(own->low, tg_loga_share(client)->vt);
}

/*
 * Is the sharer ahead by more than the limit, or the client by more than a cycle? The others of its
 * sharer lose less by that than the engine would by idling.
 */
bool tg_loga_is_ahead(const struct tg_loga *st, struct tg_client *client)
{
	return tg_level_over(&tg_loga_sharer(client)->level, client, tg_loga_share(client)->vt,
			     st->vt, st->limit, st->span);
}

/* A spec may have changed its weight since its sample. */
void tg_loga_weigh(const struct tg_loga *st, struct tg_client *client, s64 took)
{
	struct tg_loga_sharer *own = tg_loga_sharer(client);
	s64 part = client->weight;

	own->level.vt += div64_s64(took * st->least, client->sharer->weight);
	tg_loga_share(client)->vt += div64_s64(took * min(own->least ?: part, part), part);
}

void tg_loga_note(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s)
{
	struct tg_loga *st = tg_loga(gpu);
	struct tg_loga_sharer *own = tg_loga_sharer(client);
	struct tg_loga_share *sh = tg_loga_share(client);
	struct sum *sum = &st->sum;

	sh->busy = min(s->busy, TG_LOGA_LONG);
	sh->part = sh->busy;
	if (gpu->policy_knob[TG_LOGA_METRIC] && s->groups)
		sh->part = div64_s64(sh->busy + s->groups - 1, s->groups);
	sh->active = tg_loga_faithful(gpu) ? s->busy : s->active;
	sum->parts += sh->part;
	sum->active += sh->active;
	sh->active &= client->computes;	/* or it holds nobody back, and is not held */
	if (!sh->active && !sh->busy)
		return;
	sum->least = min(sum->least ?: TG_NEVER, (s64)client->sharer->weight);
	own->least = own->samples == st->samples && own->least ?
		     min(own->least, (s64)client->weight) : client->weight;
	own->samples = st->samples;
}

void tg_loga_charge(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);
	s64 dvt;

	if (!st->polled)
		return;
	sh->since = st->at;
	/* A held client keeps its load: it takes as much when its gate opens again. */
	if (sh->busy || client->gate != TG_GATE_HOLD)
		sh->load = div64_s64(sh->busy << TG_LOGA_PARTS, st->polled);
	if (!sh->busy)
		return;
	tg_charge(gpu, client, sh->load * st->cycle >> TG_LOGA_PARTS);
	dvt = div64_s64(sh->part << TG_LOGA_PARTS, st->sum.parts) * st->cycle >> TG_LOGA_PARTS;
	tg_loga_weigh(st, client, dvt);
}

/* LOOKING: at the rate seen last. The next sample also shows those whose gates are to open now. */
void tg_loga_charge_before(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	s64 part = div64_s64((s64)tg_loga_share(client)->load << TG_LOGA_PARTS, st->loads);
	s64 took = part * st->cycle >> TG_LOGA_PARTS;

	tg_charge(gpu, client, took);
	tg_loga_weigh(st, client, took);
}

void tg_loga_find_low(struct tg_loga *st, struct tg_client *client)
{
	struct tg_level *level = &tg_loga_sharer(client)->level;

	level->vt = max(level->vt, st->vt - st->span);
	st->low = min(st->low, level->vt);
}

/* What the client had in flight when it was held has ended: charge what no poll phase has seen. */
void tg_loga_charge_tail(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);
	s64 end = min(gpu->now, st->until);
	s64 took;

	if (!sh->tail)
		return;
	list_del_init(&client->queue);
	sh->tail = false;
	st->tails--;
	if (end <= sh->since)
		return;
	took = sh->load * min(end - sh->since, TG_LOGA_LONG) >> TG_LOGA_PARTS;
	st->tailed += took;
	tg_charge(gpu, client, took);
	tg_loga_weigh(st, client, took);
}
