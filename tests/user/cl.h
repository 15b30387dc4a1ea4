/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of OpenCL begin with: a context on the platform's devices, queues, a kernel that takes the
 * time that it is told. Each function ends the program where OpenCL refuses. One thread.
 */
#ifndef TESTS_USER_CL_H
#define TESTS_USER_CL_H

#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cl_platform_id cl_platform;
static cl_device_id cl_devices[8];
static cl_uint cl_devices_n;
static cl_context cl_ctx;

static inline void cl_must(cl_int error, const char *what)
{
	if (!error)
		return;
	printf("not ok begin: %s: error %d\n0 passed, 1 failed\n", what, error);
	exit(1);
}

/** cl_begin() - find the devices, make a context of the first */
static inline void cl_begin(void)
{
	cl_int error;

	cl_must(clGetPlatformIDs(1, &cl_platform, NULL), "clGetPlatformIDs");
	cl_must(clGetDeviceIDs(cl_platform, CL_DEVICE_TYPE_ALL, 8, cl_devices, &cl_devices_n), "clGetDeviceIDs");
	cl_ctx = clCreateContext(NULL, 1, cl_devices, NULL, NULL, &error);
	cl_must(error, "clCreateContext");
}

/** cl_queue() - with @properties: out of order, profiling */
static inline cl_command_queue cl_queue(cl_command_queue_properties properties)
{
	const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties, 0 };
	cl_command_queue q;
	cl_int error;

	q = clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], list, &error);
	cl_must(error, "clCreateCommandQueueWithProperties");
	return q;
}

/** cl_build_with() - the kernel @name of a source, built with @options; NULL: with none */
static inline cl_kernel cl_build_with(const char *source, const char *options, const char *name)
{
	cl_program p;
	cl_kernel k;
	cl_int error;

	p = clCreateProgramWithSource(cl_ctx, 1, &source, NULL, &error);
	cl_must(error, "clCreateProgramWithSource");
	cl_must(clBuildProgram(p, 0, NULL, options, NULL, NULL), "clBuildProgram");
	k = clCreateKernel(p, name, &error);
	cl_must(error, "clCreateKernel");
	clReleaseProgram(p);
	return k;
}

static inline cl_kernel cl_build(const char *source, const char *name)
{
	return cl_build_with(source, NULL, name);
}

/** cl_run() - launch one work-item */
static inline cl_int cl_run(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *list, cl_event *out)
{
	const size_t one = 1;

	return clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, n, list, out);
}

/** cl_spun() - launch @k, whose argument is how many ns it takes, for @us; flushed. Return: its event */
static inline cl_event cl_spun(cl_kernel k, cl_command_queue q, cl_ulong us, cl_uint n, const cl_event *list)
{
	const cl_ulong ns = us * 1000;
	cl_event e;

	cl_must(clSetKernelArg(k, 0, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(cl_run(q, k, n, list, &e), "clEnqueueNDRangeKernel");
	cl_must(clFlush(q), "clFlush");
	return e;
}

/** cl_status() - of an event */
static inline cl_int cl_status(cl_event e)
{
	cl_int status = 99;

	clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
	return status;
}

/** cl_time() - of a profiled event */
static inline uint64_t cl_time(cl_event e, cl_profiling_info which)
{
	cl_ulong t = 0;

	clGetEventProfilingInfo(e, which, sizeof(t), &t, NULL);
	return t;
}

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#endif /* TESTS_USER_CL_H */
