// SPDX-License-Identifier: GPL-2.0
/*
 * dfq: disengaged fair queueing, as NEON has it (described in Kehne et al., LoGA, SYSTOR 2017,
 * section 2.3).
 *
 * Most of the time clients do not ask: gates are open, the hardware serves channels in turn, and
 * clients with long groups take more than their share. Samples find out how much. Seasons follow
 * each other:
 *
 *	barrier		all gates are held
 *	draining	what went through them ends; a client whose jobs do not end is cut at the
 *			deadline, blamed, and held until they do
 *	sampling	each active client runs alone for sample_us, or until it has done so many
 *			requests or has nothing left, with its gate at ASK and two requests of each
 *			channel in flight; these are awaited
 *	free-run	all gates open except those of clients that are ahead, for free_run times
 *			as long as the sampling took (a client that is held back counts with its
 *			sample_us); it ends early when the engine idles beside clients that wait
 *
 * A client has nothing left after a linger (struct tg_linger), in its sample and in a free-run. In
 * a free-run the host tells when nothing is in flight behind the open gates, while a client waits
 * that is held back (struct tg_quiet). Where none but such clients have work after draining, the
 * one that is least ahead gets one group, by ASK, and the others another free-run.
 *
 * Where no job waits after draining, no client is active: gates stay held until one submits.
 *
 * Between these it walks over all clients, some with each event (tg_walk()): to hold their gates,
 * to choose those to be sampled, to add up and to charge what was sampled, and to open gates.
 *
 * Virtual time, at the end of each sampling, for each client that ran, with its mean length of a
 * request in the sample times the channels that these came by, turn:
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
 * A free-run ends with its draining. What the last client to be drained has in flight beyond a turn
 * is its own, and not of the time that all of them share.
 *
 * System time is the least vt of all clients that ran, or wait while they are held back. Idle
 * clients are moved up to it: time cannot be saved up. One that ran and was away when it was to be
 * sampled keeps what it is behind, up to a free-run. A client that is ahead of it by more than the
 * coming free-run is held back during that. All this is of sharers: users or cgroups with the knob
 * `share`. Each client has its vt beside the others of its sharer, too, and is held back if it is
 * ahead of these by as much (struct tg_level).
 *
 * Processes that have gone may have left work on the hardware. Their user or cgroup is charged for
 * it by an estimate (struct tg_gone). hold=0 holds no client back: what accounting costs.
 *
 * Good at fairness among clients that keep the GPU busy, while they need not ask for five sixths of
 * the time. Bad at clients that do not: others are held while one of them is sampled, and
 * what it takes is overestimated, since the metric knows lengths and not numbers of requests. Bad
 * at very deep queues: all that a client has waiting goes through its gate when that opens.
 */
#include "follow.h"
#include "gone.h"
#include "level.h"
#include "quiet.h"

enum { KNOB_SAMPLE, KNOB_REQUESTS, KNOB_FREE_RUN, KNOB_HOLD, KNOB_LINGER, KNOB_SHARE };

static const struct tg_param params[] = {
	[KNOB_SAMPLE] = { "sample_us", 100, 1000000, 5000, "length of a client's sample" },
	[KNOB_REQUESTS] = { "sample_requests", 1, 1000000, 96, "groups that end a sample earlier" },
	[KNOB_FREE_RUN] = { "free_run", 1, 100, 5, "length of the free-run, in samplings" },
	[KNOB_HOLD] = { "hold", 0, 1, 1, "0: sample, and hold no client back" },
	[KNOB_LINGER] = TG_LINGER_PARAM,
	[KNOB_SHARE] = TG_SHARE_PARAM,
	{ }
};

#define LONG	(4000 * TG_SEC)	/* more than an hour: longer times count as this one */
#define PARTS	20		/* binary places of a share */
#define LOOKS	32		/* jobs that wait, of which one may go */

enum phase {
	WAITING, HOLDING, DRAINING, CHOOSING, SAMPLING, ADDING, CHARGING, FINDING, OPENING, FREE_RUN
};

struct state {
	enum phase phase;
	s64 since;		/* start of the free-run, then of the sampling */
	s64 until;		/* end of the free-run, or of the turn */
	s64 ran;		/* length of the latest free-run, its draining included */
	s64 skipped;		/* turns of those held back */
	s64 sum;		/* of what the clients' channels take in a round of the hardware */
	s64 gone;		/* the same, of those that have left during the free-run */
	s64 open;		/* length of the latest free-run until gates were held */
	u32 season;		/* how often clients have been charged */
	s64 lightest;		/* weight of an active sharer; TG_NEVER: there is none */
	s64 least;		/* virtual time of an active sharer; TG_NEVER: likewise */
	s64 length;		/* of the free-run that begins */
	u32 awaited;		/* clients that are being drained */
	s64 one_since;		/* since when one is, and no other */
	s64 alone;		/* that was charged to it alone, of this draining */
	s64 vt;			/* system time of the sharers */
	bool filling;		/* the turn is one group of a client that is held back */
	u32 mine;		/* jobs that the client whose turn it is has waiting */
	struct list_head turns;	/* clients to be sampled: tg_client.queue */
	struct tg_client *first; /* the client held back that waits, least ahead; or NULL */
	struct tg_client *turn;	/* the one that is being sampled */
	u16 mark;		/* of the channels that its requests came by: tg_channel.mark */
	struct tg_gap gap;	/* of that one */
	struct tg_quiet quiet;
};

/* What is known of a sharer. */
struct sharer {
	struct tg_level level;
	u32 season;		/* that what follows is of */
	s64 lightest, least;	/* as in struct state, of its clients */
	bool ran;		/* a client of it ran, and was away when it was to be sampled */
	struct tg_gone gone;
};

struct share {
	s64 vt;			/* beside the other clients of its sharer */
	s64 used;		/* in its sample */
	s64 held;		/* in its samples, while others waited, and in draining, while no
				 * other was drained; not charged yet
				 */
	s64 gap;		/* mean, in its samples */
	u32 requests;
	u8 channels;		/* in its sample */
	bool ahead;		/* held back */
	bool awaited;		/* it is being drained */
	bool stuck;		/* something of its own does not end */
};

static struct share *share(struct tg_client *client)
{
	return tg_client_priv(client, struct share);
}

static struct sharer *sharer(const struct tg_client *client)
{
	return tg_sharer_priv(client->sharer, struct sharer);
}

/* Of the season that @st is in. */
static struct sharer *in_season(const struct state *st, const struct tg_client *client)
{
	struct sharer *own = sharer(client);

	if (own->season != st->season) {
		own->season = st->season;
		own->lightest = TG_NEVER;
		own->least = TG_NEVER;
		own->ran = false;
	}
	return own;
}

/* Is the client, or its sharer, ahead by more than the coming free-run? */
static bool is_ahead(const struct tg_gpu *gpu, const struct state *st, struct tg_client *client)
{
	return gpu->policy_knob[KNOB_HOLD] &&
	       tg_level_over(&sharer(client)->level, client, share(client)->vt, st->vt, st->length,
			     st->length);
}

static void dfq_init(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	INIT_LIST_HEAD(&st->turns);
	st->phase = WAITING;
}

static void dfq_join(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	share(client)->vt = tg_level_join(&sharer(client)->level, st->vt);
	/* A sharer that is held back gets nothing by one more client. */
	share(client)->ahead = is_ahead(gpu, st, client);
	if (st->phase == FREE_RUN && !share(client)->ahead)
		tg_gate(gpu, client, TG_GATE_OPEN);
}

/* The client is awaited no more. */
static void drained(const struct tg_gpu *gpu, struct state *st, struct share *sh)
{
	if (!sh->awaited)
		return;
	sh->awaited = false;
	st->awaited--;
	st->one_since = gpu->now;
}

/* It is charged for this free-run, and for its sample, when all have been sampled. */
static s64 dfq_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	const struct share *sh = tg_client_priv(client, const struct share);
	const struct state *st = tg_gpu_priv(gpu, struct state);
	const struct sharer *own = sharer(client);
	s64 season = st->since;

	if (st->phase != FREE_RUN && st->phase != HOLDING && st->phase != DRAINING)
		season -= st->ran + st->alone;
	if (st->phase != WAITING && left >= season)
		return S64_MAX;
	return tg_level_ahead(&own->level, client, sh->vt, st->vt,
			      own->season == st->season && own->least != TG_NEVER) +
	       min(sh->held, LONG);
}

static void dfq_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	list_del_init(&client->queue);
	drained(gpu, st, share(client));
	if (st->turn == client)
		st->turn = NULL;
	if (st->first == client)
		st->first = NULL;
}

/* What its channels take in a round of the hardware: a request of each. */
static s64 turn(struct tg_client *client)
{
	struct share *sh = share(client);

	if (!sh->requests)
		return 0;
	return min(div64_s64(sh->used, sh->requests) * (sh->channels ?: 1), LONG);
}

/*
 * The client was the last to be drained: what it had in flight beyond a round of the hardware was
 * its own.
 */
static void charge_drained(struct tg_gpu *gpu, struct state *st, struct tg_client *client)
{
	st->alone = max(gpu->now - st->one_since - turn(client), (s64)0);
	share(client)->held += st->alone;
	tg_charge(gpu, client, st->alone);
}

static void dfq_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct share *sh = share(client);

	if (st->phase == DRAINING && sh->awaited && st->awaited == 1)
		charge_drained(gpu, st, client);
	drained(gpu, st, sh);
	if (st->phase == HOLDING || st->phase == DRAINING)
		tg_gone_stays(&sharer(client)->gone, gpu->now - st->since - st->open);
	sh->stuck = client->cut;
	if (sh->stuck)
		tg_sync(gpu, client);
}

static void dfq_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct share *sh = share(job->client);

	if (st->turn != job->client)
		return;
	tg_gone_learn(&sharer(job->client)->gone, used);
	sh->used += used;
	sh->requests++;
	sh->channels += job->channel->mark != st->mark && sh->channels < 255;
	job->channel->mark = st->mark;
	tg_linger_earn(&st->quiet.linger, used);
}

/* The gate of the client whose turn it is stands at ASK. */
static void dfq_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gpu_priv(gpu, struct state)->mine++;
	tg_client_queue(job);
}

static void dfq_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gpu_priv(gpu, struct state)->mine--;
	list_del_init(&job->link);
}

/* Does a job wait for the end of the turn? */
static bool others_wait(const struct tg_gpu *gpu, const struct state *st)
{
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].queued > st->mine)
			return true;
	return false;
}

/*
 * In its turn a client has two requests of each channel in flight, so that the engine has no gap,
 * and what the client has waiting does not make the turn longer. One that is held back gets one.
 */
static struct tg_job *dfq_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *client = st->turn;
	struct tg_job *job;
	u32 looks = 0;

	if (!client || client->gate != TG_GATE_ASK || (st->filling && client->inflight))
		return NULL;
	list_for_each_entry(job, &client->queue, link) {
		if (++looks > LOOKS)
			break;
		if (!(job->engines & 1 << engine->index) || !tg_follows(job, 2, LOOKS))
			continue;
		dfq_drop(gpu, job);
		return job;
	}
	return NULL;
}

static void dfq_quiet(struct tg_gpu *gpu, s64 gap)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_quiet(gpu, &st->quiet, gap);
	/* It was asked in the free-run before. */
	if (st->phase != FREE_RUN)
		tg_quiet_forget(gpu, &st->quiet);
}

static s64 linger(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_LINGER] * TG_USEC;
}

/* A job that waits now has to wait for the end of the sample. */
static void dfq_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	if (st->turn == job->client && others_wait(gpu, st))
		share(job->client)->held += held;
}

static void begin_walk(struct tg_gpu *gpu, struct state *st, enum phase phase)
{
	st->phase = phase;
	tg_walk(gpu);
}

/* HOLDING: hold the gate. */
static void hold(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_gate(gpu, client, TG_GATE_HOLD);
	tg_gone_held(&sharer(client)->gone, client);
	client->sent = 0;
	if (client->opened && !share(client)->stuck) {
		share(client)->awaited = true;
		st->awaited++;
		tg_sync(gpu, client);
	}
}

/* CHOOSING: a client that ran or wants to run is sampled, unless it is held back. */
static void choose(struct tg_gpu *gpu, struct tg_client *client)
{
	bool active = (tg_client_waits(client) || client->sent) && !share(client)->stuck;
	struct state *st = tg_gpu_priv(gpu, struct state);

	share(client)->used = 0;
	share(client)->requests = 0;
	share(client)->channels = 0;
	if (active && share(client)->ahead)
		st->skipped += gpu->policy_knob[KNOB_SAMPLE] * TG_USEC;
	else if (active)
		list_move_tail(&client->queue, &st->turns);
}

static void begin_choosing(struct tg_gpu *gpu, struct state *st, s64 ran)
{
	st->ran = ran;
	st->since = gpu->now;
	st->skipped = 0;
	st->filling = false;
	begin_walk(gpu, st, CHOOSING);
}

static void begin_turn(struct tg_gpu *gpu, struct state *st, struct tg_client *client)
{
	st->turn = client;
	st->mark++;
	st->until = tg_after(gpu->now, gpu->policy_knob[KNOB_SAMPLE] * TG_USEC);
	tg_gate(gpu, client, TG_GATE_ASK);
	/* A client whose gaps were too long is tried again at times: each linger in vain costs. */
	st->gap = (struct tg_gap){ .mean = div64_s64(share(client)->gap * 15, 16) };
}

/* Sample the next client. Return: false: there is none. */
static bool next_turn(struct tg_gpu *gpu, struct state *st)
{
	struct tg_client *client = list_first_entry_or_null(&st->turns, struct tg_client, queue);

	st->turn = NULL;
	if (!client)
		return false;
	list_del_init(&client->queue);
	begin_turn(gpu, st, client);
	return true;
}

/* Does the client whose turn it is have nothing left, and is its next request not about to come? */
static bool has_ended(struct tg_gpu *gpu, struct state *st)
{
	bool over = false;

	if (st->turn->inflight || tg_client_waits(st->turn)) {
		tg_linger_end(gpu, &st->quiet.linger, others_wait(gpu, st));
		tg_gap_end(gpu, &st->gap);
	} else {
		tg_gap_begin(gpu, &st->gap);
		over = !tg_linger(gpu, &st->quiet.linger, &st->gap, linger(gpu));
	}
	/* The turn ends with the linger. Nobody sees how long the gap is: it counts as long. */
	if (over && tg_linger_end(gpu, &st->quiet.linger, others_wait(gpu, st)))
		tg_gap_add(&st->gap, LONG);
	share(st->turn)->gap = st->gap.mean;
	return over;
}

/* Is the client's turn over, including what it has submitted in it? */
static bool turn_over(struct tg_gpu *gpu, struct state *st)
{
	if (!st->turn)
		return true;
	if (st->turn->gate != TG_GATE_HOLD &&
	    (gpu->now >= st->until || has_ended(gpu, st) ||
	     (st->filling && st->turn->inflight) ||
	     share(st->turn)->requests >= gpu->policy_knob[KNOB_REQUESTS])) {
		tg_linger_end(gpu, &st->quiet.linger, others_wait(gpu, st));
		tg_gate(gpu, st->turn, TG_GATE_HOLD);
	}
	return st->turn->gate == TG_GATE_HOLD && !st->turn->inflight;
}

/* Is the client active, so that system time must not pass it? */
static bool counts(const struct state *st, struct tg_client *client)
{
	const struct share *sh = share(client);

	return sh->requests ||
	       ((sh->ahead || st->filling) && !sh->stuck && tg_client_waits(client));
}

/* ADDING: what the samples say of all clients. */
static void add(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct sharer *own = in_season(st, client);
	s64 weight = client->weight, sharer_weight = client->sharer->weight;

	st->sum += turn(client);
	if (gpu->share_by != TG_BY_PROCESS)
		st->gone += tg_gone_weigh(&own->gone, st->open);
	if (!counts(st, client))
		return;
	st->lightest = min(st->lightest, sharer_weight);
	own->lightest = min(own->lightest, weight);
}

/* What @turn is of the free-run. */
static s64 part_of(const struct state *st, s64 turn)
{
	return turn ? div64_s64(turn << PARTS, st->sum + st->gone) * st->ran >> PARTS : 0;
}

/* FINDING: all are charged. One that has come during the turns has saved up nothing. */
static void find(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	const struct sharer *own = sharer(client), *first = st->first ? sharer(st->first) : NULL;
	const struct share *sh = share(client);

	if (!counts(st, client))
		return;
	st->least = min(st->least, sh->requests ? own->level.vt : max(own->level.vt, st->vt));
	if (sh->ahead && !sh->requests &&
	    (!first || own->level.vt < first->level.vt ||
	     (own == first && sh->vt < share(st->first)->vt)))
		st->first = client;
}

/* CHARGING: what the free-run and the sample have taken. */
static void charge(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct sharer *own = in_season(st, client);
	struct share *sh = share(client);
	s64 took;

	own->ran |= client->sent && !sh->requests;
	took = part_of(st, tg_gone_turn(&own->gone));
	own->level.vt += tg_level_weighed(took, st->lightest, client->sharer->weight);
	if (!counts(st, client))
		return;
	if (st->sum && sh->requests) {
		took = part_of(st, turn(client));
		tg_charge(gpu, client, took);
		took += sh->used + min(sh->held, LONG);
		sh->held = 0;
		sh->vt += tg_level_weighed(took, own->lightest, client->weight);
		own->level.vt += tg_level_weighed(took, st->lightest, client->sharer->weight);
	}
	own->least = min(own->least, sh->requests ? sh->vt : max(sh->vt, own->level.client_vt));
	if (gpu->share_by == TG_BY_PROCESS)
		find(gpu, client);
}

/* OPENING: the client runs, unless it or its sharer is ahead. */
static void let_run(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct sharer *own = in_season(st, client);
	struct share *sh = share(client);
	/* One that ran and was away when it was to be sampled keeps what it is behind. */
	bool ran = client->sent && !sh->requests;

	if (own->least != TG_NEVER)
		own->level.client_vt = own->least;
	own->level.vt = max(own->level.vt, st->vt - (ran || own->ran ? st->length : 0));
	sh->vt = max(sh->vt, own->level.client_vt - (ran ? st->length : 0));
	sh->ahead = is_ahead(gpu, st, client);
	if (!sh->ahead && !sh->stuck)
		tg_gate(gpu, client, TG_GATE_OPEN);
	tg_gone_opens(&own->gone, client);
}

/*
 * All are charged: let the clients run that are not ahead of the active ones; if none is active,
 * wait for a submission.
 */
static void decide(struct tg_gpu *gpu, struct state *st)
{
	s64 season = max(min(gpu->now - st->since + st->skipped, LONG),
			 gpu->policy_knob[KNOB_SAMPLE] * TG_USEC);

	tg_quiet_earn(&st->quiet, st->ran + st->alone);
	if (st->least == TG_NEVER && !tg_gpu_waits(gpu)) {
		st->phase = WAITING;
		return;
	}
	/* None but clients held back have work: one gets a group, the others another chance. */
	if (!st->sum && st->first && !st->filling) {
		st->filling = true;
		st->ran = 0;
		st->alone = 0;
		begin_turn(gpu, st, st->first);
		st->phase = SAMPLING;
		return;
	}
	if (st->least != TG_NEVER)
		st->vt = st->least;
	/* Where no client was sampled, the sampling before tells how long it takes. */
	if ((st->sum && !st->filling) || !st->length)
		st->length = season * gpu->policy_knob[KNOB_FREE_RUN];
	st->since = gpu->now;
	st->until = tg_after(gpu->now, st->length);
	begin_walk(gpu, st, OPENING);
}

/* Go on with a walk. Return: it has come to all clients. */
static bool walk(struct tg_gpu *gpu, void (*visit)(struct tg_gpu *, struct tg_client *))
{
	struct tg_client *client;

	while ((client = tg_walk_next(gpu)))
		visit(gpu, client);
	return !gpu->walking;
}

/* Do all clients that may run have nothing to do, or have they left, while others wait? */
static bool idles(struct tg_gpu *gpu, struct state *st)
{
	if (!gpu->open)
		return tg_gpu_waits(gpu);
	return tg_quiet_for_long(gpu, &st->quiet, linger(gpu));
}

/* One step through the season. Return: true: the phase has changed, step again. */
static bool step(struct tg_gpu *gpu, struct state *st)
{
	switch (st->phase) {
	case WAITING:
		if (!tg_gpu_waits(gpu))
			return false;
		st->alone = 0;
		begin_choosing(gpu, st, 0);
		return true;
	case FREE_RUN:
		if (gpu->now < st->until && !idles(gpu, st))
			return false;
		tg_quiet_forget(gpu, &st->quiet);
		st->open = gpu->now - st->since;
		begin_walk(gpu, st, HOLDING);
		return true;
	case HOLDING:
		if (!walk(gpu, hold))
			return false;
		st->phase = DRAINING;
		st->one_since = gpu->now;
		st->alone = 0;
		return true;
	case DRAINING:
		if (st->awaited || tg_gpu_in_flight(gpu))
			return false;
		begin_choosing(gpu, st, min(gpu->now - st->since - st->alone, LONG));
		return true;
	case CHOOSING:
		if (!walk(gpu, choose))
			return false;
		st->phase = SAMPLING;
		return true;
	case SAMPLING:
		if (!turn_over(gpu, st))
			return false;
		if (next_turn(gpu, st))
			return true;
		st->sum = 0;
		st->gone = 0;
		st->season++;
		st->lightest = TG_NEVER;
		st->least = TG_NEVER;
		st->first = NULL;
		begin_walk(gpu, st, ADDING);
		return true;
	case ADDING:
		if (!walk(gpu, add))
			return false;
		begin_walk(gpu, st, CHARGING);
		return true;
	case CHARGING:
		if (!walk(gpu, charge))
			return false;
		st->phase = FINDING;
		if (gpu->share_by != TG_BY_PROCESS)	/* else charge() has done it */
			tg_walk(gpu);
		return true;
	case FINDING:
		if (!walk(gpu, find))
			return false;
		decide(gpu, st);
		return st->phase != WAITING;
	case OPENING:
		if (!walk(gpu, let_run))
			return false;
		st->phase = FREE_RUN;
		/* Have the host watch now: clients that are held feed no event. */
		return gpu->open;
	}
	return false;
}

static void dfq_tick(struct tg_gpu *gpu)
{
	while (step(gpu, tg_gpu_priv(gpu, struct state)))
		;
}

static s64 dfq_wake(struct tg_gpu *gpu)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);

	if (st->phase == FREE_RUN || (st->phase == SAMPLING && st->turn &&
				      st->turn->gate != TG_GATE_HOLD))
		return min(st->until, tg_quiet_wake(&st->quiet));
	return TG_NEVER;
}

TG_POLICY(dfq) = {
	.name = "dfq",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = dfq_init,
	.join = dfq_join,
	.ahead = dfq_ahead,
	.leave = dfq_leave,
	.queue = dfq_queue,
	.drop = dfq_drop,
	.pick = dfq_pick,
	.done = dfq_done,
	.held = dfq_held,
	.idle = dfq_idle,
	.quiet = dfq_quiet,
	.tick = dfq_tick,
	.wake = dfq_wake,
};
