// SPDX-License-Identifier: GPL-2.0
/* The bench's part of image matching. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/match.h"

namespace apps {

inline bool verify(match_run &r) { return r.same(); }

/* With both kinds of I/O. Times are those of whole launches, files and all. */
static void both(match_run &r)
{
	static gloop::launch_stats s;

	for (enum gloop::io_kind kind : {gloop::IO_URING, gloop::IO_THREADS}) {
		gloop::HostLoop host(kind);
		gloop::launch_config k;

		k.physical = on_gpu ? 264 : 2;
		double plain = median([&] { return plainly(r); }), with = median([&] {
			r.gloop(&host, k, &s);
			return s.wall_ns / 1e6;
		});
		printf("match, %s: plain %.1f, gloop %.1f ms (%+.1f %%), %u events, %s\n", host.io_name(),
		       plain, with, (with / plain - 1) * 100, s.events, verify(r) ? "right" : "WRONG");
	}
}

void bench_match(const struct job &j)
{
	char folder[] = "/tmp/tg-gloop.XXXXXX";

	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	{
		match_run r(folder, on_gpu ? 25000 : 400, on_gpu ? 264 : 16, on_gpu ? 64 : 1, 64, 1);

		if (j.what == job::APPS)
			both(r);
		else
			bench_app("match", r, j);
	}
	rmdir(folder);
}

}	/* namespace apps */
