/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients and their jobs. Called by timers of the event queue, by the hardware when work is done,
 * by run.c for an action of the core, and by poll.c. For client.c, poll.c and run.c only. One
 * thread.
 */
#ifndef TGS_CLIENT_H
#define TGS_CLIENT_H

#include "gpu.h"
#include "run.h"

struct gpu;
struct run;

/* One client of the scenario: a process with its channels and its workload. */
struct client {
	struct run *run;
	struct gpu *gpu;
	const struct tgs_client_conf *conf;
	struct tgs_client_result *result;
	struct tg_identity id;
	u32 number;		/* on its GPU, as the core knows it: that of @before, if it has one */
	struct client *before;	/* it has left, the core has kept it, and this one goes on with it */
	struct client *after;	/* the other way round */
	s64 used_before;	/* of the GPU, as far as the core had accounted it to those before */
	struct tgs_hw_channel *channels;
	struct tgs_workload work;
	struct tgs_timer start, release, stop, idle;
	bool alive;
	bool blocked;		/* a submission is due, and the window is full */
	bool sync;		/* the core waits for IDLE */
	u8 gate;		/* enum tg_gate, as the core last set it */
	u32 reniced;		/* changes of that which have come */
	u32 turn;		/* channel of the next submission */
	const struct tgs_hw_channel *leaves;	/* the process is killed: the channel that leaves */
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

/* Timers: @owner is the client. */
void tgs_client_start(void *owner, s64 now);
void tgs_client_release(void *owner, s64 now);
void tgs_client_stop(void *owner, s64 now);
void tgs_client_idle(void *owner, s64 now);
void tgs_gpu_quiet(void *owner, s64 now);
void tgs_client_book(struct client *client);
/** tgs_client_known() - has the core this client, and none that goes on with it? */
bool tgs_client_known(const struct client *client);
struct client *tgs_client_of(struct tgs_work *work);
/** tgs_job_freed() - the core has freed @job: ring its doorbell after the time of a submission */
void tgs_job_freed(struct gpu *gpu, struct job *job);
/** tgs_job_worked() - the hardware is done with @work; @host is the struct gpu */
void tgs_job_worked(void *host, struct tgs_work *work, s64 now);

#endif /* TGS_CLIENT_H */
