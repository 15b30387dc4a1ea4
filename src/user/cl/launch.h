/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * launch.c: a kernel enters the scheduler before it goes to the driver, and its end is reported.
 */
#ifndef TGCL_LAUNCH_H
#define TGCL_LAUNCH_H

#include "cl.h"
#include "slice.h"

/**
 * struct flight - a launch that has gone to the driver
 * @refs: the device's list, and the callback or the thread of watch.c
 * @queue: its queue
 * @reported: its end was
 * @attached: it has a callback, or a thread waits for it; under the device's lock
 * @callback: it has a callback; as @next, set before the driver or the thread knows of it
 * @exact: @end is the device's time
 * @end: when it ended, by the thread that took it out of the list; 0: not known
 * @whole: a kernel that was not sliced; its time is wanted
 * @next: in the list of watch.c
 * @told_next: in the list of those whose ends somebody tells, as @told_at, which points here
 */
struct flight {
	struct device *device;
	cl_event event;
	cl_command_queue queue;
	struct tgu_job job;
	int refs;
	bool reported, attached, callback, exact;
	cl_ulong end;
	struct slice whole;
	struct flight *next, *told_next, **told_at;
};

uint64_t launch_work(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local);
void launch_ended(struct flight *f);
void launch_told(void *device);
void launch_drain(void *device);
bool launch_settle(void *device);
void launch_attach(struct device *d, const struct tgu_job *job, cl_event event, cl_command_queue queue);
void launch_reap(struct device *d);
void launches_in_child(void);
void launch_enter(struct device *d, uint32_t channel, uint64_t work, struct tgu_job *job);
void launch_report(struct device *d, const struct tgu_job *job, cl_event event);
void launch_went(struct device *d, struct tgu_job *job, cl_command_queue queue, cl_event event,
		 const struct slice *whole);
extern __typeof__(clEnqueueNDRangeKernel) layer_clEnqueueNDRangeKernel;
extern __typeof__(clEnqueueTask) layer_clEnqueueTask;
extern __typeof__(clFinish) layer_clFinish;
extern __typeof__(clWaitForEvents) layer_clWaitForEvents;

#endif /* TGCL_LAUNCH_H */
