// SPDX-License-Identifier: GPL-2.0
/* Coarse-grain shared virtual memory: the process's own, counted by the card. */
#include <stdlib.h>
#include <string.h>

#include "enqueue.h"

/** struct area - one allocation; @memory: counts it, and has its bytes */
struct area {
	struct area *next;
	cl_mem memory;
};

static struct area *areas;

static struct area *find(const void *p, size_t size)
{
	struct area *a;

	for (a = areas; a; a = a->next)
		if ((char *)p >= a->memory->data && (char *)p + size <= a->memory->data + a->memory->size)
			return a;
	return NULL;
}

/* Called with and without mock_lock: areas go only when a program frees them */
bool svm_inside(const void *p, size_t size)
{
	return find(p, size);
}

API void * CL_API_CALL clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	const cl_svm_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	struct area *a;
	cl_int error;

	if (!is(c, CONTEXT) || flags & ~known || alignment & (alignment - 1) || alignment > 128)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (a)
		a->memory = memory_new(c, flags, size, NULL, &error);
	if (!a || !a->memory) {
		free(a);
		return NULL;
	}
	pthread_mutex_lock(&mock_lock);
	a->next = areas;
	areas = a;
	pthread_mutex_unlock(&mock_lock);
	return a->memory->data;
}

API void CL_API_CALL clSVMFree(cl_context c, void *p)
{
	struct area **at, *a;

	if (!is(c, CONTEXT) || !p)
		return;
	pthread_mutex_lock(&mock_lock);
	for (at = &areas; (a = *at); at = &a->next)
		if (a->memory->data == p) {
			*at = a->next;
			memory_put(a->memory);
			free(a);
			break;
		}
	pthread_mutex_unlock(&mock_lock);
}

/* What clEnqueueSVMFree does where the program has no function of its own */
static void CL_CALLBACK free_all(cl_command_queue q, cl_uint n, void **list, void *user)
{
	cl_uint i;

	(void)user;
	for (i = 0; i < n; i++)
		clSVMFree(q->context, list[i]);
	clReleaseCommandQueue(q);
}

API cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue q, cl_uint pointers, void **list,
		void (CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *), void *user, cl_uint n,
		const cl_event *events, cl_event *out)
{
	struct work w = { .width = 1, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, events);
	struct callback *c;

	if (error)
		return error;
	if (!pointers != !list)
		return CL_INVALID_VALUE;
	c = calloc(1, sizeof(*c) + pointers * sizeof(*list));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct callback){ .svm_fn = fn ? fn : free_all, .object = q, .user = user, .n = pointers };
	memcpy(c + 1, list, pointers * sizeof(*list));
	if (!fn)
		atomic_fetch_add(&q->head.refs, 1);
	w.svm_free = c;
	return transfer(q, CL_COMMAND_SVM_FREE, &w, NULL, NULL, CL_FALSE, n, events, out);
}

API cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue q, cl_bool wait, void *to, const void *from, size_t size,
		cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .from.base = (char *)from, .to.base = to, .width = size, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);

	if (error)
		return error;
	if (!to || !from)
		return CL_INVALID_VALUE;
	if ((char *)to < (char *)from + size && (char *)from < (char *)to + size)
		return CL_MEM_COPY_OVERLAP;
	return transfer(q, CL_COMMAND_SVM_MEMCPY, &w, NULL, NULL, wait, n, list, out);
}

API cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue q, void *to, const void *pattern, size_t pattern_size,
		size_t size, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .to.base = to, .width = size, .height = 1, .depth = 1, .pattern_size = pattern_size };
	cl_int error = command_check(q, n, list);

	if (error)
		return error;
	if (!to || !pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
	    size % pattern_size)
		return CL_INVALID_VALUE;
	memcpy(w.pattern, pattern, pattern_size);
	return transfer(q, CL_COMMAND_SVM_MEMFILL, &w, NULL, NULL, CL_FALSE, n, list, out);
}

API cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue q, cl_bool wait, cl_map_flags flags, void *p, size_t size,
		cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = size, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);

	if (error)
		return error;
	if (!p || !size || !flags || flags & ~(cl_map_flags)7)
		return CL_INVALID_VALUE;
	return transfer(q, CL_COMMAND_SVM_MAP, &w, NULL, NULL, wait, n, list, out);
}

API cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue q, void *p, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = 1, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);

	if (error)
		return error;
	return p ? transfer(q, CL_COMMAND_SVM_UNMAP, &w, NULL, NULL, CL_FALSE, n, list, out) : CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint pointers, const void **list,
		const size_t *sizes, cl_mem_migration_flags flags, cl_uint n, const cl_event *events, cl_event *out)
{
	struct work w = { .width = 1, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, events);
	cl_uint i;

	(void)sizes;
	if (error)
		return error;
	if (!pointers || !list || flags & ~(cl_mem_migration_flags)3)
		return CL_INVALID_VALUE;
	for (i = 0; i < pointers; i++)
		if (!svm_inside(list[i], 1))
			return CL_INVALID_VALUE;
	return transfer(q, CL_COMMAND_SVM_MIGRATE_MEM, &w, NULL, NULL, CL_FALSE, n, events, out);
}
