// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The books of memory: alloc.c has an object booked on each device of its context before the driver
 * makes it. Where the books have no room for it now, the program sleeps in the call; where they never
 * will, the call fails as the driver's would.
 *
 * It goes back when the driver destroys the buffer, which may be a while after the program has
 * released it: a request that is refused is repeated when such a buffer has gone. The driver may
 * still be taking back what a program that has just ended had: what it refuses beside books that have
 * room is repeated for PATIENCE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "memory.h"

#define PATIENCE	2000000000	/* ns */
#define FEW		64		/* buckets, to begin with */

struct context {
	cl_context id;
	cl_uint nr;
	struct device *devices[CONTEXT_DEVICES];
	struct context *next;
};

/*
 * What a buffer has booked, until it is destroyed, by the process @forks; in a bucket, under the
 * lock.
 */
struct booked {
	cl_mem memory;
	bool released;
	unsigned int forks;
	struct booked *next;
	cl_uint nr;
	struct device *devices[CONTEXT_DEVICES];
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t destroyed_one = PTHREAD_COND_INITIALIZER;
static struct context *contexts;
static struct booked *first_buckets[FEW], **buckets = first_buckets;
static size_t nr_buckets = FEW, nr_booked;	/* a power of two; in all buckets */
static unsigned int released;	/* buffers that the driver has yet to destroy */
static unsigned long destroyed_so_far;	/* read without the lock, before a request */
static unsigned int forks;	/* from the program's first process to this one */

/* Under the lock. */
static struct context *find(cl_context id)
{
	struct context *c = contexts;

	while (c && c->id != id)
		c = c->next;
	return c;
}

/* A context was made; one that is gone had perhaps the same address. */
static int by_key(const void *a, const void *b)
{
	return strcmp((*(struct device *const *)a)->ops.key, (*(struct device *const *)b)->ops.key);
}

static void context_add(cl_context id, cl_uint nr, const cl_device_id *ids)
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
	/* All programs book in one order, or two would wait for each other. */
	qsort(devices, kept, sizeof(*devices), by_key);
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

/* --- which buffer has booked what: under the lock --- */

static struct booked **bucket_of(cl_mem memory)
{
	uintptr_t n = (uintptr_t)memory;

	return &buckets[(n >> 4 ^ n >> 12 ^ n >> 20) & (nr_buckets - 1)];
}

/*
 * Where the entry of @memory is linked in; NULL there: it has none. One that the program has
 * released may have had the same address.
 */
static struct booked **place_of(cl_mem memory)
{
	struct booked **at = bucket_of(memory);

	while (*at && ((*at)->memory != memory || (*at)->released))
		at = &(*at)->next;
	return at;
}

static void enter(struct booked *b)
{
	struct booked **at = bucket_of(b->memory);

	b->next = *at;
	*at = b;
}

/* A program may have very many buffers. Without memory for more buckets the old ones get longer. */
static void grow(void)
{
	struct booked **more, **old = buckets, *b;
	const size_t nr_old = nr_buckets;
	size_t i;

	if (nr_booked < 2 * nr_buckets)
		return;
	more = calloc(2 * nr_old, sizeof(*more));
	if (!more)
		return;
	buckets = more;
	nr_buckets = 2 * nr_old;
	for (i = 0; i < nr_old; i++)
		while ((b = old[i])) {
			old[i] = b->next;
			enter(b);
		}
	if (old != first_buckets)
		free(old);
}

/* --- buffers come and go --- */

static void link_in(struct booked *b, cl_mem memory)
{
	pthread_mutex_lock(&lock);
	b->memory = memory;
	b->released = false;
	b->forks = forks;
	grow();
	enter(b);
	nr_booked++;
	pthread_mutex_unlock(&lock);
}

static void unlink_it(struct booked *b)
{
	struct booked **at = bucket_of(b->memory);

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	nr_booked--;
}

static void CL_CALLBACK destroyed(cl_mem memory, void *arg)
{
	struct booked *b = arg;

	if (b->forks != forks) {	/* a child gives nothing of its parent's back */
		free(b);
		return;
	}
	give_back(b);
	pthread_mutex_lock(&lock);
	unlink_it(b);
	released -= b->released;
	__atomic_store_n(&destroyed_so_far, destroyed_so_far + 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&destroyed_one);
	pthread_mutex_unlock(&lock);
	free(b);
}

static bool is_booked(cl_mem memory)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = *place_of(memory);
	pthread_mutex_unlock(&lock);
	return found;
}

/*
 * The program's last reference goes: the driver destroys it soon. The driver is not asked under the
 * lock.
 */
cl_int CL_API_CALL layer_clReleaseMemObject(cl_mem memory)
{
	cl_uint references = 0;
	struct booked *b;

	if (is_booked(memory) &&
	    !next->clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof(references),
				      &references, NULL) && references == 1) {
		pthread_mutex_lock(&lock);
		b = *place_of(memory);
		if (b) {
			b->released = true;
			released++;
		}
		pthread_mutex_unlock(&lock);
	}
	return next->clReleaseMemObject(memory);
}

/* After a refusal: wait for a buffer that is about to go. Return: false: there is none. */
static bool wait_destroyed(unsigned long before)
{
	struct timespec until;
	bool gone = false;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	pthread_mutex_lock(&lock);
	while (!(gone = destroyed_so_far != before) && released)
		if (pthread_cond_timedwait(&destroyed_one, &lock, &until) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&lock);
	return gone;
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

/* Is it more than a device of the context has? */
static bool too_large(cl_context id, size_t size)
{
	const struct context *c;
	bool large = false;
	cl_uint i;

	pthread_mutex_lock(&lock);
	c = find(id);
	for (i = 0; c && i < c->nr; i++)
		large |= size > c->devices[i]->ops.memory;
	pthread_mutex_unlock(&lock);
	return large;
}

/**
 * memory_book() - before the driver makes a memory object: waits for room
 * @size: bytes
 * @refused: there will be no room
 *
 * Return: the booking, for memory_made(); NULL: refused, or nothing is booked. What no device can hold
 * is not booked: the driver refuses it in its own words.
 */
struct booked *memory_book(cl_context context, size_t size, bool *refused)
{
	struct booked *b;
	unsigned long before;
	bool booked;

	*refused = false;
	if (!size || too_large(context, size))
		return NULL;
	b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	do {
		before = __atomic_load_n(&destroyed_so_far, __ATOMIC_RELAXED);
		booked = book(b, context, size);
	} while (!booked && wait_destroyed(before));
	if (booked)
		return b;
	free(b);
	*refused = true;
	return NULL;
}

/** memory_again() - the driver has refused with @error what is booked since @since: pause. Return: try once more? */
bool memory_again(int64_t since, cl_int error)
{
	const int64_t so_far = tgu_now() - since;
	const struct timespec pause = { 0, so_far < 1000000 ? 1000000 : so_far < 200000000 ? so_far / 2 : 100000000 };

	if ((error != CL_MEM_OBJECT_ALLOCATION_FAILURE && error != CL_OUT_OF_RESOURCES) || so_far > PATIENCE)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/** memory_unbook() - it goes back */
void memory_unbook(struct booked *b)
{
	give_back(b);
	free(b);
}

/** memory_made() - the driver has made @memory for @b, or, NULL, refused */
void memory_made(struct booked *b, cl_mem memory)
{
	if (!b)
		return;
	if (!memory) {
		memory_unbook(b);
		return;
	}
	link_in(b, memory);
	/* A driver that does not tell of its end: it is not booked. */
	if (next->clSetMemObjectDestructorCallback(memory, destroyed, b))
		destroyed(memory, b);
}

/** memory_in_child() - after fork(): books and contexts are the parent's; see layer.c */
void memory_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&destroyed_one, NULL);
	contexts = NULL;
	memset(first_buckets, 0, sizeof(first_buckets));
	buckets = first_buckets;
	nr_buckets = FEW;
	nr_booked = 0;
	released = 0;
	forks++;
}
