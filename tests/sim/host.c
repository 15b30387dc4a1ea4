// SPDX-License-Identifier: GPL-2.0
/*
 * The tests' host (host.h). One per test row; not the simulator's, so that a mistake in one
 * does not hide in the other.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "host.h"

static void *zeroed(size_t nr, size_t size)
{
	void *mem = calloc(nr, size);

	if (!mem)
		abort();
	return mem;
}

static void *keep(struct th_host *h, size_t nr, size_t size)
{
	if (!(h->nr_kept & (h->nr_kept - 1))) {
		h->kept = realloc(h->kept, 2 * (h->nr_kept + 1) * sizeof(*h->kept));
		if (!h->kept)
			abort();
	}
	return h->kept[h->nr_kept++] = zeroed(nr, size);
}

void th_fail(struct th_host *h, const char *format, ...)
{
	va_list args;
	int n;

	if (*h->wrong)
		return;
	n = snprintf(h->wrong, sizeof(h->wrong), "event %llu (kind %d), t=%lld: ",
		     (unsigned long long)h->events, h->kind, (long long)h->now);
	va_start(args, format);
	vsnprintf(h->wrong + n, sizeof(h->wrong) - n, format, args);
	va_end(args);
}

static void free_job(struct th_host *h, struct th_job *job)
{
	struct th_job *other;
	u32 i;

	if (job->state != TH_ASKED) {
		th_fail(h, "FREE of job %llu, which is in state %d", (unsigned long long)job->id,
			job->state);
		return;
	}
	if (h->on_free)
		h->on_free(h, job);
	for (i = 0; i < h->nr_job; i++) {
		other = &h->job[i];
		if (other->state == TH_ASKED && other->client == job->client &&
		    other->channel == job->channel && other->id < job->id &&
		    (h->kind != TG_EV_CANCEL || other->id != h->target))
			th_fail(h, "FREE of job %llu before job %llu of the same channel",
				(unsigned long long)job->id, (unsigned long long)other->id);
	}
	job->state = TH_FREED;
	h->freed++;
}

static void open_gate(struct th_client *client, u8 gate)
{
	client->gate = gate;
	if (gate == TG_GATE_OPEN)
		client->sync = false;	/* called off */
}

static void yield(struct th_host *h, struct th_job *job, const struct tg_action *action)
{
	if (!job || job->id != action->job || (job->state != TH_FREED && job->state != TH_STARTED))
		th_fail(h, "YIELD of job %llu, which is not in flight",
			(unsigned long long)action->job);
	else if (!job->client->yields || job->ending)
		th_fail(h, "YIELD of job %llu, which %s", (unsigned long long)job->id,
			job->ending ? "is ending already" : "cannot end early");
	else
		job->ending = true;
}

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct th_host *h = container_of(out, struct th_host, out);
	struct th_client *client = action->host;
	struct th_job *job = action->host;

	h->actions++;
	switch (action->kind) {
	case TG_ACT_FREE:
		if (!job || job->id != action->job)
			th_fail(h, "FREE with a wrong cookie");
		else
			free_job(h, job);
		return;
	case TG_ACT_ARM:
		h->armed = action->at;
		return;
	case TG_ACT_NOTE:
		if (action->arg >= TG_NOTES)
			th_fail(h, "no such note");
		else
			h->notes[action->arg]++;
		return;
	case TG_ACT_POLL:
		h->poll_until = action->at;
		if (!action->arg != !action->at)
			th_fail(h, "POLL until %lld with %u", (long long)action->at, action->arg);
		return;
	case TG_ACT_WOULD:
		if (!h->core.dry || action->at < 0)
			th_fail(h, "WOULD without a dry run, or of %lld ns", (long long)action->at);
		h->would++;
		break;
	case TG_ACT_WATCH:
		h->watch = true;
		return;
	case TG_ACT_YIELD:
		yield(h, job, action);
		return;
	case TG_ACT_GATE:
	case TG_ACT_SYNC:
	case TG_ACT_GONE:
		break;
	default:
		th_fail(h, "no such action");
		return;
	}
	if (!client || client->id != action->client || !client->used) {
		th_fail(h, "action %d for a client that is not there", action->kind);
		return;
	}
	if (action->kind == TG_ACT_GATE)
		open_gate(client, action->arg);
	else if (action->kind == TG_ACT_SYNC)
		client->sync = true;
	else if (action->kind == TG_ACT_WOULD)
		;
	else if (client->channels)
		th_fail(h, "GONE while the client has channels");
	else
		client->used = false;
}

void th_init(struct th_host *h, u32 engines, const char *policy, s64 now, u32 clients, u32 jobs,
	     u8 bits)
{
	u32 i;

	memset(h, 0, sizeof(*h));
	h->out.emit = emit;
	h->now = now;
	h->armed = TG_NEVER;
	h->check_every = 1;
	h->buckets.bits = bits;
	h->buckets.jobs = keep(h, 1 << bits, sizeof(void *));
	h->buckets.clients = keep(h, 1 << bits, sizeof(void *));
	h->buckets.channels = keep(h, 1 << bits, sizeof(void *));
	h->client = keep(h, clients, sizeof(*h->client));
	h->nr_client = clients;
	h->job = keep(h, jobs, sizeof(*h->job));
	h->nr_job = jobs;
	h->unreported = keep(h, jobs, sizeof(*h->unreported));
	h->unstarted = keep(h, jobs, sizeof(*h->unstarted));
	for (i = 0; i < clients; i++)
		h->client[i].index = i;
	tg_gpu_init(&h->core, engines, tg_policy_find(policy, strlen(policy)), &h->buckets, now);
}

void th_deinit(struct th_host *h)
{
	u32 i;

	for (i = 0; i < h->nr_kept; i++)
		free(h->kept[i]);
	free(h->kept);
	free(h->spec);
}

static void give(struct th_host *h, enum tg_pool pool, u32 until)
{
	while (h->core.pooled[pool] < until) {
		tg_gpu_give(&h->core, pool, keep(h, 1, tg_pool_size[pool]));
		h->given[pool]++;
	}
}

/* May this job end by the event that has just been fed? */
static bool may_end(const struct th_host *h, const struct th_job *job)
{
	if (h->kind == TG_EV_CANCEL || h->kind == TG_EV_REFUSED || h->kind == TG_EV_DONE)
		if (h->target == job->id)
			return true;
	/* Its fence is not waited for any more: it was lost, or is now. */
	return job->left && (job->state == TH_STARTED ||
			     (job->state == TH_FREED && h->kind == TG_EV_LEAVE));
}

static void not_unstarted(struct th_host *h, const struct th_job *job)
{
	u32 i, n = 0;

	for (i = 0; i < h->nr_unstarted; i++)
		if (h->unstarted[i] != job)
			h->unstarted[n++] = h->unstarted[i];
	h->nr_unstarted = n;
}

static void take_back(struct th_host *h)
{
	struct th_job *job;
	void *mem;

	while ((mem = tg_gpu_take(&h->core, TG_POOL_JOB))) {
		job = container_of((struct tg_job *)mem, struct th_job, core);
		if (!job->given)
			th_fail(h, "job %llu ends twice", (unsigned long long)job->id);
		else if (job->state == TH_ASKED && h->kind != TG_EV_CANCEL)
			th_fail(h, "job %llu is lost", (unsigned long long)job->id);
		else if (!may_end(h, job))
			th_fail(h, "job %llu ends, in state %d", (unsigned long long)job->id,
				job->state);
		not_unstarted(h, job);
		job->given = false;
		job->state = TH_SPARE;
		h->live--;
	}
}

int th_feed(struct th_host *h, struct tg_event *ev, int want)
{
	ev->now = h->now;
	return th_feed_raw(h, ev, want);
}

int th_feed_raw(struct th_host *h, const struct tg_event *ev, int want)
{
	const char *broken = NULL;
	int result;

	if (*h->wrong)
		return 0;
	th_tell(h);
	h->kind = ev->kind;
	h->target = ev->job;
	h->actions = 0;
	h->events++;
	if (ev->kind == TG_EV_TIMER && want == 0)
		h->armed = TG_NEVER;
	result = tg_gpu_feed(&h->core, ev, &h->out);
	if (want <= 0 && result != want)
		th_fail(h, "result %d, not %d", result, want);
	if (result && h->actions)
		th_fail(h, "%u actions beside result %d", h->actions, result);
	take_back(h);
	if (h->check_every && h->events % h->check_every == 0)
		broken = tg_gpu_check(&h->core);
	if (broken)
		th_fail(h, "%s", broken);
	return result;
}

void th_advance(struct th_host *h, s64 to)
{
	u32 rounds = 0;

	while (h->armed <= to && !*h->wrong) {
		struct tg_event ev = { .kind = TG_EV_TIMER };

		if (h->armed > h->now)
			rounds = 0;
		else if (++rounds > 100)
			th_fail(h, "the timer is asked for without end");
		h->now = max(h->now, h->armed);
		ev.at = h->now;
		th_feed(h, &ev, 0);
	}
	h->now = max(h->now, to);
}

static const char *const cgroups[] = { NULL, "/", "/a", "/a/b", "/a/c", "/b/a" };

/* A process that is no client yet: one that has left, or a new one; NULL: there is no room. */
static struct th_client *come(struct th_host *h, const char *comm)
{
	struct tg_identity ident = { .pid = ++h->clients };
	struct th_client *client = NULL;
	struct tg_client *left;
	u32 i;

	snprintf(ident.comm, TG_COMM_LEN, "%s", comm);
	ident.kernel = !strncmp(comm, TG_KERNEL, strlen(TG_KERNEL));
	if (h->users && !ident.kernel) {
		ident.uid = h->clients % h->users;
		ident.payer = ident.uid;
		ident.cgroup = cgroups[h->clients / h->users % ARRAY_SIZE(cgroups)];
		ident.undelegated = h->clients & 1 ? 2 : 0;
	}
	left = ident.kernel ? NULL : tg_gpu_left(&h->core, &ident, 0);
	if (left)
		client = left->host;
	for (i = 0; !client && i < h->nr_client; i++) {
		if (h->client[i].used)
			continue;
		client = &h->client[i];
		memset(client, 0, sizeof(*client));
		client->index = i;
		client->id = h->clients;
		client->used = true;
	}
	if (client) {
		client->ident = ident;
		client->yields = h->clients & 1;
	}
	return client;
}

struct th_client *th_join(struct th_host *h, struct th_client *client, const char *comm,
			  u32 channel, u32 engines)
{
	struct tg_event ev = { .kind = TG_EV_JOIN, .channel = channel };

	client = client ?: come(h, comm);
	if (!client)
		return NULL;
	give(h, TG_POOL_CLIENT, 1);
	give(h, TG_POOL_SHARER, 1);
	give(h, TG_POOL_CHANNEL, 1);
	give(h, TG_POOL_RESERVE, 1);
	ev.client = client->id;
	ev.identity = &client->ident;
	ev.join.engines = engines;
	ev.join.yields = client->yields;
	ev.at = h->now;
	ev.host = client;
	client->channels |= 1u << channel;
	th_feed(h, &ev, 0);
	return client;
}

void th_leave(struct th_host *h, struct th_client *client, u32 channel)
{
	struct tg_event ev = { .kind = TG_EV_LEAVE, .client = client->id, .channel = channel,
			       .at = h->now };
	u32 i;

	client->channels &= ~(1u << channel);
	for (i = 0; i < h->nr_job; i++)
		if (h->job[i].client == client && h->job[i].channel == channel)
			h->job[i].left = true;
	th_feed(h, &ev, 0);
}

static struct th_job *first_started(const struct th_host *h)
{
	u32 i;

	for (i = 0; i < h->nr_unstarted; i++)
		if (h->unstarted[i]->state == TH_STARTED)
			return h->unstarted[i];
	return NULL;
}

static void tell_started(struct th_host *h)
{
	struct th_job *job;

	while ((job = first_started(h))) {
		struct tg_event ev = {
			.kind = TG_EV_STARTED, .job = job->id, .at = job->started,
		};

		ev.started.late = true;
		not_unstarted(h, job);
		th_feed(h, &ev, 0);
		if (h->actions > 1)	/* ARM */
			th_fail(h, "a late STARTED is answered by %u actions", h->actions);
	}
}

void th_tell(struct th_host *h)
{
	u32 i, n;

	tell_started(h);
	n = h->nr_unreported;
	h->nr_unreported = 0;
	for (i = 0; i < n; i++) {
		struct th_job *job = h->unreported[i];
		struct tg_event ev = {
			.kind = TG_EV_BYPASSED, .client = job->client->id, .channel = job->channel,
			.job = job->id, .at = job->started, .host = job,
		};

		ev.bypassed.started = job->state == TH_STARTED;
		if (!ev.bypassed.started) {
			ev.at = h->now;
			h->unstarted[h->nr_unstarted++] = job;
		}
		job->given = true;
		tg_gpu_give(&h->core, TG_POOL_JOB, &job->core);
		th_feed(h, &ev, 0);
		if (h->actions > 1)	/* ARM */
			th_fail(h, "BYPASSED is answered by %u actions", h->actions);
	}
}

static bool goes_by_bypass(const struct th_host *h, const struct th_job *job)
{
	const struct th_job *before = h->nr_unreported ? h->unreported[0] : job;

	return h->may_bypass && before->client == job->client && before->channel == job->channel &&
	       tg_gpu_may_bypass(&h->core, job->client->id, job->channel, h->nr_unreported);
}

struct th_job *th_submit(struct th_host *h, struct th_client *client, u32 channel,
			 const struct tg_key *key)
{
	struct tg_event ev = { .kind = TG_EV_SUBMIT, .client = client->id, .channel = channel,
			       .at = h->now };
	struct th_job *job = NULL;
	u32 i;

	if (client->gate == TG_GATE_OPEN) {
		client->untold++;
		h->came = true;
		return NULL;
	}
	for (i = 0; i < h->nr_job; i++) {
		if (h->job[(h->jobs + i) % h->nr_job].state == TH_SPARE) {
			job = &h->job[(h->jobs + i) % h->nr_job];
			break;
		}
	}
	if (!job)
		return NULL;
	memset(job, 0, sizeof(*job));
	job->id = ++h->jobs;
	job->client = client;
	job->channel = channel;
	job->at = h->now;
	h->live++;
	if (client->ident.kernel) {
		th_tell(h);
		job->state = TH_STARTED;
		job->given = true;
		h->freed++;
		h->went++;
		tg_gpu_give(&h->core, TG_POOL_JOB, &job->core);
		ev = (struct tg_event){
			.kind = TG_EV_BYPASSED, .client = client->id, .channel = channel,
			.at = h->now, .host = job,
		};
		ev.bypassed.started = true;
		ev.job = job->id;
		th_feed(h, &ev, 0);
		return job;
	}
	if (goes_by_bypass(h, job)) {
		if (h->on_free)
			h->on_free(h, job);
		job->state = TH_FREED;
		h->freed++;
		h->went++;
		job->bypassed = true;
		h->unreported[h->nr_unreported++] = job;
		return job;
	}
	th_tell(h);
	job->state = TH_ASKED;
	job->given = true;
	give(h, TG_POOL_HISTORY, 1);
	if (key) {
		give(h, TG_POOL_COST, 1);
		give(h, TG_POOL_CHUNK, TG_KEY_CHUNKS(key->nr));
	}
	ev.key = key;
	tg_gpu_give(&h->core, TG_POOL_JOB, &job->core);
	ev.job = job->id;
	ev.host = job;
	th_feed(h, &ev, 0);
	return job;
}

static void tell(struct th_host *h, enum tg_event_kind kind, struct th_job *job, s64 at)
{
	struct tg_event ev = { .kind = kind, .job = job->id, .at = at };

	th_feed(h, &ev, 0);
}

void th_started(struct th_host *h, struct th_job *job, s64 at)
{
	job->state = TH_STARTED;
	job->started = at;
	if (job->bypassed)	/* the core hears of it with the next event */
		return;
	tell(h, TG_EV_STARTED, job, at);
}

void th_refused(struct th_host *h, struct th_job *job)
{
	tell(h, TG_EV_REFUSED, job, h->now);
}

void th_cancel(struct th_host *h, struct th_job *job)
{
	tell(h, TG_EV_CANCEL, job, h->now);
}

void th_done(struct th_host *h, struct th_job *job, s64 at)
{
	tell(h, TG_EV_DONE, job, at);
}

void th_idle(struct th_host *h, struct th_client *client)
{
	struct tg_event ev = { .kind = TG_EV_IDLE, .client = client->id, .at = h->now };

	ev.idle.sent = client->untold;
	client->untold = 0;
	client->sync = false;
	th_feed(h, &ev, 1);	/* a drain that was cut does not wait for it */
}

void th_quiet(struct th_host *h)
{
	struct tg_event ev = { .kind = TG_EV_QUIET, .at = h->now };

	ev.quiet.gap = h->came ? TG_USEC : 0;
	h->came = false;
	h->watch = false;
	th_feed(h, &ev, 0);
}

void th_spec(struct th_host *h, const char *text, bool rematch)
{
	u32 len = strlen(text), room = tg_spec_room(text, len);
	struct tg_spec *spec = zeroed(1, sizeof(*spec) + room * sizeof(*spec->entries));
	struct tg_event ev = { .kind = TG_EV_SPEC, .new_spec = spec, .at = h->now };
	struct tg_spec_error error;

	ev.spec.rematch = rematch;
	spec->text = text;
	spec->entries = (struct tg_spec_entry *)(spec + 1);
	if (tg_spec_parse(spec, len, &error))
		th_fail(h, "the test's spec: line %u: %s", error.line, error.what);
	give(h, TG_POOL_RESERVE, h->nr_client);
	th_feed(h, &ev, 0);
	free(h->spec);
	h->spec = spec;
}

void th_policy(struct th_host *h, const char *name)
{
	struct tg_event ev = { .kind = TG_EV_POLICY, .at = h->now };

	ev.policy.number = tg_policy_find(name, strlen(name));
	th_feed(h, &ev, 0);
}

void th_knob(struct th_host *h, bool of_policy, u32 nr, s64 value)
{
	struct tg_event ev = {
		.kind = TG_EV_KNOB,
		.knob = { .number = nr, .of_policy = of_policy, .value = value },
	};

	if (!of_policy && nr == TG_KNOB_DRY && value && !h->core.dry)
		give(h, TG_POOL_DRY, 1);
	th_feed(h, &ev, 0);
}

/* Finish everything that the host has in hand. Return: was there anything? */
static bool finish(struct th_host *h)
{
	bool any = false;
	u32 i;

	for (i = 0; i < h->nr_client; i++)
		if (h->client[i].used && h->client[i].sync) {
			th_idle(h, &h->client[i]);
			any = true;
		}
	for (i = 0; i < h->nr_job && !*h->wrong; i++) {
		struct th_job *job = &h->job[i];

		if (job->state == TH_FREED)
			th_started(h, job, h->now);
		if (job->state != TH_STARTED)
			continue;
		any = true;
		th_done(h, job, h->now);
	}
	return any;
}

void th_wind_up(struct th_host *h)
{
	u32 i, channel;

	th_knob(h, false, TG_KNOB_DRY, 0);
	/* What waits for a reserve may wait for long: give it some time, then let all leave. */
	for (i = 0; i < 1000 && h->live && !*h->wrong; i++) {
		if (finish(h))
			continue;
		/* A debt may last beyond the clock's end. */
		if (h->armed == TG_NEVER && h->now > S64_MAX / 2)
			break;
		if (h->live && h->armed == TG_NEVER) {
			th_fail(h, "%u jobs wait, and no timer is set", h->live);
			return;
		}
		if (h->armed > S64_MAX / 4 * 3 && h->now < S64_MAX / 2)
			break;
		th_advance(h, max(h->armed, h->now));
	}
	finish(h);
	for (i = 0; i < h->nr_client && !*h->wrong; i++)
		for (channel = 0; channel < 32 && h->client[i].used; channel++)
			if (h->client[i].channels & 1u << channel)
				th_leave(h, &h->client[i], channel);
	finish(h);
	if (*h->wrong)
		return;
	if (h->live)
		th_fail(h, "%u jobs remain", h->live);
	/* Shared reserves are kept while a spec names them, and so are those that owe something. */
	th_spec(h, "", false);
	for (i = 0; i < h->nr_client; i++)
		if (h->client[i].used)
			th_fail(h, "client %u left, and is not gone", h->client[i].id);
	for (i = 0; i < TG_POOLS; i++)
		if (i != TG_POOL_JOB && h->core.pooled[i] != h->given[i])
			th_fail(h, "pool %u: %u of %u objects have returned", i,
				h->core.pooled[i], h->given[i]);
	for (i = 0; i < h->core.nr_engines; i++)
		if (h->core.engine[i].inflight || h->core.engine[i].queued)
			th_fail(h, "engine %u counts jobs that are gone", i);
}
