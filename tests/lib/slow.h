/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting times of tests in C: those of an idle machine, as scripts/lib/slow.sh has them for scripts.
 */
#ifndef TESTS_SLOW_H
#define TESTS_SLOW_H

#include <time.h>

#define SLOW_WORK	20000000
#define SLOW_USUAL	0.006	/* s that so many rounds take on an idle machine of 2 cores, as of 2026 */

static inline double slow_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/** patient() - how long @seconds of an idle machine are here, up to eight times. A few ms of work tell, once a second at most */
static inline double patient(double seconds)
{
	static double told, slow;
	double from = slow_clock();
	volatile unsigned int i;

	if (!told || from > told + 1) {
		for (i = 0; i < SLOW_WORK; i++)
			;
		told = slow_clock();
		slow = (told - from) / SLOW_USUAL;
		slow = slow < 1 ? 1 : slow > 8 ? 8 : slow;
	}
	return seconds * slow;
}

#endif /* TESTS_SLOW_H */
