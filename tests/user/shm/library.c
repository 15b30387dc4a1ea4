// SPDX-License-Identifier: GPL-2.0
/*
 * libtimegraph-shm (src/user/shm/shm.c) without a GPU: what programs get for wrong arguments, when the device or
 * the driver refuses, in threads and after fork(). A row each.
 *
 * The linker leads the library's system calls here (-Wl,--wrap). What is /dev/tgshm there is src/kmod/shm_books.c, as
 * in the module; a DRM file is a table of handles. `fake` guards both. One call can be made to fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_books.h"

#undef TGSHM_VOLATILE
#include <timegraph/shm.h>

#include "../../lib/test.h"

#define FDS	64
#define HANDLES	64
#define MAPS	64
#define MOST	(1ull << 30)	/* bytes that the driver has */
#define THREADS	4

#define NR_NEW		0x80	/* numbers of DRM's calls */
#define NR_VERSION	0x00
#define NR_CLOSE	0x09
#define NR_EXPORT	0x2d
#define NR_IMPORT	0x2e
#define NR_GET		0x70	/* of the device's */
#define NR_BUF		0x71
#define NR_MAP		0x100	/* no ioctl: mmap() of the device, and open() */
#define NR_OPEN		0x101

/* What a file descriptor is */
struct file {
	enum { NOTHING, DEVICE, DRM, BUFFER } is;
	int object;			/* of a buffer */
	int handles[HANDLES];		/* of a DRM file: objects, 0: none */
};

int __real_open(const char *name, int flags, ...);
int __real_close(int fd);
int __real_munmap(void *at, size_t len);
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);

static pthread_mutex_t fake = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FDS];
static struct {
	void *at;
	struct shm_segment *segment;
} maps[MAPS];
static struct shm_books books = { .segments = { &books.segments, &books.segments } };
static struct shm_space space;
static const char *driver = "nouveau";
static int objects, open_files, closed, odd_sizes;
static int fail_nr = -1, fail_error;	/* the next call of this number fails */
static void (*meanwhile)(void);		/* when an object is made: what another process does */

/* --- what the kernel does --- */

static bool member(const struct shm_who *who, u32 gid)
{
	return false;
}

static bool may(const struct shm_who *who, enum shm_right right)
{
	return false;
}

static struct shm_who who = { .uid = 1000, .gid = 1000, .payer = 1000, .now = 1, .member = member, .may = may };

static int file_new(int is, int object)
{
	int fd = __real_open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0 || fd >= FDS)
		abort();
	files[fd] = (struct file){ .is = is, .object = object };
	open_files++;
	return fd;
}

static int fails(int nr)
{
	if (nr != fail_nr)
		return 0;
	fail_nr = -1;
	return -fail_error;
}

int __wrap_open(const char *name, int flags)
{
	int ret;

	if (strcmp(name, TGSHM_DEVICE))
		return __real_open(name, flags);
	pthread_mutex_lock(&fake);
	ret = fails(NR_OPEN) ?: file_new(DEVICE, 0);
	pthread_mutex_unlock(&fake);
	errno = ret < 0 ? -ret : errno;
	return ret < 0 ? -1 : ret;
}

int __wrap_close(int fd)
{
	pthread_mutex_lock(&fake);
	if (fd >= 0 && fd < FDS && files[fd].is) {
		files[fd].is = NOTHING;
		open_files--;
	}
	pthread_mutex_unlock(&fake);
	return __real_close(fd);
}

static int segment_get(struct tgshm_get *get)
{
	struct shm_segment *new = NULL;
	int ret;

	if (get->buf >= 0) {
		new = calloc(1, sizeof(*new));
		new->vram = MOST;
		new->buf = (void *)(intptr_t)files[get->buf].object;
	}
	ret = shm_get(&books, &space, &who, get, new);
	if (new && !new->space)
		free(new);
	if (ret < 0)
		return ret;
	get->id = ret;
	return 0;
}

static int segment_buf(struct tgshm_buf *get)
{
	int error;
	struct shm_segment *segment = shm_look(&space, &who, get->id, &error);

	if (!segment)
		return error;
	get->buf = file_new(BUFFER, (intptr_t)segment->buf);
	get->size = segment->stat.size;
	return 0;
}

static int of_device(unsigned long request, void *arg)
{
	struct shm_segment *gone = NULL;
	struct tgshm_stat *stat = arg;
	int ret;

	switch (request) {
	case TGSHM_IOC_GET:
		return segment_get(arg);
	case TGSHM_IOC_BUF:
		return segment_buf(arg);
	case TGSHM_IOC_STAT:
		return shm_stat(&space, &who, stat->id, stat);
	case TGSHM_IOC_SET:
		return shm_set(&space, &who, stat);
	case TGSHM_IOC_RMID:
		ret = shm_remove(&books, &space, &who, *(int *)arg, &gone);
		free(gone);
		return ret;
	default:
		return -ENOTTY;
	}
}

/* The handle of an object, which is the same if it has one */
static int handle_of(struct file *file, int object)
{
	int i, empty = 0;

	for (i = HANDLES - 1; i; i--) {
		if (file->handles[i] == object)
			return i;
		empty = file->handles[i] ? empty : i;
	}
	file->handles[empty] = object;
	return empty ?: -ENOMEM;
}

static int version(void *arg)
{
	struct {
		int major, minor, patch;
		size_t len;
		char *name;
	} *v = arg;

	memcpy(v->name, driver, strlen(driver) < v->len ? strlen(driver) : v->len);
	v->len = strlen(driver);
	return 0;
}

static int gem_new(struct file *file, void *arg)
{
	struct {
		uint32_t handle, domain;
		uint64_t size;
	} *new = arg;

	odd_sizes += new->size % 4096 || !new->size;
	if (new->size > MOST)
		return -ENOSPC;
	if (meanwhile)
		meanwhile();
	new->handle = handle_of(file, ++objects);
	return 0;
}

static int of_drm(struct file *file, int nr, void *arg)
{
	struct {
		uint32_t handle, flags;
		int fd;
	} *prime = arg;
	int ret;

	switch (nr) {
	case NR_VERSION:
		return version(arg);
	case NR_NEW:
		return gem_new(file, arg);
	case NR_EXPORT:
		prime->fd = file_new(BUFFER, file->handles[prime->handle]);
		return 0;
	case NR_IMPORT:
		ret = files[prime->fd].is == BUFFER ? handle_of(file, files[prime->fd].object) : -EINVAL;
		prime->handle = ret;
		return ret < 0 ? ret : 0;
	case NR_CLOSE:
		if (!file->handles[prime->handle])
			return -EINVAL;
		file->handles[prime->handle] = 0;
		closed++;
		return 0;
	default:
		return -ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	struct file *file = &files[fd < 0 || fd >= FDS ? 0 : fd];
	int ret;

	pthread_mutex_lock(&fake);
	ret = fails(_IOC_NR(request));
	if (!ret)
		ret = file->is == DEVICE ? of_device(request, arg) :
		      file->is == DRM ? of_drm(file, _IOC_NR(request), arg) : file->is ? -ENOTTY : -EBADF;
	pthread_mutex_unlock(&fake);
	errno = ret < 0 ? -ret : errno;
	return ret < 0 ? -1 : 0;
}

static int attach(void *at, s32 id)
{
	int i, error;
	struct shm_segment *segment = shm_look(&space, &who, id, &error);

	if (!segment)
		return error;
	for (i = 0; maps[i].segment; i++)
		if (i == MAPS - 1)
			abort();
	maps[i].at = at;
	maps[i].segment = segment;
	shm_attach(segment, &who);
	return 0;
}

void *__wrap_mmap(void *hint, size_t len, int prot, int flags, int fd, off_t offset)
{
	void *at = __real_mmap(hint, len, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	pthread_mutex_lock(&fake);
	ret = fails(NR_MAP) ?: attach(at, offset / len / 2);
	pthread_mutex_unlock(&fake);
	if (!ret)
		return at;
	__real_munmap(at, len);
	errno = -ret;
	return MAP_FAILED;
}

int __wrap_munmap(void *at, size_t len)
{
	int i;

	pthread_mutex_lock(&fake);
	for (i = 0; i < MAPS; i++) {
		if (!maps[i].segment || maps[i].at != at)
			continue;
		if (shm_detach(&books, maps[i].segment, &who))
			free(maps[i].segment);
		maps[i].segment = NULL;
	}
	pthread_mutex_unlock(&fake);
	return __real_munmap(at, len);
}

/* --- rows --- */

/* COMMAND gives -1 and this errno */
#define refused(name, error, command)								\
	do {											\
		const int ret_ = (errno = 0, command), errno_ = errno;				\
												\
		fail_nr = -1;									\
		test_row(name, ret_ == -1 && errno_ == error, "%d, errno %d (%s)", ret_, errno_, strerror(errno_)); \
	} while (0)

static int drm;

static int handles(void)
{
	int i, n = 0;

	for (i = 0; i < HANDLES; i++)
		n += !!files[drm].handles[i];
	return n;
}

static unsigned long attachments(int id)
{
	struct shmid_ds ds = { .shm_nattch = 999 };

	return tgshm_ctl(id, IPC_STAT, &ds) ? 999 : ds.shm_nattch;
}

static void fail(int nr, int error)
{
	fail_nr = nr;
	fail_error = error;
}

static void arguments(void)
{
	int id = tgshm_get(drm, IPC_PRIVATE, 1, 0600);
	struct tgshm_at at = { .map = &at };
	struct shmid_ds ds = { 0 };

	refused("at: NULL", EFAULT, tgshm_at(drm, id, 0, NULL));
	refused("dt: NULL", EINVAL, tgshm_dt(NULL));
	refused("dt: what was never attached", EINVAL, tgshm_dt(&at));
	refused("at: read-only", EOPNOTSUPP, tgshm_at(drm, id, SHM_RDONLY, &at));
	test_row("and it is no attachment", !at.map && at.drm == -1, "map %p, drm %d", at.map, at.drm);
	at.map = &at;
	refused("at: an unknown flag", EINVAL, tgshm_at(drm, id, 1 << 20, &at));
	refused("at: below 0", EINVAL, tgshm_at(drm, -1, 0, &at));
	refused("at: no such id", EINVAL, tgshm_at(drm, id + 1, 0, &at));
	refused("ctl: IPC_STAT to NULL", EFAULT, tgshm_ctl(id, IPC_STAT, NULL));
	refused("ctl: IPC_SET from NULL", EFAULT, tgshm_ctl(id, IPC_SET, NULL));
	refused("ctl: IPC_INFO", EINVAL, tgshm_ctl(id, 3, &ds));
	refused("get: an unknown flag", EINVAL, tgshm_get(drm, IPC_PRIVATE, 1, 04000));
	refused("get: a key that is not there", ENOENT, tgshm_get(drm, 5, 1, 0600));
	refused("get: no file", EBADF, tgshm_get(-1, IPC_PRIVATE, 1, 0600));
	test_row("rmid", !tgshm_ctl(id, IPC_RMID, NULL), "errno %d", errno);
}

static void sizes(void)
{
	static const size_t good[] = { 1, 4095, 4096, 4097, 1 << 20 };
	static const size_t bad[] = { MOST + 1, 1ull << 62, 1ull << 63, SIZE_MAX - 4096, SIZE_MAX - 4095, SIZE_MAX };
	struct shmid_ds ds = { 0 };
	size_t i;
	int id;

	refused("0 bytes", EINVAL, tgshm_get(drm, IPC_PRIVATE, 0, 0600));
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		id = tgshm_get(drm, IPC_PRIVATE, good[i], 0600);
		tgshm_ctl(id, IPC_STAT, &ds);
		test_row("a size is kept", id >= 0 && ds.shm_segsz == good[i], "%zu: id %d, %zu", good[i], id, ds.shm_segsz);
		tgshm_ctl(id, IPC_RMID, NULL);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused("more than there is", ENOMEM, tgshm_get(drm, IPC_PRIVATE, bad[i], 0600));
	test_row("the driver is asked for whole pages", !odd_sizes, "%d times not", odd_sizes);
}

/* When the device or the driver refuses: its errno, nothing open, nothing attached. */
static void refusals(void)
{
	static const struct {
		const char *name;
		int nr, error, wanted;
	} gets[] = {
		{ "get: no device", NR_OPEN, ENOENT, ENODEV },
		{ "get: not allowed", NR_OPEN, EACCES, EACCES },
		{ "get: no driver", NR_OPEN, ENXIO, ENXIO },
		{ "get: no descriptor", NR_OPEN, EMFILE, EMFILE },
		{ "get: no VRAM", NR_NEW, ENOSPC, ENOMEM },
		{ "get: no dma-buf", NR_EXPORT, EMFILE, EMFILE },
	}, ats[] = {
		{ "at: no device", NR_OPEN, ENOENT, ENODEV },
		{ "at: no mapping", NR_MAP, ENOMEM, ENOMEM },
		{ "at: no descriptor", NR_BUF, EMFILE, EMFILE },
		{ "at: a GPU that has gone", NR_BUF, ENODEV, ENODEV },
		{ "at: no handle", NR_IMPORT, ENOMEM, ENOMEM },
	};
	int id = tgshm_get(drm, 6, 1, IPC_CREAT | TGSHM_VOLATILE | 0600);
	struct tgshm_at at;
	size_t i;

	for (i = 0; i < sizeof(gets) / sizeof(*gets); i++) {
		fail(gets[i].nr, gets[i].error);
		refused(gets[i].name, gets[i].wanted, tgshm_get(drm, IPC_PRIVATE, 1, 0600));
	}
	for (i = 0; i < sizeof(ats) / sizeof(*ats); i++) {
		fail(ats[i].nr, ats[i].error);
		refused(ats[i].name, ats[i].wanted, tgshm_at(drm, id, 0, &at));
		test_row("and a volatile segment that it has not attached is still there", tgshm_get(-1, 6, 0, 0) == id,
			 "%s", strerror(errno));
		if (tgshm_get(-1, 6, 0, 0) < 0)
			id = tgshm_get(drm, 6, 1, IPC_CREAT | TGSHM_VOLATILE | 0600);
	}
	refused("at: no file", EBADF, tgshm_at(-1, id, 0, &at));
	test_row("nothing is attached", attachments(id) == 0, "%lu", attachments(id));
	test_row("no handle is left", !handles(), "%d", handles());
	test_row("no file is left open", open_files == 1, "%d", open_files);
	driver = "nouveau2";
	refused("get: another driver's file", EOPNOTSUPP, tgshm_get(drm, IPC_PRIVATE, 1, 0600));
	driver = "i915";
	refused("get: one with a short name", EOPNOTSUPP, tgshm_get(drm, IPC_PRIVATE, 1, 0600));
	driver = "nouveau";
	test_row("at", !tgshm_at(drm, id, 0, &at), "errno %d", errno);
	fail(NR_MAP, ENOMEM);
	refused("at again: no mapping", ENOMEM, tgshm_at(drm, id, 0, &(struct tgshm_at){ 0 }));
	test_row("the first one's handle stays", handles() == 1, "%d", handles());
	test_row("dt", !tgshm_dt(&at) && !handles(), "errno %d, %d handles", errno, handles());
	test_row("gone with its last attachment", tgshm_get(-1, 6, 0, 0) == -1 && errno == ENOENT, "errno %d", errno);
}

static void another(void)
{
	const struct tgshm_get get = { .key = 7, .flags = TGSHM_CREAT | 0600, .size = 1 };
	struct shm_segment *new = calloc(1, sizeof(*new));

	new->vram = MOST;
	new->buf = (void *)(intptr_t)++objects;
	shm_get(&books, &space, &who, &get, new);
	meanwhile = NULL;
}

/* Another process makes the segment of the same key while this one has its memory made. */
static void races(void)
{
	int id;

	meanwhile = another;
	refused("get, IPC_EXCL: another is faster", EEXIST, tgshm_get(drm, 7, 1, IPC_CREAT | IPC_EXCL | 0600));
	id = tgshm_get(-1, 7, 1, 0);
	test_row("rmid of the other's", !tgshm_ctl(id, IPC_RMID, NULL), "errno %d", errno);
	meanwhile = another;
	id = tgshm_get(drm, 7, 1, IPC_CREAT | 0600);
	test_row("get: another is faster", id >= 0 && books.nr == 1, "%d, %u segments", id, books.nr);
	test_row("nothing of the slower one is left", !handles() && open_files == 1, "%d handles, %d files", handles(),
		 open_files);
	tgshm_ctl(id, IPC_RMID, NULL);
}

static int shared;

static void *thread(void *arg)
{
	struct tgshm_at at;
	intptr_t bad = 0;
	int i;

	for (i = 0; i < 3000; i++) {
		bad += !!tgshm_at(drm, shared, 0, &at);
		pthread_mutex_lock(&fake);
		bad += !files[drm].handles[at.handle];
		pthread_mutex_unlock(&fake);
		bad += !!tgshm_dt(&at);
	}
	return (void *)bad;
}

/* Threads of a function, every second one with @other; how often something went wrong */
static long in_threads(void *(*of)(void *), void *other)
{
	pthread_t t[THREADS];
	void *bad = NULL;
	long sum = 0;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, of, i % 2 ? other : NULL);
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i], &bad);
		sum += (intptr_t)bad;
	}
	return sum;
}

static void threads(void)
{
	long bad;

	shared = tgshm_get(drm, IPC_PRIVATE, 1, 0600);
	bad = in_threads(thread, NULL);
	test_row("threads on one file: each has a handle while it is attached", !bad, "%ld times not", bad);
	test_row("and nothing is left", !handles() && !attachments(shared) && open_files == 1, "%d handles, %lu, %d files",
		 handles(), attachments(shared), open_files);
	tgshm_ctl(shared, IPC_RMID, NULL);
}

/* Get, attach and let go of a volatile segment, or remove what has its key. Another may be faster. */
static void *volatile_thread(void *remove)
{
	struct tgshm_at at;
	intptr_t bad = 0;
	int i, id;

	for (i = 0; i < 3000; i++) {
		id = tgshm_get(drm, 8, 1, remove ? 0 : IPC_CREAT | TGSHM_VOLATILE | 0600);
		if (id < 0) {
			bad += !remove || errno != ENOENT;
		} else if (remove) {
			bad += tgshm_ctl(id, IPC_RMID, NULL) && errno != EINVAL;
		} else if (tgshm_at(drm, id, 0, &at)) {
			bad += errno != EINVAL;
		} else {
			bad += !!tgshm_dt(&at);
		}
	}
	return (void *)bad;
}

static void volatile_loops(void)
{
	const long bad = in_threads(volatile_thread, &shared);

	test_row("volatile segments beside rmid: found, or gone", !bad, "%ld times not", bad);
	test_row("and nothing is left", !books.nr && !handles() && open_files == 1, "%u segments, %d handles, %d files",
		 books.nr, handles(), open_files);
}

static void forks(void)
{
	int id = tgshm_get(drm, IPC_PRIVATE, 1, 0600), status;
	struct tgshm_at at;
	pid_t pid;

	test_row("at", !tgshm_at(drm, id, 0, &at), "errno %d", errno);
	pid = fork();
	if (!pid) {
		closed = 0;
		_exit(tgshm_dt(&at) ? 1 : closed ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	test_row("a child lets go, and leaves its parent's handle open", !status, "status %x", status);
	test_row("dt", !tgshm_dt(&at) && !handles(), "errno %d, %d handles", errno, handles());
	tgshm_ctl(id, IPC_RMID, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	shm_space_init(&space);
	drm = file_new(DRM, 0);
	arguments();
	sizes();
	refusals();
	races();
	threads();
	volatile_loops();
	forks();
	test_row("no segment is left", !books.nr, "%u", books.nr);
	return test_end();
}
