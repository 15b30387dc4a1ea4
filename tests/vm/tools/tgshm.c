// SPDX-License-Identifier: GPL-2.0
/*
 * tgshm - processes that share device memory by key, for the VM case `shm`.
 *
 *	tgshm write KEY MIB SEED	get the segment, or make it (mode 0600), and have the GPU write a
 *				pattern all over it, by copies from main memory
 *	tgshm read KEY MIB SEED	have the GPU copy it out; exit status 1 where a word is not the pattern's
 *	tgshm hold KEY		attach it, say `attached`, wait for a signal
 *	tgshm refused KEY UID	as that user: neither get, at, stat, set nor rmid is allowed, nor is it listed
 *	tgshm rmid KEY		remove it
 *	tgshm rules		what no model knows: flags, lifetimes, limits, arguments, namespaces; a row each
 *	tgshm leave KEY MIB	make one in an IPC namespace of its own, and end
 *	tgshm fuzz N SEED		N random calls of the device by each of four processes
 *
 * The GPU is a G92.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uapi/tgshm.h>
#include <xf86drm.h>

#include "m2mf.h"

#undef TGSHM_VOLATILE
#include <timegraph/shm.h>

#define MIB	(1u << 20)
#define CHUNK	(4 * MIB)	/* of one copy: lines of 4096 bytes */

static struct nouveau_bo *segment(int key, unsigned int mib, int flags, struct tgshm_at *at)
{
	struct nouveau_bo *bo = NULL;
	int id = tgshm_get(fd, key, (size_t)mib * MIB, flags);

	if (id < 0)
		die("get");
	if (tgshm_at(fd, id, 0, at))
		die("at");
	need("wrap", nouveau_bo_wrap(dev, at->handle, &bo));
	return bo;
}

static struct nouveau_bo *staging(void)
{
	struct nouveau_bo *bo = NULL;

	need("staging", nouveau_bo_new(dev, NOUVEAU_BO_GART | NOUVEAU_BO_MAP, 0, CHUNK, NULL, &bo));
	need("map", nouveau_bo_map(bo, NOUVEAU_BO_RDWR, client));
	return bo;
}

static int work(bool write, int key, unsigned int mib, uint32_t seed)
{
	struct nouveau_bo *shared, *stage;
	uint64_t wrong = 0;
	struct tgshm_at at;
	uint32_t i, chunk;
	uint32_t *words;

	open_channel();
	shared = segment(key, mib, write ? IPC_CREAT | 0600 : 0, &at);
	stage = staging();
	words = stage->map;
	for (chunk = 0; chunk < mib * MIB / CHUNK; chunk++) {
		for (i = 0; write && i < CHUNK / 4; i++)
			words[i] = pattern(seed, chunk * (CHUNK / 4) + i);
		if (write) {
			copy(stage, 0, shared, (uint64_t)chunk * CHUNK, CHUNK, 1);
			await(shared);
			continue;
		}
		memset(words, 0, CHUNK);
		copy(shared, (uint64_t)chunk * CHUNK, stage, 0, CHUNK, 1);
		await(stage);
		for (i = 0; i < CHUNK / 4; i++)
			wrong += words[i] != pattern(seed, chunk * (CHUNK / 4) + i);
	}
	if (write)
		printf("written\n");
	else
		printf("%llu words are wrong\n", (unsigned long long)wrong);
	nouveau_bo_ref(NULL, &shared);
	tgshm_dt(&at);
	return wrong ? 1 : 0;
}

static void become(int uid)
{
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		die("setuid");
}

static int failed;

static void row(const char *name, int ret, int error)
{
	const bool good = error ? ret == -1 && errno == error : ret >= 0;

	if (!good) {
		printf("# %s: %d, errno %d (%s), wanted %d\n", name, ret, errno, strerror(errno), error);
		failed = 1;
	}
}

static int ask(unsigned long request, void *arg)
{
	int device = open(TGSHM_DEVICE, O_RDWR | O_CLOEXEC), ret, error;

	if (device < 0)
		die(TGSHM_DEVICE);
	ret = ioctl(device, request, arg);
	error = errno;
	close(device);
	errno = error;
	return ret;
}

static int refused(int key, int uid)
{
	int id = tgshm_get(-1, key, 0, 0);
	struct tgshm_stat next = { 0 };
	struct shmid_ds ds = { 0 };
	struct tgshm_at at;

	open_gpu();
	if (id < 0)
		die("get as root");
	become(uid);
	row("get to read and write", tgshm_get(fd, key, 0, 0600), EACCES);
	row("get to read", tgshm_get(fd, key, 0, 0400), EACCES);
	row("at", tgshm_at(fd, id, 0, &at), EACCES);
	row("stat", tgshm_ctl(id, IPC_STAT, &ds), EACCES);
	row("set", tgshm_ctl(id, IPC_SET, &ds), EPERM);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), EPERM);
	row("next", ask(TGSHM_IOC_NEXT, &next), ENOENT);
	return failed;
}

static int hold(int key)
{
	struct tgshm_at at;

	open_gpu();
	if (tgshm_at(fd, tgshm_get(-1, key, 0, 0), 0, &at))
		die("at");
	printf("attached\n");
	fflush(stdout);
	pause();
	return 0;
}

/* Whole calls of the device that make no sense. */
static void wrong_calls(void)
{
	struct tgshm_get get = { .key = 77, .flags = IPC_CREAT | 0600, .size = PAGE, .buf = -1 };
	struct tgshm_buf buf = { .id = 5, .buf = 1 };
	struct tgshm_stat stat = { .id = -1 };
	int memory = memfd_create("not a dma-buf", MFD_CLOEXEC), device = open(TGSHM_DEVICE, O_RDWR);
	void *map;

	row("get without a buffer", ask(TGSHM_IOC_GET, &get), ENODATA);
	get.buf = 9999;
	row("a closed file descriptor", ask(TGSHM_IOC_GET, &get), EBADF);
	get.buf = memory;
	row("no dma-buf", ask(TGSHM_IOC_GET, &get), EINVAL);
	get.buf = -2;
	row("a buffer below -1", ask(TGSHM_IOC_GET, &get), EINVAL);
	get.buf = -1;
	get.flags |= 0x40000000;
	row("an unknown flag", ask(TGSHM_IOC_GET, &get), EINVAL);
	row("something where nothing is named", ask(TGSHM_IOC_BUF, &buf), EINVAL);
	row("a listing from below 0", ask(TGSHM_IOC_NEXT, &stat), EINVAL);
	stat.id = 1 << 30;
	row("a listing from beyond", ask(TGSHM_IOC_NEXT, &stat), ENOENT);
	row("no memory", ask(TGSHM_IOC_STAT, (void *)8), EFAULT);
	row("no such call", ask(_IO('g', 0x7f), NULL), ENOTTY);
	row("a longer call", ask(_IOC(_IOC_WRITE, 'g', 0x70, 4000), &get), ENOTTY);
	map = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_SHARED, device, 0);
	row("two pages", map == MAP_FAILED ? -1 : 0, EINVAL);
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device, 0);
	row("a mapping to read", map == MAP_FAILED ? -1 : 0, EINVAL);
	map = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE, device, 0);
	row("a private mapping", map == MAP_FAILED ? -1 : 0, EINVAL);
	map = mmap(NULL, PAGE, PROT_NONE, MAP_SHARED, device, PAGE);
	row("an odd page", map == MAP_FAILED ? -1 : 0, EINVAL);
	close(memory);
	close(device);
}

static unsigned long attachments(int id)
{
	struct shmid_ds ds = { .shm_nattch = 999 };

	return tgshm_ctl(id, IPC_STAT, &ds) ? 999 : ds.shm_nattch;
}

static void is(const char *name, unsigned long got, unsigned long wanted)
{
	if (got == wanted)
		return;
	printf("# %s: %lu, not %lu\n", name, got, wanted);
	failed = 1;
}

/* A buffer that another process has got from the driver is not this one's to give away. */
static void foreign(void)
{
	int id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600), status;
	struct tgshm_get get = { .flags = 0600, .size = PAGE };
	struct tgshm_buf buf = { .id = id };
	pid_t pid;

	row("its buffer", ask(TGSHM_IOC_BUF, &buf), 0);
	get.buf = buf.buf;
	row("twice a segment", ask(TGSHM_IOC_GET, &get), 0);
	row("rmid", tgshm_ctl(get.id, IPC_RMID, NULL), 0);
	get = (struct tgshm_get){ .flags = 0600, .size = PAGE + 1, .buf = buf.buf };
	row("more than the buffer has", ask(TGSHM_IOC_GET, &get), EINVAL);
	get.size = PAGE;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		failed = 0;
		row("another process's", ask(TGSHM_IOC_GET, &get), EPERM);
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	is("foreign", status, 0);
	close(buf.buf);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), 0);
}

/* What an attachment is, seen from inside. */
static void mappings(void)
{
	int id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600), status;
	struct tgshm_at at, twice;
	void *grown;
	pid_t pid;

	row("private", id, 0);
	row("at", tgshm_at(fd, id, 0, &at), 0);
	row("at again", tgshm_at(fd, id, 0, &twice), 0);
	is("attached twice", attachments(id), 2);
	is("one handle", twice.handle, at.handle);
	row("dt", tgshm_dt(&twice), 0);
	row("dt again", tgshm_dt(&twice), EINVAL);
	pid = fork();
	if (!pid) {
		/* The child's are not the parent's to lose. */
		_exit(attachments(id) == 2 && !tgshm_dt(&at) && attachments(id) == 1 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	is("a child has its parent's", status, 0);
	pid = fork();
	if (!pid)
		execl("/bin/busybox", "sleep", "100", NULL);
	usleep(500000);
	is("exec lets go", attachments(id), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	pid = fork();
	if (!pid) {
		mprotect(at.map, PAGE, PROT_READ | PROT_WRITE);
		*(volatile char *)at.map = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is("nothing can be written there", WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGBUS);
	grown = mremap(at.map, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	row("a mapping that grows", grown == MAP_FAILED ? -1 : 0, EFAULT);
	munmap(at.map, PAGE);
	is("unmapped", attachments(id), 0);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), 0);
	row("gone", tgshm_ctl(id, IPC_RMID, NULL), EINVAL);
}

static void lifetimes(void)
{
	int id = tgshm_get(fd, 78, PAGE, IPC_CREAT | 0600 | TGSHM_VOLATILE);
	struct shmid_ds ds;
	struct tgshm_at at;

	row("volatile", id, 0);
	is("found before it is attached", tgshm_get(-1, 78, 0, 0), id);
	row("no file", tgshm_at(-1, id, 0, &at), EBADF);
	is("found after an attachment that has failed", tgshm_get(-1, 78, 0, 0), id);
	row("at", tgshm_at(fd, id, 0, &at), 0);
	row("dt", tgshm_dt(&at), 0);
	row("gone with its last attachment", tgshm_get(-1, 78, 0, 0), ENOENT);
	row("its id too", tgshm_at(fd, id, 0, &at), EINVAL);

	id = tgshm_get(fd, 78, PAGE, IPC_CREAT | IPC_EXCL | 0600);
	row("made again", id, 0);
	row("read only", tgshm_at(fd, id, SHM_RDONLY, &at), EOPNOTSUPP);
	row("another flag", tgshm_at(fd, id, 1 << 20, &at), EINVAL);
	row("no file", tgshm_at(-1, id, 0, &at), EBADF);
	is("what failed is not attached", attachments(id), 0);
	row("at", tgshm_at(fd, id, 0, &at), 0);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), 0);
	row("it lives", tgshm_ctl(id, IPC_STAT, &ds), 0);
	is("and is doomed", ds.shm_perm.mode & 01000, 01000);
	row("no key finds it", tgshm_get(-1, 78, 0, 0), ENOENT);
	row("dt", tgshm_dt(&at), 0);
	row("gone", tgshm_ctl(id, IPC_STAT, &ds), EINVAL);
	row("no such command", tgshm_ctl(id, 4711, &ds), EINVAL);
	row("more than there is", tgshm_get(fd, 78, 1ull << 40, IPC_CREAT | 0600), ENOMEM);
	row("more than there can be", tgshm_get(fd, 78, ~0ull, IPC_CREAT | 0600), ENOMEM);
}

/* Get, attach and let go of a volatile segment, or remove what has its key. Another may be faster. */
static int volatile_loop(bool remove)
{
	struct tgshm_at at;
	int i, id, bad = 0;

	for (i = 0; i < 10; i++) {
		id = tgshm_get(fd, 81, PAGE, remove ? 0 : IPC_CREAT | TGSHM_VOLATILE | 0600);
		if (id < 0)
			bad |= !remove || errno != ENOENT;
		else if (remove)
			bad |= tgshm_ctl(id, IPC_RMID, NULL) && errno != EINVAL;
		else if (tgshm_at(fd, id, 0, &at))
			bad |= errno != EINVAL;
		else
			bad |= !!tgshm_dt(&at);
	}
	return bad;
}

static void volatile_loops(void)
{
	int child, status;

	fflush(stdout);
	for (child = 0; child < 4; child++)
		if (!fork()) {
			/* A DRM file of its own: handles of a shared one are another's to close */
			fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
			_exit(fd < 0 || volatile_loop(child % 2));
		}
	while (wait(&status) > 0)
		is("volatile segments beside rmid: found, or gone", status, 0);
	row("and nothing is left", tgshm_get(-1, 81, 0, 0), ENOENT);
}

/* 128 of a user's, and those of another one beside them. */
static void limits(void)
{
	int i, id, ids[TGSHM_PER_USER], status;
	pid_t pid;

	for (i = 0; i < TGSHM_PER_USER; i++) {
		ids[i] = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600);
		if (ids[i] < 0)
			row("as many as may be", ids[i], 0);
	}
	row("one too many", tgshm_get(fd, IPC_PRIVATE, PAGE, 0600), ENOSPC);
	pid = fork();
	if (!pid) {
		become(1001);
		id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600);
		_exit(id >= 0 && !tgshm_ctl(id, IPC_RMID, NULL) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	is("another user's", status, 0);
	for (i = 0; i < TGSHM_PER_USER; i++)
		row("rmid", tgshm_ctl(ids[i], IPC_RMID, NULL), 0);
}

/* The books of the card's 256 MiB have 240: one user gets a half, all but root three quarters. */
static void parts(void)
{
	static const struct {
		const char *name;
		int uid, mib, error;
	} rows[] = {
		{ "less than half", 1001, 112, 0 },
		{ "more than half", 1001, 16, ENOSPC },
		{ "another user's", 1002, 56, 0 },
		{ "more than three quarters", 1002, 16, ENOSPC },
		{ "root's", 0, 16, 0 },
	};
	int ids[5], i;

	for (i = 0; i < 5; i++) {
		if (seteuid(rows[i].uid))
			die("seteuid");
		ids[i] = tgshm_get(fd, IPC_PRIVATE, (size_t)rows[i].mib * MIB, 0600);
		row(rows[i].name, ids[i], rows[i].error);
		if (seteuid(0))
			die("seteuid");
	}
	for (i = 0; i < 5; i++)
		if (ids[i] >= 0)
			row("rmid", tgshm_ctl(ids[i], IPC_RMID, NULL), 0);
}

/* A process that cannot be told the id of a segment has made none. */
static void untold(void)
{
	int id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600);
	struct tgshm_get *get = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tgshm_buf buf = { .id = id };

	row("its buffer", ask(TGSHM_IOC_BUF, &buf), 0);
	*get = (struct tgshm_get){ .key = 80, .flags = TGSHM_CREAT | 0600, .size = PAGE, .buf = buf.buf };
	mprotect(get, PAGE, PROT_READ);
	row("an answer that cannot be written", ask(TGSHM_IOC_GET, get), EFAULT);
	row("leaves nothing", tgshm_get(-1, 80, 0, 0), ENOENT);
	mprotect(get, PAGE, PROT_READ | PROT_WRITE);
	row("one that can", ask(TGSHM_IOC_GET, get), 0);
	row("rmid", tgshm_ctl(get->id, IPC_RMID, NULL), 0);
	close(buf.buf);
	munmap(get, PAGE);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), 0);
}

static void namespaces(void)
{
	int id = tgshm_get(fd, 79, PAGE, IPC_CREAT | 0600), status;
	struct tgshm_at at;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		failed = 0;
		if (tgshm_at(fd, id, 0, &at) || unshare(CLONE_NEWIPC))
			_exit(2);
		/* It is another one's now, and can be let go of. */
		row("no key of another namespace", tgshm_get(-1, 79, 0, 0), ENOENT);
		row("no id", tgshm_ctl(id, IPC_RMID, NULL), EINVAL);
		row("one of its own", tgshm_get(fd, 79, PAGE, IPC_CREAT | IPC_EXCL | 0600), 0);
		row("dt", tgshm_dt(&at), 0);
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	is("namespaces", status, 0);
	is("let go of", attachments(id), 0);
	row("rmid", tgshm_ctl(id, IPC_RMID, NULL), 0);
}

/* Namespaces that live on, each with a segment that has gone. */
static void many_namespaces(void)
{
	int made, id = 0, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		failed = 0;
		for (made = 0; made <= TGSHM_PER_USER && id >= 0; made++) {
			if (unshare(CLONE_NEWIPC) || open("/proc/self/ns/ipc", O_RDONLY) < 0)
				_exit(2);
			id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600);
			if (id >= 0)
				row("rmid there", tgshm_ctl(id, IPC_RMID, NULL), 0);
		}
		row("a namespace too many", id, ENOSPC);
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	is("many namespaces", status, 0);
}

static int rules(void)
{
	open_gpu();
	wrong_calls();
	foreign();
	mappings();
	lifetimes();
	volatile_loops();
	limits();
	parts();
	untold();
	if (!access("/proc/self/ns/ipc", F_OK)) {
		namespaces();
		many_namespaces();
	}
	return failed;
}

/* Random calls, half of them with something that makes sense, by four processes at once. */
static int fuzz(unsigned long n, unsigned int seed)
{
	static const unsigned long calls[] = {
		TGSHM_IOC_GET, TGSHM_IOC_BUF, TGSHM_IOC_STAT, TGSHM_IOC_SET, TGSHM_IOC_RMID,
		TGSHM_IOC_NEXT,
	};
	int device, shared = -1, child;
	struct tgshm_buf buf = { 0 };
	uint32_t words[64];
	unsigned long i, k;
	void *map;

	for (child = 3; child; child--)
		if (!fork())
			break;
	device = open(TGSHM_DEVICE, O_RDWR | O_CLOEXEC);
	open_gpu();
	srand(seed + child);
	buf.id = tgshm_get(fd, IPC_PRIVATE, PAGE, 0600);
	if (!ioctl(device, TGSHM_IOC_BUF, &buf))
		shared = buf.buf;
	for (i = 0; i < n; i++) {
		for (k = 0; k < 64; k++)
			words[k] = (uint32_t)rand() * (rand() % 4 ? 0 : 2654435761u) + rand() % 8;
		if (rand() % 2) {
			words[2] = PAGE;
			words[3] = 0;
			words[4] = rand() % 2 ? (uint32_t)shared : ~0u;
			words[5] = 0;
		}
		k = rand() % 8 ? calls[rand() % 6] : (unsigned long)rand();
		if (!ioctl(device, k, rand() % 64 ? (void *)words : (void *)(uintptr_t)rand()) &&
		    k == TGSHM_IOC_BUF)
			close(words[1]);
		map = mmap(NULL, PAGE, PROT_NONE, MAP_SHARED, device,
			   tgshm_offset(rand() % 16 + (rand() % 3 ? 0 : TGSHM_SLOTS), PAGE));
		if (map != MAP_FAILED && rand() % 8)
			munmap(map, PAGE);
		if (i % 1000 == 999 && !fork())
			_exit(0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	if (child)
		_exit(0);
	while (wait(NULL) > 0)
		;
	memset(words, 0, sizeof(words));
	while (!ioctl(device, TGSHM_IOC_NEXT, words)) {
		k = words[0];
		ioctl(device, TGSHM_IOC_RMID, words);
		memset(words, 0, sizeof(words));
		words[0] = (k & (TGSHM_SLOTS - 1)) + 1;
	}
	return 0;
}

static int leave(int key, unsigned int mib)
{
	open_gpu();
	if (unshare(CLONE_NEWIPC))
		die("unshare");
	if (tgshm_get(fd, key, (size_t)mib * MIB, IPC_CREAT | 0600) < 0)
		die("get");
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const int key = argc > 2 ? atoi(argv[2]) : 0, third = argc > 3 ? atoi(argv[3]) : 0;

	setenv("NOUVEAU_LIBDRM_OUT", "/dev/null", 0);
	if (!strcmp(what, "write") || !strcmp(what, "read"))
		return work(*what == 'w', key, third, argc > 4 ? atoi(argv[4]) : 0);
	if (!strcmp(what, "hold"))
		return hold(key);
	if (!strcmp(what, "refused"))
		return refused(key, third);
	if (!strcmp(what, "rmid"))
		return tgshm_ctl(tgshm_get(-1, key, 0, 0), IPC_RMID, NULL) ? 1 : 0;
	if (!strcmp(what, "rules"))
		return rules();
	if (!strcmp(what, "leave"))
		return leave(key, third);
	if (!strcmp(what, "fuzz"))
		return fuzz(key, third);
	fprintf(stderr, "usage: see the head of tests/vm/tools/tgshm.c\n");
	return 2;
}
