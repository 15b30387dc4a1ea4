// SPDX-License-Identifier: GPL-2.0
/*
 * timeslice: a token goes round; only its holder's groups may go, for a slice (NEON's timeslice
 * with overuse control).
 *
 * Clients that have groups waiting take turns, of as many slices as their weight is times the
 * smallest among them. When a turn is over nothing more
 * is freed; what the holder has in flight is awaited, and what it took beyond the turn's end is
 * its overuse. A client whose overuse exceeds its turn skips the next one, and that much is
 * forgiven. So shares are by weight, whatever the lengths of groups. A holder beside whom nobody
 * waits begins a new turn, its overuse forgotten. One that has nothing to do keeps the token to
 * the turn's end, as in NEON, but for one slice at most.
 *
 * There is one token for all engines. An engine that has idled for a slice though groups wait for
 * it, since the holder does not use it, takes the next of these.
 *
 * Good at isolation: no group of anybody else runs in a turn, and fairness does not rest on any
 * estimate. Bad at using the GPU: it idles while the holder thinks, others wait for a round of
 * turns, and each group costs a question. dtimeslice saves the last.
 */
#include <tg/policy.h>

enum { KNOB_SLICE };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 500000, 30000 },
	{ }
};

struct state {
	struct tg_turns turns;
	struct tg_client *holder;
	s64 until;		/* end of its turn */
	s64 idle_since;		/* it has had nothing to do; TG_NEVER: it has */
};

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_SLICE] * TG_USEC;
}

static bool wants(const struct tg_client *client)
{
	return !list_empty(&client->queue);
}

static bool others_want(struct tg_gpu *gpu, const struct state *st)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (client != st->holder && wants(client))
			return true;
	return false;
}

static void timeslice_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_turns_leave(gpu, &st->turns, client);
	if (st->holder == client)
		st->holder = NULL;
}

static void timeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_client_queue(job);
}

static void timeslice_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
}

static void begin(struct tg_gpu *gpu, struct state *st, struct tg_client *client)
{
	st->holder = client;
	st->until = tg_after(gpu->now, tg_turns_length(&st->turns, client, slice(gpu)));
	st->idle_since = TG_NEVER;
}

/* May the holder's turn end now? */
static bool over(struct tg_gpu *gpu, struct state *st)
{
	if (wants(st->holder) || st->holder->inflight)
		st->idle_since = TG_NEVER;
	else
		st->idle_since = min(st->idle_since, gpu->now);
	return gpu->now >= min(st->until, tg_after(st->idle_since, slice(gpu)));
}

static void timeslice_tick(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *next;

	if (st->holder) {
		if (!over(gpu, st))
			return;
		if (!others_want(gpu, st)) {
			*tg_client_priv(st->holder, s64) = 0;
			begin(gpu, st, st->holder);
			return;
		}
		if (st->holder->inflight)
			return;
		*tg_client_priv(st->holder, s64) += max(gpu->now - st->until, (s64)0);
		st->holder = NULL;
	}
	next = tg_turns_next(gpu, &st->turns, slice(gpu), wants);
	if (next)
		begin(gpu, st, next);
}

/* Take the client's first job for @engine. */
static struct tg_job *take(struct tg_client *client, const struct tg_engine *engine)
{
	struct tg_job *job;

	list_for_each_entry(job, &client->queue, link)
		if (job->engines & 1 << engine->index) {
			list_del_init(&job->link);
			return job;
		}
	return NULL;
}

static s64 idle_until(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	return tg_after(engine->idle_since, slice(gpu));
}

static struct tg_job *timeslice_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_client *client;
	struct tg_job *job = NULL;

	if (st->holder && gpu->now < st->until)
		job = take(st->holder, engine);
	if (job || engine->inflight || idle_until(gpu, engine) > gpu->now)
		return job;
	list_for_each_entry(client, &gpu->all_clients, all) {
		job = take(client, engine);
		if (job)
			break;
	}
	return job;
}

static s64 timeslice_wake(struct tg_gpu *gpu)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		wake = min(wake, idle_until(gpu, &gpu->engine[i]));
	if (st->holder && gpu->now < st->until)
		wake = min(wake, st->until);
	if (st->holder && !st->holder->inflight)
		wake = min(wake, tg_after(st->idle_since, slice(gpu)));
	return wake;
}

TG_POLICY(timeslice) = {
	.name = "timeslice",
	.mode = TG_GATE_ASK,
	.params = params,
	.leave = timeslice_leave,
	.queue = timeslice_queue,
	.drop = timeslice_drop,
	.pick = timeslice_pick,
	.tick = timeslice_tick,
	.wake = timeslice_wake,
};
