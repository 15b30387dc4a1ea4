/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of loga know of each other: loga.c, loga_ask.c and loga_time.c. All of it is under
 * the GPU's lock.
 */
#ifndef TG_POLICY_LOGA_H
#define TG_POLICY_LOGA_H

#include "level.h"
#include "probe.h"
#include "quiet.h"

enum tg_loga_knob {
	TG_LOGA_POLL, TG_LOGA_REST, TG_LOGA_RATIO, TG_LOGA_SCALING, TG_LOGA_RANDOM, TG_LOGA_SEED,
	TG_LOGA_FAITHFUL, TG_LOGA_MODE, TG_LOGA_LOOK, TG_LOGA_METRIC, TG_LOGA_HOLD, TG_LOGA_LINGER,
	TG_LOGA_SHARE
};

#define TG_LOGA_LONG	(4000 * TG_SEC)	/* more than an hour: longer times count as this one */
#define TG_LOGA_PARTS	20		/* binary places of a share */

/** enum tg_loga_phase - where the policy is in its cycle */
enum tg_loga_phase {
	ASLEEP, POLLING, RESTING, WATCHING /* what held clients have in flight */,
	/* walks */
	OPENING /* all gates, then POLLING */, CHARGING, FINDING /* the least, after that */,
	LOOKING /* who waits */, DECIDING,
	HOLDING /* all gates, then ASLEEP */
};

/** struct tg_loga - what is kept in the GPU */
struct tg_loga {
	enum tg_loga_phase phase;
	s64 since;		/* end of the poll phase before: start of the cycle */
	s64 until;		/* end of the rest */
	s64 vt;			/* system time of the sharers */
	u32 active;		/* clients, in the latest cycle */
	s64 least;		/* of the weights of their sharers */
	enum tg_loga_phase before;	/* the walk began: POLLING or WATCHING; LOOKING goes back */
	s64 at;			/* end of the sample that is charged */
	s64 polled;		/* its length; 0: it shows nothing */
	s64 cycle;		/* that it stands for */
	s64 decided;		/* end of the latest sample by which it was decided */
	s64 span;		/* from the one before to that */
	s64 limit;		/* who is ahead by more is held */
	s64 loads;		/* of the clients whose gates are open */
	s64 low;		/* the least virtual time of an active sharer; TG_NEVER: none */
	u32 lows;		/* how often it has been looked for */
	u32 samples;		/* poll phases whose samples are used up */
	bool again;		/* the walk has begun with LOOKING */
	bool held;		/* the walk has held a client that may have something in flight */
	bool sampling;		/* of some clients the samples have come, and of others not */
	u32 tails;		/* clients whose tail is not charged */
	u32 distance;		/* of the looks of WATCHING, ns */
	s64 tailed;		/* what tails were charged of this cycle: it is not the others' */
	struct sum {		/* of the samples of the poll phase that ends */
		u32 active;	/* clients */
		s64 least;	/* of the sharers' weights, of those seen at work, too; 0: none */
		s64 parts;
	} sum;
	struct tg_quiet quiet;
	struct list_head asked;	/* jobs of clients that ask: tg_job.link (tg_heads_add()) */
	u32 picked;		/* of them, in the event being fed */
	u32 turned;		/* gates that have turned to ASK or from it in that event */
	struct list_head ending;	/* clients with a tail of which the core knows the rest */
	s64 seed;		/* that the generator was started from */
	u64 random;		/* its state */
};

/** struct tg_loga_sharer - what is known of a sharer */
struct tg_loga_sharer {
	struct tg_level level;
	bool known;
	s64 least;		/* of its clients' weights, as in struct sum; 0: not known yet */
	s64 low;		/* as in struct tg_loga, of its clients */
	u32 samples, lows;	/* of struct tg_loga, that these two are of */
};

/** struct tg_loga_share - what is kept in each client */
struct tg_loga_share {
	s64 vt;			/* beside the other clients of its sharer */
	s64 busy;		/* in the poll phase that ends */
	s64 part;		/* t_app, or what stands for it */
	s64 since;		/* when it was held */
	u32 load;		/* of the engine, when last seen: parts */
	bool active : 1;
	bool tail : 1;		/* what it had in flight when it was held is not charged yet */
	bool fresh : 1;		/* it has been let run since the cycle began */
	struct tg_probe probe;
};

static inline struct tg_loga *tg_loga(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_loga);
}

static inline struct tg_loga_share *tg_loga_share(struct tg_client *client)
{
	return tg_client_priv(client, struct tg_loga_share);
}

static inline struct tg_loga_sharer *tg_loga_sharer(const struct tg_client *client)
{
	return tg_sharer_priv(client->sharer, struct tg_loga_sharer);
}

static inline bool tg_loga_faithful(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_LOGA_FAITHFUL];
}

/* loga_ask.c */
/** tg_loga_gate() - change the client's gate, and count what is dear */
void tg_loga_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate);
/** tg_loga_let_run() - the client may run: its gate opens, or it asks */
void tg_loga_let_run(struct tg_gpu *gpu, struct tg_client *client);
/** tg_loga_judge() - a cycle ends: is the client's queue deep? */
void tg_loga_judge(struct tg_client *client);
/** tg_loga_queue() to tg_loga_held() - for a policy's table */
void tg_loga_queue(struct tg_gpu *gpu, struct tg_job *job);
void tg_loga_drop(struct tg_gpu *gpu, struct tg_job *job);
struct tg_job *tg_loga_pick(struct tg_gpu *gpu, struct tg_engine *engine);
void tg_loga_done(struct tg_gpu *gpu, struct tg_job *job, s64 used);
void tg_loga_lost(struct tg_gpu *gpu, struct tg_job *job);
void tg_loga_held(struct tg_gpu *gpu, struct tg_job *job, s64 held);
/** tg_loga_drained() - what went through the client's open gate has ended */
void tg_loga_drained(struct tg_gpu *gpu, struct tg_client *client);
/**
 * tg_loga_look_at_endings() - have jobs that the core knows ended, behind those?
 * @gpu: the GPU
 *
 * The policy does not hear of the end of a job that was freed when a gate opened.
 */
void tg_loga_look_at_endings(struct tg_gpu *gpu);

/* loga_time.c */
/** tg_loga_lower() - the client is active: its sharer's system time must not pass it */
void tg_loga_lower(const struct tg_loga *st, struct tg_client *client);
/** tg_loga_is_ahead() - is the sharer ahead by more than the limit, or the client by a cycle? */
bool tg_loga_is_ahead(const struct tg_loga *st, struct tg_client *client);
/** tg_loga_weigh() - the client has used @took ns */
void tg_loga_weigh(const struct tg_loga *st, struct tg_client *client, s64 took);
/** tg_loga_note() - one client's sample */
void tg_loga_note(struct tg_gpu *gpu, struct tg_client *client, const struct tg_sample *s);
/** tg_loga_charge() - CHARGING: for the whole cycle, by what was seen in its poll phase */
void tg_loga_charge(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client);
/** tg_loga_charge_before() - LOOKING: at the rate seen last */
void tg_loga_charge_before(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client);
/** tg_loga_charge_tail() - what it had in flight when it was held has ended, or is its own again */
void tg_loga_charge_tail(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client);
/** tg_loga_find_low() - all clients of its sharer are charged: is that the least one? */
void tg_loga_find_low(struct tg_loga *st, struct tg_client *client);

#endif /* TG_POLICY_LOGA_H */
