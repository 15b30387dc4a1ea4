// SPDX-License-Identifier: GPL-2.0
/*
 * dtimeslice: a token goes round; its holder's gate is open for a slice, all others are held
 * (NEON's disengaged timeslice with overuse control).
 *
 * As timeslice, but nobody is asked: within its slice the holder submits without an event. At
 * the slice's end its gate is held, and what went through it is awaited (tg_sync(), which has a
 * deadline); what that takes beyond the turn's end is its overuse, paid with later turns. A turn
 * of several slices (weights) ends early when the holder did nothing in one of them. A holder
 * beside whom nobody waits goes on, its overuse forgotten. While nobody waits or holds the token,
 * all gates are held: the first submission is asked about, and opens its client's.
 *
 * A holder that does not come to an end is cut at the deadline and blamed, and gets no turn before
 * it has ended.
 *
 * What is booked on a client is the time of its turns, whether it used them or not.
 *
 * Good at isolation at the cost of a drain per slice. Bad at using the GPU: it idles while the
 * holder thinks, and others wait for a round of turns.
 */
#include <tg/policy.h>

enum { KNOB_SLICE };

static const struct tg_param params[] = {
	[KNOB_SLICE] = { "slice_us", 1000, 1000000, 30000 },
	{ }
};

struct state {
	struct tg_turns turns;
	struct tg_client *holder;
	s64 since, until;	/* of its turn */
	s64 slice;		/* end of the slice */
};

static void dtimeslice_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_turns_leave(gpu, &st->turns, client);
	if (st->holder == client)
		st->holder = NULL;
}

static bool wants(const struct tg_client *client)
{
	return tg_client_waits(client) && !client->syncing;
}

static void dtimeslice_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	if (!client->cut)
		return;
	tg_sync(gpu, client);
	if (st->holder == client)
		st->holder = NULL;
}

static bool others_wait(struct tg_gpu *gpu, const struct state *st)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		if (client != st->holder && wants(client))
			return true;
	return false;
}

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[KNOB_SLICE] * TG_USEC;
}

static void begin_slice(struct tg_gpu *gpu, struct state *st)
{
	st->slice = min(st->until, tg_after(gpu->now, slice(gpu)));
	tg_gate(gpu, st->holder, TG_GATE_OPEN);
}

static void begin_turn(struct tg_gpu *gpu, struct state *st)
{
	st->since = gpu->now;
	st->until = tg_after(gpu->now, tg_turns_length(&st->turns, st->holder, slice(gpu)));
	begin_slice(gpu, st);
}

/* Return: true: the holder's slice is over, and all that it sent has ended. */
static bool drained(struct tg_gpu *gpu, struct state *st)
{
	struct tg_client *holder = st->holder;

	if (holder->gate == TG_GATE_OPEN) {
		if (gpu->now < st->slice)
			return false;
		if (!others_wait(gpu, st)) {
			tg_charge(holder, gpu->now - st->since);
			*tg_client_priv(holder, s64) = 0;
			begin_turn(gpu, st);
			return false;
		}
		tg_gate(gpu, holder, TG_GATE_HOLD);
		tg_sync(gpu, holder);
	}
	return !holder->syncing && !holder->inflight;
}

static void dtimeslice_tick(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	if (st->holder) {
		if (!drained(gpu, st))
			return;
		if (gpu->now < st->until && (st->holder->sent || tg_client_waits(st->holder))) {
			begin_slice(gpu, st);
			return;
		}
		*tg_client_priv(st->holder, s64) += max(gpu->now - st->until, (s64)0);
		tg_charge(st->holder, gpu->now - st->since);
	}
	st->holder = tg_turns_next(gpu, &st->turns, slice(gpu), wants);
	if (st->holder)
		begin_turn(gpu, st);
}

static s64 dtimeslice_wake(struct tg_gpu *gpu)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);

	return st->holder && st->holder->gate == TG_GATE_OPEN ? st->slice : TG_NEVER;
}

TG_POLICY(dtimeslice) = {
	.name = "dtimeslice",
	.mode = TG_GATE_HOLD,
	.params = params,
	.leave = dtimeslice_leave,
	.idle = dtimeslice_idle,
	.tick = dtimeslice_tick,
	.wake = dtimeslice_wake,
};
