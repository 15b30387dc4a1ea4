/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients with queued jobs, in the order of their priorities: for policies that go by it (ready.c).
 */
#ifndef TG_POLICY_READY_H
#define TG_POLICY_READY_H

#include <tg/policy.h>

#define TG_READY_REPAID		(500 * TG_MSEC)	/* the most that a client repays */
#define TG_READY_SHOWN		(TG_RESERVE_WINDOW + TG_ENGINES_MAX)

/**
 * struct tg_ready_client - what is kept of each client
 * @vt: its virtual time, ns
 * @key: by which it is sorted before that, as of when it was inserted
 * @level: tier and priority among whose clients @vt counts; 0: the client has yet to come
 */
struct tg_ready_client {
	s64 vt, key;
	u16 level;
};

/**
 * struct tg_ready - clients with queued jobs, by tier, guaranteed ones by deadline, then by
 *	priority; equals by the time that they have had (tg_ready_charge()), then by the arrival of
 *	their first job
 * @clients: linked by tg_client.node; their jobs are in tg_client.queue
 * @vt: virtual time of the client that was charged last, and
 * @prio: its priority
 * @tiers: tiers come before priorities: the policy keeps guarantees (tg_policy.guarantees)
 *
 * A policy's tg_client_priv() begins with a struct tg_ready_client.
 */
struct tg_ready {
	struct rb_root_cached clients;
	s64 vt;
	u8 prio;
	bool tiers;
};

void tg_ready_init(struct tg_ready *ready);
/** tg_ready_level() - what a client has in common with its equals: tier and priority */
static inline u16 tg_ready_level(const struct tg_client *client)
{
	return client->tier << 8 | (client->prio + 1);
}

/** tg_ready_counts() - does the client's virtual time count among its present equals? */
static inline bool tg_ready_counts(const struct tg_client *client)
{
	return tg_client_priv(client, const struct tg_ready_client)->level ==
	       tg_ready_level(client);
}

/**
 * tg_ready_least() - least virtual time of TG_TIER_ORDINARY clients of priority @prio
 *
 * Those that have groups in flight and none queued are not known here, but for the one that was
 * charged last: policies know who holds an engine, and look at tg_ready_held(), too.
 *
 * Return: the time; TG_NEVER: none is known.
 */
s64 tg_ready_least(const struct tg_ready *ready, u8 prio);
/**
 * tg_ready_apart() - does what @other has had bound what @client may be behind? Not where they have
 *	one limited reserve, of which the policy sees few jobs
 */
static inline bool tg_ready_apart(const struct tg_client *other, const struct tg_client *client)
{
	return other->reserve != client->reserve || tg_reserve_unlimited(client->reserve);
}

/**
 * tg_ready_outside() - as tg_ready_least(), of those that wait and bound what @client is behind
 *
 * It looks at TG_READY_SHOWN equals at most: so many of one limited reserve wait at once, but for a
 * moment after it has got its limit.
 */
s64 tg_ready_outside(const struct tg_ready *ready, const struct tg_client *client);
/**
 * tg_ready_held() - the virtual time of @holder, if it is an equal of @client, and not itself, and
 *	has groups in flight; otherwise TG_NEVER. @holder: NULL: there is none
 */
static inline s64 tg_ready_held(const struct tg_client *holder, const struct tg_client *client)
{
	return holder && holder != client && holder->inflight &&
	       tg_ready_level(holder) == tg_ready_level(client) && tg_ready_counts(holder) ?
	       tg_client_priv(holder, const struct tg_ready_client)->vt : TG_NEVER;
}

/**
 * tg_ready_comes() - has the client, none of whose jobs is queued, to come (tg_ready_come())?
 *	@inflight: its jobs in flight, but for one that comes with this event
 */
bool tg_ready_comes(const struct tg_client *client, u32 inflight);
/**
 * tg_ready_come() - a client comes with a job, and had none queued or in flight, or was of another
 *	priority: it has saved up no time
 * @client: the client
 * @least: of its equals, by tg_ready_least() and tg_ready_held(), of all trees that it may be in
 * @most: of any client that the policy has charged, of whatever priority. It counts where no equal
 *	is known: one that is away for a moment is not behind a client that was away for longer
 */
void tg_ready_come(struct tg_client *client, s64 least, s64 most);
/**
 * tg_ready_return() - likewise, but its job was throttled: it was not away, and is as far behind
 *	its equals as it was, up to TG_READY_REPAID behind those of other reserves
 * @client: the client
 * @least: as for tg_ready_come()
 * @outside: by tg_ready_outside(), of all trees that it may be in
 */
void tg_ready_return(struct tg_client *client, s64 least, s64 outside);
/**
 * tg_ready_within() - @vt, made no further ahead of @least, and behind @outside, if known, than
 *	TG_READY_REPAID. What two of one reserve have had differs as before: had the second to
 *	come back its bound from the first, it would be far before it, each time
 */
static inline s64 tg_ready_within(s64 vt, s64 least, s64 outside)
{
	if (outside != TG_NEVER)
		vt = max(vt, outside - TG_READY_REPAID);
	return least == TG_NEVER ? vt : min(vt, least + TG_READY_REPAID);
}

/** tg_ready_is_new() - has the client yet to come for the first time? */
static inline bool tg_ready_is_new(const struct tg_client *client)
{
	return !tg_client_priv(client, const struct tg_ready_client)->level;
}

/**
 * tg_ready_new() - where a client begins that is new: with the equal that was charged last, but
 *	TG_COME_WITHIN behind the first of all at most. With the first of all, a stream of new
 *	clients would keep others from their turn
 * @ready: the tree that knows which that is
 * @prio: the client's priority
 * @least: as for tg_ready_come()
 * @throttled: its reserve has held it back. Then it has waited for what that one has had, and where
 *	it keeps none from a turn it begins TG_COME_WITHIN before
 */
static inline s64 tg_ready_new(const struct tg_ready *ready, u8 prio, s64 least, bool throttled)
{
	if (ready->prio != prio)
		return least;
	if (throttled && !rb_first_cached(&ready->clients))
		return max(least - TG_COME_WITHIN, (s64)0);
	return min(ready->vt, tg_after(least, TG_COME_WITHIN));
}

/** tg_ready_vt() - the client's virtual time */
static inline s64 tg_ready_vt(const struct tg_client *client)
{
	return tg_client_priv(client, const struct tg_ready_client)->vt;
}

/** tg_ready_ahead() - how far the client is ahead of its equals; @least as for tg_ready_come() */
s64 tg_ready_ahead(const struct tg_client *client, s64 least);
/**
 * tg_ready_leads() - would a job of @client go before all that are queued?
 * @ready: the clients
 * @client: the client
 *
 * Return: true: it would, and has no job queued itself. False: it would not, or one comparison does
 * not tell.
 */
bool tg_ready_leads(const struct tg_ready *ready, const struct tg_client *client);
/** tg_ready_insert() - @client has a first job, or another one; it is in no tree */
void tg_ready_insert(struct tg_ready *ready, struct tg_client *client);
/** tg_ready_remove() - the opposite; before its first job changes */
void tg_ready_remove(struct tg_ready *ready, struct tg_client *client);
/** tg_ready_queue() - @job waits; O(log clients) */
void tg_ready_queue(struct tg_ready *ready, struct tg_job *job);
/** tg_ready_drop() - @job does not wait any more; O(log clients) */
void tg_ready_drop(struct tg_ready *ready, struct tg_job *job);
/** tg_ready_before() - does @a go before @b? Both have queued jobs. */
bool tg_ready_before(struct tg_client *a, struct tg_client *b);
/** tg_ready_charge() - @client has had an engine for @used ns: it goes after equals with less */
void tg_ready_charge(struct tg_ready *ready, struct tg_client *client, s64 used);
/**
 * tg_ready_first() - the next job for an engine
 * @ready: the clients
 * @engine: the engine
 *
 * Of each client only its first job counts: order within a client is arrival order.
 *
 * Return: the first job of the first client whose first job is for @engine; NULL: none.
 */
struct tg_job *tg_ready_first(const struct tg_ready *ready, const struct tg_engine *engine);
/**
 * tg_ready_refresh() - put guaranteed clients right whose deadline has grown, as far as they may be
 *	the first; before tg_ready_next()
 */
void tg_ready_refresh(struct tg_ready *ready);
/**
 * tg_ready_next() - the job that may have an idle engine
 * @gpu: the GPU
 * @ready: the clients
 * @engine: the engine
 *
 * A job that needs several engines claims all of them, until the last is idle, unless one is
 * claimed by a job before it: then it claims none, and those behind it may go.
 *
 * Return: the first job that claims @engine, if all that it needs are idle; otherwise NULL.
 */
struct tg_job *tg_ready_next(struct tg_gpu *gpu, struct tg_ready *ready,
			     const struct tg_engine *engine);

#endif /* TG_POLICY_READY_H */
