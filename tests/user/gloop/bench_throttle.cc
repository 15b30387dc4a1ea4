// SPDX-License-Identifier: GPL-2.0
/* The bench's part of Throttle: what a scheduling point costs, and launches beside it. */
#include "bench_app.h"
#include "../../../src/user/gloop/apps/throttle.h"

namespace apps {

#ifdef __CUDACC__
/* Kernel-split: what would be a callback is a launch */
struct nothing {
	template <class T> __device__ void plain(T *) const { }
};

inline double launches(uint32_t n)
{
	return timed([&] {
		for (uint32_t i = 0; i < n; i++)
			plain_kernel<<<1, 1>>>(nothing{});
		cudaDeviceSynchronize();
	});
}

inline double launches_waited(uint32_t n)
{
	return timed([&] {
		for (uint32_t i = 0; i < n; i++) {
			plain_kernel<<<1, 1>>>(nothing{});
			cudaDeviceSynchronize();
		}
	});
}
#endif

/* Nothing but points that find nothing; and the same loop without them */
struct loops {
	uint64_t n;
	uint32_t *out;
	bool points;

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint64_t i, uint32_t x) const
	{
		struct loops self = *this;

		for (; i < n; i++) {
			x = x * 1664525 + 1013904223;
			if (points && gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, i + 1, x);
			}))
				return;
		}
		if (!loop->thread())
			out[loop->logicalBlock()] = x;
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 0, 1); }
};

void bench_points()
{
	const uint64_t n = on_gpu ? 1000000 : 100000;
	buffer<uint64_t> count(1);
	buffer<uint32_t> out(1);

	for (uint32_t threads = 1; threads <= (on_gpu ? 1024 : 1); threads *= 4) {
		for (int shared = 1; shared >= 0; shared--) {
			gloop::launch_config k;
			double ms = median([&] {
				k.threads = threads;
				k.shared_slots = shared;
				k.pages = 0;
				return run(k, throttle{n, count.get()});
			});

			printf("throttle, %u threads%s: %.1f ns a scheduling point (paper < 2500)\n",
			       threads, shared ? "" : ", without shared slots", ms * 1e6 / n);
		}
	}
	for (uint32_t threads = 1; threads <= (on_gpu ? 1024 : 1); threads *= 4) {
		gloop::launch_config k;
		double with, without;

		k.threads = threads;
		k.pages = 0;
		with = median([&] { return run(k, loops{n, out.get(), true}); });
		without = median([&] { return run(k, loops{n, out.get(), false}); });
		printf("postTaskIfNecessary, %u threads: %.1f ns each\n", threads,
		       (with - without) * 1e6 / n);
	}
#ifdef __CUDACC__
	double split = median([&] { return launches(n / 10); });

	printf("throttle, kernel-split: %.1f ns a launch\n", split * 1e6 / (n / 10));
	split = median([&] { return launches_waited(n / 100); });
	printf("throttle, kernel-split, each waited for: %.1f ns a launch\n", split * 1e6 / (n / 100));
#endif
}

struct throttle_run {
	buffer<uint64_t> count;
	struct throttle app;

	explicit throttle_run(uint64_t n) : count(1056), app{n, count.get()} { }
	void gloop(gloop::HostLoop *host, gloop::launch_config k, gloop::launch_stats *s = nullptr)
	{
		k.pages = 0;
		launch(host, k, app, s);
	}
#ifdef __CUDACC__
	void plain() { }
#endif
};

inline bool verify(throttle_run &) { return true; }

/* Suspended, it fills the GPU; beside others, it has one thread, as in the paper */
void bench_throttle(const struct job &j)
{
	throttle_run r(on_gpu ? 1000000 : 100000);

	if (j.what != job::SUSPEND) {
		bench_app("throttle", r, j);
		return;
	}
	for (uint32_t us : {20u, 100u, 2500u}) {
		static gloop::launch_stats s;
		gloop::launch_config k;

		k.logical = on_gpu ? 1056 : 2;
		k.threads = on_gpu ? 256 : 1;
		k.pages = 0;
		k.signal_us = us;
		k.suspend_us = 2000;
		run(k, throttle{on_gpu ? 300000u : 100000u, r.count.get()}, &s);
		latencies("throttle", us, s);
	}
}

}	/* namespace apps */
