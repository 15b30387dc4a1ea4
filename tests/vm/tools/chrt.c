// SPDX-License-Identifier: GPL-2.0
/*
 * chrt CLASS -p PRIORITY PID - give a process another scheduling class. CLASS: -o, -i, -f or -r, as
 * util-linux has them. The guest's busybox has no such command.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	static const struct {
		const char *option;
		int class;
	} classes[] = {
		{ "-o", SCHED_OTHER }, { "-i", SCHED_IDLE }, { "-f", SCHED_FIFO }, { "-r", SCHED_RR },
	};
	struct sched_param param;
	size_t i;

	for (i = 0; argc == 5 && i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(argv[1], classes[i].option))
			continue;
		param.sched_priority = atoi(argv[3]);
		if (!sched_setscheduler(atoi(argv[4]), classes[i].class, &param))
			return 0;
		perror("chrt");
		return 1;
	}
	fprintf(stderr, "usage: chrt -o|-i|-f|-r -p PRIORITY PID\n");
	return 2;
}
