// SPDX-License-Identifier: GPL-2.0
/* The bench's part of LavaMD. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/lavamd.h"

namespace apps {

inline bool verify(lavamd_run &r) { return r.same(on_gpu ? 64 : 0, on_gpu ? 1e-3f : 0); }

void bench_lavamd(const struct job &j)
{
	lavamd_run r(on_gpu ? 50 : 5, on_gpu ? 128 : 1, 2);

	bench_app("lavamd", r, j);
}

}	/* namespace apps */
