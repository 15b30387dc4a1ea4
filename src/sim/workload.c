// SPDX-License-Identifier: GPL-2.0
/*
 * When a client submits which work. Each client has its own stream of random numbers, so that one
 * client's behaviour does not change when another is added. Integers only: the same seed gives the
 * same run on every machine. Called by client.c; tests draw their own random numbers here too.
 */
#include "workload.h"

/* SplitMix64: a counter, and a function that mixes its bits. */
u64 tgs_rng_next(struct tgs_rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

u64 tgs_rng_below(struct tgs_rng *rng, u64 n)
{
	return (unsigned __int128)tgs_rng_next(rng) * n >> 64;
}

#define LOG_BITS	24		/* binary places of the logarithm below */
#define LN2		11629080	/* ln 2 * 2^LOG_BITS */

/* -log2(u / 2^64) * 2^LOG_BITS, one binary place per squaring. */
static u64 minus_log2(u64 u)
{
	u32 zeros = __builtin_clzll(u);
	u64 log = 0;
	u32 i;

	u <<= zeros;
	for (i = 0; i < LOG_BITS; i++) {
		u = (unsigned __int128)u * u >> 64;
		log <<= 1;
		if (u >> 63)
			log |= 1;
		else
			u <<= 1;
	}
	/* u was m * 2^-zeros with 1/2 <= m < 1; log holds 1 + log2(m) */
	return ((u64)(zeros + 1) << LOG_BITS) - log;
}

s64 tgs_rng_exponential(struct tgs_rng *rng, s64 mean)
{
	unsigned __int128 ln = (unsigned __int128)minus_log2(tgs_rng_next(rng) | 1) * LN2;

	return (ln >> LOG_BITS) * mean >> LOG_BITS;
}

static s64 normal(struct tgs_rng *rng, s64 mean, s64 deviation)
{
	s64 sum = -6 * (1LL << 32);
	u32 i;

	for (i = 0; i < 12; i++)
		sum += tgs_rng_next(rng) >> 32;
	return mean + (s64)((__int128)sum * deviation >> 32);
}

s64 tgs_dist_draw(const struct tgs_dist *dist, struct tgs_rng *rng, u32 *choice)
{
	const s64 *v = dist->value;
	s64 cost;

	*choice = 0;
	switch (dist->kind) {
	case TGS_UNIFORM:
		cost = v[0] + tgs_rng_below(rng, v[1] - v[0] + 1);
		break;
	case TGS_EXPONENTIAL:
		cost = tgs_rng_exponential(rng, v[0]);
		break;
	case TGS_NORMAL:
		cost = normal(rng, v[0], v[1]);
		break;
	case TGS_CHOICE:
		*choice = tgs_rng_below(rng, dist->nr);
		cost = v[*choice];
		break;
	case TGS_ALIKE:
		cost = v[tgs_rng_below(rng, dist->nr)];
		break;
	default:
		cost = v[0];
		break;
	}
	return max(cost, (s64)1);
}

bool tgs_workload_start(struct tgs_workload *w, s64 now)
{
	const struct tgs_arrival *a = w->arrival;

	w->start = now;
	w->due = now;
	if (a->kind == TGS_POISSON)
		w->due += tgs_rng_exponential(&w->rng, a->gap);
	if (a->kind == TGS_TRACE) {
		if (!a->traced)
			return false;
		w->due += a->trace[0].at;
	}
	return true;
}

s64 tgs_workload_cost(struct tgs_workload *w)
{
	u32 choice;
	s64 cost;

	if (w->arrival->kind == TGS_TRACE) {
		cost = w->arrival->trace[w->count].cost;
		w->shape = cost;
	} else {
		cost = tgs_dist_draw(w->cost, &w->rng, &choice);
		w->shape = choice;
	}
	return cost;
}

bool tgs_workload_next(struct tgs_workload *w, s64 now)
{
	const struct tgs_arrival *a = w->arrival;

	w->count++;
	switch (a->kind) {
	case TGS_PERIODIC:
		w->due += a->gap;
		break;
	case TGS_BACK_TO_BACK:
		w->due = now + a->gap;
		break;
	case TGS_POISSON:
		w->due += tgs_rng_exponential(&w->rng, a->gap);
		break;
	case TGS_BURSTS:
		w->due = w->start + (s64)(w->count / a->burst) * a->gap;
		break;
	case TGS_TRACE:
		if (w->count == a->traced)
			return false;
		w->due = w->start + a->trace[w->count].at;
		break;
	}
	return true;
}

void tgs_workload_room(struct tgs_workload *w, s64 now)
{
	if (w->arrival->kind == TGS_BACK_TO_BACK)
		w->due = now + w->arrival->gap;
	else if (w->arrival->kind == TGS_PERIODIC)
		w->due = max(w->due, now);
}
