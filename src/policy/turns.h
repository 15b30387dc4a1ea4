/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A token that goes to one client at a time: for policies that give out turns (turns.c).
 */
#ifndef TG_POLICY_TURNS_H
#define TG_POLICY_TURNS_H

#include <tg/policy.h>

/**
 * struct tg_turns - a token that goes to one client at a time
 * @waiting: clients that want a turn, linked by tg_client.node, by virtual time
 * @holder: the client whose turn it is, or NULL; not in @waiting
 * @since: when its turn began
 * @vt: system time: the virtual time of the latest holder when its turn began
 *
 * It is the whole of tg_gpu.priv. First in each client's priv is an s64: its virtual time,
 * which grows by the time of its turns over its weight. The token goes to the least. All calls
 * take O(log clients); init(), leave() and drop() are what a policy's table may name.
 */
struct tg_turns {
	struct rb_root_cached waiting;
	struct tg_client *holder;
	s64 since, vt;
};

/** tg_turns() - the token of @gpu */
static inline struct tg_turns *tg_turns(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_turns);
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
/** tg_turns_begin() - @client's turn begins now; the token was free */
void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client);
/** tg_turns_end() - the holder's turn is over. Return: how long it took, ns. */
s64 tg_turns_end(struct tg_gpu *gpu);

#endif /* TG_POLICY_TURNS_H */
