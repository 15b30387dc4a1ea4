// SPDX-License-Identifier: GPL-2.0
/*
 * hostile - calls of nouveau that nobody would make on purpose, for the VM case `hostile`.
 *
 *	hostile [-ef] [-m MODULE] SECONDS SEED
 *	hostile -r SEED PROCESS THREAD STEPS
 *
 * Processes of three users, with some threads each, make every ioctl that timegraph.ko hooks, right and wrong ones,
 * by system calls alone; they share files, channels and buffers, pass them on, fork, exec, are stopped and killed.
 * One process as root changes whatever can be changed below /sys/kernel/timegraph, and with -m loads and unloads the
 * module. With -e there are files whose addresses programs choose (VM_INIT, VM_BIND), so that EXEC runs: on what becomes
 * of them nouveau of 6.12 WARNs by itself. With -f the tasks ask for the failures that /sys/kernel/debug/fail* has been set up for. Ends when
 * SECONDS are over and every process has ended; prints how often each call was made, and how often it was taken.
 *
 * Each step of a thread is a function of (SEED, process, thread, step) and of what earlier calls have left behind.
 * A thread's name is PROCESS.THREAD.STEP, so an Oops names the step. -r makes that thread's steps again, alone, and
 * says each one.
 *
 * What stock nouveau does not survive is left out, with a word where it is: heads of driver.c and exec.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "hostile.h"

struct shared *shared;
struct file files[FILES];
uint64_t seed;
const char *module;
bool binds, failures, quiet = true;

static const char *const kinds[KINDS] = {
	"open", "channel_alloc", "channel_free", "grobj_alloc", "nvif", "gem_new", "gem_close", "dumb", "pushbuf",
	"cpu_prep", "gem_info", "prime", "vm_init", "vm_bind", "exec", "syncobj", "write", "read", "insmod", "rmmod",
	"killed", "forked", "passed", "execed", "left",
};

static const struct op *const worker_tables[] = { driver_ops, exec_ops, world_ops, NULL };
static const struct op *const root_tables[] = { root_ops, NULL };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

uint32_t below(struct thread *t, uint32_t n)
{
	t->rng += 0x9e3779b97f4a7c15ull;
	return (mix(t->rng) >> 32) * n >> 32;
}

bool one_in(struct thread *t, uint32_t n)
{
	return !below(t, n);
}

/* A number that somebody may have forgotten to think of. */
uint64_t wild(struct thread *t)
{
	uint64_t x = 1ull << below(t, 64);

	switch (below(t, 8)) {
	case 0: return 0;
	case 1: return x - 1;
	case 2: return x + 1;
	case 3: return -x;
	case 4: return (uint64_t)below(t, 0xffffffff) << 32 | below(t, 0xffffffff);
	case 5: return below(t, 256);
	default: return x;
	}
}

void count(enum kind kind, bool ok)
{
	shared->calls[kind]++;
	shared->taken[kind] += ok;
}

void one_step(struct thread *t, const struct op *const *tables)
{
	const struct op *op = NULL;
	unsigned int i, all = 0, at;
	char name[16];

	t->rng = mix(seed ^ mix((uint64_t)t->process << 48 ^ (uint64_t)t->index << 40 ^ t->step));
	for (i = 0; tables[i]; i++)
		for (op = tables[i]; op->name; op++)
			all += op->weight;
	at = below(t, all);
	for (i = 0; tables[i]; i++) {
		for (op = tables[i]; op->name && at >= op->weight; op++)
			at -= op->weight;
		if (op->name)
			break;
	}
	if (!op || !op->name)
		return;
	snprintf(name, sizeof(name), "%u.%u.%llu", t->process, t->index, (unsigned long long)t->step);
	prctl(PR_SET_NAME, name);
	if (!quiet)
		fprintf(stderr, "%s %s\n", name, op->name);
	op->run(t);
	if (!quiet)
		fprintf(stderr, "\t%.6f\n", now());
}

void run_steps(struct thread *t, uint64_t steps)
{
	const struct op *const *tables = t->process % GENERATION == ROOT ? root_tables : worker_tables;

	for (; steps && !shared->end; steps--, t->step++)
		one_step(t, tables);
}

bool thread_init(struct thread *t, unsigned int process, unsigned int index)
{
	int fd = memfd_create("args", 0);

	*t = (struct thread){ .process = process, .index = index };
	if (fd < 0 || ftruncate(fd, ARENA + PAGE))
		return false;
	t->args = mmap(NULL, ARENA + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_32BIT, fd, 0);
	t->readonly = mmap(NULL, ARENA + PAGE, PROT_READ, MAP_SHARED | MAP_32BIT, fd, 0);
	close(fd);
	return t->args != MAP_FAILED && t->readonly != MAP_FAILED &&
	       !mprotect(t->args + ARENA, PAGE, PROT_NONE) && !mprotect(t->readonly + ARENA, PAGE, PROT_NONE);
}

static void *thread_main(void *arg)
{
	run_steps(arg, UINT64_MAX);
	return NULL;
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Of this thread, and of those that it makes from now on. */
void ask_for_failures(bool on)
{
	bool done = false;
	unsigned int i;
	int fd;

	/* These calls fail, too. */
	for (i = 0; i < 100 && !done; i++) {
		fd = open("/proc/thread-self/make-it-fail", O_WRONLY);
		done = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;
		if (fd >= 0)
			close(fd);
	}
	if (!done)
		fprintf(stderr, "hostile: make-it-fail: %s\n", strerror(errno));
}

/* One process, from its begin to its end; @first: the step from which it goes on after exec. */
static void process_main(unsigned int process, uint64_t first)
{
	static const uid_t uids[] = { 0, 65534, 1000 };
	const uid_t uid = process % GENERATION == ROOT ? 0 : uids[process % 3];
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = process % 2 ? SA_RESTART : 0 };
	struct thread threads[THREADS];
	unsigned int i;
	pthread_t id;

	if (failures && !first)
		ask_for_failures(true);
	if (uid && getuid() != uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
		_exit(1);
	sigaction(SIGALRM, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < THREADS; i++) {
		if (!thread_init(&threads[i], process, i))
			_exit(1);
		threads[i].step = first;
		if (!i && !first && process % GENERATION != ROOT)
			begin(&threads[i]);
		if (i && pthread_create(&id, NULL, thread_main, &threads[i]))
			_exit(1);
	}
	thread_main(&threads[0]);
	_exit(0);
}

/* --- whoever looks after them --- */

static pid_t group;	/* a process that does nothing; its process group is everybody's, but ours */

static bool start(unsigned int slot, unsigned int generation)
{
	pid_t pid = fork();

	if (pid < 0)
		return false;
	if (!pid) {
		setpgid(0, group);
		shared->pid[slot] = getpid();
		process_main(slot + GENERATION * generation, 0);
	}
	shared->pid[slot] = pid;
	return true;
}

/* They begin again when they end; whoever was stopped goes on. */
static void look_after(double seconds)
{
	unsigned int generation[WORKERS + 1] = { }, i;
	const double end = now() + seconds;
	pid_t pid;

	while (now() < end) {
		while ((pid = waitpid(-group, NULL, WNOHANG)) > 0)
			for (i = 0; i <= WORKERS; i++)
				if (shared->pid[i] == pid)
					shared->pid[i] = 0;
		for (i = 0; i <= WORKERS; i++) {
			if (!shared->pid[i] && start(i, generation[i]))
				generation[i]++;
			else if (shared->pid[i])
				kill(shared->pid[i], SIGCONT);
		}
		usleep(50000);
	}
}

/* Everybody must end by SIGKILL, wherever it is. Forked processes have us as their reaper. */
static int end_all(void)
{
	const double begin = now();
	bool left = true;
	pid_t pid;

	shared->end = true;
	while (left && now() - begin < 60) {
		kill(-group, SIGKILL);
		while ((pid = waitpid(-group, NULL, WNOHANG)) > 0)
			;
		left = pid == 0;
		usleep(20000);
	}
	printf("all have ended after %.1f s\n", now() - begin);
	return left;
}

/* Where those are that did not end. */
static void tell_survivors(void)
{
	char command[256];

	snprintf(command, sizeof(command), "for p in /proc/[0-9]*; do grep -q ') . [0-9]* %d ' $p/stat && "
		 "grep -H -e Name -e State $p/status && cat $p/task/*/stack; done", group);
	fflush(stdout);
	if (system(command) < 0)
		printf("no shell to look for them\n");
}

static void *shared_map(void)
{
	void *map = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, FD_SHARED, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* A kernel without them would kill who asks. */
static bool has_int80(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "entry_INT80_compat") || strstr(line, "int80_emulation");
	if (f)
		fclose(f);
	return found;
}

static bool prepare(void)
{
	int fd = memfd_create("shared", 0), pair[2];
	unsigned int i;

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) || dup2(fd, FD_SHARED) < 0)
		return false;
	close(fd);
	for (i = 0; i < MAILBOXES; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) ||
		    dup2(pair[0], FD_MAILBOX + 2 * i) < 0 || dup2(pair[1], FD_MAILBOX + 2 * i + 1) < 0)
			return false;
		close(pair[0]);
		close(pair[1]);
	}
	for (i = 0; i < FILES; i++)
		files[i].fd = -1;
	shared = shared_map();
	if (!shared)
		return false;
	shared->int80 = has_int80();
	return true;
}

static int fuzz(double seconds)
{
	unsigned int i;
	int ret;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	group = fork();
	if (!group) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	setpgid(group, group);
	printf("seed %llu\n", (unsigned long long)seed);
	look_after(seconds);
	ret = end_all();
	for (i = 0; i < KINDS; i++)
		printf("%s %lu %lu\n", kinds[i], shared->calls[i], shared->taken[i]);
	if (ret) {
		printf("a process survives SIGKILL\n");
		tell_survivors();
	}
	return ret;
}

static int replay(char **args)
{
	struct thread t;

	quiet = false;
	seed = strtoull(args[0], NULL, 0);
	if (!thread_init(&t, strtoul(args[1], NULL, 0), strtoul(args[2], NULL, 0)))
		return 1;
	signal(SIGALRM, on_alarm);
	if (t.process % GENERATION != ROOT)
		begin(&t);
	run_steps(&t, strtoull(args[3], NULL, 0));
	return 0;
}

/* After exec: -x SEED PROCESS STEP FD...: the descriptors that were kept */
static void again(char **args)
{
	unsigned int i;

	shared = shared_map();
	if (!shared)
		_exit(1);
	for (i = 0; i < FILES; i++)
		files[i].fd = args[i + 3] ? atoi(args[i + 3]) : -1;
	seed = strtoull(args[0], NULL, 0);
	process_main(strtoul(args[1], NULL, 0), strtoull(args[2], NULL, 0));
}

int main(int argc, char **argv)
{
	bool once = false, after_exec = false;
	int opt;

	while ((opt = getopt(argc, argv, "+efm:rx")) != -1) {
		if (opt == 'e')
			binds = true;
		else if (opt == 'f')
			failures = true;
		else if (opt == 'm')
			module = optarg;
		else if (opt == 'r')
			once = true;
		else if (opt == 'x')
			after_exec = true;
		else
			goto usage;
	}
	argv += optind;
	argc -= optind;
	if (after_exec && argc == 3 + (int)FILES)
		again(argv);
	if (argc != (once ? 4 : 2))
		goto usage;
	if (!prepare()) {
		perror("hostile");
		return 1;
	}
	if (once)
		return replay(argv);
	seed = strtoull(argv[1], NULL, 0);
	return fuzz(atof(argv[0]));
usage:
	fprintf(stderr, "usage: hostile [-ef] [-m MODULE] SECONDS SEED | hostile -r SEED PROCESS THREAD STEPS\n");
	return 2;
}
