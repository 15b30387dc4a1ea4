// SPDX-License-Identifier: GPL-2.0
/*
 * The test card's driver, as programs see it: order, events, user events, callbacks, profiling, memory.
 * tests/user/mockcl runs it beside a card, and looks at the card's truth.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/slow.h"
#include "../lib/test.h"
#include "cl.h"

static const char *source =
	"__kernel void spin(ulong ns) { }\n"
	"kernel __attribute__((reqd_work_group_size(64, 1, 1))) void grid(__global uint *data, local float *f) { }\n"
	"kernel void add(global uint *data, const ulong ns) { }\n"
	"// ns_per_group = 5000\n";
static cl_kernel spin;

static cl_event spun(cl_command_queue q, uint64_t us, cl_uint n, const cl_event *list)
{
	cl_ulong ns = us * 1000;
	cl_event e;

	cl_must(clSetKernelArg(spin, 0, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(cl_run(q, spin, n, list, &e), "clEnqueueNDRangeKernel");
	return e;
}

static void in_order(void)
{
	cl_command_queue q = cl_queue(CL_QUEUE_PROFILING_ENABLE);
	cl_event a = NULL, b = NULL;
	cl_int before;
	int i;

	for (i = 0; i < 10; i++) {	/* until nobody takes the CPU between two launches */
		a = spun(q, 3000, 0, NULL);
		b = spun(q, 2000, 0, NULL);
		before = cl_status(b);
		if (cl_status(a) > CL_COMPLETE || i == 9)
			break;
		cl_must(clFinish(q), "clFinish");
		clReleaseEvent(a);
		clReleaseEvent(b);
	}

	cl_must(clWaitForEvents(1, &b), "clWaitForEvents");
	test_row("in-order-ends", cl_status(a) == CL_COMPLETE && before > CL_COMPLETE, "a %d, b was %d", cl_status(a), before);
	test_row("profiled-length", cl_time(a, CL_PROFILING_COMMAND_END) - cl_time(a, CL_PROFILING_COMMAND_START) == 3000000,
		 "%llu ns", (unsigned long long)(cl_time(a, CL_PROFILING_COMMAND_END) - cl_time(a, CL_PROFILING_COMMAND_START)));
	test_row("back-to-back", cl_time(a, CL_PROFILING_COMMAND_END) == cl_time(b, CL_PROFILING_COMMAND_START),
		 "a gap of %lld ns", (long long)(cl_time(b, CL_PROFILING_COMMAND_START) - cl_time(a, CL_PROFILING_COMMAND_END)));
	test_row("profiled-order", cl_time(a, CL_PROFILING_COMMAND_QUEUED) <= cl_time(a, CL_PROFILING_COMMAND_SUBMIT) &&
		 cl_time(a, CL_PROFILING_COMMAND_SUBMIT) <= cl_time(a, CL_PROFILING_COMMAND_START), "times go backwards");
	clReleaseEvent(a);
	clReleaseEvent(b);
	clReleaseCommandQueue(q);
}

/* Kernel and copy of an out-of-order queue overlap; a barrier keeps them apart */
static void out_of_order(void)
{
	cl_command_queue q = cl_queue(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem m = clCreateBuffer(cl_ctx, 0, 8 << 20, NULL, NULL);
	char *host = calloc(1, 8 << 20);
	cl_event k = NULL, c = NULL, d;
	int i;

	for (i = 0; i < 10; i++) {
		k = spun(q, 20000, 0, NULL);
		clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 8 << 20, host, 0, NULL, &c);
		if (cl_status(k) > CL_COMPLETE || i == 9)
			break;
		cl_must(clFinish(q), "clFinish");
		clReleaseEvent(k);
		clReleaseEvent(c);
	}
	clEnqueueBarrierWithWaitList(q, 0, NULL, NULL);
	clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 64, host, 0, NULL, &d);
	cl_must(clFinish(q), "clFinish");
	test_row("engines-overlap", cl_time(c, CL_PROFILING_COMMAND_END) < cl_time(k, CL_PROFILING_COMMAND_END),
		 "the copy ended after the kernel");
	test_row("barrier", cl_time(d, CL_PROFILING_COMMAND_START) >= cl_time(k, CL_PROFILING_COMMAND_END),
		 "a copy behind a barrier began before the kernel ahead of it had ended");
	clReleaseEvent(k);
	clReleaseEvent(c);
	clReleaseEvent(d);
	clReleaseMemObject(m);
	free(host);
	clReleaseCommandQueue(q);
}

static void user_events(void)
{
	cl_command_queue q = cl_queue(0), p = cl_queue(0);
	cl_event u = clCreateUserEvent(cl_ctx, NULL), a, b, c;
	cl_int held, again;

	a = spun(q, 100, 1, &u);
	b = spun(q, 100, 0, NULL);
	c = spun(p, 100, 1, &b);
	usleep(20000);
	held = cl_status(a) > CL_COMPLETE && cl_status(b) > CL_COMPLETE && cl_status(c) > CL_COMPLETE;
	test_row("user-event-holds", held, "a %d, b %d, c %d", cl_status(a), cl_status(b), cl_status(c));
	clSetUserEventStatus(u, CL_COMPLETE);
	again = clSetUserEventStatus(u, CL_COMPLETE);
	cl_must(clWaitForEvents(1, &c), "clWaitForEvents");
	test_row("user-event-frees", cl_status(a) == CL_COMPLETE && cl_status(b) == CL_COMPLETE, "a %d, b %d",
		 cl_status(a), cl_status(b));
	test_row("user-event-once", again == CL_INVALID_OPERATION, "%d", again);
	clReleaseEvent(a);
	clReleaseEvent(b);
	clReleaseEvent(c);
	clReleaseEvent(u);

	u = clCreateUserEvent(cl_ctx, NULL);
	a = spun(q, 100, 1, &u);
	clSetUserEventStatus(u, -5);
	again = clWaitForEvents(1, &a);
	test_row("user-event-fails", again == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && cl_status(a) < 0,
		 "wait %d, status %d", again, cl_status(a));
	test_row("queue-goes-on", clFinish(q) == CL_SUCCESS, "clFinish");
	clReleaseEvent(a);
	clReleaseEvent(u);
	clReleaseCommandQueue(q);
	clReleaseCommandQueue(p);
}

static _Atomic int called, called_status;

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user)
{
	(void)e;
	(void)user;
	atomic_store(&called_status, status);
	atomic_fetch_add(&called, 1);
}

static void callbacks(void)
{
	cl_command_queue q = cl_queue(0);
	cl_event e = spun(q, 1000, 0, NULL);
	double end = seconds() + patient(5);

	clSetEventCallback(e, CL_COMPLETE, on_event, NULL);
	clFlush(q);
	while (!atomic_load(&called) && seconds() < end)
		usleep(10000);
	test_row("callback", called == 1 && called_status == CL_COMPLETE, "%d calls, status %d", called, called_status);
	clSetEventCallback(e, CL_COMPLETE, on_event, NULL);
	end = seconds() + patient(5);
	while (atomic_load(&called) < 2 && seconds() < end)
		usleep(10000);
	test_row("callback-late", called == 2, "%d calls", called);
	clReleaseEvent(e);
	clReleaseCommandQueue(q);
}

/* Bytes go through kernels and copies in the queue's order: each kernel adds 1 to the first word */
static void data(void)
{
	cl_command_queue q = cl_queue(0);
	cl_mem a = clCreateBuffer(cl_ctx, 0, 4096, NULL, NULL), b = clCreateBuffer(cl_ctx, 0, 4096, NULL, NULL);
	cl_kernel add = cl_build(source, "add");
	uint32_t word = 7, out = 0, *map;
	cl_ulong ns = 10000;
	unsigned int i;

	clSetKernelArg(add, 1, sizeof(ns), &ns);
	clEnqueueWriteBuffer(q, a, CL_FALSE, 0, 4, &word, 0, NULL, NULL);
	for (i = 0; i < 10; i++) {
		clSetKernelArg(add, 0, sizeof(a), &a);
		cl_must(cl_run(q, add, 0, NULL, NULL), "add");
		clEnqueueCopyBuffer(q, a, b, 0, 0, 4, 0, NULL, NULL);
		clSetKernelArg(add, 0, sizeof(b), &b);
		cl_must(cl_run(q, add, 0, NULL, NULL), "add");
		clEnqueueCopyBuffer(q, b, a, 0, 0, 4, 0, NULL, NULL);
	}
	clEnqueueReadBuffer(q, a, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
	test_row("bytes-in-order", out == 27, "%u, not 27", out);
	word = 0x01020304;
	clEnqueueFillBuffer(q, a, &word, 4, 0, 4096, 0, NULL, NULL);
	map = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 4, 8, 0, NULL, NULL, NULL);
	test_row("fill-map", map && map[0] == word && map[1] == word, "%x", map ? map[0] : 0);
	test_row("unmap", !clEnqueueUnmapMemObject(q, a, map, 0, NULL, NULL) && !clFinish(q) &&
		 clEnqueueUnmapMemObject(q, a, map, 0, NULL, NULL) == CL_INVALID_VALUE, "unmapped twice");
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseKernel(add);
	clReleaseCommandQueue(q);
}

static void images(void)
{
	const cl_image_format f = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8 };
	const size_t from[3] = { 4, 2, 0 }, part[3] = { 3, 2, 1 }, whole[3] = { 16, 8, 1 }, zero[3] = { 0 };
	cl_command_queue q = cl_queue(0);
	cl_mem m = clCreateImage(cl_ctx, 0, &f, &d, NULL, NULL), b = clCreateBuffer(cl_ctx, 0, 4096, NULL, NULL);
	uint32_t in[16 * 8], out[6] = { 0 }, i;

	for (i = 0; i < 16 * 8; i++)
		in[i] = i;
	clEnqueueWriteImage(q, m, CL_FALSE, zero, whole, 0, 0, in, 0, NULL, NULL);
	clEnqueueCopyImageToBuffer(q, m, b, from, part, 8, 0, NULL, NULL);
	clEnqueueReadBuffer(q, b, CL_TRUE, 8, sizeof(out), out, 0, NULL, NULL);
	test_row("image-part", out[0] == 36 && out[2] == 38 && out[3] == 52 && out[5] == 54, "%u %u %u %u", out[0], out[2],
		 out[3], out[5]);
	test_row("image-outside", clEnqueueReadImage(q, m, CL_TRUE, from, whole, 0, 0, in, 0, NULL, NULL) ==
		 CL_INVALID_VALUE, "read beyond the image");
	clReleaseMemObject(m);
	clReleaseMemObject(b);
	clReleaseCommandQueue(q);
}

static void svm(void)
{
	cl_command_queue q = cl_queue(0);
	uint32_t *p = clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, 4096, 0), one = 1, out = 0;

	clEnqueueSVMMemFill(q, p, &one, 4, 4096, 0, NULL, NULL);
	clEnqueueSVMMemcpy(q, CL_TRUE, &out, p + 100, 4, 0, NULL, NULL);
	test_row("svm", out == 1, "%u", out);
	test_row("svm-free", !clEnqueueSVMFree(q, 1, (void **)&p, NULL, NULL, 0, NULL, NULL) && !clFinish(q), "refused");
	clReleaseCommandQueue(q);
}

static void memory(void)
{
	cl_ulong all = 0;
	cl_int error, small;
	cl_mem m, n;

	clGetDeviceInfo(cl_devices[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(all), &all, NULL);
	m = clCreateBuffer(cl_ctx, 0, all - 4096, NULL, &error);
	test_row("memory-fits", m && !error, "%d", error);
	n = clCreateBuffer(cl_ctx, 0, 8192, NULL, &error);
	test_row("memory-full", !n && error == CL_MEM_OBJECT_ALLOCATION_FAILURE, "%d", error);
	clReleaseMemObject(m);
	n = clCreateBuffer(cl_ctx, 0, 8192, NULL, &small);
	test_row("memory-back", n && !small, "%d", small);
	clReleaseMemObject(n);
	n = clCreateBuffer(cl_ctx, 0, all + 1, NULL, &error);
	test_row("memory-too-much", !n && error == CL_INVALID_BUFFER_SIZE, "%d", error);
}

static void programs(void)
{
	cl_command_queue q = cl_queue(CL_QUEUE_PROFILING_ENABLE);
	cl_mem m = clCreateBuffer(cl_ctx, 0, 64, NULL, NULL);
	const size_t global = 640, local = 64, odd = 100;
	cl_kernel k = cl_build(source, "grid");
	cl_event e;
	cl_uint n = 0;
	cl_int error;

	clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof(n), &n, NULL);
	test_row("arguments", n == 2, "%u", n);
	error = clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL);
	test_row("arguments-missing", error == CL_INVALID_KERNEL_ARGS, "%d", error);
	clSetKernelArg(k, 0, sizeof(m), &m);
	clSetKernelArg(k, 1, 64, NULL);
	error = clEnqueueNDRangeKernel(q, k, 1, NULL, &odd, &local, 0, NULL, NULL);
	test_row("grid-uneven", error == CL_INVALID_WORK_GROUP_SIZE, "%d", error);
	cl_must(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e), "grid");
	clFinish(q);
	test_row("time-of-groups", cl_time(e, CL_PROFILING_COMMAND_END) - cl_time(e, CL_PROFILING_COMMAND_START) == 50000,
		 "not 10 groups of 5 us");
	clReleaseEvent(e);
	clReleaseKernel(k);
	clReleaseMemObject(m);
	clReleaseCommandQueue(q);
}

/* More than a ring holds, and more queues than a process has channels */
static void many(void)
{
	cl_command_queue q = cl_queue(0), list[70];
	unsigned int i, n = 0, tries;
	cl_int error = 0;

	for (i = 0; i < 5000; i++)
		clReleaseEvent(spun(q, 1, 0, NULL));
	test_row("5000-at-once", !clFinish(q), "clFinish");
	clReleaseCommandQueue(q);
	/* A queue goes with its last command, for which the thread of the driver may hold it a while */
	for (tries = 0; tries < 100; tries++) {
		for (error = 0, i = 0; i < 70 && !error; i++)
			list[i] = clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], NULL, &error);
		n = i;
		while (i--)
			if (list[i])
				clReleaseCommandQueue(list[i]);
		if (n >= 65)
			break;
		usleep(20000);
	}
	test_row("channels-end", n == 65 && error == CL_OUT_OF_RESOURCES, "%u queues, error %d", n, error);
	q = cl_queue(0);
	test_row("channels-come-back", q != NULL, "none");
	clReleaseCommandQueue(q);
}

static void *hammer(void *unused)
{
	cl_command_queue q = cl_queue(0);
	cl_kernel k = cl_build(source, "spin");
	cl_ulong ns = 1000;
	unsigned int i;

	clSetKernelArg(k, 0, sizeof(ns), &ns);
	for (i = 0; i < 2000; i++) {
		cl_event e;

		if (cl_run(q, k, 0, NULL, &e))
			return q;
		if (i % 16 == 0)
			clWaitForEvents(1, &e);
		clReleaseEvent(e);
	}
	clFinish(q);
	clReleaseCommandQueue(q);
	return unused;
}

static void threads(void)
{
	pthread_t t[4];
	void *bad = NULL, *one;
	unsigned int i;

	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, NULL);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &one);
		bad = one ? one : bad;
	}
	test_row("threads", !bad, "a launch failed");
}

/*
 * One kernel at a time, so that each finds the card on its way to sleep, at some moment: it sleeps
 * for a second where it has not heard of one.
 */
static void awake(void)
{
	cl_command_queue q = cl_queue(0);
	unsigned int i, late = 0;
	double took;

	for (i = 0; i < 20000 && late < 3; i++) {
		took = seconds();
		clReleaseEvent(spun(q, 1 + i % 40, 0, NULL));
		clFinish(q);
		took = seconds() - took;
		late += took > 0.9 && took < 1.5;
	}
	test_row("awake", late < 3, "%u of %u kernels of some us took a second", late, i);
	clReleaseCommandQueue(q);
}

/* How often the other threads of this process have gone to sleep */
static long naps(void)
{
	char path[64], line[128];
	struct dirent *task;
	long sum = 0, n;
	DIR *tasks;
	FILE *f;

	tasks = opendir("/proc/self/task");
	while (tasks && (task = readdir(tasks))) {
		if (atoi(task->d_name) <= 0 || atoi(task->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/status", task->d_name);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				sum += n;
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

/* The thread of the driver has called back before: ends that only the program waits for are not its business */
static void undisturbed(void)
{
	cl_command_queue q = cl_queue(0);
	unsigned int i;
	long before;

	clFinish(q);
	usleep(50000);
	before = naps();
	for (i = 0; i < 1000; i++) {
		clReleaseEvent(spun(q, 10, 0, NULL));
		clFinish(q);
	}
	test_row("undisturbed", naps() - before < 50, "in 1000 waits it woke %ld times", naps() - before);
	clReleaseCommandQueue(q);
}

int main(void)
{
	cl_begin();
	spin = cl_build(source, "spin");
	in_order();
	out_of_order();
	user_events();
	callbacks();
	data();
	images();
	svm();
	memory();
	programs();
	many();
	threads();
	awake();
	undisturbed();
	return test_end();
}
