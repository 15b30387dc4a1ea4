// SPDX-License-Identifier: GPL-2.0
/* Commands that move pixels: boxes of bytes to enqueue.c. */
#include <string.h>

#include "enqueue.h"

/* Part of an image as a box. Return: is it inside? */
static bool part(struct box *b, cl_mem m, const size_t *origin, const size_t *region)
{
	const cl_image_desc *d = &m->desc;
	size_t at[3], size[3] = { d->image_width, d->image_height ? d->image_height : 1,
				  d->image_depth ? d->image_depth : d->image_array_size ? d->image_array_size : 1 };
	unsigned int i;

	if (!origin || !region)
		return false;
	memcpy(at, origin, sizeof(at));
	if (d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {	/* its slices are rows */
		size[1] = size[2];
		size[2] = 1;
	}
	for (i = 0; i < 3; i++)
		if (!region[i] || at[i] > size[i] || region[i] > size[i] - at[i])
			return false;
	b->row = d->image_row_pitch;
	b->slice = d->image_slice_pitch;
	b->base = m->data + at[2] * b->slice + at[1] * b->row + at[0] * m->element;
	return true;
}

static void extent(struct work *w, cl_mem m, const size_t *region)
{
	w->width = region[0] * m->element;
	w->height = region[1];
	w->depth = region[2];
}

static cl_int read_write(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *origin, const size_t *region,
			 size_t row, size_t slice, void *host, bool read, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work w = { 0 };
	struct box here, there;

	error = error ? error : memory_check(q, m, true);
	if (error)
		return error;
	if (!host || !part(&here, m, origin, region) || (row && row < region[0] * m->element) ||
	    (slice && slice < region[1] * (row ? row : region[0] * m->element)))
		return CL_INVALID_VALUE;
	if (host_refused(m, read ? CL_MAP_READ : CL_MAP_WRITE))
		return CL_INVALID_OPERATION;
	row = row ? row : region[0] * m->element;
	there = (struct box){ host, row, slice ? slice : region[1] * row };
	w.from = read ? here : there;
	w.to = read ? there : here;
	extent(&w, m, region);
	return transfer(q, read ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, &w, m, NULL, wait, n, list, out);
}

API cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *origin,
		const size_t *region, size_t row, size_t slice, void *host, cl_uint n, const cl_event *list,
		cl_event *out)
{
	return read_write(q, m, wait, origin, region, row, slice, host, true, n, list, out);
}

API cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool wait, const size_t *origin,
		const size_t *region, size_t row, size_t slice, const void *host, cl_uint n, const cl_event *list,
		cl_event *out)
{
	return read_write(q, m, wait, origin, region, row, slice, (void *)host, false, n, list, out);
}

API cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_at,
		const size_t *to_at, const size_t *region, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work w = { 0 };

	error = error ? error : memory_check(q, from, true);
	error = error ? error : memory_check(q, to, true);
	if (error)
		return error;
	if (memcmp(&from->format, &to->format, sizeof(from->format)))
		return CL_IMAGE_FORMAT_MISMATCH;
	if (!part(&w.from, from, from_at, region) || !part(&w.to, to, to_at, region))
		return CL_INVALID_VALUE;
	if (from == to && w.from.base == w.to.base)
		return CL_MEM_COPY_OVERLAP;
	extent(&w, from, region);
	return transfer(q, CL_COMMAND_COPY_IMAGE, &w, from, to, CL_FALSE, n, list, out);
}

static cl_int image_buffer(cl_command_queue q, cl_mem m, cl_mem b, const size_t *origin, const size_t *region,
			   size_t offset, bool to_buffer, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct box here, there;
	struct work w = { 0 };
	size_t bytes;

	error = error ? error : memory_check(q, m, true);
	error = error ? error : memory_check(q, b, false);
	if (error)
		return error;
	if (!part(&here, m, origin, region))
		return CL_INVALID_VALUE;
	bytes = region[0] * region[1] * region[2] * m->element;
	if (offset > b->size || bytes > b->size - offset)
		return CL_INVALID_VALUE;
	there = (struct box){ b->data + offset, region[0] * m->element, region[0] * region[1] * m->element };
	w.from = to_buffer ? here : there;
	w.to = to_buffer ? there : here;
	extent(&w, m, region);
	return transfer(q, to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE, &w, m, b,
			CL_FALSE, n, list, out);
}

API cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem m, cl_mem b, const size_t *origin,
		const size_t *region, size_t offset, cl_uint n, const cl_event *list, cl_event *out)
{
	return image_buffer(q, m, b, origin, region, offset, true, n, list, out);
}

API cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem b, cl_mem m, size_t offset,
		const size_t *origin, const size_t *region, cl_uint n, const cl_event *list, cl_event *out)
{
	return image_buffer(q, m, b, origin, region, offset, false, n, list, out);
}

/* The colour's bytes are taken as they are but for formats of 8 bits and normalised */
API cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color, const size_t *origin,
		const size_t *region, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work w = { 0 };
	unsigned int i;

	error = error ? error : memory_check(q, m, true);
	if (error)
		return error;
	if (!color || !part(&w.to, m, origin, region))
		return CL_INVALID_VALUE;
	extent(&w, m, region);
	w.pattern_size = m->element;
	memcpy(w.pattern, color, m->element < 16 ? m->element : 16);
	if (m->format.image_channel_data_type == CL_UNORM_INT8)
		for (i = 0; i < m->element; i++)
			w.pattern[i] = (unsigned char)(((const float *)color)[i] * 255 + 0.5f);
	return transfer(q, CL_COMMAND_FILL_IMAGE, &w, m, NULL, CL_FALSE, n, list, out);
}

API void * CL_API_CALL clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool wait, cl_map_flags flags,
		const size_t *origin, const size_t *region, size_t *row, size_t *slice, cl_uint n,
		const cl_event *list, cl_event *out, cl_int *error)
{
	struct work w = { 0 };
	struct box b = { 0 };
	cl_int unused;

	error = error ? error : &unused;
	*error = command_check(q, n, list);
	*error = *error ? *error : memory_check(q, m, true);
	if (!*error && (!part(&b, m, origin, region) || !row || !flags || flags & ~(cl_map_flags)7 ||
			(b.slice != m->size && !slice)))
		*error = CL_INVALID_VALUE;
	if (!*error && host_refused(m, flags))
		*error = CL_INVALID_OPERATION;
	if (*error)
		return NULL;
	pthread_mutex_lock(&mock_lock);
	m->maps++;
	pthread_mutex_unlock(&mock_lock);
	extent(&w, m, region);
	*row = b.row;
	if (slice)
		*slice = b.slice == m->size ? 0 : b.slice;
	*error = transfer(q, CL_COMMAND_MAP_IMAGE, &w, m, NULL, wait, n, list, out);
	return *error ? NULL : b.base;
}
