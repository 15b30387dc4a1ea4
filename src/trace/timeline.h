/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lives of a trace's groups: when each waited, for what, and when it ran. Called by tgsim. One
 * thread.
 */
#ifndef TGS_TIMELINE_H
#define TGS_TIMELINE_H

#include "replay.h"

/**
 * struct tgs_group - one group's life
 * @job: its number
 * @client: its client's number
 * @nr: it is the client's nr-th of those shown, from 1
 * @comm: its client's name
 * @arrived: when it was submitted to the core
 * @freed: when the core freed it; TG_NEVER: not
 * @started: when its work began: its doorbell, or the completion ahead of it; TG_NEVER: never
 * @done: its completion; TG_NEVER: none
 * @waited_policy: time eligible, not chosen
 * @waited_reserve: time that it was throttled by its reserve
 * @predicted: x
 * @limited: its reserve has a C smaller than its T
 * @arrived_e: budget right after its arrival, refills included
 * @freed_e: budget when it was freed
 * @done_e: budget once its completion was charged
 * @phases: what it did from when on
 * @nr_phases: how many
 */
struct tgs_group {
	u64 job;
	u32 client, nr;
	char comm[TG_COMM_LEN];
	s64 arrived, freed, started, done, waited_policy, waited_reserve, predicted;
	bool limited;
	s64 arrived_e, freed_e, done_e;
	struct tgs_stay {
		s64 from;
		enum tgs_phase phase;
	} *phases;
	u32 nr_phases;
};

/**
 * struct tgs_timeline - the groups that arrive in a part of a trace
 * @from: start of the part, on the trace's clock
 * @until: its end
 * @groups: by arrival
 * @nr: how many
 */
struct tgs_timeline {
	s64 from, until;
	struct tgs_group *groups;
	u32 nr;
};

/**
 * tgs_timeline_read() - replay a trace, and remember its groups
 * @tl: the result, @from and @until since the trace's start already set (TG_NEVER: its end);
 *	tgs_timeline_deinit() when done
 * @t: the trace
 * @to: where to say why it does not replay to its end
 *
 * Return: 0; 1: not to the end of the trace.
 */
int tgs_timeline_read(struct tgs_timeline *tl, const struct tgs_trace *t, FILE *to);
void tgs_timeline_deinit(struct tgs_timeline *tl);
/** tgs_timeline_print() - a picture in letters, and a table */
void tgs_timeline_print(const struct tgs_timeline *tl, FILE *to);

#endif /* TGS_TIMELINE_H */
