// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - processes that end with work in flight, or leave their channel to another program.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "abuse.h"

/* N COST: a new channel, with N groups in flight */
static void fly(struct chan *ch, char **args)
{
	unsigned int i, n = number(args[0]);

	chan_new(ch, open_node(), number(args[1]));
	for (i = 1; i <= n; i++)
		must("submission", submit(ch, i));
	printf("%u groups in flight\n", n);
	fflush(stdout);
}

/* exit N COST: leave with N groups in flight */
void do_exit(char **args)
{
	struct chan ch;

	fly(&ch, args);
	_exit(0);
}

/* burst N COST: N groups in flight at once; when they have completed, stay with the channel */
void do_burst(char **args)
{
	struct chan ch;

	fly(&ch, args);
	must("wait", chan_wait(&ch));
	printf("completed\n");
	fflush(stdout);
	for (;;)
		pause();
}

/*
 * full N COST: when it is continued, N groups in flight at once; how many were taken, and how many
 * refused for want of memory; and then one after the other, until killed. It touches no page that
 * is not there yet: in a cgroup without memory it would sleep for ever.
 */
void do_full(char **args)
{
	unsigned int i, n = number(args[0]), refused = 0;
	struct chan ch;
	int ret;

	chan_new(&ch, open_node(), number(args[1]));
	run_group(&ch, 1);
	printf("begins\n");
	fflush(stdout);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("mlockall: %s", strerror(errno));
	raise(SIGSTOP);
	for (i = 0; i < n; i++) {
		ret = submit(&ch, i + 2);
		if (ret && ret != -ENOMEM)
			must("submission", ret);
		refused += !!ret;
	}
	printf("taken %u, refused %u\n", n - refused, refused);
	fflush(stdout);
	for (;; sleep_ms(2)) {
		ret = submit(&ch, ++i + 2);
		if (ret && ret != -ENOMEM)
			must("submission", ret);
	}
}

/*
 * fork N COST: a process opens the device, submits, and leaves it to its child, which goes on with
 * the same channel after its parent has ended: it is a client of its own.
 */
void do_fork(char **args)
{
	unsigned int i, n = number(args[0]);
	struct tg_snap_client row;
	uint64_t others;
	struct chan ch;
	int pipe_fd[2], status;
	char byte;
	pid_t pid;

	if (pipe(pipe_fd) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		fail("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		chan_new(&ch, open_node(), number(args[1]));
		run_group(&ch, 1);
		pid = fork();
		if (pid)
			_exit(pid < 0);
		close(pipe_fd[1]);
		if (read(pipe_fd[0], &byte, 1))
			fail("pipe");
		for (i = 2; i <= n + 1; i++)
			run_group(&ch, i);
		counters_must_be(n, n, 0);
		if (counted && snapshot(&row, &others) && row.pid != (uint32_t)getpid())
			fail("the child's client is process %u", row.pid);
		exit(0);
	}
	close(pipe_fd[0]);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("the parent: status 0x%x", status);
	close(pipe_fd[1]);	/* the parent has gone: go on */
	pid = wait(&status);
	if (pid < 0 || status)
		fail("the child: status 0x%x", status);
	printf("%u groups by the child\n", n);
}

/* A group every 20 ms until one of @set comes */
static void go_on(const struct chan *ch, const sigset_t *set)
{
	const struct timespec nap = { .tv_nsec = 20 * MS };
	uint32_t seq = 1;

	do
		run_group(ch, seq++);
	while (sigtimedwait(set, NULL, &nap) < 0);
}

/*
 * become PROGRAM COST: work until SIGUSR1 comes, then execute PROGRAM, this one by another name,
 * which goes on with the channel
 */
void do_become(char **args)
{
	int fd = open("/dev/dri/renderD128", O_RDWR);	/* stays open */
	char numbers[5][16];
	struct chan ch;
	sigset_t set;

	if (fd < 0)
		fail("/dev/dri/renderD128: %s", strerror(errno));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	chan_new(&ch, fd, number(args[1]));
	go_on(&ch, &set);
	snprintf(numbers[0], sizeof(numbers[0]), "%d", ch.fd);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", ch.id);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", ch.handle);
	snprintf(numbers[3], sizeof(numbers[3]), "%u", ch.words);
	snprintf(numbers[4], sizeof(numbers[4]), "%u", ch.patch);
	execl(args[0], args[0], "became", numbers[0], numbers[1], numbers[2], numbers[3],
	      numbers[4], NULL);
	fail("%s: %s", args[0], strerror(errno));
}

/* became FD CHANNEL BUFFER WORDS PATCH: what `become` has left, until killed */
void do_became(char **args)
{
	struct chan ch = {
		.fd = number(args[0]), .id = number(args[1]), .handle = number(args[2]),
		.words = number(args[3]), .patch = number(args[4]),
	};
	struct drm_nouveau_gem_info info = { .handle = ch.handle };
	sigset_t none;
	void *map;

	must("GEM_INFO", talk(ch.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_INFO,
					      struct drm_nouveau_gem_info), &info));
	map = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ch.fd,
		   info.map_handle);
	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	ch.map = map;
	sigemptyset(&none);
	go_on(&ch, &none);
}

/*
 * until-gone COST: submit until the device goes, tell the kernel's log, and keep the file open:
 * what the log says then has an order.
 */
void do_until_gone(char **args)
{
	unsigned int cost_us = number(args[0]);
	char line[128];
	uint32_t seq;
	struct chan ch;
	int ret, fd, len;

	chan_new(&ch, open_node(), cost_us);
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	printf("running\n");
	fflush(stdout);
	for (seq = 1;; seq++) {
		ret = submit(&ch, seq);
		if (ret)
			break;
		ret = chan_wait(&ch);
		if (ret)
			break;
	}
	len = snprintf(line, sizeof(line), "abuse: process %d: %s\n", getpid(), strerror(-ret));
	if (write(fd, line, len) != len)
		fail("/dev/kmsg: %s", strerror(errno));
	for (;;)
		pause();
}
