// SPDX-License-Identifier: GPL-2.0
/*
 * clload: puts kernels of a chosen length on an OpenCL device, so many at a time, and prints what came
 * of them. On the test card a kernel takes what its argument says; elsewhere it does next to nothing.
 *
 * usage: clload [-n KERNELS] [-d US] [-o US] [-k DEPTH] [-s SECONDS] [-p PAUSE_US] [-m MIB] [-i DEVICE] [-c US]
 * Prints one line of JSON. Ends with 1 where a call of OpenCL failed, and says which.
 */
#include <CL/cl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/opt.h"

#define DEPTH_MAX 1024

static const struct opt options[] = {
	{ "kernels", 'n', "N", "so many kernels (1000; with --seconds no limit)" },
	{ "duration", 'd', "US", "each takes so long (1000); 0 is allowed" },
	{ "other", 'o', "US", "every second one takes so long, and has two work-items" },
	{ "depth", 'k', "N", "so many in flight, 1 to 1024 (1)" },
	{ "seconds", 's', "S", "end after so long" },
	{ "pause", 'p', "US", "sleep so long after each kernel" },
	{ "memory", 'm', "MIB", "hold a buffer of this size meanwhile" },
	{ "device", 'i', "INDEX", "which device (0)" },
	{ "copy", 'c', "KIB", "beside each kernel write so much to a buffer" },
	{ "endless", 'e', NULL, "the last kernel does not end" },
	{ "start", 0, NULL, "wait for a byte on standard input before the first kernel" },
	{ }
};

static struct {
	uint64_t kernels, us, other, depth, seconds, pause, mib, device, copy;
	bool endless, start;
} want = { .us = 1000, .depth = 1 };

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static void must(const char *call, cl_int error)
{
	if (!error)
		return;
	fprintf(stderr, "clload: %s: error %d\n", call, error);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void prepare(void)
{
	static const char *source = "kernel void load(ulong ns) { }\n";
	cl_platform_id platform;
	cl_device_id device[16];
	cl_program program;
	cl_int error;
	cl_uint n;

	must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
	must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, device, &n));
	if (want.device >= n) {
		fprintf(stderr, "clload: no device %" PRIu64 ": there are %u\n", want.device, n);
		exit(1);
	}
	context = clCreateContext(NULL, 1, &device[want.device], NULL, NULL, &error);
	must("clCreateContext", error);
	queue = clCreateCommandQueueWithProperties(context, device[want.device], NULL, &error);
	must("clCreateCommandQueueWithProperties", error);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	must("clCreateProgramWithSource", error);
	must("clBuildProgram", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "load", &error);
	must("clCreateKernel", error);
}

static void launch(uint64_t us, size_t items, cl_event *event)
{
	cl_ulong ns = us == UINT64_MAX ? us : us * 1000;

	must("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof(ns), &ns));
	must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
}

static uint64_t run(void)
{
	static cl_event flight[DEPTH_MAX];
	double end = now() + want.seconds;
	char *bytes = want.copy ? calloc(1, want.copy << 10) : NULL;
	cl_mem buffer = NULL;
	cl_int error = 0;
	uint64_t done;

	if (want.copy)
		buffer = clCreateBuffer(context, 0, want.copy << 10, NULL, &error);
	must("clCreateBuffer", error);
	for (done = 0; (!want.kernels || done < want.kernels) && (!want.seconds || now() < end); done++) {
		cl_event *e = &flight[done % want.depth];

		if (*e) {
			must("clWaitForEvents", clWaitForEvents(1, e));
			must("clReleaseEvent", clReleaseEvent(*e));
		}
		if (want.other && done % 2)
			launch(want.other, 2, e);
		else
			launch(want.us, 1, e);
		if (buffer)
			must("clEnqueueWriteBuffer", clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, want.copy << 10,
									  bytes, 0, NULL, NULL));
		if (want.depth > 1)
			must("clFlush", clFlush(queue));
		if (want.pause)
			usleep(want.pause);
	}
	if (want.endless)
		launch(UINT64_MAX, 1, NULL);
	must("clFinish", clFinish(queue));
	return done;
}

static uint64_t number(const struct opts *o, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (number_read(o->value, max, &n) && n >= min)
		return n;
	fprintf(stderr, "clload: --%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'\n", o->opt->name, min,
		max, o->value);
	exit(2);
}

static void read_options(char **argv)
{
	struct opts o = { .table = options, .argv = argv + 1 };
	enum opt_what what;

	while ((what = opt_next(&o)) != OPT_END) {
		if (what == OPT_HELP) {
			printf("usage: clload [OPTION]...    a load for an OpenCL device\n\n");
			opt_help(stdout, options, 18);
			exit(0);
		}
		if (what != OPT_GIVEN) {
			opt_complain("clload", &o, what);
			exit(2);
		}
		switch (o.opt->letter) {
		case 'n': want.kernels = number(&o, 1, 1u << 30); break;
		case 'd': want.us = number(&o, 0, 1u << 30); break;
		case 'o': want.other = number(&o, 1, 1u << 30); break;
		case 'k': want.depth = number(&o, 1, DEPTH_MAX); break;
		case 's': want.seconds = number(&o, 1, 86400); break;
		case 'p': want.pause = number(&o, 0, 1u << 30); break;
		case 'm': want.mib = number(&o, 1, 1u << 20); break;
		case 'i': want.device = number(&o, 0, 15); break;
		case 'c': want.copy = number(&o, 1, 1u << 20); break;
		case 'e': want.endless = true; break;
		default: want.start = true;
		}
	}
	if (!want.kernels && !want.seconds)
		want.kernels = 1000;
}

int main(int argc, char **argv)
{
	double from, used;
	cl_mem held = NULL;
	cl_int error = 0;
	uint64_t done;
	char byte;

	(void)argc;
	read_options(argv);
	prepare();
	if (want.mib)
		held = clCreateBuffer(context, 0, want.mib << 20, NULL, &error);
	must("clCreateBuffer", error);
	if (want.start && read(0, &byte, 1) < 0)
		perror("clload: standard input");
	from = now();
	used = cpu();
	done = run();
	used = cpu() - used;
	from = now() - from;
	printf("{\"pid\":%d,\"kernels\":%" PRIu64 ",\"seconds\":%.6f,\"rate\":%.1f,\"cpu_us_each\":%.3f}\n", getpid(),
	       done, from, done / from, done ? used * 1e6 / done : 0);
	if (held)
		clReleaseMemObject(held);
	return 0;
}
