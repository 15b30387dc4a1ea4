/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * queue.c: which device a queue is of.
 */
#ifndef TGCL_QUEUE_H
#define TGCL_QUEUE_H

#include "cl.h"

/**
 * enum profiling - why a queue is profiled
 * @PROFILING_ASKED: the program wants it
 * @PROFILING_BIT: the layer has set the bit in the program's CL_QUEUE_PROPERTIES
 * @PROFILING_LISTED: it has added CL_QUEUE_PROPERTIES to the program's list
 * @PROFILING_ONLY: the program had no list
 */
enum profiling { PROFILING_ASKED, PROFILING_BIT, PROFILING_LISTED, PROFILING_ONLY };

enum profiling queue_profiling(cl_command_queue queue);
struct device *queue_device(cl_command_queue queue);
bool queue_out_of_order(cl_command_queue queue);
void queue_drain(struct device *d);
void queue_wait(cl_command_queue queue);
void queue_flush(void);
void queues_in_child(void);
extern __typeof__(clCreateCommandQueue) layer_clCreateCommandQueue;
extern __typeof__(clCreateCommandQueueWithProperties) layer_clCreateCommandQueueWithProperties;
extern __typeof__(clRetainCommandQueue) layer_clRetainCommandQueue;
extern __typeof__(clReleaseCommandQueue) layer_clReleaseCommandQueue;

#endif /* TGCL_QUEUE_H */
