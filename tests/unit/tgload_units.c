// SPDX-License-Identifier: GPL-2.0
/* tgload reads times and counts: what it takes, exactly, and what it refuses. */
#include <inttypes.h>
#include <string.h>

#include "tgload_test.h"
#include "units.h"

#define UNTOUCHED	UINT64_C(0xdeadbeef)

/* wrong: a part of the reason, NULL when the text is good */
struct row {
	const char *name;
	const char *text;
	uint64_t value;
	const char *wrong;
};

static const struct row times[] = {
	{ "time: nanoseconds", "15ns", 15, NULL },
	{ "time: microseconds", "15us", 15000, NULL },
	{ "time: milliseconds", "15ms", 15000000, NULL },
	{ "time: seconds", "15s", UINT64_C(15000000000), NULL },
	{ "time: bare zero", "0", 0, NULL },
	{ "time: zero with unit", "0ms", 0, NULL },
	{ "time: fraction", "16.7ms", 16700000, NULL },
	{ "time: fraction of a second", "0.016667s", 16667000, NULL },
	{ "time: zeros behind", "2.500ms", 2500000, NULL },
	{ "time: zeros ahead", "007ms", 7000000, NULL },
	{ "time: nanoseconds as fraction", "1.000000001s", UINT64_C(1000000001), NULL },
	{ "time: zeros past the nanosecond", "1.5000us", 1500, NULL },
	{ "time: a day", "86400s", UINT64_C(86400000000000), NULL },
	{ "time: no unit", "20", 0, "needs a unit" },
	{ "time: fraction without unit", "0.5", 0, "needs a unit" },
	{ "time: zero with point", "0.0", 0, "needs a unit" },
	{ "time: empty", "", 0, "not a time" },
	{ "time: unit alone", "ms", 0, "not a time" },
	{ "time: negative", "-1ms", 0, "not a time" },
	{ "time: plus", "+1ms", 0, "not a time" },
	{ "time: space ahead", " 1ms", 0, "not a time" },
	{ "time: space within", "1 ms", 0, "not a time" },
	{ "time: space behind", "1ms ", 0, "not a time" },
	{ "time: unknown unit", "1min", 0, "not a time" },
	{ "time: capitals", "1MS", 0, "not a time" },
	{ "time: point alone behind", "1.ms", 0, "not a time" },
	{ "time: point alone ahead", ".5ms", 0, "not a time" },
	{ "time: two points", "1.2.3ms", 0, "not a time" },
	{ "time: hexadecimal", "0x10ms", 0, "not a time" },
	{ "time: exponent", "1e3us", 0, "not a time" },
	{ "time: infinite", "inf", 0, "not a time" },
	{ "time: half a nanosecond", "0.5ns", 0, "finer" },
	{ "time: too fine", "1.0000001us", 0, "finer" },
	{ "time: ten decimals of a second", "0.0000000001s", 0, "finer" },
	{ "time: more than a day", "86401s", 0, "longer" },
	{ "time: a day and a bit", "86400.1s", 0, "longer" },
	{ "time: overflow", "99999999999999999999ns", 0, "longer" },
	{ "time: overflow by the unit", "99999999999999s", 0, "longer" },
};

static const struct row counts[] = {
	{ "count: zero", "0", 0, NULL },
	{ "count: some", "42", 42, NULL },
	{ "count: the most", "18446744073709551615", UINT64_MAX, NULL },
	{ "count: one too many", "18446744073709551616", 0, "too big" },
	{ "count: far too many", "99999999999999999999999", 0, "too big" },
	{ "count: empty", "", 0, "not a whole number" },
	{ "count: negative", "-1", 0, "not a whole number" },
	{ "count: fraction", "1.5", 0, "not a whole number" },
	{ "count: unit", "4ms", 0, "not a whole number" },
	{ "count: space", "4 ", 0, "not a whole number" },
};

static void run(const struct row *row, const char *(*parse)(const char *, uint64_t *))
{
	uint64_t value = UNTOUCHED, want = row->wrong ? UNTOUCHED : row->value;
	const char *wrong = parse(row->text, &value);
	int ok = row->wrong ? wrong && strstr(wrong, row->wrong) : !wrong;

	test_row(row->name, ok && value == want,
		 "'%s' gave %" PRIu64 ", %s", row->text, value, wrong ? wrong : "no error");
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		run(&times[i], tgl_parse_time);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		run(&counts[i], tgl_parse_count);
	return test_end();
}
