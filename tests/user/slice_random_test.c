// SPDX-License-Identifier: GPL-2.0
/*
 * Random OpenCL kernels: what each leaves, as a hash of every byte. tests/user/slices runs this without the layer and
 * with each kernel in parts, and compares.
 *
 * usage: slice_random_test KERNELS SEED
 *
 * A kernel has 1 to 3 dimensions, at times an offset, groups that do not divide its size, or no size of a group. It
 * asks for any of the numbers that OpenCL tells a work-item, by itself, in functions that call each other, and in
 * macros; it passes values through local memory with barriers between. Each item writes what comes of that; the place
 * it writes to is made of get_global_id() and constants. One thread.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "cl.h"

#define PER_PROGRAM	16
#define WORDS		8192	/* of a buffer */

static uint64_t state;
static char text[1 << 18];
static size_t length;

/* A number below @n */
static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)((state >> 11) % n);
}

static bool one_of(unsigned int n)
{
	return !below(n);
}

static void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	length += (size_t)vsnprintf(text + length, sizeof(text) - length, format, list);
	va_end(list);
	if (length >= sizeof(text)) {
		fprintf(stderr, "slice_random_test: a source is too long\n");
		exit(2);
	}
}

/**
 * struct shape - a kernel: its grid, and what it may ask for
 * @offsets_alone: nothing but what a global offset makes right
 * @no_local: the driver chooses the size of groups, so nothing may depend on it
 */
struct shape {
	unsigned int dims;
	size_t offset[3], global[3], local[3];
	bool has_offset, no_local, offsets_alone, memory, strides, uneven;
};

/* --- source --- */

static void atom(const struct shape *s, bool helper)
{
	static const char *const grid[] = { "get_global_size", "get_global_offset", "get_global_size" };
	static const char *const groups[] = { "get_group_id", "get_num_groups", "NUMBER", "get_group_id" };
	static const char *const always[] = { "get_local_id", "get_local_size", "get_local_id" };
	const unsigned int d = below(3);

	switch (below(helper ? 7 : 9)) {
	case 0:
		say("(uint)get_global_id(%u)", d);
		break;
	case 1: case 2:
		if (s->offsets_alone)
			say("(uint)get_work_dim()");
		else
			say("(uint)%s(%u)", grid[below(3)], d);
		break;
	case 3: case 4:
		if (s->no_local || s->offsets_alone)
			say("(uint)get_global_id(%u)", d);
		else
			say("(uint)%s(%u)", groups[below(4)], d);
		break;
	case 5:
		if (s->no_local)
			say("%uu", below(1000));
		else
			say("(uint)%s(%u)", always[below(3)], d);
		break;
	case 6:
		say("%uu", below(1u << 31));
		break;
	case 7:
		say("in[(acc + %uu) %% %uu]", below(WORDS), WORDS);
		break;
	default:
		say(one_of(2) ? "(uint)number" : "wide.y");
	}
}

static void expression(const struct shape *s, int depth, bool helper)
{
	static const char *const marks[] = { "+", "-", "*", "^", "|", "&" };

	if (!depth || one_of(5)) {
		atom(s, helper);
		return;
	}
	say("(");
	switch (helper ? below(6) : below(8)) {
	case 6:
		say("%s(", s->offsets_alone ? s->no_local ? "plain_bare" : "plain" : s->no_local ? "grid_bare" : "grid");
		expression(s, depth - 1, helper);
		say(", acc)");
		break;
	case 7:
		say("MIX(");
		expression(s, depth - 1, helper);
		say(", %uu)", 1 + below(31));
		break;
	default:
		expression(s, depth - 1, helper);
		say(" %s ", marks[below(6)]);
		expression(s, depth - 1, helper);
	}
	say(")");
}

/* A function, and one that it calls; what it asks for is what its kernels may. */
static void helper(const char *name, bool offsets_alone, bool no_local)
{
	const struct shape s = { .offsets_alone = offsets_alone, .no_local = no_local };

	if (one_of(2))
		say("uint %s(uint x, uint acc);\n", name);
	say("uint %s_inner(void)\n{ return ", name);
	expression(&s, 2, true);
	say("; }\nuint %s_deep(uint x) { /* get_group_id(0) */ return x * 3u + %s_inner(); }\n", name, name);
	say("uint %s(uint x, uint acc)\n{\n\tuint y = %s_deep(x ^ ", name, name);
	expression(&s, 2, true);
	say(");\n\treturn y + acc * 5u;\n}\n");
}

static void place(const struct shape *s)
{
	say("((get_global_id(2) - %zuul) * %zuul + get_global_id(1) - %zuul) * %zuul + get_global_id(0) - %zuul",
	    s->offset[2], s->global[1], s->offset[1], s->global[0], s->offset[0]);
}

static void body(const struct shape *s)
{
	const size_t group = s->local[0] * s->local[1] * s->local[2];
	int rounds = 1 + (int)below(3);

	say("{\n\tuint acc = %uu;\n", below(1000));
	if (s->memory)
		say("\tlocal uint tmp[%zu];\n\tuint lid = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * "
		    "get_local_size(0) + get_local_id(0);\n\tuint all = get_local_size(0) * get_local_size(1) * "
		    "get_local_size(2);\n", group);
	while (rounds--) {
		say("\tacc = acc * 31u + ");
		expression(s, 3, false);
		say(";\n");
		if (s->memory)
			say("\ttmp[lid] = acc;\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\tacc ^= tmp[(lid + %uu) %% all];\n"
			    "\tbarrier(CLK_LOCAL_MEM_FENCE);\n\tscratch[lid] = acc;\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
			    "\tacc += scratch[all - 1 - lid];\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n", below(64));
	}
	if (s->strides)
		say("\tfor (ulong i = get_global_id(0) - get_global_offset(0); i < %d; i += get_global_size(0))\n"
		    "\t\tmore[i] = (uint)i * 7u + number;\n", WORDS);
	say("\tout[");
	place(s);
	say("] = acc;\n}\n");
}

static void choose(struct shape *s, bool uneven)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 8, 16 };
	cl_uint d;

	*s = (struct shape){ .dims = 1 + below(3), .offsets_alone = one_of(3), .no_local = one_of(6),
			     .has_offset = one_of(2) };
	for (d = 0; d < 3; d++)
		s->global[d] = s->local[d] = 1;
	for (d = 0; d < s->dims; d++) {
		s->local[d] = sizes[below(s->dims == 1 ? 6 : s->dims == 2 ? 5 : 3)];
		s->global[d] = s->local[d] * (1 + below(s->dims == 1 ? 60 : s->dims == 2 ? 9 : 5));
		if (s->has_offset)
			s->offset[d] = below(9);
		if (uneven && one_of(4)) {
			s->uneven = true;
			s->global[d] += below((unsigned int)s->local[d]);
		}
	}
	if (s->no_local && s->dims == 1)
		s->global[0] *= 1 + below(8);
	s->memory = !s->no_local && one_of(2);
	s->strides = !s->offsets_alone && s->dims == 1 && one_of(3);
}

static void source(struct shape *shapes, bool uneven)
{
	const bool pasted = one_of(4), joined = one_of(4);
	int i;

	length = 0;
	say("// get_group_id(0) in a comment, and a \"quote\n");
	if (pasted)
		say("#define NAME(x) get_##x\n#define NUMBER(d) NAME(group_id)(d)\n");
	else
		say("#define NUMBER(d) %s\n", joined ? "(get_num_\\\ngroups(d) + \\\n 1)" : "( get_group_id (d) )");
	say("#define MIX(x, n) (((x) << (n)) ^ ((x) >> (32 - (n))))\n");
	helper("plain", true, false);
	helper("plain_bare", true, true);
	helper("grid", false, false);
	helper("grid_bare", false, true);
	for (i = 0; i < PER_PROGRAM; i++) {
		choose(&shapes[i], uneven);
		say("%s void k%d(global uint *out, const global uint *in, uint number, uint4 wide, global uint *more%s)\n",
		    one_of(2) ? "kernel" : "__kernel", i, shapes[i].memory ? ", local uint *scratch" : "");
		body(&shapes[i]);
	}
}

/* --- running --- */

static cl_mem out, in, more;
static cl_uint words[WORDS];

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n--)
		h = (h ^ *at++) * 1099511628211ull;
	return h;
}

static cl_kernel prepare(cl_program p, const struct shape *s, int i)
{
	const cl_uint number = below(1u << 31), wide[4] = { below(9), below(99), below(999), below(9999) };
	cl_kernel k, copy;
	char name[16];
	cl_int error;

	snprintf(name, sizeof(name), "k%d", i);
	k = clCreateKernel(p, name, &error);
	cl_must(error, "clCreateKernel");
	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 1, sizeof(in), &in), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 2, sizeof(number), &number), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 3, sizeof(wide), wide), "clSetKernelArg");
	cl_must(clSetKernelArg(k, 4, sizeof(more), &more), "clSetKernelArg");
	if (s->memory)
		cl_must(clSetKernelArg(k, 5, s->local[0] * s->local[1] * s->local[2] * 4, NULL), "clSetKernelArg");
	if (one_of(8)) {
		copy = clCloneKernel(k, &error);
		if (!error) {
			clReleaseKernel(k);
			k = copy;
		}
	}
	return k;
}

static void run(cl_command_queue q, cl_program p, const struct shape *s, int i, unsigned int number)
{
	cl_kernel k = prepare(p, s, i);
	const cl_uint zero = 0, dims = s->dims;
	uint64_t h = 14695981039346656037ull;
	cl_event filled[2], e;
	cl_int status;

	cl_must(clEnqueueFillBuffer(q, out, &zero, 4, 0, sizeof(words), 0, NULL, &filled[0]), "clEnqueueFillBuffer");
	cl_must(clEnqueueFillBuffer(q, more, &zero, 4, 0, sizeof(words), 0, NULL, &filled[1]), "clEnqueueFillBuffer");
	cl_must(clEnqueueNDRangeKernel(q, k, dims, s->has_offset ? s->offset : NULL, s->global,
				       s->no_local ? NULL : s->local, 2, filled, &e), "clEnqueueNDRangeKernel");
	cl_must(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof(words), words, 1, &e, NULL), "clEnqueueReadBuffer");
	h = hash(h, words, sizeof(words));
	cl_must(clEnqueueReadBuffer(q, more, CL_TRUE, 0, sizeof(words), words, 1, &e, NULL), "clEnqueueReadBuffer");
	h = hash(h, words, sizeof(words));
	status = cl_status(e);
	printf("%u: %zux%zux%zu by %zux%zux%zu%s: %d, %016llx\n", number, s->global[0], s->global[1], s->global[2],
	       s->local[0], s->local[1], s->local[2], s->no_local ? " (none)" : "", status, (unsigned long long)h);
	clReleaseEvent(filled[0]);
	clReleaseEvent(filled[1]);
	clReleaseEvent(e);
	clReleaseKernel(k);
}

static cl_program build(bool uneven)
{
	const char *at = text;
	cl_program p;
	cl_int error;

	p = clCreateProgramWithSource(cl_ctx, 1, &at, NULL, &error);
	cl_must(error, "clCreateProgramWithSource");
	error = clBuildProgram(p, 1, cl_devices, uneven ? "-cl-std=CL3.0" : "-cl-std=CL1.2", NULL, NULL);
	if (error)
		fprintf(stderr, "%s", text);
	cl_must(error, "clBuildProgram");
	return p;
}

int main(int argc, char **argv)
{
	struct shape shapes[PER_PROGRAM];
	unsigned int kernels, number;
	cl_command_queue queues[2];
	cl_bool uneven = CL_FALSE;
	cl_program p = NULL;
	cl_int error;

	if (argc != 3) {
		fprintf(stderr, "usage: slice_random_test KERNELS SEED\n");
		return 2;
	}
	kernels = (unsigned int)strtoul(argv[1], NULL, 10);
	state = strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
	cl_begin();
	clGetDeviceInfo(cl_devices[0], CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(uneven), &uneven, NULL);
	queues[0] = cl_queue(0);
	queues[1] = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	for (number = 0; number < WORDS; number++)
		words[number] = below(1u << 31);
	in = clCreateBuffer(cl_ctx, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(words), words, &error);
	cl_must(error, "clCreateBuffer");
	out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, sizeof(words), NULL, &error);
	cl_must(error, "clCreateBuffer");
	more = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, sizeof(words), NULL, &error);
	cl_must(error, "clCreateBuffer");
	for (number = 0; number < kernels; number++) {
		if (number % PER_PROGRAM == 0) {
			const bool odd = uneven && one_of(3);

			if (p)
				clReleaseProgram(p);
			source(shapes, odd);
			p = build(odd);
		}
		run(queues[below(2)], p, &shapes[number % PER_PROGRAM], number % PER_PROGRAM, number);
	}
	return 0;
}
