// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl metrics: the snapshot and the module's counters as OpenMetrics text. Names follow the keys
 * of the kernel's Documentation/gpu/drm-usage-stats.rst (drm-client-id, drm-engine-<name>), as far
 * as OpenMetrics allows: no dashes, units in full, times in seconds.
 */
#include "metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "snapshot.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"

enum kind { KIND_NONE, KIND_COUNTER, KIND_GAUGE, KIND_HISTOGRAM };

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

/* A label and its value: valid UTF-8, and escaped. */
static void label(FILE *to, const char *name, const char *s, size_t len)
{
	char *text = NULL, *at;
	struct table t = { .align = "l" };
	size_t nr;

	fprintf(to, "%s=\"", name);
	if (len) {
		/* as in tables: what is not printable is \xHH, a backslash is doubled */
		table_add(&t, s, len);
		char **lines = table_lines(&t, &nr);

		text = lines[0];
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
		free(lines);
	}
	putc('"', to);
}

/* The process's cgroup (v2) at this moment; empty when the process is gone. */
static void cgroup_label(FILE *to, u32 pid)
{
	char path[64], line[4096] = "";
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "0::", 3);
	if (f)
		fclose(f);
	label(to, "cgroup", line + 3, found ? strcspn(line + 3, "\n") : 0);
}

/* The labels that each of a client's samples has; the caller's to free. */
static char *labels_of(const struct tg_snap_client *c)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to) {
		fprintf(to, "drm_client_id=\"%u\",gpu=\"%u\",pid=\"%u\",uid=\"%u\",", c->id, c->gpu,
			c->pid, c->uid);
		label(to, "comm", c->comm, strnlen(c->comm, sizeof(c->comm)));
		putc(',', to);
		cgroup_label(to, c->pid);
	}
	if (to && !fclose(to))
		return text;
	tgctl_error("out of memory");
	exit(TGCTL_FAILED);
}

/* A sample's value out of a time, and the line's end. */
static void seconds(s64 ns)
{
	printf("%s%lld.%09lld\n", ns < 0 ? "-" : "", llabs(ns / TG_SEC), llabs(ns % TG_SEC));
}

static void value(const struct metric *m, const struct tg_snap_client *c)
{
	const char *at = (const char *)c + m->offset;
	u32 medium;
	u64 large;
	s64 time;

	switch (m->form) {
	case TG_FORM_U8:
		printf("%u\n", *(const u8 *)at);
		break;
	case TG_FORM_U32:
		memcpy(&medium, at, sizeof(medium));
		printf("%u\n", medium);
		break;
	case TG_FORM_NS:
		memcpy(&time, at, sizeof(time));
		seconds(time);
		break;
	default:
		memcpy(&large, at, sizeof(large));
		printf("%llu\n", (unsigned long long)large);
	}
}

static void head(const char *name, enum kind kind, const char *unit, const char *help)
{
	printf("# TYPE %s %s\n", name, kind == KIND_COUNTER ? "counter" :
	       kind == KIND_HISTOGRAM ? "histogram" : "gauge");
	if (unit)
		printf("# UNIT %s %s\n", name, unit);
	printf("# HELP %s %c%s.\n", name, toupper((unsigned char)*help), help + 1);
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
		printf("%s_bucket{%s,le=\"%s\"} %llu\n", m->family, labels, le,
		       (unsigned long long)n);
	}
}

/* The family whose rows begin at @m and end before @end; @labels: of each client. */
static void print_family(const struct snapshot *snap, char **labels, const struct metric *m,
			 const struct metric *end)
{
	const struct metric *row;
	u32 c;

	head(m->family, m->kind, m->form == TG_FORM_NS || m->form == TG_FORM_HIST ? "seconds" :
	     m->form == TG_FORM_BYTES ? "bytes" : NULL, m->family_help ?: m->help);
	/* One client's samples of a family stand together. */
	for (c = 0; c < snap->head.nr_clients; c++) {
		for (row = m; row < end; row++) {
			if (row->kind == KIND_HISTOGRAM) {
				print_hist(row, snapshot_client(snap, c), labels[c]);
				continue;
			}
			printf("%s%s{%s%s%s} ", row->family, row->kind == KIND_COUNTER ? "_total" : "",
			       labels[c], row->label ? "," : "", row->label ?: "");
			value(row, snapshot_client(snap, c));
		}
	}
}

static void print_clients(const struct snapshot *snap)
{
	const struct metric *const last = metrics + ARRAY_SIZE(metrics);
	char **labels = tgctl_alloc(NULL, (snap->head.nr_clients + 1) * sizeof(*labels));
	const struct metric *m, *end;
	u32 c;

	for (c = 0; c < snap->head.nr_clients; c++)
		labels[c] = labels_of(snapshot_client(snap, c));
	for (m = metrics; m < last; m = end) {
		end = m + 1;
		if (m->kind == KIND_NONE)
			continue;
		while (end < last && end->family && !strcmp(end->family, m->family))
			end++;
		print_family(snap, labels, m, end);
	}
	for (c = 0; c < snap->head.nr_clients; c++)
		free(labels[c]);
	free(labels);
}

static void total_labels(const struct tg_snap_total *t)
{
	switch (t->of) {
	case TG_TOTAL_USER:
		printf("{uid=\"%u\"} ", t->uid);
		break;
	case TG_TOTAL_CGROUP:
		putchar('{');
		label(stdout, "cgroup", t->name, strnlen(t->name, sizeof(t->name)));
		fputs("} ", stdout);
		break;
	default:
		printf("{%s=\"others\"} ", t->of == TG_TOTAL_USERS ? "uid" : "cgroup");
	}
}

/* What users (@user) or cgroups have used, clients that have gone included. */
static void print_totals(const struct tg_snap_total *totals, size_t nr, bool user)
{
	const char *family = user ? "timegraph_user_gpu_seconds" : "timegraph_cgroup_gpu_seconds";
	size_t i;

	head(family, KIND_COUNTER, "seconds", "GPU time used, by clients that have gone, too");
	for (i = 0; i < nr; i++) {
		if (user != (totals[i].of == TG_TOTAL_USER || totals[i].of == TG_TOTAL_USERS))
			continue;
		printf("%s_total", family);
		total_labels(&totals[i]);
		seconds(totals[i].gpu_time);
	}
}

static void print_parts(const struct snapshot *snap)
{
	struct tg_snap_engine *engines;
	struct tg_snap_total *totals;
	size_t i, nr;

	nr = snapshot_part(snap, TG_PART_ENGINES, (void **)&engines, sizeof(*engines));
	if (nr)
		head("timegraph_engine_busy_seconds", KIND_COUNTER, "seconds", "time used of an engine");
	for (i = 0; i < nr; i++) {
		printf("timegraph_engine_busy_seconds_total{gpu=\"%u\",engine=\"%u\"} ",
		       engines[i].gpu, engines[i].engine);
		seconds(engines[i].busy);
	}
	free(engines);
	nr = snapshot_part(snap, TG_PART_TOTALS, (void **)&totals, sizeof(*totals));
	if (nr) {
		print_totals(totals, nr, true);
		print_totals(totals, nr, false);
	}
	free(totals);
}

/*
 * The files of stats/: an engine's (gpu...) are gauges, the module's own are counters. A reader
 * without permission gets one message, not one for each file.
 */
static bool print_stats(void)
{
	char **names, **name, path[300];
	bool refused = false;
	char *text;

	if (sysfs_list("stats", &names) < 0)
		return false;
	for (name = names; *name; name++) {
		bool is_gauge = !strncmp(*name, "gpu", 3);

		snprintf(path, sizeof(path), "stats/%s", *name);
		text = refused || sysfs_is_dir(path) ? NULL : sysfs_read_value(path);
		refused = refused || (!text && !sysfs_is_dir(path));
		if (text && *text && strspn(text, "0123456789") == strlen(text)) {
			snprintf(path, sizeof(path), "timegraph_module_%s", *name);
			head(path, is_gauge ? KIND_GAUGE : KIND_COUNTER, NULL,
			     "see docs/sysfs-abi.md, stats");
			printf("%s%s %s\n", path, is_gauge ? "" : "_total", text);
		}
		free(text);
		free(*name);
	}
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
	puts("# TYPE timegraph info\n# HELP timegraph The module and its policy.");
	fputs("timegraph_info{", stdout);
	label(stdout, "version", version, strlen(version));
	putchar(',');
	label(stdout, "policy", snap.head.policy, strnlen(snap.head.policy, sizeof(snap.head.policy)));
	puts("} 1");
	head("timegraph_dry_run", KIND_GAUGE, NULL, "1: nothing is delayed");
	printf("timegraph_dry_run %s\n", dry);
	head("timegraph_gpus", KIND_GAUGE, NULL, "GPUs that are scheduled");
	printf("timegraph_gpus %u\n", snap.head.gpus);
	print_clients(&snap);
	print_parts(&snap);
	if (!print_stats())
		return false;
	puts("# EOF");
	free(version);
	free(dry);
	free(snap.data);
	return true;
}

/*
 * Read the request's head, up to the empty line. There is one page only, so it need not be parsed.
 */
static void skip_request(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin))
		if (!strcmp(line, "\r\n") || !strcmp(line, "\n"))
			return;
}

enum tgctl_status tgctl_metrics(const struct tgctl_args *args)
{
	if (args->flag) {
		alarm(10);	/* for a peer that sends no whole request */
		skip_request();
		if (!sysfs_loaded()) {
			puts("HTTP/1.0 503 Service Unavailable\r\nContent-Type: text/plain\r\n\r\n"
			     "timegraph is not loaded\r");
			return TGCTL_FAILED;
		}
		fputs("HTTP/1.0 200 OK\r\nContent-Type: application/openmetrics-text; "
		      "version=1.0.0; charset=utf-8\r\n\r\n", stdout);
	}
	return print_all() ? TGCTL_OK : TGCTL_FAILED;
}
