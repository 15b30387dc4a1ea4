/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserves: capacity, period, budget (TimeGraph, section 5.1).
 *
 * A client consumes from one reserve: its own, one shared by name, or Background. The budget
 * falls by the measured time of each group at its completion and may go negative; once every
 * period it grows by the capacity, up to a bound. Refills are lazy: nothing happens at a
 * refill's time unless a job waits for it.
 *
 * The bound holds for what is really left: a group that runs across the refill has consumed budget
 * that is charged only later, so that part is added to the bound. Without it a reserve loses what
 * it uses around each refill, and gets less than C/T.
 *
 * Under AE a job waits until the budget covers it, so what is left is less than its x, and more
 * than nothing. The paper's bound, the larger of C and x, cuts that off at each refill: up to 37 %
 * of C/T were lost. So the bound is C and x: a whole refill on top of what waits. The paper's is
 * there with the knob ae_faithful.
 *
 * PE and AE are caps: how much of C a client gets depends on the clients before it. TG_CBS is a
 * guarantee: a constant bandwidth server (Abeni and Buttazzo 1998) with hard reservation.
 *
 *	budget		as PE: a job may go while e > 0, and is charged afterwards; each overrun is
 *			paid back. An exhausted reserve waits for its refill though the engine idles
 *			Under a policy that guarantees, the time from the pick of a group to its
 *			start counts as used while others wait, as far as the engine idles for it
 *	order		guaranteed reserves go before all other clients, among themselves the
 *			earliest deadline first (tg_reserve_deadline()):
 *				d = next - T floor((e - x) / C)
 *			x is its longest group so far. It does not fade: else each long group after
 *			many short ones would overrun ahead of other guarantees. So that happens
 *			once for each reserve. A group within what is left has the next refill as
 *			its deadline. One that is longer uses budget of following
 *			periods, and has the refill as its deadline by which those cover it. What
 *			is left at a refill has that refill, which is past: it is late, and goes
 *			first. A refill changes no d
 *	wake-up		a job comes, and none waits or is in flight (tg_reserve_wake()):
 *				e > (next - now) C/T:  e = min(e, C), next = now + T
 *			so that what was saved up disturbs no other guarantee. A debt stays. Gaps
 *			of a client with one group at a time are too short for that: where the GPU
 *			has idled since its latest group, the gap counts as used instead, as far as
 *			e is above the limit. For the only guarantee the gap is none. Either up to
 *			TG_RESERVE_GAP
 *	refill		e = min(C, e + C) while no job is there. While one is, what is left was not
 *			served in time, and is kept: the bound is C + max(C, x)
 *	admission	sum(C/T) + L/T_min <= 1 over the guaranteed reserves. L is the longest group
 *			of all clients: a group is not preempted, so one of L may be in the way of
 *			each deadline (src/core/guarantee.c)
 *
 * While jobs of it wait, such a reserve has C by each deadline, less x, and (n - 1) C - L at least
 * in any window of n T; less 2 x where its groups are longer than L/2. The first group of another
 * guaranteed reserve that is longer than all before it may cost it that group's length, once.
 *
 * Pure arithmetic; callers hold the GPU's lock.
 */
#ifndef TG_RESERVE_H
#define TG_RESERVE_H

#include <tg/types.h>

#define TG_SHARE_ALL	100000000	/* the share that is the whole GPU */

/*
 * How many jobs of a limited reserve the policy sees at once: the first TG_RESERVE_MOVES of them,
 * more up to TG_RESERVE_WINDOW of clients of which it sees none, and one for each engine for which
 * it sees none. Each has to be taken back when the budget is used up, so their number bounds what
 * one event costs. A reserve that has just got its limit shows more, and so many less every 20 us.
 *
 * TG_RESERVE_MOVES: and so many jobs, of all reserves, does one event let in; those that it takes
 * back count, too.
 */
#define TG_RESERVE_WINDOW	10
#define TG_RESERVE_MOVES	5

/*
 * Throttled jobs of equal priority go by the time that their sharers have had from the reserve, in
 * units of 1 << TG_VT_SHIFT ns, about 16 us (tg_job.vt).
 */
#define TG_VT_SHIFT	14

/*
 * How far one that comes may be before others in virtual time, or behind them: what one turn takes
 * where the policy gives out turns and nobody sets slice_us
 */
#define TG_COME_WITHIN	(30 * TG_MSEC)

#define TG_RESERVE_GAP	TG_MSEC

/**
 * struct tg_reserve - one reserve
 * @name: of a shared reserve; empty: a client's own; "background": Background
 * @capacity: C, ns
 * @period: T, ns; a reserve with C >= T is unlimited: always eligible, never charged
 * @budget: e, ns, as of the last refill; negative: debt
 * @reserved: predicted cost of its jobs in flight, ns (AE)
 * @costliest: AE: the largest x among its latest jobs, ns: with each that costs less it falls by
 *	one part in 256. TG_CBS: x, its longest group so far, but for those longer than L
 * @next: time of the next refill; the grid starts when the reserve is created
 * @busy_since: since when a group of this reserve has been running; TG_NEVER: none is
 * @held: while it holds slots and runs nothing: since when
 * @used: all the time ever charged, ns
 * @share: C/T in units of 1 / TG_SHARE_ALL, as admitted; 0 without users
 * @edition: of the spec (tg_gpu.edition) that has admitted @share; it does not count in another one
 * @kind: TG_PE, TG_AE or TG_CBS
 * @guaranteed: in @edition, it is in tg_gpu.guarantees
 * @busy: its jobs on the hardware
 * @inflight: its jobs that hold slots
 * @queued: its jobs in the state QUEUED
 * @nr_throttled: its jobs in the state THROTTLED
 * @in_policy: its jobs in the policy's queue, by engine
 * @first: those of them whose client is TG_TIER_FIRST
 * @users: clients that consume from it, and its jobs that are not over
 * @heads: how many jobs @throttled has: the first of each channel
 * @serial: its number; 0: Background
 * @vt: virtual time, ns: it grows by what its jobs take, over how many channels wait
 * @waiting: its QUEUED jobs, in no order (tg_job.wait)
 * @throttled: of its THROTTLED jobs the first of each channel, by priority, then by virtual time,
 *	then by arrival (tg_job.rank)
 * @all: in tg_gpu.reserves
 * @ready_node: in tg_gpu.throttled while jobs are throttled, by @ready
 * @guarantee: in tg_gpu.guarantees, by @period
 * @left: when the end of its latest group was known (TG_CBS); -1: none has run
 * @ready: when the first of its throttled jobs becomes eligible; TG_NEVER: when a QUEUED one has
 *	gone
 */
struct tg_reserve {
	char name[TG_NAME_LEN];
	s64 capacity, period, budget, reserved, costliest, next, busy_since, held, used, share;
	u64 edition;
	u8 kind;
	bool guaranteed;
	u32 busy, inflight, queued, nr_throttled, users, heads;
	u64 serial;
	s64 vt;
	u32 in_policy[TG_ENGINES_MAX], first[TG_ENGINES_MAX];
	struct list_head waiting, all;
	struct rb_root_cached throttled;
	struct rb_node ready_node, guarantee;
	s64 ready, left;
};

/**
 * tg_reserve_init() - a fresh reserve with a full budget
 * @r: memory for it
 * @kind: TG_PE, TG_AE or TG_CBS
 * @capacity: C, ns, at least 1
 * @period: T, ns, at least @capacity
 * @now: its grid of refills starts here
 */
void tg_reserve_init(struct tg_reserve *r, enum tg_resv kind, s64 capacity, s64 period, s64 now);

/**
 * tg_reserve_set() - change C, T or kind, and keep the debt
 * @r: the reserve
 * @kind: TG_PE, TG_AE or TG_CBS
 * @capacity: C, ns
 * @period: T, ns
 * @now: the grid starts anew here when the period changes, or the kind to TG_CBS
 *
 * A positive budget is cut to the new capacity; a debt stays. Nothing changes if these are what it
 * has.
 */
void tg_reserve_set(struct tg_reserve *r, enum tg_resv kind, s64 capacity, s64 period, s64 now);

/** tg_share() - C/T in units of 1 / TG_SHARE_ALL, rounded down */
static inline s64 tg_share(s64 capacity, s64 period)
{
	return div64_s64(capacity * TG_SHARE_ALL, period);
}

/** tg_reserve_unlimited() - always eligible, never charged? */
static inline bool tg_reserve_unlimited(const struct tg_reserve *r)
{
	return r->capacity >= r->period;
}

/** tg_reserve_due() - is there a refill up to @now that has not been accounted for? */
static inline bool tg_reserve_due(const struct tg_reserve *r, s64 now)
{
	return !tg_reserve_unlimited(r) && now >= r->next;
}

/**
 * tg_reserve_refill() - account for the refills up to now
 * @r: the reserve
 * @above: by how much the bound is above C, ns; 0 for PE, and for TG_CBS without jobs
 * @now: the time
 *
 * Each period e = min(C + above, e + C). In closed form: the time it takes does not depend on how
 * many periods have passed.
 */
void tg_reserve_refill(struct tg_reserve *r, s64 above, s64 now);

/** tg_reserve_expect() - a job of predicted cost @x, ns, is there (AE); one has run (TG_CBS) */
static inline void tg_reserve_expect(struct tg_reserve *r, s64 x)
{
	s64 old = r->costliest;

	r->costliest = max(x, r->kind == TG_CBS ? old : old - old / 256);
}

/** tg_reserve_affords() - the answer of tg_reserve_eligible() where there is a limit */
bool tg_reserve_affords(const struct tg_reserve *r, s64 x);

/**
 * tg_reserve_eligible() - may a job of predicted cost @x go (after tg_reserve_refill())?
 * @r: the reserve
 * @x: predicted cost, ns
 *
 * PE, TG_CBS: e > 0. AE: x <= e, less what its jobs in flight have reserved.
 */
static inline bool tg_reserve_eligible(const struct tg_reserve *r, s64 x)
{
	return tg_reserve_unlimited(r) || tg_reserve_affords(r, x);
}

/**
 * tg_reserve_ready() - when will a job of predicted cost @x be eligible?
 * @r: the reserve, refilled up to now
 * @x: predicted cost, ns
 *
 * Return: time of the refill that suffices if nothing more is charged; TG_NEVER if beyond the
 * clock's end.
 */
s64 tg_reserve_ready(const struct tg_reserve *r, s64 x);

/**
 * tg_reserve_charge() - consume, after tg_reserve_refill()
 * @r: the reserve
 * @used: ns; negative to give back
 *
 * Saturates instead of overflowing.
 */
void tg_reserve_charge(struct tg_reserve *r, s64 used);

/** tg_reserve_idle() - does no job wait for it, or hold slots? */
static inline bool tg_reserve_idle(const struct tg_reserve *r)
{
	return !r->queued && !r->nr_throttled && !r->inflight;
}

/**
 * tg_reserve_wake() - a job comes to a reserve that was idle (TG_CBS)
 * @r: the reserve, refilled up to @now
 * @gap: how long the GPU has idled since its latest group, ns; negative: it has not
 * @now: the time
 *
 * With more left than C/T of the time to the next refill a fresh period begins: e = min(e, C),
 * next = now + T. A @gap counts as used instead, as far as there is more.
 */
void tg_reserve_wake(struct tg_reserve *r, s64 gap, s64 now);

/**
 * tg_reserve_deadline() - by when its next job is due (TG_CBS): next - T floor((e - x) / C)
 * @r: the reserve
 *
 * Whether it has been refilled up to now makes no difference while jobs of it are there. Grows with
 * each charge.
 */
s64 tg_reserve_deadline(const struct tg_reserve *r);

#endif /* TG_RESERVE_H */
