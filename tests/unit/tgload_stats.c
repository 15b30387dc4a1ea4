// SPDX-License-Identifier: GPL-2.0
/* Percentiles by nearest rank, and the growing array beneath them. */
#include <inttypes.h>
#include <stdlib.h>

#include "stats.h"
#include "tgload_test.h"
#include "units.h"

static const struct {
	const char *name;
	size_t n;		/* the values are 1 to n */
	unsigned int percent;
	uint32_t want;
} ranks[] = {
	{ "percentile: nothing", 0, 50, 0 },
	{ "percentile: one value, p50", 1, 50, 1 },
	{ "percentile: one value, p99", 1, 99, 1 },
	{ "percentile: p50 of 2", 2, 50, 1 },
	{ "percentile: p51 of 2", 2, 51, 2 },
	{ "percentile: p50 of 3", 3, 50, 2 },
	{ "percentile: p90 of 10", 10, 90, 9 },
	{ "percentile: p99 of 10", 10, 99, 10 },
	{ "percentile: p1 of 10", 10, 1, 1 },
	{ "percentile: p99 of 100", 100, 99, 99 },
	{ "percentile: p99 of 101", 101, 99, 100 },
	{ "percentile: p99 of 1000", 1000, 99, 990 },
	{ "percentile: p100 of 1000", 1000, 100, 1000 },
	{ "percentile: p90 of 1005", 1005, 90, 905 },
};

static const struct {
	const char *name;
	uint64_t ns;
	uint32_t us;
} roundings[] = {
	{ "sample: zero", 0, 0 },
	{ "sample: below half a microsecond", 499, 0 },
	{ "sample: half a microsecond", 500, 1 },
	{ "sample: a second", TGL_NS_PER_SEC, 1000000 },
	{ "sample: longer than fits", UINT64_C(5000000000000), UINT32_MAX },
};

static void check_ranks(void)
{
	uint32_t values[1005];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = i + 1;
	for (i = 0; i < ARRAY_SIZE(ranks); i++) {
		uint32_t got = tgl_percentile(values, ranks[i].n, ranks[i].percent);

		test_row(ranks[i].name, got == ranks[i].want, "got %u", got);
	}
}

/* 10000 samples in a scrambled order, half of them by way of a second set */
static void check_summary(void)
{
	struct tgl_samples a = { 0 }, b = { 0 };
	struct tgl_summary sum;
	uint32_t i;
	int bad = 0;

	for (i = 0; i < 10000; i++)
		bad |= tgl_samples_add(i & 1 ? &a : &b, (i * 7919 % 10000 + 1) * TGL_NS_PER_US);
	bad |= tgl_samples_append(&a, &b);
	tgl_samples_free(&b);
	bad |= tgl_samples_append(&a, &b);
	sum = tgl_samples_summary(&a);
	test_row("summary: of 10000", !bad && a.n == 10000 && sum.p50 == 5000 &&
		 sum.p90 == 9000 && sum.p99 == 9900 && sum.max == 10000,
		 "n %zu, %u %u %u %u", a.n, sum.p50, sum.p90, sum.p99, sum.max);
	tgl_samples_free(&a);
	sum = tgl_samples_summary(&a);
	test_row("summary: of nothing", !sum.p50 && !sum.p90 && !sum.p99 && !sum.max,
		 "%u %u %u %u", sum.p50, sum.p90, sum.p99, sum.max);
}

int main(void)
{
	size_t i;

	check_ranks();
	for (i = 0; i < ARRAY_SIZE(roundings); i++) {
		struct tgl_samples s = { 0 };
		int ret = tgl_samples_add(&s, roundings[i].ns);

		test_row(roundings[i].name, !ret && s.n == 1 && s.us[0] == roundings[i].us,
			 "got %u", s.us ? s.us[0] : 0);
		tgl_samples_free(&s);
	}
	check_summary();
	return test_end();
}
