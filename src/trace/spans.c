// SPDX-License-Identifier: GPL-2.0
/*
 * A trace's waits, runs, budgets and notes, collected for perfetto.c and plot.c. Two walks: the
 * trace is replayed as far as it can be, since only the core knows what a group waits for; and its
 * records are read one by one, also behind a gap. Called by tgctl. One thread.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "spans.h"

#define PUSH(array, nr)	((array) = tgs_room(array, nr, sizeof(*(array))), &(array)[(nr)++])

/* What a job has waited for: its place among those that wait, then its account. */
struct account {
	u64 job;
	enum tgs_phase phase;		/* since @at */
	s64 at, spent[TGS_PHASES];
};

struct channel {
	u32 client, channel, engine;
};

struct job {
	u64 id;
	u32 client, channel, engine;
	s64 arrived, started;
	bool freed;
	bool unsure;			/* written off, or a gap may have its end */
};

struct reader {
	struct tgs_watch watch;
	struct tgs_spans *s;
	struct account *waiting, *ended;	/* @ended in the order in which waits end */
	u32 nr_waiting, nr_ended, taken;
	u32 done;				/* client of the job that is about to be DONE */
	struct channel *channels;
	struct job *jobs;			/* that have not ended */
	u32 nr_channels, nr_jobs;
	s64 last[TG_ENGINES_MAX];		/* completion on each engine */
};

static u32 find_client(const struct tgs_spans *s, u32 id)
{
	u32 i = s->nr_clients;

	while (i-- > 0)
		if (s->clients[i].id == id)
			return i;
	return TGS_NOBODY;
}

/* ---- replayed: causes and budgets ---------------------------------------------------------- */

static void end_wait(struct reader *r, u64 job, s64 now)
{
	struct account *a;
	u32 i;

	for (i = 0; i < r->nr_waiting && r->waiting[i].job != job; i++)
		;
	if (i == r->nr_waiting)
		return;
	a = PUSH(r->ended, r->nr_ended);
	*a = r->waiting[i];
	a->spent[a->phase] += now - a->at;
	r->waiting[i] = r->waiting[--r->nr_waiting];
}

static void level(struct reader *r, const struct tg_gpu *core, const struct tg_reserve *reserve,
		  u32 client)
{
	struct tgs_spans *s = r->s;
	struct tgs_level *l;
	u32 i = s->nr_reserves;

	if (reserve->capacity >= reserve->period)
		return;
	while (i-- > 0)
		if (*reserve->name ? !strcmp(s->reserves[i].name, reserve->name) :
				     !*s->reserves[i].name && s->reserves[i].client == client)
			break;
	if (i == (u32)-1) {
		struct tgs_store *store = PUSH(s->reserves, s->nr_reserves);

		*store = (struct tgs_store){ .client = client, .last = TG_NEVER };
		memcpy(store->name, reserve->name, sizeof(store->name));
		i = s->nr_reserves - 1;
	}
	if (s->reserves[i].last == reserve->budget)
		return;
	s->reserves[i].last = reserve->budget;
	l = PUSH(s->levels, s->nr_levels);
	*l = (struct tgs_level){ i, core->now, reserve->budget };
}

static void before(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct reader *r = container_of(w, struct reader, watch);
	const struct tg_job *job;

	if (ev->kind == TG_EV_CANCEL)
		end_wait(r, ev->job, ev->now);
	if (ev->kind == TG_EV_DONE) {
		job = tg_gpu_job(core, ev->job);
		r->done = job ? job->client->id : 0;
	}
}

static void action(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *act)
{
	struct reader *r = container_of(w, struct reader, watch);
	const struct tg_job *job;

	if (act->kind != TG_ACT_FREE)
		return;
	end_wait(r, act->job, core->now);
	job = tg_gpu_job(core, act->job);
	if (job)
		level(r, core, job->reserve, job->client->id);
}

static void after(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct reader *r = container_of(w, struct reader, watch);
	const struct tg_client *client = NULL;
	const struct tg_job *job;
	struct account *a;
	u32 i;

	r->s->cut = core->now;
	if (ev->kind == TG_EV_SUBMIT) {
		client = tg_gpu_client(core, ev->client);
		job = tg_gpu_job(core, ev->job);
		if (job && job->state < TG_JOB_FREED) {
			a = PUSH(r->waiting, r->nr_waiting);
			*a = (struct account){ .job = ev->job, .at = core->now,
					       .phase = tgs_phase_of(core, job) };
		}
	} else if (ev->kind == TG_EV_DONE) {
		client = tg_gpu_client(core, r->done);
	}
	if (client)
		level(r, core, client->reserve, client->id);
	for (i = 0; i < r->nr_waiting; i++) {
		a = &r->waiting[i];
		job = tg_gpu_job(core, a->job);
		if (!job)
			continue;
		a->spent[a->phase] += core->now - a->at;
		a->at = core->now;
		a->phase = tgs_phase_of(core, job);
	}
}

/* ---- record by record: waits and runs ------------------------------------------------------ */

static struct channel *find_channel(struct reader *r, u32 client, u32 channel)
{
	u32 i = r->nr_channels;

	while (i-- > 0)
		if (r->channels[i].client == client && r->channels[i].channel == channel)
			return &r->channels[i];
	return NULL;
}

static struct job *find_job(struct reader *r, u64 id)
{
	u32 i = r->nr_jobs;

	while (i-- > 0)
		if (r->jobs[i].id == id)
			return &r->jobs[i];
	return NULL;
}

static void on_join(struct reader *r, const struct tg_record *rec)
{
	struct channel *ch = find_channel(r, rec->client, rec->channel);
	struct tg_identity id;
	struct tgs_who *who;
	struct tg_event ev;

	tg_record_read_event(rec, &ev, &id);
	if (find_client(r->s, rec->client) == TGS_NOBODY) {
		who = PUSH(r->s->clients, r->s->nr_clients);
		*who = (struct tgs_who){ .id = rec->client, .pid = id.pid };
		memcpy(who->comm, id.comm, sizeof(who->comm) - 1);
	}
	if (!ch)
		ch = PUSH(r->channels, r->nr_channels);
	*ch = (struct channel){ rec->client, rec->channel,
				rec->arg ? __builtin_ctzll(rec->arg) % TG_ENGINES_MAX : 0 };
}

static void on_submit(struct reader *r, const struct tg_record *rec)
{
	const struct channel *ch = find_channel(r, rec->client, rec->channel);
	u32 client = find_client(r->s, rec->client);
	struct job *job;

	if (client == TGS_NOBODY)	/* it came in a gap */
		return;
	job = PUSH(r->jobs, r->nr_jobs);
	*job = (struct job){ .id = rec->job, .client = client, .channel = rec->channel,
			     .engine = ch ? ch->engine : 0, .arrived = rec->now,
			     .started = TG_NEVER };
}

/* @a: what it waited for; NULL: that is not known. */
static void add_wait(struct reader *r, const struct job *job, s64 until, const struct account *a)
{
	struct tgs_wait *w;
	u32 i;

	if (until <= job->arrived)
		return;
	w = PUSH(r->s->waits, r->s->nr_waits);
	*w = (struct tgs_wait){ .job = job->id, .client = job->client, .channel = job->channel,
				.engine = job->engine, .from = job->arrived, .until = until,
				.cause = TGS_PHASES };
	for (i = 0; a && i < TGS_PHASES; i++) {
		w->spent[i] = a->spent[i];
		if (a->spent[i] && (w->cause == TGS_PHASES || a->spent[i] > a->spent[w->cause]))
			w->cause = i;
	}
}

static void waited(struct reader *r, const struct job *job, s64 until)
{
	const bool known = r->taken < r->nr_ended && r->ended[r->taken].job == job->id;

	add_wait(r, job, until, known ? &r->ended[r->taken++] : NULL);
}

static void add_run(struct reader *r, const struct job *job, s64 until, s64 lag, u64 known)
{
	struct tgs_run *run = PUSH(r->s->runs, r->s->nr_runs);

	*run = (struct tgs_run){ .job = job->id, .client = job->client, .channel = job->channel,
				 .engine = job->engine, .until = until, .lag = lag, .known = known,
				 .from = min(max(job->started, r->last[job->engine]), until) };
	r->last[job->engine] = max(r->last[job->engine], until);
}

/* When it was that the record tells of; one that says no such time tells of its own. */
static s64 time_of(const struct tg_record *rec)
{
	return rec->at >= 0 && rec->at <= rec->now ? rec->at : rec->now;
}

static void ran(struct reader *r, const struct job *job, const struct tg_record *rec)
{
	if (job->started != TG_NEVER)
		add_run(r, job, time_of(rec), rec->now - time_of(rec), rec->arg);
}

static void on_event(struct reader *r, const struct tg_record *rec)
{
	struct job *job = rec->kind == TG_EV_SUBMIT ? NULL : find_job(r, rec->job);
	struct channel *ch;

	switch (rec->kind) {
	case TG_EV_JOIN:
		on_join(r, rec);
		return;
	case TG_EV_ENGINES:
		ch = find_channel(r, rec->client, rec->channel);
		if (ch && rec->arg)
			ch->engine = __builtin_ctzll(rec->arg) % TG_ENGINES_MAX;
		return;
	case TG_EV_SUBMIT:
		on_submit(r, rec);
		return;
	case TG_EV_STARTED:
		if (job)
			job->started = time_of(rec);
		return;
	case TG_EV_DONE:
		if (job)
			ran(r, job, rec);
		break;
	case TG_EV_CANCEL:
		if (job)
			waited(r, job, rec->now);
		break;
	case TG_EV_REFUSED:
		break;
	default:
		return;
	}
	if (job)
		*job = r->jobs[--r->nr_jobs];
}

/*
 * The trace ends at @now, and some jobs have not: those that wait wait until then, and on each
 * engine the first that has started runs until then.
 */
static void at_the_end(struct reader *r, s64 now)
{
	const struct job *first[TG_ENGINES_MAX] = { };
	u32 i, k;

	for (i = 0; i < r->nr_jobs; i++) {
		const struct job *job = &r->jobs[i];
		const struct account *a = NULL;

		if (job->unsure)
			continue;
		if (job->freed) {
			if (job->started <= now && (!first[job->engine] ||
						    job->started < first[job->engine]->started))
				first[job->engine] = job;
			continue;
		}
		for (k = 0; !a && r->s->cut == TG_NEVER && k < r->nr_waiting; k++)
			if (r->waiting[k].job == job->id)
				a = &r->waiting[k];
		add_wait(r, job, now, a);
	}
	for (i = 0; i < TG_ENGINES_MAX; i++)
		if (first[i])
			add_run(r, first[i], now, 0, TGS_NOT_OVER);
}

static int walk(struct reader *r, const struct tgs_trace *t, char *error)
{
	const struct tg_record *rec;
	struct tgs_clock *clock;
	struct tgs_told *told;
	struct job *job;
	u64 pos = 0;
	s64 now = t->head.now;

	while ((rec = tgs_trace_next(t, &pos, error))) {
		if (rec->type == TG_REC_EVENT && !rec->result) {
			now = rec->now;
			on_event(r, rec);
		} else if (rec->type == TG_REC_ACTION && rec->kind == TG_ACT_FREE) {
			job = find_job(r, rec->job);
			if (job) {
				waited(r, job, now);
				job->freed = true;
			}
		} else if (rec->type == TG_REC_ACTION && rec->kind == TG_ACT_NOTE) {
			job = rec->channel == TG_NOTE_LOST ? find_job(r, rec->job) : NULL;
			if (job)
				job->unsure = true;
			told = PUSH(r->s->notes, r->s->nr_notes);
			*told = (struct tgs_told){ rec->channel, find_client(r->s, rec->client), now };
		} else if (rec->type == TG_REC_GAP) {
			for (job = r->jobs; job < r->jobs + r->nr_jobs; job++)
				job->unsure = true;
		} else if (rec->type == TG_REC_CLOCK) {
			clock = PUSH(r->s->clocks, r->s->nr_clocks);
			*clock = (struct tgs_clock){ rec->now, rec->at, rec->arg };
		}
	}
	at_the_end(r, now);
	return *error ? -EINVAL : 0;
}

/* ---- who ran while another waited, and what is shown --------------------------------------- */

static int by_end(const void *a, const void *b)
{
	const struct tgs_run *ra = a, *rb = b;

	if (ra->engine != rb->engine)
		return ra->engine < rb->engine ? -1 : 1;
	return (ra->until > rb->until) - (ra->until < rb->until);
}

/* The first run of @engine that ends behind @at. */
static u32 first_behind(const struct tgs_spans *s, u32 engine, s64 at)
{
	u32 low = 0, high = s->nr_runs;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		const struct tgs_run *run = &s->runs[mid];

		if (run->engine < engine || (run->engine == engine && run->until <= at))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void find_behind(struct tgs_spans *s, u32 wait)
{
	const struct tgs_wait *w = &s->waits[wait];
	u32 first = s->nr_behind, i, least, n;

	for (i = first_behind(s, w->engine, w->from); i < s->nr_runs; i++) {
		const struct tgs_run *run = &s->runs[i];
		struct tgs_behind b = { .wait = wait, .run = i };

		if (run->engine != w->engine || run->from >= w->until)
			break;
		b.time = min(run->until, w->until) - max(run->from, w->from);
		if (b.time <= 0)
			continue;
		if (s->nr_behind - first < TGS_BEHIND) {
			*PUSH(s->behind, s->nr_behind) = b;
			continue;
		}
		for (least = n = first; n < s->nr_behind; n++)
			if (s->behind[n].time < s->behind[least].time)
				least = n;
		if (s->behind[least].time < b.time)
			s->behind[least] = b;
	}
}

static bool choose_clients(struct tgs_spans *s, const char *wanted)
{
	bool found = !wanted;
	u32 i, c;

	for (i = 0; i < s->nr_clients; i++) {
		const struct tgs_who *who = &s->clients[i];

		s->clients[i].wanted = !wanted || tgs_is_client(wanted, who->id, who->pid, who->comm);
		found |= s->clients[i].wanted;
	}
	for (i = 0; i < s->nr_reserves; i++) {
		c = find_client(s, s->reserves[i].client);
		s->reserves[i].shown = !wanted || (c != TGS_NOBODY && s->clients[c].wanted);
	}
	return found;
}

/* Drop of the points in time those outside of @w. */
static void cut(struct tgs_spans *s, s64 from, s64 to)
{
	u32 i, n;

	for (i = n = 0; i < s->nr_levels; i++)
		if (s->levels[i].at >= from && s->levels[i].at < to &&
		    s->reserves[s->levels[i].reserve].shown)
			s->levels[n++] = s->levels[i];
	s->nr_levels = n;
	for (i = n = 0; i < s->nr_notes; i++) {
		const struct tgs_told *note = &s->notes[i];

		if (note->at >= from && note->at < to &&
		    (note->client == TGS_NOBODY || s->clients[note->client].wanted))
			s->notes[n++] = *note;
	}
	s->nr_notes = n;
}

static void choose(struct tgs_spans *s, const struct tgs_window *w)
{
	s64 from = s->start + w->from, to = w->to == TG_NEVER ? TG_NEVER : s->start + w->to;
	u32 i, b;

	for (i = 0; i < s->nr_waits; i++) {
		struct tgs_wait *wait = &s->waits[i];

		wait->shown = s->clients[wait->client].wanted && wait->until > from &&
			      wait->from < to;
		if (!wait->shown)
			continue;
		b = s->nr_behind;
		find_behind(s, i);
		for (; b < s->nr_behind; b++)
			s->runs[s->behind[b].run].shown = true;
	}
	for (i = 0; i < s->nr_runs; i++) {
		struct tgs_run *run = &s->runs[i];

		run->shown = (run->shown || s->clients[run->client].wanted) && run->until > from &&
			     run->from < to;
	}
	cut(s, from, to);
}

int tgs_spans_read(struct tgs_spans *s, const struct tgs_trace *t, const struct tgs_window *w,
		   char *error)
{
	struct reader r = { .watch = { before, action, after }, .s = s };
	char *said = NULL;
	size_t len;
	FILE *to = open_memstream(&said, &len);
	int err;

	*s = (struct tgs_spans){ .start = t->head.now, .cut = t->head.now };
	if (!to) {
		snprintf(error, TGS_MESSAGE, "out of memory");
		return -ENOMEM;
	}
	if (!tgs_replay_watched(t, &r.watch, to))
		s->cut = TG_NEVER;
	fclose(to);
	free(said);
	err = walk(&r, t, error);
	if (!err && !choose_clients(s, w->client)) {
		snprintf(error, TGS_MESSAGE, "no client '%.100s' in the trace", w->client);
		err = -ENOENT;
	}
	if (s->nr_runs)
		qsort(s->runs, s->nr_runs, sizeof(*s->runs), by_end);
	if (!err)
		choose(s, w);
	free(r.waiting);
	free(r.ended);
	free(r.channels);
	free(r.jobs);
	return err;
}

void tgs_spans_deinit(struct tgs_spans *s)
{
	free(s->clients);
	free(s->waits);
	free(s->runs);
	free(s->behind);
	free(s->levels);
	free(s->reserves);
	free(s->notes);
	free(s->clocks);
	memset(s, 0, sizeof(*s));
}
