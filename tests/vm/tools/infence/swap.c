// SPDX-License-Identifier: GPL-2.0
/*
 * infence - a fence that is exchanged between our module's look and nouveau's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/userfaultfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "infence.h"

struct trap {
	int uffd;
	uint32_t syncobj;
	const struct foreign *f;
	void *page;
};

static void *trap_run(void *arg)
{
	struct trap *trap = arg;
	static char copy[PAGE] __attribute__((aligned(PAGE)));
	struct pollfd ready = { .fd = trap->uffd, .events = POLLIN };
	struct uffdio_copy fill = {
		.dst = (uintptr_t)trap->page, .src = (uintptr_t)copy, .len = PAGE,
	};
	struct uffd_msg msg;

	if (poll(&ready, 1, 20000) != 1 || read(trap->uffd, &msg, sizeof(msg)) != sizeof(msg))
		fail("nobody fell into the trap");
	syncobj_set(trap->syncobj, trap->f);
	memcpy(copy, &group, sizeof(group));
	must("UFFDIO_COPY", talk(trap->uffd, UFFDIO_COPY, &fill));
	return NULL;
}

static void uffd_arm(int uffd, void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)page, .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	must("UFFDIO_API", talk(uffd, UFFDIO_API, &api));
	must("UFFDIO_REGISTER", talk(uffd, UFFDIO_REGISTER, &reg));
}

/*
 * swap SECONDS: EXECs whose fence has signalled when our module looks, and is vgem's when nouveau
 * does: the pushes lie in a page whose fault another thread answers. Each waits for 1 s.
 */
void do_swap(char **args)
{
	long long until = now_ns() + atoi(args[0]) * 1000 * MS;
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new();
	unsigned int n = 0;

	while (now_ns() < until && !over) {
		struct trap trap = { .syncobj = wait.handle };
		struct foreign f = foreign_new(), old = foreign_new();
		struct exec req = {
			.channel = channel, .push_count = 1,
			.wait_count = 1, .wait_ptr = (uintptr_t)&wait,
			.sig_count = 1, .sig_ptr = (uintptr_t)&done,
		};
		struct later later = {};
		pthread_t thread;
		long long from;

		syncobj_set(wait.handle, &old);
		foreign_signal(&old);
		trap.f = &f;
		trap.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
		trap.uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (trap.page == MAP_FAILED || trap.uffd < 0)
			fail("userfaultfd: %s", strerror(errno));
		uffd_arm(trap.uffd, trap.page);
		req.push_ptr = (uintptr_t)trap.page;
		if (pthread_create(&thread, NULL, trap_run, &trap))
			fail("no thread");
		later_start(&later, &f, slow(1000));
		from = now_ns();
		must("EXEC", talk(nouveau, EXEC, &req));
		took("EXEC", from, 0, 900);
		if (syncobj_signalled(done.handle, 0))
			fail("it did not wait for the fence that it was given last");
		pthread_join(thread, NULL);
		later_end(&later);
		close(trap.uffd);
		munmap(trap.page, PAGE);
		if (!syncobj_signalled(done.handle, 20000))
			fail("an EXEC did not end");
		n++;
	}
	printf("{\"execs\":%u}\n", n);
}
