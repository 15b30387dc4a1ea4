// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl totals: the totals in the snapshot, as a table or as JSON; the largest GPU time of
 * each kind first.
 */
#include "totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uapi/timegraph.h>

#include "lib/json.h"
#include "snapshot.h"
#include "table.h"

static bool is_user(const struct tg_snap_total *t)
{
	return t->of == TG_TOTAL_USER || t->of == TG_TOTAL_USERS;
}

static int compare(const void *a, const void *b)
{
	const struct tg_snap_total *ta = a, *tb = b;

	if (is_user(ta) != is_user(tb))
		return is_user(ta) ? -1 : 1;
	return (ta->gpu_time < tb->gpu_time) - (ta->gpu_time > tb->gpu_time);
}

static void print_json(const struct tg_snap_total *totals, size_t nr)
{
	struct json j = { .to = stdout };
	const struct tg_snap_total *t;

	json_open(&j, NULL, '[');
	for (t = totals; t < totals + nr; t++) {
		json_line(&j);
		json_open(&j, NULL, '{');
		if (t->of == TG_TOTAL_USER)
			json_u64(&j, "uid", t->uid);
		else if (t->of == TG_TOTAL_CGROUP)
			json_text(&j, "cgroup", t->name, strnlen(t->name, sizeof(t->name)));
		else
			json_string(&j, "others", is_user(t) ? "users" : "cgroups");
		json_u64(&j, "clients", t->clients);
		json_s64(&j, "gpu_time_us", t->gpu_time / TG_USEC);
		json_s64(&j, "wait_us", t->wait_time / TG_USEC);
		json_u64(&j, "submitted", t->submitted);
		json_u64(&j, "completed", t->completed);
		json_close(&j, '}');
	}
	puts(nr ? "\n]" : "]");
}

static void cell_u64(struct table *table, u64 value)
{
	char text[24];

	table_add(table, text, snprintf(text, sizeof(text), "%llu", (unsigned long long)value));
}

static void cell_ms(struct table *table, s64 ns)
{
	char text[32];

	table_add(table, text, snprintf(text, sizeof(text), "%.1f", (double)ns / TG_MSEC));
}

static void print_table(const struct tg_snap_total *totals, size_t nr)
{
	static const char *const heads[] = {
		"UID", "CGROUP", "CLIENTS", "GPU_TIME_MS", "WAIT_MS", "SUBMITTED", "COMPLETED",
	};
	struct table table = { .align = "rlrrrrr" };
	const struct tg_snap_total *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		table_add(&table, heads[i], strlen(heads[i]));
	for (t = totals; t < totals + nr; t++) {
		if (t->of == TG_TOTAL_USER)
			cell_u64(&table, t->uid);
		else
			table_add(&table, "others", t->of == TG_TOTAL_USERS ? strlen("others") : 0);
		if (t->of == TG_TOTAL_CGROUP)
			table_add(&table, t->name, strnlen(t->name, sizeof(t->name)));
		else
			table_add(&table, "others", t->of == TG_TOTAL_CGROUPS ? strlen("others") : 0);
		cell_u64(&table, t->clients);
		cell_ms(&table, t->gpu_time);
		cell_ms(&table, t->wait_time);
		cell_u64(&table, t->submitted);
		cell_u64(&table, t->completed);
	}
	table_print(&table);
}

enum tgctl_status tgctl_totals(const struct tgctl_args *args)
{
	struct tg_snap_total *totals;
	struct snapshot snap;
	size_t nr;

	if (!snapshot_read(&snap))
		return TGCTL_FAILED;
	nr = snapshot_part(&snap, TG_PART_TOTALS, (void **)&totals, sizeof(*totals));
	if (nr)
		qsort(totals, nr, sizeof(*totals), compare);
	if (args->flag)
		print_json(totals, nr);
	else
		print_table(totals, nr);
	free(totals);
	free(snap.data);
	return TGCTL_OK;
}
