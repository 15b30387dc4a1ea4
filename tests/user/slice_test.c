// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for tests/user/slices, on the test card: one with a kernel that is long, and one that is like a
 * game. One thread.
 *
 * usage: slice_test long KERNEL GROUPS US [TIMES]	a kernel of so many groups, each of which takes so long
 *	  slice_test binary KERNEL GROUPS US [TIMES]	the same, from a binary
 *	  slice_test indirect KERNEL GROUPS US [TIMES]	the same, with a vendor's word on the kernel
 *	  slice_test order				a long kernel that waits for another queue's, not flushed yet
 *	  slice_test callback				a callback launches a long kernel, whose callback ends the test
 *	  slice_test released KERNEL			does the context end with the last reference of all that it has?
 *	  slice_test game SECONDS			a kernel of 1 ms each 16 ms
 * Each prints one line of JSON.
 */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cl.h"

#define GROUP	64
#define INDIRECT	0x4200	/* CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL */

static const char source[] =
	"kernel void plain(global uint *out, ulong ns_per_group) { out[get_global_id(0)] = 1; }\n"
	"kernel void asks(global uint *out, ulong ns_per_group) { out[get_global_id(0)] = get_global_size(0); }\n"
	"kernel void counts(global uint *out, ulong ns_per_group) { atomic_inc(out); }\n"
	"kernel void once(ulong ns) { }\n";

static int called;

static void CL_CALLBACK count_call(cl_event e, cl_int status, void *unused)
{
	(void)e;
	(void)status;
	(void)unused;
	__atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST);
}

/* The kernel of a program that is made of @k's binary */
static cl_kernel from_binary(cl_kernel k, const char *name)
{
	static unsigned char bytes[65536];
	unsigned char *at = bytes;
	cl_program p;
	size_t size = 0;
	cl_int error;

	cl_must(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof(p), &p, NULL), "clGetKernelInfo");
	cl_must(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), "CL_PROGRAM_BINARY_SIZES");
	if (size > sizeof(bytes))
		cl_must(CL_OUT_OF_HOST_MEMORY, "a binary");
	cl_must(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(at), &at, NULL), "CL_PROGRAM_BINARIES");
	p = clCreateProgramWithBinary(cl_ctx, 1, cl_devices, &size, (const unsigned char **)&at, NULL, &error);
	cl_must(error, "clCreateProgramWithBinary");
	cl_must(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
	k = clCreateKernel(p, name, &error);
	cl_must(error, "clCreateKernel");
	return k;
}

static void run_long(const char *how, const char *name, size_t groups, cl_ulong us, int times)
{
	const cl_ulong ns = us * 1000;
	const cl_bool yes = CL_TRUE;
	const size_t global = groups * GROUP, local = GROUP;
	cl_command_queue q = cl_queue(CL_QUEUE_PROFILING_ENABLE);
	cl_kernel k = cl_build(source, name);
	cl_command_type type = 0;
	cl_uint parts = 0;
	cl_mem out;
	cl_event e;
	cl_int error, status = 0;
	const int runs = times;
	double from;
	int wait;

	if (!strcmp(how, "binary"))
		k = from_binary(k, name);
	if (!strcmp(how, "indirect"))
		cl_must(clSetKernelExecInfo(k, INDIRECT, sizeof(yes), &yes), "clSetKernelExecInfo");
	out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, 4096, NULL, &error);
	cl_must(error, "clCreateBuffer");
	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 1, sizeof(ns), &ns), "clSetKernelArg");
	from = seconds();
	while (times--) {
		cl_must(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e), "clEnqueueNDRangeKernel");
		cl_must(clSetEventCallback(e, CL_COMPLETE, count_call, NULL), "clSetEventCallback");
		clWaitForEvents(1, &e);
		status = cl_status(e);
		clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL);
		if (times)
			clReleaseEvent(e);
	}
	from = seconds() - from;
	/* The callback of the last may come a moment later. */
	for (wait = 0; wait < 1000 && __atomic_load_n(&called, __ATOMIC_SEQ_CST) < runs; wait++)
		usleep(1000);
	clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof(parts), &parts, 0, NULL, NULL);
	printf("{\"seconds\":%.6f,\"span\":%.6f,\"order\":%d,\"status\":%d,\"parts\":%u,\"called\":%d,\"kernel\":%d}\n", from,
	       (double)(cl_time(e, CL_PROFILING_COMMAND_END) - cl_time(e, CL_PROFILING_COMMAND_START)) / 1e9,
	       cl_time(e, CL_PROFILING_COMMAND_QUEUED) <= cl_time(e, CL_PROFILING_COMMAND_SUBMIT) &&
	       cl_time(e, CL_PROFILING_COMMAND_SUBMIT) <= cl_time(e, CL_PROFILING_COMMAND_START), status, parts,
	       __atomic_load_n(&called, __ATOMIC_SEQ_CST), type == CL_COMMAND_NDRANGE_KERNEL);
}

/* The call of the second kernel waits until its first part has ended, and that one waits for the first kernel. */
static void run_order(void)
{
	const cl_ulong ns = 1000000, short_ns = 100000;
	const size_t global = 200 * GROUP, local = GROUP, one = 1;
	cl_command_queue first = cl_queue(0), second = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel k = cl_build(source, "plain"), once = cl_build(source, "once");
	cl_event before, e;
	cl_int error;
	cl_mem out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, 4096, NULL, &error);

	cl_must(error, "clCreateBuffer");
	cl_must(clSetKernelArg(once, 0, sizeof(short_ns), &short_ns), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 1, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(clEnqueueNDRangeKernel(first, once, 1, NULL, &one, NULL, 0, NULL, &before), "clEnqueueNDRangeKernel");
	cl_must(clEnqueueNDRangeKernel(second, k, 1, NULL, &global, &local, 1, &before, &e), "clEnqueueNDRangeKernel");
	cl_must(clFlush(first), "clFlush");
	clWaitForEvents(1, &e);
	printf("{\"status\":%d,\"before\":%d}\n", cl_status(e), cl_status(before));
}

static void CL_CALLBACK count_end(cl_context context, void *unused)
{
	(void)context;
	(void)unused;
	__atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST);
}

/* With one event released before its kernel has ended, and one after all else. */
static void run_released(const char *name)
{
	const size_t global = 200 * GROUP, local = GROUP;
	const cl_ulong ns = 1000000;
	cl_command_queue q = cl_queue(CL_QUEUE_PROFILING_ENABLE);
	cl_kernel k = cl_build(source, name);
	cl_event e, early;
	cl_int error;
	cl_mem out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, 4096, NULL, &error);
	int wait;

	cl_must(error, "clCreateBuffer");
	cl_must(clSetContextDestructorCallback(cl_ctx, count_end, NULL), "clSetContextDestructorCallback");
	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 1, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &early), "clEnqueueNDRangeKernel");
	clReleaseEvent(early);
	cl_must(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e), "clEnqueueNDRangeKernel");
	cl_must(clFinish(q), "clFinish");
	/*
	 * Until the callbacks are over. While a driver calls back, it has a reference to the event, and what is
	 * released then the layer keeps until the next launch in parts, or the end of a queue.
	 */
	usleep(50000);
	clReleaseKernel(k);
	clReleaseMemObject(out);
	clReleaseCommandQueue(q);
	clReleaseContext(cl_ctx);
	clReleaseEvent(e);
	for (wait = 0; wait < 1000 && !__atomic_load_n(&called, __ATOMIC_SEQ_CST); wait++)
		usleep(1000);
	printf("{\"ended\":%d}\n", __atomic_load_n(&called, __ATOMIC_SEQ_CST));
}

static cl_command_queue callback_queue;
static cl_kernel callback_kernel;
static const size_t callback_groups = 200 * GROUP, callback_group = GROUP;

static void CL_CALLBACK launch_in(cl_event before, cl_int status, void *unused)
{
	cl_event e;

	(void)before;
	(void)status;
	(void)unused;
	cl_must(clEnqueueNDRangeKernel(callback_queue, callback_kernel, 1, NULL, &callback_groups, &callback_group, 0, NULL, &e),
		"clEnqueueNDRangeKernel in a callback");
	cl_must(clSetEventCallback(e, CL_COMPLETE, count_call, NULL), "clSetEventCallback in a callback");
	cl_must(clFlush(callback_queue), "clFlush in a callback");
}

static void run_callback(void)
{
	const cl_ulong ns = 1000000;
	cl_int error;
	cl_mem out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, 200 * GROUP * 4, NULL, &error);
	cl_event user, e;
	int wait;

	cl_must(error, "clCreateBuffer");
	callback_queue = cl_queue(0);
	callback_kernel = cl_build(source, "plain");
	cl_must(clSetKernelArg(callback_kernel, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clSetKernelArg(callback_kernel, 1, sizeof(ns), &ns), "clSetKernelArg");
	user = clCreateUserEvent(cl_ctx, &error);
	cl_must(error, "clCreateUserEvent");
	cl_must(clEnqueueMarkerWithWaitList(callback_queue, 1, &user, &e), "clEnqueueMarkerWithWaitList");
	cl_must(clSetEventCallback(e, CL_COMPLETE, launch_in, NULL), "clSetEventCallback");
	cl_must(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
	for (wait = 0; wait < 10000 && !__atomic_load_n(&called, __ATOMIC_SEQ_CST); wait++)
		usleep(1000);
	printf("{\"called\":%d}\n", __atomic_load_n(&called, __ATOMIC_SEQ_CST));
	fflush(stdout);
	if (!called)
		_exit(1);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run_game(int for_seconds)
{
	static double took[65536];
	const cl_ulong ns = 1000000;
	cl_command_queue q = cl_queue(0);
	cl_kernel k = cl_build(source, "once");
	const double begin = seconds();
	unsigned int n = 0;
	double from;

	cl_must(clSetKernelArg(k, 0, sizeof(ns), &ns), "clSetKernelArg");
	while (seconds() - begin < for_seconds && n < 65536) {
		from = seconds();
		cl_must(cl_run(q, k, 0, NULL, NULL), "clEnqueueNDRangeKernel");
		cl_must(clFinish(q), "clFinish");
		took[n] = seconds() - from;
		if (took[n] < .016)
			usleep((useconds_t)((.016 - took[n]) * 1e6));
		n++;
	}
	qsort(took, n, sizeof(*took), compare);
	printf("{\"frames\":%u,\"p50_us\":%.0f,\"p99_us\":%.0f,\"max_us\":%.0f}\n", n, took[n / 2] * 1e6,
	       took[n * 99 / 100] * 1e6, took[n - 1] * 1e6);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: slice_test long|binary|indirect KERNEL GROUPS US [TIMES] | order | callback | "
			"released KERNEL | game SECONDS\n");
		return 2;
	}
	cl_begin();
	if (!strcmp(argv[1], "order"))
		run_order();
	else if (!strcmp(argv[1], "callback"))
		run_callback();
	else if (!strcmp(argv[1], "released") && argc > 2)
		run_released(argv[2]);
	else if (!strcmp(argv[1], "game") && argc > 2)
		run_game(atoi(argv[2]));
	else if (argc > 4)
		run_long(argv[1], argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), argc > 5 ? atoi(argv[5]) : 1);
	return 0;
}
