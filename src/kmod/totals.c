// SPDX-License-Identifier: GPL-2.0
/*
 * Totals of each user and of each cgroup: what their clients have used since the module was loaded.
 * A client that lives for a moment counts for ever.
 *
 * Two tables of TGK_TOTALS rows. A client's user is the one who pays for it, its cgroup the nearest
 * one that is not delegated: its process chooses neither, so it cannot fill the tables. A user or
 * cgroup that comes when its table is full goes to the table's first row, which is that of all
 * others. No row ever goes, and no sum is lost.
 *
 * client.c finds a client's rows when it comes, in process context, under totals_mutex. What the
 * client has used is added under tgk_gpu.lock: when it goes, and before its process or the rows are
 * read. Several GPUs add to a row at the same time: sums are atomic.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include "totals.h"

#define TGK_TOTALS	128	/* users, and as many cgroups */

/**
 * struct tgk_total - a row
 * @uid: of a user; constant once the row is counted, as is @name
 * @name: of a cgroup: its path, or the end of a longer one
 * @path: of a cgroup: all of it
 * @clients: clients that have come
 * @sum: what they have used
 */
struct tgk_total {
	u32 uid;
	char name[sizeof_field(struct tg_snap_total, name)];
	char *path;
	atomic64_t clients, sum[TGK_SUMS];
};

/* Rows 1 to @nr are used; row 0 is that of all others. */
static struct table {
	u32 nr;		/* written under totals_mutex; read: acquire */
	struct tgk_total row[TGK_TOTALS + 1];
} users, cgroups;

static DEFINE_MUTEX(totals_mutex);

/*
 * Under totals_mutex: the place of the next row. The caller fills it in, and then counts it in
 * table.nr. NULL: there is no room.
 */
static struct tgk_total *row_new(struct table *table)
{
	return table->nr < TGK_TOTALS ? &table->row[table->nr + 1] : NULL;
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
	smp_store_release(&users.nr, users.nr + 1);	/* rows_of() sees @uid */
	return row;
}

static struct tgk_total *row_of_cgroup(const char *path, u32 len)
{
	const u32 most = sizeof_field(struct tgk_total, name) - 1;
	struct tgk_total *row;
	u32 i;

	for (i = 1; i <= cgroups.nr; i++) {
		row = &cgroups.row[i];
		if (!strncmp(row->path, path, len) && !row->path[len])
			return row;
	}
	row = row_new(&cgroups);
	if (row)
		row->path = kstrndup(path, len, GFP_KERNEL);
	if (!row || !row->path)
		return &cgroups.row[0];
	strscpy(row->name, row->path + (len > most ? len - most : 0), sizeof(row->name));
	smp_store_release(&cgroups.nr, cgroups.nr + 1);	/* rows_of() sees @name */
	return row;
}

/**
 * tgk_totals_find() - find the rows of a new client
 * @client: the client, identified, which only the caller knows
 *
 * Context: process.
 */
void tgk_totals_find(struct tgk_client *client)
{
	const struct tg_identity *id = &client->ident;

	mutex_lock(&totals_mutex);
	client->totals[TGK_OF_USER] = row_of_user(id->payer);
	client->totals[TGK_OF_CGROUP] = id->cgroup ?
		row_of_cgroup(id->cgroup, tg_identity_cgroup(id)) : &cgroups.row[0];
	mutex_unlock(&totals_mutex);
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
 * Also before each JOIN, with which the core may forget what the client has used.
 * Context: under tgk_gpu.lock.
 */
void tgk_totals_add(struct tgk_client *client)
{
	const struct tg_client *c = tg_gpu_client(&client->gpu->core, client->id);
	s64 now[TGK_SUMS];
	u32 i;

	if (!c || !client->totals[TGK_OF_USER])
		return;
	counted(now, client, c);
	for (i = 0; i < TGK_SUMS; i++) {
		atomic64_add(now[i] - client->totalled[i], &client->totals[TGK_OF_USER]->sum[i]);
		atomic64_add(now[i] - client->totalled[i], &client->totals[TGK_OF_CGROUP]->sum[i]);
		client->totalled[i] = now[i];
	}
}

/** tgk_totals_joined() - behind each JOIN, in the same section under tgk_gpu.lock */
void tgk_totals_joined(struct tgk_client *client)
{
	counted(client->totalled, client, tg_gpu_client(&client->gpu->core, client->id));
}

/**
 * tgk_totals_swap() - a client that has left becomes the process of another one, and has its rows
 * @client: the client
 * @new: the other one, which the core does not know
 *
 * What it has used before stays with its old rows. A second call takes it back.
 * Context: under tgk_gpu.lock.
 */
void tgk_totals_swap(struct tgk_client *client, struct tgk_client *new)
{
	tgk_totals_add(client);
	swap(client->totals[TGK_OF_USER], new->totals[TGK_OF_USER]);
	swap(client->totals[TGK_OF_CGROUP], new->totals[TGK_OF_CGROUP]);
}

static u32 rows_of(const struct table *table)
{
	return smp_load_acquire(&table->nr) + 1;	/* and what the rows say of themselves */
}

/** tgk_totals_nr() - how many rows there are at least */
u32 tgk_totals_nr(void)
{
	return rows_of(&users) + rows_of(&cgroups);
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

static u32 table_read(struct tg_snap_total *to, u32 room, const struct table *table, u32 of)
{
	const u32 nr = rows_of(table);
	u32 i, n = 0;

	for (i = 1; i < nr && n < room; i++)
		row_read(&to[n++], &table->row[i], of);
	if (n < room && atomic64_read(&table->row[0].clients))
		row_read(&to[n++], &table->row[0],
			 of == TG_TOTAL_USER ? TG_TOTAL_USERS : TG_TOTAL_CGROUPS);
	return n;
}

/**
 * tgk_totals_read() - the rows that a reader may see
 * @to: receives them
 * @room: for so many
 * @uid: the reader
 * @all: it may see those of all users; else that of its own alone
 *
 * Return: how many it got.
 */
u32 tgk_totals_read(struct tg_snap_total *to, u32 room, u32 uid, bool all)
{
	const u32 nr = rows_of(&users);
	u32 i, n;

	if (all) {
		n = table_read(to, room, &users, TG_TOTAL_USER);
		return n + table_read(to + n, room - n, &cgroups, TG_TOTAL_CGROUP);
	}
	for (i = 1; i < nr; i++)
		if (users.row[i].uid == uid && room) {
			row_read(to, &users.row[i], TG_TOTAL_USER);
			return 1;
		}
	return 0;
}

/* At unload, when there is no client. */
void tgk_totals_free(void)
{
	u32 i;

	for (i = 1; i <= cgroups.nr; i++)
		kfree(cgroups.row[i].path);
}
