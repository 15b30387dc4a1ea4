/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One run of the simulator, and what it counts. Called by tgsim. One thread; time is a signed
 * 64-bit count of virtual nanoseconds, and no result depends on the real clock.
 */
#ifndef TGS_RUN_H
#define TGS_RUN_H

#include "hist.h"
#include "picture.h"
#include "scenario.h"

/**
 * enum tgs_cause - what a job waits for, from when it was wanted until it is done
 * @TGS_WAIT_BACKLOG: its own program, which had depth submissions unfinished
 * @TGS_WAIT_RESERVE: its reserve (THROTTLED)
 * @TGS_WAIT_WINDOW: the policy, while its own client had groups in flight
 * @TGS_WAIT_POLICY: the policy, otherwise
 * @TGS_WAIT_HARDWARE: the way to the hardware and back, and other groups there
 */
enum tgs_cause {
	TGS_WAIT_BACKLOG, TGS_WAIT_RESERVE, TGS_WAIT_WINDOW, TGS_WAIT_POLICY, TGS_WAIT_HARDWARE,
	TGS_CAUSES
};

#define TGS_SHARE_STEPS	100	/* steps of the share over time */

/**
 * struct tgs_stats - what is counted of a client
 * @released: submissions that were made; those for which there was no room are none
 * @done: groups that finished
 * @failed: groups that the driver refused
 * @missed: latencies above the deadline, of groups that finished
 * @used: time on the hardware
 * @accounted: what the core has booked of it
 * @waited: sums over the groups that finished
 * @modelled: groups for which a dry run has reported a wait
 * @would: sum of these
 * @latency: from wanted to done
 * @share: time on the hardware in each step of the run
 */
struct tgs_stats {
	u64 released, done, failed, missed;
	s64 used, accounted;
	__int128 waited[TGS_CAUSES];
	u64 modelled;
	__int128 would;
	struct tgs_hist latency;
	s64 *share;
};

/** struct tgs_stretch - from when to when a client of one [client] section ran */
struct tgs_stretch {
	s64 from, to;
	u32 conf, gpu, engine;
};

/**
 * struct tgs_result - what a run gives
 * @scenario: that was run
 * @clients: in the order of the sections, @count of each
 * @nr_clients: of them
 * @gpus: per GPU; its policy is the one that is in force at the end
 * @stretches: the first ones
 * @nr_stretches: of them
 * @events: fed to cores
 */
struct tgs_result {
	const struct tgs_scenario *scenario;
	struct tgs_client_result {
		u32 conf, nr;
		struct tgs_stats stats;
	} *clients;
	u32 nr_clients;
	struct tgs_gpu_result {
		struct tgs_engine_result {
			s64 busy, switching;
			u64 switches;
		} engine[TG_ENGINES_MAX];
		const struct tg_policy *policy;
		u64 notes[TG_NOTES];
		u64 looks;		/* at what the hardware works for */
		u64 switches_waited;	/* of policies, that one job waited through; the most */
	} *gpus;
	struct tgs_stretch *stretches;
	u32 nr_stretches;
	u64 events;
};

/**
 * tgs_run() - simulate
 * @scenario: what
 * @trace: path of the traces to write: the first GPU's; others' have its name appended; or NULL
 * @result: tgs_result_deinit() when done, also after an error
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_run(const struct tgs_scenario *scenario, const char *trace, struct tgs_result *result,
	    char *error);
void tgs_result_deinit(struct tgs_result *result);

#endif /* TGS_RUN_H */
