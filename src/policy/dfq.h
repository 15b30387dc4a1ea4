/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of dfq know of each other: dfq.c, dfq_season.c, dfq_time.c and dfq_ask.c.
 */
#ifndef TG_POLICY_DFQ_H
#define TG_POLICY_DFQ_H

#include "level.h"
#include "quiet.h"
#include "probe.h"

enum tg_dfq_knob {
	TG_DFQ_SAMPLE, TG_DFQ_REQUESTS, TG_DFQ_FREE_RUN, TG_DFQ_HOLD, TG_DFQ_LINGER, TG_DFQ_SHARE
};

#define TG_DFQ_LONG	(4000 * TG_SEC)	/* more than an hour: longer times count as this one */
#define TG_DFQ_SAMPLES	40		/* a sampling counts as so many times sample_us at most */
#define TG_DFQ_GAP	(4 * TG_SEC)	/* a longer mean gap counts as this one; fits a u32, ns */
#define TG_DFQ_LOOKS	32		/* jobs that wait, of which one may go */
#define TG_DFQ_PICKS	4		/* jobs of clients that ask that go in one event */
#define TG_DFQ_PAUSE	(20 * TG_USEC)	/* then */
#define TG_DFQ_CHURN	8		/* free-runs in which all ask after a channel has left */

/** enum tg_dfq_phase - where an engine's season is; those from HOLDING to OPENING may walk */
enum tg_dfq_phase {
	WAITING, HOLDING, DRAINING, CHOOSING, SAMPLING, ADDING, CHARGING, FINDING, LOOKING,
	OPENING, FREE_RUN
};

/**
 * struct tg_dfq_season - an engine's season
 * @phase: enum tg_dfq_phase
 * @engine: the engine's index
 * @filling: the turn is one group of a client that is held back
 * @held: a client waits that is held back in the free-run that begins
 * @all_ask: all clients ask in it
 * @churn: how many free-runs are left in which all ask, since channels have left
 * @since: start of the free-run, then of the sampling
 * @until: end of the free-run, as planned, and when it has come; or of the turn
 * @ran: length of the latest free-run, its draining included, but for @seen
 * @seen: what jobs of clients that ask have taken of the free-run
 * @skipped: turns of those held back
 * @sum: of what the clients' channels take in a round of the hardware
 * @picked: jobs of clients that ask, in the event being fed
 * @looked: when the latest free-run began
 * @nr: how often clients have been charged
 * @lightest: weight of an active sharer; TG_NEVER: there is none
 * @least: virtual time of an active sharer; TG_NEVER: likewise
 * @length: of the free-run that begins
 * @awaited: clients that are being drained
 * @stuck: jobs in flight that are not awaited: of clients that are stuck
 * @left: sum of the turns of the clients that are not drained yet
 * @round: what is left of the round that all clients share
 * @rounds: turns that each client not drained yet has had since that round, as tg_dfq_part()
 * @tail: what clients were charged for these turns
 * @drained: when the latest client was drained, or the barrier; less @seen then
 * @vt: system time of the sharers
 * @mine: jobs that the client whose turn it is has waiting
 * @opened: its clients whose gates are open
 * @turns: clients to be sampled: tg_client.queue
 * @asked: jobs of clients that ask, whose first engine it is: tg_job.link (tg_heads_add())
 * @first: the client held back that waits, least ahead; or NULL
 * @turn: the one that is being sampled
 * @mark: of the channels that its requests came by: tg_channel.mark
 * @gap: of that one
 * @quiet: does the engine idle in the free-run?
 */
struct tg_dfq_season {
	u8 phase, engine;
	bool filling, held, all_ask;
	u8 churn, picked;
	u16 mark;
	s64 since, until, ran, seen, skipped, sum, looked;
	u32 nr, awaited, stuck;
	s64 lightest, least, length, left, round, rounds, tail, drained, vt;
	u32 mine, opened;
	struct list_head turns, asked;
	struct tg_client *first, *turn;
	struct tg_gap gap;
	struct tg_quiet quiet;
};

/**
 * struct tg_dfq - a season for each engine
 * @season: them
 * @walker: whose walk over all clients is under way: there is one at a time; NULL: no one's
 */
struct tg_dfq {
	struct tg_dfq_season season[TG_ENGINES_MAX];
	struct tg_dfq_season *walker;
};

#define TG_DFQ_NONE	0xffff	/* heavier than any weight */

/**
 * struct tg_dfq_level - what is known of a sharer on one engine
 * @level: its virtual times
 * @least: as in struct tg_dfq_season, of its clients
 * @season: number of that which @lightest, @least and @ran are of
 * @left: tg_sharer.left at the latest barrier
 * @lightest: likewise; TG_DFQ_NONE: there is none
 * @ran: a client of it ran, and was away when it was to be sampled
 * @known: a client of it has come
 */
struct tg_dfq_level {
	struct tg_level level;
	s64 least;
	u32 season, left;
	u16 lightest;
	bool ran, known;
};

/**
 * struct tg_dfq_sharer - what is kept in each sharer
 * @on: on each engine
 */
struct tg_dfq_sharer {
	struct tg_dfq_level on[TG_ENGINES_MAX];
};

/**
 * struct tg_dfq_share - what is kept in each client
 * @vt: beside the other clients of its sharer
 * @used: in its sample; until a request of it has ended, tg_dfq_turn() of the one before
 * @held: in its samples, while others waited, and in draining, while no other was drained; not
 *	charged yet
 * @gap: mean, in its samples, ns; TG_DFQ_GAP at most
 * @vts: of a client that asks: @vt on each engine
 * @requests: in its sample
 * @channels: in its sample
 * @engines: mask of those that it uses, as far as known; of one that does not ask: one at most
 * @active: mask of those for which a job of one that asks has waited or ended in this season
 * @ahead: mask of those on which it is held back
 * @awaited: it is being drained
 * @asks: its gate stands at ASK in free-runs, too
 * @stuck: something of its own does not end
 * @narrow: it is probed in this free-run: its gate stands at ASK, and it is sampled and charged as
 *	if its gate were open
 * @probe: of its queue
 */
struct tg_dfq_share {
	union {
		struct { s64 vt, used, held; u32 requests; u8 channels; };
		s64 vts[TG_ENGINES_MAX];
	};
	u32 gap;
	u8 engines : 4, active : 4, ahead : 4;
	bool awaited : 1, asks : 1, stuck : 1, narrow : 1;
	struct tg_probe probe;
};

static inline struct tg_dfq *tg_dfq(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_dfq);
}

static inline struct tg_dfq_share *tg_dfq_share(struct tg_client *client)
{
	return tg_client_priv(client, struct tg_dfq_share);
}

static inline struct tg_dfq_sharer *tg_dfq_sharer(const struct tg_client *client)
{
	return tg_sharer_priv(client->sharer, struct tg_dfq_sharer);
}

/** tg_dfq_level() - the client's sharer, on the engine of @st */
static inline struct tg_dfq_level *tg_dfq_level(const struct tg_dfq_season *st,
						const struct tg_client *client)
{
	return &tg_dfq_sharer(client)->on[st->engine];
}

/** tg_dfq_bit() - the engine of @st in masks */
static inline u32 tg_dfq_bit(const struct tg_dfq_season *st)
{
	return 1u << st->engine;
}

/** tg_dfq_of() - the season that a client is of which does not ask */
static inline struct tg_dfq_season *tg_dfq_of(struct tg_gpu *gpu, struct tg_client *client)
{
	return &tg_dfq(gpu)->season[__builtin_ctz(tg_dfq_share(client)->engines)];
}

/** tg_dfq_asked() - the season whose list has @job, of a client that asks */
static inline struct tg_dfq_season *tg_dfq_asked(struct tg_gpu *gpu, const struct tg_job *job)
{
	return &tg_dfq(gpu)->season[__builtin_ctz(job->engines)];
}

/** tg_dfq_vt() - the client's own virtual time on the engine of @st */
static inline s64 *tg_dfq_vt(const struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	return sh->asks ? &sh->vts[st->engine] : &sh->vt;
}

static inline s64 tg_dfq_linger(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_DFQ_LINGER] * TG_USEC;
}

/* dfq_time.c */
/** tg_dfq_turn() - what its channels take in a round of the hardware: a request of each */
s64 tg_dfq_turn(struct tg_client *client);
/** tg_dfq_part() - what @time is of @sum, which is not 0 */
s64 tg_dfq_part(s64 time, s64 sum);
/** tg_dfq_of_part() - such a @part of @time */
s64 tg_dfq_of_part(s64 time, s64 part);
/** tg_dfq_counts() - is the client active, so that system time must not pass it? */
bool tg_dfq_counts(const struct tg_dfq_season *st, struct tg_client *client);
/* A walk after the samples: add up, charge, find the least virtual time, bring up idle clients. */
void tg_dfq_add(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
void tg_dfq_charge(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
void tg_dfq_find(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
void tg_dfq_bring_up(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
/** tg_dfq_charge_now() - a job of a client that asks has taken @used ns, or held the engine */
void tg_dfq_charge_now(struct tg_dfq_season *st, struct tg_client *client, s64 used);
/** tg_dfq_comes() - the client uses an engine that it did not use */
void tg_dfq_comes(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
/** tg_dfq_ahead() - for ahead() */
s64 tg_dfq_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left);

/* dfq_ask.c */
/** tg_dfq_ask() - from now on the client asks; the caller sees to its gate */
void tg_dfq_ask(struct tg_gpu *gpu, struct tg_client *client);
/** tg_dfq_settle() - barrier of @st: forget engines that a client which asks uses no more */
void tg_dfq_settle(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
/**
 * tg_dfq_meet() - a walk comes to a client of which no engine is known
 * @gpu: the GPU
 * @client: the client; if it waits, its jobs tell
 * @opening: gates are being opened
 */
void tg_dfq_meet(struct tg_gpu *gpu, struct tg_client *client, bool opening);
/** tg_dfq_queue_asked() - a job of a client that asks waits */
void tg_dfq_queue_asked(struct tg_gpu *gpu, struct tg_job *job);
/** tg_dfq_pick_asked() - the job that may go. Return: NULL: none. It stays in the list. */
struct tg_job *tg_dfq_pick_asked(struct tg_gpu *gpu, struct tg_dfq_season *st);
/** tg_dfq_idles() - no gate is open: does the engine idle in a free-run beside jobs? */
bool tg_dfq_idles(struct tg_gpu *gpu, struct tg_dfq_season *st);

/* dfq_season.c */
/** tg_dfq_step() - one step through the season. Return: true: step again. */
bool tg_dfq_step(struct tg_gpu *gpu, struct tg_dfq_season *st);
/** tg_dfq_release() - a client of @st may run in the free-run: its gate opens, or it asks */
void tg_dfq_release(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client);
/** tg_dfq_narrow_done() - a job of a client that is probed has ended after using @used ns */
void tg_dfq_narrow_done(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_job *job,
			s64 used);
/** tg_dfq_pass_by() - something of the client does not end: what it has in flight is not awaited */
void tg_dfq_pass_by(struct tg_gpu *gpu, struct tg_client *client);
/** tg_dfq_idle(), tg_dfq_leave() - for a policy's table */
void tg_dfq_idle(struct tg_gpu *gpu, struct tg_client *client);
void tg_dfq_leave(struct tg_gpu *gpu, struct tg_client *client);
/**
 * tg_dfq_others_rest() - is no other engine in use?
 * @gpu: the GPU
 * @st: of this one; the host's answers to WATCH are of it then
 */
bool tg_dfq_others_rest(struct tg_gpu *gpu, const struct tg_dfq_season *st);
/** tg_dfq_others_wait() - does a job wait for the end of the turn? */
bool tg_dfq_others_wait(const struct tg_gpu *gpu, const struct tg_dfq_season *st);

#endif /* TG_POLICY_DFQ_H */
