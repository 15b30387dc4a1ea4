// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Kernels: which source a cl_kernel is of, what it uses, and how long it takes (slice.c).
 *
 * Each launch asks; objects.h has the table. What is known of a kernel stays with its source: a program that
 * makes it anew finds it. A source is read with the first launch of one of its kernels, or the first argument
 * that one gets.
 *
 * Nothing is done here while no kernel is to be sliced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "objects.h"
#include "scan.h"
#include "slice.h"
#include "twins.h"

/** struct source - of a program; all that have none are one */
struct source {
	uint64_t hash;
	size_t length;
	struct scan scan;
	struct source *next;
};

static void gone(struct object *o);
/* Its lock is that of @sources, too */
static struct objects table = { .lock = PTHREAD_MUTEX_INITIALIZER, .size = sizeof(struct handle), .gone = gone };
static struct source *sources;
static struct kernel *kernels;

static struct handle *handle_of(struct object *o)
{
	return (struct handle *)o;	/* its first member */
}

/** kernel_handle() - NULL: not known */
struct handle *kernel_handle(cl_kernel handle)
{
	return handle_of(object_find(&table, handle));
}

/* --- sources --- */

/* To be freed; NULL: none */
static char *kernel_name(cl_kernel handle)
{
	size_t size = 0;
	char *text;

	if (next->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size))
		return NULL;
	text = calloc(1, size + 1);
	if (text && next->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, size, text, NULL)) {
		free(text);
		return NULL;
	}
	return text;
}

/* To be freed; NULL: none */
static char *program_source(cl_program program)
{
	size_t size = 0;
	char *text;

	if (next->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) || size < 2)
		return NULL;
	text = calloc(1, size + 1);
	if (text && next->clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, text, NULL)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The options for all its devices, to be freed; NULL: they are not known */
static char *program_options(cl_program program)
{
	cl_device_id ids[CONTEXT_DEVICES];
	char *all = calloc(1, 1), *more;
	size_t bytes = 0, size, length = 0, i;

	if (next->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(ids), ids, &bytes))
		goto unknown;
	for (i = 0; all && i < bytes / sizeof(*ids); i++) {
		if (next->clGetProgramBuildInfo(program, ids[i], CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size))
			goto unknown;
		more = realloc(all, length + size + 2);
		if (!more)
			goto unknown;
		all = more;
		if (next->clGetProgramBuildInfo(program, ids[i], CL_PROGRAM_BUILD_OPTIONS, size, all + length, NULL))
			goto unknown;
		all[length + size] = '\0';
		length += strlen(all + length);
		all[length++] = ' ';
		all[length] = '\0';
	}
	return all;
unknown:
	free(all);
	return NULL;
}

static uint64_t hash(const char *text, uint64_t h)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	return h;
}

/* Under the lock. The source that is @text, read; NULL: out of memory */
static struct source *source_of(const char *text, const char *options)
{
	const size_t length = strlen(text);
	const uint64_t h = hash(options, hash(text, 14695981039346656037ULL));
	struct source *s;

	for (s = sources; s; s = s->next)
		if (s->hash == h && s->length == length)
			return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	if (!scan(&s->scan, text, options)) {
		scan_free(&s->scan);
		free(s);
		return NULL;
	}
	s->hash = h;
	s->length = length;
	s->next = sources;
	sources = s;
	return s;
}

static struct kernel *kernel_in(struct source *s, const char *name)
{
	struct kernel *k;

	for (k = kernels; k; k = k->next)
		if (k->source == s && !strcmp(k->name, name))
			return k;
	k = calloc(1, sizeof(*k));
	if (k)
		k->name = strdup(name);
	if (!k || !k->name) {
		free(k);
		return NULL;
	}
	pthread_mutex_init(&k->lock, NULL);
	k->source = s;
	k->has_source = s->length;
	k->uses = scan_uses(&s->scan, name);
	k->listed = slice_listed(name);
	k->next = kernels;
	__atomic_store_n(&kernels, k, __ATOMIC_RELEASE);
	return k;
}

/** source_scan() - it, read */
const struct scan *source_scan(const struct source *s)
{
	return &s->scan;
}

/** kernel_first(), kernel_next() - all of which something is known */
struct kernel *kernel_first(void)
{
	return __atomic_load_n(&kernels, __ATOMIC_ACQUIRE);
}

struct kernel *kernel_next(const struct kernel *k)
{
	return k->next;
}

/* --- kernels --- */

/* Under the lock: find out which kernel @handle is. */
static struct kernel *look(cl_kernel handle)
{
	cl_program program = NULL;
	struct kernel *k = NULL;
	struct source *s;
	char *name, *text, *options;

	if (next->clGetKernelInfo(handle, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL) || !program)
		return NULL;
	name = kernel_name(handle);
	text = program_source(program);
	options = text ? program_options(program) : NULL;
	s = !text ? source_of("", "") : options ? source_of(text, options) : NULL;
	if (s && name)
		k = kernel_in(s, name);
	free(name);
	free(text);
	free(options);
	return k;
}

/** kernel_of() - what is known of a kernel; NULL: nothing */
struct kernel *kernel_of(cl_kernel handle)
{
	struct handle *e = kernel_handle(handle);
	struct kernel *k = e ? __atomic_load_n(&e->of, __ATOMIC_ACQUIRE) : NULL;

	if (!e || k)
		return k;
	pthread_mutex_lock(&table.lock);
	k = e->of ? e->of : look(handle);
	__atomic_store_n(&e->of, k, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&table.lock);
	return k;
}

static void gone(struct object *o)
{
	struct handle *e = handle_of(o);

	__atomic_store_n(&e->of, NULL, __ATOMIC_RELEASE);
	twin_forget(e);
}

/** kernels_in_child() - after fork(): a thread that is not here may have held a lock */
void kernels_in_child(void)
{
	struct kernel *k;

	pthread_mutex_init(&table.lock, NULL);
	for (k = kernels; k; k = k->next)
		pthread_mutex_init(&k->lock, NULL);
	twins_in_child();
	slice_in_child();
}

static void made(cl_kernel handle)
{
	struct object *o;

	if (!handle)
		return;
	pthread_mutex_lock(&table.lock);
	o = object_enter(&table, handle);
	if (o) {
		gone(o);	/* the kernel that was at this address before */
		o->references = 1;
	}
	pthread_mutex_unlock(&table.lock);
}

cl_kernel CL_API_CALL layer_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
	cl_kernel handle = next->clCreateKernel(program, name, error);

	made(handle);
	return handle;
}

cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *handles, cl_uint *nr)
{
	cl_uint count = 0, i;
	cl_int ret = next->clCreateKernelsInProgram(program, room, handles, &count);

	for (i = 0; !ret && handles && i < count; i++)
		made(handles[i]);
	if (!ret && nr)
		*nr = count;
	return ret;
}

cl_kernel CL_API_CALL layer_clCloneKernel(cl_kernel from, cl_int *error)
{
	cl_kernel handle = next->clCloneKernel(from, error);
	struct handle *a = kernel_handle(from), *b;

	made(handle);
	b = kernel_handle(handle);
	if (handle && a && b)
		args_copy(b, a);
	return handle;
}

cl_int CL_API_CALL layer_clRetainKernel(cl_kernel handle)
{
	cl_int ret = next->clRetainKernel(handle);

	if (!ret)
		object_retained(&table, handle);
	return ret;
}

cl_int CL_API_CALL layer_clReleaseKernel(cl_kernel handle)
{
	object_released(&table, handle);
	return next->clReleaseKernel(handle);
}
