// SPDX-License-Identifier: GPL-2.0
/*
 * Turns of the OpenCL layer that a program must not hold for nothing (src/user/cl/turn.c, launch.c), beside
 * a second process with kernels of 1 ms one after the other: what that one waits says who holds the engine.
 *
 * tests/user/layer runs it: with the layer, on a card with two devices, under a policy that asks. The second
 * process is a child, forked before the first call of OpenCL.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../lib/slow.h"
#include "../lib/test.h"
#include "cl.h"

#define SHORT_US	1000
#define LONG_US		100000

static const char source[] = "kernel void spin(ulong ns) { }\n";
static cl_kernel spin;

/* What the child tells: kernels so far, and the longest that one took, s; the parent sets that to 0. */
static struct beside {
	unsigned int kernels;
	float worst;
} *beside;

static cl_event spun(cl_command_queue q, cl_ulong us, cl_uint n, const cl_event *list)
{
	const cl_ulong ns = us * 1000;
	cl_event e;

	cl_must(clSetKernelArg(spin, 0, sizeof(ns), &ns), "clSetKernelArg");
	cl_must(cl_run(q, spin, n, list, &e), "clEnqueueNDRangeKernel");
	cl_must(clFlush(q), "clFlush");
	return e;
}

static void waits(cl_event e)
{
	cl_must(clWaitForEvents(1, &e), "clWaitForEvents");
	clReleaseEvent(e);
}

/* --- the second process --- */

static void beat(void)
{
	cl_command_queue q;
	float took;
	double from;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cl_begin();
	spin = cl_build(source, "spin");
	q = cl_queue(0);
	for (;;) {
		from = seconds();
		waits(spun(q, SHORT_US, 0, NULL));
		took = (float)(seconds() - from);
		if (took > beside->worst)
			beside->worst = took;
		__atomic_add_fetch(&beside->kernels, 1, __ATOMIC_RELAXED);
	}
}

static pid_t beat_begins(void)
{
	double end = seconds() + patient(20);
	pid_t pid;

	beside = mmap(NULL, sizeof(*beside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (beside == MAP_FAILED)
		exit(2);
	pid = fork();
	if (!pid)
		beat();
	while (__atomic_load_n(&beside->kernels, __ATOMIC_RELAXED) < 20 && seconds() < end)
		usleep(1000);
	return pid;
}

/* --- a launch in a callback --- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	cl_command_queue q;
	cl_event launched;
	double took;
	bool done;
} called = { .lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER };

static void CL_CALLBACK launches(cl_event e, cl_int status, void *arg)
{
	const double from = seconds();

	(void)e, (void)status, (void)arg;
	called.launched = spun(called.q, SHORT_US, 0, NULL);
	pthread_mutex_lock(&called.lock);
	called.took = seconds() - from;
	called.done = true;
	pthread_cond_signal(&called.some);
	pthread_mutex_unlock(&called.lock);
}

/*
 * A kernel is in flight, and a callback, of a small copy that has ended before it, launches another. The
 * layer's callback for the first one's end comes behind that.
 */
static void in_callback(cl_command_queue other)
{
	static char bytes[4096];
	cl_mem memory;
	cl_event first, copied;
	cl_int error;

	memory = clCreateBuffer(cl_ctx, 0, sizeof(bytes), NULL, &error);
	cl_must(error, "clCreateBuffer");
	first = spun(other, LONG_US, 0, NULL);
	cl_must(clEnqueueWriteBuffer(called.q, memory, CL_FALSE, 0, sizeof(bytes), bytes, 0, NULL, &copied), "write");
	cl_must(clSetEventCallback(copied, CL_COMPLETE, launches, NULL), "clSetEventCallback");
	cl_must(clFlush(called.q), "clFlush");
	pthread_mutex_lock(&called.lock);
	while (!called.done)
		pthread_cond_wait(&called.some, &called.lock);
	pthread_mutex_unlock(&called.lock);
	waits(first);
	waits(copied);
	waits(called.launched);
	clReleaseMemObject(memory);
	test_row("a kernel that a callback launches waits for no callback", called.took < patient(4),
		 "it waited %.1f s for a kernel of %.1f s", called.took, LONG_US / 1e6);
}

int main(void)
{
	cl_command_queue q[2];
	pid_t child;
	int i;

	child = beat_begins();
	cl_begin();
	spin = cl_build(source, "spin");
	for (i = 0; i < 2; i++)
		q[i] = cl_queue(0);
	called.q = q[0];
	for (i = 0; i < 80; i++)	/* the layer finds out that callbacks are prompt */
		waits(spun(q[0], SHORT_US / 10, 0, NULL));
	in_callback(q[1]);
	kill(child, SIGKILL);
	return test_end();
}
