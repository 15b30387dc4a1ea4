// SPDX-License-Identifier: GPL-2.0
/*
 * timeslice: a token goes from client to client; only its holder's groups may go, for a slice
 * (NEON's timeslice with overuse control).
 *
 * When a turn is over, no more of the holder's groups are freed, and what it has in flight is
 * awaited, as part of its turn. The next turn goes to the client that has groups waiting and whose
 * turns have taken the least by its weight (struct tg_turns). A client that overruns its slice
 * waits that much longer; one of twice the weight has twice as many turns. So shares are by weight,
 * whatever the lengths of groups. A holder beside which no client waits goes on.
 *
 * NEON lets a holder that has nothing to do keep the token to the end of its slice, and the engine
 * idles. Here its turn ends, after a linger (struct tg_linger). And where NEON's holder may have
 * any number of groups in flight, which no policy can take back, here it has one, or as many short
 * ones as a linger may last. So a client that comes waits for one group of the holder's at most.
 * Where there is one client only, it may have any number.
 *
 * There is one token for all engines. An engine that the holder does not use in its turn, or has
 * left idle for linger_us, takes the next of the groups that wait; what it takes is charged to
 * their clients.
 *
 * Good at isolation: in a turn only the holder's groups run, and fairness rests on no estimate. Bad
 * at short turns of the engine: it idles from the end of a turn to the next client's doorbell, and
 * each group costs a question to the policy, which dtimeslice saves.
 */
#include "turns.h"

enum { KNOB_SLICE, KNOB_LINGER };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 500000, 30000 },
	[KNOB_LINGER] = TG_LINGER_PARAM,
	{ }
};

#define MEAN	4	/* a group's part in the mean length: one of so many */

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_SLICE] * TG_USEC;
}

static s64 linger(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_LINGER] * TG_USEC;
}

static void timeslice_join(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_join(gpu, client, slice(gpu));
}

static void timeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gap_end(gpu, &tg_turns_share(job->client)->gap);
	tg_client_queue(job);
	tg_turns_enter(gpu, job->client);
}

static bool has_groups(const struct tg_client *client)
{
	return client->inflight || !list_empty(&client->queue);
}

static void timeslice_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct tg_client *client = job->client;
	struct tg_turns_share *sh = tg_turns_share(client);

	tg_linger_earn(&tg_turns(gpu)->linger, used);
	sh->length += div64_s64(min(used, TG_SEC) - sh->length, sh->length ? MEAN : 1);
	if (client != tg_turns(gpu)->holder)
		tg_turns_charge(gpu, client, used);
	if (!has_groups(client))
		tg_gap_begin(gpu, &sh->gap);
}

/* The holder pays for all of its turn anyway. */
static void timeslice_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	if (job->client != tg_turns(gpu)->holder && tg_gpu_waits(gpu))
		tg_turns_charge(gpu, job->client, held);
}

static s64 slice_ends(struct tg_gpu *gpu)
{
	return tg_after(tg_turns(gpu)->since, slice(gpu));
}

/* May no more of the holder's groups go in this turn? */
static bool turn_over(struct tg_gpu *gpu)
{
	return tg_turns(gpu)->yields || gpu->now >= slice_ends(gpu);
}

/* Has the holder had its turn, and does it have nothing in flight? */
static bool ended(struct tg_gpu *gpu, struct tg_client *holder)
{
	if (!has_groups(holder))
		return !tg_turns_lingers(gpu, linger(gpu));
	tg_turns_back(gpu);
	return turn_over(gpu) && (!holder->inflight || !tg_turns_first(gpu));
}

static void timeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *next;

	if (holder) {
		if (!ended(gpu, holder))
			return;
		next = holder->inflight ? holder : NULL;
		tg_turns_end(gpu, !list_empty(&holder->queue), slice(gpu));
		/* No other client waits: the holder goes on. */
		if (next) {
			tg_turns_begin(gpu, next);
			return;
		}
	}
	next = tg_turns_first(gpu);
	if (next)
		tg_turns_begin(gpu, next);
}

/* May one more of the holder's groups go, beside those that it has in flight? */
static bool may_follow(const struct tg_gpu *gpu, struct tg_client *holder)
{
	s64 length = tg_turns_share(holder)->length;

	return !holder->inflight || gpu->nr_clients == 1 ||
	       (length && length * holder->inflight <= linger(gpu));
}

/* Take the client's first job for @engine. */
static struct tg_job *take(struct tg_gpu *gpu, struct tg_client *client,
			   const struct tg_engine *engine)
{
	struct tg_job *job;

	list_for_each_entry(job, &client->queue, link)
		if (job->engines & 1 << engine->index) {
			tg_turns_drop(gpu, job);
			return job;
		}
	return NULL;
}

static s64 idle_until(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	return tg_after(engine->idle_since, linger(gpu));
}

/* Does the engine idle in the holder's turn, so that other clients may have it? */
static bool spare(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	struct tg_turns *turns = tg_turns(gpu);

	if (engine->inflight || gpu->nr_engines == 1)
		return false;
	if (idle_until(gpu, engine) <= gpu->now)
		turns->uses &= ~(1 << engine->index);
	return turn_over(gpu) || !(turns->uses & 1 << engine->index);
}

static struct tg_job *timeslice_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *client;
	struct tg_job *job = NULL;

	if (holder && !turn_over(gpu) && may_follow(gpu, holder))
		job = take(gpu, holder, engine);
	if (job)
		tg_turns(gpu)->uses |= job->engines;
	if (job || !holder || !spare(gpu, engine))
		return job;
	for (client = tg_turns_first(gpu); client; client = tg_turns_after(client)) {
		job = take(gpu, client, engine);
		if (job)
			return job;
	}
	return take(gpu, holder, engine);
}

static s64 timeslice_wake(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 wake = turns->linger.since ? turns->linger.until : TG_NEVER;
	u32 i;

	for (i = 0; gpu->nr_engines > 1 && i < gpu->nr_engines; i++)
		if (turns->uses & 1 << i)
			wake = min(wake, idle_until(gpu, &gpu->engine[i]));
	if (turns->holder && gpu->now < slice_ends(gpu))
		wake = min(wake, slice_ends(gpu));
	return wake;
}

TG_POLICY(timeslice) = {
	.name = "timeslice",
	.mode = TG_GATE_ASK,
	.params = params,
	.init = tg_turns_init,
	.join = timeslice_join,
	.leave = tg_turns_leave,
	.queue = timeslice_queue,
	.drop = tg_turns_drop,
	.pick = timeslice_pick,
	.done = timeslice_done,
	.held = timeslice_held,
	.tick = timeslice_tick,
	.wake = timeslice_wake,
};
