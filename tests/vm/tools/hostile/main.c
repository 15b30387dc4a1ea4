// SPDX-License-Identifier: GPL-2.0
/*
 * hostile - calls of nouveau that nobody would make on purpose, for the VM case `hostile`.
 *
 *	hostile [-f] [-m MODULE] SECONDS SEED
 *	hostile [-n] -r SEED PROCESS THREAD STEPS
 *	hostile -n STEPS SEED
 *
 * Processes of three users, with some threads each, make every ioctl that timegraph.ko hooks, right
 * and wrong ones, by system calls alone; they share files, channels and buffers, pass them on, fork,
 * exec, are stopped and killed. One process as root changes whatever can be changed below
 * /sys/kernel/timegraph, and with -m loads and unloads the module. With -f the tasks ask for the
 * failures that /sys/kernel/debug/fail* has been set up for. Ends when SECONDS are over and every
 * process has ended; prints how often each call was made, and how often it was taken, and `past`:
 * how many submissions the module has seen go past the gate, while nobody unloaded it, and how often
 * root has looked.
 *
 * Each step of a thread is a function of (SEED, process, thread, step) and of what earlier calls have
 * left behind. A thread's name is PROCESS.THREAD.STEP, so an Oops names the step. -r makes the first
 * STEPS steps of that thread again, alone, as the user that it was, and says each one. What other
 * threads have left behind is not made again. A forked process has its parent's number and 100000
 * more (FORKED_BY), and begins with the step in which it was forked: its parent's thread goes first.
 * Of several that can have come to step STEPS - 1, the last one is made again.
 *
 * -n makes no calls: they are noted, and answered by what they are made of. Each thread of some
 * processes makes STEPS steps, and prints, for each, a hash of all that it has done so far; so do
 * replays. `replays` compares them.
 *
 * What stock nouveau does not survive is left out, with a word where it is: heads of driver.c and
 * exec.c.
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
#include <sys/syscall.h>
#include <sys/wait.h>

#include "hostile.h"

struct shared *shared;
__thread struct file *files;
uint64_t seed, child_from = UINT64_MAX, child_until;
const char *module;
bool failures, dry, quiet = true;

static struct file process_files[FILES];
static uint64_t steps_each = UINT64_MAX;	/* -n */

static const char *const kinds[KINDS] = {
	"open", "channel_alloc", "channel_free", "grobj_alloc", "nvif", "gem_new", "gem_close", "dumb", "pushbuf",
	"cpu_prep", "gem_info", "prime", "vm_init", "vm_bind", "exec", "syncobj", "write", "read", "insmod", "rmmod",
	"killed", "forked", "passed", "execed", "left",
};

static const struct op *const worker_tables[] = { driver_ops, exec_ops, world_ops, NULL };
static const struct op *const root_tables[] = { root_ops, NULL };

double now(void)
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

/* What a thread does comes to its hash, with -n. */
void note(struct thread *t, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	if (!dry)
		return;
	while (n--)
		t->hash = (t->hash ^ *b++) * 0x100000001b3ull;
	t->hash = mix(t->hash);
}

/* A system call of two numbers. Return: what it returns, or a negative errno. */
long sys(struct thread *t, long nr, long a, long b)
{
	const long call[] = { nr, a, b };
	long ret;

	note(t, call, sizeof(call));
	if (dry)
		return nr == SYS_dup ? (long)++t->given << 2 | (a & 3) : 0;
	ret = syscall(nr, a, b);
	return ret < 0 ? -errno : ret;
}

int sys_open(struct thread *t, const char *path, int flags)
{
	note(t, path, strlen(path));
	note(t, &flags, sizeof(flags));
	return dry ? (int)++t->given : open(path, flags);
}

void sys_usleep(struct thread *t, unsigned int us)
{
	note(t, &us, sizeof(us));
	if (!dry)
		usleep(us);
}

/* As whom, and with which name, a step is done. */
static void note_self(struct thread *t, const char *name)
{
	const uid_t uid = getuid();
	struct sigaction act;

	sigaction(SIGALRM, NULL, &act);
	act.sa_flags &= SA_RESTART;
	note(t, &uid, sizeof(uid));
	note(t, &act.sa_flags, sizeof(act.sa_flags));
	note(t, name, strlen(name));
}

/* What @t does in its step; NULL: nothing. */
static const struct op *begin_step(struct thread *t, const struct op *const *tables)
{
	const struct op *op = NULL;
	unsigned int i, all = 0, at;

	t->rng = mix(seed ^ mix((uint64_t)t->process << 40 ^ (uint64_t)t->index << 36 ^ t->step));
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
	return op && op->name ? op : NULL;
}

void one_step(struct thread *t, const struct op *const *tables)
{
	const struct op *op = begin_step(t, tables);
	char name[32];

	if (!op)
		return;
	snprintf(name, sizeof(name), "%u.%u.%llu", t->process, t->index, (unsigned long long)t->step);
	prctl(PR_SET_NAME, name);
	if (!quiet && !dry)
		fprintf(stderr, "%s %s\n", name, op->name);
	note_self(t, name);
	op->run(t);
	if (dry)
		dprintf(STDOUT_FILENO, "%s %s %016llx\n", name, op->name,
			(unsigned long long)t->hash);
	else if (!quiet)
		fprintf(stderr, "\t%.6f\n", now());
}

static const struct op *const *tables_of(const struct thread *t)
{
	return t->process % GENERATION == ROOT ? root_tables : worker_tables;
}

/* Up to the step @until, or to the end of the run, or its own. */
static void run_steps(struct thread *t, uint64_t until)
{
	for (; t->step < until && !t->over && !shared->end; t->step++)
		one_step(t, tables_of(t));
}

/* Always at the same place, so that addresses are the same in a replay. */
static void *map_args(int fd, unsigned int process, unsigned int index, bool readonly)
{
	const unsigned int nr = (process >= FORKED_BY) * 2 * THREADS + index * 2 + readonly;
	void *const at = (void *)(0x20000000ul + nr * 0x1000000ul);
	void *map = mmap(at, ARENA + PAGE, readonly ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

	return map == at ? map : NULL;
}

bool thread_init(struct thread *t, unsigned int process, unsigned int index)
{
	int fd = memfd_create("args", 0);

	*t = (struct thread){ .process = process, .index = index };
	if (fd < 0 || ftruncate(fd, ARENA + PAGE))
		return false;
	t->args = map_args(fd, process, index, false);
	t->readonly = map_args(fd, process, index, true);
	close(fd);
	return t->args && t->readonly &&
	       !mprotect(t->args + ARENA, PAGE, PROT_NONE) && !mprotect(t->readonly + ARENA, PAGE, PROT_NONE);
}

/* A thread, from its step @first on. The first one of a process that calls the driver has files. */
static bool thread_begin(struct thread *t, unsigned int process, unsigned int index, uint64_t first)
{
	files = dry ? calloc(FILES, sizeof(*files)) : process_files;
	if (!files || !thread_init(t, process, index))
		return false;
	if (dry)
		for (unsigned int i = 0; i < FILES; i++)
			files[i].fd = -1;
	t->step = first;
	t->rng = mix(seed ^ process);
	if (!index && !first && process % GENERATION != ROOT)
		begin(t);
	return true;
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	if (!thread_begin(t, t->process, t->index, t->step))
		_exit(1);
	run_steps(t, steps_each);
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

/* The user that a process is, and whether its calls go on after a signal, or end. */
static bool become(unsigned int process)
{
	static const uid_t uids[] = { 0, 65534, 1000 };
	const uid_t uid = process % GENERATION == ROOT ? 0 : uids[process % 3];
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = process % 2 ? SA_RESTART : 0 };

	if (uid && getuid() != uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
		return false;
	sigaction(SIGALRM, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	return true;
}

/* One process, from its begin to its end; @first: the step from which it goes on after exec. */
static void process_main(unsigned int process, uint64_t first)
{
	struct thread threads[THREADS];
	pthread_t ids[THREADS];
	unsigned int i;

	if (failures && !first)
		ask_for_failures(true);
	if (!become(process) || !thread_begin(&threads[0], process, 0, first))
		_exit(1);
	for (i = 1; i < THREADS; i++) {
		threads[i] = (struct thread){ .process = process, .index = i, .step = first };
		if (pthread_create(&ids[i], NULL, thread_main, &threads[i]))
			_exit(1);
	}
	run_steps(&threads[0], steps_each);
	for (i = 1; i < THREADS; i++)
		pthread_join(ids[i], NULL);
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
		process_files[i].fd = -1;
	shared = shared_map();
	if (!shared)
		return false;
	if (dry) {
		shared->cards = CARDS;
		shared->fermi[CARDS - 1] = shared->binds[CARDS - 1] = true;
		return true;
	}
	shared->int80 = has_int80();
	find_cards();
	if (!shared->cards)
		fprintf(stderr, "hostile: no card\n");
	return shared->cards;
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
	printf("past %lu %lu\n", shared->past, shared->looks);
	if (ret) {
		printf("a process survives SIGKILL\n");
		tell_survivors();
	}
	return ret;
}

/* With -n: some processes, each to its end. */
static int dry_run(uint64_t steps)
{
	unsigned int generation, slot;
	int status, failed = 0;

	steps_each = steps;
	for (generation = 0; generation < 3; generation++)
		for (slot = 0; slot <= WORKERS; slot++)
			if (!start(slot, generation))
				return 1;
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}

/* The last step in which @t forked a process that made the step before @until; -1: none. */
static int64_t fork_before(struct thread t, uint64_t until)
{
	int64_t at;

	for (at = until; at-- > 0;) {
		t.step = at;
		if (t.step + steps_forked(&t, begin_step(&t, tables_of(&t))) >= until)
			return at;
	}
	return -1;
}

static int replay(char **args)
{
	const unsigned int process = strtoul(args[1], NULL, 0), index = strtoul(args[2], NULL, 0);
	const bool forked = process >= FORKED_BY;
	uint64_t until = strtoull(args[3], NULL, 0);
	struct thread t = { .process = process % FORKED_BY, .index = index };
	int64_t at;

	quiet = false;
	seed = strtoull(args[0], NULL, 0);
	if (!become(t.process)) {
		perror("hostile: to be its user");
		return 1;
	}
	if (forked) {
		at = fork_before(t, until);
		if (at < 0) {
			fprintf(stderr, "hostile: thread %u.%u forks none that comes so far\n",
				t.process, index);
			return 1;
		}
		child_from = at;
		child_until = until;
		until = at + 1;
	}
	if (!thread_begin(&t, t.process, index, 0))
		return 1;
	run_steps(&t, until);
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
		process_files[i].fd = args[i + 3] ? atoi(args[i + 3]) : -1;
	seed = strtoull(args[0], NULL, 0);
	process_main(strtoul(args[1], NULL, 0), strtoull(args[2], NULL, 0));
}

int main(int argc, char **argv)
{
	bool once = false, after_exec = false;
	int opt;

	while ((opt = getopt(argc, argv, "+fm:nrx")) != -1) {
		if (opt == 'f')
			failures = true;
		else if (opt == 'n')
			dry = true;
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
	return dry ? dry_run(strtoull(argv[0], NULL, 0)) : fuzz(atof(argv[0]));
usage:
	fprintf(stderr, "usage: hostile [-f] [-m MODULE] SECONDS SEED | hostile -n STEPS SEED | "
		"hostile [-n] -r SEED PROCESS THREAD STEPS\n");
	return 2;
}
