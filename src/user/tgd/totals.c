// SPDX-License-Identifier: GPL-2.0
/*
 * Totals of each user and of each cgroup, as the module keeps them (src/kmod/totals.c): what their
 * clients have used since tgd started. A client that lives for a moment counts.
 *
 * Two tables of TOTALS rows. A client's user is the one who pays for it, its cgroup the nearest one
 * that is not delegated: its process chooses neither. When a table is full, the row that has been
 * without a client for longest goes, and what it had is added to the table's first row, which is
 * that of all others; so no sum is lost. If each row has a client, a new one's row is the first.
 *
 * client.c finds a client's rows when it comes. What the client has used is added when it goes, and
 * before the rows are read (files.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include <tg/snap.h>
#include <uapi/timegraph.h>

#include "main.h"
#include "tgd.h"
#include "totals.h"

#define TOTALS	128	/* users, and as many cgroups */

/**
 * struct total - a row
 * @uid: of a user
 * @cgroup: its path; NULL: of a user, or the first row
 * @users: clients that have this row now
 * @idle: since the how manieth change it has had none
 * @clients: clients that have come
 * @sum: what they have used
 */
struct total {
	u32 uid;
	char *cgroup;
	u32 users;
	u64 idle, clients;
	s64 sum[TOTAL_SUMS];
};

/* Rows 1 to @nr are used; row 0 is that of all others. */
struct table {
	u32 nr;
	struct total row[TOTALS + 1];
};

static struct table tables[TOTAL_KINDS];
static u64 changes;

/* A row for a new user or cgroup, without a name yet. */
static struct total *row_new(struct table *t)
{
	struct total *row, *oldest = NULL;
	u32 i;

	if (t->nr < TOTALS)
		return &t->row[++t->nr];
	for (i = 1; i <= TOTALS; i++) {
		row = &t->row[i];
		if (!row->users && (!oldest || row->idle < oldest->idle))
			oldest = row;
	}
	if (!oldest)
		return NULL;
	t->row[0].clients += oldest->clients;
	for (i = 0; i < TOTAL_SUMS; i++)
		t->row[0].sum[i] += oldest->sum[i];
	free(oldest->cgroup);
	*oldest = (struct total){ 0 };
	return oldest;
}

static struct total *row_of_user(u32 uid)
{
	struct table *t = &tables[TOTAL_OF_USER];
	struct total *row;
	u32 i;

	for (i = 1; i <= t->nr; i++)
		if (t->row[i].uid == uid)
			return &t->row[i];
	row = row_new(t);
	if (!row)
		return &t->row[0];
	row->uid = uid;
	return row;
}

static struct total *row_of_cgroup(const char *path, u32 len)
{
	struct table *t = &tables[TOTAL_OF_CGROUP];
	struct total *row;
	u32 i;

	for (i = 1; path && i <= t->nr; i++) {
		row = &t->row[i];
		if (!strncmp(row->cgroup, path, len) && !row->cgroup[len])
			return row;
	}
	row = path ? row_new(t) : NULL;
	if (!row)
		return &t->row[0];
	row->cgroup = need(strndup(path, len));
	return row;
}

/** totals_find() - find the rows of a new client, whose identity is known */
void totals_find(struct client *c)
{
	const struct tg_identity *id = &c->identity;
	u32 i;

	c->totals[TOTAL_OF_USER] = row_of_user(id->payer);
	c->totals[TOTAL_OF_CGROUP] = row_of_cgroup(id->cgroup, id->cgroup ? tg_identity_cgroup(id) : 0);
	for (i = 0; i < TOTAL_KINDS; i++)
		c->totals[i]->users++;
}

/* What has been counted of a client; the core knows it as @known. */
static void counted(s64 now[TOTAL_SUMS], const struct client *c, const struct tg_client *known)
{
	now[TOTAL_GPU_TIME] = known->stats.gpu_time;
	now[TOTAL_WAIT_TIME] = known->stats.wait_reserve + known->stats.wait_policy;
	now[TOTAL_SUBMITTED] = known->stats.submitted + c->open;
	now[TOTAL_COMPLETED] = known->stats.completed;
}

/** totals_joined() - behind its JOINs: count from here on what it uses */
void totals_joined(struct client *c)
{
	u32 i;

	counted(c->totalled, c, tg_gpu_client(&c->device->core, c->id));
	for (i = 0; i < TOTAL_KINDS; i++)
		c->totals[i]->clients++;
}

/**
 * totals_add() - add what a client has used since the last time; nothing of one that is not known
 *
 * Nothing is taken away: what the core has taken back, the client uses again before it counts.
 */
void totals_add(struct client *c)
{
	const struct tg_client *known = c->id ? tg_gpu_client(&c->device->core, c->id) : NULL;
	s64 now[TOTAL_SUMS], before;
	u32 i, k;

	if (!known)
		return;
	counted(now, c, known);
	for (k = 0; k < TOTAL_SUMS; k++) {
		before = c->totalled[k];
		tg_snap_grown(&c->totalled[k], now[k]);
		for (i = 0; i < TOTAL_KINDS; i++)
			c->totals[i]->sum[k] += c->totalled[k] - before;
	}
}

/** totals_leave() - the client is forgotten: its rows may go */
void totals_leave(struct client *c)
{
	u32 i;

	for (i = 0; i < TOTAL_KINDS && c->totals[i]; i++)
		if (!--c->totals[i]->users)
			c->totals[i]->idle = ++changes;
}

static void row_write(FILE *to, const struct total *row, u32 of)
{
	struct tg_snap_total s = {
		.of = of, .uid = row->uid, .clients = row->clients,
		.gpu_time = row->sum[TOTAL_GPU_TIME], .wait_time = row->sum[TOTAL_WAIT_TIME],
		.submitted = row->sum[TOTAL_SUBMITTED], .completed = row->sum[TOTAL_COMPLETED],
	};
	const size_t len = row->cgroup ? strlen(row->cgroup) : 0, most = sizeof(s.name) - 1;

	if (len)
		memcpy(s.name, row->cgroup + (len > most ? len - most : 0), min(len, most));
	fwrite(&s, sizeof(s), 1, to);
}

/**
 * totals_write() - the part of the snapshot that has the rows
 * @to: receives it
 * @uid: the reader
 * @all: it may see those of all users; else that of its own alone
 */
void totals_write(FILE *to, u32 uid, bool all)
{
	static const u32 of[TOTAL_KINDS] = { TG_TOTAL_USER, TG_TOTAL_CGROUP };
	static const u32 others[TOTAL_KINDS] = { TG_TOTAL_USERS, TG_TOTAL_CGROUPS };
	struct tg_snap_part part = { TG_PART_TOTALS, sizeof(struct tg_snap_total), 0, 0 };
	u32 pass, kind, i;

	for (pass = 0; pass < 2; pass++) {
		for (kind = 0; kind < TOTAL_KINDS; kind++) {
			const struct table *t = &tables[kind];

			for (i = 0; i <= t->nr; i++) {
				if (i ? !all && (kind != TOTAL_OF_USER || t->row[i].uid != uid) :
					!all || !t->row[0].clients)
					continue;
				if (pass)
					row_write(to, &t->row[i], i ? of[kind] : others[kind]);
				else
					part.nr++;
			}
		}
		if (!pass)
			fwrite(&part, sizeof(part), 1, to);
	}
}
