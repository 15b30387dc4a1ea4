/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the host's files know of each other: run.c (the core is fed, its actions are carried out),
 * client.c (clients and their jobs), poll.c (poll phases). For these three only.
 */
#ifndef TGS_PRIV_H
#define TGS_PRIV_H

#include "gpu.h"
#include "mem.h"
#include "run.h"

struct run;

/* One client of the scenario: a process with its channels and its workload. */
struct client {
	struct run *run;
	struct gpu *gpu;
	const struct tgs_client_conf *conf;
	struct tgs_client_result *result;
	struct tg_identity id;
	u32 number;		/* on its GPU, as the core knows it */
	struct tgs_hw_channel *channels;
	struct tgs_workload work;
	struct tgs_timer start, release, stop, idle;
	bool alive;
	bool blocked;		/* a submission is due, and the window is full */
	bool sync;		/* the core waits for IDLE */
	u8 gate;		/* enum tg_gate, as the core last set it */
	u32 turn;		/* channel of the next submission */
	u32 unfinished;		/* submissions not done yet: the window */
	u32 untold;		/* of these, bypassed: the core was not told */
	u64 passed;		/* submissions that bypassed the core since the last IDLE */
	bool active;		/* anything unfinished since the last poll phase */
	s64 seen;		/* in this poll phase: time (dense), or looks (sparse) */
	u32 groups;		/* in this poll phase: groups seen (dense), or done (sparse) */
	u32 inflight;		/* groups that the core has freed and that are not done */
	s64 own_since, own;	/* when @inflight last left 0, and how long it was above 0 before */
};

/*
 * One submission. It lives until it is done and, if the core knows it, until the core gives it
 * back.
 */
struct job {
	struct tg_job core;	/* the core's, from SUBMIT until tg_gpu_take() */
	struct tgs_work work;
	struct tgs_timer timer;
	struct client *client;
	struct job *next;	/* in run.spare */
	u64 id;			/* 0: it bypassed the core */
	s64 wanted, submitted, freed;
	s64 own;		/* how long the client had others in flight while this one waited */
	u64 switches;		/* of policies, before it was submitted */
	bool on_hardware;
	bool over;		/* the core has given it back while it was on the hardware */
};

/*
 * A poll phase. No event happens at a look: how many looks fell into a stretch of work is computed
 * when the stretch is over.
 */
struct poll {
	bool on;
	bool sparse;		/* looks at random distances; dense: at regular ones */
	s64 distance, from, next;
	u64 looks;
	struct client *last;	/* dense: the client seen last, */
	s64 last_to;		/* and the first look after that */
	struct tgs_rng rng;
};

/* One GPU: its core, its hardware, and the timers of both. */
struct gpu {
	struct tg_actions out;
	struct tg_gpu core;
	struct run *run;
	const struct tgs_gpu_conf *conf;
	struct tgs_gpu_result *result;
	struct tgs_hw_engine engine[TG_ENGINES_MAX];
	struct tg_buckets buckets;
	struct tgs_timer timer;		/* the core's ARM */
	struct tgs_timer then;		/* the scenario's next switch of policies */
	struct tgs_timer polled;	/* the end of a poll phase */
	struct poll poll;
	u32 switched;		/* switches of the scenario that were made */
	struct tgs_writer writer;
	bool writing;
	u64 jobs;		/* numbers given to jobs so far */
	u32 clients;		/* numbers given to clients so far */
};

struct run {
	const struct tgs_scenario *s;
	struct tgs_result *result;
	struct tgs_evq q;
	s64 now, share_step;
	struct tg_spec spec;
	struct gpu *gpus;
	struct client *clients;
	struct job *spare;	/* a list of jobs to be used again */
	struct tgs_blocks kept;	/* freed at the end */
};

/* ---- run.c ---- */

/** tgs_keep_pool() - give the core one object of @pool, unless it has one */
void tgs_keep_pool(struct gpu *gpu, enum tg_pool pool);
struct job *tgs_job_get(struct run *run);
void tgs_job_put(struct run *run, struct job *job);
/**
 * tgs_feed() - feed @ev at the present time; @spec_len: bytes of a SPEC's text. Aborts when refused
 */
void tgs_feed(struct gpu *gpu, struct tg_event *ev, u32 spec_len);
void tgs_feed_job(struct gpu *gpu, enum tg_event_kind kind, const struct job *job, s64 at);

/* ---- client.c ---- */

/* Timers: @owner is the client. */
void tgs_client_start(void *owner, s64 now);
void tgs_client_release(void *owner, s64 now);
void tgs_client_stop(void *owner, s64 now);
void tgs_client_idle(void *owner, s64 now);
void tgs_client_book(struct client *client);
struct client *tgs_client_of(struct tgs_work *work);
/** tgs_job_freed() - the core has freed @job: ring its doorbell after the time of a submission */
void tgs_job_freed(struct gpu *gpu, struct job *job);
/** tgs_job_worked() - the hardware is done with @work; @host is the struct gpu */
void tgs_job_worked(void *host, struct tgs_work *work, s64 now);

/* ---- poll.c ---- */

/**
 * tgs_poll_start() - begin a poll phase, or give the one under way another end
 * @gpu: the GPU
 * @until: when it ends
 * @distance: mean distance of sparse looks; 1: dense, at the scenario's; 0: end it without a SAMPLE
 */
void tgs_poll_start(struct gpu *gpu, s64 until, u32 distance);
/** tgs_poll_saw() - @client ran from @from to @to on the engine that is looked at */
void tgs_poll_saw(struct gpu *gpu, struct client *client, s64 from, s64 to);
/**
 * tgs_poll_over() - timer, @owner is the GPU: feed what the phase has seen, per client and of all
 */
void tgs_poll_over(void *owner, s64 now);

#endif /* TGS_PRIV_H */
