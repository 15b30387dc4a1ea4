// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Turns of commands whose turn the program's thread may not wait for: copies that do not block,
 * launches behind what is far (far.c), and everything behind a user event, which the program sets
 * perhaps in the thread that calls.
 *
 * Such a command goes to the driver at once, with a user event of ours, its gate, in its wait list. When
 * all that it waits for has ended, a thread of ours enters the scheduler for it, and opens the gate.
 * So it holds no turn while it waits, and the call gives the driver's answer without a delay.
 *
 * In an in-order queue a command waits for all before it: a marker, put before it, tells when these
 * have ended.
 *
 * One thread for each device and channel, which starts with the first such command. Callbacks of the
 * driver count events down; `lock` guards the counts and the lists, and nothing is called under it.
 *
 * A driver may have a queue to itself in each call, also in one that waits for all that is in it (Mesa's
 * rusticl). That call may wait for the next gate. So the thread calls nothing that takes a queue, as
 * clFlush() and clReleaseCommandQueue() do: the command is flushed, and its queue released, in the
 * program's threads.
 */
#include <stdlib.h>
#include <string.h>

#include "blocked.h"
#include "far.h"
#include "launch.h"
#include "queue.h"
#include "turn.h"

#define LARGE	(1 << 20)	/* bytes of a copy that is scheduled */

/**
 * struct later - a command that waits for its turn
 * @work: what launch_enter() is told of it
 * @needs: events that have not come, and one until the command is at the driver
 * @event: of the command; NULL: the driver has refused it
 * @far: a launch that is at the driver: others behind it take no turn yet
 */
struct later {
	struct device *device;
	uint32_t channel;
	uint64_t work;
	cl_command_queue queue;
	cl_event gate, event;
	unsigned int needs;
	struct far *far;
	struct later *next;
};

/* The commands of one device and channel whose events have come */
struct line {
	struct device *device;
	uint32_t channel;
	struct later *first, **last;
	pthread_cond_t some;
	struct line *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct line *lines;
static struct later *over;	/* their queues are to be released; turns_prune() looks without the lock */

/* --- the thread --- */

/* Its gate is open. */
static void later_over(struct later *l)
{
	next->clReleaseEvent(l->gate);
	pthread_mutex_lock(&lock);
	l->next = over;
	__atomic_store_n(&over, l, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

/* It has its turn, or goes without one. */
static void turned(struct later *l)
{
	if (l->far)
		far_over(l->far);
	next->clSetUserEventStatus(l->gate, CL_COMPLETE);
}

static void enter(struct later *l)
{
	struct tgu_job job;

	if (!l->event) {
		turned(l);
	} else {
		launch_enter(l->device, l->channel, l->work, &job);
		turned(l);
		if (job.way == TGU_OPEN) {
			tgu_leave(&job);
			next->clReleaseEvent(l->event);
		} else {
			tgu_started(&job, 0);
			launch_attach(l->device, &job, l->event, l->queue);
		}
	}
	later_over(l);
}

static void *serve(void *arg)
{
	struct line *line = arg;
	struct later *l;

	for (;;) {
		pthread_mutex_lock(&lock);
		while (!line->first)
			pthread_cond_wait(&line->some, &lock);
		l = line->first;
		line->first = l->next;
		if (!line->first)
			line->last = &line->first;
		pthread_mutex_unlock(&lock);
		enter(l);
	}
	return NULL;
}

/** turns_in_child() - after fork(): the child has none of these threads, and starts its own */
void turns_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	lines = NULL;
	over = NULL;
}

/** turns_prune() - release the queues of commands whose gates are open; in the program's threads */
void turns_prune(void)
{
	struct later *l, *rest;

	if (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&lock);
	rest = over;
	__atomic_store_n(&over, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	while ((l = rest)) {
		rest = l->next;
		next->clReleaseCommandQueue(l->queue);
		free(l);
	}
}

/* Under the lock. NULL: no thread can be had */
static struct line *line_of(struct device *d, uint32_t channel)
{
	struct line *line;

	for (line = lines; line; line = line->next)
		if (line->device == d && line->channel == channel)
			return line;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->device = d;
	line->channel = channel;
	line->last = &line->first;
	pthread_cond_init(&line->some, NULL);
	if (!tgu_thread(serve, line)) {
		free(line);
		return NULL;
	}
	line->next = lines;
	lines = line;
	return line;
}

/* One thing less that @l waits for. Without a thread it goes unscheduled. */
static void came(struct later *l)
{
	struct line *line = NULL;
	bool all;

	pthread_mutex_lock(&lock);
	all = !--l->needs;
	if (all) {
		line = line_of(l->device, l->channel);
		if (line) {
			l->next = NULL;
			*line->last = l;
			line->last = &l->next;
			pthread_cond_signal(&line->some);
		}
	}
	pthread_mutex_unlock(&lock);
	if (!all || line)
		return;
	turned(l);
	if (l->event)
		next->clReleaseEvent(l->event);
	later_over(l);
}

static void CL_CALLBACK event_came(cl_event event, cl_int status, void *arg)
{
	came(arg);
}

static void need(struct later *l, cl_event event)
{
	cl_int status = CL_COMPLETE;

	next->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	if (status <= CL_COMPLETE)
		return;
	pthread_mutex_lock(&lock);
	l->needs++;
	pthread_mutex_unlock(&lock);
	if (next->clSetEventCallback(event, CL_COMPLETE, event_came, l))
		came(l);
}

/* --- the calls --- */

/* Prepare @t's command to wait behind a gate. Return: false: it cannot be done */
static bool put_gate(struct turn *t, struct device *d, uint32_t channel, bool behind_queue)
{
	struct later *l = calloc(1, sizeof(*l));
	cl_event *list = malloc((t->nr + 1) * sizeof(*list)), marker;
	cl_context context = NULL;
	cl_int error = CL_SUCCESS;
	cl_uint i;

	turns_prune();
	next->clGetCommandQueueInfo(t->queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);
	if (l && list && context)
		l->gate = next->clCreateUserEvent(context, &error);
	if (!l || !list || !l->gate || next->clRetainCommandQueue(t->queue)) {
		if (l && l->gate)
			next->clReleaseEvent(l->gate);
		free(l);
		free(list);
		return false;
	}
	l->device = d;
	l->channel = channel;
	l->work = t->bytes;
	l->queue = t->queue;
	l->needs = 1;
	for (i = 0; i < t->nr; i++) {
		list[i] = t->wait[i];
		need(l, list[i]);
	}
	if (behind_queue && !next->clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &marker)) {
		need(l, marker);
		next->clFlush(t->queue);
		next->clReleaseEvent(marker);
	}
	list[i] = l->gate;
	t->far = far_begin(t->queue, t->kernel);
	t->later = l;
	t->list = list;
	t->wait = list;
	t->nr++;
	t->event = &t->own;
	return true;
}

/* What a large copy that blocks has in front of it ends first; then it takes its turn in the call. */
static void take_turn(struct turn *t, struct device *d)
{
	far_finish(t->queue);
	launch_reap(d);
	launch_enter(d, 2, t->bytes, &t->job);
	tgu_started(&t->job, 0);
	t->entered = true;
}

/**
 * turn_begin() - before a command goes to the driver
 * @t: filled in: the driver gets @t's nr, wait, event and blocking
 * @kernel: a launch, with launch_work() for @bytes; else a copy of @bytes, or, with 0, a command
 *	that needs no turn
 *
 * A launch comes here only if it is blocked(), or turn_is_far().
 */
void turn_begin(struct turn *t, cl_command_queue queue, bool kernel, size_t bytes, cl_bool blocking,
		cl_uint nr, const cl_event *wait, cl_event *event)
{
	struct device *d;
	bool behind_user, in_order;

	*t = (struct turn){ .queue = queue, .nr = nr, .wait = wait, .event = event, .given = event,
			    .blocking = blocking, .kernel = kernel, .bytes = bytes };
	if (blocking && far_ahead(queue) && !queue_out_of_order(queue))
		far_wait(queue);
	if ((!kernel && bytes < LARGE && !nr) || !nr != !wait)
		return;
	d = queue_device(queue);
	if (!d)
		return;
	behind_user = blocked(queue, nr, wait);
	if ((!kernel && bytes < LARGE) || tgu_open_now(d->tgu)) {
		/* No turn to wait for; but what comes after it waits for the program, or for long. */
		t->keep = behind_user && !blocking;
		if (!blocking && far_events(d, nr, wait))
			t->far = far_begin(queue, false);
		if (t->keep || t->far)
			t->event = &t->own;
		return;
	}
	in_order = !queue_out_of_order(queue);
	if (blocking && !behind_user && !nr && in_order) {
		take_turn(t, d);
		return;
	}
	if (!put_gate(t, d, kernel ? 1 : 2, in_order || far_ahead(queue) ||
		      (behind_user && blocked(queue, 0, NULL))))
		return;
	t->keep = behind_user;
	t->blocking = CL_FALSE;
	t->waits = blocking;
}

/**
 * turn_barrier() - the command between turn_begin() and turn_end() is a barrier
 *
 * In a queue out of order it has what comes after it wait for its events; without any, for all.
 */
void turn_barrier(struct turn *t)
{
	if (!t->far && !t->nr && far_in(t->queue)) {
		t->far = far_begin(t->queue, false);
		if (t->far)
			t->event = &t->own;
	}
	if (t->far)
		far_barrier(t->far);
}

/** turn_is_far() - would a launch in @queue, with this wait list, hold its turn for nothing? */
bool turn_is_far(struct device *d, cl_command_queue queue, cl_uint nr, const cl_event *wait)
{
	return !tgu_open_now(d->tgu) && (far_ahead(queue) || far_events(d, nr, wait));
}

/** turn_draws_near() - wait in the call, as a launch in parts does anyway, until it is not far */
void turn_draws_near(cl_command_queue queue, cl_uint nr, const cl_event *wait)
{
	queue_flush();
	if (nr && wait)
		next->clWaitForEvents(nr, wait);
	if (far_ahead(queue))
		far_finish(queue);
}

/** turn_end() - the driver has answered @ret. Return: what the program gets */
cl_int turn_end(struct turn *t, cl_int ret)
{
	if (t->entered) {
		if (t->job.way == TGU_OPEN)
			tgu_leave(&t->job);
		else			/* it counts as started, even if the driver refused it */
			tgu_done(&t->job, tgu_now(), false);
		return ret;
	}
	if (t->event != &t->own)
		return ret;
	if (!ret && t->keep)
		blocked_keep(t->queue, t->own);
	if (t->far)
		far_went(t->far, ret ? NULL : t->own);
	if (!ret && t->given) {
		*t->given = t->own;
		next->clRetainEvent(t->own);
	}
	if (!ret && t->waits)
		next->clRetainEvent(t->own);
	if (t->later) {
		if (!ret)
			next->clFlush(t->queue);
		t->later->event = ret ? NULL : t->own;
		t->later->far = !ret && t->kernel ? t->far : NULL;
		came(t->later);
		free(t->list);
	} else if (!ret) {
		next->clReleaseEvent(t->own);
	}
	if (!ret && t->waits) {
		ret = next->clWaitForEvents(1, &t->own);
		next->clReleaseEvent(t->own);
	}
	return ret;
}
