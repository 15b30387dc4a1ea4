// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * libtimegraph-shm: timegraph/shm.h says what programs see, uapi/tgshm.h what the kernel answers.
 *
 * It allocates by nouveau's GEM_NEW on the program's own DRM file and hands the kernel the object as
 * a dma-buf. To attach is to map a page of the device, which the kernel counts, and to import the
 * segment's dma-buf. Two imports into one DRM file give one handle, so the attachments are in a
 * list: the last one closes it.
 *
 * Called by programs, in any thread. `lock` guards the list; no call blocks under it but those that
 * open and close handles.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <uapi/tgshm.h>

#undef TGSHM_VOLATILE
#include <timegraph/shm.h>

/* DRM's and nouveau's calls, as <drm/drm.h> and <drm/nouveau_drm.h> have them */
struct gem_new {
	uint32_t handle, domain;
	uint64_t size, offset, map_handle;
	uint32_t tile_mode, tile_flags, channel_hint, align;
};

struct prime_handle {
	uint32_t handle, flags;
	int32_t fd;
};

struct version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct gem_close {
	uint32_t handle, pad;
};

#define VERSION		_IOWR('d', 0x00, struct version)
#define GEM_NEW		_IOWR('d', 0x80, struct gem_new)
#define GEM_CLOSE	_IOW('d', 0x09, struct gem_close)
#define HANDLE_TO_FD	_IOWR('d', 0x2d, struct prime_handle)
#define FD_TO_HANDLE	_IOWR('d', 0x2e, struct prime_handle)

#define VRAM	(1u << 1)
#define ALIGN	4096

#define GET_FLAGS	(0777 | IPC_CREAT | IPC_EXCL | TGSHM_VOLATILE)

/* An attachment of this process, or of the one that it was forked from. */
struct attached {
	struct attached *next;
	void *map;
	int drm;
	uint32_t handle;
	pid_t pid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct attached *all;

static void locked(void)
{
	pthread_mutex_lock(&lock);
}

static void unlocked(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child's list is as whole as its parent's. */
static void __attribute__((constructor)) begin(void)
{
	pthread_atfork(locked, unlocked, unlocked);
}

static size_t page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static int device(void)
{
	const int fd = open(TGSHM_DEVICE, O_RDWR | O_CLOEXEC);

	/* That says of a call that no segment has the key. */
	if (fd < 0 && errno == ENOENT)
		errno = ENODEV;
	return fd;
}

/* Close, and leave errno alone. */
static void close_quietly(int fd)
{
	const int error = errno;

	close(fd);
	errno = error;
}

static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -1 : 0;
}

/* One call of the device. */
static int ask(unsigned long request, void *arg)
{
	int fd = device(), ret;

	if (fd < 0)
		return -1;
	ret = call(fd, request, arg);
	close_quietly(fd);
	return ret;
}

static void handle_close(int drm, uint32_t handle)
{
	struct gem_close arg = { .handle = handle };
	const int error = errno;

	call(drm, GEM_CLOSE, &arg);
	errno = error;
}

/* The numbers of a driver's own calls mean something else to another driver. */
static bool is_nouveau(int drm)
{
	char name[sizeof("nouveau") + 1] = "";	/* a byte more: not one that begins so */
	struct version v = { .name_len = sizeof(name) - 1, .name = name };

	if (call(drm, VERSION, &v))
		return false;
	if (!strcmp(name, "nouveau"))
		return true;
	errno = EOPNOTSUPP;
	return false;
}

/* VRAM as a dma-buf, which alone holds it afterwards. */
static int allocate(int drm, size_t size)
{
	struct gem_new new = {
		.domain = VRAM, .size = (size + ALIGN - 1) & ~(uint64_t)(ALIGN - 1),
		.align = ALIGN,
	};
	struct prime_handle buf = { .flags = O_CLOEXEC | O_RDWR };
	int ret;

	if (!is_nouveau(drm))
		return -1;
	if (new.size < size) {
		errno = ENOMEM;
		return -1;
	}
	if (call(drm, GEM_NEW, &new)) {
		if (errno == ENOSPC)
			errno = ENOMEM;		/* of the driver's: no room for it */
		return -1;
	}
	buf.handle = new.handle;
	ret = call(drm, HANDLE_TO_FD, &buf);
	handle_close(drm, new.handle);
	return ret ? -1 : buf.fd;
}

int tgshm_get(int drm, key_t key, size_t size, int flags)
{
	struct tgshm_get get = { .key = key, .flags = flags, .size = size, .buf = -1 };
	int ret;

	if (flags & ~GET_FLAGS) {
		errno = EINVAL;
		return -1;
	}
	ret = ask(TGSHM_IOC_GET, &get);
	if (ret && errno == ENODATA) {
		get.buf = allocate(drm, size);
		if (get.buf < 0)
			return -1;
		ret = ask(TGSHM_IOC_GET, &get);
		close_quietly(get.buf);
	}
	return ret ? -1 : get.id;
}

/*
 * Does the handle belong to another attachment as well? One that was made before a fork may be the other
 * process's still, which shares the DRM file: its handle stays open, a leak being the lesser harm. Under the lock.
 */
static bool is_used(const struct attached *a)
{
	const struct attached *other;

	for (other = all; other; other = other->next)
		if (other->drm == a->drm && other->handle == a->handle)
			return true;
	return false;
}

/*
 * Import the segment's dma-buf, and attach it. The mapping comes last: a volatile segment would go with one
 * that is taken back, because the import has failed.
 */
static int attach(int fd, int drm, int id, struct attached *a, struct tgshm_at *at)
{
	struct prime_handle buf = { 0 };
	struct tgshm_buf get = { .id = id };
	int ret;

	if (call(fd, TGSHM_IOC_BUF, &get))
		return -1;
	buf.fd = get.buf;
	pthread_mutex_lock(&lock);
	ret = call(drm, FD_TO_HANDLE, &buf);
	if (!ret) {
		*a = (struct attached){ .drm = drm, .handle = buf.handle, .pid = getpid() };
		a->map = mmap(NULL, page(), PROT_NONE, MAP_SHARED, fd, tgshm_offset(id, page()));
		if (a->map == MAP_FAILED) {
			ret = -1;
			if (!is_used(a))
				handle_close(drm, a->handle);
		} else {
			a->next = all;
			all = a;
			*at = (struct tgshm_at){ a->handle, drm, get.size, a->map };
		}
	}
	pthread_mutex_unlock(&lock);
	close_quietly(get.buf);
	return ret;
}

int tgshm_at(int drm, int id, int flags, struct tgshm_at *at)
{
	struct attached *a;
	int fd, error;

	if (!at) {
		errno = EFAULT;
		return -1;
	}
	*at = (struct tgshm_at){ .drm = -1 };
	if (flags || id < 0) {
		errno = flags & SHM_RDONLY ? EOPNOTSUPP : EINVAL;
		return -1;
	}
	fd = device();
	if (fd < 0)
		return -1;
	a = malloc(sizeof(*a));
	if (a && !attach(fd, drm, id, a, at)) {
		close_quietly(fd);
		return 0;
	}
	error = errno;
	close(fd);
	free(a);
	errno = error;
	return -1;
}

int tgshm_dt(struct tgshm_at *at)
{
	struct attached **link, *a;

	pthread_mutex_lock(&lock);
	for (link = &all; (a = *link); link = &a->next)
		if (at && at->map && a->map == at->map)
			break;
	if (a) {
		*link = a->next;
		if (a->pid == getpid() && !is_used(a))
			handle_close(a->drm, a->handle);
	}
	pthread_mutex_unlock(&lock);
	if (!a) {
		errno = EINVAL;
		return -1;
	}
	munmap(a->map, page());
	free(a);
	*at = (struct tgshm_at){ .drm = -1 };
	return 0;
}

static void copy_out(const struct tgshm_stat *stat, struct shmid_ds *ds)
{
	memset(ds, 0, sizeof(*ds));
	ds->shm_perm.__key = stat->key;
	ds->shm_perm.uid = stat->uid;
	ds->shm_perm.gid = stat->gid;
	ds->shm_perm.cuid = stat->cuid;
	ds->shm_perm.cgid = stat->cgid;
	ds->shm_perm.mode = stat->mode;
	ds->shm_segsz = stat->size;
	ds->shm_atime = stat->atime;
	ds->shm_dtime = stat->dtime;
	ds->shm_ctime = stat->ctime;
	ds->shm_cpid = stat->cpid;
	ds->shm_lpid = stat->lpid;
	ds->shm_nattch = stat->nattch;
}

int tgshm_ctl(int id, int cmd, struct shmid_ds *ds)
{
	struct tgshm_stat stat = { .id = id };
	int ret;

	switch (cmd) {
	case IPC_STAT:
		if (!ds)
			break;
		ret = ask(TGSHM_IOC_STAT, &stat);
		if (!ret)
			copy_out(&stat, ds);
		return ret;
	case IPC_SET:
		if (!ds)
			break;
		stat.uid = ds->shm_perm.uid;
		stat.gid = ds->shm_perm.gid;
		stat.mode = ds->shm_perm.mode & 0777;
		return ask(TGSHM_IOC_SET, &stat);
	case IPC_RMID:
		return ask(TGSHM_IOC_RMID, &id);
	default:
		errno = EINVAL;
		return -1;
	}
	errno = EFAULT;
	return -1;
}
