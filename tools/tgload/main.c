// SPDX-License-Identifier: GPL-2.0
/*
 * tgload: puts a load of a chosen shape on a GPU that nouveau drives, and reports rates and
 * latencies.
 */
#include <stdio.h>
#include <unistd.h>

#include "lib/opt.h"
#include "opts.h"
#include "report.h"
#include "run.h"

int main(int argc, char **argv)
{
	struct tgl_result result;
	struct tgl_opts opts;
	char why[256];

	switch (tgl_opts_parse(argc, argv, &opts, why, sizeof(why))) {
	case TGL_HELP:
		tgl_opts_help(stdout);
		return 0;
	case TGL_VERSION:
		opt_version("tgload");
		return 0;
	case TGL_LIST:
		tgl_opts_list();
		return 0;
	case TGL_BAD:
		fprintf(stderr, "tgload: %s\n", why);
		return 2;
	case TGL_RUN:
		break;
	}
	if (tgl_run(&opts, &result, why, sizeof(why))) {
		fprintf(stderr, "tgload: %s\n", why);
		return 1;
	}
	tgl_report(stdout, &opts, getpid(), &result);
	if (fflush(stdout)) {
		perror("tgload: cannot write the result");
		return 1;
	}
	return result.errors || result.groups != result.submitted;
}
