// SPDX-License-Identifier: GPL-2.0
/*
 * timeslice: a token goes from client to client; only its holder's groups may go, for a slice
 * (NEON's timeslice with overuse control).
 *
 * When a turn is over, no more of the holder's groups are freed, and what it has in flight is
 * awaited, as part of its turn. The next turn goes to the client that has groups waiting and whose
 * turns have taken the least by its weight (struct tg_turns). A client that overruns its slice
 * waits that much longer; one of twice the weight has twice as many turns. So shares are by weight,
 * whatever the lengths of groups. A holder beside which no client waits goes on. One that has
 * nothing to do keeps the token, as in NEON, to the end of its slice.
 *
 * There is one token for all engines. An engine that has idled for a slice beside waiting groups,
 * since the holder does not use it, takes the next of these.
 *
 * Good at isolation: in a turn only the holder's groups run, and fairness rests on no estimate. Bad
 * at using the GPU: it idles while the holder computes on the CPU, others wait for a round of
 * turns, and each group costs a question to the policy, which dtimeslice saves.
 */
#include "turns.h"

enum { KNOB_SLICE };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 500000, 30000 },
	{ }
};

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_SLICE] * TG_USEC;
}

static void timeslice_join(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_join(gpu, client, slice(gpu));
}

static void timeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_client_queue(job);
	tg_turns_enter(gpu, job->client);
}

static s64 slice_ends(struct tg_gpu *gpu)
{
	return tg_after(tg_turns(gpu)->since, slice(gpu));
}

static void timeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *next = tg_turns_first(gpu);

	if (holder) {
		/* No other client waits: the holder goes on while it has anything to do. */
		bool goes_on = !next && (holder->inflight || !list_empty(&holder->queue));

		if (gpu->now < slice_ends(gpu) || (holder->inflight && !goes_on))
			return;
		tg_turns_end(gpu);
		if (!list_empty(&holder->queue))
			tg_turns_enter(gpu, holder);
		next = goes_on ? holder : tg_turns_first(gpu);
	}
	if (next)
		tg_turns_begin(gpu, next);
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
	return tg_after(engine->idle_since, slice(gpu));
}

static struct tg_job *timeslice_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *client;
	bool idles = !engine->inflight && idle_until(gpu, engine) <= gpu->now;
	struct tg_job *job = NULL;

	if (holder && (gpu->now < slice_ends(gpu) || idles))
		job = take(gpu, holder, engine);
	if (job || !idles)
		return job;
	for (client = tg_turns_first(gpu); client; client = tg_turns_after(client)) {
		job = take(gpu, client, engine);
		if (job)
			break;
	}
	return job;
}

static s64 timeslice_wake(struct tg_gpu *gpu)
{
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		wake = min(wake, idle_until(gpu, &gpu->engine[i]));
	if (tg_turns(gpu)->holder && gpu->now < slice_ends(gpu))
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
	.tick = timeslice_tick,
	.wake = timeslice_wake,
};
