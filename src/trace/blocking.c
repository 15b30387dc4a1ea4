// SPDX-License-Identifier: GPL-2.0
/*
 * Blocking, counted from a trace: while a job waited for the policy, how many groups of lower
 * priority completed on its engines? Never more than were in flight when it arrived, if
 * priorities are kept: those cannot be taken back, and no other may go before it.
 *
 * Time that a job is throttled by its reserve does not count: it arrives, for the policy, when
 * it becomes eligible. After a change of priorities every waiting job counts as arriving anew.
 * Called by tgsim. One thread.
 */
#include <stdlib.h>

#include "blocking.h"
#include "mem.h"
#include "replay.h"

struct waiting {
	u64 job;
	bool queued;
	u8 prio;
	u32 inflight;		/* of lower priority, when it arrived */
	u32 lower;		/* completed since */
};

struct row {
	u32 client;
	char comm[TG_COMM_LEN];
	u8 prio;
	u64 jobs, waited, lower, too_many;
	u32 most_lower, most_inflight;
};

struct blocking {
	struct tgs_watch watch;
	struct waiting *waiting;
	u32 nr_waiting;
	struct row *rows;
	u32 nr_rows;
	u64 first;		/* job for which there were too many; 0: none */
};

static struct row *row_of(struct blocking *b, const struct tg_client *client)
{
	struct row *row;
	u32 i;

	for (i = 0; i < b->nr_rows; i++)
		if (b->rows[i].client == client->id)
			return &b->rows[i];
	b->rows = tgs_grow(b->rows, b->nr_rows + 1, sizeof(*b->rows));
	row = &b->rows[b->nr_rows++];
	*row = (struct row){ .client = client->id };
	memcpy(row->comm, client->id_data->comm, sizeof(row->comm));
	return row;
}

/* Groups of lower priority in flight on the engines of @job. */
static u32 lower_inflight(const struct tg_gpu *core, const struct tg_job *job)
{
	const struct tg_client *client;
	const struct tg_channel *ch;
	const struct tg_job *other;
	u32 n = 0;

	list_for_each_entry(client, &core->all_clients, all) {
		if (client->prio >= job->client->prio)
			continue;
		for (ch = client->channels; ch; ch = ch->next)
			list_for_each_entry(other, &ch->jobs, sibling)
				n += other->state >= TG_JOB_FREED && other->engines & job->engines;
	}
	return n;
}

static void arrive(struct waiting *w, const struct tg_gpu *core, const struct tg_job *job)
{
	w->queued = job->state == TG_JOB_QUEUED;
	w->prio = job->client->prio;
	w->inflight = lower_inflight(core, job);
	w->lower = 0;
}

static void before(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct blocking *b = container_of(watch, struct blocking, watch);
	const struct tg_job *done, *job;
	u32 i;

	if (ev->kind != TG_EV_DONE)
		return;
	done = tg_gpu_job(core, ev->job);
	for (i = 0; done && i < b->nr_waiting; i++) {
		struct waiting *w = &b->waiting[i];

		job = tg_gpu_job(core, w->job);
		if (!job || !w->queued || w->prio <= done->client->prio || !(job->engines & done->engines))
			continue;
		if (++w->lower != w->inflight + 1)
			continue;
		row_of(b, job->client)->too_many++;
		if (!b->first)
			b->first = w->job;
	}
}

/* The core has freed @job: add what @w counted to its client's row. */
static void tally(struct blocking *b, const struct waiting *w, const struct tg_job *job)
{
	struct row *row = row_of(b, job->client);

	row->waited++;
	row->lower += w->lower;
	row->most_lower = max(row->most_lower, w->lower);
	row->most_inflight = max(row->most_inflight, w->inflight);
}

static void action(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *act)
{
	struct blocking *b = container_of(watch, struct blocking, watch);
	const struct tg_job *job;
	u32 i;

	job = act->kind == TG_ACT_FREE ? tg_gpu_job(core, act->job) : NULL;
	if (!job)
		return;
	for (i = 0; i < b->nr_waiting; i++)
		if (b->waiting[i].job == act->job && b->waiting[i].queued)
			tally(b, &b->waiting[i], job);
}

static void after(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct blocking *b = container_of(watch, struct blocking, watch);
	bool anew = ev->kind == TG_EV_SPEC || ev->kind == TG_EV_JOIN ||
		    ev->kind == TG_EV_PRIO || ev->kind == TG_EV_FOREGROUND ||
		    ev->kind == TG_EV_NICE;
	const struct tg_job *job;
	u32 i, kept = 0;

	if (ev->kind == TG_EV_SUBMIT) {
		const struct tg_client *client = tg_gpu_client(core, ev->client);
		struct row *row = row_of(b, client);

		row->jobs++;
		row->prio = client->prio;
		b->waiting = tgs_grow(b->waiting, b->nr_waiting + 1, sizeof(*b->waiting));
		b->waiting[b->nr_waiting++] = (struct waiting){ .job = ev->job };
	}
	for (i = 0; i < b->nr_waiting; i++) {
		struct waiting *w = &b->waiting[i];

		job = tg_gpu_job(core, w->job);
		if (!job || job->state >= TG_JOB_FREED)
			continue;
		if (anew || w->queued != (job->state == TG_JOB_QUEUED))
			arrive(w, core, job);
		b->waiting[kept++] = *w;
	}
	b->nr_waiting = kept;
}

static int by_prio(const void *a, const void *b)
{
	const struct row *ra = a, *rb = b;

	return ra->prio != rb->prio ? rb->prio - ra->prio : (int)(ra->client - rb->client);
}

int tgs_blocking(const struct tgs_trace *t, FILE *to)
{
	struct blocking b = { .watch = { before, action, after } };
	u64 jobs = 0, waited = 0, too_many = 0;
	int err = tgs_replay_watched(t, &b.watch, to);
	u32 i;

	if (b.nr_rows)
		qsort(b.rows, b.nr_rows, sizeof(*b.rows), by_prio);
	fprintf(to, "%39s lower-priority groups: completed meanwhile, in flight at arrival\n", "");
	fprintf(to, "%-16s%4s%9s%9s%12s%12s%12s%12s\n", "client", "prio", "groups", "waited", "mean",
		"at most", "at most", "too many");
	for (i = 0; i < b.nr_rows; i++) {
		const struct row *r = &b.rows[i];
		char comm[TG_COMM_LEN];

		jobs += r->jobs;
		waited += r->waited;
		too_many += r->too_many;
		fprintf(to, "%-16s%4u%9llu%9llu%12.3f%12u%12u%12llu\n",
			tgs_plain(comm, r->comm, sizeof(comm)), r->prio,
			(unsigned long long)r->jobs, (unsigned long long)r->waited,
			r->waited ? (double)r->lower / r->waited : 0.0, r->most_lower,
			r->most_inflight, (unsigned long long)r->too_many);
	}
	fprintf(to, "%llu groups of %u clients, %llu let go after they waited; %llu saw more groups of "
		"lower priority\ncomplete than were in flight when they arrived",
		(unsigned long long)jobs, b.nr_rows, (unsigned long long)waited,
		(unsigned long long)too_many);
	if (b.first)
		fprintf(to, ": job %llu first", (unsigned long long)b.first);
	fprintf(to, "\n");
	free(b.waiting);
	free(b.rows);
	return err || too_many;
}
