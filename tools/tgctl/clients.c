// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl clients: the module's snapshot, as a table or as JSON. What is shown, and how, comes from
 * tg/counters.h.
 */
#include "clients.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "config.h"
#include "hist.h"
#include "lib/json.h"
#include "snapshot.h"
#include "table.h"
#include "tgctl.h"

#define AT(member) offsetof(struct tg_snap_client, member)

static const struct field {
	const char *name;	/* NULL: not shown */
	unsigned int column;	/* in the table, from 1; 0: not in it */
	enum tg_form form;
	size_t offset;
} fields[] = {
#define FIELD(name, form, from, column, json, ...)	{ json, column, TG_FORM_##form, AT(name) },
	TG_CLIENT_ROWS(FIELD)
};

/* What is shown, in its order: the table's columns, then what the JSON has beside them. */
static const struct field *shown[ARRAY_SIZE(fields)];
static size_t nr_shown, nr_columns;

/* What a narrow terminal shows: as many of these, from the first on, as fit; then the others. */
static const char *const telling[] = {
	"id", "comm", "pid", "state", "gpu_time_us", "prio", "wait_us", "gpu", "reserve", "uid",
	"vgpu", "budget_us", "capacity_us", "period_us", "completed",
};

static void put_in_order(void)
{
	size_t column, i;

	for (column = 1; column <= ARRAY_SIZE(fields); column++)
		for (i = 0; i < ARRAY_SIZE(fields); i++)
			if (fields[i].column == column)
				shown[nr_shown++] = &fields[i];
	nr_columns = nr_shown;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].name && !fields[i].column)
			shown[nr_shown++] = &fields[i];
}

/* The words for the numbers of this form; NULL: the form has none. */
static const char *const *words_of(enum tg_form form)
{
	return form == TG_FORM_SCHED ? snapshot_scheds :
	       form == TG_FORM_RESV ? snapshot_resvs :
	       form == TG_FORM_STATE ? snapshot_states : NULL;
}

/* The histogram at @at: how many groups, two percentiles, and each bucket that is not empty. */
static void json_hist(struct json *j, const char *name, const char *at)
{
	u32 hist[TG_HIST_BUCKETS], i;

	memcpy(hist, at, sizeof(hist));
	json_open(j, name, '{');
	json_u64(j, "groups", hist_count(hist));
	json_s64(j, "p50", hist_at(hist, 50) / TG_USEC);
	json_s64(j, "p99", hist_at(hist, 99) / TG_USEC);
	json_open(j, "buckets", '[');
	for (i = 0; i < TG_HIST_BUCKETS; i++) {
		if (!hist[i])
			continue;
		json_open(j, NULL, '[');
		json_fixed(j, NULL, tg_hist_begin(i) / 1e3, 3);
		json_u64(j, NULL, hist[i]);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static bool is_string(const struct field *f)
{
	return f->form == TG_FORM_TEXT16 || f->form == TG_FORM_TEXT32 || words_of(f->form);
}

/* Member @f of the client at @client as text, in @buf or where it lies. */
static const char *value_of(const struct field *f, const char *client, char buf[48], size_t *len)
{
	const char *at = client + f->offset;
	const char *s = buf;
	u32 hist[TG_HIST_BUCKETS], medium;
	u64 large;
	s64 time;

	switch (f->form) {
	case TG_FORM_TEXT16:
	case TG_FORM_TEXT32:
		*len = strnlen(at, f->form == TG_FORM_TEXT16 ? 16 : 32);
		return at;
	case TG_FORM_SCHED:
	case TG_FORM_RESV:
	case TG_FORM_STATE:
		s = snapshot_word(words_of(f->form), (u8)*at);
		break;
	case TG_FORM_U8:
		snprintf(buf, 48, "%u", (u8)*at);
		break;
	case TG_FORM_U32:
		memcpy(&medium, at, sizeof(medium));
		snprintf(buf, 48, "%u", medium);
		break;
	case TG_FORM_U64:
	case TG_FORM_BYTES:
		memcpy(&large, at, sizeof(large));
		snprintf(buf, 48, "%llu", (unsigned long long)large);
		break;
	case TG_FORM_NS:
		memcpy(&time, at, sizeof(time));
		snprintf(buf, 48, "%lld", (long long)(time / TG_USEC));
		break;
	case TG_FORM_HIST:
		memcpy(hist, at, sizeof(hist));
		if (!hist_count(hist))
			s = "";
		else
			snprintf(buf, 48, "%lld/%lld", (long long)(hist_at(hist, 50) / TG_USEC),
				 (long long)(hist_at(hist, 99) / TG_USEC));
		break;
	}
	*len = strlen(s);
	return s;
}

static void print_json(const struct snapshot *snap)
{
	struct json j = { .to = stdout };
	const char *client = snap->clients;
	const char *value, *device;
	char buf[48];
	size_t i, len;
	u32 c;

	json_open(&j, NULL, '[');
	for (c = 0; c < snap->head.nr_clients; c++, client += snap->head.client_size) {
		json_line(&j);
		json_open(&j, NULL, '{');
		for (i = 0; i < nr_shown; i++) {
			if (shown[i]->form == TG_FORM_HIST) {
				json_hist(&j, shown[i]->name, client + shown[i]->offset);
				continue;
			}
			value = value_of(shown[i], client, buf, &len);
			if (is_string(shown[i]))
				json_text(&j, shown[i]->name, value, len);
			else
				fwrite(value, 1, len, json_raw(&j, shown[i]->name));
		}
		device = snapshot_device(snap, snapshot_client(snap, c)->gpu);
		if (device)
			json_string(&j, "device", device);
		json_close(&j, '}');
	}
	puts(snap->head.nr_clients ? "\n]" : "]");
}

/* The numbers of all columns, the most telling first. */
static void put_by_telling(unsigned char *order)
{
	bool there[ARRAY_SIZE(fields)] = { };
	size_t n = 0, i, k;

	for (i = 0; i < ARRAY_SIZE(telling); i++)
		for (k = 0; k < nr_columns; k++)
			if (!strcmp(shown[k]->name, telling[i]))
				there[order[n++] = k] = true;
	for (k = 0; k < nr_columns; k++)
		if (!there[k])
			order[n++] = k;
}

static void print_table(const struct snapshot *snap)
{
	const char *client = snap->clients;
	char align[ARRAY_SIZE(fields) + 1] = "";
	unsigned char order[ARRAY_SIZE(fields)];
	struct table t = { .align = align, .limit = table_limit(), .order = order };
	const char *value;
	size_t i, k, len;
	char buf[48];
	u32 c;

	for (i = 0; i < nr_columns; i++) {
		align[i] = is_string(shown[i]) ? 'l' : 'r';
		len = strlen(shown[i]->name);
		for (k = 0; k < len; k++)
			buf[k] = toupper((unsigned char)shown[i]->name[k]);
		table_add(&t, buf, len);
	}
	for (c = 0; c < snap->head.nr_clients; c++, client += snap->head.client_size) {
		for (i = 0; i < nr_columns; i++) {
			if (shown[i]->offset == AT(gpu)) {
				value = snapshot_gpu(snap, snapshot_client(snap, c)->gpu);
				len = strlen(value);
			} else {
				value = value_of(shown[i], client, buf, &len);
			}
			table_add(&t, value, len);
		}
	}
	put_by_telling(order);
	table_print(&t);
}

enum tgctl_status tgctl_clients(const struct tgctl_args *args)
{
	struct snapshot snap;
	const char *why;

	if (!snapshot_read(&snap))
		return TGCTL_FAILED;
	put_in_order();
	if (args->flag) {
		print_json(&snap);
		return TGCTL_OK;
	}
	print_table(&snap);
	why = tgctl_no_effect();
	if (why)
		tgctl_error("%s", why);
	return TGCTL_OK;
}
