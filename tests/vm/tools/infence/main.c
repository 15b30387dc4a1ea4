// SPDX-License-Identifier: GPL-2.0
/*
 * infence - EXECs that wait for other drivers' fences, for the VM cases.
 *
 * The other driver is vgem, whose fences signal when this program says so, or after ten seconds.
 * Groups do nothing, but in `slow`. Each command judges itself: exit status 0 when it found what
 * must be, else 1 after one line that says what; `errnos` prints what must be the same with and without
 * timegraph.ko, `hold` what it did.
 *
 * The structures of vgem are the kernel's (include/uapi/drm/vgem_drm.h), of which this machine may
 * have no header.
 */
#include <stdio.h>
#include <string.h>

#include "infence.h"

static const struct {
	const char *name;
	int args;		/* least number */
	void (*run)(char **args);
} commands[] = {
	{ "hold", 2, do_hold },
	{ "slow", 3, do_slow },
	{ "signals", 0, do_signals },
	{ "kill", 0, do_kill },
	{ "destroy", 0, do_destroy },
	{ "timeline", 0, do_timeline },
	{ "merged", 0, do_merged },
	{ "own", 1, do_own },
	{ "empty", 0, do_empty },
	{ "swap", 1, do_swap },
	{ "errnos", 0, do_errnos },
	{ "faults", 0, do_faults },
	{ "binds", 1, do_binds },
};

static void on_term(__attribute__((unused)) int sig)
{
	over = 1;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	size_t i;

	sigaction(SIGTERM, &action, NULL);

	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) || argc - 2 < commands[i].args)
			continue;
		gpu_open();
		vgem = open_driver("/dev/dri/card%d", 0, "vgem");
		commands[i].run(argv + 2);
		return 0;
	}
	fprintf(stderr, "usage: infence COMMAND [ARGUMENT...]: see its source\n");
	return 2;
}
