// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl clients: the module's snapshot, as a table or as JSON. One row of the table below for
 * each member of struct tg_snap_client; both outputs come from it.
 */
#include "tgctl.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

static_assert(sizeof(struct tg_snap_head) == 40, "the layout of the snapshot's head");
static_assert(sizeof(struct tg_snap_client) == 200, "the layout of a client in the snapshot");

static const char *const scheds[] = { "prt", "ht", NULL };
static const char *const resvs[] = { "pe", "ae", "bg", NULL };
static const char *const states[] = {
	[TG_STATE_IDLE] = "idle", [TG_STATE_WAITING] = "waiting",
	[TG_STATE_THROTTLED] = "throttled", [TG_STATE_RUNNING] = "running",
	[TG_STATE_LOST] = "lost", NULL
};

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
	{ "sched", true, TYPE_WORD, AT(sched), scheds, 0 },
	{ "resv", true, TYPE_WORD, AT(resv), resvs, 0 },
	{ "prio", true, TYPE_U8, AT(prio), NULL, 0 },
	{ "capacity_us", true, TYPE_NS, AT(capacity), NULL, 0 },
	{ "period_us", true, TYPE_NS, AT(period), NULL, 0 },
	{ "budget_us", true, TYPE_NS, AT(budget), NULL, 0 },
	{ "gpu_time_us", true, TYPE_NS, AT(gpu_time), NULL, 0 },
	{ "wait_us", true, TYPE_NS, AT(wait_time), NULL, 0 },
	{ "submitted", true, TYPE_U64, AT(submitted), NULL, 0 },
	{ "completed", true, TYPE_U64, AT(completed), NULL, 0 },
	{ "state", true, TYPE_WORD, AT(state), states, 0 },
	{ "reserve", true, TYPE_TEXT, AT(reserve_name), NULL, TG_NAME_LEN },
	{ "line", false, TYPE_U32, AT(line), NULL, 0 },
	{ "inflight", false, TYPE_U32, AT(inflight), NULL, 0 },
	{ "waiting", false, TYPE_U32, AT(waiting), NULL, 0 },
	{ "failed", false, TYPE_U64, AT(failed), NULL, 0 },
	{ "lost", false, TYPE_U64, AT(lost), NULL, 0 },
	{ "overlaps", false, TYPE_U64, AT(overlaps), NULL, 0 },
	{ "wait_reserve_us", false, TYPE_NS, AT(wait_reserve), NULL, 0 },
	{ "wait_policy_us", false, TYPE_NS, AT(wait_policy), NULL, 0 },
	{ "would_reserve_us", false, TYPE_NS, AT(would_reserve), NULL, 0 },
	{ "would_policy_us", false, TYPE_NS, AT(would_policy), NULL, 0 },
	{ "modelled", false, TYPE_U64, AT(modelled), NULL, 0 },
};

struct snapshot {
	struct tg_snap_head head;
	const char *clients;
};

static bool read_snapshot(struct snapshot *snap)
{
	size_t len;
	char *data = sysfs_read("snapshot", &len);
	const char *path = sysfs_path("snapshot");

	if (!data)
		return false;
	if (len < sizeof(snap->head)) {
		tgctl_error("%s ends after %zu bytes, within its head", path, len);
		return false;
	}
	memcpy(&snap->head, data, sizeof(snap->head));
	if (snap->head.magic != TG_SNAP_MAGIC) {
		tgctl_error("%s is no snapshot: it starts with 0x%08x, not 0x%08x", path,
			    snap->head.magic, TG_SNAP_MAGIC);
		return false;
	}
	if (snap->head.version != TG_SNAP_VERSION) {
		tgctl_error("%s has version %u, this tgctl reads %u; take the module's own tgctl",
			    path, snap->head.version, TG_SNAP_VERSION);
		return false;
	}
	if (snap->head.client_size < sizeof(struct tg_snap_client)) {
		tgctl_error("%s has %u bytes for a client, not %zu or more", path,
			    snap->head.client_size, sizeof(struct tg_snap_client));
		return false;
	}
	if ((len - sizeof(snap->head)) / snap->head.client_size < snap->head.nr_clients) {
		tgctl_error("%s ends after %zu bytes, before the last of its %u clients", path,
			    len, snap->head.nr_clients);
		return false;
	}
	snap->clients = data + sizeof(snap->head);
	return true;
}

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
	const char *client = snap->clients;
	const char *value;
	char buf[32];
	size_t i, len;
	u32 c;

	putchar('[');
	for (c = 0; c < snap->head.nr_clients; c++, client += snap->head.client_size) {
		fputs(c ? ",\n{" : "\n{", stdout);
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			printf("%s\"%s\":", i ? "," : "", fields[i].name);
			value = value_of(&fields[i], client, buf, &len);
			if (is_string(&fields[i]))
				json_string(value, len);
			else
				fwrite(value, 1, len, stdout);
		}
		putchar('}');
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

	if (!read_snapshot(&snap))
		return TGCTL_FAILED;
	if (args->flag)
		print_json(&snap);
	else
		print_table(&snap);
	return TGCTL_OK;
}
