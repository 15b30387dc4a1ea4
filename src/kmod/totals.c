// SPDX-License-Identifier: GPL-2.0
/*
 * Totals of each user and of each cgroup: what their clients have used since the module was loaded.
 * A client that lives for a moment counts.
 *
 * Two tables of TGK_TOTALS rows. A client's user is the one who pays for it, its cgroup the nearest
 * one that is not delegated: its process chooses neither. But each login is a new cgroup, and a
 * user with subordinate ones is many. When a table is full, the row that has been without a client
 * for longest goes, and what it had is added to the table's first row, which is that of all others;
 * so no sum is lost. If each row has a client, a new one's row is the first.
 *
 * client.c finds a client's rows when it comes, in process context, under totals_mutex, and leaves
 * them when it frees the client, in any context. In between the rows are the client's: no other
 * user or cgroup gets them. What the client has used is added under tgk_gpu.lock: when it goes, and
 * before its process or the rows are read. Several GPUs add to a row at the same time: sums are
 * atomic. Readers have totals_mutex, since a row may become another one's.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include <tg/snap.h>

#include "totals.h"

#define TGK_TOTALS	128	/* users, and as many cgroups */

/**
 * struct tgk_total - a row
 * @uid: of a user; under totals_mutex, as are @name and @path
 * @name: of a cgroup: its path, or the end of a longer one
 * @path: of a cgroup: all of it
 * @living: clients that have this row now; more come under totals_mutex only
 * @idle: which change it was when the last one left; constant while there is none
 * @clients: clients that have come
 * @sum: what they have used
 */
struct tgk_total {
	u32 uid;
	char name[sizeof_field(struct tg_snap_total, name)];
	char *path;
	atomic_t living;
	s64 idle;
	atomic64_t clients, sum[TGK_SUMS];
};

/* Rows 1 to @nr are used; row 0 is that of all others. */
static struct table {
	u32 nr;		/* written under totals_mutex; it grows only */
	struct tgk_total row[TGK_TOTALS + 1];
} users, cgroups;

static DEFINE_MUTEX(totals_mutex);
static atomic64_t changes;

/* Under totals_mutex: the row without a client for longest; NULL: each has one. */
static struct tgk_total *idle_longest(struct table *table)
{
	struct tgk_total *row, *oldest = NULL;
	u32 i;

	for (i = 1; i <= table->nr; i++) {
		row = &table->row[i];
		/* Acquire: all that its clients have added is there, and @idle. */
		if (!atomic_read_acquire(&row->living) &&
		    (!oldest || READ_ONCE(row->idle) < READ_ONCE(oldest->idle)))
			oldest = row;
	}
	return oldest;
}

/* Under totals_mutex: add what a row without a client has to the first one, and empty it. */
static void row_fold(struct table *table, struct tgk_total *row)
{
	u32 i;

	atomic64_add(atomic64_xchg(&row->clients, 0), &table->row[0].clients);
	for (i = 0; i < TGK_SUMS; i++)
		atomic64_add(atomic64_xchg(&row->sum[i], 0), &table->row[0].sum[i]);
	kfree(row->path);
	row->path = NULL;
	memset(row->name, 0, sizeof(row->name));
}

/* Under totals_mutex: an empty row, which the caller names. NULL: there is none. */
static struct tgk_total *row_new(struct table *table)
{
	struct tgk_total *row;

	if (table->nr < TGK_TOTALS) {
		row = &table->row[table->nr + 1];
		WRITE_ONCE(table->nr, table->nr + 1);
		return row;
	}
	row = idle_longest(table);
	if (row)
		row_fold(table, row);
	return row;
}

static struct tgk_total *row_of_user(u32 uid)
{
	struct tgk_total *row;
	u32 i;

	for (i = 1; i <= users.nr; i++)
		if (users.row[i].uid == uid)
			return &users.row[i];
	row = row_new(&users);
	if (!row)
		return &users.row[0];
	row->uid = uid;
	return row;
}

static struct tgk_total *row_of_cgroup(const char *path, u32 len)
{
	const u32 most = sizeof_field(struct tgk_total, name) - 1;
	struct tgk_total *row;
	char *copy;
	u32 i;

	for (i = 1; i <= cgroups.nr; i++) {
		row = &cgroups.row[i];
		if (!strncmp(row->path, path, len) && !row->path[len])
			return row;
	}
	copy = kstrndup(path, len, GFP_KERNEL);
	row = copy ? row_new(&cgroups) : NULL;
	if (!row) {
		kfree(copy);
		return &cgroups.row[0];
	}
	row->path = copy;
	strscpy(row->name, copy + (len > most ? len - most : 0), sizeof(row->name));
	return row;
}

/**
 * tgk_totals_find() - find the rows of a new client
 * @client: the client, identified, which only the caller knows; tgk_totals_leave() follows
 *
 * Context: process.
 */
void tgk_totals_find(struct tgk_client *client)
{
	const struct tg_identity *id = &client->ident;
	u32 i;

	mutex_lock(&totals_mutex);
	client->totals[TGK_OF_USER] = row_of_user(id->payer);
	client->totals[TGK_OF_CGROUP] = id->cgroup ?
		row_of_cgroup(id->cgroup, tg_identity_cgroup(id)) : &cgroups.row[0];
	for (i = 0; i < TGK_TOTALS_OF; i++)
		atomic_inc(&client->totals[i]->living);
	mutex_unlock(&totals_mutex);
}

/**
 * tgk_totals_leave() - a client is being freed, which may have no rows: they may become another's
 * @client: the client; what it has used has been added
 *
 * Context: any.
 */
void tgk_totals_leave(struct tgk_client *client)
{
	struct tgk_total *row;
	u32 i;

	for (i = 0; i < TGK_TOTALS_OF; i++) {
		row = client->totals[i];
		if (!row)
			continue;
		WRITE_ONCE(row->idle, atomic64_inc_return(&changes));
		/* Release: a finder that sees no client sees @idle, and what was added. */
		atomic_dec_return_release(&row->living);
	}
}

/** tgk_totals_come() - a client has joined, which may have no rows: under tgk_gpu.lock */
void tgk_totals_come(struct tgk_client *client)
{
	if (!client->totals[TGK_OF_USER])
		return;
	atomic64_inc(&client->totals[TGK_OF_USER]->clients);
	atomic64_inc(&client->totals[TGK_OF_CGROUP]->clients);
}

/* What the core and the module have counted of a client; the core knows it as @c. */
static void counted(s64 now[TGK_SUMS], const struct tgk_client *client, const struct tg_client *c)
{
	now[TGK_SUM_GPU_TIME] = c->stats.gpu_time;
	now[TGK_SUM_WAIT_TIME] = c->stats.wait_reserve + c->stats.wait_policy;
	now[TGK_SUM_SUBMITTED] = c->stats.submitted + atomic64_read(&client->open_begun);
	now[TGK_SUM_COMPLETED] = c->stats.completed;
}

/**
 * tgk_totals_add() - add what a client has used since the last time
 * @client: the client; nothing is added of one that the core does not know
 *
 * Nothing is taken away: what the core has taken back, the client uses again before it counts.
 *
 * Also before each JOIN, with which the core may forget what the client has used.
 * Context: under tgk_gpu.lock.
 */
void tgk_totals_add(struct tgk_client *client)
{
	const struct tg_client *c = tg_gpu_client(&client->gpu->core, client->id);
	s64 now[TGK_SUMS], before, more;
	u32 i;

	if (!c)
		return;
	counted(now, client, c);
	for (i = 0; i < TGK_SUMS; i++) {
		before = client->totalled[i];
		more = tg_snap_grown(&client->totalled[i], now[i]) - before;
		if (!client->totals[TGK_OF_USER])
			continue;
		atomic64_add(more, &client->totals[TGK_OF_USER]->sum[i]);
		atomic64_add(more, &client->totals[TGK_OF_CGROUP]->sum[i]);
	}
}

/** tgk_totals_joined() - behind a client's first JOIN, or the one with which it comes back */
void tgk_totals_joined(struct tgk_client *client)
{
	counted(client->totalled, client, tg_gpu_client(&client->gpu->core, client->id));
}

/**
 * tgk_totals_swap() - a client that has left becomes the process of another one, and has its rows
 * @client: the client
 * @new: the other one, which the core does not know
 *
 * What it has used before stays with its old rows, which @new leaves when it is freed. A second
 * call takes it back.
 * Context: under tgk_gpu.lock.
 */
void tgk_totals_swap(struct tgk_client *client, struct tgk_client *new)
{
	tgk_totals_add(client);
	swap(client->totals[TGK_OF_USER], new->totals[TGK_OF_USER]);
	swap(client->totals[TGK_OF_CGROUP], new->totals[TGK_OF_CGROUP]);
}

/** tgk_totals_nr() - how many rows there are at least */
u32 tgk_totals_nr(void)
{
	return READ_ONCE(users.nr) + 1 + READ_ONCE(cgroups.nr) + 1;
}

static void row_read(struct tg_snap_total *to, const struct tgk_total *row, u32 of)
{
	memset(to, 0, sizeof(*to));
	to->of = of;
	to->uid = row->uid;
	to->clients = atomic64_read(&row->clients);
	to->gpu_time = atomic64_read(&row->sum[TGK_SUM_GPU_TIME]);
	to->wait_time = atomic64_read(&row->sum[TGK_SUM_WAIT_TIME]);
	to->submitted = atomic64_read(&row->sum[TGK_SUM_SUBMITTED]);
	to->completed = atomic64_read(&row->sum[TGK_SUM_COMPLETED]);
	memcpy(to->name, row->name, sizeof(to->name));
}

/* Has anybody come to the row of all others, or gone there? */
static bool has_others(const struct tgk_total *row)
{
	u32 i;

	for (i = 0; i < TGK_SUMS; i++)
		if (atomic64_read(&row->sum[i]))
			return true;
	return atomic64_read(&row->clients);
}

/* Under totals_mutex. */
static u32 table_read(struct tg_snap_total *to, u32 room, const struct table *table, u32 of)
{
	u32 i, n = 0;

	for (i = 1; i <= table->nr && n < room; i++)
		row_read(&to[n++], &table->row[i], of);
	if (n < room && has_others(&table->row[0]))
		row_read(&to[n++], &table->row[0],
			 of == TG_TOTAL_USER ? TG_TOTAL_USERS : TG_TOTAL_CGROUPS);
	return n;
}

/* Under totals_mutex. */
static u32 own_read(struct tg_snap_total *to, u32 room, u32 uid)
{
	u32 i;

	for (i = 1; i <= users.nr && room; i++)
		if (users.row[i].uid == uid) {
			row_read(to, &users.row[i], TG_TOTAL_USER);
			return 1;
		}
	return 0;
}

/**
 * tgk_totals_read() - the rows that a reader may see
 * @to: receives them
 * @room: for so many
 * @uid: the reader
 * @all: it may see those of all users; else that of its own alone
 *
 * Context: process; sleeps.
 *
 * Return: how many it got.
 */
u32 tgk_totals_read(struct tg_snap_total *to, u32 room, u32 uid, bool all)
{
	u32 n;

	mutex_lock(&totals_mutex);
	if (all) {
		n = table_read(to, room, &users, TG_TOTAL_USER);
		n += table_read(to + n, room - n, &cgroups, TG_TOTAL_CGROUP);
	} else {
		n = own_read(to, room, uid);
	}
	mutex_unlock(&totals_mutex);
	return n;
}

/* At unload, when there is no client. */
void tgk_totals_free(void)
{
	u32 i;

	for (i = 1; i <= cgroups.nr; i++)
		kfree(cgroups.row[i].path);
}
