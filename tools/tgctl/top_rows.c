// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl top: rows, engines and columns out of snapshots. Called by top.c and by top_screen.c.
 */
#include "top_rows.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/hist.h>

#include "config.h"
#include "hist.h"
#include "table.h"

enum key {
	BY_SHARE, BY_RATE, BY_LATENCY, BY_WAIT, BY_WAIT99, BY_LATENCY99, BY_GPU_TIME, BY_PRIO, BY_PID,
	BY_COMM, KEYS
};

static const char *const key_names[KEYS] = {
	"share", "rate", "latency", "wait", "wait99", "latency99", "gpu_time", "prio", "pid", "comm",
};

struct top_view top_view = { .every = TG_SEC };

const char *top_sort_name(unsigned int key)
{
	return key < KEYS ? key_names[key] : NULL;
}

bool top_sort_by(const char *name)
{
	unsigned int i;

	for (i = 0; i < KEYS; i++)
		if (!strcmp(name, key_names[i])) {
			top_view.sort = i;
			return true;
		}
	return false;
}

/* ---- users ------------------------------------------------------------------------------ */

/* Names are looked up once each: a lookup may ask a server. */
static struct user {
	u32 uid;
	char name[32];
} *users;
static size_t nr_users;

const char *top_user(u32 uid)
{
	const struct passwd *pw;
	struct user *user;
	size_t i;

	for (i = 0; i < nr_users; i++)
		if (users[i].uid == uid)
			return users[i].name;
	users = tgctl_alloc(users, (nr_users + 1) * sizeof(*users));
	user = &users[nr_users++];
	user->uid = uid;
	pw = getpwuid(uid);
	if (pw && *pw->pw_name)
		snprintf(user->name, sizeof(user->name), "%s", pw->pw_name);
	else
		snprintf(user->name, sizeof(user->name), "%u", uid);
	return user->name;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The client @id in an older reading, or NULL. Both are in the order of the numbers. */
static const struct tg_snap_client *before(const struct snapshot *old, u32 id, u32 *at)
{
	u32 other;

	for (; *at < old->head.nr_clients; ++*at) {
		memcpy(&other, old->clients + (size_t)*at * old->head.client_size, sizeof(other));
		if (other == id)
			return (const void *)(old->clients + (size_t)*at * old->head.client_size);
		if (other > id)
			break;
	}
	return NULL;
}

/*
 * @old as the past of @now; NULL: it is none. When the module has been loaded again, the numbers of
 * clients begin again, too, and another one has that number: what only grows is smaller then. GPU
 * time is no such evidence, since some of it is given back when a completion comes late.
 */
static const struct tg_snap_client *past_of(const struct tg_snap_client *old, const struct tg_snap_client *now)
{
	return old && old->pid == now->pid && old->submitted <= now->submitted &&
	       old->completed <= now->completed && old->wait_time <= now->wait_time &&
	       old->wait_reserve <= now->wait_reserve && old->wait_policy <= now->wait_policy &&
	       old->modelled <= now->modelled ? old : NULL;
}

static double per(s64 sum, u64 n)
{
	return n ? (double)max(sum, (s64)0) / n / TG_MSEC : 0;
}

/* Two percentiles of what has been counted since @old, ms. */
static void percentiles(const u32 *now, const u32 *old, double *at50, double *at99)
{
	u32 hist[TG_HIST_BUCKETS], i, any = 0;

	for (i = 0; i < TG_HIST_BUCKETS; i++) {
		hist[i] = now[i] - old[i];
		any |= hist[i];
	}
	*at50 = any ? (double)hist_at(hist, 50) / TG_MSEC : -1;
	*at99 = any ? (double)hist_at(hist, 99) / TG_MSEC : -1;
}

static void compute(struct top_row *row, s64 span, const struct tg_snap_client *b,
		    const struct tg_snap_client *first)
{
	const u64 done = row->c.completed - b->completed;
	const s64 used = max(row->c.gpu_time - b->gpu_time, (s64)0);

	row->share = span > 0 ? 1e2 * used / span : 0;
	row->rate = span > 0 ? (double)done * TG_SEC / span : 0;
	row->run = per(used, done);
	row->latency = row->run + per(row->c.wait_time - b->wait_time, done);
	row->reserve = per(row->c.wait_reserve - b->wait_reserve, done);
	row->policy = per(row->c.wait_policy - b->wait_policy, done);
	row->would = per(row->c.would_reserve + row->c.would_policy - b->would_reserve -
			 b->would_policy, row->c.modelled - b->modelled);
	percentiles(row->c.waits, first->waits, &row->wait50, &row->wait99);
	percentiles(row->c.latencies, first->latencies, &row->latency50, &row->latency99);
	row->c.comm[TG_COMM_LEN - 1] = '\0';
	row->c.reserve_name[TG_NAME_LEN - 1] = '\0';
	row->c.vgpu_name[TG_NAME_LEN - 1] = '\0';
}

static bool is_wanted(const struct top_row *row)
{
	const char *filter = top_view.filter;
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", row->c.uid);
	return !*filter || strstr(row->c.comm, filter) || !strcmp(uid, filter) ||
	       !strcmp(top_user(row->c.uid), filter) || strstr(row->c.reserve_name, filter) ||
	       strstr(row->c.vgpu_name, filter);
}

static double sort_value(const struct top_row *row)
{
	switch (top_view.sort) {
	case BY_SHARE:
		return row->share;
	case BY_RATE:
		return row->rate;
	case BY_LATENCY:
		return row->latency;
	case BY_WAIT:
		return row->reserve + row->policy + row->would;
	case BY_WAIT99:
		return row->wait99;
	case BY_LATENCY99:
		return row->latency99;
	case BY_GPU_TIME:
		return row->c.gpu_time;
	case BY_PRIO:
		return row->c.prio;
	default:
		return -(double)row->c.pid;
	}
}

/* The largest first; names and processes the other way round. Equals by their numbers. */
static int compare(const void *a, const void *b)
{
	const struct top_row *ra = a, *rb = b;
	double va = sort_value(ra), vb = sort_value(rb);
	int order = top_view.sort == BY_COMM ? strncmp(ra->c.comm, rb->c.comm, TG_COMM_LEN) :
		    (va < vb) - (va > vb);

	order = top_view.reverse ? -order : order;
	return order ? order : (ra->c.id > rb->c.id) - (ra->c.id < rb->c.id);
}

static void make_rows(struct top_frame *frame, const struct snapshot *past, size_t nr)
{
	static const struct tg_snap_client none;
	const struct snapshot *now = frame->now, *first = &past[nr - 1];
	const struct tg_snap_client *b, *f;
	u32 i, at = 0, at_first = 0;
	struct top_row *row;

	frame->rows = tgctl_alloc(NULL, (now->head.nr_clients + 1) * sizeof(*frame->rows));
	for (i = 0; i < now->head.nr_clients; i++) {
		row = &frame->rows[frame->nr];
		row->c = *snapshot_client(now, i);
		b = past_of(before(past, row->c.id, &at), &row->c);
		f = past_of(before(first, row->c.id, &at_first), &row->c);
		compute(row, now->head.now - past->head.now, b ?: &none, f ?: &none);
		frame->nr += is_wanted(row);
	}
	qsort(frame->rows, frame->nr, sizeof(*frame->rows), compare);
}

static void make_engines(struct top_frame *frame, const struct snapshot *past)
{
	struct tg_snap_engine *now, *old;
	size_t nr = snapshot_part(frame->now, TG_PART_ENGINES, (void **)&now, sizeof(*now));
	size_t nr_old = snapshot_part(past, TG_PART_ENGINES, (void **)&old, sizeof(*old)), i, k;
	const s64 span = frame->now->head.now - past->head.now;

	frame->engines = tgctl_alloc(NULL, (nr + 1) * sizeof(*frame->engines));
	for (i = 0; i < nr; i++) {
		frame->engines[i] = (struct top_engine){ .e = now[i] };
		for (k = 0; k < nr_old; k++)
			if (old[k].gpu == now[i].gpu && old[k].engine == now[i].engine && span > 0)
				frame->engines[i].busy = max(1e2 * (now[i].busy - old[k].busy) / span, 0.0);
	}
	frame->nr_engines = nr;
	free(now);
	free(old);
}

const char *top_no_effect(const struct top_frame *frame)
{
	char policy[sizeof(frame->now->head.policy) + 1];

	snprintf(policy, sizeof(policy), "%.*s", (int)sizeof(frame->now->head.policy),
		 frame->now->head.policy);
	return tgctl_no_effect_of(policy, frame->dry);
}

void top_frame_make(struct top_frame *frame, const struct snapshot *past, size_t nr,
		    const struct snapshot *now, bool dry)
{
	*frame = (struct top_frame){ .now = now, .dry = dry };
	make_rows(frame, past, nr);
	make_engines(frame, past);
}

void top_frame_free(struct top_frame *frame)
{
	free(frame->rows);
	free(frame->engines);
}

/* ---- columns ---------------------------------------------------------------------------- */

static void cell(struct table *t, const char *format, double value)
{
	char text[32];
	int n = snprintf(text, sizeof(text), format, value);

	table_add(t, text, n);
}

/* Milliseconds in five characters, so that columns stay where they are. Negative: none. */
static void cell_ms(struct table *t, double ms)
{
	if (ms < 0)
		table_add(t, "    -", 5);
	else
		cell(t, ms < 99.995 ? "%5.2f" : ms < 999.95 ? "%5.1f" : "%5.0f", ms);
}

static void cell_text(struct table *t, const char *text)
{
	table_add(t, text, strlen(text));
}

static void cell_user(struct table *t, const struct top_row *r)
{
	const char *name = top_user(r->c.uid);
	size_t len = strlen(name);
	char cut[9];

	if (len > 8) {
		snprintf(cut, sizeof(cut), "%.7s+", name);
		name = cut;
		len = 8;
	}
	table_add(t, name, len);
}

/* Budget and capacity of a reserve, ms; unlimited ones have neither. */
static void cell_reserve(struct table *t, const struct tg_snap_client *c, bool budget)
{
	if (c->capacity >= c->period)
		table_add(t, "", 0);
	else if (budget)
		cell(t, "%.1f", c->budget / 1e6);
	else
		cell(t, "%.1f%%", 1e2 * c->capacity / c->period);
}

enum column {
	COL_PID, COL_COMM, COL_USER, COL_WAIT50, COL_WAIT99, COL_WOULD, COL_LAT99, COL_SHARE, COL_RATE,
	COL_PRIO, COL_STATE, COL_GPU, COL_RESERVE, COL_POLICY, COL_LAT50, COL_LATENCY, COL_MEM,
	COL_BUDGET, COL_CT, COL_SCHED, COL_RESV, COL_ID, COL_UID, COL_RESERVE_OF, COL_VGPU, COLUMNS
};

static const struct {
	const char *name, *head;
	char align;
} columns[COLUMNS] = {
	[COL_PID] = { "pid", "PID", 'r' },
	[COL_COMM] = { "comm", "COMM", 'l' },
	[COL_USER] = { "user", "USER", 'l' },
	[COL_WAIT50] = { "wait50", "WAIT50", 'r' },
	[COL_WAIT99] = { "wait99", "WAIT99", 'r' },
	[COL_WOULD] = { "would", "WOULD", 'r' },
	[COL_LAT99] = { "latency99", "LAT99", 'r' },
	[COL_SHARE] = { "share", "SHARE%", 'r' },
	[COL_RATE] = { "rate", "GRP/S", 'r' },
	[COL_PRIO] = { "prio", "PRIO", 'r' },
	[COL_STATE] = { "state", "STATE", 'l' },
	[COL_GPU] = { "gpu", "GPU", 'r' },
	[COL_RESERVE] = { "reserve", "RESERVE", 'r' },
	[COL_POLICY] = { "policy", "POLICY", 'r' },
	[COL_LAT50] = { "latency50", "LAT50", 'r' },
	[COL_LATENCY] = { "latency", "LATENCY", 'r' },
	[COL_MEM] = { "mem", "MEM", 'r' },
	[COL_BUDGET] = { "budget", "BUDGET", 'r' },
	[COL_CT] = { "c/t", "C/T", 'r' },
	[COL_SCHED] = { "sched", "SCHED", 'l' },
	[COL_RESV] = { "resv", "RESV", 'l' },
	[COL_ID] = { "id", "ID", 'r' },
	[COL_UID] = { "uid", "UID", 'r' },
	[COL_RESERVE_OF] = { "reserve_of", "RESERVE OF", 'l' },
	[COL_VGPU] = { "vgpu", "VGPU", 'l' },
};

/* The columns shown: as chosen; @nr_chosen 0: all, WOULD in a dry run only. */
static enum column chosen[COLUMNS];
static size_t nr_chosen;

char *top_columns_known(void)
{
	char *list = tgctl_alloc(NULL, COLUMNS * 16), *at = list;
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		at += sprintf(at, "%s%s", i ? ", " : "", columns[i].name);
	return list;
}

char *top_columns_choose(const char *list)
{
	enum column found[COLUMNS];
	size_t n = 0, len, i, k;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		for (i = 0; i < COLUMNS; i++)
			if (strlen(columns[i].name) == len && !strncmp(columns[i].name, list, len))
				break;
		if (i == COLUMNS)
			return strndup(list, len);
		for (k = 0; k < n && found[k] != i; k++)
			;
		if (k == n)
			found[n++] = i;
	}
	memcpy(chosen, found, n * sizeof(*found));
	nr_chosen = n;
	return NULL;
}

static size_t shown(enum column *list, bool dry)
{
	size_t n = 0, i;

	if (nr_chosen) {
		memcpy(list, chosen, nr_chosen * sizeof(*list));
		return nr_chosen;
	}
	for (i = 0; i < COLUMNS; i++)
		if (i != COL_WOULD || dry)
			list[n++] = i;
	return n;
}

static void add(struct table *t, enum column column, const struct top_row *r,
		const struct top_frame *frame)
{
	const bool dry = frame->dry;
	const struct tg_snap_client *c = &r->c;

	switch (column) {
	case COL_PID:		cell(t, "%6.0f", c->pid); break;
	case COL_COMM:		cell_text(t, c->comm); break;
	case COL_USER:		cell_user(t, r); break;
	case COL_WAIT50:	cell_ms(t, r->wait50); break;
	case COL_WAIT99:	cell_ms(t, r->wait99); break;
	case COL_WOULD:		cell_ms(t, dry ? r->would : -1); break;
	case COL_LAT99:		cell_ms(t, r->latency99); break;
	case COL_SHARE:		cell(t, "%5.1f", r->share); break;
	case COL_RATE:		cell(t, r->rate < 999.95 ? "%5.1f" : "%5.0f", r->rate); break;
	case COL_PRIO:		cell(t, "%.0f", c->prio); break;
	case COL_STATE:		cell_text(t, snapshot_word(snapshot_states, c->state)); break;
	case COL_GPU:		cell_text(t, snapshot_gpu(frame->now, c->gpu)); break;
	case COL_RESERVE:	cell_ms(t, r->reserve); break;
	case COL_POLICY:	cell_ms(t, r->policy); break;
	case COL_LAT50:		cell_ms(t, r->latency50); break;
	case COL_LATENCY:	cell_ms(t, r->latency); break;
	case COL_MEM:		cell(t, "%.1f", c->vram / 1048576.0); break;
	case COL_BUDGET:	cell_reserve(t, c, true); break;
	case COL_CT:		cell_reserve(t, c, false); break;
	case COL_SCHED:		cell_text(t, snapshot_word(snapshot_scheds, c->sched)); break;
	case COL_RESV:		cell_text(t, snapshot_word(snapshot_resvs, c->resv)); break;
	case COL_ID:		cell(t, "%.0f", c->id); break;
	case COL_UID:		cell(t, "%.0f", c->uid); break;
	case COL_RESERVE_OF:	cell_text(t, c->reserve_name); break;
	case COL_VGPU:		cell_text(t, c->vgpu_name); break;
	case COLUMNS:		break;
	}
}

char **top_lines(const struct top_frame *frame, size_t width, size_t *nr)
{
	enum column list[COLUMNS];
	const size_t n = shown(list, frame->dry);
	char align[COLUMNS + 1] = "";
	struct table t = { .align = align, .gap = 1, .limit = width };
	size_t i, k;

	for (k = 0; k < n; k++) {
		align[k] = columns[list[k]].align;
		cell_text(&t, columns[list[k]].head);
	}
	for (i = 0; i < frame->nr; i++)
		for (k = 0; k < n; k++)
			add(&t, list[k], &frame->rows[i], frame);
	return table_lines(&t, nr);
}
