/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host for tests: it feeds a core, keeps its own books about every job, and checks what
 * any host may rely on, whatever the policy: FREE once per job and in arrival order within a
 * channel, every job ends, a client is gone once, errors change nothing, the core's own
 * tg_gpu_check(). The first thing that is wrong is kept in @wrong; what follows is ignored.
 */
#ifndef TESTS_SIM_HOST_H
#define TESTS_SIM_HOST_H

#include <tg/dry.h>
#include <tg/policy.h>

/* Where the host believes a job to be. */
enum th_state { TH_SPARE, TH_ASKED, TH_FREED, TH_STARTED };

struct th_job {
	struct tg_job core;		/* lent to the core from SUBMIT to the job's end */
	u64 id;
	struct th_client *client;
	u32 channel;
	enum th_state state;
	bool given;			/* the core has it */
	bool bypassed;			/* the core hears of it with the next event */
	bool left;			/* its channel has left */
	bool ending;			/* early (YIELD) */
	s64 started;			/* when, where it bypassed the core; 0: not yet */
	s64 cost;			/* for the test's own use, as all below */
	s64 at;
	u8 seen;			/* state of the core at the last look */
	u32 lower, allowed;
	struct list_head link;
};

struct th_client {
	u32 id, index;
	bool used, sync;
	bool yields;			/* it can end its jobs early; nothing makes it */
	u8 gate;
	u32 channels;			/* mask of those that are there */
	u32 untold;			/* submissions through the open gate */
	struct tg_identity ident;
	s64 next;			/* for the test's own use */
};

struct th_host {
	struct tg_actions out;
	struct tg_gpu core;
	struct tg_buckets buckets;
	s64 now;
	s64 armed;			/* TG_NEVER: not */
	s64 poll_until;			/* 0: no poll phase is under way */
	bool watch;			/* the core waits for QUIET */
	bool came;			/* something went through an open gate since the last one */
	u32 actions;			/* emitted by the last event */
	u64 events, jobs, freed, would;
	u32 clients;			/* ids given so far */
	u64 notes[TG_NOTES];
	u32 check_every;		/* events between two tg_gpu_check() */
	struct th_client *client;	/* a fixed number */
	u32 nr_client;
	struct th_job *job;		/* a fixed number */
	u32 nr_job;
	u32 live;			/* jobs that the core has */
	bool may_bypass;		/* jobs bypass the core where they may */
	u32 users;			/* processes are of so many, and of some cgroups; 0: of one */
	struct th_job **unreported;	/* these have, and the core has not heard of them */
	u32 nr_unreported;
	struct th_job **unstarted;	/* of these it has, but not that they have started */
	u32 nr_unstarted;
	u64 went;			/* how many have, ever */
	struct tg_spec *spec;
	u32 given[TG_POOLS];		/* objects that the pools have been given for good */
	void **kept;
	u32 nr_kept;
	enum tg_event_kind kind;	/* of the event that is being fed */
	u64 target;			/* its job */
	/* Called for each job that is freed, before the host's books change; may be NULL. */
	void (*on_free)(struct th_host *h, struct th_job *job);
	void *test;			/* for it */
	char wrong[256];
};

void th_init(struct th_host *h, u32 engines, const char *policy, s64 now, u32 clients, u32 jobs,
	     u8 bits);
void th_deinit(struct th_host *h);

/** th_fail() - remember what is wrong, if it is the first */
void th_fail(struct th_host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** th_feed() - feed an event, now; @want: result that it must have, 1: any */
int th_feed(struct th_host *h, struct tg_event *ev, int want);
/** th_feed_raw() - the same at the event's own time */
int th_feed_raw(struct th_host *h, const struct tg_event *ev, int want);

/** th_advance() - let time pass up to @to, with timer events where they are due */
void th_advance(struct th_host *h, s64 to);

/** th_join() - another client, or another channel of one that is there (@client not NULL) */
struct th_client *th_join(struct th_host *h, struct th_client *client, const char *comm,
			  u32 channel, u32 engines);
void th_leave(struct th_host *h, struct th_client *client, u32 channel);
/** th_tell() - of those that went without asking, in their order, ahead of whatever comes next */
void th_tell(struct th_host *h);

/** th_submit() - Return: the job; NULL: no job is spare, or it went through an open gate */
struct th_job *th_submit(struct th_host *h, struct th_client *client, u32 channel,
			 const struct tg_key *key);
void th_started(struct th_host *h, struct th_job *job, s64 at);
void th_refused(struct th_host *h, struct th_job *job);
void th_cancel(struct th_host *h, struct th_job *job);
void th_done(struct th_host *h, struct th_job *job, s64 at);
void th_idle(struct th_host *h, struct th_client *client);
void th_quiet(struct th_host *h);
void th_spec(struct th_host *h, const char *text, bool rematch);
void th_policy(struct th_host *h, const char *name);
void th_knob(struct th_host *h, bool of_policy, u32 nr, s64 value);

/** th_wind_up() - finish all that is under way, let all clients leave: nothing may remain */
void th_wind_up(struct th_host *h);

#endif /* TESTS_SIM_HOST_H */
