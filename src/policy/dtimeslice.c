// SPDX-License-Identifier: GPL-2.0
/*
 * dtimeslice: timeslice, whose holder's gate is open where that does no harm (NEON's disengaged
 * timeslice with overuse control).
 *
 * The token goes round as under timeslice (struct tg_turns). A holder that sends one group at a
 * time has its gate open for its slice, and submits without an event. At the slice's end the gate
 * is shut, and what went through it is awaited (tg_sync(), which has a deadline); that is part of
 * its turn. The gate of the only client of a GPU is open whatever it sends.
 *
 * Behind an open gate the policy does not see that the holder has nothing to do. So while another
 * client waits, the host watches the holder (tg_watch()). When nothing of it is in flight, its gate
 * is shut, and its turn ends after a linger (struct tg_linger), unless it comes back: that opens
 * the gate again. The same when a client has come that is behind all others. A host that does not
 * answer lets each such holder have its slice, as NEON does.
 *
 * NEON's holder may have a thousand groups in flight when its slice ends, and others wait for all
 * of them. Here the gate of a client that has more in flight than a linger may last stays at ASK,
 * as under timeslice: seen so while its gate was at ASK, or by how long it took to drain. After
 * DEEP turns in which that is not seen, and after the first turn of all, its gate opens. So it does
 * in a turn in which others wait for an engine that the holder does not use: they get it then.
 *
 * A holder whose jobs do not end is cut at the deadline and blamed, and gets no turn until they
 * have.
 *
 * A client is booked the time for which its gate was open, whether it used it or not.
 *
 * Good at isolation, and at sparing programs that send one group at a time each question to the
 * policy, at the cost of a drain per slice.
 */
#include "turns.h"

static const struct tg_param params[] = {
	[TG_TURNS_SLICE] = { "slice_us", 1000, 1000000, 30000, "length of a turn" },
	[TG_TURNS_LINGER] = TG_LINGER_PARAM,
	[TG_TURNS_SHARE] = TG_SHARE_PARAM,
	{ }
};

#define DEEP	16	/* turns */
#define COUNTED	16	/* groups: a client that has more waiting is deep, however short they are */

static void dtimeslice_join(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_join(gpu, client);
	tg_gate(gpu, client, TG_GATE_ASK);
}

/* Let the client wait for a turn, if a job of it waits and it owes no IDLE. */
static void enter(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!list_empty(&client->queue) && !client->syncing)
		tg_turns_enter(gpu, client);
}

static void keep(struct tg_client *client)
{
	tg_turns_share(client)->deep = DEEP;
	tg_turns_share(client)->kept = true;
}

/* Does the client send groups beside those that it has, for longer than a linger? */
static bool is_deep(const struct tg_gpu *gpu, struct tg_client *client)
{
	s64 length = tg_turns_share(client)->length, sum = client->inflight * length;
	const struct tg_job *job;
	u32 n = client->inflight;

	list_for_each_entry(job, &client->queue, link) {
		if (n && (!length || sum > tg_turns_linger(gpu) || n > COUNTED))
			return true;
		sum += length;
		n++;
	}
	return false;
}

static void dtimeslice_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;

	tg_gap_end(gpu, &tg_turns_share(client)->gap);
	tg_turns_share(client)->engines |= job->engines;
	tg_client_queue(job);
	enter(gpu, client);
	if (is_deep(gpu, client))
		keep(client);
}

/* Does a job wait for an engine that the holder does not use? */
static bool others_share(const struct tg_gpu *gpu, struct tg_client *holder)
{
	const u32 own = tg_turns_share(holder)->engines;
	u32 i;

	for (i = 0; own && i < gpu->nr_engines; i++)
		if (!(own & 1 << i) && gpu->engine[i].queued)
			return true;
	return false;
}

/* May the gate of the holder be open? */
static bool opens(struct tg_gpu *gpu, struct tg_client *holder)
{
	struct tg_turns *turns = tg_turns(gpu);

	turns->shared |= others_share(gpu, holder);
	return (!tg_turns_share(holder)->deep && !turns->shared) || tg_gpu_alone(gpu);
}

static void open(struct tg_gpu *gpu, struct tg_client *holder)
{
	struct tg_turns *turns = tg_turns(gpu);

	if (!turns->opened)
		turns->opened = gpu->now;
	tg_gate(gpu, holder, TG_GATE_OPEN);
}

static void shut(struct tg_gpu *gpu, struct tg_client *holder)
{
	tg_turns(gpu)->shut = gpu->now;
	tg_gate(gpu, holder, TG_GATE_ASK);
	tg_sync(gpu, holder);
}

/* Book the time for which the holder's gate was open. */
static void book(struct tg_gpu *gpu, struct tg_client *holder)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 took = gpu->now - turns->opened;

	if (!turns->opened)
		return;
	tg_charge(gpu, holder, took);
	tg_linger_earn(&turns->linger, took);
	turns->opened = 0;
}

static void begin_turn(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_turns_begin(gpu, client);
	if (opens(gpu, client))
		open(gpu, client);
}

static void end_turn(struct tg_gpu *gpu)
{
	struct tg_client *holder = tg_turns(gpu)->holder;

	book(gpu, holder);
	tg_turns_end(gpu, !list_empty(&holder->queue) && !holder->syncing);
}

static void dtimeslice_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 most = 2LL * tg_turns_share(client)->length + tg_turns_linger(gpu);

	if (turns->holder == client) {
		book(gpu, client);
		if (gpu->now - turns->shut > most)
			keep(client);
	}
	if (client->cut) {
		tg_sync(gpu, client);
		if (turns->holder == client)
			end_turn(gpu);
	}
	enter(gpu, client);
}

/* The one gate that is open, if any is, is the holder's. */
static void dtimeslice_quiet(struct tg_gpu *gpu, s64 gap)
{
	struct tg_client *holder = tg_turns(gpu)->holder;

	tg_turns(gpu)->watched = true;
	if (holder && holder->gate == TG_GATE_OPEN && !holder->inflight && tg_turns_first(gpu))
		shut(gpu, holder);
}

/* The holder's gate is open: shut it, if that is due. */
static void look(struct tg_gpu *gpu, struct tg_client *holder)
{
	bool others = tg_turns_first(gpu), over = tg_turns_over(gpu);

	if (!opens(gpu, holder) || (others && over)) {
		shut(gpu, holder);
	} else if (over) {
		end_turn(gpu);
		begin_turn(gpu, holder);
	} else if (others && !holder->inflight) {
		tg_watch(gpu);
	}
}

static void dtimeslice_tick(struct tg_gpu *gpu)
{
	struct tg_client *next = tg_turns(gpu)->holder;

	if (next && next->gate == TG_GATE_OPEN) {
		look(gpu, next);
		return;
	}
	if (next && !list_empty(&next->queue) && opens(gpu, next) && !tg_turns_over(gpu)) {
		/* It has come back while its gate was shut, or it is not deep after all. */
		tg_turns_ended(gpu);
		open(gpu, next);
		return;
	}
	if (next) {
		if (next->syncing || !tg_turns_ended(gpu))
			return;
		end_turn(gpu);
	}
	/* No other client waits: the holder goes on. */
	if (!next || !next->inflight)
		next = tg_turns_first(gpu);
	if (next)
		begin_turn(gpu, next);
}

TG_POLICY(dtimeslice) = {
	.name = "dtimeslice",
	.mode = TG_GATE_HOLD,
	.params = params,
	.init = tg_turns_init,
	.join = dtimeslice_join,
	.ahead = tg_turns_ahead,
	.leave = tg_turns_leave,
	.queue = dtimeslice_queue,
	.drop = tg_turns_drop,
	.pick = tg_turns_pick,
	.done = tg_turns_done,
	.held = tg_turns_held,
	.idle = dtimeslice_idle,
	.quiet = dtimeslice_quiet,
	.tick = dtimeslice_tick,
	.wake = tg_turns_wake,
};
