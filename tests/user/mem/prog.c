// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: children that use the library as the test tells them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

struct order {
	char what;	/* a: pre-alloc; f: post-free; e: fini */
	int timeout_ms;
	uint64_t bytes;
};

static int obey(const struct order *o)
{
	switch (o->what) {
	case 'a':
		return tg_mem_pre_alloc(card, o->bytes, o->timeout_ms);
	case 'f':
		return tg_mem_post_free(card, o->bytes);
	default:
		return tg_mem_fini();
	}
}

static void be(int in, int out)
{
	struct order o;
	int ret = tg_mem_init(0);

	if (ret)
		_exit(3);
	while (read(in, &o, sizeof(o)) == sizeof(o)) {
		ret = obey(&o);
		if (write(out, &ret, sizeof(ret)) != sizeof(ret) || o.what == 'e')
			break;
	}
	_exit(0);
}

/* program() - start one; @name and @nice say its priority */
struct program program(const char *name, int nice)
{
	struct program p = { -1, -1, -1 };
	int to[2], from[2];

	if (pipe2(to, 0) || pipe2(from, 0))
		exit(2);
	fflush(stdout);
	p.pid = fork();
	if (!p.pid) {
		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		setpriority(PRIO_PROCESS, 0, nice);
		be(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p.to = to[1];
	p.from = from[0];
	return p;
}

static void tell(struct program *p, struct order o)
{
	if (write(p->to, &o, sizeof(o)) != sizeof(o))
		perror("write");
}

void order_alloc(struct program *p, uint64_t bytes, int timeout_ms)
{
	tell(p, (struct order){ 'a', timeout_ms, bytes });
}

/* said() - what the program has said within @ms; NOTHING. A second or more are those of an idle machine */
int said(struct program *p, int ms)
{
	struct pollfd pfd = { .fd = p->from, .events = POLLIN };
	int ret;

	if (poll(&pfd, 1, ms < 1000 ? ms : patient(ms)) != 1 || read(p->from, &ret, sizeof(ret)) != sizeof(ret))
		return NOTHING;
	return ret;
}

int alloc(struct program *p, uint64_t bytes, int timeout_ms)
{
	order_alloc(p, bytes, timeout_ms);
	return said(p, 20000);
}

int release(struct program *p, uint64_t bytes)
{
	tell(p, (struct order){ 'f', 0, bytes });
	return said(p, 20000);
}

static int gone(struct program *p)
{
	int status = -1;

	close(p->to);
	close(p->from);
	waitpid(p->pid, &status, 0);
	return status;
}

/* finish() - it shuts down, and ends. Return: what tg_mem_fini() has said */
int finish(struct program *p)
{
	int ret;

	tell(p, (struct order){ 'e', 0, 0 });
	ret = said(p, 20000);
	return gone(p) ?: ret;
}

/* killed() - it is. Return: its status */
int killed(struct program *p)
{
	kill(p->pid, SIGKILL);
	return gone(p);
}

/* run() - @fn in a program of its own. Return: what it returns, 0 to 255, or -1: it crashed, or hangs */
int run(int (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(60);
		_exit(fn());
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* probe() - does a new program get @want when it requests @bytes? Tried for 5 s: the books may be about to change */
bool probe(uint64_t bytes, int timeout_ms, int want)
{
	struct program p = program("probe", 0);
	double end = seconds() + patient(5);
	int ret;

	do {
		ret = alloc(&p, bytes, timeout_ms);
		if (!ret)
			release(&p, bytes);
	} while (ret != want && seconds() < end && !usleep(1000));
	finish(&p);
	return ret == want;
}
