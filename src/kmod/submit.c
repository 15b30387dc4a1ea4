// SPDX-License-Identifier: GPL-2.0
/*
 * The way of one submission: through the client's gate, to nouveau, to its fence.
 *
 * tgk_submit() (tgk.h) runs in the submitting thread, in the place of nouveau's ioctl: the
 * arguments are in kernel memory, no lock of nouveau is held. A thread that waits can be killed,
 * frozen and interrupted. Interrupted, it keeps its place for a tenth of a second (the job is
 * parked) and continues there when the same thread comes back with the same call, which is what a
 * restarted ioctl does.
 *
 *	waiting --FREE--> to nouveau --fence--> in flight --signal--> done
 *	   |  ^               `--no fence--> refused
 *	signal |
 *	   v  |
 *	 parked --time's up--> cancelled
 *
 * A client that has the GPU to itself mostly need not ask (go_unasked()).
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "channel.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "pool.h"
#include "stats.h"
#include "submit.h"
#include "tracepoints.h"
#include "vram.h"

/* What the driver refuses for want of memory, it has not begun. */
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

/* Under tgk_gpu.lock: of a job that has asked. */
static void feed_cancel(struct tgk_gpu *gpu, struct tgk_job *job)
{
	struct tg_event ev = { .kind = TG_EV_CANCEL, .job = job->id };

	/* -ENOENT: its channel has left. */
	tgk_feed(gpu, &ev);
	tgk_channel_next(job->ch);
	tgk_channel_put(job->ch);
	tgk_count(TGK_STAT_CANCELLED);
}

/* --- parked jobs --- */

static void parked_free(struct tgk_job *job)
{
	put_task_struct(job->task);
	kfree(job);
}

/* Under tgk_gpu.lock: the job is not over, its thread is. */
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
 * Under tgk_gpu.lock: what this thread left parked. A thread waits for one thing at a time, so
 * there is at most one; with other arguments, it is given up: *stale.
 */
static struct tgk_job *unpark_mine(struct tgk_gpu *gpu, const struct tgk_call *call,
				   struct tgk_job **stale)
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
		*stale = job;
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
	raw_spin_unlock_irq(&gpu->lock);
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
 * tgk_unpark_all() - give up all parked jobs, and requests that were left
 * @gpu: the GPU, closed and quiet
 */
void tgk_unpark_all(struct tgk_gpu *gpu)
{
	while (unpark_one(gpu, true))
		;
	while (tgk_vram_unpark(gpu, true))
		;
}

/* --- the gate --- */

enum turn { TURN_GO, TURN_PASS, TURN_ERROR };

/*
 * Sleep until it is the job's turn. It is in tgk_gpu.waiting, and is not when this returns;
 * unless it is its turn, the job is not the caller's any more.
 */
static enum turn wait_for_turn(struct tgk_gpu *gpu, struct tgk_job *job,
			       const struct tgk_call *call, int *error)
{
	enum turn turn = TURN_ERROR;
	bool parked = false;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(job->freed) || READ_ONCE(gpu->closing) || signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	list_del_init(&job->node);
	job->task = NULL;
	if (gpu->closing) {
		feed_cancel(gpu, job);
		turn = gpu->closing == TGK_PASS ? TURN_PASS : TURN_ERROR;
		*error = -ENODEV;
	} else if (job->freed) {
		turn = TURN_GO;
	} else if (fatal_signal_pending(current)) {
		feed_cancel(gpu, job);
		*error = -EINTR;
	} else {
		park(gpu, job, call);
		parked = true;
		*error = -ERESTARTSYS;
	}
	raw_spin_unlock_irq(&gpu->lock);
	if (turn != TURN_GO && !parked)
		kfree(job);
	return turn;
}

/*
 * Was the driver asked to wait for this submission? It is asked no more: it would wait inside the
 * ioctl, and we would learn of the fence only when all is over. We wait in its place.
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

/* The same call will be made again: as it was. What else the driver has written is its answer. */
static void give_sync_back(const struct tgk_call *call)
{
	*call->flags |= call->sync;
}

static noinline void refused(struct tgk_gpu *gpu, struct tgk_job *job)
{
	struct tg_event ev = { .kind = TG_EV_REFUSED, .job = job->id };

	tgk_count(TGK_STAT_FAILED);
	raw_spin_lock_irq(&gpu->lock);
	tgk_feed(gpu, &ev);
	if (job->at != TGK_ASKED) {
		list_del(&job->node);	/* it was unstarted */
		gpu->nr_unstarted--;
	} else {
		tgk_channel_next(job->ch);
	}
	raw_spin_unlock_irq(&gpu->lock);
	kfree(job);
}

/* Its turn has come: nouveau, and then the fence takes the job along. @ch: held, and put here. */
static int go(struct tgk_gpu *gpu, struct tgk_job *job, struct tgk_channel *ch,
	      const struct tgk_call *call)
{
	struct tgk_capture capture = { .sched = call->sched, .timed = !call->sched };
	bool sync = take_sync(call);
	struct dma_fence *fence;
	int ret;

	tgk_capture_begin(&capture, ch);
	ret = call_driver(gpu, call);
	fence = tgk_capture_end(&capture, ch);
	if (!fence) {
		refused(gpu, job);
		tgk_channel_put(ch);
		if (sync && ret == -ERESTARTSYS)
			give_sync_back(call);
		return ret;
	}
	sync = sync && !ret;
	if (sync)
		dma_fence_get(fence);
	tgk_fence_arm(job, fence, capture.at);
	tgk_channel_put(ch);
	if (sync) {
		ret = tgk_fence_wait(fence);
		dma_fence_put(fence);
	}
	return ret;
}

/* Nothing is fed and nothing reported; the last fence is kept, for SYNC. */
static int submit_open(struct tgk_gpu *gpu, struct tgk_channel *ch, const struct tgk_call *call)
{
	struct tgk_capture capture = { .sched = call->sched };
	int ret;

	tgk_count(TGK_STAT_OPEN);
	tgk_capture_begin(&capture, ch);
	ret = call_driver(gpu, call);
	tgk_open_leave(gpu, ch, tgk_capture_end(&capture, ch));
	return ret;
}

/*
 * A channel that was there before us: the first submission goes ungated, and if it leaves a
 * fence, then the channel exists, and is known from now on. Numbers that a client makes up
 * leave nothing behind.
 */
static int submit_unknown(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	struct tgk_capture capture = { .sched = call->sched };
	struct dma_fence *fence;
	int ret;

	tgk_capture_begin(&capture, NULL);
	ret = pass(gpu, call);
	fence = tgk_capture_end(&capture, NULL);
	if (!fence)
		return ret;
	dma_fence_put(fence);
	tgk_channel_join(gpu, call->file, call->chid, false);
	return ret;
}

/**
 * struct submission - what submit() has in hand until the core has taken it
 * @job: the job, or NULL
 * @keys: room for its key, if somebody asked
 * @key: its key: in @keys, or NULL
 * @asked: its push buffers have been read
 * @ch: this thread is one of its threads, though it has no job yet; referenced, or NULL
 */
struct submission {
	struct tgk_job *job;
	struct tgk_channel *ch;
	struct tg_key_builder *keys;
	const struct tg_key *key;
	bool asked;
};

/* Under tgk_gpu.lock: does the core have to know what a submission of this client will cost? */
static bool asks(const struct tgk_gpu *gpu, const struct tgk_client *client)
{
	return tg_gpu_client(&gpu->core, client->id)->reserve->kind == TG_AE;
}

/* Under tgk_gpu.lock: is all there that the core may take? */
static bool prepared(const struct tgk_gpu *gpu, const struct submission *s, bool ae)
{
	const u32 *pooled = gpu->core.pooled;

	if (!s->job || !pooled[TG_POOL_HISTORY] || (ae && !s->asked))
		return false;
	return !ae || !s->key || (pooled[TG_POOL_COST] &&
				  pooled[TG_POOL_CHUNK] >= TG_KEY_CHUNKS(s->key->nr));
}

/*
 * Get what is missing. A history is there in any case: this client may turn out to need one. A key
 * that cannot be had, or not be kept, is done without. Without the lock; 0 or -ENOMEM.
 */
static int prepare(struct tgk_gpu *gpu, struct submission *s, const struct tgk_call *call, bool ae)
{
	s->job = s->job ?: kmalloc(sizeof(*s->job), GFP_KERNEL_ACCOUNT);
	if (!s->job || tgk_pool_fill(gpu, TG_POOL_HISTORY, 1))
		return -ENOMEM;
	if (ae && !s->asked) {
		s->asked = true;
		s->keys = kmalloc(sizeof(*s->keys), GFP_KERNEL);
		s->key = s->keys ? tgk_driver.key(s->keys, call) : NULL;
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
		.job = gpu->last_job + 1, .data = key, .host = job,
	};

	job->gpu = gpu;
	job->id = ev.job;
	job->task = NULL;
	job->freed = false;
	job->at = TGK_ASKED;
	job->file = NULL;
	return tgk_feed(gpu, &ev);
}

/* It is one of its channel's threads no more, and has no job. */
static void give_up(struct tgk_gpu *gpu, struct submission *s)
{
	if (likely(!s->ch))
		return;
	raw_spin_lock_irq(&gpu->lock);
	tgk_channel_next(s->ch);
	raw_spin_unlock_irq(&gpu->lock);
	tgk_channel_put(s->ch);
	s->ch = NULL;
}

/* Under tgk_gpu.lock: there are as many threads of @ch as may be. This one is behind them. */
static void line_up(struct tgk_channel *ch, struct tgk_turn *turn)
{
	*turn = (struct tgk_turn){ .task = current };
	refcount_inc(&ch->refs);
	list_add_tail(&turn->node, &ch->behind);
}

/*
 * Sleep until this thread is one of the channel's, s->ch. It goes on then, even when there is a
 * signal: others are behind it.
 */
static int wait_behind(struct tgk_gpu *gpu, struct tgk_channel *ch, struct tgk_turn *turn,
		       struct submission *s)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(turn->come) || signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	if (!turn->come)
		list_del(&turn->node);
	raw_spin_unlock_irq(&gpu->lock);
	if (turn->come) {
		give_up(gpu, s);
		s->ch = ch;
		return 0;
	}
	tgk_channel_put(ch);
	return fatal_signal_pending(current) ? -EINTR : -ERESTARTSYS;
}

static int submit_gated(struct tgk_gpu *gpu, const struct tgk_call *call, struct submission *s)
{
	struct tgk_job *job, *stale = NULL;
	struct tgk_channel *ch;
	struct tgk_turn turn;
	enum tgk_known known;
	bool ae;
	int ret;

again:
	raw_spin_lock_irq(&gpu->lock);
	if (gpu->closing) {
		ret = gpu->closing == TGK_GONE ? -ENODEV : 0;
		raw_spin_unlock_irq(&gpu->lock);
		return ret ?: pass(gpu, call);
	}
	if (unlikely(!list_empty(&gpu->parked))) {
		job = unpark_mine(gpu, call, &stale);
		if (job)
			goto wait;
		if (stale) {
			raw_spin_unlock_irq(&gpu->lock);
			parked_free(stale);
			stale = NULL;
			goto again;
		}
	}
	ch = tgk_channel_find(gpu, call->file, call->chid, &known);
	if (unlikely(!ch)) {
		raw_spin_unlock_irq(&gpu->lock);
		if (known == TGK_FOREIGN) {
			ret = tgk_channel_join(gpu, call->file, call->chid, false);
			if (!ret)
				goto again;
			return ret;
		}
		return known == TGK_DYING ? pass(gpu, call) : submit_unknown(gpu, call);
	}
	if (ch->client->gate == TG_GATE_OPEN) {
		refcount_inc(&ch->refs);
		raw_spin_unlock_irq(&gpu->lock);
		if (tgk_open_begin(gpu, ch))
			return submit_open(gpu, ch, call);
		tgk_channel_put(ch);
		goto again;
	}
	if (unlikely(ch->threads == TGK_THREADS) && ch != s->ch) {
		line_up(ch, &turn);
		raw_spin_unlock_irq(&gpu->lock);
		ret = wait_behind(gpu, ch, &turn, s);
		if (!ret)
			goto again;
		return ret;
	}
	ae = asks(gpu, ch->client);
	if (!prepared(gpu, s, ae)) {
		raw_spin_unlock_irq(&gpu->lock);
		ret = prepare(gpu, s, call, ae);
		if (!ret)
			goto again;
		return ret;
	}
	job = s->job;
	ret = feed_submit(gpu, ch, job, ae ? s->key : NULL);
	if (ret) {
		raw_spin_unlock_irq(&gpu->lock);
		ret = ret == -ENOMEM ? tgk_pool_fill(gpu, TG_POOL_JOB, 1) : ret;
		if (!ret)
			goto again;
		return ret;
	}
	s->job = NULL;
	ch->client->unreadable += ae && !s->key;
	if (unlikely(ch == s->ch)) {
		s->ch = NULL;
	} else {
		refcount_inc(&ch->refs);
		ch->threads++;
	}
	job->ch = ch;
	gpu->last_job++;
	tgk_count(TGK_STAT_SUBMITTED);
	if (job->freed) {
		raw_spin_unlock_irq(&gpu->lock);
		return go(gpu, job, ch, call);
	}
	tgk_count(TGK_STAT_WAITED);
wait:
	job->task = current;
	list_add_tail(&job->node, &gpu->waiting);
	raw_spin_unlock_irq(&gpu->lock);

	switch (wait_for_turn(gpu, job, call, &ret)) {
	case TURN_GO:
		return go(gpu, job, job->ch, call);
	case TURN_PASS:
		tgk_count(TGK_STAT_PASSED);
		return call_driver(gpu, call);
	default:
		return ret;
	}
}

static noinline int submit_asking(struct tgk_gpu *gpu, const struct tgk_call *call,
				  struct tgk_job *job)
{
	struct submission s = { .job = job };
	int ret = submit_gated(gpu, call, &s);

	give_up(gpu, &s);
	kfree(s.keys);
	kfree(s.job);
	return ret;
}

/*
 * Under tgk_gpu.lock: may a job of @ch go at once, and the core hears of it with the next event
 * (tgk_feed())? Not where somebody follows what the core is asked and what it says: with a trace
 * each submission asks.
 */
static bool need_not_ask(const struct tgk_gpu *gpu, const struct tgk_channel *ch)
{
	u32 unheard = gpu->nr_unasked;

	return !gpu->trace.buf && !trace_tg_event_enabled() && !trace_tg_free_enabled() &&
	       unheard + gpu->nr_unstarted < TGK_UNHEARD &&
	       (!unheard || gpu->unasked_channel == ch) &&
	       gpu->core.pooled[TG_POOL_JOB] > unheard &&
	       tg_gpu_unasked(&gpu->core, ch->client->id, ch->nr, unheard);
}

/*
 * A client that has the GPU to itself mostly need not ask. Return: its channel, held, and @spare is
 * its job, on its way; NULL: it has to ask, or there was no spare job.
 */
static struct tgk_channel *go_unasked(struct tgk_gpu *gpu, const struct tgk_call *call,
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
		/* A thread whose job is parked goes where that is. */
		if (likely(!gpu->closing && list_empty(&gpu->parked)))
			ch = tgk_channel_find(gpu, call->file, call->chid, &known);
	}
	if (ch && need_not_ask(gpu, ch)) {
		job->gpu = gpu;
		job->id = ++gpu->last_job;
		job->client = ch->client->id;
		job->channel = ch->nr;
		job->at = 0;
		job->ch = NULL;
		__llist_add(&job->chain, &gpu->unasked);
		gpu->nr_unasked++;
		gpu->unasked_channel = ch;
		refcount_inc(&ch->refs);
	} else {
		ch = NULL;
	}
	raw_spin_unlock_irq(&gpu->lock);
	return ch;
}

/**
 * tgk_submit_gated() - one submission, of which it is not known that its gate is open
 * @gpu: the GPU, held
 * @call: the ioctl
 *
 * As tgk_submit().
 */
int tgk_submit_gated(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	struct tgk_job *job;
	struct tgk_channel *ch = go_unasked(gpu, call, &job);

	if (!ch)
		return submit_asking(gpu, call, job);
	tgk_count(TGK_STAT_SUBMITTED);
	tgk_count(TGK_STAT_UNASKED);
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

	/* A thread that was interrupted while its gate was closed goes where its job is parked. */
	if (!READ_ONCE(gpu->closing) && list_empty(&gpu->parked))
		ch = tgk_open_enter(gpu, call->file, call->chid);
	return ch ? submit_open(gpu, ch, call) : tgk_submit_gated(gpu, call);
}
