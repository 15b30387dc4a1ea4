// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Launches: a kernel enters the scheduler before it goes to the driver, and its end is reported.
 *
 * Under a lease no callback is attached, since that costs more than all else. The event is kept, and
 * its end is looked for with the next launch, and when the program waits. When the lease is over
 * (launch_told()), the events that are kept get their callbacks.
 */
#include <stdlib.h>

#include "cl.h"

/* --- ends --- */

/* The time at which @event ended; 0: it has not. */
static cl_ulong end_of(cl_event event, bool *exact)
{
	cl_int status = CL_QUEUED;
	cl_ulong end = 0;

	*exact = !next->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	if (*exact)
		return end ? end : 1;
	next->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	return status <= CL_COMPLETE;
}

/* @event has ended: report, and let it go. */
static void report_end(struct device *d, const struct tgu_job *job, cl_event event)
{
	bool exact;
	cl_ulong end = end_of(event, &exact);

	tgu_done(job, exact ? device_time(d, end) : tgu_now(), exact && d->exact);
	next->clReleaseEvent(event);
}

struct callback {
	struct device *device;
	struct tgu_job job;
};

static void CL_CALLBACK ended(cl_event event, cl_int status, void *arg)
{
	struct callback *c = arg;

	report_end(c->device, &c->job, event);
	free(c);
}

/* Report the end of @event when it comes. */
void launch_attach(struct device *d, const struct tgu_job *job, cl_event event)
{
	struct callback *c = malloc(sizeof(*c));

	if (c) {
		c->device = d;
		c->job = *job;
		if (!next->clSetEventCallback(event, CL_COMPLETE, ended, c))
			return;
		free(c);
	}
	next->clWaitForEvents(1, &event);
	report_end(d, job, event);
}

/* --- under a lease --- */

static bool keep(struct device *d, const struct tgu_job *job, cl_event event, cl_command_queue queue)
{
	bool room;

	pthread_mutex_lock(&d->lock);
	room = d->last - d->first < LEASED;
	if (room)
		d->leased[d->last++ % LEASED] = (struct leased){ event, queue, *job };
	pthread_mutex_unlock(&d->lock);
	return room;
}

/* The oldest, if there is one, and, with @ended, if it has ended. */
static bool take(struct device *d, struct leased *l, bool ended)
{
	bool there, exact;

	pthread_mutex_lock(&d->lock);
	there = d->first != d->last;
	if (there) {
		*l = d->leased[d->first % LEASED];
		there = !ended || end_of(l->event, &exact);
		d->first += there;
	}
	pthread_mutex_unlock(&d->lock);
	return there;
}

void launch_reap(struct device *d)
{
	struct leased l;

	while (__atomic_load_n(&d->first, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&d->last, __ATOMIC_RELAXED) && take(d, &l, true))
		report_end(d, &l.job, l.event);
}

void launch_told(void *device)
{
	struct device *d = device;
	struct leased l;

	while (take(d, &l, false)) {
		next->clFlush(l.queue);
		launch_attach(d, &l.job, l.event);
	}
}

bool launch_settle(void *device)
{
	struct device *d = device;
	struct leased l;

	if (!take(d, &l, false))
		return false;
	next->clFlush(l.queue);
	next->clWaitForEvents(1, &l.event);
	report_end(d, &l.job, l.event);
	return true;
}

void launch_drain(void *device)
{
	queue_drain(device);
}

/* --- kernels --- */

/* The launch has gone to the driver: report its start, and see to its end. */
static void went(struct device *d, struct tgu_job *job, cl_command_queue queue, cl_event event)
{
	tgu_started(job, 0);
	if (job->way == TGU_LEASED && keep(d, job, event, queue)) {
		if (!tgu_leased(job->u))
			launch_told(d);
		return;
	}
	next->clFlush(queue);
	launch_attach(d, job, event);
}

cl_int CL_API_CALL
layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
			     const size_t *offset, const size_t *global, const size_t *local,
			     cl_uint nr_wait, const cl_event *wait, cl_event *event)
{
	struct device *d = queue_device(queue);
	struct tgu_job job;
	struct turn t;
	cl_event own;
	cl_int ret;

	if (d)
		launch_reap(d);
	if (d && blocked(queue, nr_wait, wait)) {
		turn_begin(&t, queue, true, 0, CL_FALSE, nr_wait, wait, event);
		return turn_end(&t, next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
								 t.nr, t.wait, t.event));
	}
	tgu_enter(d ? d->tgu : NULL, 1, &job);
	if (job.way == TGU_OPEN) {
		ret = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, nr_wait,
						   wait, event);
		tgu_leave(&job);
		return ret;
	}
	ret = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, nr_wait, wait,
					   &own);
	if (ret) {
		tgu_refused(&job);
		return ret;
	}
	if (event) {
		*event = own;
		next->clRetainEvent(own);
	}
	went(d, &job, queue, own);
	return ret;
}

cl_int CL_API_CALL layer_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint nr_wait,
				       const cl_event *wait, cl_event *event)
{
	const size_t one = 1;

	return layer_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, nr_wait, wait, event);
}

/* --- waiting: what has ended under a lease is reported at once --- */

cl_int CL_API_CALL layer_clFinish(cl_command_queue queue)
{
	struct device *d = queue_device(queue);
	cl_int ret = next->clFinish(queue);

	if (d)
		launch_reap(d);
	return ret;
}

cl_int CL_API_CALL layer_clWaitForEvents(cl_uint nr, const cl_event *events)
{
	cl_int ret = next->clWaitForEvents(nr, events);
	cl_command_queue queue = NULL;
	struct device *d;

	if (ret || !nr)
		return ret;
	next->clGetEventInfo(events[0], CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL);
	d = queue ? queue_device(queue) : NULL;
	if (d)
		launch_reap(d);
	return ret;
}
