// SPDX-License-Identifier: GPL-2.0
/*
 * infence - threads and processes that wait inside EXEC: for long, under signals, killed, and for a
 * syncobj that goes meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <xf86drm.h>

#include "infence.h"

#define GROUP_VA	0x20000000ull

/* Fermi's commands: @count words for @method and those that follow it */
#define COMMAND(method, count)	(1u << 29 | (count) << 16 | SUBCHANNEL_2D << 13 | (method) >> 2)
#define SUBCHANNEL_2D		3u
#define METHOD_OBJECT		0x0000u
#define CLASS_2D		0x902du
#define TWOD_DST_FORMAT		0x0200u		/* and linear */
#define TWOD_DST_PITCH		0x0214u		/* and width, height, address */
#define TWOD_CLIP_ENABLE	0x0290u
#define TWOD_OPERATION		0x02acu
#define TWOD_DRAW_SHAPE		0x0580u		/* and colour format, colour */
#define TWOD_DRAW_POINT32	0x0600u		/* two corners, the second one outside */
#define FORMAT_BGRA8_UNORM	0xcfu
#define OPERATION_SRCCOPY	3u
#define DRAW_RECTANGLES		4u

struct holder {
	pthread_t thread;
	long long ms, until, in_ioctl;
	unsigned int execs;
};

static void *hold_run(void *arg)
{
	struct holder *h = arg;
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new();

	while (now_ns() < h->until && !over) {
		struct foreign f = foreign_new();
		struct later later = {};
		long long from = now_ns(), left = (h->until - from) / MS;

		syncobj_set(wait.handle, &f);
		later_start(&later, &f, h->ms && h->ms < left ? h->ms : left);
		must("EXEC", exec(channel, &wait, &done));
		h->in_ioctl += now_ns() - from;
		h->execs++;
		later_end(&later);
		if (!syncobj_signalled(done.handle, 20000))
			fail("an EXEC did not end");
	}
	return NULL;
}

/*
 * hold SECONDS MS...: threads with a channel each, one EXEC at a time, each of which waits for a
 * fence for so long (0: until the end), for SECONDS or until SIGTERM
 */
void do_hold(char **args)
{
	struct holder holders[THREADS_MAX] = {};
	long long until = now_ns() + atoi(args[0]) * 1000 * MS;
	unsigned int i, n, execs = 0;
	long long in_ioctl = 0;

	for (n = 0; n < THREADS_MAX && args[n + 1]; n++) {
		holders[n].ms = atoi(args[n + 1]);
		holders[n].until = until;
		if (pthread_create(&holders[n].thread, NULL, hold_run, &holders[n]))
			fail("no thread");
	}
	for (i = 0; i < n; i++) {
		pthread_join(holders[i].thread, NULL);
		execs += holders[i].execs;
		in_ioctl += holders[i].in_ioctl;
	}
	printf("{\"execs\":%u,\"in_ioctl_ms\":%lld}\n", execs, in_ioctl / MS);
}

/* Commands in a page at @va; they fill the @pages behind it, which lie in the host's memory. */
static struct exec_push fill_at(uint64_t va, uint32_t pages)
{
	const uint64_t image = va + PAGE;
	const uint32_t words[] = {
		COMMAND(METHOD_OBJECT, 1), CLASS_2D,
		COMMAND(TWOD_DST_FORMAT, 2), FORMAT_BGRA8_UNORM, 1,
		COMMAND(TWOD_DST_PITCH, 5), PAGE, PAGE / 4, pages, (uint32_t)(image >> 32), (uint32_t)image,
		COMMAND(TWOD_CLIP_ENABLE, 1), 0,
		COMMAND(TWOD_OPERATION, 1), OPERATION_SRCCOPY,
		COMMAND(TWOD_DRAW_SHAPE, 3), DRAW_RECTANGLES, FORMAT_BGRA8_UNORM, 0,
		COMMAND(TWOD_DRAW_POINT32, 4), 0, 0, PAGE / 4, pages,
	};

	memcpy(buffer_at(va, (pages + 1ull) * PAGE), words, sizeof(words));
	return (struct exec_push){ .va = va, .va_len = sizeof(words) };
}

/*
 * slow MS PAGES FOR: when it is continued, EXECs one after the other for FOR milliseconds, each of which fills so many pages,
 * behind a fence that signals MS milliseconds after the call; 0: behind none
 */
void do_slow(char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	const long long ms = atoi(args[0]);
	long long until, waited = 0;
	int channel = channel_new();
	unsigned int n;

	group = fill_at(GROUP_VA, atoi(args[1]));
	must("EXEC", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, 20000))
		fail("the first EXEC did not end");
	raise(SIGSTOP);
	until = now_ns() + atoi(args[2]) * MS;
	for (n = 1; now_ns() < until; n++) {
		const long long from = now_ns();
		struct foreign f;
		struct later later = {};

		if (ms) {
			f = foreign_new();
			syncobj_set(wait.handle, &f);
			later_start(&later, &f, ms);
		}
		must("EXEC", exec(channel, ms ? &wait : NULL, &done));
		waited += ms ? now_ns() - from : 0;
		if (ms)
			later_end(&later);
		if (!syncobj_signalled(done.handle, 20000))
			fail("an EXEC did not end");
	}
	printf("{\"groups\":%u,\"waited_us\":%lld}\n", n, waited * 1000 / MS);
}

static volatile sig_atomic_t alarms;

static void on_alarm(__attribute__((unused)) int sig)
{
	alarms++;
}

/* signals: a signal every 20 ms, first one that interrupts calls, then one that restarts them */
void do_signals(__attribute__((unused)) char **args)
{
	const struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, never = {};
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new(), flags, ret;

	for (flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
		struct foreign f = foreign_new();
		struct later later = {};
		unsigned int interrupted = 0;
		long long from = now_ns();

		syncobj_set(wait.handle, &f);
		alarms = 0;
		sigaction(SIGALRM, &action, NULL);
		later_start(&later, &f, 1000);
		setitimer(ITIMER_REAL, &every, NULL);
		while ((ret = exec_once(channel, 1, &wait, &done)) == -EINTR)
			interrupted++;
		setitimer(ITIMER_REAL, &never, NULL);
		must("EXEC", ret);
		took("EXEC under signals", from, 900, 5000);
		later_end(&later);
		if (alarms < 5 || (flags ? interrupted : !interrupted))
			fail("%d signals, %u times EINTR, flags %x", alarms, interrupted, flags);
		if (!syncobj_signalled(done.handle, 5000))
			fail("the EXEC did not end");
	}
}

/*
 * kill: a child that waits for ten seconds dies at once; its fence, still unsignalled, delays no
 * other EXEC
 */
void do_kill(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	int channel = channel_new(), status;
	long long from;
	pid_t child;

	syncobj_set(wait.handle, &f);
	child = fork();
	if (!child)
		_exit(exec(channel, &wait, NULL) ? 1 : 0);
	sleep_ms(500);
	/* Beside it, on the same channel, what waits for nothing */
	from = now_ns();
	must("EXEC beside", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, 5000))
		fail("the EXEC beside it did not end");
	took("an EXEC beside one that waits", from, 0, 2000);
	from = now_ns();
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	took("a SIGKILL", from, 0, 2000);
	if (!WIFSIGNALED(status))
		fail("it had ended before: status %x", status);
	foreign_signal(&f);
}

static void destroy_syncobj(void *arg)
{
	if (drmSyncobjDestroy(nouveau, *(uint32_t *)arg))
		fail("SYNCOBJ_DESTROY: %s", strerror(errno));
}

/* destroy: the syncobj goes while it is waited for; nouveau then finds none */
void do_destroy(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() };
	struct later later = { .before = destroy_syncobj, .arg = &wait.handle };
	struct foreign f = foreign_new();
	int channel = channel_new(), ret;
	long long from = now_ns();

	syncobj_set(wait.handle, &f);
	later_start(&later, &f, 300);
	ret = exec(channel, &wait, NULL);
	took("EXEC", from, 500, 5000);
	later_end(&later);
	if (ret != -ENOENT)
		fail("EXEC on a syncobj that has gone: %s", strerror(-ret));
}
