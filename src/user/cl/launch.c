// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Launches: a kernel enters the scheduler before it goes to the driver, and its end is reported.
 *
 * The end of each is looked for with the next launch, and when the program waits: so it is reported
 * before what the program does next. A launch that asked has a callback too, since others may wait
 * for its end; or a thread waits for it, where callbacks come late (watch.c). Under a lease there is
 * none, since it costs more than all else; when the lease is over (launch_told()), what is in flight
 * gets its callbacks.
 *
 * A program may launch in a callback of its own. While that launch waits for its turn, no callback
 * of ours runs, and its turn may depend on an end that one of them would tell: so a thread that
 * waits for its turn looks itself, every few ms, for the ends of all that is to be told (look()).
 */
#include <stdlib.h>

#include "blocked.h"
#include "device.h"
#include "far.h"
#include "launch.h"
#include "queue.h"
#include "slice.h"
#include "turn.h"
#include "watch.h"

#define MIX	0x9e3779b97f4a7c15ULL	/* odd, and no pattern in its bits */

/* Flights of all devices that have a callback, or a thread, and have not been reported. */
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static struct flight *told;

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

static void drop(struct flight *f)
{
	if (__atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL))
		return;
	layer_clReleaseEvent(f->event);
	free(f);
}

/* @end: by the device's clock, if @exact */
static void tell_end(struct device *d, const struct tgu_job *job, cl_ulong end, bool exact)
{
	const int64_t at = exact ? device_time(d, end, &exact) : tgu_now();

	tgu_done(job, at, exact);
}

/** launch_report() - the launch of @job has ended, as the caller has seen by @event */
void launch_report(struct device *d, const struct tgu_job *job, cl_event event)
{
	bool exact;
	cl_ulong end = end_of(event, &exact);

	tell_end(d, job, end, exact);
}

/** launches_in_child() - after fork(): the child has none of the parent's launches */
void launches_in_child(void)
{
	pthread_mutex_init(&told_lock, NULL);
	told = NULL;
}

/* Before somebody is to tell of its end; not, if that has been seen already. */
static void remember_told(struct flight *f)
{
	pthread_mutex_lock(&told_lock);
	if (!__atomic_load_n(&f->reported, __ATOMIC_ACQUIRE)) {
		f->told_next = told;
		f->told_at = &told;
		if (told)
			told->told_at = &f->told_next;
		told = f;
	}
	pthread_mutex_unlock(&told_lock);
}

/* @f->reported has been set: it is not remembered any more from now on. */
static void forget_told(struct flight *f)
{
	pthread_mutex_lock(&told_lock);
	if (f->told_at) {
		*f->told_at = f->told_next;
		if (f->told_next)
			f->told_next->told_at = f->told_at;
	}
	pthread_mutex_unlock(&told_lock);
}

/* It has ended: report, unless that was done, and give up one reference. */
static void report_end(struct flight *f)
{
	cl_ulong end = f->end;
	bool exact = f->exact;

	if (!__atomic_exchange_n(&f->reported, true, __ATOMIC_ACQ_REL)) {
		forget_told(f);
		if (!end)
			end = end_of(f->event, &exact);
		/* tgd's answer may take this CPU, and the program may exit meanwhile: count first. */
		slice_ended(&f->whole, f->event, exact ? end : 0);
		tell_end(f->device, &f->job, end, exact);
	}
	drop(f);
}

/** launch_ended() - @f has, as a callback or the thread of watch.c says; takes a reference */
void launch_ended(struct flight *f)
{
	cl_ulong end;
	bool exact;

	if (__atomic_load_n(&f->device->callbacks, __ATOMIC_RELAXED) == CALLBACKS_UNKNOWN) {
		end = end_of(f->event, &exact);
		if (end && exact)
			watch_judge(f->device, f->callback, tgu_now() - device_time(f->device, end, &exact));
	}
	report_end(f);
}

static void CL_CALLBACK ended(cl_event event, cl_int status, void *arg)
{
	launch_ended(arg);
}

/* Have somebody tell of its end. The caller has a reference, and has set @f->attached. */
static void attach(struct flight *f)
{
	__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	remember_told(f);
	f->callback = watch_by_callback(f->device);
	if (!f->callback && watch(f))
		return;
	f->callback = true;
	if (!next->clSetEventCallback(f->event, CL_COMPLETE, ended, f))
		return;
	next->clWaitForEvents(1, &f->event);
	report_end(f);
}

static struct flight *flight_new(struct device *d, const struct tgu_job *job, cl_event event,
				 cl_command_queue queue)
{
	struct flight *f = malloc(sizeof(*f));

	if (f)
		*f = (struct flight){ .device = d, .event = event, .queue = queue, .job = *job, .refs = 1 };
	return f;
}

/* There is no memory to remember it by: wait for its end. */
static void wait_end(const struct tgu_job *job, cl_event event)
{
	next->clWaitForEvents(1, &event);
	tgu_done(job, tgu_now(), false);
	next->clReleaseEvent(event);
}

/* Report the end of @event, of a command in @queue, when it comes. */
void launch_attach(struct device *d, const struct tgu_job *job, cl_event event, cl_command_queue queue)
{
	struct flight *f = flight_new(d, job, event, queue);

	if (!f) {
		wait_end(job, event);
		return;
	}
	f->attached = true;
	attach(f);
	drop(f);
}

/* --- what is in flight --- */

static bool keep(struct flight *f)
{
	struct device *d = f->device;
	bool room;

	pthread_mutex_lock(&d->lock);
	room = d->last - d->first < FLIGHTS;
	if (room) {
		d->flight[d->last % FLIGHTS] = f;
		__atomic_store_n(&d->last, d->last + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&d->lock);
	return room;
}

/* The oldest, if there is one; with @ended, if it has ended. */
static struct flight *take(struct device *d, bool ended)
{
	struct flight *f = NULL;
	cl_ulong end = 0;
	bool exact = false, look;

	pthread_mutex_lock(&d->lock);
	if (d->first != d->last) {
		f = d->flight[d->first % FLIGHTS];
		look = ended && !__atomic_load_n(&f->reported, __ATOMIC_ACQUIRE);
		if (look)
			end = end_of(f->event, &exact);
		if (look && !end)
			f = NULL;
		else
			__atomic_store_n(&d->first, d->first + 1, __ATOMIC_RELAXED);
		/* One with a callback may be reported at this moment. */
		if (f && !f->attached) {
			f->end = end;
			f->exact = exact;
		}
	}
	pthread_mutex_unlock(&d->lock);
	return f;
}

static bool none_in_flight(struct device *d)
{
	return __atomic_load_n(&d->first, __ATOMIC_RELAXED) == __atomic_load_n(&d->last, __ATOMIC_RELAXED);
}

static void reap(struct device *d)
{
	struct flight *f;

	while (!none_in_flight(d) && (f = take(d, true)))
		report_end(f);
}

void launch_reap(struct device *d)
{
	if (!none_in_flight(d))
		reap(d);
}

/* One that has ended, and whose callback has not run. One that is reported is forgotten first. */
static struct flight *told_ended(void)
{
	struct flight *f;
	bool exact;

	pthread_mutex_lock(&told_lock);
	for (f = told; f; f = f->told_next)
		if (!__atomic_load_n(&f->reported, __ATOMIC_ACQUIRE) && end_of(f->event, &exact))
			break;
	if (f)
		__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&told_lock);
	return f;
}

/* Of all devices, since the thread that waits may be the one that tells of any of them. */
static void look(void)
{
	struct flight *f;

	while ((f = told_ended()))
		report_end(f);
}

/** launch_enter() - tgu_enter() for a device's launch or copy; @d: NULL: it goes at once */
void launch_enter(struct device *d, uint32_t channel, uint64_t work, struct tgu_job *job)
{
	tgu_enter_looking(d ? d->tgu : NULL, channel, work, look, job);
}

/* One in flight that has no callback yet: it gets one. */
static struct flight *unattached(struct device *d)
{
	struct flight *f = NULL;
	uint64_t i;

	pthread_mutex_lock(&d->lock);
	for (i = d->first; i != d->last && !f; i++)
		if (!d->flight[i % FLIGHTS]->attached)
			f = d->flight[i % FLIGHTS];
	if (f) {
		f->attached = true;
		__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&d->lock);
	return f;
}

void launch_told(void *device)
{
	struct flight *f;

	while ((f = unattached(device))) {
		next->clFlush(f->queue);
		attach(f);
		drop(f);
	}
}

bool launch_settle(void *device)
{
	struct flight *f = take(device, false);

	if (!f)
		return false;
	next->clFlush(f->queue);
	next->clWaitForEvents(1, &f->event);
	report_end(f);
	return true;
}

void launch_drain(void *device)
{
	queue_drain(device);
}

/* --- kernels --- */

/**
 * launch_went() - the launch has gone to the driver: report its start, and see to its end
 * @event: this function has the reference
 * @whole: its time may be wanted
 */
void launch_went(struct device *d, struct tgu_job *job, cl_command_queue queue, cl_event event,
		 const struct slice *whole)
{
	const bool asked = job->way == TGU_ASKED;
	struct flight *f = flight_new(d, job, event, queue);

	tgu_started(job, 0);
	if (!f) {
		wait_end(job, event);
		return;
	}
	f->attached = asked;
	f->whole = *whole;
	if (!asked && keep(f)) {
		if (!tgu_leased(job->u))
			launch_told(d);
		return;
	}
	next->clFlush(queue);
	f->refs = 2;		/* the list's, and this function's */
	if (!asked || !keep(f))
		f->refs = 1;
	attach(f);
	drop(f);
}

/**
 * launch_work() - the same number for launches that should take equally long: of one kernel, over as many work-items
 * and in groups of the same size. It tells programs' kernels apart as long as they are not made anew for each launch.
 */
uint64_t launch_work(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
	uint64_t work = (uintptr_t)kernel;
	cl_uint i;

	for (i = 0; global && i < dims && i < 3; i++) {
		work = (work ^ global[i]) * MIX;
		work = (work ^ work >> 29 ^ (local ? local[i] : 0)) * MIX;
	}
	return work ^ work >> 32;
}

/* It waits for the program, or for what may be long in coming: its turn is when that has come. */
static cl_int launch_later(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
			   const size_t *offset, const size_t *global, const size_t *local,
			   cl_uint nr_wait, const cl_event *wait, cl_event *event)
{
	struct turn t;

	turn_begin(&t, queue, true, launch_work(kernel, dims, global, local), CL_FALSE, nr_wait,
		   wait, event);
	return turn_end(&t, next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
							 t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
			     const size_t *offset, const size_t *global, const size_t *local,
			     cl_uint nr_wait, const cl_event *wait, cl_event *event)
{
	struct device *d = queue_device(queue);
	struct tgu_job job;
	bool parts, behind, is_far;
	struct slice s;
	cl_event own;
	cl_int ret;

	if (d)
		launch_reap(d);
	behind = d && blocked(queue, nr_wait, wait);
	if (d && !behind && tgu_pass(d->tgu)) {
		ret = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, nr_wait,
						   wait, event);
		tgu_passed(d->tgu);
		return ret;
	}
	parts = slice_plan(&s, d, queue, kernel, dims, offset, global, local);
	is_far = d && !behind && turn_is_far(d, queue, nr_wait, wait);
	if (behind || (is_far && !parts)) {
		slice_blocked(&s);
		return launch_later(queue, kernel, dims, offset, global, local, nr_wait, wait,
				    event);
	}
	if (is_far)
		turn_draws_near(queue, nr_wait, wait);
	if (parts && slice_launch(&s, d, queue, kernel, dims, offset, global, local, nr_wait, wait, event, &ret))
		return ret;
	launch_enter(d, 1, launch_work(kernel, dims, global, local), &job);
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
	launch_went(d, &job, queue, own, &s);
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
	cl_int ret = far_finish(queue);

	turns_prune();
	far_prune();
	if (d)
		launch_reap(d);
	return ret;
}

cl_int CL_API_CALL layer_clWaitForEvents(cl_uint nr, const cl_event *events)
{
	cl_int ret = next->clWaitForEvents(nr, events);

	devices_reap();
	return ret;
}
