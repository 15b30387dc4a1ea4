// SPDX-License-Identifier: GPL-2.0
/*
 * infence - the two drivers: vgem's fences, nouveau's EXEC; and fences that another thread signals
 * later. Called by all commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "infence.h"

int nouveau, vgem;
volatile sig_atomic_t over;

void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "infence: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

void sleep_ms(long long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

void must(const char *what, int ret)
{
	if (ret)
		fail("%s: %s", what, strerror(-ret));
}

int talk(int fd, unsigned long request, void *args)
{
	return drmIoctl(fd, request, args) ? -errno : 0;
}

int open_driver(const char *format, int first, const char *name)
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

struct foreign foreign_new(void)
{
	struct drm_mode_create_dumb buffer = { .width = 32, .height = 32, .bpp = 32 };
	struct vgem_attach attach = { .flags = VGEM_WRITE };

	must("vgem: CREATE_DUMB", talk(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &buffer));
	attach.handle = buffer.handle;
	must("vgem: FENCE_ATTACH", talk(vgem, VGEM_ATTACH, &attach));
	return (struct foreign){ .bo = buffer.handle, .id = attach.out_fence };
}

void foreign_signal(const struct foreign *f)
{
	struct vgem_signal args = { .fence = f->id };
	struct drm_mode_destroy_dumb destroy = { .handle = f->bo };
	int ret = talk(vgem, VGEM_SIGNAL, &args);

	if (ret != -ETIMEDOUT)
		must("vgem: FENCE_SIGNAL", ret);
	must("vgem: DESTROY_DUMB", talk(vgem, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy));
}

int foreign_file(const struct foreign *f)
{
	struct dma_buf_export_sync_file args = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int buffer, ret = drmPrimeHandleToFD(vgem, f->bo, O_RDWR | O_CLOEXEC, &buffer);

	if (ret)
		fail("vgem: PRIME_HANDLE_TO_FD: %s", strerror(errno));
	must("EXPORT_SYNC_FILE", talk(buffer, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args));
	close(buffer);
	return args.fd;
}

uint32_t syncobj_new(void)
{
	uint32_t handle;

	if (drmSyncobjCreate(nouveau, 0, &handle))
		fail("SYNCOBJ_CREATE: %s", strerror(errno));
	return handle;
}

void syncobj_set(uint32_t handle, const struct foreign *f)
{
	int file = foreign_file(f);

	if (drmSyncobjImportSyncFile(nouveau, handle, file))
		fail("import of a sync file: %s", strerror(errno));
	close(file);
}

bool syncobj_signalled(uint32_t handle, long long ms)
{
	return !drmSyncobjWait(nouveau, &handle, 1, now_ns() + ms * MS, 0, NULL);
}

/* --- nouveau --- */

uint32_t *buffer_new(uint64_t bytes, uint32_t *handle)
{
	struct drm_nouveau_gem_new req = {
		.info = { .domain = NOUVEAU_GEM_DOMAIN_GART | NOUVEAU_GEM_DOMAIN_MAPPABLE,
			  .size = (bytes + PAGE - 1) & -(uint64_t)PAGE },
		.align = PAGE,
	};
	void *map;

	must("GEM_NEW", talk(nouveau, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
					       struct drm_nouveau_gem_new), &req));
	map = mmap(NULL, req.info.size, PROT_READ | PROT_WRITE, MAP_SHARED, nouveau, req.info.map_handle);
	if (map == MAP_FAILED)
		fail("mmap of a buffer: %s", strerror(errno));
	*handle = req.info.handle;
	return map;
}

uint32_t *buffer_at(uint64_t va, uint64_t bytes)
{
	struct vm_bind_op op = { .addr = va, .range = (bytes + PAGE - 1) & -(uint64_t)PAGE };
	struct vm_bind bind = { .op_count = 1, .op_ptr = (uintptr_t)&op };
	void *map = buffer_new(bytes, &op.handle);

	must("VM_BIND", talk(nouveau, VM_BIND, &bind));
	return map;
}

void gpu_open(void)
{
	struct vm_init init = {
		.kernel_managed_addr = KERNEL_VA, .kernel_managed_size = KERNEL_BYTES,
	};

	nouveau = open_driver("/dev/dri/renderD%d", 128, "nouveau");
	must("VM_INIT", talk(nouveau, VM_INIT, &init));
	munmap(memset(buffer_at(COMMANDS_VA, PAGE), 0, PAGE), PAGE);
}

int channel_new(void)
{
	struct drm_nouveau_channel_alloc alloc = {
		.fb_ctxdma_handle = 0xbeef0201, .tt_ctxdma_handle = 0xbeef0202,
	};

	must("CHANNEL_ALLOC", talk(nouveau, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
						     struct drm_nouveau_channel_alloc), &alloc));
	return alloc.channel;
}

struct exec_push group = { .va = COMMANDS_VA, .va_len = 64 };

int exec_once(int channel, unsigned int pushes, const struct sync *wait, const struct sync *done)
{
	struct exec req = {
		.channel = channel,
		.push_count = pushes, .push_ptr = pushes ? (uintptr_t)&group : 0,
		.wait_count = !!wait, .wait_ptr = (uintptr_t)wait,
		.sig_count = !!done, .sig_ptr = (uintptr_t)done,
	};

	return ioctl(nouveau, EXEC, &req) ? -errno : 0;
}

int exec(int channel, const struct sync *wait, const struct sync *done)
{
	int ret;

	do
		ret = exec_once(channel, 1, wait, done);
	while (ret == -EINTR || ret == -EAGAIN);
	return ret;
}

long long stat_value(const char *name)
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

int exec_with(int channel, const void *wait, uint32_t waits, const void *done, uint32_t dones)
{
	struct exec req = {
		.channel = channel, .push_count = 1, .push_ptr = (uintptr_t)&group,
		.wait_count = waits, .wait_ptr = (uintptr_t)wait,
		.sig_count = dones, .sig_ptr = (uintptr_t)done,
	};

	return talk(nouveau, EXEC, &req);
}

/* --- signalled later, by another thread --- */

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

void later_start(struct later *later, const struct foreign *f, long long ms)
{
	*later = (struct later){ .ms = ms, .f = *f, .before = later->before, .arg = later->arg };
	if (pthread_create(&later->thread, NULL, later_run, later))
		fail("no thread");
}

void later_end(struct later *later)
{
	pthread_join(later->thread, NULL);
}

long long slow(long long ms)
{
	const char *tenths = getenv("TG_SLOW");

	return tenths && atoi(tenths) > 10 ? ms * atoi(tenths) / 10 : ms;
}

void took(const char *what, long long from, long long least, long long most)
{
	long long ms = (now_ns() - from) / MS;

	if (ms < least || ms > slow(most))
		fail("%s took %lld ms, not %lld to %lld", what, ms, least, most);
}
