/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of api_test.cc in a child, which the kernel refuses something. They come before any thread.
 */
#ifndef TESTS_GLOOP_API_LIMITS_H
#define TESTS_GLOOP_API_LIMITS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* in_child() - the status of a child that ends with what @rows returns, within half a minute */
template <class F> static int in_child(const F &rows)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(30);
		_exit(rows());
	}
	waitpid(child, &status, 0);
	return status;
}

static bool allow_descriptors(unsigned int n)
{
	struct rlimit most = {n, n};

	return !setrlimit(RLIMIT_NOFILE, &most);
}

/* From now on the kernel refuses two calls; the same one twice is one */
static bool refuse_calls(unsigned int first, unsigned int second)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {5, code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* A kernel that refuses io_uring_setup(): the host loop takes threads, or says so */
static int refused()
{
	auto entry = [](DeviceLoop *loop) {
		gloop::fs::fstat(loop, 0, [](DeviceLoop *, gloop::fs::stat) { });
	};
	gloop::HostLoop any, ring(gloop::IO_URING);

	if (!refuse_calls(__NR_io_uring_setup, __NR_io_uring_setup))
		return 3;
	if (any.launch(gloop::launch_config(), entry) || strcmp(any.io_name(), "threads"))
		return 1;
	if (ring.launch(gloop::launch_config(), entry) != EPERM || !strstr(ring.why(), "no io_uring"))
		return 2;
	return 0;
}

/* Neither a ring nor threads can be had, and the kernel has asked for two events by then */
static int no_io()
{
	static char to[2];
	gloop::HostLoop host;

	if (!refuse_calls(__NR_io_uring_setup, __NR_eventfd2))
		return 3;
	int error = host.launch(gloop::launch_config(), [](DeviceLoop *loop) {
		for (int i = 0; i < 2; i++)
			gloop::fs::read(loop, 0, 0, 1, to + i, [](DeviceLoop *, int64_t) { });
	});
	return error != ENOMEM || !strstr(host.why(), "no threads for I/O");
}

/* Likewise, and the first event comes as the kernel leaves */
static int no_io_late()
{
	gloop::launch_config k;
	int error = ENOMEM;

	k.suspend_us = 1;
	if (!refuse_calls(__NR_io_uring_setup, __NR_eventfd2))
		return 3;
	for (int i = 0; i < 10 && error == ENOMEM; i++) {
		gloop::HostLoop host;

		error = host.launch(k, [](DeviceLoop *loop) {
			usleep(2000);
			gloop::fs::fstat(loop, 0, [](DeviceLoop *, gloop::fs::stat) { });
		});
	}
	return error != ENOMEM;
}

static void *connects(void *port)
{
	usleep(100000);
	close(apps::server_connect((uintptr_t)port));
	return nullptr;
}

/* poll() refuses more requests than the process may have descriptors */
static int many_wait()
{
	gloop::HostLoop host(gloop::IO_THREADS);
	gloop::HostLoop *h = &host;
	struct peer p = open_peer();
	gloop::launch_config k;

	if (!allow_descriptors(20))
		return 3;
	pthread_create(&p.thread, nullptr, connects, (void *)(uintptr_t)p.port);
	int error = host.launch(k, [=](DeviceLoop *loop) {
		for (int i = 0; i < GLOOP_SLOTS - 1; i++)
			gloop::net::accept(loop, p.socket, [=](DeviceLoop *, int s) {
				if (s >= 0)
					h->stop();
			});
	});
	pthread_join(p.thread, nullptr);
	return error != ECANCELED;
}

static void limits()
{
	int status = in_child(refused);

	test_row("where io_uring is refused, threads do the I/O", !status, "status %d", status);
	status = in_child(no_io);
	test_row("a launch whose I/O cannot start says so", !status, "status %d", status);
	status = in_child(no_io_late);
	test_row("also where its first event comes after the turn", !status, "status %d", status);
	status = in_child(many_wait);
	test_row("threads serve more connections than there may be descriptors", !status, "status %d",
		 status);
}

#endif /* TESTS_GLOOP_API_LIMITS_H */
