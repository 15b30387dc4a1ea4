// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran when, out of a trace's records: as a JSON trace that ui.perfetto.dev and chrome://tracing open,
 * or as a picture. Reads records only and replays nothing, so it goes on behind a gap.
 *
 * A group runs from its doorbell, or the completion before it on its engine if that is later, to its
 * own completion: as the core charges it.
 */
#include <stdlib.h>

#include "mem.h"
#include "perfetto.h"

struct channel {
	u32 client, channel, engine;
};

struct job {
	u64 id;
	u32 client, channel, engine;
	s64 arrived, freed, started;
};

struct walk {
	const struct tgs_trace *t;
	s64 last[TG_ENGINES_MAX];	/* completion on each engine */
	struct channel *channels;
	u32 nr_channels;
	struct job *jobs;		/* that are not over */
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

struct json {
	FILE *to;
	bool more;
};

static void begin(struct json *j)
{
	fputs(j->more ? ",\n" : "\n", j->to);
	j->more = true;
}

/* ns since the trace's start as us */
static void print_us(struct walk *w, const char *key, s64 ns)
{
	fprintf(((struct json *)w->to)->to, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000),
		(long long)(ns % 1000));
}

static void print_name(FILE *to, const char *s)
{
	for (; *s; s++) {
		unsigned char c = *s;

		if (c < 0x20 || c >= 0x7f)
			fprintf(to, "\\u%04x", c < 0x80 ? c : 0xfffd);
		else
			fprintf(to, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
	}
}

static void json_client(struct walk *w, u32 client, const struct tg_identity *id)
{
	struct json *j = w->to;
	u32 e;

	begin(j);
	fprintf(j->to, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,"
		"\"args\":{\"name\":\"", client);
	print_name(j->to, id->comm);
	fprintf(j->to, ", process %u, user %u\"}}", id->pid, id->uid);
	for (e = 0; e < w->t->head.engines; e++) {
		begin(j);
		fprintf(j->to, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
			"\"args\":{\"name\":\"engine %u\"}}", client, e + 1, e);
	}
}

static void json_waited(struct walk *w, const struct job *job, s64 until)
{
	struct json *j = w->to;
	int i;

	if (until == job->arrived)
		return;
	for (i = 0; i < 2; i++) {
		begin(j);
		fprintf(j->to, "{\"ph\":\"%c\",\"cat\":\"wait\",\"name\":\"waits\",\"id\":%llu,"
			"\"pid\":%u,\"tid\":%u", i ? 'e' : 'b', (unsigned long long)job->id,
			job->client, job->engine + 1);
		print_us(w, "ts", (i ? until : job->arrived) - w->t->head.now);
		fprintf(j->to, "}");
	}
}

static void json_ran(struct walk *w, const struct job *job, s64 from, s64 until)
{
	struct json *j = w->to;

	begin(j);
	fprintf(j->to, "{\"ph\":\"X\",\"cat\":\"gpu\",\"name\":\"group\",\"pid\":%u,\"tid\":%u",
		job->client, job->engine + 1);
	print_us(w, "ts", from - w->t->head.now);
	print_us(w, "dur", until - from);
	fprintf(j->to, ",\"args\":{\"job\":%llu,\"channel\":%u}}", (unsigned long long)job->id,
		job->channel);
}

static void json_note(struct walk *w, u32 client, u32 note, s64 at)
{
	struct json *j = w->to;

	begin(j);
	fprintf(j->to, "{\"ph\":\"i\",\"s\":\"g\",\"cat\":\"note\",\"name\":\"%s\",\"pid\":%u,"
		"\"tid\":0", tgs_note_name(note), client);
	print_us(w, "ts", at - w->t->head.now);
	fprintf(j->to, "}");
}

static int cannot(const char *path, char *error)
{
	int err = errno ? errno : EIO;

	snprintf(error, TGS_MESSAGE, "cannot write %.160s: %s", path, strerror(err));
	return -err;
}

int tgs_perfetto(const struct tgs_trace *t, const char *path, char *error)
{
	struct json j = { .to = strcmp(path, "-") ? fopen(path, "w") : stdout };
	struct walk w = { .t = t, .to = &j, .client = json_client, .waited = json_waited,
			  .ran = json_ran, .note = json_note };
	int err;

	if (!j.to)
		return cannot(path, error);
	fprintf(j.to, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	err = walk(&w, error);
	fprintf(j.to, "\n]}\n");
	if (fflush(j.to) || ferror(j.to))
		err = cannot(path, error);
	if (j.to != stdout)
		fclose(j.to);
	return err;
}

/* ---- picture ---------------------------------------------------------------------------- */

const char *tgs_terminal(const char *path)
{
	static const struct {
		const char *suffix, *terminal;
	} kinds[] = {
		{ ".png", "pngcairo size 1200,800" }, { ".svg", "svg size 1200,800" },
		{ ".pdf", "pdfcairo size 12,8" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u64 len = strlen(path), n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(path + len - n, kinds[i].suffix))
			return kinds[i].terminal;
	}
	return NULL;
}

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
	const char *as = tgs_terminal(path);
	int err;
	u32 i;

	if (!as || strchr(path, '\'')) {
		snprintf(error, TGS_MESSAGE, "%.160s: a name that ends in .png, .svg or .pdf "
			 "wanted, without quotes", path);
		return -EINVAL;
	}
	p.to = popen("gnuplot", "w");
	if (!p.to)
		return cannot("gnuplot", error);
	fprintf(p.to, "set terminal %s\nset output '%s'\n$runs << end\n", as, path);
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
	if (pclose(p.to) && !err) {
		snprintf(error, TGS_MESSAGE, "gnuplot could not draw %.160s", path);
		return -EIO;
	}
	return err;
}
