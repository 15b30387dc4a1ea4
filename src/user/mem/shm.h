/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The books in shared memory: what lies there, and what lock.c and mutex.c have in their own way.
 */
#ifndef TG_MEM_SHM_H
#define TG_MEM_SHM_H

#include <sys/types.h>

#include "mem.h"

#define SHM_MAGIC	0x314d4754u	/* "TGM1"; another layout has another */
#define SHM_DEVICES	8
#define SHM_PROGRAMS	128
#define SHM_WAITERS	128

/**
 * struct shm_program - a program, and what it holds; its number's byte of the file is locked while it lives
 * @pid: 0: there is none
 * @none: 0
 * @held: bytes, of each device
 */
struct shm_program {
	uint32_t pid, none;
	uint64_t held[SHM_DEVICES];
};

/**
 * struct shm_waiter - a request that waits, or was granted and not yet fetched
 * @number: in the order of arrival; 0: there is none
 * @bytes: how many
 * @program: whose
 * @device: of which
 * @tid: the thread that waits
 * @priority: its nice value, times -1
 * @granted: it counts as held
 * @none: 0
 */
struct shm_waiter {
	uint64_t number, bytes;
	uint32_t program, device, tid;
	int32_t priority;
	uint32_t granted, none;
};

/**
 * struct shm_copy - the books
 * @sum: of all that follows
 * @last: numbers given so far
 * @order: as the knob vram_order
 * @nr_devices: in use
 * @device: key and size
 * @program: those that there are
 * @waiter: those that there are
 */
struct shm_copy {
	uint64_t sum, last;
	uint32_t order, nr_devices;
	struct {
		char key[TGD_KEY];
		uint64_t size;
	} device[SHM_DEVICES];
	struct shm_program program[SHM_PROGRAMS];
	struct shm_waiter waiter[SHM_WAITERS];
};

/**
 * struct shm - the file
 * @magic: SHM_MAGIC, once all else is there
 * @current: which copy holds; the other is the backup. One store makes a change
 * @freed: mutex.c: futex, grows when a request was granted
 * @boot: of the machine: a mutex of another one is locked for ever
 * @mutex: mutex.c's
 * @copy: two
 */
struct shm {
	uint32_t magic, current, freed;
	char boot[40];
	pthread_mutex_t mutex;
	struct shm_copy copy[2];
};

/**
 * struct shm_sync - how programs exclude and wake each other
 * @file: name of the file
 * @init: the memory is new. Under the file's lock
 * @lock: nobody else changes the books. Return: 0 or a negative errno
 * @unlock: after @lock
 * @prepare: this thread is about to wait. Return: for @sleep
 * @finish: it does not any more
 * @seen: under @lock: what @sleep compares, so that no wake is lost
 * @sleep: for @ms, or until woken. Return: false: a signal handler has run
 * @wake: under @lock: a request of that thread was granted
 * @fork_prepare: as struct books
 * @fork_parent: likewise
 * @fork_child: likewise
 */
struct shm_sync {
	const char *file;
	int (*init)(struct shm *shm);
	int (*lock)(struct shm *shm, int fd);
	void (*unlock)(struct shm *shm, int fd);
	int (*prepare)(sigset_t *mask);
	void (*finish)(int waits, const sigset_t *mask);
	uint32_t (*seen)(struct shm *shm);
	bool (*sleep)(struct shm *shm, int waits, uint32_t seen, int ms);
	void (*wake)(struct shm *shm, uint32_t pid, uint32_t tid);
	void (*fork_prepare)(void), (*fork_parent)(void), (*fork_child)(void);
};

int shm_open_books(const struct shm_sync *sync);
int shm_request(struct device *d, uint64_t bytes, int64_t until);
void shm_release(struct device *d, uint64_t bytes);
void shm_close_books(void);
void shm_fork_child(void);
int shm_lock_byte(int fd, int command, short type, off_t byte);

#endif /* TG_MEM_SHM_H */
