// SPDX-License-Identifier: GPL-2.0
/*
 * tick: decides at ticks and at no other time (after GERM; TimeGraph, section 6.3, Figure 16).
 *
 * What schedulers did before TimeGraph: nobody tells them of a completion. At every tick, 1 ms
 * apart as Linux's jiffies were, they look whether the engine is idle, and if so the
 * highest-priority waiter goes. Here only the moment of the decision is theirs: the order is
 * that of PRT, so that a comparison with timegraph shows what the tick costs and nothing else.
 * (GERM itself turns from client to client, by estimates from data sizes.)
 *
 * A group that arrives at an idle engine waits for the next tick, and after a completion the
 * engine idles until the next one: with period P and groups of length c, it works c of every
 * P * ceil(c / P) ns at best, and completes at most one group per P. The core still hears of
 * completions, since it keeps the accounts; the policy does not look.
 *
 * Good at: nothing that timegraph is not better at; it is the baseline. With groups that take
 * many ticks it comes close. Bad at streams of short groups, by the ratio of P to their length.
 */
#include "ready.h"

enum { KNOB_PERIOD };

static const struct tg_param params[] = {
	[KNOB_PERIOD] = { "tick_us", 100, 100000, 1000 },
	{ }
};

struct state {
	struct tg_ready ready;
	s64 next;		/* tick */
	bool ticks;		/* the event that is being fed is the first since a tick was due */
};

static void tick_init(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_ready_init(&st->ready);
	st->next = gpu->now;
}

static void tick_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_ready_queue(&tg_gpu_priv(gpu, struct state)->ready, job);
}

static void tick_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_ready_drop(&tg_gpu_priv(gpu, struct state)->ready, job);
}

static void tick_tick(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	s64 period = gpu->policy_knob[KNOB_PERIOD] * TG_USEC;

	st->ticks = gpu->now >= st->next;
	if (st->ticks)
		st->next = tg_after(st->next + div64_s64(gpu->now - st->next, period) * period,
				    period);
}

static struct tg_job *tick_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_job *job;

	if (!st->ticks || engine->inflight)
		return NULL;
	job = tg_ready_next(gpu, &st->ready, engine);
	if (job)
		tick_drop(gpu, job);
	return job;
}

/* A tick at which nobody waits decides nothing. */
static s64 tick_wake(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	return rb_first_cached(&st->ready.clients) ? st->next : TG_NEVER;
}

TG_POLICY(tick) = {
	.name = "tick",
	.mode = TG_GATE_ASK,
	.params = params,
	.init = tick_init,
	.queue = tick_queue,
	.drop = tick_drop,
	.pick = tick_pick,
	.tick = tick_tick,
	.wake = tick_wake,
};
