// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the result, for people or as one line of JSON. Called once by main.c, when no thread but
 * the main one is left.
 */
#include "report.h"

#include <inttypes.h>

#include "lib/json.h"
#include "units.h"

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * TGL_NS_PER_SEC / ns : 0;
}

static void json_summary(struct json *j, const char *name, struct tgl_summary sum)
{
	json_open(j, name, '{');
	json_u64(j, "p50", sum.p50);
	json_u64(j, "p90", sum.p90);
	json_u64(j, "p99", sum.p99);
	json_u64(j, "max", sum.max);
	json_close(j, '}');
}

static void print_json(FILE *out, const struct tgl_opts *opts, int pid, struct tgl_result *r)
{
	struct json j = { .to = out, .bytes = JSON_LATIN1 };
	uint64_t i;

	json_open(&j, NULL, '{');
	json_string(&j, "name", opts->name);
	json_s64(&j, "pid", pid);
	json_s64(&j, "channel", r->channels[0]);
	json_open(&j, "channels", '[');
	for (i = 0; i < opts->channels; i++)
		json_s64(&j, NULL, r->channels[i]);
	json_close(&j, ']');
	json_string(&j, "kind", tgl_kind_name(opts->kind));
	json_u64(&j, "groups", r->groups);
	json_u64(&j, "frames", r->frames);
	json_u64(&j, "elapsed_us", r->elapsed_ns / TGL_NS_PER_US);
	json_fixed(&j, "rate_hz", per_second(r->groups, r->elapsed_ns), 3);
	json_fixed(&j, "fps", per_second(r->frames, r->elapsed_ns), 3);
	json_u64(&j, "gpu_us_asked", (r->asked_ps + 500000) / 1000000);
	json_summary(&j, "latency_us", tgl_samples_summary(&r->latency));
	json_summary(&j, "frame_us", tgl_samples_summary(&r->frame));
	if (opts->mem) {
		json_u64(&j, "cpu_us", r->cpu_ns / TGL_NS_PER_US);
		json_u64(&j, "mem_wait_us", r->mem_wait_ns / TGL_NS_PER_US);
		json_u64(&j, "mem_held_us", r->mem_held_ns / TGL_NS_PER_US);
	}
	json_u64(&j, "errors", r->errors);
	json_close(&j, '}');
	fputc('\n', out);
}

static void print_text_summary(FILE *out, const char *name, struct tgl_summary sum)
{
	fprintf(out, "  %-8s p50 %u us, p90 %u us, p99 %u us, max %u us\n", name,
		sum.p50, sum.p90, sum.p99, sum.max);
}

static void print_text(FILE *out, const struct tgl_opts *opts, int pid, struct tgl_result *r)
{
	uint64_t i;

	fprintf(out, "%s: pid %d, channel", opts->name, pid);
	for (i = 0; i < opts->channels; i++)
		fprintf(out, "%s%d", i ? ", " : " ", r->channels[i]);
	fprintf(out, ", %s\n", tgl_kind_name(opts->kind));
	fprintf(out, "  groups   %" PRIu64 " in %.3f s, %.3f a second\n", r->groups,
		(double)r->elapsed_ns / TGL_NS_PER_SEC, per_second(r->groups, r->elapsed_ns));
	fprintf(out, "  frames   %" PRIu64 ", %.3f a second\n", r->frames,
		per_second(r->frames, r->elapsed_ns));
	fprintf(out, "  GPU time %.3f ms asked for\n", (double)r->asked_ps / 1e9);
	print_text_summary(out, "latency", tgl_samples_summary(&r->latency));
	print_text_summary(out, "frame", tgl_samples_summary(&r->frame));
	if (opts->mem)
		fprintf(out, "  memory   waited for %.3f s, held %.3f s; on the CPU %.3f s\n",
			(double)r->mem_wait_ns / TGL_NS_PER_SEC,
			(double)r->mem_held_ns / TGL_NS_PER_SEC, (double)r->cpu_ns / TGL_NS_PER_SEC);
	fprintf(out, "  errors   %" PRIu64 "\n", r->errors);
}

void tgl_report(FILE *out, const struct tgl_opts *opts, int pid, struct tgl_result *result)
{
	if (opts->json)
		print_json(out, opts, pid, result);
	else
		print_text(out, opts, pid, result);
}
