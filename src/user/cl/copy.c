// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Every enqueue call but that of kernels (launch.c): copies take their turn at the copy engine if they
 * are large, all others pass (turn.c). Each calls the driver with the wait list and event that
 * turn_begin() says, and returns what turn_end() says.
 */
#include "blocked.h"
#include "copy.h"
#include "far.h"
#include "queue.h"
#include "turn.h"

/* TURN(bytes, blocking, call): @call uses t.nr, t.wait, t.event, and t.blocking */
#define TURN(bytes, blocks, call) __extension__ ({						\
	struct turn t;										\
												\
	turn_begin(&t, queue, false, bytes, blocks, nr, wait, event);				\
	turn_end(&t, call);									\
})

static size_t volume(const size_t *region, size_t element)
{
	return region ? region[0] * region[1] * region[2] * element : 0;
}

static size_t element_of(cl_mem image)
{
	size_t size = 0;

	next->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL);
	return size;
}

/* --- buffers --- */

cl_int CL_API_CALL
layer_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
			  void *ptr, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(size, blocking, next->clEnqueueReadBuffer(queue, buffer, t.blocking, offset, size, ptr, t.nr,
							      t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
			   const void *ptr, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(size, blocking, next->clEnqueueWriteBuffer(queue, buffer, t.blocking, offset, size, ptr, t.nr,
							       t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *at,
			      const size_t *host_at, const size_t *region, size_t row, size_t slice,
			      size_t host_row, size_t host_slice, void *ptr, cl_uint nr, const cl_event *wait,
			      cl_event *event)
{
	return TURN(volume(region, 1), blocking,
		    next->clEnqueueReadBufferRect(queue, buffer, t.blocking, at, host_at, region, row, slice,
						  host_row, host_slice, ptr, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *at,
			       const size_t *host_at, const size_t *region, size_t row, size_t slice,
			       size_t host_row, size_t host_slice, const void *ptr, cl_uint nr,
			       const cl_event *wait, cl_event *event)
{
	return TURN(volume(region, 1), blocking,
		    next->clEnqueueWriteBufferRect(queue, buffer, t.blocking, at, host_at, region, row, slice,
						   host_row, host_slice, ptr, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size,
			  cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(size, CL_FALSE, next->clEnqueueCopyBuffer(queue, from, to, from_at, to_at, size, t.nr, t.wait,
							      t.event));
}

cl_int CL_API_CALL
layer_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_at,
			      const size_t *to_at, const size_t *region, size_t from_row, size_t from_slice,
			      size_t to_row, size_t to_slice, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(volume(region, 1), CL_FALSE,
		    next->clEnqueueCopyBufferRect(queue, from, to, from_at, to_at, region, from_row, from_slice,
						  to_row, to_slice, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
			  size_t offset, size_t size, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(size, CL_FALSE, next->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size,
							      t.nr, t.wait, t.event));
}

void * CL_API_CALL
layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
			 size_t size, cl_uint nr, const cl_event *wait, cl_event *event, cl_int *error)
{
	cl_int ret = CL_SUCCESS;
	void *map = NULL;

	/* TURN() has the error code for its value: the pointer is put aside */
	ret = TURN(size, blocking, (map = next->clEnqueueMapBuffer(queue, buffer, t.blocking, flags, offset, size,
								   t.nr, t.wait, t.event, &ret), ret));
	if (error)
		*error = ret;
	return ret ? NULL : map;
}

cl_int CL_API_CALL
layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *ptr, cl_uint nr, const cl_event *wait,
			      cl_event *event)
{
	return TURN(0, CL_FALSE, next->clEnqueueUnmapMemObject(queue, memory, ptr, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *objects,
				 cl_mem_migration_flags flags, cl_uint nr, const cl_event *wait, cl_event *event)
{
	size_t bytes = 0, size;
	cl_uint i;

	for (i = 0; objects && i < count; i++)
		if (!next->clGetMemObjectInfo(objects[i], CL_MEM_SIZE, sizeof(size), &size, NULL))
			bytes += size;
	return TURN(bytes, CL_FALSE, next->clEnqueueMigrateMemObjects(queue, count, objects, flags, t.nr, t.wait,
								      t.event));
}

/* --- images --- */

cl_int CL_API_CALL
layer_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			 const size_t *region, size_t row, size_t slice, void *ptr, cl_uint nr, const cl_event *wait,
			 cl_event *event)
{
	return TURN(volume(region, element_of(image)), blocking,
		    next->clEnqueueReadImage(queue, image, t.blocking, origin, region, row, slice, ptr, t.nr, t.wait,
					     t.event));
}

cl_int CL_API_CALL
layer_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			  const size_t *region, size_t row, size_t slice, const void *ptr, cl_uint nr,
			  const cl_event *wait, cl_event *event)
{
	return TURN(volume(region, element_of(image)), blocking,
		    next->clEnqueueWriteImage(queue, image, t.blocking, origin, region, row, slice, ptr, t.nr, t.wait,
					      t.event));
}

cl_int CL_API_CALL
layer_clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_at, const size_t *to_at,
			 const size_t *region, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(volume(region, element_of(from)), CL_FALSE,
		    next->clEnqueueCopyImage(queue, from, to, from_at, to_at, region, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
				 const size_t *region, size_t offset, cl_uint nr, const cl_event *wait,
				 cl_event *event)
{
	return TURN(volume(region, element_of(image)), CL_FALSE,
		    next->clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset, t.nr, t.wait,
						     t.event));
}

cl_int CL_API_CALL
layer_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
				 const size_t *origin, const size_t *region, cl_uint nr, const cl_event *wait,
				 cl_event *event)
{
	return TURN(volume(region, element_of(image)), CL_FALSE,
		    next->clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region, t.nr, t.wait,
						     t.event));
}

cl_int CL_API_CALL
layer_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
			 const size_t *region, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(volume(region, element_of(image)), CL_FALSE,
		    next->clEnqueueFillImage(queue, image, color, origin, region, t.nr, t.wait, t.event));
}

void * CL_API_CALL
layer_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
			const size_t *origin, const size_t *region, size_t *row, size_t *slice, cl_uint nr,
			const cl_event *wait, cl_event *event, cl_int *error)
{
	cl_int ret = CL_SUCCESS;
	void *map = NULL;

	ret = TURN(volume(region, element_of(image)), blocking,
		   (map = next->clEnqueueMapImage(queue, image, t.blocking, flags, origin, region, row, slice, t.nr,
						  t.wait, t.event, &ret), ret));
	if (error)
		*error = ret;
	return ret ? NULL : map;
}

/* --- shared virtual memory --- */

cl_int CL_API_CALL
layer_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size, cl_uint nr,
			 const cl_event *wait, cl_event *event)
{
	return TURN(size, blocking, next->clEnqueueSVMMemcpy(queue, t.blocking, to, from, size, t.nr, t.wait,
							     t.event));
}

cl_int CL_API_CALL
layer_clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
			  cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(size, CL_FALSE, next->clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size, t.nr, t.wait,
							      t.event));
}

cl_int CL_API_CALL
layer_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *ptr, size_t size, cl_uint nr,
		      const cl_event *wait, cl_event *event)
{
	return TURN(size, blocking, next->clEnqueueSVMMap(queue, t.blocking, flags, ptr, size, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueSVMUnmap(cl_command_queue queue, void *ptr, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(0, CL_FALSE, next->clEnqueueSVMUnmap(queue, ptr, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **ptrs, const size_t *sizes,
			     cl_mem_migration_flags flags, cl_uint nr, const cl_event *wait, cl_event *event)
{
	size_t bytes = 0;
	cl_uint i;

	for (i = 0; sizes && i < count; i++)
		bytes += sizes[i];
	return TURN(bytes, CL_FALSE, next->clEnqueueSVMMigrateMem(queue, count, ptrs, sizes, flags, t.nr, t.wait,
								  t.event));
}

/* --- commands that need no turn: what follows one that waits for the program waits, too --- */

cl_int CL_API_CALL
layer_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nr, const cl_event *wait, cl_event *event)
{
	return TURN(0, CL_FALSE, next->clEnqueueMarkerWithWaitList(queue, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint nr, const cl_event *wait, cl_event *event)
{
	struct turn t;

	turn_begin(&t, queue, false, 0, CL_FALSE, nr, wait, event);
	turn_barrier(&t);
	return turn_end(&t, next->clEnqueueBarrierWithWaitList(queue, t.nr, t.wait, t.event));
}

cl_int CL_API_CALL
layer_clEnqueueNativeKernel(cl_command_queue queue, void (CL_CALLBACK *fn)(void *), void *args, size_t size,
			    cl_uint count, const cl_mem *objects, const void **at, cl_uint nr, const cl_event *wait,
			    cl_event *event)
{
	return TURN(0, CL_FALSE, next->clEnqueueNativeKernel(queue, fn, args, size, count, objects, at, t.nr, t.wait,
							     t.event));
}

/* It returns no event: where one is wanted, a marker behind it has one. */
cl_int CL_API_CALL layer_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint nr, const cl_event *wait)
{
	struct device *d = nr && wait ? queue_device(queue) : NULL;
	const bool keep = d && blocked(queue, nr, wait), is_far = d && far_events(d, nr, wait);
	cl_int ret = next->clEnqueueWaitForEvents(queue, nr, wait);
	struct far *f = NULL;
	cl_event marker;

	if (ret || !(keep || is_far) || next->clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker))
		return ret;
	if (keep)
		blocked_keep(queue, marker);
	if (is_far)
		f = far_begin(queue, false);
	if (f) {
		far_barrier(f);
		far_went(f, marker);
	}
	next->clReleaseEvent(marker);
	return ret;
}
