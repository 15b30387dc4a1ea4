// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Queries whose answers the layer would change: every queue is profiled, and a program that did not ask
 * for that sees none of it. The event of a kernel that went in parts is that of the last; what came before
 * its end is the first one's.
 */
#include <string.h>

#include "query.h"
#include "queue.h"
#include "slice.h"

/* Answer as an info call does */
static cl_int answer(const void *value, size_t size, size_t room, void *to, size_t *size_ret)
{
	if (to && room < size)
		return CL_INVALID_VALUE;
	if (to)
		memcpy(to, value, size);
	if (size_ret)
		*size_ret = size;
	return CL_SUCCESS;
}

/*
 * The program's own list of properties: without what the layer has added, the bit PROFILING, the pair with
 * CL_QUEUE_PROPERTIES, or all of it.
 */
static cl_int array(cl_command_queue queue, size_t room, void *to, size_t *size_ret)
{
	cl_queue_properties list[64];
	size_t size = 0, n, i;
	cl_int ret;

	ret = next->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size);
	if (ret)
		return next->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, room, to, size_ret);
	n = size / sizeof(*list);
	for (i = 0; i + 1 < n && list[i]; i += 2) {
		if (list[i] != CL_QUEUE_PROPERTIES)
			continue;
		list[i + 1] &= ~(cl_queue_properties)CL_QUEUE_PROFILING_ENABLE;
		if (queue_profiling(queue) == PROFILING_LISTED) {
			list[i] = 0;		/* the layer has added the last pair */
			size -= 2 * sizeof(*list);
		}
	}
	if (queue_profiling(queue) == PROFILING_ONLY)
		size = 0;
	return answer(list, size, room, to, size_ret);
}

cl_int CL_API_CALL layer_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t room,
						void *to, size_t *size_ret)
{
	cl_command_queue_properties properties;

	if (queue_profiling(queue) == PROFILING_ASKED ||
	    (name != CL_QUEUE_PROPERTIES && name != CL_QUEUE_PROPERTIES_ARRAY))
		return next->clGetCommandQueueInfo(queue, name, room, to, size_ret);
	if (name == CL_QUEUE_PROPERTIES_ARRAY)
		return array(queue, room, to, size_ret);
	if (next->clGetCommandQueueInfo(queue, name, sizeof(properties), &properties, NULL))
		return next->clGetCommandQueueInfo(queue, name, room, to, size_ret);
	properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	return answer(&properties, sizeof(properties), room, to, size_ret);
}

cl_int CL_API_CALL layer_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void *to,
						  size_t *size_ret)
{
	cl_command_queue queue = NULL;

	next->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL);
	if (queue && queue_profiling(queue) != PROFILING_ASKED)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (name != CL_PROFILING_COMMAND_END && name != CL_PROFILING_COMMAND_COMPLETE)
		event = slice_first(event);
	return next->clGetEventProfilingInfo(event, name, room, to, size_ret);
}
