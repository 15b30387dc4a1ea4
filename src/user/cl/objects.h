/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Tables of the program's OpenCL objects, by their addresses: queues (queue.c) and kernels (kernels.c).
 *
 * Each launch asks, so a table is read without a lock: entries are added at the front, and are never taken
 * out; one whose object is gone serves the next object at the same address. An object is gone when the
 * program has given up its references. The layer counts these itself, since the driver's own count has
 * those of events, too.
 */
#ifndef TGCL_OBJECTS_H
#define TGCL_OBJECTS_H

#include <pthread.h>
#include <stddef.h>

#define OBJECTS_BUCKETS	256

/**
 * struct object - what each entry begins with
 * @handle: what OpenCL calls it
 * @references: the program's; 0: it is gone. Under the table's lock
 * @next: in its bucket
 */
struct object {
	void *handle;
	unsigned int references;
	struct object *next;
};

/**
 * struct objects - a table
 * @lock: of those who write
 * @size: bytes of an entry, which begins with a struct object
 * @gone: called under the lock, before the driver knows, when the program has given up the last reference
 */
struct objects {
	pthread_mutex_t lock;
	size_t size;
	void (*gone)(struct object *o);
	struct object *bucket[OBJECTS_BUCKETS];
};

/** object_find() - the entry of a handle, without the lock; NULL: the table has none */
struct object *object_find(struct objects *t, const void *handle);

/** object_enter() - under the lock: the entry of a handle, made if need be; NULL: out of memory */
struct object *object_enter(struct objects *t, void *handle);

/** object_retained() - the program has one reference more */
void object_retained(struct objects *t, const void *handle);

/** object_released() - the program gives up a reference; before the driver is told */
void object_released(struct objects *t, const void *handle);

#endif /* TGCL_OBJECTS_H */
