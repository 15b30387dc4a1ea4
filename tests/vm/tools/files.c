// SPDX-License-Identifier: GPL-2.0
/*
 * files - many clients of a driver whose channels are files, for the VM case `sections-files`.
 *
 *	files DRIVER P N T	P processes c0 to c9 with N files each, until killed. Each makes a submission on each of its
 *				files that the driver refuses: the module takes it for a channel all the same, and the host
 *				has nothing of it. `P are there` when the last one has. Then T threads of each submit for ever:
 *				half of them, at most 4, what works, to a file of their own, the others what does not, to each
 *				file in turn. A signal interrupts all of them every two seconds.
 *
 * DRIVER is virtio_gpu or tgmock.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <drm.h>
#include <virtgpu_drm.h>

#include "../mock/tg_mock.h"

#define SUBMIT	DRM_IOW(DRM_COMMAND_BASE + TGMOCK_SUBMIT, struct tgmock_submit)
#define WORDS	4096
#define STACK	32768	/* the kernel's part of a thread is as large */

static int n;		/* files of a process */
static int *fd;
static char path[32];
static int start[2];	/* a pipe whose end is the signal to begin */
static uint32_t nops[WORDS];

__attribute__((noreturn))
static void die(const char *what)
{
	fprintf(stderr, "files: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- the drivers: what each refuses, and what it takes. Both return errno. --- */

static int call(int file, unsigned long request, void *args)
{
	return ioctl(file, request, args) ? errno : 0;
}

static int virtio_bad(int file)
{
	struct drm_virtgpu_execbuffer args = { .flags = 8, .size = 4, .command = (uintptr_t)nops };

	return call(file, DRM_IOCTL_VIRTGPU_EXECBUFFER, &args);
}

static int virtio_good(int file)
{
	struct drm_virtgpu_execbuffer args = {
		.flags = VIRTGPU_EXECBUF_FENCE_FD_OUT, .size = sizeof(nops), .command = (uintptr_t)nops,
	};
	int ret = call(file, DRM_IOCTL_VIRTGPU_EXECBUFFER, &args);

	if (!ret) {
		struct pollfd p = { .fd = args.fence_fd, .events = POLLIN };

		poll(&p, 1, -1);
		close(p.fd);
	}
	return ret;
}

static int mock_bad(int file)
{
	struct tgmock_submit args = { .ns = 1000, .out = 0x7fffffff };

	return call(file, SUBMIT, &args);
}

static int mock_good(int file)
{
	static __thread struct drm_syncobj_create out;
	struct tgmock_submit args = { .ns = 2000000 };
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&out.handle, .count_handles = 1, .timeout_nsec = INT64_MAX,
	};
	int ret = out.handle ? 0 : call(file, DRM_IOCTL_SYNCOBJ_CREATE, &out);

	args.out = out.handle;
	ret = ret ?: call(file, SUBMIT, &args);
	return ret ?: call(file, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

static const struct driver {
	const char *name;
	int (*bad)(int file), (*good)(int file);
	int refused;
} drivers[] = {
	{ "virtio_gpu", virtio_bad, virtio_good, EINVAL },
	{ "tgmock", mock_bad, mock_good, ENOENT },
}, *driver;

static void find_node(const char *name)
{
	for (unsigned int i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(name, drivers[i].name))
			driver = &drivers[i];
	for (int i = 128; driver && i < 136; i++) {
		char is[32] = "";
		struct drm_version v = { .name = is, .name_len = sizeof(is) - 1 };
		int file;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		file = open(path, O_RDWR | O_CLOEXEC);
		if (file >= 0 && !ioctl(file, DRM_IOCTL_VERSION, &v) && !strcmp(is, name)) {
			close(file);
			return;
		}
		close(file);
	}
	errno = ENODEV;
	die(name);
}

/* --- the processes --- */

static void on_nothing(__attribute__((unused)) int nr)
{
}

static void await_start(void)
{
	char byte;

	while (read(start[0], &byte, 1) < 0 && errno == EINTR)
		;
}

/* A system call that the signal interrupts is made again. */
static void *submit(void *arg)
{
	const intptr_t nr = (intptr_t)arg;
	int ret = 0;

	await_start();
	for (int i = nr; !ret || ret == EINTR || ret == driver->refused; i++)
		ret = nr < 8 && nr % 2 ? driver->good(fd[nr % n]) : driver->bad(fd[i % n]);
	errno = ret;
	die("a submission");
}

static void process(int nr, int threads, int there)
{
	struct sigaction act = { .sa_handler = on_nothing, .sa_flags = SA_RESTART };
	pthread_t *thread = calloc(threads, sizeof(*thread));
	uint8_t *stacks = mmap(NULL, (size_t)threads * STACK, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char name[16];
	pthread_attr_t attr;
	int i;

	snprintf(name, sizeof(name), "c%d", nr % 10);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &act, NULL);
	close(start[1]);
	fd = calloc(n, sizeof(*fd));
	if (!fd || !thread || stacks == MAP_FAILED)
		die("no memory");
	for (i = 0; i < n; i++) {
		fd[i] = open(path, O_RDWR | O_CLOEXEC);
		if (fd[i] < 0)
			die(path);
		errno = driver->bad(fd[i]);
		if (errno != driver->refused)
			die("another answer");
	}
	pthread_attr_init(&attr);
	for (i = 0; i < threads; i++) {
		pthread_attr_setstack(&attr, stacks + (size_t)i * STACK, STACK);
		if (pthread_create(&thread[i], &attr, submit, (void *)(intptr_t)i))
			die("no thread");
	}
	if (write(there, "", 1) != 1)
		die("nobody listens");
	await_start();
	for (;;) {
		sleep(2);
		for (i = 0; i < threads; i++)
			pthread_kill(thread[i], SIGUSR1);
	}
}

int main(int argc, char **argv)
{
	const int processes = argc == 5 ? atoi(argv[2]) : 0, threads = argc == 5 ? atoi(argv[4]) : 0;
	struct rlimit most;
	int there[2], i;
	char byte;

	n = argc == 5 ? atoi(argv[3]) : 0;
	if (processes < 1 || n < 8 || threads < 1) {
		fputs("usage: files DRIVER P N T\n", stderr);
		return 2;
	}
	find_node(argv[1]);
	most = (struct rlimit){ n + 64, n + 64 };
	if (setrlimit(RLIMIT_NOFILE, &most) || pipe(start))
		die("limits");
	for (i = 0; i < processes; i++) {
		if (pipe(there))
			die("pipe");
		if (!fork())
			process(i, threads, there[1]);
		close(there[1]);
		if (read(there[0], &byte, 1) != 1)
			break;
		close(there[0]);
	}
	close(start[1]);
	printf("%d are there\n", i);
	fflush(stdout);
	for (;;)
		pause();
}
