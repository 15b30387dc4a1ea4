// SPDX-License-Identifier: GPL-2.0
/*
 * May it go? What a reserve's budget means for the jobs that wait for it.
 *
 * reserve.c knows the arithmetic of one budget; here it meets clients and jobs. A job whose reserve
 * cannot pay for it is THROTTLED, and no policy sees it. A charge throttles jobs that were QUEUED;
 * a refill returns them to their places. The policy sees the first few jobs of a limited reserve
 * only (TG_RESERVE_WINDOW), so that neither grows with the number of jobs that wait.
 *
 * These are some of each client: else one with a deep queue would hide all others from the policy,
 * which is to choose among them. Of a channel's throttled jobs the first stands in a tree, by
 * priority if the policy goes by it, then by virtual time: what its sharer has had from the
 * reserve, as of when the job became the first. It begins with that of the reserve at least, which
 * grows by what all use, over how many wait; one that has waited behind another keeps what its
 * sharer is behind that, since it was not away. So neither a deep queue nor a new process gets more
 * than its part, and clients share time where the policy sees a few of them only.
 *
 * job.c, engine.c, gate.c and admit.c call this file when a job arrives, or a budget or a gate
 * changes. Hosts call tg_gpu_may_bypass(). All of it runs under the GPU's lock.
 */
#include "admit.h"
#include "client.h"
#include "feed.h"
#include "guarantee.h"
#include "job.h"
#include "table.h"
#include "throttle.h"

/* Throttled jobs that tg_reserve_above() looks at */
#define LARGEST_OF	64

/* By how much a sharer may be behind the reserve's virtual time for what it has used */
#define REPAID	(500 * TG_MSEC)

/* Throttled jobs without room in the policy's queue that let_in() looks behind: all, of a level */
#define LOOK_BEHIND	16
#define LOOK_LEVEL	4

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

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return tg_job_outranks(rb_entry(a, struct tg_job, rank), rb_entry(b, struct tg_job, rank));
}

/* The job at @pos, beside @job on its channel, if that is throttled; else NULL. */
static struct tg_job *throttled_at(const struct tg_job *job, const struct list_head *pos)
{
	struct tg_job *other = list_entry(pos, struct tg_job, sibling);

	return pos != &job->channel->jobs && other->state == TG_JOB_THROTTLED &&
	       other->reserve == job->reserve ? other : NULL;
}

static struct tg_job *throttled_before(const struct tg_job *job)
{
	return throttled_at(job, job->sibling.prev);
}

static struct tg_job *throttled_behind(const struct tg_job *job)
{
	return throttled_at(job, job->sibling.next);
}

/* Is the throttled job the first of its channel? */
static bool is_head(const struct tg_job *job)
{
	return !RB_EMPTY_NODE(&job->rank);
}

static void add_head(struct tg_reserve *r, struct tg_job *job)
{
	rb_add_cached(&job->rank, &r->throttled, before);
	r->heads++;
}

static void remove_head(struct tg_reserve *r, struct tg_job *job)
{
	rb_erase_cached(&job->rank, &r->throttled);
	RB_CLEAR_NODE(&job->rank);
	r->heads--;
}

/*
 * How many channels wait for the reserve of @job, which has just had it, or are @job's? Those that
 * the policy sees count, too: the last job of each, as far as nothing of it is throttled.
 */
u32 tg_reserve_sharers(const struct tg_job *job)
{
	const struct tg_reserve *r = job->reserve;
	const struct tg_job *other;
	u32 n = r->heads + !tg_channel_waits(job->channel), i = 0;

	list_for_each_entry(other, &r->waiting, wait) {
		n += other->sibling.next == &other->channel->jobs;
		if (++i == TG_RESERVE_WINDOW)
			break;
	}
	return max(n, 1u);	/* its channel's next jobs may wait for another reserve */
}

/*
 * The job is the first of its channel that is throttled, or is about to be. @most: what its sharer
 * may be behind the reserve.
 */
static void take_place(const struct tg_reserve *r, struct tg_job *job, s64 most)
{
	struct tg_sharer *sharer = job->client->sharer;
	s64 vt = r->vt;

	if (sharer->reserve == r->serial)
		vt = min(max(sharer->vt, vt - most), vt + REPAID);
	/* Its next one goes behind this one, on whichever channel. */
	sharer->vt = vt + (1 << TG_VT_SHIFT);
	sharer->reserve = r->serial;
	tg_job_set_vt(job, vt);
}

/* The job, in no list, waits THROTTLED. When the reserve is due, the caller's review says. */
void tg_reserve_throttle(struct tg_gpu *gpu, struct tg_reserve *r, struct tg_job *job)
{
	struct tg_job *behind = throttled_behind(job);

	tg_job_set_prio(gpu, job);
	if (behind && is_head(behind))
		remove_head(r, behind);
	if (throttled_before(job))
		RB_CLEAR_NODE(&job->rank);
	else
		add_head(r, job);
	r->nr_throttled++;
	tg_job_count_throttled(gpu, job, 1);
	if (RB_EMPTY_NODE(&r->ready_node))
		set_ready(gpu, r, TG_NEVER);
}

/* The job is THROTTLED no more, and in no list. A reserve without such jobs needs no wake-up. */
void tg_reserve_unthrottle(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_job *behind = throttled_behind(job);
	struct tg_reserve *r = job->reserve;

	if (is_head(job)) {
		remove_head(r, job);
		if (behind && !is_head(behind)) {
			take_place(r, behind, TG_COME_WITHIN);
			add_head(r, behind);
		}
	}
	INIT_LIST_HEAD(&job->wait);
	INIT_LIST_HEAD(&job->link);
	tg_job_count_throttled(gpu, job, -1);
	if (--r->nr_throttled == 0 && !RB_EMPTY_NODE(&r->ready_node)) {
		rb_erase_cached(&r->ready_node, &gpu->throttled);
		RB_CLEAR_NODE(&r->ready_node);
	}
}

/* The throttled job that goes next; NULL: there is none. */
static struct tg_job *first_throttled(const struct tg_reserve *r)
{
	struct rb_node *node = rb_first_cached(&r->throttled);

	return node ? rb_entry(node, struct tg_job, rank) : NULL;
}

/*
 * By how much the bound of the budget is above C: under AE by the largest prediction among the jobs
 * that wait, or that came lately; of a guaranteed reserve by what may be late. 0 under PE. Of the
 * throttled jobs, the first LARGEST_OF count. Out of line, since a refill is rarely due.
 */
noinline s64 tg_reserve_above(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	const bool faithful = gpu->knob[TG_KNOB_AE_FAITHFUL];
	struct rb_node *node = rb_first_cached(&r->throttled);
	const struct tg_job *job;
	s64 x = 0;
	u32 i;

	/* Jobs that hold their slots beyond stall_us without a start: the budget does not grow. */
	if (r->kind == TG_CBS && r->inflight && !r->busy &&
	    gpu->now - r->held >= gpu->knob[TG_KNOB_STALL])
		return max(r->budget - r->capacity, (s64)0);
	if (r->kind == TG_CBS && tg_guarantee_backlog(gpu, r))
		return max(r->capacity, r->costliest);
	if (r->kind != TG_AE)
		return 0;
	list_for_each_entry(job, &r->waiting, wait)
		x = max(x, job->predicted);
	for (i = 0; i < LARGEST_OF && node; i++, node = rb_next(node))
		x = max(x, rb_entry(node, struct tg_job, rank)->predicted);
	return faithful ? max(x - r->capacity, (s64)0) : max(x, r->costliest);
}

/* The policy is to see it no more. What is taken back is not to be made up for at once. */
static void take_back(struct tg_gpu *gpu, struct tg_job *job)
{
	if (gpu->moved < TG_RESERVE_MOVES)
		gpu->moved++;
	tg_job_throttle(gpu, job);
}

/*
 * The policy sees more jobs of @r than it may, since the reserve has just got its limit: throttle
 * some, the latest first; one at least. Return: there are more.
 */
static bool thin_out(struct tg_gpu *gpu, struct tg_reserve *r)
{
	struct tg_job *job;
	bool first = true;

	while (r->queued > TG_RESERVE_WINDOW && (first || gpu->moved < TG_RESERVE_MOVES)) {
		job = list_entry(r->waiting.prev, struct tg_job, wait);
		if (!job->in_policy)
			return r->nr_throttled;	/* its client has yet to join */
		first = false;
		take_back(gpu, job);
	}
	return r->queued > TG_RESERVE_WINDOW;
}

/* AE keeps budget for @first, which waits: jobs that it outranks wait, too. */
static void hold_behind(struct tg_gpu *gpu, struct tg_reserve *r, const struct tg_job *first)
{
	struct tg_job *job, *next;

	if (r->kind != TG_AE)
		return;
	list_for_each_entry_safe(job, next, &r->waiting, wait)
		if (job->in_policy && tg_job_outranks(first, job))
			take_back(gpu, job);
}

/*
 * Throttle the jobs in the policy's queue that cannot go any more: but for AE all or none. Under AE
 * those behind one that cannot are among them.
 */
static void hold_back(struct tg_gpu *gpu, struct tg_reserve *r)
{
	struct tg_job *job, *next, *first = NULL;

	if (!r->queued || (r->kind != TG_AE && tg_reserve_eligible(r, 0)))
		return;
	list_for_each_entry_safe(job, next, &r->waiting, wait) {
		if (!job->in_policy || tg_reserve_eligible(r, job->predicted))
			continue;
		if (!first || tg_job_outranks(job, first))
			first = job;
		take_back(gpu, job);
	}
	if (first)
		hold_behind(gpu, r, first);
}

/*
 * How many other jobs of its client in @r are QUEUED? @last: of those of lower priority in the
 * policy's queue, the one that goes last; NULL: there is none.
 */
static u32 shown_beside(const struct tg_reserve *r, const struct tg_job *job, struct tg_job **last)
{
	struct tg_job *other;
	u32 n = 0;

	*last = NULL;
	list_for_each_entry(other, &r->waiting, wait) {
		n += other != job && other->client == job->client;
		if (other->in_policy && other->prio < job->prio &&
		    (!*last || tg_job_outranks(*last, other)))
			*last = other;
	}
	return n;
}

/* NO_ROOM: for jobs of its client. FULL: for any job of its priority, or of a lower one. */
enum room { ROOM, NO_ROOM, FULL };

/*
 * Make room for @job in the policy's queue: if that has as many jobs of @r as it may, the last of
 * them is throttled, if its priority is lower.
 */
static enum room make_room(struct tg_gpu *gpu, struct tg_reserve *r, const struct tg_job *job)
{
	struct tg_job *last;
	u32 own;

	if (tg_reserve_unlimited(r) || r->queued < TG_RESERVE_MOVES ||
	    !r->in_policy[__builtin_ctz(job->engines)])
		return ROOM;
	own = shown_beside(r, job, &last);
	if (r->queued >= TG_RESERVE_WINDOW && !last)
		return FULL;
	if (r->queued < TG_RESERVE_WINDOW && !own)
		return ROOM;
	if (own >= TG_RESERVE_MOVES || !last)
		return NO_ROOM;
	tg_job_throttle(gpu, last);
	return ROOM;
}

/* The first throttled job whose priority is below @prio. */
static struct rb_node *first_below(const struct tg_reserve *r, u32 prio)
{
	struct rb_node *node = r->throttled.rb_root.rb_node, *first = NULL;

	while (node) {
		if (rb_entry(node, struct tg_job, rank)->prio < prio) {
			first = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return first;
}

/*
 * Give the policy the throttled jobs that can go, in their order; one for which it has no room lets
 * those of other clients pass, and a few of them those of lower priorities: not all policies go by
 * it. Return: the first that cannot go; NULL: there is none, or the rest has to wait for another
 * reason, and the reserve is due for it.
 */
static struct tg_job *let_in(struct tg_gpu *gpu, struct tg_reserve *r)
{
	u32 passed = 0, level = 0, prio = 0;
	struct rb_node *node, *next;
	struct tg_job *job, *behind;
	enum room room;

	for (node = rb_first_cached(&r->throttled); node && passed < LOOK_BEHIND; node = next) {
		job = rb_entry(node, struct tg_job, rank);
		level = job->prio == prio ? level : 0;
		prio = job->prio;
		if (!tg_reserve_eligible(r, job->predicted))
			return job;
		if (gpu->moved >= TG_RESERVE_MOVES || gpu->visited > TG_VISITS) {
			hold_behind(gpu, r, job);
			set_ready(gpu, r, tg_after(gpu->now, TG_PAUSE));
			return NULL;
		}
		room = make_room(gpu, r, job);
		if (room == FULL && gpu->nr_engines == 1)
			break;
		next = rb_next(node);	/* now: what had to make room is behind it */
		if (room != ROOM) {
			passed++;
			if (++level == LOOK_LEVEL)
				next = first_below(r, prio);
			continue;
		}
		gpu->moved++;
		behind = throttled_behind(job);
		tg_job_unthrottle(gpu, job);
		/* The next of its channel may be in the tree now, behind where this one was. */
		if (behind && (!next ||
			       tg_job_outranks(behind, rb_entry(next, struct tg_job, rank))))
			next = &behind->rank;
	}
	if (r->nr_throttled)
		set_ready(gpu, r, TG_NEVER);
	return NULL;
}

/*
 * Bring the states of a reserve's waiting jobs in line with its budget. Those in the policy's queue
 * are the first of them, as far as there is room. Budget is kept for the first job that cannot go,
 * and all behind it wait, whatever they cost. Else a job with a large x would starve in a shared
 * reserve.
 *
 * One event lets in at most TG_RESERVE_MOVES jobs, of all reserves; if there are more, the next
 * event comes soon. Jobs whose client's gate does not stand at ASK are left alone. There is
 * nothing to do for a reserve without a limit that throttles nothing, as Background mostly is.
 */
void tg_reserve_review(struct tg_gpu *gpu, struct tg_reserve *r)
{
	struct tg_job *first;

	if ((tg_reserve_unlimited(r) && !r->nr_throttled) || !tg_reserves_hold(gpu))
		return;
	tg_reserve_catch_up(gpu, r, gpu->now);
	if (!tg_reserve_unlimited(r) && thin_out(gpu, r)) {
		set_ready(gpu, r, tg_after(gpu->now, TG_PAUSE));
		return;
	}
	hold_back(gpu, r);
	first = let_in(gpu, r);
	if (!first)
		return;
	hold_behind(gpu, r, first);
	set_ready(gpu, r, tg_reserve_ready(r, first->predicted));
}

/*
 * May @job, whose channel has no job that is throttled, pass @first, which goes before it? It may
 * where @first has no room in the policy's queue, and that has nothing of @job's client: else the
 * client would wait for one of another's jobs to go, maybe on another engine.
 */
static bool passes_by(const struct tg_reserve *r, const struct tg_job *first,
		      const struct tg_job *job)
{
	struct tg_job *last;

	return r->ready == TG_NEVER && tg_reserve_eligible(r, first->predicted) &&
	       !shown_beside(r, job, &last);
}

/*
 * Does its reserve let a fresh job go to the policy? If not, the reserve wakes up in time for it.
 */
bool tg_reserve_passes(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_reserve *r = job->reserve;
	const struct tg_job *first;
	s64 ready = TG_NEVER;

	tg_reserve_catch_up(gpu, r, gpu->now);
	if (throttled_before(job))
		return false;
	if (r->heads) {
		take_place(r, job, 0);
		first = first_throttled(r);
		if (tg_job_outranks(first, job) && !passes_by(r, first, job))
			return false;
	}
	if (!tg_reserve_eligible(r, job->predicted))
		ready = tg_reserve_ready(r, job->predicted);
	else if (make_room(gpu, r, job) == ROOM)
		return true;
	if (!r->heads)
		take_place(r, job, 0);
	if (RB_EMPTY_NODE(&r->ready_node) || ready < r->ready)
		set_ready(gpu, r, ready);
	return false;
}

/* Does a job of another reserve wait in the policy's queue for an engine that @job needs? */
static bool others_wait(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_engine *engine;
	u32 prio, waiting;

	tg_job_for_each_engine(gpu, job, engine) {
		for (waiting = 0, prio = 0; prio < TG_LEVELS; prio++)
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
	tg_reserve_catch_up(gpu, r, gpu->now);
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

	if (!gpu->policy->may_bypass || gpu->handover || gpu->dry)
		return false;
	ch = tg_channel_find(gpu, client, channel);
	if (!ch || ch->client->gate != TG_GATE_ASK)
		return false;
	r = ch->client->reserve;
	x = r->kind == TG_AE ? unread(gpu, ch, unreported) : 0;
	/*
	 * A guaranteed reserve's deadline depends on when its job comes. Under a limit, jobs of the
	 * reserve that are queued may have to make room for it.
	 */
	return r->kind != TG_CBS && x >= 0 && !r->nr_throttled && tg_reserve_eligible(r, x) &&
	       (tg_reserve_unlimited(r) || !r->queued) &&
	       gpu->policy->may_bypass(gpu, ch, unreported);
}

/* ---- what a job will cost its reserve --------------------------------------------------- */

/* AE: predict what the job will cost. Its x bounds only refills from now on. */
void tg_job_predict(struct tg_gpu *gpu, struct tg_job *job, const struct tg_key *key)
{
	struct tg_client *client = job->client;

	if (!client->history)
		client->history = tg_history_new(gpu);
	tg_reserve_catch_up(gpu, job->reserve, gpu->now);
	if (!client->history)
		return;
	job->switched = tg_job_engine(gpu, job)->last != job->channel;
	job->predicted = tg_predict(gpu, client->history, key, job->switched, &job->cost);
}

void tg_job_forget_cost(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->cost)
		tg_predict_drop(gpu, job->client->history, job->cost);
	job->cost = NULL;
	job->predicted = 0;
}

/* The job's reserve is @reserve from now on. The caller reviews both afterwards. */
void tg_job_settle_in(struct tg_gpu *gpu, struct tg_job *job, struct tg_reserve *reserve)
{
	struct tg_reserve *old = job->reserve;

	if (reserve != old) {
		job->reserve = reserve;
		reserve->users++;
		if (reserve->kind != TG_AE)
			tg_job_forget_cost(gpu, job);
		else if (!job->cost && job->client->history)	/* only SUBMIT makes one */
			tg_job_predict(gpu, job, NULL);
		tg_reserve_put(gpu, old);
		tg_guarantee_comes(gpu, job);
		tg_job_set_vt(job, reserve->vt);
	}
	tg_reserve_throttle(gpu, reserve, job);
}
