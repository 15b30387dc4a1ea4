/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with and without a unit, as they stand on tgload's command line; and what all files of
 * tgload count with.
 * Pure functions: no clock, no allocation, no global state.
 */
#ifndef TGL_UNITS_H
#define TGL_UNITS_H

#include <stdint.h>

/* Elements of an array. */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define TGL_NS_PER_US	UINT64_C(1000)
#define TGL_NS_PER_MS	UINT64_C(1000000)
#define TGL_NS_PER_SEC	UINT64_C(1000000000)

/**
 * tgl_parse_time - read a time such as 16.7ms
 * @s: digits, at most one point, and a unit: ns, us, ms or s; a bare 0 needs no unit
 * @ns: where the time goes, in nanoseconds; untouched on error
 *
 * Nothing is rounded: a part finer than a nanosecond is an error. So is a time longer than a day.
 *
 * Return: NULL, or what is wrong and what would be right.
 */
const char *tgl_parse_time(const char *s, uint64_t *ns);

/**
 * tgl_parse_count - read a whole decimal number
 * @s: digits only
 * @n: where the number goes; untouched on error
 *
 * Return: NULL, or what is wrong and what would be right.
 */
const char *tgl_parse_count(const char *s, uint64_t *n);

#endif
