// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that move bytes of buffers, and those that move none. All copies are one: a box of rows and
 * slices to another, on the copy engine. Images join in by enqueue_image.c.
 */
#include <stdlib.h>
#include <string.h>

#include "enqueue.h"

/* Every transfer ends here. @keep: objects that it refers to */
cl_int transfer(cl_command_queue q, cl_command_type type, const struct work *w, cl_mem keep, cl_mem keep_2,
		cl_bool wait, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work *copy = malloc(sizeof(*copy));
	cl_event e;
	cl_int error;

	e = copy ? command_new(q, type, MOCK_COPY, copy_ns(w->width * w->height * w->depth)) : NULL;
	if (!e) {
		free(copy);
		return CL_OUT_OF_HOST_MEMORY;
	}
	*copy = *w;
	copy->keep[0] = keep;
	copy->keep[1] = keep_2;
	if (keep)
		atomic_fetch_add(&keep->head.refs, 1);
	if (keep_2)
		atomic_fetch_add(&keep_2->head.refs, 1);
	e->work = copy;
	pthread_mutex_lock(&mock_lock);
	error = command_go(e, n, list, wait, out);
	pthread_mutex_unlock(&mock_lock);
	return error;
}

cl_int memory_check(cl_command_queue q, cl_mem m, bool image)
{
	if (!is(m, MEMORY) || (image ? !m->element : m->type != CL_MEM_OBJECT_BUFFER))
		return CL_INVALID_MEM_OBJECT;
	return m->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static bool outside(cl_mem m, size_t offset, size_t size)
{
	return !size || offset > m->size || size > m->size - offset;
}

static cl_int read_write(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t size, void *host, bool read,
			 cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = size, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);

	error = error ? error : memory_check(q, m, false);
	if (error)
		return error;
	if (!host || outside(m, offset, size))
		return CL_INVALID_VALUE;
	if (host_refused(m, read ? CL_MAP_READ : CL_MAP_WRITE))
		return CL_INVALID_OPERATION;
	w.from.base = read ? m->data + offset : host;
	w.to.base = read ? host : m->data + offset;
	return transfer(q, read ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, &w, m, NULL, wait, n, list, out);
}

API cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t size,
		void *host, cl_uint n, const cl_event *list, cl_event *out)
{
	return read_write(q, m, wait, offset, size, host, true, n, list, out);
}

API cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t size,
		const void *host, cl_uint n, const cl_event *list, cl_event *out)
{
	return read_write(q, m, wait, offset, size, (void *)host, false, n, list, out);
}

API cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at,
		size_t size, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = size, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);

	error = error ? error : memory_check(q, from, false);
	error = error ? error : memory_check(q, to, false);
	if (error)
		return error;
	if (outside(from, from_at, size) || outside(to, to_at, size))
		return CL_INVALID_VALUE;
	if (from == to && from_at < to_at + size && to_at < from_at + size)
		return CL_MEM_COPY_OVERLAP;
	w.from.base = from->data + from_at;
	w.to.base = to->data + to_at;
	return transfer(q, CL_COMMAND_COPY_BUFFER, &w, from, to, CL_FALSE, n, list, out);
}

API cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size,
		size_t offset, size_t size, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = size, .height = 1, .depth = 1, .pattern_size = pattern_size };
	cl_int error = command_check(q, n, list);

	error = error ? error : memory_check(q, m, false);
	if (error)
		return error;
	if (!pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
	    offset % pattern_size || size % pattern_size || outside(m, offset, size))
		return CL_INVALID_VALUE;
	memcpy(w.pattern, pattern, pattern_size);
	w.to.base = m->data + offset;
	return transfer(q, CL_COMMAND_FILL_BUFFER, &w, m, NULL, CL_FALSE, n, list, out);
}

/* A rectangle of a buffer or of the host's memory, from pitches that may be left out. Return: is it one? */
static bool box(struct box *b, char *base, size_t room, const size_t *origin, const size_t *region, size_t row,
		size_t slice)
{
	size_t at;

	if (!origin || !region || !region[0] || !region[1] || !region[2] || (row && row < region[0]))
		return false;
	row = row ? row : region[0];
	if (slice && (slice < region[1] * row || slice % row))
		return false;
	slice = slice ? slice : region[1] * row;
	at = origin[2] * slice + origin[1] * row + origin[0];
	if (room && (at > room || at + (region[2] - 1) * slice + (region[1] - 1) * row + region[0] > room))
		return false;
	*b = (struct box){ base + at, row, slice };
	return true;
}

static cl_int rectangle(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *at, const size_t *host_at,
			const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
			void *host, bool read, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work w = { 0 };
	struct box here, there;

	error = error ? error : memory_check(q, m, false);
	if (error)
		return error;
	if (!host || !box(&here, m->data, m->size, at, region, row, slice) ||
	    !box(&there, host, 0, host_at, region, host_row, host_slice))
		return CL_INVALID_VALUE;
	if (host_refused(m, read ? CL_MAP_READ : CL_MAP_WRITE))
		return CL_INVALID_OPERATION;
	w.from = read ? here : there;
	w.to = read ? there : here;
	w.width = region[0];
	w.height = region[1];
	w.depth = region[2];
	return transfer(q, read ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT, &w, m, NULL, wait, n,
			list, out);
}

API cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *at,
		const size_t *host_at, const size_t *region, size_t row, size_t slice, size_t host_row,
		size_t host_slice, void *host, cl_uint n, const cl_event *list, cl_event *out)
{
	return rectangle(q, m, wait, at, host_at, region, row, slice, host_row, host_slice, host, true, n, list, out);
}

API cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *at,
		const size_t *host_at, const size_t *region, size_t row, size_t slice, size_t host_row,
		size_t host_slice, const void *host, cl_uint n, const cl_event *list, cl_event *out)
{
	return rectangle(q, m, wait, at, host_at, region, row, slice, host_row, host_slice, (void *)host, false, n,
			 list, out);
}

API cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_at,
		const size_t *to_at, const size_t *region, size_t from_row, size_t from_slice, size_t to_row,
		size_t to_slice, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work w = { 0 };

	error = error ? error : memory_check(q, from, false);
	error = error ? error : memory_check(q, to, false);
	if (error)
		return error;
	if (!box(&w.from, from->data, from->size, from_at, region, from_row, from_slice) ||
	    !box(&w.to, to->data, to->size, to_at, region, to_row, to_slice))
		return CL_INVALID_VALUE;
	w.width = region[0];
	w.height = region[1];
	w.depth = region[2];
	return transfer(q, CL_COMMAND_COPY_BUFFER_RECT, &w, from, to, CL_FALSE, n, list, out);
}

API void * CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool wait, cl_map_flags flags, size_t offset,
		size_t size, cl_uint n, const cl_event *list, cl_event *out, cl_int *error)
{
	struct work w = { .width = size, .height = 1, .depth = 1 };
	cl_int unused;

	error = error ? error : &unused;
	*error = command_check(q, n, list);
	*error = *error ? *error : memory_check(q, m, false);
	if (!*error && (outside(m, offset, size) || !flags || flags & ~(cl_map_flags)7))
		*error = CL_INVALID_VALUE;
	if (!*error && host_refused(m, flags))
		*error = CL_INVALID_OPERATION;
	if (*error)
		return NULL;
	pthread_mutex_lock(&mock_lock);
	m->maps++;
	pthread_mutex_unlock(&mock_lock);
	*error = transfer(q, CL_COMMAND_MAP_BUFFER, &w, m, NULL, wait, n, list, out);
	return *error ? NULL : m->data + offset;
}

bool host_refused(cl_mem m, cl_map_flags flags)
{
	return m->flags & CL_MEM_HOST_NO_ACCESS || (flags & CL_MAP_READ && m->flags & CL_MEM_HOST_WRITE_ONLY) ||
		(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && m->flags & CL_MEM_HOST_READ_ONLY);
}

API cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *list,
		cl_event *out)
{
	struct work w = { .width = 1, .height = 1, .depth = 1, .unmap = m };
	cl_int error = command_check(q, n, list);

	if (error)
		return error;
	if (!is(m, MEMORY) || m->type == CL_MEM_OBJECT_PIPE)
		return CL_INVALID_MEM_OBJECT;
	if (m->context != q->context)
		return CL_INVALID_CONTEXT;
	if ((char *)p < m->data || (char *)p >= m->data + m->size || !m->maps)
		return CL_INVALID_VALUE;
	return transfer(q, CL_COMMAND_UNMAP_MEM_OBJECT, &w, m, NULL, CL_FALSE, n, list, out);
}

API cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint mems, const cl_mem *mem,
		cl_mem_migration_flags flags, cl_uint n, const cl_event *list, cl_event *out)
{
	struct work w = { .width = 0, .height = 1, .depth = 1 };
	cl_int error = command_check(q, n, list);
	cl_uint i;

	if (error)
		return error;
	if (!mems || !mem || flags & ~(cl_mem_migration_flags)3)
		return CL_INVALID_VALUE;
	for (i = 0; i < mems; i++) {
		if (!is(mem[i], MEMORY))
			return CL_INVALID_MEM_OBJECT;
		if (mem[i]->context != q->context)
			return CL_INVALID_CONTEXT;
		w.width += mem[i]->size;
	}
	return transfer(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, &w, mem[0], NULL, CL_FALSE, n, list, out);
}

/* A command that does nothing, in its place */
static cl_int nothing(cl_command_queue q, cl_command_type type, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	cl_event e;

	if (error)
		return error;
	e = command_new(q, type, MOCK_NONE, 0);
	if (!e)
		return CL_OUT_OF_HOST_MEMORY;
	pthread_mutex_lock(&mock_lock);
	error = command_go(e, n, list, CL_FALSE, out);
	pthread_mutex_unlock(&mock_lock);
	return error;
}

API cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event *list, cl_event *out)
{
	return nothing(q, CL_COMMAND_MARKER, n, list, out);
}

API cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint n, const cl_event *list, cl_event *out)
{
	return nothing(q, CL_COMMAND_BARRIER, n, list, out);
}

API cl_int CL_API_CALL clEnqueueMarker(cl_command_queue q, cl_event *out)
{
	return is(q, QUEUE) && !out ? CL_INVALID_VALUE : nothing(q, CL_COMMAND_MARKER, 0, NULL, out);
}

API cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue q)
{
	return nothing(q, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

API cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *list)
{
	if (is(q, QUEUE) && (!n || !list))
		return CL_INVALID_VALUE;
	return nothing(q, CL_COMMAND_BARRIER, n, list, NULL);
}
