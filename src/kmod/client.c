// SPDX-License-Identifier: GPL-2.0
/*
 * Processes and channels: what nouveau sees, matched to what the core knows.
 *
 * A client is a process on a GPU: the one that allocated a channel, or, when a handle was
 * inherited or passed on, each process that submits to it. It joins with its first channel
 * and ends with its last; when the process opens another one after that, it is a new client.
 *
 * A channel leaves before nouveau frees it, so that its waiting threads come back and find out
 * from nouveau; it stays in the table, dying, until nouveau is done with it.
 *
 * The core holds one reference to a client until TG_ACT_GONE. Its folder in sysfs is made and
 * removed by a work item, since both sleep; one and the same, so that the last state wins.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "tgk.h"
#include "wrap/task.h"

#define ENGINE_MASK	1	/* every channel is taken to use PGRAPH */
#define NR_STEP		0x1000	/* above any number that nouveau gives to a channel */

static atomic_t last_client;

/* --- clients --- */

static struct tgk_client *client_of_kobj(struct kobject *kobj)
{
	return container_of(kobj, struct tgk_client, kobj);
}

static void release(struct kobject *kobj)
{
	struct tgk_client *client = client_of_kobj(kobj);

	put_pid(client->pid);
	kfree(client->ident.exe);
	kfree(client->ident.cgroup);
	kfree(client);
}

static struct kobj_type client_type = {
	.release = release,
	.sysfs_ops = &tgk_client_ops,
	.default_groups = tgk_client_groups,
};

void tgk_client_put(struct tgk_client *client)
{
	kobject_put(&client->kobj);
}

/* A work item that holds the client until it has run. Any context. */
static void client_queue(struct tgk_client *client, struct work_struct *work)
{
	kobject_get(&client->kobj);
	if (!queue_work(tgk_wq, work))
		kobject_put(&client->kobj);
}

static void show(struct work_struct *work)
{
	struct tgk_client *client = container_of(work, struct tgk_client, show);
	bool gone;
	int ret;

	raw_spin_lock_irq(&client->gpu->lock);
	gone = client->gone;
	raw_spin_unlock_irq(&client->gpu->lock);

	if (!gone && !client->shown) {
		ret = kobject_add(&client->kobj, tgk_clients_dir, "%u", client->id);
		client->shown = !ret;
		if (ret)
			pr_warn("no folder for client %u (error %d)\n", client->id, ret);
	}
	if (gone && !client->buried) {
		client->buried = true;
		if (client->shown)
			kobject_del(&client->kobj);
		kobject_put(&client->kobj);
	}
	kobject_put(&client->kobj);
}

/* Whether a client's calls through its open gate are all over, or nobody cares any more. */
static bool open_calls_over(struct tgk_client *client)
{
	struct tgk_gpu *gpu = client->gpu;
	bool over;

	raw_spin_lock_irq(&gpu->lock);
	over = gpu->closing || client->gone || !client->open_calls;
	raw_spin_unlock_irq(&gpu->lock);
	return over;
}

/* Takes a fence of the client that was sent through its open gate, or NULL. */
static struct dma_fence *take_last(struct tgk_client *client)
{
	struct tgk_gpu *gpu = client->gpu;
	struct dma_fence *fence = NULL;
	struct tgk_channel *ch;
	int i;

	raw_spin_lock_irq(&gpu->lock);
	hash_for_each(gpu->channels, i, ch, hash) {
		if (ch->client == client && ch->last && !gpu->closing) {
			fence = ch->last;
			ch->last = NULL;
			break;
		}
	}
	raw_spin_unlock_irq(&gpu->lock);
	return fence;
}

/* TG_ACT_SYNC: wait for what went through the open gate, at most as long as a job may take. */
static void sync(struct work_struct *work)
{
	struct tgk_client *client = container_of(work, struct tgk_client, sync);
	unsigned long left = usecs_to_jiffies(READ_ONCE(tgk_knobs[TG_KNOB_DEADLINE]));
	struct tg_event ev = { .kind = TG_EV_IDLE, .client = client->id };
	unsigned long end = jiffies + left;
	struct tgk_gpu *gpu = client->gpu;
	struct dma_fence *fence;

	/* In slices: to wait for long is no fault of this thread, and unloading must end it. */
	while (!open_calls_over(client) && time_before(jiffies, end))
		wait_event_timeout(gpu->open_wait, open_calls_over(client), HZ / 10);
	while ((fence = take_last(client))) {
		while (!READ_ONCE(gpu->closing) && time_before(jiffies, end) &&
		       !dma_fence_wait_timeout(fence, false, HZ / 10))
			;
		dma_fence_put(fence);
	}
	raw_spin_lock_irq(&gpu->lock);
	/* The core may have given up waiting for it: -EBUSY, -ENOENT. */
	if (!gpu->closing)
		tgk_feed(gpu, &ev);
	raw_spin_unlock_irq(&gpu->lock);
	kobject_put(&client->kobj);
}

/* TG_ACT_GATE, TG_ACT_SYNC, TG_ACT_GONE: under tgk_gpu.lock, any context. */

void tgk_client_gate(struct tgk_client *client, u32 gate)
{
	client->gate = gate;
}

void tgk_client_sync(struct tgk_client *client)
{
	client_queue(client, &client->sync);
}

void tgk_client_gone(struct tgk_client *client)
{
	client->gone = true;
	list_del_init(&client->node);
	client_queue(client, &client->show);
}

/* Who the current process is. What cannot be told stays NULL. */
static int identify(struct tg_identity *ident)
{
	struct file *exe;
	char *buf, *path;
	int len;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	ident->pid = task_tgid_nr(current);
	ident->uid = from_kuid(&init_user_ns, current_euid());
	rcu_read_lock();
	get_task_comm(ident->comm, current->group_leader);
	rcu_read_unlock();
	exe = tgk_exe_file();
	if (exe) {
		path = d_path(&exe->f_path, buf, PATH_MAX);
		if (!IS_ERR(path))
			ident->exe = kstrdup(path, GFP_KERNEL);
		fput(exe);
	}
	len = tgk_cgroup_path(buf, PATH_MAX);
	if (len >= 0 && len < PATH_MAX)
		ident->cgroup = kstrdup(buf, GFP_KERNEL);
	kfree(buf);
	return 0;
}

static struct tgk_client *client_new(struct tgk_gpu *gpu)
{
	struct tgk_client *client = kzalloc(sizeof(*client), GFP_KERNEL);

	if (!client)
		return NULL;
	if (identify(&client->ident)) {
		kfree(client);
		return NULL;
	}
	kobject_init(&client->kobj, &client_type);
	client->gpu = gpu;
	client->id = atomic_inc_return(&last_client);
	client->pid = get_pid(task_tgid(current));
	INIT_WORK(&client->show, show);
	INIT_WORK(&client->sync, sync);
	INIT_LIST_HEAD(&client->node);
	return client;
}

/* Under tgk_gpu.lock. */
static struct tgk_client *client_find(struct tgk_gpu *gpu, const struct pid *pid)
{
	struct tgk_client *client;

	list_for_each_entry(client, &gpu->clients, node)
		if (client->pid == pid && !client->closed)
			return client;
	return NULL;
}

/* --- channels --- */

static u32 channel_key(const struct drm_file *file, u32 chid)
{
	return hash_ptr(file, 32) + chid;
}

/**
 * tgk_channel_find() - a channel as the current process uses it
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: nouveau's number
 * @known: what is known about it
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: the channel if *@known is TGK_KNOWN, else NULL.
 */
struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known)
{
	const struct pid *pid = task_tgid(current);
	struct tgk_channel *ch;

	*known = TGK_UNKNOWN;
	hash_for_each_possible(gpu->channels, ch, hash, channel_key(file, chid)) {
		if (ch->file != file || ch->chid != chid)
			continue;
		if (!ch->dying && ch->client->pid == pid) {
			*known = TGK_KNOWN;
			return ch;
		}
		if (!ch->dying)
			*known = TGK_FOREIGN;
		else if (*known == TGK_UNKNOWN)
			*known = TGK_DYING;
	}
	return NULL;
}

/* Under tgk_gpu.lock. Return: true when @ch is to be freed, by channel_free(). */
static bool channel_unref(struct tgk_channel *ch)
{
	return !--ch->refs;
}

static void channel_free(struct tgk_channel *ch)
{
	dma_fence_put(ch->last);
	tgk_client_put(ch->client);
	kfree(ch);
}

/* Under tgk_gpu.lock: out of the table, and onto @done if nobody uses it any more. */
static void unhash(struct tgk_channel *ch, struct hlist_head *done)
{
	hash_del(&ch->hash);
	if (channel_unref(ch))
		hlist_add_head(&ch->hash, done);
}

static void channels_free(struct hlist_head *done)
{
	struct hlist_node *next;
	struct tgk_channel *ch;

	hlist_for_each_entry_safe(ch, next, done, hash)
		channel_free(ch);
}

void tgk_channel_put(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	bool last;

	raw_spin_lock_irq(&gpu->lock);
	last = channel_unref(ch);
	raw_spin_unlock_irq(&gpu->lock);
	if (last)
		channel_free(ch);
}

/* Under tgk_gpu.lock. */
static void leave(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	struct tg_event ev = {
		.kind = TG_EV_LEAVE, .client = ch->client->id, .channel = ch->nr,
	};

	ch->dying = true;
	if (!--ch->client->channels)
		ch->client->closed = true;
	tgk_feed(gpu, &ev);
}

static bool concerns(const struct tgk_channel *ch, const struct drm_file *file, const u32 *chid)
{
	return (!file || ch->file == file) && (!chid || ch->chid == *chid);
}

/**
 * tgk_channel_leave() - nouveau is about to free channels
 * @gpu: the GPU
 * @file: of this handle; NULL: all
 * @chid: of this number; NULL: all
 *
 * Context: process. tgk_channel_forget() follows when nouveau has freed them.
 */
void tgk_channel_leave(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid)
{
	struct tgk_channel *ch;
	int i;

	raw_spin_lock_irq(&gpu->lock);
	hash_for_each(gpu->channels, i, ch, hash)
		if (!ch->dying && concerns(ch, file, chid))
			leave(gpu, ch);
	raw_spin_unlock_irq(&gpu->lock);
}

/**
 * tgk_channel_forget() - nouveau has freed channels
 * @gpu: the GPU
 * @file: as for tgk_channel_leave()
 * @chid: as for tgk_channel_leave()
 *
 * Context: process.
 */
void tgk_channel_forget(struct tgk_gpu *gpu, const struct drm_file *file, const u32 *chid)
{
	struct hlist_node *next;
	struct tgk_channel *ch;
	HLIST_HEAD(done);
	int i;

	raw_spin_lock_irq(&gpu->lock);
	hash_for_each_safe(gpu->channels, i, next, ch, hash)
		if (ch->dying && concerns(ch, file, chid))
			unhash(ch, &done);
	raw_spin_unlock_irq(&gpu->lock);
	channels_free(&done);
}

/*
 * Processes that used a channel together with others, and are dead, leave it at once: a handle
 * that goes from hand to hand must not collect them. Under tgk_gpu.lock; what is in @done is
 * for channels_free().
 */
static void leave_dead(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
		       struct hlist_head *done)
{
	struct hlist_node *next;
	struct tgk_channel *ch;

	rcu_read_lock();
	hash_for_each_possible_safe(gpu->channels, ch, next, hash, channel_key(file, chid)) {
		if (ch->dying || !concerns(ch, file, &chid) ||
		    pid_task(ch->client->pid, PIDTYPE_TGID))
			continue;
		leave(gpu, ch);
		unhash(ch, done);
	}
	rcu_read_unlock();
}

/* Under tgk_gpu.lock. */
static int feed_join(struct tgk_gpu *gpu, struct tgk_client *client, struct tgk_channel *ch)
{
	struct tg_event ev;
	int ret;

	/*
	 * nouveau's numbers are unique while the channel lives, as far as is known to us: a race of
	 * free and submit, or a chip with several runlists, may show one twice.
	 */
	for (ch->nr = ch->chid; ; ch->nr += NR_STEP) {
		ev = (struct tg_event) {
			.kind = TG_EV_JOIN, .client = client->id, .channel = ch->nr,
			.arg = ENGINE_MASK, .data = &client->ident, .host = client,
		};
		ret = tgk_feed(gpu, &ev);
		if (ret != -EEXIST)
			return ret;
	}
}

static int join_pools(struct tgk_gpu *gpu)
{
	return tgk_pool_fill(gpu, TG_POOL_CLIENT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_CHANNEL, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_RESERVE, 1);
}

/**
 * tgk_channel_join() - the current process has a channel
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: nouveau's number: one that exists
 * @fresh: it has just been allocated; else it is known from a submission, and may be going
 *
 * Does nothing if that is known. Context: process.
 *
 * Return: 0 or a negative errno.
 */
int tgk_channel_join(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, bool fresh)
{
	enum tgk_known known = TGK_UNKNOWN;
	struct tgk_client *client, *new = NULL;
	struct tgk_channel *ch;
	HLIST_HEAD(done);
	int ret = 0;

	ch = kzalloc(sizeof(*ch), GFP_KERNEL);
	if (!ch)
		return -ENOMEM;
	ch->file = file;
	ch->chid = chid;
	ch->refs = 1;
	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		if (gpu->closing || tgk_channel_find(gpu, file, chid, &known) ||
		    (known == TGK_DYING && !fresh))
			break;
		client = client_find(gpu, task_tgid(current)) ?: new;
		ret = client ? feed_join(gpu, client, ch) : -ENOMEM;
		if (!ret) {
			if (client == new) {
				list_add_tail(&client->node, &gpu->clients);
				client_queue(client, &client->show);
				new = NULL;
			}
			client->channels++;
			kobject_get(&client->kobj);
			ch->client = client;
			hash_add(gpu->channels, &ch->hash, channel_key(file, chid));
			ch = NULL;
			if (known == TGK_FOREIGN)
				leave_dead(gpu, file, chid, &done);
		}
		if (ret != -ENOMEM)
			break;
		raw_spin_unlock_irq(&gpu->lock);
		if (!client)
			new = client_new(gpu);
		ret = client || new ? join_pools(gpu) : -ENOMEM;
		if (ret)
			goto free;
	}
	raw_spin_unlock_irq(&gpu->lock);
	channels_free(&done);
free:
	if (new)
		tgk_client_put(new);
	kfree(ch);
	return ret;
}
