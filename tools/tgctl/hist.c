// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of the snapshot: their sums and percentiles. Called by the verbs that show them.
 */
#include "hist.h"

#include <tg/hist.h>

u64 hist_count(const u32 *hist)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < TG_HIST_BUCKETS; i++)
		n += hist[i];
	return n;
}

s64 hist_at(const u32 *hist, u32 percent)
{
	const u64 rank = (hist_count(hist) * percent + 99) / 100;
	u64 below = 0;
	s64 width;
	u32 i;

	for (i = 0; i < TG_HIST_BUCKETS; i++) {
		if (hist[i] && below + hist[i] >= rank) {
			width = tg_hist_begin(i + 1) - tg_hist_begin(i);
			/* The first bucket is mostly groups that did not wait at all. */
			return i ? tg_hist_begin(i) + (s64)((double)width * (rank - below) / hist[i]) : 0;
		}
		below += hist[i];
	}
	return 0;
}
