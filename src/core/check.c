// SPDX-License-Identifier: GPL-2.0
/*
 * The core's own check of its invariants: each broken one is an English sentence.
 *
 * Tests, the simulator and the fuzzers call tg_gpu_check() after events, under the GPU's lock. It
 * only reads. What can be counted by a walk over all objects is held against the counters and lists
 * that the core keeps.
 */
#include <tg/dry.h>
#include "admit.h"
#include "engine.h"
#include "feed.h"
#include "guarantee.h"
#include "job.h"
#include "match.h"
#include "memory.h"
#include "share.h"
#include "table.h"
#include "throttle.h"
#include "vgpu.h"

/* What one walk over all objects counts, to be held against the counters. */
struct census {
	u32 inflight[TG_ENGINES_MAX], queued[TG_ENGINES_MAX], busy[TG_ENGINES_MAX];
	u32 throttled[TG_ENGINES_MAX], freed[TG_ENGINES_MAX];
	u32 overlaps, lost, syncing, unsent, syncs_sent, open, clients, stale, processes;
	u32 members[TG_VGPUS_MAX + 1], gone[TG_VGPUS_MAX + 1];
	bool ahead;	/* match.c's walk has yet to come to the clients that follow */
};

/* Has the change of policy that is under way yet to come to this client? */
static bool awaits_turn(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return gpu->handover == TG_HANDOVER_HOLD ? client->gate != TG_GATE_HOLD :
	       gpu->handover == TG_HANDOVER_JOIN && !tg_client_joined(gpu, client);
}

static const char *check_job(const struct tg_gpu *gpu, const struct tg_job *job,
			     struct census *n, u32 *slots)
{
	u32 i;

	if (tg_job_find(gpu, job->id) != job)
		return "a job is not in the table";
	if (job->slot && job->state != TG_JOB_FREED && job->state != TG_JOB_BUSY)
		return "a job that is not in flight holds a slot";
	if (tg_job_waits(job) && job->client->gate < TG_GATE_ASK &&
	    (job->client->gate_sent || !job->client->unsent))
		return "a job waits though its client's gate lets it go";
	if (job->state == TG_JOB_THROTTLED && !tg_reserve_decides(gpu, job->client) &&
	    !awaits_turn(gpu, job->client))
		return "a job is throttled though no reserve is asked";
	if (job->in_policy != (job->state == TG_JOB_QUEUED && job->client->gate == TG_GATE_ASK) &&
	    !awaits_turn(gpu, job->client))
		return "a job is in the policy's queue and must not be, or the other way round";
	*slots += job->slot;
	n->freed[__builtin_ctz(job->engines)] += job->state == TG_JOB_FREED && job->slot;
	n->overlaps += job->state == TG_JOB_FREED && !job->slot;
	n->lost += job->state == TG_JOB_LOST;
	n->busy[__builtin_ctz(job->engines)] += job->state == TG_JOB_BUSY;
	for (i = 0; i < gpu->nr_engines; i++) {
		n->inflight[i] += job->slot && job->engines & 1 << i;
		n->throttled[i] += job->state == TG_JOB_THROTTLED && job->engines & 1 << i;
		n->queued[i] += job->state == TG_JOB_QUEUED && job->engines & 1 << i;
	}
	return NULL;
}

/*
 * The policy sees more jobs of @r than it may, since @r has just got its limit, or clients have yet
 * to join; the reserve is due at once, and puts that right in steps.
 */
static bool thins_out(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	return r->queued > TG_RESERVE_WINDOW && r->nr_throttled &&
	       r->ready <= tg_after(gpu->now, TG_PAUSE);
}

/* How many jobs are throttled from this one on, the first of its channel that is? */
static u32 chain(const struct tg_job *first)
{
	const struct list_head *pos;
	const struct tg_job *job;
	u32 n = 0;

	for (pos = &first->sibling; pos != &first->channel->jobs; pos = pos->next, n++) {
		job = list_entry(pos, struct tg_job, sibling);
		if (job->state != TG_JOB_THROTTLED || job->reserve != first->reserve ||
		    (n && !RB_EMPTY_NODE(&job->rank)))
			break;
	}
	return n;
}

static const char *check_reserve(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	u32 in_policy[TG_ENGINES_MAX] = { }, first[TG_ENGINES_MAX] = { };
	u32 queued = 0, throttled = 0, heads = 0, shown = 0, i, here;
	const struct tg_job *job, *last = NULL;
	struct rb_node *node;

	list_for_each_entry(job, &r->waiting, wait) {
		if (job->state != TG_JOB_QUEUED || job->reserve != r)
			return "a reserve lists a job that does not wait for it";
		queued++;
		shown += job->in_policy;
		for (i = 0; i < gpu->nr_engines; i++) {
			here = job->in_policy && job->engines & 1 << i;
			in_policy[i] += here;
			first[i] += here && job->client->tier == TG_TIER_FIRST;
		}
		if (r->kind != TG_AE && job->in_policy && tg_reserves_hold(gpu) &&
		    !thins_out(gpu, r) && !tg_reserve_eligible(r, 0))
			return "a job is queued though its reserve is exhausted";
	}
	for (node = rb_first_cached(&r->throttled); node; node = rb_next(node)) {
		job = rb_entry(node, struct tg_job, rank);
		if (job->state != TG_JOB_THROTTLED || job->reserve != r)
			return "a reserve throttles a job that does not wait for it";
		if (last && !tg_job_outranks(last, job))
			return "a reserve's throttled jobs are out of order";
		last = job;
		heads++;
		throttled += chain(job);
	}
	if (heads != r->heads)
		return "a reserve counts its channels with throttled jobs wrongly";
	if (throttled && !tg_reserve_unlimited(r) && tg_reserves_hold(gpu) &&
	    shown > TG_RESERVE_WINDOW + TG_ENGINES_MAX - 1 && !thins_out(gpu, r))
		return "the policy sees too many jobs of a reserve";
	if (tg_reserve_share(gpu, r) && (!r->users || r == &gpu->background))
		return "a reserve that nobody uses is admitted, or Background is";
	if (queued != r->queued || throttled != r->nr_throttled ||
	    memcmp(in_policy, r->in_policy, sizeof(in_policy)) ||
	    memcmp(first, r->first, sizeof(first)))
		return "a reserve counts its waiting jobs wrongly";
	if (!r->nr_throttled != RB_EMPTY_NODE(&r->ready_node))
		return "a reserve with throttled jobs is not due, or one without is";
	return NULL;
}

static noinline u32 length(const struct list_head *list)
{
	const struct list_head *pos;
	u32 n = 0;

	for (pos = list->next; pos != list; pos = pos->next)
		n++;
	return n;
}

/* A channel of @client and its jobs; *@slots grows by those that hold slots. */
static const char *check_channel(const struct tg_gpu *gpu, const struct tg_client *client,
				 const struct tg_channel *ch, struct census *n, u32 *slots)
{
	const struct tg_job *job;
	const char *wrong;
	bool waits = false, throttled = false;

	if (ch->client != client)
		return "a channel belongs to another client";
	if (ch->left && list_empty(&ch->jobs))
		return "a channel that has left stays";
	list_for_each_entry(job, &ch->jobs, sibling) {
		if (waits && !tg_job_waits(job))
			return "a job has gone before one of its channel that came first";
		waits = tg_job_waits(job);
		if (throttled && job->in_policy && tg_reserves_hold(gpu))
			return "the policy sees a job before one of its channel that came first";
		throttled |= job->state == TG_JOB_THROTTLED;
		wrong = job->client != client || job->channel != ch ?
			"a job belongs to another client" : check_job(gpu, job, n, slots);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static bool left(const struct tg_gpu *gpu, const struct tg_client *client)
{
	u32 i;

	for (i = 0; i < gpu->nr_left; i++)
		if (gpu->left[i].client == client)
			return true;
	return false;
}

/* Clients whose priority follows their process's are counted. Out of line, as check_client(). */
static noinline const char *check_nice(const struct tg_gpu *gpu)
{
	const struct tg_client *client;
	u32 nice = 0;

	list_for_each_entry(client, &gpu->all_clients, all) {
		if (client->nice && (client->agpa || tg_client_by_hand(gpu, client)))
			return "a client's priority follows two things";
		nice += client->nice;
	}
	return nice == gpu->nice ? NULL : "those that follow their nice value are counted wrongly";
}

/* A client that has left has only channels that have left. */
static const char *check_left(const struct tg_gpu *gpu)
{
	const struct tg_channel *ch;
	u32 i, away = 0;

	if (gpu->nr_left > TG_LEFT)
		return "more clients have left than there is room for";
	for (i = 0; i < gpu->nr_left; i++) {
		ch = gpu->left[i].client->channels;
		if (gpu->left[i].away != !ch)
			return "a client that has left has jobs, or none, and that is not known";
		away += !ch;
		for (; ch; ch = ch->next)
			if (!ch->left)
				return "a client that has left has a channel";
	}
	return away == gpu->nr_away ? NULL : "those that have left are counted wrongly";
}

/* Out of line, as check_memory() and check_reserves(): see there. */
static noinline const char *check_client(const struct tg_gpu *gpu, const struct tg_client *client,
					 struct census *n)
{
	const bool last = client->tier == TG_TIER_LAST, first = client->tier == TG_TIER_FIRST;
	const struct tg_channel *ch;
	const char *wrong;
	bool in_front, rest = false;
	u32 slots = 0;

	n->clients++;
	n->stale += tg_client_stale(gpu, client);
	if ((s64)client->stats.gpu_time < 0)
		return "a client has used less than nothing";
	if (client->overlong != last)
		return "a client goes last and is not blamed, or the other way round";
	if (!tg_client_stale(gpu, client) && !last &&
	    first != tg_guaranteed(gpu, client->reserve))
		return "a client goes first without a guarantee, or does not with one";
	n->members[client->vgpu]++;
	n->gone[client->vgpu] += tg_vgpu_gone(gpu, client);
	if (tg_vgpu_now(gpu, client) && !gpu->vgpu[client->vgpu].name[0])
		return "a client belongs to a virtual GPU that is not there";
	n->ahead |= client == gpu->rematching;
	if (!n->ahead && tg_client_stale(gpu, client))
		return "the spec in force does not come to a client";
	if (!n->ahead && tg_vgpu_gone(gpu, client))
		return "a client stays in the place of a virtual GPU that has been removed";
	in_front = gpu->foreground && client->id_data->pid == gpu->foreground;
	if (!n->ahead && client->agpa &&
	    client->prio != (in_front ? TG_PRIO_FOREGROUND : TG_PRIO_AGPA))
		return "a client that follows the foreground window has not heard of it";
	n->syncing += client->syncing;
	n->unsent += client->unsent;
	n->syncs_sent += client->sync_sent;
	n->open += client->gate == TG_GATE_OPEN;
	if (client->gate == TG_GATE_OPEN && !client->opened)
		return "a client's gate is open, and that is not known";
	if (client->gate_sent && client->syncing != client->sync_sent)
		return "a client owes an IDLE and the host was not asked, or the other way round";
	if (!client->gate_sent && !client->unsent && !awaits_turn(gpu, client))
		return "nobody is to tell the host of a client's gate";
	if (gpu->handover == TG_HANDOVER_DRAIN &&
	    (client->gate != TG_GATE_HOLD || !client->gate_sent))
		return "a client's gate is not held in a drain";
	if (tg_gpu_client(gpu, client->id) != client)
		return "a client is not in the table";
	if (!client->channels && !left(gpu, client))
		return "a client without channels stays, and is not among those that have left";
	wrong = tg_share_check(gpu, client);
	if (wrong)
		return wrong;
	n->processes += client->sharer->by == TG_BY_PROCESS;
	for (ch = client->channels; ch; ch = ch->next) {
		if (rest && tg_channel_waits(ch))
			return "a channel that waits is behind one that does not";
		rest = !tg_channel_waits(ch);
		wrong = check_channel(gpu, client, ch, n, &slots);
		if (wrong)
			return wrong;
	}
	return slots == client->inflight ? NULL :
	       "a client counts its jobs in flight wrongly";
}

static noinline const char *check_reserves(const struct tg_gpu *gpu)
{
	const struct tg_reserve *r;
	const char *wrong;
	s64 admitted = 0;

	list_for_each_entry(r, &gpu->reserves, all) {
		wrong = check_reserve(gpu, r);
		if (wrong)
			return wrong;
		admitted += tg_reserve_share(gpu, r);
	}
	return admitted == gpu->admitted ? tg_guarantees_check(gpu) :
	       "the GPU counts the admitted shares wrongly";
}

static noinline const char *check_vgpus(const struct tg_gpu *gpu, const struct census *n)
{
	u32 sum[TG_VGPU_SHARES] = { }, i, k;
	const struct tg_vgpu *v;

	for (i = 0; i <= TG_VGPUS_MAX; i++) {
		v = &gpu->vgpu[i];
		if (n->members[i] != v->clients)
			return "a virtual GPU counts its clients wrongly";
		if (n->gone[i] != v->gone || (v->terms && !v->gone))
			return "the place of a virtual GPU waits for clients that are not there";
		if (v->clients && (!v->share[TG_COMPUTE] || !v->share[TG_COPY]))
			return "a virtual GPU with clients has no share of time";
		for (k = 0; k < TG_VGPU_SHARES; k++)
			sum[k] += i && v->name[0] ? v->share[k] : 0;
	}
	return sum[TG_COMPUTE] <= 100 && sum[TG_COPY] <= 100 && sum[TG_MEMORY] <= 100 ? NULL :
	       "the shares of virtual GPUs are more than 100 percent";
}

/* The pool keeps one spare reserve for each client that the new spec has yet to reach. */
static const char *check_pool(const struct tg_gpu *gpu)
{
	u32 spare = 0;
	void *r;

	for (r = gpu->pool[TG_POOL_RESERVE]; r; r = *(void **)r)
		spare++;
	return spare == gpu->pooled[TG_POOL_RESERVE] + gpu->rematches ? NULL :
	       "the pool does not hold the reserves that a new spec may need";
}

/* An engine at a time: with the census, the counts of all are too large a stack frame. */
static noinline const char *check_levels(const struct tg_gpu *gpu, u32 engine)
{
	const struct tg_client *client;
	const struct tg_channel *ch;
	const struct tg_job *job;
	u32 n[TG_LEVELS] = { };

	list_for_each_entry(client, &gpu->all_clients, all)
		for (ch = client->channels; ch; ch = ch->next)
			list_for_each_entry(job, &ch->jobs, sibling)
				n[tg_client_level(client)] +=
					job->in_policy && job->engines & 1 << engine;
	return memcmp(n, gpu->engine[engine].in_policy, sizeof(n)) ?
	       "an engine counts the jobs of its policy wrongly" : NULL;
}

static noinline const char *check_engine(const struct tg_engine *engine, const struct census *n)
{
	u32 i = engine->index;

	if (n->inflight[i] != engine->inflight || n->queued[i] != engine->queued ||
	    n->throttled[i] != engine->throttled || n->busy[i] != length(&engine->busy))
		return "an engine counts its jobs wrongly";
	if (n->freed[i] != length(&engine->freed))
		return "a job is in the wrong list for its state";
	return NULL;
}

/* What the accounts of one part add up to. */
struct mem_sums {
	u64 used, held, kept, wanted;
	u32 waiting;
};

/* The requests of part @nr, against what its accounts say of them. */
static const char *check_asks(const struct tg_gpu *gpu, u32 nr, const struct mem_sums *sums)
{
	const struct tg_mem_part *part = &gpu->mem.part[nr];
	const struct tg_mem_request *req;
	u32 waiting = 0;
	u64 wanted = 0;
	s64 since = 0;

	list_for_each_entry(req, &part->requests, link) {
		if (req->since < since)
			return "requests for memory are out of order";
		if (tg_mem_part_of(&gpu->mem, req->account) != nr)
			return "a request for memory waits where its account is not";
		since = req->since;
		wanted += req->bytes;
		waiting++;
	}
	if (waiting != sums->waiting || wanted != sums->wanted)
		return "accounts of memory miscount their requests";
	if (tg_memory_missed(gpu, part))
		return "a request for memory waits that could be answered";
	return NULL;
}

/* Does each part hold the sum of its accounts, @sums, and do the parts add up to the whole? */
static const char *check_parts(const struct tg_gpu *gpu, const struct mem_sums *sums)
{
	const struct tg_mem_part *part;
	const char *wrong;
	u64 used = 0, size = 0;
	u32 waiting = 0, i;

	for (i = 0; i <= TG_VGPUS_MAX; i++) {
		part = &gpu->mem.part[i];
		if (part->used != sums[i].used || part->held != sums[i].held ||
		    part->kept != sums[i].kept)
			return "the books of a virtual GPU's memory do not add up";
		wrong = check_asks(gpu, i, &sums[i]);
		if (wrong)
			return wrong;
		used += part->used;
		size += part->size;
		waiting += sums[i].waiting;
	}
	if (size > gpu->mem.size)
		return "the virtual GPUs have more memory than there is";
	return used == gpu->mem.used && waiting == gpu->mem.waiting ? NULL :
	       "the books of memory do not add up";
}

/*
 * Out of line: its sums and the census together are too large a stack frame for the kernel; with
 * KASAN, whose red zones count, so are the census and what else tg_gpu_check() calls.
 */
static noinline const char *check_memory(const struct tg_gpu *gpu)
{
	struct mem_sums sums[TG_VGPUS_MAX + 1] = { };
	const struct tg_memory *mem = &gpu->mem;
	u32 accounts = 0, clients = 0, i;
	const struct tg_client *client;
	const struct tg_account *a;
	struct mem_sums *sum;

	for (i = 0; i < TG_MEM_BUCKETS; i++)
		for (a = mem->table[i]; a; a = a->hash) {
			if (!a->used && !a->waiting && !a->clients)
				return "an account stays that has nothing to account for";
			if (a->client ? a->client->account != a->id :
				    !!tg_mem_promised(mem, a))
				return "an account has a client that knows it not";
			if (a->waiting && a->promised != tg_mem_promised(mem, a))
				return "an account that waits counts on what is void";
			if (a->client &&
			    tg_vgpu_now(gpu, a->client) != tg_mem_part_of(mem, a))
				return "an account is not in its client's virtual GPU";
			sum = &sums[tg_mem_part_of(mem, a)];
			sum->used += a->used;
			sum->held += tg_mem_held(mem, a);
			sum->kept += a->waiting ? tg_mem_held(mem, a) : 0;
			sum->wanted += a->wanted;
			sum->waiting += a->waiting;
			clients += a->clients;
			accounts++;
		}
	list_for_each_entry(client, &gpu->all_clients, all)
		clients -= !!client->account;
	if (clients || accounts != mem->accounts)
		return "accounts of memory, or their clients, are miscounted";
	return check_parts(gpu, sums);
}

const char *tg_gpu_check(const struct tg_gpu *gpu)
{
	const struct tg_client *client;
	struct census n = { };
	const char *wrong;
	u32 i;

	list_for_each_entry(client, &gpu->all_clients, all) {
		wrong = check_client(gpu, client, &n);
		if (wrong)
			return wrong;
	}
	wrong = check_reserves(gpu) ?: check_pool(gpu) ?: tg_shares_check(gpu, n.processes);
	if (wrong)
		return wrong;
	wrong = check_vgpus(gpu, &n);
	if (wrong)
		return wrong;
	for (i = 0; i < gpu->nr_engines; i++) {
		wrong = check_engine(&gpu->engine[i], &n) ?: check_levels(gpu, i);
		if (wrong)
			return wrong;
	}
	if (gpu->handover && gpu->poll_until)
		return "polling goes on in a drain";
	if (!gpu->next_policy != (gpu->handover != TG_HANDOVER_HOLD &&
				  gpu->handover != TG_HANDOVER_DRAIN))
		return "a policy is due and none is on its way, or the other way round";
	if (n.overlaps != length(&gpu->overlaps) || n.lost != length(&gpu->lost))
		return "a job is in the wrong list for its state";
	wrong = check_left(gpu) ?: check_memory(gpu) ?: check_nice(gpu);
	if (wrong)
		return wrong;
	if (gpu->armed > min(tg_engines_wake(gpu), tg_memory_wake(gpu)))
		return "something has to happen, and nobody is to wake us";
	if (n.syncing != gpu->syncing || n.syncs_sent != length(&gpu->syncs) ||
	    n.unsent != gpu->unsent || n.open != gpu->open ||
	    n.clients != gpu->nr_clients || n.stale != gpu->rematches)
		return "the GPU counts its clients wrongly";
	if (!gpu->dry)
		return NULL;
	if (gpu->dry->model.unsent)
		return "a dry run has left something to a later event";
	return tg_gpu_check(&gpu->dry->model);
}
