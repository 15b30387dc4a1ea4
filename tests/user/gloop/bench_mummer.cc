// SPDX-License-Identifier: GPL-2.0
/* The bench's part of MUMmerGPU, also as a row of short kernels. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/mummer.h"

namespace apps {

inline bool verify(mummer_run &r) { return r.same(on_gpu ? 2 : 64); }

#ifdef __CUDACC__
struct mummer_split {
	struct mummer app;
	uint32_t i;

	template <class T> __device__ void plain(T *team) const { app.work(team, i); }
};

inline double splitly(mummer_run &r)
{
	return median([&] {
		return timed([&] {
			for (uint32_t i = 0; i < 3 * r.app.length; i++)
				plain_kernel<<<(r.app.count + 255) / 256, 256>>>(
					mummer_split{r.app, i});
			run_plain((r.app.count * r.app.length + 255) / 256, 256, 0,
				  mummer_report{r.app});
		});
	});
}
#endif

void bench_mummer(const struct job &j)
{
	mummer_run r(on_gpu ? 4000000 : 4000, on_gpu ? 1000000 : 2000, on_gpu ? 32 : 40,
		     on_gpu ? 256 : 1, 3);

	bench_app("mummer", r, j);
}

}	/* namespace apps */
