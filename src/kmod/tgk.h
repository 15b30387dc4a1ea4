/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel module's files share among themselves.
 *
 *	main.c		load and unload, module parameters
 *	hook.c		finds nouveau, attaches to its GPUs, replaces its functions
 *	push.c		reads a submission's push buffers, for the predictor
 *	vram.c		the books of VRAM: requests and objects
 *	await.c		waits for what an EXEC has to wait for
 *	submit.c	the way of one submission: gate, wait, driver, fence
 *	client.c	processes and channels as nouveau sees them, matched to the core's
 *	fence.c		the fence of a submission, and its signal
 *	poll.c		reads from the GPU which channel its engine works for
 *	sleep.c		asks no card that is away, and stops the core's clock meanwhile
 *	host.c		feeds the core, carries out its actions, owns its memory and timer
 *	trace.c		the record of what went in and out, and the tracepoints
 *	sysfs.c		/sys/kernel/timegraph
 *	vgpu.c		virtual GPUs, also as changed by hand, and their files
 *
 * Locking
 *	tgk_mutex	sleeping; the lists of GPUs (readers: RCU), attach and detach, and what is
 *			set for all GPUs: policy, spec, knobs. Taken under a device's lock (bus
 *			notifier); never held while sysfs files are removed or the bus notifier is
 *			unregistered.
 *	tgk_gpu.lock	raw, interrupts off: the core, and the fields below that name it.
 *			Taken inside nouveau's fence locks. Under it: wake_up_process(), timers and
 *			queue_work(), but nothing of nouveau, DRM or dma_fence.
 *	tgk_spec_sem	sleeping; the spec in force, and what it says of each client. Taken for
 *			reading by who joins, under nothing; for writing under tgk_mutex.
 *	contexts_lock	raw, fence.c's, interrupts off: the table of channels by the context of
 *			their fences. Inside tgk_gpu.lock.
 *	RCU		each submission finds its GPU without a lock, and through an open gate its
 *			channel, too (rcu_read_lock_sched(), the cheaper one); so do those who look
 *			at the fences of open gates, and who sees a new fence.
 *
 * A job that need not ask (go_unasked()) is in tgk_gpu.unasked until the core is told of it, which
 * is ahead of any other event (tgk_feed()), or by look() after a twentieth of a second: so whatever
 * is decided, is decided as if the job had asked. tgk_job.at says, without the lock, who tells of
 * its start.
 *
 * An open gate has no lock: a call counts itself in tgk_client.open_begun, then looks at the
 * gate; whoever closes a gate writes it, then looks at the count (tgk_open_begin()).
 *
 * Life of a GPU: tgk_gpu_create(), visible; tgk_gpu_close(), invisible, waiters leave;
 * tgk_gpu_quiet(), no call holds it any more; tgk_gpu_destroy(). Every call that found it
 * (tgk_gpu_get()) holds it in tgk_gpu.calls. A call may stay for as long as a client wants, so
 * tgk_mutex is not held from close to destroy: settings and other GPUs go on.
 */
#ifndef TGK_H
#define TGK_H

#undef pr_fmt
#define pr_fmt(fmt) "timegraph: " fmt

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/kobject.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <tg/dry.h>
#include <tg/policy.h>
#include <uapi/timegraph.h>

#include "trace.h"

struct drm_device;
struct drm_file;
struct drm_gem_object;
struct tgk_object;
struct tgk_owner;
struct ttm_resource_manager;

/* Calls into nouveau that go on when their place is kept for a restart: this long. */
#define TGK_PARK	(HZ / 10)

#define TGK_ARGS	64	/* bytes of a submission's arguments, at most */

/*
 * What is done under tgk_gpu.lock grows with channels, of which the hardware has so many, and with
 * what each of them may have there: processes that use it, and threads of one of these between
 * their request and nouveau's answer. nouveau lets one thread of a handle in at a time.
 */
#define TGK_SHARERS	8
#define TGK_THREADS	4
#define TGK_UNHEARD	64	/* jobs that the core has not heard of, or not that they started */

/**
 * enum tgk_closing - why a GPU does not schedule any more
 * @TGK_OPEN: it does
 * @TGK_PASS: the module goes: waiters go on to nouveau
 * @TGK_GONE: the device goes: waiters end with -ENODEV
 */
enum tgk_closing { TGK_OPEN, TGK_PASS, TGK_GONE };

/**
 * enum tgk_stat - counters of the module, files under stats/
 */
enum tgk_stat {
	TGK_STAT_SUBMITTED,	/* submissions to GPUs that we schedule, each counted once */
	TGK_STAT_OPEN,		/* of them: through an open gate */
	TGK_STAT_UNASKED,	/* of them: nobody else was there: the core heard of it later */
	TGK_STAT_WAITED,	/* of them: had to sleep */
	TGK_STAT_PASSED,	/* of them: past the gate: unknown channel, unloading */
	TGK_STAT_FENCE_WAITED,	/* EXECs that had to sleep for another's fence, before anything */
	TGK_STAT_PARKED,	/* sleeps that a signal interrupted */
	TGK_STAT_RESUMED,	/* of them: came back in time */
	TGK_STAT_CANCELLED,	/* submissions given up before nouveau saw them */
	TGK_STAT_FAILED,	/* submissions that left no fence */
	TGK_STAT_COMPLETED,	/* fences that signalled */
	TGK_STAT_LOST,		/* notes, see enum tg_note */
	TGK_STAT_REPAIRED,
	TGK_STAT_RECOVERED,
	TGK_STAT_OVERLAPS,
	TGK_STAT_EJECTED,
	TGK_STAT_DRAIN_CUT,
	TGK_STAT_NOT_ADMITTED,
	TGK_STAT_VRAM_REQUESTS,	/* requests for VRAM */
	TGK_STAT_VRAM_WAITED,	/* of them: had to sleep */
	TGK_STAT_VRAM_REFUSED,	/* of them: refused by us */
	TGK_STAT_VRAM_LATE,	/* of these: after their timeout */
	TGK_STAT_VRAM_DEADLOCK,	/* of these: since holders waited for each other */
	TGK_STAT_VRAM_AGAIN,	/* nouveau refused what was in the books, and was asked again */
	TGK_STATS
};

extern atomic64_t tgk_stats[TGK_STATS];
extern const char *const tgk_stat_names[TGK_STATS];

static inline void tgk_count(enum tgk_stat stat)
{
	atomic64_inc(&tgk_stats[stat]);
}

#define TGK_POLL_PAGES	2	/* of BAR0, that are read at most */

/**
 * struct tgk_poll - what the poller keeps of one GPU
 * @node: in the poller's list
 * @chip: how to read it, NULL: it cannot be read; constant while in the list
 * @page: mapped pages; constant while in the list
 * @id: chip identification; constant
 * @until: end of the phase asked for, 0: none; written under tgk_gpu.lock, read without
 * @gap: mean distance of its readings, ns; likewise
 * @stops: how often a phase was called off; likewise
 * @stopped: of these, how many the thread knows of; poll.c's mutex, as all below
 * @on: a phase is under way
 * @begun: since when
 * @last: latest reading
 * @next: when the next one is due
 * @chid: what the latest reading showed
 * @run: time that belongs to it, since it has shown this
 * @runner: client that the run is of, 0: none of ours
 * @submitted: by that one, when the run began, or when groups were last @missed
 * @missed: groups in this run whose end was not seen
 * @least: shortest distance of two dense readings so far, 0: there were none
 * @seed: of the readings' distances
 * @others: time of channels that are nobody's, in this phase; tgk_gpu.lock, as all below
 * @others_runs: runs of theirs
 * @total: length of all phases
 * @phases: their number
 */
struct tgk_poll {
	struct list_head node;
	const struct tgk_chip *chip;
	void __iomem *page[TGK_POLL_PAGES];
	u32 id;
	s64 until, gap;
	u32 stops, stopped;
	bool on;
	s64 begun, last, next;
	u32 chid;
	s64 run;
	u32 runner, missed;
	u64 submitted;
	s64 least;
	u32 seed;
	s64 others;
	u32 others_runs;
	u64 total, phases;
};

/**
 * struct tgk_sleep - the system's sleep, as the core's clock goes
 * @since: when it fell asleep, by ktime_get_ns(), 0: it is awake
 * @woke: when it woke last
 * @last: how long the last sleep was
 * @sum: how long all were, but for the present one
 */
struct tgk_sleep {
	s64 since, woke, last, sum;
};

#define TGK_NOTES	32	/* notes that wait to be told */

/**
 * struct tgk_note - one TG_ACT_NOTE, to be told from the work
 * @what: enum tg_note
 * @policy: that is in force now, or has failed; NULL: it is not about one
 * @client: its number, 0: none
 * @pid: its process
 * @uid: its user
 * @comm: its name, as it chose it
 */
struct tgk_note {
	u32 what;
	const struct tg_policy *policy;
	u32 client;
	u32 pid, uid;
	char comm[TG_COMM_LEN];
};

/**
 * struct tgk_gpu - one GPU that is scheduled
 * @node: in tgk_gpus; tgk_mutex, RCU
 * @index: number, the lowest that was free; constant
 * @drm: nouveau's device, compared only; constant
 * @dev: its PCI device, referenced; constant
 * @calls: calls that use it, and one while it is in tgk_gpus
 * @timer: feeds TIMER
 * @look: finds out about jobs whose interrupt was lost
 * @unpark: gives up parked jobs that nobody came back for
 * @tell: tells notes
 * @open_wait: woken when a client's last call through an open gate ends
 * @poll: the poller's
 * @lock: guards everything below, and all objects of the core
 * @core: the state machine
 * @out: its way to tgk_emit()
 * @sleep: how its clock differs from the system's
 * @closing: enum tgk_closing; read without the lock by waiters
 * @trace: what was fed and emitted
 * @last_job: number of the last job
 * @unasked: jobs that went without asking (tg_gpu_unasked()), and that the core has not heard of,
 *	the latest first
 * @nr_unasked: how many
 * @unasked_channel: the one that all of them are of; compared only
 * @unstarted: tgk_job.node of those of which it has heard, but not that they have started
 * @nr_unstarted: how many
 * @spare: jobs that are done, for the next submissions: while work goes on, as many as there ever
 *	were at once
 * @nr_spare: how many
 * @given: objects given to each pool
 * @clients: tgk_client.node, by process, until GONE
 * @channels: tgk_channel.hash, by number; readers: RCU
 * @waiting: tgk_job.node of jobs whose thread sleeps
 * @parked: tgk_job.node of jobs whose thread was interrupted, oldest first
 * @parked_by: tgk_job.by_task of these
 * @flights: tgk_job.node of jobs whose fence has not signalled
 * @last_ask: number of the last request for VRAM
 * @asking: tgk_ask.node of those whose thread sleeps until the core answers
 * @left: tgk_ask.node of those whose thread was interrupted, oldest first
 * @nr_left: how many
 * @owners: tgk_owner.node, by process: those that have VRAM or a channel
 * @objects: tgk_object.hash: what is booked, by object
 * @vram: nouveau's manager of VRAM, NULL: not known yet; read without the lock
 * @notes: waiting to be told
 * @nr_notes: how many
 * @dropped_notes: for lack of room
 */
struct tgk_gpu {
	struct list_head node;
	unsigned int index;
	const struct drm_device *drm;
	struct device *dev;
	atomic_t calls;
	struct hrtimer timer;
	struct delayed_work look, unpark;
	struct work_struct tell;
	wait_queue_head_t open_wait;
	struct tgk_poll poll;

	raw_spinlock_t lock;
	struct tg_gpu core;
	struct tg_actions out;
	struct tgk_sleep sleep;
	u8 closing;
	struct tgk_trace trace;
	u64 last_job;
	struct llist_head unasked;
	u32 nr_unasked;
	const struct tgk_channel *unasked_channel;
	struct list_head unstarted;
	u32 nr_unstarted;
	struct llist_head spare;
	u32 nr_spare;
	u64 given[TG_POOLS];
	DECLARE_HASHTABLE(clients, 7);
	DECLARE_HASHTABLE(channels, 7);
	struct list_head waiting, parked, flights;
	DECLARE_HASHTABLE(parked_by, 8);
	u64 last_ask;
	struct list_head asking, left;
	DECLARE_HASHTABLE(owners, 10);
	u32 nr_left;
	DECLARE_HASHTABLE(objects, 12);
	struct ttm_resource_manager *vram;
	struct tgk_note notes[TGK_NOTES];
	u32 nr_notes, dropped_notes;
};

/**
 * struct tgk_client - one process on one GPU, while it executes one program
 * @kobj: its folder in sysfs; its count is the client's
 * @gpu: its GPU, as long as the client is not gone, or a work item of it runs
 * @id: the core's number; constant
 * @pid: its process, referenced; constant
 * @exec: tgk_exec_id() of that program; constant
 * @ident: who it is; constant, but for what the spec says of it: tgk_gpu.lock
 * @owner: its process's account of VRAM, held; constant once it has joined
 * @show: adds and removes the folder
 * @sync: answers TG_ACT_SYNC
 * @shown: the folder is there; only @show
 * @buried: the core's reference is given back; only @show
 * @node: in tgk_gpu.clients until @gone; tgk_gpu.lock, as all below
 * @phase: the poll phase, from 1, whose sample it has had, or in which it came
 * @channels: number of its channels that have not left
 * @closed: its last channel has left: another one makes a new client
 * @gone: the core has forgotten it
 * @gate: enum tg_gate; read without the lock
 * @unreadable: submissions that AE asked about, and no key could be had
 * @snap: its place in the snapshot being made
 * @sync_nr: number of the SYNC that is due
 * @open_told: of its calls through its open gate, those that an IDLE has told of
 * @polled: time that the engine was seen to work for it, in this phase of polling
 * @polled_runs: how often the engine was seen to go to it
 * @polled_begun: submissions by the end of the last phase
 * @polled_ended: calls through its open gate that had ended by then
 * @open_begun: calls through its open gate, ever
 * @open_ended: of them: those that have ended. Equal: none is under way
 * @live: work that went through its open gate was in flight when the phase ended; only the
 *	poller
 * @was_live: the same of the phase before; only the poller
 */
struct tgk_client {
	struct kobject kobj;
	struct tgk_gpu *gpu;
	u32 id;
	struct pid *pid;
	u64 exec;
	struct tg_identity ident;
	struct tgk_owner *owner;
	struct work_struct show, sync;
	bool shown, buried;

	struct hlist_node node;
	u64 phase;
	u32 channels;
	bool closed, gone;
	u8 gate;
	u64 unreadable;
	u32 snap;
	u32 sync_nr;
	u64 open_told;
	s64 polled;
	u32 polled_runs;
	u64 polled_begun, polled_ended;

	atomic64_t open_begun, open_ended;
	bool live, was_live;
};

/**
 * struct tgk_channel - one channel as used by one process
 * @hash: in tgk_gpu.channels; tgk_gpu.lock, as all below that names nothing else; readers: RCU
 * @refs: users, and one while it is in the table; atomic
 * @rcu: to free it
 * @client: whose it is, referenced; constant while in the table
 * @file: nouveau's handle, compared only
 * @chid: nouveau's number
 * @nr: the core's number: @chid, or one that is free
 * @engines: mask of those that its objects are of; 0: none is known, and it is taken to use PGRAPH
 * @dying: LEAVE was fed; nouveau is freeing it; read without the lock
 * @threads: that have submitted to it and whose job has not started, at most TGK_THREADS
 * @behind: tgk_turn.node of those that would be more, in the order in which they came
 * @last: fence of the last submission through an open gate, referenced, or NULL; replaced
 *	atomically, readers: RCU
 * @by_context: in fence.c's table, if @context is not 0; contexts_lock, readers: RCU
 * @context: of its fences, 0: not known yet; contexts_lock, read without
 * @task: a thread inside nouveau with a submission to it, NULL: none, or one that is not the only
 *	one; set atomically
 * @capture: what that one looks for, on its stack; only @task
 */
struct tgk_channel {
	struct hlist_node hash;
	refcount_t refs;
	struct rcu_head rcu;
	struct tgk_client *client;
	const struct drm_file *file;
	u32 chid, nr;
	u8 engines, threads;
	bool dying;
	struct list_head behind;
	struct dma_fence __rcu *last;
	struct hlist_node by_context;
	u64 context;
	struct task_struct *task;
	struct tgk_capture *capture;
};

/**
 * struct tgk_job - one submission, from its arrival to its fence's signal
 * @gpu: its GPU
 * @id: the core's number
 * @arrived: when it was submitted, ns; tgk_gpu.lock, as all up to @until
 * @node: in one of the GPU's lists
 * @ch: its channel, in whose @threads it counts, referenced; NULL: in nobody's
 * @by_task: parked: in tgk_gpu.parked_by
 * @task: waiting: the thread; parked: the thread, referenced
 * @freed: the core has said FREE; read without the lock by the thread
 * @client: unasked: number of its client
 * @channel: unasked: the core's number of its channel
 * @at: unasked: when it started, ns, 0: its fence is not there yet; TGK_ARMED: that is there, and
 *	the job waits inside nouveau; TGK_ASKED: the core knows of it, and is told when it starts.
 *	Written by its thread without the lock until its fence is there; read under it
 * @until: parked: jiffies until which its place is kept; in flight: jiffies before which nobody
 *	asks nouveau for its fence
 * @file: parked: what was called
 * @args: parked: with what
 * @fence: in flight: its fence, referenced
 * @cb: its callback
 * @scheduled: in flight, of EXEC: the fence that signals when it goes to the GPU, held by @fence;
 *	else NULL
 * @begin: its callback
 * @chain: in tgk_gpu.unasked, later in tgk_gpu.spare
 */
struct tgk_job {
	struct tgk_gpu *gpu;
	u64 id;
	s64 arrived;
	struct list_head node;
	struct tgk_channel *ch;
	struct hlist_node by_task;
	struct task_struct *task;
	bool freed;
	u32 client, channel;
	s64 at;
	unsigned long until;
	const struct drm_file *file;
	u8 args[TGK_ARGS];
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	struct dma_fence *scheduled;
	struct dma_fence_cb begin;
	struct llist_node chain;
};

#define TGK_ASKED	(-1)
#define TGK_ARMED	(-2)

/**
 * struct tgk_turn - a thread that waits for its turn at a channel, on its stack
 * @node: in tgk_channel.behind until @come; tgk_gpu.lock
 * @task: the thread
 * @come: it is one of the channel's threads now; written under tgk_gpu.lock, read without
 */
struct tgk_turn {
	struct list_head node;
	struct task_struct *task;
	bool come;
};

/**
 * struct tgk_call - one ioctl: a submission, or a request for VRAM
 * @orig: nouveau's function
 * @dev: its arguments
 * @data: its arguments
 * @file: its arguments
 * @size: of a submission: bytes at @data, at most TGK_ARGS
 * @chid: of a submission: the channel it names
 * @exec: the submission is EXEC, else PUSHBUF
 */
struct tgk_call {
	int (*orig)(struct drm_device *dev, void *data, struct drm_file *file);
	struct drm_device *dev;
	void *data;
	struct drm_file *file;
	size_t size;
	u32 chid;
	bool exec;
};

/**
 * struct tgk_piece - a piece of push buffer
 * @handle: the GEM object that it is in, as its client calls it
 * @offset: where in it, bytes
 * @bytes: how many; neither has been checked
 */
struct tgk_piece {
	u32 handle;
	u64 offset, bytes;
};

/* main.c */
extern struct mutex tgk_mutex;
extern struct workqueue_struct *tgk_wq;
extern unsigned int tgk_trace_kib;
extern bool tgk_public;

/* hook.c: process context */
int tgk_hook_init(void);
void tgk_hook_exit(void);
int tgk_call_piece(const struct tgk_call *call, u32 i, struct tgk_piece *piece);
bool tgk_call_vram(const struct tgk_call *call, u64 *bytes);
int tgk_hook_free(const struct drm_gem_object *obj);
void tgk_object_put(struct drm_gem_object *obj);

/* push.c: process context */
const struct tg_key *tgk_push_key(struct tg_key_builder *b, const struct tgk_call *call);

/* vram.c */

/**
 * struct tgk_ask - a request for VRAM, or a submission that nouveau has no memory for
 * @node: in tgk_gpu.asking or tgk_gpu.left, or in none; tgk_gpu.lock
 * @task: the thread, referenced; constant
 * @object: what is asked for, NULL: nothing, it is a submission; constant
 * @id: the core's number; constant once it is asked
 * @refused: when nouveau refused it first, ns, 0: it has not; only the thread
 * @until: left: jiffies until which its place is kept; tgk_gpu.lock
 * @answer: 0: none yet; written under tgk_gpu.lock, read without
 */
struct tgk_ask {
	struct list_head node;
	struct task_struct *task;
	struct tgk_object *object;
	u64 id;
	s64 refused;
	unsigned long until;
	u8 answer;
};

enum { TGK_GRANTED = 1, TGK_REFUSED };

struct tgk_owner *tgk_owner_get(struct tgk_gpu *gpu);
void tgk_owner_put(struct tgk_gpu *gpu, struct tgk_owner *owner);
u32 tgk_owner_nr(const struct tgk_owner *owner);
void tgk_vram_answer(struct tgk_ask *ask, bool granted);
int tgk_vram_make(struct tgk_gpu *gpu, const struct tgk_call *call, u64 bytes, const u32 *handle,
		  const u64 *made);
int tgk_vram_submit(struct tgk_gpu *gpu, const struct tgk_call *call, u64 *answer, u64 flags);
bool tgk_vram_unpark(struct tgk_gpu *gpu, bool all);
struct tgk_object *tgk_vram_free(struct tgk_gpu *gpu, const struct drm_gem_object *obj);
void tgk_vram_freed(struct tgk_gpu *gpu, struct tgk_object *object);
int tgk_vram_learn(struct tgk_gpu *gpu, struct drm_gem_object *obj);
u64 tgk_vram_resident(const struct tgk_gpu *gpu);
void tgk_vram_forget_all(struct tgk_gpu *gpu);

/* await.c: process context */
int tgk_await(struct tgk_gpu *gpu, const struct tgk_call *call);

/* submit.c */
int tgk_submit_open(struct tgk_gpu *gpu, const struct tgk_call *call);
int tgk_submit_gated(struct tgk_gpu *gpu, const struct tgk_call *call);

/**
 * tgk_submit() - one submission, from the call to nouveau's answer
 * @gpu: the GPU, held
 * @call: the ioctl
 *
 * Context: process; sleeps.
 *
 * Return: what nouveau returns; -ERESTARTSYS or -EINTR: a signal came first; -ENODEV: the
 * device is going away; -ENOMEM.
 */
static inline int tgk_submit(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	/* One that opens now may be missed: it is found closed, and looked at under the lock. */
	return READ_ONCE(gpu->core.open) ? tgk_submit_open(gpu, call) : tgk_submit_gated(gpu, call);
}

void tgk_unpark(struct work_struct *work);
void tgk_unpark_all(struct tgk_gpu *gpu);

/* client.c */

/**
 * enum tgk_known - what is known about a channel that the current process names
 * @TGK_UNKNOWN: nothing
 * @TGK_KNOWN: everything
 * @TGK_FOREIGN: that it is there, as another process's
 * @TGK_DYING: that nouveau is freeing it
 */
enum tgk_known { TGK_UNKNOWN, TGK_KNOWN, TGK_FOREIGN, TGK_DYING };

struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known);
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid);
bool tgk_open_begin(struct tgk_gpu *gpu, struct tgk_channel *ch);
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence);
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch);
void tgk_channel_put(struct tgk_channel *ch);
void tgk_channel_next(struct tgk_channel *ch);
int tgk_channel_join(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, bool fresh);
void tgk_channel_object(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u32 class);
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid);
void tgk_client_gate(struct tgk_client *client, u32 gate);
void tgk_client_sync(struct tgk_client *client);
void tgk_client_gone(struct tgk_client *client);
void tgk_clients_match(struct tgk_gpu *gpu, const struct tg_spec *spec);
void tgk_client_put(struct tgk_client *client);

/* fence.c */

/**
 * struct tgk_capture - looks out for the fence that the current thread creates
 * @hash: in the table of captures, if @listed
 * @task: the thread, if @listed
 * @listed: in the table, else found by its channel
 * @exec: it is inside an EXEC, else a PUSHBUF
 * @timed: somebody wants to know @at
 * @fence: the last one seen, referenced
 * @at: when it was created, if that is wanted
 */
struct tgk_capture {
	struct hlist_node hash;
	struct task_struct *task;
	bool listed, exec, timed;
	struct dma_fence *fence;
	s64 at;
};

int tgk_fence_init(void);
void tgk_fence_exit(void);
void tgk_capture_list(struct tgk_capture *c);
void tgk_capture_unlist(struct tgk_capture *c, struct tgk_channel *ch);
struct dma_fence *tgk_capture_lone(struct dma_fence *fence);

/**
 * tgk_capture_begin() - from now on, remember the last fence that this thread creates
 * @c: where; all zero but for @exec and @timed
 * @ch: the channel that it is for, held until tgk_capture_end(); or NULL
 */
static inline void tgk_capture_begin(struct tgk_capture *c, struct tgk_channel *ch)
{
	if (likely(ch && READ_ONCE(ch->context) && !cmpxchg(&ch->task, NULL, current)))
		ch->capture = c;
	else
		tgk_capture_list(c);
}

/**
 * tgk_capture_end() - no longer
 * @c: as given to tgk_capture_begin()
 * @ch: likewise
 *
 * Return: the fence, referenced, or NULL when none was emitted.
 */
static inline struct dma_fence *tgk_capture_end(struct tgk_capture *c, struct tgk_channel *ch)
{
	if (likely(!c->listed))
		smp_store_release(&ch->task, NULL);	/* @capture is the next one's */
	else
		tgk_capture_unlist(c, ch);
	if (likely(c->fence && kref_read(&c->fence->refcount) > 1))
		return c->fence;
	return tgk_capture_lone(c->fence);
}

void tgk_fence_forget(struct tgk_channel *ch);
void tgk_fence_gpu(struct tgk_gpu *gpu);
void tgk_fence_arm(struct tgk_job *job, struct dma_fence *fence, s64 at);
bool tgk_fence_ahead(const struct dma_fence *fence, const struct drm_file *file, u32 chid);
int tgk_fence_wait(struct dma_fence *fence);
void tgk_fence_drop_all(struct tgk_gpu *gpu);

/* sleep.c */
bool tgk_card_get(const struct tgk_gpu *gpu);
void tgk_card_put(const struct tgk_gpu *gpu);
s64 tgk_core_time(const struct tgk_gpu *gpu, s64 at);
void tgk_sleep_begin(void);
void tgk_sleep_end(void);

/* poll.c */
#define TGK_CHIP_NONE	0x1ff	/* all bits of a chip's number */
int tgk_poll_init(void);
void tgk_poll_exit(void);
void tgk_poll_attach(struct tgk_gpu *gpu);
u32 tgk_chip_id(struct device *dev);
u32 tgk_chip_engines(u32 id);
void tgk_poll_detach(struct tgk_gpu *gpu);
bool tgk_poll_able(const struct tgk_gpu *gpu, const struct tg_policy *policy);
void tgk_poll_until(struct tgk_gpu *gpu, s64 until, u32 gap);
void tgk_poll_slept(struct tgk_gpu *gpu, s64 ns);
u64 tgk_poll_cpu_time(void);
unsigned int tgk_poll_cpu_default(void);
u64 tgk_poll_readings(void);
unsigned int tgk_poll_cpu(void);
int tgk_poll_bind(unsigned int nr);

/* host.c */
extern struct list_head tgk_gpus, tgk_closed;
extern u32 tgk_policy;
extern s64 tgk_knobs[TG_KNOBS];
extern u32 tgk_foreground;
extern struct tgk_spec *tgk_spec;
extern struct rw_semaphore tgk_spec_sem;
extern wait_queue_head_t tgk_told;
extern const char *const tgk_note_names[];

/**
 * struct tgk_spec - the spec in force
 * @spec: parsed
 * @len: bytes of text
 * @text: as it was written
 */
struct tgk_spec {
	struct tg_spec spec;
	u32 len;
	char *text;
};

int tgk_feed(struct tgk_gpu *gpu, struct tg_event *ev);
void tgk_tell(struct tgk_gpu *gpu);
int tgk_pool_fill(struct tgk_gpu *gpu, enum tg_pool pool, u32 n);
void tgk_pools_trim(struct tgk_gpu *gpu);
struct tgk_gpu *tgk_gpu_create(const struct drm_device *drm, struct device *dev);
u32 tgk_gpu_close(struct tgk_gpu *gpu, enum tgk_closing how);
bool tgk_gpu_quiet(const struct tgk_gpu *gpu);
void tgk_gpu_destroy(struct tgk_gpu *gpu);
struct tgk_gpu *tgk_gpu_get(const struct drm_device *drm);

static inline void tgk_gpu_put(struct tgk_gpu *gpu)
{
	/* The last one is seen by tgk_gpu_quiet(); the memory may go then. */
	atomic_fetch_dec_release(&gpu->calls);
}

int tgk_set_policy(u32 nr);
int tgk_set_spec(struct tgk_spec *spec, bool rematch);
int tgk_set_knob(int policy, u32 nr, s64 value);
s64 tgk_knob_default(u32 nr);
void tgk_set_foreground(u32 pid);
bool tgk_policy_settled(void);
void tgk_host_init(u32 policy, bool dry);
void tgk_spec_free(struct tgk_spec *spec);

/* vgpu.c */
void tgk_vgpus_spec(const struct tg_spec *spec);
void tgk_vgpus_attach(struct tgk_gpu *gpu);
int tgk_vgpus_init(struct kobject *root);
void tgk_vgpus_exit(void);

/* sysfs.c */
int tgk_sysfs_init(void);
void tgk_sysfs_exit(void);
int tgk_sysfs_gpu_add(struct tgk_gpu *gpu);
void tgk_sysfs_gpu_remove(struct tgk_gpu *gpu);
bool tgk_may_see_all(void);
extern struct kobject *tgk_clients_dir;
extern const struct sysfs_ops tgk_client_ops;
extern const struct attribute_group *tgk_client_groups[];
void tgk_policies_log(const char *wrong);

#endif /* TGK_H */
