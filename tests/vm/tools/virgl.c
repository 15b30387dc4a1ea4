// SPDX-License-Identifier: GPL-2.0
/*
 * virgl - clients of virtio_gpu that no OpenGL is between.
 *
 *	virgl bad		one line `CALL ANSWER` for each of many calls, most of which the driver must refuse
 *	virgl nops N WORDS	N submissions of so many commands that do nothing, with no object and no fence. Then how
 *				many descriptors it has, before and after: `fds B A`
 *	virgl full		the same once, without a free descriptor: its answer
 *	virgl events N		N submissions that each leave an event that nobody reads: `events ANSWER ...`
 *	virgl behind MS		a submission waits for a fence of another driver's (vgem), which signals after MS; meanwhile
 *				another file's submissions, one after the other: `others N worst W`, then `behind T`, in ms
 *	virgl ring MS		a submission on ring 1 of a context of OpenGL's, whose fence the host does not signal; then for so
 *				long another process's submissions, as above: `ring ANSWER`, `others N worst W`, and whether it has
 *				signalled by then. `ring none`: this host or driver has no such contexts
 *	virgl files N		N files, and a wrong submission on each: how many were answered EINVAL, and ENOSPC; and the
 *				median time of one, us, of the first 50 and of the last 50 that were not ENOSPC
 *	virgl slow MS		a submission whose commands lie in a page that takes so long: `asked` once the driver reads
 *				them, then its answer
 *
 * Exit status 0 unless it could not try.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <virtgpu_drm.h>

#include "abuse/slowfile.h"

/* Those that older headers lack; the kernel takes any length. */
struct execbuffer {
	uint32_t flags, size;
	uint64_t command, objects;
	uint32_t nr_objects;
	int32_t fence_fd;
	uint32_t ring, stride, nr_in, nr_out;
	uint64_t in, out;
};
struct transfer {
	uint32_t object, x, y, z, w, h, d, level, offset, stride, layer_stride;
};
struct param {
	uint64_t param, value;
};
struct context_init {
	uint32_t nr, pad;
	uint64_t params;
};
#define EXECBUFFER	DRM_IOWR(DRM_COMMAND_BASE + 0x02, struct execbuffer)
#define FROM_HOST	DRM_IOWR(DRM_COMMAND_BASE + 0x06, struct transfer)
#define TO_HOST		DRM_IOWR(DRM_COMMAND_BASE + 0x07, struct transfer)
#define CONTEXT_INIT	DRM_IOWR(DRM_COMMAND_BASE + 0x0b, struct context_init)

static uint32_t nops[1 << 18];

static void die(const char *what)
{
	fprintf(stderr, "virgl: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* A file of a driver's device. */
static int file_of(const char *driver)
{
	char path[32], name[32];

	for (int i = 0; i < 8; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		memset(name, 0, sizeof(name));
		if (fd >= 0 && !ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, driver))
			return fd;
		close(fd);
	}
	errno = ENODEV;
	die(driver);
	return -1;
}

static int node(void)
{
	return file_of("virtio_gpu");
}

static const char *answer(int ret)
{
	return ret ? strerrorname_np(errno) : "0";
}

static void say(const char *what, int fd, unsigned long request, void *args)
{
	printf("%s %s\n", what, answer(ioctl(fd, request, args)));
}

static uint32_t object(int fd)
{
	struct drm_virtgpu_resource_create rc = {
		.target = 0, .format = 64, .bind = 1 << 4, .width = 65536, .height = 1, .depth = 1, .array_size = 1,
		.size = 65536,
	};

	if (ioctl(fd, DRM_IOCTL_VIRTGPU_RESOURCE_CREATE, &rc))
		die("no object");
	return rc.bo_handle;
}

static int bad(void)
{
	const int fd = node();
	uint32_t none = 77777, ours = object(fd);
	struct transfer to = { .object = ours, .w = 65536, .h = 1, .d = 1 };
	struct { const char *what; struct execbuffer args; } row[] = {
		{ "good", { .size = 4, .command = (uintptr_t)nops } },
		{ "good, an object", { .size = 4, .command = (uintptr_t)nops, .objects = (uintptr_t)&ours, .nr_objects = 1 } },
		{ "good, a fence out", { .flags = 2, .size = 4, .command = (uintptr_t)nops } },
		{ "flags -1", { .flags = -1, .size = 4, .command = (uintptr_t)nops } },
		{ "flags 8", { .flags = 8, .size = 4, .command = (uintptr_t)nops } },
		{ "ring 0, no rings", { .flags = 4, .size = 4, .command = (uintptr_t)nops } },
		{ "ring 64, no rings", { .flags = 4, .ring = 64, .size = 4, .command = (uintptr_t)nops } },
		{ "ring -1", { .flags = 4, .ring = -1, .size = 4, .command = (uintptr_t)nops } },
		{ "fence in -1", { .flags = 1, .fence_fd = -1, .size = 4, .command = (uintptr_t)nops } },
		{ "fence in 0", { .flags = 1, .fence_fd = 0, .size = 4, .command = (uintptr_t)nops } },
		{ "fence in -1 and out", { .flags = 3, .fence_fd = -1, .size = 4, .command = (uintptr_t)nops } },
		{ "command at NULL", { .size = 4 } },
		{ "command in the kernel", { .size = 4, .command = 0xffff800000000000 } },
		{ "command at NULL, an object", { .size = 4, .objects = (uintptr_t)&ours, .nr_objects = 1 } },
		{ "objects at NULL", { .size = 4, .command = (uintptr_t)nops, .nr_objects = 1 } },
		{ "an unknown object", { .size = 4, .command = (uintptr_t)nops, .objects = (uintptr_t)&none, .nr_objects = 1 } },
		{ "in at NULL", { .size = 4, .command = (uintptr_t)nops, .nr_in = 1, .stride = 16 } },
		{ "in of stride 0", { .size = 4, .command = (uintptr_t)nops, .nr_in = 1, .in = (uintptr_t)nops } },
		{ "out at NULL", { .size = 4, .command = (uintptr_t)nops, .nr_out = 1, .stride = 16 } },
		{ "good again", { .size = 4, .command = (uintptr_t)nops } },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct execbuffer was = row[i].args;

		say(row[i].what, fd, EXECBUFFER, &row[i].args);
		/* What the client finds in its arguments: all as it was, but for a fence that it has asked for. */
		if (row[i].args.flags != was.flags || (!(was.flags & 2) && row[i].args.fence_fd != was.fence_fd))
			printf("%s changed\n", row[i].what);
	}
	say("execbuffer at NULL", fd, EXECBUFFER, NULL);
	say("to the host", fd, TO_HOST, &to);
	say("from the host", fd, FROM_HOST, &to);
	to.stride = 1;
	say("to the host, a stride", fd, TO_HOST, &to);
	to.object = none;
	say("to the host, unknown", fd, TO_HOST, &to);
	say("from the host, unknown", fd, FROM_HOST, &to);
	return 0;
}

static int descriptors(void)
{
	int i, n = 0;

	for (i = 0; i < 1024; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static int send_nops(long n, long words)
{
	struct execbuffer args = { .size = words * 4, .command = (uintptr_t)nops };
	const int fd = node(), before = descriptors();

	if (words < 1 || words > (long)(sizeof(nops) / 4))
		return 2;
	for (long i = 0; i < n; i++)
		if (ioctl(fd, EXECBUFFER, &args))
			die("nops");
	printf("fds %d %d\n", before, descriptors());
	return 0;
}

static int full(void)
{
	struct execbuffer args = { .size = 4, .command = (uintptr_t)nops };
	const int fd = node();
	const struct rlimit none = { fd + 1, fd + 1 };

	if (setrlimit(RLIMIT_NOFILE, &none))
		die("setrlimit");
	while (dup(fd) >= 0)
		;
	say("full", fd, EXECBUFFER, &args);
	return 0;
}

/* Of a context that polls ring 0: once 4096 bytes of events are waiting, the driver refuses. */
static int events(long n)
{
	struct param params[] = { { 1, 2 }, { 2, 1 }, { 3, 1 } };
	struct context_init init = { .nr = 3, .params = (uintptr_t)params };
	struct execbuffer args = { .flags = 4, .size = 4, .command = (uintptr_t)nops };
	const int fd = node();
	const char *last = "";

	printf("init %s\n", answer(ioctl(fd, CONTEXT_INIT, &init)));
	printf("events");
	for (long i = 0; i < n; i++) {
		const char *now = answer(ioctl(fd, EXECBUFFER, &args));

		if (strcmp(now, last))
			printf(" %s", now);
		last = now;
	}
	printf("\n");
	return 0;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int sync_file, vgem;
static uint32_t promised;
static double behind_ms;

/* A promise of vgem's, in an object's reservation, as a file. */
static void promise(void)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct { uint32_t handle, flags, fence, pad; } attach = { .flags = 1 };
	struct { uint32_t flags; int32_t fd; } out = { .flags = 3 };
	struct drm_prime_handle prime = { .flags = O_CLOEXEC };

	vgem = file_of("vgem");
	if (ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		die("vgem's object");
	attach.handle = dumb.handle;
	prime.handle = dumb.handle;
	if (ioctl(vgem, DRM_IOWR(DRM_COMMAND_BASE + 1, attach), &attach) ||
	    ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) || ioctl(prime.fd, _IOWR('b', 2, out), &out))
		die("vgem's fence");
	promised = attach.fence;
	sync_file = out.fd;
}

static void *wait_behind(void *arg)
{
	struct execbuffer args = { .flags = 1, .fence_fd = sync_file, .size = 4, .command = (uintptr_t)nops };
	const int fd = node();
	const double begin = now_ms();

	if (ioctl(fd, EXECBUFFER, &args))
		die("behind");
	behind_ms = now_ms() - begin;
	return arg;
}

/* Submissions of a file's, one after the other, for so long: `others N worst W`. */
static void others(double ms)
{
	const double begin = now_ms();
	double worst = 0, t = begin, last;
	const int fd = node();
	int n = 0;

	while (t - begin < ms) {
		struct execbuffer args = { .flags = 2, .size = 4, .command = (uintptr_t)nops };
		struct pollfd p;

		last = t;
		if (ioctl(fd, EXECBUFFER, &args))
			die("another's");
		p = (struct pollfd){ .fd = args.fence_fd, .events = POLLIN };
		poll(&p, 1, -1);
		close(args.fence_fd);
		n++;
		t = now_ms();
		worst = t - last > worst ? t - last : worst;
	}
	printf("others %d worst %.0f\n", n, worst);
}

static int behind(double ms)
{
	struct { uint32_t fence, flags; } signal = { 0 };
	pthread_t thread;

	promise();
	if (pthread_create(&thread, NULL, wait_behind, NULL))
		die("no thread");
	others(ms);
	signal.fence = promised;
	if (ioctl(vgem, DRM_IOW(DRM_COMMAND_BASE + 2, signal), &signal))
		die("vgem's signal");
	pthread_join(thread, NULL);
	printf("behind %.0f\n", behind_ms);
	return 0;
}

static int ring(double ms)
{
	struct param params[] = { { 1, 2 }, { 2, 2 } };
	struct context_init init = { .nr = 2, .params = (uintptr_t)params };
	struct execbuffer args = { .flags = 6, .ring = 1, .size = 4, .command = (uintptr_t)nops };
	const int fd = node();

	if (ioctl(fd, CONTEXT_INIT, &init)) {
		printf("ring none\n");
		return 0;
	}
	printf("ring %s\n", answer(ioctl(fd, EXECBUFFER, &args)));
	fflush(stdout);
	/* Another client: what goes beside its own groups alone may bypass the policy. */
	if (!fork()) {
		others(ms);
		exit(0);
	}
	wait(NULL);
	printf("signalled %d\n", poll(&(struct pollfd){ .fd = args.fence_fd, .events = POLLIN }, 1, 0));
	return 0;
}

static int by_time(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(double *us, int n)
{
	qsort(us, n, sizeof(*us), by_time);
	return us[n / 2];
}

static int files(int n)
{
	struct execbuffer args = { .flags = -1, .size = 4, .command = (uintptr_t)nops };
	double *us = calloc(n, sizeof(*us)), begin;
	int wrong = 0, full = 0, fd;
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &most);
	most.rlim_cur = most.rlim_max;
	if (n < 100 || !us || setrlimit(RLIMIT_NOFILE, &most))
		die("files");
	while (wrong + full < n) {
		struct execbuffer copy = args;

		fd = node();
		begin = now_ms();
		ioctl(fd, EXECBUFFER, &copy);
		if (errno == EINVAL)
			us[wrong++] = (now_ms() - begin) * 1e3;
		else if (errno == ENOSPC)
			full++;
		else
			die("another answer");
	}
	begin = wrong < 100 ? -1 : median(us, 50);
	printf("EINVAL %d ENOSPC %d first %.0f last %.0f\n", wrong, full, begin, wrong < 100 ? -1 : median(us + wrong - 50, 50));
	return 0;
}

static struct slowfile file = { .content = nops, .bytes = 4096 };

static void *tell_asked(void *arg)
{
	while (!atomic_load(&file.asked))
		usleep(1000);
	printf("asked\n");
	fflush(stdout);
	return arg;
}

static int slow(long ms)
{
	struct execbuffer args = { .size = 4096 };
	const int fd = node();
	pthread_t thread;
	const char *wrong;

	file.ms = ms;
	mkdir("/tmp/slow", 0700);
	wrong = slowfile_open(&file, "/tmp/slow");
	if (wrong || pthread_create(&thread, NULL, tell_asked, NULL))
		die(wrong ? wrong : "no thread");
	args.command = (uintptr_t)file.pages;
	say("slow", fd, EXECBUFFER, &args);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "bad"))
		return bad();
	if (argc == 4 && !strcmp(argv[1], "nops"))
		return send_nops(atol(argv[2]), atol(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "full"))
		return full();
	if (argc == 3 && !strcmp(argv[1], "events"))
		return events(atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "behind"))
		return behind(atof(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "ring"))
		return ring(atof(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "files"))
		return files(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "slow"))
		return slow(atol(argv[2]));
	fputs("usage: virgl bad | nops N WORDS | full | events N | behind MS | ring MS | files N | slow MS\n", stderr);
	return 2;
}
