// SPDX-License-Identifier: GPL-2.0
/*
 * May it go? Which reserve a client consumes from, and what a reserve's budget means for the jobs
 * that wait for it.
 *
 * reserve.c knows the arithmetic of one budget; here it meets clients and jobs. A job whose reserve
 * cannot pay for it is THROTTLED, and no policy sees it. A charge throttles jobs that were QUEUED;
 * a refill returns them to their places.
 *
 * match.c calls the first part when a client gets another line of the spec. job.c, engine.c and
 * gate.c call the second when a job arrives, or a budget or a gate changes. Hosts call
 * tg_gpu_may_bypass(). All of it runs under the GPU's lock.
 */
#include "job.h"
#include "memory.h"
#include "table.h"
#include "throttle.h"

/* ---- which reserve a client has -------------------------------------------------------- */

static bool named(const struct tg_reserve *r, const char *name, u32 len)
{
	return strlen(r->name) == len && !memcmp(r->name, name, len);
}

/* Does a line of the spec in force name this shared reserve? */
static bool in_spec(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	u32 i;

	for (i = 0; gpu->spec && i < gpu->spec->nr; i++) {
		const struct tg_str *name = &gpu->spec->entries[i].reserve;

		if (name->len && named(r, gpu->spec->text + name->off, name->len))
			return true;
	}
	return false;
}

/* Return an unused reserve to the pool; a shared one, only if no line of the spec names it. */
void tg_reserve_retire(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r->users || r == &gpu->background || (tg_reserve_shared(r) && in_spec(gpu, r)))
		return;
	list_del_init(&r->all);
	tg_gpu_give(gpu, TG_POOL_RESERVE, r);
}

/* Take the reserve's share back: it is free for other reserves. */
void tg_reserve_dismiss(struct tg_gpu *gpu, struct tg_reserve *r)
{
	gpu->admitted -= r->share;
	r->share = 0;
}

/* The reserve has lost its last client or job. */
void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *r)
{
	tg_reserve_dismiss(gpu, r);
	tg_reserve_retire(gpu, r);
}

/*
 * Does a reserve of @share fit beside the others? @r: that reserve, if it exists: its old share
 * goes.
 */
static bool fits(const struct tg_gpu *gpu, const struct tg_reserve *r, s64 share)
{
	return gpu->admitted - (r ? r->share : 0) + share <= gpu->knob[TG_KNOB_ADMISSION];
}

/* tg_gpu.reserves lists Background, then the shared ones, then those of one client each. */
static struct tg_reserve *find_shared(struct tg_gpu *gpu, const char *name, u32 len)
{
	struct tg_reserve *r;

	list_for_each_entry(r, &gpu->reserves, all) {
		if (!tg_reserve_shared(r))
			break;
		if (r != &gpu->background && named(r, name, len))
			return r;
	}
	return NULL;
}

/* Give @r the limits of @entry, and review its jobs if that changes anything. */
static void set_limits(struct tg_gpu *gpu, struct tg_reserve *r, const struct tg_spec_entry *entry)
{
	const struct tg_reserve was = *r;

	tg_reserve_set(r, entry->resv, entry->capacity, entry->period, gpu->now);
	if (r->kind != was.kind || r->capacity != was.capacity || r->period != was.period ||
	    r->budget != was.budget)
		tg_reserve_review(gpu, r);
}

/*
 * The reserve that @entry gives to @client: a shared one, its own, or Background. Background also
 * where the share, or the memory that the line asks for, does not fit. The pool holds a reserve, in
 * case one has to be made.
 */
struct tg_reserve *tg_reserve_for(struct tg_gpu *gpu, const struct tg_client *client,
				  const struct tg_spec_entry *entry)
{
	struct tg_reserve *r = client->reserve;
	const char *name;
	s64 share;

	if (!entry || entry->resv == TG_BG)
		return &gpu->background;
	name = gpu->spec->text + entry->reserve.off;
	if (entry->reserve.len)
		r = find_shared(gpu, name, entry->reserve.len);
	else if (r && (r == &gpu->background || tg_reserve_shared(r)))
		r = NULL;
	/* Rounded down, by less than a reserve of 10 ns a second. */
	share = div64_s64(entry->capacity * TG_SHARE_ALL, entry->period);
	if (!fits(gpu, r, share) || !tg_memory_fits(gpu, client, entry->mem))
		return &gpu->background;
	if (r) {
		set_limits(gpu, r, entry);
	} else {
		r = tg_gpu_take(gpu, TG_POOL_RESERVE);
		tg_reserve_init(r, entry->resv, entry->capacity, entry->period, gpu->now);
		memcpy(r->name, name, entry->reserve.len);
		if (tg_reserve_shared(r))
			list_add(&r->all, &gpu->background.all);
		else
			list_add_tail(&r->all, &gpu->reserves);
	}
	gpu->admitted += share - r->share;
	r->share = share;
	return r;
}

/* ---- what a budget means for jobs that wait --------------------------------------------- */

static bool sooner(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct tg_reserve, ready_node)->ready <
	       rb_entry(b, struct tg_reserve, ready_node)->ready;
}

/*
 * The first throttled job of @r is eligible at @ready: sort the reserve by that, and wake up for
 * it.
 */
static void set_ready(struct tg_gpu *gpu, struct tg_reserve *r, s64 ready)
{
	tg_wake_by(gpu, ready);
	if (!RB_EMPTY_NODE(&r->ready_node)) {
		if (r->ready == ready)
			return;
		rb_erase_cached(&r->ready_node, &gpu->throttled);
	}
	r->ready = ready;
	rb_add_cached(&r->ready_node, &gpu->throttled, sooner);
}

/*
 * The largest prediction among the jobs that wait, which bounds the budget under AE; 0 under PE.
 * Out of line, since a refill is rarely due.
 */
noinline s64 tg_reserve_largest(const struct tg_reserve *r)
{
	const struct tg_job *job;
	s64 x = 0;

	if (r->kind == TG_AE)
		list_for_each_entry(job, &r->waiting, wait)
			x = max(x, job->predicted);
	return x;
}

/*
 * Bring the states of a reserve's waiting jobs in line with its budget, in arrival order. Budget is
 * kept for the first job that cannot go: later jobs wait behind it unless their priority is higher,
 * and those of its channel always do. Else a job with a large x would starve in a shared reserve.
 *
 * Jobs whose client's gate does not stand at ASK are left alone. There is nothing to do for a
 * reserve without a limit that throttles nothing, as Background mostly is.
 */
void tg_reserve_review(struct tg_gpu *gpu, struct tg_reserve *r)
{
	struct tg_job *job, *next;
	s64 least = TG_NEVER;
	int held = -1;

	if ((tg_reserve_unlimited(r) && !r->throttled) || !tg_reserves_hold(gpu))
		return;
	tg_reserve_catch_up(r, gpu->now);
	if (r->kind == TG_PE) {
		bool eligible = tg_reserve_eligible(r, 0);

		if (eligible ? !r->throttled : !r->queued) {
			if (r->throttled)
				set_ready(gpu, r, tg_reserve_ready(r, 0));
			return;
		}
	}
	list_for_each_entry_safe(job, next, &r->waiting, wait) {
		int prio = job->client->prio;

		if (job->client->gate != TG_GATE_ASK)
			continue;
		if (prio > held && tg_reserve_eligible(r, job->predicted)) {
			if (job->state == TG_JOB_THROTTLED)
				tg_job_unthrottle(gpu, job);
			continue;
		}
		if (prio > held) {
			held = prio;
			least = min(least, job->predicted);
		}
		tg_job_throttle(gpu, job);
	}
	if (r->throttled)
		set_ready(gpu, r, tg_reserve_ready(r, least));
}

/* Is a job throttled in @job's reserve that came earlier and has the same or a higher priority? */
static bool behind(const struct tg_job *job)
{
	const struct tg_job *first;

	list_for_each_entry(first, &job->reserve->waiting, wait)
		if (first->state == TG_JOB_THROTTLED && first->client->prio >= job->client->prio)
			return true;
	return false;
}

/*
 * Does its reserve let a fresh job go to the policy? It is the last in the reserve's list. If not,
 * the reserve wakes up in time for it.
 */
bool tg_reserve_passes(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_reserve *r = job->reserve;
	bool last;
	s64 ready;

	tg_reserve_catch_up(r, gpu->now);
	last = r->throttled && behind(job);
	if (!last && tg_reserve_eligible(r, job->predicted))
		return true;
	if (!last) {
		ready = tg_reserve_ready(r, job->predicted);
		if (RB_EMPTY_NODE(&r->ready_node) || ready < r->ready)
			set_ready(gpu, r, ready);
	}
	return false;
}

/* Does a job of another reserve wait in the policy's queue for an engine that @job needs? */
static bool others_wait(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_engine *engine;
	u32 prio, waiting;

	tg_job_for_each_engine(gpu, job, engine) {
		for (waiting = 0, prio = 0; prio <= TG_PRIO_MAX; prio++)
			waiting += engine->in_policy[prio];
		if (waiting > job->reserve->in_policy[engine->index])
			return true;
	}
	return false;
}

/* The job held its slots for @held without having started: its reserve pays, if others waited. */
void tg_reserve_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	struct tg_reserve *r = job->reserve;

	if (!tg_reserves_hold(gpu) || !others_wait(gpu, job))
		return;
	tg_reserve_catch_up(r, gpu->now);
	tg_reserve_charge(r, held);
	tg_reserve_review(gpu, r);
}

/* ---- a job that goes before the core hears of it ----------------------------------------- */

/*
 * AE: the budget that it takes to let one more group of @ch go unread, when @unreported have gone
 * since the last event. -1: the group has to be read; so it is where its engine switches to this
 * channel.
 */
static s64 unread(const struct tg_gpu *gpu, const struct tg_channel *ch, u32 unreported)
{
	const struct tg_history *h = ch->client->history;
	s64 x;

	if (!h || gpu->engine[__builtin_ctz(ch->engines)].last != ch ||
	    !tg_predict_unread(h, unreported, &x))
		return -1;
	return (unreported + 1) * x;
}

bool tg_gpu_may_bypass(const struct tg_gpu *gpu, u32 client, u32 channel, u32 unreported)
{
	const struct tg_channel *ch;
	const struct tg_reserve *r;
	s64 x;

	if (!gpu->policy->may_bypass || gpu->next_policy || gpu->dry)
		return false;
	ch = tg_channel_find(gpu, client, channel);
	if (!ch || ch->client->gate != TG_GATE_ASK)
		return false;
	r = ch->client->reserve;
	x = r->kind == TG_AE ? unread(gpu, ch, unreported) : 0;
	return x >= 0 && !r->throttled && tg_reserve_eligible(r, x) &&
	       gpu->policy->may_bypass(gpu, ch, unreported);
}
