// SPDX-License-Identifier: GPL-2.0
/*
 * tick: decides at ticks and at no other time (after GERM; TimeGraph, section 6.3, Figure 16).
 *
 * This is how schedulers before TimeGraph worked: they were not told of completions. At every tick,
 * 1 ms apart as Linux's jiffies were, the scheduler looks whether the engine is idle, and if so the
 * waiting client of highest priority goes. Only the moment of the decision is theirs here. The
 * order is that of PRT, so that a comparison with timegraph shows what the tick costs and nothing
 * else. (GERM itself turns from client to client, by estimates from data sizes.)
 *
 * A group that arrives at an idle engine waits for the next tick, and after a completion the engine
 * idles until the next one. With period P and groups of length c, the engine works c of every P *
 * ceil(c / P) ns at best, and completes at most one group per P. The core still hears of
 * completions, since it keeps the accounts; the policy does not look.
 *
 * A baseline: timegraph is better at everything. With groups that take many ticks tick comes close;
 * with short groups it is worse by the ratio of P to their length.
 */
#include "ready.h"

enum { KNOB_PERIOD };

static const struct tg_param params[] = {
	[KNOB_PERIOD] = { "tick_us", 100, 100000, 1000, "distance of two ticks" },
	{ }
};

struct state {
	struct tg_ready ready;
	s64 next;		/* tick */
	bool ticks;		/* this event is the first one since a tick was due */
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

/* No tick where no job waits: it would decide nothing. */
static s64 tick_wake(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	return rb_first_cached(&st->ready.clients) ? st->next : TG_NEVER;
}

TG_POLICY(tick) = {
	.name = "tick",
	.mode = TG_GATE_ASK,
	.by_prio = true,
	.params = params,
	.init = tick_init,
	.queue = tick_queue,
	.drop = tick_drop,
	.pick = tick_pick,
	.tick = tick_tick,
	.wake = tick_wake,
};
