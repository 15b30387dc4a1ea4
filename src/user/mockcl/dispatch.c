// SPDX-License-Identifier: GPL-2.0
/* Every entry of OpenCL 3.0 that the driver has, in the table that the loader calls by. Others are NULL. */
#include <string.h>

#include "driver.h"

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *list, cl_uint *n);

API void * CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name)
{
	return is(p, PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}

API void * CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (name && !strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)clIcdGetPlatformIDsKHR;
	if (name && !strcmp(name, "clGetPlatformInfo"))
		return (void *)clGetPlatformInfo;
	return NULL;
}

#define HAVE(NAME) .NAME = NAME

const struct _cl_icd_dispatch mock_dispatch = {
	.clGetPlatformIDs = clIcdGetPlatformIDsKHR,
	HAVE(clGetPlatformInfo), HAVE(clGetDeviceIDs), HAVE(clGetDeviceInfo), HAVE(clCreateSubDevices),
	HAVE(clRetainDevice), HAVE(clReleaseDevice), HAVE(clSetDefaultDeviceCommandQueue), HAVE(clGetHostTimer),
	HAVE(clGetDeviceAndHostTimer),
	HAVE(clCreateContext), HAVE(clCreateContextFromType), HAVE(clRetainContext), HAVE(clReleaseContext),
	HAVE(clGetContextInfo), HAVE(clSetContextDestructorCallback),
	HAVE(clCreateCommandQueue), HAVE(clCreateCommandQueueWithProperties), HAVE(clRetainCommandQueue),
	HAVE(clReleaseCommandQueue), HAVE(clGetCommandQueueInfo), HAVE(clSetCommandQueueProperty), HAVE(clFlush),
	HAVE(clFinish),
	HAVE(clCreateBuffer), HAVE(clCreateBufferWithProperties), HAVE(clCreateSubBuffer), HAVE(clCreatePipe),
	HAVE(clGetPipeInfo), HAVE(clRetainMemObject), HAVE(clReleaseMemObject), HAVE(clGetMemObjectInfo),
	HAVE(clSetMemObjectDestructorCallback),
	HAVE(clCreateImage), HAVE(clCreateImageWithProperties), HAVE(clCreateImage2D), HAVE(clCreateImage3D),
	HAVE(clGetSupportedImageFormats), HAVE(clGetImageInfo),
	HAVE(clCreateSampler), HAVE(clCreateSamplerWithProperties), HAVE(clRetainSampler), HAVE(clReleaseSampler),
	HAVE(clGetSamplerInfo),
	HAVE(clSVMAlloc), HAVE(clSVMFree), HAVE(clEnqueueSVMFree), HAVE(clEnqueueSVMMemcpy), HAVE(clEnqueueSVMMemFill),
	HAVE(clEnqueueSVMMap), HAVE(clEnqueueSVMUnmap), HAVE(clEnqueueSVMMigrateMem),
	HAVE(clCreateProgramWithSource), HAVE(clCreateProgramWithBinary), HAVE(clCreateProgramWithBuiltInKernels),
	HAVE(clCreateProgramWithIL), HAVE(clRetainProgram), HAVE(clReleaseProgram), HAVE(clBuildProgram),
	HAVE(clCompileProgram), HAVE(clLinkProgram), HAVE(clUnloadCompiler), HAVE(clUnloadPlatformCompiler),
	HAVE(clGetProgramInfo), HAVE(clGetProgramBuildInfo), HAVE(clSetProgramReleaseCallback),
	HAVE(clSetProgramSpecializationConstant),
	HAVE(clCreateKernel), HAVE(clCreateKernelsInProgram), HAVE(clCloneKernel), HAVE(clRetainKernel),
	HAVE(clReleaseKernel), HAVE(clSetKernelArg), HAVE(clSetKernelArgSVMPointer), HAVE(clSetKernelExecInfo),
	HAVE(clGetKernelInfo), HAVE(clGetKernelArgInfo), HAVE(clGetKernelWorkGroupInfo), HAVE(clGetKernelSubGroupInfo),
	HAVE(clEnqueueNDRangeKernel), HAVE(clEnqueueTask), HAVE(clEnqueueNativeKernel),
	HAVE(clWaitForEvents), HAVE(clGetEventInfo), HAVE(clCreateUserEvent), HAVE(clRetainEvent), HAVE(clReleaseEvent),
	HAVE(clSetUserEventStatus), HAVE(clSetEventCallback), HAVE(clGetEventProfilingInfo),
	HAVE(clEnqueueReadBuffer), HAVE(clEnqueueWriteBuffer), HAVE(clEnqueueCopyBuffer), HAVE(clEnqueueFillBuffer),
	HAVE(clEnqueueReadBufferRect), HAVE(clEnqueueWriteBufferRect), HAVE(clEnqueueCopyBufferRect),
	HAVE(clEnqueueMapBuffer), HAVE(clEnqueueUnmapMemObject), HAVE(clEnqueueMigrateMemObjects),
	HAVE(clEnqueueMarkerWithWaitList), HAVE(clEnqueueBarrierWithWaitList), HAVE(clEnqueueMarker),
	HAVE(clEnqueueBarrier), HAVE(clEnqueueWaitForEvents),
	HAVE(clEnqueueReadImage), HAVE(clEnqueueWriteImage), HAVE(clEnqueueCopyImage), HAVE(clEnqueueCopyImageToBuffer),
	HAVE(clEnqueueCopyBufferToImage), HAVE(clEnqueueFillImage), HAVE(clEnqueueMapImage),
	HAVE(clGetExtensionFunctionAddress), HAVE(clGetExtensionFunctionAddressForPlatform),
};
