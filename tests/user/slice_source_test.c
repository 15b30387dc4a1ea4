// SPDX-License-Identifier: GPL-2.0
/*
 * Sources that are hard to read, on PoCL: each kernel is launched in parts, and must leave what the whole leaves.
 * tests/user/slices runs this with the layer; with an argument it only prints what the driver says where a kernel has a size
 * of groups and the call has none. Each row's kernel `k` writes get_global_size(0) for each work-item. One thread.
 */
#include <string.h>

#include "cl.h"
#include "../lib/test.h"

#define N	1024
#define GROUP	8
#define KERNEL	"kernel void k(global uint *a) "
#define CALL	"{ a[get_global_id(0)] = f(); }\n"
#define SIZE	"{ a[get_global_id(0)] = get_global_size(0); }\n"

static const struct {
	const char *name, *source, *options;
} rows[] = {
	{ "plain", KERNEL SIZE, "" },
	{ "a helper whose name is a macro's argument", "#define FN(name) uint name(void)\nFN(f) { return get_global_size(0); }\n"
	  KERNEL CALL, "" },
	{ "a helper that is all of a macro", "#define FN(name) uint name(void) { return get_global_size(0); }\nFN(f)\n"
	  KERNEL CALL, "" },
	{ "a helper whose value is a macro's argument", "#define FN(name, e) uint name(void) { return e; }\n"
	  "FN(f, get_global_size(0))\n" KERNEL CALL, "" },
	{ "a helper whose body is a macro", "#define BODY { return get_global_size(0); }\nuint f(void) BODY\n" KERNEL CALL, "" },
	{ "a helper that a macro renames", "#define g f\nuint g(void) { return get_global_size(0); }\n#undef g\n" KERNEL CALL, "" },
	{ "a helper that an option renames", "uint g(void) { return get_global_size(0); }\n#undef g\n" KERNEL CALL, "-Dg=f" },
	{ "an attribute without underscores behind", "uint f(void);\nuint f(void) __attribute((noinline)) "
	  "{ return get_global_size(0); }\n" KERNEL CALL, "" },
	{ "an attribute from a macro", "#define NO(x) __attribute__((x))\nuint f(void) NO(noinline) "
	  "{ return get_global_size(0); }\n" KERNEL CALL, "" },
	{ "an attribute from an option", "uint f(void) NO(noinline) { return get_global_size(0); }\n" KERNEL CALL, "-DNO(x)=" },
	{ "macros for braces", "#define BEGIN {\n#define END }\nuint f(void) BEGIN if (1) { return get_global_size(0); } "
	  "return 0; END\n" KERNEL CALL, "" },
	{ "a line that ends in a backslash and a blank", KERNEL "{ a[get_global_id(0)] = get_glo\\ \nbal_size(0); }", "" },
	{ "a comment that goes on behind a blank", "// x \\ \n /* \n" KERNEL SIZE "// */", "" },
	{ "lines that end in a carriage return alone", "// x\r" KERNEL "\r" SIZE, "" },
	{ "a function that seems to end in an #if", KERNEL "{\n#if 0\n}\nvoid g(global uint *a) {\n#endif\n"
	  "a[get_global_id(0)] = get_global_size(0); }", "" },
	{ "a name pasted in an option", KERNEL "{ a[get_global_id(0)] = F(global_size)(0); }", "-DF(x)=get_##x" },
	{ "functions that share a name", "uint __attribute__((overloadable)) f(uint x) { return 3; }\n"
	  "uint __attribute__((overloadable)) f(uint x, uint y) { return x * y; }\n#define CALL(fn, x, y) fn(x, y)\n"
	  KERNEL "{ a[get_global_id(0)] = CALL(f, get_global_size(0), 1); }", "" },
	{ "a name in brackets", "size_t (f)(void) { return get_global_size(0); }\n" KERNEL CALL, "" },
	{ "a pointer to an array", "global size_t (*f(global uint *a))[1] { *a = get_global_size(0); return 0; }\n"
	  KERNEL "{ f(a + get_global_id(0)); }", "" },
	{ "what a function calls that is no plain one", "uint h(void) { return get_global_size(0); }\n"
	  "global uint (*f(global uint *a))[1] { *a = h(); return 0; }\n" KERNEL "{ f(a + get_global_id(0)); }", "" },
	{ "a macro with a whole head", "#define X ; uint f(void)\nuint g(void) X { return get_global_size(0); }\n" KERNEL CALL, "" },
	{ "a macro with half a head", "#define P void); uint f(void\nuint g(P) { return get_global_size(0); }\n" KERNEL CALL, "" },
	{ "a comment that is none", "#warning /*\nuint f(void) { return get_global_size(0); }\n// */\nuint f(void);\n" KERNEL CALL, "" },
	{ "the compiler's own name", "size_t _Z15get_global_sizej(uint);\n"
	  KERNEL "{ a[get_global_id(0)] = _Z15get_global_sizej(0); }", "" },
};

static cl_command_queue queue;
static cl_mem out;
static cl_uint words[N];

/* Return: the first word that is not what it should be; N: all are */
static int run(const char *source, const char *options)
{
	const size_t global = N, local = GROUP;
	const cl_uint zero = 0;
	cl_kernel k = cl_build_with(source, options, "k");
	int i;

	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	cl_must(clEnqueueFillBuffer(queue, out, &zero, 4, 0, sizeof(words), 0, NULL, NULL), "clEnqueueFillBuffer");
	cl_must(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	cl_must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL), "clEnqueueReadBuffer");
	for (i = 0; i < N && words[i] == N; i++)
		;
	clReleaseKernel(k);
	return i;
}

/* Return: the driver's answer */
static cl_int run_own(void)
{
	const size_t global = N;
	cl_kernel k = cl_build("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global uint *a) " SIZE, "k");

	cl_must(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	return clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
	cl_int error;
	size_t i;
	int at;

	cl_begin();
	queue = cl_queue(0);
	out = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE, sizeof(words), NULL, &error);
	cl_must(error, "clCreateBuffer");
	(void)argv;
	if (argc > 1) {
		printf("%d\n", run_own());
		return 0;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		at = run(rows[i].source, rows[i].options);
		test_row(rows[i].name, at == N, "the size of the grid is %u for work-item %d", at < N ? words[at] : 0, at);
	}
	return test_end();
}
