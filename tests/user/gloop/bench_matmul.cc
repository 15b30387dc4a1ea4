// SPDX-License-Identifier: GPL-2.0
/* The bench's part of the matmul server: its products, without its sockets. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/matmul.h"

namespace apps {

/* The matmul server's products without its sockets */
struct products {
	struct matmul app;

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint32_t t) const
	{
		struct products self = *this;

		while (t < app.n / app.tile * (app.n / app.tile)) {
			app.multiply(loop, t++);
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, t);
			}))
				return;
		}
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 0); }
};

class products_run {
public:
	products_run(uint32_t blocks, uint32_t n)
		: blocks(blocks), memory((size_t)blocks * 3 * n * n), app{-1, 1, n, memory.get(), nullptr}
	{
		memory.put(std::vector<float>((size_t)blocks * 3 * n * n, 2));
	}

	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		config.logical = blocks;
		config.threads = on_gpu ? 256 : 1;
		config.pages = 0;
		launch(host, config, products{app}, stats);
	}
#ifdef __CUDACC__
	void plain() { run_plain(blocks, 256, 0, app); }
#endif
	bool same() const
	{
		std::vector<float> v = memory.take();
		size_t n = app.n * app.n;

		for (size_t i = 2 * n; i < v.size(); i += i % n == n - 1 ? 2 * n + 1 : 1)
			if (v[i] != 4.0f * app.n)
				return false;
		return true;
	}

private:
	uint32_t blocks;
	buffer<float> memory;

public:
	struct matmul app;
};

inline bool verify(products_run &r) { return r.same(); }

void bench_matmul(const struct job &j)
{
	products_run r(on_gpu ? 1056 : 40, on_gpu ? 256 : 64);

	bench_app("matmul", r, j);
}

}	/* namespace apps */
