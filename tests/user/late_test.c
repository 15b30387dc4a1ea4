// SPDX-License-Identifier: GPL-2.0
/*
 * The thread of the OpenCL layer that waits for ends where callbacks come late (src/user/cl/watch.c): a
 * launch that waits for another device does not hold up a second queue, and a child that is forked
 * while another thread launches does not look for the thread that it has not.
 *
 * tests/user/tgd runs it: with the layer and MOCKCL_LATE, on a card with two devices, under a policy
 * that asks.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/slow.h"
#include "../lib/test.h"
#include "cl.h"

#define SHORT_US	1000

static const char source[] = "kernel void spin(ulong ns) { }\n";
static cl_kernel spin;
static bool done;

/* So many short kernels, one after the other. Return: how long it took, s. */
static double shorts(cl_command_queue q, int nr)
{
	const double begin = seconds();
	cl_event e;

	while (nr--) {
		e = cl_spun(spin, q, SHORT_US, 0, NULL);
		cl_must(clWaitForEvents(1, &e), "clWaitForEvents");
		clReleaseEvent(e);
	}
	return seconds() - begin;
}

static void *launches(void *queue)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		shorts(queue, 1);
	return NULL;
}

/* A child launches, with a context of its own, on the same device. Return: its status; -1: it hung. */
static int child(void)
{
	double end = seconds() + patient(10);
	int status = -1;
	bool ended;
	pid_t pid = fork();

	if (!pid) {
		cl_begin();
		spin = cl_build(source, "spin");
		shorts(cl_queue(0), 2);
		_exit(0);
	}
	while (!(ended = waitpid(pid, &status, WNOHANG)) && seconds() < end)
		usleep(10000);
	if (!ended) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return status;
}

/* So many, one after the other, while another thread launches. Return: how many did not end well. */
static int children(cl_command_queue q, int nr)
{
	pthread_t thread;
	int bad = 0;

	pthread_create(&thread, NULL, launches, q);
	while (nr-- && !bad)
		bad += !!child();
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return bad;
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
	spin = cl_build(source, "spin");
	for (i = 0; i < 3; i++) {
		q[i] = clCreateCommandQueue(cl_ctx, cl_devices[i / 2], 0, &error);
		cl_must(error, "clCreateCommandQueue");
	}
	shorts(q[0], 100);		/* the layer finds out that callbacks are late */
	other = cl_spun(spin, q[2], patient(3) * 1e6, 0, NULL);
	behind = cl_spun(spin, q[0], SHORT_US, 1, &other);
	took = shorts(q[1], 30);
	test_row("beside a launch that waits, another queue goes on", cl_status(behind) > CL_COMPLETE,
		 "30 kernels of 1 ms took %.1f s", took);
	cl_must(clWaitForEvents(1, &behind), "clWaitForEvents");
	test_row("children that are forked meanwhile launch and end", !children(q[1], 100), "one does not");
	return test_end();
}
