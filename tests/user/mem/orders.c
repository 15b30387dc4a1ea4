// SPDX-License-Identifier: GPL-2.0
/*
 * The four orders: of three that wait, which one goes when there is room for it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "mem.h"

/*
 * One holds 70 of 100. "low" asks for 60 first, then "low" for 20, then "high" for 30 and "high" for 50. The
 * order says who goes at once of those that fit, and who when all comes back.
 */
static const struct {
	const char *name;
	int at_once;		/* bit n: request n */
	int after;		/* likewise, of the rest, when 70 come back */
} want[] = {
	[1] = { "FIFO: a request that does not fit holds up all behind it", 0, 1 | 2 },
	[2] = { "MMU: the first that fits", 2, 1 },
	[3] = { "Priority FIFO: the highest priority, then as FIFO", 4, 8 },
	[4] = { "Priority MMU: the first that fits of the highest priority", 2, 4 | 8 },
};

static void one(int order)
{
	struct program holder = program("holder", 0), p[4];
	const uint64_t bytes[] = { 60 MIB, 20 MIB, 30 MIB, 50 MIB };
	int i, at_once = 0, after = 0, nr = order > 2 ? 4 : 2;

	alloc(&holder, 70 MIB, 0);
	for (i = 0; i < nr; i++) {
		p[i] = program(i < 2 ? "low" : "high", i < 2 ? 10 : 0);
		alloc(&p[i], 0, 0);
		order_alloc(&p[i], bytes[i], -1);
		usleep(100000);
	}
	for (i = 0; i < nr; i++)
		at_once |= !said(&p[i], want[order].at_once & 1 << i ? 5000 : 60) << i;
	release(&holder, 70 MIB);
	for (i = 0; i < nr; i++)
		if (!(at_once & 1 << i))
			after |= !said(&p[i], want[order].after & 1 << i ? 5000 : 100) << i;
	row(want[order].name, at_once == want[order].at_once && after == want[order].after,
	    "%x at once, then %x, not %x and %x", at_once, after, want[order].at_once, want[order].after);
	for (i = 0; i < nr; i++)
		killed(&p[i]);
	finish(&holder);
}

void orders(void)
{
	char spec[64];
	int order;
	FILE *f;

	snprintf(spec, sizeof(spec), "%s/spec", dir);
	f = fopen(spec, "w");
	fputs("high:prt:bg:90:0:0\nlow:prt:bg:10:0:0\n", f);
	fclose(f);
	if (tgd_pid()) {
		tgd_stop(SIGTERM);
		tgd_start(spec);
	}
	for (order = 1; order <= 4; order++) {
		set_order(order);
		one(order);
	}
	set_order(1);
}
