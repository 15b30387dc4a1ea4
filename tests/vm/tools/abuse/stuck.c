// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - the driver is stuck in a page fault: the push list lies on a page that this program fills
 * late, or in a file whose pages it serves late.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "abuse.h"
#include "slowfile.h"

/* A page that is not there yet; this program serves its faults. */
static int fault_page(void **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		fail("userfaultfd: %s", strerror(errno));
	*page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*page == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	reg.range.start = (uintptr_t)*page;
	reg.range.len = PAGE;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		fail("userfaultfd: %s", strerror(errno));
	return fd;
}

struct stuck {
	struct chan ch;
	struct call call;
	int ret;
};

static void *submit_stuck(void *arg)
{
	struct stuck *s = arg;

	s->ret = talk(s->ch.fd, PUSHBUF, &s->call.req);
	return NULL;
}

/*
 * stuck MS: the driver reads the push list from a page whose fault is not served for MS
 * milliseconds, or never (0). Others must go on meanwhile, and the group run in the end.
 */
void do_stuck(char **args)
{
	static char filled[PAGE] __attribute__((aligned(PAGE)));
	unsigned int ms = number(args[0]);
	struct tg_snap_client row;
	uint64_t before = 0, after = 0;
	struct uffd_msg event;
	struct uffdio_copy copy = { .src = (uintptr_t)filled, .len = PAGE };
	static struct stuck s;
	pthread_t thread;
	void *page;
	int fd;

	chan_new(&s.ch, open_node(), 5000);
	fd = fault_page(&page);
	call_init(&s.call, &s.ch, 1);
	memcpy(filled, s.call.push, sizeof(s.call.push[0]));
	s.call.req.push = (uintptr_t)page;
	if (pthread_create(&thread, NULL, submit_stuck, &s))
		fail("no thread");
	if (read(fd, &event, sizeof(event)) != sizeof(event) ||
	    event.event != UFFD_EVENT_PAGEFAULT)
		fail("no page fault");
	printf("stuck\n");
	fflush(stdout);
	if (!ms)
		pause();
	sleep_ms(ms / 2);
	if (counted)
		snapshot(&row, &before);
	sleep_ms(ms - ms / 2);
	if (counted) {
		snapshot(&row, &after);
		if (row.overlaps != 1)
			fail("stuck for %u ms: %llu overlaps", ms, row.overlaps);
		if (after <= before)
			fail("while it was stuck no other client went on");
	}
	copy.dst = (uintptr_t)page;
	if (ioctl(fd, UFFDIO_COPY, &copy))
		fail("UFFDIO_COPY: %s", strerror(errno));
	pthread_join(thread, NULL);
	must("submission", s.ret);
	must("wait", chan_wait(&s.ch));
	if (result(&s.ch, 1) != 1)
		fail("the group left %u behind", result(&s.ch, 1));
	counters_must_be(1, 1, 0);
	printf("%llu groups of others meanwhile\n", (unsigned long long)(after - before));
}

/*
 * slow MS COST FOR DIR: one group, then, when it is continued, groups one after the other for FOR milliseconds. The push
 * list of each lies in a page that takes MS milliseconds to read, of a FUSE file system at DIR; 0: in memory. Prints how
 * many groups there were, for how long the driver waited for the pages, and what the module says of that.
 */
void do_slow(char **args)
{
	static char list[sizeof(((struct call *)0)->push[0])];
	static struct slowfile file = { .content = list, .bytes = sizeof(list) };
	long long end, stalled = 0;
	struct tg_snap_client row;
	static struct call call;
	uint64_t others;
	uint32_t seq = 0;
	struct chan ch;

	chan_new(&ch, open_node(), number(args[1]));
	file.ms = number(args[0]);
	if (file.ms) {
		const char *wrong = slowfile_open(&file, args[3]);

		if (wrong)
			fail("%s: %s: %s", args[3], wrong, strerror(errno));
	}
	run_group(&ch, ++seq);
	raise(SIGSTOP);
	end = now_ns() + number(args[2]) * MS;
	while (now_ns() < end) {
		call_init(&call, &ch, ++seq);
		if (file.ms) {
			if (seq >= SLOWFILE_PAGES)
				fail("the file has no more pages");
			memcpy(list, call.push, sizeof(list));
			call.req.push = (uintptr_t)file.pages + seq * PAGE;
		}
		must("submission", talk(ch.fd, PUSHBUF, &call.req));
		if (file.ms)
			stalled += now_ns() - file.asked;
		must("wait", chan_wait(&ch));
	}
	memset(&row, 0, sizeof(row));
	if (counted)
		snapshot(&row, &others);
	printf("{\"groups\":%u,\"stalled_us\":%lld,\"held_us\":%lld,\"gpu_time_us\":%lld}\n", seq,
	       stalled / 1000, row.held_time / 1000, row.gpu_time / 1000);
}
