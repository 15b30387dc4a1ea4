/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bench's files share: the clock, medians, verdicts, and which functions each of them has.
 */
#ifndef GLOOP_BENCH_H
#define GLOOP_BENCH_H

#include <sys/wait.h>

#include "../../../src/user/gloop/apps/app.h"

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

/* verdict() - of a result, to be printed. One that is wrong makes the bench end with status 1. */
inline bool any_wrong;
inline const char *verdict(bool right)
{
	any_wrong |= !right;
	return right ? "right" : "WRONG";
}

template <class F>
double run(const gloop::launch_config &k, const F &entry, gloop::launch_stats *stats = nullptr)
{
	static gloop::launch_stats own;
	gloop::HostLoop host;

	stats = stats ? stats : &own;
	launch(&host, k, entry, stats);
	return stats->held_ns / 1e6;
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
void shares();
void instances();
void scenario();

}	/* namespace apps */

#endif /* GLOOP_BENCH_H */
