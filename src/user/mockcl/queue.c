// SPDX-License-Identifier: GPL-2.0
/*
 * Command queues: each has a channel of the card, an out-of-order one two: one for each engine.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;
static int locks = -1;

static void close_channels(cl_command_queue q)
{
	unsigned int i;
	uint32_t n;

	for (i = 0; i < MOCK_ENGINES; i++) {
		n = q->channel[i].index;
		if (q->channel[i].open && q->card == link_generation())
			link_ask(MOCK_CLOSE, q->device->index, &n, 0);
	}
}

void queue_put(cl_command_queue q)
{
	if (atomic_fetch_sub(&q->head.refs, 1) > 1)
		return;
	queue_unlink(q);
	close_channels(q);
	q->head.kind = 0;
	context_put(q->context);
	free(q);
}

static cl_int open_channels(cl_command_queue q)
{
	unsigned int i, n = q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? 2 : 1;

	q->card = link_generation();
	for (i = 0; i < n; i++) {
		if (link_ask(MOCK_OPEN, q->device->index, &q->channel[i].index, 0))
			return CL_OUT_OF_RESOURCES;
		q->channel[i].open = true;
	}
	return CL_SUCCESS;
}

static cl_command_queue create(cl_context c, cl_device_id d, cl_command_queue_properties properties,
			       const cl_queue_properties *given, size_t given_n, cl_int *error)
{
	const cl_command_queue_properties known = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	cl_command_queue q;

	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !is(d, DEVICE) || !context_has(c, d) ? CL_INVALID_DEVICE :
		properties & ~known ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
	if (*error)
		return NULL;
	q = object_new(QUEUE, sizeof(*q));
	if (!q) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	q->context = c;
	q->device = d;
	q->properties = properties;
	memcpy(q->given, given, given_n * sizeof(*given));
	q->given_size = given_n * sizeof(*given);
	atomic_fetch_add(&c->head.refs, 1);
	pthread_mutex_lock(&mock_lock);
	queue_link(q);
	*error = open_channels(q);
	if (*error) {
		queue_put(q);
		q = NULL;
	}
	pthread_mutex_unlock(&mock_lock);
	return q;
}

API cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context c, cl_device_id d,
		cl_command_queue_properties properties, cl_int *error)
{
	cl_int unused;

	return create(c, d, properties, NULL, 0, error ? error : &unused);
}

API cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context c, cl_device_id d,
		const cl_queue_properties *list, cl_int *error)
{
	cl_command_queue_properties properties = 0;
	cl_int unused;
	size_t n = 0;

	error = error ? error : &unused;
	for (; list && list[n] && n < 14; n += 2) {
		if (list[n] != CL_QUEUE_PROPERTIES) {
			*error = list[n] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
			return NULL;
		}
		properties = list[n + 1];
	}
	return create(c, d, properties, list, list ? n + 1 : 0, error);
}

API cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties,
		cl_bool enable, cl_command_queue_properties *old)
{
	(void)properties;
	(void)enable;
	(void)old;
	return is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

API cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue q)
{
	return object_retain(q, QUEUE, CL_INVALID_COMMAND_QUEUE);
}

/* With MOCKCL_LOCKS a queue is one thread's in each call, also while that waits. Under mock_lock. */
void queue_hold(cl_command_queue q)
{
	if (locks < 0)
		locks = getenv("MOCKCL_LOCKS") != NULL;
	while (locks && q->held)
		pthread_cond_wait(&let_go, &mock_lock);
	q->held = locks;
}

void queue_let_go(cl_command_queue q)
{
	q->held = false;
	if (locks)
		pthread_cond_broadcast(&let_go);
}

/* It flushes, so it waits as clFlush() does. */
API cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue q)
{
	clFlush(q);
	return object_release(q, QUEUE, CL_INVALID_COMMAND_QUEUE);
}

API cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name, size_t room, void *to,
		size_t *size_ret)
{
	if (!is(q, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (name) {
	case CL_QUEUE_CONTEXT:
		return INFO(cl_context, q->context);
	case CL_QUEUE_DEVICE:
		return INFO(cl_device_id, q->device);
	case CL_QUEUE_REFERENCE_COUNT:
		return INFO(cl_uint, q->head.refs);
	case CL_QUEUE_PROPERTIES:
		return INFO(cl_command_queue_properties, q->properties);
	case CL_QUEUE_PROPERTIES_ARRAY:
		return info(q->given, q->given_size, room, to, size_ret);
	case CL_QUEUE_SIZE:
		return CL_INVALID_COMMAND_QUEUE;
	case CL_QUEUE_DEVICE_DEFAULT:
		return INFO(cl_command_queue, NULL);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clFlush(cl_command_queue q)
{
	if (!is(q, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	pthread_mutex_lock(&mock_lock);
	queue_hold(q);
	command_publish(q);
	command_reap();
	queue_let_go(q);
	pthread_mutex_unlock(&mock_lock);
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clFinish(cl_command_queue q)
{
	cl_int status = CL_SUCCESS;
	cl_event e;

	if (!is(q, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	pthread_mutex_lock(&mock_lock);
	queue_hold(q);
	while ((e = q->live_last)) {
		if (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
			e = q->live;
		atomic_fetch_add(&e->head.refs, 1);
		if (command_wait(e) < 0 && q->card != link_generation())
			status = CL_OUT_OF_RESOURCES;
		command_forget(e);
		if (status)
			break;
	}
	if (q->card == link_generation() && link_page() && link_page()->lost[q->device->index])
		status = CL_OUT_OF_RESOURCES;
	queue_let_go(q);
	pthread_mutex_unlock(&mock_lock);
	return status;
}
