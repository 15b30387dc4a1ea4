// SPDX-License-Identifier: GPL-2.0
/*
 * mock - a client of tgmock, the test card of drm_sched (tests/vm/mock). It calls the ioctls itself.
 *
 * mock [-a NAME] [-d NODE] [-r RING] load NAME US DEPTH SECONDS
 *	jobs of US microseconds, DEPTH of them in flight, for so long, under the name NAME. Then one
 *	line: `NAME jobs N failed N answer NAME`: failed: calls that were refused; answer: of the last call that was refused, or 0. A device that has gone ends it.
 *	The file stays open for LINGER s more, with nothing in flight
 * mock [-d NODE] bad
 *	calls that the driver refuses, and good ones beside them, and what each answers: a line each
 * mock [-d NODE] leave N US
 *	N jobs, and away: the file is closed with all of them in flight
 * mock [-d NODE] keep US
 *	a job's fence as a file; the card's file is closed when the job has ended: `kept`. Then it sleeps
 * mock [-d NODE] behind US
 *	a job that waits for another ring's job of US: `waits MS` in the ioctl, and its own end
 * mock [-d NODE] logins N UID
 *	N processes, one after the other, each the next user from UID on, in a cgroup login-UID of
 *	root's that goes with it: a job of 100 us, and its end
 * mock -a NAME beside
 *	what this driver's clients make that bypasses the scheduler; and the answer
 * mock -a amdgpu flip SECONDS
 *	jobs whose ring, fences and chunks another thread changes all the time: `flip calls N`
 * mock -a xe none N
 *	N calls that make no job, and the end of what the last one was to signal
 * -a NAME: the card is under this driver's name: amdgpu, xe, panfrost, lima, v3d or etnaviv
 * -r RING: 0 to 3, 0 unless told; as xe also 4 to 15: of ring RING % 4, by a queue that was not made; as v3d: 0: a frame, 1:
 *	a texture, 2: a compute shader, 3: one whose size the CPU computes
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>

#include "../mock/tg_mock.h"

#define SUBMIT		DRM_IOW(DRM_COMMAND_BASE + TGMOCK_SUBMIT, struct tgmock_submit)
#define DEPTH_MAX	1024
#define LINGER		4

static const char *node = "/dev/dri/renderD128";
static const char *as = "tgmock";
static uint32_t ring;

__attribute__((noreturn))
static void die(const char *what)
{
	fprintf(stderr, "mock: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* As libdrm: again where a signal came first. Return: 0 or an errno. */
static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret && (errno == EINTR || errno == EAGAIN));
	return ret ? errno : 0;
}

#include "mock_as.h"

static const typeof(names[0]) *name;	/* NULL: the card's own */

static int open_node(void)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(node);
	if (!strcmp(as, "xe"))
		make_queue_xe(fd, ring);
	return fd;
}

static int submit(int fd, struct tgmock_submit *req)
{
	return name ? name->submit(fd, req) : call(fd, SUBMIT, req);
}

static const char *name_of(int error)
{
	return error ? strerrorname_np(error) ?: "?" : "0";
}

static uint32_t syncobj(int fd)
{
	struct drm_syncobj_create req = { };

	if (call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &req))
		die("SYNCOBJ_CREATE");
	return req.handle;
}

/* The kernel answers 0 also for a fence that has signalled with an error. */
static int wait_for(int fd, uint32_t handle)
{
	struct drm_syncobj_wait req = {
		.handles = (uintptr_t)&handle, .count_handles = 1,
		.timeout_nsec = now_ns() + 60000000000ll,
	};

	return call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &req);
}

static int load(char **arg)
{
	const uint64_t ns = strtoull(arg[1], NULL, 10) * 1000;
	const unsigned int depth = strtoul(arg[2], NULL, 10);
	int64_t end = now_ns() + strtod(arg[3], NULL) * 1e9;
	static uint32_t handle[DEPTH_MAX];
	static bool queued[DEPTH_MAX];
	unsigned long n, done = 0, failed = 0;
	int fd, error, last = 0;

	if (!depth || depth > DEPTH_MAX) {
		fprintf(stderr, "mock: a depth of 1 to %d\n", DEPTH_MAX);
		return 2;
	}
	prctl(PR_SET_NAME, arg[0]);	/* a queue of xe's makes it a client */
	fd = open_node();
	for (n = 0; n < depth; n++)
		handle[n] = syncobj(fd);
	for (n = 0; now_ns() < end && last != ENODEV; n++) {
		struct tgmock_submit req = { .ring = ring, .ns = ns, .out = handle[n % depth] };

		if (queued[n % depth] && !wait_for(fd, req.out))
			done++;
		error = submit(fd, &req);
		queued[n % depth] = !error;
		if (error) {
			last = error;
			failed++;
		}
	}
	for (n = 0; last != ENODEV && n < depth; n++)
		if (queued[n] && !wait_for(fd, handle[n]))
			done++;
	printf("%s jobs %lu failed %lu answer %s\n", arg[0], done, failed, name_of(last));
	fflush(stdout);
	if (last != ENODEV)
		sleep(LINGER);
	return 0;
}

static void say(const char *what, int error)
{
	printf("%s %s\n", what, name_of(error));
}

/* The same for another driver's layout, between two good calls. */
static int bad_as(void)
{
	int fd = open_node();
	const uint32_t out = syncobj(fd), unknown = 0x7fffffff;
	struct tgmock_submit req = { .ns = 1000, .out = out };
	struct tgmock_submit in = { .ns = 1000, .ins = 1, .in = (uintptr_t)&unknown };

	say("good", submit(fd, &req));
	name->bad(fd, out);
	say("in unknown", submit(fd, &in));
	in.in = (uintptr_t)&out;
	say("in its own", submit(fd, &in));
	say("NULL", call(fd, name->ioctl, NULL));
	say("good again", submit(fd, &req));
	say("its end", wait_for(fd, out));
	return 0;
}

static int beside(void)
{
	struct xe_vm vm = { .flags = 2 };
	struct userq userq = { .op = 1 };
	int fd = open_node();

	say("beside", strcmp(as, "xe") ? call(fd, USERQ, &userq) : call(fd, XE_VM_CREATE, &vm));
	return 0;
}

static int none(char **arg)
{
	int fd = open_node();
	const uint32_t out = syncobj(fd);

	say("none", none_xe(fd, out, strtoul(arg[0], NULL, 10)));
	say("its end", wait_for(fd, out));
	return 0;
}

static volatile bool flipping = true;

/* What the module may see is not what the driver sees. */
static void *flip_on(void *arg)
{
	volatile struct cs *cs = arg;
	unsigned int n;

	for (n = 0; flipping; n++) {
		cs->ib.ip_type = n & 1;
		cs->ib.ring = n >> 1 & 3;
		cs->chunk[1].chunk_id = n & 4 ? AMDGPU_CHUNK_ID_SYNCOBJ_IN : AMDGPU_CHUNK_ID_SYNCOBJ_OUT;
		cs->chunk[1].length_dw = n & 8 ? 1 : ~0u;
		cs->chunks[1] = n & 16 ? (uintptr_t)&cs->chunk[1] : n;
	}
	return NULL;
}

static int flip(char **arg)
{
	int fd = open_node();
	const int64_t end = now_ns() + strtod(arg[0], NULL) * 1e9;
	const struct tgmock_submit req = { .ns = 5000000, .out = syncobj(fd) };
	unsigned long calls = 0, taken = 0;
	struct cs cs;
	pthread_t t;

	cs_make(&cs, &req);
	if (pthread_create(&t, NULL, flip_on, &cs))
		die("pthread_create");
	for (; now_ns() < end; calls++) {
		cs.args.in.ctx_id = 1 + calls % 16;
		cs.args.in.num_chunks = 2;
		cs.args.in.chunks = (uintptr_t)cs.chunks;
		taken += !call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args);
	}
	flipping = false;
	pthread_join(t, NULL);
	printf("flip calls %lu jobs %lu\n", calls, taken);
	fflush(stdout);
	sleep(LINGER);
	return 0;
}

/* Calls that do not take: the last one of each line differs from a good one in one field. */
static int bad(void)
{
	int fd = open_node();
	const uint32_t out = syncobj(fd), empty = syncobj(fd), unknown = 0x7fffffff;
	const struct tgmock_submit good = { .ns = 1000, .out = out };
	static const struct {
		const char *what;
		struct tgmock_submit req;
	} calls[] = {
		{ "ring 4", { .ring = 4 } },
		{ "ring 8", { .ring = 8 } },
		{ "ring -1", { .ring = ~0u } },
		{ "flags", { .flags = 1 } },
		{ "ns 2^62", { .ns = 1ull << 62 } },
		{ "ns -1", { .ns = ~0ull } },
		{ "ins at NULL", { .ins = 1 } },
		{ "ins in the kernel", { .ins = 1, .in = 0xffff888000000000ull } },
		{ "ins -1", { .ins = ~0u, .in = 1 } },
		{ "no ins, in -1", { .in = ~0ull } },
		{ "out unknown", { .out = 0x7fffffff } },
		{ "ins at NULL, out unknown", { .ins = 1, .out = 0x7fffffff } },
		{ "ins at NULL, flags", { .ins = 1, .flags = 1 } },
		{ "ins at NULL, ns -1", { .ins = 1, .ns = ~0ull } },
	};
	struct tgmock_submit req = good;
	uint32_t in[TGMOCK_INS];
	unsigned int i;

	say("good", call(fd, SUBMIT, &req));
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		req = calls[i].req;
		req.ns = req.ns ?: 1000;
		say(calls[i].what, call(fd, SUBMIT, &req));
	}
	req = good;
	req.ins = 1;
	req.in = (uintptr_t)&unknown;
	say("in unknown", call(fd, SUBMIT, &req));
	req.in = (uintptr_t)&empty;
	say("in without fence", call(fd, SUBMIT, &req));
	for (i = 0; i < TGMOCK_INS; i++)
		in[i] = out;
	req.ins = TGMOCK_INS;
	req.in = (uintptr_t)in;
	say("in its own", call(fd, SUBMIT, &req));
	in[TGMOCK_INS - 1] = unknown;
	say("last in unknown", call(fd, SUBMIT, &req));
	req = good;
	say("NULL", call(fd, SUBMIT, NULL));
	say("good again", call(fd, SUBMIT, &req));
	say("its end", wait_for(fd, out));
	return 0;
}

static int leave(char **arg)
{
	const unsigned int n = strtoul(arg[0], NULL, 10);
	struct tgmock_submit req = { .ring = ring, .ns = strtoull(arg[1], NULL, 10) * 1000 };
	int fd = open_node();
	unsigned int i;

	for (i = 0; i < n; i++)
		say("leave", submit(fd, &req));
	return 0;
}

static int keep(char **arg)
{
	int fd = open_node();
	struct tgmock_submit req = { .ns = strtoull(arg[0], NULL, 10) * 1000, .out = syncobj(fd) };
	struct drm_syncobj_handle file = {
		.handle = req.out, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1,
	};

	if (submit(fd, &req) || call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file) || wait_for(fd, req.out))
		die("keep");
	close(fd);
	say("kept", 0);
	fflush(stdout);
	pause();
	return 0;
}

static int behind(char **arg)
{
	int fd = open_node();
	uint32_t first = syncobj(fd), second = syncobj(fd);
	struct tgmock_submit a = { .ns = strtoull(arg[0], NULL, 10) * 1000, .out = first };
	struct tgmock_submit b = {
		.ring = 1, .ns = 1000, .ins = 1, .in = (uintptr_t)&first, .out = second,
	};
	int64_t from = now_ns();
	int error;

	error = submit(fd, &a) ?: submit(fd, &b);
	printf("waits %lld\n", (long long)(now_ns() - from) / 1000000);
	say("behind", error ?: wait_for(fd, second));
	return 0;
}

/* In a cgroup of that path, which is made for it; as that user. */
static void log_in(const char *cgroup, unsigned int uid)
{
	char path[128];
	FILE *procs;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	if (mkdir(cgroup, 0755))
		die(cgroup);
	procs = fopen(path, "w");
	if (!procs || fputs("0", procs) < 0 || fclose(procs))
		die(path);
	if (setuid(uid))
		die("setuid");
}

static int one_job(void)
{
	int fd = open_node();
	struct tgmock_submit req = { .ring = ring, .ns = 100000, .out = syncobj(fd) };

	return submit(fd, &req) || wait_for(fd, req.out);
}

static int logins(char **arg)
{
	unsigned int uid = strtoul(arg[1], NULL, 10), end = uid + strtoul(arg[0], NULL, 10);
	char cgroup[64];
	int status;
	pid_t pid;

	for (; uid < end; uid++) {
		snprintf(cgroup, sizeof(cgroup), "/sys/fs/cgroup/login-%u", uid);
		pid = fork();
		if (!pid) {
			log_in(cgroup, uid);
			_exit(one_job());
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			die("fork");
		if (status) {
			fprintf(stderr, "mock: user %u: status %d\n", uid, status);
			return 1;
		}
		if (rmdir(cgroup))
			die(cgroup);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int n;
	int o;

	while ((o = getopt(argc, argv, "+a:d:r:")) != -1) {
		if (o == 'a')
			as = optarg;
		else if (o == 'd')
			node = optarg;
		else if (o == 'r')
			ring = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	argc -= optind;
	argv += optind;
	for (n = 0; n < NAMES; n++)
		if (!strcmp(as, names[n].name))
			name = &names[n];
	if (argc == 5 && !strcmp(argv[0], "load"))
		return load(argv + 1);
	if (argc == 1 && !strcmp(argv[0], "bad"))
		return name ? bad_as() : bad();
	if (argc == 1 && !strcmp(argv[0], "beside"))
		return beside();
	if (argc == 2 && !strcmp(argv[0], "flip"))
		return flip(argv + 1);
	if (argc == 2 && !strcmp(argv[0], "none"))
		return none(argv + 1);
	if (argc == 2 && !strcmp(argv[0], "keep"))
		return keep(argv + 1);
	if (argc == 3 && !strcmp(argv[0], "leave"))
		return leave(argv + 1);
	if (argc == 3 && !strcmp(argv[0], "logins"))
		return logins(argv + 1);
	if (argc == 2 && !strcmp(argv[0], "behind"))
		return behind(argv + 1);
	fputs("usage: mock [-a NAME] [-d NODE] [-r RING] load NAME US DEPTH SECONDS | bad | leave N US | keep US | logins N UID | behind US | beside | none N | flip SECONDS\n", stderr);
	return 2;
}
