// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms: an octave of times is cut into 128 parts of the same width, so that a value read back
 * is at most 1/128 too large. Called by the host (client.c) for each group, and by the reports. One
 * thread.
 */
#include <stdlib.h>

#include "hist.h"
#include "mem.h"

#define OCTAVE_BITS	7	/* parts of an octave in a histogram */

static u32 octave_of(s64 value)
{
	return value < 1 << OCTAVE_BITS ? OCTAVE_BITS : 63 - __builtin_clzll(value);
}

void tgs_hist_add(struct tgs_hist *h, s64 value)
{
	u32 octave = octave_of(value);
	u32 part = value >> (octave - OCTAVE_BITS);

	/* the lowest octave starts at 0 and has twice as many parts */
	if (!h->octave[octave])
		h->octave[octave] = tgs_alloc(2 << OCTAVE_BITS, sizeof(u32));
	h->octave[octave][part]++;
	h->n++;
	h->sum += value;
	h->max = max(h->max, value);
}

void tgs_hist_merge(struct tgs_hist *h, const struct tgs_hist *from)
{
	u32 i, part;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++) {
		if (!from->octave[i])
			continue;
		if (!h->octave[i])
			h->octave[i] = tgs_alloc(2 << OCTAVE_BITS, sizeof(u32));
		for (part = 0; part < 2 << OCTAVE_BITS; part++)
			h->octave[i][part] += from->octave[i][part];
	}
	h->n += from->n;
	h->sum += from->sum;
	h->max = max(h->max, from->max);
}

s64 tgs_hist_at(const struct tgs_hist *h, u32 permille)
{
	u64 below = (h->n * permille + 999) / 1000, seen = 0;
	u32 i, part;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++)
		for (part = 0; h->octave[i] && part < 2 << OCTAVE_BITS; part++) {
			seen += h->octave[i][part];
			if (seen >= below && seen)
				return min(((s64)part + 1) << (i - OCTAVE_BITS), h->max + 1) - 1;
		}
	return 0;
}

void tgs_hist_deinit(struct tgs_hist *h)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++)
		free(h->octave[i]);
	memset(h, 0, sizeof(*h));
}
