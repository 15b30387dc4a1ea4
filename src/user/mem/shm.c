// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The books in shared memory, without a daemon: the schedGPU paper's shared memory approach
 * (section 3.2), its life cycle (section 4) and its four orders (section 5). A baseline beside
 * tgd. lock.c and mutex.c have its two ways to synchronise. Called by api.c through them, in any
 * thread.
 *
 * From the paper:
 *	total memory, itemised used memory, and the queue with priorities are in the shared
 *	memory. (The total used is the sum of the items, so it cannot differ from them.)
 *	Backup and recovery: there are two copies. A program that changes the books changes the
 *	one that does not hold, sums it up, and makes it hold by one store. So a program that is
 *	killed at any point leaves whole books, and those before its last change as a backup.
 *	Integrity check: a program that begins compares the sum. If it is wrong, the backup holds;
 *	if that is wrong, too, the books begin anew, and each program enters at its next call what
 *	it holds.
 *	Sweep of the dead: a program that waits, and one that ends, looks which others still live.
 *
 * A program lives while it locks a byte of the file: that ends with the process however that
 * ends, and when it executes another program, is not inherited by a child, and needs no
 * comparison of process numbers.
 *
 * What the paper's approach cannot do: a program that is stopped (SIGSTOP) while it changes the
 * books stops all others, and any program of the user can write what it likes into them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../client/place.h"
#include "shm.h"

#define LOOK_MS	50	/* a program that waits looks so often for the dead */

static const struct shm_sync *sync_by;
static struct shm *shm;
static int file = -1;
static struct stat opened;	/* of @file, as it was opened */
static uint32_t me;		/* this program's number */

/**
 * shm_lock_byte() - lock or unlock a byte of the file, or ask
 *
 * Return: 0 or a negative errno; F_GETLK: the type.
 */
int shm_lock_byte(int fd, int command, short type, off_t byte)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int ret;

	do {
		ret = fcntl(fd, command, &l);
	} while (ret && errno == EINTR);
	if (ret)
		return -errno;
	return command == F_GETLK ? l.l_type : 0;
}

/* --- the books: under the lock --- */

static uint64_t sum_of(const struct shm_copy *c)
{
	const uint64_t *word = &c->sum + 1, *end = (const uint64_t *)(c + 1);
	uint64_t sum = SHM_MAGIC;

	for (; word != end; word++)
		sum = (sum ^ *word) * 0x9e3779b97f4a7c15u + (sum >> 29);
	return sum;
}

/* Return: its index; -1: there is no room for another. */
static int device_index(struct shm_copy *c, const struct device *d)
{
	uint32_t i;

	for (i = 0; i < c->nr_devices && strcmp(c->device[i].key, d->key); i++)
		;
	if (i == SHM_DEVICES)
		return -1;
	if (i == c->nr_devices) {
		strcpy(c->device[i].key, d->key);
		c->device[i].size = 0;
		c->nr_devices++;
	}
	if (c->device[i].size < d->size)
		c->device[i].size = d->size;	/* the largest counts, as with tgd */
	return i;
}

static void remove_program(struct shm_copy *c, uint32_t program)
{
	int i;

	memset(&c->program[program], 0, sizeof(c->program[program]));
	for (i = 0; i < SHM_WAITERS; i++)
		if (c->waiter[i].program == program)
			memset(&c->waiter[i], 0, sizeof(c->waiter[i]));
}

/* What this program holds, it knows better than books that were recovered. */
static void enter_own(struct shm_copy *c, bool anew)
{
	struct device *d;
	uint64_t held;
	int i;

	if (anew || c->program[me].pid != (uint32_t)getpid()) {
		remove_program(c, me);
		c->program[me].pid = getpid();
	}
	for (d = devices_first(); d; d = d->next) {
		held = __atomic_load_n(&d->held, __ATOMIC_RELAXED);
		i = held || c->nr_devices ? device_index(c, d) : -1;
		if (i >= 0)
			c->program[me].held[i] = held;
	}
}

/* The dead give back what they had. Return: are there others? */
static bool sweep(struct shm_copy *c)
{
	bool others = false;
	uint32_t i;

	for (i = 0; i < SHM_PROGRAMS; i++) {
		if (i == me || !c->program[i].pid)
			continue;
		if (shm_lock_byte(file, F_GETLK, F_WRLCK, 1 + i) == F_UNLCK)
			remove_program(c, i);
		else
			others = true;
	}
	return others;
}

static uint64_t left(const struct shm_copy *c, uint32_t device)
{
	const uint64_t size = c->device[device].size;
	uint64_t used = 0;
	int i;

	for (i = 0; i < SHM_PROGRAMS; i++)
		used += c->program[i].held[device];
	for (i = 0; i < SHM_WAITERS; i++)
		if (c->waiter[i].granted && c->waiter[i].device == device)
			used += c->waiter[i].bytes;
	return used < size ? size - used : 0;
}

/* The request that may go next, by the order; NULL: none fits, or none may. */
static struct shm_waiter *next_of(struct shm_copy *c, uint32_t device)
{
	const bool by_priority = c->order > 2, passes = c->order == 2 || c->order == 4;
	const uint64_t room = left(c, device);
	struct shm_waiter *w, *best = NULL;
	int32_t highest = INT32_MIN;

	for (w = c->waiter; w < c->waiter + SHM_WAITERS; w++)
		if (w->number && !w->granted && w->device == device && w->priority > highest)
			highest = w->priority;
	for (w = c->waiter; w < c->waiter + SHM_WAITERS; w++) {
		if (!w->number || w->granted || w->device != device ||
		    (by_priority && w->priority < highest) || (passes && w->bytes > room))
			continue;
		if (!best || w->number < best->number)
			best = w;
	}
	return best && best->bytes <= room ? best : NULL;
}

static void serve(struct shm_copy *c)
{
	struct shm_waiter *w;
	uint32_t i;

	for (i = 0; i < c->nr_devices; i++)
		while ((w = next_of(c, i)))
			w->granted = 1;
}

/* --- a change --- */

/* A program that closes what it does not know has perhaps given the number to another file. */
static bool still_open(void)
{
	struct stat st;

	return !fstat(file, &st) && st.st_ino == opened.st_ino && st.st_dev == opened.st_dev;
}

static bool whole(const struct shm_copy *c)
{
	return c->sum == sum_of(c);
}

static void clear(void)
{
	memset(shm->copy, 0, sizeof(shm->copy));
	shm->current = 0;
	shm->copy[0].order = 1;
	shm->copy[0].sum = sum_of(&shm->copy[0]);
}

/* The integrity check of a program that begins, and what follows from it */
static void check(void)
{
	const uint32_t current = shm->current & 1;

	if (whole(&shm->copy[current]))
		return;
	if (whole(&shm->copy[!current]))
		shm->current = !current;
	else
		clear();
}

/* Lock, and copy; @anew: this program begins. Return: the copy to be changed; NULL: a negative errno in @ret. */
static struct shm_copy *begin(int *ret, bool anew)
{
	struct shm_copy *draft;

	*ret = still_open() ? sync_by->lock(shm, file) : -EBADF;
	if (*ret)
		return NULL;
	if (anew)
		check();
	draft = &shm->copy[!(shm->current & 1)];
	memcpy(draft, &shm->copy[shm->current & 1], sizeof(*draft));
	enter_own(draft, anew);
	return draft;
}

/* From here on the copy holds. Wakes those whose requests were granted, and unlocks. */
static void commit(struct shm_copy *draft)
{
	const struct shm_copy *before = &shm->copy[shm->current & 1];
	const struct shm_waiter *w;
	int i;

	draft->sum = sum_of(draft);
	__atomic_store_n(&shm->current, draft - shm->copy, __ATOMIC_RELEASE);
	for (i = 0; i < SHM_WAITERS; i++) {
		w = &draft->waiter[i];
		if (w->granted && !before->waiter[i].granted && w->program < SHM_PROGRAMS)
			sync_by->wake(shm, draft->program[w->program].pid, w->tid);
	}
	sync_by->unlock(shm, file);
}

/* --- begin and end --- */

static int read_order(uint32_t *order)
{
	const char *text = secure_getenv("TG_MEM_ORDER");

	*order = 1;
	if (!text || !*text)
		return 0;
	if (*text < '1' || *text > '4' || text[1]) {
		fprintf(stderr, "timegraph: TG_MEM_ORDER: '%s' is no order, 1 to 4\n", text);
		return -EINVAL;
	}
	*order = *text - '0';
	return 0;
}

/* The file, in a directory that is this user's alone */
static int open_file(void)
{
	char path[4096], why[TGU_WHY];
	int place = 0, fd, ret;
	struct stat st;

	tgu_rundir(&place, "/dev/shm", path, sizeof(path) - 16);
	ret = tgu_rundir_make(path, 0700, why);
	if (ret)
		return ret;
	sprintf(path + strlen(path), "/%s", sync_by->file);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	return -EPERM;
}

/* Return: 0 or a negative errno: a wrong answer would end the books of all. */
static int read_boot(char boot[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC), ret = 0;
	ssize_t len;

	if (fd < 0)
		return -errno;
	memset(boot, 0, 40);
	len = read(fd, boot, 36);
	if (len != 36)
		ret = len < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

/* A file that is new, or was left before the machine was started anew: under the file's lock */
static int make(void)
{
	char boot[40];
	int ret = read_boot(boot);

	if (ret)
		return ret;
	if (shm->magic == SHM_MAGIC && !memcmp(shm->boot, boot, sizeof(boot)))
		return 0;
	shm->magic = 0;
	memcpy(shm->boot, boot, sizeof(boot));
	clear();
	ret = sync_by->init(shm);
	if (!ret)
		__atomic_store_n(&shm->magic, SHM_MAGIC, __ATOMIC_RELEASE);
	return ret;
}

/* Map the file, make it if need be, and take a number; under the file's lock */
static int attach(void)
{
	int ret = 0;

	if (opened.st_size < (off_t)sizeof(*shm))
		ret = -posix_fallocate(file, 0, sizeof(*shm));
	if (ret)
		return ret;
	shm = mmap(NULL, sizeof(*shm), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shm == MAP_FAILED) {
		shm = NULL;
		return -errno;
	}
	ret = make();
	if (ret)
		return ret;
	for (me = 0; me < SHM_PROGRAMS; me++)
		if (!shm_lock_byte(file, F_SETLK, F_WRLCK, 1 + me))
			return 0;
	return -EUSERS;
}

/* The byte of this program is unlocked by it */
static void detach(void)
{
	if (shm)
		munmap(shm, sizeof(*shm));
	shm = NULL;
	if (still_open())
		close(file);
	file = -1;
}

/** shm_open_books() - begin. Under api.c's lock */
int shm_open_books(const struct shm_sync *sync)
{
	struct shm_copy *c;
	uint32_t order;
	int ret;

	sync_by = sync;
	ret = read_order(&order);
	if (ret)
		return ret;
	file = open_file();
	if (file < 0)
		return file;
	/*
	 * Programs begin one after the other: one that has its number and has not entered yet would
	 * be taken for the one before, which had that number.
	 */
	ret = fstat(file, &opened) ? -errno : shm_lock_byte(file, F_SETLKW, F_WRLCK, 0);
	if (!ret)
		ret = attach();
	c = ret ? NULL : begin(&ret, true);
	if (c && !sweep(c)) {
		/* What programs of before have said of devices goes with them. */
		memset(c->device, 0, sizeof(c->device));
		c->nr_devices = 0;
		c->order = order;
	}
	if (c)
		commit(c);
	shm_lock_byte(file, F_SETLK, F_UNLCK, 0);
	if (!c)
		detach();
	return ret;
}

/** shm_close_books() - end. Under api.c's lock, and nobody waits */
void shm_close_books(void)
{
	struct shm_copy *c;
	struct device *d;
	int ret;

	for (d = devices_first(); d; d = d->next)
		d->held = 0;
	c = begin(&ret, false);
	if (c) {
		remove_program(c, me);
		sweep(c);
		serve(c);
		commit(c);
	}
	detach();
}

/** shm_fork_child() - the child is no program of the books; its parent goes on with the file */
void shm_fork_child(void)
{
	struct device *d;

	for (d = devices_first(); d; d = d->next)
		d->held = 0;
	sync_by->fork_child();
	detach();
}

/* --- memory --- */

static struct shm_waiter *queue_up(struct shm_copy *c, struct shm_waiter *mine)
{
	struct shm_waiter *w, *none = NULL;

	for (w = c->waiter; w < c->waiter + SHM_WAITERS; w++) {
		if (mine->number && w->number == mine->number && w->program == me)
			return w;
		if (!w->number && !none)
			none = w;
	}
	if (none) {
		mine->number = ++c->last;
		*none = *mine;
	}
	return none;
}

/*
 * One look at the books. @why: the wait ends with that, if there is no room. Return: -EINPROGRESS:
 * wait.
 */
static int look(struct shm_copy *c, struct device *d, struct shm_waiter *mine, int why)
{
	const int i = device_index(c, d);
	struct shm_waiter *w;
	int ret;

	if (i < 0)
		return -ENOSPC;
	mine->device = i;
	w = queue_up(c, mine);
	if (!w)
		return -ENOSPC;
	serve(c);
	if (!w->granted) {
		sweep(c);
		serve(c);
	}
	ret = w->granted ? 0 : why ? why : -EINPROGRESS;
	if (!w->granted && (c->program[me].held[i] > c->device[i].size ||
			    w->bytes > c->device[i].size - c->program[me].held[i]))
		ret = -ENOMEM;
	if (ret == -EINPROGRESS)
		return ret;
	if (!ret) {
		c->program[me].held[i] += w->bytes;
		__atomic_add_fetch(&d->held, w->bytes, __ATOMIC_RELAXED);
	}
	memset(w, 0, sizeof(*w));
	if (ret)
		serve(c);	/* it may have been in the way */
	return ret;
}

static int wait_for(struct device *d, struct shm_waiter *mine, int waits, int64_t until)
{
	struct shm_copy *c;
	int64_t ms;
	uint32_t seen;
	int why = 0, ret;

	for (;;) {
		if (!why && tgu_now() >= until)
			why = -ETIMEDOUT;
		c = begin(&ret, false);
		if (!c)
			return ret;
		ret = look(c, d, mine, why);
		seen = sync_by->seen(shm);
		commit(c);
		if (ret != -EINPROGRESS)
			return ret;
		ms = (until - tgu_now()) / 1000000 + 1;
		if (ms > 0 && !sync_by->sleep(shm, waits, seen, ms < LOOK_MS ? ms : LOOK_MS))
			why = -EINTR;
	}
}

/** shm_request() - as struct books; in any thread */
int shm_request(struct device *d, uint64_t bytes, int64_t until)
{
	struct shm_waiter mine = {
		.bytes = bytes, .program = me, .tid = syscall(SYS_gettid),
		.priority = -getpriority(PRIO_PROCESS, 0),
	};
	sigset_t mask;
	int waits = sync_by->prepare(&mask), ret;

	ret = wait_for(d, &mine, waits, until);
	sync_by->finish(waits, &mask);
	return ret;
}

/** shm_release() - as struct books; in any thread */
void shm_release(struct device *d, uint64_t bytes)
{
	int ret;
	struct shm_copy *c = begin(&ret, false);	/* which enters what is held now */

	if (!c)
		return;
	serve(c);
	commit(c);
}
