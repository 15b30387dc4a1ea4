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

/* What a program of a crowd is told to call when it is prepared */
static struct board *current;
static double started;

static void start_together()
{
	__atomic_fetch_add(&current->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&current->go, __ATOMIC_ACQUIRE))
		usleep(100);
	started = now_ms();
}

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

	/* add() - a process that runs @app so often; 0: for ever */
	void add(uint32_t weight, void (*app)(const struct job &j), uint32_t runs, bool large = false,
		 bool plain = false)
	{
		uint32_t number = programs.size();
		pid_t p = fork();

		if (p) {
			programs.push_back(p);
			return;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		current = b;
		{
			gloop::HostLoop host(gloop::IO_ANY, plain ? nullptr : t, number, weight);

			app(job{plain ? job::PLAIN : job::REPEAT, &host, start_together, runs, large});
			b->took_ms[number] = now_ms() - started;
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
		int status;

		for (size_t i = 0; i < n; i++) {
			if (waitpid(programs[i], &status, 0) < 0 || status) {
				fprintf(stderr, "bench: program %zu of %zu has failed\n", i + 1, n);
				exit(1);
			}
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

void shares()
{
	static const struct { const char *name; void (*app)(const struct job &j); } targets[] = {
		{"tpacf", bench_tpacf}, {"grep", bench_grep},
	};

	for (auto &target : targets) {
		for (bool most : {false, true}) {
			for (uint32_t n : {2u, 4u, 8u}) {
				double worst = 0, want = most ? 200.0 / 3 : 100.0 / n;
				crowd c;

				c.add(most ? 2 * (n - 1) : 1, target.app, 0, true);
				for (uint32_t i = 1; i < n; i++)
					c.add(1, bench_throttle, 0);
				c.start();
				usleep(300000);
				std::vector<double> v = c.shares(3000, &worst, want);
				printf("%s beside %u throttles, %.1f %% wanted: it held %.1f %%"
				       " (worst 200 ms off by %.1f points), they", target.name, n - 1,
				       want, v[0], worst);
				for (uint32_t i = 1; i < n; i++)
					printf(" %.1f", v[i]);
				printf("\n");
			}
		}
	}
}

/* once() - @n programs at a time, each @runs times: the mean of their times for one run */
static double once(void (*app)(const struct job &j), uint32_t n, uint32_t runs, uint32_t slice_us,
		   bool plain = false)
{
	crowd c;

	c.t->slice_us = slice_us;
	for (uint32_t i = 0; i < n; i++)
		c.add(1, app, runs, false, plain);
	c.start();
	return c.wait() / runs;
}

void instances()
{
	for (uint32_t slice : {1000u, 10000u})
		for (uint32_t n : {1u, 2u, 8u})
			printf("throttle, %u at a time, slices of %u us: %.0f ms each\n", n, slice,
			       once(bench_throttle, n, 1, slice));
	for (uint32_t n : {1u, 2u, 4u, 8u})
		printf("tpacf, %u at a time: %.0f ms each\n", n, once(bench_tpacf, n, 3, 10000));
	for (uint32_t n : {1u, 2u, 4u, 8u})
		printf("grep, %u at a time: %.0f ms each\n", n, once(bench_grep, n, 3, 10000));
	for (uint32_t n : {1u, 2u, 4u, 6u}) {
		double ours = once(bench_lavamd, n, 10, 10000), hardware = ours;

		if (on_gpu)
			hardware = once(bench_lavamd, n, 10, 10000, true);
		printf("lavamd, %u at a time: preempted by the GPU %.1f, gloop %.1f ms each (%+.1f %%)\n",
		       n, hardware, ours, (ours / hardware - 1) * 100);
	}
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
	{
		crowd c;

		c.add(1, bench_throttle, 0);
		c.add(100, serve_matmul, 1);
		c.start();
		phase("a throttle of low priority, one matmul server", &c);
		c.add(100, serve_matmul, 1);
		phase("a throttle of low priority, two matmul servers", &c);
		c.add(100, serve_matmul, 1);
		phase("a throttle of low priority, three matmul servers", &c);
	}
	crowd c;
	c.add(100, serve_matmul, 1);
	c.start();
	phase("a matmul server", &c);
	for (int i = 0; i < 3; i++) {
		c.add(100, bench_tpacf, 0, true);
		phase("a matmul server and one tpacf more", &c);
	}
}

}	/* namespace apps */
