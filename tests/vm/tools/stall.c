// SPDX-License-Identifier: GPL-2.0
/*
 * stall - did the guest stand still? A witness for measurements, on every CPU of the guest.
 *
 * One thread per CPU, at real-time priority, sleeps for a millisecond again and again. What it
 * oversleeps by more than 3 ms is time in which the host ran something else, or interrupts
 * were off: completions of that time were told late, and in whatever order. On SIGTERM prints
 * the worst CPU's sum of such times, in microseconds.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX	64
#define NAP_NS		1000000LL
#define TOLERATED_NS	3000000LL

static long long stalled[CPUS_MAX];

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void *watch(void *arg)
{
	static const struct timespec nap = { 0, NAP_NS };
	struct sched_param param = { .sched_priority = 50 };
	long cpu = (long)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) ||
	    pthread_setschedparam(pthread_self(), SCHED_FIFO, &param)) {
		fprintf(stderr, "stall: cannot watch CPU %ld: run me as root\n", cpu);
		exit(1);
	}
	for (;;) {
		long long before = now(), slept;

		nanosleep(&nap, NULL);
		slept = now() - before;
		if (slept > NAP_NS + TOLERATED_NS)
			__atomic_add_fetch(&stalled[cpu], slept - NAP_NS, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long long worst = 0, n;
	pthread_t thread;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
		if (pthread_create(&thread, NULL, watch, (void *)cpu)) {
			fprintf(stderr, "stall: no thread for CPU %ld\n", cpu);
			return 1;
		}
	}
	sigwait(&set, &sig);
	for (cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
		n = __atomic_load_n(&stalled[cpu], __ATOMIC_RELAXED);
		worst = n > worst ? n : worst;
	}
	printf("%lld\n", worst / 1000);
	return 0;
}
