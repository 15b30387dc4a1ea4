// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Queues: which device a queue is of. Each launch asks, so the table is read without a lock: entries
 * are added at the front, and are never taken out; one whose queue is gone serves the next queue at
 * the same address. A queue is gone when the program has given up its references; the driver's own
 * count has those of events, too.
 *
 * Queues get CL_QUEUE_PROFILING_ENABLE, since the times of the ends are needed.
 */
#include <stdlib.h>

#include "cl.h"

#define BUCKETS	256

struct entry {
	cl_command_queue queue;
	struct device *device;	/* NULL: the queue is gone */
	enum profiling profiling;
	unsigned int references;	/* the program's */
	struct entry *next;
};

static struct entry *table[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* writers */

static struct entry **bucket_of(cl_command_queue queue)
{
	uintptr_t n = (uintptr_t)queue;

	return &table[(n >> 4 ^ n >> 12) % BUCKETS];
}

static struct entry *find(cl_command_queue queue)
{
	struct entry *e = __atomic_load_n(bucket_of(queue), __ATOMIC_ACQUIRE);

	while (e && e->queue != queue)
		e = e->next;
	return e;
}

/** queue_device() - NULL: not known */
struct device *queue_device(cl_command_queue queue)
{
	const struct entry *e = find(queue);

	return e ? __atomic_load_n(&e->device, __ATOMIC_ACQUIRE) : NULL;
}

/** queue_profiling() - how the program's queue came to be profiled */
enum profiling queue_profiling(cl_command_queue queue)
{
	const struct entry *e = find(queue);

	return e ? e->profiling : PROFILING_ASKED;
}

static void add(cl_command_queue queue, cl_device_id id, enum profiling profiling)
{
	struct device *device;
	struct entry *e;

	if (!queue)
		return;
	device = device_get(id);
	pthread_mutex_lock(&lock);
	e = find(queue);
	if (!e) {
		e = calloc(1, sizeof(*e));
		if (e) {
			e->queue = queue;
			e->next = *bucket_of(queue);
			__atomic_store_n(bucket_of(queue), e, __ATOMIC_RELEASE);
		}
	}
	if (e) {
		e->profiling = profiling;
		e->references++;	/* a default queue on the device is given more than once */
		__atomic_store_n(&e->device, device, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

/** queue_drain() - return once the device's queues have nothing in flight */
void queue_drain(struct device *d)
{
	cl_command_queue queues[64];
	struct entry *e;
	cl_event event;
	int i, nr = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++)
		for (e = table[i]; e && nr < 64; e = e->next)
			if (e->device == d && !next->clRetainCommandQueue(e->queue))
				queues[nr++] = e->queue;
	pthread_mutex_unlock(&lock);
	for (i = 0; i < nr; i++) {
		if (!next->clEnqueueMarkerWithWaitList(queues[i], 0, NULL, &event)) {
			next->clFlush(queues[i]);
			next->clWaitForEvents(1, &event);
			next->clReleaseEvent(event);
		}
		next->clReleaseCommandQueue(queues[i]);
	}
}

/** queue_flush() - all queues: a thread that waits may wait for a command of any of them */
void queue_flush(void)
{
	struct entry *e;
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++)
		for (e = table[i]; e; e = e->next)
			if (e->device)
				next->clFlush(e->queue);
	pthread_mutex_unlock(&lock);
}

cl_command_queue CL_API_CALL layer_clCreateCommandQueue(cl_context context, cl_device_id device,
							 cl_command_queue_properties properties,
							 cl_int *error)
{
	cl_command_queue queue = next->clCreateCommandQueue(context, device,
							    properties | CL_QUEUE_PROFILING_ENABLE,
							    error);

	add(queue, device, properties & CL_QUEUE_PROFILING_ENABLE ? PROFILING_ASKED : PROFILING_BIT);
	return queue;
}

/* With PROFILING_ENABLE in what may be no list, a list without QUEUE_PROPERTIES, or one with. */
cl_command_queue CL_API_CALL
layer_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
					 const cl_queue_properties *properties, cl_int *error)
{
	enum profiling profiling = PROFILING_BIT;
	cl_queue_properties list[64];
	cl_command_queue queue;
	int nr = 0, i, at = -1;

	while (properties && properties[nr] && nr < 60)
		nr += 2;
	if (nr >= 60)
		return next->clCreateCommandQueueWithProperties(context, device, properties, error);
	for (i = 0; i < nr; i++)
		list[i] = properties[i];
	for (i = 0; i < nr; i += 2)
		if (list[i] == CL_QUEUE_PROPERTIES)
			at = i;
	if (at < 0) {
		profiling = properties ? PROFILING_LISTED : PROFILING_ONLY;
		at = nr;
		list[nr++] = CL_QUEUE_PROPERTIES;
		list[nr++] = 0;
	}
	if (list[at + 1] & CL_QUEUE_PROFILING_ENABLE)
		profiling = PROFILING_ASKED;
	/* Queues on the device launch nothing from here. */
	if (!(list[at + 1] & CL_QUEUE_ON_DEVICE))
		list[at + 1] |= CL_QUEUE_PROFILING_ENABLE;
	list[nr] = 0;
	queue = next->clCreateCommandQueueWithProperties(context, device, list, error);
	add(queue, device, profiling);
	return queue;
}

cl_int CL_API_CALL layer_clRetainCommandQueue(cl_command_queue queue)
{
	cl_int ret = next->clRetainCommandQueue(queue);
	struct entry *e = ret ? NULL : find(queue);

	if (!e)
		return ret;
	pthread_mutex_lock(&lock);
	e->references += !!e->references;
	pthread_mutex_unlock(&lock);
	return ret;
}

cl_int CL_API_CALL layer_clReleaseCommandQueue(cl_command_queue queue)
{
	struct entry *e = find(queue);

	if (!e)
		return next->clReleaseCommandQueue(queue);
	pthread_mutex_lock(&lock);
	if (e->references && !--e->references)
		__atomic_store_n(&e->device, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return next->clReleaseCommandQueue(queue);
}
