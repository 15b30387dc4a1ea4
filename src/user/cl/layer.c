// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The way in: what the OpenCL loader calls when OPENCL_LAYERS names this library, once, before the
 * program's first call. Nothing is connected here: that comes with the first context or queue.
 *
 * And the way on after fork(). A thread that the child has not may have held any lock of the layer,
 * and may have been in the middle of any list; nor may fork() wait for these locks, since a driver
 * may call back holding its own, and take those in fork(), too. So each file's in_child() makes its
 * locks anew and forgets the parent's objects, which are of no use to a child: no driver lets it go
 * on with a context. A child that makes a context of its own becomes a client (device.c).
 */
#include <dlfcn.h>
#include <string.h>

#include "alloc.h"
#include "blocked.h"
#include "cl.h"
#include "copy.h"
#include "device.h"
#include "far.h"
#include "kernels.h"
#include "launch.h"
#include "memory.h"
#include "query.h"
#include "queue.h"
#include "slice.h"
#include "turn.h"
#include "twins.h"

const struct _cl_icd_dispatch *next;

#define ENTRY __attribute__((visibility("default")))

ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *ret)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

	if (name == CL_LAYER_NAME) {
		if (value && size >= sizeof("timegraph"))
			memcpy(value, "timegraph", sizeof("timegraph"));
		if (ret)
			*ret = sizeof("timegraph");
		return value && size < sizeof("timegraph") ? CL_INVALID_VALUE : CL_SUCCESS;
	}
	if (name != CL_LAYER_API_VERSION || (value && size < sizeof(version)))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, &version, sizeof(version));
	if (ret)
		*ret = sizeof(version);
	return CL_SUCCESS;
}

/*
 * This library stays until the process ends (-z nodelete), and its threads call what @target names:
 * the loader is to stay, too, where the program closes it.
 */
static void keep_loader(const struct _cl_icd_dispatch *target)
{
	Dl_info info;

	if (dladdr((void *)target->clGetPlatformIDs, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* The client's library comes first: its handler is older, and it locks last. */
static void in_child(void)
{
	devices_in_child();
	queues_in_child();
	turns_in_child();
	launches_in_child();
	far_in_child();
	kernels_in_child();
	memory_in_child();
	alloc_in_child();
	blocked_in_child();
}

#define OURS(name)	(ours->name = layer_##name)
/* What is of use to slicing alone: without it, these calls go straight to the driver */
static void fill_slicing(struct _cl_icd_dispatch *ours)
{
	OURS(clCreateKernel);
	OURS(clCreateKernelsInProgram);
	OURS(clCloneKernel);
	OURS(clRetainKernel);
	OURS(clReleaseKernel);
	OURS(clSetKernelArg);
	OURS(clSetKernelArgSVMPointer);
	OURS(clSetKernelExecInfo);
	OURS(clReleaseEvent);
	OURS(clSetEventCallback);
}

static void fill(struct _cl_icd_dispatch *ours)
{
	OURS(clCreateContext);
	OURS(clCreateContextFromType);
	OURS(clCreateCommandQueue);
	OURS(clCreateCommandQueueWithProperties);
	OURS(clRetainCommandQueue);
	OURS(clReleaseCommandQueue);
	OURS(clCreateBuffer);
	OURS(clCreateBufferWithProperties);
	OURS(clCreateImage);
	OURS(clCreateImageWithProperties);
	OURS(clCreateImage2D);
	OURS(clCreateImage3D);
	OURS(clCreatePipe);
	OURS(clSVMAlloc);
	OURS(clSVMFree);
	OURS(clEnqueueSVMFree);
	OURS(clReleaseMemObject);
	OURS(clReleaseContext);
	OURS(clEnqueueNDRangeKernel);
	OURS(clEnqueueTask);
	OURS(clEnqueueReadBuffer);
	OURS(clEnqueueWriteBuffer);
	OURS(clEnqueueReadBufferRect);
	OURS(clEnqueueWriteBufferRect);
	OURS(clEnqueueCopyBuffer);
	OURS(clEnqueueCopyBufferRect);
	OURS(clEnqueueFillBuffer);
	OURS(clEnqueueMapBuffer);
	OURS(clEnqueueUnmapMemObject);
	OURS(clEnqueueMigrateMemObjects);
	OURS(clEnqueueReadImage);
	OURS(clEnqueueWriteImage);
	OURS(clEnqueueCopyImage);
	OURS(clEnqueueCopyImageToBuffer);
	OURS(clEnqueueCopyBufferToImage);
	OURS(clEnqueueFillImage);
	OURS(clEnqueueMapImage);
	OURS(clEnqueueSVMMemcpy);
	OURS(clEnqueueSVMMemFill);
	OURS(clEnqueueSVMMap);
	OURS(clEnqueueSVMUnmap);
	OURS(clEnqueueSVMMigrateMem);
	OURS(clEnqueueMarkerWithWaitList);
	OURS(clEnqueueBarrierWithWaitList);
	OURS(clEnqueueNativeKernel);
	OURS(clEnqueueWaitForEvents);
	OURS(clGetCommandQueueInfo);
	OURS(clGetEventProfilingInfo);
	OURS(clFinish);
	OURS(clWaitForEvents);
}

ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
				     cl_uint *entries_ret, const struct _cl_icd_dispatch **dispatch)
{
	static struct _cl_icd_dispatch ours, below;
	const size_t size = entries * sizeof(void *);

	if (!target || !entries_ret || !dispatch)
		return CL_INVALID_VALUE;
	/* An older loader has a shorter table: OpenCL 2.0's is needed, the rest is NULL. */
	if (size < offsetof(struct _cl_icd_dispatch, clCreateCommandQueueWithProperties) + sizeof(void *))
		return CL_INVALID_VALUE;
	memcpy(&below, target, size < sizeof(below) ? size : sizeof(below));
	next = &below;
	keep_loader(target);
	pthread_atfork(NULL, NULL, in_child);
	fill(&ours);
	if (slice_bound())
		fill_slicing(&ours);
	*entries_ret = sizeof(ours) / sizeof(void *);
	*dispatch = &ours;
	return CL_SUCCESS;
}
