// SPDX-License-Identifier: GPL-2.0
/*
 * Two levels for the policies that go by virtual GPUs: queues of virtual GPUs, and in each virtual
 * GPU its clients by priority; what each has used and what is left of its share (Gdev, section 5).
 *
 * Owns what such a policy keeps in tg_gpu.priv and tg_vgpu.priv. Policies call it, under the GPU's
 * lock. A decision looks at all virtual GPUs, which are few.
 */
#include "vqueue.h"

#define LARGE	(TG_NEVER / 4)	/* sums end here */

static struct tg_vqueues *queues(struct tg_gpu *gpu)
{
	return tg_gpu_priv(gpu, struct tg_vqueues);
}

static struct tg_vshare *share(struct tg_vgpu *vgpu)
{
	return tg_vgpu_priv(vgpu, struct tg_vshare);
}

static bool mrq(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_VQUEUE_MRQ];
}

void tg_vqueue_init(struct tg_gpu *gpu)
{
	struct tg_vqueues *qs = queues(gpu);

	qs->refilled = gpu->now;
	qs->since = gpu->now;
}

void tg_vqueue_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_vqueues *qs = queues(gpu);
	u32 q;

	for (q = 0; q < TG_MEMORY; q++)
		if (qs->of[q].holder == client)
			qs->of[q].holder = NULL;
}

static u32 queue_of(const struct tg_gpu *gpu, bool copies)
{
	return mrq(gpu) && copies ? TG_COPY : TG_COMPUTE;
}

u32 tg_vqueue_of(const struct tg_gpu *gpu, const struct tg_job *job)
{
	return queue_of(gpu, tg_job_kind(job) == TG_COPY);
}

/* ---- jobs that wait --------------------------------------------------------------------- */

static struct tg_vqueue_sharer *sharer(const struct tg_client *client)
{
	struct tg_vqueue_sharer *own = tg_sharer_priv(client->sharer, struct tg_vqueue_sharer);
	u32 kind;

	for (kind = 0; !own->known && kind < TG_MEMORY; kind++)
		RB_CLEAR_NODE(&own->of[kind].node);
	own->known = true;
	return own;
}

/* Processes are equals here, whatever their weights; users and cgroups are not. */
static u32 sharer_weight(const struct tg_client *client)
{
	return client->sharer->by == TG_BY_PROCESS ? 1 : client->sharer->weight;
}

static u32 client_weight(const struct tg_client *client)
{
	return client->sharer->by == TG_BY_PROCESS ? 1 : client->weight;
}

static struct tg_client *first_client(const struct tg_ready *ready)
{
	struct rb_node *node = rb_first_cached(&ready->clients);

	return node ? rb_entry(node, struct tg_client, node) : NULL;
}

/* The first of the clients whose place this is. */
static struct tg_client *first_at(const struct rb_node *node)
{
	return first_client(&rb_entry(node, struct tg_vqueue_place, node)->ready);
}

/* Of two clients of different sharers, each the first of its own: does @a go before @b? */
static bool goes_before(const struct tg_client *a, const struct tg_client *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	if (sharer(a)->vt != sharer(b)->vt)
		return sharer(a)->vt < sharer(b)->vt;
	return tg_first_job((struct tg_client *)a)->seq < tg_first_job((struct tg_client *)b)->seq;
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return goes_before(first_at(a), first_at(b));
}

/* The sharers of the client's virtual GPU. */
static struct tg_ready *sharers(struct tg_gpu *gpu, const struct tg_client *client)
{
	return share(&gpu->vgpu[client->vgpu])->ready;
}

/*
 * What a place is sorted by is about to change: take it out of its tree, and put it in again
 * afterwards if clients wait at it.
 */
static void lift(struct tg_gpu *gpu, const struct tg_client *client, u32 kind)
{
	struct tg_vqueue_place *place = &sharer(client)->of[kind];

	if (RB_EMPTY_NODE(&place->node))
		return;
	rb_erase_cached(&place->node, &sharers(gpu, client)[kind].clients);
	RB_CLEAR_NODE(&place->node);
}

static void settle(struct tg_gpu *gpu, const struct tg_client *client, u32 kind)
{
	struct tg_vqueue_place *place = &sharer(client)->of[kind];

	if (first_client(&place->ready))
		rb_add_cached(&place->node, &sharers(gpu, client)[kind].clients, before);
}

static void insert(struct tg_gpu *gpu, struct tg_client *client)
{
	const u32 kind = tg_job_kind(tg_first_job(client));

	lift(gpu, client, kind);
	tg_ready_insert(&sharer(client)->of[kind].ready, client);
	settle(gpu, client, kind);
}

/* Before the client's first job changes. */
static void withdraw(struct tg_gpu *gpu, struct tg_client *client)
{
	const u32 kind = tg_job_kind(tg_first_job(client));

	lift(gpu, client, kind);
	tg_ready_remove(&sharer(client)->of[kind].ready, client);
	settle(gpu, client, kind);
}

/* As tg_ready_least(), of sharers. */
static s64 least_of(const struct tg_ready *ready, u8 prio)
{
	s64 least = ready->prio == prio ? ready->vt : TG_NEVER;
	struct rb_node *node = rb_first_cached(&ready->clients);
	const struct tg_client *first;

	if (node && first_at(node)->prio > prio)
		node = ready->clients.rb_root.rb_node;
	while (node) {
		first = first_at(node);
		if (first->prio == prio)
			least = min(least, sharer(first)->vt);
		node = first->prio > prio ? node->rb_right : node->rb_left;
	}
	return least;
}

/* As tg_ready_outside(), of sharers. */
static s64 outside_of(const struct tg_ready *ready, const struct tg_client *client)
{
	struct rb_node *node = ready->clients.rb_root.rb_node, *first = NULL;
	const struct tg_client *other;
	u32 i;

	while (node) {
		other = first_at(node);
		if (other->prio <= client->prio)
			first = node;
		node = other->prio > client->prio ? node->rb_right : node->rb_left;
	}
	for (i = 0; first && i < TG_READY_SHOWN; i++, first = rb_next(first)) {
		other = first_at(first);
		if (other->prio != client->prio)
			break;
		if (tg_ready_apart(other, client))
			return sharer(other)->vt;
	}
	return TG_NEVER;
}

/* Has the client come to the sharer that it has now? */
static bool has_come(const struct tg_client *client)
{
	const u32 nr = sharer(client)->nr;

	return nr && nr == tg_client_priv(client, const struct tg_vqueue_client)->sharer;
}

/*
 * An equal of the client that has groups in flight, perhaps none queued. NULL: there is none.
 * @apart, here and below: of those only that bound what the client may be behind (tg_ready_apart())
 */
static const struct tg_client *busy_equal(struct tg_gpu *gpu, u32 q,
					  const struct tg_client *client, bool apart)
{
	const struct tg_client *holder = queues(gpu)->of[q].holder;

	if (tg_ready_held(holder, client) == TG_NEVER || (apart && !tg_ready_apart(holder, client)))
		return NULL;
	return holder->vgpu == client->vgpu && has_come(holder) ? holder : NULL;
}

/* The least virtual time of the equals of the client's sharer. It has one for all that it does. */
static s64 least(struct tg_gpu *gpu, const struct tg_client *client, bool apart)
{
	const struct tg_ready *ready = sharers(gpu, client);
	const struct tg_client *other;
	s64 least = TG_NEVER;
	u32 q;

	for (q = 0; q < TG_MEMORY; q++) {
		least = min(least, apart ? outside_of(&ready[q], client) :
					   least_of(&ready[q], client->prio));
		other = busy_equal(gpu, q, client, apart);
		if (other && other->sharer != client->sharer)
			least = min(least, sharer(other)->vt);
	}
	return least;
}

/* Of the client's equals in its sharer. */
static s64 least_client(struct tg_gpu *gpu, const struct tg_client *client, bool apart)
{
	const struct tg_vqueue_place *of = sharer(client)->of;
	const struct tg_client *other;
	s64 least = TG_NEVER;
	u32 q;

	for (q = 0; q < TG_MEMORY; q++) {
		least = min(least, apart ? tg_ready_outside(&of[q].ready, client) :
					   tg_ready_least(&of[q].ready, client->prio));
		other = busy_equal(gpu, q, client, apart);
		if (other && other->sharer == client->sharer)
			least = min(least, tg_ready_held(other, client));
	}
	return least;
}

/* Does a client of this one's sharer wait? */
static bool sharer_waits(const struct tg_client *client)
{
	const struct tg_vqueue_place *of = sharer(client)->of;

	return first_client(&of[TG_COMPUTE].ready) || first_client(&of[TG_COPY].ready);
}

s64 tg_vqueue_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	s64 vt = least(gpu, client, false);

	if (!tg_sharer_single(client))
		return sharer_waits(client) ?
		       tg_ready_ahead(client, least_client(gpu, client, false)) : 0;
	return vt == TG_NEVER ? 0 : min(sharer(client)->vt - vt, TG_READY_REPAID);
}

/*
 * A client comes with a job, and had none queued or in flight, or was of another priority: it has
 * saved up no time. If its job was @throttled, it was not away.
 */
static void come(struct tg_gpu *gpu, struct tg_client *client, bool throttled)
{
	struct tg_vqueue_sharer *own = sharer(client);
	s64 vt = least(gpu, client, false), from = least_client(gpu, client, false);
	const s64 most = queues(gpu)->most;

	if (tg_ready_is_new(client))
		from = tg_ready_new(&own->of[TG_COMPUTE].ready, client->prio, from, throttled);
	if (throttled)
		tg_ready_return(client, from, least_client(gpu, client, true));
	else
		tg_ready_come(client, from, most);
	if (sharer_waits(client))
		return;
	if (throttled)
		own->vt = tg_ready_within(own->vt, vt, least(gpu, client, true));
	else if (vt != TG_NEVER)
		own->vt = min(max(own->vt, vt), vt + TG_READY_REPAID);
	else
		own->vt = max(own->vt, most);
}

/*
 * A client that moves to another virtual GPU belongs to another sharer there, perhaps to a new one.
 * What both had in the old place says nothing here. So the client comes to the sharer with its
 * first job, even if it has groups in flight: beside the others, a virtual time of 0 would be a
 * priority for as long as these have been there.
 */
static void come_over(struct tg_gpu *gpu, struct tg_client *client, bool throttled)
{
	struct tg_vqueue_client *mine = tg_client_priv(client, struct tg_vqueue_client);
	struct tg_vqueue_sharer *own = sharer(client);
	s64 from;

	if (has_come(client))
		return;
	if (!own->nr) {
		own->nr = ++queues(gpu)->sharers;
		from = least(gpu, client, false);
		if (from != TG_NEVER)
			own->vt = tg_ready_new(sharers(gpu, client), client->prio, from, throttled);
		mine->ready.vt = 0;
	}
	mine->sharer = own->nr;
	come(gpu, client, throttled);
}

/* Charge the client of @job and its sharer, which may be in both trees. */
static void charge(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	struct tg_client *client = job->client;
	const struct tg_job *first = tg_first_job(client);
	struct tg_vqueue_sharer *own = sharer(client);
	u32 kind = tg_job_kind(first ?: job), other = kind == TG_COPY ? TG_COMPUTE : TG_COPY;
	struct tg_ready *ready = sharers(gpu, client);
	u32 i;

	used = min(used, TG_SEC);
	come_over(gpu, client, false);
	for (i = 0; i < TG_MEMORY; i++)
		lift(gpu, client, i);
	tg_ready_charge(&own->of[kind].ready, client, div64_s64(used, client_weight(client)));
	own->of[other].ready.vt = own->of[kind].ready.vt;
	own->of[other].ready.prio = own->of[kind].ready.prio;
	own->vt += div64_s64(used, sharer_weight(client));
	queues(gpu)->most = max(queues(gpu)->most, max(own->vt, tg_ready_vt(client)));
	for (i = 0; i < TG_MEMORY; i++) {
		settle(gpu, client, i);
		if (!tg_ready_counts(client))
			continue;
		ready[i].vt = own->vt;
		ready[i].prio = client->prio;
	}
}

void tg_vqueue_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	struct tg_job *first = tg_first_job(client);

	tg_gap_end(gpu, &share(&gpu->vgpu[client->vgpu])->of[tg_vqueue_of(gpu, job)].gap);
	tg_gap_end(gpu, &sharer(client)->gap);
	if (first && job->seq < first->seq)
		withdraw(gpu, client);
	if (!tg_client_queue(job))
		return;
	if (!first)
		come_over(gpu, client, job->throttled);
	if (!first && tg_ready_comes(client, client->inflight))
		come(gpu, client, job->throttled);
	insert(gpu, client);
}

void tg_vqueue_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	bool first = tg_first_job(client) == job;

	if (first)
		withdraw(gpu, client);
	list_del_init(&job->link);
	if (first && tg_first_job(client))
		insert(gpu, client);
}

static struct tg_job *first_of(const struct tg_ready *ready)
{
	struct rb_node *node = rb_first_cached(&ready->clients);

	return node ? tg_first_job(first_at(node)) : NULL;
}

/* The first job of @vgpu that waits for @queue; NULL: none does. */
static struct tg_job *first_in(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	struct tg_job *a = first_of(&share(vgpu)->ready[queue]), *b;

	if (mrq(gpu))
		return a;
	b = first_of(&share(vgpu)->ready[TG_COPY]);
	if (!a || !b)
		return a ?: b;
	if (a->client->sharer == b->client->sharer)
		return tg_ready_before(a->client, b->client) ? a : b;
	return goes_before(a->client, b->client) ? a : b;
}

struct tg_vgpu *tg_vqueue_head(struct tg_gpu *gpu, u32 queue)
{
	struct tg_vgpu *head = NULL, *starved = NULL, *v;
	s64 longest = gpu->now - gpu->knob[TG_KNOB_STARVED], since;
	const struct tg_job *job;

	for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++) {
		job = v->clients ? first_in(gpu, v, queue) : NULL;
		if (!job)
			continue;
		since = max(job->since, share(v)->of[queue].went);
		if (since < longest) {
			longest = since;
			starved = v;
		}
		if (!head || share(v)->of[queue].turn < share(head)->of[queue].turn)
			head = v;
	}
	return starved ?: head;
}

void tg_vqueue_rotate(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	share(vgpu)->of[queue].turn = ++queues(gpu)->of[queue].turns;
}

/* ---- which job goes --------------------------------------------------------------------- */

static bool busy(const struct tg_gpu *gpu, u32 queue)
{
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].inflight && queue_of(gpu, i) == queue)
			return true;
	return false;
}

/* Does another virtual GPU have a job waiting? */
static bool others_wait(struct tg_gpu *gpu, const struct tg_vgpu *own, u32 queue)
{
	struct tg_vgpu *v;

	for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++)
		if (v != own && v->clients && first_in(gpu, v, queue))
			return true;
	return false;
}

/* The next job of the queue's holder, if it may go beside its own in flight; else NULL. */
static struct tg_job *follow(struct tg_gpu *gpu, const struct tg_engine *engine, u32 queue,
			     s64 ahead)
{
	struct tg_client *holder = queues(gpu)->of[queue].holder;
	struct tg_vgpu *v;
	struct tg_job *job;

	if (!holder || holder->sched != TG_HT || holder->inflight != engine->inflight ||
	    holder->inflight >= (holder->depth ?: gpu->policy_knob[TG_VQUEUE_DEPTH]))
		return NULL;
	job = tg_first_job(holder);
	if (!job || job->engines != 1 << engine->index)
		return NULL;
	v = &gpu->vgpu[holder->vgpu];
	if (ahead >= 0 && !tg_gpu_alone(gpu) &&
	    holder->inflight * share(v)->of[queue].length > ahead)
		return NULL;
	if (others_wait(gpu, v, queue) &&
	    (ahead < 0 || (tg_vqueue_head(gpu, queue) != v &&
			   tg_vqueue_lowest(gpu, queue, true) != v)))
		return NULL;
	return first_in(gpu, v, queue)->client == holder ? job : NULL;
}

static s64 patience(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	return tg_after(engine->idle_since, gpu->knob[TG_KNOB_STARVED] / 2);
}

/*
 * A job that the engine could run and has idled beside for too long; it need not be its client's
 * first.
 */
static struct tg_job *neglected(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	struct tg_client *client;
	struct tg_job *job;

	if (engine->inflight || patience(gpu, engine) > gpu->now)
		return NULL;
	list_for_each_entry(client, &gpu->all_clients, all)
		list_for_each_entry(job, &client->queue, link)
			if (job->engines & 1 << engine->index && tg_engines_idle(gpu, job))
				return job;
	return NULL;
}

struct tg_job *tg_vqueue_pick(struct tg_gpu *gpu, struct tg_engine *engine,
			      struct tg_vgpu *(*choose)(struct tg_gpu *gpu, u32 queue), s64 ahead)
{
	u32 queue = queue_of(gpu, engine->index);
	struct tg_job *job = NULL;
	struct tg_vgpu *v;

	if (engine->inflight) {
		job = follow(gpu, engine, queue, ahead);
	} else if (!busy(gpu, queue)) {
		v = choose(gpu, queue);
		job = v ? first_in(gpu, v, queue) : NULL;
		if (job && (!(job->engines & 1 << engine->index) || !tg_engines_idle(gpu, job)))
			job = NULL;
		if (job)
			queues(gpu)->of[queue].holder = job->client;
	}
	if (!job)
		job = neglected(gpu, engine);
	if (job)
		tg_vqueue_drop(gpu, job);
	return job;
}

s64 tg_vqueue_wake(struct tg_gpu *gpu)
{
	s64 wake = TG_NEVER;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (!gpu->engine[i].inflight && patience(gpu, &gpu->engine[i]) > gpu->now)
			wake = min(wake, patience(gpu, &gpu->engine[i]));
	return wake;
}

/* ---- accounts --------------------------------------------------------------------------- */

static s64 sum(s64 a, s64 b)
{
	return min(a, LARGE) + min(b, LARGE);
}

/* @vgpu has used so much of @queue: a part of what all have used. */
static void count(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue, s64 used)
{
	share(vgpu)->of[queue].used = sum(share(vgpu)->of[queue].used, used);
	queues(gpu)->of[queue].used = sum(queues(gpu)->of[queue].used, used);
}

u32 tg_vqueue_ended(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	u32 queue = tg_vqueue_of(gpu, job);
	struct tg_vgpu *v = &gpu->vgpu[job->client->vgpu];

	charge(gpu, job, used);
	count(gpu, v, queue, used);
	share(v)->of[queue].length += div64_s64(min(used, LARGE) - share(v)->of[queue].length, 8);
	share(v)->of[queue].went = gpu->now;
	if (!job->client->inflight && !first_in(gpu, v, queue))
		tg_gap_begin(gpu, &share(v)->of[queue].gap);
	if (!job->client->inflight && !sharer_waits(job->client))
		tg_gap_begin(gpu, &sharer(job->client)->gap);
	queues(gpu)->of[queue].last = v;
	return queue;
}

const struct tg_gap *tg_vqueue_absent(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	const struct tg_client *last = queues(gpu)->of[queue].holder, *next;
	const struct tg_job *job = first_in(gpu, vgpu, queue);

	if (!job || !last || last->sharer->by == TG_BY_PROCESS ||
	    &gpu->vgpu[last->vgpu] != vgpu || sharer_waits(last))
		return NULL;
	next = job->client;
	return next->prio == last->prio && sharer(last)->vt < sharer(next)->vt ?
	       &sharer(last)->gap : NULL;
}

/* What the share is worth in a period, ns. */
static s64 capacity(const struct tg_gpu *gpu, const struct tg_vgpu *vgpu, u32 queue)
{
	return gpu->policy_knob[TG_VQUEUE_PERIOD] * (TG_USEC / 100) * vgpu->share[queue];
}

static s64 refilled(const struct tg_gpu *gpu, s64 budget, s64 capacity, s64 periods)
{
	if (periods > div64_s64(capacity - budget, capacity))
		budget = capacity;
	else
		budget += periods * capacity;
	if (gpu->policy_knob[TG_VQUEUE_FORGIVE] &&
	    budget < -gpu->policy_knob[TG_VQUEUE_PERIOD] * TG_USEC)
		budget = 0;
	return budget;
}

static void refill(struct tg_gpu *gpu)
{
	s64 period = gpu->policy_knob[TG_VQUEUE_PERIOD] * TG_USEC;
	struct tg_vqueues *qs = queues(gpu);
	s64 periods = div64_s64(gpu->now - qs->refilled, period);
	struct tg_vgpu *v;
	u32 q;

	if (!periods)
		return;
	qs->refilled += periods * period;
	for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++)
		for (q = 0; v->share[TG_COMPUTE] && q < TG_MEMORY; q++)
			share(v)->of[q].budget = refilled(gpu, share(v)->of[q].budget,
							  capacity(gpu, v, q), periods);
}

s64 tg_vqueue_charge(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue, s64 used)
{
	s64 *budget = &share(vgpu)->of[queue].budget;

	refill(gpu);
	*budget = max(*budget - min(used, LARGE), -LARGE);
	return *budget;
}

s64 tg_vqueue_held(struct tg_gpu *gpu, const struct tg_job *job, s64 held)
{
	struct tg_vgpu *own = &gpu->vgpu[job->client->vgpu];
	u32 queue = tg_vqueue_of(gpu, job);

	if (tg_gpu_waits(gpu))
		charge(gpu, job, held);
	if (!others_wait(gpu, own, queue))
		return TG_NEVER;
	count(gpu, own, queue, held);
	return tg_vqueue_charge(gpu, own, queue, held);
}

/* Let what was used before the window count ever less. */
static void age(struct tg_gpu *gpu)
{
	s64 window = gpu->policy_knob[TG_VQUEUE_WINDOW] * TG_USEC;
	struct tg_vqueues *qs = queues(gpu);
	struct tg_vgpu *v;
	u32 q;

	while (gpu->now - qs->since >= window) {
		qs->since += (gpu->now - qs->since) / 2;
		for (q = 0; q < TG_MEMORY; q++) {
			qs->of[q].used /= 2;
			for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++)
				share(v)->of[q].used /= 2;
		}
	}
}

/* By how much it would have passed its share, in time per percent, with @more ns used. */
static s64 level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue, s64 more)
{
	age(gpu);
	return div64_s64(share(vgpu)->of[queue].used + more, vgpu->share[queue]) -
	       div64_s64(queues(gpu)->of[queue].used + more, 100);
}

bool tg_vqueue_over(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	return level(gpu, vgpu, queue, 0) > 0;
}

s64 tg_vqueue_level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	/* No more than it may have in half a window, or it would never go. */
	s64 most = div64_s64(gpu->policy_knob[TG_VQUEUE_WINDOW] * TG_USEC, 200) *
		   vgpu->share[queue];

	return level(gpu, vgpu, queue, min(share(vgpu)->of[queue].length, most));
}

struct tg_vgpu *tg_vqueue_lowest(struct tg_gpu *gpu, u32 queue, bool waits)
{
	struct tg_vgpu *lowest = NULL, *v;

	for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++) {
		if (!v->clients || (!waits && !share(v)->of[queue].used) ||
		    waits != !!first_in(gpu, v, queue))
			continue;
		if (!lowest || tg_vqueue_level(gpu, v, queue) <
			       tg_vqueue_level(gpu, lowest, queue))
			lowest = v;
	}
	return lowest;
}
