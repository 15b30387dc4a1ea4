// SPDX-License-Identifier: GPL-2.0
/*
 * Processes and channels: what nouveau sees, matched to what the core knows.
 *
 * A client is a process on a GPU: the one that allocated a channel, or, when a handle was
 * inherited or passed on, each process that submits to it. It joins with its first channel
 * and ends with its last; when the process opens another one after that, it is a new client.
 * So it is when the process has executed another program and goes on with a channel: what the
 * first one was matched by says nothing of the second.
 *
 * A channel leaves before nouveau frees it, so that its waiting threads come back and find out
 * from nouveau; it stays in the table, dying, until nouveau is done with it.
 *
 * The core holds one reference to a client until TG_ACT_GONE. Its folder in sysfs is made and
 * removed by a work item, since both sleep; one and the same, so that the last state wins.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "tgk.h"
#include "wrap/task.h"

#define PGRAPH		1	/* what a channel without objects is taken to use */
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
		tgk_owner_put(client->gpu, client->owner);
		kobject_put(&client->kobj);
	}
	kobject_put(&client->kobj);
}

/* Ended first: if both are equal then, they were equal in between. */
static bool open_calls_over(const struct tgk_client *client)
{
	const s64 ended = atomic64_read(&client->open_ended);

	smp_rmb();	/* begun is read later, and never less than ended */
	return atomic64_read(&client->open_begun) == ended;
}

/* Nobody waits for this answer to SYNC any more: the gate is open again, or all is over. */
static bool stale(const struct tgk_client *client, u32 nr)
{
	return READ_ONCE(client->sync_nr) != nr || READ_ONCE(client->gate) == TG_GATE_OPEN ||
	       READ_ONCE(client->gone) || READ_ONCE(client->gpu->closing);
}

/* A fence of what went through the client's open gate and is still in flight, or NULL. */
static struct dma_fence *unfinished(const struct tgk_client *client)
{
	struct dma_fence *fence;
	struct tgk_channel *ch;
	int i;

	rcu_read_lock();
	hash_for_each_rcu(client->gpu->channels, i, ch, hash) {
		fence = ch->client == client ? tgk_channel_fence(ch) : NULL;
		if (!fence)
			continue;
		if (!dma_fence_is_signaled(fence)) {
			rcu_read_unlock();
			return fence;
		}
		dma_fence_put(fence);
	}
	rcu_read_unlock();
	return NULL;
}

/* Has all that went through the client's open gate ended? If not, a slice of time has passed. */
static bool work_over(const struct tgk_client *client)
{
	struct dma_fence *fence;

	if (!tgk_card_get(client->gpu)) {
		schedule_timeout_idle(HZ / 50);
		return false;
	}
	fence = unfinished(client);
	if (fence) {
		dma_fence_wait_timeout(fence, false, 1);
		dma_fence_put(fence);
	}
	tgk_card_put(client->gpu);
	return !fence;
}

/*
 * TG_ACT_SYNC: wait for what went through the open gate, a slice of time. If it is not over then,
 * the work item goes behind the others: a client's thread may be stuck inside nouveau for ever,
 * and clients may be many. After each slice the fence is asked again: while everybody else is
 * held back, no other completion brings up one whose interrupt was lost (nouveau of 6.1 loses one
 * when a wait begins just as another ends).
 */
static void sync(struct work_struct *work)
{
	struct tgk_client *client = container_of(work, struct tgk_client, sync);
	struct tg_event ev = { .kind = TG_EV_IDLE, .client = client->id };
	const u32 nr = READ_ONCE(client->sync_nr);
	struct tgk_gpu *gpu = client->gpu;
	bool over;
	u64 ended;

	wait_event_timeout(gpu->open_wait, open_calls_over(client) || stale(client, nr), 1);
	over = open_calls_over(client) && (stale(client, nr) || work_over(client));
	raw_spin_lock_irq(&gpu->lock);
	/* A closed GPU makes it stale, under this lock: no work item outlasts the GPU. */
	if (!over && !stale(client, nr)) {
		client_queue(client, &client->sync);
	} else if (!stale(client, nr)) {
		/* As many as begun; but that may count one that is about to be taken back. */
		ended = atomic64_read(&client->open_ended);
		ev.arg = ended - client->open_told;
		client->open_told = ended;
		/* The core may have given up waiting for it: -EBUSY. */
		tgk_feed(gpu, &ev);
	}
	raw_spin_unlock_irq(&gpu->lock);
	kobject_put(&client->kobj);
}

/* TG_ACT_GATE, TG_ACT_SYNC, TG_ACT_GONE: under tgk_gpu.lock, any context. */

void tgk_client_gate(struct tgk_client *client, u32 gate)
{
	WRITE_ONCE(client->gate, gate);
	/* Pairs with the one in tgk_open_enter(): it sees the gate, or we see its call. */
	smp_mb();
}

void tgk_client_sync(struct tgk_client *client)
{
	WRITE_ONCE(client->sync_nr, client->sync_nr + 1);
	client_queue(client, &client->sync);
}

void tgk_client_gone(struct tgk_client *client)
{
	WRITE_ONCE(client->gone, true);
	hash_del(&client->node);
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
			ident->exe = kstrdup(path, GFP_KERNEL_ACCOUNT);
		fput(exe);
	}
	len = tgk_cgroup_path(buf, PATH_MAX);
	if (len >= 0 && len < PATH_MAX)
		ident->cgroup = kstrdup(buf, GFP_KERNEL_ACCOUNT);
	kfree(buf);
	return 0;
}

static struct tgk_client *client_new(struct tgk_gpu *gpu)
{
	struct tgk_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

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
	client->exec = tgk_exec_id();
	INIT_WORK(&client->show, show);
	INIT_WORK(&client->sync, sync);
	return client;
}

/* Is it the current process, in the program that it executes now? */
static bool is_current(const struct tgk_client *client)
{
	return client->pid == task_tgid(current) && client->exec == tgk_exec_id();
}

/* Under tgk_gpu.lock: the current process's. */
static struct tgk_client *client_find(struct tgk_gpu *gpu)
{
	struct tgk_client *client;

	hash_for_each_possible(gpu->clients, client, node, (unsigned long)task_tgid(current))
		if (is_current(client) && !client->closed)
			return client;
	return NULL;
}

static bool matched(const struct tgk_client *client, const struct tg_spec *spec)
{
	return !spec || client->ident.serial == spec->serial;
}

/*
 * What @spec says of @client, which stays in its identity. How long that takes, the client has
 * chosen: the length of its paths. So it is asked without tgk_gpu.lock; under tgk_spec_sem.
 */
static void match(struct tgk_gpu *gpu, struct tgk_client *client, const struct tg_spec *spec)
{
	const struct tg_spec_entry *entry = tg_spec_match(spec, &client->ident);

	raw_spin_lock_irq(&gpu->lock);
	client->ident.entry = entry;
	client->ident.serial = spec->serial;
	raw_spin_unlock_irq(&gpu->lock);
}

/* One of the clients in a bucket that @spec has not been asked about, referenced; NULL: none. */
static struct tgk_client *unmatched(struct tgk_gpu *gpu, int bucket, const struct tg_spec *spec)
{
	struct tgk_client *client;

	raw_spin_lock_irq(&gpu->lock);
	hlist_for_each_entry(client, &gpu->clients[bucket], node)
		if (!matched(client, spec)) {
			kobject_get(&client->kobj);
			break;
		}
	raw_spin_unlock_irq(&gpu->lock);
	return client;
}

/**
 * tgk_clients_match() - what a spec says of the clients that are there
 * @gpu: the GPU
 * @spec: the spec
 *
 * Context: process, under tgk_spec_sem, for writing: nobody joins.
 */
void tgk_clients_match(struct tgk_gpu *gpu, const struct tg_spec *spec)
{
	struct tgk_client *client;
	int i;

	for (i = 0; i < HASH_SIZE(gpu->clients); i++)
		while ((client = unmatched(gpu, i, spec))) {
			match(gpu, client, spec);
			tgk_client_put(client);
			cond_resched();
		}
}

/* --- channels --- */

/* Can it never submit again? Under tgk_gpu.lock and RCU. */
static bool is_over(const struct tgk_client *client)
{
	return !pid_task(client->pid, PIDTYPE_TGID) ||
	       (client->pid == task_tgid(current) && client->exec != tgk_exec_id());
}

/* Is one of the processes that share a channel dead? Then there is room for another. */
static bool makes_room(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct tgk_channel *ch;
	bool room = false;

	rcu_read_lock();
	hash_for_each_possible(gpu->channels, ch, hash, chid)
		room |= !ch->dying && ch->file == file && ch->chid == chid &&
			is_over(ch->client);
	rcu_read_unlock();
	return room;
}

/**
 * tgk_channel_find() - a channel as the current process uses it
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: nouveau's number
 * @known: what is known about it
 *
 * Of more than TGK_SHARERS processes that share a channel, those that come last use it in the name
 * of one that has come before.
 * Context: under tgk_gpu.lock.
 *
 * Return: the channel if *@known is TGK_KNOWN, else NULL.
 */
struct tgk_channel *tgk_channel_find(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid,
				     enum tgk_known *known)
{
	struct tgk_channel *ch, *other = NULL;
	u32 others = 0;

	*known = TGK_UNKNOWN;
	hash_for_each_possible(gpu->channels, ch, hash, chid) {
		if (ch->file != file || ch->chid != chid)
			continue;
		if (!ch->dying && is_current(ch->client)) {
			*known = TGK_KNOWN;
			return ch;
		}
		if (!ch->dying) {
			*known = TGK_FOREIGN;
			other = ch;
			others++;
		} else if (*known == TGK_UNKNOWN) {
			*known = TGK_DYING;
		}
	}
	if (likely(others < TGK_SHARERS) || makes_room(gpu, file, chid))
		return NULL;
	*known = TGK_KNOWN;
	return other;
}

static void channel_free(struct rcu_head *rcu)
{
	struct tgk_channel *ch = container_of(rcu, struct tgk_channel, rcu);

	dma_fence_put(rcu_access_pointer(ch->last));
	tgk_client_put(ch->client);
	kfree(ch);
}

/* Any context. */
void tgk_channel_put(struct tgk_channel *ch)
{
	if (refcount_dec_and_test(&ch->refs))
		call_rcu(&ch->rcu, channel_free);
}

/* Under tgk_gpu.lock: out of the table. */
static void unhash(struct tgk_channel *ch)
{
	hash_del_rcu(&ch->hash);
	tgk_fence_forget(ch);
	tgk_channel_put(ch);
}

/**
 * tgk_channel_next() - a thread of a channel is through, or has given up
 * @ch: the channel
 *
 * The first of those behind is one of its threads from now on.
 * Context: under tgk_gpu.lock.
 */
void tgk_channel_next(struct tgk_channel *ch)
{
	struct tgk_turn *turn;

	if (likely(list_empty(&ch->behind))) {
		ch->threads--;
		return;
	}
	turn = list_first_entry(&ch->behind, struct tgk_turn, node);
	list_del(&turn->node);
	/* Once it has seen this, and has had the lock, its stack may be gone. */
	WRITE_ONCE(turn->come, true);
	wake_up_process(turn->task);
}

/**
 * tgk_open_begin() - begin a submission through an open gate
 * @gpu: the GPU
 * @ch: its channel, held; not the caller's any more if it begins
 *
 * Context: process, the submitting one.
 *
 * Return: it has begun, until tgk_open_leave(); false: the gate is not open.
 */
bool tgk_open_begin(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	atomic64_inc(&ch->client->open_begun);
	smp_mb__after_atomic();		/* see tgk_client_gate() */
	if (likely(READ_ONCE(ch->client->gate) == TG_GATE_OPEN))
		return true;
	atomic64_dec(&ch->client->open_begun);
	wake_up_all(&gpu->open_wait);
	return false;
}

/**
 * tgk_open_enter() - begin a submission through an open gate
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: the channel
 *
 * Takes no lock. Context: process, the submitting one.
 *
 * Return: the channel, until tgk_open_leave(); NULL: unknown, or its client's gate is not open.
 */
struct tgk_channel *tgk_open_enter(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct tgk_channel *ch;

	rcu_read_lock_sched();
	hash_for_each_possible_rcu(gpu->channels, ch, hash, chid, rcu_read_lock_sched_held())
		if (ch->file == file && ch->chid == chid && is_current(ch->client) &&
		    !READ_ONCE(ch->dying))
			break;
	if (!ch || READ_ONCE(ch->client->gate) != TG_GATE_OPEN ||
	    !refcount_inc_not_zero(&ch->refs)) {
		rcu_read_unlock_sched();
		return NULL;
	}
	rcu_read_unlock_sched();
	if (likely(tgk_open_begin(gpu, ch)))
		return ch;
	tgk_channel_put(ch);
	return NULL;
}

/* The later one of two fences of a channel is its last, whoever comes first to say so. */
static void set_last(struct tgk_channel *ch, struct dma_fence *fence)
{
	struct dma_fence __rcu **last = &ch->last;
	struct dma_fence *old;

	rcu_read_lock_sched();	/* a fence's memory stays meanwhile, so none comes in its place */
	do {
		old = rcu_dereference_sched(*last);
		if (old && !dma_fence_is_later(fence, old)) {
			old = fence;
			break;
		}
	} while (cmpxchg((__force struct dma_fence **)last, old, fence) != old);
	rcu_read_unlock_sched();
	dma_fence_put(old);
}

/**
 * tgk_open_leave() - nouveau has the submission
 * @gpu: the GPU
 * @ch: as tgk_open_enter() gave it; not the caller's any more
 * @fence: its fence, not the caller's any more; or NULL
 */
void tgk_open_leave(struct tgk_gpu *gpu, struct tgk_channel *ch, struct dma_fence *fence)
{
	struct tgk_client *client = ch->client;

	if (fence)
		set_last(ch, fence);
	atomic64_inc(&client->open_ended);
	smp_mb__after_atomic();		/* who closed the gate sees the count, or we see the gate */
	if (unlikely(READ_ONCE(client->gate) != TG_GATE_OPEN))
		wake_up_all(&gpu->open_wait);
	tgk_channel_put(ch);
}

/**
 * tgk_channel_fence() - the last fence of what went through the open gate
 * @ch: the channel
 *
 * Context: under rcu_read_lock().
 *
 * Return: the fence, referenced, or NULL.
 */
struct dma_fence *tgk_channel_fence(struct tgk_channel *ch)
{
	return dma_fence_get_rcu_safe(&ch->last);
}

/* Under tgk_gpu.lock. */
static void leave(struct tgk_gpu *gpu, struct tgk_channel *ch)
{
	struct tg_event ev = {
		.kind = TG_EV_LEAVE, .client = ch->client->id, .channel = ch->nr,
	};

	WRITE_ONCE(ch->dying, true);
	if (!--ch->client->channels)
		ch->client->closed = true;
	tgk_feed(gpu, &ev);
}

static bool concerns(const struct tgk_channel *ch, const struct drm_file *file, const u32 *chid)
{
	return (!file || ch->file == file) && (!chid || ch->chid == *chid);
}

/* One of these channels that is dying, or is not. Under tgk_gpu.lock. */
static struct tgk_channel *one_of(struct tgk_gpu *gpu, const struct drm_file *file,
				  const u32 *chid, bool dying)
{
	struct tgk_channel *ch;
	int i;

	hash_for_each(gpu->channels, i, ch, hash)
		if (ch->dying == dying && concerns(ch, file, chid))
			return ch;
	return NULL;
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

	do {
		raw_spin_lock_irq(&gpu->lock);
		ch = one_of(gpu, file, chid, false);
		if (ch)
			leave(gpu, ch);
		raw_spin_unlock_irq(&gpu->lock);
	} while (ch);
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
	struct tgk_channel *ch;

	do {
		raw_spin_lock_irq(&gpu->lock);
		ch = one_of(gpu, file, chid, true);
		if (ch)
			unhash(ch);
		raw_spin_unlock_irq(&gpu->lock);
	} while (ch);
	tgk_pools_trim(gpu);
}

/*
 * Processes that used a channel together with others, and are dead or execute another program,
 * leave it at once: a handle that goes from hand to hand must not collect them. Under
 * tgk_gpu.lock.
 */
static void leave_dead(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	struct hlist_node *next;
	struct tgk_channel *ch;

	rcu_read_lock();
	hash_for_each_possible_safe(gpu->channels, ch, next, hash, chid) {
		if (ch->dying || !concerns(ch, file, &chid) || !is_over(ch->client))
			continue;
		leave(gpu, ch);
		unhash(ch);
	}
	rcu_read_unlock();
}

/* Under tgk_gpu.lock. */
static int feed_join(struct tgk_gpu *gpu, struct tgk_client *client, struct tgk_channel *ch,
		     const struct tgk_owner *owner)
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
			.job = tgk_owner_nr(owner), .arg = PGRAPH, .data = &client->ident,
			.host = client,
		};
		ret = tgk_feed(gpu, &ev);
		if (ret != -EEXIST)
			return ret;
	}
}

static int join_pools(struct tgk_gpu *gpu)
{
	return tgk_pool_fill(gpu, TG_POOL_CLIENT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_ACCOUNT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_CHANNEL, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_RESERVE, 1);
}

/* The engine that objects of this class are of; Fermi's copy engines have classes of their own. */
static u8 engine_of(const struct tgk_gpu *gpu, u32 class)
{
	if (gpu->core.nr_engines == 1)
		return PGRAPH;
	switch (class) {
	case 0x90b5:
		return 1 << 1;
	case 0x90b8:
		return 1 << 2;
	default:
		return PGRAPH;
	}
}

/**
 * tgk_channel_object() - a channel got an object: its jobs use that one's engine, too
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: nouveau's number
 * @class: the object's
 *
 * Context: process.
 */
void tgk_channel_object(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, u32 class)
{
	enum tgk_known known = TGK_UNKNOWN;
	struct tgk_channel *ch;

	raw_spin_lock_irq(&gpu->lock);
	ch = gpu->closing ? NULL : tgk_channel_find(gpu, file, chid, &known);
	if (ch && (ch->engines | engine_of(gpu, class)) != ch->engines) {
		struct tg_event ev = {
			.kind = TG_EV_ENGINES, .client = ch->client->id, .channel = ch->nr,
		};

		ch->engines |= engine_of(gpu, class);
		ev.arg = ch->engines;
		tgk_feed(gpu, &ev);
	}
	raw_spin_unlock_irq(&gpu->lock);
}

/**
 * tgk_channel_join() - the current process has a channel
 * @gpu: the GPU
 * @file: nouveau's handle
 * @chid: nouveau's number: one that exists
 * @fresh: it has just been allocated; else it is known from a submission, and may be going
 *
 * Does nothing if that is known. Context: process; sleeps for as long as it takes to match all
 * clients against a new spec, unless killed.
 *
 * Return: 0 or a negative errno.
 */
int tgk_channel_join(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid, bool fresh)
{
	enum tgk_known known = TGK_UNKNOWN;
	struct tgk_client *client, *new = NULL;
	const struct tg_spec *spec;
	struct tgk_owner *owner;
	struct tgk_channel *ch;
	int ret = 0;

	ch = kzalloc(sizeof(*ch), GFP_KERNEL_ACCOUNT);
	owner = ch ? tgk_owner_get(gpu) : NULL;
	if (!owner) {
		kfree(ch);
		return -ENOMEM;
	}
	if (down_read_killable(&tgk_spec_sem)) {
		tgk_owner_put(gpu, owner);
		kfree(ch);
		return -EINTR;
	}
	spec = tgk_spec ? &tgk_spec->spec : NULL;
	ch->file = file;
	ch->chid = chid;
	ch->engines = fresh ? 0 : PGRAPH;	/* what objects it has, nobody has seen */
	refcount_set(&ch->refs, 1);
	INIT_LIST_HEAD(&ch->behind);
	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		if (gpu->closing || tgk_channel_find(gpu, file, chid, &known) ||
		    (known == TGK_DYING && !fresh))
			break;
		client = client_find(gpu) ?: new;
		if (client && !matched(client, spec)) {
			kobject_get(&client->kobj);
			raw_spin_unlock_irq(&gpu->lock);
			match(gpu, client, spec);
			tgk_client_put(client);
			continue;
		}
		/* Their reserves are free for this one. */
		if (client && known == TGK_FOREIGN)
			leave_dead(gpu, file, chid);
		ret = client ? feed_join(gpu, client, ch, owner) : -ENOMEM;
		if (!ret) {
			if (client == new) {
				client->phase = gpu->poll.phases + 1;
				hash_add(gpu->clients, &client->node, (unsigned long)client->pid);
				client_queue(client, &client->show);
				client->owner = owner;
				owner = NULL;
				new = NULL;
			}
			client->channels++;
			kobject_get(&client->kobj);
			ch->client = client;
			hash_add_rcu(gpu->channels, &ch->hash, chid);
			ch = NULL;
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
free:
	up_read(&tgk_spec_sem);
	if (new)
		tgk_client_put(new);
	if (owner)
		tgk_owner_put(gpu, owner);
	kfree(ch);
	return ret;
}
