/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgload's unit tests report with: one line per named row, the totals last.
 */
#ifndef TGLOAD_TEST_H
#define TGLOAD_TEST_H

#include <stdio.h>

static unsigned int test_passed, test_failed;

/* Counts a row and begins its line; true if a reason is to follow. */
static inline int test_begin(const char *name, int ok)
{
	if (ok) {
		test_passed++;
		printf("ok %s\n", name);
	} else {
		test_failed++;
		printf("not ok %s: ", name);
	}
	return !ok;
}

/* Says how a row fared; what follows is printf's, and is printed only if it failed. */
#define test_row(name, ok, ...)			\
do {						\
	if (test_begin(name, ok)) {		\
		printf(__VA_ARGS__);		\
		putchar('\n');			\
	}					\
} while (0)

/* The last line, and what main() returns. */
static inline int test_end(void)
{
	printf("%u passed, %u failed\n", test_passed, test_failed);
	return test_failed || !test_passed;
}

#endif
