// SPDX-License-Identifier: GPL-2.0
/*
 * Clients: the processes that use a GPU, as the core knows them.
 *
 * A client is a process on a GPU while it executes one program: the process that allocated a
 * channel, or, when a handle was inherited or passed on, each process that submits to it. It joins
 * with its first channel and leaves with its last (channel.c). When the process has executed
 * another program and goes on with a channel, it is a new client: what matched the first program
 * says nothing of the second.
 *
 * A client that has left may owe something. Then the core keeps it, and the next process that may
 * be the same one goes on as it: tgk_client_left(). It has the number, the folder and the counters
 * of that client, which is another process from then on.
 *
 * The core holds one reference to a client until TG_ACT_GONE. Its folder in sysfs is made and
 * removed by one work item, since both sleep; so the last state wins.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "await.h"
#include "cgroup.h"
#include "channel.h"
#include "client.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "owner.h"
#include "sleep.h"
#include "sysfs/sysfs.h"
#include "totals.h"
#include "wrap/task.h"

static atomic_t last_client;

/* --- clients --- */

static struct tgk_client *client_of_kobj(struct kobject *kobj)
{
	return container_of(kobj, struct tgk_client, kobj);
}

/* Any context: RCU frees channels. */
static void release(struct kobject *kobj)
{
	struct tgk_client *client = client_of_kobj(kobj);

	tgk_totals_leave(client);
	put_pid(client->pid);
	kfree(client->longest);
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

static void show(struct work_struct *work)
{
	struct tgk_client *client = container_of(work, struct tgk_client, show.work);
	bool gone;
	int ret;

	raw_spin_lock_irq(&client->gpu->lock);
	gone = client->gone;
	tgk_unlock_irq(client->gpu);

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
		if (client->owner)
			tgk_owner_put(client->gpu, client->owner);
		kobject_put(&client->kobj);
	}
	kobject_put(&client->kobj);
}

/* @ended is read first: if both are equal afterwards, they were equal at some moment between. */
static bool no_open_calls(const struct tgk_client *client)
{
	const s64 ended = atomic64_read(&client->open_ended);

	smp_rmb();	/* begun is read later, and never less than ended */
	return atomic64_read(&client->open_begun) == ended;
}

/* The core does not wait for this IDLE any more: the gate is open again, or the client is gone. */
static bool sync_off(const struct tgk_client *client, u32 nr)
{
	return READ_ONCE(client->sync_nr) != nr || READ_ONCE(client->gate) == TG_GATE_OPEN ||
	       READ_ONCE(client->gone) || READ_ONCE(client->gpu->closing);
}

/* The core waits for its work no more: nothing may ever end it. Under tgk_gpu.lock. */
void tgk_client_hangs(struct tgk_client *client)
{
	WRITE_ONCE(client->hung, true);
}

/*
 * A fence of what went through the client's open gate and is still in flight, or NULL. @client
 * NULL: through any client's, but for those that hang.
 */
static struct dma_fence *unfinished(struct tgk_gpu *gpu, const struct tgk_client *client)
{
	struct dma_fence *fence;
	struct tgk_channel *ch;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < 1U << gpu->channel_bits; i++) {
		hlist_for_each_entry_rcu(ch, &gpu->channels[i], hash) {
			if (client ? ch->client != client : READ_ONCE(ch->client->hung))
				continue;
			fence = tgk_channel_fence(ch);
			if (!fence)
				continue;
			if (!tgk_fence_ended(gpu, fence)) {
				rcu_read_unlock();
				return fence;
			}
			dma_fence_put(fence);
		}
	}
	rcu_read_unlock();
	return NULL;
}

/*
 * Has all that went through the client's open gate ended, or, @client NULL, through all open gates?
 * If not, this has slept for a slice.
 */
static bool work_ended(struct tgk_gpu *gpu, const struct tgk_client *client)
{
	/* Where the driver's own check reads the card. Fences of others are told by the kernel. */
	const bool reads = gpu->driver->check;
	struct dma_fence *fence;

	if (reads && !tgk_card_get(gpu)) {
		schedule_timeout_idle(HZ / 50);
		return false;
	}
	fence = unfinished(gpu, client);
	if (fence) {
		tgk_await_signal(gpu, fence);
		dma_fence_wait_timeout(fence, false, 1);
		dma_fence_put(fence);
	}
	if (reads)
		tgk_card_put(gpu);
	return !fence;
}

/*
 * TG_ACT_SYNC: wait for what went through the open gate, then feed IDLE. It waits for a slice of
 * time; if the work is not over then, the work item goes behind the others in the queue: a
 * client's thread may be stuck in the driver for ever, and there may be many such clients. Each
 * slice checks the fence again: while all other clients are held, no other completion brings up a
 * fence whose interrupt was lost (nouveau of 6.1 loses one when a wait begins just as another
 * ends).
 */
static void sync(struct work_struct *work)
{
	struct tgk_client *client = container_of(work, struct tgk_client, sync.work);
	struct tg_event ev = { .kind = TG_EV_IDLE, .client = client->id };
	const u32 nr = READ_ONCE(client->sync_nr);
	struct tgk_gpu *gpu = client->gpu;
	bool over;
	u64 ended;

	wait_event_timeout(gpu->open_wait, no_open_calls(client) || sync_off(client, nr), 1);
	over = no_open_calls(client) && (sync_off(client, nr) || work_ended(gpu, client));
	raw_spin_lock_irq(&gpu->lock);
	/* A GPU that closes calls SYNC off, under this lock: no work item outlasts the GPU. */
	if (!over && !sync_off(client, nr)) {
		tgk_queue_later(gpu, &client->sync);
	} else if (!sync_off(client, nr)) {
		/* As many as begun; but that may count one that is about to be taken back. */
		ended = atomic64_read(&client->open_ended);
		ev.idle.sent = ended - client->open_reported;
		client->open_reported = ended;
		WRITE_ONCE(client->hung, false);
		/* The core may have given up waiting for it: -EBUSY. */
		tgk_feed(gpu, &ev);
	}
	tgk_unlock_irq(gpu);
	kobject_put(&client->kobj);
}

/**
 * tgk_watch() - TG_ACT_WATCH: wait until nothing that went through open gates is in flight
 * @work: tgk_gpu.watch
 *
 * Then it feeds QUIET. It waits in slices, as sync() does. A thread that is still in the driver is
 * not waited for: it may stay there for as long as its client likes. What it has rung for is seen
 * when it comes back.
 */
void tgk_watch(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(work, struct tgk_gpu, watch.work);
	struct tg_event ev = { .kind = TG_EV_QUIET };
	bool over = !READ_ONCE(gpu->closing) && work_ended(gpu, NULL), begins;

	if (over) {
		ev.at = ktime_get_ns();
		/* If not, no client has come since the last QUIET. */
		begins = !atomic64_cmpxchg(&gpu->quiet_since, 0, ev.at);
		smp_mb();	/* tgk_open_leave() sees the time, or we its fence */
		over = work_ended(gpu, NULL);
		if (!over && begins)
			atomic64_cmpxchg(&gpu->quiet_since, ev.at, 0);
	}
	if (over)
		ev.quiet.gap = atomic64_xchg(&gpu->gap, 0);
	raw_spin_lock_irq(&gpu->lock);
	/* As with SYNC, no work item outlasts the GPU. */
	if (!over && !gpu->closing)
		tgk_queue_later(gpu, &gpu->watch);
	else if (!gpu->closing)
		tgk_feed(gpu, &ev);
	tgk_unlock_irq(gpu);
}

/* TG_ACT_GATE, TG_ACT_SYNC, TG_ACT_GONE: under tgk_gpu.lock, any context. */

void tgk_client_gate(struct tgk_client *client, u32 gate)
{
	WRITE_ONCE(client->gate, gate);
	if (gate == TG_GATE_OPEN)
		WRITE_ONCE(client->hung, false);
	/* Pairs with the one in tgk_open_enter(): it sees the gate, or we see its call. */
	smp_mb();
}

void tgk_client_sync(struct tgk_client *client)
{
	WRITE_ONCE(client->sync_nr, client->sync_nr + 1);
	tgk_queue_later(client->gpu, &client->sync);
}

void tgk_client_gone(struct tgk_client *client)
{
	tgk_totals_add(client);
	WRITE_ONCE(client->gone, true);
	hash_del(&client->node);
	tgk_queue_later(client->gpu, &client->show);
}

/*
 * The user who pays for the current process: the effective one. In a user namespace a process can
 * be any user that its maker has got (/etc/subuid): all of these are the maker of the outermost
 * one; where root has made that, they are its own root.
 */
u32 tgk_payer(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_euid();

	if (ns != &init_user_ns) {
		while (ns->parent != &init_user_ns)
			ns = ns->parent;
		uid = ns->owner;
		if (uid_eq(uid, GLOBAL_ROOT_UID))
			uid = make_kuid(ns, 0);
		if (!uid_valid(uid))
			uid = current_euid();
	}
	return from_kuid(&init_user_ns, uid);
}

/*
 * Fill in the current process's identity. A path that cannot be read stays NULL. One that is there
 * and cannot be copied is an error: without its cgroup the process would have another share.
 */
static int identify(struct tg_identity *ident)
{
	struct file *exe;
	char *buf, *path;
	int len, ret = 0;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	ident->pid = task_tgid_nr(current);
	ident->uid = from_kuid(&init_user_ns, current_euid());
	ident->payer = tgk_payer();
	rcu_read_lock();
	get_task_comm(ident->comm, current->group_leader);
	rcu_read_unlock();
	exe = tgk_exe_file();
	if (exe) {
		path = d_path(&exe->f_path, buf, PATH_MAX);
		if (!IS_ERR(path)) {
			ident->exe = kstrdup(path, GFP_KERNEL_ACCOUNT);
			ret = ident->exe ? 0 : -ENOMEM;
		}
		fput(exe);
	}
	len = tgk_cgroup_path(buf, PATH_MAX, &ident->undelegated);
	if (len >= 0 && len < PATH_MAX) {
		ident->cgroup = kstrdup(buf, GFP_KERNEL_ACCOUNT);
		if (!ident->cgroup)
			ret = -ENOMEM;
	}
	kfree(buf);
	return ret;
}

static struct tgk_client *client_begin(struct tgk_client *client, struct tgk_gpu *gpu)
{
	kobject_init(&client->kobj, &client_type);
	client->gpu = gpu;
	client->ident.gpu = dev_name(gpu->dev);
	client->id = atomic_inc_return(&last_client);
	client->longest = kcalloc(TG_WAITS_OWN, sizeof(*client->longest), GFP_KERNEL_ACCOUNT);
	INIT_LIST_HEAD(&client->threads.waiters);
	tgk_errand_init(&client->show, show, &client->kobj);
	tgk_errand_init(&client->sync, sync, &client->kobj);
	return client;
}

/**
 * tgk_client_of_driver() - a client for the own work of a GPU's driver
 * @gpu: the GPU
 *
 * It has no process and no account of VRAM, and is in nobody's totals.
 * Context: process.
 *
 * Return: as tgk_client_new().
 */
struct tgk_client *tgk_client_of_driver(struct tgk_gpu *gpu)
{
	struct tgk_client *client = kzalloc(sizeof(*client), GFP_KERNEL);

	if (!client)
		return NULL;
	client->ident.kernel = true;
	snprintf(client->ident.comm, TG_COMM_LEN, TG_KERNEL "%s", gpu->driver->name);
	return client_begin(client, gpu);
}

/**
 * tgk_client_new() - a client for the current process
 * @gpu: the GPU
 *
 * Context: process.
 *
 * Return: the client, which only the caller knows; NULL: no memory.
 */
struct tgk_client *tgk_client_new(struct tgk_gpu *gpu)
{
	struct tgk_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return NULL;
	if (identify(&client->ident)) {
		kfree(client->ident.exe);
		kfree(client->ident.cgroup);
		kfree(client);
		return NULL;
	}
	tgk_totals_find(client);
	client->pid = get_pid(task_tgid(current));
	client->exec = tgk_exec_id();
	return client_begin(client, gpu);
}

/* Under tgk_gpu.lock: the current process's, in the program that it executes; or NULL. */
struct tgk_client *tgk_client_find(struct tgk_gpu *gpu)
{
	struct tgk_client *client;

	hash_for_each_possible(gpu->clients, client, node, (unsigned long)task_tgid(current))
		if (tgk_client_is_current(client) && !client->closed)
			return client;
	return NULL;
}

/**
 * tgk_client_left() - the client that has left as which a process comes back
 * @gpu: the GPU
 * @new: a client for the current process, matched, that has not joined
 * @account: of the process
 *
 * Nobody comes back as one whose thread is stuck in the driver: the core would wait for that.
 * Context: under tgk_gpu.lock.
 *
 * Return: the client; NULL: it is a new one.
 */
struct tgk_client *tgk_client_left(struct tgk_gpu *gpu, const struct tgk_client *new, u32 account)
{
	const struct tg_client *left = tg_gpu_left(&gpu->core, &new->ident, account);
	struct tgk_client *client = left ? left->host : NULL;

	return client && !client->matching && !client->hung ? client : NULL;
}

/* One user does not see what another one's process has counted, though one pays for both. */
static void forget_counts(struct tgk_client *client)
{
	memset(client->waits, 0, sizeof(client->waits));
	memset(client->latencies, 0, sizeof(client->latencies));
	if (client->longest)
		memset(client->longest, 0, TG_WAITS_OWN * sizeof(*client->longest));
	client->unreadable = 0;
}

/**
 * tgk_client_swap() - a client that has left becomes the process of @new, and @new what it was
 * @gpu: the GPU
 * @client: the client
 * @new: as for tgk_client_left()
 *
 * A second call takes it back.
 * Context: under tgk_gpu.lock.
 */
void tgk_client_swap(struct tgk_gpu *gpu, struct tgk_client *client, struct tgk_client *new)
{
	struct pid *pid = client->pid;
	const u64 exec = client->exec;

	tgk_totals_swap(client, new);
	if (client->ident.uid != new->ident.uid)
		forget_counts(client);
	/* A thread may be in tgk_open_enter(): for a dying channel, which it does not take. */
	WRITE_ONCE(client->pid, new->pid);
	WRITE_ONCE(client->exec, new->exec);
	new->pid = pid;
	new->exec = exec;
	swap(client->ident, new->ident);
	hash_del(&client->node);
	hash_add(gpu->clients, &client->node, (unsigned long)client->pid);
}

/**
 * tgk_client_match() - find the lines of a spec that a client, its user and its cgroup match
 * @gpu: the GPU
 * @client: the client, as tgk_client_hold() gave it; the lines stay in its identity
 * @spec: the spec
 *
 * The client chooses how long this takes, by the length of its paths: so it is done without
 * tgk_gpu.lock, in process context, under tgk_spec_sem.
 */
void tgk_client_match(struct tgk_gpu *gpu, struct tgk_client *client, const struct tg_spec *spec)
{
	const struct tg_spec_entry *entry = tg_spec_match(spec, &client->ident);
	const struct tg_spec_entry *user = tg_spec_sharer(spec, &client->ident, TG_BY_USER);
	const struct tg_spec_entry *cgroup = tg_spec_sharer(spec, &client->ident, TG_BY_CGROUP);

	raw_spin_lock_irq(&gpu->lock);
	client->ident.entry = entry;
	client->ident.sharer[TG_BY_USER] = user;
	client->ident.sharer[TG_BY_CGROUP] = cgroup;
	client->ident.serial = spec->serial;
	client->matching--;
	tgk_unlock_irq(gpu);
}

/** tgk_client_hold() - under tgk_gpu.lock: tgk_client_match() comes, and tgk_client_put() */
void tgk_client_hold(struct tgk_client *client)
{
	kobject_get(&client->kobj);
	client->matching++;
}

/* One of the clients in a bucket that are not matched against @spec yet, referenced; or NULL. */
static struct tgk_client *unmatched(struct tgk_gpu *gpu, int bucket, const struct tg_spec *spec)
{
	struct tgk_client *client;

	raw_spin_lock_irq(&gpu->lock);
	hlist_for_each_entry(client, &gpu->clients[bucket], node)
		if (!tgk_client_matched(client, spec)) {
			tgk_client_hold(client);
			break;
		}
	tgk_unlock_irq(gpu);
	return client;
}

/**
 * tgk_clients_match() - match all clients of a GPU against a spec
 * @gpu: the GPU
 * @spec: the spec
 *
 * Context: process, under tgk_spec_sem for writing: no client joins meanwhile.
 */
void tgk_clients_match(struct tgk_gpu *gpu, const struct tg_spec *spec)
{
	struct tgk_client *client;
	int i;

	for (i = 0; i < HASH_SIZE(gpu->clients); i++)
		while ((client = unmatched(gpu, i, spec))) {
			tgk_client_match(gpu, client, spec);
			tgk_client_put(client);
			cond_resched();
		}
}

/**
 * tgk_clients_of() - how many clients of a GPU a reader may see
 * @gpu: the GPU
 * @uid: the reader: those of this user count
 * @all: all count
 *
 * What a reader's memory is for tells it how many there are: so others' do not count.
 * Context: any; without the lock.
 */
u32 tgk_clients_of(struct tgk_gpu *gpu, u32 uid, bool all)
{
	const struct tgk_client *client;
	u32 n = 0;
	int i;

	if (all)
		return READ_ONCE(gpu->core.nr_clients);
	for (i = 0; i < HASH_SIZE(gpu->clients); i++) {
		raw_spin_lock_irq(&gpu->lock);
		hlist_for_each_entry(client, &gpu->clients[i], node)
			n += client->ident.uid == uid;
		tgk_unlock_irq(gpu);
	}
	return n;
}

/**
 * tgk_client_add() - a client has joined
 * @gpu: the GPU
 * @client: the client
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_client_add(struct tgk_gpu *gpu, struct tgk_client *client)
{
	client->phase = gpu->poll.phases + 1;
	tgk_totals_come(client);
	hash_add(gpu->clients, &client->node, (unsigned long)client->pid);
	tgk_queue_later(gpu, &client->show);
}
