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
 * A holder whose jobs do not end is cut at the deadline and blamed, and gets no turn until they
 * have.
 *
 * Gates of clients that wait stand at ASK, so that the policy hears which they are, though it picks
 * none of their jobs: these go when the gate opens. A client is booked the time of its turns,
 * whether it used them or not.
 *
 * Good at isolation, at the cost of a drain per slice. Bad at using the GPU: it idles while the
 * holder computes on the CPU, and others wait for a round of turns.
 */
#include "turns.h"

enum { KNOB_SLICE };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 1000000, 30000 },
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

	tg_charge(client, tg_turns_end(gpu));
	enter(gpu, client);
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

/* Return: true: the holder's slice is over, and all that it sent has ended. */
static bool drained(struct tg_gpu *gpu, struct tg_client *holder)
{
	if (holder->gate == TG_GATE_OPEN) {
		if (gpu->now < slice_ends(gpu))
			return false;
		if (!tg_turns_first(gpu)) {
			end_turn(gpu);
			begin_turn(gpu, holder);
			return false;
		}
		tg_gate(gpu, holder, TG_GATE_ASK);
		tg_sync(gpu, holder);
	}
	return !holder->syncing && !holder->inflight;
}

static void dtimeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *next;

	if (holder) {
		if (!drained(gpu, holder))
			return;
		end_turn(gpu);
	}
	next = tg_turns_first(gpu);
	if (next)
		begin_turn(gpu, next);
}

static s64 dtimeslice_wake(struct tg_gpu *gpu)
{
	const struct tg_client *holder = tg_turns(gpu)->holder;

	return holder && holder->gate == TG_GATE_OPEN ? slice_ends(gpu) : TG_NEVER;
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
	.tick = dtimeslice_tick,
	.wake = dtimeslice_wake,
};
