// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Tables of the program's OpenCL objects: see objects.h. Called by queue.c and kernels.c, in the
 * program's threads.
 */
#include "objects.h"

#include <stdint.h>
#include <stdlib.h>

static struct object **bucket_of(struct objects *t, const void *handle)
{
	uintptr_t n = (uintptr_t)handle;

	return &t->bucket[(n >> 4 ^ n >> 12) % OBJECTS_BUCKETS];
}

struct object *object_find(struct objects *t, const void *handle)
{
	struct object *o = __atomic_load_n(bucket_of(t, handle), __ATOMIC_ACQUIRE);

	while (o && o->handle != handle)
		o = o->next;
	return o;
}

struct object *object_enter(struct objects *t, void *handle)
{
	struct object *o = object_find(t, handle);

	if (o)
		return o;
	o = calloc(1, t->size);
	if (o) {
		o->handle = handle;
		o->next = *bucket_of(t, handle);
		__atomic_store_n(bucket_of(t, handle), o, __ATOMIC_RELEASE);
	}
	return o;
}

void object_retained(struct objects *t, const void *handle)
{
	struct object *o = object_find(t, handle);

	if (!o)
		return;
	pthread_mutex_lock(&t->lock);
	if (o->references)
		o->references++;
	pthread_mutex_unlock(&t->lock);
}

void object_released(struct objects *t, const void *handle)
{
	struct object *o = object_find(t, handle);

	if (!o)
		return;
	pthread_mutex_lock(&t->lock);
	if (o->references && !--o->references)
		t->gone(o);
	pthread_mutex_unlock(&t->lock);
}
