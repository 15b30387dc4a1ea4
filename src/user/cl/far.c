// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands whose end may be long in coming, so that a launch behind one of them takes no turn before: it
 * would hold the engine for nothing, and, where that command has yet to get a turn at the same engine,
 * both would wait for each other.
 *
 * Far are commands of other devices; copies behind a gate (turn.c), until they have ended; launches behind
 * one, until they have their turn; and what waits for any of these. A launch that has its turn is not: it
 * is in front of the next one in the driver, so pipelines of kernels need no gates.
 *
 * The list has what is far of our own device. As long as it is empty, all that this file does is to look at
 * the events that a launch names. Of an in-order queue it has the latest such copy alone, since the others
 * end before it. An event of a queue that is in the list counts as far: it may wait for what is.
 */
#include <stdlib.h>

#include "blocked.h"
#include "far.h"
#include "queue.h"

/**
 * struct far - a command
 * @queue: its queue
 * @event: NULL: it is on its way to the driver
 * @until_turn: a launch: far_over() ends it, and the event does not
 * @in_order: its queue is
 * @barrier: it is a barrier in a queue that is not
 */
struct far {
	cl_command_queue queue;
	cl_event event;
	bool until_turn, in_order, barrier;
	struct far *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct far *all;

/** far_in_child() - after fork(): the parent's commands are none of the child's */
void far_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	all = NULL;
}

static bool any(void)
{
	return __atomic_load_n(&all, __ATOMIC_RELAXED);
}

/* Under the lock. */
static void take_out(struct far **at)
{
	struct far *f = *at;

	__atomic_store_n(at, f->next, __ATOMIC_RELAXED);
	if (f->event)
		next->clReleaseEvent(f->event);
	free(f);
}

static bool has_ended(const struct far *f)
{
	return !f->until_turn && f->event && !event_unfinished(f->event);
}

/* What of @queue is in the list; with @ahead, that later commands of @queue wait for? */
static bool listed(cl_command_queue queue, bool ahead)
{
	struct far **at = &all;
	bool found = false;

	if (!any())
		return false;
	pthread_mutex_lock(&lock);
	while (*at && !found) {
		if ((*at)->queue != queue || (ahead && !(*at)->in_order && !(*at)->barrier))
			at = &(*at)->next;
		else if (has_ended(*at))
			take_out(at);
		else
			found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/** far_in() - is a command in @queue that is far? */
bool far_in(cl_command_queue queue)
{
	return listed(queue, false);
}

/** far_ahead() - would the next command in @queue wait for one that is far? */
bool far_ahead(cl_command_queue queue)
{
	return listed(queue, true);
}

/** far_events() - is one of these far, as a launch on @d has it? What the program sets is blocked.c's. */
bool far_events(struct device *d, cl_uint nr, const cl_event *events)
{
	cl_command_queue queue;
	cl_uint i;

	for (i = 0; events && i < nr; i++) {
		if (!event_unfinished(events[i]))
			continue;
		queue = event_queue(events[i]);
		if (queue && (queue_device(queue) != d || far_in(queue)))
			return true;
	}
	return false;
}

/**
 * far_begin() - before a command that is far goes to the driver
 * @until_turn: it is far until far_over(); else until it has ended
 *
 * Return: for far_went(). NULL: memory is out.
 */
struct far *far_begin(cl_command_queue queue, bool until_turn)
{
	struct far *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	*f = (struct far){ .queue = queue, .until_turn = until_turn, .in_order = !queue_out_of_order(queue) };
	pthread_mutex_lock(&lock);
	f->next = all;
	__atomic_store_n(&all, f, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return f;
}

/** far_barrier() - what comes later in its queue waits for it, though that is out of order */
void far_barrier(struct far *f)
{
	pthread_mutex_lock(&lock);
	f->barrier = true;
	pthread_mutex_unlock(&lock);
}

/** far_over() - it is not far any more. @f is gone then */
void far_over(struct far *f)
{
	struct far **at;

	pthread_mutex_lock(&lock);
	for (at = &all; *at && *at != f; at = &(*at)->next)
		;
	if (*at)
		take_out(at);
	pthread_mutex_unlock(&lock);
}

/** far_went() - the driver has it, with this event; NULL: it has refused it, and @f is gone then */
void far_went(struct far *f, cl_event event)
{
	struct far **at;

	if (!event || next->clRetainEvent(event)) {
		far_over(f);
		return;
	}
	pthread_mutex_lock(&lock);
	f->event = event;
	for (at = &f->next; *at && f->in_order; )
		if ((*at)->queue == f->queue && !(*at)->until_turn && (*at)->event)
			take_out(at);
		else
			at = &(*at)->next;
	pthread_mutex_unlock(&lock);
}

/**
 * far_wait() - wait for all that is in @queue, if some of it is far
 *
 * The driver may have the queue to itself in a call that waits, and then nobody could flush it, or drain
 * it, before what is far ends. queue_wait() leaves it free.
 */
void far_wait(cl_command_queue queue)
{
	if (far_in(queue))
		queue_wait(queue);
}

/** far_finish() - clFinish(), in the way of far_wait() */
cl_int far_finish(cl_command_queue queue)
{
	far_wait(queue);
	return next->clFinish(queue);
}

/** far_prune() - give back the events of those that have ended */
void far_prune(void)
{
	struct far **at = &all;

	if (!any())
		return;
	pthread_mutex_lock(&lock);
	while (*at)
		if (has_ended(*at))
			take_out(at);
		else
			at = &(*at)->next;
	pthread_mutex_unlock(&lock);
}
