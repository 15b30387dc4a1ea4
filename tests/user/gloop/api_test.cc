// SPDX-License-Identifier: GPL-2.0
/*
 * The runtime's interface by example: tasks, slots, pages, file and TCP events, errors, suspension.
 * Each row of files and sockets runs with io_uring and with threads. Under nvcc the same rows run
 * on a GPU.
 */
#include "../../lib/test.h"
#include "../../../src/user/gloop/apps/server.h"

using gloop::DeviceLoop;

static char folder[] = "/tmp/tg-gloop.XXXXXX";
static enum gloop::io_kind kind;
static char kind_name[40];

/* What callbacks leave: numbers, in the order in which they come */
struct notes {
	int64_t *at;

	GLOOP_DEVICE void add(DeviceLoop *loop, int64_t x) const
	{
		if (!loop->thread())
			at[1 + at[0]++] = x;
		loop->barrier();
	}
};

static std::vector<int64_t> wants(std::initializer_list<int64_t> v) { return v; }

/* expect() - launch @entry, and see what it has left in @out and what launch() said */
template <class F>
static void expect(const char *name, gloop::launch_config k, apps::buffer<int64_t> *out,
		   const std::vector<int64_t> &want, int error, const F &entry)
{
	gloop::HostLoop host(kind);
	int got = host.launch(k, entry);
	std::vector<int64_t> v = out->take();
	std::vector<int64_t> left(v.begin() + 1, v.begin() + 1 + v[0]);
	std::string text, full = std::string(name) + kind_name;

	for (int64_t x : left)
		text += " " + std::to_string(x);
	test_row(full.c_str(), got == error && left == want, "launch() %d \"%s\", results%s", got,
		 host.why(), text.c_str());
	out->clear();
}

struct big { unsigned char bytes[GLOOP_SLOT_BYTES - 8]; };

/* The functions that have device lambdas are not static: nvcc wants it so */
void tasks()
{
	apps::buffer<int64_t> out(100);
	struct notes l = {out.get()};
	gloop::launch_config k;

	k.pages = 0;
	expect("tasks run in the order in which they were posted", k, &out, wants({0, 1, 2, 3, 4}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		for (int i = 1; i < 5; i++)
			gloop::postTask(loop, [=](DeviceLoop *loop) { l.add(loop, i); });
		l.add(loop, 0);
	});
	k.signal_us = 1000000000;
	expect("postTaskIfNecessary() is false where nothing is due", k, &out, wants({0}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		int due = 0;

		for (int i = 0; i < 1000; i++)
			due += gloop::postTaskIfNecessary(loop, [=](DeviceLoop *) { });
		l.add(loop, due);
	});
	k.signal_us = 0;
	expect("postTaskIfNecessary() gives way to another callback", k, &out, wants({1, 2, 3}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::postTask(loop, [=](DeviceLoop *loop) { l.add(loop, 2); });
		l.add(loop, gloop::postTaskIfNecessary(loop, [=](DeviceLoop *loop) {
			l.add(loop, 3);
		}));
	});
	expect("postTaskIfNecessary() is false for a block that has nothing else", k, &out,
	       wants({0}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		l.add(loop, gloop::postTaskIfNecessary(loop, [=](DeviceLoop *) { }));
	});
	expect("as many callbacks as there are slots", k, &out, wants({32}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		for (int i = 0; i < GLOOP_SLOTS - 1; i++)
			gloop::postTask(loop, [=](DeviceLoop *) { });
		gloop::postTask(loop, [=](DeviceLoop *loop) { l.add(loop, GLOOP_SLOTS); });
	});
	expect("one callback more than there are slots ends the launch", k, &out, wants({}), ENOBUFS,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		for (int i = 0; i < GLOOP_SLOTS + 1; i++)
			gloop::postTask(loop, [=](DeviceLoop *loop) { l.add(loop, i); });
	});
	k.suspend_us = 100;
	for (bool shared : {true, false}) {
		k.shared_slots = shared;
		expect(shared ? "a callback keeps all that it has captured" :
				"and without shared slots", k, &out, wants({376 * 375 / 2 % 256}), 0,
		       [=] GLOOP_DEVICE (DeviceLoop *loop) {
			struct big b;

			for (unsigned int i = 0; i < sizeof(b.bytes); i++)
				b.bytes[i] = i;
			gloop::postTask(loop, [=](DeviceLoop *loop) {
				unsigned char sum = 0;

				for (unsigned int i = 0; i < sizeof(b.bytes); i++)
					sum += b.bytes[i];
				l.add(loop, sum);
			});
		});
	}
}

/* Every logical block runs once, and its callbacks too, however often the kernel is suspended */
void blocks()
{
	const uint32_t n = 500, steps = 20;
	apps::buffer<uint32_t> runs(n);
	uint32_t *r = runs.get();

	for (uint32_t physical : {1u, 3u, 0u}) {
		for (uint32_t suspend_us : {0u, 100u}) {
			gloop::HostLoop host(kind);
			gloop::launch_config k;
			gloop::launch_stats s;
			std::vector<uint32_t> want(n, steps + 1);
			char name[100];

			runs.clear();
			k.logical = n;
			k.physical = physical;
			k.suspend_us = suspend_us;
			k.pages = 0;
			int error = host.launch(k, [=] GLOOP_DEVICE (DeviceLoop *loop) {
				if (!loop->thread())
					r[loop->logicalBlock()]++;
				for (uint32_t i = 0; i < steps; i++)
					gloop::postTask(loop, [=](DeviceLoop *loop) {
						if (!loop->thread())
							r[loop->logicalBlock()]++;
					});
			}, &s);
			snprintf(name, sizeof(name), "500 logical blocks on %u, suspended every %u us",
				 physical, suspend_us);
			test_row(name, !error && runs.take() == want, "%s, or not each block once",
				 host.why());
		}
	}
}

static void config()
{
	static const struct { const char *name; uint32_t logical, pages, bytes; } rows[] = {
		{"no logical block is refused", 0, 2, 4096},
		{"33 pages are refused", 1, 33, 4096},
		{"pages of 100 bytes are refused", 1, 2, 100},
		{"pages of 32 bytes are refused", 1, 2, 32},
	};

	for (auto &r : rows) {
		gloop::HostLoop host;
		gloop::launch_config k;

		k.logical = r.logical;
		k.pages = r.pages;
		k.page_bytes = r.bytes;
		test_row(r.name, host.launch(k, apps::server_listen{nullptr}) == EINVAL &&
			 strstr(host.why(), "gloop: "), "\"%s\"", host.why());
	}
}

/* A path in the device's memory */
struct path {
	char name[80];
	path(const char *file) { snprintf(name, sizeof(name), "%s/%s", folder, file); }
	path(const char *, const char *file) { snprintf(name, sizeof(name), "%s", file); }
};

void files()
{
	apps::buffer<int64_t> out(100);
	apps::buffer<char> memory(4096);
	struct notes l = {out.get()};
	char *m = memory.get();
	gloop::launch_config k;
	struct path a("file"), missing("no/file"), full("", "/dev/full");

	k.page_bytes = 128;
	expect("write, fstat, read, ftruncate, close", k, &out,
	       wants({100, 0, 100, 50, 'x', 0, 10, 0}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDWR | O_CREAT | O_TRUNC, 0600,
				[=](DeviceLoop *loop, int fd) {
			for (uint32_t i = loop->thread(); i < 100; i += loop->threads())
				m[i] = 'x';
			loop->barrier();
			gloop::fs::write(loop, fd, 0, 100, m, [=](DeviceLoop *loop, int64_t n) {
				l.add(loop, n);
				gloop::fs::fstat(loop, fd, [=](DeviceLoop *loop, gloop::fs::stat s) {
					l.add(loop, s.error);
					l.add(loop, s.size);
					gloop::fs::read(loop, fd, 50, 100, m + 200,
							[=](DeviceLoop *loop, int64_t n) {
						l.add(loop, n);
						l.add(loop, m[249]);
						gloop::fs::ftruncate(loop, fd, 10,
								     [=](DeviceLoop *loop, int e) {
							l.add(loop, e);
							gloop::fs::fstat(loop, fd, [=](DeviceLoop *loop,
								gloop::fs::stat s) {
								l.add(loop, s.size);
								gloop::fs::close(loop, fd,
									[=](DeviceLoop *loop, int e) {
									l.add(loop, e);
								});
							});
						});
					});
				});
			});
		});
	});
	expect("map, change, sync, unmap", k, &out, wants({10, 10, 'y', -EBADF}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDWR, 0, [=](DeviceLoop *loop, int fd) {
			gloop::fs::map(loop, fd, 0, [=](DeviceLoop *loop, gloop::fs::mapping p) {
				l.add(loop, p.size);
				if (!loop->thread())
					p.at[3] = 'y';
				gloop::fs::sync(loop, p, [=](DeviceLoop *loop, int64_t n) {
					l.add(loop, n);
					gloop::fs::unmap(loop, p);
					gloop::fs::read(loop, fd, 3, 1, m, [=](DeviceLoop *loop, int64_t) {
						l.add(loop, m[0]);
						gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
						gloop::fs::map(loop, -1, 0, [=](DeviceLoop *loop,
							gloop::fs::mapping p) {
							l.add(loop, p.size);
						});
					});
				});
			});
		});
	});
	expect("a read moves one page at most, and less at the file's end", k, &out,
	       wants({128, 72, 0, 0}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDWR | O_TRUNC, 0, [=](DeviceLoop *loop, int fd) {
			gloop::fs::ftruncate(loop, fd, 200, [=](DeviceLoop *loop, int) {
				gloop::fs::read(loop, fd, 0, 4096, m, [=](DeviceLoop *loop, int64_t n) {
					l.add(loop, n);
					gloop::fs::read(loop, fd, 128, 4096, m, [=](DeviceLoop *loop,
						int64_t n) {
						l.add(loop, n);
						gloop::fs::read(loop, fd, 200, 4096, m,
							[=](DeviceLoop *loop, int64_t n) {
							l.add(loop, n);
							gloop::fs::close(loop, fd,
								[=](DeviceLoop *loop, int e) {
								l.add(loop, e);
							});
						});
					});
				});
			});
		});
	});
	expect("ten reads share two pages", k, &out, wants({10}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDONLY, 0, [=](DeviceLoop *loop, int fd) {
			if (!loop->thread())
				m[0] = 0;
			for (int i = 0; i < 10; i++)
				gloop::fs::read(loop, fd, i, 1, m + 16 + i, [=](DeviceLoop *loop, int64_t n) {
					loop->barrier();
					if (!loop->thread())
						m[0] += n;
					loop->barrier();
					if (m[0] == 10) {
						l.add(loop, m[0]);
						gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
					}
				});
		});
	});
	expect("a file that is not there", k, &out, wants({-ENOENT}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, missing.name, O_RDONLY, 0, [=](DeviceLoop *loop, int fd) {
			l.add(loop, fd);
		});
	});
	expect("a name that fits no page", k, &out, wants({-ENAMETOOLONG}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		for (uint32_t i = loop->thread(); i < 1000; i += loop->threads())
			m[i] = i < 999 ? 'n' : 0;
		loop->barrier();
		gloop::fs::open(loop, m, O_RDONLY, 0, [=](DeviceLoop *loop, int fd) { l.add(loop, fd); });
	});
	expect("a full disk", k, &out, wants({-ENOSPC}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, full.name, O_WRONLY, 0, [=](DeviceLoop *loop, int fd) {
			gloop::fs::write(loop, fd, 0, 100, m, [=](DeviceLoop *loop, int64_t n) {
				l.add(loop, n);
				gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
			});
		});
	});
	expect("no descriptor: read, write, fstat, ftruncate, close", k, &out,
	       wants({-EBADF, -EBADF, -EBADF, -EBADF, -EBADF}), 0, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::read(loop, 9999, 0, 1, m, [=](DeviceLoop *loop, int64_t n) {
			l.add(loop, n);
			gloop::fs::write(loop, 9999, 0, 1, m, [=](DeviceLoop *loop, int64_t n) {
				l.add(loop, n);
				gloop::fs::fstat(loop, 9999, [=](DeviceLoop *loop, gloop::fs::stat s) {
					l.add(loop, s.error);
					gloop::fs::ftruncate(loop, 9999, 0, [=](DeviceLoop *loop, int e) {
						l.add(loop, e);
						gloop::fs::close(loop, 9999, [=](DeviceLoop *loop, int e) {
							l.add(loop, e);
						});
					});
				});
			});
		});
	});
	int ends[2], pipe_end = pipe(ends) ? -1 : ends[1];
	expect("a negative offset; a pipe", k, &out, wants({-EINVAL, -EINVAL, -ESPIPE}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDWR, 0, [=](DeviceLoop *loop, int fd) {
			gloop::fs::write(loop, fd, ~0ull, 1, m, [=](DeviceLoop *loop, int64_t n) {
				l.add(loop, n);
				gloop::fs::read(loop, fd, ~0ull, 1, m, [=](DeviceLoop *loop, int64_t n) {
					l.add(loop, n);
					gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
					gloop::fs::write(loop, pipe_end, 0, 1, m, [=](DeviceLoop *loop,
						int64_t n) {
						l.add(loop, n);
					});
				});
			});
		});
	});
	close(ends[0]);
	close(ends[1]);
	expect("a block that waits for pages which it keeps", k, &out, wants({}), EDEADLK,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::fs::open(loop, a.name, O_RDONLY, 0, [=](DeviceLoop *loop, int fd) {
			for (int i = 0; i < 3; i++)
				gloop::fs::map(loop, fd, 0, [=](DeviceLoop *, gloop::fs::mapping) { });
		});
	});
	unlink(a.name);
}

/* A listening socket of the host's, its port, and a peer that resets what it has accepted */
struct peer {
	int socket;
	uint32_t port;
	pthread_t thread;
};

static void *resets(void *arg)
{
	struct peer *p = (struct peer *)arg;
	struct linger at_once = {1, 0};
	int s = accept(p->socket, nullptr, nullptr);
	char c;

	if (::recv(s, &c, 1, 0) == 1)
		setsockopt(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(s);
	return nullptr;
}

static struct peer open_peer()
{
	struct sockaddr_in name = {};
	socklen_t length = sizeof(name);
	struct peer p = {socket(AF_INET, SOCK_STREAM, 0), 0, 0};

	name.sin_family = AF_INET;
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(p.socket, (struct sockaddr *)&name, sizeof(name)) || listen(p.socket, 5) ||
	    getsockname(p.socket, (struct sockaddr *)&name, &length)) {
		perror("socket");
		exit(1);
	}
	p.port = ntohs(name.sin_port);
	return p;
}

void sockets()
{
	apps::buffer<int64_t> out(100);
	apps::buffer<char> memory(4096);
	struct notes l = {out.get()};
	char *m = memory.get();
	struct peer p = open_peer();
	uint32_t port = p.port;
	gloop::launch_config k;

	expect("listen, connect, accept, send, receive, close", k, &out, wants({5, 'o', 0}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::net::listen(loop, INADDR_LOOPBACK, 0, [=](DeviceLoop *loop, gloop::net::listener at) {
			gloop::net::accept(loop, at.socket, [=](DeviceLoop *loop, int s) {
				for (int i = 0; i < 5; i++)
					m[i] = "hello"[i];
				loop->barrier();
				gloop::net::send(loop, s, 5, m, [=](DeviceLoop *loop, int64_t n) {
					if (n != 5)
						l.add(loop, n);
					gloop::net::close(loop, s, [=](DeviceLoop *loop, int) {
						gloop::net::close(loop, at.socket, [=](DeviceLoop *, int) { });
					});
				});
			});
			gloop::net::connect(loop, INADDR_LOOPBACK, at.port, [=](DeviceLoop *loop, int s) {
				gloop::net::receive(loop, s, 100, m + 50, [=](DeviceLoop *loop, int64_t n) {
					l.add(loop, n);
					l.add(loop, m[54]);
					gloop::net::receive(loop, s, 100, m + 50, [=](DeviceLoop *loop,
						int64_t n) {
						l.add(loop, n);
						gloop::net::close(loop, s, [=](DeviceLoop *, int) { });
					});
				});
			});
		});
	});
	pthread_create(&p.thread, nullptr, resets, &p);
	expect("a connection that the peer resets", k, &out, wants({1, -ECONNRESET}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::net::connect(loop, INADDR_LOOPBACK, port, [=](DeviceLoop *loop, int s) {
			gloop::net::send(loop, s, 1, m, [=](DeviceLoop *loop, int64_t n) {
				l.add(loop, n);
				gloop::net::receive(loop, s, 100, m, [=](DeviceLoop *loop, int64_t n) {
					l.add(loop, n);
					gloop::net::close(loop, s, [=](DeviceLoop *, int) { });
				});
			});
		});
	});
	pthread_join(p.thread, nullptr);
	close(p.socket);
	expect("a port at which nobody listens; one that is taken; no socket", k, &out,
	       wants({-ECONNREFUSED, -EADDRINUSE, -EBADF, -EBADF, -EBADF}), 0,
	       [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::net::connect(loop, INADDR_LOOPBACK, port, [=](DeviceLoop *loop, int s) {
			l.add(loop, s);
			gloop::net::listen(loop, INADDR_LOOPBACK, 0, [=](DeviceLoop *loop,
				gloop::net::listener at) {
				gloop::net::listen(loop, INADDR_LOOPBACK, at.port, [=](DeviceLoop *loop,
					gloop::net::listener twice) {
					l.add(loop, twice.socket);
					gloop::net::accept(loop, 9999, [=](DeviceLoop *loop, int s) {
						l.add(loop, s);
						gloop::net::receive(loop, 9999, 1, m, [=](DeviceLoop *loop,
							int64_t n) {
							l.add(loop, n);
							gloop::net::send(loop, 9999, 1, m,
								[=](DeviceLoop *loop, int64_t n) {
								l.add(loop, n);
								gloop::net::close(loop, at.socket,
									[=](DeviceLoop *, int) { });
							});
						});
					});
				});
			});
		});
	});
}

struct stopper { gloop::HostLoop *host; int socket; pthread_t thread; };

static void *stops(void *arg)
{
	usleep(20000);
	((struct stopper *)arg)->host->stop();
	return nullptr;
}

/* Takes the turn that the loop, which is program 0, has given back, and only then connects */
static gloop::turns *shared_turns;
static void *visits(void *arg)
{
	struct stopper *s = (struct stopper *)arg;
	struct sockaddr_in name = {};
	socklen_t length = sizeof(name);
	int me = shared_turns->join(2, 1);

	while (!shared_turns->holds(0) && !shared_turns->used_ns(1))
		usleep(10);
	while (!shared_turns->take(me, 100000))
		;
	getsockname(s->socket, (struct sockaddr *)&name, &length);
	shared_turns->give(me, false);
	shared_turns->leave(me);
	close(apps::server_connect(ntohs(name.sin_port)));
	return nullptr;
}

/* Computes for a while, then connects */
struct computes {
	uint32_t port;
	uint64_t until;

	GLOOP_DEVICE void operator()(DeviceLoop *loop) const
	{
		struct computes self = *this;

		while (gloop::env::clock() < until)
			if (gloop::postTaskIfNecessary(loop, self))
				return;
		gloop::net::connect(loop, INADDR_LOOPBACK, port, [=](DeviceLoop *loop, int s) {
			gloop::net::close(loop, s, [=](DeviceLoop *, int) { });
		});
	}
};

/* One block waits for the other, which computes for 100 ms and is suspended every 20 ms */
void computing()
{
	struct peer p = open_peer();
	uint64_t ticks = 100000 * gloop::env::engine().ticks_per_us();
	std::string name = std::string("a block that computes keeps the turn") + kind_name;
	gloop::HostLoop host(kind);
	gloop::launch_config k;
	gloop::launch_stats stats;

	k.logical = k.physical = 2;
	k.suspend_us = 20000;
	k.rest_us = 5000;	/* so long a busy machine may not run the block's thread */
	int error = host.launch(k, [=] GLOOP_DEVICE (DeviceLoop *loop) {
		if (loop->logicalBlock()) {
			computes{p.port, gloop::env::clock() + ticks}(loop);
			return;
		}
		gloop::net::accept(loop, p.socket, [=](DeviceLoop *loop, int s) {
			gloop::net::close(loop, s, [=](DeviceLoop *, int) { });
		});
	}, &stats);
	test_row(name.c_str(), !error && stats.rests <= 2, "%s, %u rests, %u turns", host.why(),
		 stats.rests, stats.turns);
	close(p.socket);
}

void waiting()
{
	struct peer p = open_peer();
	int socket = p.socket;
	apps::buffer<int64_t> out(10);
	struct notes l = {out.get()};
	std::string name;
	gloop::launch_stats stats;
	auto entry = [=] GLOOP_DEVICE (DeviceLoop *loop) {
		gloop::net::accept(loop, socket, [=](DeviceLoop *loop, int s) {
			l.add(loop, s >= 0);
			gloop::net::close(loop, s, [=](DeviceLoop *, int) { });
		});
	};
	{
		gloop::HostLoop host(kind);
		struct stopper s = {&host, socket, 0};

		pthread_create(&s.thread, nullptr, stops, &s);
		int error = host.launch(gloop::launch_config(), entry, &stats);
		pthread_join(s.thread, nullptr);
		name = std::string("stop() ends a launch that waits for a connection") + kind_name;
		test_row(name.c_str(), error == ECANCELED && !out.take()[0], "%d \"%s\"", error,
			 host.why());
	}
	{
		/* It comes when all is done, as it would just after the last look */
		struct stop_at_end : gloop::turn_source {
			gloop::HostLoop *host = nullptr;
			bool asked = false;
			bool take(uint32_t) override { return true; }
			bool over(uint64_t) override { return false; }
			void give(bool) override { asked ? host->stop() : (void)(asked = true); }
		} source;
		gloop::HostLoop host(kind, &source);

		source.host = &host;
		int error = host.launch(gloop::launch_config(), [=] GLOOP_DEVICE (DeviceLoop *) { });
		name = std::string("stop() just before a launch returns is not lost") + kind_name;
		test_row(name.c_str(), error == ECANCELED, "%d \"%s\"", error, host.why());
	}
	shared_turns = gloop::turns::create();
	{
		gloop::HostLoop host(kind, shared_turns, 1, 1);
		struct stopper s = {&host, socket, 0};
		int me = shared_turns->join(2, 1);

		shared_turns->take(me, 0);
		pthread_create(&s.thread, nullptr, stops, &s);
		int error = host.launch(gloop::launch_config(), entry, &stats);
		pthread_join(s.thread, nullptr);
		name = std::string("stop() ends a launch that waits for its turn") + kind_name;
		test_row(name.c_str(), error == ECANCELED && !stats.turns, "%d \"%s\", %u turns", error,
			 host.why(), stats.turns);
		shared_turns->give(me, false);
		shared_turns->leave(me);
	}
	/* So that nothing but a rest gives the turn back, however slow the machine is */
	shared_turns->slice_us = 600000000;
	{
		gloop::HostLoop host(kind, shared_turns, 1, 1);
		struct stopper s = {&host, socket, 0};

		pthread_create(&s.thread, nullptr, visits, &s);
		int error = host.launch(gloop::launch_config(), entry, &stats);
		pthread_join(s.thread, nullptr);
		name = std::string("blocks that all wait give the turn back") + kind_name;
		test_row(name.c_str(), !error && stats.rests && out.take()[1] == 1, "%s, %u rests",
			 host.why(), stats.rests);
	}
	gloop::turns::destroy(shared_turns);
	close(socket);
}

#ifndef __CUDACC__
#include "api_limits.h"
#endif

int main()
{
	gloop::HostLoop probe(gloop::IO_URING);

	setvbuf(stdout, nullptr, _IOLBF, 0);

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
#ifndef __CUDACC__
	limits();
#endif
	kind = gloop::IO_ANY;
	tasks();
	blocks();
	config();
	for (enum gloop::io_kind each : {gloop::IO_URING, gloop::IO_THREADS}) {
		kind = each;
		snprintf(kind_name, sizeof(kind_name), each == gloop::IO_URING ? ", io_uring" : ", threads");
		if (each == gloop::IO_URING) {
			apps::buffer<gloop::net::listener> made(1);

			if (probe.launch(gloop::launch_config(), apps::server_listen{made.get()})) {
				printf("ok rows of io_uring # SKIP %s\n", probe.why());
				continue;
			}
			close(made.take()[0].socket);
		}
		files();
		sockets();
		waiting();
		computing();
	}
	rmdir(folder);
	return test_end();
}
