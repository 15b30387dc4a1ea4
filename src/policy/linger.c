// SPDX-License-Identifier: GPL-2.0
/*
 * Lingers: the engine idles for a moment after a group whose client has none left.
 *
 * A client that sends one group at a time has none waiting when that group ends. Without a linger
 * the engine would go to another client at each such moment, for a group of any length: a program
 * with groups of 20 ms would get 20 ms for each short group of a game. So the engine waits as long
 * as this client usually needs to its next group.
 *
 * Idle time is what this costs, so it has a bound: all lingers beside clients that wait take LINGER
 * percent of the time that the engine works, whatever clients do. A client that is away for longer
 * than a linger may last costs nothing, since none begins for it.
 *
 * Policies call it, under the GPU's lock. They own the structs.
 */
#include "linger.h"

#define LINGER		3			/* percent of the time that the engine works */
#define SAVED		(100 * TG_MSEC)		/* the most credit: that of some seconds */
#define SPARE		(50 * TG_USEC)		/* beyond twice the mean gap */
#define WEIGHT		4			/* a gap's part in the mean: one of so many */

void tg_gap_begin(const struct tg_gpu *gpu, struct tg_gap *gap)
{
	if (!gap->since)
		gap->since = gpu->now;
}

void tg_gap_add(struct tg_gap *gap, s64 length)
{
	/* One pause does not make a client one that is always away for long. */
	s64 most = 8 * gap->mean + TG_MSEC;

	gap->mean += div64_s64(min(length, most) - gap->mean, WEIGHT);
}

void tg_gap_end(const struct tg_gpu *gpu, struct tg_gap *gap)
{
	if (gap->since)
		tg_gap_add(gap, gpu->now - gap->since);
	gap->since = 0;
}

void tg_linger_earn(struct tg_linger *linger, s64 used)
{
	linger->credit = min(linger->credit + div64_s64(min(used, TG_SEC) * LINGER, 100), SAVED);
}

bool tg_linger(const struct tg_gpu *gpu, struct tg_linger *linger, const struct tg_gap *gap,
	       s64 most)
{
	s64 length, until;

	if (!linger->since) {
		most = min(most, linger->credit);
		length = gap->mean ? min(2 * gap->mean + SPARE, most) : most;
		until = gap->since + length;
		if (!gap->since || gap->mean > most || until <= gpu->now)
			return false;
		linger->since = gpu->now;
		linger->until = until;
	}
	return gpu->now < linger->until;
}

s64 tg_linger_end(const struct tg_gpu *gpu, struct tg_linger *linger, bool counts)
{
	s64 took = linger->since ? max(min(gpu->now, linger->until) - linger->since, (s64)0) : 0;

	if (counts)
		linger->credit = max(linger->credit - took, (s64)0);
	linger->since = 0;
	return took;
}
