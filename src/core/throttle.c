// SPDX-License-Identifier: GPL-2.0
/*
 * May it go? Which reserve a client consumes from, and what a reserve's budget means for the jobs
 * that wait for it.
 *
 * reserve.c knows the arithmetic of one budget; here it meets clients and jobs. A job whose reserve
 * cannot pay for it is THROTTLED, and no policy sees it. A charge throttles jobs that were QUEUED;
 * a refill returns them to their places.
 *
 * match.c calls the first half when a client gets another line of the spec; job.c, engine.c and
 * gate.c call the second half when a job arrives, or a budget or a gate changes. All of it runs
 * under the GPU's lock.
 */
#include "job.h"
#include "memory.h"
#include "throttle.h"

/* ---- which reserve a client has -------------------------------------------------------- */

static bool named(const struct tg_reserve *r, const char *name, u32 len)
{
	return strlen(r->name) == len && !memcmp(r->name, name, len);
}

/* Does the spec in force speak of this shared reserve? */
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

/* An unused reserve returns to the pool; a shared one only when no spec names it any more. */
void tg_reserve_retire(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r->users || r == &gpu->background || (tg_reserve_shared(r) && in_spec(gpu, r)))
		return;
	list_del_init(&r->all);
	tg_gpu_give(gpu, TG_POOL_RESERVE, r);
}

/* Its share is free for others. */
void tg_reserve_dismiss(struct tg_gpu *gpu, struct tg_reserve *r)
{
	gpu->admitted -= r->share;
	r->share = 0;
}

void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *r)
{
	tg_reserve_dismiss(gpu, r);
	tg_reserve_retire(gpu, r);
}

/* Does a reserve as @entry wants it fit beside the others? @r: if it exists already. */
static bool fits(const struct tg_gpu *gpu, const struct tg_reserve *r, s64 share)
{
	return gpu->admitted - (r ? r->share : 0) + share <= gpu->knob[TG_KNOB_ADMISSION];
}

static struct tg_reserve *find_shared(struct tg_gpu *gpu, const char *name, u32 len)
{
	struct tg_reserve *r;

	list_for_each_entry(r, &gpu->reserves, all)
		if (r != &gpu->background && named(r, name, len))
			return r;
	return NULL;
}

/*
 * The reserve that @entry gives to @client, Background if it does not fit; there is one in the
 * pool if one is needed.
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
		tg_reserve_set(r, entry->resv, entry->capacity, entry->period, gpu->now);
	} else {
		r = tg_gpu_take(gpu, TG_POOL_RESERVE);
		tg_reserve_init(r, entry->resv, entry->capacity, entry->period, gpu->now);
		memcpy(r->name, name, entry->reserve.len);
		list_add_tail(&r->all, &gpu->reserves);
	}
	gpu->admitted += share - r->share;
	r->share = share;
	return r;
}

/* ---- what a budget means for jobs that wait --------------------------------------------- */

/* Put a waiting job into its reserve's list, by arrival; nearly always at the end. */
void tg_reserve_wait(struct tg_reserve *r, struct tg_job *job)
{
	struct list_head *pos = r->waiting.prev;

	while (pos != &r->waiting && list_entry(pos, struct tg_job, wait)->seq > job->seq)
		pos = pos->prev;
	list_add(&job->wait, pos);
}

static bool sooner(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct tg_reserve, ready_node)->ready <
	       rb_entry(b, struct tg_reserve, ready_node)->ready;
}

/* Keep gpu->throttled in step with what the first throttled job of @r needs. */
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
 * AE bounds the budget by the largest prediction that waits; PE does not look. Out of line, since
 * refills are rarely due.
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
 * Bring the states of a reserve's waiting jobs in line with its budget, in arrival order. What is
 * there is saved for the first that cannot go: later ones of its priority, and all of its own
 * channel are, wait behind it. Else one whose x is large would never find it in a reserve that
 * others share. Jobs whose client does not ask are no matter, nor is a reserve without a limit that
 * holds nobody back: mostly that is Background.
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

/* Has one that came earlier, of no lower priority, to wait for its reserve? */
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

/* Does a job wait for an engine of @job's whose reserve is another one? */
static bool others_wait(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_engine *engine;
	u32 prio, waiting;

	tg_job_for_each_engine(gpu, job, engine) {
		for (waiting = 0, prio = 0; prio <= TG_PRIO_MAX; prio++)
			waiting += engine->asked[prio];
		if (waiting > job->reserve->asked[engine->index])
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
