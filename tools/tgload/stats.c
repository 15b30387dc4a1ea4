// SPDX-License-Identifier: GPL-2.0
/*
 * Percentiles over everything measured, exactly: four bytes a sample are cheap next to the group
 * of GPU work that each stands for. A thread of run.c owns its samples until it has ended; then
 * the main thread merges and reports them.
 */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_room(struct tgl_samples *s, size_t more)
{
	size_t room = s->room ? s->room : 1024;
	uint32_t *us;

	while (room - s->n < more)
		room *= 2;
	if (room == s->room)
		return 0;
	us = realloc(s->us, room * sizeof(*us));
	if (!us)
		return -ENOMEM;
	s->us = us;
	s->room = room;
	return 0;
}

int tgl_samples_add(struct tgl_samples *s, uint64_t ns)
{
	uint64_t us = (ns + 500) / 1000;
	int ret = make_room(s, 1);

	if (ret)
		return ret;
	s->us[s->n++] = us < UINT32_MAX ? us : UINT32_MAX;
	return 0;
}

int tgl_samples_append(struct tgl_samples *s, const struct tgl_samples *from)
{
	int ret;

	if (!from->n)
		return 0;
	ret = make_room(s, from->n);
	if (ret)
		return ret;
	memcpy(s->us + s->n, from->us, from->n * sizeof(*s->us));
	s->n += from->n;
	return 0;
}

void tgl_samples_free(struct tgl_samples *s)
{
	free(s->us);
	memset(s, 0, sizeof(*s));
}

uint32_t tgl_percentile(const uint32_t *sorted, size_t n, unsigned int percent)
{
	size_t rank;

	if (!n)
		return 0;
	/* ceil(n * percent / 100), without n * percent overflowing */
	rank = n / 100 * percent + (n % 100 * percent + 99) / 100;
	return sorted[rank - 1];
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

struct tgl_summary tgl_samples_summary(struct tgl_samples *s)
{
	struct tgl_summary sum;

	if (s->n)
		qsort(s->us, s->n, sizeof(*s->us), by_value);
	sum.p50 = tgl_percentile(s->us, s->n, 50);
	sum.p90 = tgl_percentile(s->us, s->n, 90);
	sum.p99 = tgl_percentile(s->us, s->n, 99);
	sum.max = tgl_percentile(s->us, s->n, 100);
	return sum;
}
