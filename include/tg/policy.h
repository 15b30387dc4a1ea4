/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy is: one table of functions, in one file, src/policy/<name>.c.
 *
 * A policy orders jobs; everything else is done around it. The core keeps the accounts,
 * throttles by reserves, watches deadlines, and ejects a policy that breaks its contract: it
 * puts `fifo` in force, lifts the reserves and says so, and the GPU keeps working.
 *
 * Life of a job as the policy sees it::
 *
 *	queue() --> pick() returns it --> done()
 *	   |                          `-> lost()
 *	   `--> drop()		cancelled, throttled, or its channel left
 *
 * A job may be queued again after drop() (its reserve was refilled): then it belongs to
 * the place that its seq gives it. All calls are serialised under the GPU's lock, and none may
 * sleep, allocate, or touch a job after it has left the queue.
 */
#ifndef TG_POLICY_H
#define TG_POLICY_H

#include <tg/gpu.h>

/**
 * struct tg_policy - one scheduling policy
 */
struct tg_policy {
	/** @name: as users write it: lower case, no blanks */
	const char *name;

	/**
	 * @mode: how the gate of a client stands when it joins, and when the policy comes into
	 * force. tg_gate() changes it from there. ASK needs queue(), drop() and pick(); reserves
	 * are enforced, and charged, only where mode is ASK.
	 */
	enum tg_gate mode;

	/** @params: its knobs, at most TG_KNOBS_MAX, or NULL; values in tg_gpu.policy_knob */
	const struct tg_param *params;

	/**
	 * @init: comes into force; tg_gpu.priv is zero. May be NULL.
	 * Clients that are there are joined next, then waiting jobs are queued.
	 */
	void (*init)(struct tg_gpu *gpu);

	/**
	 * @join: a client is there; its priv is zero, node and queue are unused, its gate stands as
	 * @mode says. Its waiting jobs, if any, are queued (or freed) after this. May be NULL.
	 */
	void (*join)(struct tg_gpu *gpu, struct tg_client *client);

	/** @leave: a client without jobs goes. May be NULL. */
	void (*leave)(struct tg_gpu *gpu, struct tg_client *client);

	/** @queue: an eligible job waits; @job->link is the policy's until it leaves the queue. */
	void (*queue)(struct tg_gpu *gpu, struct tg_job *job);

	/** @drop: a queued job leaves the queue otherwise than through pick(). */
	void (*drop)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @pick: choose the next job for @engine and take it out of the queue.
	 * Called after every event, until it returns NULL: none may go now. Whether a job may go
	 * beside what is in flight is the policy's business: see tg_engine.inflight. A policy that
	 * returns NULL for an idle engine while jobs are queued must name in wake() when to ask
	 * again, and may not let it idle longer than the starvation limit.
	 */
	struct tg_job *(*pick)(struct tg_gpu *gpu, struct tg_engine *engine);

	/**
	 * @unasked: if a job of @ch came now, would pick() return it at once? No reserve holds it
	 * back. @unheard jobs of @ch, and of nobody else, have gone since the last event. A yes
	 * holds until the next event. NULL: every job is queued; else went() is there, too.
	 */
	bool (*unasked)(const struct tg_gpu *gpu, const struct tg_channel *ch, u32 unheard);

	/** @went: what unasked() allowed has happened: @job is as if pick() had returned it. */
	void (*went)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @done: a job that was picked, or went through a gate that stood at TRACK, has ended after
	 * using @used ns. May be NULL.
	 */
	void (*done)(struct tg_gpu *gpu, struct tg_job *job, s64 used);

	/** @lost: such a job is written off. May be NULL. */
	void (*lost)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @held: such a job has held its slots for @held ns without having started, which is
	 * TG_KNOB_STALL or longer, or has cost it the slots. A policy that keeps accounts debits
	 * its client if it kept somebody else waiting. tick() need not follow. May be NULL.
	 */
	void (*held)(struct tg_gpu *gpu, struct tg_job *job, s64 held);

	/**
	 * @idle: answer to tg_sync(): nothing of the client's is in flight, or that took too long
	 * (tg_client.cut). tg_client.sent has been brought up to date. May be NULL.
	 */
	void (*idle)(struct tg_gpu *gpu, struct tg_client *client);

	/**
	 * @sample: answer to tg_poll(), once for each client that was active, then with @client
	 * NULL for all: the phase is over. With a length of 0: nobody polls here. May be NULL.
	 */
	void (*sample)(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s);

	/** @tick: time passes; called with every event, before pick(). May be NULL. */
	void (*tick)(struct tg_gpu *gpu);

	/** @wake: when to be asked again though nothing happens; TG_NEVER: no need. May be NULL. */
	s64 (*wake)(struct tg_gpu *gpu);
};

/**
 * tg_policy_get() - policies by number
 * @nr: from 0
 *
 * Return: the policy, or NULL when there is none of that number.
 */
const struct tg_policy *tg_policy_get(u32 nr);

/**
 * tg_policy_find() - policies by name
 * @name: not necessarily NUL-terminated
 * @len: its bytes
 *
 * Return: number of the policy, or -ENOENT.
 */
int tg_policy_find(const char *name, u32 len);

/**
 * TG_POLICY() - define a policy: TG_POLICY(name) = { .name = "name", ... };
 * @policy: its name, as in the table in src/policy/list.c
 */
#define TG_POLICY(policy)				\
	extern const struct tg_policy tg_policy_##policy;	\
	const struct tg_policy tg_policy_##policy

/* Helpers for policies. */

/** tg_gpu_priv() - the policy's own memory in @gpu, as a pointer to @type */
#define tg_gpu_priv(gpu, type)		((type *)(gpu)->priv)
/** tg_client_priv() - the policy's own memory in @client, as a pointer to @type */
#define tg_client_priv(client, type)	((type *)(client)->priv)

/** tg_vgpu_priv() - the policy's own memory in @vgpu, as a pointer to @type */
#define tg_vgpu_priv(vgpu, type)	((type *)(vgpu)->priv)

/*
 * tg_gate(), tg_sync() and tg_poll() may be called from init(), join(), idle(), sample() and
 * tick(), not in the middle of a job's arrow: queue(), drop(), pick(), done(), lost(), leave().
 * tick() follows in the same event.
 */

/**
 * tg_gate() - change a client's gate
 * @gpu: the GPU
 * @client: whose
 * @gate: OPEN, TRACK, HOLD; ASK only in a policy that has queue(), drop() and pick()
 *
 * Jobs that wait are freed, in order, by OPEN and TRACK; put into the policy's queue by ASK, as
 * far as their reserve lets them; and taken out of it by HOLD.
 *
 * HOLD is held against a policy as an idle engine is: where jobs wait, no gate is open and
 * nothing is in flight or awaited, it is ejected after the starvation limit.
 */
void tg_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate);

/**
 * tg_sync() - ask to be told when what a client sent through its open gate has ended
 * @gpu: the GPU
 * @client: whose; its gate is not open any more
 *
 * idle() answers, at once (in a later event) or after job_deadline_us at the latest: then the
 * client is blamed by TG_NOTE_DRAIN_CUT. Asking again before the answer changes nothing; opening
 * the gate before it takes the question back.
 */
void tg_sync(struct tg_gpu *gpu, struct tg_client *client);

/**
 * tg_poll() - look what the engine works for
 * @gpu: the GPU
 * @until: end of the phase; 0: stop the one under way, of which nothing will be heard
 * @distance: between two looks, in the mean, ns; 1: as often as it can be looked
 *
 * sample() answers. A phase that is under way gets another end; @distance must be what it was.
 */
void tg_poll(struct tg_gpu *gpu, s64 until, u32 distance);

/**
 * tg_charge() - book time on a client that its policy has found out
 * @client: whose
 * @used: ns
 *
 * For policies whose mode is OPEN or HOLD: there the core books nothing but jobs that went
 * through a gate at TRACK. Reserves are not charged.
 */
void tg_charge(struct tg_client *client, s64 used);

/**
 * tg_client_waits() - does any of the client's jobs wait?
 * @client: the client
 */
bool tg_client_waits(const struct tg_client *client);

/**
 * tg_wake_by() - something has to happen at @time though there may be no event
 * @gpu: the GPU
 * @time: when
 *
 * A policy may call it from pick(), which is called again then; each call of pick() asks anew.
 */
static inline void tg_wake_by(struct tg_gpu *gpu, s64 time)
{
	gpu->wake = min(gpu->wake, time);
}

/** tg_first_job() - the job of @client that waits longest. Return: NULL: none waits. */
static inline struct tg_job *tg_first_job(struct tg_client *client)
{
	return list_first_entry_or_null(&client->queue, struct tg_job, link);
}

/**
 * tg_client_queue() - put a job into its client's queue, by arrival
 * @job: the job
 *
 * Return: true if it became the first of its client's queue.
 */
bool tg_client_queue(struct tg_job *job);

/**
 * tg_gpu_waits() - is a job queued for any engine?
 * @gpu: the GPU
 */
bool tg_gpu_waits(const struct tg_gpu *gpu);

/**
 * tg_engines_idle() - is nothing in flight on any engine that @job needs?
 * @gpu: the GPU
 * @job: the job
 */
bool tg_engines_idle(const struct tg_gpu *gpu, const struct tg_job *job);

/** tg_job_kind() - does @job compute, or does it copy? Engine 0 computes, all others copy */
static inline enum tg_vgpu_share tg_job_kind(const struct tg_job *job)
{
	return job->engines & 1 ? TG_COMPUTE : TG_COPY;
}

#endif /* TG_POLICY_H */
