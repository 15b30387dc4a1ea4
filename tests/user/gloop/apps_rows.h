/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The eight applications on host threads: each gives what its plain reference gives, however it is
 * suspended, with both kinds of I/O where it does any. apps_test.cc and tgd_test.cc call apps_rows().
 */
#ifndef TESTS_GLOOP_APPS_ROWS_H
#define TESTS_GLOOP_APPS_ROWS_H

#include "../../lib/test.h"
#include "../../../src/user/gloop/apps/all.h"

static char folder[] = "/tmp/tg-gloop.XXXXXX";

/* What suspends an application: nothing, the host loop every @us, or @source */
struct suspender {
	const char *name;
	uint32_t us;
	gloop::turn_source *source;
};
static std::vector<suspender> suspenders;

static const enum gloop::io_kind kinds[] = {gloop::IO_URING, gloop::IO_THREADS};

static gloop::launch_config config(const suspender &by)
{
	gloop::launch_config k;

	k.physical = 3;
	k.suspend_us = by.us;
	return k;
}

static void row(const char *app, const char *io, const suspender &by, bool same,
		uint32_t suspensions)
{
	char name[100];

	snprintf(name, sizeof(name), "%s%s%s, suspended %s", app, *io ? ", " : "", io, by.name);
	test_row(name, same && (!(by.us || by.source) || suspensions),
		 same ? "it was never suspended" : "the result differs");
}

/* has() - can this kind of I/O be had here? Said once. */
static bool has(enum gloop::io_kind kind)
{
	static bool said;
	gloop::HostLoop host(kind);
	bool works = !host.launch(config(suspender()), [=] GLOOP_DEVICE (gloop::DeviceLoop *loop) {
		gloop::fs::fstat(loop, 0, [=](gloop::DeviceLoop *, gloop::fs::stat) { });
	});

	if (!works && !said)
		printf("ok rows of io_uring # SKIP %s\n", host.why());
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

	for (const suspender &by : suspenders) {
		gloop::HostLoop host(gloop::IO_ANY, by.source);

		run->gloop(&host, config(by), &s);
		row(app, "", by, same(*run), s.suspensions);
	}
}

static void sort()
{
	apps::hybridsort_run run(200000, 4, 1, 4);
	gloop::launch_stats s;

	for (const suspender &by : suspenders) {
		gloop::HostLoop host(gloop::IO_ANY, by.source);

		run.load();
		run.gloop(&host, config(by), &s);
		row("hybridsort", "", by, run.same(), s.suspensions);
	}
}

template <class R> static void files(const char *app, R *run)
{
	gloop::launch_stats s;

	for (enum gloop::io_kind kind : kinds) {
		for (const suspender &by : suspenders) {
			gloop::HostLoop host(kind, by.source);

			if (!has(kind))
				continue;
			run->gloop(&host, config(by), &s);
			row(app, kind == gloop::IO_URING ? "io_uring" : "threads", by, run->same(),
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
		for (const suspender &by : suspenders) {
			gloop::launch_stats s;
			gloop::HostLoop host(kind, by.source);
			gloop::launch_config k = config(by);
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
			row(app, kind == gloop::IO_URING ? "io_uring" : "threads", by, right,
			    s.suspensions);
		}
	}
}

static void apps_rows()
{
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
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
}

#endif /* TESTS_GLOOP_APPS_ROWS_H */
