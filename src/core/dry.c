// SPDX-License-Identifier: GPL-2.0
/*
 * The model of a dry run: a second tg_gpu, in which the policy decides about the same jobs, beside
 * the real one, which delays nothing (tg/dry.h).
 *
 * Owns struct tg_dry. handover.c and knob.c begin, change and end it; feed.c calls tg_dry_event()
 * after each event; job.c reports starts and ends of real jobs. All of it runs under the GPU's
 * lock.
 */
#include "debt.h"
#include "dry.h"
#include "feed.h"
#include "job.h"
#include "match.h"
#include "settings.h"
#include "share.h"
#include "table.h"
#include "vgpu.h"

/* Steps of the model that one event pays for, at most. */
#define STEPS	64

static void release(struct tg_dry *dry, struct tg_dry_job *dj)
{
	struct tg_client *client = tg_gpu_client(dry->gpu, dj->client);

	if (client)
		client->modelled--;
	list_move_tail(&dj->link, &dry->spare);
}

/* Feed the model, at its own time or later. */
static int feed(struct tg_dry *dry, struct tg_event *ev, s64 now)
{
	void *mem;
	int ret;

	ev->now = max(now, dry->model.now);
	if (ev->kind != TG_EV_STARTED && ev->kind != TG_EV_KNOB)
		ev->at = ev->now;
	ret = tg_gpu_feed(&dry->model, ev, &dry->out);
	while ((mem = tg_gpu_take(&dry->model, TG_POOL_JOB)))
		release(dry, container_of((struct tg_job *)mem, struct tg_dry_job, core));
	return ret;
}

static void feed_job(struct tg_dry *dry, enum tg_event_kind kind, struct tg_dry_job *dj, s64 now,
		     s64 at)
{
	struct tg_event ev = { .kind = kind, .job = dj->id, .at = at };

	feed(dry, &ev, now);
}

/* The model frees a job: report what it would have waited. */
static void freed(struct tg_dry *dry, struct tg_dry_job *dj)
{
	struct tg_client *client = tg_gpu_client(dry->gpu, dj->client);
	struct tg_action action = {
		.kind = TG_ACT_WOULD,
		.client = dj->client,
		.job = dj->id,
		.at = dry->model.now - dj->submitted,
	};

	dj->state = TG_DRY_FREED;
	dj->freed = dry->model.now;
	list_move_tail(&dj->link, &dry->freed);
	if (!client)
		return;		/* it has left */
	client->stats.modelled++;
	client->stats.would_reserve += dj->core.throttled;
	client->stats.would_policy += action.at - dj->core.throttled;
	action.host = client->host;
	dry->gpu->out->emit(dry->gpu->out, &action);
}

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct tg_dry *dry = container_of(out, struct tg_dry, out);

	if (action->kind == TG_ACT_FREE)
		freed(dry, action->host);
	else if (action->kind == TG_ACT_ARM)
		dry->armed = action->at;
	else if (action->kind == TG_ACT_NOTE && (action->arg == TG_NOTE_EJECTED_PICK ||
						 action->arg == TG_NOTE_EJECTED_STARVED))
		tg_emit(dry->gpu, TG_ACT_NOTE, NULL, NULL, action->arg);
}

static void join(struct tg_dry *dry, const struct tg_client *client, const struct tg_channel *ch)
{
	struct tg_event ev = {
		.kind = TG_EV_JOIN, .client = client->id, .channel = ch->id,
		.join.engines = ch->engines, .identity = client->id_data,
	};

	/* -ENOMEM: one client too many, it is not modelled. */
	feed(dry, &ev, 0);
}

/* Take the job out of the model. */
static void drop(struct tg_dry *dry, struct tg_dry_job *dj)
{
	if (dj->state == TG_DRY_ARRIVED)
		release(dry, dj);
	else
		feed_job(dry, dj->state == TG_DRY_WAITS ? TG_EV_CANCEL : TG_EV_REFUSED, dj, 0, 0);
}

/*
 * Drop one job of the channel from @list. The model may free others meanwhile, which move to
 * another list, so the caller starts again. Return: false: there was none.
 */
static bool drop_one(struct tg_dry *dry, struct list_head *list, u32 client, u32 channel)
{
	struct tg_dry_job *dj;

	list_for_each_entry(dj, list, link) {
		if (dj->client != client || dj->channel != channel)
			continue;
		drop(dry, dj);
		return true;
	}
	return false;
}

static void drop_all(struct tg_dry *dry, u32 client, u32 channel)
{
	while (drop_one(dry, &dry->arrived, client, channel) ||
	       drop_one(dry, &dry->waits, client, channel) ||
	       drop_one(dry, &dry->freed, client, channel))
		;
}

/* In the model nobody comes back: a client of it does not outlive the real one. */
static void leave(struct tg_dry *dry, u32 client, u32 channel)
{
	struct tg_event ev = { .kind = TG_EV_LEAVE, .client = client, .channel = channel };

	drop_all(dry, client, channel);
	feed(dry, &ev, 0);
	tg_debts_forgive(&dry->model);
}

/* A real job has arrived, and fifo has let it go: it is to arrive in the model, too. */
static void arrive(struct tg_dry *dry, struct tg_job *job)
{
	struct tg_client *client = job->client;
	struct tg_dry_job *dj = list_first_entry_or_null(&dry->spare, struct tg_dry_job, link);

	if (!dj || client->modelled == TG_DRY_QUEUE || dry->model.policy->mode != TG_GATE_ASK)
		return;
	client->modelled++;
	dj->state = TG_DRY_ARRIVED;
	dj->real = job;
	dj->id = job->id;
	dj->client = client->id;
	dj->channel = job->channel->id;
	dj->engine = __builtin_ctz(job->engines);
	dj->arrived = dry->gpu->now;
	dj->predicted = job->predicted;
	dj->delay = 0;
	dj->used = -1;
	list_move_tail(&dj->link, &dry->arrived);
}

/* The model's clock has reached the job's arrival. */
static void submit(struct tg_dry *dry, struct tg_dry_job *dj)
{
	struct tg_event ev = {
		.kind = TG_EV_SUBMIT, .client = dj->client, .channel = dj->channel,
		.submit = { .predicted = dj->predicted, .job = dj->id }, .host = dj,
	};

	dj->state = TG_DRY_WAITS;
	list_move_tail(&dj->link, &dry->waits);
	dj->submitted = max(dj->arrived, dry->model.now);
	tg_gpu_give(&dry->model, TG_POOL_JOB, &dj->core);
	feed(dry, &ev, dj->arrived);
}

static s64 start_of(const struct tg_dry *dry, const struct tg_dry_job *dj)
{
	return max(tg_after(dj->freed, dj->delay), dry->last[dj->engine]);
}

static void finish(struct tg_dry *dry, struct tg_dry_job *dj)
{
	s64 start = start_of(dry, dj), end = tg_after(start, dj->used);

	dry->last[dj->engine] = end;
	feed_job(dry, TG_EV_STARTED, dj, end, start);
	feed_job(dry, TG_EV_DONE, dj, end, end);
}

/*
 * The job on the model's hardware that ends first, and when: *@end. *@end is 0 if that is not
 * known, because the real job has not completed; TG_NEVER: nothing runs.
 */
static struct tg_dry_job *running(const struct tg_dry *dry, s64 *end)
{
	struct tg_dry_job *dj, *first = NULL;
	u32 seen = 0;
	s64 e;

	*end = TG_NEVER;
	list_for_each_entry(dj, &dry->freed, link) {
		if (seen & 1 << dj->engine)
			continue;
		seen |= 1 << dj->engine;
		if (dj->used < 0) {
			*end = 0;
			return NULL;
		}
		e = tg_after(start_of(dry, dj), dj->used);
		if (e < *end) {
			*end = e;
			first = dj;
		}
	}
	return first;
}

/*
 * Let the next thing happen in the model, if it is due by @until. Return: when it is due; 0: not
 * known yet; TG_NEVER: nothing is.
 */
static s64 step(struct tg_dry *dry, s64 until)
{
	struct tg_dry_job *arrival, *end_of;
	struct tg_event timer = { .kind = TG_EV_TIMER };
	s64 end, next;

	end_of = running(dry, &end);
	if (!end)
		return 0;
	arrival = list_first_entry_or_null(&dry->arrived, struct tg_dry_job, link);
	next = min(end, dry->armed);
	if (arrival)
		next = min(next, arrival->arrived);
	if (next > until)
		return next;
	if (end_of && end == next) {
		finish(dry, end_of);
	} else if (dry->armed == next) {
		dry->armed = TG_NEVER;
		feed(dry, &timer, next);
	} else {
		submit(dry, arrival);
	}
	return next;
}

/* After each event of the real GPU: pass on what concerns the model, and let the model follow. */
void tg_dry_event(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_event timer = { .kind = TG_EV_TIMER }, copy = *ev;
	struct tg_dry *dry = gpu->dry;
	const struct tg_client *client;
	struct tg_job *job;
	s64 next;
	u32 i;

	switch (ev->kind) {
	case TG_EV_JOIN:
		client = tg_gpu_client(gpu, ev->client);
		join(dry, client, tg_channel_find(gpu, ev->client, ev->channel));
		break;
	case TG_EV_LEAVE:
		leave(dry, ev->client, ev->channel);
		break;
	case TG_EV_SUBMIT:
		job = tg_job_find(gpu, ev->job);
		if (job)
			arrive(dry, job);
		break;
	case TG_EV_SPEC:
		/* First without matching, which cannot fail: the old spec is about to go. */
		copy.spec.settings = false;	/* the model has them already */
		copy.spec.rematch = false;
		feed(dry, &copy, 0);
		copy.spec.rematch = ev->spec.rematch;
		if (copy.spec.rematch)
			feed(dry, &copy, 0);
		break;
	case TG_EV_PRIO:
	case TG_EV_FOREGROUND:
	case TG_EV_NICE:
	case TG_EV_VGPU:
		feed(dry, &copy, 0);
		break;
	case TG_EV_ENGINES:
		/* Jobs under way are dropped: the model has noted which engine runs each. */
		drop_all(dry, ev->client, ev->channel);
		feed(dry, &copy, 0);
		break;
	default:
		break;
	}
	/* What the model does in steps is over at once. */
	while (dry->model.rematching || dry->model.unsent ||
	       dry->model.handover == TG_HANDOVER_JOIN)
		feed(dry, &timer, 0);
	if (dry->model.policy->mode != TG_GATE_ASK)
		return;
	for (i = 0; i < STEPS; i++) {
		next = step(dry, gpu->now);
		if (!next)
			return;
		if (next > gpu->now) {
			tg_wake_by(gpu, next);
			return;
		}
	}
	tg_wake_by(gpu, tg_after(gpu->now, TG_MSEC));
}

/* A knob of the policy that is modelled. */
int tg_dry_knob(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_event copy = *ev;

	copy.now = gpu->dry->model.now;
	return tg_gpu_feed(&gpu->dry->model, &copy, &gpu->dry->out);
}

/* The model's job for a real one that is not over; NULL: none. */
static struct tg_dry_job *find(struct tg_dry *dry, const struct tg_job *job)
{
	struct tg_job *core = tg_job_find(&dry->model, job->id);
	struct tg_dry_job *dj;

	if (core) {
		dj = container_of(core, struct tg_dry_job, core);
		return dj->real == job ? dj : NULL;
	}
	list_for_each_entry(dj, &dry->arrived, link)
		if (dj->real == job)
			return dj;
	return NULL;
}

/* The real job has started. */
void tg_dry_started(struct tg_gpu *gpu, const struct tg_job *job)
{
	struct tg_dry_job *dj = find(gpu->dry, job);

	if (dj)
		dj->delay = max(job->since - dj->arrived, (s64)0);
}

/* The real job is over, done or lost after @used ns; negative: it never was on the hardware. */
void tg_dry_over(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct tg_dry_job *dj = find(gpu->dry, job);

	if (!dj)
		return;
	dj->real = NULL;
	dj->used = used;
	if (used < 0)
		drop(gpu->dry, dj);
}

/* No client has jobs in the model any more. */
static void forget_all(struct tg_gpu *gpu)
{
	struct tg_client *client;

	list_for_each_entry(client, &gpu->all_clients, all)
		client->modelled = 0;
}

static void give_all(struct tg_dry *dry)
{
	u32 i;

	for (i = 0; i < TG_DRY_CLIENTS; i++) {
		tg_gpu_give(&dry->model, TG_POOL_CLIENT, &dry->client[i]);
		tg_gpu_give(&dry->model, TG_POOL_RESERVE, &dry->reserve[i]);
		tg_gpu_give(&dry->model, TG_POOL_SHARER, &dry->sharer[i]);
	}
	for (i = 0; i < TG_DRY_CHANNELS; i++)
		tg_gpu_give(&dry->model, TG_POOL_CHANNEL, &dry->channel[i]);
	for (i = 0; i < TG_DRY_JOBS; i++)
		list_add_tail(&dry->job[i].link, &dry->spare);
}

/* From now on model @policy with the clients that are there, in the memory at @gpu->dry. */
void tg_dry_begin(struct tg_gpu *gpu, const struct tg_policy *policy)
{
	struct tg_dry *dry = gpu->dry;
	const struct tg_client *client;
	const struct tg_channel *ch;
	struct tg_buckets buckets = {
		.jobs = dry->jobs, .clients = dry->clients, .channels = dry->channels,
		.bits = TG_DRY_BITS,
	};
	struct tg_event spec = { .kind = TG_EV_SPEC, .new_spec = gpu->spec };
	struct tg_event foreground = {
		.kind = TG_EV_FOREGROUND, .foreground.pid = gpu->foreground,
	};
	struct tg_event prio = { .kind = TG_EV_PRIO }, nice = { .kind = TG_EV_NICE };

	memset(dry, 0, sizeof(*dry));
	dry->gpu = gpu;
	dry->out.emit = emit;
	dry->armed = TG_NEVER;
	INIT_LIST_HEAD(&dry->spare);
	INIT_LIST_HEAD(&dry->arrived);
	INIT_LIST_HEAD(&dry->waits);
	INIT_LIST_HEAD(&dry->freed);
	tg_gpu_init(&dry->model, gpu->nr_engines,
		    tg_policy_find(policy->name, strlen(policy->name)), &buckets, gpu->now);
	if (policy == gpu->policy)
		memcpy(dry->model.policy_knob, gpu->policy_knob, sizeof(gpu->policy_knob));
	else
		tg_settings_begin(gpu, policy, dry->model.policy_knob);
	tg_share_begin(&dry->model);
	give_all(dry);
	/* Deadlines are watched on the real GPU: the model's clock stands still meanwhile. */
	dry->model.knob[TG_KNOB_DEADLINE] = TG_NEVER / 4;
	dry->model.knob[TG_KNOB_FREED] = TG_NEVER / 4;
	dry->model.knob[TG_KNOB_STALL] = TG_NEVER / 4;
	dry->model.knob[TG_KNOB_STARVED] = gpu->knob[TG_KNOB_STARVED];
	dry->model.knob[TG_KNOB_AE_FAITHFUL] = gpu->knob[TG_KNOB_AE_FAITHFUL];
	dry->model.knob[TG_KNOB_MAX_GROUP] = gpu->knob[TG_KNOB_MAX_GROUP];
	dry->model.longest = gpu->longest;
	feed(dry, &spec, gpu->now);
	tg_vgpus_like(&dry->model, gpu);
	feed(dry, &foreground, gpu->now);
	list_for_each_entry(client, &gpu->all_clients, all) {
		for (ch = client->channels; ch; ch = ch->next)
			if (!ch->left)
				join(dry, client, ch);
		prio.client = client->id;
		prio.prio.level = client->prio;
		nice.client = client->id;
		nice.nice.level = client->prio;
		if (tg_client_by_hand(gpu, client))
			feed(dry, &prio, gpu->now);
		else if (client->nice)
			feed(dry, &nice, gpu->now);
	}
}

/* Another policy is chosen. */
void tg_dry_restart(struct tg_gpu *gpu, const struct tg_policy *policy)
{
	forget_all(gpu);
	tg_dry_begin(gpu, policy);
}

/* End the dry run. */
void tg_dry_end(struct tg_gpu *gpu)
{
	struct tg_dry *dry = gpu->dry;

	forget_all(gpu);
	gpu->dry = NULL;
	tg_gpu_give(gpu, TG_POOL_DRY, dry);
}

const struct tg_policy *tg_gpu_policy(const struct tg_gpu *gpu)
{
	return gpu->dry ? gpu->dry->model.policy : gpu->policy;
}

const struct tg_client *tg_gpu_modelled(const struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct tg_client *modelled = gpu->dry ?
		tg_gpu_client(&gpu->dry->model, client->id) : NULL;

	return modelled ?: client;
}
