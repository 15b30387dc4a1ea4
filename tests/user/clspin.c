// SPDX-License-Identifier: GPL-2.0
/*
 * clspin: keeps a real GPU busy with kernels of a chosen length, and prints what the runtime's own
 * profile says that it got. scripts/bench-user and scripts/demo-user run several of it beside each other.
 *
 * usage: clspin [-i ITERATIONS] [-d US] [-k DEPTH] [-s SECONDS] [-p PAUSE_US] [-m MIB]
 * Without -i it looks for the number of iterations that takes -d US (2000) and prints it. With -i it
 * keeps -k kernels (1) in flight for -s SECONDS (10), with a pause of -p US after each that has ended,
 * and holds buffers of -m MIB meanwhile. How long it waited for them is in its figures.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX	64
#define ITEMS		(1u << 18)	/* enough for each processor of a large GPU */
#define WAITS_MAX	(1u << 20)

static const char source[] =
	"kernel void spin(global float *x, ulong n) {\n"
	"	float a = x[get_global_id(0)];\n"
	"	for (ulong i = 0; i < n; i++)\n"
	"		a = fma(a, 1.0000001f, 1e-7f);\n"
	"	x[get_global_id(0)] = a;\n"
	"}\n";

static cl_command_queue queue;
static cl_kernel kernel;
static double waits[WAITS_MAX];
static double held;		/* the wait for buffers, s */

static void must(const char *call, cl_int error)
{
	if (!error)
		return;
	fprintf(stderr, "clspin: %s: error %d\n", call, error);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* In pieces, since a device may give no more than a quarter of its memory at once. Return: how long it took, s */
static double hold(cl_context context, size_t mib)
{
	const size_t most = 64;
	const double begin = now();
	cl_int error;

	for (; mib; mib -= mib < most ? mib : most) {
		clCreateBuffer(context, 0, (mib < most ? mib : most) << 20, NULL, &error);
		must("clCreateBuffer", error);
	}
	return now() - begin;
}

static void prepare(size_t mib)
{
	const cl_queue_properties profiled[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	const char *text = source;
	cl_platform_id platform;
	cl_context context;
	cl_program program;
	cl_device_id device;
	cl_mem buffer;
	cl_int error;

	must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
	must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	must("clCreateContext", error);
	queue = clCreateCommandQueueWithProperties(context, device, profiled, &error);
	must("clCreateCommandQueueWithProperties", error);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	must("clCreateProgramWithSource", error);
	must("clBuildProgram", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "spin", &error);
	must("clCreateKernel", error);
	buffer = clCreateBuffer(context, 0, ITEMS * sizeof(float), NULL, &error);
	must("clCreateBuffer", error);
	must("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	held = hold(context, mib);
}

static cl_event launch(uint64_t iterations)
{
	const size_t all = ITEMS, local = 256;
	cl_ulong n = iterations;
	cl_event e;

	must("clSetKernelArg", clSetKernelArg(kernel, 1, sizeof(n), &n));
	must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &local, 0, NULL, &e));
	must("clFlush", clFlush(queue));
	return e;
}

/* Wait for a kernel. Return: how long it ran, ns. */
static double ended(cl_event e)
{
	cl_ulong begin, end;

	must("clWaitForEvents", clWaitForEvents(1, &e));
	must("clGetEventProfilingInfo", clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, 8, &begin, NULL));
	must("clGetEventProfilingInfo", clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, &end, NULL));
	must("clReleaseEvent", clReleaseEvent(e));
	return (double)(end - begin);
}

static uint64_t iterations_for(double us)
{
	uint64_t n = 1000;
	double ns;
	int i;

	for (i = 0; i < 12; i++) {
		ns = ended(launch(n));
		n = n * us * 1000 / ns + 1;
	}
	return n;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void run(uint64_t iterations, unsigned int depth, double seconds, unsigned int pause)
{
	static struct { cl_event event; double at; } flight[DEPTH_MAX];
	const double begin = now();
	double busy = 0, last = begin;
	uint64_t n = 0, sent;

	for (sent = 0; n == 0 || last < begin + seconds; sent++) {
		if (sent >= depth) {
			busy += ended(flight[sent % depth].event);
			last = now();
			waits[n++ % WAITS_MAX] = last - flight[sent % depth].at;
			if (pause)
				usleep(pause);
		}
		flight[sent % depth].at = now();
		flight[sent % depth].event = launch(iterations);
	}
	clFinish(queue);
	sent = n < WAITS_MAX ? n : WAITS_MAX;
	qsort(waits, sent, sizeof(*waits), by_size);
	printf("{\"kernels\":%llu,\"seconds\":%.3f,\"gpu_ms\":%.3f,\"share\":%.2f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"memory_ms\":%.3f}\n",
	       (unsigned long long)n, last - begin, busy / 1e6, busy / 1e7 / (last - begin), waits[sent / 2] * 1e3,
	       waits[sent * 99 / 100] * 1e3, held * 1e3);
}

int main(int argc, char **argv)
{
	unsigned long long iterations = 0;
	unsigned int depth = 1, pause = 0;
	double us = 2000, seconds = 10;
	size_t mib = 0;
	int c;

	while ((c = getopt(argc, argv, "i:d:k:s:p:m:")) != -1) {
		switch (c) {
		case 'i': iterations = strtoull(optarg, NULL, 10); break;
		case 'd': us = atof(optarg); break;
		case 'k': depth = atoi(optarg); break;
		case 's': seconds = atof(optarg); break;
		case 'p': pause = atoi(optarg); break;
		case 'm': mib = strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	}
	if (optind != argc || depth < 1 || depth > DEPTH_MAX || us <= 0 || seconds <= 0) {
		fprintf(stderr, "usage: clspin [-i ITERATIONS] [-d US] [-k 1..%d] [-s SECONDS] [-p PAUSE_US]"
			" [-m MIB]\n", DEPTH_MAX);
		return 2;
	}
	prepare(mib);
	if (iterations)
		run(iterations, depth, seconds, pause);
	else
		printf("%llu\n", (unsigned long long)iterations_for(us));
	return 0;
}
