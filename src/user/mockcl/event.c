// SPDX-License-Identifier: GPL-2.0
/*
 * Events as programs see them: waiting, queries, profiling, user events and callbacks. Callbacks run in a
 * thread of this library, which starts with the first; it also reaps, so that commands whose events come
 * from other queues go on while the program does something else. While there is neither, it sleeps, as a
 * driver's does: else each end that the program waits for would wake it, too.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

static struct callback *calls, **calls_end = &calls;
static unsigned int thread_of;	/* 1 more than the generation in which the thread runs; 0: there is none */
static unsigned int registered;	/* callbacks of events that have not been called */
static pthread_cond_t needed = PTHREAD_COND_INITIALIZER;	/* there is something for the thread */

static void call(struct callback *c)
{
	if (c->event_fn)
		c->event_fn(c->object, c->status, c->user);
	else if (c->object_fn)
		c->object_fn(c->object, c->user);
	else if (c->svm_fn)
		c->svm_fn(c->object, c->n, (void **)(c + 1), c->user);
}

static void *run(void *unused)
{
	const char *late = getenv("MOCKCL_LATE");
	struct callback *c;

	pthread_mutex_lock(&mock_lock);
	for (;;) {
		if (calls && late) {
			pthread_mutex_unlock(&mock_lock);
			usleep(atoi(late));
			pthread_mutex_lock(&mock_lock);
		}
		while ((c = calls)) {
			calls = c->next;
			if (!calls)
				calls_end = &calls;
			pthread_mutex_unlock(&mock_lock);
			call(c);
			pthread_mutex_lock(&mock_lock);
			if (c->event_fn) {
				command_forget(c->object);
				registered--;
			}
			free(c);
		}
		if (registered || queues_wait())
			command_nap();
		else
			pthread_cond_wait(&needed, &mock_lock);
	}
	return unused;
}

void command_thread(void)
{
	pthread_t thread;

	pthread_cond_signal(&needed);
	if (thread_of == link_generation() + 1 || !link_page())
		return;
	thread_of = link_generation() + 1;
	if (!pthread_create(&thread, NULL, run, NULL))
		pthread_detach(thread);
}

void command_call(struct callback *c)
{
	struct mock_page *page = link_page();

	c->next = NULL;
	*calls_end = c;
	calls_end = &c->next;
	command_thread();
	if (page)
		command_bump();
}

void callbacks_forget(void)
{
	registered = 0;
	pthread_cond_init(&needed, NULL);
}

API cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *list)
{
	cl_int status, result = CL_SUCCESS;
	cl_uint i;

	if (!n || !list)
		return CL_INVALID_VALUE;
	for (i = 0; i < n; i++) {
		if (!is(list[i], EVENT))
			return CL_INVALID_EVENT;
		if (list[i]->context != list[0]->context)
			return CL_INVALID_CONTEXT;
	}
	pthread_mutex_lock(&mock_lock);
	for (i = 0; i < n; i++)
		if (list[i]->queue)
			command_publish(list[i]->queue);
	for (i = 0; i < n; i++) {
		status = command_wait(list[i]);
		if (status < 0)
			result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	pthread_mutex_unlock(&mock_lock);
	return result;
}

/* The card says when it has begun, nobody says so to the event */
static cl_int status_now(cl_event e)
{
	struct mock_page *page;

	command_reap();
	page = link_page();
	if (e->status == CL_SUBMITTED && e->pushed && e->queue->card == link_generation() &&
	    atomic_load(&page->channel[e->channel->index].ring[e->at % MOCK_RING].start))
		return CL_RUNNING;
	return e->status;
}

API cl_int CL_API_CALL clGetEventInfo(cl_event e, cl_event_info name, size_t room, void *to, size_t *size_ret)
{
	cl_int status;

	if (!is(e, EVENT))
		return CL_INVALID_EVENT;
	switch (name) {
	case CL_EVENT_COMMAND_QUEUE:
		return INFO(cl_command_queue, e->queue);
	case CL_EVENT_CONTEXT:
		return INFO(cl_context, e->context);
	case CL_EVENT_COMMAND_TYPE:
		return INFO(cl_command_type, e->type);
	case CL_EVENT_REFERENCE_COUNT:
		return INFO(cl_uint, e->head.refs);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		pthread_mutex_lock(&mock_lock);
		status = status_now(e);
		pthread_mutex_unlock(&mock_lock);
		return INFO(cl_int, status);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetEventProfilingInfo(cl_event e, cl_profiling_info name, size_t room, void *to,
					       size_t *size_ret)
{
	struct mock_page *page;
	cl_ulong value;
	cl_int status;
	unsigned int d;

	if (!is(e, EVENT))
		return CL_INVALID_EVENT;
	pthread_mutex_lock(&mock_lock);
	status = status_now(e);
	page = link_page();
	pthread_mutex_unlock(&mock_lock);
	if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE) || status != CL_COMPLETE || !page)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	d = e->queue->device->index;
	switch (name) {
	case CL_PROFILING_COMMAND_QUEUED:
	case CL_PROFILING_COMMAND_SUBMIT:
		value = name == CL_PROFILING_COMMAND_QUEUED ? e->queued : e->submitted;
		value = (cl_ulong)((unsigned __int128)value * page->rate[d] >> 20) + page->offset[d];
		break;
	case CL_PROFILING_COMMAND_START:
		value = e->start;
		break;
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE:
		value = e->end;
		break;
	default:
		return CL_INVALID_VALUE;
	}
	return INFO(cl_ulong, value);
}

API cl_event CL_API_CALL clCreateUserEvent(cl_context c, cl_int *error)
{
	cl_int unused;
	cl_event e;

	error = error ? error : &unused;
	*error = is(c, CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	if (*error)
		return NULL;
	e = object_new(EVENT, sizeof(*e));
	if (!e) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	e->context = c;
	e->type = CL_COMMAND_USER;
	e->status = CL_SUBMITTED;
	atomic_fetch_add(&c->head.refs, 1);
	return e;
}

API cl_int CL_API_CALL clSetUserEventStatus(cl_event e, cl_int status)
{
	bool again;

	if (!is(e, EVENT) || e->type != CL_COMMAND_USER)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	pthread_mutex_lock(&mock_lock);
	again = e->user_set;
	e->user_set = true;
	if (!again) {
		e->wanted = true;
		command_complete(e, status);
	}
	pthread_mutex_unlock(&mock_lock);
	return again ? CL_INVALID_OPERATION : CL_SUCCESS;
}

API cl_int CL_API_CALL clSetEventCallback(cl_event e, cl_int status,
		void (CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user)
{
	struct callback *c;

	if (!is(e, EVENT))
		return CL_INVALID_EVENT;
	if (!fn || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
		return CL_INVALID_VALUE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct callback){ .event_fn = fn, .object = e, .user = user, .status = status };
	atomic_fetch_add(&e->head.refs, 1);
	pthread_mutex_lock(&mock_lock);
	registered++;
	if (e->status <= status) {
		if (e->status < 0)
			c->status = e->status;
		command_call(c);
	} else {
		c->next = e->callbacks;
		e->callbacks = c;
		command_want(e);
		command_thread();
	}
	pthread_mutex_unlock(&mock_lock);
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clRetainEvent(cl_event e)
{
	return object_retain(e, EVENT, CL_INVALID_EVENT);
}

API cl_int CL_API_CALL clReleaseEvent(cl_event e)
{
	return object_release(e, EVENT, CL_INVALID_EVENT);
}
