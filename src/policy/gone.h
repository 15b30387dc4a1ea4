/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes that have gone left on the hardware behind open gates: an estimate, for a policy
 * that samples the processes that are there (dfq), and shares time among users or cgroups.
 *
 * The core knows how many channels of a sharer have left in a free-run, and how long it took at its
 * end, when gates were held, until nothing of that sharer was in flight. At its end a channel that
 * has left is on the hardware for about that long. At its beginning none is, so half of that counts
 * as the mean. The number of channels, times the part of the free-run for which each is there, is
 * how many are there at a time, beside the channels that are sampled.
 *
 * A sharer whose processes leave nothing in flight is drained at once, and pays nothing here.
 */
#ifndef TG_POLICY_GONE_H
#define TG_POLICY_GONE_H

#include <tg/policy.h>

#define TG_GONE_MEAN	8	/* a request's part in the mean: one of so many */
#define TG_GONE_MOST	(10 * TG_SEC)	/* a longer request counts as this one */
#define TG_GONE_CHANNELS	1000u	/* more channels count as so many */
#define TG_GONE_PARTS	10	/* binary places of a part of the free-run */

/**
 * struct tg_gone - a sharer's
 * @length: running mean of what its requests take in samples, ns; 0: not known
 * @stay: how long something of it was in flight after gates were held, ns
 * @turn: what the channels that have gone took in a round of the hardware, ns; 0: charged
 * @before: tg_sharer.left when gates opened
 * @nr: how many have left while they were open
 */
struct tg_gone {
	s64 length, stay, turn;
	u32 before, nr;
};

/** tg_gone_opens() - a client's gate opens */
static inline void tg_gone_opens(struct tg_gone *gone, const struct tg_client *client)
{
	gone->before = client->sharer->left;
}

/** tg_gone_held() - it is held */
static inline void tg_gone_held(struct tg_gone *gone, const struct tg_client *client)
{
	gone->nr = client->sharer->left - gone->before;
	gone->stay = 0;
}

/** tg_gone_stays() - something of it was in flight until now, @since the gates were held, ns */
static inline void tg_gone_stays(struct tg_gone *gone, s64 since)
{
	gone->stay = since;
}

/** tg_gone_learn() - a request of a sample took @used ns */
static inline void tg_gone_learn(struct tg_gone *gone, s64 used)
{
	used = min(used, TG_GONE_MOST);
	gone->length += div64_s64(used - gone->length, gone->length ? TG_GONE_MEAN : 1);
}

/**
 * tg_gone_weigh() - gates were open for @open ns
 *
 * For each client of a sharer, of which the first counts.
 *
 * Return: what this adds to the round of the hardware, ns.
 */
static inline s64 tg_gone_weigh(struct tg_gone *gone, s64 open)
{
	const s64 all = min(gone->nr, TG_GONE_CHANNELS) * gone->length;

	if (gone->turn)
		return 0;
	gone->turn = all * div64_s64(min(gone->stay, open) << TG_GONE_PARTS, open + 1) >>
		     (TG_GONE_PARTS + 1);
	return gone->turn;
}

/** tg_gone_turn() - the round is known: charge the sharer. Return: its part of the round; once */
static inline s64 tg_gone_turn(struct tg_gone *gone)
{
	const s64 turn = gone->turn;

	gone->turn = 0;
	return turn;
}

#endif /* TG_POLICY_GONE_H */
