/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What bench.cc measures with: times, the applications' sizes, their plain and split forms, clients.
 */
#ifndef GLOOP_BENCH_H
#define GLOOP_BENCH_H

#include <sys/wait.h>

#include "../../../src/user/gloop/apps/all.h"

namespace apps {

#ifdef __CUDACC__
constexpr bool on_gpu = true;
#else
constexpr bool on_gpu = false;
#endif

inline double now_ms()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

template <class F> double timed(F f)
{
	double from = now_ms();

	f();
	return now_ms() - from;
}

/* median() - of what @f measures: once to warm up, then ten times; fewer where it takes long */
template <class F> double median(F f)
{
	std::vector<double> v;
	double from = now_ms();

	f();
	while (v.size() < 10 && (v.size() < 3 || now_ms() - from < 3000))
		v.push_back(f());
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

template <class F>
double run(const gloop::launch_config &k, const F &entry, gloop::launch_stats *stats = nullptr)
{
	static gloop::launch_stats own;
	gloop::HostLoop host;

	launch(&host, k, entry, stats ? stats : &own);
	return (stats ? stats : &own)->held_ns / 1e6;
}

/* again() - what has to be loaded before each run */
template <class R> void again(R &) { }
inline void again(hybridsort_run &r) { r.load(); }

/* plainly() - the plain kernel's time; on host threads there is none, and gloop stands for it */
template <class R> double plainly(R &r)
{
	again(r);
#ifdef __CUDACC__
	return timed([&] { r.plain(); });
#else
	static gloop::launch_stats s;
	gloop::HostLoop host;

	r.gloop(&host, gloop::launch_config(), &s);
	return s.held_ns / 1e6;
#endif
}

inline bool verify(tpacf_run &r) { return r.same(on_gpu ? 4 : 0); }
inline bool verify(lavamd_run &r) { return r.same(on_gpu ? 64 : 0, on_gpu ? 1e-3f : 0); }
inline bool verify(mummer_run &r) { return r.same(on_gpu ? 2 : 64); }
inline bool verify(hybridsort_run &r) { return r.ordered(); }

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

/* each_app() - @f for each application that computes, one after the other */
template <class F> void each_app(F f)
{
	if (on_gpu) {
		{ tpacf_run r(528, 4096, 4, 256, 1); f("tpacf", r); }
		{ lavamd_run r(50, 128, 2); f("lavamd", r); }
		{ mummer_run r(4000000, 1000000, 32, 256, 3); f("mummer", r); }
		{ hybridsort_run r(100000000, 13, 256, 4); f("hybridsort", r); }
		{ products_run r(1056, 256); f("matmul", r); }
	} else {
		{ tpacf_run r(20, 600, 16, 1, 1); f("tpacf", r); }
		{ lavamd_run r(5, 1, 2); f("lavamd", r); }
		{ mummer_run r(4000, 2000, 40, 1, 3); f("mummer", r); }
		{ hybridsort_run r(500000, 5, 1, 4); f("hybridsort", r); }
		{ products_run r(40, 64); f("matmul", r); }
	}
}

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

struct mummer_split {
	struct mummer app;
	uint32_t i;

	template <class T> __device__ void plain(T *team) const { app.work(team, i); }
};

/* 0: no such form, as in the paper */
template <class R> double splitly(R &) { return 0; }
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

inline bool quick_echo_client(uint32_t port, uint32_t requests)
{
	std::vector<char> out(1024, 'x'), in(1024);
	int s = server_connect(port);
	bool right = true;

	for (uint32_t i = 0; i < requests && right; i++)
		right = server_write(s, out.data(), out.size()) &&
			server_read(s, in.data(), in.size()) && in == out;
	::close(s);
	return right;
}

/* The same factors each time, so that the client costs little. @requests 0: for ever. */
inline bool quick_matmul_client(uint32_t port, uint32_t n, uint32_t requests, uint32_t pause_us)
{
	std::vector<float> factors(2 * n * n, 2), got(n * n);
	int s = server_connect(port);
	bool right = true;

	for (uint32_t i = 0; (!requests || i < requests) && right; i++) {
		right = server_write(s, factors.data(), factors.size() * sizeof(float)) &&
			server_read(s, got.data(), got.size() * sizeof(float)) &&
			got[0] == 4.0f * n && got[n * n - 1] == 4.0f * n;
		if (pause_us)
			usleep(pause_us);
	}
	::close(s);
	return right;
}

void shares();
void instances();
void scenario();

}	/* namespace apps */

#endif /* GLOOP_BENCH_H */
