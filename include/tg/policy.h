/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy is: one table of functions, in one file, src/policy/<name>.c.
 *
 * A policy orders jobs; the core does everything else. It keeps the accounts, throttles by
 * reserves, watches deadlines, and ejects a policy that breaks its contract: it puts `fifo` in
 * force, lifts the reserves and says so, and the GPU keeps working.
 *
 * Life of a job as the policy sees it::
 *
 *	queue() --> pick() returns it --> done()
 *	   |                          `-> lost()
 *	   `--> drop()		cancelled, throttled, or its channel left
 *
 * A job may be queued again after drop(), when its reserve has been refilled; its seq tells its
 * place. All calls are serialised under the GPU's lock. None may sleep, allocate, or touch a job
 * after it has left the queue.
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

	/** @by_prio: it goes by priorities, and so do jobs that a reserve holds back */
	bool by_prio;

	/** @by_vgpu: it shares time within virtual GPUs: a sharer's clients are of one of them */
	bool by_vgpu;

	/**
	 * @params: its knobs, at most TG_KNOBS_MAX, or NULL; values in tg_gpu.policy_knob. One with
	 * the row TG_SHARE_PARAM goes by tg_client.sharer
	 */
	const struct tg_param *params;

	/**
	 * @init: comes into force; tg_gpu.priv is zero. May be NULL.
	 * Clients that are there are joined next, then waiting jobs are queued.
	 */
	void (*init)(struct tg_gpu *gpu);

	/**
	 * @join: a client is there; its priv is zero, node and queue are unused, its gate stands as
	 * @mode says. Its waiting jobs, if any, are queued (or freed) after this. After init(), the
	 * clients that are there join one after the other, with other events between, and their
	 * jobs with them; nothing is picked until the last one has joined. May be NULL.
	 */
	void (*join)(struct tg_gpu *gpu, struct tg_client *client);

	/**
	 * @ahead: how far the virtual time of a client is ahead of system time, ns; S64_MAX: what
	 * it used until it left, at @left, is not charged yet. A client that leaves stays while it
	 * is ahead, or is to be remembered for so long. NULL: no client owes the others anything.
	 */
	s64 (*ahead)(struct tg_gpu *gpu, const struct tg_client *client, s64 left);

	/** @leave: a client without jobs goes. May be NULL. */
	void (*leave)(struct tg_gpu *gpu, struct tg_client *client);

	/** @queue: an eligible job waits; @job->link is the policy's until it leaves the queue. */
	void (*queue)(struct tg_gpu *gpu, struct tg_job *job);

	/** @drop: a queued job leaves the queue otherwise than through pick(). */
	void (*drop)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @pick: choose the next job for @engine and take it out of the queue.
	 * Called after every event, until it returns NULL: none may go now. Whether a job may go
	 * beside what is in flight is the policy's decision: see tg_engine.inflight. A policy that
	 * returns NULL for an idle engine while jobs are queued must say in wake() when pick() is
	 * to be called again, and may not let the engine idle beyond the starvation limit. Of each
	 * client the job that came first counts there, if no engine that it needs is busy.
	 */
	struct tg_job *(*pick)(struct tg_gpu *gpu, struct tg_engine *engine);

	/**
	 * @guarantees: it keeps what guaranteed reserves promise (TG_CBS): clients go by
	 * tg_client.tier, one group at a time. So the client of a group that breaks a guarantee is
	 * blamed.
	 */
	bool guarantees;

	/**
	 * @may_bypass: may a job of @ch bypass the core: if it came now, would pick() return it at
	 * once? No reserve holds it back. @unreported jobs of @ch, and of no other channel, have
	 * bypassed the core since the last event. A yes holds until the next event. NULL: every
	 * job is queued. A policy that has may_bypass() has bypassed(), too.
	 */
	bool (*may_bypass)(const struct tg_gpu *gpu, const struct tg_channel *ch, u32 unreported);

	/**
	 * @bypassed: @job has bypassed the core, as may_bypass() allowed; pick() would have picked
	 * it.
	 */
	void (*bypassed)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @done: a job that was picked, or went through a gate that stood at TRACK, has ended after
	 * using @used ns. May be NULL.
	 */
	void (*done)(struct tg_gpu *gpu, struct tg_job *job, s64 used);

	/** @lost: such a job is written off. May be NULL. */
	void (*lost)(struct tg_gpu *gpu, struct tg_job *job);

	/**
	 * @held: such a job has held its slots for @held ns without having started: for
	 * TG_KNOB_STALL or longer, or until it lost them. A policy that keeps accounts debits the
	 * job's client if another client had to wait. tick() need not follow. May be NULL.
	 */
	void (*held)(struct tg_gpu *gpu, struct tg_job *job, s64 held);

	/**
	 * @idle: answer to tg_sync(): no job of the client is in flight, or the deadline has passed
	 * (tg_client.cut). tg_client.sent is up to date. May be NULL.
	 */
	void (*idle)(struct tg_gpu *gpu, struct tg_client *client);

	/**
	 * @quiet: answer to tg_watch(): nothing that went through an open gate is in flight at
	 * this moment. @gap: how long it had been so the last time, when a client came, ns; 0: none
	 * has come since the last time. May be NULL.
	 */
	void (*quiet)(struct tg_gpu *gpu, s64 gap);

	/**
	 * @sample: answer to tg_poll(): once for each client that was active, then once with
	 * @client NULL, for all together, which ends the phase. A length of 0: this host does not
	 * poll. May be NULL.
	 */
	void (*sample)(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s);

	/** @tick: time passes; called with every event, before pick(). May be NULL. */
	void (*tick)(struct tg_gpu *gpu);

	/** @wake: when to call pick() though no event comes; TG_NEVER: no need. May be NULL. */
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

/** tg_policy_names - what to say to a name of none: "one of" and all names */
extern const char *const tg_policy_names;

/**
 * tg_policy_begins() - the knobs with which a policy comes into force where none was set by hand
 * @policy: the policy
 * @spec: may name it, and set knobs of it; NULL: there is no spec
 * @knob: receives them
 */
void tg_policy_begins(const struct tg_policy *policy, const struct tg_spec *spec,
		      s64 knob[TG_KNOBS_MAX]);

/**
 * TG_POLICY() - define a policy: TG_POLICY(name) = { .name = "name", ... };
 * @policy: its name, as in the table in src/policy/list.c
 */
#define TG_POLICY(policy)				\
	extern const struct tg_policy tg_policy_##policy;	\
	const struct tg_policy tg_policy_##policy

/* Helpers for policies. */

/** tg_gpu_alone() - is there one client only, but for those that have left? */
static inline bool tg_gpu_alone(const struct tg_gpu *gpu)
{
	return gpu->nr_clients - gpu->nr_away == 1;
}

/** tg_gpu_guards() - is a guaranteed reserve admitted? */
static inline bool tg_gpu_guards(const struct tg_gpu *gpu)
{
	return rb_first_cached(&gpu->guarantees);
}

/** tg_client_level() - its priority; TG_TIER_FIRST: the one above all */
static inline u32 tg_client_level(const struct tg_client *client)
{
	return client->tier == TG_TIER_FIRST ? TG_PRIO_MAX + 1 : client->prio;
}

/** tg_client_joined() - does the policy in force know @client: has its join() been called? */
static inline bool tg_client_joined(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->joined == (u16)gpu->term;
}

/* The array @priv as a pointer to @type. A @type that does not fit is an array of -1 bytes. */
#define tg_priv_as(priv, type)	\
	((type *)((priv) + 0 * sizeof(char[sizeof(type) <= sizeof(priv) ? 1 : -1])))

/** tg_gpu_priv() - the policy's own memory in @gpu, as a pointer to @type */
#define tg_gpu_priv(gpu, type)		tg_priv_as((gpu)->priv, type)
/** tg_client_priv() - the policy's own memory in @client, as a pointer to @type */
#define tg_client_priv(client, type)	tg_priv_as((client)->priv, type)

/** tg_sharer_priv() - the policy's own memory in @sharer, as a pointer to @type */
#define tg_sharer_priv(sharer, type)	tg_priv_as((sharer)->priv, type)

/** Row of a policy's table of knobs: enum tg_share_by */
#define TG_SHARE_PARAM	{ TG_SHARE_KNOB, 0, TG_SHARES_BY - 1, TG_BY_PROCESS, \
	"whose shares are equal, by weight: 0 each process, 1 user, 2 cgroup" }
#define TG_SHARE_KNOB	"share"

/** tg_sharer_single() - has the sharer of @client no other client? */
static inline bool tg_sharer_single(const struct tg_client *client)
{
	return client->sharer->clients == 1;
}

/** tg_vgpu_priv() - the policy's own memory in @vgpu, as a pointer to @type */
#define tg_vgpu_priv(vgpu, type)	tg_priv_as((vgpu)->priv, type)

/*
 * tg_gate(), tg_sync(), tg_watch() and tg_poll() may be called from init(), join(), idle(),
 * quiet(), sample() and tick(), not in the middle of a job's arrow: queue(), drop(), pick(),
 * done(), lost(), leave(). tick() follows in the same event; after a join() only when the policy
 * has all clients.
 */

/**
 * tg_gate() - change a client's gate
 * @gpu: the GPU
 * @client: the client
 * @gate: OPEN, TRACK, HOLD; ASK only in a policy that has queue(), drop() and pick()
 *
 * Jobs that wait are freed, in order, by OPEN and TRACK; put into the policy's queue by ASK, as
 * far as their reserve lets them; and taken out of it by HOLD.
 *
 * Where an event changes many gates, the host is told of the first few in it, and of the others by
 * events that follow soon, 20 us apart. Until then a client uses its old gate, though
 * tg_client.gate and tg_gpu.open say otherwise, and its jobs may wait behind a gate that is open.
 * ASK has no such delay.
 *
 * A policy that holds clients is ejected like one that leaves an engine idle: after the starvation
 * limit, if jobs wait, nothing is in flight or awaited, and no gate is open or, with a host that
 * answers WATCH, nothing has gone through one.
 */
void tg_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate);

/**
 * tg_sync() - have idle() called when what a client sent through its open gate has ended
 * @gpu: the GPU
 * @client: the client; its gate is not open any more
 *
 * idle() is called in a later event, after job_deadline_us at the latest: then TG_NOTE_DRAIN_CUT
 * blames the client. The time runs from when the host gets SYNC. A second tg_sync() before that
 * changes nothing; opening the gate calls it off.
 */
void tg_sync(struct tg_gpu *gpu, struct tg_client *client);

/**
 * tg_watch() - have quiet() called when nothing that went through open gates is in flight
 * @gpu: the GPU
 *
 * For a policy that lets clients wait beside open gates: it would not see that the engine idles.
 * No change while the host watches already. quiet() comes once: to go on watching, call this again.
 * A host that cannot tell never answers.
 */
void tg_watch(struct tg_gpu *gpu);

/**
 * tg_yield() - have a client end early what it has in flight
 * @gpu: the GPU
 * @client: the client; no change unless it can (tg_client.yields)
 *
 * They end when the client gets to it, if it does. A job that is freed later is none of them: call
 * this again. May be called where tg_gate() may be, and in pick().
 */
void tg_yield(struct tg_gpu *gpu, struct tg_client *client);

/**
 * tg_poll() - have the host look which client the engine works for
 * @gpu: the GPU
 * @until: end of the phase; 0: stop the one under way, without a sample
 * @distance: between two looks, in the mean, ns; 1: as often as it can be looked
 *
 * sample() answers. A phase that is under way gets another end; @distance must be what it was.
 */
void tg_poll(struct tg_gpu *gpu, s64 until, u32 distance);

/**
 * tg_charge() - book time on a client, and on the first engine, that the policy has measured
 * @gpu: the GPU
 * @client: the client
 * @used: ns
 *
 * For policies whose mode is OPEN or HOLD: there the core books only jobs that went
 * through a gate at TRACK. Reserves are not charged.
 */
static inline void tg_charge(struct tg_gpu *gpu, struct tg_client *client, s64 used)
{
	gpu->engine[0].used += used;
	client->stats.gpu_time += used;
}

/**
 * tg_unbook() - take back what the core has booked for a job that was picked, in done() or lost()
 * @gpu: the GPU
 * @job: the job
 * @used: what it is said to have used, ns
 *
 * For a policy that books by tg_charge() what such jobs take, as behind open gates.
 */
static inline void tg_unbook(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	gpu->engine[__builtin_ctz(job->engines)].used -= used;
	job->client->stats.gpu_time -= used;
}

/**
 * tg_client_waits() - does any of the client's jobs wait?
 * @client: the client
 */
bool tg_client_waits(const struct tg_client *client);

/**
 * tg_wake_by() - something is due at @time, also if no event comes
 * @gpu: the GPU
 * @time: when
 *
 * A policy may call it from pick(), which is called again at that time. It holds for one call of
 * pick(): the next one has to call it again.
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
static inline bool tg_client_queue(struct tg_job *job)
{
	struct list_head *queue = &job->client->queue, *pos = queue->prev;

	while (pos != queue && list_entry(pos, struct tg_job, link)->seq > job->seq)
		pos = pos->prev;
	list_add(&job->link, pos);
	return pos == queue;
}

/**
 * tg_walk() - begin to walk over all clients; a walk that was under way is over
 * @gpu: the GPU
 *
 * There may be any number of clients, so a policy comes to a few of them with each event: it calls
 * tg_walk_next() from tick(), which is called again 20 us later, until tg_gpu.walking is NULL. A
 * client that joins meanwhile is the last one; one that leaves is left out.
 */
void tg_walk(struct tg_gpu *gpu);

/**
 * tg_walk_next() - the client that the walk comes to next
 * @gpu: the GPU
 *
 * Return: the client; NULL: the event has come to as many as it may, or, if tg_gpu.walking is NULL,
 * the walk has come to all.
 */
struct tg_client *tg_walk_next(struct tg_gpu *gpu);

/**
 * tg_gpu_waits() - is a job queued for any engine?
 * @gpu: the GPU
 */
bool tg_gpu_waits(const struct tg_gpu *gpu);

/** tg_gpu_in_flight() - is anything in flight that the core knows of? */
static inline bool tg_gpu_in_flight(const struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].inflight)
			return true;
	return false;
}

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
