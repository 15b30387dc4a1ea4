// SPDX-License-Identifier: GPL-2.0
/*
 * A program with two queues on a driver whose callbacks come late: the ends in one queue are told of while a
 * launch of the other waits for something else. tests/user/tgd runs it, with the layer and MOCKCL_LATE, on a card
 * with two devices, under a policy that asks.
 */
#include "../lib/test.h"
#include "cl.h"

#define SHORT_US	1000
#define LONG_US		3000000

static cl_kernel spin;

static cl_event spun(cl_command_queue q, cl_ulong us, cl_uint n, const cl_event *list)
{
	const cl_ulong ns = us * 1000;
	cl_event e;

	cl_must(clSetKernelArg(spin, 0, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(cl_run(q, spin, n, list, &e), "clEnqueueNDRangeKernel");
	cl_must(clFlush(q), "clFlush");
	return e;
}

/* So many short kernels, one after the other. Return: how long it took, s. */
static double shorts(cl_command_queue q, int nr)
{
	const double begin = seconds();
	cl_event e;

	while (nr--) {
		e = spun(q, SHORT_US, 0, NULL);
		cl_must(clWaitForEvents(1, &e), "clWaitForEvents");
		clReleaseEvent(e);
	}
	return seconds() - begin;
}

int main(void)
{
	cl_command_queue q[3];
	cl_event other, behind;
	cl_int error;
	double took;
	int i;

	cl_begin();
	if (cl_devices_n < 2)
		cl_must(CL_DEVICE_NOT_FOUND, "a second device");
	cl_ctx = clCreateContext(NULL, 2, cl_devices, NULL, NULL, &error);
	cl_must(error, "clCreateContext");
	spin = cl_build("kernel void spin(ulong ns) { }\n", "spin");
	for (i = 0; i < 3; i++) {
		q[i] = clCreateCommandQueue(cl_ctx, cl_devices[i / 2], 0, &error);
		cl_must(error, "clCreateCommandQueue");
	}
	shorts(q[0], 100);		/* the layer finds out that callbacks are late */
	other = spun(q[2], LONG_US, 0, NULL);
	behind = spun(q[0], SHORT_US, 1, &other);
	took = shorts(q[1], 30);
	test_row("beside a launch that waits, another queue goes on", cl_status(behind) > CL_COMPLETE,
		 "30 kernels of 1 ms took %.1f s", took);
	cl_must(clWaitForEvents(1, &behind), "clWaitForEvents");
	return test_end();
}
