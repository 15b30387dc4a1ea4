// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Twins: kernels of a rewritten source (rewrite.c), launched in the place of the program's own.
 *
 * The program's own objects stay as they are: what it asks of them, and the binaries that it may keep, have
 * nothing of ours. When a kernel that needs it is first launched in parts, its source is rewritten and built beside
 * the program, once for each context and device. Each launch in parts makes a kernel of that, and gives it the
 * arguments that the program has set; so the layer keeps a copy of these, for kernels that may need it.
 *
 * A twin's program holds its context. It is released with the last kernel that used it after the program has
 * released that context, or with the context's release when none uses it any more.
 *
 * slice.c calls twin_get() in the program's threads. `lock` guards all; the driver builds without it.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rewrite.h"
#include "scan.h"
#include "twins.h"

#define EXEC_INFOS	2

/** struct arg - @size bytes at @value; without value: so much local memory; @svm: @value is the pointer itself */
struct arg {
	bool set, svm;
	size_t size;
	void *value;
};

/**
 * struct args - of a kernel: all @nr, and what clSetKernelExecInfo() has said
 * @vendor: it has said something that only the driver understands, and that a twin cannot be told
 */
struct args {
	bool vendor;
	cl_uint nr;
	struct arg *arg;
	struct arg info[EXEC_INFOS];
};

/**
 * struct twin - a rewritten program
 * @program: NULL: the source cannot be rewritten, or does not build
 * @users: kernels of the program that may still be launched with it
 * @doomed: the program has released @context
 */
struct twin {
	cl_context context;
	cl_device_id device;
	const struct source *source;
	cl_program program;
	unsigned int users;
	bool doomed;
	struct twin *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct twin *twins;

/* --- arguments --- */

static const cl_kernel_exec_info infos[EXEC_INFOS] = {
	CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
};

/* Under the lock. Is the handle one whose arguments are kept? NULL: it is not */
static struct args *args_of(struct handle *h)
{
	struct args *a = h->args;
	cl_uint nr = 0;

	if (a || next->clGetKernelInfo(h->object.handle, CL_KERNEL_NUM_ARGS, sizeof(nr), &nr, NULL))
		return a;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->arg = calloc(nr + 1, sizeof(*a->arg));
	if (!a->arg) {
		free(a);
		return NULL;
	}
	a->nr = nr;
	h->args = a;
	return a;
}

/* Under the lock. */
static void arg_set(struct arg *arg, size_t size, const void *value, bool svm)
{
	void *copy = svm ? (void *)value : value ? malloc(size + !size) : NULL;

	if (!arg->svm)
		free(arg->value);
	if (copy && !svm)
		memcpy(copy, value, size);
	*arg = (struct arg){ .set = svm || !value || copy, .svm = svm, .size = size, .value = copy };
}

/* Keep an argument that the driver has taken. */
static void keep(cl_kernel kernel, cl_uint index, size_t size, const void *value, bool svm)
{
	struct handle *h = kernel_handle(kernel);
	const struct kernel *k = h ? kernel_of(kernel) : NULL;
	struct args *a;

	if (!k || !(k->uses & USES_GRID))
		return;
	pthread_mutex_lock(&lock);
	a = args_of(h);
	if (a && index < a->nr)
		arg_set(&a->arg[index], size, value, svm);
	pthread_mutex_unlock(&lock);
}

cl_int CL_API_CALL layer_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	cl_int ret = next->clSetKernelArg(kernel, index, size, value);

	if (!ret)
		keep(kernel, index, size, value, false);
	return ret;
}

cl_int CL_API_CALL layer_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	cl_int ret = next->clSetKernelArgSVMPointer(kernel, index, value);

	if (!ret)
		keep(kernel, index, 0, value, true);
	return ret;
}

cl_int CL_API_CALL layer_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void *value)
{
	cl_int ret = next->clSetKernelExecInfo(kernel, name, size, value);
	struct handle *h = ret ? NULL : kernel_handle(kernel);
	struct args *a;
	int i;

	if (!h)
		return ret;
	pthread_mutex_lock(&lock);
	a = args_of(h);
	for (i = 0; a && i < EXEC_INFOS && infos[i] != name; i++)
		;
	if (a && i < EXEC_INFOS)
		arg_set(&a->info[i], size, value, false);
	else if (a)
		a->vendor = true;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void args_free(struct args *a)
{
	cl_uint i;

	for (i = 0; a && i < a->nr; i++)
		arg_set(&a->arg[i], 0, NULL, false);
	for (i = 0; a && i < EXEC_INFOS; i++)
		arg_set(&a->info[i], 0, NULL, false);
	if (a)
		free(a->arg);
	free(a);
}

/* Under the lock: give @twin, behind its own first one, the arguments of @a. Return: false: some are not known */
static bool args_give(const struct args *a, cl_kernel twin)
{
	const struct arg *arg;
	cl_uint i;

	if (a->vendor)
		return false;
	for (i = 0; i < a->nr; i++) {
		arg = &a->arg[i];
		if (!arg->set || (arg->svm ? next->clSetKernelArgSVMPointer(twin, i + 1, arg->value) :
					     next->clSetKernelArg(twin, i + 1, arg->size, arg->value)))
			return false;
	}
	for (i = 0; i < EXEC_INFOS; i++)
		if (a->info[i].set && a->info[i].value &&
		    next->clSetKernelExecInfo(twin, infos[i], a->info[i].size, a->info[i].value))
			return false;
	return true;
}

/** args_copy() - a clone has the arguments of its origin */
void args_copy(struct handle *to, struct handle *from)
{
	struct args *a, *b;
	cl_uint i;

	pthread_mutex_lock(&lock);
	a = from->args;
	b = a ? args_of(to) : NULL;
	if (b)
		b->vendor = a->vendor;
	for (i = 0; b && i < a->nr && i < b->nr; i++)
		if (a->arg[i].set)
			arg_set(&b->arg[i], a->arg[i].size, a->arg[i].value, a->arg[i].svm);
	for (i = 0; b && i < EXEC_INFOS; i++)
		if (a->info[i].set)
			arg_set(&b->info[i], a->info[i].size, a->info[i].value, false);
	pthread_mutex_unlock(&lock);
}

/* --- programs --- */

/* The rewritten source, built; NULL: it cannot be */
static cl_program build(cl_context context, cl_device_id device, cl_program origin, const struct source *source)
{
	char *text = rewrite(source_scan(source)), *options = NULL;
	cl_program program = NULL;
	size_t size = 0;

	if (text && !next->clGetProgramBuildInfo(origin, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size))
		options = calloc(1, size + 1);
	if (options)
		next->clGetProgramBuildInfo(origin, device, CL_PROGRAM_BUILD_OPTIONS, size, options, NULL);
	if (options)
		program = next->clCreateProgramWithSource(context, 1, (const char **)&text, NULL, NULL);
	if (program && next->clBuildProgram(program, 1, &device, options, NULL, NULL)) {
		next->clReleaseProgram(program);
		program = NULL;
	}
	free(options);
	free(text);
	return program;
}

/* Under the lock. */
static struct twin *find(cl_context context, cl_device_id device, const struct source *source)
{
	struct twin *t;

	for (t = twins; t; t = t->next)
		if (t->context == context && t->device == device && t->source == source)
			break;
	return t;
}

/* Under the lock: take those out whose program nobody needs. Return: they, to be released */
static struct twin *take_dead(void)
{
	struct twin **at = &twins, *dead = NULL, *t;

	while ((t = *at)) {
		if (t->users || !t->doomed) {
			at = &t->next;
			continue;
		}
		__atomic_store_n(at, t->next, __ATOMIC_RELEASE);
		t->next = dead;
		dead = t;
	}
	return dead;
}

static void release(struct twin *dead)
{
	struct twin *t;

	while ((t = dead)) {
		dead = t->next;
		if (t->program)
			next->clReleaseProgram(t->program);
		free(t);
	}
}

/* The twin of @h's program for @device, built if need be; one more user, once for each handle */
static struct twin *twin_of(struct handle *h, cl_device_id device, const struct source *source)
{
	cl_context context = NULL;
	cl_program origin = NULL, program = NULL;
	struct twin *t = h->twin, *new = NULL;

	if (t && t->device == device && t->source == source)
		return t;
	if (t || next->clGetKernelInfo(h->object.handle, CL_KERNEL_PROGRAM, sizeof(origin), &origin, NULL) ||
	    next->clGetKernelInfo(h->object.handle, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL))
		return NULL;	/* a kernel for several devices: for the first one */
	pthread_mutex_lock(&lock);
	if (!find(context, device, source)) {
		pthread_mutex_unlock(&lock);
		new = malloc(sizeof(*new));
		program = new ? build(context, device, origin, source) : NULL;
		pthread_mutex_lock(&lock);
	}
	t = find(context, device, source);
	if (!t && new) {
		*new = (struct twin){ .context = context, .device = device, .source = source, .program = program,
				      .next = twins };
		__atomic_store_n(&twins, new, __ATOMIC_RELEASE);
		t = new;
		new = NULL;
		program = NULL;
	}
	if (t && !h->twin) {
		h->twin = t;
		t->users++;
	}
	t = h->twin;
	pthread_mutex_unlock(&lock);
	free(new);
	if (program)
		next->clReleaseProgram(program);
	return t && t->device == device && t->source == source ? t : NULL;
}

/** twin_get() - a kernel to launch in the place of @kernel in parts, with its arguments; NULL: there is none */
cl_kernel twin_get(cl_kernel kernel, const struct kernel *k, cl_device_id device)
{
	struct handle *h = kernel_handle(kernel);
	struct twin *t = h ? twin_of(h, device, k->source) : NULL;
	cl_kernel twin;

	if (!t || !t->program)
		return NULL;
	twin = next->clCreateKernel(t->program, k->name, NULL);
	if (!twin)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!args_of(h) || !args_give(h->args, twin)) {
		next->clReleaseKernel(twin);
		twin = NULL;
	}
	pthread_mutex_unlock(&lock);
	return twin;
}

/** twin_forget() - the kernel of @h is gone, or another one is there */
void twin_forget(struct handle *h)
{
	struct twin *dead;

	pthread_mutex_lock(&lock);
	args_free(h->args);
	h->args = NULL;
	if (h->twin)
		h->twin->users--;
	h->twin = NULL;
	dead = take_dead();
	pthread_mutex_unlock(&lock);
	release(dead);
}

cl_int CL_API_CALL layer_clReleaseContext(cl_context context)
{
	struct twin *t, *dead = NULL;

	if (__atomic_load_n(&twins, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		for (t = twins; t; t = t->next)
			t->doomed |= t->context == context;
		dead = take_dead();
		pthread_mutex_unlock(&lock);
	}
	release(dead);
	return next->clReleaseContext(context);
}

/** twins_in_child() - as slice_in_child() */
void twins_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
}
