// SPDX-License-Identifier: GPL-2.0
/*
 * Turns of the OpenCL layer that a program must not hold for nothing (src/user/cl/turn.c, far.c,
 * launch.c), beside a second process with kernels of 1 ms one after the other: what that one waits
 * says who holds the engine.
 *
 * tests/user/layer runs it: with the layer, on a card with two devices, under a policy that asks.
 * The second process is a child, forked before the first call of OpenCL.
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
#define FAR_S		2
#define DEADLINE_S	10		/* job_deadline_us */
#define BIG		(3u << 20)	/* bytes: a copy of them takes a turn */

static const char source[] = "kernel void spin(ulong ns) { }\n";
static cl_kernel spin;

/*
 * What the child tells: kernels so far; when it launched the latest; the longest that one took, s,
 * since the parent set it to 0
 */
static struct beside {
	unsigned int kernels;
	double from, worst;
} *beside;

static void waits(cl_event e)
{
	cl_must(clWaitForEvents(1, &e), "clWaitForEvents");
	clReleaseEvent(e);
}

/* --- the second process --- */

static void beat(void)
{
	cl_command_queue q;
	double took;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cl_begin();
	spin = cl_build(source, "spin");
	q = cl_queue(0);
	for (;;) {
		beside->from = seconds();
		waits(cl_spun(spin, q, SHORT_US, 0, NULL));
		took = seconds() - beside->from;
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
	called.launched = cl_spun(spin, called.q, SHORT_US, 0, NULL);
	pthread_mutex_lock(&called.lock);
	called.took = seconds() - from;
	called.done = true;
	pthread_cond_signal(&called.some);
	pthread_mutex_unlock(&called.lock);
}

/*
 * A kernel is in flight, and a callback, of a small copy that has ended before it, launches
 * another. The layer's callback for the first one's end comes behind that.
 */
static void in_callback(cl_command_queue other)
{
	static char bytes[4096];
	cl_mem memory;
	cl_event first, copied;
	cl_int error;

	memory = clCreateBuffer(cl_ctx, 0, sizeof(bytes), NULL, &error);
	cl_must(error, "clCreateBuffer");
	first = cl_spun(spin, other, LONG_US, 0, NULL);
	cl_must(clEnqueueWriteBuffer(called.q, memory, CL_FALSE, 0, sizeof(bytes), bytes, 0, NULL,
				     &copied), "clEnqueueWriteBuffer");
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
	test_row("a kernel that a callback launches waits for no callback",
		 called.took < DEADLINE_S * 0.8, "it waited %.1f s for a kernel of %.1f s", called.took,
		 LONG_US / 1e6);
}

/* --- launches behind what takes long elsewhere --- */

static cl_command_queue elsewhere;	/* on the second device */
static double far_s;

/* A long kernel on the second device; not so long that it is written off. */
static cl_event far_begins(void)
{
	far_s = patient(FAR_S) < DEADLINE_S / 2 ? patient(FAR_S) : DEADLINE_S / 2;
	return cl_spun(spin, elsewhere, (cl_ulong)(far_s * 1e6), 0, NULL);
}

/* What was launched behind @far must not have held up the second process, and ends with @last. */
static void far_ends(const char *name, cl_event far, cl_event last)
{
	const bool waiting = cl_status(last) > CL_COMPLETE;
	const double from = seconds();
	double worst, took;

	usleep(50000);			/* the kernel that the child had in the queue before */
	beside->worst = 0;
	cl_must(clWaitForEvents(1, &far), "clWaitForEvents");
	worst = seconds() - beside->from;
	if (worst < beside->worst)
		worst = beside->worst;
	cl_must(clWaitForEvents(1, &last), "clWaitForEvents");
	took = seconds() - from;
	test_row(name, waiting && worst < far_s * 0.75 && took < far_s + patient(3),
		 "a program beside it waited %.1f s, and all ended after %.1f s", worst, took);
	clReleaseEvent(far);
	clReleaseEvent(last);
}

static void behind_far(cl_command_queue q)
{
	cl_event far = far_begins(), last = cl_spun(spin, q, SHORT_US, 1, &far);

	far_ends("a kernel behind another device's takes no turn before", far, last);
}

static void behind_copies(cl_command_queue q, cl_mem memory, const char *bytes)
{
	cl_event far = far_begins();

	cl_must(clEnqueueWriteBuffer(q, memory, CL_FALSE, 0, BIG, bytes, 1, &far, NULL),
		"clEnqueueWriteBuffer");
	far_ends("a kernel behind a copy that waits takes no turn before", far,
		 cl_spun(spin, q, SHORT_US, 0, NULL));
	cl_must(clFinish(q), "clFinish");
}

/*
 * Several copies that take turns, and kernels between: the thread that opens their gates is not kept from it by a
 * driver whose calls have the queue to themselves while they wait.
 */
static void own_copies(cl_command_queue q, cl_mem memory, const char *bytes)
{
	const double from = seconds();
	char word[4];
	int i;

	for (i = 0; i < 40; i++) {
		cl_must(clEnqueueWriteBuffer(q, memory, CL_FALSE, 0, BIG, bytes, 0, NULL, NULL), "clEnqueueWriteBuffer");
		clReleaseEvent(cl_spun(spin, q, SHORT_US, 0, NULL));
		if (i % 10 == 4)
			cl_must(clFinish(q), "clFinish");
		if (i % 10 == 9)
			cl_must(clEnqueueReadBuffer(q, memory, CL_TRUE, 0, sizeof(word), word, 0, NULL, NULL),
				"clEnqueueReadBuffer");
	}
	test_row("copies with turns of their own end in a call that waits", seconds() - from < DEADLINE_S * 0.8,
		 "after %.1f s", seconds() - from);
}

/* By way of a marker in a third queue, whose events nothing but their queue tells of. */
static void behind_marker(cl_command_queue q, cl_command_queue third)
{
	cl_event far = far_begins(), marker;

	cl_must(clEnqueueMarkerWithWaitList(third, 1, &far, NULL), "clEnqueueMarkerWithWaitList");
	cl_must(clEnqueueMarkerWithWaitList(third, 0, NULL, &marker), "clEnqueueMarkerWithWaitList");
	cl_must(clFlush(third), "clFlush");
	far_ends("a kernel behind a marker that waits takes no turn before", far,
		 cl_spun(spin, q, SHORT_US, 1, &marker));
	clReleaseEvent(marker);
}

/* Two behind it in one queue, a barrier between: none has the turn for which the other waits. */
static void behind_barrier(cl_command_queue out_of_order)
{
	cl_event far = far_begins(), before, other, behind;
	double from;

	before = cl_spun(spin, out_of_order, SHORT_US, 1, &far);
	from = seconds();
	other = cl_spun(spin, out_of_order, SHORT_US, 0, NULL);
	waits(other);
	test_row("what needs not wait for it goes on", cl_status(far) > CL_COMPLETE,
		 "it waited %.1f s", seconds() - from);
	cl_must(clEnqueueBarrierWithWaitList(out_of_order, 0, NULL, NULL), "barrier");
	behind = cl_spun(spin, out_of_order, SHORT_US, 0, NULL);
	far_ends("kernels before and behind a barrier do not wait for each other", far, behind);
	test_row("and end in their order", cl_status(before) == CL_COMPLETE, "the first has not");
	clReleaseEvent(before);
}

static void behind(cl_command_queue q[2])
{
	cl_command_queue ooo = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	char *bytes = calloc(1, BIG);
	cl_int error;
	cl_mem memory;

	elsewhere = clCreateCommandQueue(cl_ctx, cl_devices[1], 0, &error);
	cl_must(error, "clCreateCommandQueue");
	memory = clCreateBuffer(cl_ctx, 0, BIG, NULL, &error);
	cl_must(error, "clCreateBuffer");
	behind_far(q[0]);
	behind_copies(q[0], memory, bytes);
	own_copies(q[0], memory, bytes);
	behind_marker(q[0], q[1]);
	behind_barrier(ooo);
	clReleaseMemObject(memory);
	clReleaseCommandQueue(elsewhere);
	clReleaseCommandQueue(ooo);
	free(bytes);
}

int main(void)
{
	cl_command_queue q[2];
	cl_int error;
	pid_t child;
	int i;

	child = beat_begins();
	cl_begin();
	if (cl_devices_n < 2)
		cl_must(CL_DEVICE_NOT_FOUND, "a second device");
	cl_ctx = clCreateContext(NULL, 2, cl_devices, NULL, NULL, &error);
	cl_must(error, "clCreateContext");
	spin = cl_build(source, "spin");
	for (i = 0; i < 2; i++)
		q[i] = cl_queue(0);
	called.q = q[0];
	for (i = 0; i < 80; i++)	/* the layer finds out that callbacks are prompt */
		waits(cl_spun(spin, q[0], SHORT_US / 10, 0, NULL));
	in_callback(q[1]);
	behind(q);
	kill(child, SIGKILL);
	return test_end();
}
