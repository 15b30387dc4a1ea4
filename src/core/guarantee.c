// SPDX-License-Identifier: GPL-2.0
/*
 * Guaranteed reserves (TG_CBS): admission, and the clients that break what was promised.
 *
 * A group is not preempted, so one of L may be in the way of each deadline. Guaranteed reserves are
 * admitted as long as sum(C/T) + L/T_min <= 1: L is max_group_us, or the longest group that was
 * measured. With max_group_us, a group that runs for longer than L breaks the guarantee; with the
 * measured L, one that makes the sum larger than 1. It delays a guaranteed reserve once, by its own
 * length. From then on its client goes after all others, and only while no guaranteed reserve is
 * active (tg_gpu.guarded): for LAPSE, until a spec comes to it, or until no guarantee is left.
 *
 * A time that may be another group's blames nobody (alone_on()). One that the GPU has not written
 * itself may be of a host that stood still: it takes two of them within LAPSE.
 *
 * tg_gpu.guarantees has the reserves of this edition, by period, for T_min. A new edition begins
 * with an empty tree; nodes of the old one are not looked at again.
 *
 * admit.c calls this file when it admits a reserve, job.c when a job comes and when it has run;
 * under the GPU's lock. reserve.c has the arithmetic, tg/reserve.h the formulas.
 */
#include "admit.h"
#include "client.h"
#include "engine.h"
#include "feed.h"
#include "guarantee.h"
#include "job.h"
#include "match.h"
#include "throttle.h"
#include "vgpu.h"

#define LAPSE	(10 * TG_SEC)	/* so long after its latest long group a client is blamed */

static struct tg_reserve *of_node(const struct rb_node *node)
{
	return rb_entry(node, struct tg_reserve, guarantee);
}

static bool shorter(struct rb_node *a, const struct rb_node *b)
{
	return of_node(a)->period < of_node(b)->period;
}

/* T_min without @r; TG_NEVER: there is no other. */
static s64 shortest(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	struct rb_node *node = rb_first_cached(&gpu->guarantees);

	if (node && of_node(node) == r)
		node = rb_next(node);
	return node ? of_node(node)->period : TG_NEVER;
}

/* The longest group that leaves reserves of that sum and T_min whole. */
static s64 bearable(s64 share, s64 period)
{
	if (period == TG_NEVER)
		return TG_NEVER;
	return share > TG_SHARE_ALL ? -1 : div64_s64(period * (TG_SHARE_ALL - share), TG_SHARE_ALL);
}

/*
 * Does the guaranteed reserve of @entry fit beside those that are admitted? @r: that reserve, if it
 * exists: what it has goes. @why: the sum, or NULL.
 */
bool tg_guarantee_fits(const struct tg_gpu *gpu, const struct tg_reserve *r,
		       const struct tg_spec_entry *entry, struct tg_refusal *why)
{
	const s64 others = gpu->guaranteed - (r && tg_guaranteed(gpu, r) ? r->share : 0);
	const s64 longest = gpu->knob[TG_KNOB_MAX_GROUP] ?: gpu->longest;
	const s64 period = min(shortest(gpu, r), entry->period);

	if (why)
		*why = (struct tg_refusal){
			.others = others, .capacity = entry->capacity, .period = entry->period,
			.longest = longest, .shortest = period,
		};
	return longest <= bearable(others + tg_share(entry->capacity, entry->period), period);
}

bool tg_gpu_refusal(const struct tg_gpu *gpu, u32 id, struct tg_refusal *why)
{
	const struct tg_client *client = tg_gpu_client(gpu, id);
	const struct tg_spec_entry *entry = client ? tg_match_entry(gpu, client->id_data) : NULL;

	const struct tg_reserve *r;

	if (!entry || entry->resv != TG_CBS)
		return false;
	r = entry->reserve.len ? tg_reserve_named(gpu, entry) : NULL;
	return !tg_guarantee_stays(gpu, r, entry) && !tg_guarantee_fits(gpu, r, entry, why);
}

bool tg_guarantee_stays(const struct tg_gpu *gpu, const struct tg_reserve *r,
			const struct tg_spec_entry *entry)
{
	return r && tg_guaranteed(gpu, r) && r->capacity == entry->capacity &&
	       r->period == entry->period;
}

/* @r has been admitted, with its share and edition. */
void tg_guarantee_begin(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r->kind != TG_CBS)
		return;
	r->guaranteed = true;
	gpu->guaranteed += r->share;
	rb_add_cached(&r->guarantee, &gpu->guarantees, shorter);
}

/* Look then at the latest whether blame is over. */
static void look_at(struct tg_gpu *gpu, s64 at)
{
	gpu->lapse = min(gpu->lapse, at);
	tg_wake_by(gpu, gpu->lapse);
}

/* It is admitted no more, or its C, T or kind are about to change. */
void tg_guarantee_end(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (tg_guaranteed(gpu, r)) {
		gpu->guaranteed -= r->share;
		rb_erase_cached(&r->guarantee, &gpu->guarantees);
	}
	r->guaranteed = false;
	if (gpu->lapse != TG_NEVER && !tg_gpu_guards(gpu))
		look_at(gpu, tg_after(gpu->now, TG_PAUSE));
}

/* A new edition of the spec: all are to be admitted anew. */
void tg_guarantees_void(struct tg_gpu *gpu)
{
	gpu->guaranteed = 0;
	gpu->guarantees = RB_ROOT_CACHED;
}

/* A guaranteed reserve is active for a period from now, or from when it may go again. */
static void set_active(struct tg_gpu *gpu, const struct tg_reserve *r)
{
	const s64 from = r->budget > 0 ? gpu->now : tg_reserve_ready(r, 0);
	const s64 most = tg_after(gpu->now, gpu->knob[TG_KNOB_STARVED] / 2);

	gpu->guarded = max(gpu->guarded, min(tg_after(from, r->period), most));
}

/*
 * How long the GPU has idled since the reserve's latest group; -1: other groups have run, or run,
 * or for longer than TG_RESERVE_GAP.
 */
static s64 idled(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	const s64 gap = gpu->now - r->left;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].inflight || gpu->engine[i].last_done > r->left)
			return -1;
	return r->left >= 0 && gap <= TG_RESERVE_GAP ? gap : -1;
}

/* No other guarantee is admitted: there is none that one could break. */
static bool alone(const struct tg_gpu *gpu)
{
	return tg_gpu_guards(gpu) && !rb_next(rb_first_cached(&gpu->guarantees));
}

bool tg_guarantee_backlog(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	return !tg_reserve_idle(r) ||
	       (r->left >= 0 && gpu->now - r->left <= TG_RESERVE_GAP && alone(gpu));
}

void tg_guarantee_job(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_reserve *r = job->reserve;

	tg_reserve_catch_up(gpu, r, gpu->now);
	if (!tg_guarantee_backlog(gpu, r))
		tg_reserve_wake(r, idled(gpu, r), gpu->now);
	/* Not for one that is exhausted: it may keep coming, and engines may not idle for that. */
	if (job->client->tier == TG_TIER_FIRST && r->budget > 0)
		set_active(gpu, r);
}

/*
 * An engine idles between the pick of a group and its start, since nothing goes beside it. With
 * short groups that is most of the time: the reserve pays for it while others wait.
 */
void tg_guarantee_held(struct tg_gpu *gpu, struct tg_job *job, s64 until)
{
	const struct tg_engine *engine = tg_job_engine(gpu, job);
	const s64 from = max(job->since, engine->last_done);

	if (gpu->policy->guarantees && list_empty(&engine->busy) && from < until)
		tg_reserve_held(gpu, job, until - from);
}

/* The longest group that breaks no guarantee. */
static s64 allowed(const struct tg_gpu *gpu)
{
	if (!tg_gpu_guards(gpu))
		return TG_NEVER;
	return gpu->knob[TG_KNOB_MAX_GROUP] ?: bearable(gpu->guaranteed, shortest(gpu, NULL));
}

/*
 * Was that time all the job's own? Not where its engine is wedged, or where another group was on
 * the engine meanwhile, or may have been: one that has lost its slot, or is lost.
 */
static bool alone_on(struct tg_gpu *gpu, const struct tg_job *job)
{
	const struct tg_engine *engine = tg_job_engine(gpu, job);
	const bool lost = job->state == TG_JOB_LOST;

	if (engine->wedged || job->since < engine->last_done || !list_empty(&gpu->overlaps))
		return false;
	/* The job itself is in one of the two lists. */
	return lost ? list_empty(&engine->busy) && gpu->lost.next == gpu->lost.prev :
		      list_empty(&gpu->lost) && engine->busy.next == engine->busy.prev;
}

/* How long ago the client's latest group was that was too long; TG_NEVER: there is none. */
static s64 since_long(const struct tg_gpu *gpu, const struct tg_client *client)
{
	const s64 at = client->sharer->long_at;

	return at ? gpu->now - at : TG_NEVER;
}

s64 tg_gpu_overlong(const struct tg_gpu *gpu, s64 *longest)
{
	*longest = allowed(gpu);
	return gpu->overlong;
}

/* The job ran longer than guarantees allow, for @used; @sure: no other cause is possible. */
static void blame(struct tg_gpu *gpu, struct tg_job *job, s64 used, bool sure)
{
	struct tg_client *client = job->client;
	const bool again = since_long(gpu, client) < LAPSE;

	client->sharer->long_at = gpu->now ?: 1;
	if (client->overlong || !(sure || again))
		return;
	client->overlong = 1;
	gpu->overlong = used;
	look_at(gpu, tg_after(gpu->now, LAPSE));
	tg_emit(gpu, TG_ACT_NOTE, client, job, TG_NOTE_OVERLONG);
	tg_jobs_place(gpu, client, TG_TIER_LAST, client->prio, tg_vgpu_now(gpu, client));
	tg_engines_watch(gpu);	/* others may outrank it now */
}

bool tg_blame_over(struct tg_gpu *gpu, const struct tg_client *client)
{
	if (!client->overlong)
		return false;
	if (!tg_gpu_guards(gpu) || since_long(gpu, client) >= LAPSE)
		return true;
	look_at(gpu, tg_after(gpu->now, LAPSE - since_long(gpu, client)));
	return false;
}

void tg_blames_lapse(struct tg_gpu *gpu)
{
	if (gpu->now < gpu->lapse)
		return;
	gpu->lapse = TG_NEVER;
	tg_clients_walk(gpu);
}

/* What breaks a guarantee does not count towards @longest: else it would end at the next spec. */
void tg_guarantee_measure(struct tg_gpu *gpu, struct tg_job *job, s64 used, bool sure)
{
	const s64 longest_allowed = allowed(gpu);
	struct tg_client *client = job->client;
	struct tg_reserve *r = job->reserve;

	if (r->kind == TG_CBS) {
		tg_reserve_expect(r, min(used, longest_allowed));
		r->left = gpu->now;
	}
	if (!gpu->policy->guarantees || used <= longest_allowed) {
		if (job->state != TG_JOB_LOST)
			gpu->longest = max(gpu->longest, used);
	} else if (!tg_client_is_kernel(client) && alone_on(gpu, job)) {
		blame(gpu, job, used, sure);
	}
	if (client->tier == TG_TIER_FIRST)
		set_active(gpu, r);
}

/* For tg_gpu_check(). */
const char *tg_guarantees_check(const struct tg_gpu *gpu)
{
	const struct tg_reserve *r;
	struct rb_node *node;
	s64 sum = 0, last = 0;
	u32 nr = 0;

	list_for_each_entry(r, &gpu->reserves, all) {
		if (tg_guaranteed(gpu, r) != (r->kind == TG_CBS && tg_reserve_share(gpu, r)))
			return "a guarantee is admitted and not in the tree, or it is not and is";
		nr += tg_guaranteed(gpu, r);
	}
	for (node = rb_first_cached(&gpu->guarantees); node; node = rb_next(node), nr--) {
		r = of_node(node);
		if (r->period < last || r->capacity >= r->period)
			return "guaranteed reserves are out of order, or one is unlimited";
		last = r->period;
		sum += r->share;
	}
	return nr || sum != gpu->guaranteed || sum > TG_SHARE_ALL ?
	       "the GPU counts the guaranteed shares wrongly" : NULL;
}
