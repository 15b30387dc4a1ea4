/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of times. Called by the host (run.c) and the reports. One thread.
 */
#ifndef TGS_HIST_H
#define TGS_HIST_H

#include <tg/types.h>

/**
 * struct tgs_hist - a histogram of times, true to 1 in 128
 * @n: samples
 * @sum: of them
 * @max: largest
 * @octave: counts of the times of 2^i ns to 2^(i+1) ns, or NULL: none
 */
struct tgs_hist {
	u64 n;
	__int128 sum;
	s64 max;
	u32 *octave[64];
};

void tgs_hist_add(struct tgs_hist *h, s64 value);
void tgs_hist_merge(struct tgs_hist *h, const struct tgs_hist *from);
/** tgs_hist_at() - the time that @permille of 1000 samples do not exceed */
s64 tgs_hist_at(const struct tgs_hist *h, u32 permille);
void tgs_hist_deinit(struct tgs_hist *h);

#endif /* TGS_HIST_H */
