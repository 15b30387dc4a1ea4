// SPDX-License-Identifier: GPL-2.0
/*
 * band: bandwidth for virtual GPUs whose groups cannot be preempted (Gdev's BAND, section 5.2).
 *
 * Each virtual GPU has a budget, which grows every period (30 ms) by its share of the period and
 * falls by what its groups took, and a utilisation, its part of what all groups took in about the
 * last second. Virtual GPUs stand in a queue. At each completion (Figure 2):
 *
 *	demote	if its budget < 0 and its utilisation > its share, it goes to the tail;
 *	choose	the first one that has a job waiting;
 *	wait	if that is another than the last one and is over its share, wait for a virtual GPU
 *		that is further below its share, has just had a group and is about to have the
 *		next one: a linger (struct tg_linger) of up to wait_us (0.5 ms).
 *
 * In the chosen one the client of highest priority goes (TimeGraph's way: vqueue.c). Why the wait:
 * a client with short groups submits its next one a moment after the last has ended. Without the
 * wait, the engine has gone to a client with long groups by then, which gets one long group for
 * each short one, whatever the shares. With it the short ones go on until the long ones are below
 * their share.
 *
 * Where this differs from Figure 2:
 *
 *	A group that may go is held against the share at its end, as if it took what groups of that
 *	virtual GPU take on average. Of two that are equal, each is then ahead as often and as far
 *	as the other. Held at its start, the one with long groups would be ahead more often, and
 *	each halving (below) would forgive it half of that.
 *	Figure 2 waits for wait_us whenever the chosen one is over its share. This waits only if a
 *	virtual GPU that is lower is absent, and is expected: as long as the gap from its last group
 *	to its next usually is. Of those that wait the lowest goes, at once if no absent one is
 *	lower; Figure 2 lets the next to arrive go.
 *	A client may follow its own groups (HT) beside others that wait, while its virtual GPU is
 *	the head or the lowest, and always only as far as those in flight last no longer than
 *	wait_us. So short groups leave no gaps, and a client that comes waits for one long group.
 *	faithful=1 undoes these two: wait_us for any lower one that has used the engine lately, and
 *	depth groups in flight where no other virtual GPU waits.
 *	The published code clears utilisations every second, which forgets which one was ahead. Here
 *	they are halved. Each is a part of the time that the queue worked, not of all time: the
 *	queue also idles from each completion to the next start, which costs a virtual GPU with
 *	short groups more than one with long groups. Of all time the latter would get its share, and
 *	the former what is left.
 *	The code forgives debts of more than 30 ms; here the knob `forgive` does.
 *	A virtual GPU that has waited for starvation_us stands first in the queue. It goes unless
 *	it is above its share and another one is not: else long groups would be a way around shares.
 *
 * Good at shares over a second or so, also of long groups, and where some virtual GPUs are idle:
 * the others use what is left. Bad at latency: a virtual GPU that is over its share waits, for up
 * to the window. wait_us has to be longer than a client needs from a completion to its next
 * submission.
 */
#include "vqueue.h"

enum { KNOB_WAIT = TG_VQUEUE_KNOBS, KNOB_FAITHFUL, KNOB_SHARE };

static const struct tg_param params[] = {
	TG_VQUEUE_PARAMS,
	TG_VQUEUE_BUDGET_PARAMS,
	TG_VQUEUE_WINDOW_PARAM,
	[KNOB_WAIT] = { "wait_us", 0, 400000, 500,
		"the longest wait for a virtual GPU whose next group is about to come" },
	[KNOB_FAITHFUL] = { "faithful", 0, 1, 0,
		"1: wait for wait_us, and fill up to depth groups, as Gdev's Figure 2 has it" },
	[KNOB_SHARE] = TG_SHARE_PARAM,
	{ }
};

struct state {
	struct tg_vqueues queues;
	struct tg_linger wait[TG_MEMORY];
};

/* May the queue wait for one that has no job, and whose gap this is? */
static bool waits(struct tg_gpu *gpu, const struct tg_gap *gap, u32 queue)
{
	struct tg_linger *wait = &tg_gpu_priv(gpu, struct state)->wait[queue];
	s64 most = gpu->policy_knob[KNOB_WAIT] * TG_USEC;

	if (!gpu->policy_knob[KNOB_FAITHFUL])
		return tg_linger(gpu, wait, gap, most);
	if (!wait->since) {
		wait->since = gpu->now;
		wait->until = gpu->now + most;
	}
	return gpu->now < wait->until;
}

static void end_wait(struct tg_gpu *gpu, u32 queue)
{
	struct state *st = tg_gpu_priv(gpu, struct state);

	tg_linger_end(gpu, &st->wait[queue], true);
}

static struct tg_vgpu *choose_vgpu(struct tg_gpu *gpu, u32 queue)
{
	struct state *st = tg_gpu_priv(gpu, struct state);
	struct tg_vgpu *next = tg_vqueue_head(gpu, queue), *absent;

	/* The job beside which it waited was given up. */
	if (!next)
		end_wait(gpu, queue);
	if (!next || next == st->queues.of[queue].last || tg_vqueue_level(gpu, next, queue) <= 0)
		return next;
	next = tg_vqueue_lowest(gpu, queue, true);
	absent = tg_vqueue_lowest(gpu, queue, false);
	if (!absent || tg_vqueue_level(gpu, absent, queue) >= tg_vqueue_level(gpu, next, queue))
		return next;
	return waits(gpu, &tg_vgpu_priv(absent, struct tg_vshare)->of[queue].gap, queue) ? NULL :
											  next;
}

/* In the virtual GPU a user or cgroup may be absent for a moment, too. */
static struct tg_vgpu *choose(struct tg_gpu *gpu, u32 queue)
{
	struct tg_vgpu *next = choose_vgpu(gpu, queue);
	const struct tg_gap *gap = NULL;

	if (next && !gpu->policy_knob[KNOB_FAITHFUL])
		gap = tg_vqueue_absent(gpu, next, queue);
	return gap && waits(gpu, gap, queue) ? NULL : next;
}

static struct tg_job *band_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	s64 ahead = gpu->policy_knob[KNOB_FAITHFUL] ? -1 :
		    gpu->policy_knob[KNOB_WAIT] * TG_USEC;
	struct tg_job *job = tg_vqueue_pick(gpu, engine, choose, ahead);

	if (job)
		end_wait(gpu, tg_vqueue_of(gpu, job));
	return job;
}

static void band_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct tg_vgpu *vgpu = &gpu->vgpu[job->client->vgpu];
	u32 queue = tg_vqueue_ended(gpu, job, used);

	tg_linger_earn(&tg_gpu_priv(gpu, struct state)->wait[queue], used);
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
		if (st->wait[q].since && st->wait[q].until > gpu->now)
			wake = min(wake, st->wait[q].until);
	return wake;
}

TG_POLICY(band) = {
	.name = "band",
	.mode = TG_GATE_ASK,
	.by_prio = true,
	.by_vgpu = true,
	.params = params,
	.init = tg_vqueue_init,
	.ahead = tg_vqueue_ahead,
	.leave = tg_vqueue_leave,
	.queue = tg_vqueue_queue,
	.drop = tg_vqueue_drop,
	.pick = band_pick,
	.done = band_done,
	.lost = band_lost,
	.held = band_held,
	.wake = band_wake,
};
