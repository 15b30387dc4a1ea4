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
 * Where there is one client only, it may have any number. A holder with short groups of which none
 * waits leaves the engine to short groups of the next client, which is charged for them.
 *
 * A kernel that runs for ever is suspended when its turn is over, if its program can (tg_yield()).
 * With slices of 10 ms and a share for each user that is GLoop's scheduler (SoCC 2017, section
 * 5.3).
 *
 * There is one token for all engines. An engine that the holder does not use in its turn, or has
 * left idle for linger_us, takes the next of the groups that wait; what it takes is charged to
 * their clients.
 *
 * Good at isolation: in a turn only the holder's groups run, and such short ones, and fairness
 * rests on no estimate. Bad at short turns of the engine: it idles from the end of a turn to the
 * next client's doorbell, and each group costs a question to the policy, which dtimeslice saves.
 */
#include "turns.h"

static const struct tg_param params[] = {
	[TG_TURNS_SLICE] = { "slice_us", 1000, 500000, 30000, "length of a turn" },
	[TG_TURNS_LINGER] = TG_LINGER_PARAM,
	[TG_TURNS_SHARE] = TG_SHARE_PARAM,
	{ }
};

static void timeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gap_end(gpu, &tg_turns_share(job->client)->gap);
	tg_client_queue(job);
	if (job->throttled)
		tg_turns_return(gpu, job->client);
	else
		tg_turns_enter(gpu, job->client);
}

static void timeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *next = tg_turns(gpu)->holder;

	if (next) {
		if (!tg_turns_ended(gpu))
			return;
		tg_turns_end(gpu, !list_empty(&next->queue));
	}
	/* No other client waits: the holder goes on. */
	if (!next || !next->inflight)
		next = tg_turns_first(gpu);
	if (next)
		tg_turns_begin(gpu, next);
}

TG_POLICY(timeslice) = {
	.name = "timeslice",
	.mode = TG_GATE_ASK,
	.params = params,
	.init = tg_turns_init,
	.join = tg_turns_join,
	.ahead = tg_turns_ahead,
	.leave = tg_turns_leave,
	.queue = timeslice_queue,
	.drop = tg_turns_drop,
	.pick = tg_turns_pick,
	.done = tg_turns_done,
	.held = tg_turns_held,
	.tick = timeslice_tick,
	.wake = tg_turns_wake,
};
