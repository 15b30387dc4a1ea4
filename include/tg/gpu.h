/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core: one state machine per GPU. Events in, actions out.
 *
 * struct tg_gpu owns the engines, clients, channels, jobs and reserves of one GPU. It owns
 * no clock, lock, memory, thread or device: hosts feed it (the kernel module, the simulator,
 * tests), and it remembers in memory that the host gave.
 *
 * Terms (docs/glossary.md): cookie, late, mask, season, stale, typical.
 *
 * Locking (the one place that says it)
 *	All calls for one tg_gpu are serialised by one lock of its host; every field below is
 *	read and written under it. In the kernel it is tgk_gpu.lock, a raw spinlock taken with
 *	interrupts off, since fences signal in hard interrupt context.
 *	Order: nouveau's fence lock, then ours. Under ours: nothing of nouveau, DRM or dma_fence.
 *	No call sleeps. Work per event: O(log n). Exception: all jobs that wait for one client are
 *	visited when its line of the spec or its priority changes. What takes longer is done in
 *	steps, each with an event of its own, a TIMER that the core has armed: another policy,
 *	spec or foreground, virtual GPUs that come and go, many gates that change, what dfq and loga
 *	decide about all clients, what a budget means for many jobs, answers to many requests for
 *	memory.
 *
 * Memory
 *	The host gives objects to pools (tg_gpu_give()) before the events that need them. An event
 *	for which a pool is empty fails with -ENOMEM and changes nothing. Objects return to their
 *	pool when they end, and serve again.
 */
#ifndef TG_GPU_H
#define TG_GPU_H

#include <tg/counters.h>
#include <tg/event.h>
#include <tg/knobs.h>
#include <tg/memory.h>
#include <tg/predict.h>
#include <tg/reserve.h>
#include <tg/share.h>
#include <tg/spec.h>

struct tg_policy;
struct tg_dry;
struct tg_recorder;

/**
 * enum tg_job_state - where a job is; exactly one at any time
 * @TG_JOB_THROTTLED: its reserve does not let it go; no policy sees it
 * @TG_JOB_QUEUED: in the policy's queue, or behind a gate that stands at HOLD
 * @TG_JOB_FREED: its thread is on the way through the driver; holds its engines' slots
 * @TG_JOB_BUSY: on the hardware; holds its engines' slots
 * @TG_JOB_LOST: past its deadline; holds no slot
 *
 * ::
 *
 *	        charge/refill        pick           driver took it        fence
 *	THROTTLED <-----------> QUEUED -----> FREED ---------------> BUSY ------> (done)
 *	    |                     |             | `- refused -> (failed)  `- deadline -> LOST
 *	    `--- cancel, leave ---+-------------'                            late fence -> (done)
 *
 * States in brackets are ends: the job returns to the pool. Each arrow is a function of job.c.
 */
enum tg_job_state { TG_JOB_THROTTLED, TG_JOB_QUEUED, TG_JOB_FREED, TG_JOB_BUSY, TG_JOB_LOST };

/**
 * struct tg_job - one GPU command group: one submission on one channel
 * @id: the host's number
 * @hash: next in tg_gpu.jobs' bucket, or in the pool
 * @client: its client
 * @channel: its channel
 * @host: cookie
 * @seq: arrival order on this GPU, before it is LOST
 * @charged: LOST: what it has been charged so far, ns
 * @state: enum tg_job_state
 * @engines: mask of the engines it needs
 * @slot: it counts as in flight on them
 * @switched: its engine went to it from another channel: predicted at SUBMIT (AE), seen at FREE
 * @ending: it is to end early, and the host knows (TG_ACT_YIELD)
 * @in_policy: QUEUED: it is in the policy's queue
 * @picked: tg_gpu.term when it was picked, or went through TRACK: that policy hears of it; or 0
 * @prio, @vt: while it waits: its place in its reserve; @vt is of TG_VT_SHIFT, and may wrap
 * @since: when it entered @state; BUSY: creation of its fence. @predicted: x, ns
 * @cost: record of its client's history that learns its cost, or NULL
 * @throttled: time spent THROTTLED, ns
 * @reserve: the one it consumes from
 * @sibling: in tg_channel.jobs
 * @rank: in tg_reserve.throttled (THROTTLED, the first of its channel), or in nothing
 * @wait: in tg_reserve.waiting (QUEUED), tg_engine.freed or tg_gpu.overlaps (FREED), tg_engine.busy
 *	(BUSY) or tg_gpu.lost (LOST)
 * @link: the policy's, while QUEUED
 * @began: LOST: creation of its fence
 * @allowed: BUSY: for how long it may run, where its client can end it early, ns
 */
struct tg_job {
	u64 id;
	struct tg_job *hash;
	struct tg_client *client;
	struct tg_channel *channel;
	void *host;
	union {
		u64 seq;
		s64 charged;
	};
	u8 state, engines, prio;
	bool slot : 1, ending : 1, in_policy : 1, switched : 1;
	union { u32 picked, vt; };
	s64 since, predicted;
	struct tg_cost *cost;
	s64 throttled;
	struct tg_reserve *reserve;
	struct list_head sibling;
	union {
		struct rb_node rank;
		struct {
			struct list_head wait;
			union { struct list_head link; s64 began; s64 allowed; };
		};
	};
};

/**
 * struct tg_channel - order within a channel is arrival order
 * @id: the host's number, unique within the client
 * @engines: mask of the engines its jobs use
 * @left: LEAVE has come; the channel goes with its last job
 * @mark: the policy's; any number at first
 * @hash: next in tg_gpu.channels' bucket, or in the pool
 * @client: whose it is
 * @jobs: jobs that have not ended, in arrival order
 * @next: in tg_client.channels
 */
struct tg_channel {
	u32 id;
	u8 engines;
	bool left;
	u16 mark;
	struct tg_channel *hash;
	struct tg_client *client;
	struct list_head jobs;
	struct tg_channel *next;
};

#define TG_STATS_64_HOST(name)
#define TG_STATS_64_STATS(name)		u64 name;
#define TG_STATS_64_STATS32(name)
#define TG_STATS_64(name, form, from, ...)	TG_STATS_64_##from(name)
#define TG_STATS_32_HOST(name)
#define TG_STATS_32_STATS(name)
#define TG_STATS_32_STATS32(name)	u32 name;
#define TG_STATS_32(name, form, from, ...)	TG_STATS_32_##from(name)

/**
 * struct tg_stats - counters of one client; all but gpu_time only grow (core/account.c)
 * @submitted: jobs that arrived, but for those that went through an open gate
 *
 * The others are the rows of tg/counters.h that say STATS or STATS32. Times are in ns, unsigned, so
 * they may wrap. The held_time of a job that bypassed the core (tg_gpu_may_bypass()) begins at its
 * BYPASSED.
 */
struct tg_stats {
	TG_CLIENT_ROWS(TG_STATS_64)
	u64 submitted;

	TG_CLIENT_ROWS(TG_STATS_32)
} __packed __aligned(4);	/* the u32s are odd in number: no hole behind them */

#define TG_VGPU_PRIV	176	/* bytes a policy may keep in each virtual GPU */
#define TG_CLIENT_PRIV	40	/* in each client */
#define TG_GPU_PRIV	1216	/* and in each GPU */

/**
 * struct tg_begins - what the knobs of a policy are when it comes into force
 * @policy: the policy that a spec has named; NULL: none has
 * @knob: by their numbers
 */
struct tg_begins {
	const struct tg_policy *policy;
	s64 knob[TG_KNOBS_MAX];
};

/**
 * struct tg_vgpu - one virtual GPU (Gdev, section 5.2)
 * @name: empty: unused, or the first one, which is the rest: clients that belong to no other
 * @term: how often one has been removed from this place while clients were in it; the last 3 bits
 * @terms: the same, since no client of one that was removed was left; TG_VGPU_TERMS at most
 * @share: percent; of the rest: what the others leave, of time 1 at the least. One that has been
 *	removed keeps its shares of time beside what the rest has, until its clients have moved
 * @clients: clients in this place: those that belong to it, and those of one that was removed
 * @gone: how many of them are of one that was removed
 * @used: time that its clients' groups took, ns: TG_COMPUTE, TG_COPY (tg_job_kind())
 * @priv: the policy's; zero when the policy comes into force, and when the virtual GPU is defined
 *	in a place without clients
 */
struct tg_vgpu {
	char name[TG_NAME_LEN];
	u8 term, terms, share[TG_VGPU_SHARES];
	u32 clients, gone;
	s64 used[TG_MEMORY];
	u64 priv[TG_VGPU_PRIV / 8];
};

#define TG_VGPU_TERMS	7	/* a client keeps the last 3 bits of a term */

#define TG_STALL	32			/* starts in time that make up for one overlap */
#define TG_STALLS_MAX	(7 * TG_STALL)

/**
 * struct tg_client - one process on one GPU
 * @id: the host's number
 * @prio: TG_PRIO_MIN to TG_PRIO_MAX. @depth: groups in flight (HT), 0: the policy's default
 * @stalls: TG_STALL for each recent overlap, less one for each later start in time
 * @gate: enum tg_gate; the host has it if @gate_sent
 * @tier: enum tg_tier
 * @overlong: it is blamed: it ran a group longer than guaranteed reserves allow
 * @sched: TG_PRT or TG_HT
 * @resv: enum tg_resv
 * @agpa: its priority follows the foreground window
 * @nice: its priority follows its process's on the CPU (NICE)
 * @yields: it can end its jobs early, as its first JOIN has said
 * @computes: a channel of it uses the first engine, or has used it
 * @opened: its gate has been open since its last IDLE: jobs that the core does not know may be in
 *	flight
 * @syncing: it owes an IDLE
 * @cut: its latest IDLE did not come in time: a job of its own may be in flight still
 * @by_hand: its priority was set by TG_EV_PRIO, in this @edition; it does not count in another one
 * @owed: the spec of this @edition has yet to come to it
 * @forgiven: a spec has come since its last channel left: what it owes is forgotten
 * @no_vram: the memory that its line names (mem=) did not fit
 * @sent: its last IDLE said that it had submitted through its open gate
 * @unsent: a later event is to send the host @gate, or to free jobs behind it
 * @gate_sent: the host has got @gate (TG_ACT_GATE)
 * @sync_sent: the host has got the SYNC for the IDLE that it owes
 * @paired: its latest job was seen as one with the next (TG_DONE_BY); kept as tg_sharer.typical is
 * @modelled: its jobs that are in a dry run's model
 * @vgpu: its virtual GPU, index into tg_gpu.vgpu
 * @vgpu_term: term of that place when it came there; another one now: its virtual GPU has been
 *	removed, and the client is of the rest. It moves there in its turn
 * @weight: beside the other clients of its sharer: as its line of the spec says; 1 where that line
 *	is its user's or cgroup's
 * @matched: line of the spec that it got, 0: none
 * @inflight: its jobs that hold slots
 * @account: number of its process's account of memory, 0: none
 * @id_data: the host's, valid until TG_ACT_GONE, or until JOIN brings another one
 * @host: cookie
 * @reserve: never NULL
 * @hash: next in tg_gpu.clients' bucket, or in the pool
 * @channels: its channels: first the few with jobs that wait, in the order in which they began to
 * @all: in tg_gpu.all_clients
 * @sync_since: since when it owes an IDLE
 * @sync: in tg_gpu.syncs while it owes an IDLE
 * @sharer: whose share it has a part of; never NULL
 * @history: what its jobs have cost; NULL until AE first predicts one
 * @stats: counters
 * @edition: low 16 bits of tg_gpu.edition whose spec it has, or when a priority was set by hand
 * @joined: tg_gpu.term of the policy that it has joined last; likewise
 * @node: the policy's; of an older one until the client joins the one in force
 * @queue, @priv: likewise; @priv is zero at join
 */
struct tg_client {
	u32 id;
	u8 prio, depth, stalls, gate : 2, tier : 2, overlong : 1;
	u8 sched : 1, resv : 2, yields : 1, computes : 1;
	bool agpa : 1, nice : 1, by_hand : 1, opened : 1, syncing : 1, cut : 1, no_vram : 1;
	bool sent : 1, paired : 1, owed : 1, forgiven : 1, unsent : 1, gate_sent : 1, sync_sent : 1;
	u8 modelled, vgpu : 5, vgpu_term : 3;
	u16 weight, matched;
	u32 inflight, account;
	const struct tg_identity *id_data;
	void *host;
	struct tg_reserve *reserve;
	struct tg_client *hash;
	struct tg_channel *channels;
	struct list_head all;
	s64 sync_since;
	struct list_head sync;
	struct tg_sharer *sharer;
	struct tg_history *history;
	struct tg_stats stats;
	u16 edition, joined;
	struct rb_node node;
	struct list_head queue;
	u64 priv[TG_CLIENT_PRIV / 8];
};

#define TG_ENDS		32	/* completions that an engine remembers; a power of two */

/**
 * struct tg_end - a completion that an engine remembers
 * @at: when
 * @start: when its job started
 * @used: what that job is charged for it, ns
 * @client: number of the job's client
 * @kind: TG_COMPUTE or TG_COPY
 */
struct tg_end {
	s64 at, start, used;
	u32 client, kind;
};

/**
 * struct tg_engine - one hardware engine
 * @index: its bit in masks
 * @wedged: it lost a job and has completed none since: all jobs pass
 * @inflight: slots taken
 * @queued, @throttled: jobs in that state that name it
 * @surplus_client: number of the client whose job completed last (kept only where all are tracked)
 * @surplus: by how much that job took longer than is typical of the client, ns
 * @used: what was charged for it, ns; through open gates: all that the policy finds, on the first
 * @last_done: latest completion
 * @paid: until when jobs that are, or were, LOST have been charged for it
 * @idle_since: since when it has idled beside queued jobs while no open gate kept it busy, as far
 *	as known (tg_gpu.quiet); TG_NEVER: it does not
 * @last: channel whose job was freed last for it; NULL: none, or the channel is gone
 * @in_policy: jobs in the policy's queue that name it, by tg_client_level()
 * @nr_ends: completions, but for those that came too late to be remembered
 * @ends: the latest of them, the one with number n at n % TG_ENDS; ordered by time
 * @freed: FREED jobs with a slot whose first engine it is, in the order of their FREE
 * @busy: its BUSY jobs, in the order of their starts
 */
struct tg_engine {
	u8 index;
	bool wedged;
	u32 inflight, queued, throttled, surplus_client;
	s64 surplus, used, last_done, paid, idle_since;
	const struct tg_channel *last;
	u32 in_policy[TG_LEVELS];
	u64 nr_ends;
	struct tg_end ends[TG_ENDS];
	struct list_head freed, busy;
};

/**
 * enum tg_pool - kinds of objects that hosts give
 * @TG_POOL_CLIENT: struct tg_client
 * @TG_POOL_CHANNEL: struct tg_channel
 * @TG_POOL_RESERVE: struct tg_reserve
 * @TG_POOL_JOB: struct tg_job
 * @TG_POOL_HISTORY: struct tg_history, one for each client that predicts
 * @TG_POOL_COST: struct tg_cost
 * @TG_POOL_CHUNK: struct tg_chunk
 * @TG_POOL_DRY: struct tg_dry, one, before TG_KNOB_DRY is set to 1
 * @TG_POOL_ACCOUNT: struct tg_account
 * @TG_POOL_REQUEST: struct tg_mem_request
 * @TG_POOL_SHARER: struct tg_sharer, one for each client
 *
 * No event fails because HISTORY, COST or CHUNK is empty: without a history every x is 0, without
 * room for its key a job counts as unreadable. A trace has to replay, so a host that records gives
 * a history before each SUBMIT of a client whose reserve is AE, and passes a key only when the
 * pools hold one TG_POOL_COST and TG_KEY_CHUNKS() of TG_POOL_CHUNK.
 */
enum tg_pool {
	TG_POOL_CLIENT, TG_POOL_CHANNEL, TG_POOL_RESERVE, TG_POOL_JOB,
	TG_POOL_HISTORY, TG_POOL_COST, TG_POOL_CHUNK, TG_POOL_DRY, TG_POOL_ACCOUNT, TG_POOL_REQUEST,
	TG_POOL_SHARER,
	TG_POOLS
};

/** tg_pool_size - bytes of one object of each pool */
extern const size_t tg_pool_size[TG_POOLS];

/**
 * struct tg_buckets - the host's memory for the tables that map numbers to objects
 * @jobs: room for 1 << @bits pointers, zeroed
 * @clients: likewise
 * @channels: likewise
 * @bits: choose it so that the number of live objects stays of the order of 1 << @bits
 */
struct tg_buckets {
	struct tg_job **jobs;
	struct tg_client **clients;
	struct tg_channel **channels;
	u8 bits;
};

/**
 * enum tg_handover - how far a change of policy is; handover.c
 * @TG_HANDOVER_NONE: none is under way
 * @TG_HANDOVER_HOLD: the gates of all clients go to HOLD, one after the other
 * @TG_HANDOVER_DRAIN: they stand there, and the GPU finishes what it has
 * @TG_HANDOVER_JOIN: the new policy is in force, and gets its clients, one after the other
 */
enum tg_handover { TG_HANDOVER_NONE, TG_HANDOVER_HOLD, TG_HANDOVER_DRAIN, TG_HANDOVER_JOIN };

/*
 * So many policies or specs may come into force one after the other before the first of them has
 * come to all clients: a client keeps the last 16 bits of a number only.
 */
#define TG_BEHIND_MAX	0xfffe

#define TG_LEFT		16	/* clients that have left and owe something */

/**
 * struct tg_left - a client without channels, or whose channels have all left
 * @client: the client
 * @since: when its last channel left
 * @idle: since when the GPU has had nothing to do meanwhile, as far as known
 * @uid: whose process left: the host may change the identity before JOIN
 * @away: it has no channels
 */
struct tg_left {
	struct tg_client *client;
	s64 since, idle;
	u32 uid;
	bool away;
};

/**
 * struct tg_gpu - what one event is fed to
 * @now: time of the event that is, or was last, fed
 * @seq: number of jobs that have arrived
 * @armed: time of the last TG_ACT_ARM; TG_NEVER: none is due. Never later than the next time at
 *	which something is due without an event, often earlier
 * @wake: the earliest of @armed and of the times that the event being fed has made known
 * @policy: in force; never NULL
 * @term: number of the policy in force: how many have come into force, with the first
 * @behind: how many have since one had all clients; TG_BEHIND_MAX at most
 * @next_policy: takes over when the drain ends; NULL: HOLD and DRAIN are over, or have not begun
 * @drain_since: when DRAIN began
 * @poll_until: end of the poll phase under way; 0: none
 * @watching: the host has got a WATCH, and has not answered it
 * @quiet: when the host has told last that nothing was in flight behind open gates; 0: never
 * @share_by: enum tg_share_by, since the policy came into force, or joined its clients anew
 * @joins_anew: @next_policy is @policy: its clients are to join anew, and its knobs stay
 * @starts: the policy wants pick() to be called when a job has started, too
 * @handover: enum tg_handover
 * @handing: the client that the handover's HOLD or JOIN comes to next; NULL: none is left
 * @rematching: the client that match.c's walk comes to next, since the spec, the virtual GPUs or
 *	the foreground have changed, or blame may be over; NULL: there is no walk
 * @by_line: the walk gives each client the virtual GPU that its line of the spec names
 * @rematches: clients that the new spec has yet to come to. As many spare reserves are in the pool
 *	beyond those that @pooled counts, so that none of these clients finds it empty
 * @sending: where to look next for a client that is unsent; NULL: at the first
 * @walking: the client that the policy's walk comes to next (tg_walk()); NULL: there is no walk
 * @unsent: such clients
 * @passing: where to look next for a job that waits for a wedged engine
 * @served: the event being fed has sent the gate of a client that waits, beyond its visits
 * @visited: clients and jobs that the event being fed has visited in steps (tg_visit())
 * @walked: clients that the walk has come to with the event being fed
 * @syncing: clients that owe an IDLE
 * @open: clients whose gate is open, whether @gate_sent or not
 * @nice: clients with @nice: while there are any, the host feeds NICE
 * @nr_clients: clients
 * @nr_engines: engines
 * @engine: them
 * @spec: in force, or NULL
 * @foreground: process that has the foreground window, 0: none
 * @background: the Background reserve
 * @vgpu: virtual GPUs; [0] is the rest: clients that belong to no other
 * @edition: number of the spec in force, with the first; only those count that come to running
 *	clients. What an older one has given is void: shares, memory, priorities by hand
 * @editions: how many have come since one has come to all; TG_BEHIND_MAX at most
 * @admitted: sum of the reserves' shares of this edition
 * @guarantees: guaranteed reserves that are admitted in this edition, by period
 * @guaranteed: sum of their shares
 * @longest: the longest group that was measured, ns; but for those that broke a guarantee. Since
 *	this @edition began, or TG_KNOB_MAX_GROUP was written
 * @overlong: what the latest group took whose client is blamed, ns
 * @guarded: until then a guaranteed reserve is active: a period after its latest job, but no longer
 *	than half of TG_KNOB_STARVED
 * @lapse: when to look whether blame (tg_client.overlong) is over; TG_NEVER: no client has any
 * @impact: mean preemption impact of all clients, ns; 0 before the first
 * @impact_runs: how many runs it stands for, as far as that matters
 * @buckets: the tables
 * @bucket_mask: the bits of a number that choose its bucket
 * @pool: spare objects, chained through their hash field (reserves: through all)
 * @pooled: how many of them may be taken: all, or less @rematches
 * @sharers: users and cgroups that have clients, by their keys
 * @spare_sharers: as many as there are more clients than sharers, chained as in @pool
 * @all_clients: in the order of their first JOIN
 * @left: those that have left, in the order in which they did
 * @nr_left: how many
 * @nr_away: how many of them have no channels
 * @left_look: when to look whether they still owe something; TG_NEVER: none does
 * @syncs: clients that owe an IDLE, in the order in which they came to owe it
 * @reserves: all in use, Background included
 * @overlaps: FREED jobs that lost their slot
 * @lost: LOST jobs
 * @throttled: reserves with throttled jobs, by when the first of these becomes eligible
 * @moved: jobs that the event being fed has let in from their reserves' throttled jobs, or has
 *	taken back; TG_RESERVE_MOVES at most
 * @pause: until then reserves, jobs and clients are left alone whose time has come
 * @knob: the core's; times in ns
 * @policy_knob: values of its knobs; when the policy changes, what @begins says, or defaults
 * @begins: what a policy's knobs are when it comes into force, as the last spec that named it says
 * @mem: the books of its memory
 * @dry: the model of a dry run; NULL: none is on
 * @recorder: the flight recorder; NULL: it is off. The host's, as tg/recorder.h says
 * @out: where actions go, while an event is fed
 * @priv: the policy's; zero when it comes into force
 */
struct tg_gpu {
	s64 now;
	u64 seq;
	s64 armed, wake;
	const struct tg_policy *policy, *next_policy;
	u32 term, behind;
	s64 drain_since, poll_until, quiet;
	u8 share_by;
	bool joins_anew, starts, watching;
	u8 handover;
	struct tg_client *handing, *rematching, *sending, *walking, *passing;
	u32 rematches, unsent, visited, walked;
	bool served, by_line;
	u32 syncing, open, nice, nr_clients, nr_engines;
	struct tg_engine engine[TG_ENGINES_MAX];
	const struct tg_spec *spec;
	u32 foreground;
	struct tg_reserve background;
	struct tg_vgpu vgpu[TG_VGPUS_MAX + 1];
	u64 edition;
	u32 editions;
	s64 admitted;
	struct rb_root_cached guarantees;
	s64 guaranteed, longest, overlong, guarded, lapse, impact;
	u32 impact_runs;
	struct tg_buckets buckets;
	u32 bucket_mask;
	void *pool[TG_POOLS];
	u32 pooled[TG_POOLS];
	struct rb_root_cached sharers;
	void *spare_sharers;
	struct list_head all_clients, syncs, reserves;
	struct tg_left left[TG_LEFT];
	u32 nr_left, nr_away;
	s64 left_look;
	struct list_head overlaps, lost;
	struct rb_root_cached throttled;
	u32 moved;
	s64 pause;
	s64 knob[TG_KNOBS];
	s64 policy_knob[TG_KNOBS_MAX];
	struct tg_begins begins;
	struct tg_memory mem;
	struct tg_dry *dry;
	struct tg_recorder *recorder;
	struct tg_actions *out;
	u64 priv[TG_GPU_PRIV / 8];
};

/**
 * tg_gpu_init() - a GPU without clients
 * @gpu: memory for it
 * @engines: number of engines, 1 to TG_ENGINES_MAX
 * @policy: number of the first policy
 * @buckets: tables, kept until the host is done with @gpu
 * @now: the time
 *
 * There is no counterpart: when every client has left, take the pools and forget it.
 */
void tg_gpu_init(struct tg_gpu *gpu, u32 engines, u32 policy, const struct tg_buckets *buckets,
		 s64 now);

/**
 * tg_gpu_give() - put an object into a pool
 * @gpu: the GPU
 * @pool: its kind
 * @object: memory of that type; the core's until tg_gpu_take() hands it back
 */
static inline void tg_gpu_give(struct tg_gpu *gpu, enum tg_pool pool, void *object)
{
	*(void **)object = gpu->pool[pool];
	gpu->pool[pool] = object;
	gpu->pooled[pool]++;
}

/**
 * tg_gpu_take() - get a spare object back
 * @gpu: the GPU
 * @pool: its kind
 *
 * Return: the object, or NULL when the pool is empty.
 */
static inline void *tg_gpu_take(struct tg_gpu *gpu, enum tg_pool pool)
{
	void *object = gpu->pooled[pool] ? gpu->pool[pool] : NULL;

	if (object) {
		gpu->pool[pool] = *(void **)object;
		gpu->pooled[pool]--;
	}
	return object;
}

/**
 * tg_gpu_feed() - the one way in: takes one event, hands out actions
 * @gpu: the GPU
 * @event: what happened; nothing of it but @event->data's target is kept
 * @out: receives the actions
 *
 * Context: any; does not sleep; see above for the lock.
 *
 * Return: 0; or, with nothing changed and nothing emitted: -EINVAL: malformed, or time goes
 * backwards; -ENOENT: no such client, channel or job; -EEXIST: number in use; -ENOMEM: a pool
 * is empty; -EBUSY: not in this state (a job done before it started). A host whose event races
 * with the job's end (CANCEL with LEAVE) may see -ENOENT, and ignores it.
 */
int tg_gpu_feed(struct tg_gpu *gpu, const struct tg_event *event, struct tg_actions *out);

/**
 * tg_gpu_takes_spec() - what tg_gpu_feed() would answer to a SPEC
 * @gpu: the GPU
 * @event: the event; nothing of it is kept
 *
 * For a host with several GPUs that wants a spec in force on all of them or on none.
 * Context: as tg_gpu_feed().
 *
 * Return: 0, -ENOMEM or -EBUSY.
 */
int tg_gpu_takes_spec(const struct tg_gpu *gpu, const struct tg_event *event);

/**
 * tg_gpu_may_bypass() - may a job bypass the core: go to the driver before the core hears of it?
 * @gpu: the GPU
 * @client: number of the client
 * @channel: number of its channel
 * @unreported: how many jobs of this channel have bypassed the core since the last event; none of
 *	another channel has
 *
 * True: the core would answer the job's SUBMIT with FREE, now and until the next event. So the host
 * may skip SUBMIT. It lets the job go, and later feeds TG_EV_BYPASSED, in the order in which such
 * jobs went, before any other event, the job's own DONE included. Decisions are then the same as
 * after a SUBMIT, and a client that has the GPU to itself saves the time that a SUBMIT takes. With
 * AE the answer holds whatever the job's key is, and its cost is not learned
 * (tg_predict_unread()).
 *
 * The host keeps one job in the pool for each such job, for its BYPASSED.
 */
bool tg_gpu_may_bypass(const struct tg_gpu *gpu, u32 client, u32 channel, u32 unreported);

/**
 * tg_gpu_again() - shall the host repeat a request for memory that the driver has just refused?
 * @gpu: the GPU
 * @account: account of the process that requests or submits; 0 or an unknown number: none
 * @bytes: of VRAM that have to be there at the same time
 * @waited: how long ago the driver was first called, ns
 *
 * True where requests for memory wait (vram_order, mem=, the part of a virtual GPU): by the books
 * the memory fits, and the driver refuses it only for what other processes do at this moment. False
 * for what can never fit, and after vram_timeout_us.
 */
bool tg_gpu_again(const struct tg_gpu *gpu, u32 account, u64 bytes, s64 waited);

/**
 * tg_gpu_client() - look a client up
 * @gpu: the GPU
 * @id: its number
 *
 * Return: the client, or NULL.
 */
struct tg_client *tg_gpu_client(const struct tg_gpu *gpu, u32 id);

/**
 * tg_gpu_left() - the client as which a process joins
 * @gpu: the GPU
 * @id: the process
 * @account: its account of memory, as JOIN will say
 *
 * A client that has left, and owes something, comes back with the next process of its payer by the
 * same line of the spec: JOIN then has its number, the new process's identity and its cookie. A
 * host asks before it gives a process a new number.
 *
 * Return: the client; NULL: it is a new one.
 */
struct tg_client *tg_gpu_left(const struct tg_gpu *gpu, const struct tg_identity *id, u32 account);

/**
 * tg_gpu_job() - look a job up
 * @gpu: the GPU
 * @id: its number
 *
 * Return: the job, or NULL when there is none, or it has ended.
 */
struct tg_job *tg_gpu_job(const struct tg_gpu *gpu, u64 id);

/**
 * tg_gpu_policy() - the policy that the user has chosen
 * @gpu: the GPU
 *
 * Return: the one in force; in a dry run, the one that is modelled.
 */
const struct tg_policy *tg_gpu_policy(const struct tg_gpu *gpu);

/**
 * tg_gpu_modelled() - the client whose reserve is charged
 * @gpu: the GPU
 * @client: the client
 *
 * Return: @client; in a dry run, the model's client of that number, if it has one.
 */
const struct tg_client *tg_gpu_modelled(const struct tg_gpu *gpu, const struct tg_client *client);

/**
 * tg_gpu_check() - are all invariants true?
 * @gpu: the GPU
 *
 * For tests: time grows with the number of objects.
 *
 * Return: NULL, or static text that names the first one broken.
 */
const char *tg_gpu_check(const struct tg_gpu *gpu);

#endif /* TG_GPU_H */
