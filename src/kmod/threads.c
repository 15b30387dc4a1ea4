// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of a channel and of a client: TGK_THREADS are let in at a time, and the others wait in a
 * queue outside. So the work under tgk_gpu.lock does not grow with the number of threads.
 *
 * A thread takes a place with its channel, until its job has started, and one with its client,
 * until the core has freed its job. So a client has few jobs that wait, however many channels it
 * has; and a thread that sleeps inside the driver delays no other channel.
 *
 * submit.c lets threads in; it and fence.c let the next ones in. A thread that waits can be killed,
 * frozen and interrupted; an interrupted thread loses its place in the queue.
 */
#include <linux/sched/signal.h>

#include "channel.h"
#include "threads.h"

static bool is_full(const struct tgk_threads *threads)
{
	return unlikely(threads->in == TGK_THREADS);
}

/* Under tgk_gpu.lock: the current thread is to wait. */
static void queue(struct tgk_threads *threads, struct tgk_waiter *waiter)
{
	*waiter = (struct tgk_waiter){ .task = current };
	list_add_tail(&waiter->node, &threads->waiters);
}

/**
 * tgk_threads_next() - a thread or its job gives its place back
 * @gpu: the GPU
 * @threads: those that it counts among
 *
 * The thread that has waited longest has the place from now on.
 * Context: under tgk_gpu.lock.
 */
void tgk_threads_next(struct tgk_gpu *gpu, struct tgk_threads *threads)
{
	struct tgk_waiter *waiter;

	if (likely(list_empty(&threads->waiters))) {
		threads->in--;
		return;
	}
	waiter = list_first_entry(&threads->waiters, struct tgk_waiter, node);
	list_del(&waiter->node);
	/* Once its thread has seen this, and has had the lock, @waiter's stack may be gone. */
	WRITE_ONCE(waiter->let_in, true);
	tgk_wake_later(gpu, waiter->task);
}

/* Under tgk_gpu.lock: give both places back. */
static void drop(struct tgk_gpu *gpu, struct tgk_place *place)
{
	if (!place->ch)
		return;
	if (place->let_in)
		tgk_threads_next(gpu, &place->ch->client->threads);
	tgk_threads_next(gpu, &place->ch->threads);
	tgk_channel_put(place->ch);
	place->ch = NULL;
	place->let_in = false;
}

/* Under tgk_gpu.lock: take a place with @ch, and give back one with another channel. */
static void take(struct tgk_gpu *gpu, struct tgk_place *place, struct tgk_channel *ch)
{
	if (place->ch == ch)
		return;
	drop(gpu, place);
	refcount_inc(&ch->refs);
	ch->threads.in++;
	place->ch = ch;
}

/**
 * tgk_place_queue() - join a queue, if the channel or the client has no place for this thread
 * @place: its places
 * @ch: the channel that it submits to
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: true: the thread is in that queue, and tgk_place_wait() follows; false: it may go on.
 */
bool tgk_place_queue(struct tgk_place *place, struct tgk_channel *ch)
{
	if (ch != place->ch && is_full(&ch->threads)) {
		refcount_inc(&ch->refs);
		place->behind = ch;
		queue(&ch->threads, &place->waiter);
		return true;
	}
	if (is_full(&ch->client->threads) && !(place->let_in && ch == place->ch)) {
		take(ch->client->gpu, place, ch);
		place->behind = NULL;
		queue(&ch->client->threads, &place->waiter);
		return true;
	}
	return false;
}

/*
 * @ch: the channel that the thread has a place with, or NULL. Return: 0: the thread is let in, and
 * goes on whatever signals there are; or it looks again: the GPU closes, or the driver frees @ch.
 */
static int wait_for(struct tgk_gpu *gpu, struct tgk_waiter *waiter, const struct tgk_channel *ch)
{
	bool closing;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		closing = READ_ONCE(gpu->closing) || (ch && READ_ONCE(ch->dying));
		if (READ_ONCE(waiter->let_in) || signal_pending(current) || closing)
			break;
		/* No wake-up comes for @closing: few have a place, very many may have none. */
		schedule_timeout(ch ? HZ / 20 : 2 * HZ);
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	if (!waiter->let_in)
		list_del(&waiter->node);
	tgk_unlock_irq(gpu);
	if (waiter->let_in || closing)
		return 0;
	return fatal_signal_pending(current) ? -EINTR : -ERESTARTSYS;
}

/**
 * tgk_place_wait() - sleep until there is a place
 * @gpu: the GPU
 * @place: of the current thread, which is in a queue
 *
 * Context: process.
 *
 * Return: 0: the thread has the place, and goes on even if there is a signal, since others wait for
 * it; or the driver frees its channel, or the GPU closes: it looks again; -EINTR or -ERESTARTSYS: a
 * signal came, and it has no place.
 */
int tgk_place_wait(struct tgk_gpu *gpu, struct tgk_place *place)
{
	int ret = wait_for(gpu, &place->waiter, place->behind ? NULL : place->ch);

	if (!place->behind) {
		place->let_in = place->waiter.let_in;
	} else if (!place->waiter.let_in) {
		tgk_channel_put(place->behind);
	} else {
		tgk_place_drop(gpu, place);
		place->ch = place->behind;
	}
	return ret;
}

/**
 * tgk_place_to_job() - the thread has a job: that one has the places from now on
 * @place: the thread's
 * @ch: its channel, for which tgk_place_queue() has returned false
 * @job: the job; @job->freed: the core has freed it at once
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_place_to_job(struct tgk_place *place, struct tgk_channel *ch, struct tgk_job *job)
{
	take(job->gpu, place, ch);
	job->ch = ch;
	job->waits = !job->freed;
	if (job->waits && !place->let_in)
		ch->client->threads.in++;
	else if (unlikely(!job->waits && place->let_in))
		tgk_threads_next(job->gpu, &ch->client->threads);
	place->ch = NULL;
	place->let_in = false;
}

/**
 * tgk_place_drop() - the thread has no job, and goes another way
 * @gpu: the GPU
 * @place: its places, or none
 *
 * Context: any.
 */
void tgk_place_drop(struct tgk_gpu *gpu, struct tgk_place *place)
{
	if (likely(!place->ch))
		return;
	raw_spin_lock_irq(&gpu->lock);
	drop(gpu, place);
	tgk_unlock_irq(gpu);
}
