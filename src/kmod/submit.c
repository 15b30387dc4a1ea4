// SPDX-License-Identifier: GPL-2.0
/*
 * The way of one submission: through the client's gate, to the driver, to its fence.
 *
 * The driver folder calls tgk_submit() (submit.h) in the submitting thread, in the place of the
 * driver's ioctl: the arguments are in kernel memory, no lock of the driver is held. A thread that
 * waits can be killed, frozen and interrupted. A signal interrupts it: its job is parked, and keeps
 * its place for a tenth of a second. When the same thread comes back with the same call, as a
 * restarted ioctl does, it goes on with that job.
 *
 *	waiting --FREE--> to the driver --fence--> in flight --signal--> done
 *	   |  ^                  `--no fence--> refused
 *	signal |
 *	   v  |
 *	 parked --time's up--> cancelled
 *
 * A job takes one of three ways, the cheapest first: through an open gate (submit_open()); past
 * the gate, where the core allows it, and reported later (go_bypass()); through the gate, where the
 * core decides when (submit_through_gate()). tgk_gpu.lock is taken for each step of the last one.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "await.h"
#include "channel.h"
#include "doorbell.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "nice.h"
#include "pool.h"
#include "slots.h"
#include "stats.h"
#include "submit.h"
#include "threads.h"
#include "tracepoints.h"
#include "vram.h"

/* The driver answers ENOMEM before it begins a submission, so a retry is safe. */
static __always_inline int call_driver(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	const u64 flags = call->flags ? *call->flags : 0;
	const int ret = call->orig(call->dev, call->data, call->file);

	return likely(ret != -ENOMEM) ? ret : tgk_vram_submit(gpu, call, flags);
}

static int pass(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	tgk_count(TGK_STAT_SUBMITTED);
	tgk_count(TGK_STAT_PASSED);
	return call_driver(gpu, call);
}

/* Under tgk_gpu.lock: the job waits no more. */
static void let_next(struct tgk_job *job)
{
	if (job->waits)
		tgk_threads_next(job->gpu, &job->ch->client->threads);
	job->waits = false;
}

/* Under tgk_gpu.lock: give up a job that the core knows. */
static void feed_cancel(struct tgk_gpu *gpu, struct tgk_job *job)
{
	struct tg_event ev = { .kind = TG_EV_CANCEL, .job = job->id };

	/* -ENOENT: its channel has left. */
	tgk_feed(gpu, &ev);
	let_next(job);
	tgk_threads_next(gpu, &job->ch->threads);
	tgk_channel_put(job->ch);
	tgk_count(TGK_STAT_CANCELLED);
}

/* --- parked jobs --- */

static void parked_free(struct tgk_job *job)
{
	put_task_struct(job->task);
	kfree(job);
}

/* Under tgk_gpu.lock: keep the place of a job whose thread leaves. */
static void park(struct tgk_gpu *gpu, struct tgk_job *job, const struct tgk_call *call)
{
	job->task = get_task_struct(current);
	job->file = call->file;
	job->until = jiffies + TGK_PARK;
	memcpy(job->args, call->data, call->size);
	list_add_tail(&job->node, &gpu->parked);
	hash_add(gpu->parked_by, &job->by_task, (unsigned long)current);
	queue_delayed_work(tgk_wq, &gpu->unpark, TGK_PARK + 1);
	tgk_count(TGK_STAT_PARKED);
}

/*
 * Under tgk_gpu.lock: the job that this thread has parked, or NULL. A thread waits for one thing at
 * a time, so there is at most one. A job with other arguments is given up: *@abandoned.
 */
static struct tgk_job *unpark_mine(struct tgk_gpu *gpu, const struct tgk_call *call,
				   struct tgk_job **abandoned)
{
	struct tgk_job *job;

	hash_for_each_possible(gpu->parked_by, job, by_task, (unsigned long)current) {
		if (job->task != current)
			continue;
		list_del(&job->node);
		hash_del(&job->by_task);
		if (job->file == call->file && !memcmp(job->args, call->data, call->size)) {
			job->file = NULL;
			put_task_struct(current);	/* not the last one */
			tgk_count(TGK_STAT_RESUMED);
			return job;
		}
		feed_cancel(gpu, job);
		*abandoned = job;
		return NULL;
	}
	return NULL;
}

static bool unpark_one(struct tgk_gpu *gpu, bool all)
{
	struct tgk_job *job;

	raw_spin_lock_irq(&gpu->lock);
	job = list_first_entry_or_null(&gpu->parked, struct tgk_job, node);
	if (job && !all && time_before(jiffies, job->until)) {
		queue_delayed_work(tgk_wq, &gpu->unpark, job->until - jiffies + 1);
		job = NULL;
	}
	if (job) {
		list_del(&job->node);
		hash_del(&job->by_task);
		feed_cancel(gpu, job);
	}
	tgk_unlock_irq(gpu);
	if (job)
		parked_free(job);
	return job;
}

/* The work tgk_gpu.unpark. */
void tgk_unpark(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(to_delayed_work(work), struct tgk_gpu, unpark);

	while (unpark_one(gpu, false))
		;
	while (tgk_vram_unpark(gpu, false))
		;
}

/**
 * tgk_unpark_all() - give up all parked jobs and requests
 * @gpu: the GPU, closed and unused
 */
void tgk_unpark_all(struct tgk_gpu *gpu)
{
	while (unpark_one(gpu, true))
		;
	while (tgk_vram_unpark(gpu, true))
		;
}

/* --- the gate --- */

/* How a job's wait for FREE has ended. */
enum waited { WAITED_GO, WAITED_PASS, WAITED_AGAIN, WAITED_ERROR };

static noinline void refused(struct tgk_gpu *gpu, struct tgk_job *job)
{
	struct tg_event ev = { .kind = TG_EV_REFUSED, .job = job->id };

	tgk_count(TGK_STAT_FAILED);
	raw_spin_lock_irq(&gpu->lock);
	tgk_feed(gpu, &ev);
	if (job->at != TGK_IN_CORE) {
		list_del(&job->node);	/* it was unstarted */
		gpu->nr_unstarted--;
	}
	if (job->ch)
		tgk_threads_next(gpu, &job->ch->threads);
	tgk_unlock_irq(gpu);
	kfree(job);
}

/*
 * Sleep until the core frees the job, which is in tgk_gpu.waiting, and is taken off that list here.
 * Unless the wait ends in WAITED_GO, the job is parked, or its memory given back. WAITED_AGAIN: the
 * core has freed it because the driver frees its channel.
 */
static enum waited wait_for_free(struct tgk_gpu *gpu, struct tgk_job *job,
				 const struct tgk_call *call, int *error)
{
	enum waited waited = WAITED_ERROR;
	struct tgk_channel *ch;
	bool parked = false;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(job->freed) || READ_ONCE(gpu->closing) || signal_pending(current))
			break;
		if (likely(!READ_ONCE(gpu->core.nice)))
			schedule();
		else if (!schedule_timeout(TGK_RENICE))
			tgk_nice_look(gpu, job->ch->client);
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	list_del_init(&job->node);
	job->task = NULL;
	if (gpu->closing) {
		feed_cancel(gpu, job);
		waited = gpu->closing == TGK_PASS ? WAITED_PASS : WAITED_ERROR;
		*error = -ENODEV;
	} else if (job->freed) {
		let_next(job);
		waited = job->ch->dying ? WAITED_AGAIN : WAITED_GO;
	} else if (fatal_signal_pending(current)) {
		feed_cancel(gpu, job);
		*error = -EINTR;
	} else {
		park(gpu, job, call);
		parked = true;
		*error = -ERESTARTSYS;
	}
	tgk_unlock_irq(gpu);
	if (waited == WAITED_AGAIN) {
		ch = job->ch;
		refused(gpu, job);
		tgk_channel_put(ch);
	} else if (waited != WAITED_GO && !parked) {
		kfree(job);
	}
	return waited;
}

/*
 * Does the client want the driver to wait until the submission has ended? Take that off: the driver
 * would wait inside the ioctl, and we would learn of the fence too late. We wait in its place.
 */
static bool take_sync(const struct tgk_call *call)
{
	bool sync;

	if (!call->flags)
		return false;
	sync = *call->flags & call->sync;
	*call->flags &= ~call->sync;
	return sync;
}

/* The client repeats the call: restore its flag. The driver's answer beside it stays. */
static void give_sync_back(const struct tgk_call *call)
{
	*call->flags |= call->sync;
}

/* Where the driver tells of each job which engine executes it. */
static noinline void learn_engine(struct tgk_gpu *gpu, const struct tgk_channel *ch,
				  const struct tgk_call *call, struct dma_fence *fence)
{
	const u32 engine = gpu->driver->engine(fence);

	if (engine < gpu->core.nr_engines && !(READ_ONCE(ch->engines) >> engine & 1))
		tgk_channel_engines(gpu, call->file, call->chid, 1 << engine);
}

/* The job is freed, or bypasses: call the driver, and give the job to its fence. Puts @ch. */
static int go(struct tgk_gpu *gpu, struct tgk_job *job, struct tgk_channel *ch,
	      const struct tgk_call *call)
{
	struct tgk_start start = { .gpu = gpu, .chid = ch->chid, .pushes = call->pushes };
	struct tgk_capture capture = { .driver = gpu->driver, .sched = call->sched,
				       .start = &start };
	bool sync = take_sync(call);
	struct dma_fence *fence;
	s64 rung;
	int ret;

	if (!call->sched && gpu->driver->doorbell)
		start.doorbell = tgk_doorbell_begin(tgk_clock_fences(&gpu->clock, ch->chid));
	tgk_capture_begin(&capture, ch);
	ret = call_driver(gpu, call);
	fence = tgk_capture_end(&capture, ch);
	rung = TGK_FENCE_BEFORE_DOORBELL ? tgk_doorbell_time(start.doorbell, 1) : 0;
	tgk_doorbell_end(start.doorbell);
	if (start.at && rung)
		start.at = tgk_clock_doorbell(&gpu->clock, rung);
	if (!fence) {
		if (start.at)
			tgk_slots_unmade(gpu, ch->chid);
		dma_fence_put(start.first);
		refused(gpu, job);
		tgk_channel_put(ch);
		if (sync && ret == -ERESTARTSYS)
			give_sync_back(call);
		return ret;
	}
	sync = sync && !ret;
	if (sync)
		dma_fence_get(fence);
	if (unlikely(gpu->driver->engine))
		learn_engine(gpu, ch, call, fence);
	tgk_fence_arm(job, &start, fence);
	tgk_channel_put(ch);
	if (sync) {
		ret = tgk_await_end(fence);
		dma_fence_put(fence);
	}
	return ret;
}

/* The job is in tgk_gpu.waiting. Return: there is an answer, *@ret; false: look again. */
static bool wait_and_go(struct tgk_gpu *gpu, struct tgk_job *job, const struct tgk_call *call,
			int *ret)
{
	switch (wait_for_free(gpu, job, call, ret)) {
	case WAITED_GO:
		*ret = go(gpu, job, job->ch, call);
		return true;
	case WAITED_PASS:
		tgk_count(TGK_STAT_PASSED);
		*ret = call_driver(gpu, call);
		return true;
	case WAITED_AGAIN:
		return false;
	default:
		return true;
	}
}

/* Through an open gate: nothing is fed and nothing reported; SYNC needs the last fence. */
static __always_inline int submit_open(struct tgk_gpu *gpu, struct tgk_channel *ch,
				       const struct tgk_call *call)
{
	struct tgk_capture capture = { .driver = gpu->driver, .sched = call->sched };
	int ret;

	tgk_count(TGK_STAT_OPEN);
	tgk_capture_begin(&capture, ch);
	ret = call_driver(gpu, call);
	tgk_open_leave(gpu, ch, tgk_capture_end(&capture, ch));
	return ret;
}

/*
 * The table does not have the channel as this process's: another process has opened it, or it is
 * older than this module, or there was no memory when it was made, or its maker has yet to return
 * from the driver. If the driver has it, it joins, and the submission goes through the gate. A
 * number that a client makes up leaves nothing behind.
 */
static int meet(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	int ret;

	if (fatal_signal_pending(current))
		return -EINTR;
	ret = tgk_channel_join(gpu, call->file, call->chid, call->sched ? TGK_SCHED : TGK_PLAIN);
	if (!ret && gpu->driver->engine_of)
		tgk_channel_engines(gpu, call->file, call->chid,
				    1 << gpu->driver->engine_of(call->chid));
	return ret;
}

/**
 * struct submission - one submission on its way through the gate; on the thread's stack
 * @job: memory for its job, until the core has taken it; or NULL
 * @taken: its job, of which the core knows; NULL: the core has not taken it yet
 * @abandoned: a job that this thread had parked, and does not come back for; to be freed
 * @open: its channel, whose gate has been found open; referenced
 * @place: its thread's, until it has a job
 * @keys: room for its key, if the core needs one
 * @key: its key: in @keys, or NULL
 * @key_read: its push buffers have been read
 * @needs_key: the core has to know what it will cost
 * @error: what the core answered to SUBMIT
 */
struct submission {
	struct tgk_job *job, *taken, *abandoned;
	struct tgk_channel *open;
	struct tgk_place place;
	struct tg_key_builder *keys;
	const struct tg_key *key;
	bool key_read, needs_key;
	int error;
};

/* Under tgk_gpu.lock: does the core have to know what a submission of this client will cost? */
static bool needs_key(const struct tgk_gpu *gpu, const struct tgk_client *client)
{
	return tg_gpu_client(&gpu->core, client->id)->reserve->kind == TG_AE;
}

/* Under tgk_gpu.lock: do pools and @s hold all that SUBMIT may take? */
static bool prepared(const struct tgk_gpu *gpu, const struct submission *s)
{
	const u32 *pooled = gpu->core.pooled;

	if (!s->job || !pooled[TG_POOL_HISTORY] || (s->needs_key && !s->key_read))
		return false;
	return !s->needs_key || !s->key || (pooled[TG_POOL_COST] &&
					    pooled[TG_POOL_CHUNK] >= TG_KEY_CHUNKS(s->key->nr));
}

/*
 * Get what is missing, without the lock. A history always: the client may get AE before the lock is
 * back. The submission does without a key that cannot be read or kept. Return: 0 or -ENOMEM.
 */
static int prepare(struct tgk_gpu *gpu, struct submission *s, const struct tgk_call *call)
{
	s->job = s->job ?: kmalloc(sizeof(*s->job), GFP_KERNEL_ACCOUNT);
	if (!s->job || tgk_pool_fill(gpu, TG_POOL_HISTORY, 1))
		return -ENOMEM;
	if (s->needs_key && !s->key_read) {
		s->key_read = true;
		s->keys = kmalloc(sizeof(*s->keys), GFP_KERNEL);
		s->key = s->keys && gpu->driver->key ?
			 gpu->driver->key(s->keys, gpu, call) : NULL;
	}
	if (s->key && (tgk_pool_fill(gpu, TG_POOL_COST, 1) ||
		       tgk_pool_fill(gpu, TG_POOL_CHUNK, TG_KEY_CHUNKS(s->key->nr))))
		s->key = NULL;
	return 0;
}

/* Under tgk_gpu.lock: SUBMIT, of a job whose memory may have been another one's. */
static int feed_submit(struct tgk_gpu *gpu, const struct tgk_channel *ch, struct tgk_job *job,
		       const struct tg_key *key)
{
	struct tg_event ev = {
		.kind = TG_EV_SUBMIT, .client = ch->client->id, .channel = ch->nr,
		.job = gpu->last_job + 1, .key = key, .host = job,
	};

	job->gpu = gpu;
	job->id = ev.job;
	job->task = NULL;
	job->freed = false;
	job->at = TGK_IN_CORE;
	job->times.arrived = TG_NEVER;
	job->file = NULL;
	return tgk_feed(gpu, &ev);
}

/**
 * enum step - what a submission does next; found under tgk_gpu.lock, done without it
 * @STEP_GO: the core has freed its job: to the driver
 * @STEP_WAIT: the core has taken its job: sleep until the core frees it
 * @STEP_PASS: to the driver without the core: the module goes
 * @STEP_GONE: the device goes
 * @STEP_UNPARK: free the job that the thread had parked, and look again
 * @STEP_MEET: the channel is not in the table, or as another process's: if the driver has it, it
 *	joins; look again
 * @STEP_DYING: another thread frees the channel, or lets it join: sleep until then, and look again
 * @STEP_OPEN: its client's gate is open
 * @STEP_BEHIND: there is no place for the thread: sleep until there is one, and look again
 * @STEP_PREPARE: get what the core will take, and look again
 * @STEP_REFUSED: the core has not taken it: fill its pool and look again, or give up
 */
enum step {
	STEP_GO, STEP_WAIT, STEP_PASS, STEP_GONE, STEP_UNPARK, STEP_MEET, STEP_DYING, STEP_OPEN,
	STEP_BEHIND, STEP_PREPARE, STEP_REFUSED
};

/* Under tgk_gpu.lock: has meet() yet to say which engine a channel uses, which has just joined? */
static bool untold(const struct tgk_gpu *gpu, const struct tgk_channel *ch)
{
	return !ch->engines && gpu->driver->engine_of;
}

/* Under tgk_gpu.lock: the thread sleeps next. */
static enum step wait_next(struct tgk_gpu *gpu, struct submission *s, struct tgk_job *job)
{
	s->taken = job;
	job->task = current;
	list_add_tail(&job->node, &gpu->waiting);
	return STEP_WAIT;
}

/* Under tgk_gpu.lock: the core takes the job, if it can. */
static enum step enter(struct tgk_gpu *gpu, struct tgk_channel *ch, struct submission *s)
{
	struct tgk_job *job = s->job;

	tgk_nice_feed(gpu, ch->client);
	s->error = feed_submit(gpu, ch, job, s->needs_key ? s->key : NULL);
	if (s->error)
		return STEP_REFUSED;
	s->job = NULL;
	ch->client->unreadable += s->needs_key && !s->key;
	tgk_place_to_job(&s->place, ch, job);
	gpu->last_job++;
	tgk_count(TGK_STAT_SUBMITTED);
	if (job->freed) {
		s->taken = job;
		return STEP_GO;
	}
	tgk_count(TGK_STAT_WAITED);
	return wait_next(gpu, s, job);
}

/* Under tgk_gpu.lock: find the next step, and do the part of it that needs the lock. */
static enum step next_step(struct tgk_gpu *gpu, const struct tgk_call *call, struct submission *s)
{
	struct tgk_channel *ch;
	enum tgk_known known;
	struct tgk_job *job;

	if (gpu->closing)
		return gpu->closing == TGK_GONE ? STEP_GONE : STEP_PASS;
	if (unlikely(!list_empty(&gpu->parked))) {
		job = unpark_mine(gpu, call, &s->abandoned);
		if (job)
			return wait_next(gpu, s, job);
		if (s->abandoned)
			return STEP_UNPARK;
	}
	ch = tgk_channel_find(gpu, call->file, call->chid, &known);
	if (unlikely(!ch || untold(gpu, ch)))
		return known == TGK_DYING ? STEP_DYING : STEP_MEET;
	if (ch->client->gate == TG_GATE_OPEN) {
		refcount_inc(&ch->refs);
		s->open = ch;
		return STEP_OPEN;
	}
	if (tgk_place_queue(&s->place, ch))
		return STEP_BEHIND;
	s->needs_key = needs_key(gpu, ch->client);
	return prepared(gpu, s) ? enter(gpu, ch, s) : STEP_PREPARE;
}

/* Without the lock. Return: there is an answer, *@ret; false: look again. */
static bool do_step(struct tgk_gpu *gpu, const struct tgk_call *call, struct submission *s,
		    enum step step, int *ret)
{
	switch (step) {
	case STEP_GO:
		*ret = go(gpu, s->taken, s->taken->ch, call);
		return true;
	case STEP_WAIT:
		return wait_and_go(gpu, s->taken, call, ret);
	case STEP_PASS:
		tgk_place_drop(gpu, &s->place);
		*ret = pass(gpu, call);
		return true;
	case STEP_GONE:
		*ret = -ENODEV;
		return true;
	case STEP_UNPARK:
		parked_free(s->abandoned);
		s->abandoned = NULL;
		return false;
	case STEP_MEET:
		tgk_place_drop(gpu, &s->place);
		*ret = meet(gpu, call);
		return *ret;
	case STEP_DYING:
		tgk_place_drop(gpu, &s->place);
		*ret = tgk_channel_await_end(gpu, call->file, call->chid);
		return *ret;
	case STEP_OPEN:
		if (tgk_open_begin(gpu, s->open)) {
			tgk_place_drop(gpu, &s->place);
			*ret = submit_open(gpu, s->open, call);
			return true;
		}
		tgk_channel_put(s->open);
		return false;
	case STEP_BEHIND:
		*ret = tgk_place_wait(gpu, &s->place);
		return *ret;
	case STEP_PREPARE:
		*ret = prepare(gpu, s, call);
		return *ret;
	case STEP_REFUSED:
		*ret = s->error == -ENOMEM ? tgk_pool_fill(gpu, TG_POOL_JOB, 1) : s->error;
		return *ret;
	}
	return true;
}

/* Through the gate, one step after the other. @job: memory for its job, or NULL. */
static noinline int submit_through_gate(struct tgk_gpu *gpu, const struct tgk_call *call,
					struct tgk_job *job)
{
	struct submission s = { .job = job };
	enum step step;
	int ret = 0;

	do {
		raw_spin_lock_irq(&gpu->lock);
		step = next_step(gpu, call, &s);
		tgk_unlock_irq(gpu);
	} while (!do_step(gpu, call, &s, step, &ret));
	tgk_place_drop(gpu, &s.place);
	kfree(s.keys);
	kfree(s.job);
	return ret;
}

/*
 * Under tgk_gpu.lock: may a job of @ch go at once, and be reported to the core with the next event
 * (tgk_feed())? Not while events and actions are recorded: a trace has each SUBMIT.
 */
static bool may_bypass(const struct tgk_gpu *gpu, const struct tgk_channel *ch)
{
	const u32 unreported = gpu->nr_bypassed;

	return !gpu->trace.buf && !trace_tg_event_enabled() && !trace_tg_free_enabled() &&
	       unreported + gpu->nr_unstarted < TGK_UNREPORTED &&
	       (!unreported || gpu->bypassed_channel == ch) &&
	       !tgk_nice_changed(gpu, ch->client) && !untold(gpu, ch) &&
	       gpu->core.pooled[TG_POOL_JOB] > unreported &&
	       tg_gpu_may_bypass(&gpu->core, ch->client->id, ch->nr, unreported);
}

/*
 * Bypass, if the core allows it: for a client that goes before all that wait. Return: the channel,
 * held, and *@spare is the job; NULL: through the gate, and *@spare is memory for a job, or NULL.
 */
static struct tgk_channel *go_bypass(struct tgk_gpu *gpu, const struct tgk_call *call,
				     struct tgk_job **spare)
{
	struct tgk_channel *ch = NULL;
	enum tgk_known known;
	struct tgk_job *job;

	raw_spin_lock_irq(&gpu->lock);
	job = llist_entry(gpu->spare.first, struct tgk_job, chain);
	*spare = NULL;
	if (gpu->spare.first) {
		gpu->spare.first = job->chain.next;
		gpu->nr_spare--;
		*spare = job;
		/* This thread may have a job that is parked. */
		if (likely(!gpu->closing && list_empty(&gpu->parked)))
			ch = tgk_channel_find(gpu, call->file, call->chid, &known);
	}
	/* An EXEC has a place until it has gone to the GPU, as after a SUBMIT. */
	if (ch && may_bypass(gpu, ch) && (!call->sched || ch->threads.in < TGK_THREADS)) {
		job->gpu = gpu;
		job->id = ++gpu->last_job;
		job->client = ch->client->id;
		job->channel = ch->nr;
		job->at = 0;
		job->times.arrived = TG_NEVER;
		job->ch = call->sched ? ch : NULL;
		ch->threads.in += call->sched;
		__llist_add(&job->chain, &gpu->bypassed);
		gpu->nr_bypassed++;
		gpu->bypassed_channel = ch;
		refcount_inc(&ch->refs);
	} else {
		ch = NULL;
	}
	tgk_unlock_irq(gpu);
	return ch;
}

/**
 * tgk_submit_gated() - one submission whose gate may be closed
 * @gpu: the GPU, held
 * @call: the ioctl
 *
 * As tgk_submit().
 */
int tgk_submit_gated(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	struct tgk_job *job;
	struct tgk_channel *ch = go_bypass(gpu, call, &job);

	if (!ch)
		return submit_through_gate(gpu, call, job);
	tgk_count(TGK_STAT_SUBMITTED);
	tgk_count(TGK_STAT_BYPASSED);
	return go(gpu, job, ch, call);
}

/**
 * tgk_submit_open() - the same while some gate is open
 * @gpu: the GPU, held
 * @call: the ioctl
 *
 * As tgk_submit().
 */
int tgk_submit_open(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	struct tgk_channel *ch = NULL;

	/* A thread that was interrupted while its gate was closed goes to its parked job. */
	if (!READ_ONCE(gpu->closing) && list_empty(&gpu->parked))
		ch = tgk_open_enter(gpu, call->file, call->chid);
	return ch ? submit_open(gpu, ch, call) : tgk_submit_gated(gpu, call);
}
