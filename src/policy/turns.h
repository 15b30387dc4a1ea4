/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A token that goes to one client at a time: for policies that give out turns (turns.c).
 */
#ifndef TG_POLICY_TURNS_H
#define TG_POLICY_TURNS_H

#include "linger.h"

/** The knobs of such a policy */
enum tg_turns_knob { TG_TURNS_SLICE, TG_TURNS_LINGER, TG_TURNS_SHARE };

#define TG_TURNS_EARLY	16

/** struct tg_turns_early - a user whose new client has begun early; none does before @until */
struct tg_turns_early {
	u32 payer;
	s64 until;
};

/**
 * struct tg_turns - a token that goes to one client at a time
 * @waiting: sharers with clients that want a turn (struct tg_turns_sharer), by virtual time
 * @holder: the client whose turn it is, or NULL
 * @since: when its turn began; the lingers in it move this on, so that no client pays for them
 * @vt: system time of the sharers
 * @yields: a client waits that is to have the token when the holder's groups in flight have ended
 * @watched: the host has answered tg_watch()
 * @ending: the holder is to end early what it has in flight, since its turn is over (tg_yield())
 * @shared: in the holder's turn others have waited for an engine that it does not use
 * @uses: mask of the engines that the holder has used in its turn
 * @linger: for the holder
 * @early: users whose new clients have begun early
 *
 * @opened: when the holder's gate opened, its time not booked yet; 0: it has not. For a policy that
 *	opens gates, as
 * @shut: when the gate was shut
 *
 * It is the first thing in tg_gpu.priv; struct tg_turns_share is each client's, struct
 * tg_turns_sharer each sharer's. All calls take O(log clients).
 */
struct tg_turns {
	struct rb_root_cached waiting;
	struct tg_client *holder;
	s64 since, vt;
	bool yields, watched, ending, shared;
	u8 uses;
	struct tg_linger linger;
	struct tg_turns_early early[TG_TURNS_EARLY];
	s64 opened, shut;
};

/**
 * struct tg_turns_sharer - what it keeps in each sharer
 * @node: in tg_turns.waiting while clients of it wait
 * @waiting: its clients that want a turn, linked by tg_client.node, by virtual time; the holder is
 *	not one of them
 * @vt: virtual time: it grows by the time of its clients' turns over its weight
 * @lag: how far it was behind when its last client had nothing to do, ns
 * @client_vt: system time of its clients
 * @had: goes first, of those with the same @vt, the one with less: tg_sharer.vt when it came back
 * @known: a client of it has joined, and
 * @fresh: none has wanted a turn
 * @early: it has begun early, and its first turn has yet to end
 */
struct tg_turns_sharer {
	struct rb_node node;
	struct rb_root_cached waiting;
	s64 vt, lag, client_vt, had;
	bool known, fresh, early;
};

/**
 * struct tg_turns_share - what a policy that gives out turns keeps in each client
 * @vt: virtual time beside the others of its sharer: it grows by the time of the client's turns
 *	over its part
 * @lag: how far the client was behind these when it last had nothing to do, ns
 * @gap: from its last group to its next
 * @length: running mean of what its groups take, ns, a second at most; 0: not known
 * @deep: for how many more turns its gate stays shut; for a policy that opens gates, as
 * @kept: that has begun anew in its latest turn
 * @engines: mask of those that its groups use, as far as seen; likewise
 */
struct tg_turns_share {
	s64 vt, lag;
	struct tg_gap gap;
	u32 length;
	u8 deep, engines;
	bool kept;
};

/** tg_turns() - the token of @gpu */
static inline struct tg_turns *tg_turns(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_turns);
}

/** tg_turns_ahead() - for ahead() */
s64 tg_turns_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left);
/** tg_turns_share() - the share of @client */
static inline struct tg_turns_share *tg_turns_share(struct tg_client *client)
{
	return tg_client_priv(client, struct tg_turns_share);
}

static inline s64 tg_turns_linger(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_TURNS_LINGER] * TG_USEC;
}

/* For a policy's table. Only jobs behind gates at ASK are known of. */
void tg_turns_init(struct tg_gpu *gpu);
void tg_turns_leave(struct tg_gpu *gpu, struct tg_client *client);
void tg_turns_drop(struct tg_gpu *gpu, struct tg_job *job);
void tg_turns_done(struct tg_gpu *gpu, struct tg_job *job, s64 used);
void tg_turns_held(struct tg_gpu *gpu, struct tg_job *job, s64 held);
struct tg_job *tg_turns_pick(struct tg_gpu *gpu, struct tg_engine *engine);
s64 tg_turns_wake(struct tg_gpu *gpu);

/** tg_turns_join() - @client is new: its first turn comes after those that are due */
void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_enter() - @client wants a turn; no change if it waits already, or has the token */
void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_return() - the same with a job that was throttled */
void tg_turns_return(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_first() - the client that has the next turn. Return: NULL: none waits. */
struct tg_client *tg_turns_first(struct tg_gpu *gpu);
/** tg_turns_begin() - @client's turn begins now; the token was free */
void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_over() - may no more of the holder's groups go in this turn? */
bool tg_turns_over(struct tg_gpu *gpu);
/**
 * tg_turns_ended() - has the holder had its turn, and does none of its groups keep it?
 *
 * It lingers for a holder that has no groups; one that has them again ends that. A turn that is
 * over has ended once nothing is in flight, or if no other client waits. Until then the holder is
 * to end early what it has in flight, if it can (tg_yield()).
 */
bool tg_turns_ended(struct tg_gpu *gpu);
/**
 * tg_turns_end() - the holder's turn is over
 * @gpu: the GPU
 * @again: the holder wants another one: it has groups that wait. Else it keeps what it is behind,
 *	up to a slice
 */
void tg_turns_end(struct tg_gpu *gpu, bool again);

#endif /* TG_POLICY_TURNS_H */
