// SPDX-License-Identifier: GPL-2.0
/*
 * One GPU: its tables and pools, and the one way in, tg_gpu_feed().
 *
 * Called by hosts, in any context, serialised by their lock (tg/gpu.h). Everything else in
 * src/core runs inside tg_gpu_feed().
 */
#include <tg/dry.h>
#include "core.h"

const struct tg_param tg_core_params[] = {
	[TG_KNOB_DEADLINE] = { "job_deadline_us", 1000, 3600 * TG_SEC / TG_USEC,
			       10 * TG_SEC / TG_USEC },
	[TG_KNOB_FREED] = { "freed_timeout_us", 1000, 60 * TG_SEC / TG_USEC,
			    100 * TG_MSEC / TG_USEC },
	[TG_KNOB_STARVED] = { "starvation_us", 1000, 60 * TG_SEC / TG_USEC, TG_SEC / TG_USEC },
	[TG_KNOB_RECORDS] = { "predict_records", 1, 1000, 100 },
	[TG_KNOB_SWITCH] = { "switch_cost_us", 0, TG_SEC / TG_USEC, 0 },
	[TG_KNOB_DRY] = { "dry_run", 0, 1, 0 },
	/* By default beyond any sum of shares. */
	[TG_KNOB_ADMISSION] = { "admission_percent", 0, 100000000, 100000000 },
	[TG_KNOB_VRAM_ORDER] = { "vram_order", 0, TG_MEM_ORDERS - 1, TG_MEM_SPEC },
	[TG_KNOB_VRAM_TIMEOUT] = { "vram_timeout_us", 1000, 3600 * TG_SEC / TG_USEC,
				   60 * TG_SEC / TG_USEC },
	[TG_KNOB_VRAM_AGEING] = { "vram_ageing_us", 0, 3600 * TG_SEC / TG_USEC,
				  10 * TG_SEC / TG_USEC },
	[TG_KNOB_STALL] = { "stall_us", 100, 60 * TG_SEC / TG_USEC, 5 * TG_MSEC / TG_USEC },
	{ }
};

void tg_emit(struct tg_gpu *gpu, enum tg_action_kind kind, const struct tg_client *client,
	     const struct tg_job *job, u32 arg)
{
	struct tg_action action = {
		.kind = kind,
		.client = client ? client->id : 0,
		.job = job ? job->id : 0,
		.arg = arg,
		.host = client ? client->host : NULL,
	};

	gpu->out->emit(gpu->out, &action);
}

struct tg_client *tg_gpu_client(const struct tg_gpu *gpu, u32 id)
{
	struct tg_client *client = gpu->buckets.clients[tg_bucket(gpu, id)];

	while (client && client->id != id)
		client = client->hash;
	return client;
}

struct tg_job *tg_gpu_job(const struct tg_gpu *gpu, u64 id)
{
	return tg_job_find(gpu, id);
}

void tg_client_hash(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_client **head = &gpu->buckets.clients[tg_bucket(gpu, client->id)];

	client->hash = *head;
	*head = client;
}

void tg_client_unhash(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_client **link = &gpu->buckets.clients[tg_bucket(gpu, client->id)];

	while (*link != client)
		link = &(*link)->hash;
	*link = client->hash;
}

void tg_channel_hash(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_channel **head =
		&gpu->buckets.channels[tg_channel_bucket(gpu, ch->client->id, ch->id)];

	ch->hash = *head;
	*head = ch;
}

void tg_channel_unhash(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_channel **link =
		&gpu->buckets.channels[tg_channel_bucket(gpu, ch->client->id, ch->id)];

	while (*link != ch)
		link = &(*link)->hash;
	*link = ch->hash;
}

/* Pools: spare objects, chained through their first pointer's worth of memory. */

const size_t tg_pool_size[TG_POOLS] = {
	[TG_POOL_CLIENT] = sizeof(struct tg_client),
	[TG_POOL_CHANNEL] = sizeof(struct tg_channel),
	[TG_POOL_RESERVE] = sizeof(struct tg_reserve),
	[TG_POOL_JOB] = sizeof(struct tg_job),
	[TG_POOL_HISTORY] = sizeof(struct tg_history),
	[TG_POOL_COST] = sizeof(struct tg_cost),
	[TG_POOL_CHUNK] = sizeof(struct tg_chunk),
	[TG_POOL_DRY] = sizeof(struct tg_dry),
	[TG_POOL_ACCOUNT] = sizeof(struct tg_account),
	[TG_POOL_ASK] = sizeof(struct tg_ask),
};

void tg_gpu_init(struct tg_gpu *gpu, u32 engines, u32 policy, const struct tg_buckets *buckets,
		 s64 now)
{
	const struct tg_param *param;
	u32 i;

	memset(gpu, 0, sizeof(*gpu));
	gpu->now = now;
	gpu->armed = TG_NEVER;
	gpu->nr_engines = engines;
	for (i = 0; i < engines; i++) {
		gpu->engine[i].index = i;
		gpu->engine[i].last_done = now;
		gpu->engine[i].idle_since = TG_NEVER;
		INIT_LIST_HEAD(&gpu->engine[i].freed);
		INIT_LIST_HEAD(&gpu->engine[i].busy);
	}
	gpu->buckets = *buckets;
	gpu->bucket_mask = (1U << buckets->bits) - 1;
	INIT_LIST_HEAD(&gpu->all_clients);
	INIT_LIST_HEAD(&gpu->syncs);
	INIT_LIST_HEAD(&gpu->reserves);
	INIT_LIST_HEAD(&gpu->late);
	INIT_LIST_HEAD(&gpu->lost);
	tg_memory_init(gpu);
	gpu->throttled = RB_ROOT_CACHED;
	for (i = 0; i < TG_KNOBS; i++)
		gpu->knob[i] = tg_knob_value(i, tg_core_params[i].def);

	tg_reserve_init(&gpu->background, TG_PE, TG_SEC, TG_SEC, now);
	memcpy(gpu->background.name, "background", sizeof("background"));
	list_add_tail(&gpu->background.all, &gpu->reserves);
	tg_vgpus_init(gpu);

	gpu->policy = tg_policy_get(policy);
	param = gpu->policy->params;
	for (i = 0; param && param[i].name; i++)
		gpu->policy_knob[i] = param[i].def;
	if (gpu->policy->init)
		gpu->policy->init(gpu);
}

static int dispatch_job(struct tg_gpu *gpu, const struct tg_event *ev)
{
	switch (ev->kind) {
	case TG_EV_SUBMIT:
		return tg_job_submit(gpu, ev);
	case TG_EV_WENT:
		return tg_job_went(gpu, ev);
	case TG_EV_CANCEL:
		return tg_job_cancel(gpu, ev->job);
	case TG_EV_STARTED:
		return tg_job_started(gpu, ev);
	case TG_EV_REFUSED:
		return tg_job_refused(gpu, ev->job);
	default:
		return tg_job_done(gpu, ev);
	}
}

static int dispatch_other(struct tg_gpu *gpu, const struct tg_event *ev)
{
	switch (ev->kind) {
	case TG_EV_JOIN:
		return tg_client_join(gpu, ev);
	case TG_EV_LEAVE:
		return tg_client_leave(gpu, ev);
	case TG_EV_IDLE:
		return tg_client_idle_event(gpu, ev);
	case TG_EV_TIMER:
		gpu->armed = TG_NEVER;
		gpu->wake = TG_NEVER;
		return 0;
	case TG_EV_SPEC:
		return tg_client_spec(gpu, ev);
	case TG_EV_POLICY:
		return tg_policy_switch(gpu, ev->arg);
	case TG_EV_KNOB:
		return tg_policy_knob(gpu, ev);
	case TG_EV_PRIO:
		return tg_client_prio(gpu, ev);
	case TG_EV_FOREGROUND:
		return tg_client_foreground(gpu, ev);
	case TG_EV_VGPU:
		return tg_vgpu_event(gpu, ev);
	case TG_EV_ENGINES:
		return tg_client_engines(gpu, ev);
	case TG_EV_SAMPLE:
		return tg_poll_sample(gpu, ev);
	case TG_EV_MEM_SIZE:
		return tg_memory_size(gpu, ev);
	case TG_EV_MEM_ASK:
		return tg_memory_ask(gpu, ev);
	case TG_EV_MEM_CANCEL:
		return tg_memory_cancel(gpu, ev->job);
	case TG_EV_MEM_FREE:
		return tg_memory_free(gpu, ev);
	default:
		return -EINVAL;
	}
}

/* The events of a job's life, which come often, and each bring up what they change. */
static bool of_job(enum tg_event_kind kind)
{
	return (kind >= TG_EV_SUBMIT && kind <= TG_EV_DONE) || kind == TG_EV_WENT;
}

/* Those that are nothing to engines and policies. */
static bool of_memory(enum tg_event_kind kind)
{
	return kind >= TG_EV_MEM_SIZE && kind <= TG_EV_MEM_FREE;
}

static int feed_job(struct tg_gpu *gpu, const struct tg_event *ev)
{
	int rc = dispatch_job(gpu, ev);
	bool due = gpu->wake <= gpu->now;

	/* These only make up for what is past: what is due now is the next event's to find. */
	if (rc || ev->kind == TG_EV_WENT || (ev->kind == TG_EV_STARTED && ev->arg))
		return rc;
	if (due) {
		tg_engines_expire(gpu);
		/* What was due is so no more, whoever brought it up. */
		gpu->wake = min(gpu->armed, min(tg_engines_wake(gpu), tg_memory_wake(gpu)));
	}
	/* That a freed job has started leaves nothing to decide, unless the policy says so. */
	if (due || ev->kind != TG_EV_STARTED || gpu->starts || gpu->next_policy)
		tg_engines_run(gpu);
	if (gpu->dry)
		tg_dry_event(gpu, ev);
	return 0;
}

static noinline int feed_other(struct tg_gpu *gpu, const struct tg_event *ev)
{
	int rc = dispatch_other(gpu, ev);

	if (rc)
		return rc;
	if (gpu->mem.waiting)
		tg_memory_run(gpu);
	if (of_memory(ev->kind))
		return 0;
	tg_engines_expire(gpu);
	tg_engines_run(gpu);
	tg_wake_by(gpu, min(tg_engines_wake(gpu), tg_memory_wake(gpu)));
	if (gpu->dry)
		tg_dry_event(gpu, ev);
	return 0;
}

/* Ask for the next wake-up. One that comes too early is harmless: it is asked for again. */
static noinline void arm(struct tg_gpu *gpu)
{
	struct tg_action action = { .kind = TG_ACT_ARM, .at = gpu->wake };

	gpu->armed = gpu->wake;
	gpu->out->emit(gpu->out, &action);
}

int tg_gpu_feed(struct tg_gpu *gpu, const struct tg_event *ev, struct tg_actions *out)
{
	s64 before = gpu->now;
	int rc;

	if (ev->now < before || ev->now == TG_NEVER || ev->at < 0)
		return -EINVAL;
	gpu->now = ev->now;
	gpu->out = out;
	gpu->wake = gpu->armed;
	rc = of_job(ev->kind) ? feed_job(gpu, ev) : feed_other(gpu, ev);
	if (rc) {
		gpu->now = before;
		return rc;
	}
	if (gpu->wake < gpu->armed)
		arm(gpu);
	return 0;
}

/* What one pass over all objects counts, to be held against the counters. */
struct census {
	u32 inflight[TG_ENGINES_MAX], queued[TG_ENGINES_MAX], busy[TG_ENGINES_MAX];
	u32 freed[TG_ENGINES_MAX], asked[TG_ENGINES_MAX][TG_PRIO_MAX + 1];
	u32 late, lost, syncing, open, clients, members[TG_VGPUS_MAX + 1];
};

static const char *check_job(const struct tg_gpu *gpu, const struct tg_job *job,
			     struct census *n, u32 *slots)
{
	u32 i;

	if (tg_job_find(gpu, job->id) != job)
		return "a job is not in the table";
	if (job->slot && job->state != TG_JOB_FREED && job->state != TG_JOB_BUSY)
		return "a job that is not in flight holds a slot";
	if (tg_job_waits(job) && job->client->gate < TG_GATE_ASK)
		return "a job waits though its client's gate lets it go";
	if (job->state == TG_JOB_THROTTLED && !tg_reserve_decides(gpu, job->client))
		return "a job is throttled though no reserve is asked";
	if (job->asked != (job->state == TG_JOB_QUEUED && job->client->gate == TG_GATE_ASK))
		return "a job is in the policy's queue and must not be, or the other way round";
	*slots += job->slot;
	n->freed[__builtin_ctz(job->engines)] += job->state == TG_JOB_FREED && job->slot;
	n->late += job->state == TG_JOB_FREED && !job->slot;
	n->lost += job->state == TG_JOB_LOST;
	n->busy[__builtin_ctz(job->engines)] += job->state == TG_JOB_BUSY;
	for (i = 0; i < gpu->nr_engines; i++) {
		n->inflight[i] += job->slot && job->engines & 1 << i;
		n->queued[i] += job->state == TG_JOB_QUEUED && job->engines & 1 << i;
		n->asked[i][job->client->prio] += job->asked && job->engines & 1 << i;
	}
	return NULL;
}

static const char *check_reserve(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	u32 queued = 0, throttled = 0, asked[TG_ENGINES_MAX] = { }, i;
	const struct tg_job *job;
	u64 seq = 0;

	list_for_each_entry(job, &r->waiting, wait) {
		if (!tg_job_waits(job) || job->reserve != r)
			return "a reserve lists a job that does not wait for it";
		if (job->seq <= seq)
			return "a reserve's jobs are out of order";
		seq = job->seq;
		queued += job->state == TG_JOB_QUEUED;
		throttled += job->state == TG_JOB_THROTTLED;
		for (i = 0; i < gpu->nr_engines; i++)
			asked[i] += job->asked && job->engines & 1 << i;
		if (r->kind == TG_PE && job->asked && tg_reserves_hold(gpu) &&
		    !tg_reserve_eligible(r, 0))
			return "a job is queued though its reserve is exhausted";
	}
	if (r->share && (!r->users || r == &gpu->background))
		return "a reserve that nobody uses is admitted, or Background is";
	if (queued != r->queued || throttled != r->throttled ||
	    memcmp(asked, r->asked, sizeof(asked)))
		return "a reserve counts its waiting jobs wrongly";
	if (!r->throttled != RB_EMPTY_NODE(&r->ready_node))
		return "a reserve with throttled jobs is not due, or one without is";
	return NULL;
}

static u32 length(const struct list_head *list)
{
	const struct list_head *pos;
	u32 n = 0;

	for (pos = list->next; pos != list; pos = pos->next)
		n++;
	return n;
}

const char *tg_gpu_check(const struct tg_gpu *gpu)
{
	const struct tg_client *client;
	const struct tg_reserve *r;
	struct census n = { };
	const char *wrong;
	s64 admitted = 0;
	u32 i;

	list_for_each_entry(client, &gpu->all_clients, all) {
		const struct tg_channel *ch;
		u32 slots = 0;

		n.clients++;
		n.members[client->vgpu]++;
		if (client->vgpu && !gpu->vgpu[client->vgpu].name[0])
			return "a client belongs to a virtual GPU that is not there";
		n.syncing += client->syncing;
		n.open += client->gate == TG_GATE_OPEN;
		if (client->gate == TG_GATE_OPEN && !client->opened)
			return "a client's gate is open, and that is not known";
		if (gpu->next_policy && client->gate != TG_GATE_HOLD)
			return "a client's gate is not held in a drain";
		if (tg_gpu_client(gpu, client->id) != client)
			return "a client is not in the table";
		if (!client->channels)
			return "a client without channels lingers";
		for (ch = client->channels; ch; ch = ch->next) {
			const struct tg_job *job;

			if (ch->client != client)
				return "a channel belongs to another client";
			if (ch->left && list_empty(&ch->jobs))
				return "a channel that has left lingers";
			list_for_each_entry(job, &ch->jobs, sibling) {
				wrong = job->client != client || job->channel != ch ?
					"a job belongs to another client" :
					check_job(gpu, job, &n, &slots);
				if (wrong)
					return wrong;
			}
		}
		if (slots != client->inflight)
			return "a client counts its jobs in flight wrongly";
	}
	list_for_each_entry(r, &gpu->reserves, all) {
		wrong = check_reserve(gpu, r);
		if (wrong)
			return wrong;
		admitted += r->share;
	}
	if (admitted != gpu->admitted)
		return "the GPU counts the admitted shares wrongly";
	for (i = 0; i <= TG_VGPUS_MAX; i++)
		if (n.members[i] != gpu->vgpu[i].clients)
			return "a virtual GPU counts its clients wrongly";
	for (i = 0; i < gpu->nr_engines; i++) {
		if (n.inflight[i] != gpu->engine[i].inflight ||
		    n.queued[i] != gpu->engine[i].queued ||
		    memcmp(n.asked[i], gpu->engine[i].asked, sizeof(n.asked[i])) ||
		    n.busy[i] != length(&gpu->engine[i].busy))
			return "an engine counts its jobs wrongly";
		if (n.freed[i] != length(&gpu->engine[i].freed))
			return "a job is in the wrong list for its state";
	}
	if (gpu->next_policy && gpu->poll_until)
		return "polling goes on in a drain";
	if (n.late != length(&gpu->late) || n.lost != length(&gpu->lost))
		return "a job is in the wrong list for its state";
	wrong = tg_memory_check(gpu);
	if (wrong)
		return wrong;
	if (gpu->armed > min(tg_engines_wake(gpu), tg_memory_wake(gpu)))
		return "something has to happen, and nobody is to wake us";
	if (n.syncing != gpu->syncing || n.syncing != length(&gpu->syncs) ||
	    n.open != gpu->open || n.clients != gpu->nr_clients)
		return "the GPU counts its clients wrongly";
	return gpu->dry ? tg_gpu_check(&gpu->dry->model) : NULL;
}
