// SPDX-License-Identifier: GPL-2.0
/* The bench's part of Grep. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/grep.h"

namespace apps {

inline bool verify(grep_run &r) { return r.same(); }

/* With both kinds of I/O. Times are those of whole launches, files and all. */
static void both(grep_run &r)
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
		printf("grep, %s: plain %.1f, gloop %.1f ms (%+.1f %%), %u events, %s\n", host.io_name(),
		       plain, with, (with / plain - 1) * 100, s.events, verify(r) ? "right" : "WRONG");
	}
}

void bench_grep(const struct job &j)
{
	char folder[] = "/tmp/tg-gloop.XXXXXX";

	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	{
		grep_run r(folder, on_gpu ? 800 : 20, 60000, j.large && on_gpu ? 1024 : 64,
			   on_gpu ? 256 : 1, 65536, 1);

		if (j.what == job::APPS)
			both(r);
		else
			bench_app("grep", r, j);
	}
	rmdir(folder);
}

}	/* namespace apps */
