// SPDX-License-Identifier: GPL-2.0
/*
 * dfq: disengaged fair queueing, as NEON has it (described in Kehne et al., LoGA, SYSTOR 2017,
 * section 2.3).
 *
 * Most of the time clients do not ask: gates are open, the hardware serves channels in turn, and
 * clients with long groups take more than their share. Samples find out how much. Seasons follow
 * each other (dfq_season.c): a barrier, draining, sampling, and a free-run, in which clients are
 * held back that are ahead of the others in virtual time (dfq_time.c).
 *
 * Each engine has a season, a system time and virtual times of its own. NEON knows one engine. With
 * one season for several, an engine would idle while the other's clients are drained and sampled,
 * a share of one engine would be paid for on the other, and the slower clients of all engines would
 * set the length of all free-runs. Clients that use several engines ask (dfq_ask.c).
 *
 * hold=0 holds no client back: what accounting costs.
 *
 * All clients ask for some free-runs after a channel has left, too: what a process leaves on the
 * hardware is not seen in samples. A client with a deep queue is not let through an open gate, or
 * the others would wait for seconds (dfq_ask.c).
 *
 * Good at fairness among clients that keep the GPU busy, while they need not ask for five sixths of
 * the time. Bad at clients that do not: others are held while one of them is sampled, and
 * what it takes is overestimated, since the metric knows lengths and not numbers of requests.
 */
#include "dfq.h"
#include "follow.h"

static const struct tg_param params[] = {
	[TG_DFQ_SAMPLE] = { "sample_us", 100, 1000000, 5000, "length of a client's sample" },
	[TG_DFQ_REQUESTS] = { "sample_requests", 1, 1000000, 96,
		"groups that end a sample earlier" },
	[TG_DFQ_FREE_RUN] = { "free_run", 1, 100, 5, "length of the free-run, in samplings" },
	[TG_DFQ_HOLD] = { "hold", 0, 1, 1, "0: sample, and hold no client back" },
	[TG_DFQ_LINGER] = TG_LINGER_PARAM,
	[TG_DFQ_SHARE] = TG_SHARE_PARAM,
	{ }
};

static void dfq_init(struct tg_gpu *gpu)
{
	struct tg_dfq_season *st;
	u32 i;

	for (i = 0; i < TG_ENGINES_MAX; i++) {
		st = &tg_dfq(gpu)->season[i];
		INIT_LIST_HEAD(&st->turns);
		INIT_LIST_HEAD(&st->asked);
		st->engine = i;
		st->phase = WAITING;
		st->lightest = TG_NEVER;
	}
}

static void dfq_join(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_dfq_season *st = &tg_dfq(gpu)->season[0];
	struct tg_dfq_share *sh = tg_dfq_share(client);

	/* Its jobs will tell which engine it uses. */
	if (gpu->nr_engines > 1) {
		sh->asks = st->phase != WAITING || !tg_dfq_others_rest(gpu, st);
		if (sh->asks)
			tg_gate(gpu, client, TG_GATE_ASK);
		return;
	}
	tg_dfq_comes(gpu, st, client);
	/* A sharer that is held back gets nothing by one more client. */
	if (st->phase == FREE_RUN && !sh->ahead)
		tg_dfq_release(gpu, st, client);
}

/* A request of the client whose turn it is. */
static void sample(struct tg_dfq_season *st, struct tg_job *job, s64 used)
{
	struct tg_dfq_share *sh = tg_dfq_share(job->client);

	sh->used = (sh->requests ? sh->used : 0) + used;
	sh->requests++;
	sh->channels += job->channel->mark != st->mark && sh->channels < 255;
	job->channel->mark = st->mark;
	tg_linger_earn(&st->quiet.linger, used);
}

/* A job of a client that asks, or has asked when it was picked. */
static void seen(struct tg_dfq_season *st, struct tg_job *job, s64 used)
{
	tg_dfq_charge_now(st, job->client, used);
	tg_dfq_share(job->client)->active |= tg_dfq_bit(st);
	tg_linger_earn(&st->quiet.linger, used);
	st->seen += used;
}

static void dfq_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	u32 engines = tg_dfq_share(job->client)->engines & job->engines;
	struct tg_dfq_season *st;

	for (; engines; engines &= engines - 1) {
		st = &tg_dfq(gpu)->season[__builtin_ctz(engines)];
		if (st->turn == job->client)
			sample(st, job, used);
		else if (tg_dfq_share(job->client)->narrow)
			tg_dfq_narrow_done(gpu, st, job, used);
		else
			seen(st, job, used);
	}
}

/* As with a drain that is cut, what the client has in flight behind it is not awaited. */
static void dfq_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_dfq_pass_by(gpu, job->client);
	tg_dfq_share(job->client)->stuck = true;
}

/* The gate of the client whose turn it is, or that asks, stands at ASK. */
static void dfq_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	const struct tg_dfq_share *sh = tg_dfq_share(job->client);

	if (sh->asks || sh->narrow || job->engines & ~sh->engines) {
		tg_dfq_queue_asked(gpu, job);
		return;
	}
	tg_dfq_of(gpu, job->client)->mine++;
	tg_client_queue(job);
}

static void dfq_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_dfq_season *st = tg_dfq_of(gpu, job->client);

	if (st->turn == job->client) {
		st->mine--;
		list_del_init(&job->link);
	} else {
		tg_heads_del(&tg_dfq_asked(gpu, job)->asked, job);
	}
}

/*
 * In its turn a client has two requests of each channel in flight, so that the engine has no gap,
 * and what the client has waiting does not make the turn longer. One that is held back gets one.
 */
static struct tg_job *pick_in_turn(const struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_job *job;
	u32 looks = 0;

	if (client->gate != TG_GATE_ASK || (st->filling && client->inflight))
		return NULL;
	list_for_each_entry(job, &client->queue, link) {
		if (++looks > TG_DFQ_LOOKS)
			break;
		if (tg_follows(job, 2, TG_DFQ_LOOKS))
			return job;
	}
	return NULL;
}

static struct tg_job *dfq_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_dfq_season *st = &tg_dfq(gpu)->season[engine->index];
	struct tg_job *job;

	job = st->turn ? pick_in_turn(st, st->turn) : tg_dfq_pick_asked(gpu, st);
	if (!job)
		return NULL;
	st->picked += !st->turn;
	dfq_drop(gpu, job);
	return job;
}

static void dfq_quiet(struct tg_gpu *gpu, s64 gap)
{
	struct tg_dfq_season *st;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++) {
		st = &tg_dfq(gpu)->season[i];
		tg_quiet(gpu, &st->quiet, gap);
		/* It was asked in the free-run before. */
		if (st->phase != FREE_RUN)
			tg_quiet_forget(gpu, &st->quiet);
	}
}

/* A job that waits now has to wait for the end of the sample. */
static void dfq_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	struct tg_dfq_share *sh = tg_dfq_share(job->client);
	u32 engines = sh->engines & job->engines;
	struct tg_dfq_season *st;

	for (; engines; engines &= engines - 1) {
		st = &tg_dfq(gpu)->season[__builtin_ctz(engines)];
		if (!tg_dfq_others_wait(gpu, st))
			continue;
		if (st->turn == job->client)
			sh->held += held;
		else if (sh->asks)
			tg_dfq_charge_now(st, job->client, held);
	}
}

static void dfq_tick(struct tg_gpu *gpu)
{
	/* Twice: a season may have waited for the end of another one's walk. */
	u32 i, steps = gpu->nr_engines > 1 ? 2 * gpu->nr_engines : 1;

	for (i = 0; i < gpu->nr_engines; i++)
		tg_dfq(gpu)->season[i].picked = 0;
	for (i = 0; i < steps; i++)
		while (tg_dfq_step(gpu, &tg_dfq(gpu)->season[i % gpu->nr_engines]))
			;
}

static s64 dfq_wake(struct tg_gpu *gpu)
{
	const struct tg_dfq_season *st;
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++) {
		st = &tg_dfq(gpu)->season[i];
		if (st->phase == FREE_RUN || (st->phase == SAMPLING && st->turn &&
					      st->turn->gate != TG_GATE_HOLD))
			wake = min(wake, min(st->until, tg_quiet_wake(&st->quiet)));
	}
	return wake;
}

TG_POLICY(dfq) = {
	.name = "dfq",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = dfq_init,
	.join = dfq_join,
	.ahead = tg_dfq_ahead,
	.leave = tg_dfq_leave,
	.queue = dfq_queue,
	.drop = dfq_drop,
	.pick = dfq_pick,
	.done = dfq_done,
	.lost = dfq_lost,
	.held = dfq_held,
	.idle = tg_dfq_idle,
	.quiet = dfq_quiet,
	.tick = dfq_tick,
	.wake = dfq_wake,
};
