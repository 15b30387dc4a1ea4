// SPDX-License-Identifier: GPL-2.0
/*
 * Reads times and counts, and says what is wrong with one. Called by opts.c only, before any thread
 * exists.
 */
#include "units.h"

#include <string.h>

#include "lib/number.h"

#define TIME_MAX	(24 * 3600 * TGL_NS_PER_SEC)

const char *tgl_parse_count(const char *s, uint64_t *n)
{
	if (number_read(s, UINT64_MAX, n))
		return NULL;
	return *s && !s[strspn(s, "0123456789")] ? "the number is too big" :
						   "not a whole number, such as 4";
}

const char *tgl_parse_time(const char *s, uint64_t *ns)
{
	struct time_text t;
	enum time_error error = time_read(s, TIME_MAX, &t);

	if (error == TIME_BAD || t.ragged)
		return "not a time: give digits and a unit (ns, us, ms or s), as in 2.5ms";
	if (error == TIME_UNIT || (t.bare && t.point))
		return "a time needs a unit (ns, us, ms or s), as in 2.5ms";
	if (t.fine)
		return "finer than a nanosecond";
	if (error == TIME_LONG)
		return "longer than a day";
	*ns = t.ns;
	return NULL;
}
