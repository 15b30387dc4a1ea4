/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Histograms of times, of a fixed size: which bucket a time is counted in, and where it begins.
 *
 * A bucket is a quarter of an octave: of two times in one bucket the longer is at most a quarter
 * longer. Times are counted in units of 1024 ns, so neither function divides. The first four
 * buckets are one unit wide; the last one has all that is longer, too, from 120 s on. The counts
 * have 32 bits and wrap: the difference of two readings is right as long as fewer groups than 2^32
 * came between them.
 *
 * src/kmod/latency.h and tgd count, tgctl reads. Pure functions.
 */
#ifndef TG_HIST_H
#define TG_HIST_H

#define TG_HIST_BUCKETS		104
#define TG_HIST_UNIT_SHIFT	10	/* 1024 ns */

/** tg_hist_bucket() - the bucket of a time of @ns; a negative one counts as 0 */
static inline unsigned int tg_hist_bucket(long long ns)
{
	const unsigned long long units = ns > 0 ? ns >> TG_HIST_UNIT_SHIFT : 0;
	unsigned int octave, bucket;

	if (units < 4)
		return units;
	octave = 63 - __builtin_clzll(units);
	bucket = 4 * (octave - 1) + ((units >> (octave - 2)) & 3);
	return bucket < TG_HIST_BUCKETS ? bucket : TG_HIST_BUCKETS - 1;
}

/** tg_hist_begin() - where a bucket begins, ns; it ends where the next one begins */
static inline long long tg_hist_begin(unsigned int bucket)
{
	if (bucket < 4)
		return (long long)bucket << TG_HIST_UNIT_SHIFT;
	return (long long)(4 + bucket % 4) << (bucket / 4 - 1) << TG_HIST_UNIT_SHIFT;
}

#endif /* TG_HIST_H */
