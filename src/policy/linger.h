/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long an engine may idle for a client that is about to come back: for policies that would
 * otherwise give it to another client's long group (linger.c).
 */
#ifndef TG_POLICY_LINGER_H
#define TG_POLICY_LINGER_H

#include <tg/policy.h>

/** Row of a policy's table of knobs: the longest linger, us; 0: the engine idles for no client */
#define TG_LINGER_PARAM		{ "linger_us", 0, 100000, 1000, \
		"the longest that an engine idles for a client whose next group is about to come" }

/**
 * struct tg_gap - what one client needs from the end of its last group to its next submission
 * @since: since when it has had no group; 0: it has some, or has had none yet
 * @mean: running mean, ns, 0: not known; a gap that is much longer than that counts in part
 */
struct tg_gap {
	s64 since, mean;
};

/**
 * struct tg_linger - how long an engine may idle beside clients that wait
 * @credit: what is left, ns: it grows by a part of the time that the engine works
 * @since: when the linger under way began; 0: none is
 * @until: when it ends
 */
struct tg_linger {
	s64 credit, since, until;
};

/** tg_gap_begin() - the client has no group from now on; no change if it had none */
void tg_gap_begin(const struct tg_gpu *gpu, struct tg_gap *gap);
/** tg_gap_add() - a gap of @length ns has ended */
void tg_gap_add(struct tg_gap *gap, s64 length);
/** tg_gap_end() - the client has a group again */
void tg_gap_end(const struct tg_gpu *gpu, struct tg_gap *gap);

/** tg_linger_earn() - the engine has worked for @used ns */
void tg_linger_earn(struct tg_linger *linger, s64 used);
/**
 * tg_linger() - may the engine idle for a client that has no group?
 * @gpu: the GPU
 * @linger: of the engine; the first call for a gap begins a linger
 * @gap: the client's
 * @most: the longest linger, ns
 *
 * A linger lasts as long as the client's gap usually does, with some time to spare, and @most at
 * most, counted from its last group. There is none where the mean gap is longer than that, or than
 * the credit. The caller ends each linger.
 *
 * Return: true: until linger->until, unless the client comes earlier.
 */
bool tg_linger(const struct tg_gpu *gpu, struct tg_linger *linger, const struct tg_gap *gap,
	       s64 most);
/**
 * tg_linger_end() - the linger under way, if one is, ends
 * @gpu: the GPU
 * @linger: of the engine
 * @counts: another client has waited for its end
 *
 * Return: how long it took, ns.
 */
s64 tg_linger_end(const struct tg_gpu *gpu, struct tg_linger *linger, bool counts);

#endif /* TG_POLICY_LINGER_H */
