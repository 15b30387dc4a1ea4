/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What client.c and poll.c know of run.c: a run, its GPUs, and how the core is fed. For these three
 * only: run.h has what tgsim calls. One thread.
 */
#ifndef TGS_RUN_PRIV_H
#define TGS_RUN_PRIV_H

#include "gpu.h"
#include "mem.h"
#include "poll.h"
#include "run.h"

struct client;
struct job;
struct run;

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
	struct tgs_timer quiet;		/* the answer to WATCH, when nothing is in flight */
	struct poll poll;
	bool watch;		/* the core waits for QUIET */
	u32 untold;		/* groups that went through open gates and are unfinished */
	s64 quiet_since;	/* the QUIET from which the gap counts; 0: there is none */
	s64 gap;		/* from that to the first group through an open gate; 0: none came */
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

/** tgs_keep_pool() - give the core one object of @pool, unless it has one */
void tgs_keep_pool(struct gpu *gpu, enum tg_pool pool);
struct job *tgs_job_get(struct run *run);
void tgs_job_put(struct run *run, struct job *job);
/**
 * tgs_feed() - feed @ev at the present time; @spec_len: bytes of a SPEC's text. Aborts when refused
 */
void tgs_feed(struct gpu *gpu, struct tg_event *ev, u32 spec_len);
void tgs_feed_job(struct gpu *gpu, enum tg_event_kind kind, const struct job *job, s64 at);

#endif /* TGS_RUN_PRIV_H */
