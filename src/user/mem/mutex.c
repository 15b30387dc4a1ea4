// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Books in shared memory (shm.c) with a mutex and a condition: the schedGPU paper's first method (section 3.2,
 * "Synchronising Access"). The paper gave it up because the mutex of a program that is killed stayed locked.
 * This one is robust: the next program gets it, with the books as they were before.
 *
 * The condition is a futex that counts, not pthread_cond_t: a program that is killed while it waits in that
 * leaves it waiting for the dead.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shm.h"

#define FUTEX_WAIT_SHARED	0
#define FUTEX_WAKE_SHARED	1

static int init(struct shm *shm)
{
	pthread_mutexattr_t attr;
	int ret;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	ret = pthread_mutex_init(&shm->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return -ret;
}

static int lock(struct shm *shm, int fd)
{
	int ret = pthread_mutex_lock(&shm->mutex);

	if (ret == EOWNERDEAD)
		ret = pthread_mutex_consistent(&shm->mutex);
	return -ret;
}

static void unlock(struct shm *shm, int fd)
{
	pthread_mutex_unlock(&shm->mutex);
}

static int prepare(sigset_t *mask)
{
	return 0;
}

static void finish(int waits, const sigset_t *mask)
{
}

static uint32_t seen(struct shm *shm)
{
	return __atomic_load_n(&shm->freed, __ATOMIC_RELAXED);
}

static bool sleep_until_freed(struct shm *shm, int waits, uint32_t seen, int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	return !syscall(SYS_futex, &shm->freed, FUTEX_WAIT_SHARED, seen, &t, NULL, 0) || errno != EINTR;
}

static void wake(struct shm *shm, uint32_t pid, uint32_t tid)
{
	__atomic_add_fetch(&shm->freed, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &shm->freed, FUTEX_WAKE_SHARED, INT32_MAX, NULL, NULL, 0);
}

/* What another thread of the parent holds, the child never touches. */
static void fork_nothing(void)
{
}

static const struct shm_sync by_mutex = {
	.file = "mem-mutex", .init = init, .lock = lock, .unlock = unlock, .prepare = prepare, .finish = finish,
	.seen = seen, .sleep = sleep_until_freed, .wake = wake,
	.fork_prepare = fork_nothing, .fork_parent = fork_nothing, .fork_child = fork_nothing,
};

static int open_books(void)
{
	return shm_open_books(&by_mutex);
}

const struct books books_mutex = {
	.name = "mutex", .open = open_books, .request = shm_request, .release = shm_release, .close = shm_close_books,
	.fork_prepare = fork_nothing, .fork_parent = fork_nothing, .fork_child = shm_fork_child,
};
