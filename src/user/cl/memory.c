// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Memory: a buffer is booked on each device of its context before the driver makes it. Where the
 * books have no room for it now, the program sleeps in the call; where they never will, the call
 * fails as the driver's would. Memory that the program brings itself is not booked.
 */
#include <stdlib.h>

#include "cl.h"

struct context {
	cl_context id;
	cl_uint nr;
	struct device *devices[CONTEXT_DEVICES];
	struct context *next;
};

/* What a buffer has booked, until it is destroyed. */
struct booked {
	cl_uint nr;
	struct device *devices[CONTEXT_DEVICES];
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;

/* Under the lock. */
static struct context *find(cl_context id)
{
	struct context *c = contexts;

	while (c && c->id != id)
		c = c->next;
	return c;
}

/** context_add() - a context was made; one that is gone had perhaps the same address */
void context_add(cl_context id, cl_uint nr, const cl_device_id *ids)
{
	struct device *devices[CONTEXT_DEVICES], *d;
	struct context *c;
	cl_uint i, k, kept = 0;

	for (i = 0; i < nr && kept < CONTEXT_DEVICES; i++) {
		d = device_get(ids[i]);
		for (k = 0; k < kept && devices[k] != d; k++)
			;
		if (d && k == kept)
			devices[kept++] = d;
	}
	pthread_mutex_lock(&lock);
	c = find(id);
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (c) {
			c->id = id;
			c->next = contexts;
			contexts = c;
		}
	}
	if (c) {
		c->nr = kept;
		for (i = 0; i < kept; i++)
			c->devices[i] = devices[i];
	}
	pthread_mutex_unlock(&lock);
}

cl_context CL_API_CALL
layer_clCreateContext(const cl_context_properties *properties, cl_uint nr, const cl_device_id *ids,
		      void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
		      cl_int *error)
{
	cl_context context = next->clCreateContext(properties, nr, ids, notify, user, error);

	if (context)
		context_add(context, nr, ids);
	return context;
}

cl_context CL_API_CALL
layer_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
			      void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
			      void *user, cl_int *error)
{
	cl_context context = next->clCreateContextFromType(properties, type, notify, user, error);
	cl_device_id ids[64];
	size_t size = 0;

	if (context && !next->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(ids), ids, &size))
		context_add(context, size / sizeof(*ids), ids);
	return context;
}

static void give_back(const struct booked *b)
{
	cl_uint i;

	for (i = 0; i < b->nr; i++)
		tgu_mem_free(b->devices[i]->tgu, b->size);
}

static void CL_CALLBACK destroyed(cl_mem memory, void *arg)
{
	give_back(arg);
	free(arg);
}

/* Return: false: there will be no room. */
static bool book(struct booked *b, cl_context id, size_t size)
{
	const struct context *c;
	struct context copy = { 0 };

	pthread_mutex_lock(&lock);
	c = find(id);
	if (c)
		copy = *c;
	pthread_mutex_unlock(&lock);
	b->nr = 0;
	b->size = size;
	while (b->nr < copy.nr) {
		if (!tgu_mem_request(copy.devices[b->nr]->tgu, size)) {
			give_back(b);
			return false;
		}
		b->devices[b->nr] = copy.devices[b->nr];
		b->nr++;
	}
	return true;
}

cl_mem CL_API_CALL layer_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
					cl_int *error)
{
	struct booked *b = size && !(flags & CL_MEM_USE_HOST_PTR) ? malloc(sizeof(*b)) : NULL;
	cl_mem memory;

	if (!b)
		return next->clCreateBuffer(context, flags, size, host, error);
	if (!book(b, context, size)) {
		free(b);
		if (error)
			*error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		return NULL;
	}
	memory = next->clCreateBuffer(context, flags, size, host, error);
	if (memory && !next->clSetMemObjectDestructorCallback(memory, destroyed, b))
		return memory;
	/* The driver has refused it; or it will not tell of its end, and it is not booked. */
	give_back(b);
	free(b);
	return memory;
}
