// SPDX-License-Identifier: GPL-2.0
/*
 * loga: fair queueing by what the engine was seen to do (Kehne et al., LoGA: Low-overhead GPU
 * accounting using events, SYSTOR 2017, sections 3.3 and 3.4).
 *
 * Most clients do not ask, and none has to run alone. The host reads which channel the engine works
 * for, during a poll phase of poll_us, and rests for rest_us, both times the number of active
 * clients. At the end of each poll phase, with the real lengths of the phases:
 *
 *	dvt = t_app / t_total * (t_poll + t_rest) / w
 *
 * (3.4). w is the client's weight over the smallest weight of the active clients, t_app how long
 * the engine worked for it in the poll phase, and t_total for all clients. System time is the least
 * virtual time of the active clients; idle ones that are behind it are moved up to it. A client
 * that is ahead of it by more than t_poll + t_rest is held back.
 *
 * faithful=1 follows the paper to the letter: a client is active if it was seen at work in the poll
 * phase, and a client that is ahead is held for one rest phase. Then a client that is held, or
 * whose group did not come up in the phase, does not count for the system time, and the gap between
 * the others is forgotten; with long groups little fairness is left. Otherwise:
 *
 *	- a client is active if it had work in flight or waiting at any time in the cycle, as the
 *	  host knows;
 *	- a client that is ahead is held, through poll phases too, until it is not ahead any more;
 *	- what a held client had in flight runs on, though the next poll phase will not see it. So
 *	  the host looks at random until that has ended (tg_sync()), for a rest at most, and that
 *	  time is a cycle of its own. What is left after it is charged at the rate seen in it;
 *	- a client whose queue is deep, or not known yet, asks instead of having its gate open
 *	  (loga_ask.c);
 *	- while no client is active all gates are held and nothing is polled, until one submits;
 *	- when the engine idles beside clients that are held, after a linger (struct tg_linger), it
 *	  is decided again among those that wait, and the system time is the least of theirs. What
 *	  is past of the cycle is charged first, to the clients whose gates are open. The host tells
 *	  when nothing is in flight behind these (struct tg_quiet).
 *
 * mode=1 is the cheap way to the same numbers. Instead of looking without pause for a sixth of the
 * time, the host looks about every look_us all the time, at random. The share of looks that find a
 * client at work is its share, without bias, and no stretch of time goes unseen; with n looks a
 * share p is true to sqrt(p (1 - p) / n). Where at most one client is active, a quarter of the
 * looks does.
 *
 * All this is of sharers: users or cgroups with the knob `share`. Each client has its virtual time
 * beside the others of its sharer, too, and is held if it is ahead of these (struct tg_level).
 *
 * metric=1 puts the mean time between context switches in the place of t_app: the paper's LoGA-CL
 * (5.5), which it made to show that NEON's metric is the worse one. hold=0 keeps the accounts and
 * holds no client back, as the paper does to measure what accounting costs (5.3).
 *
 * The host looks at the first engine: clients that only use others are let run. The policy walks
 * over all clients, some with each event (tg_walk()), and nothing is looked at meanwhile.
 *
 * Good at leaving alone clients that do not use too much: the engine does not idle for the sake of
 * accounts. Bad at short-term fairness: a decision falls once in t_poll + t_rest, and what is in
 * flight is not taken back.
 */
#include "loga.h"

static const struct tg_param params[] = {
	[TG_LOGA_POLL] = { "poll_us", 100, 10000000, 12000,
		"length of a poll phase, for each active client" },
	[TG_LOGA_REST] = { "rest_us", 0, 10000000, 60000,
		"length of a rest, for each active client; 0: no rest" },
	[TG_LOGA_RATIO] = { "ratio", 0, 100, 0,
		"length of a rest, in poll phases; 0: rest_us tells" },
	[TG_LOGA_SCALING] = { "scaling", 0, 1, 1,
		"1: phases grow with the number of active clients" },
	[TG_LOGA_RANDOM] = { "random_percent", 0, 90, 25,
		"phases are drawn from so much less to so much more" },
	[TG_LOGA_SEED] = { "seed", 0, 1000000000, 1, "seed of what is drawn" },
	[TG_LOGA_FAITHFUL] = { "faithful", 0, 1, 0, "1: to the letter of the paper" },
	[TG_LOGA_MODE] = { "mode", 0, 1, 0, "0: phases, 1: random looks" },
	[TG_LOGA_LOOK] = { "look_us", 10, 100000, 250, "mean distance of two random looks" },
	[TG_LOGA_METRIC] = { "metric", 0, 1, 0,
		"0: a client's time counts, 1: its mean time between context switches" },
	[TG_LOGA_HOLD] = { "hold", 0, 1, 1, "0: keep accounts, and hold no client back" },
	[TG_LOGA_LINGER] = TG_LINGER_PARAM,
	[TG_LOGA_SHARE] = TG_SHARE_PARAM,
	{ }
};

#define PHASE	(10 * TG_SEC)	/* the longest phase, however many clients there are */
#define MANY	24u		/* more clients make no cycle longer: a client may be one ahead */
#define FEW	4		/* one look in so many where one client at most is active */
#define TURNS	8		/* gates that one event turns to ASK or from it, which is dear */

static bool sparse(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_LOGA_MODE];
}

/* The next number of a SplitMix64 generator. */
static u64 random(struct tg_gpu *gpu, struct tg_loga *st)
{
	u64 z;

	if (st->seed != gpu->policy_knob[TG_LOGA_SEED]) {
		st->seed = gpu->policy_knob[TG_LOGA_SEED];
		st->random = st->seed;
	}
	st->random += 0x9e3779b97f4a7c15u;
	z = st->random;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Length of a phase of @us per active client, MANY at most, drawn so that the mean is that. */
static s64 length(struct tg_gpu *gpu, struct tg_loga *st, s64 us)
{
	s64 ns = us * TG_USEC, spread;

	if (gpu->policy_knob[TG_LOGA_SCALING])
		ns *= min(max(st->active, 1u), tg_loga_faithful(gpu) ? U32_MAX : MANY);
	ns = min(ns, PHASE);
	spread = div64_s64(ns, 100) * gpu->policy_knob[TG_LOGA_RANDOM];
	if (spread)
		ns += (s64)((random(gpu, st) >> 40) * (u64)spread >> 23) - spread;
	return max(ns, TG_USEC);
}

static s64 rest_us(const struct tg_gpu *gpu)
{
	const s64 *knob = gpu->policy_knob;

	return knob[TG_LOGA_RATIO] ? knob[TG_LOGA_RATIO] * knob[TG_LOGA_POLL] : knob[TG_LOGA_REST];
}

static void begin_walk(struct tg_gpu *gpu, struct tg_loga *st, enum tg_loga_phase phase)
{
	st->phase = phase;
	tg_walk(gpu);
}

static void look(struct tg_gpu *gpu, struct tg_loga *st)
{
	s64 us = gpu->policy_knob[TG_LOGA_POLL];
	u32 distance = 1;

	if (sparse(gpu)) {
		us += rest_us(gpu);
		distance = gpu->policy_knob[TG_LOGA_LOOK] * TG_USEC * (st->active > 1 ? 1 : FEW);
	}
	tg_poll(gpu, tg_after(gpu->now, length(gpu, st, us)), distance);
}

/* WATCHING: at random, which costs little, so that it lasts as long as what is in flight. */
static void watch(struct tg_gpu *gpu, struct tg_loga *st)
{
	s64 us = rest_us(gpu) ?: gpu->policy_knob[TG_LOGA_POLL];

	st->distance = gpu->policy_knob[TG_LOGA_LOOK] * TG_USEC;
	tg_poll(gpu, tg_after(gpu->now, length(gpu, st, us)), st->distance);
}

/* A cycle, or the part of one before it is decided again, is over: this much of it is shared. */
static void end_cycle(struct tg_gpu *gpu, struct tg_loga *st)
{
	st->cycle = min(max(gpu->now - st->since - st->tailed, (s64)0), TG_LOGA_LONG);
	st->tailed = 0;
}

static void start_poll(struct tg_gpu *gpu, struct tg_loga *st)
{
	if (tg_loga_faithful(gpu)) {
		begin_walk(gpu, st, OPENING);
		return;
	}
	st->phase = POLLING;
	look(gpu, st);
}

static void start_rest(struct tg_gpu *gpu, struct tg_loga *st)
{
	s64 us = rest_us(gpu);

	if (!us || sparse(gpu)) {
		start_poll(gpu, st);
		return;
	}
	st->phase = RESTING;
	st->until = tg_after(gpu->now, length(gpu, st, us));
}

static void wake_up(struct tg_gpu *gpu, struct tg_loga *st)
{
	st->active = 1;
	st->since = gpu->now;
	st->decided = gpu->now;
	st->loads = 0;
	begin_walk(gpu, st, OPENING);
}

static void loga_init(struct tg_gpu *gpu)
{
	struct tg_loga *st = tg_loga(gpu);

	st->phase = ASLEEP;
	st->seed = -1;
	INIT_LIST_HEAD(&st->asked);
	INIT_LIST_HEAD(&st->ending);
}

static void loga_join(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_loga_sharer *own = tg_loga_sharer(client);
	struct tg_loga *st = tg_loga(gpu);

	tg_loga_share(client)->vt = tg_level_join(&own->level, &own->known, st->vt);
	tg_probe_begin(&tg_loga_share(client)->probe);
	tg_loga_share(client)->fresh = true;
	/* A sharer that is held gets nothing by one more client. */
	if (st->phase != ASLEEP &&
	    !(gpu->policy_knob[TG_LOGA_HOLD] && tg_loga_is_ahead(st, client)))
		tg_loga_let_run(gpu, client);
}

/* It is charged for this cycle, and for what it has in flight when it is held, later. */
static s64 loga_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	const struct tg_loga_share *sh = tg_client_priv(client, const struct tg_loga_share);
	const struct tg_loga *st = tg_loga(gpu);
	const struct tg_loga_sharer *own = tg_loga_sharer(client);

	if (sh->tail || (st->phase != ASLEEP && left >= st->since))
		return S64_MAX;
	return tg_level_ahead(&own->level, client, sh->vt, st->vt, own->lows == st->lows);
}

/* Hold a client that is ahead. Return: may it have something in flight? idle() reports its end. */
static bool hold(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);

	if (client->gate == TG_GATE_HOLD)
		return false;
	tg_loga_gate(gpu, client, TG_GATE_HOLD);
	if (tg_loga_faithful(gpu))
		return false;
	sh->since = gpu->now;
	tg_loga(gpu)->tails += !sh->tail;
	sh->tail = true;
	tg_sync(gpu, client);
	return true;
}

/* WATCHING ends when all that held clients had in flight has ended. */
static void end_watching(struct tg_gpu *gpu, struct tg_loga *st)
{
	if (st->phase == WATCHING && gpu->poll_until > gpu->now && !st->tails)
		tg_poll(gpu, gpu->now, st->distance);
}

static void loga_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_loga_drained(gpu, client);
	end_watching(gpu, tg_loga(gpu));
}

static void forget_sample(struct tg_loga_share *sh)
{
	sh->busy = 0;
	sh->part = 0;
	sh->active = false;
}

/*
 * DECIDING: hold the client if it is ahead of the system time by more than the limit, otherwise
 * open its gate, and forget its sample.
 */
static void decide(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_sharer *own = tg_loga_sharer(client);
	struct tg_loga_share *sh = tg_loga_share(client);

	if (own->lows == st->lows)
		own->level.client_vt = own->low;
	/* Where it is decided again in between, who has no job now may be active. */
	if (!st->again) {
		own->level.vt = max(own->level.vt, st->vt);
		sh->vt = max(sh->vt, own->level.client_vt);
	}
	if (st->low != TG_NEVER && client->computes && tg_loga_is_ahead(st, client) &&
	    gpu->policy_knob[TG_LOGA_HOLD]) {
		st->held |= hold(gpu, client);
	} else {
		tg_loga_charge_tail(gpu, st, client);
		sh->fresh |= st->again && client->gate == TG_GATE_HOLD;
		tg_loga_let_run(gpu, client);
		st->loads += sh->load;
	}
	forget_sample(sh);
}

/* The walk in hand comes to one client. */
static void visit(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);

	switch (st->phase) {
	case OPENING:
		tg_loga_let_run(gpu, client);
		break;
	case HOLDING:
		tg_loga_gate(gpu, client, TG_GATE_HOLD);
		break;
	case CHARGING:
		tg_loga_charge(gpu, st, client);
		if (st->before != WATCHING)
			tg_loga_judge(client);
		if (client->gate != TG_GATE_HOLD)
			st->loads += sh->load;
		/* decide() ran before WATCHING, whose sample is too short to show who is active. */
		if (st->before == WATCHING)
			forget_sample(sh);
		if (!sh->active)
			break;
		/* It keeps what it is behind, up to a cycle; as its sharer does. */
		sh->vt = max(sh->vt, tg_loga_sharer(client)->level.client_vt - st->span);
		tg_loga_lower(st, client);
		if (gpu->share_by == TG_BY_PROCESS)
			tg_loga_find_low(st, client);
		break;
	case FINDING:
		if (sh->active)
			tg_loga_find_low(st, client);
		break;
	case LOOKING:
		if (client->gate != TG_GATE_HOLD && st->loads)
			tg_loga_charge_before(gpu, st, client);
		sh->active = tg_client_waits(client);
		if (!sh->active)
			break;
		tg_loga_lower(st, client);
		st->low = min(st->low, tg_loga_sharer(client)->level.vt);
		break;
	default:
		decide(gpu, st, client);
	}
}

static void begin_deciding(struct tg_gpu *gpu, struct tg_loga *st)
{
	if (st->low != TG_NEVER)
		st->vt = st->low;
	st->held = false;
	st->loads = 0;
	begin_walk(gpu, st, DECIDING);
}

/* All are charged, and it is decided about all. */
static void go_on(struct tg_gpu *gpu, struct tg_loga *st)
{
	memset(&st->sum, 0, sizeof(st->sum));
	st->samples++;
	if (st->again) {
		st->phase = st->before;
		end_watching(gpu, st);
		return;
	}
	st->since = st->at;
	if (st->polled && !st->active && !tg_loga_faithful(gpu) && !tg_gpu_waits(gpu)) {
		/* Until a client submits there is nothing to look at. */
		begin_walk(gpu, st, HOLDING);
	} else if (st->before != WATCHING && st->held && !sparse(gpu)) {
		st->phase = WATCHING;
		watch(gpu, st);
		end_watching(gpu, st);
	} else {
		start_rest(gpu, st);
	}
}

/* The walk in hand has come to all clients. */
static void walk_over(struct tg_gpu *gpu, struct tg_loga *st)
{
	switch (st->phase) {
	case OPENING:
		st->phase = POLLING;
		look(gpu, st);
		break;
	case HOLDING:
		st->phase = ASLEEP;
		break;
	case CHARGING:
		if (st->before == WATCHING)
			go_on(gpu, st);
		else if (gpu->share_by != TG_BY_PROCESS)
			begin_walk(gpu, st, FINDING);
		else
			begin_deciding(gpu, st);
		break;
	case FINDING:
	case LOOKING:
		begin_deciding(gpu, st);
		break;
	default:
		go_on(gpu, st);
	}
}

/* Go on with the walks, as far as this event may. */
static void walk(struct tg_gpu *gpu, struct tg_loga *st)
{
	struct tg_client *client;

	while (st->phase >= OPENING) {
		while (st->turned < TURNS && (client = tg_walk_next(gpu)))
			visit(gpu, st, client);
		if (gpu->walking)
			return;
		walk_over(gpu, st);
	}
}

static void loga_sample(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s)
{
	struct tg_loga *st = tg_loga(gpu);

	/* What is sampled goes before a look at who waits. */
	if (st->phase >= OPENING) {
		st->phase = st->before;
		gpu->walking = NULL;
	}
	st->sampling = client;
	if (client) {
		tg_loga_note(gpu, client, s);
		return;
	}
	if (s->length && st->phase != WATCHING) {
		st->active = st->sum.active;
		/* Where no client was active, tails are charged as before. */
		st->least = st->sum.least ?: st->least;
	}
	st->again = false;
	st->before = st->phase;
	st->at = gpu->now;
	st->polled = min(s->length, TG_LOGA_LONG);
	end_cycle(gpu, st);
	if (st->polled)
		tg_quiet_earn(&st->quiet,
			      div64_s64(min(s->busy, st->polled) << TG_LOGA_PARTS, st->polled) *
			      st->cycle >> TG_LOGA_PARTS);
	if (st->before != WATCHING) {
		st->span = min(gpu->now - st->decided, TG_LOGA_LONG);
		st->decided = gpu->now;
	}
	st->limit = st->span;
	st->low = TG_NEVER;
	st->lows++;
	st->loads = 0;
	begin_walk(gpu, st, CHARGING);
	walk(gpu, st);
}

static void loga_quiet(struct tg_gpu *gpu, s64 gap)
{
	tg_quiet(gpu, &tg_loga(gpu)->quiet, gap);
}

/* Does the engine idle while clients are held? */
static bool idles(struct tg_gpu *gpu, struct tg_loga *st)
{
	if (gpu->walking || st->sampling) {
		tg_quiet_forget(gpu, &st->quiet);
		return false;
	}
	if (!gpu->open)
		return tg_gpu_waits(gpu) && !tg_gpu_in_flight(gpu) && list_empty(&st->asked);
	if (!list_empty(&st->asked)) {
		tg_quiet_forget(gpu, &st->quiet);
		return false;
	}
	return !tg_loga_faithful(gpu) && tg_quiet_for_long(gpu, &st->quiet,
						   gpu->policy_knob[TG_LOGA_LINGER] * TG_USEC);
}

static void loga_tick(struct tg_gpu *gpu)
{
	struct tg_loga *st = tg_loga(gpu);

	st->picked = 0;
	st->turned = 0;
	tg_loga_look_at_endings(gpu);
	end_watching(gpu, st);
	walk(gpu, st);
	if (st->phase == ASLEEP && tg_gpu_waits(gpu))
		wake_up(gpu, st);
	else if (st->phase == RESTING && gpu->now >= st->until)
		start_poll(gpu, st);
	walk(gpu, st);
	if (!idles(gpu, st))
		return;
	/* No client whose gate is open has work: decide again about those that wait. */
	st->again = true;
	st->before = st->phase;
	st->limit = TG_MSEC;
	/* Where there are rests, the next sample shows but a part: what is past is charged now. */
	st->cycle = 0;
	if (st->phase != WATCHING && !sparse(gpu) && rest_us(gpu)) {
		end_cycle(gpu, st);
		st->since = gpu->now;
	}
	st->low = TG_NEVER;
	st->lows++;
	begin_walk(gpu, st, LOOKING);
	walk(gpu, st);
}

static void loga_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	list_del_init(&client->queue);
	tg_loga(gpu)->tails -= tg_loga_share(client)->tail;
}

static s64 loga_wake(struct tg_gpu *gpu)
{
	const struct tg_loga *st = tg_loga(gpu);

	return min(st->phase == RESTING ? st->until : TG_NEVER, tg_quiet_wake(&st->quiet));
}

TG_POLICY(loga) = {
	.name = "loga",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = loga_init,
	.join = loga_join,
	.ahead = loga_ahead,
	.leave = loga_leave,
	.queue = tg_loga_queue,
	.drop = tg_loga_drop,
	.pick = tg_loga_pick,
	.done = tg_loga_done,
	.lost = tg_loga_lost,
	.held = tg_loga_held,
	.idle = loga_idle,
	.quiet = loga_quiet,
	.sample = loga_sample,
	.tick = loga_tick,
	.wake = loga_wake,
};
