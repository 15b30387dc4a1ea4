/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The OpenCL layer: its central structure. Each file that others call has a header of its own.
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

struct flight;

/**
 * struct device - a physical device
 * @id: of the driver, the root device
 * @key: see struct tgd_hello
 * @name: as the driver has it
 * @units: compute units
 * @tgu: its client; NULL: launches pass
 * @forked: @tgu is of the parent, in a child of fork()
 * @ops: what @tgu calls
 * @lock: all below
 * @flight: launches whose ends may not be reported yet, the oldest first
 * @first: number of the oldest; this and @last are read without the lock, to see that there is none
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
	bool forked;
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

extern const struct _cl_icd_dispatch *next;	/* layer.c */

#endif /* TGCL_H */
