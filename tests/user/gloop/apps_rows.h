// SPDX-License-Identifier: GPL-2.0
/*
 * The eight applications on host threads: each gives what its plain reference gives, undisturbed,
 * suspended every ms and suspended every 10 ms, with both kinds of I/O where it does any.
 */
#include "../../lib/test.h"
#include "../../../src/user/gloop/apps/all.h"

static char folder[] = "/tmp/tg-gloop.XXXXXX";
static const uint32_t every[] = {0, 1000, 10000};
static const enum gloop::io_kind kinds[] = {gloop::IO_URING, gloop::IO_THREADS};

static gloop::launch_config config(uint32_t suspend_us)
{
	gloop::launch_config k;

	k.physical = 3;
	k.suspend_us = suspend_us;
	return k;
}

static void row(const char *app, const char *io, uint32_t us, bool same, uint32_t suspensions)
{
	char name[100];

	snprintf(name, sizeof(name), "%s%s%s, suspended every %u us", app, *io ? ", " : "", io, us);
	test_row(name, same && (!us || suspensions),
		 same ? "it was never suspended" : "the result differs");
}

/* has() - can this kind of I/O be had here? Said once. */
static bool has(enum gloop::io_kind kind)
{
	static bool said;
	gloop::HostLoop host(kind);
	bool works = !host.launch(config(0), [=] GLOOP_DEVICE (gloop::DeviceLoop *loop) {
		gloop::fs::fstat(loop, 0, [=](gloop::DeviceLoop *, gloop::fs::stat) { });
	});

	if (!works && !said)
		printf("# skipped: rows of io_uring: %s\n", host.why());
	said |= !works;
	return works;
}

/* A GPU rounds lavamd's sums otherwise */
template <class R> static bool same(const R &run) { return run.same(); }
#ifdef __CUDACC__
static bool same(const apps::lavamd_run &run) { return run.same(0, 1e-3f); }
#endif

template <class R> static void compute(const char *app, R *run)
{
	gloop::launch_stats s;

	for (uint32_t us : every) {
		gloop::HostLoop host;

		run->gloop(&host, config(us), &s);
		row(app, "", us, same(*run), s.suspensions);
	}
}

static void sort()
{
	apps::hybridsort_run run(200000, 4, 1, 4);
	gloop::launch_stats s;

	for (uint32_t us : every) {
		gloop::HostLoop host;

		run.load();
		run.gloop(&host, config(us), &s);
		row("hybridsort", "", us, run.same(), s.suspensions);
	}
}

template <class R> static void files(const char *app, R *run)
{
	gloop::launch_stats s;

	for (enum gloop::io_kind kind : kinds) {
		for (uint32_t us : every) {
			gloop::HostLoop host(kind);

			if (!has(kind))
				continue;
			run->gloop(&host, config(us), &s);
			row(app, kind == gloop::IO_URING ? "io_uring" : "threads", us, run->same(),
			    s.suspensions);
		}
	}
}

struct client {
	uint32_t port, seed;
	bool right;
	pthread_t thread;
};

/* Sends pieces of any length, and wants them back */
static void *echo_client(void *arg)
{
	struct client *c = (struct client *)arg;
	apps::random next(c->seed);
	int s = apps::server_connect(c->port);

	c->right = true;
	for (int i = 0; i < 20 && c->right; i++) {
		std::vector<char> out(1 + next.below(20000)), in(out.size());

		for (char &x : out)
			x = next();
		c->right = apps::server_write(s, out.data(), out.size()) &&
			   apps::server_read(s, in.data(), in.size()) && in == out;
	}
	close(s);
	return nullptr;
}

static void *matmul_client(void *arg)
{
	struct client *c = (struct client *)arg;

	c->right = apps::matmul_client(c->port, 64, 6, c->seed);
	return nullptr;
}

/* serve() - @app for 8 connections, as @make makes it out of a listening socket */
template <class M>
static void serve(const char *app, void *(*work)(void *), uint32_t page_bytes, M make)
{
	for (enum gloop::io_kind kind : kinds) {
		for (uint32_t us : every) {
			gloop::launch_stats s;
			gloop::HostLoop host(kind);
			gloop::launch_config k = config(us);
			struct client clients[8];
			bool right = true;

			if (!has(kind))
				continue;
			gloop::net::listener l = apps::server_open(&host);
			apps::buffer<uint32_t> served(4);
			for (client &c : clients) {
				c.port = l.port;
				c.seed = &c - clients + 1;
				pthread_create(&c.thread, nullptr, work, &c);
			}
			k.logical = k.physical = 4;
			k.page_bytes = page_bytes;
			apps::launch(&host, k, make(l.socket, served.get()), &s);
			for (client &c : clients) {
				pthread_join(c.thread, nullptr);
				right &= c.right;
			}
			close(l.socket);
			row(app, kind == gloop::IO_URING ? "io_uring" : "threads", us, right,
			    s.suspensions);
		}
	}
}

int main()
{
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	{
		apps::tpacf_run run(10, 700, 64, 1, 1);
		compute("tpacf", &run);
	}
	{
		apps::lavamd_run run(4, 1, 2);
		compute("lavamd", &run);
	}
	{
		apps::mummer_run run(500, 4096, 40, 1, 3);
		compute("mummer", &run);
	}
	sort();
	{
		apps::grep_run run(folder, 12, 30000, 12, 1, 4096, 5);
		files("grep", &run);
	}
	{
		apps::match_run run(folder, 300, 24, 1, 16, 6);
		files("match", &run);
	}
	{
		apps::buffer<char> memory(4 * 4096);
		serve("echo", echo_client, 1024, [&](int socket, uint32_t *served) {
			return apps::echo{socket, 2, 4096, memory.get(), served};
		});
	}
	{
		apps::buffer<float> memory(4 * 3 * 64 * 64);
		serve("matmul", matmul_client, 8192, [&](int socket, uint32_t *served) {
			return apps::matmul{socket, 2, 64, memory.get(), served};
		});
	}
	rmdir(folder);
	return test_end();
}
