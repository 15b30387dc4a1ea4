/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A growing array of times and their percentiles. One owner at a time; no locking inside.
 */
#ifndef TGL_STATS_H
#define TGL_STATS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct tgl_samples - times measured so far
 * @us: the times in microseconds, in the order they came; sorted by tgl_samples_summary()
 * @n: how many there are
 * @room: how many fit into @us
 */
struct tgl_samples {
	uint32_t *us;
	size_t n;
	size_t room;
};

/**
 * struct tgl_summary - what the report says of a set of samples
 * @p50: median, microseconds
 * @p90: 90th percentile, microseconds
 * @p99: 99th percentile, microseconds
 * @max: longest, microseconds
 *
 * All are 0 when there was no sample.
 */
struct tgl_summary {
	uint32_t p50;
	uint32_t p90;
	uint32_t p99;
	uint32_t max;
};

/**
 * tgl_samples_add - keep one more time
 * @s: the samples
 * @ns: nanoseconds, kept to the nearest microsecond; more than 71 minutes counts as that
 *
 * Return: 0, or -ENOMEM.
 */
int tgl_samples_add(struct tgl_samples *s, uint64_t ns);

/**
 * tgl_samples_append - add all samples of another set
 * @s: the samples that grow
 * @from: the samples that are copied
 *
 * Return: 0, or -ENOMEM.
 */
int tgl_samples_append(struct tgl_samples *s, const struct tgl_samples *from);

/**
 * tgl_samples_free - give the memory back; the set is empty afterwards
 * @s: the samples
 */
void tgl_samples_free(struct tgl_samples *s);

/**
 * tgl_percentile - nearest-rank percentile: the least value that percent % of all do not exceed
 * @sorted: values in rising order
 * @n: how many; 0 gives 0
 * @percent: 1 to 100
 *
 * Return: always one of the values, never something between two.
 */
uint32_t tgl_percentile(const uint32_t *sorted, size_t n, unsigned int percent);

/**
 * tgl_samples_summary - sort the samples and sum them up
 * @s: the samples
 *
 * Return: the percentiles.
 */
struct tgl_summary tgl_samples_summary(struct tgl_samples *s);

#endif
