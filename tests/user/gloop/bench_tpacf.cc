// SPDX-License-Identifier: GPL-2.0
/* The bench's part of TPACF, also as a row of short kernels. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/tpacf.h"

namespace apps {

inline bool verify(tpacf_run &r) { return r.same(on_gpu ? 4 : 0); }

#ifdef __CUDACC__
struct tpacf_split {
	struct tpacf app;
	uint32_t from, to;

	template <class T> __device__ void plain(T *team) const
	{
		app.pairs(team, from, to);
		if (to == app.n)
			app.sum(team);
	}
};

inline double splitly(tpacf_run &r)
{
	return median([&] {
		return timed([&] {
			for (uint32_t i = 0; i < r.app.n; i += r.app.rows)
				plain_kernel<<<2 * r.app.maps - 1, 256>>>(
					tpacf_split{r.app, i, i + r.app.rows});
			cudaDeviceSynchronize();
		});
	});
}
#endif

void bench_tpacf(const struct job &j)
{
	tpacf_run r(on_gpu ? 528 : 20, on_gpu ? j.large ? 12288 : 4096 : 600, 4, on_gpu ? 256 : 1, 1);

	bench_app("tpacf", r, j);
}

}	/* namespace apps */
