// SPDX-License-Identifier: GPL-2.0
/*
 * tgload: puts a load of a chosen shape on a GPU that nouveau drives, and says how it fared.
 */
#include <stdio.h>
#include <unistd.h>

#include "opts.h"
#include "report.h"
#include "run.h"

static const char help[] =
"Usage: tgload [OPTION...]\n"
"Put a load on a GPU through nouveau and report rates and latencies.\n"
"\n"
"  --name COMM      the process's name, at most 15 bytes (tgload)\n"
"  --device NODE    render node of the GPU (the first that nouveau drives)\n"
"  --kind KIND      compute, fill, copy or upload (compute)\n"
"  --cost TIME      GPU time of a group (1ms)\n"
"  --vary PERCENT   frames cost up to so much less or more (0)\n"
"  --seed N         which costs they have then (0)\n"
"  --groups N       groups in a frame (1)\n"
"  --every TIME     distance at which frames are due, 0 for back to back (0)\n"
"  --vsync TIME     frames are shown at ticks of this distance (no ticks)\n"
"  --think TIME     pause on the CPU between groups (0)\n"
"  --prepare TIME   pause on the CPU before each frame (0)\n"
"  --mem N          MiB of VRAM that each frame asks for, uses and gives back (0)\n"
"  --depth N        groups in flight at once (1)\n"
"  --channels N     channels, each in a thread of its own (1)\n"
"  --for TIME       start no group after this time (no bound)\n"
"  --count N        groups on each channel (no bound)\n"
"  --stopped        stop (SIGSTOP) when all is set up, and begin at SIGCONT\n"
"  --submit HOW     pushbuf, or exec: VM_BIND and EXEC, on a Fermi GPU (pushbuf)\n"
"  --verify         check after each group that it did its work\n"
"  --json           report as one line of JSON\n"
"  --help           print this and exit\n"
"\n"
"TIME is a number and a unit, ns, us, ms or s, as in 16.7ms; 0 needs no unit.\n"
"Without --for and --count the load goes on until SIGINT or SIGTERM.\n"
"Exit status: 0 every group submitted completed, 1 an error, 2 wrong usage.\n";

int main(int argc, char **argv)
{
	struct tgl_result result;
	struct tgl_opts opts;
	char why[256];

	switch (tgl_opts_parse(argc, argv, &opts, why, sizeof(why))) {
	case TGL_HELP:
		fputs(help, stdout);
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
