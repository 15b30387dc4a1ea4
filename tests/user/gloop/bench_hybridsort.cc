// SPDX-License-Identifier: GPL-2.0
/* The bench's part of Hybridsort. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/hybridsort.h"

namespace apps {

inline bool verify(hybridsort_run &r) { return r.ordered(); }
inline void again(hybridsort_run &r) { r.load(); }

void bench_hybridsort(const struct job &j)
{
	hybridsort_run r(on_gpu ? 100000000 : 500000, on_gpu ? 13 : 5, on_gpu ? 256 : 1, 4);

	bench_app("hybridsort", r, j);
}

}	/* namespace apps */
