// SPDX-License-Identifier: GPL-2.0
/*
 * Many programs: on a third of what they need together, under each order; and killed at random.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

#define WORKERS	4

/* --- twelve --- */

static uint64_t *together;	/* what all hold; shared */

/* It needs 25 of 100 MiB, in two parts: the paper's programs say before what they will need. */
static int needs(void)
{
	int i, ret;

	if (tg_mem_init(0))
		return 1;
	for (i = 0; i < 20; i++) {
		ret = tg_mem_pre_alloc(card, 25 MIB, -1);
		if (ret)
			return 2;
		if (__atomic_add_fetch(together, 25 MIB, __ATOMIC_SEQ_CST) > SIZE)
			return 3;
		usleep(1000);
		__atomic_sub_fetch(together, 25 MIB, __ATOMIC_SEQ_CST);
		if (tg_mem_post_free(card, 10 MIB) || tg_mem_post_free(card, 15 MIB))
			return 4;
	}
	return tg_mem_fini() ? 5 : 0;
}

static void twelve(int order)
{
	char name[80];
	pid_t pid[12];
	int i, status, good = 0, first = 0;

	set_order(order);
	fflush(stdout);
	for (i = 0; i < 12; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			alarm(60);
			_exit(needs());
		}
	}
	for (i = 0; i < 12; i++) {
		waitpid(pid[i], &status, 0);
		good += !status;
		first = first ?: status;
	}
	snprintf(name, sizeof(name), "12 programs on a third of what they need, order %d", order);
	row(name, good == 12, "%d of them ended well; status %x", good, first);
}

void crowds(void)
{
	int order;

	together = mmap(NULL, sizeof(*together), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (order = 1; order <= 4; order++)
		twelve(order);
	set_order(1);
}

/* --- killed --- */

/* What a worker holds, as it says itself; shared */
static struct worker {
	uint64_t held;
	int dying;	/* what it holds is not certain any more */
} *workers;

static int *paused, *overrun;
static unsigned int *changes;	/* so many have begun, of what workers hold */

static uint64_t sum(void)
{
	uint64_t all = 0;
	int i;

	for (i = 0; i < WORKERS; i++)
		if (!__atomic_load_n(&workers[i].dying, __ATOMIC_SEQ_CST))
			all += __atomic_load_n(&workers[i].held, __ATOMIC_SEQ_CST);
	return all;
}

static void change(struct worker *me, int64_t bytes)
{
	__atomic_add_fetch(changes, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&me->held, bytes, __ATOMIC_SEQ_CST);
}

/* Is more held than there is? Looks only if nothing changes meanwhile. */
static bool too_much(void)
{
	const unsigned int before = __atomic_load_n(changes, __ATOMIC_SEQ_CST);
	const uint64_t all = sum();

	return all > SIZE && before == __atomic_load_n(changes, __ATOMIC_SEQ_CST);
}

static void work(struct worker *me, unsigned int seed)
{
	uint64_t bytes;

	if (tg_mem_init(0))
		_exit(1);
	for (;;) {
		while (__atomic_load_n(paused, __ATOMIC_SEQ_CST))
			usleep(200);
		bytes = rand_r(&seed) % (60 MIB) + 1;
		if (me->held && rand_r(&seed) % 2) {
			bytes = bytes % me->held + 1;
			change(me, -(int64_t)bytes);
			tg_mem_post_free(card, bytes);
			continue;
		}
		if (!tg_mem_pre_alloc(card, bytes, rand_r(&seed) % 4 * 5)) {
			change(me, bytes);
			if (too_much())
				*overrun = 1;
		}
	}
}

static pid_t start(int i, unsigned int seed)
{
	pid_t pid;

	__atomic_store_n(&workers[i].held, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&workers[i].dying, 0, __ATOMIC_SEQ_CST);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(&workers[i], seed);
	}
	return pid;
}

static void end(int i, pid_t pid)
{
	__atomic_store_n(&workers[i].dying, 1, __ATOMIC_SEQ_CST);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* While the workers pause: is all free that they do not hold, and no byte more? */
static bool exact(struct program *p)
{
	double end = seconds() + patient(5);
	uint64_t left;

	do {
		left = SIZE - sum();
		if (left && alloc(p, left, 0))
			continue;
		if (left && release(p, left))
			return false;
		if (left == SIZE - sum() && alloc(p, left + 1, 0) < 0)
			return true;
		release(p, left + 1);
	} while (seconds() < end && !usleep(1000));
	return false;
}

void kills(int how_many)
{
	struct program p = program("judge", 0);
	unsigned int seed = 1;
	int i, n, wrong = 0;
	pid_t pid[WORKERS];
	char name[80];

	workers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	paused = (int *)(workers + WORKERS);
	overrun = paused + 1;
	changes = (unsigned int *)paused + 2;
	finish(&p);
	set_order(2);
	p = program("judge", 0);
	for (i = 0; i < WORKERS; i++)
		pid[i] = start(i, i);
	for (n = 0; n < how_many; n++) {
		usleep(rand_r(&seed) % 20000);
		i = rand_r(&seed) % WORKERS;
		end(i, pid[i]);
		*paused = 1;
		wrong += !exact(&p);
		*paused = 0;
		pid[i] = start(i, n + 10);
	}
	for (i = 0; i < WORKERS; i++)
		end(i, pid[i]);
	finish(&p);
	snprintf(name, sizeof(name), "after each of %d random kills the books are right", how_many);
	row(name, !wrong, "%d times they were not", wrong);
	row("and never more was granted than there is", !*overrun, "it was");
	row("all comes back", probe(SIZE, 0, 0), "it does not");
	set_order(1);
}
