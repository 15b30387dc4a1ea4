// SPDX-License-Identifier: GPL-2.0
/*
 * One program, or a few, and what the functions return.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"

/* --- what comes from the program alone --- */

/* Each call of a table, in a program of its own that has begun */
static const struct call {
	const char *name, *device;
	uint64_t pre, post;	/* bytes */
	int want;		/* of the last of the two that is made */
} calls[] = {
	{ "what fits", card, SIZE, 0, 0 },
	{ "nothing", card, 0, 0, 0 },
	{ "a byte more than there is", card, SIZE + 1, 0, -ENOMEM },
	{ "2^62 bytes", card, 1ULL << 62, 0, -ENOMEM },
	{ "2^64 - 1 bytes", card, UINT64_MAX, 0, -ENOMEM },
	{ "a device that nobody knows", "test:none", 1, 0, -ENODEV },
	{ "a PCI address where nothing is", "ffff:ff:1f.7", 1, 0, -ENODEV },
	{ "a path for a device", "../../../../etc/passwd", 1, 0, -ENODEV },
	{ "no device's name", "", 1, 0, -EINVAL },
	{ "a free of all", card, 5, 5, 0 },
	{ "a free of more than is held", card, 5, 6, -EINVAL },
	{ "a free of 2^62", card, 5, 1ULL << 62, -EINVAL },
	{ "a free of 2^64 - 1", card, 5, UINT64_MAX, -EINVAL },
	{ "a free where nothing is held", card, 0, 1, -EINVAL },
	{ "a free on a device that nobody knows", "test:none", 0, 1, -ENODEV },
};

static int one_call(const struct call *c)
{
	int ret = tg_mem_init(0);

	if (!ret && (c->pre || !c->post))
		ret = tg_mem_pre_alloc(c->device, c->pre, 0);
	if (!ret && c->post)
		ret = tg_mem_post_free(c->device, c->post);
	return ret;
}

static const struct call *current;

static int call_current(void)
{
	errno = EDOM;
	return -one_call(current) + (errno != EDOM ? 200 : 0);
}

static char longest[256];

static int long_name(void)
{
	memset(longest, 'x', 128);
	if (tg_mem_init(0) || tg_mem_pre_alloc(longest, 1, 0) != -EINVAL || tg_mem_pre_alloc(NULL, 1, 0) != -EINVAL)
		return 1;
	longest[127] = '\0';
	return tg_mem_pre_alloc(longest, 1, 0) != -ENODEV;
}

static int not_begun(void)
{
	if (tg_mem_pre_alloc(card, 1, 0) != -ENOTCONN || tg_mem_post_free(card, 1) != -ENOTCONN ||
	    tg_mem_fini() != -ENOTCONN || tg_mem_init(1) != -EINVAL || tg_mem_init(~0U) != -EINVAL)
		return 1;
	return tg_mem_fini() != -ENOTCONN;
}

static int twice(void)
{
	int i;

	if (tg_mem_init(0) || tg_mem_init(0) || tg_mem_pre_alloc(card, SIZE, 0) || tg_mem_fini() ||
	    tg_mem_pre_alloc(card, 1, 0) != -ENOMEM || tg_mem_fini() || tg_mem_fini() != -ENOTCONN)
		return 1;
	for (i = 0; i < 200; i++)
		if (tg_mem_init(0) || tg_mem_pre_alloc(card, SIZE, 1000) || tg_mem_fini())
			return 2;
	return 0;
}

/* --- time and signals --- */

static double started;

static int late(void)
{
	struct program other = program("other", 0);
	int ret = 0;

	tg_mem_init(0);
	alloc(&other, 60 MIB, 0);
	if (tg_mem_pre_alloc(card, 60 MIB, 0) != -EAGAIN)
		ret = 1;
	started = seconds();
	if (!ret && tg_mem_pre_alloc(card, 60 MIB, 200) != -ETIMEDOUT)
		ret = 2;
	if (!ret && (seconds() - started < 0.2 || seconds() - started > patient(2)))
		ret = 3;
	/* What has been given up must not be granted later. */
	if (!ret && (release(&other, 60 MIB) || tg_mem_pre_alloc(card, SIZE, 1000)))
		ret = 4;
	finish(&other);
	return ret;
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled++;
}

/* Waits while a signal comes each 100 ms; @flags: of its handler */
static int signalled(int flags, int want)
{
	struct sigaction act = { .sa_handler = flags < 0 ? SIG_IGN : handle, .sa_flags = flags < 0 ? 0 : flags };
	const struct itimerspec each = { { 0, 100000000 }, { 0, 100000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct program other = program("other", 0);
	timer_t timer;
	int ret;

	handled = 0;
	tg_mem_init(0);
	alloc(&other, 60 MIB, 0);
	sigaction(SIGUSR1, &act, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &each, NULL))
		return 1;
	started = seconds();
	ret = tg_mem_pre_alloc(card, 60 MIB, want == -EINTR ? 50000 : 400);
	timer_delete(timer);
	if (ret != want)
		return 2;
	if (want == -EINTR && (!handled || seconds() - started > patient(4)))
		return 3;
	if (release(&other, 60 MIB) || tg_mem_pre_alloc(card, SIZE, 1000))
		return 4;
	finish(&other);
	return 0;
}

static int interrupted(void)
{
	return signalled(0, -EINTR);
}

static int restarts(void)
{
	return signalled(SA_RESTART, -EINTR);
}

static int ignored(void)
{
	return signalled(-1, -ETIMEDOUT);
}

/* SIGURG, which the books of lock use themselves, sent by somebody else */
static int urged(void)
{
	struct program other = program("other", 0), waits = program("waits", 0);
	int i;

	alloc(&other, 60 MIB, 0);
	order_alloc(&waits, 60 MIB, -1);
	for (i = 0; i < 50; i++) {
		kill(waits.pid, SIGURG);
		usleep(1000);
	}
	if (said(&waits, 50) != NOTHING)
		return 1;
	kill(waits.pid, SIGSTOP);
	usleep(20000);
	kill(waits.pid, SIGCONT);
	if (said(&waits, 100) != NOTHING || release(&other, 60 MIB) || said(&waits, 5000))
		return 2;
	return finish(&other) || finish(&waits);
}

/* Waits for 60 of 100 MiB while @fn runs beside it, after 200 ms */
static int beside(struct program *other, void (*fn)(struct program *other), int timeout_ms)
{
	pid_t pid = fork();
	int ret;

	if (!pid) {
		usleep(200000);
		fn(other);
		_exit(0);
	}
	ret = tg_mem_pre_alloc(card, 60 MIB, timeout_ms);
	waitpid(pid, NULL, 0);
	return ret;
}

static void urges(struct program *other)
{
	kill(getppid(), SIGURG);
}

static void gives_back(struct program *other)
{
	release(other, 60 MIB);
}

/* The program handles SIGURG itself: that of its own, and none of the books' */
static int urged_itself(void)
{
	struct program other = program("other", 0);

	handled = 0;
	tg_mem_init(0);
	alloc(&other, 60 MIB, 0);
	signal(SIGURG, handle);
	if (beside(&other, urges, 500) != -ETIMEDOUT || handled != 1)
		return 1 + handled;
	if (beside(&other, gives_back, 20000) || handled != 1)
		return 10 + handled;
	return finish(&other);
}

/* The library's call comes here */
static bool out_of_memory;

int posix_memalign(void **to, size_t align, size_t size)
{
	*to = out_of_memory ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
	return *to ? 0 : ENOMEM;
}

static int no_memory(void)
{
	int ret;

	tg_mem_init(0);
	out_of_memory = true;
	ret = tg_mem_pre_alloc(card, SIZE, 0);
	out_of_memory = false;
	return ret != -ENOMEM || tg_mem_post_free(card, 1) != -EINVAL ||
	       tg_mem_pre_alloc(card, SIZE, 0);
}

void basics(void)
{
	size_t i;
	int ret;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		current = &calls[i];
		ret = run(call_current);
		row(current->name, ret == -current->want, "%d (%s)", ret, strerror(ret < 0 ? 0 : ret));
	}
	row_is("names of 127 bytes are names, of 128 not", run(long_name), 0);
	row_is("not without tg_mem_init(), whose flags are 0", run(not_begun), 0);
	row_is("begun twice, ended twice; 200 times", run(twice), 0);
	row_is("no wait, and a wait of 200 ms", run(late), 0);
	row_is("a signal handler ends a wait", run(interrupted), 0);
	row_is("with SA_RESTART, too", run(restarts), 0);
	row_is("a signal that is ignored does not", run(ignored), 0);
	row_is("nor do SIGURG, SIGSTOP and SIGCONT", run(urged), 0);
	if (!strcmp(kind, "lock"))
		row_is("a SIGURG of the program's own comes after the wait", run(urged_itself), 0);
	if (tgd_pid())
		row_is("no memory for a client: nothing is granted", run(no_memory), 0);
}
