/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of the OpenCL layer share.
 *
 * The layer stands between the loader and the drivers (OPENCL_LAYERS). `next` are the entries below
 * it. An entry that the layer has not is passed on by the loader. Error codes and their order are
 * the driver's: the layer asks, then calls.
 */
#ifndef TGCL_H
#define TGCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <CL/cl.h>
#include <pthread.h>

#include "../client/tgu.h"

#define CONTEXT_DEVICES	8	/* of one context, that are scheduled */
#define FLIGHTS		512	/* launches that may be in flight; of more, callbacks tell */

/**
 * struct slice - a launch, and whether it goes in parts (slice.c)
 * @kernel: NULL: nothing is sliced
 * @items: work-items
 * @twin: a kernel that is launched in the place of the program's, if it goes in parts; or NULL
 * @why: why it is launched whole, enum whole
 */
struct slice {
	struct kernel *kernel;
	uint64_t items;
	cl_kernel twin;
	unsigned int why;
};

/**
 * struct flight - a launch that has gone to the driver (launch.c)
 * @refs: the device's list, and the callback or the thread of watch.c
 * @queue: its queue
 * @reported: its end was
 * @attached: it has a callback, or a thread waits for it; under the device's lock
 * @callback: it has a callback; as @next, set before the driver or the thread knows of it
 * @exact: @end is the device's time
 * @end: when it ended, by the thread that took it out of the list; 0: not known
 * @whole: a kernel that was not sliced; its time is wanted
 * @next: in the list of watch.c
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
	struct flight *next;
};

/**
 * struct device - a physical device
 * @id: of the driver, the root device
 * @key: see struct tgd_hello
 * @name: as the driver has it
 * @units: compute units
 * @tgu: its client; NULL: launches pass
 * @ops: what @tgu calls
 * @lock: all below
 * @flight: launches whose ends may not be reported yet, the oldest first
 * @first: number of the oldest
 * @last: number of the next
 * @callbacks: does the driver call back when a launch ends, or much later?
 * @tried: launches so far by which that is found out; each second one has no callback
 * @judged: ends that were judged, without and with a callback
 * @lag: by how much they were noticed late, ns
 * @waits: what the thread of watch.c is to wait for next, the oldest first
 * @waits_of: their queue, and that of the one it waits for; NULL: it waits for none
 * @more: @waits has grown
 * @watched: that thread is there
 * @offset: CLOCK_MONOTONIC less the device's clock, ns
 * @exact: @offset comes from the driver's own comparison
 * @compared: when; 0: never
 * @next: of all
 */
struct device {
	cl_device_id id;
	char key[128], name[128];
	cl_uint units;
	struct tgu *tgu;
	struct tgu_device ops;
	pthread_mutex_t lock;
	struct flight *flight[FLIGHTS];
	uint64_t first, last;
	enum { CALLBACKS_UNKNOWN, CALLBACKS_PROMPT, CALLBACKS_LATE } callbacks;
	unsigned int tried, judged[2];
	int64_t lag[2];
	struct flight *waits, **waits_end;
	cl_command_queue waits_of;
	pthread_cond_t more;
	bool watched;
	int64_t offset, compared;
	bool exact;
	struct device *next;
};

extern const struct _cl_icd_dispatch *next;

/* device.c */
struct device *device_get(cl_device_id id);
int64_t device_time(struct device *d, cl_ulong time);
void devices_reap(void);

/**
 * enum profiling - why a queue is profiled
 * @PROFILING_ASKED: the program wants it
 * @PROFILING_BIT: the layer has set the bit in the program's CL_QUEUE_PROPERTIES
 * @PROFILING_LISTED: it has added CL_QUEUE_PROPERTIES to the program's list
 * @PROFILING_ONLY: the program had no list
 */
enum profiling { PROFILING_ASKED, PROFILING_BIT, PROFILING_LISTED, PROFILING_ONLY };

/* queue.c */
enum profiling queue_profiling(cl_command_queue queue);
struct device *queue_device(cl_command_queue queue);
void queue_drain(struct device *d);
void queue_flush(void);
extern __typeof__(clCreateCommandQueue) layer_clCreateCommandQueue;
extern __typeof__(clCreateCommandQueueWithProperties) layer_clCreateCommandQueueWithProperties;
extern __typeof__(clRetainCommandQueue) layer_clRetainCommandQueue;
extern __typeof__(clReleaseCommandQueue) layer_clReleaseCommandQueue;

/* blocked.c */
bool blocked(cl_command_queue queue, cl_uint nr, const cl_event *events);
void blocked_keep(cl_command_queue queue, cl_event event);

/**
 * struct turn - a command between turn_begin() and turn_end()
 * @nr: for the driver, as @wait, @event and @blocking
 * @given: the program's, or NULL
 * @own: the command's event, if @event is this
 * @keep: it waits for the program, see blocked_keep()
 * @waits: the program waits for it in the call
 * @entered: @job is its turn
 * @later: it waits behind a gate
 */
struct turn {
	cl_command_queue queue;
	cl_uint nr;
	const cl_event *wait;
	cl_event *event, *given, own, *list;
	cl_bool blocking;
	bool keep, waits, entered;
	struct tgu_job job;
	struct later *later;
};

/* turn.c */
void turn_begin(struct turn *t, cl_command_queue queue, bool kernel, size_t bytes, cl_bool blocking,
		cl_uint nr, const cl_event *wait, cl_event *event);
cl_int turn_end(struct turn *t, cl_int ret);

/* copy.c */
extern __typeof__(clEnqueueReadBuffer) layer_clEnqueueReadBuffer;
extern __typeof__(clEnqueueWriteBuffer) layer_clEnqueueWriteBuffer;
extern __typeof__(clEnqueueReadBufferRect) layer_clEnqueueReadBufferRect;
extern __typeof__(clEnqueueWriteBufferRect) layer_clEnqueueWriteBufferRect;
extern __typeof__(clEnqueueCopyBuffer) layer_clEnqueueCopyBuffer;
extern __typeof__(clEnqueueCopyBufferRect) layer_clEnqueueCopyBufferRect;
extern __typeof__(clEnqueueFillBuffer) layer_clEnqueueFillBuffer;
extern __typeof__(clEnqueueMapBuffer) layer_clEnqueueMapBuffer;
extern __typeof__(clEnqueueUnmapMemObject) layer_clEnqueueUnmapMemObject;
extern __typeof__(clEnqueueMigrateMemObjects) layer_clEnqueueMigrateMemObjects;
extern __typeof__(clEnqueueReadImage) layer_clEnqueueReadImage;
extern __typeof__(clEnqueueWriteImage) layer_clEnqueueWriteImage;
extern __typeof__(clEnqueueCopyImage) layer_clEnqueueCopyImage;
extern __typeof__(clEnqueueCopyImageToBuffer) layer_clEnqueueCopyImageToBuffer;
extern __typeof__(clEnqueueCopyBufferToImage) layer_clEnqueueCopyBufferToImage;
extern __typeof__(clEnqueueFillImage) layer_clEnqueueFillImage;
extern __typeof__(clEnqueueMapImage) layer_clEnqueueMapImage;
extern __typeof__(clEnqueueSVMMemcpy) layer_clEnqueueSVMMemcpy;
extern __typeof__(clEnqueueSVMMemFill) layer_clEnqueueSVMMemFill;
extern __typeof__(clEnqueueSVMMap) layer_clEnqueueSVMMap;
extern __typeof__(clEnqueueSVMUnmap) layer_clEnqueueSVMUnmap;
extern __typeof__(clEnqueueSVMMigrateMem) layer_clEnqueueSVMMigrateMem;
extern __typeof__(clEnqueueMarkerWithWaitList) layer_clEnqueueMarkerWithWaitList;
extern __typeof__(clEnqueueBarrierWithWaitList) layer_clEnqueueBarrierWithWaitList;
extern __typeof__(clEnqueueNativeKernel) layer_clEnqueueNativeKernel;
extern __typeof__(clEnqueueWaitForEvents) layer_clEnqueueWaitForEvents;

/* query.c */
extern __typeof__(clGetCommandQueueInfo) layer_clGetCommandQueueInfo;
extern __typeof__(clGetEventProfilingInfo) layer_clGetEventProfilingInfo;

/* watch.c */
bool watch_by_callback(struct device *d);
bool watch(struct flight *f);
void watch_judge(struct device *d, bool callback, int64_t lag);

/* launch.c */
void launch_ended(struct flight *f);
void launch_told(void *device);
void launch_drain(void *device);
bool launch_settle(void *device);
void launch_attach(struct device *d, const struct tgu_job *job, cl_event event, cl_command_queue queue);
void launch_reap(struct device *d);
void launch_report(struct device *d, const struct tgu_job *job, cl_event event);
void launch_went(struct device *d, struct tgu_job *job, cl_command_queue queue, cl_event event,
		 const struct slice *whole);
extern __typeof__(clEnqueueNDRangeKernel) layer_clEnqueueNDRangeKernel;
extern __typeof__(clEnqueueTask) layer_clEnqueueTask;
extern __typeof__(clFinish) layer_clFinish;
extern __typeof__(clWaitForEvents) layer_clWaitForEvents;

/* slice.c */
bool slice_plan(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel, cl_uint dims,
		const size_t *offset, const size_t *global, const size_t *local);
void slice_blocked(struct slice *s);
void slice_ended(const struct slice *s, cl_event event, cl_ulong end);
bool slice_launch(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel,
		  cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
		  cl_uint nr_wait, const cl_event *wait, cl_event *event, cl_int *ret);
cl_event slice_first(cl_event event);

/* kernels.c */
extern __typeof__(clCreateKernel) layer_clCreateKernel;
extern __typeof__(clCreateKernelsInProgram) layer_clCreateKernelsInProgram;
extern __typeof__(clCloneKernel) layer_clCloneKernel;
extern __typeof__(clRetainKernel) layer_clRetainKernel;
extern __typeof__(clReleaseKernel) layer_clReleaseKernel;

/* twins.c */
extern __typeof__(clSetKernelArg) layer_clSetKernelArg;
extern __typeof__(clSetKernelArgSVMPointer) layer_clSetKernelArgSVMPointer;
extern __typeof__(clSetKernelExecInfo) layer_clSetKernelExecInfo;
extern __typeof__(clReleaseContext) layer_clReleaseContext;

/* alloc.c */
extern __typeof__(clCreateBuffer) layer_clCreateBuffer;
extern __typeof__(clCreateBufferWithProperties) layer_clCreateBufferWithProperties;
extern __typeof__(clCreateImage) layer_clCreateImage;
extern __typeof__(clCreateImageWithProperties) layer_clCreateImageWithProperties;
extern __typeof__(clCreateImage2D) layer_clCreateImage2D;
extern __typeof__(clCreateImage3D) layer_clCreateImage3D;
extern __typeof__(clCreatePipe) layer_clCreatePipe;
extern __typeof__(clSVMAlloc) layer_clSVMAlloc;
extern __typeof__(clSVMFree) layer_clSVMFree;
extern __typeof__(clEnqueueSVMFree) layer_clEnqueueSVMFree;

/* memory.c */
void context_add(cl_context context, cl_uint nr, const cl_device_id *ids);
struct booked;
struct booked *memory_book(cl_context context, size_t size, bool *refused);
bool memory_again(int64_t since, cl_int error);
void memory_unbook(struct booked *b);
void memory_made(struct booked *b, cl_mem memory);
extern __typeof__(clReleaseMemObject) layer_clReleaseMemObject;
extern __typeof__(clCreateContext) layer_clCreateContext;
extern __typeof__(clCreateContextFromType) layer_clCreateContextFromType;

#endif /* TGCL_H */
