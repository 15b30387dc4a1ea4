/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests report with: one line per named row, the totals last.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int test_passed, test_failed;

/** test_row() - say how a row fared; @why, as for printf, is printed only when it failed */
__attribute__((format(printf, 3, 4)))
static inline void test_row(const char *name, bool ok, const char *why, ...)
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

/** test_end() - the last line, and what main() returns */
static inline int test_end(void)
{
	printf("%u passed, %u failed\n", test_passed, test_failed);
	return test_failed || !test_passed;
}

#endif /* TESTS_TEST_H */
