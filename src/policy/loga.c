// SPDX-License-Identifier: GPL-2.0
/*
 * loga: fair queueing by what the engine was seen to do (Kehne et al., LoGA: Low-overhead GPU
 * accounting using events, SYSTOR 2017, sections 3.3 and 3.4).
 *
 * Clients do not ask, and none has to run alone. The host reads which channel the engine works for,
 * during a poll phase of poll_us, and rests for rest_us, both times the number of active clients.
 * At the end of each poll phase, with the real lengths of the phases:
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
 *	  the host looks on until that has ended (tg_sync()), for a poll phase's length at most, and
 *	  that time is a cycle of its own. What is left after it is charged at the rate seen in it;
 *	- while no client is active all gates are held and nothing is polled, until one submits.
 *
 * mode=1 is the cheap way to the same numbers. Instead of looking without pause for a sixth of the
 * time, the host looks about every look_us all the time, at random. The share of looks that find a
 * client at work is its share, without bias, and no stretch of time goes unseen; with n looks a
 * share p is true to sqrt(p (1 - p) / n). Where at most one client is active, a quarter of the
 * looks does.
 *
 * metric=1 puts the mean time between context switches in the place of t_app: the paper's LoGA-CL
 * (5.5), which it made to show that NEON's metric is the worse one. hold=0 keeps the accounts and
 * holds no client back, as the paper does to measure what accounting costs (5.3).
 *
 * Good at leaving alone clients that do not use too much: the engine never idles for the sake of
 * accounts. Bad at short-term fairness: a decision falls once in t_poll + t_rest, and what is in
 * flight is not taken back.
 */
#include <tg/policy.h>

enum {
	KNOB_POLL, KNOB_REST, KNOB_RATIO, KNOB_SCALING, KNOB_RANDOM, KNOB_SEED, KNOB_FAITHFUL,
	KNOB_MODE, KNOB_LOOK, KNOB_METRIC, KNOB_HOLD,
};

static const struct tg_param params[] = {
	[KNOB_POLL] = { "poll_us", 100, 10000000, 12000 },
	[KNOB_REST] = { "rest_us", 0, 10000000, 60000 },
	[KNOB_RATIO] = { "ratio", 0, 100, 0 },
	[KNOB_SCALING] = { "scaling", 0, 1, 1 },
	[KNOB_RANDOM] = { "random_percent", 0, 90, 25 },
	[KNOB_SEED] = { "seed", 0, 1000000000, 1 },
	[KNOB_FAITHFUL] = { "faithful", 0, 1, 0 },
	[KNOB_MODE] = { "mode", 0, 1, 0 },
	[KNOB_LOOK] = { "look_us", 10, 100000, 250 },
	[KNOB_METRIC] = { "metric", 0, 1, 0 },
	[KNOB_HOLD] = { "hold", 0, 1, 1 },
	{ }
};

#define LONG	(4000 * TG_SEC)	/* more than an hour: longer times count as this one */
#define PARTS	20		/* binary places of a share */
#define PHASE	(10 * TG_SEC)	/* the longest phase, however many clients there are */
#define FEW	4		/* one look in so many where one client at most is active */

enum phase { ASLEEP, POLLING, RESTING, WATCHING /* what held clients have in flight */ };

struct state {
	enum phase phase;
	s64 since;		/* end of the poll phase before: start of the cycle */
	s64 until;		/* end of the rest */
	s64 vt;			/* system time */
	u32 active;		/* clients, in the latest cycle */
	s64 least;		/* of their weights */
	struct sum {		/* of the samples of the poll phase that ends */
		u32 active;	/* clients */
		s64 least;	/* of the weights of these, and of those seen at work; 0: none */
		s64 parts;
	} sum;
	s64 seed;		/* that the generator was started from */
	u64 random;		/* its state */
};

struct share {
	s64 vt;
	s64 busy;		/* in the poll phase that ends */
	s64 part;		/* t_app, or what stands for it */
	s64 since;		/* when it was held */
	u32 load;		/* of the engine, when last seen: parts */
	bool active;
	bool tail;		/* what it had in flight when it was held is not charged yet */
};

static struct share *share(struct tg_client *client)
{
	return tg_client_priv(client, struct share);
}

static bool faithful(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_FAITHFUL];
}

static bool sparse(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_MODE];
}

/* The next number of a SplitMix64 generator. */
static u64 random(struct tg_gpu *gpu, struct state *st)
{
	u64 z;

	if (st->seed != gpu->policy_knob[KNOB_SEED]) {
		st->seed = gpu->policy_knob[KNOB_SEED];
		st->random = st->seed;
	}
	st->random += 0x9e3779b97f4a7c15u;
	z = st->random;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Length of a phase of @us per active client, drawn so that the mean is that. */
static s64 length(struct tg_gpu *gpu, struct state *st, s64 us)
{
	s64 ns = us * TG_USEC, spread;

	if (gpu->policy_knob[KNOB_SCALING])
		ns *= max(st->active, 1u);
	ns = min(ns, PHASE);
	spread = div64_s64(ns, 100) * gpu->policy_knob[KNOB_RANDOM];
	if (spread)
		ns += (s64)((random(gpu, st) >> 40) * (u64)spread >> 23) - spread;
	return max(ns, TG_USEC);
}

static s64 rest_us(const struct tg_gpu *gpu)
{
	const s64 *knob = gpu->policy_knob;

	return knob[KNOB_RATIO] ? knob[KNOB_RATIO] * knob[KNOB_POLL] : knob[KNOB_REST];
}

static void open_all(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		tg_gate(gpu, client, TG_GATE_OPEN);
}

static void look(struct tg_gpu *gpu, struct state *st)
{
	s64 us = gpu->policy_knob[KNOB_POLL];
	u32 distance = 1;

	if (sparse(gpu)) {
		us += rest_us(gpu);
		distance = gpu->policy_knob[KNOB_LOOK] * TG_USEC * (st->active > 1 ? 1 : FEW);
	}
	tg_poll(gpu, tg_after(gpu->now, length(gpu, st, us)), distance);
}

static void start_poll(struct tg_gpu *gpu, struct state *st)
{
	st->phase = POLLING;
	look(gpu, st);
	if (faithful(gpu))
		open_all(gpu);
}

static void start_rest(struct tg_gpu *gpu, struct state *st)
{
	s64 us = rest_us(gpu);

	if (!us || sparse(gpu)) {
		start_poll(gpu, st);
		return;
	}
	st->phase = RESTING;
	st->until = tg_after(gpu->now, length(gpu, st, us));
}

/* No client is active: until one submits there is nothing to look at. */
static void sleep(struct tg_gpu *gpu, struct state *st)
{
	struct tg_client *client;

	st->phase = ASLEEP;
	list_for_each_entry(client, &gpu->all_clients, all)
		tg_gate(gpu, client, TG_GATE_HOLD);
}

static void wake_up(struct tg_gpu *gpu, struct state *st)
{
	st->active = 1;
	st->since = gpu->now;
	open_all(gpu);
	start_poll(gpu, st);
}

static void loga_init(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	st->phase = ASLEEP;
	st->seed = -1;
}

static void loga_join(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	share(client)->vt = st->vt;
	if (st->phase != ASLEEP)
		tg_gate(gpu, client, TG_GATE_OPEN);
}

/*
 * Hold a client that is ahead. Return: may it have something in flight, whose end idle() reports?
 */
static bool hold(struct tg_gpu *gpu, struct tg_client *client)
{
	struct share *sh = share(client);

	if (client->gate == TG_GATE_HOLD)
		return false;
	tg_gate(gpu, client, TG_GATE_HOLD);
	if (faithful(gpu))
		return false;
	sh->since = gpu->now;
	sh->tail = true;
	tg_sync(gpu, client);
	return true;
}

/* What the client had in flight when it was held has ended: charge what no poll phase has seen. */
static void charge_tail(struct tg_gpu *gpu, struct state *st, struct tg_client *client)
{
	struct share *sh = share(client);
	s64 end = min(gpu->now, st->until);
	s64 took;

	if (!sh->tail)
		return;
	sh->tail = false;
	if (end <= sh->since)
		return;
	took = sh->load * min(end - sh->since, LONG) >> PARTS;
	tg_charge(client, took);
	sh->vt += div64_s64(took * st->least, client->weight);
}

static bool tails_left(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (share(client)->tail)
			return true;
	return false;
}

static void loga_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	charge_tail(gpu, st, client);
	if (st->phase == WATCHING && gpu->poll_until && !tails_left(gpu))
		tg_poll(gpu, gpu->now, 1);
}

static void forget_sample(struct share *sh)
{
	sh->busy = 0;
	sh->part = 0;
	sh->active = false;
}

/*
 * Hold every client that is ahead of the system time by more than @limit, open the other gates, and
 * forget the samples. Return: may a client that is held now have something in flight?
 */
static bool decide(struct tg_gpu *gpu, struct state *st, s64 limit)
{
	struct tg_client *client;
	s64 least = TG_NEVER;
	bool tails = false;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (share(client)->active)
			least = min(least, share(client)->vt);
	if (least != TG_NEVER)
		st->vt = least;
	list_for_each_entry(client, &gpu->all_clients, all) {
		struct share *sh = share(client);

		sh->vt = max(sh->vt, st->vt);
		if (least != TG_NEVER && sh->vt - st->vt > limit && gpu->policy_knob[KNOB_HOLD]) {
			tails |= hold(gpu, client);
		} else {
			charge_tail(gpu, st, client);
			tg_gate(gpu, client, TG_GATE_OPEN);
		}
		forget_sample(sh);
	}
	return tails;
}

/* Charge each client for the whole cycle by what was seen in its poll phase. */
static void charge(struct tg_gpu *gpu, struct state *st, s64 polled, s64 cycle)
{
	struct tg_client *client;
	s64 dvt;

	list_for_each_entry(client, &gpu->all_clients, all) {
		struct share *sh = share(client);

		sh->since = gpu->now;
		if (!sh->busy)
			continue;
		sh->load = div64_s64(sh->busy << PARTS, polled);
		tg_charge(client, sh->load * cycle >> PARTS);
		dvt = div64_s64(sh->part << PARTS, st->sum.parts) * cycle >> PARTS;
		sh->vt += div64_s64(dvt * st->least, client->weight);
	}
}

/* One client's sample. */
static void note(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s)
{
	struct sum *sum = &tg_gpu_priv(gpu, struct state)->sum;
	struct share *sh = share(client);

	sh->busy = min(s->busy, LONG);
	sh->part = sh->busy;
	if (gpu->policy_knob[KNOB_METRIC] && s->groups)
		sh->part = div64_s64(sh->busy + s->groups - 1, s->groups);
	sh->active = faithful(gpu) ? s->busy : s->active;
	sum->parts += sh->part;
	sum->active += sh->active;
	if (sh->active || sh->busy)
		sum->least = min(sum->least ?: TG_NEVER, (s64)client->weight);
}

static void loga_sample(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	s64 cycle = min(gpu->now - st->since, LONG);
	bool tails = false;

	if (client) {
		note(gpu, client, s);
		return;
	}
	/*
	 * WATCHING: decide() has run, and the sample is too short to show which clients are active.
	 */
	if (s->length && st->phase != WATCHING) {
		st->active = st->sum.active;
		/* Where no client was active, tails are charged as before. */
		st->least = st->sum.least ?: st->least;
	}
	if (s->length)
		charge(gpu, st, min(s->length, LONG), cycle);
	if (st->phase != WATCHING)
		tails = decide(gpu, st, cycle);
	else
		list_for_each_entry(client, &gpu->all_clients, all)
			forget_sample(share(client));
	memset(&st->sum, 0, sizeof(st->sum));
	st->since = gpu->now;
	if (s->length && !st->active && !faithful(gpu) && !tg_gpu_waits(gpu)) {
		sleep(gpu, st);
	} else if (tails && !sparse(gpu)) {
		st->phase = WATCHING;
		look(gpu, st);
	} else {
		start_rest(gpu, st);
	}
}

static void loga_tick(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *client;

	if (st->phase == ASLEEP && tg_gpu_waits(gpu))
		wake_up(gpu, st);
	else if (st->phase == RESTING && gpu->now >= st->until)
		start_poll(gpu, st);
	if (gpu->open || !tg_gpu_waits(gpu))
		return;
	/* The last client that was not held back has left: decide again among the others. */
	list_for_each_entry(client, &gpu->all_clients, all)
		share(client)->active = tg_client_waits(client);
	decide(gpu, st, TG_MSEC);
	memset(&st->sum, 0, sizeof(st->sum));
}

static s64 loga_wake(struct tg_gpu *gpu)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);

	return st->phase == RESTING ? st->until : TG_NEVER;
}

TG_POLICY(loga) = {
	.name = "loga",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = loga_init,
	.join = loga_join,
	.idle = loga_idle,
	.sample = loga_sample,
	.tick = loga_tick,
	.wake = loga_wake,
};
