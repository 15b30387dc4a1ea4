// SPDX-License-Identifier: GPL-2.0
/* hostile: what processes do to each other and to themselves between their calls. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "hostile.h"

static void alarms(struct thread *t)
{
	struct itimerval every = { };

	/* On for a while, then off again, since a call that is made anew each time would never end. */
	if (!one_in(t, 2))
		every.it_value.tv_usec = 200 + below(t, 20000);
	if (one_in(t, 4))
		every.it_interval.tv_usec = 2000 + below(t, 20000);
	setitimer(ITIMER_REAL, &every, NULL);
}

static pid_t somebody(struct thread *t)
{
	return shared->pid[below(t, WORKERS)];
}

static void stop(struct thread *t)
{
	const pid_t pid = somebody(t);
	const unsigned int us = 100 + below(t, one_in(t, 8) ? 200000 : 5000);

	if (pid <= 0 || kill(pid, SIGSTOP))
		return;
	usleep(us);
	kill(pid, SIGCONT);
}

static void do_signal(struct thread *t)
{
	const unsigned int what = below(t, 16);
	pid_t pid = somebody(t);

	if (what < 8)
		alarms(t);
	else if (what < 12)
		stop(t);
	else if (what < 15 && pid > 0)
		kill(pid, SIGALRM);
	else if (pid > 0)
		count(KILLED, !kill(pid, SIGKILL));
}

/* A child goes on with our files for a few steps, and ends, or is left behind. */
static void do_fork(struct thread *t)
{
	static const struct op *const tables[] = { driver_ops, exec_ops, NULL };
	const unsigned int steps = 1 + below(t, 40);
	struct thread child = { };
	unsigned int i;
	pid_t pid;

	if (atomic_fetch_add(&shared->children, 1) >= CHILDREN) {
		shared->children--;
		return;
	}
	pid = fork();
	count(FORKED, pid >= 0);
	if (pid) {
		shared->children -= pid < 0;
		return;
	}
	/* Its own place for arguments, or ours, which we change under its calls */
	child = *t;
	if (one_in(t, 2) && !thread_init(&child, t->process, t->index))
		child = *t;
	child.process = t->process + FORKED_BY;
	child.step = t->step;
	for (i = 0; i < steps && !shared->end; i++, child.step++)
		one_step(&child, tables);
	shared->children--;
	_exit(0);
}

static void do_pass(struct thread *t)
{
	const int box = FD_MAILBOX + 2 * below(t, MAILBOXES);
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct file *file = &files[below(t, FILES)];
	int fd;

	memset(&control, 0, sizeof(control));
	if (one_in(t, 2)) {
		if (file->fd < 0)
			return;
		control.head = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)),
		};
		fd = file->fd;
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		count(PASSED, sendmsg(box, &msg, 0) == 1);
	} else if (recvmsg(box + 1, &msg, 0) == 1 && control.head.cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
		adopt(file, fd);
		file->vm = one_in(t, 3);
	}
}

/* The descriptors stay, all else goes. */
static void do_exec_self(struct thread *t)
{
	char text[3 + FILES][24], *argv[3 + FILES + 3] = { "hostile", "-x" };
	unsigned int i;

	if (!quiet || t->process >= FORKED_BY)
		return;
	snprintf(text[0], sizeof(*text), "%llu", (unsigned long long)seed);
	snprintf(text[1], sizeof(*text), "%u", t->process);
	snprintf(text[2], sizeof(*text), "%llu", (unsigned long long)t->step + 1);
	for (i = 0; i < FILES; i++)
		snprintf(text[3 + i], sizeof(*text), "%d", files[i].fd);
	for (i = 0; i < 3 + FILES; i++)
		argv[2 + i] = text[i];
	shared->calls[EXECED]++;
	execv("/proc/self/exe", argv);
}

static void do_leave(struct thread *t)
{
	(void)t;
	if (!quiet)
		return;
	count(LEFT, true);
	_exit(0);
}

const struct op world_ops[] = {
	{ "signal", 24, do_signal },
	{ "fork", 4, do_fork },
	{ "pass", 10, do_pass },
	{ "exec_self", 1, do_exec_self },
	{ "leave", 1, do_leave },
	{ },
};
