/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What bench.cc measures with: times, the applications' sizes, their plain and split forms, clients.
 */
#ifndef GLOOP_BENCH_H
#define GLOOP_BENCH_H

#include <sys/wait.h>

#include "../../../src/user/gloop/apps/app.h"
#include "../../../src/user/gloop/apps/server.h"

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

/* What is measured of an application. The last two are for processes that run at a time. */
struct job {
	enum { APPS, SUSPEND, REPEAT, PLAIN } what;
	gloop::HostLoop *host;
	void (*start)();		/* to be called when all is prepared */
	uint32_t runs;			/* 0: for ever */
	bool large;			/* a run that lasts seconds */
};

/* Each in a file of its own: nvcc gives a kernel the registers that any callback beside it may need */
void bench_tpacf(const struct job &j);
void bench_lavamd(const struct job &j);
void bench_mummer(const struct job &j);
void bench_hybridsort(const struct job &j);
void bench_matmul(const struct job &j);
void bench_grep(const struct job &j);
void bench_match(const struct job &j);
void bench_throttle(const struct job &j);
void bench_points();
void bench_servers();
void serve_matmul(const struct job &j);

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
