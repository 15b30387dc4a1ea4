// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl metrics: the snapshot and the module's counters as OpenMetrics text. Names follow the keys
 * of the kernel's Documentation/gpu/drm-usage-stats.rst (drm-client-id, drm-engine-<name>), as far
 * as OpenMetrics allows: no dashes, units in full, times in seconds.
 */
#include "tgctl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { COUNTER, GAUGE };

#define AT(member) offsetof(struct tg_snap_client, member)

/*
 * A family of metrics: one sample for each client. A family with several labels has several rows,
 * of which the first has the help.
 */
static const struct family {
	const char *name, *unit, *help, *label;
	enum kind kind;
	size_t offset;
	size_t size;		/* 1, 4 or 8; 8: signed */
	bool is_time;
} families[] = {
	{ "timegraph_drm_engine_seconds", "seconds", "GPU time used (drm-engine-gr).",
	  "engine=\"gr\"", COUNTER, AT(gpu_time), 8, true },
	{ "timegraph_wait_seconds", "seconds", "Time that command groups waited, by cause.",
	  "cause=\"reserve\"", COUNTER, AT(wait_reserve), 8, true },
	{ "timegraph_wait_seconds", NULL, NULL, "cause=\"policy\"", COUNTER, AT(wait_policy), 8,
	  true },
	{ "timegraph_held_seconds", "seconds", "Time from a turn to its start; no GPU time.", NULL,
	  COUNTER, AT(held_time), 8, true },
	{ "timegraph_would_wait_seconds", "seconds", "Dry run: time they would have waited.",
	  "cause=\"reserve\"", COUNTER, AT(would_reserve), 8, true },
	{ "timegraph_would_wait_seconds", NULL, NULL, "cause=\"policy\"", COUNTER,
	  AT(would_policy), 8, true },
	{ "timegraph_groups_modelled", NULL, "Dry run: command groups modelled.", NULL, COUNTER,
	  AT(modelled), 8, false },
	{ "timegraph_groups_submitted", NULL, "Command groups that arrived.", NULL, COUNTER,
	  AT(submitted), 8, false },
	{ "timegraph_groups_completed", NULL, "Command groups whose fence signalled.", NULL,
	  COUNTER, AT(completed), 8, false },
	{ "timegraph_groups_failed", NULL, "Command groups that the driver refused.", NULL,
	  COUNTER, AT(failed), 8, false },
	{ "timegraph_groups_lost", NULL, "Command groups written off.", NULL, COUNTER, AT(lost), 8,
	  false },
	{ "timegraph_groups_overlapped", NULL, "Command groups that lost their turn.", NULL,
	  COUNTER, AT(overlaps), 8, false },
	{ "timegraph_groups_inflight", NULL, "Command groups on the way to the GPU or on it.",
	  NULL, GAUGE, AT(inflight), 4, false },
	{ "timegraph_groups_waiting", NULL, "Command groups that wait.", NULL, GAUGE, AT(waiting),
	  4, false },
	{ "timegraph_priority", NULL, "Priority, 0 to 99.", NULL, GAUGE, AT(prio), 1, false },
	{ "timegraph_reserve_capacity_seconds", "seconds", "Capacity C of the reserve.", NULL,
	  GAUGE, AT(capacity), 8, true },
	{ "timegraph_reserve_period_seconds", "seconds", "Period T of the reserve.", NULL, GAUGE,
	  AT(period), 8, true },
	{ "timegraph_reserve_budget_seconds", "seconds", "Budget left; negative: debt.", NULL,
	  GAUGE, AT(budget), 8, true },
	{ "timegraph_drm_memory_bytes", "bytes", "VRAM that the process holds (drm-memory-vram).",
	  NULL, GAUGE, AT(vram), 8, false },
	{ "timegraph_vram_wait_seconds", "seconds", "Time that requests for VRAM waited.", NULL,
	  COUNTER, AT(vram_wait_time), 8, true },
	{ "timegraph_vram_refused", NULL, "Requests for VRAM that failed.", NULL, COUNTER,
	  AT(vram_refused), 8, false },
};

/* A label's value: valid UTF-8, and escaped. */
static void label(const char *name, const char *s, size_t len)
{
	char *text = NULL, *at;
	struct table t = { .align = "l" };
	size_t nr;

	printf("%s=\"", name);
	if (len) {
		/* as in tables: what is not printable is \xHH, a backslash is doubled */
		table_add(&t, s, len);
		char **lines = table_lines(&t, &nr);

		text = lines[0];
		for (at = text; *at; at++) {
			if (*at == '"')
				putchar('\\');
			if (*at == '\\' && at[1] == 'x')
				putchar('\\');
			if (*at == '\\' && at[1] == '\\') {
				putchar('\\');
				at++;
			}
			putchar(*at);
		}
		free(text);
		free(lines);
	}
	putchar('"');
}

/* The process's cgroup (v2) at this moment; empty when the process is gone. */
static void cgroup_label(u32 pid)
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
	label("cgroup", line + 3, found ? strcspn(line + 3, "\n") : 0);
}

static void labels(const struct tg_snap_client *c, const char *more)
{
	printf("{drm_client_id=\"%u\",gpu=\"%u\",pid=\"%u\",uid=\"%u\",", c->id, c->gpu, c->pid,
	       c->uid);
	label("comm", c->comm, strnlen(c->comm, sizeof(c->comm)));
	putchar(',');
	cgroup_label(c->pid);
	printf("%s%s} ", more ? "," : "", more ? more : "");
}

static void value(const struct family *f, const struct tg_snap_client *c)
{
	const char *at = (const char *)c + f->offset;
	s64 large;
	u32 medium;

	if (f->size == 8) {
		memcpy(&large, at, sizeof(large));
		if (!f->is_time)
			printf("%llu\n", (unsigned long long)large);
		else
			printf("%s%lld.%09lld\n", large < 0 ? "-" : "",
			       (long long)llabs(large / TG_SEC), (long long)llabs(large % TG_SEC));
	} else if (f->size == 4) {
		memcpy(&medium, at, sizeof(medium));
		printf("%u\n", medium);
	} else {
		printf("%u\n", *(const u8 *)at);
	}
}

static void head(const char *name, enum kind kind, const char *unit, const char *help)
{
	printf("# TYPE %s %s\n", name, kind == COUNTER ? "counter" : "gauge");
	if (unit)
		printf("# UNIT %s %s\n", name, unit);
	printf("# HELP %s %s\n", name, help);
}

static void print_clients(const struct snapshot *snap)
{
	size_t i, k;
	u32 c;

	for (i = 0; i < ARRAY_SIZE(families); i = k) {
		head(families[i].name, families[i].kind, families[i].unit, families[i].help);
		/* One client's samples of a family stand together. */
		for (c = 0; c < snap->head.nr_clients; c++) {
			for (k = i; k == i || (k < ARRAY_SIZE(families) && !families[k].help); k++) {
				printf("%s%s", families[k].name,
				       families[k].kind == COUNTER ? "_total" : "");
				labels(snapshot_client(snap, c), families[k].label);
				value(&families[k], snapshot_client(snap, c));
			}
		}
		for (k = i + 1; k < ARRAY_SIZE(families) && !families[k].help; k++)
			;
	}
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
			head(path, is_gauge ? GAUGE : COUNTER, NULL,
			     "See docs/sysfs-abi.md, stats.");
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
	label("version", version, strlen(version));
	putchar(',');
	label("policy", snap.head.policy, strnlen(snap.head.policy, sizeof(snap.head.policy)));
	puts("} 1");
	head("timegraph_dry_run", GAUGE, NULL, "1: nothing is delayed.");
	printf("timegraph_dry_run %s\n", dry);
	head("timegraph_gpus", GAUGE, NULL, "GPUs that are scheduled.");
	printf("timegraph_gpus %u\n", snap.head.gpus);
	print_clients(&snap);
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
