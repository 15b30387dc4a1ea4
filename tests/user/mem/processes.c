// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that wait for each other, die, fork, execute others, and have threads.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

static void waits(void)
{
	struct program a = program("a", 0), b = program("b", 0);

	row_is("one gets 60 of 100", alloc(&a, 60 MIB, 0), 0);
	row_is("the next one no 41 more", alloc(&b, 41 MIB, 0), -EAGAIN);
	row_is("but 40", alloc(&b, 40 MIB, 0), 0);
	row_is("nor beside what it holds itself what would not fit alone", alloc(&b, 61 MIB, -1), -ENOMEM);
	order_alloc(&b, 30 MIB, -1);
	row_is("a program that waits, waits", said(&b, 100), NOTHING);
	release(&a, 29 MIB);
	row_is("29 back are too few", said(&b, 100), NOTHING);
	release(&a, 1 MIB);
	row_is("30 are enough", said(&b, 5000), 0);
	order_alloc(&a, 30 MIB, -1);
	row_is("it waits", said(&a, 50), NOTHING);
	row_is("the other one's shutdown", finish(&b), 0);
	row_is("gives all that it holds to the one that waits", said(&a, 5000), 0);
	finish(&a);
}

static void dies(void)
{
	struct program a, b, c;
	int keeps, ret, i;
	double took;

	for (i = 0; ; i++) {		/* up to three times: others may take the CPU meanwhile */
		a = program("a", 0);
		b = program("b", 0);
		c = program("c", 0);
		alloc(&a, 80 MIB, 0);
		order_alloc(&b, 80 MIB, -1);
		usleep(20000);
		order_alloc(&c, 80 MIB, -1);
		usleep(20000);
		killed(&b);
		keeps = said(&c, 100);
		took = seconds();
		killed(&a);
		ret = said(&c, 5000);
		took = seconds() - took;
		if (keeps != NOTHING || ret || took < 0.5 || i == 2)
			break;
		printf("# %.0f ms: measured again\n", took * 1e3);
		killed(&c);
		probe(SIZE, 0, 0);
	}
	row_is("the one that waits longest is killed: the holder keeps its own", keeps, NOTHING);
	row("the holder is killed: the last one gets it", !ret, "%d", ret);
	row("within half a second", took < 0.5, "%.0f ms", took * 1e3);
	/* A zombie is dead, though nobody has waited for it. */
	a = program("a", 0);
	order_alloc(&a, 80 MIB, -1);
	usleep(20000);
	kill(c.pid, SIGKILL);
	row_is("nor does one that nobody has waited for hold anything", said(&a, 5000), 0);
	killed(&c);
	finish(&a);
}

static void executes(void)
{
	struct program b = program("b", 0);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (tg_mem_init(0) || tg_mem_pre_alloc(card, 80 MIB, 0))
			_exit(3);
		usleep(200000);
		execl("/bin/sleep", "sleep", "20", NULL);
		_exit(127);
	}
	usleep(100000);
	order_alloc(&b, 80 MIB, -1);
	row_is("a program that will execute another holds what it holds", said(&b, 30), NOTHING);
	row_is("and nothing once it has", said(&b, 5000), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	finish(&b);
}

/* --- fork --- */

static int child(void)
{
	if (tg_mem_pre_alloc(card, 1, 0) != -ENOTCONN || tg_mem_post_free(card, 1) != -ENOTCONN)
		return 1;
	if (tg_mem_init(0) || tg_mem_post_free(card, 1) != -EINVAL)
		return 2;
	if (tg_mem_pre_alloc(card, 60 MIB, 0) != -EAGAIN || tg_mem_pre_alloc(card, 40 MIB, 0))
		return 3;
	return 0;	/* it ends without a word */
}

static int parent(void)
{
	int ret;

	if (tg_mem_init(0) || tg_mem_pre_alloc(card, 60 MIB, 0))
		return 10;
	ret = run(child);
	if (ret)
		return ret;
	if (tg_mem_pre_alloc(card, 41 MIB, 0) != -ENOMEM || tg_mem_pre_alloc(card, 40 MIB, 1000))
		return 11;
	return tg_mem_fini();
}

static void *waits_long(void *arg)
{
	*(int *)arg = tg_mem_pre_alloc(card, 60 MIB, patient(5) * 1000);
	return NULL;
}

/* Forks while a thread of it waits; the child's own life goes on */
static int forks_while_waiting(void)
{
	struct program other = program("other", 0);
	pthread_t thread;
	int ret = NOTHING, i;

	if (tg_mem_init(0) || alloc(&other, 60 MIB, 0) || pthread_create(&thread, NULL, waits_long, &ret))
		return 10;
	/* Once the thread waits, nobody else gets anything. */
	if (!probe(1, 0, -EAGAIN) || tg_mem_fini() != -EBUSY)
		return 11;
	for (i = 0; i < 20; i++) {
		struct program p = program("child", 0);

		if (alloc(&p, 1 MIB, 0) != -EAGAIN || finish(&p))	/* it is behind the thread */
			return 12;
	}
	release(&other, 60 MIB);
	pthread_join(thread, NULL);
	finish(&other);
	return ret ? 13 : tg_mem_fini();
}

/* --- threads --- */

static uint64_t in_use;		/* by all threads; atomic */
static int wrong;

static void *loops(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int i, ret;

	for (i = 0; i < 200; i++) {
		uint64_t bytes = rand_r(&seed) % (50 MIB);

		ret = tg_mem_pre_alloc(card, bytes, rand_r(&seed) % 3 * 10 - (i % 7 == 0));
		if (ret && ret != -EAGAIN && ret != -ETIMEDOUT && ret != -ENOMEM)
			__atomic_store_n(&wrong, ret, __ATOMIC_RELAXED);
		if (ret)
			continue;
		if (__atomic_add_fetch(&in_use, bytes, __ATOMIC_SEQ_CST) > SIZE)
			__atomic_store_n(&wrong, 77, __ATOMIC_RELAXED);
		__atomic_sub_fetch(&in_use, bytes, __ATOMIC_SEQ_CST);
		if (tg_mem_post_free(card, bytes))
			__atomic_store_n(&wrong, 78, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int threads(void)
{
	pthread_t thread[8];
	uintptr_t i;

	if (tg_mem_init(0))
		return 1;
	for (i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, loops, (void *)i);
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	if (wrong)
		return wrong < 0 ? -wrong : wrong;
	return tg_mem_pre_alloc(card, SIZE, 0) ? 79 : 0;
}

/* A thread that waits is cancelled: not before the call has returned, so that it can give back */
static void *is_cancelled(void *arg)
{
	int *ret = arg;

	*ret = tg_mem_pre_alloc(card, 60 MIB, 300);
	pthread_testcancel();
	*ret = 99;
	return NULL;
}

static int cancels(void)
{
	struct program other = program("other", 0);
	pthread_t thread;
	int ret = NOTHING;

	if (tg_mem_init(0) || alloc(&other, 60 MIB, 0) || pthread_create(&thread, NULL, is_cancelled, &ret))
		return 1;
	usleep(50000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	finish(&other);
	return ret != -ETIMEDOUT || tg_mem_pre_alloc(card, SIZE, 1000);
}

void processes(void)
{
	waits();
	dies();
	executes();
	row_is("a child begins anew, and its end gives back its own alone", run(parent), 0);
	row_is("children of a program whose thread waits", run(forks_while_waiting), 0);
	row_is("eight threads never hold more than there is", run(threads), 0);
	row_is("a thread that waits is cancelled after the call", run(cancels), 0);
}
