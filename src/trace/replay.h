/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace back into a core: do its actions follow from its events, and why did a job wait?
 * Called by tgsim and tgctl, and by timeline.c and blocking.c, which look on meanwhile. One thread.
 */
#ifndef TGS_REPLAY_H
#define TGS_REPLAY_H

#include "trace.h"

/**
 * tgs_replay() - do the actions in a trace follow from its events?
 * @t: the trace
 * @to: where the first difference is described
 *
 * Return: 0: all of them; 1: no, or the trace does not replay to its end.
 */
int tgs_replay(const struct tgs_trace *t, FILE *to);

/**
 * enum tgs_phase - what a job is doing, as far as the core knows
 */
enum tgs_phase {
	TGS_RESERVE, TGS_WINDOW, TGS_POLICY, TGS_HANDOVER, TGS_DRIVER, TGS_BEHIND, TGS_RUNNING,
	TGS_LOST,
	TGS_PHASES
};

/** tgs_phase_of() - what @job is doing now */
enum tgs_phase tgs_phase_of(const struct tg_gpu *core, const struct tg_job *job);

/**
 * struct tgs_watch - functions that are called while a trace is replayed
 * @before: an event is about to be fed; the core is as the event before left it
 * @action: the core emits an action, and it is the recorded one; inside tg_gpu_feed()
 * @after: an event has been fed
 *
 * Events that failed are not shown.
 */
struct tgs_watch {
	void (*before)(struct tgs_watch *w, const struct tg_gpu *core,
		       const struct tg_record *event);
	void (*action)(struct tgs_watch *w, const struct tg_gpu *core,
		       const struct tg_record *action);
	void (*after)(struct tgs_watch *w, const struct tg_gpu *core,
		      const struct tg_record *event);
};

/**
 * tgs_replay_watched() - replay a trace, calling @watch
 * @t: the trace
 * @watch: what to call
 * @to: where to say why it does not replay to its end
 *
 * Return: 0; 1: not to the end of the trace.
 */
int tgs_replay_watched(const struct tgs_trace *t, struct tgs_watch *watch, FILE *to);

/**
 * tgs_why() - print why a job waited
 * @t: the trace
 * @job: its number
 * @to: where to print it
 *
 * Return: 0; 1: no such job in what can be replayed.
 */
int tgs_why(const struct tgs_trace *t, u64 job, FILE *to);

#endif /* TGS_REPLAY_H */
