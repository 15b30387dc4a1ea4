/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgload's unit tests report with: one line per named row, the totals last.
 */
#ifndef TGLOAD_TEST_H
#define TGLOAD_TEST_H

#include <stdarg.h>
#include <stdio.h>

static unsigned int test_passed, test_failed;

/* Says how a row fared; the reason counts only when it failed. */
__attribute__((__format__(printf, 3, 4)))
static inline void test_row(const char *name, int ok, const char *why, ...)
{
	va_list args;

	if (ok) {
		test_passed++;
		printf("ok %s\n", name);
		return;
	}
	test_failed++;
	printf("not ok %s: ", name);
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	putchar('\n');
}

/* The last line, and what main() returns. */
static inline int test_end(void)
{
	printf("%u passed, %u failed\n", test_passed, test_failed);
	return test_failed || !test_passed;
}

#endif
