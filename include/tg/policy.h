/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy is: one table of functions, in one file, src/core/policy_<name>.c.
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

	/** @mode: how clients' gates stand: ASK, TRACK or OPEN. Only ASK uses queue() to lost() */
	enum tg_gate mode;

	/** @params: its knobs, at most TG_KNOBS_MAX, or NULL; values in tg_gpu.policy_knob */
	const struct tg_param *params;

	/**
	 * @init: comes into force; tg_gpu.priv is zero. May be NULL.
	 * Clients that are there are joined next, then waiting jobs are queued.
	 */
	void (*init)(struct tg_gpu *gpu);

	/** @join: a client is there; its priv is zero, node and queue are unused. May be NULL. */
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

	/** @done: a job that was picked has ended after using @used ns. May be NULL. */
	void (*done)(struct tg_gpu *gpu, struct tg_job *job, s64 used);

	/** @lost: a job that was picked is written off. May be NULL. */
	void (*lost)(struct tg_gpu *gpu, struct tg_job *job);

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
 * @policy: its name, as in the table in src/core/policy.c
 */
#define TG_POLICY(policy)				\
	extern const struct tg_policy tg_policy_##policy;	\
	const struct tg_policy tg_policy_##policy

/* Helpers for policies. */

/** tg_gpu_priv() - the policy's own memory in @gpu, as a pointer to @type */
#define tg_gpu_priv(gpu, type)		((type *)(gpu)->priv)
/** tg_client_priv() - the policy's own memory in @client, as a pointer to @type */
#define tg_client_priv(client, type)	((type *)(client)->priv)

/**
 * tg_client_queue() - put a job into its client's queue, by arrival
 * @job: the job
 *
 * Return: true if it became the first of its client's queue.
 */
bool tg_client_queue(struct tg_job *job);

/**
 * tg_engines_idle() - is nothing in flight on any engine that @job needs?
 * @gpu: the GPU
 * @job: the job
 */
bool tg_engines_idle(const struct tg_gpu *gpu, const struct tg_job *job);

#endif /* TG_POLICY_H */
