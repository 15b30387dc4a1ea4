// SPDX-License-Identifier: GPL-2.0
/*
 * clphases: a program of the schedGPU paper, on an OpenCL device. Each frame prepares on the CPU, gets memory,
 * runs kernels with work on the CPU after each, and gives the memory back. It takes those options of tgload that
 * scripts/lib/schedgpu/profiles use, and prints what tgload would. Work on the CPU is a sleep: each program has
 * a core of its own, as many as there are programs. On the test card a kernel takes what its argument says.
 *
 * Begins its first frame when it is sent a byte, or the end, on standard input: all programs at once.
 * Ends with 1 where a call of OpenCL failed.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cl.h"
#include "lib/json.h"
#include "lib/opt.h"
#include "tgload/units.h"

static const struct opt options[] = {
	{ "prepare", 0, "TIME", "work on the CPU before each frame" },
	{ "mem", 0, "MIB", "memory of the device, from the first kernel of a frame to the last" },
	{ "groups", 0, "N", "kernels in a frame" },
	{ "cost", 0, "TIME", "what each takes" },
	{ "think", 0, "TIME", "work on the CPU after each" },
	{ "count", 0, "N", "kernels in all" },
	{ }
};

static struct {
	uint64_t prepare, mem, groups, cost, think, count;
} want = { .groups = 1, .count = 1 };

static struct {
	double elapsed, cpu, wait, held;
	uint64_t waited;
} result;

static const char *read_value(const struct opts *o)
{
	switch (o->opt - options) {
	case 0: return tgl_parse_time(o->value, &want.prepare);
	case 1: return tgl_parse_count(o->value, &want.mem);
	case 2: return tgl_parse_count(o->value, &want.groups);
	case 3: return tgl_parse_time(o->value, &want.cost);
	case 4: return tgl_parse_time(o->value, &want.think);
	default: return tgl_parse_count(o->value, &want.count);
	}
}

static void read_options(char **argv)
{
	struct opts o = { .table = options, .argv = argv + 1 };
	enum opt_what what;
	const char *why;

	while ((what = opt_next(&o)) != OPT_END) {
		if (what == OPT_HELP) {
			printf("usage: clphases [OPTION]...    phases of a program that computes\n\n");
			opt_help(stdout, options, 18);
			exit(0);
		}
		if (what != OPT_GIVEN) {
			opt_complain("clphases", &o, what);
			exit(2);
		}
		why = read_value(&o);
		if (why) {
			fprintf(stderr, "clphases: --%s: '%s': %s\n", o.opt->name, o.value, why);
			exit(2);
		}
	}
	if (!want.groups || want.groups > want.count || want.mem > UINT32_MAX) {
		fprintf(stderr, "clphases: --groups is from 1 to --count, and --mem below 4 PiB\n");
		exit(2);
	}
}

static void work(uint64_t ns)
{
	const struct timespec t = { ns / TGL_NS_PER_SEC, ns % TGL_NS_PER_SEC };

	result.cpu += ns / 1e9;
	nanosleep(&t, NULL);
}

static void compute(cl_command_queue q, cl_kernel k)
{
	cl_event e;

	cl_must(cl_run(q, k, 0, NULL, &e), "clEnqueueNDRangeKernel");
	cl_must(clWaitForEvents(1, &e), "clWaitForEvents");
	clReleaseEvent(e);
}

static void frame(cl_command_queue q, cl_kernel k)
{
	cl_int error = 0;
	double asked, got;
	cl_mem memory;
	uint64_t i;

	work(want.prepare);
	asked = seconds();
	memory = clCreateBuffer(cl_ctx, 0, want.mem << 20, NULL, &error);
	cl_must(error, "clCreateBuffer");
	got = seconds();
	result.wait += got - asked;
	result.waited += got - asked > 5e-3;
	for (i = 0; i < want.groups; i++) {
		compute(q, k);
		work(want.think);
	}
	clReleaseMemObject(memory);
	result.held += seconds() - got;
}

static void report(void)
{
	struct json j = { .to = stdout };

	json_open(&j, NULL, '{');
	json_u64(&j, "groups", want.count / want.groups * want.groups);
	json_u64(&j, "elapsed_us", (uint64_t)(result.elapsed * 1e6));
	json_u64(&j, "cpu_us", (uint64_t)(result.cpu * 1e6));
	json_u64(&j, "mem_wait_us", (uint64_t)(result.wait * 1e6));
	json_u64(&j, "mem_held_us", (uint64_t)(result.held * 1e6));
	json_u64(&j, "waited", result.waited);
	json_u64(&j, "errors", 0);
	json_close(&j, '}');
	putchar('\n');
}

int main(int argc, char **argv)
{
	cl_command_queue q;
	cl_kernel k;
	uint64_t i;
	double from;
	char byte;

	(void)argc;
	read_options(argv);
	cl_begin();
	q = cl_queue(0);
	k = cl_build("kernel void load(ulong ns) { }\n", "load");
	cl_must(clSetKernelArg(k, 0, sizeof(want.cost), &want.cost), "clSetKernelArg");
	if (read(0, &byte, 1) < 0)
		perror("clphases: standard input");
	from = seconds();
	for (i = 0; i < want.count / want.groups; i++)
		frame(q, k);
	result.elapsed = seconds() - from;
	report();
	return 0;
}
