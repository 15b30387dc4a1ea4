// SPDX-License-Identifier: GPL-2.0
/*
 * What the OpenCL layer does in children of fork(), and what its books cost. tests/user/layer runs
 * it, with the layer, on a card with 256 MiB, with a tgd whose policy asks.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/slow.h"
#include "../lib/test.h"
#include "cl.h"

#define KEPT	5000	/* buffers */
#define FORKS	60

static cl_mem buffer(void)
{
	cl_int error;
	cl_mem m = clCreateBuffer(cl_ctx, 0, 4096, NULL, &error);

	cl_must(error, "clCreateBuffer");
	return m;
}

static bool done;

/* The layer looks for the buffer @m each time. */
static void *releases(void *m)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		clRetainMemObject(m);
		clReleaseMemObject(m);
	}
	return m;
}

/* Return: its status; -1: it hung, and was killed. */
static int ended(pid_t pid)
{
	const double end = seconds() + patient(5);
	int status = -1;

	while (!waitpid(pid, &status, WNOHANG))
		if (seconds() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return -1;
		} else {
			usleep(1000);
		}
	return status;
}

/*
 * As in a C++ program that forks, whose global buffers are released in exit(): while threads
 * release some.
 */
static void release_in_child(void)
{
	static cl_mem kept[KEPT];
	pthread_t thread[2];
	int i, status = 0;
	pid_t pid;

	for (i = 0; i < KEPT; i++)
		kept[i] = buffer();
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, releases, kept[i]);
	for (i = 2; i < FORKS && !status; i++) {
		usleep(2000);
		pid = fork();
		if (!pid) {
			clReleaseMemObject(kept[i]);
			_exit(0);
		}
		status = ended(pid);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < KEPT; i++)
		clReleaseMemObject(kept[i]);
	test_row("children release buffers while threads of the parent do", !status, "status %d", status);
}

/* Kernels one after the other, in a context of their own. */
static void launch(int nr)
{
	const cl_ulong ns = 1000000;
	cl_command_queue q;
	cl_kernel k;

	cl_begin();
	q = cl_queue(0);
	k = cl_build("kernel void spin(ulong ns) { }\n", "spin");
	cl_must(clSetKernelArg(k, 0, sizeof(ns), &ns), "clSetKernelArg");
	while (nr--) {
		cl_must(cl_run(q, k, 0, NULL, NULL), "clEnqueueNDRangeKernel");
		cl_must(clFinish(q), "clFinish");
	}
	clReleaseMemObject(buffer());
}

/* A child that begins anew is a client of its own. */
static void launch_in_child(void)
{
	static const char are_clients[] = "build/bin/tgctl --host user clients --json |"
		"jq -e '[.[] | select(.submitted > 10)] | length == 2' >/dev/null";
	int up[2], down[2], status, two;
	pid_t pid;
	char c;

	launch(20);
	if (pipe(up) || pipe(down))
		return;
	pid = fork();
	if (!pid) {
		close(up[0]);
		close(down[1]);
		launch(20);
		close(up[1]);
		_exit(read(down[0], &c, 1));
	}
	close(up[1]);
	close(down[0]);
	status = read(up[0], &c, 1);
	two = system(are_clients);
	close(down[1]);
	status |= ended(pid);
	test_row("a child that makes a context and launches is scheduled", !status && !two, "status %d, clients: %d",
		 status, two);
}

/* 2000 buffers, and ten times as many: how long the release of all takes */
static void release_many(double took[2])
{
	static cl_mem m[20000];
	const int nr[2] = { 2000, 20000 };
	int i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < nr[k]; i++)
			m[i] = buffer();
		took[k] = seconds();
		for (i = 0; i < nr[k]; i++)
			clReleaseMemObject(m[i]);
		took[k] = seconds() - took[k];
	}
}

/*
 * Ten times as many take about ten times as long. Where each release has to wake tgd on another CPU, they take three
 * times that: so the best of three counts.
 */
static void many(void)
{
	double took[2];
	int i;

	for (i = 0; i < 3; i++) {
		release_many(took);
		if (took[1] < 30 * took[0] + 0.1)
			break;
	}
	test_row("what the release of a buffer costs does not grow with their number", i < 3,
		 "2000 took %.3f s, 20000 %.3f s", took[0], took[1]);
}

int main(void)
{
	cl_begin();
	launch_in_child();
	many();
	release_in_child();
	return test_end();
}
