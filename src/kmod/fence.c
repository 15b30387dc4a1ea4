// SPDX-License-Identifier: GPL-2.0
/*
 * The fence of a submission: which one it is, and when it signals.
 *
 * Finding it. nouveau returns no fence from a pushbuf, and its return code does not say whether one
 * was emitted. So submit.c sets up a capture (tgk_capture_begin()) before it calls the driver, and
 * the tracepoint dma_fence_init shows on_init() each fence that the same thread creates meanwhile.
 * The last one counts, since TTM's copies come first; what a driver makes behind a client's job it
 * must know for its own (tgk_driver.is_client). A fence to which only we hold a reference and
 * which has not signalled was never emitted (tgk_capture_lone()). virtio_gpu tells on_emit() of
 * each fence that is, by the tracepoint dma_fence_emit; on 6.1 it loses references to the others.
 *
 * All fences of a channel are of one context. Once that is known, the capture hangs at the channel,
 * and on_init() finds it without a lock. The first capture of a channel goes to a table instead,
 * where the thread is the key, and the driver says by the fence's names whether it is a client's
 * (tgk_driver.makes_fence()). A capture also goes to the table when another thread's hangs at the
 * channel, when there is no channel, or when the driver's channels have fences of several contexts
 * (tgk_driver.mixed).
 *
 * Its interrupt. dma_fence calls the driver's enable_signaling() when the first callback is added
 * or the first wait begins, and nouveau's may do harm (driver/nouveau_fence.c). So before that,
 * tgk_driver.want_signal() has the interrupt switched on, in a way that does none.
 *
 * Its end. The GPU has written when that was (clock.c); else the time of the signal counts.
 *
 * Its signal. on_signal() runs inside the driver's fence lock, in hard interrupt context (6.1), in
 * a worker (6.12 and later), or in any thread that checks a fence. It feeds DONE
 * under tgk_gpu.lock and gives the fence back; the job is spare then, memory for the next
 * submission.
 *
 * A lost interrupt. nouveau notices a completion whose interrupt was lost with its next interrupt.
 * While the core frees one command group at a time there is none, so check_one() runs now and then.
 */
#include <linux/hash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "channel.h"
#include "copies.h"
#include "doorbell.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "pool.h"
#include "sleep.h"
#include "slots.h"
#include "stats.h"
#include "threads.h"
#include "wrap/fence.h"

#define CAPTURE_BITS	6
#define CHECK_EVERY	(HZ / 20)

/*
 * Captures that do not hang at a channel. Only tasks take the locks, with interrupts off: a driver
 * may make a fence, on another CPU, under a lock that its interrupt wants (on_init()).
 */
static struct {
	raw_spinlock_t lock;
	struct hlist_head head;		/* lock; tgk_capture.hash */
} captures[1 << CAPTURE_BITS];

/* Channels by the context of their fences: tgk_channel.by_context. Taken inside tgk_gpu.lock. */
static DEFINE_RAW_SPINLOCK(contexts_lock);
static DEFINE_HASHTABLE(contexts, CAPTURE_BITS);	/* contexts_lock; readers: RCU */

static struct tracepoint *init_point, *emit_point;

/* The capture of this thread that hangs at a channel whose fences are of this context, or NULL. */
static struct tgk_capture *at_channel(u64 context)
{
	struct tgk_channel *ch;

	/* A channel that several processes use is there several times. */
	hash_for_each_possible_rcu(contexts, ch, by_context, context, rcu_read_lock_sched_held())
		if (ch->context == context && READ_ONCE(ch->task) == current)
			return ch->capture;
	return NULL;
}

/*
 * PUSHBUF makes nouveau's fence. EXEC makes a job of the DRM scheduler, whose fences come in the
 * same thread, `scheduled` and then `finished`; nouveau's own comes later, in a worker, when the
 * job has waited for what it depends on. Then `scheduled` signals, and the job has STARTED. Only
 * their order tells which of the two @fence is: `finished` lies behind the one that came before.
 */
static bool is_wanted(struct tgk_capture *c, struct dma_fence *fence)
{
	const struct dma_fence *before = c->before;

	if (!c->sched)
		return c->driver->makes_fence(fence);
	if (strcmp(tgk_fence_driver(fence), "drm_sched"))
		return false;
	c->before = fence;
	return !c->driver->is_client ||
	       (before == &tgk_fences_of(fence)->scheduled &&
		c->driver->is_client(tgk_fences_of(fence)->owner,
				     tgk_fences_of(fence)->sched->name));
}

/* The capture of this thread in the table, or NULL. */
static struct tgk_capture *in_table(void)
{
	u32 bucket = hash_ptr(current, CAPTURE_BITS);
	struct tgk_capture *c, *found = NULL;
	unsigned long flags;

	if (hlist_empty(&captures[bucket].head))
		return NULL;
	raw_spin_lock_irqsave(&captures[bucket].lock, flags);
	hlist_for_each_entry(c, &captures[bucket].head, hash)
		if (c->task == current)
			found = c;
	raw_spin_unlock_irqrestore(&captures[bucket].lock, flags);
	return found;
}

/* The same, if it wants this fence. */
static noinline struct tgk_capture *wants(struct dma_fence *fence)
{
	struct tgk_capture *c = in_table();

	return c && is_wanted(c, fence) ? c : NULL;
}

/*
 * A capture of this thread wants to know when @fence's group starts, and how it follows the one
 * before. One that hangs at its channel sees the driver's own fences, after which no other comes.
 */
static noinline void note_start(const struct tgk_capture *c, struct dma_fence *fence, bool first)
{
	struct tgk_start *start = c->start;

	start->at = tgk_clock_doorbell(&start->gpu->clock,
				       tgk_doorbell_time(start->doorbell, start->pushes));
	start->follows = tgk_slots_made(start->gpu, start->chid, fence) && first;
	/* The ring for the fence itself need not be noted. */
	if (!c->task && !TGK_FENCE_BEFORE_DOORBELL) {
		tgk_doorbell_end(start->doorbell);
		start->doorbell = NULL;
	}
}

/* The capture that @fence is for, of the thread that calls a tracepoint of it; or NULL. */
static __always_inline struct tgk_capture *capture_for(struct dma_fence *fence)
{
	struct tgk_capture *c;

	if (!in_task())
		return NULL;
	rcu_read_lock_sched();
	c = at_channel(fence->context);
	rcu_read_unlock_sched();
	return c ?: wants(fence);
}

/*
 * The tracepoint dma_fence_init: in the context in which a driver makes a fence. What an open gate
 * does not need is out of line.
 */
static void on_init(void *data, struct dma_fence *fence)
{
	struct tgk_capture *c = capture_for(fence);
	struct dma_fence *before;

	if (!c) {
		if (in_task())
			tgk_copies_made(fence);
		return;
	}
	/* It is this thread's own. */
	before = c->fence;
	c->fence = dma_fence_get(fence);
	if (c->start && c->driver->chained && !before)
		c->start->first = dma_fence_get(&tgk_fences_of(fence)->scheduled);
	if (c->start && !c->sched && !c->driver->emits)
		note_start(c, fence, !before);
	dma_fence_put(before);
}

/*
 * The tracepoint dma_fence_emit: the work before this fence goes to the GPU. As on_init(), and for
 * drivers that tell by it.
 */
static void on_emit(void *data, struct dma_fence *fence)
{
	struct tgk_capture *c = capture_for(fence);

	if (!c || c->fence != fence || c->sent == fence)
		return;
	c->sent = fence;
	if (c->start && !c->sched)
		c->start->at = ktime_get_ns();
}

/**
 * tgk_capture_list() - put a capture of the current thread into the table
 * @c: the capture
 */
void tgk_capture_list(struct tgk_capture *c)
{
	u32 bucket = hash_ptr(current, CAPTURE_BITS);

	c->task = current;
	raw_spin_lock_irq(&captures[bucket].lock);
	hlist_add_head(&c->hash, &captures[bucket].head);
	raw_spin_unlock_irq(&captures[bucket].lock);
}

/* A fence was found by its names: find those of its channel by their context from now on. */
static void learn(struct tgk_channel *ch, u64 context)
{
	raw_spin_lock_irq(&contexts_lock);
	/* tgk_fence_forget() comes with the last reference. */
	if (!ch->context && !READ_ONCE(ch->dying)) {
		WRITE_ONCE(ch->context, context);
		hash_add_rcu(contexts, &ch->by_context, context);
	}
	raw_spin_unlock_irq(&contexts_lock);
}

/**
 * tgk_capture_unlist() - take it out again
 * @c: as given to tgk_capture_list()
 * @ch: its channel, or NULL
 */
void tgk_capture_unlist(struct tgk_capture *c, struct tgk_channel *ch)
{
	u32 bucket = hash_ptr(current, CAPTURE_BITS);

	raw_spin_lock_irq(&captures[bucket].lock);
	hlist_del(&c->hash);
	raw_spin_unlock_irq(&captures[bucket].lock);
	if (ch && c->fence && !READ_ONCE(ch->context) && !c->driver->mixed)
		learn(ch, c->fence->context);
}

/**
 * tgk_capture_has() - is a fence the last one that the current thread has made for its submission?
 * @fence: the fence
 *
 * Context: process; inside the driver's function, with a capture in the table.
 *
 * Return: it is; or there is no capture, since the GPU closes.
 */
bool tgk_capture_has(const struct dma_fence *fence)
{
	const struct tgk_capture *c = in_table();

	return !c || c->fence == fence;
}

/**
 * tgk_fence_forget() - do not find fences by this channel any more
 * @ch: the channel, dying, whose last reference the caller has
 *
 * Context: any.
 */
void tgk_fence_forget(struct tgk_channel *ch)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&contexts_lock, flags);
	if (ch->context)
		hash_del_rcu(&ch->by_context);
	raw_spin_unlock_irqrestore(&contexts_lock, flags);
}

/**
 * tgk_capture_lone() - was the fence emitted, though only we hold a reference, or the driver tells?
 * @c: has seen it, or none
 *
 * Return: the fence; NULL: no, and it is given back.
 */
struct dma_fence *tgk_capture_lone(const struct tgk_capture *c)
{
	struct dma_fence *fence = c->fence;

	if (!fence)
		return NULL;
	if (!c->driver->emits || c->sent == fence) {
		if (kref_read(&fence->refcount) > 1)
			return fence;
		/* The others signalled it before they let go of it, or nouveau never emitted it. */
		smp_rmb();
		if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
			return fence;
	}
	dma_fence_put(fence);
	return NULL;
}

/* Under tgk_gpu.lock. The job is spare now. */
static void feed_done(struct tgk_gpu *gpu, struct tgk_job *job, struct tgk_stamp stamp)
{
	s64 noticed = ktime_to_ns(tgk_fence_time(job->fence)) ?: ktime_get_ns();
	struct tg_event ev = { .kind = TG_EV_DONE, .job = job->id };

	ev.at = tgk_clock_end(gpu, &stamp, job, noticed);
	ev.done.known = stamp.known;
	if (stamp.known != TG_DONE_FORGED)	/* tgk_note() counts these */
		tgk_count(TGK_STAT_CLOCK_NOTICED + stamp.known);
	/* -ENOENT: its channel has left while it was lost. */
	tgk_feed(gpu, &ev);
	tgk_count(TGK_STAT_COMPLETED);
	list_del_init(&job->node);
	__llist_add(&job->chain, &gpu->spare);
	gpu->nr_spare++;
}

/* Under tgk_gpu.lock: the job goes to the GPU. Feed STARTED, or leave it to report_bypassed(). */
static void begin(struct tgk_gpu *gpu, struct tgk_job *job)
{
	struct tg_event ev = { .kind = TG_EV_STARTED, .job = job->id };

	ev.at = ktime_to_ns(tgk_fence_time(job->scheduled)) ?: ktime_get_ns();
	job->began = ev.at;
	if (job->at == TGK_IN_CORE)
		tgk_feed(gpu, &ev);
	else
		job->at = ev.at;
	tgk_threads_next(gpu, &job->ch->threads);
	tgk_channel_put(job->ch);
}

/* The number of the driver's own fence of a job that has begun. drm_sched may let go of it. */
static s64 number_of(struct dma_fence *finished)
{
	const struct dma_fence *parent;
	s64 number = TGK_NO_NUMBER;

	rcu_read_lock();
	parent = READ_ONCE(tgk_fences_of(finished)->parent);
	if (!IS_ERR_OR_NULL(parent))
		number = (u32)parent->seqno;
	rcu_read_unlock();
	return number;
}

/*
 * As on_signal(), and before it: they signal in this order, and one lock is both fences', or
 * on_signal() takes this one's, too.
 */
static void on_begin(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct tgk_job *job = container_of(cb, struct tgk_job, begin);
	struct tgk_gpu *gpu = job->gpu;
	unsigned long flags;

	/* Its parent is the driver's own fence; NULL: the job is over and has never begun. */
	if (unlikely(job->fence_slot == TGK_SLOT_NONE) && in_task())
		tgk_slots_begun(gpu, job->ch->chid,
				READ_ONCE(tgk_fences_of(job->fence)->parent));
	job->number = number_of(job->fence);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	begin(gpu, job);
	tgk_unlock_irqrestore(gpu, flags);
}

static struct tgk_stamp stamp_of(struct tgk_gpu *gpu, const struct tgk_job *job)
{
	return tgk_slots_stamp(gpu, job->fence_slot, job->fence, job->number);
}

static void on_signal(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct tgk_job *job = container_of(cb, struct tgk_job, cb);
	struct dma_fence *scheduled = job->scheduled;
	/* A scheduler that ends may leave out that it begins. */
	bool unbegun = scheduled && tgk_fence_take_back(scheduled, &job->begin, fence);
	struct tgk_gpu *gpu = job->gpu;
	struct tgk_stamp stamp = stamp_of(gpu, job);
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (unbegun)
		begin(gpu, job);
	feed_done(gpu, job, stamp);
	tgk_unlock_irqrestore(gpu, flags);
	dma_fence_put(scheduled);
	/* Not the last reference: the driver holds the fence while it signals. */
	dma_fence_put(fence);
}

/* A job that the core knows. */
static noinline void feed_started(struct tgk_gpu *gpu, struct tgk_job *job, s64 at)
{
	struct tg_event ev = { .kind = TG_EV_STARTED, .job = job->id, .at = at };

	raw_spin_lock_irq(&gpu->lock);
	tgk_feed(gpu, &ev);
	tgk_threads_next(gpu, &job->ch->threads);
	list_add_tail(&job->node, &gpu->flights);
	tgk_unlock_irq(gpu);
}

/* The fence has signalled already; or the module goes, and waits for no fence. */
static noinline void end(struct tgk_gpu *gpu, struct tgk_job *job, struct tgk_stamp stamp)
{
	struct dma_fence *fence = job->fence, *scheduled = job->scheduled;
	bool unbegun = scheduled && dma_fence_remove_callback(scheduled, &job->begin);

	raw_spin_lock_irq(&gpu->lock);
	if (unbegun)
		begin(gpu, job);
	feed_done(gpu, job, stamp);
	tgk_unlock_irq(gpu);
	dma_fence_put(scheduled);
	dma_fence_put(fence);
}

/*
 * A job of drm_sched, which has yet to go to the GPU: on_begin() feeds STARTED when it does. Until
 * then it keeps its place with its channel: drm_sched takes as many jobs as there are.
 */
static noinline void await_begin(struct tgk_gpu *gpu, struct tgk_job *job)
{
	refcount_inc(&job->ch->refs);
	if (job->at == TGK_IN_CORE) {
		raw_spin_lock_irq(&gpu->lock);
		list_add_tail(&job->node, &gpu->flights);
		tgk_unlock_irq(gpu);
	} else {
		/* Pairs with the acquires in feed.c, as in tgk_fence_arm(). */
		smp_store_release(&job->at, TGK_ARMED);
		/* The same. */
		smp_mb();
	}
	if (dma_fence_add_callback(job->scheduled, &job->begin, on_begin)) {
		/* It has begun. Nothing holds the driver's own fence: tgk_slots_begun() waits. */
		job->number = number_of(job->fence);
		raw_spin_lock_irq(&gpu->lock);
		begin(gpu, job);
		tgk_unlock_irq(gpu);
	}
}

/*
 * Have an interrupt for the fence. It may have come before: then the fence signals here. Not so if
 * the fence before it had its interrupt in time, and has yet to signal: that interrupt would have
 * signalled both.
 */
static void want_signal(struct tgk_gpu *gpu, struct tgk_job *job, bool follows)
{
	gpu->driver->want_signal(job->fence);
	if (!(follows && tgk_clock_behind(&gpu->clock, job->fence_slot, job->fence)) &&
	    tgk_clock_reached(&gpu->clock, job->fence_slot, job->fence))
		dma_fence_is_signaled(job->fence);
}

/**
 * tgk_fence_arm() - a job is on its way through the hardware: STARTED, and DONE when it signals
 * @job: the job; not the caller's any more
 * @start: when it starts; @first is not the caller's any more
 * @fence: its fence; not the caller's any more. Of the DRM scheduler's two that is `finished`, and
 *	`scheduled` tells when the job goes to the GPU
 *
 * Context: process.
 */
void tgk_fence_arm(struct tgk_job *job, const struct tgk_start *start, struct dma_fence *fence)
{
	struct tgk_gpu *gpu = job->gpu;
	const u32 seqno = fence->seqno;
	s64 at = start->at;
	s32 slot;

	if (unlikely(tgk_clock_due(&gpu->clock)))
		tgk_clock_tune(gpu);
	job->fence = fence;
	job->began = at;
	slot = tgk_clock_slot(&gpu->clock, start->chid);
	job->fence_slot = slot;
	if (!at)
		tgk_clock_queued(&gpu->clock, job->fence_slot, fence);
	job->number = at ? (s64)seqno : TGK_NO_NUMBER;
	job->scheduled = at ? NULL :
			 start->first ?: dma_fence_get(&tgk_fences_of(fence)->scheduled);
	job->until = jiffies + CHECK_EVERY;
	if (!at) {
		await_begin(gpu, job);
	} else if (job->at == TGK_IN_CORE) {
		feed_started(gpu, job, at);
	} else {
		/* For tgk_report_bypassed(), which then finds the fence too. */
		smp_store_release(&job->at, at);
		/* If check_one() is seen pending, it has yet to run, and finds the job. */
		smp_mb();
	}
	/* check_one() goes on as long as it finds anything. */
	if (unlikely(!delayed_work_pending(&gpu->fence_work)))
		queue_delayed_work(tgk_wq, &gpu->fence_work, CHECK_EVERY);
	if (at && gpu->driver->want_signal)
		want_signal(gpu, job, start->follows);
	/* The job may be over before this returns. */
	if (dma_fence_add_callback(fence, &job->cb, on_signal))
		end(gpu, job, stamp_of(gpu, job));
	else if (at)
		tgk_clock_wanted(&gpu->clock, slot, seqno);
}

/**
 * tgk_fence_ahead() - is a fence of work that goes to the GPU ahead of all that a channel gets now?
 * @fence: the fence
 * @file: nouveau's handle
 * @chid: the channel that it names
 *
 * Return: true: its job is of that channel, by EXEC. False: it is not, or that is not known.
 */
bool tgk_fence_ahead(const struct dma_fence *fence, const struct drm_file *file, u32 chid)
{
	const struct tgk_channel *ch;
	bool ahead = false;

	rcu_read_lock_sched();
	hash_for_each_possible_rcu(contexts, ch, by_context, fence->context,
				   rcu_read_lock_sched_held())
		ahead |= ch->context == fence->context && ch->file == file && ch->chid == chid;
	rcu_read_unlock_sched();
	return ahead;
}

/**
 * tgk_fence_ended() - has the work of a fence ended?
 * @gpu: the GPU whose work it is
 * @fence: the fence
 *
 * Then it signals, also where its interrupt was lost, and so do the earlier ones of its channel.
 * dma_fence_is_signaled() would have nouveau's signal alone: a client may wait for an earlier one,
 * and submit nothing until that signals. Where both interrupts were lost, its wait would time out.
 * Context: any, between tgk_card_get() and tgk_card_put().
 */
__nocfi bool tgk_fence_ended(const struct tgk_gpu *gpu, struct dma_fence *fence)
{
	bool (*const check)(struct dma_fence *fence) = (void *)gpu->driver->hooked->check;
	bool ended, ours;

	rcu_read_lock();	/* its names, and a channel that ends, stay until then */
	ours = check && gpu->driver->makes_fence(fence);
	ended = ours && check(fence);
	rcu_read_unlock();
	return ours ? ended : dma_fence_is_signaled(fence);
}

/*
 * Some twenty times a second, and after a strange time sooner (tgk_clock.hurry), as long as
 * anything is in flight: audit the channel at work (clock.c), and let the driver check one fence,
 * each time the next one. If its group has completed, that makes it signal. The check reads the
 * card's memory, so a fence younger than a twentieth is left alone.
 */
static void check_one(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(to_delayed_work(work), struct tgk_gpu, fence_work);
	/* No client can foresee when. */
	unsigned long delay = CHECK_EVERY - get_random_u32() % (CHECK_EVERY / 2);
	struct dma_fence *fence = NULL;
	struct tgk_job *job;

	raw_spin_lock_irq(&gpu->lock);
	if (gpu->clock.hurry) {
		gpu->clock.hurry--;
		delay = 1;
	}
	tgk_report_bypassed(gpu);
	job = list_first_entry_or_null(&gpu->flights, struct tgk_job, node);
	if (job) {
		if (time_after_eq(jiffies, job->until))
			fence = dma_fence_get(job->fence);
		list_move_tail(&job->node, &gpu->flights);
	}
	tgk_unlock_irq(gpu);
	if (!job) {
		tgk_pools_trim(gpu);
		return;
	}
	queue_delayed_work(tgk_wq, &gpu->fence_work, delay);
	if (tgk_card_get(gpu)) {
		tgk_clock_audit(gpu);
		if (fence)
			tgk_fence_ended(gpu, fence);
		tgk_card_put(gpu);
	}
	dma_fence_put(fence);
}

/**
 * tgk_fence_gpu() - prepare a new GPU
 * @gpu: the GPU
 */
void tgk_fence_gpu(struct tgk_gpu *gpu)
{
	INIT_DELAYED_WORK(&gpu->fence_work, check_one);
}

static void free_spare(struct tgk_gpu *gpu)
{
	struct llist_node *all;
	struct tgk_job *job, *next;

	raw_spin_lock_irq(&gpu->lock);
	all = __llist_del_all(&gpu->spare);
	gpu->nr_spare = 0;
	tgk_unlock_irq(gpu);
	llist_for_each_entry_safe(job, next, all, chain)
		kfree(job);
}

/**
 * tgk_fence_drop_all() - wait for no fence any more
 * @gpu: the GPU, closed and unused, its fence_work cancelled: a job found here stays until it is
 *	ended
 *
 * DONE is fed for each of them.
 * Context: process.
 */
void tgk_fence_drop_all(struct tgk_gpu *gpu)
{
	struct dma_fence *fence;
	struct tgk_job *job;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		tgk_report_bypassed(gpu);
		job = list_first_entry_or_null(&gpu->flights, struct tgk_job, node);
		fence = job ? dma_fence_get(job->fence) : NULL;
		tgk_unlock_irq(gpu);
		if (!job)
			break;
		/* If not, on_signal() has run meanwhile: it is off the list. */
		if (dma_fence_remove_callback(fence, &job->cb))
			end(gpu, job, (struct tgk_stamp){ .known = TG_DONE_NOTICED });
		dma_fence_put(fence);
	}
	free_spare(gpu);
}

/* for_each_kernel_tracepoint() reaches a tracepoint whose symbol is not exported. */
static void find_points(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "dma_fence_init"))
		init_point = tp;
	else if (!strcmp(tp->name, "dma_fence_emit"))
		emit_point = tp;
}

/**
 * tgk_fence_init() - start to see fences being created
 *
 * Context: process, at load.
 *
 * Return: 0, or a negative errno after a message.
 */
int tgk_fence_init(void)
{
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(captures); i++) {
		raw_spin_lock_init(&captures[i].lock);
		INIT_HLIST_HEAD(&captures[i].head);
	}
	for_each_kernel_tracepoint(find_points, NULL);
	ret = init_point ? tracepoint_probe_register(init_point, on_init, NULL) : -ENOENT;
	if (ret)
		pr_err("this kernel offers no tracepoint dma_fence_init (error %d)\n", ret);
	return ret;
}

/**
 * tgk_fence_emits_on() - the hooks of a driver are on that tells when it emits a fence
 *
 * Context: process, under tgk_mutex; of one such driver.
 *
 * Return: 0, or a negative errno after a message.
 */
int tgk_fence_emits_on(void)
{
	const int ret = emit_point ? tracepoint_probe_register(emit_point, on_emit, NULL) : -ENOENT;

	if (ret)
		pr_err("this kernel offers no tracepoint dma_fence_emit (error %d)\n", ret);
	return ret;
}

/*
 * They go off, with threads still in the driver. A fence that is emitted now goes unseen, so its
 * submission counts as refused (tgk_capture_lone()).
 */
void tgk_fence_emits_off(void)
{
	tracepoint_probe_unregister(emit_point, on_emit, NULL);
}

void tgk_fence_exit(void)
{
	tracepoint_probe_unregister(init_point, on_init, NULL);
	tracepoint_synchronize_unregister();
}
