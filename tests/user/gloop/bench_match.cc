// SPDX-License-Identifier: GPL-2.0
/* The bench's part of image matching. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/match.h"

namespace apps {

inline bool verify(match_run &r) { return r.same(); }

void bench_match(const struct job &j)
{
	scratch folder;
	match_run r(folder.name, on_gpu ? 25000 : 400, on_gpu ? 264 : 16, on_gpu ? 64 : 1, 64,
		    1);

	bench_files("match", r, j);
}

}	/* namespace apps */
