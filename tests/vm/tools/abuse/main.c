// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - a client of nouveau that behaves badly, for the VM cases. Speaks to the driver by its
 * ioctls alone, so that it can say what no library would let it: see commands[]. Each command
 * judges itself: exit status 0 when it found what must be, else 1 after one line that says what.
 *
 * With -m, what timegraph.ko counts for this process is part of that: its row in the module's
 * snapshot must agree with what was submitted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>

#include "abuse.h"

static const struct {
	const char *name;
	int args;
	void (*run)(char **args);
	const char *help;
} commands[] = {
	{ "exit", 2, do_exit, "N COST: end with N groups in flight" },
	{ "burst", 2, do_burst, "N COST: N groups in flight at once; then stay" },
	{ "full", 2, do_full, "N COST: when continued, N groups in flight; needs no more memory" },
	{ "free", 1, do_free, "COST: free a channel while a thread waits to submit to it" },
	{ "race", 1, do_race, "SECONDS: submit to a channel that other threads make and free" },
	{ "errors", 1, do_errors, "COST: each error of nouveau's, before and after emission" },
	{ "busy", 1, do_busy, "COST: outlast nouveau's own wait" },
	{ "stuck", 1, do_stuck, "MS: be stuck in a page fault inside the driver (0: for ever)" },
	{ "slow", 4, do_slow, "MS COST FOR DIR: for FOR ms, groups whose push list is a page of MS ms, by FUSE at DIR" },
	{ "signals", 2, do_signals, "N COST: N groups under a storm of signals" },
	{ "threads", 1, do_threads, "COST: two channels in two threads, until killed" },
	{ "fork", 2, do_fork, "N COST: leave the channel to a child" },
	{ "become", 2, do_become, "PROGRAM COST: execute PROGRAM, a copy, which goes on with the channel" },
	{ "became", 5, do_became, "FD CHANNEL BUFFER WORDS PATCH: what become leaves" },
	{ "swap", 3, do_swap, "N SHORT LONG: groups that change while they are read" },
	{ "vram", 2, do_vram, "N COST: groups whose push buffers lie in VRAM" },
	{ "evict", 4, do_evict, "N MIB PAUSE COST: groups that use N objects of VRAM in turn, PAUSE ms between" },
	{ "flood", 1, do_flood, "MS: empty groups by EXEC, one after the other: how many are taken?" },
	{ "ioctl", 2, do_ioctl, "N COST: how long a submission takes, alone and with its fence's interrupt" },
	{ "crowd", 3, do_crowd, "N THREADS COST: processes c0 to c9, with a channel each, until killed" },
	{ "channels", 3, do_channels, "N THREADS COST: N channels of one process c0, so many threads for each" },
	{ "line", 2, do_line, "THREADS COST: threads of one channel, interrupted once; until killed" },
	{ "lie", 4, do_lie, "WHAT CHANNEL COST SLOTS: groups that write false times of fences; until SIGTERM" },
	{ "forge", 3, do_forge, "N COST SLOTS: groups that say they are over when they begin" },
	{ "snapshots", 1, do_snapshots, "N: so many at once, in small pieces" },
	{ "until-gone", 1, do_until_gone, "COST: until the device goes; stay" },
};

static void explain(void)
{
	unsigned int i;

	fprintf(stderr, "usage: abuse [-m] [-d NODE] [-n NAME] COMMAND ARG...; costs in us\n"
			"  -m       timegraph is loaded: look at its counters\n"
			"  -d NODE  of another card than the first\n"
			"  -n NAME  name of the process\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stderr, "  %s %s\n", commands[i].name, commands[i].help);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int opt;

	while ((opt = getopt(argc, argv, "+md:n:")) != -1) {
		if (opt == 'm')
			counted = true;
		else if (opt == 'd')
			node = optarg;
		else if (opt == 'n')
			prctl(PR_SET_NAME, optarg);
		else
			explain();
	}
	argv += optind;
	for (i = 0; *argv && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(*argv, commands[i].name) || argc - optind - 1 != commands[i].args)
			continue;
		commands[i].run(argv + 1);
		return 0;
	}
	explain();
}
