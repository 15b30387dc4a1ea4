/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole numbers, sizes and times as people write them: on command lines, in scenarios and limits. Pure functions:
 * no clock, no allocation, no global state. The caller says what is wrong, in its own words.
 */
#ifndef TOOLS_NUMBER_H
#define TOOLS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * number_read() - read a whole decimal number
 * @text: digits only
 * @max: the largest that is good
 * @n: where the number goes; untouched on failure
 *
 * Return: is it one?
 */
bool number_read(const char *text, uint64_t max, uint64_t *n);

/**
 * size_read() - read a number of bytes: a whole number, or one with K, M or G behind
 * @text: the text
 * @max: the largest that is good
 * @bytes: where the size goes; untouched on failure
 *
 * Return: is it one?
 */
bool size_read(const char *text, uint64_t max, uint64_t *bytes);

/**
 * enum time_error - what is wrong with a time
 * @TIME_GOOD: nothing, as far as the caller does not object to what struct time_text says
 * @TIME_BAD: it is no number with ns, us, ms or s behind it
 * @TIME_UNIT: it is a number without a unit, and not zero
 * @TIME_LONG: it is longer than the caller allows
 */
enum time_error { TIME_GOOD, TIME_BAD, TIME_UNIT, TIME_LONG };

/**
 * struct time_text - a time as it was written
 * @ns: the time; what is finer than a nanosecond is cut off
 * @fine: it was written finer than a nanosecond
 * @point: it has a decimal point, such as 16.7ms
 * @ragged: no digit stands on one side of that point: 5.ms, .5ms
 * @bare: zero without a unit
 */
struct time_text {
	int64_t ns;
	bool fine, point, ragged, bare;
};

/**
 * time_read() - read a time: a number and ns, us, ms or s; zero needs no unit
 * @text: the text
 * @max: the longest that is good, ns
 * @t: the result
 *
 * Return: TIME_GOOD, or what is wrong; then @t->ns means nothing.
 */
enum time_error time_read(const char *text, int64_t max, struct time_text *t);

/**
 * minutes_read() - read whole minutes or hours: 10m, 2h
 * @text: the text
 * @max: the longest that is good, ns
 * @ns: where the time goes; untouched on failure
 *
 * Return: is it one?
 */
bool minutes_read(const char *text, int64_t max, int64_t *ns);

#endif
