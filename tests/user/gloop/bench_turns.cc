// SPDX-License-Identifier: GPL-2.0
/*
 * The bench's sections among processes: shares (figures 9 and 11), instances (7, 8 and 15) and
 * scenario (13 and 14). This process forks programs and never touches the GPU itself.
 */
#include <sys/prctl.h>

#include "bench.h"

namespace apps {

/* What this process and its programs share */
struct board {
	uint32_t ready, go;
	double took_ms[16];
};

class crowd {
public:
	crowd()
	{
		b = (struct board *)mmap(nullptr, sizeof(*b), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		t = gloop::turns::create();
		if (b == MAP_FAILED || !t)
			exit(1);
	}

	~crowd()
	{
		for (pid_t p : programs) {
			kill(p, SIGKILL);
			waitpid(p, nullptr, 0);
		}
		gloop::turns::destroy(t);
		munmap(b, sizeof(*b));
	}

	/* add() - a process that runs @f(host, start), which calls start() when it is prepared */
	template <class F> void add(uint32_t weight, F f)
	{
		uint32_t number = programs.size();
		pid_t p = fork();

		if (p) {
			programs.push_back(p);
			return;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		{
			gloop::HostLoop host(gloop::IO_ANY, taking_turns ? t : nullptr, number, weight);
			double from = 0;

			f(&host, [&] {
				__atomic_fetch_add(&b->ready, 1, __ATOMIC_RELEASE);
				while (!__atomic_load_n(&b->go, __ATOMIC_ACQUIRE))
					usleep(100);
				from = now_ms();
			});
			b->took_ms[number] = now_ms() - from;
		}
		_exit(0);
	}

	/* start() - when all programs are prepared */
	void start()
	{
		while (__atomic_load_n(&b->ready, __ATOMIC_ACQUIRE) < programs.size())
			usleep(1000);
		__atomic_store_n(&b->go, 1, __ATOMIC_RELEASE);
	}

	/* wait() - for the end of all; the mean of their times */
	double wait()
	{
		double sum = 0;
		size_t n = programs.size();

		for (size_t i = 0; i < n; i++) {
			waitpid(programs[i], nullptr, 0);
			sum += b->took_ms[i];
		}
		programs.clear();
		return sum / n;
	}

	/* shares() - over @ms: what each program held of the time */
	std::vector<double> shares(uint32_t ms, double *worst = nullptr, double want = 0)
	{
		std::vector<double> v;
		std::vector<uint64_t> first = used(), last = first, at;
		double from = now_ms(), then = from;

		while (now_ms() - from < ms) {
			usleep(200000);
			at = used();
			double off = (at[0] - last[0]) / 1e4 / (now_ms() - then) - want;
			if (worst && (off < 0 ? -off : off) > *worst)
				*worst = off < 0 ? -off : off;
			last = at;
			then = now_ms();
		}
		for (size_t i = 0; i < first.size(); i++)
			v.push_back((last[i] - first[i]) / 1e4 / (then - from));
		return v;
	}

	bool taking_turns = true;
	gloop::turns *t;

private:
	std::vector<uint64_t> used()
	{
		std::vector<uint64_t> v;

		for (size_t i = 0; i < programs.size(); i++)
			v.push_back(t->used_ns(i));
		return v;
	}

	struct board *b;
	std::vector<pid_t> programs;
};

/* Programs: for ever, or once with a number of runs */
struct program {
	const char *name;
	uint32_t runs;			/* 0: for ever */

	template <class R, class S> void repeat(R &r, gloop::HostLoop *host, S start) const
	{
		again(r);
		r.gloop(host, gloop::launch_config());
		start();
		for (uint32_t i = 0; !runs || i < runs; i++) {
			again(r);
			r.gloop(host, gloop::launch_config());
		}
	}

	template <class S> void operator()(gloop::HostLoop *host, S start) const
	{
		if (!strcmp(name, "tpacf")) {
			tpacf_run r(on_gpu ? 528 : 20, on_gpu ? 4096 : 600, 4, on_gpu ? 256 : 1, 1);

			repeat(r, host, start);
		} else if (!strcmp(name, "lavamd")) {
			lavamd_run r(on_gpu ? 50 : 5, on_gpu ? 128 : 1, 2);

			repeat(r, host, start);
		} else if (!strcmp(name, "grep")) {
			char folder[] = "/tmp/tg-gloop.XXXXXX";

			if (!mkdtemp(folder))
				_exit(1);
			grep_run r(folder, on_gpu ? 400 : 20, 60000, 64, on_gpu ? 256 : 1, 65536, 1);
			repeat(r, host, start);
		} else {
			buffer<uint64_t> count(1);
			throttle f = {on_gpu ? 1000000u : 100000u, count.get()};
			gloop::launch_config k;

			k.pages = 0;
			launch(host, k, throttle{1000, count.get()});
			start();
			for (uint32_t i = 0; !runs || i < runs; i++)
				launch(host, k, f);
		}
	}
};

void shares()
{
	for (const char *target : {"tpacf", "grep"}) {
		for (bool most : {false, true}) {
			for (uint32_t n : {2u, 4u, 8u}) {
				double worst = 0, want = most ? 200.0 / 3 : 100.0 / n;
				crowd c;

				c.add(most ? 2 * (n - 1) : 1, program{target, 0});
				for (uint32_t i = 1; i < n; i++)
					c.add(1, program{"throttle", 0});
				c.start();
				usleep(300000);
				std::vector<double> v = c.shares(3000, &worst, want);
				printf("%s beside %u throttles, %.1f %% wanted: it held %.1f %%"
				       " (worst 200 ms off by %.1f points), they", target, n - 1, want,
				       v[0], worst);
				for (uint32_t i = 1; i < n; i++)
					printf(" %.1f", v[i]);
				printf("\n");
			}
		}
	}
}

/* once() - @n programs at a time, each once: the mean of their times */
static double once(const char *name, uint32_t n, uint32_t slice_us, bool turns)
{
	crowd c;

	c.taking_turns = turns;
	c.t->slice_us = slice_us;
	for (uint32_t i = 0; i < n; i++)
		c.add(1, program{name, 1});
	c.start();
	return c.wait();
}

#ifdef __CUDACC__
/* Plain kernels of @n processes at a time: the GPU shares itself between them */
static double preempted(uint32_t n)
{
	crowd c;

	c.taking_turns = false;
	for (uint32_t i = 0; i < n; i++)
		c.add(1, [](gloop::HostLoop *, auto start) {
			lavamd_run r(50, 128, 2);

			r.plain();
			start();
			for (int k = 0; k < 10; k++)
				r.plain();
		});
	c.start();
	return c.wait() / 10;
}

static double by_turns(uint32_t n)
{
	crowd c;

	for (uint32_t i = 0; i < n; i++)
		c.add(1, program{"lavamd", 10});
	c.start();
	return c.wait() / 10;
}
#endif

void instances()
{
	for (uint32_t slice : {100u, 1000u, 10000u})
		for (uint32_t n : {1u, 2u, 8u})
			printf("throttle, %u at a time, slices of %u us: %.0f ms each\n", n, slice,
			       once("throttle", n, slice, true));
	for (const char *name : {"tpacf", "grep"})
		for (uint32_t n : {1u, 2u, 4u, 8u})
			printf("%s, %u at a time: %.0f ms each\n", name, n, once(name, n, 10000, true));
#ifdef __CUDACC__
	for (uint32_t n : {1u, 2u, 4u, 6u}) {
		double hardware = preempted(n), ours = by_turns(n);

		printf("lavamd, %u at a time: preempted by the GPU %.1f, gloop %.1f ms each (%+.1f %%)\n",
		       n, hardware, ours, (ours / hardware - 1) * 100);
	}
#endif
}

struct customer { uint32_t port, n, pause_us; };

static void *customer_main(void *arg)
{
	struct customer *c = (struct customer *)arg;

	quick_matmul_client(c->port, c->n, 0, c->pause_us);
	return nullptr;
}

/* A matmul server with one client, which pauses after each product */
static void server(gloop::HostLoop *host, uint32_t pause_us)
{
	uint32_t n = on_gpu ? 256 : 64;
	struct customer c = {0, n, pause_us};
	buffer<float> memory(3 * n * n);
	buffer<uint32_t> served(1);
	gloop::net::listener l = server_open(host);
	gloop::launch_config k;
	pthread_t thread;

	c.port = l.port;
	pthread_create(&thread, nullptr, customer_main, &c);
	k.threads = on_gpu ? 256 : 1;
	launch(host, k, matmul{l.socket, 1, n, memory.get(), served.get()});
}

static void phase(const char *what, crowd *c)
{
	sleep(1);
	std::vector<double> v = c->shares(2000);

	printf("%s:", what);
	for (double x : v)
		printf(" %.1f", x);
	printf(" %% of the time\n");
}

void scenario()
{
	const uint32_t pause = on_gpu ? 3000 : 30000;
	auto serve = [=](gloop::HostLoop *host, auto start) {
		start();
		server(host, pause);
	};
	{
		crowd c;

		c.add(1, program{"throttle", 0});
		c.add(100, serve);
		c.start();
		phase("a throttle of low priority, one matmul server", &c);
		c.add(100, serve);
		phase("a throttle of low priority, two matmul servers", &c);
		c.add(100, serve);
		phase("a throttle of low priority, three matmul servers", &c);
	}
	crowd c;
	c.add(100, serve);
	c.start();
	phase("a matmul server", &c);
	for (int i = 0; i < 3; i++) {
		c.add(100, program{"tpacf", 0});
		phase("a matmul server and one tpacf more", &c);
	}
}

}	/* namespace apps */
