// SPDX-License-Identifier: GPL-2.0
/*
 * hold: gets memory of an OpenCL device in the ways that it is told, prints a line for each, and holds it
 * until its standard input ends. Then it gives back what it has, and ends.
 *
 * usage: hold KIND:MIB...    KIND: buffer, image, image3d, pipe, svm, host (the program's own memory)
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <string.h>
#include <unistd.h>

#include "cl.h"

static const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };

static cl_mem get(const char *kind, size_t mib, void **svm, cl_int *error)
{
	const cl_image_desc flat = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 512, .image_height = 512 * mib };

	*error = CL_SUCCESS;
	if (!strcmp(kind, "buffer"))
		return clCreateBuffer(cl_ctx, 0, mib << 20, NULL, error);
	if (!strcmp(kind, "host"))
		return clCreateBuffer(cl_ctx, CL_MEM_USE_HOST_PTR, mib << 20, calloc(mib, 1 << 20), error);
	if (!strcmp(kind, "image"))
		return clCreateImage(cl_ctx, 0, &format, &flat, NULL, error);
	if (!strcmp(kind, "image3d"))
		return clCreateImage3D(cl_ctx, 0, &format, 512, 512, mib, 0, 0, NULL, error);
	if (!strcmp(kind, "pipe"))
		return clCreatePipe(cl_ctx, 0, 1024, 1024 * mib, NULL, error);
	*svm = clSVMAlloc(cl_ctx, CL_MEM_READ_WRITE, mib << 20, 0);
	*error = *svm ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
	return NULL;
}

int main(int argc, char **argv)
{
	cl_command_queue q;
	cl_mem mem[16] = { NULL };
	void *svm[16] = { NULL };
	cl_int error;
	char kind[16], c;
	int i, n = argc < 17 ? argc - 1 : 16;
	unsigned int mib;

	setvbuf(stdout, NULL, _IOLBF, 0);
	cl_begin();
	q = cl_queue(0);
	for (i = 0; i < n; i++) {
		if (sscanf(argv[i + 1], "%15[a-z0-9]:%u", kind, &mib) != 2)
			return 2;
		mem[i] = get(kind, mib, &svm[i], &error);
		printf("%s %d\n", argv[i + 1], error);
	}
	while (read(0, &c, 1) > 0)
		;
	for (i = 0; i < n; i++) {
		if (mem[i])
			clReleaseMemObject(mem[i]);
		if (svm[i] && i % 2)
			clSVMFree(cl_ctx, svm[i]);
		else if (svm[i])
			clEnqueueSVMFree(q, 1, &svm[i], NULL, NULL, 0, NULL, NULL);
	}
	clFinish(q);
	printf("given back\n");
	pause();
	return 0;
}
