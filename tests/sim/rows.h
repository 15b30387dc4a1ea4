/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of figures from tgsim: how a test runs a scenario, and how it tells what came of it. Called by
 * tests of this folder, which have one thread.
 */
#ifndef TG_TESTS_ROWS_H
#define TG_TESTS_ROWS_H

#include "../lib/test.h"
#include "run.h"

/* Run the scenario. Return: true: the caller ends it; false: the row @name has failed. */
static inline bool rows_run(const char *name, const char *policy, const char *text,
			    struct tgs_scenario *s, struct tgs_result *r)
{
	char error[TGS_MESSAGE];

	if (!tgs_scenario_parse(s, text, ".", error) && !tgs_run(s, NULL, r, error))
		return true;
	test_row(name, false, "%s: %s", policy, error);
	tgs_scenario_deinit(s);
	return false;
}

static inline void rows_end(struct tgs_scenario *s, struct tgs_result *r)
{
	tgs_result_deinit(r);
	tgs_scenario_deinit(s);
}

/*
 * Print the figures, and judge them. @open: the bound is known not to hold. Such a row fails as soon
 * as it holds, so that the mark goes.
 */
static inline void rows_tell(const char *name, bool open, bool holds, const char *figures)
{
	printf("# %s%s: %s\n", open ? "open: " : "", name, figures);
	if (open)
		test_row(name, !holds, "it holds (%s): it is not open any more", figures);
	else
		test_row(name, holds, "%s", figures);
}

#endif /* TG_TESTS_ROWS_H */
