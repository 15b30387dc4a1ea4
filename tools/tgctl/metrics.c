// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl metrics: the snapshot and the module's counters as OpenMetrics, or in Prometheus' older text
 * format. Names follow the keys of the kernel's Documentation/gpu/drm-usage-stats.rst
 * (drm-client-id, drm-engine-<name>), as far as OpenMetrics allows: no dashes, units in full, times
 * in seconds.
 *
 * The formats differ in little. OpenMetrics names a counter's family without the _total of its
 * samples, has units and a last line, and knows the type info, which to Prometheus is a gauge. A
 * histogram without a sum has no count there, and must have one in Prometheus' format.
 */
#include "metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "http.h"
#include "snapshot.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"

#define CLIENTS_MAX	256	/* clients that have samples of their own: a page of 3 MB, with plain names */

enum kind { KIND_NONE, KIND_COUNTER, KIND_GAUGE, KIND_HISTOGRAM };

static FILE *out;		/* where all of it goes */
static bool openmetrics;	/* the format */

/* The snapshot's GPUs, to tell their devices by their numbers. */
static struct tg_snap_gpu *gpus;
static size_t nr_gpus;

#define AT(member) offsetof(struct tg_snap_client, member)

/* The column `metric` of tg/counters.h */
#define NONE				KIND_NONE, NULL, NULL, NULL
#define GAUGE(family)			KIND_GAUGE, family, NULL, NULL
#define COUNTER(family)			KIND_COUNTER, family, NULL, NULL
#define HISTOGRAM(family)		KIND_HISTOGRAM, family, NULL, NULL
#define COUNTER_OF(family, label, help)	KIND_COUNTER, family, label, help

/*
 * What a row of tg/counters.h gives: one sample for each client. Rows of one family follow each
 * other, each with a label.
 */
static const struct metric {
	enum kind kind;
	const char *family, *label;
	const char *family_help;	/* of the first of several rows */
	const char *help;
	enum tg_form form;
	size_t offset;
} metrics[] = {
#define METRIC(name, form, from, column, json, metric, help) \
	{ metric, help, TG_FORM_##form, AT(name) },
	TG_CLIENT_ROWS(METRIC)
};

/*
 * A value that the module counts for each GPU, or each engine of it: stats/gpuN_NAME, or
 * stats/gpuN_engineN_NAME. A part of the snapshot has the others.
 */
static const struct gpu_stat {
	const char *name, *family;
	enum kind kind;
	enum tg_form form;		/* of the sample; NS: the file counts microseconds */
	const char *help;
} gpu_stats[] = {
	{ "wedged", "timegraph_engine_wedged", KIND_GAUGE, TG_FORM_U64,
	  "1: the engine lost a command group, and nothing has completed since" },
	{ "polled_us", "timegraph_gpu_polled_seconds", KIND_COUNTER, TG_FORM_NS,
	  "time for which the poller has watched the GPU" },
	{ "vram_size", "timegraph_vram_size_bytes", KIND_GAUGE, TG_FORM_BYTES,
	  "VRAM that can be given out" },
	{ "vram_held", "timegraph_vram_held_bytes", KIND_GAUGE, TG_FORM_BYTES,
	  "VRAM that processes hold" },
	{ "vram_resident", "timegraph_vram_resident_bytes", KIND_GAUGE, TG_FORM_BYTES,
	  "VRAM that the driver has given out, for itself too" },
	{ "vram_accounts", "timegraph_vram_processes", KIND_GAUGE, TG_FORM_U64,
	  "processes that hold VRAM or have a channel" },
	{ "vram_waiting", "timegraph_vram_requests_waiting", KIND_GAUGE, TG_FORM_U64,
	  "requests for VRAM that wait" },
};

/* A label and its value: valid UTF-8, and escaped. */
static void label(FILE *to, const char *name, const char *s, size_t len)
{
	char *text, *at;

	fprintf(to, "%s=\"", name);
	if (len) {
		/* as in tables: what is not printable is \xHH, a backslash is doubled */
		text = table_text(s, len);
		for (at = text; *at; at++) {
			if (*at == '"')
				putc('\\', to);
			if (*at == '\\' && at[1] == 'x')
				putc('\\', to);
			if (*at == '\\' && at[1] == '\\') {
				putc('\\', to);
				at++;
			}
			putc(*at, to);
		}
		free(text);
	}
	putc('"', to);
}

/*
 * The process's cgroup (v2) at this moment, of a longer path the end, as in totals; empty when the
 * process is gone: its number may be another's then.
 */
static void cgroup_label(FILE *to, const struct tg_snap_client *c)
{
	const size_t most = sizeof(((struct tg_snap_total *)NULL)->name) - 1;
	char path[64], line[4096] = "";
	bool found = false;
	size_t len, skip;
	FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", c->pid);
	if (c->state != TG_STATE_LEFT)
		f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "0::", 3);
	if (f)
		fclose(f);
	len = found ? strcspn(line + 3, "\n") : 0;
	skip = len > most ? len - most : 0;
	label(to, "cgroup", line + 3 + skip, len - skip);
}

/* The labels of a GPU: its number, and its device where the module tells it. */
static void gpu_labels(FILE *to, u32 gpu)
{
	size_t i;

	fprintf(to, "gpu=\"%u\"", gpu);
	for (i = 0; i < nr_gpus && gpus[i].gpu != gpu; i++)
		;
	if (i == nr_gpus)
		return;
	putc(',', to);
	label(to, "device", gpus[i].device, strnlen(gpus[i].device, sizeof(gpus[i].device)));
}

/* What @print says of @what; the caller's to free. */
static char *text_of(void (*print)(FILE *to, const void *what), const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to)
		print(to, what);
	if (to && !fclose(to))
		return text;
	tgctl_error("out of memory");
	exit(TGCTL_FAILED);
}

/* The labels that each of a client's samples has. */
static void client_labels(FILE *to, const void *client)
{
	const struct tg_snap_client *c = client;

	fprintf(to, "drm_client_id=\"%u\",pid=\"%u\",uid=\"%u\",", c->id, c->pid, c->uid);
	gpu_labels(to, c->gpu);
	putc(',', to);
	label(to, "comm", c->comm, strnlen(c->comm, sizeof(c->comm)));
	putc(',', to);
	cgroup_label(to, c);
}

/* A sample's value out of a time, and the line's end. */
static void seconds(s64 ns)
{
	fprintf(out, "%s%lld.%09lld\n", ns < 0 ? "-" : "", llabs(ns / TG_SEC), llabs(ns % TG_SEC));
}

/* A sample's value, which lies at @at. */
static void value(enum tg_form form, const void *at)
{
	u32 medium;
	u64 large;
	s64 time;

	switch (form) {
	case TG_FORM_U8:
		fprintf(out, "%u\n", *(const u8 *)at);
		break;
	case TG_FORM_U32:
		memcpy(&medium, at, sizeof(medium));
		fprintf(out, "%u\n", medium);
		break;
	case TG_FORM_NS:
		memcpy(&time, at, sizeof(time));
		seconds(time);
		break;
	default:
		memcpy(&large, at, sizeof(large));
		fprintf(out, "%llu\n", (unsigned long long)large);
	}
}

static const char *unit_of(enum tg_form form)
{
	return form == TG_FORM_NS || form == TG_FORM_HIST ? "seconds" :
	       form == TG_FORM_BYTES ? "bytes" : NULL;
}

/* The lines in front of a family's samples. */
static void head(const char *name, enum kind kind, enum tg_form form, const char *help)
{
	const char *suffix = kind == KIND_COUNTER && !openmetrics ? "_total" : "";

	fprintf(out, "# TYPE %s%s %s\n", name, suffix, kind == KIND_COUNTER ? "counter" :
		kind == KIND_HISTOGRAM ? "histogram" : "gauge");
	if (openmetrics && unit_of(form))
		fprintf(out, "# UNIT %s %s\n", name, unit_of(form));
	fprintf(out, "# HELP %s%s %c%s.\n", name, suffix, toupper((unsigned char)*help), help + 1);
}

/*
 * The samples of a client's histogram: how many groups took at most so long, for each power of two
 * of 1024 ns, and in all. There is no sum: the module counts none.
 */
static void print_hist(const struct metric *m, const struct tg_snap_client *c, const char *labels)
{
	u32 hist[TG_HIST_BUCKETS], i;
	u64 n = 0;
	char le[32];

	memcpy(hist, (const char *)c + m->offset, sizeof(hist));
	for (i = 0; i < TG_HIST_BUCKETS; i++) {
		n += hist[i];
		if (i % 4 != 3 && i != TG_HIST_BUCKETS - 1)
			continue;
		if (i == TG_HIST_BUCKETS - 1)
			snprintf(le, sizeof(le), "+Inf");
		else
			snprintf(le, sizeof(le), "%.9f", tg_hist_begin(i + 1) / 1e9);
		fprintf(out, "%s_bucket{%s,le=\"%s\"} %llu\n", m->family, labels, le,
			(unsigned long long)n);
	}
	if (!openmetrics)
		fprintf(out, "%s_count{%s} %llu\n", m->family, labels, (unsigned long long)n);
}

/* A sample of a GPU, or with @engine of one of its engines, up to its value. */
static void gpu_sample(const char *name, const char *suffix, u32 gpu, int engine)
{
	fprintf(out, "%s%s{", name, suffix);
	gpu_labels(out, gpu);
	if (engine >= 0)
		fprintf(out, ",engine=\"%d\"", engine);
	fputs("} ", out);
}

/*
 * A client's place among all. @turn: how many clients of its uid are larger. @labels: of each of
 * its samples, if it has any.
 */
struct place {
	u32 nr, id, uid, gpu, turn;	/* @nr: in the snapshot */
	s64 gpu_time;
	char *labels;
};

/* The larger one first; of two alike the older one. */
static int by_size(const struct place *a, const struct place *b)
{
	if (a->gpu_time != b->gpu_time)
		return a->gpu_time > b->gpu_time ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int by_user(const void *a, const void *b)
{
	const struct place *pa = a, *pb = b;

	return (pa->uid > pb->uid) - (pa->uid < pb->uid) ?: by_size(pa, pb);
}

static int by_turn(const void *a, const void *b)
{
	const struct place *pa = a, *pb = b;

	return (pa->turn > pb->turn) - (pa->turn < pb->turn) ?: by_size(pa, pb);
}

static int by_nr(const void *a, const void *b)
{
	const struct place *pa = a, *pb = b;

	return (pa->nr > pb->nr) - (pa->nr < pb->nr);
}

/*
 * Which clients have samples of their own: first the largest client of each uid, then each uid's
 * second, and so on. So the clients of one, however many, do not push out those of another. They
 * are the first *@shown of what is returned, in the snapshot's order.
 */
static struct place *places(const struct snapshot *snap, u32 *shown)
{
	const u32 nr = snap->head.nr_clients;
	struct place *all = tgctl_alloc(NULL, (nr + 1) * sizeof(*all));
	const struct tg_snap_client *c;
	u32 i;

	for (i = 0; i < nr; i++) {
		c = snapshot_client(snap, i);
		all[i] = (struct place){ i, c->id, c->uid, c->gpu, 0, c->gpu_time, NULL };
	}
	qsort(all, nr, sizeof(*all), by_user);
	for (i = 1; i < nr; i++)
		all[i].turn = all[i].uid == all[i - 1].uid ? all[i - 1].turn + 1 : 0;
	qsort(all, nr, sizeof(*all), by_turn);
	*shown = min(nr, (u32)CLIENTS_MAX);
	qsort(all, *shown, sizeof(*all), by_nr);
	return all;
}

/* The family whose rows begin at @m and end before @end. */
static void print_family(const struct snapshot *snap, const struct place *shown, u32 nr,
			 const struct metric *m, const struct metric *end)
{
	const struct tg_snap_client *c;
	const struct metric *row;
	u32 i;

	head(m->family, m->kind, m->form, m->family_help ?: m->help);
	/* One client's samples of a family stand together. */
	for (i = 0; i < nr; i++) {
		c = snapshot_client(snap, shown[i].nr);
		for (row = m; row < end; row++) {
			if (row->kind == KIND_HISTOGRAM) {
				print_hist(row, c, shown[i].labels);
				continue;
			}
			fprintf(out, "%s%s{%s%s%s} ", row->family,
				row->kind == KIND_COUNTER ? "_total" : "", shown[i].labels,
				row->label ? "," : "", row->label ?: "");
			value(row->form, (const char *)c + row->offset);
		}
	}
}

/* For each GPU: how many of @nr clients at @of are its own. */
static void print_number(const char *family, const char *help, const struct place *of, u32 nr)
{
	size_t gpu;
	u32 i, n;

	head(family, KIND_GAUGE, TG_FORM_U32, help);
	for (gpu = 0; gpu < nr_gpus; gpu++) {
		for (i = n = 0; i < nr; i++)
			n += of[i].gpu == gpus[gpu].gpu;
		gpu_sample(family, "", gpus[gpu].gpu, -1);
		fprintf(out, "%u\n", n);
	}
}

static void print_clients(const struct snapshot *snap)
{
	const struct metric *const last = metrics + ARRAY_SIZE(metrics);
	const struct metric *m, *end;
	struct place *all;
	u32 nr, i;

	all = places(snap, &nr);
	print_number("timegraph_clients", "clients", all, snap->head.nr_clients);
	print_number("timegraph_clients_folded",
		     "of them: those that have no samples of their own, and count in sums alone",
		     all + nr, snap->head.nr_clients - nr);
	for (i = 0; i < nr; i++)
		all[i].labels = text_of(client_labels, snapshot_client(snap, all[i].nr));
	for (m = metrics; m < last; m = end) {
		end = m + 1;
		if (m->kind == KIND_NONE)
			continue;
		while (end < last && end->family && !strcmp(end->family, m->family))
			end++;
		print_family(snap, all, nr, m, end);
	}
	for (i = 0; i < nr; i++)
		free(all[i].labels);
	free(all);
}

static void total_labels(FILE *to, const void *total)
{
	const struct tg_snap_total *t = total;

	if (t->of == TG_TOTAL_USER)
		fprintf(to, "uid=\"%u\"", t->uid);
	else if (t->of == TG_TOTAL_CGROUP)
		label(to, "cgroup", t->name, strnlen(t->name, sizeof(t->name)));
	else
		fprintf(to, "%s=\"others\"", t->of == TG_TOTAL_USERS ? "uid" : "cgroup");
}

static bool is_user(const struct tg_snap_total *t)
{
	return t->of == TG_TOTAL_USER || t->of == TG_TOTAL_USERS;
}

/* Adds up totals whose @labels are the same, and leaves those of one. */
static void merge_totals(struct tg_snap_total *totals, char **labels, size_t nr)
{
	size_t i, k;

	for (i = 0; i < nr; i++) {
		for (k = i + 1; labels[i] && k < nr; k++) {
			if (!labels[k] || strcmp(labels[k], labels[i]))
				continue;
			totals[i].gpu_time += totals[k].gpu_time;
			totals[i].wait_time += totals[k].wait_time;
			totals[i].submitted += totals[k].submitted;
			totals[i].completed += totals[k].completed;
			free(labels[k]);
			labels[k] = NULL;
		}
	}
}

/*
 * What users (@user) or cgroups have used, clients that have gone and those without samples of
 * their own included. A cgroup called \xff in four characters has the label of one whose name is
 * that byte: they are one sample, their sum.
 */
static void print_totals(struct tg_snap_total *totals, size_t nr, bool user)
{
	static const struct {
		const char *family, *help;
		enum tg_form form;
		size_t offset;
	} rows[] = {
		{ "gpu_seconds", "GPU time used, by clients that have gone, too", TG_FORM_NS,
		  offsetof(struct tg_snap_total, gpu_time) },
		{ "wait_seconds", "time that command groups waited, of clients that have gone, too", TG_FORM_NS,
		  offsetof(struct tg_snap_total, wait_time) },
		{ "groups_submitted", "command groups that arrived, of clients that have gone, too", TG_FORM_U64,
		  offsetof(struct tg_snap_total, submitted) },
		{ "groups_completed", "command groups whose fence signalled, of clients that have gone, too", TG_FORM_U64,
		  offsetof(struct tg_snap_total, completed) },
	}, *row;
	char **labels = tgctl_alloc(NULL, nr * sizeof(*labels)), family[64];
	size_t i;

	for (i = 0; i < nr; i++)
		labels[i] = user == is_user(&totals[i]) ? text_of(total_labels, &totals[i]) : NULL;
	merge_totals(totals, labels, nr);
	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		snprintf(family, sizeof(family), "timegraph_%s_%s", user ? "user" : "cgroup", row->family);
		head(family, KIND_COUNTER, row->form, row->help);
		for (i = 0; i < nr; i++) {
			if (!labels[i])
				continue;
			fprintf(out, "%s_total{%s} ", family, labels[i]);
			value(row->form, (const char *)&totals[i] + row->offset);
		}
	}
	for (i = 0; i < nr; i++)
		free(labels[i]);
	free(labels);
}

static void print_engines(const struct tg_snap_engine *engines, size_t nr)
{
	size_t i;

	head("timegraph_engine_busy_seconds", KIND_COUNTER, TG_FORM_NS, "time used of an engine");
	for (i = 0; i < nr; i++) {
		gpu_sample("timegraph_engine_busy_seconds", "_total", engines[i].gpu, engines[i].engine);
		seconds(engines[i].busy);
	}
	head("timegraph_engine_inflight", KIND_GAUGE, TG_FORM_U32,
	     "command groups on their way to an engine or on it");
	for (i = 0; i < nr; i++) {
		gpu_sample("timegraph_engine_inflight", "", engines[i].gpu, engines[i].engine);
		fprintf(out, "%u\n", engines[i].inflight);
	}
	head("timegraph_engine_queued", KIND_GAUGE, TG_FORM_U32,
	     "command groups that wait for the policy");
	for (i = 0; i < nr; i++) {
		gpu_sample("timegraph_engine_queued", "", engines[i].gpu, engines[i].engine);
		fprintf(out, "%u\n", engines[i].queued);
	}
}

static void print_parts(const struct snapshot *snap)
{
	struct tg_snap_engine *engines;
	struct tg_snap_total *totals;
	size_t nr;

	nr = snapshot_part(snap, TG_PART_ENGINES, (void **)&engines, sizeof(*engines));
	if (nr)
		print_engines(engines, nr);
	free(engines);
	nr = snapshot_part(snap, TG_PART_TOTALS, (void **)&totals, sizeof(*totals));
	if (nr) {
		print_totals(totals, nr, true);
		print_totals(totals, nr, false);
	}
	free(totals);
}

/*
 * The number in a file of stats/. The file may be there no longer, as its GPU may be. A reader
 * without permission gets one message, not one for each file; so the first other file that cannot
 * be read is the last that is tried.
 */
static bool stat_value(const char *name, u64 *value)
{
	static bool refused;
	char path[300], *text;
	bool good, gone;

	snprintf(path, sizeof(path), "stats/%s", name);
	if (refused || sysfs_is_dir(path))
		return false;
	text = sysfs_read_listed(path, &gone);
	refused = !text && !gone;
	good = text && tgctl_number(text, value);
	free(text);
	return good;
}

/* A sample's value out of a file that counts in microseconds where its unit is a time. */
static void stat_sample(enum tg_form form, u64 value)
{
	if (form == TG_FORM_NS)
		seconds(value * TG_USEC);
	else
		fprintf(out, "%llu\n", (unsigned long long)value);
}

/* Is the file of stats/ that of @stat? @engine: -1: of the GPU as a whole. */
static bool is_stat(const char *file, const char *stat, u32 *gpu, int *engine)
{
	int end = 0;

	if (sscanf(file, "gpu%u_engine%d_%n", gpu, engine, &end) == 2 && end)
		return !strcmp(file + end, stat);
	*engine = -1;
	return sscanf(file, "gpu%u_%n", gpu, &end) == 1 && end && !strcmp(file + end, stat);
}

/* The samples of @s, of all GPUs and engines that have one. */
static void print_gpu_stat(const struct gpu_stat *s, char **names)
{
	u32 gpu, any = 0;
	int engine;
	u64 n;

	for (; *names; names++) {
		if (!is_stat(*names, s->name, &gpu, &engine) || !stat_value(*names, &n))
			continue;
		if (!any++)
			head(s->family, s->kind, s->form, s->help);
		gpu_sample(s->family, s->kind == KIND_COUNTER ? "_total" : "", gpu, engine);
		stat_sample(s->form, n);
	}
}

/* The files of stats/: the module's own are counters. */
static bool print_stats(void)
{
	char **names, **name, family[300];
	enum tg_form form;
	size_t len, i;
	u64 n;

	if (sysfs_list("stats", &names) < 0)
		return false;
	for (name = names; *name; name++) {
		if (!strncmp(*name, "gpu", 3) || !stat_value(*name, &n))
			continue;
		len = strlen(*name);
		form = len > 3 && !strcmp(*name + len - 3, "_us") ? TG_FORM_NS : TG_FORM_U64;
		snprintf(family, sizeof(family), "timegraph_module_%.*s%s",
			 (int)(form == TG_FORM_NS ? len - 3 : len), *name,
			 form == TG_FORM_NS ? "_seconds" : "");
		head(family, KIND_COUNTER, form, "see docs/sysfs-abi.md, stats");
		fprintf(out, "%s_total ", family);
		stat_sample(form, n);
	}
	for (i = 0; i < ARRAY_SIZE(gpu_stats); i++)
		print_gpu_stat(&gpu_stats[i], names);
	for (name = names; *name; name++)
		free(*name);
	free(names);
	return true;
}

static bool print_all(void)
{
	struct snapshot snap;
	char *version, *dry;

	if (!snapshot_read(&snap))
		return false;
	version = sysfs_read_value("version");
	dry = sysfs_read_value("knobs/dry_run");
	if (!version || !dry)
		return false;
	nr_gpus = snapshot_part(&snap, TG_PART_GPUS, (void **)&gpus, sizeof(*gpus));
	fprintf(out, "# TYPE timegraph%s\n# HELP timegraph%s The module and its policy.\n",
		openmetrics ? " info" : "_info gauge", openmetrics ? "" : "_info");
	fputs("timegraph_info{", out);
	label(out, "version", version, strlen(version));
	putc(',', out);
	label(out, "policy", snap.head.policy, strnlen(snap.head.policy, sizeof(snap.head.policy)));
	fputs("} 1\n", out);
	head("timegraph_dry_run", KIND_GAUGE, TG_FORM_U8, "1: nothing is delayed");
	fprintf(out, "timegraph_dry_run %s\n", dry);
	head("timegraph_gpus", KIND_GAUGE, TG_FORM_U32, "GPUs that are scheduled");
	fprintf(out, "timegraph_gpus %u\n", snap.head.gpus);
	print_clients(&snap);
	print_parts(&snap);
	if (!print_stats())
		return false;
	if (openmetrics)
		fputs("# EOF\n", out);
	free(version);
	free(dry);
	free(gpus);
	free(snap.data);
	return true;
}

/* An answer is made whole before it is sent: what fails on the way is no page cut off. */
static enum tgctl_status serve(void)
{
	struct http_request request;
	bool loaded, good;
	char *page = NULL;
	size_t len;

	if (!http_read(&request))
		return TGCTL_OK;	/* an answer it has */
	openmetrics = request.openmetrics;
	out = open_memstream(&page, &len);
	if (!out) {
		tgctl_error("out of memory");
		return TGCTL_FAILED;
	}
	loaded = sysfs_loaded();
	good = loaded && print_all();
	good = !fclose(out) && good;
	if (good)
		http_answer(&request, "200 OK", openmetrics ?
			    "application/openmetrics-text; version=1.0.0; charset=utf-8" :
			    "text/plain; version=0.0.4; charset=utf-8", page, len);
	else
		http_fail(&request, loaded ? "500 Internal Server Error" : "503 Service Unavailable",
			  loaded ? "the journal has the reason" : "timegraph is not loaded");
	free(page);
	return good ? TGCTL_OK : TGCTL_FAILED;
}

enum tgctl_status tgctl_metrics(const struct tgctl_args *args)
{
	if (args->option[METRICS_HTTP] && args->option[METRICS_TEXT]) {
		tgctl_error("metrics: --http takes the format that the request asks for; no --text");
		return TGCTL_USAGE;
	}
	if (args->option[METRICS_HTTP])
		return serve();
	out = stdout;
	openmetrics = !args->option[METRICS_TEXT];
	return print_all() ? TGCTL_OK : TGCTL_FAILED;
}
