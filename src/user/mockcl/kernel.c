// SPDX-License-Identifier: GPL-2.0
/* Kernels, their arguments, and how long a launch takes (program.c says by which names). */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define INDIRECT_HOST_ACCESS	0x4200	/* cl_intel_unified_shared_memory; without meaning here */

#define GROUP	64	/* work-items of a group that the program does not choose */

void kernel_put(cl_kernel k)
{
	if (atomic_fetch_sub(&k->head.refs, 1) > 1)
		return;
	k->head.kind = 0;
	k->program->kernels--;
	program_put(k->program);
	free(k);
}

static cl_kernel create(cl_program p, const struct signature *s)
{
	cl_kernel k = object_new(KERNEL, sizeof(*k));

	if (!k)
		return NULL;
	k->program = p;
	k->sig = s;
	pthread_mutex_lock(&mock_lock);
	p->kernels++;
	atomic_fetch_add(&p->head.refs, 1);
	pthread_mutex_unlock(&mock_lock);
	return k;
}

API cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char *name, cl_int *error)
{
	cl_kernel k = NULL;
	cl_int unused;
	unsigned int i;

	error = error ? error : &unused;
	*error = !is(p, PROGRAM) ? CL_INVALID_PROGRAM : !p->built ? CL_INVALID_PROGRAM_EXECUTABLE :
		!name ? CL_INVALID_VALUE : CL_INVALID_KERNEL_NAME;
	if (*error != CL_INVALID_KERNEL_NAME)
		return NULL;
	for (i = 0; i < p->n; i++)
		if (!strcmp(p->kernel[i].name, name)) {
			k = create(p, &p->kernel[i]);
			*error = k ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
			break;
		}
	return k;
}

API cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *list, cl_uint *n)
{
	unsigned int i;

	if (!is(p, PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!p->built)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	if (list && room < p->n)
		return CL_INVALID_VALUE;
	for (i = 0; list && i < p->n; i++) {
		list[i] = create(p, &p->kernel[i]);
		if (!list[i])
			return CL_OUT_OF_HOST_MEMORY;
	}
	if (n)
		*n = p->n;
	return CL_SUCCESS;
}

API cl_kernel CL_API_CALL clCloneKernel(cl_kernel k, cl_int *error)
{
	cl_int unused;
	cl_kernel copy;

	error = error ? error : &unused;
	*error = is(k, KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
	if (*error)
		return NULL;
	copy = create(k->program, k->sig);
	if (!copy)
		*error = CL_OUT_OF_HOST_MEMORY;
	else
		memcpy(copy->arg, k->arg, sizeof(k->arg));
	return copy;
}

API cl_int CL_API_CALL clRetainKernel(cl_kernel k)
{
	return object_retain(k, KERNEL, CL_INVALID_KERNEL);
}

API cl_int CL_API_CALL clReleaseKernel(cl_kernel k)
{
	return object_release(k, KERNEL, CL_INVALID_KERNEL);
}

API cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (i >= k->sig->n)
		return CL_INVALID_ARG_INDEX;
	if (k->sig->arg[i].local) {
		if (value)
			return CL_INVALID_ARG_VALUE;
		if (!size)
			return CL_INVALID_ARG_SIZE;
		k->arg[i].set = true;
		return CL_SUCCESS;
	}
	if (k->sig->arg[i].size && size != k->sig->arg[i].size)
		return CL_INVALID_ARG_SIZE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	if (k->sig->arg[i].memory) {
		if (value && *(cl_mem *)value && !is(*(cl_mem *)value, MEMORY))
			return CL_INVALID_MEM_OBJECT;
		k->arg[i].memory = value ? *(cl_mem *)value : NULL;
		k->arg[i].svm = NULL;
	} else {
		if (!value)
			return CL_INVALID_ARG_VALUE;
		if (!strcmp(k->sig->arg[i].type, "sampler_t") && !is(*(void **)value, SAMPLER))
			return CL_INVALID_SAMPLER;
		k->arg[i].value = 0;
		memcpy(&k->arg[i].value, value, size < 8 ? size : 8);
	}
	k->arg[i].set = true;
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel k, cl_uint i, const void *p)
{
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (i >= k->sig->n)
		return CL_INVALID_ARG_INDEX;
	if (!k->sig->arg[i].memory || (p && !svm_inside(p, 1)))
		return CL_INVALID_ARG_VALUE;
	k->arg[i].svm = (void *)p;
	k->arg[i].memory = NULL;
	k->arg[i].set = true;
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info name, size_t size, const void *value)
{
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (!value || !size)
		return CL_INVALID_VALUE;
	if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
		return *(const cl_bool *)value ? CL_INVALID_OPERATION : CL_SUCCESS;
	return name == CL_KERNEL_EXEC_INFO_SVM_PTRS || name == INDIRECT_HOST_ACCESS ? CL_SUCCESS : CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetKernelInfo(cl_kernel k, cl_kernel_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	switch (name) {
	case CL_KERNEL_FUNCTION_NAME:
		return info_text(k->sig->name, room, to, size_ret);
	case CL_KERNEL_NUM_ARGS:
		return INFO(cl_uint, k->sig->n);
	case CL_KERNEL_REFERENCE_COUNT:
		return INFO(cl_uint, k->head.refs);
	case CL_KERNEL_CONTEXT:
		return INFO(cl_context, k->program->context);
	case CL_KERNEL_PROGRAM:
		return INFO(cl_program, k->program);
	case CL_KERNEL_ATTRIBUTES:
		return info_text("", room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info name, size_t room, void *to,
		size_t *size_ret)
{
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (i >= k->sig->n)
		return CL_INVALID_ARG_INDEX;
	switch (name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return INFO(cl_kernel_arg_address_qualifier, k->sig->arg[i].local ? CL_KERNEL_ARG_ADDRESS_LOCAL :
			    k->sig->arg[i].memory ? CL_KERNEL_ARG_ADDRESS_GLOBAL : CL_KERNEL_ARG_ADDRESS_PRIVATE);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return INFO(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return INFO(cl_kernel_arg_type_qualifier, CL_KERNEL_ARG_TYPE_NONE);
	case CL_KERNEL_ARG_TYPE_NAME:
		return info_text(k->sig->arg[i].type, room, to, size_ret);
	case CL_KERNEL_ARG_NAME:
		return info_text(k->sig->arg[i].name, room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info name,
		size_t room, void *to, size_t *size_ret)
{
	static const size_t none[3];

	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (d ? !is(d, DEVICE) || !context_has(k->program->context, d) : k->program->context->n > 1)
		return CL_INVALID_DEVICE;
	switch (name) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return INFO(size_t, 1024);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		return info(none, sizeof(none), room, to, size_ret);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return INFO(size_t, GROUP);
	case CL_KERNEL_LOCAL_MEM_SIZE:
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return INFO(cl_ulong, 0);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_sub_group_info name,
		size_t in_size, const void *in, size_t room, void *to, size_t *size_ret)
{
	(void)name;
	(void)in_size;
	(void)in;
	(void)room;
	(void)to;
	(void)size_ret;
	return !is(k, KERNEL) ? CL_INVALID_KERNEL : d && !is(d, DEVICE) ? CL_INVALID_DEVICE : CL_INVALID_OPERATION;
}

/* What is wrong with a grid; *@groups: how many work-groups it has */
static cl_int grid(cl_uint dim, const size_t *global, const size_t *local, uint64_t *groups)
{
	size_t items = 1, group;
	cl_uint i;

	if (dim < 1 || dim > 3)
		return CL_INVALID_WORK_DIMENSION;
	for (i = 0, *groups = 1; i < dim; i++) {
		if (!global)
			return CL_INVALID_GLOBAL_WORK_SIZE;
		group = local ? local[i] : i ? 1 : GROUP;
		if (local && (!group || group > (i == 2 ? 64 : 1024)))
			return CL_INVALID_WORK_ITEM_SIZE;
		items *= group;
		if (local && items > 1024)
			return CL_INVALID_WORK_GROUP_SIZE;
		if (local && global[i] % group)
			return CL_INVALID_WORK_GROUP_SIZE;
		*groups *= (global[i] + group - 1) / group;
	}
	return CL_SUCCESS;
}

static uint64_t duration(cl_kernel k, uint64_t groups)
{
	unsigned __int128 ns;

	if (k->sig->ns >= 0)
		return k->arg[k->sig->ns].value;
	ns = (unsigned __int128)groups * (k->sig->ns_per_group >= 0 ? k->arg[k->sig->ns_per_group].value :
					  k->program->ns_per_group);
	return ns > MOCK_ENDLESS ? MOCK_ENDLESS : (uint64_t)ns;
}

API cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *offset,
		const size_t *global, const size_t *local, cl_uint n, const cl_event *list, cl_event *out)
{
	cl_int error = command_check(q, n, list);
	struct work *w = NULL;
	unsigned int i;
	uint64_t groups;
	cl_event e;

	(void)offset;
	if (error)
		return error;
	if (!is(k, KERNEL))
		return CL_INVALID_KERNEL;
	if (k->program->context != q->context)
		return CL_INVALID_CONTEXT;
	for (i = 0; i < k->sig->n; i++)
		if (!k->arg[i].set)
			return CL_INVALID_KERNEL_ARGS;
	error = grid(dim, global, local, &groups);
	if (error)
		return error;
	e = command_new(q, CL_COMMAND_NDRANGE_KERNEL, MOCK_COMPUTE, duration(k, groups));
	if (!e)
		return CL_OUT_OF_HOST_MEMORY;
	for (i = 0; i < k->sig->n; i++)
		if (k->arg[i].memory) {
			w = w ? w : calloc(1, sizeof(*w));
			if (!w)
				break;
			w->add[w->adds++] = k->arg[i].memory;
			atomic_fetch_add(&k->arg[i].memory->head.refs, 1);
		}
	e->work = w;
	pthread_mutex_lock(&mock_lock);
	error = command_go(e, n, list, CL_FALSE, out);
	pthread_mutex_unlock(&mock_lock);
	return error;
}

API cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *list, cl_event *out)
{
	const size_t one = 1;

	return clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, n, list, out);
}

API cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue q, void (CL_CALLBACK *fn)(void *), void *args, size_t size,
		cl_uint mems, const cl_mem *mem, const void **at, cl_uint n, const cl_event *list, cl_event *out)
{
	(void)fn;
	(void)args;
	(void)size;
	(void)mems;
	(void)mem;
	(void)at;
	(void)n;
	(void)list;
	(void)out;
	return is(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}
