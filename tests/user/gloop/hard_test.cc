// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong beneath a host loop: descriptors that do not block, that are closed while an event
 * waits, or that come as the launch ends; signals; numbers at the limits. Each row
 * of I/O runs with io_uring and with threads. On host threads alone: callbacks make system calls.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include <initializer_list>

#include "../../lib/test.h"
#include "../../../src/user/gloop/gloop.h"

using gloop::DeviceLoop;

static char folder[] = "/tmp/tg-gloop.XXXXXX";
static enum gloop::io_kind kind;
static gloop::HostLoop *timed;

/* launch_in() - launch(), but stopped after @seconds: then something has been lost */
template <class F> static int launch_in(unsigned int seconds, gloop::HostLoop *host, const F &entry,
					uint32_t blocks = 1)
{
	gloop::launch_config k;
	int error;

	k.logical = k.physical = blocks;
	timed = host;
	signal(SIGALRM, [](int) { timed->stop(); });
	alarm(seconds);
	error = host->launch(k, entry);
	alarm(0);
	return error;
}

static void row(const char *name, bool good, const gloop::HostLoop &host, int64_t x)
{
	char full[120];

	snprintf(full, sizeof(full), "%s, %s", name, kind == gloop::IO_URING ? "io_uring" : "threads");
	test_row(full, good, "\"%s\", %lld", host.why(), (long long)x);
}

static int connect_to(uint32_t port)
{
	struct sockaddr_in name = {};
	int s = socket(AF_INET, SOCK_STREAM, 0);

	name.sin_family = AF_INET;
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	name.sin_port = htons(port);
	if (connect(s, (struct sockaddr *)&name, sizeof(name)))
		perror("connect");
	return s;
}

/* listener() - a socket of the host's that listens, and its port */
static int listener(uint32_t *port)
{
	struct sockaddr_in name = {};
	socklen_t length = sizeof(name);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	name.sin_family = AF_INET;
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(s, (struct sockaddr *)&name, sizeof(name)) || listen(s, 10) ||
	    getsockname(s, (struct sockaddr *)&name, &length))
		perror("listen");
	*port = ntohs(name.sin_port);
	return s;
}

static void *connects_late(void *port)
{
	usleep(50000);
	return (void *)(intptr_t)connect_to((uintptr_t)port);
}

/* accept() waits, whatever the socket's flags are, and leaves them as they are */
static void flags()
{
	for (int flag : {0, O_NONBLOCK}) {
		uint32_t port;
		int at = listener(&port);
		gloop::HostLoop host(kind);
		static int64_t got;
		int64_t *to = &got;
		pthread_t thread;
		void *client;

		got = -1;
		fcntl(at, F_SETFL, flag);
		pthread_create(&thread, nullptr, connects_late, (void *)(uintptr_t)port);
		launch_in(10, &host, [=](DeviceLoop *loop) {
			gloop::net::accept(loop, at, [=](DeviceLoop *, int s) { *to = s; });
		});
		pthread_join(thread, &client);
		row(flag ? "accept() waits at a socket that is O_NONBLOCK" :
		    "accept() waits at one that is not", got >= 0, host, got);
		int left = fcntl(at, F_GETFL) & O_NONBLOCK;
		row(flag ? "and it is O_NONBLOCK afterwards" : "and it is not afterwards", left == flag,
		    host, left);
		close(got);
		close((intptr_t)client);
		close(at);
	}
}

/* What waits at a descriptor ends when it is closed, and takes nothing of the next of its number */
static void closed()
{
	gloop::HostLoop host(kind);
	static int ends[2], next[2];
	static char byte;
	static int64_t got;
	int64_t *to = &got;

	got = byte = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		perror("socketpair");
	int error = launch_in(3, &host, [=](DeviceLoop *loop) {
		gloop::net::receive(loop, ends[0], 1, &byte, [=](DeviceLoop *, int64_t n) { *to = n; });
		gloop::fs::fstat(loop, ends[0], [=](DeviceLoop *loop, gloop::fs::stat) {
			usleep(20000);
			gloop::net::close(loop, ends[0], [=](DeviceLoop *loop, int) {
				if (socketpair(AF_UNIX, SOCK_STREAM, 0, next))
					perror("socketpair");
				/* Whoever polls looks again when another event waits */
				gloop::net::receive(loop, next[1], 1, &byte, [=](DeviceLoop *, int64_t) { });
				gloop::fs::fstat(loop, next[0], [=](DeviceLoop *, gloop::fs::stat) {
					usleep(20000);
					if (write(next[1], "x", 1) != 1)
						perror("write");
					usleep(20000);
					if (write(next[0], "y", 1) != 1)
						perror("write");
				});
			});
		});
	});
	row("what waits at a descriptor ends with its close()", !error && got == -ECANCELED, host, got);
	error = recv(next[0], &byte, 1, MSG_DONTWAIT);
	row("and takes nothing of the next one's", next[0] == ends[0] && error == 1, host, error);
	for (int fd : {ends[1], next[0], next[1]})
		close(fd);
}

/* What was sent just before the close() arrives */
static void closed_at_once()
{
	static char back[30 * 5];
	static int64_t sent;
	static int ends[2];
	gloop::HostLoop host(kind);
	gloop::launch_config k;

	sent = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		perror("socketpair");
	k.pages = 30;
	k.page_bytes = 64;
	int error = host.launch(k, [=](DeviceLoop *loop) {
		for (int i = 0; i < 30; i++)
			gloop::net::send(loop, ends[0], 5, "hello", [](DeviceLoop *, int64_t n) { sent += n; });
		gloop::net::close(loop, ends[0], [](DeviceLoop *, int) { });
	});
	bool came = recv(ends[1], back, sizeof(back), MSG_DONTWAIT) == sizeof(back);
	row("what was sent just before a close() arrives", !error && came && sent == sizeof(back), host, sent);
	close(ends[1]);
}

static int descriptors()
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A descriptor that no callback has been given when the launch ends is closed */
static void unseen()
{
	uint32_t port;
	int at = listener(&port), clients[4], next[7], before = descriptors(), after;
	gloop::HostLoop host(kind);
	gloop::HostLoop *h = &host;

	for (int &c : clients)
		c = connect_to(port);
	int error = launch_in(10, &host, [=](DeviceLoop *loop) {
		for (int i = 0; i < 4; i++)
			gloop::net::accept(loop, at, [=](DeviceLoop *, int) { });
		gloop::fs::open(loop, "/dev/null", O_RDONLY, 0, [=](DeviceLoop *, int) { });
		gloop::net::listen(loop, INADDR_LOOPBACK, 0, [](DeviceLoop *, gloop::net::listener) { });
		gloop::net::connect(loop, INADDR_LOOPBACK, port, [=](DeviceLoop *, int) { });
		gloop::postTask(loop, [=](DeviceLoop *) { });
		usleep(100000);		/* all have come */
		h->stop();
		usleep(20000);
	});
	after = descriptors() - 4;
	row("stop() closes what no callback has been given", error == ECANCELED && after == before, host,
	    after - before);
	for (int &fd : next)
		fd = dup(at);
	error = launch_in(10, &host, [](DeviceLoop *) { }, 0);
	after = descriptors() - 4 - 7;
	row("and closes it once", error == EINVAL && after == before, host, after - before);
	for (int fd : next)
		close(fd);
	for (int c : clients)
		close(c);
	close(at);
}

/* Of too many bits for a port */
static void ports()
{
	gloop::HostLoop host(kind);
	static int64_t got[2];
	int64_t *to = got;

	launch_in(10, &host, [=](DeviceLoop *loop) {
		gloop::net::listen(loop, INADDR_LOOPBACK, 65536, [=](DeviceLoop *loop,
			gloop::net::listener l) {
			to[0] = l.socket;
			gloop::net::connect(loop, INADDR_LOOPBACK, 65536 + 9, [=](DeviceLoop *, int s) {
				to[1] = s;
			});
		});
	});
	row("there is no port 65536", got[0] == -EINVAL && got[1] == -EINVAL, host,
	    got[0] == -EINVAL ? got[1] : got[0]);
	if (got[0] > 0)
		close(got[0]);
}

/* Beyond 4 GiB, and where no file can be */
static void offsets()
{
	static const int64_t want[] = {1, 1, 'z', (1ll << 32) + 6, 0, -EFBIG, 0, -EINVAL, -EINVAL};
	static int64_t got[10];
	static char name[80], to[2] = {'z', 0};
	gloop::HostLoop host(kind);
	int64_t *at = got;

	snprintf(name, sizeof(name), "%s/long", folder);
	memset(got, 0, sizeof(got));
	int error = launch_in(10, &host, [=](DeviceLoop *loop) {
		gloop::fs::open(loop, name, O_RDWR | O_CREAT, 0600, [=](DeviceLoop *loop, int fd) {
			gloop::fs::write(loop, fd, (1ull << 32) + 5, 1, to, [=](DeviceLoop *loop, int64_t n) {
			at[0] = n;
			gloop::fs::read(loop, fd, (1ull << 32) + 5, 9, to + 1, [=](DeviceLoop *loop, int64_t n) {
			at[1] = n;
			at[2] = to[1];
			gloop::fs::fstat(loop, fd, [=](DeviceLoop *loop, gloop::fs::stat s) {
			at[3] = s.size;
			gloop::fs::read(loop, fd, 1ull << 62, 1, to, [=](DeviceLoop *loop, int64_t n) {
			at[4] = n;
			gloop::fs::write(loop, fd, 1ull << 62, 1, to, [=](DeviceLoop *loop, int64_t n) {
			at[5] = n;
			gloop::fs::ftruncate(loop, fd, 0, [=](DeviceLoop *loop, int e) {
			at[6] = e;
			gloop::fs::ftruncate(loop, fd, ~0ull, [=](DeviceLoop *loop, int e) {
			at[7] = e;
			gloop::fs::write(loop, fd, INT64_MAX, 1, to, [=](DeviceLoop *loop, int64_t n) {
			at[8] = n;
			gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
			}); }); }); }); }); }); }); });
		});
	});
	size_t i = 0;
	while (i < sizeof(want) / 8 && got[i] == want[i])
		i++;
	row("offsets beyond 4 GiB, of 2^62 and 2^63 - 1", !error && i == sizeof(want) / 8, host,
	    i * 1000000 + got[i]);
	unlink(name);
}

/* A mapping that has failed has no bytes: sync() must not take its errno for their number */
static void failed_map()
{
	static char name[80];
	static int64_t got[3];
	gloop::HostLoop host(kind);
	int64_t *to = got;

	snprintf(name, sizeof(name), "%s/unread", folder);
	memset(got, 0, sizeof(got));
	launch_in(10, &host, [=](DeviceLoop *loop) {
		gloop::fs::open(loop, name, O_WRONLY | O_CREAT, 0600, [=](DeviceLoop *loop, int fd) {
			gloop::fs::map(loop, fd, 0, [=](DeviceLoop *loop, gloop::fs::mapping m) {
				to[0] = m.size;
				gloop::fs::sync(loop, m, [=](DeviceLoop *loop, int64_t n) {
					to[1] = n;
					gloop::fs::fstat(loop, fd, [=](DeviceLoop *loop, gloop::fs::stat s) {
						to[2] = s.size;
						gloop::fs::close(loop, fd, [](DeviceLoop *, int) { });
					});
				});
			});
		});
	});
	row("sync() of a mapping that failed writes nothing", got[0] == -EBADF && !got[1] && !got[2], host,
	    got[2]);
	unlink(name);
}

/* Has a signal's handler run in each thread, then opens the FIFO's other end */
static void *signals_all(void *name)
{
	DIR *d = opendir("/proc/self/task");

	usleep(100000);
	while (struct dirent *e = readdir(d))
		if (atoi(e->d_name))
			syscall(SYS_tgkill, getpid(), atoi(e->d_name), SIGUSR1);
	closedir(d);
	usleep(100000);
	return (void *)(intptr_t)open((const char *)name, O_RDWR);
}

static void signals()
{
	struct sigaction handled = {};
	gloop::HostLoop host(kind);
	static char name[80];
	static int64_t got;
	int64_t *to = &got;
	pthread_t thread;
	void *other;

	snprintf(name, sizeof(name), "%s/fifo", folder);
	if (mkfifo(name, 0600))
		perror(name);
	handled.sa_handler = [](int) { };
	sigaction(SIGUSR1, &handled, nullptr);
	pthread_create(&thread, nullptr, signals_all, name);
	launch_in(10, &host, [=](DeviceLoop *loop) {
		gloop::fs::open(loop, name, O_RDONLY, 0, [=](DeviceLoop *, int fd) { *to = fd; });
	});
	pthread_join(thread, &other);
	row("a signal's handler ends no open()", got >= 0, host, got);
	close(got);
	close((intptr_t)other);
	unlink(name);
}

/* More than any machine has */
static void sizes()
{
	gloop::HostLoop host(kind);
	gloop::launch_config k;
	int error;

	k.logical = k.physical = UINT32_MAX;
	k.pages = 0;
	signal(SIGALRM, SIG_DFL);
	alarm(10);
	error = host.launch(k, [](DeviceLoop *) { });
	row("2^32 - 1 blocks are refused", error == ENOMEM, host, error);
	k.logical = k.physical = 1;
	k.shared_bytes = UINT32_MAX;
	error = host.launch(k, [](DeviceLoop *) { });
	row("shared memory of 4 GiB is refused", error == EINVAL, host, error);
	alarm(0);
}

/* A callback that takes longer than 32 bits of ns */
static void long_idle()
{
	gloop::HostLoop host(kind);
	gloop::launch_config k;
	gloop::launch_stats stats;

	k.suspend_us = 1;
	int error = host.launch(k, [](DeviceLoop *) { usleep(4400000); }, &stats);
	row("a suspension of more than 4.2 s counts as that", !error && stats.suspensions &&
	    stats.idle_ns[0] == UINT32_MAX, host, stats.idle_ns[0]);
}

/* A child of fork() has the loop, but none of its threads */
static void forks()
{
	gloop::turns *shared = gloop::turns::create();
	int status = -1;
	{
		gloop::HostLoop host(kind, shared, 1, 1), unshared(kind);
		gloop::launch_config k;
		auto entry = [](DeviceLoop *) { };

		int error = host.launch(k, entry) | unshared.launch(k, entry);
		pid_t child = fork();
		if (!child) {
			signal(SIGALRM, SIG_DFL);
			alarm(5);
#ifndef __SANITIZE_THREAD__		/* which does not have threads then */
			error |= unshared.launch(k, entry);
#endif
			host.~HostLoop();
			_exit(error);
		}
		waitpid(child, &status, 0);
		row("a child of fork() ends its copy of a loop", !status, host, status);
		error = launch_in(3, &host, entry);
		row("and the loop keeps its place among the turns", !error, host, error);
	}
	gloop::turns::destroy(shared);
}

int large();		/* large.cc */

int main()
{
	gloop::HostLoop probe(gloop::IO_URING);

	setvbuf(stdout, nullptr, _IOLBF, 0);
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	for (enum gloop::io_kind each : {gloop::IO_URING, gloop::IO_THREADS}) {
		kind = each;
		if (each == gloop::IO_URING && launch_in(10, &probe, [](DeviceLoop *loop) {
			gloop::fs::fstat(loop, 0, [](DeviceLoop *, gloop::fs::stat) { }); })) {
			printf("ok rows of io_uring # SKIP %s\n", probe.why());
			continue;
		}
		flags();
		closed();
		closed_at_once();
		unseen();
		ports();
		offsets();
		failed_map();
		signals();
		forks();
		sizes();
	}
	long_idle();
	rmdir(folder);
	int n = large();
	test_row("sources of one program choose different sizes of slots", n == 20, "%d", n);
	return test_end();
}
