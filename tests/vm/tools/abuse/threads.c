// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - threads that share a device, a channel that is freed under one of them, and signals.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "abuse.h"

/* Two threads, one channel: one submits and waits, or only submits, until that fails. */
struct worker {
	struct chan ch;
	unsigned int depth;
	atomic_uint groups;
	atomic_llong since;	/* start of the submission it is in, or 0 */
	int ret;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	uint32_t seq;

	for (seq = 1;; seq++) {
		w->since = now_ns();
		w->ret = submit(&w->ch, seq);
		w->since = 0;
		if (w->ret)
			return NULL;
		w->groups++;
		if (seq % w->depth)
			continue;
		w->ret = chan_wait(&w->ch);
		if (w->ret)
			return NULL;
	}
}

static void worker_start(struct worker *w, int fd, unsigned int cost_us, unsigned int depth)
{
	memset(w, 0, sizeof(*w));
	chan_new(&w->ch, fd, cost_us);
	w->depth = depth;
	if (pthread_create(&w->thread, NULL, work, w))
		fail("no thread");
}

static void worker_end(struct worker *w, unsigned int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	if (pthread_timedjoin_np(w->thread, NULL, &until))
		fail("the submitting thread hangs");
}

/* Whether the worker has been in one submission for that long. */
static bool waits_ms(struct worker *w, long long ms)
{
	long long since = w->since;

	return since && now_ns() - since > ms * MS;
}

/* What the process has used goes with a new spec, and not with its channel. */
static void forgive(void)
{
	if (counted && system("tgctl load /tmp/spec >/dev/null"))
		fail("tgctl load failed");
}

/*
 * free COST: a channel is freed while another thread waits to submit to it, and, in every second
 * round, while it has work in flight. The spec, /tmp/spec, must hold the process's second group
 * back.
 */
void do_free(char **args)
{
	unsigned int round, waited = 0, i;
	int fd = open_node();
	struct worker w;
	struct chan ch;

	for (round = 0; round < 6; round++) {
		forgive();
		worker_start(&w, fd, number(args[0]), round % 2 ? SLOTS : 1);
		if (round % 2 || !counted) {
			while (!w.groups)
				sleep_ms(1);
		} else {
			for (i = 0; i < 500 && !waits_ms(&w, 300); i++)
				sleep_ms(10);
			if (i == 500)
				fail("round %u: %u groups and nothing waits: wrong spec?", round,
				     w.groups);
			waited++;
		}
		must("CHANNEL_FREE", chan_free(&w.ch));
		worker_end(&w, 5);
		if (w.ret != -ENOENT)
			fail("round %u: the other thread got '%s', not '%s'", round,
			     strerror(-w.ret), strerror(ENOENT));
	}
	forgive();
	chan_new(&ch, fd, 1000);
	run_group(&ch, 1);
	counters_must_be(1, 1, 0);
	printf("6 channels freed, %u of them under a waiting thread\n", waited);
}

/* Threads that guess the number of a channel which others make and free all the time. */
#define PUSHERS	3

struct race {
	struct chan base;	/* its file and buffer serve all; it stays until the end */
	int id;			/* the number that the file's next channel gets */
	atomic_bool over;
	atomic_uint pushed;
};

/* Empty groups, as many as nouveau takes. */
static void *push(void *arg)
{
	struct race *r = arg;
	struct call call;
	int ret;

	while (!r->over) {
		call_init(&call, &r->base, 1);
		call.req.channel = r->id;
		call.push[0].offset = RESULTS;	/* zeros: no methods */
		call.push[0].length = 8;
		ret = talk(r->base.fd, PUSHBUF, &call.req);
		if (!ret)
			r->pushed++;
		else if (ret != -ENOENT)
			fail("submission: %s", strerror(-ret));
	}
	return NULL;
}

static void *free_again(void *arg)
{
	struct race *r = arg;
	const struct chan next = { .fd = r->base.fd, .id = r->id };

	while (!r->over) {
		chan_free(&next);
		sleep_ms(rand() % 600);
	}
	return NULL;
}

/*
 * race SECONDS: what nouveau has taken is counted, whoever was quicker; and a channel that has been
 * freed is nobody's.
 */
void do_race(char **args)
{
	const long long end = now_ns() + number(args[0]) * 1000 * MS;
	pthread_t threads[PUSHERS + 1];
	struct tg_snap_client row;
	unsigned int made = 0, i;
	static struct race r;
	uint64_t others;
	struct chan ch;

	chan_new(&r.base, open_node(), 100);
	chan_new(&ch, r.base.fd, 100);
	r.id = ch.id;
	must("CHANNEL_FREE", chan_free(&ch));
	for (i = 0; i <= PUSHERS; i++)
		if (pthread_create(&threads[i], NULL, i ? push : free_again, &r))
			fail("no thread");
	for (; now_ns() < end; made++) {
		ch.id = channel_alloc(r.base.fd);
		if (ch.id != r.id)
			must("CHANNEL_FREE", chan_free(&ch));
		sleep_ms(rand() % 20);
	}
	r.over = true;
	for (i = 0; i <= PUSHERS; i++)
		pthread_join(threads[i], NULL);
	ch.id = r.id;
	chan_free(&ch);
	printf("%u channels made, %u groups went to them\n", made, r.pushed);
	fflush(stdout);
	if (!r.pushed)
		fail("no group was quick enough");
	for (i = 0; snapshot(&row, &others) && row.completed != r.pushed; i++) {
		if (i == 100)
			fail("%llu of these are known: submitted %llu, failed %llu",
			     (unsigned long long)row.completed, (unsigned long long)row.submitted,
			     (unsigned long long)row.failed);
		sleep_ms(20);
	}
	must("CHANNEL_FREE", chan_free(&r.base));
	for (i = 0; snapshot(&row, &others); i++) {
		if (i == 100)
			fail("all channels are freed, and the process is still a client");
		sleep_ms(20);
	}
}

/* threads COST: two channels, each in its own thread, until killed */
void do_threads(char **args)
{
	unsigned int cost_us = number(args[0]);
	int fd = open_node();
	struct worker a, b;

	worker_start(&a, fd, cost_us, 2);
	worker_start(&b, fd, cost_us, 2);
	printf("running\n");
	fflush(stdout);
	pthread_join(a.thread, NULL);
	fail("a thread ended: %s", strerror(-a.ret));
}

static atomic_uint alarms, patience;

/*
 * A debug kernel may need longer for a submission than from alarm to alarm, and a submission that
 * nouveau begins anew after each would never get through.
 */
static void on_alarm(int sig)
{
	static struct itimerval every = { { 0, 5000 }, { 0, 5000 } };

	(void)sig;
	alarms++;
	if (++patience % 256)
		return;
	every.it_interval.tv_usec = every.it_value.tv_usec *= 2;
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Stops and continues its parent all the time, now and then for longer than a place is kept. */
static void torment(void)
{
	pid_t parent = getppid();
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 1;; i++) {
		sleep_ms(37);
		if (kill(parent, SIGSTOP))
			_exit(0);
		sleep_ms(i % 8 ? 3 : 250);
		kill(parent, SIGCONT);
	}
}

/*
 * signals N COST: N groups while alarms go off every 5 ms or more, and it is stopped and continued
 * all the time. Interrupted waits keep their place: of those that came back in time, none counts
 * twice.
 */
void do_signals(char **args)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	long long parked = stat_value("parked"), resumed = stat_value("resumed");
	unsigned int i, n = number(args[0]);
	struct chan ch;
	pid_t child;
	int ret;

	chan_new(&ch, open_node(), number(args[1]));
	sigaction(SIGALRM, &act, NULL);
	child = fork();
	if (!child)
		torment();
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 1; i <= n; i++) {
		patience = 0;
		ret = submit(&ch, i);
		if (!ret)
			ret = chan_wait(&ch);
		if (ret || result(&ch, i) != i)
			fail("group %u: %s; it left %u behind", i, strerror(-ret), result(&ch, i));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	kill(child, SIGKILL);
	kill(getpid(), SIGCONT);
	waitpid(child, NULL, 0);
	parked = stat_value("parked") - parked;
	resumed = stat_value("resumed") - resumed;
	if (counted && (!resumed || !alarms))
		fail("%u alarms, but only %lld waits interrupted and %lld resumed", alarms, parked,
		     resumed);
	/* a place that was given up is one more submission, the one before is cancelled */
	counters_must_be(n + parked - resumed, n, 0);
	printf("%u alarms, %lld waits interrupted, %lld of them resumed\n", alarms, parked,
	       resumed);
}
