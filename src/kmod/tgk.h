/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The central structures of the kernel module, and its locks. Each file that others call has a
 * header of its own.
 *
 *	main.c		load and unload, module parameters
 *	attach.c	finds GPUs and lets go of them
 *	hook.c		redirects functions of the driver to ours, and proves that it does
 *	virtio_bus.c	the bus that a virtual machine's driver binds to
 *	function.c	where ftrace is to look for a function of the driver
 *	driver/		what only a driver can tell: nouveau, virtio, and drivers on drm_sched
 *	submit.c	the way of one submission: gate, wait, driver, fence
 *	nice.h		what a process has on the CPU: the priority `nice`
 *	threads.c	how many threads of a channel or client are let in
 *	await.c		what an EXEC waits for before SUBMIT
 *	fence.c		the fence of a submission, and its signal
 *	feed.c		events into the core, actions out of it
 *	pool.c		the core's memory
 *	gpu.c		the life of a GPU
 *	client.c	processes, as the core knows them
 *	channel.c	channels, and the open gate
 *	claim.c		one thread at a time lets a channel join, or frees it
 *	vram.c, owner.c	the books of VRAM: requests and objects; the accounts
 *	poll.c		which channel a GPU works for
 *	copies.c	a driver's own work: what it moves into VRAM and out of it
 *	doorbell.c	when a submission reached the card
 *	clock.c		when a submission ended, by the GPU's own clock
 *	slots.c		where the GPU writes that
 *	space.c, space_map.c	which object lies at an address of the GPU
 *	sleep.c		a card that is away; the core's clock stands still meanwhile
 *	later.c		what is put off until a GPU's lock is given back
 *	settings.c	what is in force for all GPUs: policy, spec, knobs
 *	note.c		what the core wants people to know: log and uevents
 *	latency.h	histograms of a client's waits and latencies
 *	totals.c	what the clients of each user and cgroup have used
 *	recorder.c	the flight recorder's memory, and its frozen copy
 *	shm.c, shm_books.c	device memory that processes share by key
 *	trace.c		the record of events and actions, and the tracepoints
 *	sysfs/		/sys/kernel/timegraph
 *
 * Locking
 *	tgk_mutex	sleeping; the lists of GPUs (readers: RCU), attach and detach, and what is
 *			set for all GPUs: policy, spec, knobs. Taken under a device's lock (bus
 *			notifier); never held while a client is waited for, while sysfs files are
 *			removed or while the bus notifier is unregistered.
 *	tgk_gpu.lock	raw, interrupts off: the core, and the fields below that name it. Taken
 *			inside the driver's fence locks. Under it: timers, but nothing of the
 *			driver, DRM or dma_fence. later.c gives it back, and then wakes threads
 *			and queues work items.
 *	tgk_spec_sem	sleeping; the spec in force, and what it says of each client. A channel
 *			that joins takes it for reading, under no other lock; tgk_set_spec() for
 *			writing, under tgk_mutex.
 *	contexts_lock	raw, fence.c's, interrupts off: the table of channels by the context of
 *			their fences. Inside tgk_gpu.lock.
 *	shm_lock	spin, shm.c's, process context: the segments of shared memory. Taken under
 *			mmap_lock. Under it: tgk_gpu.lock.
 *	space.lock	sleeping, space.c's: what a file has mapped. No lock of ours is taken
 *			under it.
 *	RCU		finds, without a lock: the GPU of a call; the channel of a call through an
 *			open gate; the channel of a new fence; the last fences of open gates.
 *			rcu_read_lock_sched() where it is the cheaper one.
 *
 * Bypass: where the core allows it, a job goes to the driver without SUBMIT (go_bypass()). It is in
 * tgk_gpu.bypassed until it is reported to the core. tgk_feed() does so ahead of any other event,
 * fence.c's work item after a twentieth of a second at the latest; so each decision is as after a
 * SUBMIT. tgk_job.at says, without the lock, which side reports its start.
 *
 * Open gate: it has no lock. A call counts itself in tgk_client.open_begun, then looks at the gate;
 * the core's action writes the gate, then looks at the count (tgk_open_begin()).
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
#include <linux/xarray.h>

#include <tg/dry.h>
#include <tg/policy.h>
#include <tg/recorder.h>
#include <uapi/timegraph.h>

#include "clock.h"
#include "copies.h"
#include "later.h"
#include "note.h"
#include "poll.h"
#include "sleep.h"
#include "trace.h"

struct drm_device;
struct drm_file;
struct drm_gem_object;
struct tgk_driver;
struct tgk_object;
struct tgk_owner;
struct ttm_resource_manager;

/* So long a thread that a signal has interrupted may take to come back to its place. */
#define TGK_PARK	(HZ / 10)

#define TGK_ARGS	96	/* bytes of a submission's arguments, at most */

/*
 * Work under tgk_gpu.lock grows with the number of a client's channels, which the hardware limits,
 * or else join.c, and with these. nouveau lets one thread of a handle in at a time.
 */
#define TGK_SHARERS	8	/* processes that share a channel and are told apart */
#define TGK_THREADS	4	/* of a channel or a client that are let in: threads.c */
#define TGK_UNREPORTED	64	/* jobs of which the core does not know, or not that they started */

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
 * @driver: its driver; constant
 * @beside_told: the log has named a client that bypasses the gate; atomic
 * @drm: the driver's device, compared only; constant
 * @dev: its PCI device, referenced; constant
 * @calls: calls that use it, and one while it is in tgk_gpus; atomic
 * @spaces: what each file has mapped (space.c), by the file; a lock of its own
 * @timer: feeds TIMER
 * @fence_work: checks fences whose interrupt may be lost (fence.c)
 * @unpark: gives up parked jobs and requests whose thread has not come back
 * @note_work: writes notes out (note.c)
 * @wake_work: wakes the threads of @due and @due_requests, one by one (feed.c), and does the walks
 *	that the recorder has put off
 * @watch: answers TG_ACT_WATCH
 * @open_wait: woken when a client's last call through an open gate ends
 * @quiet_since: when tgk_watch() found that nothing was in flight, by ktime_get_ns(); 0: a client
 *	has come since through an open gate; atomic, as @gap
 * @gap: how long after QUIET it came, ns, until the next QUIET tells that
 * @poll: the poller's; poll.h says under which lock
 * @clock: the GPU's own; clock.h says under which lock
 * @copies: the driver's own work; copies.h says under which lock
 * @lock: guards everything below, and all objects of the core
 * @later: what the holder of @lock does when it has given that back
 * @core: the state machine
 * @out: its way to feed.c's emit()
 * @sleep: how its clock differs from the system's
 * @closing: enum tgk_closing; read without the lock by waiters
 * @trace: what was fed and emitted
 * @last_job: number of the last job
 * @last_wait: number of the last record, when the recorder was switched off
 * @bypassed: tgk_job.chain of jobs that have bypassed the gate and are not reported yet, the latest
 *	first
 * @nr_bypassed: how many
 * @bypassed_channel: the channel of all of them; compared only
 * @unstarted: tgk_job.node of jobs that are reported, but not that they have started
 * @nr_unstarted: how many
 * @spare: tgk_job.chain of jobs that are done, memory for the next submissions: while work goes on,
 *	as many as there ever were at once
 * @nr_spare: how many
 * @busy_seen: how long readers have seen each engine busy
 * @given: objects given to each pool
 * @reserved: so many reserves stay in their pool, for a new spec
 * @clients: tgk_client.node, by process, until GONE
 * @channels: tgk_channel.hash, in lists: tgk_channel_list(); readers: RCU
 * @channel_bits: of them: 1 << this; constant
 * @claims: tgk_claim.node of threads that free a channel, or let one join
 * @seed: for its keys; constant
 * @waiting: tgk_job.node of jobs whose thread sleeps
 * @due: tgk_job.node of jobs whose thread sleeps and has to be woken
 * @parked: tgk_job.node of jobs whose thread was interrupted, oldest first
 * @parked_by: tgk_job.by_task of these
 * @flights: tgk_job.node of jobs whose fence has not signalled
 * @last_request: number of the last request for VRAM
 * @requests: tgk_request.node of those whose thread sleeps until the core answers
 * @due_requests: tgk_request.node of those whose thread sleeps and has to be woken
 * @parked_requests: tgk_request.node of those whose thread was interrupted, oldest first
 * @nr_parked_requests: how many
 * @owners: tgk_owner.node, by process: those that have VRAM or a channel
 * @objects: tgk_object.hash: what is booked, by object
 * @vram: TTM's manager of VRAM, NULL: not known yet; read without the lock
 * @notes: to be written out
 * @nr_notes: how many
 * @dropped_notes: how many had no room
 */
struct tgk_gpu {
	struct list_head node;
	unsigned int index;
	const struct tgk_driver *driver;
	bool beside_told;
	const struct drm_device *drm;
	struct device *dev;
	atomic_t calls;
	struct xarray spaces;
	struct hrtimer timer;
	struct delayed_work fence_work, unpark;
	struct tgk_errand note_work, wake_work, watch;
	wait_queue_head_t open_wait;
	atomic64_t quiet_since, gap;
	struct tgk_poll poll;
	struct tgk_clock clock;
	struct tgk_copies copies;

	raw_spinlock_t lock;
	struct tgk_later later;
	struct tg_gpu core;
	struct tg_actions out;
	struct tgk_sleep sleep;
	u8 closing;
	struct tgk_trace trace;
	u64 last_job, last_wait;
	struct llist_head bypassed;
	u32 nr_bypassed;
	const struct tgk_channel *bypassed_channel;
	struct list_head unstarted;
	u32 nr_unstarted;
	struct llist_head spare;
	u32 nr_spare;
	s64 busy_seen[TG_ENGINES_MAX];
	u64 given[TG_POOLS];
	u32 reserved;
	DECLARE_HASHTABLE(clients, 7);
	struct hlist_head *channels;
	u32 channel_bits;
	DECLARE_HASHTABLE(claims, 8);
	u32 seed;
	struct list_head waiting, due, parked, flights;
	DECLARE_HASHTABLE(parked_by, 8);
	u64 last_request;
	struct list_head requests, due_requests, parked_requests;
	DECLARE_HASHTABLE(owners, 10);
	u32 nr_parked_requests;
	DECLARE_HASHTABLE(objects, 12);
	struct ttm_resource_manager *vram;
	struct tgk_note notes[TGK_NOTES];
	u32 nr_notes, dropped_notes;
};

/**
 * struct tgk_threads - of a channel or a client; tgk_gpu.lock
 * @in: how many are let in, TGK_THREADS at most
 * @waiters: tgk_waiter.node of the others, in the order in which they came
 */
struct tgk_threads {
	u32 in;
	struct list_head waiters;
};

struct tgk_total;

/* What a client adds to the totals of its user and its cgroup: totals.c. */
enum tgk_sum {
	TGK_SUM_GPU_TIME, TGK_SUM_WAIT_TIME, TGK_SUM_SUBMITTED, TGK_SUM_COMPLETED, TGK_SUMS
};

enum tgk_total_of { TGK_OF_USER, TGK_OF_CGROUP, TGK_TOTALS_OF };

/**
 * struct tgk_client - one process on one GPU, while it executes one program; when it has left,
 *	maybe another one
 * @kobj: its folder in sysfs; its count is the client's
 * @gpu: its GPU, as long as the client is not gone, or a work item of it runs
 * @id: the core's number; constant
 * @pid: its process, referenced; changed under tgk_gpu.lock, as are @exec and @ident, when another
 *	process comes in its place: it has left, and is not @matching
 * @exec: tgk_exec_id() of that program
 * @ident: who it is, and what the spec says of it
 * @owner: its process's account of VRAM, held; once it has joined: tgk_gpu.lock
 * @show: adds and removes the folder
 * @sync: answers TG_ACT_SYNC
 * @shown: the folder is there; only @show
 * @buried: the core's reference is given back; only @show
 * @node: in tgk_gpu.clients until @gone; tgk_gpu.lock, as all below
 * @phase: the poll phase, from 1, whose sample it has had, or in which it came
 * @channels: number of its channels that have not left
 * @doubles: how often one had a number that another had
 * @threads: those that submit for it, until the core has freed their jobs
 * @matching: threads that compare @ident with a spec, without the lock
 * @closed: its last channel has left
 * @gone: the core has forgotten it
 * @gate: enum tg_gate; read without the lock
 * @hung: the core did not wait for its IDLE any more (DRAIN_CUT); until that comes, or the gate
 *	opens; read without the lock
 * @unreadable: submissions under AE whose push buffers could not be read
 * @sync_nr: number of the SYNC that is due
 * @open_reported: of its calls through its open gate, how many IDLE has reported
 * @waits: how long its groups have waited: a histogram (tg/hist.h), as is @latencies
 * @latencies: how long they took from their submission to their end
 * @totals: rows of its user and its cgroup
 * @totalled: of what it has used: what these rows have, and what readers have seen
 * @polled: time that the engine was seen to work for it, in this phase of polling
 * @polled_runs: how often the engine was seen to go to it
 * @polled_begun: submissions by the end of the last phase
 * @polled_ended: calls through its open gate that had ended by then
 * @open_begun: calls through its open gate, ever; atomic
 * @open_ended: of them: those that have ended. Equal: none is under way; atomic
 * @live: work that went through its open gate was in flight when the phase ended; only the
 *	poller
 * @was_live: the same of the phase before; only the poller
 * @longest: TG_WAITS_OWN records of its longest waits, or NULL; tgk_gpu.lock
 */
struct tgk_client {
	struct kobject kobj;
	struct tgk_gpu *gpu;
	u32 id;
	struct pid *pid;
	u64 exec;
	struct tg_identity ident;
	struct tgk_owner *owner;
	struct tgk_errand show, sync;
	bool shown, buried;

	struct hlist_node node;
	u64 phase;
	u32 channels, doubles;
	struct tgk_threads threads;
	u32 matching;
	bool closed, gone;
	u8 gate;
	bool hung;
	u64 unreadable;
	u32 sync_nr;
	u64 open_reported;
	u32 waits[TG_HIST_BUCKETS], latencies[TG_HIST_BUCKETS];
	struct tgk_total *totals[TGK_TOTALS_OF];
	s64 totalled[TGK_SUMS];
	s64 polled;
	u32 polled_runs;
	u64 polled_begun, polled_ended;

	atomic64_t open_begun, open_ended;
	bool live, was_live;
	struct tg_wait *longest;
};

/**
 * struct tgk_channel - one channel as used by one process
 * @hash: in tgk_gpu.channels; tgk_gpu.lock, as all below that names nothing else; readers: RCU
 * @refs: users, and one while it is in the table; atomic
 * @rcu: to free it
 * @client: whose it is, referenced; constant while in the table
 * @file: the driver's handle, compared only; constant
 * @chid: the driver's number; constant
 * @nr: the core's number: @chid, or one that is free
 * @engines: mask of those that its objects or jobs use; 0: none is known, and the core takes it to
 *	use the first engine. Written under the lock, read without
 * @dying: LEAVE was fed; the driver is freeing it; read without the lock
 * @threads: those that submit to it, until their jobs have started
 * @last: fence of the last submission through an open gate, referenced, or NULL; replaced
 *	atomically, readers: RCU
 * @by_context: in fence.c's table, if @context is not 0; contexts_lock, readers: RCU
 * @context: of its fences, 0: not known yet; contexts_lock, read without
 * @task: a thread inside the driver with a submission to it; NULL: there is none, or it has its
 *	capture in fence.c's table; set atomically
 * @capture: that thread's, on its stack; only @task
 */
struct tgk_channel {
	struct hlist_node hash;
	refcount_t refs;
	struct rcu_head rcu;
	struct tgk_client *client;
	const struct drm_file *file;
	u32 chid, nr;
	u8 engines;
	bool dying;
	struct tgk_threads threads;
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
 * @arrived: when it was submitted, ns (latency.h); tgk_gpu.lock, as all up to @until
 * @times: for the recorder; tgk_gpu.lock
 * @node: in one of the GPU's lists
 * @ch: its channel, with which it has a place, referenced; NULL: it has none
 * @by_task: parked: in tgk_gpu.parked_by
 * @task: waiting: the thread; parked: the thread, referenced
 * @freed: the core has said FREE; read without the lock by the thread
 * @waits: it has a place with its client; tgk_gpu.lock
 * @client: bypassed: number of its client
 * @channel: bypassed: the core's number of its channel
 * @at: TGK_IN_CORE: the core knows it, and its start is fed as an event of its own. Bypassed: when
 *	it started, ns; 0: its fence is not there yet; TGK_ARMED: the fence is there, and the job
 *	waits in drm_sched. Written by its thread, without the lock, until its fence is there; read
 *	under the lock
 * @until: parked: jiffies until which its place is kept; in flight: jiffies before which fence.c
 *	does not check its fence; tgk_gpu.lock
 * @file: parked: the handle of the call; tgk_gpu.lock, as @args
 * @args: parked: the arguments of the call
 * @fence: in flight: its fence, referenced; written before @at says so, as @scheduled
 * @cb: its callback
 * @began: in flight: when it started, ns; written before its fence may signal, or by @begin
 * @fence_slot: in flight: slots.c's, of its channel
 * @number: in flight: what the slot says then, of the driver's own fence; written as @began. Or
 *	TGK_NO_NUMBER
 * @scheduled: in flight through drm_sched: the fence that signals when it goes to the GPU,
 *	referenced; else NULL
 * @begin: its callback
 * @chain: in tgk_gpu.bypassed, later in tgk_gpu.spare; tgk_gpu.lock
 */
struct tgk_job {
	struct tgk_gpu *gpu;
	u64 id;
	s64 arrived;
	struct tg_times times;
	struct list_head node;
	struct tgk_channel *ch;
	struct hlist_node by_task;
	struct task_struct *task;
	bool freed, waits;
	u32 client, channel;
	s64 at;
	unsigned long until;
	const struct drm_file *file;
	u8 args[TGK_ARGS];
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	s64 began;
	s32 fence_slot;
	s64 number;
	struct dma_fence *scheduled;
	struct dma_fence_cb begin;
	struct llist_node chain;
};

/* tgk_job.at, beside times */
#define TGK_IN_CORE	(-1)
#define TGK_ARMED	(-2)

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
 * @pushes: of a submission that does not: how many push buffers it has
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
	u32 chid, pushes;
	bool sched;
	u64 *flags, sync;
};

/* main.c */
extern struct mutex tgk_mutex;
extern struct workqueue_struct *tgk_wq;
extern unsigned int tgk_trace_kib;
extern bool tgk_public;

#endif /* TGK_H */
