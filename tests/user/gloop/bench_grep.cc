// SPDX-License-Identifier: GPL-2.0
/* The bench's part of Grep. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/grep.h"

namespace apps {

inline bool verify(grep_run &r) { return r.same(); }

void bench_grep(const struct job &j)
{
	scratch folder;
	grep_run r(folder.name, on_gpu ? 800 : 20, 60000, j.large && on_gpu ? 1024 : 64,
		   on_gpu ? 256 : 1, 65536, 1);

	bench_files("grep", r, j);
}

}	/* namespace apps */
