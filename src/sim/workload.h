/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a client wants which work: random numbers, arrivals, costs. Called by the host (run.c). Pure
 * functions of their arguments: the same seed gives the same run on every machine.
 */
#ifndef TGS_WORKLOAD_H
#define TGS_WORKLOAD_H

#include <tg/types.h>

/** struct tgs_rng - a stream of random numbers (SplitMix64) */
struct tgs_rng {
	u64 state;
};

u64 tgs_rng_next(struct tgs_rng *rng);
/** tgs_rng_below() - evenly 0 to @n - 1; @n is at least 1 */
u64 tgs_rng_below(struct tgs_rng *rng, u64 n);
/** tgs_rng_exponential() - with mean @mean, by integer arithmetic: the same on every machine */
s64 tgs_rng_exponential(struct tgs_rng *rng, s64 mean);

/**
 * enum tgs_dist_kind - shape of a distribution of costs
 * @TGS_FIXED: always value[0]
 * @TGS_UNIFORM: value[0] to value[1]
 * @TGS_EXPONENTIAL: mean value[0]
 * @TGS_NORMAL: mean value[0], standard deviation value[1] (a sum of twelve uniform ones)
 * @TGS_CHOICE: one of value[0] to value[nr - 1], equally likely
 * @TGS_ALIKE: the same, but the predictor cannot tell which
 */
enum tgs_dist_kind {
	TGS_FIXED, TGS_UNIFORM, TGS_EXPONENTIAL, TGS_NORMAL, TGS_CHOICE, TGS_ALIKE
};

#define TGS_DIST_VALUES	16

struct tgs_dist {
	enum tgs_dist_kind kind;
	u32 nr;
	s64 value[TGS_DIST_VALUES];
};

/** tgs_dist_draw() - a cost, at least 1 ns; @choice: which one (TGS_CHOICE), else 0 */
s64 tgs_dist_draw(const struct tgs_dist *dist, struct tgs_rng *rng, u32 *choice);

/**
 * enum tgs_arrival_kind - when a client wants to submit
 * @TGS_PERIODIC: every @gap; a submission that is late moves all later ones
 * @TGS_BACK_TO_BACK: @gap after there is room for it
 * @TGS_POISSON: at random, @gap apart in the mean, whatever has become of earlier ones
 * @TGS_BURSTS: @burst at once, every @gap, whatever has become of earlier ones
 * @TGS_TRACE: at the times of a file, with its costs
 */
enum tgs_arrival_kind { TGS_PERIODIC, TGS_BACK_TO_BACK, TGS_POISSON, TGS_BURSTS, TGS_TRACE };

struct tgs_arrival {
	enum tgs_arrival_kind kind;
	s64 gap;
	u32 burst;
	struct tgs_want {
		s64 at;		/* since the client's start */
		s64 cost;
	} *trace;
	u32 traced;
};

/**
 * struct tgs_workload - what one client submits next, and when
 * @arrival: the pattern
 * @cost: distribution of the costs; unused by TGS_TRACE
 * @rng: the client's own stream
 * @start: of the client
 * @due: when the next submission is wanted
 * @count: submissions so far
 * @shape: of the latest: groups of one shape look the same to the predictor
 */
struct tgs_workload {
	const struct tgs_arrival *arrival;
	const struct tgs_dist *cost;
	struct tgs_rng rng;
	s64 start, due;
	u64 count, shape;
};

/** tgs_workload_start() - set the time of the first submission; false: there is none */
bool tgs_workload_start(struct tgs_workload *w, s64 now);
/** tgs_workload_cost() - cost of the submission that is due; sets @shape */
s64 tgs_workload_cost(struct tgs_workload *w);
/**
 * tgs_workload_next() - the submission that was due has been made; move on
 * @w: the workload
 * @now: the time
 *
 * Return: false: that was the last one.
 */
bool tgs_workload_next(struct tgs_workload *w, s64 now);
/** tgs_workload_room() - the client's window was full, and has room again */
void tgs_workload_room(struct tgs_workload *w, s64 now);

#endif /* TGS_WORKLOAD_H */
