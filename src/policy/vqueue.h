/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two levels for the policies that go by virtual GPUs (Gdev, section 5): a queue chooses a virtual
 * GPU, and in it the client of highest priority goes, of equals the one whose sharer has had least,
 * and of a sharer's clients the one that has had least (struct tg_ready). SDQ has one queue for all
 * engines; MRQ one for engine 0, which computes, and one for all others, which copy. One client at
 * a time has groups in flight in a queue.
 *
 * Implemented in vqueue.c.
 */
#ifndef TG_POLICY_VQUEUE_H
#define TG_POLICY_VQUEUE_H

#include "linger.h"
#include "ready.h"

/** The first knobs of such a policy, as far as it has them, and their rows in its table */
enum tg_vqueue_knob {
	TG_VQUEUE_MRQ, TG_VQUEUE_DEPTH, TG_VQUEUE_PERIOD, TG_VQUEUE_FORGIVE, TG_VQUEUE_WINDOW,
	TG_VQUEUE_KNOBS
};

#define TG_VQUEUE_PARAMS						\
	[TG_VQUEUE_MRQ] = { "mrq", 0, 1, 0, \
		"1: one queue for each kind of engine" }, \
	[TG_VQUEUE_DEPTH] = { "depth", 1, TG_DEPTH_MAX, 2, \
		"groups in flight of an ht client whose line names no depth=" }
#define TG_VQUEUE_BUDGET_PARAMS						\
	[TG_VQUEUE_PERIOD] = { "period_us", 1000, 1000000, 30000, \
		"time between two refills of budgets" }, \
	[TG_VQUEUE_FORGIVE] = { "forgive", 0, 1, 0, "1: a debt of more than a period becomes 0" }
#define TG_VQUEUE_WINDOW_PARAM						\
	[TG_VQUEUE_WINDOW] = { "window_us", 100000, 60000000, 1000000, \
		"the time that utilisation is measured over" }

/**
 * struct tg_vqueue - one queue
 * @holder: client that it went to last, NULL: it is gone
 * @last: virtual GPU whose group ended last, NULL: none has
 * @turns: places at the tail that have been given out
 * @used: time used since tg_vqueues.since by all virtual GPUs, ns
 */
struct tg_vqueue {
	struct tg_client *holder;
	const struct tg_vgpu *last;
	u64 turns;
	s64 used;
};

/**
 * struct tg_vqueues - first thing in such a policy's tg_gpu_priv()
 * @of: TG_COMPUTE: the one for engine 0, or for all (SDQ); TG_COPY
 * @refilled: when budgets were refilled last
 * @since: utilisation is what has been used since then
 * @most: the largest virtual time of a sharer, or of a client, ns
 * @sharers: how many users and cgroups have come
 */
struct tg_vqueues {
	struct tg_vqueue of[TG_MEMORY];
	s64 refilled, since, most;
	u32 sharers;
};

/**
 * struct tg_vshare - the tg_vgpu_priv() of such a policy
 * @ready: sharers with clients that wait, by what their first job does: struct tg_vqueue_place
 * @of: per queue
 * @of.budget: ns; negative: debt
 * @of.used: time used since tg_vqueues.since, ns
 * @of.length: running mean of what its groups take, ns
 * @of.went: when a group of it ended last
 * @of.gap: from its last group in the queue to its next
 * @of.turn: its place: the smallest is the head of the queue
 */
struct tg_vshare {
	struct tg_ready ready[TG_MEMORY];
	struct {
		s64 budget, used, length, went;
		struct tg_gap gap;
		u64 turn;
	} of[TG_MEMORY];
};

/**
 * struct tg_vqueue_place - clients of a sharer that wait, by what their first job does
 * @node: in tg_vshare.ready while there are any: by the priority of the first of them, then by the
 *	time that the sharer has had, then by the arrival of that client's first job
 * @ready: them
 */
struct tg_vqueue_place {
	struct rb_node node;
	struct tg_ready ready;
};

/**
 * struct tg_vqueue_sharer - the tg_sharer_priv() of such a policy
 * @vt: virtual time: what its clients have used, over its weight, ns
 * @gap: from its last group to its next, in any queue
 * @known: it is in use
 * @nr: from tg_vqueues.sharers, of a user or cgroup; 0: none of its clients has come yet
 * @of: TG_COMPUTE and TG_COPY
 */
struct tg_vqueue_sharer {
	s64 vt;
	struct tg_gap gap;
	bool known;
	u32 nr;
	struct tg_vqueue_place of[TG_MEMORY];
};

/**
 * struct tg_vqueue_client - the tg_client_priv() of such a policy
 * @ready: as struct tg_ready has it
 * @sharer: number of the user or cgroup to which it has come; 0: none yet
 */
struct tg_vqueue_client {
	struct tg_ready_client ready;
	u32 sharer;
};

/* For .init, .leave, .queue, .drop, .wake and, called by .done and .lost: @used as there. */
void tg_vqueue_init(struct tg_gpu *gpu);
s64 tg_vqueue_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left);
void tg_vqueue_leave(struct tg_gpu *gpu, struct tg_client *client);
void tg_vqueue_queue(struct tg_gpu *gpu, struct tg_job *job);
void tg_vqueue_drop(struct tg_gpu *gpu, struct tg_job *job);
s64 tg_vqueue_wake(struct tg_gpu *gpu);

/**
 * tg_vqueue_pick() - for .pick
 * @gpu: the GPU
 * @engine: the engine
 * @choose: names the virtual GPU that @queue goes to, now that nothing of it is in flight: one
 *	that has a job waiting for it, or NULL: none now
 * @ahead: how long the groups in flight may last beside which one of the same client may go, ns:
 *	another client waits for them; -1: no limit
 *
 * HT: a client may follow its own groups where no client waits before it in its virtual GPU, and no
 * other virtual GPU has a job waiting or, with @ahead, its own is the head of the queue or the
 * lowest. The only client of a GPU has no limit. An engine that has idled for half of starvation_us
 * beside a job that it could run (SDQ: another engine is busy) gets that job.
 */
struct tg_job *tg_vqueue_pick(struct tg_gpu *gpu, struct tg_engine *engine,
			      struct tg_vgpu *(*choose)(struct tg_gpu *gpu, u32 queue), s64 ahead);

/**
 * tg_vqueue_head() - the first virtual GPU in the queue that has a job waiting
 *
 * One that has waited for starvation_us, in which no group of it ran, is before all others; of
 * several, the one that has waited longest.
 *
 * Return: the virtual GPU, NULL: none has a job waiting.
 */
struct tg_vgpu *tg_vqueue_head(struct tg_gpu *gpu, u32 queue);

/**
 * tg_vqueue_absent() - a user or cgroup that would go next in @vgpu, but has no job now
 *
 * It had @queue last, and has had less than the one that goes next, by its weight.
 *
 * Return: its gap; NULL: there is none.
 */
const struct tg_gap *tg_vqueue_absent(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);

/** tg_vqueue_of() - the queue of @job: TG_COMPUTE or TG_COPY */
u32 tg_vqueue_of(const struct tg_gpu *gpu, const struct tg_job *job);
/**
 * tg_vqueue_ended() - @job has ended after @used ns: take note
 *
 * Return: its queue.
 */
u32 tg_vqueue_ended(struct tg_gpu *gpu, const struct tg_job *job, s64 used);
/**
 * tg_vqueue_held() - @job has kept its queue for @held ns without having started
 *
 * Counts as used if another virtual GPU waits in the queue.
 *
 * Return: what is left of the budget; TG_NEVER: no other virtual GPU waits.
 */
s64 tg_vqueue_held(struct tg_gpu *gpu, const struct tg_job *job, s64 held);
/** tg_vqueue_rotate() - @vgpu goes to the tail of @queue */
void tg_vqueue_rotate(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);
/**
 * tg_vqueue_charge() - take @used ns off the budget of @vgpu in @queue
 *
 * The budget grows by the share of each period, up to that share; a debt stays unless the knob
 * forgive is set: then one of more than a period becomes 0.
 *
 * Return: what is left.
 */
s64 tg_vqueue_charge(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue, s64 used);
/**
 * tg_vqueue_over() - does @vgpu use more of @queue than its share?
 *
 * Utilisation is its part of what all groups took, over the last window_us / 2 to window_us, and,
 * with ever less weight, of what was before. Time in which the queue was idle belongs to no virtual
 * GPU, and is left out.
 */
bool tg_vqueue_over(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);
/**
 * tg_vqueue_level() - how far @vgpu will be from its share at the end of another group
 *
 * Return: time used beyond the share, divided by the share, ns; not above 0: it is within it.
 */
s64 tg_vqueue_level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);
/**
 * tg_vqueue_lowest() - the virtual GPU of the lowest level
 * @waits: among those that have a job waiting for @queue; false: among those that have none, but
 *	have used it lately
 *
 * Return: the virtual GPU, NULL: none is such.
 */
struct tg_vgpu *tg_vqueue_lowest(struct tg_gpu *gpu, u32 queue, bool waits);

#endif /* TG_POLICY_VQUEUE_H */
