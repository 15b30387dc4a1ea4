// SPDX-License-Identifier: GPL-2.0
/* hostile: what processes do to each other and to themselves between their calls. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "hostile.h"

static void alarms(struct thread *t)
{
	struct itimerval every = { };

	/* On for a while, then off again, since a call that is made anew each time would never end. */
	if (!one_in(t, 2))
		every.it_value.tv_usec = 200 + below(t, 20000);
	if (one_in(t, 4))
		every.it_interval.tv_usec = 2000 + below(t, 20000);
	note(t, &every, sizeof(every));
	if (!dry)
		setitimer(ITIMER_REAL, &every, NULL);
}

pid_t somebody(struct thread *t)
{
	const unsigned int slot = below(t, WORKERS);

	return dry ? (int)slot + 1 : shared->pid[slot];
}

static void stop(struct thread *t)
{
	const pid_t pid = somebody(t);
	const unsigned int us = 100 + below(t, one_in(t, 8) ? 200000 : 5000);

	if (pid <= 0 || sys(t, SYS_kill, pid, SIGSTOP))
		return;
	sys_usleep(t, us);
	sys(t, SYS_kill, pid, SIGCONT);
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
		sys(t, SYS_kill, pid, SIGALRM);
	else if (pid > 0)
		count(KILLED, !sys(t, SYS_kill, pid, SIGKILL));
}

/* How many steps a forked process makes: the first thing that do_fork() draws. */
static unsigned int child_steps(struct thread *t)
{
	return 1 + below(t, 40);
}

/*
 * A child goes on with our files for a few steps, and ends, or is left behind. With -n, and in a
 * replay, its parent waits for it.
 */
static void do_fork(struct thread *t)
{
	static const struct op *const tables[] = { driver_ops, exec_ops, NULL };
	const uint64_t to = t->step + child_steps(t), until = t->step == child_from ? child_until : to;
	struct thread child = { };
	pid_t pid;

	if (atomic_fetch_add(&shared->children, 1) >= CHILDREN && quiet && !dry) {
		shared->children--;
		return;
	}
	pthread_mutex_lock(&no_imports);
	pid = fork();
	pthread_mutex_unlock(&no_imports);
	count(FORKED, pid >= 0);
	if (pid) {
		shared->children -= pid < 0;
		if (pid > 0 && (dry || !quiet))
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
		return;
	}
	/* Its own place for arguments, or ours, which we change under its calls */
	child = *t;
	if (one_in(t, 2) && !thread_init(&child, t->process + FORKED_BY, t->index))
		child = *t;
	child.process = t->process + FORKED_BY;
	child.hash = t->hash;
	child.given = t->given;
	child.step = t->step;
	for (; child.step < until && !shared->end; child.step++)
		one_step(&child, tables);
	shared->children--;
	_exit(0);
}

/* How many steps the process makes that @t forks in its next step; 0: that step forks none. */
unsigned int steps_forked(struct thread *t, const struct op *op)
{
	return op && op->run == do_fork ? child_steps(t) : 0;
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
		note(t, &fd, sizeof(fd));
		if (!dry)
			count(PASSED, sendmsg(box, &msg, 0) == 1);
	} else if (!dry && recvmsg(box + 1, &msg, 0) == 1 && control.head.cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
		adopt(t, file, fd);
		file->vm = one_in(t, 3);
	}
}

/* The descriptors stay, all else goes: in a replay, too, which goes on in its place. */
static void do_exec_self(struct thread *t)
{
	char text[3 + FILES][24], *argv[3 + FILES + 3] = { "hostile", "-x" };
	unsigned int i;

	if (t->process >= FORKED_BY)
		return;
	if (!quiet || dry) {
		forget(t);
		return;
	}
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
	t->over = true;
	if (!quiet || dry)
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
