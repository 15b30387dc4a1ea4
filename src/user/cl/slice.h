/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * slice.c: long kernels are launched in parts.
 */
#ifndef TGCL_SLICE_H
#define TGCL_SLICE_H

#include "cl.h"

struct kernel;

/** enum whole - why a long kernel is launched whole; SLICED: it is not, if it is expected to be long */
enum whole {
	SLICED, WHOLE_NO_SOURCE, WHOLE_PRINTF, WHOLE_PIPES, WHOLE_ATOMICS, WHOLE_VOLATILE, WHOLE_ENQUEUE,
	WHOLE_VENDOR, WHOLE_INCLUDE, WHOLE_SPELLING, WHOLE_GRID, WHOLE_LOCAL_SIZE, WHOLE_ONE_GROUP,
	WHOLE_BLOCKED, WHOLE_CALLBACK, WHOLE_REFUSED, WHOLE_REASONS
};

/**
 * struct slice - a launch, and whether it goes in parts
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

bool slice_plan(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel, cl_uint dims,
		const size_t *offset, const size_t *global, const size_t *local);
void slice_blocked(struct slice *s);
void slice_ended(const struct slice *s, cl_event event, cl_ulong end);
bool slice_launch(struct slice *s, struct device *d, cl_command_queue queue, cl_kernel kernel,
		  cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
		  cl_uint nr_wait, const cl_event *wait, cl_event *event, cl_int *ret);
cl_event slice_first(cl_event event);
void slice_prune(cl_event last);
int64_t slice_bound(void);
bool slice_listed(const char *name);
void slice_in_child(void);
extern __typeof__(clReleaseEvent) layer_clReleaseEvent;
extern __typeof__(clSetEventCallback) layer_clSetEventCallback;

#endif /* TGCL_SLICE_H */
