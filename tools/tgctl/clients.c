// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl clients: the module's snapshot, as a table or as JSON. Both come from one table, a row for
 * each member of struct tg_snap_client.
 */
#include "tgctl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

enum type {
	TYPE_U8,
	TYPE_U32,
	TYPE_U64,
	TYPE_NS,	/* s64, shown in whole microseconds */
	TYPE_TEXT,
	TYPE_WORD,	/* u8 that stands for a word */
};

#define AT(member) offsetof(struct tg_snap_client, member)

static const struct field {
	const char *name;
	bool plain;	/* in the table too */
	enum type type;
	size_t offset;
	const char *const *words;	/* of a TYPE_WORD */
	size_t size;			/* of a TYPE_TEXT */
} fields[] = {
	{ "id", true, TYPE_U32, AT(id), NULL, 0 },
	{ "pid", true, TYPE_U32, AT(pid), NULL, 0 },
	{ "comm", true, TYPE_TEXT, AT(comm), NULL, TG_COMM_LEN },
	{ "uid", true, TYPE_U32, AT(uid), NULL, 0 },
	{ "gpu", true, TYPE_U32, AT(gpu), NULL, 0 },
	{ "sched", true, TYPE_WORD, AT(sched), snapshot_scheds, 0 },
	{ "resv", true, TYPE_WORD, AT(resv), snapshot_resvs, 0 },
	{ "prio", true, TYPE_U8, AT(prio), NULL, 0 },
	{ "capacity_us", true, TYPE_NS, AT(capacity), NULL, 0 },
	{ "period_us", true, TYPE_NS, AT(period), NULL, 0 },
	{ "budget_us", true, TYPE_NS, AT(budget), NULL, 0 },
	{ "gpu_time_us", true, TYPE_NS, AT(gpu_time), NULL, 0 },
	{ "wait_us", true, TYPE_NS, AT(wait_time), NULL, 0 },
	{ "submitted", true, TYPE_U64, AT(submitted), NULL, 0 },
	{ "completed", true, TYPE_U64, AT(completed), NULL, 0 },
	{ "state", true, TYPE_WORD, AT(state), snapshot_states, 0 },
	{ "reserve", true, TYPE_TEXT, AT(reserve_name), NULL, TG_NAME_LEN },
	{ "vgpu", true, TYPE_TEXT, AT(vgpu_name), NULL, TG_NAME_LEN },
	{ "line", false, TYPE_U32, AT(line), NULL, 0 },
	{ "inflight", false, TYPE_U32, AT(inflight), NULL, 0 },
	{ "waiting", false, TYPE_U32, AT(waiting), NULL, 0 },
	{ "failed", false, TYPE_U64, AT(failed), NULL, 0 },
	{ "lost", false, TYPE_U64, AT(lost), NULL, 0 },
	{ "overlaps", false, TYPE_U64, AT(overlaps), NULL, 0 },
	{ "wait_reserve_us", false, TYPE_NS, AT(wait_reserve), NULL, 0 },
	{ "wait_policy_us", false, TYPE_NS, AT(wait_policy), NULL, 0 },
	{ "held_us", false, TYPE_NS, AT(held_time), NULL, 0 },
	{ "would_reserve_us", false, TYPE_NS, AT(would_reserve), NULL, 0 },
	{ "would_policy_us", false, TYPE_NS, AT(would_policy), NULL, 0 },
	{ "modelled", false, TYPE_U64, AT(modelled), NULL, 0 },
	{ "predict_hits", false, TYPE_U64, AT(predict_hits), NULL, 0 },
	{ "predict_misses", false, TYPE_U64, AT(predict_misses), NULL, 0 },
	{ "predict_unreadable", false, TYPE_U64, AT(predict_unreadable), NULL, 0 },
	{ "predict_error", false, TYPE_U32, AT(predict_error), NULL, 0 },
	{ "vram", false, TYPE_U64, AT(vram), NULL, 0 },
	{ "vram_peak", false, TYPE_U64, AT(vram_peak), NULL, 0 },
	{ "vram_set_aside", false, TYPE_U64, AT(vram_set_aside), NULL, 0 },
	{ "vram_waiting", false, TYPE_U32, AT(vram_waiting), NULL, 0 },
	{ "vram_waited", false, TYPE_U64, AT(vram_waited), NULL, 0 },
	{ "vram_refused", false, TYPE_U64, AT(vram_refused), NULL, 0 },
	{ "vram_wait_us", false, TYPE_NS, AT(vram_wait_time), NULL, 0 },
};

static bool is_string(const struct field *f)
{
	return f->type == TYPE_TEXT || f->type == TYPE_WORD;
}

/* Member @f of the client at @client as text, in @buf or where it lies. */
static const char *value_of(const struct field *f, const char *client, char buf[32], size_t *len)
{
	const char *at = client + f->offset;
	const char *s = buf;
	u8 small = *at;
	u32 medium;
	u64 large;
	s64 time;
	int i;

	switch (f->type) {
	case TYPE_TEXT:
		*len = strnlen(at, f->size);
		return at;
	case TYPE_WORD:
		for (i = 0; i < small && f->words[i]; i++)
			;
		s = f->words[i] ? f->words[i] : "unknown";
		break;
	case TYPE_U8:
		snprintf(buf, 32, "%u", small);
		break;
	case TYPE_U32:
		memcpy(&medium, at, sizeof(medium));
		snprintf(buf, 32, "%u", medium);
		break;
	case TYPE_U64:
		memcpy(&large, at, sizeof(large));
		snprintf(buf, 32, "%llu", (unsigned long long)large);
		break;
	case TYPE_NS:
		memcpy(&time, at, sizeof(time));
		snprintf(buf, 32, "%lld", (long long)(time / TG_USEC));
		break;
	}
	*len = strlen(s);
	return s;
}

static void print_json(const struct snapshot *snap)
{
	struct json j = { .to = stdout };
	const char *client = snap->clients;
	const char *value;
	char buf[32];
	size_t i, len;
	u32 c;

	json_open(&j, NULL, '[');
	for (c = 0; c < snap->head.nr_clients; c++, client += snap->head.client_size) {
		json_line(&j);
		json_open(&j, NULL, '{');
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			value = value_of(&fields[i], client, buf, &len);
			if (is_string(&fields[i]))
				json_text(&j, fields[i].name, value, len);
			else
				fwrite(value, 1, len, json_raw(&j, fields[i].name));
		}
		json_close(&j, '}');
	}
	puts(snap->head.nr_clients ? "\n]" : "]");
}

static void print_table(const struct snapshot *snap)
{
	const char *client = snap->clients;
	char align[ARRAY_SIZE(fields) + 1] = "";
	struct table t = { .align = align };
	const char *value;
	size_t i, k, len, columns = 0;
	char buf[32];
	u32 c;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!fields[i].plain)
			continue;
		align[columns++] = is_string(&fields[i]) ? 'l' : 'r';
		len = strlen(fields[i].name);
		for (k = 0; k < len; k++)
			buf[k] = toupper((unsigned char)fields[i].name[k]);
		table_add(&t, buf, len);
	}
	for (c = 0; c < snap->head.nr_clients; c++, client += snap->head.client_size) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			if (!fields[i].plain)
				continue;
			value = value_of(&fields[i], client, buf, &len);
			table_add(&t, value, len);
		}
	}
	table_print(&t);
}

enum tgctl_status tgctl_clients(const struct tgctl_args *args)
{
	struct snapshot snap;

	if (!snapshot_read(&snap))
		return TGCTL_FAILED;
	if (args->flag)
		print_json(&snap);
	else
		print_table(&snap);
	return TGCTL_OK;
}
