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

/* Where the job's client is sorted: by its virtual GPU, and by what its first job does. */
static struct tg_ready *ready_of(struct tg_gpu *gpu, const struct tg_job *job)
{
	return &share(&gpu->vgpu[job->client->vgpu])->ready[tg_job_kind(job)];
}

/* The least virtual time of the client's equals. It has one for all that it does. */
static s64 least(struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct tg_ready *ready = share(&gpu->vgpu[client->vgpu])->ready;

	return min(tg_ready_least(&ready[TG_COMPUTE], client->prio),
		   tg_ready_least(&ready[TG_COPY], client->prio));
}

s64 tg_vqueue_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	return tg_ready_ahead(client, least(gpu, client));
}

/* Charge the client of @job, which may be in a tree; the other tree hears of it. */
static void charge(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	struct tg_ready *ready = share(&gpu->vgpu[job->client->vgpu])->ready;
	const struct tg_job *first = tg_first_job(job->client);
	u32 kind = tg_job_kind(first ?: job), other = kind == TG_COPY ? TG_COMPUTE : TG_COPY;

	tg_ready_charge(&ready[kind], job->client, used);
	ready[other].vt = ready[kind].vt;
	ready[other].prio = ready[kind].prio;
}

void tg_vqueue_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	struct tg_job *first = tg_first_job(client);

	tg_gap_end(gpu, &share(&gpu->vgpu[client->vgpu])->of[tg_vqueue_of(gpu, job)].gap);
	if (first && job->seq < first->seq)
		tg_ready_remove(ready_of(gpu, first), client);
	if (!tg_client_queue(job))
		return;
	if (!first && !client->inflight)
		tg_ready_come(client, least(gpu, client));
	tg_ready_insert(ready_of(gpu, job), client);
}

void tg_vqueue_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_client *client = job->client;
	bool first = tg_first_job(client) == job;

	if (first)
		tg_ready_remove(ready_of(gpu, job), client);
	list_del_init(&job->link);
	if (first && tg_first_job(client))
		tg_ready_insert(ready_of(gpu, tg_first_job(client)), client);
}

static struct tg_job *first_of(const struct tg_ready *ready)
{
	struct rb_node *node = rb_first_cached(&ready->clients);

	return node ? tg_first_job(rb_entry(node, struct tg_client, node)) : NULL;
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
	return tg_ready_before(a->client, b->client) ? a : b;
}

struct tg_vgpu *tg_vqueue_head(struct tg_gpu *gpu, u32 queue)
{
	struct tg_vgpu *head = NULL, *v;
	const struct tg_job *job;

	for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++) {
		job = v->clients ? first_in(gpu, v, queue) : NULL;
		if (!job)
			continue;
		if (gpu->now - max(job->since, share(v)->of[queue].went) >
		    gpu->knob[TG_KNOB_STARVED])
			return v;
		if (!head || share(v)->of[queue].turn < share(head)->of[queue].turn)
			head = v;
	}
	return head;
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

u32 tg_vqueue_ended(struct tg_gpu *gpu, const struct tg_job *job, s64 used)
{
	u32 queue = tg_vqueue_of(gpu, job);
	struct tg_vgpu *v = &gpu->vgpu[job->client->vgpu];

	charge(gpu, job, used);
	share(v)->of[queue].used = sum(share(v)->of[queue].used, used);
	share(v)->of[queue].length += div64_s64(min(used, LARGE) - share(v)->of[queue].length, 8);
	share(v)->of[queue].went = gpu->now;
	if (!job->client->inflight && !first_in(gpu, v, queue))
		tg_gap_begin(gpu, &share(v)->of[queue].gap);
	queues(gpu)->of[queue].last = v;
	return queue;
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
	share(own)->of[queue].used = sum(share(own)->of[queue].used, held);
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
			qs->of[q].idle /= 2;
			for (v = gpu->vgpu; v <= &gpu->vgpu[TG_VGPUS_MAX]; v++)
				share(v)->of[q].used /= 2;
		}
	}
}

/* By how much it would have passed its share, in time per percent, with @more ns used. */
static s64 level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue, s64 more)
{
	const struct tg_vqueues *qs = queues(gpu);

	age(gpu);
	return div64_s64(share(vgpu)->of[queue].used + more, vgpu->share[queue]) -
	       div64_s64(gpu->now - qs->since - qs->of[queue].idle + more, 100);
}

bool tg_vqueue_over(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	return level(gpu, vgpu, queue, 0) > 0;
}

s64 tg_vqueue_level(struct tg_gpu *gpu, struct tg_vgpu *vgpu, u32 queue)
{
	/* No more than it may have in half a window, or it would never go. */
	s64 most = div64_s64(gpu->policy_knob[TG_VQUEUE_WINDOW] * TG_USEC, 400) *
		   vgpu->share[queue];

	return level(gpu, vgpu, queue, min(share(vgpu)->of[queue].length / 2, most));
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
