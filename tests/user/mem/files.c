// SPDX-License-Identifier: GPL-2.0
/*
 * The file of the books in shared memory: programs that die inside a change, damage, and what is
 * not ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../src/user/mem/shm.h"
#include "mem.h"

static char path[128];

static struct shm *map(int *fd)
{
	struct shm *shm;

	*fd = open(path, O_RDWR | O_CLOEXEC);
	shm = mmap(NULL, sizeof(*shm), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (shm == MAP_FAILED)
		_exit(99);
	return shm;
}

/* --- inside a change --- */

static int dies_inside(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_len = 1 };
	struct shm *shm;
	int fd;

	shm = map(&fd);
	if (strcmp(kind, "mutex") ? fcntl(fd, F_SETLKW, &l) : pthread_mutex_lock(&shm->mutex))
		return 1;
	memset(&shm->copy[!(shm->current & 1)], 0xa5, sizeof(shm->copy[0]) / 2);
	kill(getpid(), SIGKILL);
	return 2;
}

/* Does each byte count but what @p holds, and no more? */
static bool left_is(uint64_t bytes)
{
	return probe(bytes, 0, 0) && probe(bytes + 1, 0, -EAGAIN);
}

static void inside(void)
{
	struct program a = program("a", 0), b = program("b", 0);

	alloc(&a, 60 MIB, 0);
	order_alloc(&b, 60 MIB, -1);
	usleep(20000);
	row_is("a program dies inside a change", run(dies_inside), -1);
	row_is("another one waits as before", said(&b, 100), NOTHING);
	release(&a, 60 MIB);
	row_is("and gets what comes back", said(&b, 5000), 0);
	row("all is right in the books", left_is(40 MIB), "it is not");
	finish(&a);
	finish(&b);
}

/* --- damage --- */

static bool both_copies;

/* In the copy that holds, or in both */
static int damages(void)
{
	struct shm *shm;
	int fd;

	shm = map(&fd);
	memset(&shm->copy[shm->current & 1].program, 0x5a, 500);
	if (both_copies)
		memset(&shm->copy[!(shm->current & 1)].waiter, 0x5a, 500);
	return 0;
}

static void damaged(const char *name, bool both)
{
	struct program a = program("a", 0), b;

	alloc(&a, 50 MIB, 0);
	alloc(&a, 10 MIB, 0);
	both_copies = both;
	run(damages);
	b = program("b", 0);
	alloc(&b, 1, 0);	/* it begins, and finds it */
	alloc(&a, 1 MIB, 0);	/* and this one enters what it holds */
	row(name, left_is(39 MIB - 1), "not all is as it was");
	finish(&b);
	finish(&a);
}

/* The whole file is noise, from a program of another time: nobody lives. */
static int noise(void)
{
	unsigned char *byte;
	size_t i;
	int fd;

	byte = (unsigned char *)map(&fd);
	for (i = 0; i < sizeof(struct shm); i++)
		byte[i] = rand();
	return 0;
}

/* As a machine leaves it that goes down while a program is inside a change, where the directory is on a disk */
static int other_boot(void)
{
	struct shm *shm;
	int fd;

	shm = map(&fd);
	shm->boot[3]++;
	shm->copy[shm->current & 1].program[5].held[0] = 7;
	return strcmp(kind, "mutex") ? 0 : pthread_mutex_lock(&shm->mutex);
}

/* --- not ours --- */

static int begins(void)
{
	return -tg_mem_init(0);
}

/* Room for one descriptor more, which the file takes: none is left to read which boot this is */
static int short_of_descriptors(void)
{
	const int next = dup(0);
	const struct rlimit limit = { next + 1, next + 1 };

	close(next);
	return setrlimit(RLIMIT_NOFILE, &limit) ? 99 : begins();
}

static void no_boot(void)
{
	struct program a = program("a", 0);

	alloc(&a, 60 MIB, 0);
	row_is("a program without descriptors does not begin", run(short_of_descriptors), EMFILE);
	row("and leaves the books as they were", left_is(40 MIB), "they are not");
	finish(&a);
}

static void foreign(void)
{
	char link[160], folder[128];

	snprintf(folder, sizeof(folder), "%s/timegraph", dir);
	snprintf(link, sizeof(link), "%s/elsewhere", dir);
	chmod(path, 0644);
	row_is("a file that others may read", run(begins), EPERM);
	unlink(path);
	if (symlink(link, path))
		perror(path);
	row_is("a link", run(begins), EPERM);
	unlink(path);
	mkdir(path, 0700);
	row_is("a directory in its place", run(begins), EISDIR);
	rmdir(path);
	chmod(folder, 0777);
	row_is("a directory that others may write", run(begins), EPERM);
	chmod(folder, 0700);
	row_is("and all right again", run(begins), 0);
}

/*
 * Two places are another user's: XDG_RUNTIME_DIR, as with `sudo -E`, and the directory below
 * /dev/shm, which that user has made first. In a mount name space. Return: which rows fail, a bit
 * each.
 */
static int elsewhere(void)
{
	const uid_t other = 12345;
	int failed;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL) ||
	    mount("none", "/dev/shm", "tmpfs", 0, NULL) ||
	    mkdir("/run/user", 0755) || mkdir("/run/user/0", 0700) || mkdir("/run/other", 0700) ||
	    mkdir("/dev/shm/timegraph-0", 0700) || chown("/run/other", other, other) ||
	    chown("/dev/shm/timegraph-0", other, other))
		return 7;
	setenv("XDG_RUNTIME_DIR", "/run/other", 1);
	failed = tg_mem_init(0) || !access("/run/other/timegraph", F_OK);
	tg_mem_fini();
	unsetenv("XDG_RUNTIME_DIR");
	failed |= (tg_mem_init(0) || access("/run/user/0/timegraph", F_OK)) << 1;
	tg_mem_fini();
	rename("/run/user/0", "/run/user/away");
	return failed | (tg_mem_init(0) != -EPERM) << 2;
}

static void others(void)
{
	int failed;

	if (geteuid()) {
		printf("# not root: nothing of several users\n");
		return;
	}
	failed = run(elsewhere);
	row("XDG_RUNTIME_DIR of another user is not used", !(failed & 1), "it is");
	row("/run/user/UID comes before /dev/shm", !(failed & 2), "it does not");
	row("where another user has made the directory", !(failed & 4), "it is used");
}

/* --- many --- */

static int nine_devices(void)
{
	char table[512] = "", name[16];
	int i, ret;

	for (i = 0; i < 9; i++)
		sprintf(table + strlen(table), "test:%d=1M;", i);
	setenv("TG_MEM_DEVICES", table, 1);
	unlink(path);
	tg_mem_init(0);
	for (i = 0; i < 9; i++) {
		sprintf(name, "test:%d", i);
		ret = tg_mem_pre_alloc(name, 1, 0);
		if (ret)
			return i == 8 ? -ret : 200 + i;
	}
	return 0;
}

/* Its device is twice as large as it is, by its own word; then it ends, or is killed */
static int says_more(void)
{
	char table[64];

	sprintf(table, "%s=%d", card, 2 * SIZE);
	setenv("TG_MEM_DEVICES", table, 1);
	return -tg_mem_init(0) ?: -tg_mem_pre_alloc(card, 1, 0);
}

static void of_before(void)
{
	struct program a, b;

	row_is("a program that says too much of a device", run(says_more), 0);
	a = program("a", 0);
	b = program("b", 0);
	alloc(&a, 60 MIB, 0);
	row_is("counts no more once nobody is left", alloc(&b, 60 MIB, 0), -EAGAIN);
	finish(&a);
	finish(&b);
	run(nine_devices);
	row("nor do its eight devices", probe(1, 0, 0), "there is room for no other");
}

static int closes_all(void)
{
	tg_mem_init(0);
	close_range(3, ~0U, 0);
	return -tg_mem_pre_alloc(card, 1, 0);
}

static void many(void)
{
	struct program p[SHM_PROGRAMS];
	int i, good = 0;

	for (i = 0; i < SHM_PROGRAMS; i++) {
		p[i] = program("p", 0);
		good += !alloc(&p[i], 1, 0);
	}
	row_is("128 programs begin", good, SHM_PROGRAMS);
	row_is("the next one does not", run(begins), EUSERS);
	killed(&p[77]);
	row_is("but when one has been killed", run(begins), 0);
	for (i = 0; i < SHM_PROGRAMS; i++)
		if (i != 77)
			kill(p[i].pid, SIGKILL);
	for (i = 0; i < SHM_PROGRAMS; i++)
		if (i != 77)
			killed(&p[i]);
}

void files(void)
{
	if (tgd_pid())
		return;
	snprintf(path, sizeof(path), "%s/timegraph/mem-%s", dir, kind);
	inside();
	damaged("a damaged copy: the backup holds", false);
	damaged("two: the books begin anew, and programs enter what they hold", true);
	run(noise);
	row("a file of noise", probe(SIZE, 0, 0), "it does not begin anew");
	run(other_boot);
	row("a file of another boot, locked", probe(SIZE, 0, 0), "it does not begin anew");
	no_boot();
	many();
	row_is("a program that has closed all descriptors", run(closes_all), EBADF);
	row_is("eight devices, no ninth", run(nine_devices), ENOSPC);
	of_before();
	foreign();
	others();
}
