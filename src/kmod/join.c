// SPDX-License-Identifier: GPL-2.0
/*
 * How a channel joins: when the driver has allocated it, or with its first submission. A process
 * that has no client on this GPU gets one with it.
 *
 * tgk_channel_join() is called by the functions of the driver folder and by submit.c, in process
 * context. The thread holds a claim (claim.c), so that no other frees the channel meanwhile. The
 * table is changed under tgk_gpu.lock.
 *
 * Where the hardware limits channels, the driver has tgk_driver.find. Elsewhere a channel is a ring
 * of a file, and a process opens as many files as it likes. The module takes TGK_CHANNELS_MAX of a
 * client, and refuses submissions on others.
 */
#include <linux/slab.h>

#include "channel.h"
#include "claim.h"
#include "client.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "owner.h"
#include "pool.h"
#include "settings.h"
#include "totals.h"

#define GRAPHICS		1	/* the engine of a channel of which no object is known */
#define NR_STEP			0x1000	/* above any number that a driver gives to a channel */
#define NR_TRIES		8	/* numbers that may be taken, before a join is refused */
#define TGK_CHANNELS_MAX	512	/* of a client, where the driver does not limit them */

/*
 * Processes that used a handle, and are dead or execute another program, leave its channels when
 * another process comes to it. Otherwise a handle that is passed from process to process would
 * collect clients without end, and each would have a reserve of its own. Under tgk_gpu.lock.
 */
static void leave_dead(struct tgk_gpu *gpu, const struct drm_file *file)
{
	struct hlist_node *next;
	struct tgk_channel *ch;
	u32 i, last = tgk_channel_lists(gpu, file, NULL, &i);

	rcu_read_lock();
	for (; i <= last; i++)
		hlist_for_each_entry_safe(ch, next, &gpu->channels[i], hash)
			if (!ch->dying && ch->file == file && tgk_client_is_dead(ch->client))
				tgk_channel_drop(gpu, ch);
	rcu_read_unlock();
}

/* Under tgk_gpu.lock. */
static int feed_join(struct tgk_gpu *gpu, struct tgk_client *client, struct tgk_channel *ch,
		     const struct tgk_owner *owner)
{
	struct tg_event ev;
	int tries, ret;

	tgk_report_bypassed(gpu);
	tgk_totals_add(client);
	/*
	 * Two channels may have one number: in a race of free and submit, on a chip with several
	 * runlists, or in two files of a client. The second gets a number that this client has not
	 * used before, or not for a million joins.
	 */
	ch->nr = ch->chid;
	for (tries = 0; tries < NR_TRIES; tries++) {
		ev = (struct tg_event) {
			.kind = TG_EV_JOIN, .client = client->id, .channel = ch->nr,
			.join = { .engines = GRAPHICS, .account = owner->nr },
			.identity = &client->ident, .host = client,
		};
		ret = tgk_feed(gpu, &ev);
		if (ret != -EEXIST)
			return ret;
		ch->nr = ch->chid + NR_STEP * ++client->doubles;
	}
	return -ENOSPC;
}

static int join_pools(struct tgk_gpu *gpu)
{
	return tgk_pool_fill(gpu, TG_POOL_CLIENT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_SHARER, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_ACCOUNT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_CHANNEL, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_RESERVE, 1);
}

/**
 * struct joining - a channel on its way into the core
 * @ch: the channel, NULL: the core has it
 * @owner: the account of the current process, held; NULL: a new client has it
 * @new: a client for it, if none is there; NULL: none was needed yet, or it has joined
 * @spec: in force, or NULL; under tgk_spec_sem
 */
struct joining {
	struct tgk_channel *ch;
	struct tgk_owner *owner;
	struct tgk_client *new;
	const struct tg_spec *spec;
};

/*
 * Under tgk_gpu.lock: the core has taken the channel. Of a client that has come back, @new and
 * @owner are what it was before.
 */
static void joined(struct tgk_gpu *gpu, struct joining *j, struct tgk_client *client)
{
	if (client == j->new || client->closed)
		tgk_totals_joined(client);
	if (client == j->new) {
		tgk_client_add(gpu, client);
		client->owner = j->owner;
		j->owner = NULL;
		j->new = NULL;
	} else if (client->closed) {
		client->closed = false;
		swap(client->owner, j->owner);
	}
	client->channels++;
	kobject_get(&client->kobj);
	j->ch->client = client;
	hlist_add_head_rcu(&j->ch->hash, tgk_channel_list(gpu, j->ch->file, j->ch->chid));
	j->ch = NULL;
}

/*
 * Return: 0: it has joined, or need not; -EAGAIN: try again; -ENOMEM: get_memory(), and try again;
 * or another errno.
 */
static int try_join(struct tgk_gpu *gpu, struct joining *j, bool fresh)
{
	const struct drm_file *file = j->ch->file;
	const u32 chid = j->ch->chid;
	struct tgk_client *client, *left;
	enum tgk_known known;
	int ret = 0;

	raw_spin_lock_irq(&gpu->lock);
	if (gpu->closing || tgk_channel_look(gpu, file, chid, &known) ||
	    (known == TGK_DYING && !fresh)) {
		tgk_unlock_irq(gpu);
		return 0;
	}
	client = tgk_client_find(gpu) ?: j->new;
	if (client && !tgk_client_matched(client, j->spec)) {
		tgk_client_hold(client);
		tgk_unlock_irq(gpu);
		tgk_client_match(gpu, client, j->spec);
		tgk_client_put(client);
		return -EAGAIN;
	}
	/* The dead give back their reserves, so that this client can have one. */
	if (client && (client == j->new || known == TGK_FOREIGN))
		leave_dead(gpu, file);
	left = client && client == j->new ? tgk_client_left(gpu, client, j->owner->nr) : NULL;
	if (left) {
		client = left;
		tgk_client_swap(gpu, client, j->new);
	}
	if (client && client->channels >= TGK_CHANNELS_MAX && !gpu->driver->find)
		ret = -ENOSPC;
	else
		ret = client ? feed_join(gpu, client, j->ch, j->owner) : -ENOMEM;
	if (!ret)
		joined(gpu, j, client);
	else if (left)
		tgk_client_swap(gpu, client, j->new);
	tgk_unlock_irq(gpu);
	return ret;
}

/*
 * Allocate what the core will take, and a client for a process that has none. The caller's cgroup
 * may be short of memory for as long as it likes, and root's writes must not wait for that: not
 * under tgk_spec_sem.
 */
static int get_memory(struct tgk_gpu *gpu, struct joining *j)
{
	bool known;

	raw_spin_lock_irq(&gpu->lock);
	known = tgk_client_find(gpu);
	tgk_unlock_irq(gpu);
	if (!known && !j->new)
		j->new = tgk_client_new(gpu);
	return known || j->new ? join_pools(gpu) : -ENOMEM;
}

/* Under tgk_spec_sem, as long as nothing is missing. Return: as try_join(), but for -EAGAIN. */
static int join_by_spec(struct tgk_gpu *gpu, struct joining *j, bool fresh)
{
	int ret;

	if (down_read_killable(&tgk_spec_sem))
		return -EINTR;
	j->spec = tgk_spec ? &tgk_spec->spec : NULL;
	do
		ret = try_join(gpu, j, fresh);
	while (ret == -EAGAIN);
	up_read(&tgk_spec_sem);
	return ret;
}

/* @told: which engines it uses will be told. If not, its objects were made before us. */
static struct tgk_channel *channel_new(const struct drm_file *file, u32 chid, bool told)
{
	struct tgk_channel *ch = kzalloc(sizeof(*ch), GFP_KERNEL_ACCOUNT);

	if (!ch)
		return NULL;
	ch->file = file;
	ch->chid = chid;
	ch->engines = told ? 0 : GRAPHICS;
	refcount_set(&ch->refs, 1);
	INIT_LIST_HEAD(&ch->threads.waiters);
	return ch;
}

/* The driver has no such channel. Each of its ways to submit is for files of its own kind. */
static bool is_gone(const struct tgk_driver *driver, struct drm_file *file, u32 chid)
{
	const int ret = driver->find(file, chid, false);

	return ret == -ENOENT || (ret && driver->find(file, chid, true) == -ENOENT);
}

/* The channel is there, and is claimed: no other thread frees it, or lets it join. */
static int join(struct tgk_gpu *gpu, struct drm_file *file, u32 chid, bool fresh)
{
	struct joining j = { .ch = channel_new(file, chid, fresh || gpu->driver->engine_of ||
						 gpu->driver->engine) };
	int ret = -ENOMEM;

	if (fresh)
		tgk_clock_fresh(gpu, chid);
	if (j.ch)
		j.owner = tgk_owner_get(gpu);
	while (j.owner) {
		ret = join_by_spec(gpu, &j, fresh);
		if (ret != -ENOMEM)
			break;
		ret = get_memory(gpu, &j);
		if (ret)
			break;
	}
	if (ret == -ENOSPC)
		pr_info_ratelimited("GPU %u: %s[%d] submits on %u files or rings, and on no more\n",
				    gpu->index, current->comm, current->tgid, TGK_CHANNELS_MAX);
	if (j.new)
		tgk_client_put(j.new);
	if (j.owner)
		tgk_owner_put(gpu, j.owner);
	kfree(j.ch);
	return ret;
}

/**
 * tgk_channel_join() - the current process has a channel
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number
 * @how: by which of the driver's ways to submit it is known; TGK_FRESH: it has just been allocated
 *
 * Does nothing if the table has it. First the driver says whether it is there: another thread may
 * have freed it.
 * Context: process; sleeps for as long as it takes to match all clients against a new spec, unless
 * killed.
 *
 * Return: 0, or a negative errno: what the driver answers to a submission, -ENOMEM, -EINTR;
 * -ENOSPC: the process has TGK_CHANNELS_MAX.
 */
int tgk_channel_join(struct tgk_gpu *gpu, struct drm_file *file, u32 chid, enum tgk_way how)
{
	struct tgk_claim c = { .file = file, .chid = chid };
	int ret = tgk_claim(gpu, &c);

	if (ret)
		return ret;
	if (how == TGK_FRESH)
		ret = is_gone(gpu->driver, file, chid) ? -ENOENT : 0;
	else if (gpu->driver->find)
		ret = gpu->driver->find(file, chid, how == TGK_SCHED);
	if (!ret)
		ret = join(gpu, file, chid, how == TGK_FRESH);
	tgk_unclaim(gpu, &c);
	return ret;
}
