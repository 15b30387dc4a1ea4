/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the result of a run.
 */
#ifndef TGL_REPORT_H
#define TGL_REPORT_H

#include <stdio.h>

#include "opts.h"
#include "run.h"

/**
 * tgl_report - print the result of a run
 * @out: where to
 * @opts: what the run was told; chooses JSON, one line, or text
 * @pid: the process that ran
 * @result: what came of it; its samples are sorted
 */
void tgl_report(FILE *out, const struct tgl_opts *opts, int pid, struct tgl_result *result);

#endif
