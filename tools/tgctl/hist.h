/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of the snapshot (tg/hist.h), read. Called by the verbs that show them. Pure functions.
 */
#ifndef TGCTL_HIST_H
#define TGCTL_HIST_H

#include <tg/types.h>

/**
 * hist_count() - how many groups were counted
 * @hist: TG_HIST_BUCKETS counts
 */
u64 hist_count(const u32 *hist);

/**
 * hist_at() - the time that so many groups did not exceed
 * @hist: TG_HIST_BUCKETS counts
 * @percent: of the groups, 1 to 99
 *
 * Inside a bucket the groups are taken to lie at equal distances, so the error is less than a
 * quarter of the time, or 1024 ns.
 *
 * Return: ns; 0 when nothing was counted.
 */
s64 hist_at(const u32 *hist, u32 percent);

#endif /* TGCTL_HIST_H */
