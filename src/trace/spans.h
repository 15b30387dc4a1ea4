/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace shows over time: which client's groups waited when, for what and behind whom, when
 * they ran, what budgets were. Read once, by spans.c; written by perfetto.c and plot.c. Called by
 * tgctl. One thread.
 */
#ifndef TGS_SPANS_H
#define TGS_SPANS_H

#include "replay.h"

/**
 * struct tgs_who - a client
 * @id: its number
 * @pid: its process
 * @comm: its name, NUL-terminated
 * @wanted: --client names it
 */
struct tgs_who {
	u32 id, pid;
	char comm[TG_COMM_LEN];
	bool wanted;
};

/**
 * struct tgs_wait - a group that waited between its arrival and its way to the driver
 * @job: its number
 * @client: of tgs_spans.clients, its index
 * @channel: number of its channel
 * @engine: the engine that it waited for
 * @from: it arrived; on the core's clock, as all times here
 * @until: it was let go, or gave up, or the trace ends
 * @spent: what it waited for, as replay knows it; all 0 behind a gap
 * @cause: what it waited for longest; TGS_PHASES: not known
 * @shown: neither window nor client leave it out
 */
struct tgs_wait {
	u64 job;
	u32 client, channel, engine;
	s64 from, until;
	s64 spent[TGS_PHASES];
	enum tgs_phase cause;
	bool shown;
};

/**
 * struct tgs_run - a group on the hardware
 * @job: its number
 * @client: index of its client
 * @channel: number of its channel
 * @engine: where it ran
 * @from: its doorbell, or the completion before it on its engine if that is later
 * @until: its completion: @from to @until is what the core charges; or the trace's end
 * @lag: how much later the completion was noticed
 * @known: enum tg_done, or TGS_NOT_OVER
 * @shown: as in struct tgs_wait
 */
struct tgs_run {
	u64 job;
	u32 client, channel, engine;
	s64 from, until, lag;
	u64 known;
	bool shown;
};

#define TGS_NOT_OVER	((u64)-1)	/* it runs where the trace ends */

/**
 * struct tgs_behind - a group that ran while another one waited
 * @wait: of tgs_spans.waits, its index
 * @run: of tgs_spans.runs
 * @time: for how long of the wait
 */
struct tgs_behind {
	u32 wait, run;
	s64 time;
};

#define TGS_BEHIND	8	/* of them for a wait, those that ran longest */

/**
 * struct tgs_level - a reserve's budget at a moment
 * @reserve: of tgs_spans.reserves, its index
 * @at: when
 * @budget: ns
 */
struct tgs_level {
	u32 reserve;
	s64 at, budget;
};

/**
 * struct tgs_store - a reserve
 * @name: several clients share it; empty: it is one client's own
 * @client: number of a client that used it
 * @shown: --client does not leave it out
 * @last: its latest budget
 */
struct tgs_store {
	char name[TG_NAME_LEN];
	u32 client;
	bool shown;
	s64 last;
};

/** struct tgs_told - a note: enum tg_note, the client's index or TGS_NOBODY, when */
struct tgs_told {
	u32 note, client;
	s64 at;
};

#define TGS_NOBODY	0xffffffffu

/** struct tgs_clock - what three clocks showed at once (TG_REC_CLOCK) */
struct tgs_clock {
	s64 core, boottime, monotonic;
};

/**
 * struct tgs_spans - a trace, read
 * @start: the trace's first time
 * @cut: behind this time the trace does not replay; TG_NEVER: it does
 *
 * Arrays, and how many of each; @runs by engine and then by end, @behind by @wait.
 */
struct tgs_spans {
	s64 start, cut;
	struct tgs_who *clients;
	struct tgs_wait *waits;
	struct tgs_run *runs;
	struct tgs_behind *behind;
	struct tgs_level *levels;
	struct tgs_store *reserves;
	struct tgs_told *notes;
	struct tgs_clock *clocks;
	u32 nr_clients, nr_waits, nr_runs, nr_behind, nr_levels, nr_reserves, nr_notes, nr_clocks;
};

/**
 * struct tgs_window - what of it is wanted
 * @from: since the trace's start
 * @to: since the trace's start; TG_NEVER: its end
 * @client: a number, a name, pid=N; NULL: all. Groups that ran while it waited are shown too.
 */
struct tgs_window {
	s64 from, to;
	const char *client;
};

/**
 * tgs_spans_read() - read a trace
 * @s: the result; tgs_spans_deinit() when done, also after an error
 * @t: the trace
 * @w: what is wanted
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in: the trace is broken, or has no such client.
 */
int tgs_spans_read(struct tgs_spans *s, const struct tgs_trace *t, const struct tgs_window *w,
		   char *error);
void tgs_spans_deinit(struct tgs_spans *s);

#endif /* TGS_SPANS_H */
