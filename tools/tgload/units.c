// SPDX-License-Identifier: GPL-2.0
/*
 * Reads times and counts. Called by opts.c only, before any thread exists.
 */
#include "units.h"

#include <stddef.h>
#include <string.h>

#define TIME_MAX	(24 * 3600 * TGL_NS_PER_SEC)

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", TGL_NS_PER_US },
	{ "ms", TGL_NS_PER_MS },
	{ "s", TGL_NS_PER_SEC },
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes the digits at *s; false if they make more than max. */
static int take_digits(const char **s, uint64_t max, uint64_t *n)
{
	for (*n = 0; is_digit(**s); (*s)++) {
		unsigned int digit = **s - '0';

		if (*n > (max - digit) / 10)
			return 0;
		*n = *n * 10 + digit;
	}
	return 1;
}

const char *tgl_parse_count(const char *s, uint64_t *n)
{
	uint64_t value;

	if (!is_digit(*s))
		return "not a whole number, such as 4";
	if (!take_digits(&s, UINT64_MAX, &value))
		return "the number is too big";
	if (*s)
		return "not a whole number, such as 4";
	*n = value;
	return NULL;
}

const char *tgl_parse_time(const char *s, uint64_t *ns)
{
	static const char * const bad_form =
		"not a time: give digits and a unit (ns, us, ms or s), as in 2.5ms";
	const char *fraction = NULL;
	uint64_t value, part, weight;
	size_t fraction_len = 0, i;

	if (!is_digit(*s))
		return bad_form;
	if (!take_digits(&s, TIME_MAX, &value))
		return "longer than a day";
	if (*s == '.') {
		fraction = ++s;
		while (is_digit(*s))
			s++;
		fraction_len = s - fraction;
		if (!fraction_len)
			return bad_form;
	}
	if (!*s) {
		if (value || fraction)
			return "a time needs a unit (ns, us, ms or s), as in 2.5ms";
		*ns = 0;
		return NULL;
	}

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(s, units[i].name))
			break;
	if (i == ARRAY_SIZE(units))
		return bad_form;
	if (value > TIME_MAX / units[i].ns)
		return "longer than a day";
	value *= units[i].ns;

	weight = units[i].ns;
	for (part = 0; fraction_len; fraction++, fraction_len--) {
		unsigned int digit = *fraction - '0';

		weight /= 10;
		if (digit && !weight)
			return "finer than a nanosecond";
		part += digit * weight;
	}
	if (value + part > TIME_MAX)
		return "longer than a day";
	*ns = value + part;
	return NULL;
}
