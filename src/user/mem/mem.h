/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of libtimegraph-mem share. timegraph/mem.h says what it promises; api.c has that, and
 * calls one of the three books.
 */
#ifndef TG_MEM_INTERNAL_H
#define TG_MEM_INTERNAL_H

#include <pthread.h>

#include <timegraph/mem.h>
#include <uapi/tgd.h>

#include "../client/tgu.h"

#define FOREVER	INT64_MAX

/**
 * struct device - one that the program has named; they stay, in a list
 * @key: as struct tgd_hello
 * @size: bytes
 * @held: what the program holds; atomic
 * @ops: for @tgu
 * @tgu: with tgd, from the first request to the end; under api.c's lock
 * @next: in the list
 */
struct device {
	char key[TGD_KEY];
	uint64_t size, held;
	struct tgu_device ops;
	struct tgu *tgu;
	struct device *next;
};

/**
 * struct books - one way to keep them
 * @name: in TG_MEM_BOOKS
 * @open: tg_mem_init()
 * @name_device: a device is used for the first time since; may be NULL. Under api.c's lock, as @open and
 *	@close
 * @request: wait until @until for @bytes, more than 0, and add them to @held. Return: 0; -ETIMEDOUT, and
 *	others that timegraph/mem.h has
 * @release: @bytes, which @held has no more, have gone back
 * @close: tg_mem_fini(): no thread is in @request or @release, all that is held goes back
 * @fork_prepare: the lock that a child needs, if any, is taken
 * @fork_parent: and released
 * @fork_child: there is nothing of it in this process any more
 */
struct books {
	const char *name;
	int (*open)(void);
	void (*name_device)(struct device *d);
	int (*request)(struct device *d, uint64_t bytes, int64_t until);
	void (*release)(struct device *d, uint64_t bytes);
	void (*close)(void);
	void (*fork_prepare)(void), (*fork_parent)(void), (*fork_child)(void);
};

extern const struct books books_tgd, books_lock, books_mutex;

/* api.c: the devices; a new one comes first, so a reader needs no lock */
struct device *devices_first(void);

/* device.c */
int device_key(const char *name, char key[TGD_KEY]);
int device_size(const char *key, uint64_t *size);
bool device_table_right(void);

#endif /* TG_MEM_INTERNAL_H */
