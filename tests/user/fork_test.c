// SPDX-License-Identifier: GPL-2.0
/*
 * What the OpenCL layer does in children of fork(), and what its books cost. tests/user/layer runs it, with the
 * layer, on a card with 256 MiB, with a tgd whose policy asks.
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

/* As in a C++ program that forks, whose global buffers are released in exit(): while threads release some. */
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

int main(void)
{
	cl_begin();
	release_in_child();
	return test_end();
}
