// SPDX-License-Identifier: GPL-2.0
/*
 * The lives of a trace's groups, read by looking on while it is replayed: when each waited, for
 * what, and when it ran; drawn in letters and printed as a table. Called by tgsim. One thread.
 */
#include <stdlib.h>

#include "mem.h"
#include "timeline.h"

#define COLUMNS	72		/* of the picture, at most */

struct reader {
	struct tgs_watch watch;
	struct tgs_timeline *tl;
	u32 *live;			/* groups whose job is not over: indices */
	u32 nr_live;
};

/* The group is in @phase from @at on. */
static void enter(struct tgs_group *g, s64 at, enum tgs_phase phase)
{
	u32 n = g->nr_phases;

	if (n && g->phases[n - 1].phase == phase)
		return;
	g->phases = tgs_room(g->phases, n, sizeof(*g->phases));
	g->phases[g->nr_phases++] = (struct tgs_stay){ at, phase };
	if (phase == TGS_RUNNING)
		g->started = at;
}

static void add(struct reader *r, const struct tg_gpu *core, const struct tg_record *ev)
{
	const struct tg_client *client = tg_gpu_client(core, ev->client);
	struct tgs_timeline *tl = r->tl;
	struct tgs_group *g;
	u32 i;

	if (!client)
		return;		/* a trace that nobody has recorded */
	tl->groups = tgs_room(tl->groups, tl->nr, sizeof(*tl->groups));
	r->live = tgs_grow(r->live, r->nr_live + 1, sizeof(*r->live));
	r->live[r->nr_live++] = tl->nr;
	g = &tl->groups[tl->nr++];
	*g = (struct tgs_group){
		.job = ev->job, .client = ev->client, .nr = 1, .arrived = ev->now,
		.freed = TG_NEVER, .started = TG_NEVER, .done = TG_NEVER, .arrived_e = TG_NEVER,
		.limited = client->reserve->capacity < client->reserve->period,
	};
	memcpy(g->comm, client->id_data->comm, sizeof(g->comm));
	for (i = tl->nr - 1; i-- > 0 && g->nr == 1;)
		if (tl->groups[i].client == g->client)
			g->nr = tl->groups[i].nr + 1;
}

static struct tgs_group *find(struct reader *r, u64 job)
{
	u32 i;

	for (i = 0; i < r->nr_live; i++)
		if (r->tl->groups[r->live[i]].job == job)
			return &r->tl->groups[r->live[i]];
	return NULL;
}

static s64 budget(const struct tg_gpu *core, u32 client)
{
	const struct tg_client *c = tg_gpu_client(core, client);

	return c ? c->reserve->budget : 0;
}

static void before(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct reader *r = container_of(w, struct reader, watch);

	if (ev->kind == TG_EV_SUBMIT && ev->now >= r->tl->from && ev->now < r->tl->until)
		add(r, core, ev);
}

static void action(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *act)
{
	struct reader *r = container_of(w, struct reader, watch);
	struct tgs_group *g = act->kind == TG_ACT_FREE ? find(r, act->job) : NULL;
	const struct tg_job *job = tg_gpu_job(core, act->job);

	if (!g || !job)
		return;
	g->freed = core->now;
	g->freed_e = job->reserve->budget;
	if (g->arrived_e == TG_NEVER)
		g->arrived_e = g->freed_e;
	g->waited_reserve = job->throttled;
	g->waited_policy = g->freed - g->arrived - g->waited_reserve;
	g->predicted = job->predicted;
}

static void after(struct tgs_watch *w, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct reader *r = container_of(w, struct reader, watch);
	struct tgs_group *g;
	u32 i, kept = 0;

	if (ev->kind == TG_EV_DONE) {
		g = find(r, ev->job);
		if (g) {
			g->done = ev->at;
			g->done_e = budget(core, g->client);
		}
	}
	for (i = 0; i < r->nr_live; i++) {
		const struct tg_job *job;
		s64 at = core->now;

		g = &r->tl->groups[r->live[i]];
		job = tg_gpu_job(core, g->job);
		if (!job)
			continue;
		if (g->arrived_e == TG_NEVER) {
			g->arrived_e = job->reserve->budget;
			g->predicted = job->predicted;
		}
		/* the hardware's time, which is before that of the event */
		if ((ev->kind == TG_EV_STARTED && ev->job == g->job) || ev->kind == TG_EV_DONE)
			at = ev->at;
		enter(g, at, tgs_phase_of(core, job));
		r->live[kept++] = r->live[i];
	}
	r->nr_live = kept;
}

int tgs_timeline_read(struct tgs_timeline *tl, const struct tgs_trace *t, FILE *to)
{
	struct reader r = { .watch = { before, action, after }, .tl = tl };
	s64 last = 0;
	u32 i;
	int err;

	tl->from += t->head.now;
	if (tl->until != TG_NEVER)
		tl->until += t->head.now;
	err = tgs_replay_watched(t, &r.watch, to);
	for (i = 0; i < tl->nr; i++) {
		const struct tgs_group *g = &tl->groups[i];

		last = max(last, g->done != TG_NEVER ? g->done :
				 g->nr_phases ? g->phases[g->nr_phases - 1].from : g->arrived);
	}
	if (tl->until == TG_NEVER)
		tl->until = last;
	free(r.live);
	return err;
}

void tgs_timeline_deinit(struct tgs_timeline *tl)
{
	u32 i;

	for (i = 0; i < tl->nr; i++)
		free(tl->groups[i].phases);
	free(tl->groups);
	memset(tl, 0, sizeof(*tl));
}

/* ---- print ------------------------------------------------------------------------------ */

/* A step of 1, 2 or 5 times a power of ten, with which @span fits into the picture. */
static s64 step_for(s64 span)
{
	static const s64 factor[] = { 1, 2, 5 };
	s64 power;
	u32 i;

	for (power = 1; power < TG_NEVER / 100; power *= 10)
		for (i = 0; i < ARRAY_SIZE(factor); i++)
			if (span / (power * factor[i]) < COLUMNS)
				return power * factor[i];
	return power;
}

/* The letter for what the group does at @at, the middle of a column. */
static char letter(const struct tgs_group *g, s64 at)
{
	static const char letters[TGS_PHASES] = {
		[TGS_RESERVE] = 'r', [TGS_WINDOW] = 'w', [TGS_POLICY] = 'w', [TGS_HANDOVER] = 'w',
		[TGS_DRIVER] = '-', [TGS_BEHIND] = '=', [TGS_RUNNING] = '#', [TGS_LOST] = '!',
	};
	u32 i = g->nr_phases;

	if (g->done != TG_NEVER && at >= g->done)
		return ' ';
	while (i-- > 0)
		if (g->phases[i].from <= at)
			return letters[g->phases[i].phase];
	return ' ';
}

/* A time that is wider than @width shifts what follows; a blank always keeps them apart. */
static void print_ms(FILE *to, int width, s64 t, s64 zero)
{
	if (t == TG_NEVER)
		fprintf(to, " %*s", width - 1, "-");
	else
		fprintf(to, " %*.3f", width - 1, (t - zero) / 1e6);
}

static void label(const struct tgs_group *g, FILE *to)
{
	char comm[TG_COMM_LEN], text[TG_COMM_LEN + 12];

	snprintf(text, sizeof(text), "%s %u", tgs_plain(comm, g->comm, sizeof(comm)), g->nr);
	fprintf(to, "%-10s", text);
}

static void draw(const struct tgs_timeline *tl, FILE *to)
{
	s64 end = tl->from, step, at;
	char line[COLUMNS + 1];
	u32 i, n;

	for (i = 0; i < tl->nr; i++)
		end = max(end, tl->groups[i].done == TG_NEVER ? tl->until : tl->groups[i].done);
	step = step_for(end - tl->from);
	fprintf(to, "One column is %g ms: # runs, = behind others on the hardware, - on its way "
		"there,\nw waits for the policy, r for its reserve.\n\n", step / 1e6);
	for (i = 0; i < tl->nr; i++) {
		for (n = 0, at = tl->from + step / 2; n < COLUMNS && at < end; n++, at += step)
			line[n] = letter(&tl->groups[i], at);
		while (n && line[n - 1] == ' ')
			n--;
		line[n] = '\0';
		label(&tl->groups[i], to);
		fprintf(to, "|%s\n", line);
	}
}

static void print_group(const struct tgs_timeline *tl, const struct tgs_group *g, FILE *to)
{
	label(g, to);
	fprintf(to, " %3llu", (unsigned long long)g->job);
	print_ms(to, 9, g->arrived, tl->from);
	print_ms(to, 9, g->freed, tl->from);
	print_ms(to, 9, g->started, tl->from);
	print_ms(to, 9, g->done, tl->from);
	print_ms(to, 9, g->waited_policy, 0);
	print_ms(to, 9, g->waited_reserve, 0);
	if (g->limited) {
		print_ms(to, 8, g->predicted, 0);
		print_ms(to, 8, g->arrived_e, 0);
		print_ms(to, 8, g->freed == TG_NEVER ? TG_NEVER : g->freed_e, 0);
		print_ms(to, 8, g->done == TG_NEVER ? TG_NEVER : g->done_e, 0);
	}
	fprintf(to, "\n");
}

void tgs_timeline_print(const struct tgs_timeline *tl, FILE *to)
{
	bool limited = false;
	u32 i;

	if (!tl->nr) {
		fprintf(to, "no group arrives in this part of the trace\n");
		return;
	}
	draw(tl, to);
	for (i = 0; i < tl->nr; i++)
		limited |= tl->groups[i].limited;
	fprintf(to, "\n%-14s%36s%18s%s\n", "", "", "waited for",
		limited ? "        budget e when it" : "");
	fprintf(to, "%-10s%4s%9s%9s%9s%9s%9s%9s%s\n", "ms", "job", "arrives", "let go", "starts",
		"done", "policy", "reserve", limited ? "       x arrives  let go    done" : "");
	for (i = 0; i < tl->nr; i++)
		print_group(tl, &tl->groups[i], to);
}
