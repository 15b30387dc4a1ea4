// SPDX-License-Identifier: GPL-2.0
/*
 * The client's library (src/user/client) in programs that fork, execute another program, cancel
 * threads and exit while threads wait. No device: jobs end when the test says so. It starts a tgd
 * of its own, and reads its counters. And the OpenCL layer on the test card, in a program that
 * closes OpenCL's loader; and, as root, two daemons.
 */
#define CL_TARGET_OPENCL_VERSION 300

#include <CL/cl.h>
#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uapi/tgd.h>

#include "../../src/user/client/tgu.h"
#include "../lib/slow.h"
#include "../lib/test.h"

static char path[96], self[4096];
static pid_t daemon_pid;

static void told(void *owner)
{
}

static bool settle(void *owner)
{
	return false;
}

static const struct tgu_device device = {
	.key = "test:process", .name = "a test's device", .memory = 1 << 20, .engines = 2,
	.told = told, .drain = told, .settle = settle,
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A counter of tgd; -1: nobody answers. */
static long counter(const char *name)
{
	struct tgd_request r = { .magic = TGD_MAGIC, .kind = TGD_READ };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct { struct tgd_reply head; char text[64]; } reply = { 0 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	long value = -1;

	strcpy(to.sun_path, path);
	snprintf(r.name, sizeof(r.name), "stats/%s", name);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    send(fd, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r) &&
	    recv(fd, &reply, sizeof(reply) - 1, 0) > (ssize_t)sizeof(reply.head))
		value = atol(reply.text);
	close(fd);
	return value;
}

static void set(const char *file, const char *value)
{
	struct { struct tgd_request head; char text[16]; } r = {
		.head = { .magic = TGD_MAGIC, .kind = TGD_WRITE, .len = strlen(value) },
	};
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct tgd_reply reply;

	strcpy(to.sun_path, getenv("TGD_SOCKET"));
	strcpy(r.head.name, file);
	memcpy(r.text, value, r.head.len);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    send(fd, &r, sizeof(r.head) + r.head.len, MSG_NOSIGNAL) < 0 ||
	    recv(fd, &reply, sizeof(reply), 0) != sizeof(reply) || reply.error)
		printf("# %s is not %s\n", file, value);
	close(fd);
}

static bool comes(const char *name, long want)
{
	double end = seconds() + patient(10);

	while (counter(name) != want)
		if (seconds() > end)
			return false;
		else
			usleep(5000);
	return true;
}

/* All that were submitted end. */
static bool all_end(void)
{
	double end = seconds() + patient(10);

	do {
		usleep(200000);		/* under a lease nobody tells at once */
		if (counter("completed") == counter("submitted"))
			return true;
	} while (seconds() < end);
	return false;
}

static bool start(void)
{
	double end = seconds() + patient(10);

	daemon_pid = fork();
	if (!daemon_pid) {
		execl("build/bin/tgd", "tgd", "--socket", path, "--spec", "/dev/null", NULL);
		_exit(127);
	}
	while (counter("clients") < 0 && seconds() < end)
		usleep(10000);
	return counter("clients") >= 0;
}

static void stop(void)
{
	kill(daemon_pid, SIGKILL);
	waitpid(daemon_pid, NULL, 0);
}

static void launch(struct tgu *u)
{
	struct tgu_job job;

	tgu_enter(u, 1, 0, &job);
	if (job.way == TGU_OPEN) {
		tgu_leave(&job);
		return;
	}
	tgu_started(&job, 0);
	tgu_done(&job, 0, false);
}

static int ended(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

/* --- rows --- */

static void forks(struct tgu *u)
{
	long before = counter("submitted"), hung_up = counter("hung_up");
	struct tgu_job job;
	int status;
	pid_t pid;

	tgu_enter(u, 1, 0, &job);
	tgu_started(&job, 0);
	pid = fork();
	if (!pid) {
		tgu_done(&job, 0, false);	/* the parent's: it has no effect */
		launch(u);			/* and goes at once */
		tgu_mem_free(u, 1);
		_exit(0);
	}
	status = ended(pid);
	test_row("a child launches unscheduled, and ends", !status, "status %x", status);
	test_row("its end is not its parent's", counter("hung_up") == hung_up, "it is");
	test_row("nor are its reports", counter("completed") == before, "%ld jobs ended", counter("completed"));
	tgu_done(&job, 0, false);
	test_row("its parent goes on", comes("completed", before + 1), "%ld", counter("completed"));
}

static void executes(void)
{
	long before = counter("hung_up");
	pid_t pid = fork();

	if (!pid) {
		execl(self, "process", "--exec", NULL);
		_exit(127);
	}
	test_row("a program that executes another ends well", !ended(pid), "it does not");
	test_row("and each was a client", comes("hung_up", before + 2), "%ld hung up", counter("hung_up") - before);
}

static void *loops(void *u)
{
	for (;;) {
		launch(u);
		pthread_testcancel();
	}
	return NULL;
}

static void cancels(struct tgu *u)
{
	pthread_t thread[4];
	int i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, loops, u);
		usleep(2000);
		for (i = 0; i < 4; i++)
			pthread_cancel(thread[i]);
		for (i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	}
	launch(u);
	test_row("threads are cancelled, and the next launches", all_end(), "not all have ended");
}

/* One holds the device; three wait, and the process exits. */
static void exits(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct tgu *u = tgu_open(&device);
		struct tgu_job job;
		pthread_t thread;
		int i;

		tgu_enter(u, 1, 0, &job);
		tgu_started(&job, 0);
		for (i = 0; i < 3; i++)
			pthread_create(&thread, NULL, loops, u);
		usleep(50000);
		exit(7);
	}
	status = ended(pid);
	test_row("a program exits while threads wait", WIFEXITED(status) && WEXITSTATUS(status) == 7,
		 "status %x", status);
}

/* A launch that asks does other things while it waits: gives up, or forks. */
static void asks(struct tgu *u)
{
	struct tgu_job first, second;
	bool waited, got;
	pid_t pid;

	tgu_enter(u, 1, 0, &first);
	tgu_started(&first, 0);
	tgu_ask(u, 1, &second);
	waited = !tgu_wait(&second, tgu_now() + 50000000);
	pid = fork();
	if (!pid)
		_exit(!tgu_wait(&second, tgu_now() + 1000000000));
	test_row("a launch that has asked waits, and not in a child", waited && !ended(pid), "%d", waited);
	tgu_cancel(&second);
	tgu_done(&first, tgu_now(), false);
	tgu_ask(u, 1, &second);
	got = tgu_wait(&second, tgu_now() + patient(10) * 1e9);
	tgu_cancel(&second);
	test_row("one that is given up takes no place, let go or not", got && !counter("refused_events"),
		 "%d %ld", got, counter("refused_events"));
	tgu_ask(u, 1, &second);
	got = tgu_wait(&second, tgu_now() + patient(10) * 1e9);
	tgu_started(&second, 0);
	test_row("one that has its turn goes on", got && !tgu_to_end(&second), "%d", got);
	tgu_done(&second, tgu_now(), false);
}

/* What `tgctl metrics` tells: GPU time of clients, of users, of engines, s. */
static void times(double t[3])
{
	FILE *f = popen("build/bin/tgctl --host user metrics | awk '/_(drm_engine|user_gpu|engine_busy)_seconds_total{/"
			" { n[$0 ~ /_drm_/ ? 0 : $0 ~ /_user_/ ? 1 : 2] += $2 } END { print n[0], n[1], n[2] }'", "r");

	if (!f || fscanf(f, "%lf %lf %lf", &t[0], &t[1], &t[2]) != 3 || pclose(f))
		t[0] = t[1] = t[2] = -1;
}

/* A launch is lost, and charged; then it turns out that it had ended before. */
static void takes_back(struct tgu *u)
{
	long lost = counter("lost"), completed;
	double before[3], charged[3], after[3];
	struct tgu_job job;
	int64_t at;

	set("knobs/job_deadline_us", "100000");
	times(before);
	tgu_ask(u, 1, &job);
	tgu_wait(&job, tgu_now() + patient(10) * 1e9);
	at = tgu_now();
	tgu_started(&job, at);
	test_row("a launch past its deadline is lost", comes("lost", lost + 1), "%ld", counter("lost") - lost);
	completed = counter("completed");
	times(charged);
	test_row("and charged", charged[0] > before[0] + 0.09 && charged[2] > before[2] + 0.09, "%.3f %.3f s",
		 charged[0] - before[0], charged[2] - before[2]);
	tgu_done(&job, at + 1000000, false);
	test_row("it had ended before", comes("completed", completed + 1), "%ld", counter("completed"));
	times(after);
	test_row("metrics of GPU time do not go back: of clients, users, engines",
		 after[0] >= charged[0] && after[1] >= charged[1] && after[2] >= charged[2], "by %.3f, %.3f, %.3f s",
		 charged[0] - after[0], charged[1] - after[1], charged[2] - after[2]);
	set("knobs/job_deadline_us", "10000000");
}

static void *enters(void *u)
{
	launch(u);
	return NULL;
}

/* The daemon dies while one waits for it; the next one is told what is held. */
static void outlives(struct tgu *u)
{
	double at, open, next;
	struct tgu_job job;
	pthread_t thread;
	int i;

	tgu_mem_request(u, 1 << 19);
	for (i = 0; i < 3; i++) {	/* others may take the CPU meanwhile */
		tgu_enter(u, 1, 0, &job);
		tgu_started(&job, 0);
		pthread_create(&thread, NULL, enters, u);
		usleep(50000);
		stop();
		at = seconds();
		pthread_join(thread, NULL);
		open = seconds() - at;
		tgu_done(&job, 0, false);
		at = seconds();
		launch(u);
		next = seconds() - at;
		if ((open < 0.1 && next < 0.1) || i == 2 || !start() || !comes("clients", 1))
			break;
		printf("# %.0f and %.0f ms: measured again\n", open * 1e3, next * 1e3);
	}
	test_row("the daemon is gone: a thread that waits goes on within 100 ms", open < 0.1, "%.0f ms",
		 open * 1e3);
	test_row("and the next launch does not wait", next < 0.1, "%.0f ms", next * 1e3);
	test_row("another daemon has it as a client", start() && comes("clients", 1), "%ld", counter("clients"));
	test_row("with the memory that it holds", !tgu_mem_request(u, (1 << 19) + 1), "it got more than there is");
	launch(u);
	test_row("and its launches", comes("completed", 1), "%ld", counter("completed"));
	tgu_mem_free(u, 1 << 19);
}

static int descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	int nr = 0;

	for (; all && readdir(all); nr++)
		;
	closedir(all);
	return nr;
}

/* A connection that is over before the helper has looked at it. */
static void comes_and_goes(void)
{
	const int before = descriptors();
	int i, left = 0;

	for (i = 0; i < 300; i++)
		tgu_close(tgu_open(&device));
	for (i = 0; i < 100 && (left = descriptors() - before) > 0; i++)
		usleep(20000);
	test_row("connections that are over leave no descriptor", left <= 0, "%d are left", left);
}

/* A daemon that is stopped while one waits for its turn. */
static void stops(struct tgu *u)
{
	const long before = counter("clients");
	struct tgu_job job;
	double from;
	bool got;
	int i;

	launch(u);
	kill(daemon_pid, SIGSTOP);
	from = seconds();
	tgu_ask(u, 1, &job);
	got = tgu_wait(&job, tgu_now() + patient(10) * 1e9);
	from = seconds() - from;
	tgu_cancel(&job);
	test_row("a daemon that is stopped is waited for 3 s", got && from > 2.5, "%d, %.1f s", got,
		 from);
	from = seconds();
	launch(u);
	from = seconds() - from;
	test_row("and not again", from < 1, "%.1f s", from);
	kill(daemon_pid, SIGCONT);
	test_row("it goes on, and has its client again", comes("clients", before + 1), "%ld after %ld",
		 counter("clients"), before);
	launch(u);
	kill(daemon_pid, SIGSTOP);
	alarm((unsigned int)patient(30));
	from = seconds();
	for (i = 0; i < 2 * TGD_RING; i++)
		tgu_mem_free(u, 0);
	from = seconds() - from;
	alarm(0);
	kill(daemon_pid, SIGCONT);
	test_row("a full ring is waited for 3 s", from > 2.5 && from < patient(10), "%.1f s", from);
	test_row("and has room then", comes("clients", before + 2), "%ld after %ld",
		 counter("clients"), before);
	launch(u);
}

/* A daemon that is stopped: it connects, and does not answer. */
static void stopped(void)
{
	double limit = patient(5), from = seconds();

	kill(daemon_pid, SIGSTOP);
	tgu_close(tgu_open(&device));
	from = seconds() - from;
	kill(daemon_pid, SIGCONT);
	test_row("a daemon that is stopped keeps a program for some seconds at most", from < limit, "%.1f s", from);
}

/*
 * A program that closes OpenCL's loader, as one that has loaded a plugin does. Then the daemon
 * wants to be asked, and has the layer wait for what is in flight: that calls the loader. Return:
 * 0, or what failed.
 */
static int unload(void)
{
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	__typeof__(&clGetPlatformIDs) platforms;
	__typeof__(&clGetDeviceIDs) devices;
	__typeof__(&clCreateContext) create;
	__typeof__(&clCreateCommandQueueWithProperties) queue;
	cl_platform_id platform;
	cl_device_id id;
	cl_context context;
	cl_int error;

	if (!loader)
		return 2;
	platforms = dlsym(loader, "clGetPlatformIDs");
	devices = dlsym(loader, "clGetDeviceIDs");
	create = dlsym(loader, "clCreateContext");
	queue = dlsym(loader, "clCreateCommandQueueWithProperties");
	if (platforms(1, &platform, NULL) || devices(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL))
		return 3;
	context = create(NULL, 1, &id, NULL, NULL, &error);
	if (!context || !queue(context, id, NULL, &error))
		return 4;
	dlclose(loader);
	set("policy", "timegraph");
	usleep(500000);
	return !dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
}

static void closes_loader(const char *dir)
{
	char here[4096] = "", name[4200];
	int status;
	pid_t pid;

	set("policy", "none");
	pid = fork();
	if (!pid) {
		if (!getcwd(here, sizeof(here)))
			_exit(126);
		snprintf(name, sizeof(name), "%s/build/lib/libtimegraph-cl.so", here);
		setenv("OPENCL_LAYERS", name, 1);
		snprintf(name, sizeof(name), "%s/build/mockcl/mockcl.icd", here);
		setenv("OCL_ICD_VENDORS", name, 1);
		snprintf(name, sizeof(name), "%s/card", dir);
		setenv("MOCKCL_DIR", name, 1);
		execl(self, "process", "--unload", NULL);
		_exit(127);
	}
	status = ended(pid);
	set("policy", "timegraph");
	test_row("a program closes OpenCL's loader, and the layer goes on", !status, "status %x", status);
}

/* --- several users, in a mount name space with a /run of its own --- */

#define USER	12345
#define OTHER	12346
#define BARE	12347		/* without XDG_RUNTIME_DIR */
#define OWN	"/run/user1/timegraph/tgd.sock"

/* Execute @program as @uid, without the test's own socket. */
static pid_t as_user(uid_t uid, const char *program, const char *argument)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	unsetenv("TGD_SOCKET");
	setenv("XDG_RUNTIME_DIR", uid == USER ? "/run/user1" : "/run/nowhere", 1);
	if (uid == BARE)
		unsetenv("XDG_RUNTIME_DIR");
	if (setgid(uid) || setuid(uid))
		_exit(126);
	execl(program, program, argument, "/dev/null", NULL);
	_exit(127);
}

/* How many clients the daemon at @socket has had, once there are @want; or in the end. */
static long clients_of(const char *socket, long want)
{
	snprintf(path, sizeof(path), "%s", socket);
	comes("clients", want);
	return counter("clients");
}

/*
 * A user's daemon has the device; then root starts one, which comes first in every program's
 * search. Return: which rows fail, a bit each.
 */
static int users(void)
{
	pid_t own, all, other;
	long first, second, later;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL) || mkdir("/run/user1", 0700) || chown("/run/user1", USER, USER))
		return 3;
	own = as_user(USER, "build/bin/tgd", "--spec");
	clients_of(OWN, 0);
	ended(as_user(USER, "/proc/self/exe", "--end"));
	first = clients_of(OWN, 1);
	all = as_user(0, "build/bin/tgd", "--spec");
	clients_of(TGD_SOCKET, 0);
	ended(as_user(USER, "/proc/self/exe", "--end"));
	second = clients_of(OWN, 2);
	other = as_user(OTHER, "/proc/self/exe", "--wait");
	usleep(300000);
	kill(own, SIGKILL);
	waitpid(own, NULL, 0);
	later = clients_of(TGD_SOCKET, 1);
	kill(other, SIGKILL);
	kill(all, SIGKILL);
	waitpid(other, NULL, 0);
	waitpid(all, NULL, 0);
	return (first != 1 || second != 2) | (later != 1) << 1;
}

/* A socket in place of the user's daemon, below /tmp, whose directory is @owner's */
static int listens(const char *dir, uid_t owner, int backlog)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/tgd.sock", dir);
	if (mkdir(dir, 0755) || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(fd, backlog) || chmod(at.sun_path, 0777) || chown(dir, owner, owner))
		perror(at.sun_path);
	return fd;
}

/* Connect until the socket takes no more. */
static void fill(const char *dir)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s/tgd.sock", dir);
	do
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	while (!connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* The places of a user without XDG_RUNTIME_DIR. Return: which rows fail, a bit each. */
static int places(void)
{
	char below_tmp[64], run[64];
	struct pollfd pfd = { .events = POLLIN };
	double from;
	int failed;
	pid_t own;

	snprintf(below_tmp, sizeof(below_tmp), "/tmp/timegraph-%u", BARE);
	snprintf(run, sizeof(run), "/run/user/%u", BARE);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL) || mount("none", "/tmp", "tmpfs", 0, NULL) ||
	    mkdir("/run/user", 0755) || mkdir(run, 0700) || chown(run, BARE, BARE))
		return 7;
	pfd.fd = listens(below_tmp, OTHER, 100);
	ended(as_user(BARE, "/proc/self/exe", "--end"));
	failed = poll(&pfd, 1, 0) != 0;
	close(pfd.fd);
	rename(below_tmp, "/tmp/away");

	pfd.fd = listens(below_tmp, BARE, 0);
	fill(below_tmp);
	from = seconds();
	ended(as_user(BARE, "/proc/self/exe", "--end"));
	failed |= (seconds() - from > patient(10)) << 1;

	snprintf(run, sizeof(run), "/run/user/%u/timegraph", BARE);
	close(listens(run, BARE, 0));
	setenv("TGD_SOCKET", "", 1);
	own = fork();
	if (!own) {
		setenv("XDG_RUNTIME_DIR", "/run/user/12347", 1);
		if (setgid(BARE) || setuid(BARE))
			_exit(126);
		execl("build/bin/tgd", "tgd", "--spec", "/dev/null", NULL);
		_exit(127);
	}
	clients_of("/run/user/12347/timegraph/tgd.sock", 0);
	ended(as_user(BARE, "/proc/self/exe", "--end"));
	failed |= (clients_of("/run/user/12347/timegraph/tgd.sock", 1) != 1) << 2;
	kill(own, SIGKILL);
	waitpid(own, NULL, 0);
	return failed;
}

/* Return: what @rows says, in a process of its own */
static int apart(int (*rows)(void))
{
	const pid_t pid = fork();

	if (!pid)
		_exit(rows());
	return ended(pid) >> 8;
}

static void several_users(void)
{
	int failed;

	if (getuid()) {
		printf("# not root: nothing of several users\n");
		return;
	}
	failed = apart(users);
	test_row("a program finds its user's daemon behind root's", !(failed & 1), "it does not");
	test_row("one that was refused is a client when the device is free", !(failed & 2), "it is not");
	failed = apart(places);
	test_row("nobody connects in another user's directory", !(failed & 1), "it does");
	test_row("a socket that takes no connection is tried once", !(failed & 2), "it is not");
	test_row("/run/user/UID comes before /tmp", !(failed & 4), "it does not");
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/tgd-process-XXXXXX", command[64];
	struct tgu *u;

	if (argc > 1 && !strcmp(argv[1], "--unload"))
		return unload();

	if (argc > 1) {
		u = tgu_open(&device);
		launch(u);
		if (!strcmp(argv[1], "--wait"))
			pause();
		if (!strcmp(argv[1], "--exec"))
			execl("/proc/self/exe", "process", "--end", NULL);
		return strcmp(argv[1], "--end") != 0;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(dir) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	snprintf(path, sizeof(path), "%s/sock", dir);
	setenv("TGD_SOCKET", path, 1);
	setenv("TGD_DAEMON", "/bin/false", 1);
	if (!start())
		return 2;
	closes_loader(dir);
	several_users();
	u = tgu_open(&device);
	forks(u);
	executes();
	cancels(u);
	exits();
	asks(u);
	takes_back(u);
	stops(u);
	comes_and_goes();
	stopped();
	outlives(u);
	stop();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || test_end();
}
