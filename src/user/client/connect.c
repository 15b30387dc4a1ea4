// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The connection to tgd: found or started, kept by a helper thread, found again when it is lost.
 *
 * The helper is the only one that reads the socket. It blocks all signals, and ends with the process;
 * the library is not unloaded before that (-z nodelete). A child after fork() shares neither page nor
 * socket: it runs unscheduled, until it opens the device anew.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "place.h"

#define TRIES		20		/* to connect to a daemon that is starting, or ending */
#define STARTS		3		/* of these may start one: one that was found may have ended */
#define START_S		5		/* that a daemon may take until it listens; then it is killed */
#define TRY_MS		25
#define ANSWER_MS	2000		/* that a daemon may take to answer */
#define AGAIN_MS	100		/* after a daemon was lost; doubles up to: */
#define AGAIN_MAX_MS	30000

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tgu *all;

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* --- finding the daemon --- */

/**
 * struct start - a daemon that is started, for the processes that do it
 * @program: it
 * @env: its environment
 * @pidfd: of the daemon's first process
 * @status: as wait(); not 0: no daemon listens
 * @file: where this code lies
 * @at: where the daemon may be
 * @stack: for two processes
 */
struct start {
	const char *program;
	char **env;
	int pidfd, status;
	char file[PATH_MAX], at[PATH_MAX + 32], path[PATH_MAX];
	char stack[128 << 10] __attribute__((aligned(16)));
};

/* The file that this code lies in, as the kernel knows it: dladdr() may say argv[0], or a relative path. */
static bool own_file(char path[PATH_MAX])
{
	const unsigned long here = (unsigned long)own_file;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (maps && !found && getline(&line, &size, maps) > 0)
		found = sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &from, &to, path) == 3 &&
			from <= here && here < to;
	free(line);
	if (maps)
		fclose(maps);
	return found && *path == '/';
}

/*
 * Can nobody change this program but root, this user and @library, who owns this code? What lies
 * beside a program may lie in a directory where all may write. @path: without symbolic links; it is
 * cut
 */
static bool may_execute(char *path, uid_t library)
{
	struct stat st;
	char *slash;

	for (;;) {
		if (lstat(*path ? path : "/", &st) ||
		    (st.st_uid && st.st_uid != geteuid() && st.st_uid != library) ||
		    (st.st_mode & S_IWOTH && !(S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX)))
			return false;
		slash = strrchr(path, '/');
		if (!slash)
			return true;
		*slash = '\0';
	}
}

static const char *find_daemon(struct start *s)
{
	static const char *const beside[] = { "/../bin/tgd", "/../../bin/tgd" };
	const char *given = secure_getenv("TGD_DAEMON"), *slash;
	struct stat st;
	size_t i;

	if (given && *given)
		return given;
	if (!own_file(s->file) || stat(s->file, &st))
		return "/usr/bin/tgd";
	slash = strrchr(s->file, '/');
	for (i = 0; i < 2; i++) {
		snprintf(s->at, sizeof(s->at), "%.*s%s", (int)(slash - s->file), s->file, beside[i]);
		if (access(s->at, X_OK) || !realpath(s->at, s->path))
			continue;
		strcpy(s->at, s->path);
		if (may_execute(s->at, st.st_uid))
			return s->path;
	}
	return "/usr/bin/tgd";
}

static int exec_daemon(void *arg)
{
	struct start *s = arg;
	char *const argv[] = { (char *)s->program, "--on-demand", NULL };

	execve(s->program, argv, s->env);
	_exit(127);
}

/*
 * Wait until the daemon listens: it forks then, and the process that was started ends. In a process
 * in between, since execve() makes its caller an ordinary child, of which the program would get
 * SIGCHLD, and a zombie that no wait() expects. It has the program's memory: no cancellation point.
 */
static int await_daemon(void *arg)
{
	struct start *s = arg;
	const struct timespec limit = { .tv_sec = START_S };
	struct pollfd pfd = { .events = POLLIN };
	int pid;

	signal(SIGCHLD, SIG_DFL);
	pid = clone(exec_daemon, s->stack + sizeof(s->stack) / 2,
		    CLONE_VM | CLONE_VFORK | CLONE_PIDFD, s, &s->pidfd);
	if (pid < 0)
		_exit(0);
	pfd.fd = s->pidfd;
	if (syscall(SYS_ppoll, &pfd, 1, &limit, NULL, 0) <= 0)
		kill(pid, SIGKILL);
	syscall(SYS_wait4, pid, &s->status, __WALL, NULL);
	_exit(0);
}

/* Without LD_PRELOAD and its like, which are meant for the program: a false clock, a debugger's malloc() */
static char **daemon_environment(void)
{
	extern char **environ;
	size_t nr = 0, i;
	char **env;

	for (i = 0; environ && environ[i]; i++)
		;
	env = calloc(i + 1, sizeof(*env));
	while (env && i--)
		if (strncmp(environ[i], "LD_", 3))
			env[nr++] = environ[i];
	return env;
}

/*
 * Start a daemon, and wait until it listens. The program does not see these processes: they end
 * without SIGCHLD, and no wait() of the program finds one. Return: does it listen, or another one?
 */
static bool start_daemon(void)
{
	sigset_t every, old;
	struct start *s;
	int pid, status;

	/* A set-uid program's environment is another user's, and its daemon would serve that user. */
	if (geteuid() != getuid() || getegid() != getgid())
		return false;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return false;
	s->program = find_daemon(s);
	s->env = daemon_environment();
	s->status = -1;
	/* No handler of the program runs in the processes that share its memory. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	pid = s->env ? clone(await_daemon, s->stack + sizeof(s->stack), CLONE_VM | CLONE_VFORK, s) : -1;
	if (pid > 0)
		syscall(SYS_wait4, pid, NULL, __WCLONE, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	status = s->status;
	free(s->env);
	munmap(s, sizeof(*s));
	return !status;
}

/* --- becoming a client --- */

/* Descriptors that came with the answer. Return: both are there. */
static bool descriptors(struct msghdr *msg, int fds[2])
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);

	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS ||
	    cmsg->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(cmsg), 2 * sizeof(int));
	return true;
}

static struct tgd_page *map_page(int fd)
{
	struct tgd_page *page;
	struct stat st;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(*page))
		return NULL;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return page == MAP_FAILED ? NULL : page;
}

/*
 * How a try to become a client has ended: once more, soon or after a while; refused for good; a
 * client.
 */
enum tried { TRY_SOON, TRY_LATER, TRIED_REFUSED, TRIED_CLIENT };

static bool say_hello(const struct tgu *u, int fd)
{
	struct tgd_hello hello = {
		.magic = TGD_MAGIC, .kind = TGD_HELLO, .version = TGD_VERSION,
		.engines = u->device->engines, .yields = u->device->yields, .memory = u->device->memory, .held = u->held,
	};

	snprintf(hello.key, sizeof(hello.key), "%s", u->device->key);
	snprintf(hello.name, sizeof(hello.name), "%s", u->device->name);
	return send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello);
}

/* Return: there is an answer, or the end, within ANSWER_MS. */
static bool answered(int fd)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	const int64_t until = tgu_now() + ANSWER_MS * 1000000LL;
	int64_t left = ANSWER_MS;
	int ret;

	do {
		ret = poll(&answer, 1, (int)left);
		left = (until - tgu_now()) / 1000000;
	} while (ret < 0 && errno == EINTR && left > 0);
	return ret > 0;
}

/* The answer has come; under the lock. */
static enum tried welcomed(struct tgu *u, int fd)
{
	char control[CMSG_SPACE(2 * sizeof(int))];
	struct tgd_welcome welcome;
	struct iovec iov = { &welcome, sizeof(welcome) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct tgd_page *page;
	int fds[2];

	if (recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != sizeof(welcome) ||
	    welcome.magic != TGD_MAGIC || welcome.kind != TGD_WELCOME)
		return TRY_SOON;
	u->error = welcome.error;
	if (welcome.error) {
		memcpy(u->why, welcome.why, sizeof(u->why) - 1);
		/* Other reasons may be gone later: another daemon has ended, or other programs. */
		return welcome.error == EPROTO || welcome.error == EPERM ? TRIED_REFUSED :
									  TRY_LATER;
	}
	u->said = 0;
	if (!descriptors(&msg, fds))
		return TRY_SOON;
	page = map_page(fds[0]);
	close(fds[0]);
	if (!page) {
		close(fds[1]);
		return TRY_SOON;
	}
	u->bell = fds[1];
	u->socket = fd;
	memset(u->used, 0, sizeof(u->used));
	u->inflight = 0;
	u->term++;
	__atomic_store_n(&u->page, page, __ATOMIC_RELEASE);
	return TRIED_CLIENT;
}

static void *helper(void *arg);

static void release(struct tgu *u)
{
	if (__atomic_sub_fetch(&u->users, 1, __ATOMIC_ACQ_REL))
		return;
	free(u->none);
	free(u);
}

/* Once, by tgu_open()'s thread: it waits until that is done. */
static void start_helper(struct tgu *u)
{
	if (u->helper)
		return;
	__atomic_add_fetch(&u->users, 1, __ATOMIC_RELAXED);
	u->helper = tgu_thread(helper, u);
	if (!u->helper)
		release(u);
}

bool tgu_thread(void *(*run)(void *), void *arg)
{
	sigset_t every, old;
	pthread_t thread;
	bool started;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	started = !pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

/* Nothing is locked during the wait. If what is held has changed meanwhile, HELLO was not true. */
static enum tried try_client(struct tgu *u, int fd)
{
	enum tried tried = TRY_SOON;
	bool said = false, came;
	uint64_t held;

	pthread_mutex_lock(&u->lock);
	held = u->held;
	if (!u->closed && u->socket < 0)
		said = say_hello(u, fd);
	pthread_mutex_unlock(&u->lock);
	if (said)
		start_helper(u);		/* while the daemon is at work */
	came = said && answered(fd);
	pthread_mutex_lock(&u->lock);
	if (u->closed)
		tried = TRIED_REFUSED;
	else if (u->socket >= 0)
		tried = TRIED_CLIENT;
	else if (said && !came)
		tried = TRY_LATER;
	else if (said && u->held == held)
		tried = welcomed(u, fd);
	if (u->socket != fd)
		close(fd);
	pthread_mutex_unlock(&u->lock);
	return tried;
}

/* No daemon is spoken to, since what is in its place has to be mended by a person: tell_refusal(). */
static void keep_reason(struct tgu *u, int error, const char *why)
{
	pthread_mutex_lock(&u->lock);
	if (u->socket < 0 && *why) {
		u->error = error;
		snprintf(u->why, sizeof(u->why), "%s", why);
	}
	pthread_mutex_unlock(&u->lock);
}

/*
 * The daemon of all users first; where it leaves the device to another daemon, that one may be the
 * user's own. @starts: how many may be started, where nobody listens. Return: as try_client(); one
 * that takes no connection is as one that does not answer.
 */
static enum tried try_daemons(struct tgu *u, int *starts)
{
	char path[TGU_PATH], why[TGU_WHY];
	bool busy = false;
	int place = 0, fd;
	enum tried tried;

	while ((fd = tgu_dial(&place, path, why)) >= 0) {
		tried = try_client(u, fd);
		if (tried != TRY_LATER || u->error != EBUSY)
			return tried;
		busy = true;
	}
	if (busy)
		return TRY_LATER;
	if (fd == -ENOENT)
		return !*starts || ((*starts)--, start_daemon()) ? TRY_SOON : TRY_LATER;
	keep_reason(u, -fd, why);
	return TRY_LATER;
}

/* Each reason once, though it may be found again and again. */
static void tell_refusal(struct tgu *u)
{
	pthread_mutex_lock(&u->lock);
	if (u->socket < 0 && u->error && u->error != u->said) {
		fprintf(stderr, "timegraph: %s: %s; this program runs unscheduled\n",
			u->device->name, u->why);
		u->said = u->error;
	}
	pthread_mutex_unlock(&u->lock);
}

/* Connect if there is, or can be, a daemon. */
void tgu_connect(struct tgu *u)
{
	enum tried tried = TRY_SOON;
	int starts = STARTS, i;

	for (i = 0; i < TRIES && tried == TRY_SOON; i++) {
		tried = try_daemons(u, &starts);
		if (tried == TRY_SOON && i)
			sleep_ms(TRY_MS);
	}
	tell_refusal(u);
	u->refused = tried == TRIED_REFUSED;
}

/* --- losing it --- */

/*
 * Has the daemon of this connection gone? Called in the program's threads, as tgu_lost(): close() and
 * recv() would be cancellation points, under the lock.
 */
bool tgu_hung_up(struct tgu *u, uint32_t term)
{
	bool gone = true;
	char byte;

	pthread_mutex_lock(&u->lock);
	if (u->term == term && u->socket >= 0)
		gone = !syscall(SYS_recvfrom, u->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
	pthread_mutex_unlock(&u->lock);
	return gone;
}

/* The connection is over: all that waits goes on, and launches pass. */
void tgu_lost(struct tgu *u, uint32_t term)
{
	uint64_t asleep[TGD_SLOTS / 64] = { 0 };
	struct tgd_page *page;
	int i;

	pthread_mutex_lock(&u->lock);
	if (u->term != term || u->socket < 0) {
		pthread_mutex_unlock(&u->lock);
		return;
	}
	page = u->page;
	u->term++;
	__atomic_store_n(&u->page, u->none, __ATOMIC_RELEASE);
	shutdown(u->socket, SHUT_RDWR);
	if (u->socket != u->served)		/* else the helper closes it */
		syscall(SYS_close, u->socket);
	u->socket = -1;
	syscall(SYS_close, u->bell);
	u->bell = -1;
	for (i = 0; i < TGD_SLOTS; i++)
		if (u->used[i / 64] & 1ULL << i % 64 &&
		    __atomic_exchange_n(&page->slot[i], TGD_LOST, __ATOMIC_ACQ_REL) == TGD_SLEEP)
			asleep[i / 64] |= 1ULL << i % 64;
	memset(u->used, 0, sizeof(u->used));
	u->inflight = 0;
	pthread_mutex_unlock(&u->lock);
	for (i = 0; i < TGD_SLOTS; i++)
		if (asleep[i / 64] & 1ULL << i % 64)
			tgu_wake(&page->slot[i], INT32_MAX);
	tgu_wake(&u->ended, INT32_MAX);
}

/* --- the helper --- */

static void sync_open(struct tgu *u, uint32_t term, uint32_t number)
{
	struct tgd_record r = { .kind = TGD_REC_IDLE, .slot = number };
	uint64_t gone;

	/* A thread that saw the gate open may be on its way to the driver. */
	do {
		gone = __atomic_load_n(&u->gone, __ATOMIC_SEQ_CST);
		if (gone == __atomic_load_n(&u->begun, __ATOMIC_SEQ_CST))
			break;
		sleep_ms(1);
	} while (!tgu_hung_up(u, term));
	u->device->drain(u->device->owner);
	pthread_mutex_lock(&u->lock);
	r.arg = gone - u->told;
	u->told = gone;
	tgu_publish(u, term, &r);
	pthread_mutex_unlock(&u->lock);
}

/* Serve one connection until it is over. */
static void listen_to(struct tgu *u, int fd, uint32_t term)
{
	struct tgd_notice notice;
	ssize_t len;

	for (;;) {
		len = recv(fd, &notice, sizeof(notice), 0);
		if (len < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (len <= 0)
			break;
		if (len != sizeof(notice) || notice.magic != TGD_MAGIC)
			continue;
		if (notice.kind == TGD_NOTICE_TOLD)
			u->device->told(u->device->owner);
		else if (notice.kind == TGD_NOTICE_SYNC)
			sync_open(u, term, notice.number);
	}
	tgu_lost(u, term);
	pthread_mutex_lock(&u->lock);
	u->served = -1;
	pthread_mutex_unlock(&u->lock);
	close(fd);
}

static bool is_closed(struct tgu *u)
{
	bool closed;

	pthread_mutex_lock(&u->lock);
	closed = u->closed;
	pthread_mutex_unlock(&u->lock);
	return closed;
}

static void *helper(void *arg)
{
	long again = AGAIN_MS;
	struct tgu *u = arg;
	uint32_t term;
	int fd;

	while (__atomic_load_n(&u->opening, __ATOMIC_ACQUIRE))
		tgu_sleep(&u->opening, 1, ANSWER_MS * 1000000LL);
	while (!u->refused) {
		pthread_mutex_lock(&u->lock);
		fd = u->served = u->socket;
		term = u->term;
		pthread_mutex_unlock(&u->lock);
		if (fd >= 0) {
			listen_to(u, fd, term);
			again = AGAIN_MS;
		}
		if (is_closed(u))
			break;
		sleep_ms(again);
		again = again * 2 < AGAIN_MAX_MS ? again * 2 : AGAIN_MAX_MS;
		tgu_connect(u);
	}
	u->helper = false;
	release(u);
	return NULL;
}

/* --- fork --- */

static void before_fork(void)
{
	struct tgu *u;

	pthread_mutex_lock(&all_lock);
	for (u = all; u; u = u->next)
		pthread_mutex_lock(&u->lock);
}

static void in_parent(void)
{
	struct tgu *u;

	for (u = all; u; u = u->next)
		pthread_mutex_unlock(&u->lock);
	pthread_mutex_unlock(&all_lock);
}

/* The child is not this client: it runs unscheduled, since no driver lets it use a parent's context. */
static void in_child(void)
{
	struct tgu *u;

	for (u = all; u; u = u->next) {
		if (u->socket >= 0) {
			munmap(u->page, sizeof(*u->page));
			close(u->socket);
			close(u->bell);
		}
		u->socket = u->served = u->bell = -1;
		u->page = u->none;
		u->term++;
		u->held = 0;
		u->helper = false;
		u->users = 1;
		pthread_mutex_init(&u->lock, NULL);
	}
	pthread_mutex_init(&all_lock, NULL);
}

/* Before any library on top of this one does, whose locks are then taken first. */
__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

struct tgu *tgu_open(const struct tgu_device *device)
{
	struct tgu *u = calloc(1, sizeof(*u));

	if (!u || posix_memalign((void **)&u->none, 4096, sizeof(*u->none))) {
		free(u);
		return NULL;
	}
	memset(u->none, 0, sizeof(*u->none));
	u->device = device;
	u->page = u->none;
	u->socket = u->served = u->bell = -1;
	u->users = 1;
	pthread_mutex_init(&u->lock, NULL);
	pthread_mutex_lock(&all_lock);
	u->next = all;
	all = u;
	pthread_mutex_unlock(&all_lock);
	u->opening = 1;
	tgu_connect(u);
	if (!u->refused)
		start_helper(u);
	__atomic_store_n(&u->opening, 0, __ATOMIC_RELEASE);
	tgu_wake(&u->opening, 1);
	return u;
}

void tgu_close(struct tgu *u)
{
	struct tgd_page *page;
	struct tgu **at;
	uint32_t term;
	int fd;

	pthread_mutex_lock(&all_lock);
	for (at = &all; *at != u; at = &(*at)->next)
		;
	*at = u->next;
	pthread_mutex_unlock(&all_lock);
	pthread_mutex_lock(&u->lock);
	u->closed = true;
	page = u->page;
	term = u->term;
	fd = u->socket;
	pthread_mutex_unlock(&u->lock);
	tgu_lost(u, term);
	if (fd >= 0)
		munmap(page, sizeof(*page));
	release(u);
}
