// SPDX-License-Identifier: GPL-2.0
/*
 * Reserves: the arithmetic of budgets, in closed form.
 *
 * Pure functions on one struct tg_reserve, called under the GPU's lock by throttle.c, guarantee.c,
 * job.c, account.c and match.c, and by tests. Which jobs move when a budget changes is throttle.c's
 * part.
 */
#include <tg/reserve.h>

static s64 sat_add(s64 a, s64 b)
{
	s64 sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a > 0 ? S64_MAX : S64_MIN;
}

static s64 sat_mul(s64 a, s64 b)
{
	s64 product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a > 0) == (b > 0) ? S64_MAX : S64_MIN;
}

void tg_reserve_init(struct tg_reserve *r, enum tg_resv kind, s64 capacity, s64 period, s64 now)
{
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->capacity = capacity;
	r->period = period;
	r->budget = capacity;
	r->next = sat_add(now, period);
	r->busy_since = TG_NEVER;
	r->left = -1;
	r->ready = TG_NEVER;
	INIT_LIST_HEAD(&r->waiting);
	r->throttled = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&r->all);
	RB_CLEAR_NODE(&r->ready_node);
	RB_CLEAR_NODE(&r->guarantee);
}

void tg_reserve_set(struct tg_reserve *r, enum tg_resv kind, s64 capacity, s64 period, s64 now)
{
	if (r->kind == kind && r->capacity == capacity && r->period == period)
		return;
	if (r->period != period || (kind == TG_CBS && r->kind != TG_CBS))
		r->next = sat_add(now, period);
	if (kind == TG_CBS && r->kind != TG_CBS)
		r->costliest = 0;	/* was of predictions, and does not fade from now on */
	r->kind = kind;
	r->capacity = capacity;
	r->period = period;
	r->budget = tg_reserve_unlimited(r) ? capacity : min(r->budget, capacity);
}

/*
 * With k refills due at next, next + T, ..., each e = min(B + run, e + C), where run is what
 * the running group has consumed by then without having been charged, the result is
 *
 *	min(e + kC, min over j of (B + run_j + (k - j) C)), j = 1 ... k
 *
 * While nothing runs, run_j is 0 and the later terms are smaller; once the group runs, run_j
 * grows by T >= C from one refill to the next and the earlier terms are. So two terms
 * decide: the last refill before the group's start (j = m), and the first one after it.
 */
void tg_reserve_refill(struct tg_reserve *r, s64 above, s64 now)
{
	s64 c = r->capacity, bound = sat_add(c, above), e, k, m;

	if (!tg_reserve_due(r, now))
		return;
	k = div64_s64(now - r->next, r->period) + 1;
	if (r->busy_since == TG_NEVER)
		m = k;
	else if (r->busy_since < r->next)
		m = 0;
	else
		m = min(k, div64_s64(r->busy_since - r->next, r->period) + 1);

	e = sat_add(r->budget, sat_mul(k, c));
	if (m > 0)
		e = min(e, sat_add(bound, sat_mul(k - m, c)));
	if (m < k) {
		s64 run = r->next + m * r->period - r->busy_since;

		e = min(e, sat_add(sat_add(bound, run), sat_mul(k - m - 1, c)));
	}
	r->budget = e;
	r->next = sat_add(r->next, sat_mul(k, r->period));
}

bool tg_reserve_affords(const struct tg_reserve *r, s64 x)
{
	if (r->kind == TG_AE)
		return x <= sat_add(r->budget, -r->reserved);
	return r->budget > 0;
}

s64 tg_reserve_ready(const struct tg_reserve *r, s64 x)
{
	s64 need = r->kind == TG_AE ? sat_add(x, r->reserved) : 1;
	s64 lack = sat_add(need, -max(r->budget, -S64_MAX));
	s64 n;

	if (lack <= 0)
		return r->next;
	n = div64_s64(lack - 1, r->capacity);	/* refills after the first */
	return sat_add(r->next, sat_mul(n, r->period));
}

void tg_reserve_charge(struct tg_reserve *r, s64 used)
{
	r->used = sat_add(r->used, used);
	if (!tg_reserve_unlimited(r))
		r->budget = sat_add(r->budget, -used);
}

void tg_reserve_wake(struct tg_reserve *r, s64 gap, s64 now)
{
	s64 limit;

	if (tg_reserve_unlimited(r))
		return;
	limit = div64_s64((r->next - now) * tg_share(r->capacity, r->period), TG_SHARE_ALL);
	if (r->budget <= limit)
		return;
	if (gap >= 0) {
		r->budget = max(r->budget - gap, limit);
		return;
	}
	r->budget = min(r->budget, r->capacity);
	r->next = sat_add(now, r->period);
}

s64 tg_reserve_deadline(const struct tg_reserve *r)
{
	s64 rest = sat_add(r->budget, -(r->costliest ?: 1)), periods;

	if (rest >= 0)
		periods = div64_s64(rest, r->capacity);
	else
		periods = -div64_s64(sat_add(-max(rest, -S64_MAX), r->capacity - 1), r->capacity);
	return sat_add(r->next, -max(sat_mul(periods, r->period), -S64_MAX));
}
