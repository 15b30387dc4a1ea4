// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of the GLoop paper, as far as one GPU can give them, and the bounds of the runtime.
 * scripts/bench-gloop builds it, with nvcc where there is a GPU, and runs one section at a time.
 * Prints one line per measurement: its name, and what was measured; the exit status is 1 if a result
 * was wrong. On host threads loads are smaller, and only shapes and shares mean anything.
 */
#include "bench.h"

using namespace apps;

static void nothing() { }

static void applications()
{
	for (auto app : {bench_tpacf, bench_lavamd, bench_mummer, bench_hybridsort, bench_matmul})
		app(job{job::APPS, nullptr, nothing, 0, false});
}

static void suspend()
{
	for (auto app : {bench_throttle, bench_tpacf, bench_lavamd, bench_mummer, bench_hybridsort,
			 bench_matmul})
		app(job{job::SUSPEND, nullptr, nothing, 0, false});
}

static void files()
{
	for (auto app : {bench_grep, bench_match})
		app(job{job::APPS, nullptr, nothing, 0, false});
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(); } sections[] = {
		{"point", bench_points}, {"suspend", suspend}, {"apps", applications}, {"files", files},
		{"servers", bench_servers}, {"shares", shares}, {"instances", instances},
		{"scenario", scenario},
	};

	setvbuf(stdout, nullptr, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		bool known = false;

		for (auto &s : sections) {
			if (strcmp(s.name, argv[i]))
				continue;
			known = true;
			s.run();
		}
		if (!known) {
			fprintf(stderr, "bench: no section '%s'\n", argv[i]);
			return 2;
		}
	}
	return any_wrong;
}
