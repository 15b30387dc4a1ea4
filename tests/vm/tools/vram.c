// SPDX-License-Identifier: GPL-2.0
/*
 * vram - programs that ask nouveau for VRAM, for the VM case `memory`.
 *
 *	vram hold MIB		ask for so much, in pieces of 4 MiB; say `held`; wait for a signal
 *	vram use MIB PIECES MS	ask for it in that many pieces, stamp every fourth page, say `stamped`, wait (0:
 *				for SIGUSR1), look whether all is there; exit status 2: refused, 1: else
 *	vram dumb MIB		as hold, a dumb buffer, through the card's primary node
 *	vram books N SEED	N random steps of processes that ask, free, fork, share by dma-buf and
 *				are killed; after each, the module's books are held against the sizes
 *				that nouveau told, and against what it has given out of its VRAM
 *	vram cost N		N objects, one after the other: median ns of GEM_NEW
 *
 * `hold`, `use` and `cost` have a channel, and so are clients. All numbers are decimal.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>
#include <nouveau_drm.h>

#include "uapi.h"

#define MIB	(1ull << 20)
#define PAGE	4096

#define CHANNEL_ALLOC	DRM_IOWR(DRM_COMMAND_BASE + 0x02, struct channel_alloc)
#define GEM_NEW		DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW, struct drm_nouveau_gem_new)

__attribute__((noreturn))
static void die(const char *what)
{
	fprintf(stderr, "vram: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret && (errno == EINTR || errno == EAGAIN));
	return ret;
}

static int open_card(const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(node);
	return fd;
}

static void open_channel(int fd)
{
	struct channel_alloc req = { .fb = 0xbeef0201, .tt = 0xbeef0202 };

	if (call(fd, CHANNEL_ALLOC, &req))
		die("no channel");
}

static int gem_new(int fd, uint64_t bytes, struct drm_nouveau_gem_new *req)
{
	memset(req, 0, sizeof(*req));
	req->info.size = bytes;
	req->info.domain = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_MAPPABLE;
	req->info.tile_flags = NOUVEAU_GEM_TILE_NONCONTIG;
	return call(fd, GEM_NEW, req);
}

static void gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close req = { .handle = handle };

	if (call(fd, DRM_IOCTL_GEM_CLOSE, &req))
		die("GEM_CLOSE");
}

static void wait_for_signal(void)
{
	printf("held\n");
	fflush(stdout);
	for (;;)
		pause();
}

static int hold(uint64_t mib)
{
	int fd = open_card("/dev/dri/renderD128");
	struct drm_nouveau_gem_new req;
	uint64_t left;

	open_channel(fd);
	for (left = mib; left; left -= left < 4 ? left : 4)
		if (gem_new(fd, (left < 4 ? left : 4) * MIB, &req))
			die("GEM_NEW");
	wait_for_signal();
	return 0;
}

static int dumb(uint64_t mib)
{
	struct drm_mode_create_dumb req = { .width = 1024, .bpp = 32, .height = mib * 256 };
	int fd = open_card("/dev/dri/card0");

	if (call(fd, DRM_IOCTL_MODE_CREATE_DUMB, &req))
		die("CREATE_DUMB");
	wait_for_signal();
	return 0;
}

static int use(uint64_t mib, unsigned int pieces, unsigned int ms)
{
	const uint64_t bytes = mib * MIB / pieces;
	struct drm_nouveau_gem_new req;
	volatile uint32_t **at;
	unsigned int piece;
	uint64_t page;
	sigset_t usr1;
	int fd, i, ret = 0;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);

	fd = open_card("/dev/dri/renderD128");
	open_channel(fd);
	at = calloc(pieces, sizeof(*at));
	if (!at)
		die("calloc");
	for (piece = 0; piece < pieces; piece++) {
		if (gem_new(fd, bytes, &req)) {
			if (errno != ENOMEM)
				die("GEM_NEW");
			fprintf(stderr, "vram: piece %u is refused\n", piece);
			return 2;
		}
		at[piece] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     req.info.map_handle);
		if (at[piece] == MAP_FAILED)
			die("mmap");
	}
	for (piece = 0; piece < pieces; piece++)
		for (page = 0; page < bytes; page += 4 * PAGE)
			at[piece][page / 4] = getpid() ^ (piece << 24) ^ page;
	printf("stamped\n");
	fflush(stdout);
	if (ms)
		usleep(ms * 1000);
	else
		sigwait(&usr1, &i);
	for (piece = 0; piece < pieces; piece++)
		for (page = 0; page < bytes; page += 4 * PAGE)
			ret |= at[piece][page / 4] != (uint32_t)(getpid() ^ (piece << 24) ^ page);
	if (ret)
		fprintf(stderr, "vram: contents are wrong\n");
	return ret;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int cost(unsigned int n)
{
	int fd = open_card("/dev/dri/renderD128");
	struct drm_nouveau_gem_new req;
	uint64_t *ns = calloc(n, sizeof(*ns));
	struct timespec a, b;
	unsigned int i;

	if (!n || !ns)
		die("calloc");
	open_channel(fd);
	for (i = 0; i < n; i++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		if (gem_new(fd, 64 << 10, &req))
			die("GEM_NEW");
		clock_gettime(CLOCK_MONOTONIC, &b);
		gem_close(fd, req.info.handle);
		ns[i] = (b.tv_sec - a.tv_sec) * 1000000000ull + b.tv_nsec - a.tv_nsec;
	}
	qsort(ns, n, sizeof(*ns), compare);
	printf("%llu\n", (unsigned long long)ns[n / 2]);
	return 0;
}

/* --- books: this process commands others, and knows what each of them has --- */

#define FILES	5	/* handles on the card, each with a process, and perhaps a second one */
#define OBJECTS	24
#define LIMIT	(40 * MIB)	/* all together: nothing is ever moved out */

struct order {
	char what;	/* New, Close, Export, Import, Fork */
	uint32_t handle;
	uint64_t bytes;
};

struct answer {
	int error;
	uint32_t handle;
	uint64_t bytes;
	pid_t pid;
};

struct file {
	pid_t process, second;	/* 0: none */
	int to;			/* its socket */
};

struct object {
	uint64_t bytes;		/* 0: unused */
	uint32_t handle[FILES];	/* as each file calls it, 0: not at all */
	int dmabuf;		/* ours, or -1 */
};

static struct file files[FILES];
static struct object objects[OBJECTS];
static uint64_t rng, step;

static uint32_t below(uint32_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (rng >> 33) % n;
}

static void send_fd(int to, const void *data, size_t len, int fd)
{
	struct iovec io = { (void *)data, len };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1 };

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	if (sendmsg(to, &msg, MSG_NOSIGNAL) != (ssize_t)len)
		die("sendmsg");
}

/* Return: the descriptor that came along, or -1; -2: the other process has gone. */
static int receive_fd(int from, void *data, size_t len)
{
	struct iovec io = { data, len };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(from, &msg, 0) != (ssize_t)len)
		return -2;
	if (CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* A process that has a file, and does what it is told. */
__attribute__((noreturn))
static void serve(int from)
{
	int fd = open_card("/dev/dri/renderD128"), came, goes;
	struct drm_prime_handle prime;
	struct drm_nouveau_gem_new new;
	struct answer answer;
	struct order order;

	signal(SIGCHLD, SIG_IGN);	/* the second process is not waited for */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		came = receive_fd(from, &order, sizeof(order));
		if (came == -2)
			exit(0);
		memset(&answer, 0, sizeof(answer));
		memset(&prime, 0, sizeof(prime));
		goes = -1;
		switch (order.what) {
		case 'N':
			answer.error = gem_new(fd, order.bytes, &new) ? errno : 0;
			answer.handle = new.info.handle;
			answer.bytes = new.info.size;
			break;
		case 'C':
			gem_close(fd, order.handle);
			break;
		case 'E':
			prime.handle = order.handle;
			prime.flags = DRM_CLOEXEC;
			answer.error = call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) ? errno : 0;
			goes = prime.fd;
			break;
		case 'I':
			prime.fd = came;
			answer.error = call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime) ? errno : 0;
			answer.handle = prime.handle;
			break;
		default:
			answer.pid = fork();
			if (!answer.pid) {
				close(from);
				for (;;)
					pause();
			}
		}
		send_fd(from, &answer, sizeof(answer), answer.error ? -1 : goes);
		if (came >= 0)
			close(came);
		if (goes >= 0)
			close(goes);
	}
}

static int tell(struct file *file, const struct order *order, int fd, struct answer *answer)
{
	int came;

	send_fd(file->to, order, sizeof(*order), fd);
	came = receive_fd(file->to, answer, sizeof(*answer));
	if (came == -2)
		die("a process has gone");
	if (answer->error) {
		errno = answer->error;
		fprintf(stderr, "vram: step %llu, order %c: ", (unsigned long long)step, order->what);
		die("refused");
	}
	return came;
}

static void start(struct file *file)
{
	int pair[2], i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		die("socketpair");
	file->process = fork();
	if (file->process < 0)
		die("fork");
	if (!file->process) {
		for (i = 0; i < FILES; i++)
			if (files[i].to && files[i].to != pair[1])
				close(files[i].to);
		for (i = 0; i < OBJECTS; i++)
			if (objects[i].dmabuf >= 0)
				close(objects[i].dmabuf);
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	file->to = pair[0];
}

/* The second process is our child only when the first one has gone. */
static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (!kill(pid, 0)) {
		waitpid(pid, NULL, WNOHANG);
		usleep(500);
	}
}

static void review(struct object *object)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (object->handle[i])
			return;
	if (object->dmabuf < 0)
		object->bytes = 0;
}

/* One of the file's two processes, if it has two, or its only one: then its handles go. */
static void kill_one(struct file *file)
{
	int i, f = file - files;

	if (file->second && (!file->process || below(2))) {
		end(file->second);
		file->second = 0;
	} else if (file->process) {
		end(file->process);
		close(file->to);
		file->to = 0;
		file->process = 0;
	}
	if (file->process || file->second)
		return;
	for (i = 0; i < OBJECTS; i++)
		if (objects[i].bytes) {
			objects[i].handle[f] = 0;
			review(&objects[i]);
		}
}

static uint64_t alive(void)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < OBJECTS; i++)
		sum += objects[i].bytes;
	return sum;
}

static uint64_t stat_of(const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/timegraph/stats/gpu0_vram_%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	return strtoull(text, NULL, 10);
}

/* The last steps of an end may come a little after it is known. */
static void hold_against(uint64_t held, uint64_t resident)
{
	const uint64_t want = alive();
	uint64_t h = 0, r = 0;
	int tries;

	for (tries = 0; tries < 2000; tries++) {
		h = stat_of("held") - held;
		r = stat_of("resident") - resident;
		if (h == want && r == want)
			return;
		usleep(1000);
	}
	printf("step %llu: %llu bytes are alive, the module's books say %llu, the driver's %llu\n",
	       (unsigned long long)step, (unsigned long long)want, (unsigned long long)h,
	       (unsigned long long)r);
	exit(1);
}

static struct file *some_process(void)
{
	struct file *file = &files[below(FILES)];

	if (!file->process && !file->second)
		start(file);
	return file->process ? file : NULL;
}

static void random_step(uint64_t *counts)
{
	struct object *object = &objects[below(OBJECTS)];
	struct file *file = some_process();
	const int f = file ? file - files : 0;
	struct order order = { };
	struct answer answer;
	uint32_t what = below(16);

	if (what == 0) {
		kill_one(&files[below(FILES)]);
		counts[0]++;
	} else if (!file) {
		return;
	} else if (what <= 6 && !object->bytes) {
		order.what = 'N';
		order.bytes = 1 + below(below(4) ? 1 << 18 : 3 << 20);
		if (alive() + order.bytes > LIMIT)
			return;
		tell(file, &order, -1, &answer);
		object->handle[f] = answer.handle;
		object->bytes = answer.bytes;
		object->dmabuf = -1;
		counts[1]++;
	} else if (what <= 10 && object->bytes && object->handle[f]) {
		order.what = 'C';
		order.handle = object->handle[f];
		tell(file, &order, -1, &answer);
		object->handle[f] = 0;
		review(object);
		counts[2]++;
	} else if (what <= 12 && object->bytes && object->handle[f] && object->dmabuf < 0) {
		order.what = 'E';
		order.handle = object->handle[f];
		object->dmabuf = tell(file, &order, -1, &answer);
		counts[3]++;
	} else if (what <= 13 && object->bytes && object->dmabuf >= 0) {
		close(object->dmabuf);
		object->dmabuf = -1;
		review(object);
		counts[4]++;
	} else if (what <= 14 && object->bytes && object->dmabuf >= 0 && !object->handle[f]) {
		order.what = 'I';
		tell(file, &order, object->dmabuf, &answer);
		object->handle[f] = answer.handle;
		counts[5]++;
	} else if (what == 15 && !file->second) {
		order.what = 'F';
		tell(file, &order, -1, &answer);
		file->second = answer.pid;
		counts[6]++;
	}
}

static int books(uint64_t steps, uint64_t seed)
{
	/* One object before, so that the module knows the GPU's memory, and the driver has its own. */
	int fd = open_card("/dev/dri/renderD128"), i;
	uint64_t held, resident, counts[7] = { };
	struct drm_nouveau_gem_new req;

	rng = seed;
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (gem_new(fd, MIB, &req))
		die("GEM_NEW");
	for (i = 0; i < OBJECTS; i++)
		objects[i].dmabuf = -1;
	held = stat_of("held");
	resident = stat_of("resident");
	for (step = 0; step < steps; step++) {
		random_step(counts);
		hold_against(held, resident);
	}
	for (i = 0; i < FILES; i++)
		while (files[i].process || files[i].second)
			kill_one(&files[i]);
	for (i = 0; i < OBJECTS; i++)
		if (objects[i].dmabuf >= 0) {
			close(objects[i].dmabuf);
			objects[i].dmabuf = -1;
			review(&objects[i]);
		}
	hold_against(held, resident);
	if (alive()) {
		printf("the test itself has lost count\n");
		return 1;
	}
	printf("%llu steps: %llu killed, %llu new, %llu closed, %llu exported, %llu dma-bufs closed, "
	       "%llu imported, %llu forked\n", (unsigned long long)steps,
	       (unsigned long long)counts[0], (unsigned long long)counts[1],
	       (unsigned long long)counts[2], (unsigned long long)counts[3],
	       (unsigned long long)counts[4], (unsigned long long)counts[5],
	       (unsigned long long)counts[6]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	uint64_t n[3] = { };
	int i;

	for (i = 2; i < argc && i < 5; i++)
		n[i - 2] = strtoull(argv[i], NULL, 10);
	if (!strcmp(what, "hold"))
		return hold(n[0]);
	if (!strcmp(what, "dumb"))
		return dumb(n[0]);
	if (!strcmp(what, "use") && n[1])
		return use(n[0], n[1], n[2]);
	if (!strcmp(what, "cost"))
		return cost(n[0]);
	if (!strcmp(what, "books"))
		return books(n[0], n[1]);
	fprintf(stderr, "usage: vram hold MIB | use MIB PIECES MS | dumb MIB | books N SEED | cost N\n");
	return 1;
}
