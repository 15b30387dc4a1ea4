/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A token that goes to one client at a time: for policies that give out turns (turns.c).
 */
#ifndef TG_POLICY_TURNS_H
#define TG_POLICY_TURNS_H

#include "linger.h"

/**
 * struct tg_turns - a token that goes to one client at a time
 * @waiting: clients that want a turn, linked by tg_client.node, by virtual time
 * @holder: the client whose turn it is, or NULL; not in @waiting
 * @since: when its turn began; the lingers in it move this on, so that no client pays for them
 * @vt: system time
 * @yields: a client waits that is to have the token when the holder's groups in flight have ended
 * @watched: the host has answered tg_watch()
 * @uses: mask of the engines that the holder has used in its turn
 * @linger: for the holder
 *
 * It is the whole of tg_gpu.priv; struct tg_turns_share is each client's. All calls take O(log
 * clients); init(), leave() and drop() are what a policy's table may name.
 */
struct tg_turns {
	struct rb_root_cached waiting;
	struct tg_client *holder;
	s64 since, vt;
	bool yields, watched;
	u8 uses;
	struct tg_linger linger;
};

/**
 * struct tg_turns_share - what a policy that gives out turns keeps in each client
 * @vt: virtual time: it grows by the time of the client's turns over its weight
 * @lag: how far the client was behind when it last had nothing to do, ns
 * @length: running mean of what its groups take, ns; 0: not known
 * @gap: from its last group to its next
 */
struct tg_turns_share {
	s64 vt, lag, length;
	struct tg_gap gap;
};

/** tg_turns() - the token of @gpu */
static inline struct tg_turns *tg_turns(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_turns);
}

/** tg_turns_share() - the share of @client */
static inline struct tg_turns_share *tg_turns_share(struct tg_client *client)
{
	return tg_client_priv(client, struct tg_turns_share);
}

void tg_turns_init(struct tg_gpu *gpu);
/** tg_turns_join() - @client is new: its first turn comes after those that are due; @slice: ns */
void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client, s64 slice);
/** tg_turns_enter() - @client wants a turn; no change if it waits already, or has the token */
void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_drop() - @job leaves its client's queue; without any, the client wants no turn */
void tg_turns_drop(struct tg_gpu *gpu, struct tg_job *job);
/** tg_turns_leave() - @client is about to go; the token is free if it had it */
void tg_turns_leave(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_first() - the client that has the next turn. Return: NULL: none waits. */
struct tg_client *tg_turns_first(struct tg_gpu *gpu);
/** tg_turns_after() - the client after @client, which waits. Return: NULL: none. */
struct tg_client *tg_turns_after(const struct tg_client *client);
/** tg_turns_charge() - @client has used @used ns without having the token */
void tg_turns_charge(struct tg_gpu *gpu, struct tg_client *client, s64 used);
/**
 * tg_turns_lingers() - the holder has no groups: may the engine idle for it?
 * @gpu: the GPU
 * @most: the longest linger, ns
 */
bool tg_turns_lingers(struct tg_gpu *gpu, s64 most);
/** tg_turns_back() - the holder has groups, so the linger is over, if there was one */
void tg_turns_back(struct tg_gpu *gpu);
/** tg_turns_begin() - @client's turn begins now; the token was free */
void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client);
/**
 * tg_turns_end() - the holder's turn is over
 * @gpu: the GPU
 * @again: the holder wants another one: it has groups that wait
 * @slice: of the policy, ns: without @again, the holder keeps what it is behind, up to that
 *
 * Return: how long the turn took, ns.
 */
s64 tg_turns_end(struct tg_gpu *gpu, bool again, s64 slice);

#endif /* TG_POLICY_TURNS_H */
