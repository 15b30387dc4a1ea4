// SPDX-License-Identifier: GPL-2.0
/*
 * codes: makes a broad sequence of OpenCL calls, right and wrong ones, and prints what each returns: a
 * line for each, `CALL: CODE`, and what the copies have left in memory. tests/user/layer compares the
 * lines of a run without the layer with those of a run with it.
 *
 * What crashes PoCL 3.1 is left out: a kernel that is NULL, a wait list that is NULL and not empty.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <string.h>
#include <unistd.h>

#include "cl.h"

#define BIG	(3u << 20)	/* bytes: a copy of them takes a turn */

static const char *source =
	"kernel void add(global uint *data, ulong ns) { if (get_global_id(0) == 0) data[0]++; }\n";

static cl_command_queue q, p, ooo;
static cl_kernel add;
static cl_mem a, b, image;
static char *host;
static cl_ulong ns = 200000;

static void say(const char *call, cl_int code)
{
	printf("%s: %d\n", call, code);
}

#define SAY(call)	say(#call, call)
#define ERROR(call)	do { cl_int error = 77; call; say(#call, error); } while (0)

static uint32_t word_of(cl_mem m)
{
	uint32_t word = 0;

	clFinish(q);
	clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &word, 0, NULL, NULL);
	return word;
}

static void objects(void)
{
	const cl_queue_properties wrong[] = { CL_QUEUE_PROPERTIES, 1ull << 40, 0 }, odd[] = { 0x9999, 1, 0 };
	const cl_queue_properties plain[] = { CL_QUEUE_PROPERTIES, 0, 0 };
	cl_command_queue_properties properties = 77;
	cl_queue_properties list[8] = { 0 };
	cl_command_queue one;
	size_t size = 77;
	cl_ulong max = 0;

	ERROR(clCreateCommandQueueWithProperties(NULL, cl_devices[0], NULL, &error));
	ERROR(clCreateCommandQueueWithProperties(cl_ctx, NULL, NULL, &error));
	ERROR(clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], wrong, &error));
	ERROR(clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], odd, &error));
	ERROR(clCreateCommandQueue(cl_ctx, cl_devices[0], 1ull << 40, &error));
	SAY(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
	say("properties of a queue without any", (cl_int)properties);
	SAY(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, 1, &properties, NULL));
	one = clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], plain, NULL);
	SAY(clGetCommandQueueInfo(one, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size));
	say("bytes of its properties", (cl_int)size);
	say("its second property", (cl_int)list[1]);
	SAY(clReleaseCommandQueue(one));
	one = clCreateCommandQueueWithProperties(cl_ctx, cl_devices[0], NULL, NULL);
	size = 77;
	SAY(clGetCommandQueueInfo(one, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size));
	say("bytes of no properties", (cl_int)size);
	SAY(clReleaseCommandQueue(one));
	one = clCreateCommandQueue(cl_ctx, cl_devices[0], CL_QUEUE_PROFILING_ENABLE, NULL);
	SAY(clGetCommandQueueInfo(one, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
	say("properties of a queue with profiling", (cl_int)properties);
	SAY(clReleaseCommandQueue(one));
	SAY(clReleaseCommandQueue(NULL));
	clGetDeviceInfo(cl_devices[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(max), &max, NULL);
	ERROR(clCreateBuffer(cl_ctx, 0, 0, NULL, &error));
	ERROR(clCreateBuffer(cl_ctx, 0, max * 64, NULL, &error));
	ERROR(clCreateBuffer(cl_ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &error));
	ERROR(clCreateBuffer(cl_ctx, CL_MEM_COPY_HOST_PTR, 64, NULL, &error));
	ERROR(clCreateBuffer(cl_ctx, 0, 64, host, &error));
	ERROR(clCreateBuffer(NULL, 0, 64, NULL, &error));
	SAY(clReleaseMemObject(NULL));
}

static void images(void)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 }, none = { 0, 0 };
	const cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1024, .image_height = 1024 };
	const cl_image_desc zero = { .image_type = CL_MEM_OBJECT_IMAGE2D };
	const size_t at[3] = { 0 }, all[3] = { 1024, 1024, 1 }, over[3] = { 1025, 1, 1 };
	cl_uint color[4] = { 1, 2, 3, 4 };
	size_t row = 0;
	cl_event e;
	char *map;

	ERROR(image = clCreateImage(cl_ctx, 0, &format, &d, NULL, &error));
	ERROR(clCreateImage(cl_ctx, 0, &none, &d, NULL, &error));
	ERROR(clCreateImage(cl_ctx, 0, &format, &zero, NULL, &error));
	ERROR(clCreateImage(cl_ctx, 0, NULL, &d, NULL, &error));
	ERROR(clCreateImage(NULL, 0, &format, &d, NULL, &error));
	SAY(clEnqueueWriteImage(q, image, CL_FALSE, at, all, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueWriteImage(q, image, CL_TRUE, at, over, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueFillImage(q, image, color, at, all, 0, NULL, NULL));
	SAY(clEnqueueReadImage(q, image, CL_TRUE, at, all, 0, 0, host, 0, NULL, NULL));
	say("pixel", host[4] * 1000 + host[5] * 100 + host[6] * 10 + host[7]);
	SAY(clEnqueueReadImage(q, image, CL_TRUE, at, NULL, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueReadImage(q, a, CL_TRUE, at, all, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueCopyImageToBuffer(q, image, a, at, all, 0, 0, NULL, NULL));
	SAY(clEnqueueCopyImageToBuffer(q, image, a, at, all, BIG, 0, NULL, NULL));
	SAY(clEnqueueCopyBufferToImage(q, a, image, 0, at, all, 0, NULL, NULL));
	SAY(clEnqueueCopyImage(q, image, image, at, all, all, 0, NULL, NULL));
	ERROR(map = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, at, all, &row, NULL, 0, NULL, &e, &error));
	say("row", (cl_int)row);
	SAY(clReleaseEvent(e));
	SAY(clEnqueueUnmapMemObject(q, image, map, 0, NULL, NULL));
	ERROR(clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, at, over, &row, NULL, 0, NULL, NULL, &error));
	SAY(clFinish(q));
	SAY(clReleaseMemObject(image));
}

static void copies(void)
{
	const size_t at[3] = { 0 }, region[3] = { 1024, 1024, 2 }, over[3] = { 1024, 1024, 4 };
	uint32_t five = 5;
	cl_event e, none = NULL;
	char *map;

	SAY(clEnqueueFillBuffer(q, a, &five, 4, 0, BIG, 0, NULL, NULL));
	SAY(clEnqueueFillBuffer(q, a, &five, 3, 0, BIG, 0, NULL, NULL));
	SAY(clEnqueueFillBuffer(q, a, NULL, 4, 0, BIG, 0, NULL, NULL));
	SAY(clEnqueueCopyBuffer(q, a, b, 0, 0, BIG, 0, NULL, NULL));
	SAY(clEnqueueCopyBuffer(q, a, b, 4, 0, BIG, 0, NULL, NULL));
	SAY(clEnqueueCopyBuffer(q, a, a, 0, 4, BIG - 4, 0, NULL, NULL));
	SAY(clEnqueueCopyBuffer(NULL, a, b, 0, 0, BIG, 0, NULL, NULL));
	say("filled and copied", (cl_int)word_of(b));
	memset(host, 1, BIG);
	SAY(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, BIG, host, 0, NULL, &e));
	SAY(clWaitForEvents(1, &e));
	say("status", cl_status(e));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BIG, host, 1, &e, NULL));
	SAY(clReleaseEvent(e));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 1, BIG, host, 0, NULL, NULL));
	SAY(clEnqueueReadBuffer(q, a, CL_FALSE, 1, BIG, host, 0, NULL, &e));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BIG, NULL, 0, NULL, NULL));
	SAY(clEnqueueReadBuffer(q, NULL, CL_TRUE, 0, BIG, host, 0, NULL, NULL));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BIG, host, 1, NULL, NULL));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BIG, host, 0, &e, NULL));
	SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BIG, host, 1, &none, NULL));
	SAY(clEnqueueReadBuffer(NULL, a, CL_TRUE, 0, BIG, host, 0, NULL, NULL));
	SAY(clEnqueueReadBufferRect(q, a, CL_TRUE, at, at, region, 0, 0, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueWriteBufferRect(q, a, CL_FALSE, at, at, region, 0, 0, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueWriteBufferRect(q, a, CL_FALSE, at, at, over, 0, 0, 0, 0, host, 0, NULL, NULL));
	SAY(clEnqueueCopyBufferRect(q, a, b, at, at, region, 0, 0, 0, 0, 0, NULL, NULL));
	SAY(clEnqueueCopyBufferRect(q, a, b, at, at, over, 0, 0, 0, 0, 0, NULL, NULL));
	ERROR(map = clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_WRITE, 0, BIG, 0, NULL, NULL, &error));
	map[0] = 9;
	SAY(clEnqueueUnmapMemObject(q, b, map, 0, NULL, &e));
	SAY(clWaitForEvents(1, &e));
	SAY(clReleaseEvent(e));
	say("mapped", (cl_int)(word_of(b) & 0xff));
	ERROR(clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ, 1, BIG, 0, NULL, NULL, &error));
	ERROR(map = clEnqueueMapBuffer(q, b, CL_FALSE, CL_MAP_READ, 0, BIG, 0, NULL, &e, &error));
	SAY(clWaitForEvents(1, &e));
	SAY(clReleaseEvent(e));
	SAY(clEnqueueUnmapMemObject(q, b, map, 0, NULL, NULL));
	SAY(clEnqueueMigrateMemObjects(q, 1, &b, 0, 0, NULL, NULL));
	SAY(clEnqueueMigrateMemObjects(q, 0, NULL, 0, 0, NULL, NULL));
	SAY(clFinish(q));
}

static cl_int set(cl_mem m)
{
	return clSetKernelArg(add, 0, sizeof(m), &m) | clSetKernelArg(add, 1, sizeof(ns), &ns);
}

static void kernels(void)
{
	const size_t global = 64, local = 64, odd = 100;
	cl_ulong time;
	uint32_t zero = 0;
	cl_event e;
	int i;

	SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &global, &local, 0, NULL, NULL));
	SAY(set(a));
	SAY(clEnqueueFillBuffer(q, a, &zero, 4, 0, 4, 0, NULL, NULL));
	for (i = 0; i < 20; i++)
		SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &global, i & 1 ? &local : NULL, 0, NULL, NULL));
	SAY(clEnqueueNDRangeKernel(q, add, 0, NULL, &global, &local, 0, NULL, NULL));
	SAY(clEnqueueNDRangeKernel(q, add, 4, NULL, &global, &local, 0, NULL, NULL));
	SAY(clEnqueueNDRangeKernel(NULL, add, 1, NULL, &global, &local, 0, NULL, NULL));
	SAY(clEnqueueNDRangeKernel(q, add, 1, NULL, &odd, &odd, 0, NULL, NULL));
	SAY(clEnqueueTask(q, add, 0, NULL, &e));
	SAY(clFlush(q));
	SAY(clWaitForEvents(1, &e));
	SAY(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	SAY(clGetEventProfilingInfo(e, 0x9999, sizeof(time), &time, NULL));
	SAY(clReleaseEvent(e));
	say("added", (cl_int)word_of(a));
	SAY(clEnqueueNDRangeKernel(p, add, 1, NULL, &global, &local, 0, NULL, &e));
	SAY(clWaitForEvents(1, &e));
	SAY(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	SAY(clReleaseEvent(e));
	SAY(clFinish(NULL));
	SAY(clWaitForEvents(0, NULL));
	SAY(clWaitForEvents(1, NULL));
}

/* Each of these would hang if the layer waited in a call */
static void behind_user_events(cl_command_queue of, const char *which)
{
	const size_t one = 1;
	uint32_t zero = 0;
	cl_event u, k, c, m;

	printf("queue %s\n", which);
	clEnqueueFillBuffer(q, a, &zero, 4, 0, 4, 0, NULL, NULL);
	clFinish(q);
	SAY(set(a));
	ERROR(u = clCreateUserEvent(cl_ctx, &error));
	SAY(clEnqueueNDRangeKernel(of, add, 1, NULL, &one, NULL, 1, &u, &k));
	SAY(clEnqueueNDRangeKernel(of, add, 1, NULL, &one, NULL, 1, &k, &m));
	SAY(clEnqueueCopyBuffer(of, a, b, 0, 0, BIG, 1, &m, &c));
	SAY(clEnqueueReadBuffer(of, b, CL_FALSE, 0, BIG, host, 1, &c, NULL));
	SAY(clEnqueueBarrierWithWaitList(of, 0, NULL, NULL));
	SAY(clEnqueueNDRangeKernel(of, add, 1, NULL, &one, NULL, 0, NULL, NULL));
	say("k waits", cl_status(k) > CL_COMPLETE);
	SAY(clReleaseEvent(c));
	SAY(clReleaseEvent(m));
	SAY(clEnqueueMarkerWithWaitList(of, 0, NULL, &c));
	SAY(clEnqueueMarkerWithWaitList(p, 1, &c, NULL));
	SAY(clEnqueueNDRangeKernel(p, add, 1, NULL, &one, NULL, 0, NULL, &m));
	SAY(clSetUserEventStatus(u, CL_COMPLETE));
	SAY(clFinish(of));
	SAY(clWaitForEvents(1, &m));
	SAY(clFinish(p));
	memcpy(&zero, host, 4);
	say("read behind", (cl_int)zero);
	say("added behind", (cl_int)word_of(a));
	SAY(clReleaseEvent(u));
	SAY(clReleaseEvent(k));
	SAY(clReleaseEvent(c));
	SAY(clReleaseEvent(m));

	/* A barrier that waits, and nothing else says so */
	ERROR(u = clCreateUserEvent(cl_ctx, &error));
	SAY(clEnqueueBarrierWithWaitList(of, 1, &u, NULL));
	SAY(clEnqueueNDRangeKernel(of, add, 1, NULL, &one, NULL, 0, NULL, &k));
	SAY(clEnqueueWriteBuffer(of, b, CL_FALSE, 0, BIG, host, 0, NULL, &c));
	SAY(clFlush(of));
	SAY(clSetUserEventStatus(u, CL_COMPLETE));
	SAY(clWaitForEvents(1, &c));
	SAY(clWaitForEvents(1, &k));
	SAY(clReleaseEvent(u));
	SAY(clReleaseEvent(c));
	SAY(clReleaseEvent(k));

	/* One that fails */
	ERROR(u = clCreateUserEvent(cl_ctx, &error));
	SAY(clEnqueueNDRangeKernel(of, add, 1, NULL, &one, NULL, 1, &u, &k));
	SAY(clSetUserEventStatus(u, -77));
	SAY(clWaitForEvents(1, &k));
	say("failed", cl_status(k) < 0);
	SAY(clReleaseEvent(k));
	SAY(clReleaseEvent(u));
	SAY(clFinish(of));
}

static void svm(void)
{
	cl_device_svm_capabilities can = 0;
	uint32_t nine = 9, out = 0;
	char *one, *two;

	clGetDeviceInfo(cl_devices[0], CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, NULL);
	if (!(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
		return;
	one = clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, BIG, 0);
	two = clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, BIG, 64);
	say("svm", one && two);
	say("svm of nothing", clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, 0, 0) != NULL);
	say("svm of wrong alignment", clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, 64, 3) != NULL);
	SAY(clEnqueueSVMMemFill(q, one, &nine, 4, BIG, 0, NULL, NULL));
	SAY(clEnqueueSVMMemcpy(q, CL_TRUE, two, one, BIG, 0, NULL, NULL));
	SAY(clEnqueueSVMMemcpy(q, CL_TRUE, NULL, one, BIG, 0, NULL, NULL));
	SAY(clEnqueueSVMMemcpy(q, CL_TRUE, one, one + 4, BIG - 4, 0, NULL, NULL));
	SAY(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, two, BIG, 0, NULL, NULL));
	memcpy(&out, two + BIG - 4, 4);
	say("svm copied", (cl_int)out);
	SAY(clEnqueueSVMUnmap(q, two, 0, NULL, NULL));
	SAY(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, NULL, BIG, 0, NULL, NULL));
	SAY(clEnqueueSVMMigrateMem(q, 1, (const void **)&two, NULL, 0, 0, NULL, NULL));
	SAY(clEnqueueSVMFree(q, 1, (void **)&one, NULL, NULL, 0, NULL, NULL));
	SAY(clEnqueueSVMFree(q, 1, NULL, NULL, NULL, 0, NULL, NULL));
	SAY(clFinish(q));
	clSVMFree(cl_ctx, two);
}

/* A context of its own, used in turns with the first */
static void contexts(void)
{
	cl_context first = cl_ctx, second;
	cl_command_queue r;
	cl_event e;
	cl_mem m;
	int i;

	ERROR(second = clCreateContext(NULL, 1, cl_devices, NULL, NULL, &error));
	cl_ctx = second;
	r = cl_queue(0);
	ERROR(m = clCreateBuffer(second, 0, BIG, NULL, &error));
	SAY(clEnqueueCopyBuffer(r, m, a, 0, 0, BIG, 0, NULL, NULL));
	for (i = 0; i < 5; i++) {
		SAY(clEnqueueWriteBuffer(r, m, CL_FALSE, 0, BIG, host, 0, NULL, &e));
		SAY(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, BIG, host, 0, NULL, NULL));
		SAY(clEnqueueReadBuffer(q, a, CL_TRUE, 0, 4, host, 1, &e, NULL));
		SAY(clWaitForEvents(1, &e));
		SAY(clReleaseEvent(e));
	}
	SAY(clReleaseMemObject(m));
	SAY(clReleaseCommandQueue(r));
	SAY(clReleaseContext(second));
	cl_ctx = first;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	cl_begin();
	q = cl_queue(0);
	p = cl_queue(CL_QUEUE_PROFILING_ENABLE);
	ooo = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	add = cl_build(source, "add");
	host = calloc(1, BIG * 2);
	ERROR(a = clCreateBuffer(cl_ctx, 0, BIG + BIG / 2, NULL, &error));
	ERROR(b = clCreateBuffer(cl_ctx, 0, BIG, NULL, &error));
	objects();
	kernels();
	copies();
	images();
	behind_user_events(q, "in order");
	behind_user_events(ooo, "out of order");
	svm();
	contexts();
	return 0;
}
