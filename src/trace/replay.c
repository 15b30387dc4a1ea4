// SPDX-License-Identifier: GPL-2.0
/*
 * A trace back into a fresh core. Its events are fed one by one; the core must emit the actions
 * that the trace holds behind each of them, in order. tgs_replay_watched() calls a watcher
 * meanwhile, and tgs_why() adds up what one job waited for. Called by tgsim and tgctl. One thread.
 */
#include <stdlib.h>

#include "mem.h"
#include "replay.h"

#define BUCKET_BITS	12
#define CONTEXT		8	/* records shown ahead of a difference */

struct replay {
	struct tg_actions out;
	struct tg_gpu core;
	struct tg_buckets buckets;
	const struct tgs_trace *t;
	u64 pos;			/* of the next record */
	u64 recent[CONTEXT];		/* positions of the records before it, a ring */
	u64 nr_recent, events, actions;
	FILE *to;
	bool differs;
	struct tgs_watch *watch;	/* or NULL */
	struct tg_spec *spec;		/* in force */
	struct tg_job *watched, *spare;
	struct tgs_blocks kept;		/* freed at the end */
};

static void passed(struct replay *r, const struct tg_record *record, u64 size)
{
	r->recent[r->nr_recent++ % CONTEXT] = (const char *)record - (const char *)r->t->bytes;
	r->pos += size;
}

/* The next record, without moving on; NULL: the trace ends here, or is broken. */
static const struct tg_record *peek(const struct replay *r)
{
	char error[TGS_MESSAGE];
	u64 pos = r->pos;

	return tgs_trace_next(r->t, &pos, error);
}

static void print_context(struct replay *r)
{
	u64 i = r->nr_recent > CONTEXT ? r->nr_recent - CONTEXT : 0;

	for (; i < r->nr_recent; i++) {
		fprintf(r->to, "    ");
		tgs_record_print(r->to, (const void *)((const char *)r->t->bytes +
						       r->recent[i % CONTEXT]));
		fprintf(r->to, "\n");
	}
}

/* Report a difference: what the trace has, and what the core did instead (NULL: no action). */
static void differ(struct replay *r, const struct tg_record *core)
{
	const struct tg_record *trace = peek(r);

	r->differs = true;
	fprintf(r->to, "difference at byte %llu, after %llu events and %llu actions:\n",
		(unsigned long long)(sizeof(r->t->head) + r->pos),
		(unsigned long long)r->events, (unsigned long long)r->actions);
	print_context(r);
	fprintf(r->to, "  trace: ");
	if (trace)
		tgs_record_print(r->to, trace);
	else
		fprintf(r->to, "ends");
	fprintf(r->to, "\n  core:  ");
	if (core)
		tgs_record_print(r->to, core);
	else
		fprintf(r->to, "no action");
	fprintf(r->to, "\n");
}

static void compare(struct tg_actions *out, const struct tg_action *action)
{
	struct replay *r = container_of(out, struct replay, out);
	const struct tg_record *trace = peek(r);
	struct tg_record core;

	if (r->differs)
		return;
	tg_record_action(&core, action);
	if (!trace || memcmp(trace, &core, sizeof(core))) {
		differ(r, &core);
		return;
	}
	passed(r, trace, trace->size);
	r->actions++;
	if (r->watch)
		r->watch->action(r->watch, &r->core, trace);
}

static void fill_pool(struct replay *r, enum tg_pool pool, u32 until)
{
	while (r->core.pooled[pool] < until)
		tg_gpu_give(&r->core, pool, tgs_block(&r->kept, 1, tg_pool_size[pool]));
}

/*
 * Fill the pools so that no event lacks memory. Where the recording host lacked memory, the
 * record's result says so.
 */
static void fill_pools(struct replay *r, bool knob)
{
	struct tg_gpu *core = &r->core;
	struct tg_job *job = r->spare;

	fill_pool(r, TG_POOL_CLIENT, 1);
	fill_pool(r, TG_POOL_SHARER, 1);
	fill_pool(r, TG_POOL_CHANNEL, 1);
	fill_pool(r, TG_POOL_RESERVE, core->nr_clients + 1);
	fill_pool(r, TG_POOL_HISTORY, 1);
	fill_pool(r, TG_POOL_COST, 1);
	if (knob && !core->dry)
		fill_pool(r, TG_POOL_DRY, 1);
	fill_pool(r, TG_POOL_ACCOUNT, 1);
	fill_pool(r, TG_POOL_REQUEST, 1);
	fill_pool(r, TG_POOL_CHUNK, TG_KEY_CHUNKS(TG_KEY_PAIRS));
	if (job)
		r->spare = *(void **)job;
	else
		job = tgs_block(&r->kept, 1, sizeof(*job));
	tg_gpu_give(core, TG_POOL_JOB, job);
}

/* Take ended jobs back from the core; r->watched becomes NULL when it is one of them. */
static void drain_jobs(struct replay *r)
{
	struct tg_job *job;

	while ((job = tg_gpu_take(&r->core, TG_POOL_JOB))) {
		if (job == r->watched)
			r->watched = NULL;
		*(void **)job = r->spare;
		r->spare = job;
	}
}

static struct tg_spec *read_spec(struct replay *r, const struct tg_record *record)
{
	struct tg_spec_error error;
	struct tg_spec *spec;
	u32 room = tg_spec_room(tg_record_data(record), record->job);

	spec = tgs_alloc(1, sizeof(*spec) + room * sizeof(*spec->entries));
	spec->text = tg_record_data(record);
	spec->entries = (struct tg_spec_entry *)(spec + 1);
	if (!tg_spec_parse(spec, record->job, &error))
		return spec;
	fprintf(r->to, "byte %llu: a spec that cannot be: line %u: %s; %s wanted\n",
		(unsigned long long)(sizeof(r->t->head) + r->pos), error.line, error.what,
		error.want);
	free(spec);
	return NULL;
}

static void begin(struct replay *r, const struct tgs_trace *t, FILE *to)
{
	memset(r, 0, sizeof(*r));
	r->out.emit = compare;
	r->t = t;
	r->to = to;
	r->buckets.bits = BUCKET_BITS;
	r->buckets.jobs = tgs_block(&r->kept, 1, sizeof(void *) << BUCKET_BITS);
	r->buckets.clients = tgs_block(&r->kept, 1, sizeof(void *) << BUCKET_BITS);
	r->buckets.channels = tgs_block(&r->kept, 1, sizeof(void *) << BUCKET_BITS);
	tg_gpu_init(&r->core, t->head.engines, t->policy, &r->buckets, t->head.now);
}

static void end(struct replay *r)
{
	tgs_blocks_free(&r->kept);
	free(r->spec);
}

/*
 * Feed the next event. Return: 1: done; 0: the trace has ended; negative: r->to says why it cannot
 * go on.
 */
static int step(struct replay *r)
{
	struct tg_identity *id = NULL;
	struct tg_spec *spec = NULL;
	const struct tg_record *record;
	struct tg_event ev;
	char error[TGS_MESSAGE];
	u64 pos = r->pos;
	int result;

	record = tgs_trace_next(r->t, &pos, error);
	if (!record) {
		if (*error)
			fprintf(r->to, "%s\n", error);
		return *error ? -EINVAL : 0;
	}
	if (record->type == TG_REC_GAP) {
		fprintf(r->to, "byte %llu: %llu records were lost here; what follows cannot be "
			"replayed\n", (unsigned long long)(sizeof(r->t->head) + r->pos),
			(unsigned long long)record->arg);
		return -EINVAL;
	}
	if (record->type == TG_REC_CLOCK) {
		passed(r, record, record->size);
		return 1;
	}
	if (record->type == TG_REC_ACTION) {
		differ(r, NULL);
		return -EINVAL;
	}
	if (record->kind == TG_EV_JOIN)
		id = tgs_block(&r->kept, 1, sizeof(*id));
	tg_record_read_event(record, &ev, id);
	if (ev.kind == TG_EV_SPEC) {
		spec = read_spec(r, record);
		if (!spec)
			return -EINVAL;
		ev.new_spec = spec;
	}
	passed(r, record, record->size);
	r->events++;
	if (record->result == ENOMEM) {		/* changed nothing */
		free(spec);
		return 1;
	}
	fill_pools(r, ev.kind == TG_EV_KNOB || ev.kind == TG_EV_SPEC);
	if (r->watch && !record->result)
		r->watch->before(r->watch, &r->core, record);
	result = tg_gpu_feed(&r->core, &ev, &r->out);
	drain_jobs(r);
	if (r->watch && !record->result && !result)
		r->watch->after(r->watch, &r->core, record);
	if (spec && !result) {
		free(r->spec);
		r->spec = spec;
	} else {
		free(spec);
	}
	if (!r->differs && -result != record->result) {
		r->differs = true;
		fprintf(r->to, "difference at byte %llu: the core answers \"%s\"\n",
			(unsigned long long)(sizeof(r->t->head) + r->pos),
			result ? strerror(-result) : "good");
		print_context(r);
	}
	return r->differs ? -EINVAL : 1;
}

int tgs_replay(const struct tgs_trace *t, FILE *to)
{
	struct replay r;
	int more;

	begin(&r, t, to);
	do
		more = step(&r);
	while (more > 0);
	if (!more)
		fprintf(to, "%llu events, %llu actions: all the same\n",
			(unsigned long long)r.events, (unsigned long long)r.actions);
	else
		fprintf(to, "%llu events, %llu actions were the same before\n",
			(unsigned long long)r.events, (unsigned long long)r.actions);
	end(&r);
	return !!more;
}

int tgs_replay_watched(const struct tgs_trace *t, struct tgs_watch *watch, FILE *to)
{
	struct replay r;
	int more;

	begin(&r, t, to);
	r.watch = watch;
	do
		more = step(&r);
	while (more > 0);
	end(&r);
	return !!more;
}

/* ---- why did a job wait? ---------------------------------------------------------------- */

static const char *const phase_text[TGS_PHASES] = {
	[TGS_RESERVE] = "waited for its reserve",
	[TGS_WINDOW] = "waited for its window: groups of its own client in flight",
	[TGS_POLICY] = "waited for the policy, which chose others",
	[TGS_HANDOVER] = "waited for a switch of policies",
	[TGS_DRIVER] = "on the way through the driver",
	[TGS_BEHIND] = "on the hardware, behind other groups",
	[TGS_RUNNING] = "ran",
	[TGS_LOST] = "past its deadline, written off",
};

struct rival {
	u32 client;
	char comm[TG_COMM_LEN];
	u8 prio;
	u64 last_job;
	u64 groups;
	s64 ran;
};

struct why {
	s64 spent[TGS_PHASES];
	s64 idle;		/* part of the wait: the engine had nothing to do */
	s64 at;			/* accounts are complete up to here */
	struct rival *rivals;
	u32 nr_rivals;
};

enum tgs_phase tgs_phase_of(const struct tg_gpu *core, const struct tg_job *job)
{
	const struct tg_engine *engine = &core->engine[__builtin_ctz(job->engines)];

	switch (job->state) {
	case TG_JOB_THROTTLED:
		return TGS_RESERVE;
	case TG_JOB_QUEUED:
		if (core->handover)
			return TGS_HANDOVER;
		return job->client->inflight ? TGS_WINDOW : TGS_POLICY;
	case TG_JOB_FREED:
		return TGS_DRIVER;
	case TG_JOB_BUSY:
		return list_first_entry(&engine->busy, struct tg_job, wait) == job ? TGS_RUNNING :
										     TGS_BEHIND;
	default:
		return TGS_LOST;
	}
}

static struct rival *rival(struct why *why, const struct tg_client *client)
{
	struct rival *rival;
	u32 i;

	for (i = 0; i < why->nr_rivals; i++)
		if (why->rivals[i].client == client->id)
			return &why->rivals[i];
	why->rivals = tgs_grow(why->rivals, why->nr_rivals + 1, sizeof(*why->rivals));
	rival = &why->rivals[why->nr_rivals++];
	*rival = (struct rival){ .client = client->id, .prio = client->prio };
	memcpy(rival->comm, client->id_data->comm, sizeof(rival->comm));
	return rival;
}

/* Nothing changed between the last event and @now: add that time to the job's phase. */
static void book(struct why *why, const struct tg_gpu *core, const struct tg_job *job, s64 now)
{
	const struct tg_engine *engine = &core->engine[__builtin_ctz(job->engines)];
	enum tgs_phase phase = tgs_phase_of(core, job);
	const struct tg_job *other;
	struct rival *who;
	s64 span = now - why->at;

	why->at = now;
	why->spent[phase] += span;
	if (phase >= TGS_DRIVER && phase != TGS_BEHIND)
		return;
	if (list_empty(&engine->busy)) {
		if (!engine->inflight)
			why->idle += span;
		return;
	}
	other = list_first_entry(&engine->busy, struct tg_job, wait);
	who = rival(why, other->client);
	who->ran += span;
	if (who->last_job != other->id)
		who->groups++;
	who->last_job = other->id;
}

static void tell_submit(const struct tg_job *job, FILE *to)
{
	static const char *const sched[] = { "prt", "ht" };
	static const char *const resv[] = { "pe", "ae", "bg", "cbs" };
	const struct tg_client *client = job->client;
	const struct tg_reserve *r = job->reserve;
	char comm[TG_COMM_LEN], name[sizeof(r->name)];

	fprintf(to, "job %llu: client %u \"%s\" (pid %u), channel %u\n",
		(unsigned long long)job->id, client->id, tgs_plain(comm, client->id_data->comm, sizeof(comm)),
		client->id_data->pid, job->channel->id);
	fprintf(to, "  %s, priority %u; ", sched[client->sched], client->prio);
	if (r->capacity >= r->period)
		fprintf(to, "no reserve holds it back\n");
	else
		fprintf(to, "reserve %s%s%s: %lld us every %lld us, budget %.3f us\n",
			resv[r->kind], *r->name ? " " : "", tgs_plain(name, r->name, sizeof(name)),
			(long long)(r->capacity / TG_USEC), (long long)(r->period / TG_USEC),
			r->budget / 1e3);
}

static int by_time(const void *a, const void *b)
{
	const struct rival *ra = a, *rb = b;

	return (ra->ran < rb->ran) - (ra->ran > rb->ran);
}

static void print_waits(struct why *why, s64 submitted, const char *how, FILE *to)
{
	char comm[TG_COMM_LEN];
	u32 i;

	fprintf(to, "  submitted at %.6f s, %s at %.6f s: %.3f us\n", submitted / 1e9, how,
		why->at / 1e9, (why->at - submitted) / 1e3);
	for (i = 0; i < TGS_PHASES; i++)
		if (why->spent[i])
			fprintf(to, "  %14.3f us  %s\n", why->spent[i] / 1e3, phase_text[i]);
	if (why->nr_rivals || why->idle)
		fprintf(to, "  while it waited:\n");
	if (why->nr_rivals)
		qsort(why->rivals, why->nr_rivals, sizeof(*why->rivals), by_time);
	for (i = 0; i < why->nr_rivals; i++)
		fprintf(to, "  %14.3f us  client %u \"%s\", priority %u, ran %llu group%s\n",
			why->rivals[i].ran / 1e3, why->rivals[i].client,
			tgs_plain(comm, why->rivals[i].comm, sizeof(comm)),
			why->rivals[i].prio, (unsigned long long)why->rivals[i].groups,
			why->rivals[i].groups == 1 ? "" : "s");
	if (why->idle)
		fprintf(to, "  %14.3f us  the engine was idle\n", why->idle / 1e3);
}

int tgs_why(const struct tgs_trace *t, u64 id, FILE *to)
{
	struct why why = { };
	struct replay r;
	bool found = false;
	s64 submitted = 0;
	int more;

	begin(&r, t, to);
	for (;;) {
		const struct tg_record *record = peek(&r);

		if (r.watched && record && record->type == TG_REC_EVENT)
			book(&why, &r.core, r.watched, max(record->now, why.at));
		more = step(&r);
		if (more <= 0)
			break;
		if (found && !r.watched)
			break;
		if (found || record->type != TG_REC_EVENT || record->kind != TG_EV_SUBMIT ||
		    record->job != id || record->result)
			continue;
		r.watched = tg_gpu_job(&r.core, id);
		if (!r.watched)
			continue;
		found = true;
		submitted = record->now;
		why.at = submitted;
		tell_submit(r.watched, to);
	}
	if (found)
		print_waits(&why, submitted, r.watched ? "not over" : "over", to);
	else
		fprintf(to, "no job %llu in what can be replayed\n", (unsigned long long)id);
	free(why.rivals);
	end(&r);
	return !found;
}
