// SPDX-License-Identifier: GPL-2.0
/*
 * band: bandwidth for virtual GPUs whose groups cannot be preempted (Gdev's BAND, section 5.2).
 *
 * Each virtual GPU has a budget, which grows every period (30 ms) by its share of the period and
 * falls by what its groups took, and a utilisation, the part of about the last second that its
 * groups took. Virtual GPUs stand in a queue. At each completion (Figure 2):
 *
 *	demote	if its budget < 0 and its utilisation > its share, it goes to the tail;
 *	choose	the first one that has a job waiting;
 *	wait	if that is another than the last one and is over its share, wait up to wait_us
 *		(0.5 ms) for a virtual GPU that is further below its share.
 *
 * In the chosen one the client of highest priority goes (TimeGraph's way: vqueue.c). Why the wait:
 * a client with short groups submits its next one a moment after the last has ended. Without the
 * wait, the engine has gone to a client with long groups by then, which gets one long group for
 * each short one, whatever the shares. With it the short ones go on until the long ones are below
 * their share.
 *
 * Where this differs from Figure 2:
 *
 *	A group that may go is held against the share at its middle, as long as it lasts on average.
 *	Held at its start, long groups would get half a group too much per window.
 *	Figure 2 waits whenever the chosen one is over its share. This waits only if a virtual GPU
 *	that is lower is absent, and has used the engine lately. Of those that wait the lowest goes,
 *	at once if no absent one is lower; Figure 2 lets the next to arrive go.
 *	The published code clears utilisations every second, which forgets which one was ahead. Here
 *	they, and the time that they are held against, are halved. The waits are left out of that
 *	time, or virtual GPUs with long groups would get their share of the waits.
 *	The code forgives debts of more than 30 ms; here the knob `forgive` does.
 *	A virtual GPU that has waited for starvation_us goes. Else one without a share would never
 *	go where the others' shares add up to 100 %.
 *
 * Good at shares over a second or so, also of long groups, and where some virtual GPUs are idle:
 * the others use what is left. Bad at latency: a virtual GPU that is over its share waits, for up
 * to the window. It idles the engine for up to wait_us per group of such a one. The wait has to be
 * longer than a client needs from a completion to its next submission.
 */
#include "vqueue.h"

enum { KNOB_WAIT = TG_VQUEUE_KNOBS };

static const struct tg_param params[] = {
	TG_VQUEUE_PARAMS,
	TG_VQUEUE_BUDGET_PARAMS,
	TG_VQUEUE_WINDOW_PARAM,
	[KNOB_WAIT] = { "wait_us", 0, 400000, 500 },
	{ }
};

struct state {
	struct tg_vqueues queues;
	s64 since[TG_MEMORY];	/* start of the wait under way, TG_NEVER: none is */
};

static s64 wait_end(const struct tg_gpu *gpu, const struct state *st, u32 queue)
{
	return tg_after(st->since[queue], gpu->policy_knob[KNOB_WAIT] * TG_USEC);
}

static void band_init(struct tg_gpu *gpu)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	u32 q;

	tg_vqueue_init(gpu);
	for (q = 0; q < TG_MEMORY; q++)
		st->since[q] = TG_NEVER;
}

static struct tg_vgpu *choose(struct tg_gpu *gpu, u32 queue)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_vgpu *next = tg_vqueue_head(gpu, queue), *absent;

	if (!next || next == st->queues.of[queue].last || tg_vqueue_level(gpu, next, queue) <= 0)
		return next;
	next = tg_vqueue_lowest(gpu, queue, true);
	absent = tg_vqueue_lowest(gpu, queue, false);
	if (!absent || tg_vqueue_level(gpu, absent, queue) >= tg_vqueue_level(gpu, next, queue))
		return next;
	st->since[queue] = min(st->since[queue], gpu->now);
	return wait_end(gpu, st, queue) <= gpu->now ? next : NULL;
}

static struct tg_job *band_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_job *job = tg_vqueue_pick(gpu, engine, choose);
	u32 queue = job ? tg_vqueue_of(gpu, job) : 0;

	if (job && st->since[queue] != TG_NEVER) {
		st->queues.of[queue].idle += gpu->now - st->since[queue];
		st->since[queue] = TG_NEVER;
	}
	return job;
}

static void band_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct tg_vgpu *vgpu = &gpu->vgpu[job->client->vgpu];
	u32 queue = tg_vqueue_ended(gpu, job, used);

	if (tg_vqueue_charge(gpu, vgpu, queue, used) < 0 && tg_vqueue_over(gpu, vgpu, queue))
		tg_vqueue_rotate(gpu, vgpu, queue);
}

static void band_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	band_done(gpu, job, job->charged);
}

static void band_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	struct tg_vgpu *vgpu = &gpu->vgpu[job->client->vgpu];
	u32 queue = tg_vqueue_of(gpu, job);

	if (tg_vqueue_held(gpu, job, held) < 0 && tg_vqueue_over(gpu, vgpu, queue))
		tg_vqueue_rotate(gpu, vgpu, queue);
}

static s64 band_wake(struct tg_gpu *gpu)
{
	const struct state *st = tg_gpu_priv(gpu, struct state);
	s64 wake = tg_vqueue_wake(gpu);
	u32 q;

	for (q = 0; q < TG_MEMORY; q++)
		if (wait_end(gpu, st, q) > gpu->now)
			wake = min(wake, wait_end(gpu, st, q));
	return wake;
}

TG_POLICY(band) = {
	.name = "band",
	.mode = TG_GATE_ASK,
	.params = params,
	.init = band_init,
	.leave = tg_vqueue_leave,
	.queue = tg_vqueue_queue,
	.drop = tg_vqueue_drop,
	.pick = band_pick,
	.done = band_done,
	.lost = band_lost,
	.held = band_held,
	.wake = band_wake,
};
