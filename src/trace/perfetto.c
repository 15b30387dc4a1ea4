// SPDX-License-Identifier: GPL-2.0
/*
 * Which client ran when, out of a trace's records: as a JSON trace that ui.perfetto.dev and
 * chrome://tracing open, or as a picture. Reads records only and replays nothing, so it goes on
 * behind a gap. Called by tgctl.
 *
 * A group runs from its doorbell, or the completion before it on its engine if that is later, to
 * its own completion: as the core charges it. In JSON it says from where the time of its completion
 * is known, and how much later the host noticed it.
 */
#include <stdlib.h>

#include "lib/json.h"
#include "mem.h"
#include "perfetto.h"
#include "picture.h"

struct channel {
	u32 client, channel, engine;
};

struct job {
	u64 id;
	u32 client, channel, engine;
	s64 arrived, freed, started;
	s64 lag;			/* until its completion was noticed */
	u64 known;			/* enum tg_done */
};

struct walk {
	const struct tgs_trace *t;
	s64 last[TG_ENGINES_MAX];	/* completion on each engine */
	struct channel *channels;
	u32 nr_channels;
	struct job *jobs;		/* that have not ended */
	u32 nr_jobs;
	void *to;
	void (*client)(struct walk *w, u32 client, const struct tg_identity *id);
	void (*waited)(struct walk *w, const struct job *job, s64 until);
	void (*ran)(struct walk *w, const struct job *job, s64 from, s64 until);
	void (*note)(struct walk *w, u32 client, u32 note, s64 at);
};

static struct channel *find_channel(struct walk *w, u32 client, u32 channel)
{
	u32 i = w->nr_channels;

	while (i--)
		if (w->channels[i].client == client && w->channels[i].channel == channel)
			return &w->channels[i];
	return NULL;
}

static struct job *find_job(struct walk *w, u64 id)
{
	u32 i = w->nr_jobs;

	while (i--)
		if (w->jobs[i].id == id)
			return &w->jobs[i];
	return NULL;
}

static bool knows_client(const struct walk *w, u32 client)
{
	u32 i;

	for (i = 0; i < w->nr_channels; i++)
		if (w->channels[i].client == client)
			return true;
	return false;
}

static void on_join(struct walk *w, const struct tg_record *r)
{
	struct tg_identity id;
	struct tg_event ev;

	tg_record_read_event(r, &ev, &id);
	if (!knows_client(w, r->client))
		w->client(w, r->client, &id);
	if (find_channel(w, r->client, r->channel))
		return;
	w->channels = tgs_room(w->channels, w->nr_channels, sizeof(*w->channels));
	w->channels[w->nr_channels++] = (struct channel){
		r->client, r->channel, r->arg ? __builtin_ctzll(r->arg) % TG_ENGINES_MAX : 0 };
}

static void on_submit(struct walk *w, const struct tg_record *r)
{
	const struct channel *ch = find_channel(w, r->client, r->channel);

	w->jobs = tgs_room(w->jobs, w->nr_jobs, sizeof(*w->jobs));
	w->jobs[w->nr_jobs++] = (struct job){
		.id = r->job, .client = r->client, .channel = r->channel,
		.engine = ch ? ch->engine : 0, .arrived = r->now, .freed = TG_NEVER,
		.started = TG_NEVER,
	};
}

static void on_event(struct walk *w, const struct tg_record *r)
{
	struct job *job = r->kind == TG_EV_SUBMIT ? NULL : find_job(w, r->job);
	s64 from;

	switch (r->kind) {
	case TG_EV_JOIN:
		on_join(w, r);
		return;
	case TG_EV_SUBMIT:
		on_submit(w, r);
		return;
	case TG_EV_STARTED:
		if (job)
			job->started = r->at;
		return;
	case TG_EV_DONE:
		if (job && job->started != TG_NEVER) {
			job->lag = max(r->now - r->at, (s64)0);
			job->known = r->arg;
			from = max(job->started, w->last[job->engine]);
			w->ran(w, job, min(from, r->at), r->at);
			w->last[job->engine] = max(w->last[job->engine], r->at);
		}
		break;
	case TG_EV_CANCEL:
		if (job)
			w->waited(w, job, r->now);
		break;
	case TG_EV_REFUSED:
		break;
	default:
		return;
	}
	if (job)
		*job = w->jobs[--w->nr_jobs];
}

static int walk(struct walk *w, char *error)
{
	const struct tg_record *r;
	struct job *job;
	u64 pos = 0;
	s64 now = 0;

	while ((r = tgs_trace_next(w->t, &pos, error))) {
		if (r->type == TG_REC_EVENT && !r->result) {
			now = r->now;
			on_event(w, r);
		} else if (r->type == TG_REC_ACTION && r->kind == TG_ACT_FREE) {
			job = find_job(w, r->job);
			if (job) {
				job->freed = now;
				w->waited(w, job, now);
			}
		} else if (r->type == TG_REC_ACTION && r->kind == TG_ACT_NOTE) {
			w->note(w, r->client, r->channel, now);
		}
	}
	free(w->channels);
	free(w->jobs);
	return *error ? -EINVAL : 0;
}

/* ---- JSON ------------------------------------------------------------------------------- */

/* ns since the trace's start as us */
static void json_us(struct json *j, const char *key, s64 ns)
{
	fprintf(json_raw(j, key), "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

/*
 * An event of the JSON trace: it begins a line, and is in a thread (an engine) of a process (a
 * client).
 */
static void event_open(struct json *j, const char *ph, const char *cat, const char *name)
{
	json_line(j);
	json_open(j, NULL, '{');
	json_string(j, "ph", ph);
	if (cat)
		json_string(j, "cat", cat);
	json_string(j, "name", name);
}

static void event_thread(struct json *j, u32 client, u32 thread)
{
	json_u64(j, "pid", client);
	json_u64(j, "tid", thread);
}

static void json_client(struct walk *w, u32 client, const struct tg_identity *id)
{
	struct json *j = w->to;
	FILE *to;
	u32 e;

	event_open(j, "M", NULL, "process_name");
	event_thread(j, client, 0);
	json_open(j, "args", '{');
	to = json_raw(j, "name");
	fputc('"', to);
	json_escape(to, id->comm, strlen(id->comm), j->bytes);
	fprintf(to, ", process %u, user %u\"", id->pid, id->uid);
	json_close(j, '}');
	json_close(j, '}');
	for (e = 0; e < w->t->head.engines; e++) {
		event_open(j, "M", NULL, "thread_name");
		event_thread(j, client, e + 1);
		json_open(j, "args", '{');
		fprintf(json_raw(j, "name"), "\"engine %u\"", e);
		json_close(j, '}');
		json_close(j, '}');
	}
}

static void json_waited(struct walk *w, const struct job *job, s64 until)
{
	struct json *j = w->to;
	int i;

	if (until == job->arrived)
		return;
	for (i = 0; i < 2; i++) {
		event_open(j, i ? "e" : "b", "wait", "waits");
		json_u64(j, "id", job->id);
		event_thread(j, job->client, job->engine + 1);
		json_us(j, "ts", (i ? until : job->arrived) - w->t->head.now);
		json_close(j, '}');
	}
}

/* How the end of a group is known, by enum tg_done. */
static const char *const end_by[] = {
	"interrupt", "GPU clock", "GPU clock, of a later group", "interrupt, the slot is forged",
};

static void json_ran(struct walk *w, const struct job *job, s64 from, s64 until)
{
	struct json *j = w->to;

	event_open(j, "X", "gpu", "group");
	event_thread(j, job->client, job->engine + 1);
	json_us(j, "ts", from - w->t->head.now);
	json_us(j, "dur", until - from);
	json_open(j, "args", '{');
	json_u64(j, "job", job->id);
	json_u64(j, "channel", job->channel);
	json_string(j, "end_by", job->known < ARRAY_SIZE(end_by) ? end_by[job->known] : end_by[0]);
	json_us(j, "noticed_late_us", job->lag);
	json_close(j, '}');
	json_close(j, '}');
}

static void json_note(struct walk *w, u32 client, u32 note, s64 at)
{
	struct json *j = w->to;

	json_line(j);
	json_open(j, NULL, '{');
	json_string(j, "ph", "i");
	json_string(j, "s", "g");
	json_string(j, "cat", "note");
	json_string(j, "name", tgs_note_name(note));
	event_thread(j, client, 0);
	json_us(j, "ts", at - w->t->head.now);
	json_close(j, '}');
}

static int cannot(const char *path, char *error)
{
	int err = errno ? errno : EIO;

	snprintf(error, TGS_MESSAGE, "cannot write %.160s: %s", path, strerror(err));
	return -err;
}

int tgs_perfetto(const struct tgs_trace *t, const char *path, char *error)
{
	struct json j = { .to = strcmp(path, "-") ? fopen(path, "w") : stdout,
			  .bytes = JSON_ASCII };
	struct walk w = { .t = t, .to = &j, .client = json_client, .waited = json_waited,
			  .ran = json_ran, .note = json_note };
	int err;

	if (!j.to)
		return cannot(path, error);
	json_open(&j, NULL, '{');
	json_string(&j, "displayTimeUnit", "ms");
	json_open(&j, "traceEvents", '[');
	err = walk(&w, error);
	fputc('\n', j.to);
	json_close(&j, ']');
	json_close(&j, '}');
	fputc('\n', j.to);
	if (fflush(j.to) || ferror(j.to))
		err = cannot(path, error);
	if (j.to != stdout)
		fclose(j.to);
	return err;
}

/* ---- picture ---------------------------------------------------------------------------- */

struct picture {
	FILE *to;
	struct { u32 id; char comm[TG_COMM_LEN]; } *clients;
	u32 nr, runs;
};

static void plot_client(struct walk *w, u32 client, const struct tg_identity *id)
{
	struct picture *p = w->to;
	u32 i;

	p->clients = tgs_grow(p->clients, p->nr + 1, sizeof(*p->clients));
	p->clients[p->nr].id = client;
	for (i = 0; i < TG_COMM_LEN - 1 && id->comm[i]; i++)
		p->clients[p->nr].comm[i] = strchr("'\"\\{}_^@&~", id->comm[i]) ||
					    id->comm[i] < ' ' ? '?' : id->comm[i];
	p->clients[p->nr++].comm[i] = '\0';
}

static void plot_bar(struct walk *w, const struct job *job, s64 from, s64 until, double height)
{
	struct picture *p = w->to;
	u32 row;

	for (row = 0; row < p->nr && p->clients[row].id != job->client; row++)
		;
	if (until > from && p->runs++ < TGS_STRETCHES)
		fprintf(p->to, "%.6f %.6f %.6f %.2f %.2f %d\n", (from - w->t->head.now) / 1e9,
			(from - w->t->head.now) / 1e9, (until - w->t->head.now) / 1e9,
			row - height, row + height, height > 0.2);
}

static void plot_waited(struct walk *w, const struct job *job, s64 until)
{
	plot_bar(w, job, job->arrived, until, 0.1);
}

static void plot_ran(struct walk *w, const struct job *job, s64 from, s64 until)
{
	plot_bar(w, job, from, until, 0.4);
}

static void plot_note(struct walk *w, u32 client, u32 note, s64 at)
{
}

int tgs_trace_plot(const struct tgs_trace *t, const char *path, char *error)
{
	struct picture p = { };
	struct walk w = { .t = t, .to = &p, .client = plot_client, .waited = plot_waited,
			  .ran = plot_ran, .note = plot_note };
	int err = tgs_picture_open(&p.to, path, error), draw_err;
	char unused[TGS_MESSAGE];
	u32 i;

	if (err)
		return err;
	fprintf(p.to, "$runs << end\n");
	err = walk(&w, error);
	fprintf(p.to, "end\nset xlabel 'seconds since the start of the trace'\nset ytics (");
	for (i = 0; i < p.nr; i++)
		fprintf(p.to, "%s'%s (%u)' %u", i ? "," : "", p.clients[i].comm, p.clients[i].id, i);
	fprintf(p.to, ")\nset yrange [-0.6:%.1f]\nset style fill solid 0.9 noborder\n"
		"set key outside top center horizontal\nset grid xtics\n"
		"plot $runs using ($6==1?$1:NaN):(($4+$5)/2):2:3:4:5 with boxxyerror "
		"lc rgb '#2b6cb0' title 'runs', "
		"$runs using ($6==0?$1:NaN):(($4+$5)/2):2:3:4:5 with boxxyerror "
		"lc rgb '#c05621' title 'waits'\n", p.nr - 0.4);
	free(p.clients);
	draw_err = tgs_picture_close(p.to, path, err ? unused : error);
	return err ? err : draw_err;
}
