// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands that wait for the program itself: behind a user event that the program has yet to set.
 * A call that then waited for its turn could wait for ever, since the program would set the event
 * after it. So such a launch passes, unscheduled; and so does each that waits for it, or comes after
 * it in its queue, until it has ended.
 *
 * Few programs have user events: as long as none was seen, all that this file does is to look at the
 * events that a launch names.
 */
#include "blocked.h"

#define KEPT	256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
	cl_event event;
	cl_command_queue queue;
} kept[KEPT];
static unsigned int nr_kept;

/** event_unfinished() - it has not ended, well or with an error */
bool event_unfinished(cl_event event)
{
	cl_int status = CL_COMPLETE;

	next->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	return status > CL_COMPLETE;
}

static bool by_user(cl_event event)
{
	cl_command_type type = 0;

	next->clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL);
	return type == CL_COMMAND_USER;
}

/** event_queue() - NULL: a user event */
cl_command_queue event_queue(cl_event event)
{
	cl_command_queue queue = NULL;

	next->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL);
	return queue;
}

/* Under the lock: those that have ended go. */
static void prune(void)
{
	unsigned int i = 0;

	while (i < nr_kept) {
		if (event_unfinished(kept[i].event)) {
			i++;
			continue;
		}
		next->clReleaseEvent(kept[i].event);
		kept[i] = kept[nr_kept - 1];
		__atomic_store_n(&nr_kept, nr_kept - 1, __ATOMIC_RELAXED);
	}
}

static bool is_kept(cl_event event, cl_command_queue queue)
{
	unsigned int i;

	for (i = 0; i < nr_kept; i++)
		if (kept[i].event == event || (queue && kept[i].queue == queue))
			return true;
	return false;
}

/** blocked() - would a launch in @queue that waits for these events wait for the program? */
bool blocked(cl_command_queue queue, cl_uint nr, const cl_event *events)
{
	bool any = __atomic_load_n(&nr_kept, __ATOMIC_RELAXED), found = false;
	cl_uint i;

	if (!any && !nr)
		return false;
	pthread_mutex_lock(&lock);
	prune();
	found = is_kept(NULL, queue);
	for (i = 0; events && i < nr && !found; i++)
		found = event_unfinished(events[i]) &&
			(is_kept(events[i], event_queue(events[i])) || by_user(events[i]));
	pthread_mutex_unlock(&lock);
	return found;
}

/** blocked_keep() - a launch that is blocked is in @queue, and @event will end with it */
void blocked_keep(cl_command_queue queue, cl_event event)
{
	pthread_mutex_lock(&lock);
	prune();
	if (nr_kept < KEPT && !next->clRetainEvent(event)) {
		kept[nr_kept] = (struct kept){ event, queue };
		__atomic_store_n(&nr_kept, nr_kept + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
}

/** blocked_in_child() - after fork(): nobody ends the parent's launches here */
void blocked_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	nr_kept = 0;
}
