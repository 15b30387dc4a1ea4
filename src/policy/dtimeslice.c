// SPDX-License-Identifier: GPL-2.0
/*
 * dtimeslice: a token goes from client to client; its holder's gate is open for a slice, all others
 * wait (NEON's disengaged timeslice with overuse control).
 *
 * As timeslice, but within its slice the holder submits without an event. At the slice's end its
 * gate is shut, and what went through it is awaited (tg_sync(), which has a deadline); that is part
 * of its turn. The next turn goes to the client whose turns have taken the least by its weight
 * (struct tg_turns), so a client that overruns its slice waits that much longer. A holder beside
 * which no client waits goes on. While no client waits or holds the token, the first submission is
 * asked about, and opens its client's gate.
 *
 * Behind an open gate the policy does not see that the holder has nothing to do. So while another
 * client waits, the host watches the holder (tg_watch()). When nothing of it is in flight, its gate
 * is shut, and its turn ends after a linger (struct tg_linger), unless it comes back: that opens
 * the gate again. The same when a client has come that is behind all others. A host that does not
 * answer lets each holder have its slice, as NEON does.
 *
 * A holder whose jobs do not end is cut at the deadline and blamed, and gets no turn until they
 * have.
 *
 * Gates of clients that wait stand at ASK, so that the policy hears which they are, though it picks
 * none of their jobs: these go when the gate opens. A client is booked the time of its turns,
 * whether it used them or not.
 *
 * Good at isolation, at the cost of a drain per slice. Bad at latency: a client that comes waits
 * for all that the holder has in flight, and nothing bounds that.
 */
#include "turns.h"

enum { KNOB_SLICE, KNOB_LINGER };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 1000000, 30000 },
	[KNOB_LINGER] = TG_LINGER_PARAM,
	{ }
};

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_SLICE] * TG_USEC;
}

static void dtimeslice_join(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_join(gpu, client, slice(gpu));
	tg_gate(gpu, client, TG_GATE_ASK);
}

/* Let the client wait for a turn, if a job of it waits and it owes no IDLE. */
static void enter(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!list_empty(&client->queue) && !client->syncing)
		tg_turns_enter(gpu, client);
}

static void dtimeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_gap_end(gpu, &tg_turns_share(job->client)->gap);
	tg_client_queue(job);
	enter(gpu, job->client);
}

static struct tg_job *dtimeslice_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	return NULL;
}

static void end_turn(struct tg_gpu *gpu)
{
	struct tg_client *client = tg_turns(gpu)->holder;

	bool again = !list_empty(&client->queue) && !client->syncing;
	s64 took = tg_turns_end(gpu, again, slice(gpu));

	tg_charge(client, took);
	tg_linger_earn(&tg_turns(gpu)->linger, took);
}

static void begin_turn(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_begin(gpu, client);
	tg_gate(gpu, client, TG_GATE_OPEN);
}

static void dtimeslice_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	if (client->cut) {
		tg_sync(gpu, client);
		if (tg_turns(gpu)->holder == client)
			end_turn(gpu);
	}
	enter(gpu, client);
}

static s64 slice_ends(struct tg_gpu *gpu)
{
	return tg_after(tg_turns(gpu)->since, slice(gpu));
}

static void shut(struct tg_gpu *gpu, struct tg_client *holder)
{
	tg_gate(gpu, holder, TG_GATE_ASK);
	tg_sync(gpu, holder);
}

/* The one gate that is open, if any is, is the holder's. */
static void dtimeslice_quiet(struct tg_gpu *gpu, s64 gap)
{
	struct tg_client *holder = tg_turns(gpu)->holder;

	tg_turns(gpu)->watched = true;
	if (holder && holder->gate == TG_GATE_OPEN && !holder->inflight && tg_turns_first(gpu))
		shut(gpu, holder);
}

/* Is the turn over, or, with a host that answers WATCH, does a client wait that is to go first? */
static bool turn_over(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);

	return gpu->now >= slice_ends(gpu) || (turns->yields && turns->watched);
}

/* The holder's gate is open: shut it, if that is due. Return: it still is open. */
static bool stays_open(struct tg_gpu *gpu, struct tg_client *holder)
{
	if (!tg_turns_first(gpu)) {
		if (turn_over(gpu)) {
			end_turn(gpu);
			begin_turn(gpu, holder);
		}
		return true;
	}
	if (turn_over(gpu)) {
		shut(gpu, holder);
		return false;
	}
	if (!holder->inflight)
		tg_watch(gpu);
	return true;
}

/* Is the holder's turn over, and has all that it sent ended? */
static bool ended(struct tg_gpu *gpu, struct tg_client *holder)
{
	if (holder->gate == TG_GATE_OPEN && stays_open(gpu, holder))
		return false;
	if (!list_empty(&holder->queue)) {
		tg_turns_back(gpu);
		if (turn_over(gpu))
			return !holder->syncing && !holder->inflight;
		/* It has come back while its gate was shut. */
		tg_gate(gpu, holder, TG_GATE_OPEN);
		return false;
	}
	return !holder->syncing && !holder->inflight &&
	       !tg_turns_lingers(gpu, gpu->policy_knob[KNOB_LINGER] * TG_USEC);
}

static void dtimeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *next;

	if (holder) {
		if (!ended(gpu, holder))
			return;
		end_turn(gpu);
	}
	next = tg_turns_first(gpu);
	if (next)
		begin_turn(gpu, next);
}

static s64 dtimeslice_wake(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);

	if (turns->linger.since)
		return turns->linger.until;
	return turns->holder && turns->holder->gate == TG_GATE_OPEN ? slice_ends(gpu) : TG_NEVER;
}

TG_POLICY(dtimeslice) = {
	.name = "dtimeslice",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = tg_turns_init,
	.join = dtimeslice_join,
	.leave = tg_turns_leave,
	.queue = dtimeslice_queue,
	.drop = tg_turns_drop,
	.pick = dtimeslice_pick,
	.idle = dtimeslice_idle,
	.quiet = dtimeslice_quiet,
	.tick = dtimeslice_tick,
	.wake = dtimeslice_wake,
};
