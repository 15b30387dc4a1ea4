/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cost predictor: what will this command group cost? (TimeGraph, section 5.3)
 *
 * Groups that consist of the same methods with the same data sizes cost about the same. So a
 * client's history maps a group's key, its commands without their data, to what its runs have
 * cost. Only a priori enforcement (AE) looks a group up, at each submission, and pays for it.
 *
 * Some groups are alike and cost this or that, by their data. Their mean is what none of them
 * costs, and a reserve that lets one go for it overruns. So beyond the paper x is a quantile: the
 * highest but one of the latest 8 runs, so that one interrupt that comes late makes nothing dear.
 * The paper's x, the mean, is there with the knob ae_faithful.
 *
 * Beyond the paper: sometimes the answer cannot matter, since the client is alone, has budget for
 * the costliest group known of it, and sent only known groups lately. Then groups go unread, twice
 * as many each time, up to 127 between two that are read.
 *
 * A group that follows one of another context on the engine also pays for the switch. Such a run
 * does not touch the mean. Its difference goes to the client's mean preemption impact, which is
 * added to predictions when a switch would happen, and is taken off what such a run has cost.
 *
 * Three parts: keys, built by hosts from push buffers, without any lock; the history, used by
 * src/core/job.c under the GPU's lock; its counters, read by hosts under that lock. Pure,
 * deterministic, no allocation: the history's memory comes out of the GPU's pools.
 */
#ifndef TG_PREDICT_H
#define TG_PREDICT_H

#include <tg/types.h>

struct tg_gpu;

#define TG_KEY_PAIRS	512	/* different (subchannel, method, size) in a key, at most */

/**
 * struct tg_key - the commands of one group: a multiset of (subchannel, method, data size)
 * @hash: of @nr and @pair, as tg_key_finish() made it
 * @nr: how many different ones, at most TG_KEY_PAIRS
 * @pair: in ascending order: bits 56 to 63 subchannel, 40 to 55 first method, 16 to 39 data
 *	words (0: immediate, the datum is in the header), 0 to 15 how often the group contains it
 *	(at least once)
 *
 * Goes with TG_EV_SUBMIT as its data; NULL there: the group could not be read, or is too
 * varied. The core copies what it needs. Groups are the same only if all of this is the same.
 */
struct tg_key {
	u32 hash, nr;
	u64 pair[];
};

/**
 * tg_key_number() - the key of a host that sees no commands
 * @key: room for one pair
 * @what: a number that stands for the group's commands; its low 48 bits count
 *
 * Return: @key.
 */
static inline const struct tg_key *tg_key_number(struct tg_key *key, u64 what)
{
	key->hash = what ^ what >> 32;
	key->nr = 1;
	key->pair[0] = what << 16 | 1;
	return key;
}

/** tg_key_size() - bytes of a key with @nr pairs */
static inline u32 tg_key_size(u32 nr)
{
	return sizeof(struct tg_key) + nr * sizeof(u64);
}

/**
 * enum tg_methods - the form of the headers of commands
 * @TG_METHODS_NV50: what chips before GF100 take: methods (size << 18 | subchannel << 13 | method),
 *	increasing or not (bit 30), and long ones (0x30000, size in the next word)
 * @TG_METHODS_GF100: what GF100 and all later chips take. Bits 29 to 31 say which kind. Methods
 *	(size << 16 | subchannel << 13 | method / 4): increasing (1) or not (3), or increasing once
 *	(5). Immediate (4): the same, but bits 16 to 28 are the datum. NV50's methods, increasing
 *	(0) or not (2); with bit 16 or 17, kind 0 chooses boards of a group and has no data
 */
enum tg_methods { TG_METHODS_NV50, TG_METHODS_GF100 };

/**
 * struct tg_key_builder - a key that is being made; about 4 KiB, not for a kernel's stack
 * @methods: the form of the group's headers
 * @skip: data words of the last command that have not come yet
 * @held: the last header, if the word that holds its size has not come yet; else 0
 * @bad: there will be no key
 * @key: what is there, without its hash
 * @room: memory of @key
 */
struct tg_key_builder {
	enum tg_methods methods;
	u32 skip, held;
	bool bad;
	union {
		struct tg_key key;
		u64 room[1 + TG_KEY_PAIRS];
	};
};

/**
 * tg_key_init() - begin a group
 * @b: the builder
 * @methods: the form of the headers that its GPU takes
 */
void tg_key_init(struct tg_key_builder *b, enum tg_methods methods);

/**
 * tg_key_build() - go on with the group's next words
 * @b: the builder
 * @words: push buffer content, host byte order, in the order in which the GPU fetches it
 * @n: how many; a command and its data may continue in the next call
 *
 * Takes the commands that enum tg_methods lists. Whether methods increase makes no difference, nor
 * does the kind of header that says so. A command without data counts for nothing. Anything else, a
 * jump, say, the GPU would refuse; it ends the key.
 *
 * Time: O(@n log TG_KEY_PAIRS), and O(TG_KEY_PAIRS ^ 2) once over all calls. Memory that is
 * changed meanwhile makes a wrong key, and no other harm.
 *
 * Return: false: there will be no key, so further words need not be read.
 */
bool tg_key_build(struct tg_key_builder *b, const u32 *words, u32 n);

/**
 * tg_key_skip() - pass over data that need not be read
 * @b: the builder
 * @n: how many words come next, as far as the caller knows
 *
 * Return: how many of these, from the first on, are data of the command that has begun. They
 * count as built; the caller goes on behind them.
 */
u32 tg_key_skip(struct tg_key_builder *b, u32 n);

/**
 * tg_key_finish() - the group ends here
 * @b: the builder
 *
 * Return: the key, valid as long as @b; NULL if a word was no command, if the last command's data
 * has not come whole, if there are more than TG_KEY_PAIRS different ones, or more than 65535 of
 * one.
 */
const struct tg_key *tg_key_finish(struct tg_key_builder *b);

#define TG_CHUNK_PAIRS	31	/* makes 256 bytes */

/** TG_KEY_CHUNKS() - struct tg_chunk that a key of @nr pairs takes */
#define TG_KEY_CHUNKS(nr)	(((nr) + TG_CHUNK_PAIRS - 1) / TG_CHUNK_PAIRS)

/**
 * struct tg_chunk - part of a record's key
 * @next: the rest, or NULL
 * @pair: as in struct tg_key
 */
struct tg_chunk {
	struct tg_chunk *next;
	u64 pair[TG_CHUNK_PAIRS];
};

#define TG_LATEST	8	/* runs that a record looks back on */

/**
 * struct tg_cost - one record: a key, and what its groups cost
 * @by_key: in tg_history.keys; empty: the record is not in the table (any more)
 * @by_x: in tg_history.costs, if @runs
 * @lru: in tg_history.lru, if @runs
 * @chunks: the key
 * @x: what is predicted, without a switch, ns
 * @mean: ns
 * @latest: what the latest runs have cost, ns, each less the impact if it came after a switch; run
 *	number n at n % TG_LATEST
 * @seen: runs that there have been
 * @hash: the key's
 * @nr: the key's
 * @users: jobs that were predicted by it and are not over
 * @runs: how many @mean stands for, as far as that matters; 0: no job has run yet
 * @warm: one has run without a switch before it, so @mean is told apart from the impact
 * @odd: the latest run was off the mean by more than a quarter of it, and is not in it
 */
struct tg_cost {
	struct rb_node by_key, by_x;
	struct list_head lru;
	struct tg_chunk *chunks;
	s64 x, mean, latest[TG_LATEST];
	u64 seen;
	u32 hash, nr, users, runs;
	bool warm, odd;
};

/**
 * struct tg_history - what one client's groups have cost
 * @keys: records, by key
 * @costs: records that have run, and @blank, if it has; the largest x first
 * @lru: records that have run, the least recently used first
 * @blank: stands for all groups whose key is not known or could not be kept; always a miss
 * @nr: records that have run
 * @impact: mean preemption impact, ns; to begin with the knob switch_cost_us, or, if that is 0,
 *	what all clients of the GPU have shown
 * @impact_runs: how many it stands for, as far as that matters
 * @hits: predictions from a record of the same key
 * @misses: the others
 * @errors: sum of the relative errors, per mille, each counted as 1000 at most
 * @runs: groups that are in @errors
 * @stretch: how many groups may go unread after one that was read
 * @unread: how many have, since the last one that was read
 */
struct tg_history {
	struct rb_root_cached keys, costs;
	struct list_head lru;
	struct tg_cost blank;
	u32 nr;
	u32 impact_runs;
	s64 impact;
	u64 hits, misses, errors, runs;
	u32 stretch, unread;
};

/**
 * tg_history_new() - a history that knows nothing
 * @gpu: takes one TG_POOL_HISTORY of its pools
 *
 * Return: the history, or NULL when the pool is empty.
 */
struct tg_history *tg_history_new(struct tg_gpu *gpu);

/** tg_history_forget() - its counters begin anew; what it predicts stays */
static inline void tg_history_forget(struct tg_history *h)
{
	h->hits = 0;
	h->misses = 0;
	h->errors = 0;
	h->runs = 0;
}

/**
 * tg_history_free() - give a history and all that it knows back to the pools
 * @gpu: the GPU
 * @h: the history; none of its predictions is pending
 */
void tg_history_free(struct tg_gpu *gpu, struct tg_history *h);

/**
 * tg_predict() - what will a group cost?
 * @gpu: the GPU; for a key that is new, takes one TG_POOL_COST and TG_KEY_CHUNKS() of
 *	TG_POOL_CHUNK. When these are not there, the group counts as unreadable
 * @h: its client's history
 * @key: its key, or NULL: unreadable
 * @switches: another context's group comes before it on its engine
 * @cost: receives the record to learn from; give it to tg_predict_learn() or tg_predict_drop()
 *
 * Hit: tg_cost.x of the record with this key. Miss: the largest in the history. Either way the
 * preemption impact is added if @switches.
 *
 * Return: x, ns, at least 0.
 */
s64 tg_predict(struct tg_gpu *gpu, struct tg_history *h, const struct tg_key *key, bool switches,
	       struct tg_cost **cost);

/**
 * tg_predict_unread() - may a group go without having been read?
 * @h: its client's history
 * @n: unread groups that have gone and that tg_history.unread does not count
 * @x: receives the largest tg_cost.x, ns: no known group costs more
 *
 * A caller that lets the group go has budget for @x, and counts it in tg_history.unread.
 */
static inline bool tg_predict_unread(const struct tg_history *h, u32 n, s64 *x)
{
	const struct rb_node *worst = rb_first_cached(&h->costs);

	if (!worst || h->unread + n >= h->stretch)
		return false;
	*x = rb_entry(worst, struct tg_cost, by_x)->x;
	return true;
}

/**
 * tg_predict_unread_ran() - an unread group has run
 * @h: its client's history
 * @x: from tg_predict_unread(), ns
 * @used: what it cost, ns; if that is more than a quarter above, the next ones are read
 */
void tg_predict_unread_ran(struct tg_history *h, s64 x, s64 used);

/**
 * tg_predict_switch() - correct a prediction that was wrong about a context switch
 * @h: its client's history
 * @x: what was predicted, ns
 * @switches: the engine does switch; false: it does not
 *
 * Return: x, ns, at least 0.
 */
s64 tg_predict_switch(const struct tg_history *h, s64 x, bool switches);

/**
 * tg_predict_learn() - a predicted group has run
 * @gpu: the GPU; a record that leaves the table returns to its pools
 * @h: its client's history
 * @cost: from tg_predict()
 * @x: what was predicted, ns
 * @used: what it cost, ns
 * @switched: another context's group did come before it
 *
 * The first run of a key makes its record, less the preemption impact if @switched; if the table
 * has more than the knob predict_records then, the least recently used one goes. Later runs move
 * its mean; those that are @switched the preemption impact, once the key has run without that,
 * and its mean, less the impact, until then. Means are over all runs up to 8, then the latest run
 * weighs one eighth. A run that is off the mean by more than a quarter of it is left out; if the
 * next one is too, the mean starts again with that. Of those that go to the impact this holds where
 * they take less: no switch makes a group cheaper, so the mean was wrong. Runs of unreadable groups
 * share one record, @switched or not.
 *
 * The record's x is the highest but one of its latest TG_LATEST runs, the only one of one; those
 * that the mean leaves out are among them. With the knob ae_faithful it is the mean.
 */
void tg_predict_learn(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost, s64 x,
		      s64 used, bool switched);

/**
 * tg_predict_drop() - a predicted group will not run
 * @gpu: the GPU
 * @h: its client's history
 * @cost: from tg_predict()
 */
void tg_predict_drop(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost);

/**
 * tg_history_error() - mean relative error of the predictions
 * @h: the history
 *
 * Return: per mille of the real cost, 0 to 1000; 0 before the first run.
 */
u32 tg_history_error(const struct tg_history *h);

#endif /* TG_PREDICT_H */
