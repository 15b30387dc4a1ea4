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
 *	tgk_mutex	sleeping; the list of GPUs (readers: RCU), attach and detach, and what is
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
 * tgk_gpu_quiesce(), no call holds it any more; tgk_gpu_destroy(). Every call that found it
 * (tgk_gpu_get()) holds it in tgk_gpu.calls.
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

#include "note.h"
#include "poll.h"
#include "sleep.h"
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
 * @orig: the driver's function
 * @dev: its arguments
 * @data: its arguments
 * @file: its arguments
 * @size: of a submission: bytes at @data, at most TGK_ARGS
 * @chid: of a submission: the channel that it names
 * @sched: the submission goes through drm_sched (EXEC): its fence is that one's, and it may name
 *	fences that it has to wait for
 * @flags: a word among the arguments that holds flags, and receives an answer in their place; NULL:
 *	there is none
 * @sync: the flag in it that asks the driver to wait until the submission has ended
 */
struct tgk_call {
	int (*orig)(struct drm_device *dev, void *data, struct drm_file *file);
	struct drm_device *dev;
	void *data;
	struct drm_file *file;
	size_t size;
	u32 chid;
	bool sched;
	u64 *flags, sync;
};

/* main.c */
extern struct mutex tgk_mutex;
extern struct workqueue_struct *tgk_wq;
extern unsigned int tgk_trace_kib;
extern bool tgk_public;

#endif /* TGK_H */
