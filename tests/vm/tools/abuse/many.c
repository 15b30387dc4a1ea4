// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - many at once, for the VM case `sections`: processes, channels of one, threads of one
 * channel, snapshots.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "abuse.h"

static void on_nothing(__attribute__((unused)) int nr)
{
}

/* A system call that the signal interrupts is made again. */
static void interruptible(void)
{
	struct sigaction act = { .sa_handler = on_nothing, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &act, NULL);
}

static int start[2];	/* a pipe whose end is the signal to begin */

static void await_start(void)
{
	char byte;

	while (read(start[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static void *submit_always(void *arg)
{
	struct chan *ch = arg;
	uint32_t seq;

	await_start();
	for (seq = 1;; seq++)
		if (submit(ch, seq) || (seq % 4 == 0 && chan_wait(ch)))
			return NULL;
}

/* One process of a crowd: it says that it is there, and submits in all its threads, which signals interrupt. */
static void one_of_crowd(unsigned int nr, unsigned int threads, unsigned int cost_us, int there)
{
	pthread_t thread[64];
	char name[16];
	struct chan ch;
	unsigned int i;

	snprintf(name, sizeof(name), "c%u", nr % 10);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	interruptible();
	close(start[1]);
	chan_new(&ch, open_node(), cost_us);
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, submit_always, &ch))
			fail("no thread");
	if (write(there, "", 1) != 1)
		fail("nobody listens");
	await_start();
	for (;;) {
		sleep_ms(2000);
		for (i = 0; i < threads; i++)
			pthread_kill(thread[i], SIGUSR1);
	}
}

/* crowd N THREADS COST: N processes c0 to c9, each with a channel and so many threads that submit to it, until killed */
void do_crowd(char **args)
{
	unsigned int n = number(args[0]), threads = number(args[1]), cost_us = number(args[2]), i;
	int there[2];
	char byte;

	if (threads > 64 || pipe(start))
		fail("64 threads at most");
	for (i = 0; i < n; i++) {
		if (pipe(there))
			fail("process %u: no pipe", i);
		if (!fork())
			one_of_crowd(i, threads, cost_us, there[1]);
		close(there[1]);
		if (read(there[0], &byte, 1) != 1)
			break;
		close(there[0]);
	}
	close(start[1]);
	printf("%u are there\n", i);
	fflush(stdout);
	for (;;)
		pause();
}

/* channels N THREADS COST: a process c0 with N channels and so many threads for each, which submit; until killed */
void do_channels(char **args)
{
	unsigned int n = number(args[0]), threads = number(args[1]), cost_us = number(args[2]), i, k;
	struct chan *ch = calloc(n, sizeof(*ch));
	pthread_t thread;

	prctl(PR_SET_NAME, "c0");
	if (!ch || pipe(start))
		fail("no memory");
	close(start[1]);	/* the first submit while the others come */
	for (i = 0; i < n; i++) {
		chan_new(&ch[i], open_node(), cost_us);
		for (k = 0; k < threads; k++)
			if (pthread_create(&thread, NULL, submit_always, &ch[i]))
				fail("no thread");
	}
	printf("%u are there\n", n);
	fflush(stdout);
	for (;;)
		pause();
}

/* line THREADS COST: so many threads of one channel, which a signal interrupts once they are there; until killed */
void do_line(char **args)
{
	const size_t stack = 32768;	/* a request takes 12 KiB of it, the C library a part */
	unsigned int n = number(args[0]), i, made;
	pthread_t *thread = calloc(n, sizeof(*thread));
	pthread_attr_t attr;
	struct chan ch;
	uint8_t *stacks;

	interruptible();
	chan_new(&ch, open_node(), number(args[1]));
	stacks = mmap(NULL, n * stack, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!thread || stacks == MAP_FAILED || pipe(start))
		fail("no memory");
	pthread_attr_init(&attr);
	for (made = 0; made < n; made++) {
		pthread_attr_setstack(&attr, stacks + made * stack, stack);
		if (pthread_create(&thread[made], &attr, submit_always, &ch))
			break;
	}
	printf("%u threads\n", made);
	fflush(stdout);
	close(start[1]);
	sleep_ms(4000);
	for (i = 0; i < made; i++)
		pthread_kill(thread[i], SIGUSR1);
	sleep_ms(1000);
	puts("interrupted");
	fflush(stdout);
	for (;;)
		pause();
}

/* snapshots N: N at once, each read in small pieces, in turns */
void do_snapshots(char **args)
{
	unsigned int n = number(args[0]), i, open_ones = n;
	char piece[200];
	ssize_t got;
	int *fd = calloc(n, sizeof(*fd));

	for (i = 0; i < n; i++) {
		fd[i] = open(TIMEGRAPH_SYSFS "/snapshot", O_RDONLY | O_CLOEXEC);
		if (fd[i] < 0)
			fail("snapshot %u: %s", i, strerror(errno));
	}
	while (open_ones)
		for (i = 0; i < n; i++) {
			got = fd[i] < 0 ? 1 : read(fd[i], piece, sizeof(piece));
			if (got > 0)
				continue;
			if (got && errno != ESTALE)
				fail("snapshot %u: %s", i, strerror(errno));
			close(fd[i]);
			fd[i] = -1;
			open_ones--;
		}
	printf("%u snapshots\n", n);
}
