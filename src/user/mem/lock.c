// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Books in shared memory (shm.c) that programs lock by a file lock, and tell of by signals: the
 * schedGPU paper's second method (section 3.2, "Synchronising Access"), which it prefers. The
 * lock of a program that ends goes with it.
 *
 * The file's lock excludes processes, a mutex the threads of one. It is a lock of the process
 * (POSIX): a child neither has it nor keeps it.
 *
 * The signal is SIGURG, where the paper takes SIGUSR1 or SIGUSR2: by default it is ignored, so
 * one that comes to a process which had the number before harms nobody, and programs keep theirs.
 * A thread that waits blocks it, is sent it by its own number, and reads it from a descriptor: no
 * handler of the program is replaced. What is read without the mark of these books is the program's
 * own: it is sent again when the wait is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm.h"

#define MARK	SHM_MAGIC	/* of a signal of these books */

static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
/* SIGURG of the program's own that came while this thread waits; si_signo 0: none */
static __thread siginfo_t for_process, for_thread;

static int init(struct shm *shm)
{
	return 0;
}

static int lock(struct shm *shm, int fd)
{
	int ret;

	pthread_mutex_lock(&threads);
	/*
	 * The kernel looks for a deadlock by process. Another thread of ours may wait for a lock that the one
	 * who has this one holds; that is none.
	 */
	while ((ret = shm_lock_byte(fd, F_SETLKW, F_WRLCK, 0)) == -EDEADLK)
		usleep(1000);
	if (ret)
		pthread_mutex_unlock(&threads);
	return ret;
}

static void unlock(struct shm *shm, int fd)
{
	shm_lock_byte(fd, F_SETLK, F_UNLCK, 0);
	pthread_mutex_unlock(&threads);
}

/* Return: a descriptor that tells of SIGURG; -1: the thread looks at times. */
static int prepare(sigset_t *mask)
{
	sigset_t urgent;

	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(SIG_BLOCK, &urgent, mask);
	return signalfd(-1, &urgent, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void fetch(int waits)
{
	struct signalfd_siginfo info;
	siginfo_t *own;

	while (waits >= 0 && read(waits, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_code == SI_QUEUE && info.ssi_int == MARK)
			continue;
		own = info.ssi_code == SI_TKILL ? &for_thread : &for_process;
		own->si_signo = SIGURG;
		own->si_code = info.ssi_code;
		own->si_pid = info.ssi_pid;
		own->si_uid = info.ssi_uid;
		own->si_value.sival_ptr = (void *)(uintptr_t)info.ssi_ptr;
	}
}

/* The kernel lets the main thread alone say to the process what the kernel or kill() has said. */
static void send_again(void)
{
	if (for_process.si_signo &&
	    syscall(SYS_rt_sigqueueinfo, getpid(), SIGURG, &for_process))
		kill(getpid(), SIGURG);
	if (for_thread.si_signo)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGURG, &for_thread);
	for_process.si_signo = for_thread.si_signo = 0;
}

/* Nobody sends any more: the thread's request is in no queue. */
static void finish(int waits, const sigset_t *mask)
{
	fetch(waits);
	send_again();
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	if (waits >= 0)
		close(waits);
}

static uint32_t seen(struct shm *shm)
{
	return 0;
}

static bool sleep_until_sent(struct shm *shm, int waits, uint32_t seen, int ms)
{
	struct pollfd pfd = { .fd = waits, .events = POLLIN };
	const bool interrupted = poll(&pfd, 1, ms) < 0 && errno == EINTR;

	fetch(waits);
	return !interrupted;
}

static void wake(struct shm *shm, uint32_t pid, uint32_t tid)
{
	siginfo_t info = { .si_signo = SIGURG, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = MARK;
	syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGURG, &info);
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&threads);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&threads);
}

static void fork_child(void)
{
	pthread_mutex_init(&threads, NULL);
}

static const struct shm_sync by_lock = {
	.file = "mem-lock", .init = init, .lock = lock, .unlock = unlock,
	.prepare = prepare, .finish = finish, .seen = seen, .sleep = sleep_until_sent, .wake = wake,
	.fork_prepare = fork_prepare, .fork_parent = fork_parent, .fork_child = fork_child,
};

static int open_books(void)
{
	return shm_open_books(&by_lock);
}

const struct books books_lock = {
	.name = "lock", .open = open_books, .close = shm_close_books,
	.request = shm_request, .release = shm_release,
	.fork_prepare = fork_prepare, .fork_parent = fork_parent, .fork_child = shm_fork_child,
};
