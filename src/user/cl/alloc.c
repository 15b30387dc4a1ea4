// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The calls that get and give memory: buffers, images, pipes and shared virtual memory, each booked
 * (memory.c) before the driver makes it. Memory that the program brings, and parts of what is there
 * already, are not booked.
 */
#include <stdlib.h>

#include "alloc.h"
#include "memory.h"
#include "turn.h"

/*
 * BOOKED(bytes, call): the object of @call, which answers in why; or NULL and *error. A thread that is
 * cancelled while it waits would leave a lock behind, or memory that is booked.
 */
#define BOOKED(bytes, call) __extension__ ({							\
	bool refused;										\
	cl_int why = CL_MEM_OBJECT_ALLOCATION_FAILURE;						\
	struct booked *b;									\
	cl_mem made = NULL;									\
	int64_t since;										\
	int state;										\
												\
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);					\
	b = memory_book(context, bytes, &refused);						\
	since = tgu_now();									\
	while (!refused && !(made = call) && b && memory_again(since, why))			\
		;										\
	memory_made(b, made);									\
	if (error)										\
		*error = why;									\
	pthread_setcancelstate(state, NULL);							\
	made;											\
})

/* What is to be booked of @size bytes */
static size_t own(cl_mem_flags flags, size_t size)
{
	return flags & CL_MEM_USE_HOST_PTR ? 0 : size;
}

cl_mem CL_API_CALL layer_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
					cl_int *error)
{
	return BOOKED(own(flags, size), next->clCreateBuffer(context, flags, size, host, &why));
}

cl_mem CL_API_CALL layer_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
						       cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	return BOOKED(own(flags, size), next->clCreateBufferWithProperties(context, properties, flags, size, host,
									   &why));
}

cl_mem CL_API_CALL layer_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
				      const cl_pipe_properties *properties, cl_int *error)
{
	return BOOKED((size_t)packet * packets, next->clCreatePipe(context, flags, packet, packets, properties,
								   &why));
}

/* --- images --- */

static size_t pixel(const cl_image_format *format)
{
	size_t channels = 4;

	switch (format->image_channel_order) {
	case CL_R:
	case CL_A:
	case CL_INTENSITY:
	case CL_LUMINANCE:
	case CL_DEPTH:
		channels = 1;
		break;
	case CL_RG:
	case CL_RA:
	case CL_Rx:
		channels = 2;
		break;
	}
	switch (format->image_channel_data_type) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return channels;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return channels * 4;
	case CL_UNORM_SHORT_565:
	case CL_UNORM_SHORT_555:
		return 2;
	case CL_UNORM_INT_101010:
		return 4;
	}
	return channels * 2;
}

static size_t image_size(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *d)
{
	size_t size;

	if (!format || !d || d->buffer || flags & CL_MEM_USE_HOST_PTR)
		return 0;
	size = pixel(format) * d->image_width;
	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		return size * d->image_array_size;
	case CL_MEM_OBJECT_IMAGE2D:
		return size * d->image_height;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		return size * d->image_height * d->image_array_size;
	case CL_MEM_OBJECT_IMAGE3D:
		return size * d->image_height * d->image_depth;
	}
	return size;
}

cl_mem CL_API_CALL layer_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
				       const cl_image_desc *desc, void *host, cl_int *error)
{
	return BOOKED(image_size(flags, format, desc), next->clCreateImage(context, flags, format, desc, host, &why));
}

cl_mem CL_API_CALL layer_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
						      cl_mem_flags flags, const cl_image_format *format,
						      const cl_image_desc *desc, void *host, cl_int *error)
{
	return BOOKED(image_size(flags, format, desc),
		      next->clCreateImageWithProperties(context, properties, flags, format, desc, host, &why));
}

cl_mem CL_API_CALL layer_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
					 size_t width, size_t height, size_t row, void *host, cl_int *error)
{
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width,
				     .image_height = height };

	return BOOKED(image_size(flags, format, &desc),
		      next->clCreateImage2D(context, flags, format, width, height, row, host, &why));
}

cl_mem CL_API_CALL layer_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
					 size_t width, size_t height, size_t depth, size_t row, size_t slice,
					 void *host, cl_int *error)
{
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = width,
				     .image_height = height, .image_depth = depth };

	return BOOKED(image_size(flags, format, &desc),
		      next->clCreateImage3D(context, flags, format, width, height, depth, row, slice, host, &why));
}

/* --- shared virtual memory: it has no object, so its bookings are found by address --- */

static struct area {
	void *ptr;
	struct booked *booked;
	struct area *next;
} *areas;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* areas */

static void remember(struct area *a)
{
	pthread_mutex_lock(&lock);
	a->next = areas;
	areas = a;
	pthread_mutex_unlock(&lock);
}

void * CL_API_CALL layer_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	/* It does not say why it refuses: what looks right was refused for want of memory */
	const cl_int why = alignment & (alignment - 1) || alignment > 128 ? CL_INVALID_VALUE :
			   CL_MEM_OBJECT_ALLOCATION_FAILURE;
	struct area *a = malloc(sizeof(*a));
	void *ptr = NULL;
	bool refused;
	int64_t since;
	int state;

	if (!a)
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	a->booked = memory_book(context, size, &refused);
	since = tgu_now();
	while (!refused && !(ptr = next->clSVMAlloc(context, flags, size, alignment)) && a->booked &&
	       memory_again(since, why))
		;
	if (ptr && a->booked) {
		a->ptr = ptr;
		remember(a);
	} else {
		if (a->booked)
			memory_unbook(a->booked);
		free(a);
	}
	pthread_setcancelstate(state, NULL);
	return ptr;
}

/* Take @ptr's area out of the list, before the driver can give the address to somebody else */
static struct area *forget(void *ptr)
{
	struct area **at, *a;

	pthread_mutex_lock(&lock);
	for (at = &areas; (a = *at) && a->ptr != ptr; at = &a->next)
		;
	if (a)
		*at = a->next;
	pthread_mutex_unlock(&lock);
	return a;
}

static void give_back(struct area *a)
{
	if (a)
		memory_unbook(a->booked);
	free(a);
}

void CL_API_CALL layer_clSVMFree(cl_context context, void *ptr)
{
	struct area *a = ptr ? forget(ptr) : NULL;

	next->clSVMFree(context, ptr);
	give_back(a);
}

/* The areas that a clEnqueueSVMFree() gives back when it ends, linked by @next */
static void CL_CALLBACK freed(cl_event event, cl_int status, void *arg)
{
	struct area *a = arg, *after;

	for (; a; a = after) {
		after = a->next;
		give_back(a);
	}
	next->clReleaseEvent(event);
}

cl_int CL_API_CALL
layer_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void **ptrs,
		       void (CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *), void *user, cl_uint nr,
		       const cl_event *wait, cl_event *event)
{
	const bool ours = !fn && count && ptrs;	/* the program's own function calls clSVMFree() */
	struct area *all = NULL, *a;
	cl_event own;
	struct turn t;
	cl_int ret;
	cl_uint i;

	for (i = 0; ours && i < count; i++) {
		a = forget(ptrs[i]);
		if (a) {
			a->next = all;
			all = a;
		}
	}
	turn_begin(&t, queue, false, 0, CL_FALSE, nr, wait, ours ? &own : event);
	ret = turn_end(&t, next->clEnqueueSVMFree(queue, count, ptrs, fn, user, t.nr, t.wait, t.event));
	for (; ret && (a = all); ) {
		all = a->next;
		remember(a);
	}
	if (ret || !ours)
		return ret;
	if (event) {
		*event = own;
		next->clRetainEvent(own);
	}
	if (next->clSetEventCallback(own, CL_COMPLETE, freed, all))
		freed(own, CL_COMPLETE, all);
	return CL_SUCCESS;
}

/** alloc_in_child() - as memory_in_child() */
void alloc_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	areas = NULL;
}
