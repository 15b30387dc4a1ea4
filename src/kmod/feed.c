// SPDX-License-Identifier: GPL-2.0
/*
 * Events in, actions out: how the module drives the core.
 *
 * The circle feed -> action -> feed, all of it under tgk_gpu.lock, in any context:
 *
 *  1. Something happens: a thread submits, a fence signals, the timer fires, a channel comes, root
 *     changes a setting. The function that sees it takes the lock and calls tgk_feed() with one
 *     event.
 *  2. tgk_feed() first reports the jobs that have bypassed the gate since the last event, in their
 *     order. So the core decides as after a SUBMIT of each.
 *  3. It sets the event's time, records the event (trace.c) and calls tg_gpu_feed().
 *  4. The core changes its state and calls emit() for each action, in order. emit() records the
 *     action and does it: it sets the timer or a gate; threads are woken and work items queued when
 *     the lock is given back (later.c). It never feeds: the core is in the middle of an event.
 *  5. The action comes back as a later event: FREE as STARTED or REFUSED and then as DONE, ARM as
 *     TIMER, SYNC as IDLE, POLL as SAMPLE.
 *  6. -ENOMEM says that a pool was empty and nothing has happened: the caller gives the lock back,
 *     fills the pool (pool.c), and feeds the same event again.
 */
#include <linux/ktime.h>

#include "channel.h"
#include "client.h"
#include "feed.h"
#include "latency.h"
#include "note.h"
#include "poll.h"
#include "recorder.h"
#include "settings.h"
#include "sleep.h"
#include "vram.h"
#include "wrap/timer.h"

/* A section under the lock wakes so many threads itself (later.c); wake_work wakes the rest. */
#define WAKES	4

/* --- threads that the core has freed, or that have to leave --- */

/*
 * Under tgk_gpu.lock: the thread of a job or request sleeps, and is woken. @node: the job's or the
 * request's. If this section wakes WAKES threads already, wake_work wakes this one, from @due.
 */
static void wake(struct tgk_gpu *gpu, struct task_struct *task, struct list_head *node,
		 struct list_head *due)
{
	if (gpu->later.nr_tasks < WAKES) {
		tgk_wake_later(gpu, task);
		return;
	}
	list_move_tail(node, due);
	tgk_queue_later(gpu, &gpu->wake_work);
}

/* Return: there was one to wake. */
static bool wake_one(struct tgk_gpu *gpu)
{
	struct tgk_request *req;
	struct tgk_job *job;

	raw_spin_lock_irq(&gpu->lock);
	job = list_first_entry_or_null(&gpu->due, struct tgk_job, node);
	req = list_first_entry_or_null(&gpu->due_requests, struct tgk_request, node);
	if (job) {
		list_move_tail(&job->node, &gpu->waiting);
		tgk_wake_later(gpu, job->task);
	} else if (req) {
		list_move_tail(&req->node, &gpu->requests);
		tgk_wake_later(gpu, req->task);
	}
	tgk_unlock_irq(gpu);
	return job || req;
}

static void wake_due(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(work, struct tgk_gpu, wake_work.work);

	while (wake_one(gpu) || tgk_recorder_walk(gpu))
		;
}

/**
 * tgk_wake_all() - wake all threads that sleep until the core lets them go: they have to leave
 * @gpu: the GPU, closing: no thread begins to sleep
 *
 * Context: process.
 *
 * Return: how many there were.
 */
u32 tgk_wake_all(struct tgk_gpu *gpu)
{
	const struct list_head *pos;
	u32 nr = 0;

	raw_spin_lock_irq(&gpu->lock);
	list_splice_tail_init(&gpu->waiting, &gpu->due);
	list_splice_tail_init(&gpu->requests, &gpu->due_requests);
	list_for_each(pos, &gpu->due)
		nr++;
	list_for_each(pos, &gpu->due_requests)
		nr++;
	tgk_unlock_irq(gpu);
	while (wake_one(gpu))
		;
	return nr;
}

/* --- actions: under tgk_gpu.lock, inside tg_gpu_feed() --- */

/* The answer to a request for VRAM. */
static void answer(struct tgk_gpu *gpu, struct tgk_request *req, bool granted)
{
	if (tgk_vram_answer(req, granted))
		wake(gpu, req->task, &req->node, &gpu->due_requests);
}

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct tgk_gpu *gpu = container_of(out, struct tgk_gpu, out);

	tgk_trace_action(&gpu->trace, action);
	switch (action->kind) {
	case TG_ACT_FREE: {
		struct tgk_job *job = action->host;

		WRITE_ONCE(job->freed, true);
		tgk_latency_freed(gpu, action);
		/* A parked job's thread is elsewhere, and is not to be woken. */
		if (job->task && !job->file)
			wake(gpu, job->task, &job->node, &gpu->due);
		break;
	}
	case TG_ACT_ARM:
		/* While the system sleeps it is not set: tgk_sleep_end() feeds TIMER. */
		if (!gpu->closing && !gpu->sleep.since)
			hrtimer_start(&gpu->timer, ns_to_ktime(action->at + gpu->sleep.sum),
				      HRTIMER_MODE_ABS_HARD);
		break;
	case TG_ACT_NOTE:
		if (action->arg == TG_NOTE_DRAIN_CUT && action->host)
			tgk_client_hangs(action->host);
		tgk_note(gpu, action);
		break;
	case TG_ACT_GATE:
		tgk_client_gate(action->host, action->arg);
		break;
	case TG_ACT_SYNC:
		tgk_client_sync(action->host);
		break;
	case TG_ACT_POLL:
		tgk_poll_until(gpu, action->arg ? action->at + gpu->sleep.sum : 0, action->arg);
		break;
	case TG_ACT_WATCH:
		tgk_queue_later(gpu, &gpu->watch);
		break;
	case TG_ACT_GONE:
		tgk_client_gone(action->host);
		break;
	case TG_ACT_MEM_GRANT:
	case TG_ACT_MEM_REFUSE:
		answer(gpu, action->host, action->kind == TG_ACT_MEM_GRANT);
		break;
	default:
		break;
	}
}

/* --- events --- */

static int feed_one(struct tgk_gpu *gpu, struct tg_event *ev)
{
	const struct tgk_spec *spec = NULL;
	u32 len = 0;
	int ret;

	lockdep_assert_held(&gpu->lock);
	ev->now = tgk_core_time(gpu, ktime_get_ns());
	if (ev->kind != TG_EV_KNOB) {	/* its value lies where others have @at */
		ev->at = ev->at ? tgk_core_time(gpu, ev->at) : ev->now;
		ev->at = min(ev->at, ev->now);
	}
	if (ev->kind == TG_EV_SPEC && ev->new_spec) {
		spec = container_of(ev->new_spec, struct tgk_spec, spec);
		len = spec->len;
	}
	if (ev->kind == TG_EV_SUBMIT || ev->kind == TG_EV_BYPASSED)
		tgk_latency_arrived(gpu, ev);
	else if (ev->kind == TG_EV_DONE)
		tgk_latency_done(gpu, ev);
	tgk_trace_begin(&gpu->trace, ev, len);
	ret = tg_gpu_feed(&gpu->core, ev, &gpu->out);
	tgk_trace_end(&gpu->trace, ev, len, ret);
	return ret;
}

/* Report the starts of jobs that the core knows. */
static void report_started(struct tgk_gpu *gpu)
{
	struct tgk_job *job, *next;

	list_for_each_entry_safe(job, next, &gpu->unstarted, node) {
		struct tg_event ev = {
			.kind = TG_EV_STARTED, .started = { .late = true, .job = job->id },
		};

		ev.at = smp_load_acquire(&job->at);	/* and its fence: tgk_fence_arm() */
		if (!ev.at)
			continue;
		list_move_tail(&job->node, &gpu->flights);
		gpu->nr_unstarted--;
		if (ev.at == TGK_ARMED)
			job->at = TGK_IN_CORE;
		else
			feed_one(gpu, &ev);
	}
}

/* Report the jobs that the core does not know, the earliest first. */
static void report_bypassed(struct tgk_gpu *gpu)
{
	struct tgk_job *job, *next;
	struct llist_node *all;

	all = llist_reverse_order(__llist_del_all(&gpu->bypassed));
	gpu->nr_bypassed = 0;
	llist_for_each_entry_safe(job, next, all, chain) {
		struct tg_event ev = {
			.kind = TG_EV_BYPASSED, .client = job->client, .channel = job->channel,
			.job = job->id, .host = job,
		};

		ev.at = smp_load_acquire(&job->at);	/* and its fence: tgk_fence_arm() */
		ev.bypassed.started = ev.at > 0;
		list_add_tail(&job->node, ev.at ? &gpu->flights : &gpu->unstarted);
		gpu->nr_unstarted += !ev.at;
		if (ev.at == TGK_ARMED) {
			job->at = TGK_IN_CORE;
			ev.at = 0;
		}
		feed_one(gpu, &ev);
	}
}

/**
 * tgk_report_bypassed() - report to the core all jobs that have bypassed the gate
 * @gpu: the GPU
 *
 * A job that has started is in flight from now on, like any other. A job whose thread is still
 * inside the driver goes to tgk_gpu.unstarted: its start is reported here with the first event
 * after it. A job that waits in drm_sched, without its thread, feeds its own STARTED (fence.c).
 * Context: under tgk_gpu.lock.
 */
void tgk_report_bypassed(struct tgk_gpu *gpu)
{
	lockdep_assert_held(&gpu->lock);
	report_started(gpu);
	report_bypassed(gpu);
}

/**
 * tgk_feed() - feed one event to the core
 * @gpu: the GPU
 * @ev: the event. Its now is set here; its at, by ktime_get_ns(), is made the core's time, and is
 *	now where it is 0
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: as tg_gpu_feed().
 */
int tgk_feed(struct tgk_gpu *gpu, struct tg_event *ev)
{
	if (gpu->nr_bypassed || gpu->nr_unstarted)
		tgk_report_bypassed(gpu);
	return feed_one(gpu, ev);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct tgk_gpu *gpu = container_of(timer, struct tgk_gpu, timer);
	struct tg_event ev = { .kind = TG_EV_TIMER };
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (!gpu->closing && !gpu->sleep.since)
		tgk_feed(gpu, &ev);
	tgk_unlock_irqrestore(gpu, flags);
	return HRTIMER_NORESTART;
}

/**
 * tgk_feed_locking() - the same for a caller that does not hold the lock
 * @gpu: the GPU
 * @ev: as for tgk_feed()
 *
 * Context: any.
 */
void tgk_feed_locking(struct tgk_gpu *gpu, struct tg_event *ev)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	tgk_feed(gpu, ev);
	tgk_unlock_irqrestore(gpu, flags);
}

/**
 * tgk_feed_gpu() - prepare a new GPU
 * @gpu: the GPU
 */
void tgk_feed_gpu(struct tgk_gpu *gpu)
{
	gpu->out.emit = emit;
	INIT_LIST_HEAD(&gpu->waiting);
	INIT_LIST_HEAD(&gpu->due);
	INIT_LIST_HEAD(&gpu->requests);
	INIT_LIST_HEAD(&gpu->due_requests);
	tgk_errand_init(&gpu->wake_work, wake_due, NULL);
	tgk_timer_setup(&gpu->timer, on_timer);
}
