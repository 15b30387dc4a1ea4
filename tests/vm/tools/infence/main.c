// SPDX-License-Identifier: GPL-2.0
/*
 * infence - EXECs that wait for other drivers' fences, for the VM cases.
 *
 * The other driver is vgem, whose fences signal when this program says so, or after ten seconds.
 * Groups do nothing. Each command judges itself: exit status 0 when it found what must be, else 1
 * after one line that says what; `errnos` prints what must be the same with and without
 * timegraph.ko, `hold` what it did.
 *
 * The structures of EXEC and of vgem are the kernel's (include/uapi/drm/nouveau_drm.h, vgem_drm.h),
 * of which this machine may have older headers, or none.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/dma-buf.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <xf86drm.h>
#include <nouveau_drm.h>

#define MS		1000000ll	/* ns */
#define PAGE		4096u
#define COMMANDS_VA	0x10000000ull
#define KERNEL_VA	(1ull << 39)
#define KERNEL_BYTES	(1ull << 38)
#define THREADS_MAX	8
#define TIMELINE	1		/* of a sync's flags */

struct vm_init {
	uint64_t kernel_managed_addr, kernel_managed_size;
};

struct vm_bind_op {
	uint32_t op, flags, handle, pad;
	uint64_t addr, bo_offset, range;
};

struct vm_bind {
	uint32_t op_count, flags, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, op_ptr;
};

struct sync {
	uint32_t flags, handle;
	uint64_t point;
};

struct exec_push {
	uint64_t va;
	uint32_t va_len, flags;
};

struct exec {
	uint32_t channel, push_count, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, push_ptr;
};

#define VM_INIT	DRM_IOWR(DRM_COMMAND_BASE + 0x10, struct vm_init)
#define VM_BIND	DRM_IOWR(DRM_COMMAND_BASE + 0x11, struct vm_bind)
#define EXEC	DRM_IOWR(DRM_COMMAND_BASE + 0x12, struct exec)

struct vgem_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_signal {
	uint32_t fence, flags;
};

#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 0x1, struct vgem_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 0x2, struct vgem_signal)
#define VGEM_WRITE	1		/* of the former's flags */

/**
 * struct foreign - a fence of vgem's
 * @bo: the buffer that it is at
 * @id: vgem's number
 */
struct foreign {
	uint32_t bo, id;
};

static int nouveau, vgem;
static volatile sig_atomic_t over;	/* SIGTERM has come: `hold` and `swap` end, as if time were up */

__attribute__((noreturn, format(printf, 1, 2)))
static void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "infence: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void sleep_ms(long long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void must(const char *what, int ret)
{
	if (ret)
		fail("%s: %s", what, strerror(-ret));
}

static int talk(int fd, unsigned long request, void *args)
{
	return drmIoctl(fd, request, args) ? -errno : 0;
}

static int open_driver(const char *format, int first, const char *name)
{
	char path[32];
	int i, fd;

	for (i = first; i < first + 8; i++) {
		drmVersionPtr version;
		bool found;

		snprintf(path, sizeof(path), format, i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		found = version && !strcmp(version->name, name);
		drmFreeVersion(version);
		if (found)
			return fd;
		close(fd);
	}
	fail("no device of %s", name);
}

/* --- vgem's fences --- */

static struct foreign foreign_new(void)
{
	struct drm_mode_create_dumb buffer = { .width = 32, .height = 32, .bpp = 32 };
	struct vgem_attach attach = { .flags = VGEM_WRITE };

	must("vgem: CREATE_DUMB", talk(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &buffer));
	attach.handle = buffer.handle;
	must("vgem: FENCE_ATTACH", talk(vgem, VGEM_ATTACH, &attach));
	return (struct foreign){ .bo = buffer.handle, .id = attach.out_fence };
}

/* -ETIMEDOUT: it has signalled by itself. */
static void foreign_signal(const struct foreign *f)
{
	struct vgem_signal args = { .fence = f->id };
	struct drm_mode_destroy_dumb destroy = { .handle = f->bo };
	int ret = talk(vgem, VGEM_SIGNAL, &args);

	if (ret != -ETIMEDOUT)
		must("vgem: FENCE_SIGNAL", ret);
	must("vgem: DESTROY_DUMB", talk(vgem, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy));
}

/* A file that stands for the fence. */
static int foreign_file(const struct foreign *f)
{
	struct dma_buf_export_sync_file args = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int buffer, ret = drmPrimeHandleToFD(vgem, f->bo, O_RDWR | O_CLOEXEC, &buffer);

	if (ret)
		fail("vgem: PRIME_HANDLE_TO_FD: %s", strerror(errno));
	must("EXPORT_SYNC_FILE", talk(buffer, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args));
	close(buffer);
	return args.fd;
}

static uint32_t syncobj_new(void)
{
	uint32_t handle;

	if (drmSyncobjCreate(nouveau, 0, &handle))
		fail("SYNCOBJ_CREATE: %s", strerror(errno));
	return handle;
}

static void syncobj_set(uint32_t handle, const struct foreign *f)
{
	int file = foreign_file(f);

	if (drmSyncobjImportSyncFile(nouveau, handle, file))
		fail("import of a sync file: %s", strerror(errno));
	close(file);
}

static bool syncobj_signalled(uint32_t handle, long long ms)
{
	return !drmSyncobjWait(nouveau, &handle, 1, now_ns() + ms * MS, 0, NULL);
}

/* --- nouveau --- */

/* Its address space is ours, and holds a page of commands that do nothing. */
static void gpu_open(void)
{
	struct vm_init init = {
		.kernel_managed_addr = KERNEL_VA, .kernel_managed_size = KERNEL_BYTES,
	};
	struct drm_nouveau_gem_new page = {
		.info = { .domain = NOUVEAU_GEM_DOMAIN_GART | NOUVEAU_GEM_DOMAIN_MAPPABLE,
			  .size = PAGE },
		.align = PAGE,
	};
	struct vm_bind_op op = { .addr = COMMANDS_VA, .range = PAGE };
	struct vm_bind bind = { .op_count = 1, .op_ptr = (uintptr_t)&op };
	void *map;

	nouveau = open_driver("/dev/dri/renderD%d", 128, "nouveau");
	must("VM_INIT", talk(nouveau, VM_INIT, &init));
	must("GEM_NEW", talk(nouveau, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
					       struct drm_nouveau_gem_new), &page));
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, nouveau, page.info.map_handle);
	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	memset(map, 0, PAGE);
	munmap(map, PAGE);
	op.handle = page.info.handle;
	must("VM_BIND", talk(nouveau, VM_BIND, &bind));
}

static int channel_new(void)
{
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = 0xbeef0201, .tt_ctxdma_handle = 0xbeef0202,
	};

	must("CHANNEL_ALLOC", talk(nouveau, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
						     struct drm_nouveau_channel_alloc), &alloc));
	return alloc.channel;
}

static struct exec_push nothing = { .va = COMMANDS_VA, .va_len = 64 };

/* The kernel's answer alone: no repetition. */
static int exec_once(int channel, unsigned int pushes, const struct sync *wait,
		     const struct sync *done)
{
	struct exec req = {
		.channel = channel,
		.push_count = pushes, .push_ptr = pushes ? (uintptr_t)&nothing : 0,
		.wait_count = !!wait, .wait_ptr = (uintptr_t)wait,
		.sig_count = !!done, .sig_ptr = (uintptr_t)done,
	};

	return ioctl(nouveau, EXEC, &req) ? -errno : 0;
}

static int exec(int channel, const struct sync *wait, const struct sync *done)
{
	int ret;

	do
		ret = exec_once(channel, 1, wait, done);
	while (ret == -EINTR || ret == -EAGAIN);
	return ret;
}

static long long stat_value(const char *name)
{
	char path[128];
	long long n;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/timegraph/stats/%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lld", &n) != 1)
		fail("%s: no number", path);
	fclose(f);
	return n;
}

/* --- signalled later, by another thread --- */

struct later {
	pthread_t thread;
	long long ms;
	struct foreign f;
	void (*before)(void *arg);	/* NULL, or what it does first */
	void *arg;
};

static void *later_run(void *arg)
{
	struct later *later = arg;
	const long long until = now_ns() + later->ms * MS;
	long long left;

	while (!over && (left = (until - now_ns()) / MS) > 0)
		sleep_ms(left < 20 ? left : 20);
	if (later->before) {
		later->before(later->arg);
		sleep_ms(later->ms);
	}
	foreign_signal(&later->f);
	return NULL;
}

static void later_start(struct later *later, const struct foreign *f, long long ms)
{
	*later = (struct later){ .ms = ms, .f = *f, .before = later->before, .arg = later->arg };
	if (pthread_create(&later->thread, NULL, later_run, later))
		fail("no thread");
}

static void later_end(struct later *later)
{
	pthread_join(later->thread, NULL);
}

/* The guest's slowness, as `until_true` of the cases takes it: in tenths, 10 on an idle machine. */
static long long slow(long long ms)
{
	const char *tenths = getenv("TG_SLOW");

	return tenths && atoi(tenths) > 10 ? ms * atoi(tenths) / 10 : ms;
}

static void took(const char *what, long long from, long long least, long long most)
{
	long long ms = (now_ns() - from) / MS;

	if (ms < least || ms > slow(most))
		fail("%s took %lld ms, not %lld to %lld", what, ms, least, most);
}

/* --- commands --- */

struct holder {
	pthread_t thread;
	long long ms, until, in_ioctl;
	unsigned int execs;
};

static void *hold_run(void *arg)
{
	struct holder *h = arg;
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new();

	while (now_ns() < h->until && !over) {
		struct foreign f = foreign_new();
		struct later later = {};
		long long from = now_ns(), left = (h->until - from) / MS;

		syncobj_set(wait.handle, &f);
		later_start(&later, &f, h->ms && h->ms < left ? h->ms : left);
		must("EXEC", exec(channel, &wait, &done));
		h->in_ioctl += now_ns() - from;
		h->execs++;
		later_end(&later);
		if (!syncobj_signalled(done.handle, 20000))
			fail("an EXEC did not end");
	}
	return NULL;
}

/*
 * hold SECONDS MS...: threads with a channel each, one EXEC at a time, each of which waits for a
 * fence for so long (0: until the end), for SECONDS or until SIGTERM
 */
static void do_hold(char **args)
{
	struct holder holders[THREADS_MAX] = {};
	long long until = now_ns() + atoi(args[0]) * 1000 * MS;
	unsigned int i, n, execs = 0;
	long long in_ioctl = 0;

	for (n = 0; n < THREADS_MAX && args[n + 1]; n++) {
		holders[n].ms = atoi(args[n + 1]);
		holders[n].until = until;
		if (pthread_create(&holders[n].thread, NULL, hold_run, &holders[n]))
			fail("no thread");
	}
	for (i = 0; i < n; i++) {
		pthread_join(holders[i].thread, NULL);
		execs += holders[i].execs;
		in_ioctl += holders[i].in_ioctl;
	}
	printf("{\"execs\":%u,\"in_ioctl_ms\":%lld}\n", execs, in_ioctl / MS);
}

static volatile sig_atomic_t alarms;

static void on_alarm(__attribute__((unused)) int sig)
{
	alarms++;
}

/* signals: a signal every 20 ms, first one that interrupts calls, then one that restarts them */
static void do_signals(__attribute__((unused)) char **args)
{
	const struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, never = {};
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new(), flags, ret;

	for (flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
		struct foreign f = foreign_new();
		struct later later = {};
		unsigned int interrupted = 0;
		long long from = now_ns();

		syncobj_set(wait.handle, &f);
		alarms = 0;
		sigaction(SIGALRM, &action, NULL);
		later_start(&later, &f, 1000);
		setitimer(ITIMER_REAL, &every, NULL);
		while ((ret = exec_once(channel, 1, &wait, &done)) == -EINTR)
			interrupted++;
		setitimer(ITIMER_REAL, &never, NULL);
		must("EXEC", ret);
		took("EXEC under signals", from, 900, 5000);
		later_end(&later);
		if (alarms < 5 || (flags ? interrupted : !interrupted))
			fail("%d signals, %u times EINTR, flags %x", alarms, interrupted, flags);
		if (!syncobj_signalled(done.handle, 5000))
			fail("the EXEC did not end");
	}
}

/* kill: a child that waits for ten seconds dies at once; its parent's fence still holds nobody up */
static void do_kill(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	int channel = channel_new(), status;
	long long from;
	pid_t child;

	syncobj_set(wait.handle, &f);
	child = fork();
	if (!child)
		_exit(exec(channel, &wait, NULL) ? 1 : 0);
	sleep_ms(500);
	/* Beside it, on the same channel, what waits for nothing */
	from = now_ns();
	must("EXEC beside", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, 5000))
		fail("the EXEC beside it did not end");
	took("an EXEC beside one that waits", from, 0, 2000);
	from = now_ns();
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	took("a SIGKILL", from, 0, 2000);
	if (!WIFSIGNALED(status))
		fail("it had ended before: status %x", status);
	foreign_signal(&f);
}

static void destroy_syncobj(void *arg)
{
	if (drmSyncobjDestroy(nouveau, *(uint32_t *)arg))
		fail("SYNCOBJ_DESTROY: %s", strerror(errno));
}

/* destroy: the syncobj goes while it is waited for; nouveau then finds none */
static void do_destroy(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() };
	struct later later = { .before = destroy_syncobj, .arg = &wait.handle };
	struct foreign f = foreign_new();
	int channel = channel_new(), ret;
	long long from = now_ns();

	syncobj_set(wait.handle, &f);
	later_start(&later, &f, 300);
	ret = exec(channel, &wait, NULL);
	took("EXEC", from, 500, 5000);
	later_end(&later);
	if (ret != -ENOENT)
		fail("EXEC on a syncobj that has gone: %s", strerror(-ret));
}

/* timeline: point 1 is an EXEC's of the same channel, point 2 vgem's, point 3 the first again */
static void do_timeline(__attribute__((unused)) char **args)
{
	struct sync wait = { .flags = TIMELINE, .handle = syncobj_new() };
	struct sync done = { .flags = TIMELINE, .handle = wait.handle, .point = 1 };
	struct sync last = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	struct later later = {};
	uint32_t plain = syncobj_new();
	int channel = channel_new();
	long long from;

	must("EXEC of point 1", exec(channel, NULL, &done));
	syncobj_set(plain, &f);
	if (drmSyncobjTransfer(nouveau, wait.handle, 2, plain, 0, 0))
		fail("SYNCOBJ_TRANSFER: %s", strerror(errno));
	wait.point = 1;
	from = now_ns();
	must("EXEC behind point 1", exec(channel, &wait, NULL));
	took("EXEC behind point 1", from, 0, 2000);
	wait.point = 2;
	later_start(&later, &f, 1000);
	from = now_ns();
	must("EXEC behind point 2", exec(channel, &wait, &last));
	took("EXEC behind point 2", from, 900, 5000);
	later_end(&later);
	if (!syncobj_signalled(last.handle, 5000))
		fail("the EXEC did not end");
}

/* merged: one fence that stands for two, of which the second signals later */
static void do_merged(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign one = foreign_new(), two = foreign_new();
	struct {
		char name[32];
		int32_t fd2, fence;
		uint32_t flags, pad;
	} merge = { .fd2 = foreign_file(&two) };
	struct later later[2] = {};
	int channel = channel_new(), first = foreign_file(&one);
	long long from = now_ns();

	must("SYNC_IOC_MERGE", talk(first, _IOWR('>', 3, merge), &merge));
	if (drmSyncobjImportSyncFile(nouveau, wait.handle, merge.fence))
		fail("import of a sync file: %s", strerror(errno));
	later_start(&later[0], &one, 300);
	later_start(&later[1], &two, 1000);
	must("EXEC", exec(channel, &wait, &done));
	took("EXEC behind two fences", from, 900, 5000);
	later_end(&later[0]);
	later_end(&later[1]);
	if (!syncobj_signalled(done.handle, 5000))
		fail("the EXEC did not end");
}

/* own N: EXECs of a channel, each behind the one before it, sleep for none of them */
static void do_own(char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new(), i, n = atoi(args[0]);
	long long waited;

	/* From the first one the module learns the channel's fences. */
	must("EXEC", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, 5000))
		fail("the first EXEC did not end");
	waited = stat_value("fence_waited");
	for (i = 0; i < n; i++) {
		struct sync tmp = wait;

		wait = done;
		done = tmp;
		must("EXEC", exec(channel, &wait, &done));
	}
	if (!syncobj_signalled(done.handle, 5000))
		fail("the last EXEC did not end");
	if (stat_value("fence_waited") != waited)
		fail("%lld of %d EXECs waited for their own channel",
		     stat_value("fence_waited") - waited, n);
}

/* empty: an EXEC without a push waits, too: what comes behind it must not, in our place */
static void do_empty(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	struct later later = {};
	int channel = channel_new();
	long long from = now_ns();

	syncobj_set(wait.handle, &f);
	later_start(&later, &f, 1000);
	must("EXEC without a push", exec_once(channel, 0, &wait, &done));
	took("EXEC without a push", from, 900, 5000);
	later_end(&later);
	if (!syncobj_signalled(done.handle, 5000))
		fail("it did not end");
}

/* --- what changes while nouveau looks --- */

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
	memcpy(copy, &nothing, sizeof(nothing));
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
static void do_swap(char **args)
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

static int exec_with(int channel, const void *wait, uint32_t waits, const void *done,
		     uint32_t dones)
{
	struct exec req = {
		.channel = channel, .push_count = 1, .push_ptr = (uintptr_t)&nothing,
		.wait_count = waits, .wait_ptr = (uintptr_t)wait,
		.sig_count = dones, .sig_ptr = (uintptr_t)done,
	};

	return talk(nouveau, EXEC, &req);
}

/* errnos: what nouveau says to nonsense; the caller compares */
static void do_errnos(__attribute__((unused)) char **args)
{
	struct sync plain = { .handle = syncobj_new() };
	struct sync point = { .flags = TIMELINE, .handle = plain.handle, .point = 5 };
	struct sync none = { .handle = 12345 };
	struct sync type = { .flags = 7, .handle = plain.handle };
	struct sync odd = { .flags = 0x100, .handle = plain.handle };
	static struct sync many[1000];
	const struct {
		const char *name;
		const struct sync *at;
		uint32_t count;
	} *c, cases[] = {
		{ "no fence yet", &plain, 1 },
		{ "no point yet", &point, 1 },
		{ "no such syncobj", &none, 1 },
		{ "no such type", &type, 1 },
		{ "odd flags", &odd, 1 },
		{ "1000 that are none", many, 1000 },
		{},
	};
	int channel = channel_new();

	for (c = cases; c->name; c++)
		printf("wait: %s: %d\n", c->name, exec_with(channel, c->at, c->count, NULL, 0));
	/* What it signals need not have a fence: two of these are no nonsense. */
	for (c = cases; c->name; c++)
		printf("signal: %s: %d\n", c->name, exec_with(channel, NULL, 0, c->at, c->count));
}

static void refuses(const char *what, int ret, int want)
{
	if (ret != want)
		fail("%s: %s, not %s", what, strerror(-ret), strerror(-want));
}

/*
 * faults: arrays that are not there, and counts that no memory is enough for. Of some, nouveau
 * without our module dies (Linux 6.12).
 */
static void do_faults(__attribute__((unused)) char **args)
{
	static const uint32_t counts[] = { 1u << 20, 1u << 27, 1u << 28, 1u << 31, ~0u };
	struct sync set = { .handle = syncobj_new() }, *edge;
	int channel = channel_new();
	void *nowhere = (void *)~0xfffull;
	struct foreign f = foreign_new();
	char *pages;
	size_t i;

	syncobj_set(set.handle, &f);
	foreign_signal(&f);
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		fail("mmap: %s", strerror(errno));
	edge = (struct sync *)(pages + PAGE) - 1;
	*edge = set;

	must("an array that ends with a page", exec_with(channel, edge, 1, NULL, 0));
	refuses("waits at NULL", exec_with(channel, NULL, 1, NULL, 0), -EFAULT);
	refuses("waits in the kernel", exec_with(channel, nowhere, 1, NULL, 0), -EFAULT);
	refuses("the second wait nowhere", exec_with(channel, edge, 2, NULL, 0), -EFAULT);
	edge->handle = 12345;
	refuses("the first one none", exec_with(channel, edge, 2, NULL, 0), -EFAULT);
	*edge = set;
	refuses("signals at NULL", exec_with(channel, NULL, 0, NULL, 1), -EFAULT);
	refuses("the second signal nowhere", exec_with(channel, edge, 1, edge, 2), -EFAULT);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		refuses("waits without number", exec_with(channel, edge, counts[i], NULL, 0), -ENOMEM);
		refuses("signals without number", exec_with(channel, NULL, 0, edge, counts[i]),
			-ENOMEM);
	}
	must("EXEC after all that", exec_with(channel, edge, 1, edge, 1));
	if (!syncobj_signalled(set.handle, 5000))
		fail("it did not end");
}

static const struct {
	const char *name;
	int args;		/* least number */
	void (*run)(char **args);
} commands[] = {
	{ "hold", 2, do_hold },
	{ "signals", 0, do_signals },
	{ "kill", 0, do_kill },
	{ "destroy", 0, do_destroy },
	{ "timeline", 0, do_timeline },
	{ "merged", 0, do_merged },
	{ "own", 1, do_own },
	{ "empty", 0, do_empty },
	{ "swap", 1, do_swap },
	{ "errnos", 0, do_errnos },
	{ "faults", 0, do_faults },
};

static void on_term(__attribute__((unused)) int sig)
{
	over = 1;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	size_t i;

	sigaction(SIGTERM, &action, NULL);

	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) || argc - 2 < commands[i].args)
			continue;
		gpu_open();
		vgem = open_driver("/dev/dri/card%d", 0, "vgem");
		commands[i].run(argv + 2);
		return 0;
	}
	fprintf(stderr, "usage: infence COMMAND [ARGUMENT...]: see its source\n");
	return 2;
}
