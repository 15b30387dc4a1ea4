// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder (tg/recorder.h) in the module: its memory, which root may resize while the
 * GPU works; what each client keeps of it for its own user; and the copy of it that is frozen when
 * a wait was longer than stutter_us.
 *
 * gpu.c, feed.c and sysfs/waits.c call this in process context. The core calls took() and later()
 * under tgk_gpu.lock. The memory of the ring is the module's: recorder_kib for each GPU, and the
 * runs of each engine. What a client keeps and what a reader copies is charged to its cgroup.
 */
#include <linux/device.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "client.h"
#include "feed.h"
#include "gpu.h"
#include "recorder.h"
#include "tgk.h"

#define AT_ONCE		16	/* records that are copied without giving the lock back */

u32 tgk_recorder_kib = 256;
u32 tgk_stutter_us;

/* --- the frozen copy --- */

static DEFINE_MUTEX(frozen_mutex);
static void *frozen;		/* frozen_mutex, as its length; NULL: there is none */
static size_t frozen_len;
static atomic_t freezing;	/* 1: there is a copy, or freeze() has yet to make it */
static u32 frozen_gpu;		/* set by the thread that set @freezing, as is the next one */
static char frozen_device[32];

/*
 * Tell that a copy is there, and of which GPU, but not which client waited: every process may
 * listen. The next uevent comes only after root has dropped the copy.
 */
static void send_stutter(void)
{
	struct kobj_uevent_env *env = kzalloc(sizeof(*env), GFP_KERNEL);

	if (!env)
		return;
	add_uevent_var(env, "TIMEGRAPH_EVENT=STUTTER");
	add_uevent_var(env, "TIMEGRAPH_GPU=%u", frozen_gpu);
	add_uevent_var(env, "TIMEGRAPH_DEVICE=%s", frozen_device);
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env->envp);
	kfree(env);
}

static void freeze(struct work_struct *work)
{
	void *copy = NULL;
	size_t len;
	int ret = tgk_waits_copy(&copy, &len, 0, true);

	mutex_lock(&frozen_mutex);
	if (ret) {
		atomic_set(&freezing, 0);
	} else {
		frozen = copy;
		frozen_len = len;
	}
	mutex_unlock(&frozen_mutex);
	if (!ret)
		send_stutter();
}

static struct tgk_errand freeze_work = {
	.work = __WORK_INITIALIZER(freeze_work.work, freeze),
	.node = LIST_HEAD_INIT(freeze_work.node),
};

/* Under tgk_gpu.lock: a record is new, or has changed, and says who ran. */
static void took(struct tg_recorder *rec, struct tg_wait *wait, struct tg_client *client)
{
	const struct tgk_client *ours = client->host;
	struct tgk_gpu *gpu = ours->gpu;
	const s64 stutter = READ_ONCE(tgk_stutter_us) * TG_USEC;

	if (ours->longest)
		tg_wait_keep(ours->longest, wait);
	if (!stutter || wait->lost < stutter || gpu->closing || atomic_xchg(&freezing, 1))
		return;
	frozen_gpu = gpu->index;
	strscpy(frozen_device, dev_name(gpu->dev), sizeof(frozen_device));
	tgk_queue_later(gpu, &freeze_work);
}

/* Under tgk_gpu.lock, inside an event. One that wakes several threads has queued the work, too. */
static void later(struct tg_gpu *core, struct tg_wait *wait)
{
	struct tgk_gpu *gpu = container_of(core, struct tgk_gpu, core);

	wait->wall = ktime_get_real_ns();
	wait->gpu = gpu->index;
	tgk_queue_later(gpu, &gpu->wake_work);
}

/**
 * tgk_recorder_walk() - find out who ran during one of the waits that were recorded lately
 * @gpu: the GPU
 *
 * Context: process.
 *
 * Return: there was one; there may be more.
 */
bool tgk_recorder_walk(struct tgk_gpu *gpu)
{
	bool done;

	raw_spin_lock_irq(&gpu->lock);
	done = tg_recorder_walk(&gpu->core);
	tgk_unlock_irq(gpu);
	return done;
}

/**
 * tgk_waits_frozen() - read the frozen copy
 * @buf: where to
 * @off: from where in it
 * @count: how many bytes at most
 *
 * Return: bytes, 0 where there is no copy.
 */
ssize_t tgk_waits_frozen(char *buf, loff_t off, size_t count)
{
	ssize_t ret;

	if (mutex_lock_killable(&frozen_mutex))
		return -EINTR;
	ret = frozen ? memory_read_from_buffer(buf, count, &off, frozen, frozen_len) : 0;
	mutex_unlock(&frozen_mutex);
	return ret;
}

/* Drop the frozen copy: the next stutter makes another one. */
void tgk_waits_thaw(void)
{
	mutex_lock(&frozen_mutex);
	if (frozen) {
		kvfree(frozen);
		frozen = NULL;
		atomic_set(&freezing, 0);
	}
	mutex_unlock(&frozen_mutex);
}

/* At unload, when there is no GPU any more. */
void tgk_recorder_exit(void)
{
	cancel_work_sync(&freeze_work.work);
	kvfree(frozen);
}

/* --- its memory --- */

static struct tg_recorder *recorder_new(const struct tgk_gpu *gpu, u32 kib, u64 last)
{
	const u32 nr = kib * 1024 / sizeof(struct tg_wait), engines = gpu->core.nr_engines;
	void *memory = vzalloc(tg_recorder_size(nr, engines));
	struct tg_recorder *rec = memory ? tg_recorder_init(memory, nr, engines, last) : NULL;

	if (rec) {
		rec->took = took;
		rec->later = later;
		rec->times = offsetof(struct tgk_job, times);
	}
	return rec;
}

/* Under tgk_gpu.lock: a part of resize(). Return: @new is in force. */
static bool step(struct tgk_gpu *gpu, struct tg_recorder *new)
{
	const struct tg_recorder *old = gpu->core.recorder;

	/* Records are copied or dropped when their walks are over. */
	if (tg_recorder_walk(&gpu->core))
		return false;
	if (new && old && !tg_recorder_move(new, old, gpu->core.nr_engines, AT_ONCE))
		return false;
	if (old)
		gpu->last_wait = old->last;
	gpu->core.recorder = new;
	return true;
}

static int resize(struct tgk_gpu *gpu, u32 kib)
{
	struct tg_recorder *old = gpu->core.recorder, *new = NULL;
	bool done;

	if (kib) {
		new = recorder_new(gpu, kib, old ? 0 : gpu->last_wait);
		if (!new)
			return -ENOMEM;
	}
	do {
		raw_spin_lock_irq(&gpu->lock);
		done = step(gpu, new);
		tgk_unlock_irq(gpu);
		cond_resched();
	} while (!done);
	vfree(old);
	return 0;
}

/**
 * tgk_recorder_attach() - a new GPU: switch its recorder on
 * @gpu: the GPU
 *
 * Context: process, under tgk_mutex.
 *
 * Return: 0 or -ENOMEM.
 */
int tgk_recorder_attach(struct tgk_gpu *gpu)
{
	return resize(gpu, tgk_recorder_kib);
}

/* The GPU is closed, its jobs are over. */
void tgk_recorder_detach(struct tgk_gpu *gpu)
{
	resize(gpu, 0);
}

/**
 * tgk_set_recorder() - resize the recorders, or switch them off
 * @kib: of each GPU; 0: off
 *
 * The newest records stay, as many as fit.
 * Context: process, under tgk_mutex.
 *
 * Return: 0; -ENOMEM: all are as they were, but off where there was no memory to go back.
 */
int tgk_set_recorder(u32 kib)
{
	struct tgk_gpu *gpu;

	lockdep_assert_held(&tgk_mutex);
	if (kib == tgk_recorder_kib)
		return 0;
	list_for_each_entry(gpu, &tgk_gpus, node)
		if (resize(gpu, kib))
			goto back;
	WRITE_ONCE(tgk_recorder_kib, kib);
	return 0;
back:
	/* This GPU still has its old one; those before it do not. */
	list_for_each_entry_continue_reverse(gpu, &tgk_gpus, node)
		if (resize(gpu, tgk_recorder_kib))
			resize(gpu, 0);
	return -ENOMEM;
}

/* --- copies for readers --- */

/* How many records a reader may get. */
static u32 room_for(u32 uid, bool all)
{
	const struct tg_recorder *rec;
	struct tgk_gpu *gpu;
	u32 n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		if (!all) {
			n += tgk_clients_of(gpu, uid, false) * TG_WAITS_OWN;
			continue;
		}
		raw_spin_lock_irq(&gpu->lock);
		rec = gpu->core.recorder;
		n += rec ? rec->nr : 0;
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	return n;
}

/* All records of a GPU, the oldest first. */
static void copy_all(struct tgk_gpu *gpu, struct tg_waits_head *head, u32 room)
{
	struct tg_wait *to = (struct tg_wait *)(head + 1);
	const struct tg_recorder *rec;
	u64 number = 0;
	u32 n;

	do {
		n = 0;
		raw_spin_lock_irq(&gpu->lock);
		rec = gpu->core.recorder;
		if (rec && !number) {
			tgk_report_bypassed(gpu);
			head->dropped += rec->dropped;
		}
		if (rec)
			n = tg_recorder_read(rec, &number, to + head->nr,
					     min_t(u32, room - head->nr, AT_ONCE));
		tgk_unlock_irq(gpu);
		head->nr += n;
	} while (n);
}

/*
 * Under tgk_gpu.lock: those that a client of @uid keeps, without what that user may not know. It is
 * the one in this bucket behind @skip others of this user. Return: there is one.
 */
static bool copy_client(struct tgk_gpu *gpu, int bucket, u32 skip, struct tg_waits_head *head,
			u32 room, u32 uid)
{
	struct tg_wait *to = (struct tg_wait *)(head + 1);
	const struct tgk_client *client;
	u32 i;

	hlist_for_each_entry(client, &gpu->clients[bucket], node)
		if (client->ident.uid == uid && !skip--)
			break;
	for (i = 0; client && client->longest && i < TG_WAITS_OWN && head->nr < room; i++) {
		/* Another user's process may have been this client. */
		if (!client->longest[i].number || client->longest[i].who.uid != uid)
			continue;
		to[head->nr] = client->longest[i];
		tg_wait_hide(&to[head->nr++]);
	}
	return client;
}

/* Those of all clients of a user. It chooses how many: the lock is given back behind each. */
static void copy_own(struct tgk_gpu *gpu, struct tg_waits_head *head, u32 room, u32 uid)
{
	int bucket;
	bool found;
	u32 skip;

	for (bucket = 0; bucket < HASH_SIZE(gpu->clients); bucket++) {
		for (skip = 0, found = true; found; skip++) {
			raw_spin_lock_irq(&gpu->lock);
			found = copy_client(gpu, bucket, skip, head, room, uid);
			tgk_unlock_irq(gpu);
		}
	}
}

/**
 * tgk_waits_copy() - copy the records that a reader may see
 * @data: receives the copy; kvfree()
 * @len: receives its length
 * @uid: whose records
 * @all: those of all users
 *
 * What a user sees of its own depends on its own clients alone: they keep their longest waits
 * themselves, and others cannot push these out.
 * Context: process.
 *
 * Return: 0 or -ENOMEM.
 */
int tgk_waits_copy(void **data, size_t *len, u32 uid, bool all)
{
	const u32 room = room_for(uid, all);
	struct tg_waits_head *head;
	struct tgk_gpu *gpu;

	head = kvmalloc(sizeof(*head) + room * sizeof(struct tg_wait), GFP_KERNEL_ACCOUNT);
	if (!head)
		return -ENOMEM;
	memset(head, 0, sizeof(*head));
	head->magic = TG_WAIT_MAGIC;
	head->version = TG_WAIT_VERSION;
	head->size = sizeof(struct tg_wait);
	head->kib = READ_ONCE(tgk_recorder_kib);
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		while (tgk_recorder_walk(gpu))
			;
		if (all)
			copy_all(gpu, head, room);
		else
			copy_own(gpu, head, room, uid);
	}
	rcu_read_unlock();
	*data = head;
	*len = sizeof(*head) + head->nr * sizeof(struct tg_wait);
	return 0;
}
