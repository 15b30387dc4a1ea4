// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the result, for people or as one line of JSON. Called once by main.c, when no thread but
 * the main one is left.
 */
#include "report.h"

#include <inttypes.h>

#include "units.h"

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * TGL_NS_PER_SEC / ns : 0;
}

/* A name may hold any byte but NUL; what is not printable ASCII is written as \u and its value. */
static void print_json_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_json_summary(FILE *out, const char *name, struct tgl_summary sum)
{
	fprintf(out, "\"%s\":{\"p50\":%u,\"p90\":%u,\"p99\":%u,\"max\":%u}", name,
		sum.p50, sum.p90, sum.p99, sum.max);
}

static void print_json(FILE *out, const struct tgl_opts *opts, int pid, struct tgl_result *r)
{
	uint64_t i;

	fprintf(out, "{\"name\":");
	print_json_string(out, opts->name);
	fprintf(out, ",\"pid\":%d,\"channel\":%d,\"channels\":[", pid, r->channels[0]);
	for (i = 0; i < opts->channels; i++)
		fprintf(out, "%s%d", i ? "," : "", r->channels[i]);
	fprintf(out, "],\"kind\":\"%s\"", tgl_kind_name(opts->kind));
	fprintf(out, ",\"groups\":%" PRIu64 ",\"frames\":%" PRIu64 ",\"elapsed_us\":%" PRIu64,
		r->groups, r->frames, r->elapsed_ns / TGL_NS_PER_US);
	fprintf(out, ",\"rate_hz\":%.3f,\"fps\":%.3f", per_second(r->groups, r->elapsed_ns),
		per_second(r->frames, r->elapsed_ns));
	fprintf(out, ",\"gpu_us_asked\":%" PRIu64 ",", (r->asked_ps + 500000) / 1000000);
	print_json_summary(out, "latency_us", tgl_samples_summary(&r->latency));
	fputc(',', out);
	print_json_summary(out, "frame_us", tgl_samples_summary(&r->frame));
	if (opts->mem)
		fprintf(out, ",\"cpu_us\":%" PRIu64 ",\"mem_wait_us\":%" PRIu64
			",\"mem_held_us\":%" PRIu64, r->cpu_ns / TGL_NS_PER_US,
			r->mem_wait_ns / TGL_NS_PER_US, r->mem_held_ns / TGL_NS_PER_US);
	fprintf(out, ",\"errors\":%" PRIu64 "}\n", r->errors);
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
