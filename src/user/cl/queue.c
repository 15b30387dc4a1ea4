// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Queues: which device a queue is of. Each launch asks; objects.h has the table.
 *
 * Queues get CL_QUEUE_PROFILING_ENABLE, since the times of the ends are needed.
 */
#include "device.h"
#include "far.h"
#include "objects.h"
#include "queue.h"
#include "slice.h"
#include "turn.h"

struct entry {
	struct object object;
	struct device *device;	/* NULL: the queue is gone */
	enum profiling profiling;
};

static void gone(struct object *o);
static struct objects table = { .lock = PTHREAD_MUTEX_INITIALIZER, .size = sizeof(struct entry), .gone = gone };

static struct entry *entry_of(struct object *o)
{
	return (struct entry *)o;	/* its first member */
}

static void gone(struct object *o)
{
	__atomic_store_n(&entry_of(o)->device, NULL, __ATOMIC_RELEASE);
}

static const struct entry *find(cl_command_queue queue)
{
	return entry_of(object_find(&table, queue));
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

bool queue_out_of_order(cl_command_queue queue)
{
	cl_command_queue_properties properties = 0;

	next->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				    NULL);
	return properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

static void add(cl_command_queue queue, cl_device_id id, enum profiling profiling)
{
	struct device *device;
	struct entry *e;

	if (!queue)
		return;
	device = device_get(id);
	pthread_mutex_lock(&table.lock);
	e = entry_of(object_enter(&table, queue));
	if (e) {
		e->profiling = profiling;
		e->object.references++;	/* a default queue on the device is given more than once */
		__atomic_store_n(&e->device, device, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table.lock);
}

/** queue_wait() - return once all that is in the queue has ended; the queue is free meanwhile */
void queue_wait(cl_command_queue queue)
{
	cl_event marker;

	if (next->clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker))
		return;
	next->clFlush(queue);
	next->clWaitForEvents(1, &marker);
	next->clReleaseEvent(marker);
}

/** queue_drain() - return once the device's queues have nothing in flight */
void queue_drain(struct device *d)
{
	cl_command_queue queues[64];
	struct object *o;
	int i, nr = 0;

	pthread_mutex_lock(&table.lock);
	for (i = 0; i < OBJECTS_BUCKETS; i++)
		for (o = table.bucket[i]; o && nr < 64; o = o->next)
			if (entry_of(o)->device == d && !next->clRetainCommandQueue(o->handle))
				queues[nr++] = o->handle;
	pthread_mutex_unlock(&table.lock);
	for (i = 0; i < nr; i++) {
		queue_wait(queues[i]);
		next->clReleaseCommandQueue(queues[i]);
	}
}

/** queue_flush() - all queues: a thread that waits may wait for a command of any of them */
void queue_flush(void)
{
	struct object *o;
	int i;

	pthread_mutex_lock(&table.lock);
	for (i = 0; i < OBJECTS_BUCKETS; i++)
		for (o = table.bucket[i]; o; o = o->next)
			if (entry_of(o)->device)
				next->clFlush(o->handle);
	pthread_mutex_unlock(&table.lock);
}

/** queues_in_child() - after fork(): the child may have others where the parent had its own */
void queues_in_child(void)
{
	struct object *o;
	int i;

	pthread_mutex_init(&table.lock, NULL);
	for (i = 0; i < OBJECTS_BUCKETS; i++)
		for (o = table.bucket[i]; o; o = o->next) {
			o->references = 0;
			gone(o);
		}
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

	if (!ret)
		object_retained(&table, queue);
	return ret;
}

cl_int CL_API_CALL layer_clReleaseCommandQueue(cl_command_queue queue)
{
	turns_prune();
	far_prune();
	slice_prune(NULL);
	object_released(&table, queue);
	return next->clReleaseCommandQueue(queue);
}
