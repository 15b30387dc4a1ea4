// SPDX-License-Identifier: GPL-2.0
/* What tgload prints, byte for byte: other programs read it. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tgload_test.h"
#include "units.h"

static const struct {
	const char *name;
	struct tgl_opts opts;
	struct tgl_result result;	/* without samples */
	unsigned int samples;		/* 1, 2, ... this many milliseconds, for both */
	const char *want[8];		/* in parts */
} rows[] = {
	{ "json: an ordinary run",
	  { .name = "game", .channels = 1, .json = 1 },
	  { .channels = { 3 }, .submitted = 40, .groups = 40, .frames = 10,
	    .asked_ps = UINT64_C(160001462840), .elapsed_ns = 500 * TGL_NS_PER_MS },
	  100,
	  { "{\"name\":\"game\",\"pid\":77,\"channel\":3,\"channels\":[3],\"kind\":\"compute\",",
	    "\"groups\":40,\"frames\":10,\"elapsed_us\":500000,\"rate_hz\":80.000,\"fps\":20.000,",
	    "\"gpu_us_asked\":160001,",
	    "\"latency_us\":{\"p50\":50000,\"p90\":90000,\"p99\":99000,\"max\":100000},",
	    "\"frame_us\":{\"p50\":50000,\"p90\":90000,\"p99\":99000,\"max\":100000},",
	    "\"errors\":0}\n" } },
	{ "json: nothing happened",
	  { .name = "none", .channels = 1, .kind = TGL_FILL, .json = 1 },
	  { .channels = { 2 } },
	  0,
	  { "{\"name\":\"none\",\"pid\":77,\"channel\":2,\"channels\":[2],\"kind\":\"fill\",",
	    "\"groups\":0,\"frames\":0,\"elapsed_us\":0,\"rate_hz\":0.000,\"fps\":0.000,",
	    "\"gpu_us_asked\":0,\"latency_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},",
	    "\"frame_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},\"errors\":0}\n" } },
	{ "json: two channels, an odd name, errors",
	  { .name = "a\"b\\c\n\xe9", .channels = 2, .kind = TGL_COPY, .json = 1 },
	  { .channels = { 2, 3 }, .errors = 5 },
	  0,
	  { "{\"name\":\"a\\\"b\\\\c\\u000a\\u00e9\",\"pid\":77,\"channel\":2,\"channels\":[2,3],",
	    "\"kind\":\"copy\",",
	    "\"groups\":0,\"frames\":0,\"elapsed_us\":0,\"rate_hz\":0.000,\"fps\":0.000,",
	    "\"gpu_us_asked\":0,\"latency_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},",
	    "\"frame_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},\"errors\":5}\n" } },
	{ "json: with memory",
	  { .name = "ara", .channels = 1, .mem = 19, .json = 1 },
	  { .channels = { 2 }, .cpu_ns = 3009 * TGL_NS_PER_MS, .mem_wait_ns = 1999,
	    .mem_held_ns = 70 * TGL_NS_PER_MS },
	  0,
	  { "{\"name\":\"ara\",\"pid\":77,\"channel\":2,\"channels\":[2],\"kind\":\"compute\",",
	    "\"groups\":0,\"frames\":0,\"elapsed_us\":0,\"rate_hz\":0.000,\"fps\":0.000,",
	    "\"gpu_us_asked\":0,\"latency_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},",
	    "\"frame_us\":{\"p50\":0,\"p90\":0,\"p99\":0,\"max\":0},",
	    "\"cpu_us\":3009000,\"mem_wait_us\":1,\"mem_held_us\":70000,\"errors\":0}\n" } },
	{ "text: with memory",
	  { .name = "ara", .channels = 1, .mem = 19 },
	  { .channels = { 2 }, .cpu_ns = 3009 * TGL_NS_PER_MS, .mem_wait_ns = 1500 * TGL_NS_PER_MS,
	    .mem_held_ns = 70 * TGL_NS_PER_MS },
	  0,
	  { "ara: pid 77, channel 2, compute\n",
	    "  groups   0 in 0.000 s, 0.000 a second\n",
	    "  frames   0, 0.000 a second\n",
	    "  GPU time 0.000 ms asked for\n",
	    "  latency  p50 0 us, p90 0 us, p99 0 us, max 0 us\n",
	    "  frame    p50 0 us, p90 0 us, p99 0 us, max 0 us\n",
	    "  memory   waited for 1.500 s, held 0.070 s; on the CPU 3.009 s\n",
	    "  errors   0\n" } },
	{ "text",
	  { .name = "game", .channels = 2 },
	  { .channels = { 2, 3 }, .submitted = 40, .groups = 40, .frames = 10,
	    .asked_ps = UINT64_C(160001462840), .elapsed_ns = 500 * TGL_NS_PER_MS },
	  2,
	  { "game: pid 77, channel 2, 3, compute\n",
	    "  groups   40 in 0.500 s, 80.000 a second\n",
	    "  frames   10, 20.000 a second\n",
	    "  GPU time 160.001 ms asked for\n",
	    "  latency  p50 1000 us, p90 2000 us, p99 2000 us, max 2000 us\n",
	    "  frame    p50 1000 us, p90 2000 us, p99 2000 us, max 2000 us\n",
	    "  errors   0\n" } },
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tgl_result result = rows[i].result;
		unsigned int ms;
		char *text, want[1024] = "";
		size_t size, part;
		FILE *out = open_memstream(&text, &size);

		if (!out)
			return 1;
		for (ms = rows[i].samples; ms; ms--) {
			if (tgl_samples_add(&result.latency, ms * TGL_NS_PER_MS) ||
			    tgl_samples_add(&result.frame, ms * TGL_NS_PER_MS))
				return 1;
		}
		for (part = 0; part < ARRAY_SIZE(rows[i].want) && rows[i].want[part]; part++)
			strcat(want, rows[i].want[part]);
		tgl_report(out, &rows[i].opts, 77, &result);
		fclose(out);
		test_row(rows[i].name, !strcmp(text, want), "printed %s", text);
		free(text);
		tgl_samples_free(&result.latency);
		tgl_samples_free(&result.frame);
	}
	return test_end();
}
