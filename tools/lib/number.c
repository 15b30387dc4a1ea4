// SPDX-License-Identifier: GPL-2.0
/*
 * Whole numbers, sizes and times as text: see number.h. Called by all tools and by the simulator's
 * scenarios.
 */
#include "number.h"

#include <stddef.h>
#include <string.h>

#define DIGITS	"0123456789"

/* Reads the digits at *@text and moves on behind them; false: they make more than @max. */
static bool take_digits(const char **text, uint64_t max, uint64_t *n)
{
	for (*n = 0; **text >= '0' && **text <= '9'; ++*text) {
		unsigned int digit = **text - '0';

		if (digit > max || *n > (max - digit) / 10)
			return false;
		*n = 10 * *n + digit;
	}
	return true;
}

bool number_read(const char *text, uint64_t max, uint64_t *n)
{
	const char *at = text;
	uint64_t value;

	if (!take_digits(&at, max, &value) || at == text || *at)
		return false;
	*n = value;
	return true;
}

bool size_read(const char *text, uint64_t max, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *at = text, *unit;
	unsigned int shift = 0;
	uint64_t n;

	if (!take_digits(&at, max, &n) || at == text)
		return false;
	unit = *at ? strchr(units, *at) : NULL;
	if (unit) {
		shift = 10 * (unit - units + 1);
		at++;
	}
	if (*at || n > max >> shift)
		return false;
	*bytes = n << shift;
	return true;
}

/* Nanoseconds in a unit; 0: there is no such unit. */
static int64_t unit_ns(const char *name)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return units[i].ns;
	return 0;
}

enum time_error time_read(const char *text, int64_t max, struct time_text *t)
{
	const char *at = text, *fraction;
	size_t digits, places = 0;
	uint64_t whole;
	int64_t unit;

	memset(t, 0, sizeof(*t));
	if (!take_digits(&at, max, &whole))
		return TIME_LONG;
	digits = at - text;
	fraction = at;
	if (*at == '.') {
		fraction = at + 1;
		places = strspn(fraction, DIGITS);
		at = fraction + places;
		t->point = true;
		t->ragged = !digits || !places;
	}
	if (!digits && !places)
		return TIME_BAD;
	if (!*at) {
		t->bare = true;
		return whole || strspn(fraction, "0") < places ? TIME_UNIT : TIME_GOOD;
	}
	unit = unit_ns(at);
	if (!unit)
		return TIME_BAD;
	if (whole > (uint64_t)(max / unit))
		return TIME_LONG;
	t->ns = whole * unit;
	for (; places; fraction++, places--) {
		unit /= 10;
		t->ns += (*fraction - '0') * unit;
		t->fine |= !unit && *fraction != '0';
	}
	return t->ns > max ? TIME_LONG : TIME_GOOD;
}

bool minutes_read(const char *text, int64_t max, int64_t *ns)
{
	const char *at = text;
	int64_t unit;
	uint64_t n;

	if (!take_digits(&at, max, &n) || at == text || (strcmp(at, "m") && strcmp(at, "h")))
		return false;
	unit = (*at == 'm' ? 60 : 3600) * INT64_C(1000000000);
	if (n > (uint64_t)(max / unit))
		return false;
	*ns = n * unit;
	return true;
}
