/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual times on two levels, for policies that decide at times about all clients, and hold those
 * that are ahead (dfq, loga): a sharer's beside the other sharers, and a client's beside the other
 * clients of its sharer. A client is held if its sharer is ahead, or if it is itself.
 *
 * A sharer with one client has no second level: then all is as if that client were the sharer.
 */
#ifndef TG_POLICY_LEVEL_H
#define TG_POLICY_LEVEL_H

#include <tg/policy.h>

/**
 * struct tg_level - a sharer's
 * @vt: what its clients have been charged, over its weight, ns
 * @client_vt: system time of its clients
 */
struct tg_level {
	s64 vt, client_vt;
};

/**
 * tg_level_join() - a client joins
 * @level: its sharer's
 * @known: a client of it has joined before
 * @system: time of the sharers
 *
 * Return: the client's time.
 */
static inline s64 tg_level_join(struct tg_level *level, bool *known, s64 system)
{
	if (!*known)
		level->vt = system;
	*known = true;
	return level->client_vt;
}

/**
 * tg_level_over() - is the client to be held?
 * @level: its sharer's
 * @client: the client
 * @vt: its virtual time
 * @system: time of the sharers
 * @most: how far ahead of it a sharer may be, ns
 * @client_most: how far ahead of the others of its sharer a client may be
 */
static inline bool tg_level_over(const struct tg_level *level, const struct tg_client *client,
				 s64 vt, s64 system, s64 most, s64 client_most)
{
	return level->vt - system > most ||
	       (!tg_sharer_single(client) && vt - level->client_vt > client_most);
}

/** tg_level_weighed() - @took over @weight; a spec may have lowered that below @lightest since */
static inline s64 tg_level_weighed(s64 took, s64 lightest, s64 weight)
{
	return div64_s64(took * min(lightest, weight), weight);
}

/**
 * tg_level_ahead() - for ahead(): how far the client is ahead, ns
 * @level: its sharer's
 * @client: the client
 * @vt: its virtual time
 * @system: time of the sharers
 * @active: clients of its sharer are active; else there is none that it could be ahead of
 */
static inline s64 tg_level_ahead(const struct tg_level *level, const struct tg_client *client,
				 s64 vt, s64 system, bool active)
{
	if (tg_sharer_single(client))
		return level->vt - system;
	return active ? vt - level->client_vt : 0;
}

#endif /* TG_POLICY_LEVEL_H */
