/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is the engine idle behind open gates, while clients are held? For policies that hold clients
 * beside open gates (quiet.c).
 */
#ifndef TG_POLICY_QUIET_H
#define TG_POLICY_QUIET_H

#include "linger.h"

/**
 * struct tg_quiet - what is known of the engine behind open gates
 * @idle: it has been idle since gap.since, as far as the host has told
 * @gap: from when nothing was in flight to the next submission through an open gate
 * @linger: for the clients whose gates are open
 * @earned: how long the engine has worked by what the host told, since tg_quiet_earn(), ns
 * @took: how long the last linger took at most, until it is known when a client came, ns
 */
struct tg_quiet {
	bool idle;
	struct tg_gap gap;
	struct tg_linger linger;
	s64 earned, took;
};

/** tg_quiet() - for a policy's quiet(): the host has answered tg_watch() */
void tg_quiet(const struct tg_gpu *gpu, struct tg_quiet *quiet, s64 gap);
/** tg_quiet_earn() - the engine has worked for @worked ns since the last call */
void tg_quiet_earn(struct tg_quiet *quiet, s64 worked);
/**
 * tg_quiet_for_long() - does the engine idle beside clients that are held, and for long enough?
 * @gpu: the GPU
 * @quiet: what is known
 * @most: the longest linger, ns
 *
 * For tick(), while clients that wait may be held beside open gates: it has the host watch, and
 * lingers. true: let a client that waits go; the host is not asked again before that.
 */
bool tg_quiet_for_long(struct tg_gpu *gpu, struct tg_quiet *quiet, s64 most);
/** tg_quiet_forget() - the engine may work again: what the host told is past, a linger is over */
void tg_quiet_forget(const struct tg_gpu *gpu, struct tg_quiet *quiet);
/** tg_quiet_wake() - for wake() */
s64 tg_quiet_wake(const struct tg_quiet *quiet);

#endif /* TG_POLICY_QUIET_H */
