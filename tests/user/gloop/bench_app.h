/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bench does with each application: bench_app(), and bench_files() with those that read
 * files. A bench_NAME.cc makes the application, and overloads again(), verify() and splitly() where it has to. again() loads what a run changes.
 */
#ifndef GLOOP_BENCH_APP_H
#define GLOOP_BENCH_APP_H

#include "bench.h"

namespace apps {

/* The plain kernel's time; on host threads there is none, and gloop stands for it */
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

template <class R> double held(R &r, const gloop::launch_config &k, gloop::launch_stats *s)
{
	return median([&] {
		gloop::HostLoop host;

		again(r);
		r.gloop(&host, k, s);
		return s->held_ns / 1e6;
	});
}

template <class R> void compare(const char *name, R &r)
{
	static gloop::launch_stats s;
	gloop::launch_config k;
	double plain = median([&] { return plainly(r); }), with, without, often;

	with = held(r, k, &s);
	bool same = verify(r);
	k.shared_slots = false;
	without = held(r, k, &s);
	k.shared_slots = true;
	k.suspend_us = 10000;
	often = held(r, k, &s);
	same &= verify(r);
	printf("%s: plain %.3f, gloop %.3f (%+.1f %%), without shared slots %.3f (%+.1f %%),"
	       " suspended every 10 ms %.3f ms (%+.1f %%); %u blocks; %s\n", name, plain, with,
	       (with / plain - 1) * 100, without, (without / plain - 1) * 100, often,
	       (often / plain - 1) * 100, s.physical, verdict(same));
#ifdef __CUDACC__
	double split = splitly(r);

	if (split)
		printf("%s: kernel-split %.3f ms (%+.1f %%)\n", name, split, (split / plain - 1) * 100);
#endif
}

/* Suspended every 2 ms: how long from the signal to an idle GPU? */
inline void latencies(const char *name, uint32_t signal_us, const gloop::launch_stats &s)
{
	uint32_t n = std::min(s.suspensions, gloop::launch_stats::kept);
	std::vector<uint32_t> v(s.idle_ns, s.idle_ns + n);

	std::sort(v.begin(), v.end());
	if (n)
		printf("%s, a look every %u us: signal to idle p50 %.1f, p95 %.1f, worst %.1f us"
		       " (%u suspensions, %u blocks)\n", name, signal_us, v[n / 2] / 1e3,
		       v[n * 95 / 100] / 1e3, v[n - 1] / 1e3, n, s.physical);
}

template <class R> void suspend(const char *name, R &r)
{
	static gloop::launch_stats s;
	gloop::launch_config k;

	k.suspend_us = 2000;
	for (uint32_t us : {20u, 100u, 2500u}) {
		gloop::HostLoop host;

		k.signal_us = us;
		again(r);
		r.gloop(&host, k, &s);
		latencies(name, us, s);
	}
}

template <class R> void repeat(R &r, const struct job &j)
{
	again(r);
#ifdef __CUDACC__
	if (j.what == job::PLAIN) {
		r.plain();
		j.start();
		for (uint32_t i = 0; !j.runs || i < j.runs; i++)
			r.plain();
		return;
	}
#endif
	r.gloop(j.host, gloop::launch_config());
	j.start();
	for (uint32_t i = 0; !j.runs || i < j.runs; i++) {
		again(r);
		r.gloop(j.host, gloop::launch_config());
	}
}

template <class R> void bench_app(const char *name, R &r, const struct job &j)
{
	switch (j.what) {
	case job::APPS:
		compare(name, r);
		break;
	case job::SUSPEND:
		suspend(name, r);
		break;
	case job::REPEAT: case job::PLAIN:
		repeat(r, j);
		break;
	}
}

/* A folder for the files of an application */
struct scratch {
	char name[32] = "/tmp/tg-gloop.XXXXXX";

	scratch()
	{
		if (!mkdtemp(name)) {
			perror(name);
			exit(1);
		}
	}
	~scratch() { rmdir(name); }
};

/* As bench_app(), but with both kinds of I/O. Times are those of whole launches, files and all. */
template <class R> void bench_files(const char *name, R &r, const struct job &j)
{
	static gloop::launch_stats s;

	if (j.what != job::APPS) {
		bench_app(name, r, j);
		return;
	}
	for (enum gloop::io_kind kind : {gloop::IO_URING, gloop::IO_THREADS}) {
		gloop::HostLoop host(kind);
		gloop::launch_config k;

		k.physical = on_gpu ? 264 : 2;
		double plain = median([&] { return plainly(r); }), with = median([&] {
			r.gloop(&host, k, &s);
			return s.wall_ns / 1e6;
		});
		printf("%s, %s: plain %.1f, gloop %.1f ms (%+.1f %%), %u events, %s\n", name,
		       host.io_name(), plain, with, (with / plain - 1) * 100, s.events,
		       verdict(verify(r)));
	}
}

/* 0: there is no kernel-split form, as in the paper */
template <class R> double splitly(R &) { return 0; }
template <class R> void again(R &) { }

}	/* namespace apps */

#endif /* GLOOP_BENCH_APP_H */
