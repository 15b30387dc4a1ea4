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

/**
 * struct tg_ready - clients with queued jobs, by priority, then by the arrival of their first job
 * @clients: linked by tg_client.node; their jobs are in tg_client.queue
 */
struct tg_ready {
	struct rb_root_cached clients;
};

void tg_ready_init(struct tg_ready *ready);
/** tg_ready_insert() - @client has queued jobs now, or another first one; it is in no tree */
void tg_ready_insert(struct tg_ready *ready, struct tg_client *client);
/** tg_ready_remove() - the opposite; before its first job changes */
void tg_ready_remove(struct tg_ready *ready, struct tg_client *client);
/** tg_ready_queue() - @job waits; O(log clients) */
void tg_ready_queue(struct tg_ready *ready, struct tg_job *job);
/** tg_ready_drop() - @job does not wait any more; O(log clients) */
void tg_ready_drop(struct tg_ready *ready, struct tg_job *job);
/**
 * tg_ready_first() - who would go next?
 * @ready: the clients
 * @engine: where
 *
 * Of each client only its first job counts: order within a client is arrival order.
 *
 * Return: the first job of the first client whose first job is for @engine; NULL: none.
 */
struct tg_job *tg_ready_first(const struct tg_ready *ready, const struct tg_engine *engine);
/**
 * tg_ready_next() - who may have an idle engine?
 * @gpu: the GPU
 * @ready: the clients
 * @engine: the engine
 *
 * A job that needs several engines claims all of them, until the last is idle, unless one is
 * claimed by a job before it: then it claims none, and those behind it may go.
 *
 * Return: the first job that claims @engine, if all that it needs are idle; otherwise NULL.
 */
struct tg_job *tg_ready_next(const struct tg_gpu *gpu, const struct tg_ready *ready,
			     const struct tg_engine *engine);

/**
 * struct tg_turns - a token that goes to one client at a time
 * @waiting: clients that want a turn, linked by tg_client.node, by virtual time
 * @holder: whose turn it is, or NULL; not in @waiting
 * @since: when its turn began
 * @vt: system time: the virtual time of the latest holder when its turn began
 *
 * It is the whole of tg_gpu.priv. First in each client's priv is an s64: its virtual time,
 * which grows by the time of its turns over its weight. The token goes to the least. All calls
 * take O(log clients); init(), leave() and drop() are what a policy's table may name.
 */
struct tg_turns {
	struct rb_root_cached waiting;
	struct tg_client *holder;
	s64 since, vt;
};

/** tg_turns() - the token of @gpu */
static inline struct tg_turns *tg_turns(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_turns);
}

void tg_turns_init(struct tg_gpu *gpu);
/** tg_turns_join() - @client is new: its first turn comes after those that are due; @slice: ns */
void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client, s64 slice);
/** tg_turns_enter() - @client wants a turn; no change if it waits already, or has the token */
void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_drop() - @job leaves its client's queue; without any, the client wants no turn */
void tg_turns_drop(struct tg_gpu *gpu, struct tg_job *job);
/** tg_turns_leave() - @client is about to go; if it has the token, nobody has it now */
void tg_turns_leave(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_first() - who is to have the next turn? Return: NULL: nobody waits. */
struct tg_client *tg_turns_first(struct tg_gpu *gpu);
/** tg_turns_after() - who comes after @client, which waits? Return: NULL: nobody. */
struct tg_client *tg_turns_after(const struct tg_client *client);
/** tg_turns_begin() - @client's turn begins now; nobody has the token */
void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_end() - the holder's turn is over. Return: how long it took, ns. */
s64 tg_turns_end(struct tg_gpu *gpu);

/*
 * Two levels for the policies that go by virtual GPUs (Gdev, section 5): a queue chooses a virtual
 * GPU, and in it the client of highest priority goes, equals in arrival order. SDQ has one queue
 * for all engines; MRQ one for engine 0, which computes, and one for all others, which copy. One
 * client at a time has groups in flight in a queue.
 */

/** The first knobs of such a policy, as far as it has them, and their rows in its table */
enum tg_vqueue_knob {
	TG_VQUEUE_MRQ, TG_VQUEUE_DEPTH, TG_VQUEUE_PERIOD, TG_VQUEUE_FORGIVE, TG_VQUEUE_WINDOW,
	TG_VQUEUE_KNOBS
};

#define TG_VQUEUE_PARAMS						\
	[TG_VQUEUE_MRQ] = { "mrq", 0, 1, 0 },				\
	[TG_VQUEUE_DEPTH] = { "depth", 1, TG_DEPTH_MAX, 2 }
#define TG_VQUEUE_BUDGET_PARAMS						\
	[TG_VQUEUE_PERIOD] = { "period_us", 1000, 1000000, 30000 },	\
	[TG_VQUEUE_FORGIVE] = { "forgive", 0, 1, 0 }
#define TG_VQUEUE_WINDOW_PARAM						\
	[TG_VQUEUE_WINDOW] = { "window_us", 100000, 60000000, 1000000 }

/**
 * struct tg_vqueue - one queue
 * @holder: client that it went to last, NULL: it is gone
 * @last: virtual GPU whose group ended last, NULL: none has
 * @turns: places at the tail that have been given out
 * @idle: time since tg_vqueues.since that the policy kept it idle, ns
 */
struct tg_vqueue {
	struct tg_client *holder;
	const struct tg_vgpu *last;
	u64 turns;
	s64 idle;
};

/**
 * struct tg_vqueues - first thing in such a policy's tg_gpu_priv()
 * @of: TG_COMPUTE: the one for engine 0, or for all (SDQ); TG_COPY
 * @refilled: when budgets were refilled last
 * @since: utilisation is what has been used since then
 */
struct tg_vqueues {
	struct tg_vqueue of[TG_MEMORY];
	s64 refilled, since;
};

/**
 * struct tg_vshare - the tg_vgpu_priv() of such a policy
 * @ready: clients that wait, by what their first job does
 * @of: per queue
 * @of.budget: ns; negative: debt
 * @of.used: time used since tg_vqueues.since, ns
 * @of.length: running mean of what its groups take, ns
 * @of.went: when a group of it ended last
 * @of.turn: its place: the smallest is the head of the queue
 */
struct tg_vshare {
	struct tg_ready ready[TG_MEMORY];
	struct {
		s64 budget, used, length, went;
		u64 turn;
	} of[TG_MEMORY];
};

/* For .init, .leave, .queue, .drop, .wake and, called by .done and .lost: @used as there. */
void tg_vqueue_init(struct tg_gpu *gpu);
void tg_vqueue_leave(struct tg_gpu *gpu, struct tg_client *client);
void tg_vqueue_queue(struct tg_gpu *gpu, struct tg_job *job);
void tg_vqueue_drop(struct tg_gpu *gpu, struct tg_job *job);
s64 tg_vqueue_wake(struct tg_gpu *gpu);

/**
 * tg_vqueue_pick() - for .pick
 * @gpu: the GPU
 * @engine: the engine
 * @choose: which virtual GPU does @queue go to, now that nothing of it is in flight? One that
 *	waits for it, or NULL: none now
 *
 * HT: a client may follow its own groups where nobody of another virtual GPU waits, and nobody of
 * higher priority in its own. An engine that has idled for half of starvation_us beside a job that
 * it could run (SDQ: the other is busy) gets that job.
 */
struct tg_job *tg_vqueue_pick(struct tg_gpu *gpu, struct tg_engine *engine,
			      struct tg_vgpu *(*choose)(struct tg_gpu *gpu, u32 queue));

/**
 * tg_vqueue_head() - who is first in the queue?
 *
 * One that has waited for starvation_us, in which no group of it ran, is before all others.
 *
 * Return: the first virtual GPU that waits, NULL: none does.
 */
struct tg_vgpu *tg_vqueue_head(struct tg_gpu *gpu, u32 queue);

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
 * Return: what is left of the budget; TG_NEVER: nobody waits.
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
 * Utilisation is the part of the time that its groups took, over the last window_us / 2 to
 * window_us, and, with ever less weight, what was before. Time that the policy kept the queue idle
 * is nobody's, and left out.
 */
bool tg_vqueue_over(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);
/**
 * tg_vqueue_level() - how far will it be from its share at the middle of another group?
 *
 * Return: time used beyond the share, divided by the share, ns; not above 0: it is within it.
 */
s64 tg_vqueue_level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue);
/**
 * tg_vqueue_lowest() - who has the lowest level?
 * @waits: of those that wait for @queue; else of those that do not, but have used it lately
 *
 * Return: the virtual GPU, NULL: none is such.
 */
struct tg_vgpu *tg_vqueue_lowest(struct tg_gpu *gpu, u32 queue, bool waits);

#endif /* TG_POLICY_H */
