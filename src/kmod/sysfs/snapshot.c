// SPDX-License-Identifier: GPL-2.0
/*
 * The file `snapshot`: the records of all clients that the reader may see, and parts (parts.c), in
 * one binary file; and how such files are kept for their readers (`waits`, too).
 *
 * Process context, in the thread that reads. Owns the snapshots that are kept, under snap_mutex;
 * while one is made, the lock of each GPU is taken for one client at a time.
 *
 * sysfs reads at most a page at a time, and calls nothing at open and close. So a snapshot is made
 * when a file is read at offset 0. It is kept for that open file and its user, also after its end
 * was read, since some programs read the end twice: until that user has begun USER_SNAPSHOTS later
 * ones, or for SNAPSHOT_AGE. Its memory is charged to its reader's cgroup.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "client.h"
#include "feed.h"
#include "gpu.h"
#include "sysfs.h"
#include "totals.h"
#include "wrap/sysfs.h"

#define USER_SNAPSHOTS	16
#define SNAPSHOT_AGE	(60 * HZ)

/**
 * struct snapshot - one that is kept, under snap_mutex, or that its maker alone knows
 * @hash: in snapshots, by @uid
 * @aged: in snap_ages, the oldest first
 * @file: the open file that it is for, compared only
 * @uid: whose user reads it, and whose clients it shows
 * @all: it shows everybody's
 * @begun: when it was made, jiffies
 * @len: bytes at @data
 * @data: what is read
 */
struct snapshot {
	struct hlist_node hash;
	struct list_head aged;
	const struct file *file;
	u32 uid;
	bool all;
	unsigned long begun;
	size_t len;
	void *data;
};

static DEFINE_MUTEX(snap_mutex);
static DEFINE_HASHTABLE(snapshots, 8);	/* snap_mutex */
static LIST_HEAD(snap_ages);		/* snap_mutex */

/* A snapshot that is not in the table yet; or NULL. */
static void snap_free(struct snapshot *s)
{
	if (!s)
		return;
	kvfree(s->data);
	kfree(s);
}

static void snap_drop(struct snapshot *s)
{
	hash_del(&s->hash);
	list_del(&s->aged);
	snap_free(s);
}

static void snap_expire(bool all)
{
	struct snapshot *s, *next;

	list_for_each_entry_safe(s, next, &snap_ages, aged) {
		if (!all && time_before(jiffies, s->begun + SNAPSHOT_AGE))
			break;
		snap_drop(s);
	}
}

static void expire(struct work_struct *work);
static DECLARE_DELAYED_WORK(expiry, expire);

static void expire(struct work_struct *work)
{
	mutex_lock(&snap_mutex);
	snap_expire(false);
	if (!list_empty(&snap_ages))
		queue_delayed_work(tgk_wq, &expiry, SNAPSHOT_AGE);
	mutex_unlock(&snap_mutex);
}

/*
 * The current user's snapshot of @file, or NULL. @file is only an address: another open file may
 * reuse it, or the descriptor may be passed to another user. So the user is checked on every read,
 * and whether this process may see all clients.
 */
static struct snapshot *snap_find(const struct file *file)
{
	const u32 uid = tgk_own_uid();
	struct snapshot *s;

	hash_for_each_possible(snapshots, s, hash, uid)
		if (s->file == file && s->uid == uid)
			return !s->all || tgk_may_see_all() ? s : NULL;
	return NULL;
}

/* Room for a new one: an older one of @file goes, and the oldest one if the user has too many. */
static void snap_make_room(const struct file *file)
{
	struct snapshot *s, *oldest = NULL;
	const u32 uid = tgk_own_uid();
	struct hlist_node *next;
	u32 n = 0;

	snap_expire(false);
	hash_for_each_possible_safe(snapshots, s, next, hash, uid) {
		if (s->uid != uid)
			continue;
		if (s->file == file) {
			snap_drop(s);
			continue;
		}
		n++;
		if (!oldest || time_before(s->begun, oldest->begun))
			oldest = s;
	}
	if (n >= USER_SNAPSHOTS)
		snap_drop(oldest);
}

/* How many clients the reader may see. */
static u32 snap_room(u32 uid, bool all)
{
	struct tgk_gpu *gpu;
	u32 n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node)
		n += tgk_clients_of(gpu, uid, all);
	rcu_read_unlock();
	return n;
}

/* Under tgk_gpu.lock: of those in a bucket, the client with the next number, or NULL. */
static struct tgk_client *next_client(const struct tgk_gpu *gpu, int bucket, u32 after)
{
	struct tgk_client *client, *next = NULL;

	hlist_for_each_entry(client, &gpu->clients[bucket], node)
		if (client->id > after && (!next || client->id < next->id))
			next = client;
	return next;
}

/*
 * The records of the clients in one bucket. Users choose how many there are, so the lock is given
 * back behind each. Return: false when there are more than @room.
 */
static bool snap_bucket(struct tg_snap_head *head, u32 room, struct tgk_gpu *gpu, int bucket,
			u32 uid, bool all)
{
	struct tg_snap_client *s = (struct tg_snap_client *)(head + 1);
	struct tgk_client *client;
	bool fits = true;
	u32 after = 0;

	do {
		raw_spin_lock_irq(&gpu->lock);
		client = next_client(gpu, bucket, after);
		after = client ? client->id : after;
		if (client && (all || client->ident.uid == uid)) {
			fits = head->nr_clients < room;
			if (fits)
				tgk_client_record(gpu, tg_gpu_client(&gpu->core, client->id),
						  &s[head->nr_clients++]);
		} else if (client) {
			tgk_totals_add(client);
		}
		tgk_unlock_irq(gpu);
	} while (client && fits);
	return fits;
}

static int by_number(const void *a, const void *b)
{
	const u32 x = ((const struct tg_snap_client *)a)->id;
	const u32 y = ((const struct tg_snap_client *)b)->id;

	return (x > y) - (x < y);
}

/*
 * The records of @uid's clients, or of all, in the order in which they joined. Not all are of the
 * same moment: there may be many. Return: false when there are more than @room.
 */
static bool snap_fill(struct tg_snap_head *head, u32 room, u32 uid, bool all)
{
	struct tgk_gpu *gpu;
	bool fits = true;
	int i;

	memset(head, 0, sizeof(*head));
	head->magic = TG_SNAP_MAGIC;
	head->version = TG_SNAP_VERSION;
	head->client_size = sizeof(struct tg_snap_client);
	head->now = ktime_get_ns();
	strscpy_pad(head->policy, tgk_policy_name(), sizeof(head->policy));
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		head->gpus++;
		raw_spin_lock_irq(&gpu->lock);
		tgk_report_bypassed(gpu);
		tgk_unlock_irq(gpu);
		for (i = 0; fits && i < HASH_SIZE(gpu->clients); i++)
			fits = snap_bucket(head, room, gpu, i, uid, all);
	}
	rcu_read_unlock();
	sort(head + 1, head->nr_clients, sizeof(struct tg_snap_client), by_number, NULL);
	return fits;
}

/* The records of @uid's clients, or of all (tgk_make). */
static int make_snapshot(void **data, size_t *len, u32 uid, bool all)
{
	u32 room, room_of[TG_PART_GPUS + 1];
	struct tg_snap_head *head = NULL;
	size_t parts;

	do {
		kvfree(head);
		room = snap_room(uid, all) + 4;
		parts = tgk_parts_room(room_of, all);
		head = kvmalloc(sizeof(*head) + room * sizeof(struct tg_snap_client) + parts,
				GFP_KERNEL_ACCOUNT);
		if (!head)
			return -ENOMEM;
	} while (!snap_fill(head, room, uid, all));
	*data = head;
	*len = sizeof(*head) + head->nr_clients * sizeof(struct tg_snap_client);
	*len += tgk_parts_fill((u8 *)head + *len, room_of, uid, all);
	return 0;
}

/* --- what is kept for readers --- */

/*
 * A new one, which only the caller knows. Without snap_mutex: the caller's cgroup may be short of
 * memory for as long as it likes, and the end of a GPU waits for expire().
 */
static struct snapshot *snap_new(tgk_make *make)
{
	struct snapshot *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->uid = tgk_own_uid();
	s->all = tgk_may_see_all();
	ret = make(&s->data, &s->len, s->uid, s->all);
	if (!ret)
		return s;
	kfree(s);
	return ERR_PTR(ret);
}

/* Keep it, in the place of what was kept for @file. */
static void snap_keep(struct snapshot *s, const struct file *file)
{
	snap_make_room(file);
	s->file = file;
	s->begun = jiffies;
	hash_add(snapshots, &s->hash, s->uid);
	list_add_tail(&s->aged, &snap_ages);
	queue_delayed_work(tgk_wq, &expiry, SNAPSHOT_AGE);
}

/**
 * tgk_kept_read() - read a binary file that is made when it is read at offset 0
 * @file: the open file
 * @make: makes what its reader may see
 * @buf: where to
 * @off: from where in it
 * @count: how many bytes at most
 *
 * Return: bytes; -ESTALE: it is not kept any more, and has to be read from its beginning.
 */
ssize_t tgk_kept_read(const struct file *file, tgk_make *make, char *buf, loff_t off, size_t count)
{
	struct snapshot *s, *new = off ? NULL : snap_new(make);
	ssize_t ret;

	if (IS_ERR(new))
		return PTR_ERR(new);
	if (mutex_lock_killable(&snap_mutex)) {
		snap_free(new);
		return -EINTR;
	}
	if (new)
		snap_keep(new, file);
	s = new ?: snap_find(file);
	if (!s)
		ret = -ESTALE;
	else
		ret = memory_read_from_buffer(buf, count, &off, s->data, s->len);
	mutex_unlock(&snap_mutex);
	return ret;
}

static ssize_t snapshot_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr,
			     char *buf, loff_t off, size_t count)
{
	return tgk_kept_read(file, make_snapshot, buf, off, count);
}

struct bin_attribute tgk_snapshot_attr = {
	.attr = { .name = "snapshot", .mode = 0444 },
	.read = snapshot_read,
};

/* At unload, when no thread reads a snapshot or makes one. */
void tgk_snapshots_free(void)
{
	cancel_delayed_work_sync(&expiry);
	snap_expire(true);
}
