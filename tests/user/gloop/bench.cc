// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of the GLoop paper, as far as one GPU can give them, and those that issue 31 asks for.
 * scripts/bench-gloop builds it, with nvcc where there is a GPU, and runs one section at a time:
 *
 *	bench point|suspend|apps|files|servers		in this process
 *	bench instances|shares|scenario			among processes that take turns
 *
 * Prints one line per measurement: its name, and what was measured. On host threads loads are
 * smaller, and only shapes and shares mean anything.
 */
#include <sys/wait.h>

#include "../../../src/user/gloop/apps/all.h"
#include "bench.h"

using namespace apps;

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

static void points()
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

static void latencies(const char *name, uint32_t signal_us, const gloop::launch_stats &s)
{
	uint32_t n = std::min(s.suspensions, gloop::launch_stats::kept);
	std::vector<uint32_t> v(s.idle_ns, s.idle_ns + n);

	std::sort(v.begin(), v.end());
	if (!n)
		return;
	printf("%s, a look every %u us: signal to idle p50 %.1f, p95 %.1f, worst %.1f us"
	       " (%u suspensions, %u blocks)\n", name, signal_us, v[n / 2] / 1e3,
	       v[n * 95 / 100] / 1e3, v[n - 1] / 1e3, n, s.physical);
}

/* Suspended every 2 ms: how long from the signal to an idle GPU? */
static void suspend()
{
	const uint32_t blocks = on_gpu ? 1056 : 2;
	gloop::launch_config k;
	gloop::launch_stats s;

	k.suspend_us = 2000;
	for (uint32_t us : {20u, 100u, 2500u}) {
		k.signal_us = us;
		{
			gloop::launch_config t = k;
			buffer<uint64_t> count(blocks);

			t.logical = blocks;
			t.threads = on_gpu ? 256 : 1;
			t.pages = 0;
			run(t, throttle{on_gpu ? 300000u : 100000u, count.get()}, &s);
			latencies("throttle", us, s);
		}
		each_app([&](const char *name, auto &r) {
			again(r);
			gloop::HostLoop host;
			r.gloop(&host, k, &s);
			latencies(name, us, s);
		});
	}
}

static void applications()
{
	each_app([&](const char *name, auto &r) {
		gloop::launch_config k;
		gloop::launch_stats s;
		gloop::HostLoop host;
		double plain = median([&] { return plainly(r); });
		double with, without, often;

		auto measure = [&](double *wall) {
			double held = median([&] {
				again(r);
				r.gloop(&host, k, &s);
				*wall = s.wall_ns / 1e6;
				return s.held_ns / 1e6;
			});
			return held;
		};
		double wall;
		with = measure(&wall);
		bool same = verify(r);
		k.shared_slots = false;
		without = measure(&wall);
		k.shared_slots = true;
		k.suspend_us = 10000;
		often = measure(&wall);
		same &= verify(r);
		printf("%s: plain %.3f, gloop %.3f (%+.1f %%), without shared slots %.3f (%+.1f %%),"
		       " suspended every 10 ms %.3f ms (%+.1f %%); %u blocks; %s\n", name, plain, with,
		       (with / plain - 1) * 100, without, (without / plain - 1) * 100, often,
		       (often / plain - 1) * 100, s.physical, same ? "right" : "WRONG");
#ifdef __CUDACC__
		double split = splitly(r);

		if (split)
			printf("%s: kernel-split %.3f ms (%+.1f %%)\n", name, split,
			       (split / plain - 1) * 100);
#endif
	});
}

static void files()
{
	char folder[] = "/tmp/tg-gloop.XXXXXX";

	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	for (enum gloop::io_kind kind : {gloop::IO_URING, gloop::IO_THREADS}) {
		const char *io = kind == gloop::IO_URING ? "io_uring" : "threads";
		gloop::HostLoop host(kind);
		gloop::launch_config k;
		gloop::launch_stats s;

		k.physical = on_gpu ? 264 : 2;
		{
			grep_run r(folder, on_gpu ? 800 : 20, 60000, 64, on_gpu ? 256 : 1, 65536, 1);
			double plain = median([&] { return plainly(r); }), with = median([&] {
				r.gloop(&host, k, &s);
				return s.wall_ns / 1e6;
			});

			printf("grep, %s: plain %.1f, gloop %.1f ms (%+.1f %%), %u events, %s\n", io,
			       plain, with, (with / plain - 1) * 100, s.events,
			       on_gpu || r.same() ? "right" : "WRONG");
		}
		{
			match_run r(folder, on_gpu ? 25000 : 400, on_gpu ? 264 : 16, on_gpu ? 64 : 1,
				    64, 1);
			double plain = median([&] { return plainly(r); }), with = median([&] {
				r.gloop(&host, k, &s);
				return s.wall_ns / 1e6;
			});

			printf("match, %s: plain %.1f, gloop %.1f ms (%+.1f %%), %u events, %s\n", io,
			       plain, with, (with / plain - 1) * 100, s.events,
			       r.same() ? "right" : "WRONG");
		}
	}
	rmdir(folder);
}

/* A client of the matmul server, or of the echo server (@n 0) */
struct client {
	uint32_t port, n, requests, pause_us;
	bool right;
	pthread_t thread;
};

static void *client_main(void *arg)
{
	struct client *c = (struct client *)arg;

	c->right = c->n ? quick_matmul_client(c->port, c->n, c->requests, c->pause_us) :
			  quick_echo_client(c->port, c->requests);
	return nullptr;
}

template <class M>
static void serve(const char *name, uint32_t clients, uint32_t n, uint32_t requests, M make)
{
	std::vector<client> all(clients);
	buffer<uint32_t> served(clients);
	gloop::launch_config k;
	gloop::launch_stats s;
	gloop::HostLoop host;
	bool right = true;

	gloop::net::listener l = server_open(&host);
	for (client &c : all) {
		c = client{l.port, n, requests, 0, false, 0};
		pthread_create(&c.thread, nullptr, client_main, &c);
	}
	k.logical = k.physical = clients;
	k.threads = on_gpu ? 256 : 1;
	launch(&host, k, make(l.socket, served.get()), &s);
	for (client &c : all) {
		pthread_join(c.thread, nullptr);
		right &= c.right;
	}
	close(l.socket);
	printf("%s, %u clients, %s: %.0f requests a second, the GPU held for %.0f %% of %.0f ms, %s\n",
	       name, clients, host.io_name(), clients * requests * 1e9 / s.wall_ns,
	       100.0 * s.held_ns / s.wall_ns, s.wall_ns / 1e6, right ? "right" : "WRONG");
}

static void servers()
{
	for (uint32_t clients : {1u, 16u}) {
		buffer<char> memory(clients * 4096);
		buffer<uint32_t> broken(1);

		serve("echo", clients, 0, on_gpu ? 2000 : 200, [&](int socket, uint32_t *served) {
			return echo{socket, 1, 4096, memory.get(), served, broken.get()};
		});
	}
	for (uint32_t clients : {1u, 16u}) {
		uint32_t n = on_gpu ? 256 : 64;
		buffer<float> memory(clients * 3 * n * n);

		serve("matmul", clients, n, on_gpu ? 100 : 10, [&](int socket, uint32_t *served) {
			return matmul{socket, 1, n, memory.get(), served};
		});
#ifdef __CUDACC__
		printf("matmul, plain kernel: %.3f ms for %u products at a time\n",
		       median([&] { return timed([&] {
			run_plain(clients, 256, 0, matmul{-1, 1, n, memory.get(), nullptr});
		       }); }), clients);
#endif
	}
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(); } sections[] = {
		{"point", points}, {"suspend", suspend}, {"apps", applications}, {"files", files},
		{"servers", servers}, {"shares", shares}, {"instances", instances},
		{"scenario", scenario},
	};

	setvbuf(stdout, nullptr, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		bool known = false;

		for (auto &s : sections) {
			if (strcmp(s.name, argv[i]))
				continue;
			known = true;
			s.run();
		}
		if (!known) {
			fprintf(stderr, "bench: no section '%s'\n", argv[i]);
			return 2;
		}
	}
	return 0;
}
