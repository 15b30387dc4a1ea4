// SPDX-License-Identifier: GPL-2.0
/*
 * Sharers: whose shares a fair policy keeps equal, by weight. With its knob `share` at
 * TG_BY_PROCESS that is each client, at TG_BY_USER or TG_BY_CGROUP each user or cgroup; the clients
 * of one of these share what it gets.
 *
 * This file says which sharer a client belongs to, and what both weigh. The policy keeps the
 * accounts of sharers and of clients, in tg_sharer.priv and tg_client.priv.
 *
 * The key is what a process cannot choose: the user that pays for it, or the nearest cgroup that is
 * not delegated. A sharer lives as long as it has clients, those included that have left and owe
 * something (debt.c). A process that comes back as such a client has its sharer, too.
 *
 * Memory: each client brings one sharer from the pool, and there are never more of them than
 * clients. So none is missing when a client goes over to another sharer, as it leaves the old one
 * first.
 *
 * A change of the knob is a change of the policy to itself (handover.c): all clients join anew, and
 * what the policy has kept of the old sharers is void.
 *
 * client.c and handover.c call this when clients come, go and join a policy, match.c when they have
 * a line of the spec, vgpu.c when they move, knob.c and dry.c for the knob; under the GPU's lock.
 */
#include "client.h"
#include "match.h"
#include "share.h"

/*
 * A path as a number. Two cgroups whose paths had the same number would be one sharer. By chance
 * that is not to be expected of 64 bits. Only root makes cgroups that are not delegated; a service
 * of root's that lets users choose their names lets them look for such a pair.
 */
static u64 hash(const char *path, u32 len)
{
	u64 h = 0xcbf29ce484222325u;
	u32 i;

	for (i = 0; i < len; i++)
		h = (h ^ (u8)path[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

static u64 key_of(const struct tg_identity *id, u8 by)
{
	return by == TG_BY_USER ? id->payer : hash(id->cgroup, tg_identity_cgroup(id));
}

/* Does the sharer that is wanted go before one that is there? 0: it is that one. */
static int compare(u8 by, u8 vgpu, u64 key, const struct tg_sharer *sharer)
{
	if (by != sharer->by)
		return by < sharer->by ? -1 : 1;
	if (vgpu != sharer->vgpu)
		return vgpu < sharer->vgpu ? -1 : 1;
	if (key != sharer->key)
		return key < sharer->key ? -1 : 1;
	return 0;
}

static u8 vgpu_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return gpu->policy->by_vgpu && gpu->share_by != TG_BY_PROCESS ? client->vgpu : 0;
}

static struct tg_sharer *new_sharer(struct tg_gpu *gpu, u8 by, u8 vgpu, u64 key)
{
	struct tg_sharer *sharer = gpu->spare_sharers;

	gpu->spare_sharers = *(void **)sharer;
	memset(sharer, 0, sizeof(*sharer));
	sharer->by = by;
	sharer->vgpu = vgpu;
	sharer->key = key;
	sharer->term = gpu->term;
	return sharer;
}

/* The sharer that the client belongs to; a new one if there is none yet. */
static struct tg_sharer *get(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct rb_node **link = &gpu->sharers.rb_root.rb_node, *parent = NULL;
	const u8 by = tg_client_is_kernel(client) ? TG_BY_PROCESS : gpu->share_by;
	const u8 vgpu = vgpu_of(gpu, client);
	struct tg_sharer *sharer;
	bool first = true;
	u64 key;
	int side;

	if (by == TG_BY_PROCESS)
		return new_sharer(gpu, by, 0, 0);
	key = key_of(client->id_data, by);
	while (*link) {
		parent = *link;
		sharer = rb_entry(parent, struct tg_sharer, node);
		side = compare(by, vgpu, key, sharer);
		if (!side)
			return sharer;
		first &= side < 0;
		link = side < 0 ? &parent->rb_left : &parent->rb_right;
	}
	sharer = new_sharer(gpu, by, vgpu, key);
	rb_link_node(&sharer->node, parent, link);
	rb_insert_color_cached(&sharer->node, &gpu->sharers, first);
	return sharer;
}

/* The line of the spec that says the weight of the client's sharer; NULL: none does. */
static const struct tg_spec_entry *line_of(const struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct tg_identity *id = client->id_data;
	const u8 by = client->sharer->by;

	if (!gpu->spec)
		return NULL;
	if (gpu->spec->serial && id->serial == gpu->spec->serial)
		return id->sharer[by];
	return tg_spec_sharer(gpu->spec, id, by);
}

void tg_share_weigh(struct tg_gpu *gpu, struct tg_client *client, const struct tg_spec_entry *entry)
{
	const struct tg_spec_entry *line;

	client->weight = entry ? entry->weight : 1;
	if (!client->sharer)
		return;
	client->sharer->weight = client->weight;
	if (client->sharer->by == TG_BY_PROCESS)
		return;
	line = line_of(gpu, client);
	client->sharer->weight = line ? line->weight : 1;
	if (line && line == entry)
		client->weight = 1;
}

/* The client brings a sharer. */
static void give(struct tg_gpu *gpu)
{
	void *sharer = tg_gpu_take(gpu, TG_POOL_SHARER);

	*(void **)sharer = gpu->spare_sharers;
	gpu->spare_sharers = sharer;
}

/* @anew: what the client weighs depends on what sharers there are. */
static void join(struct tg_gpu *gpu, struct tg_client *client, bool anew)
{
	struct tg_sharer *sharer = get(gpu, client);

	/* Its other clients have yet to join the policy that is in force. */
	if (sharer->term != gpu->term)
		memset(sharer->priv, 0, sizeof(sharer->priv));
	sharer->term = gpu->term;
	sharer->clients++;
	client->sharer = sharer;
	if (anew)
		tg_share_weigh(gpu, client, tg_match_entry(gpu, client->id_data));
	else
		sharer->weight = client->weight;
}

void tg_share_join(struct tg_gpu *gpu, struct tg_client *client)
{
	give(gpu);
	join(gpu, client, gpu->share_by != TG_BY_PROCESS);
}

static void leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_sharer *sharer = client->sharer;

	client->sharer = NULL;
	if (--sharer->clients)
		return;
	if (sharer->by != TG_BY_PROCESS)
		rb_erase_cached(&sharer->node, &gpu->sharers);
	*(void **)sharer = gpu->spare_sharers;
	gpu->spare_sharers = sharer;
}

void tg_share_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	void *sharer;

	leave(gpu, client);
	sharer = gpu->spare_sharers;
	gpu->spare_sharers = *(void **)sharer;
	tg_gpu_give(gpu, TG_POOL_SHARER, sharer);
}

void tg_share_rejoin(struct tg_gpu *gpu, struct tg_client *client)
{
	const bool anew = client->sharer->by != TG_BY_PROCESS || gpu->share_by != TG_BY_PROCESS;
	const s64 typical = client->sharer->typical;

	leave(gpu, client);
	join(gpu, client, anew);
	if (!anew)
		client->sharer->typical = typical;
}

void tg_share_moved(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!client->sharer || client->sharer->by == TG_BY_PROCESS ||
	    client->sharer->vgpu == vgpu_of(gpu, client))
		return;
	tg_share_rejoin(gpu, client);
}

bool tg_share_same(const struct tg_gpu *gpu, const struct tg_client *client,
		   const struct tg_identity *id)
{
	return gpu->share_by != TG_BY_CGROUP || client->sharer->by != TG_BY_CGROUP ||
	       client->sharer->key == key_of(id, TG_BY_CGROUP);
}

bool tg_share_knob(const struct tg_policy *policy, u32 nr)
{
	const char *name = policy->params[nr].name;

	return strlen(name) == strlen(TG_SHARE_KNOB) &&
	       !memcmp(name, TG_SHARE_KNOB, strlen(TG_SHARE_KNOB));
}

void tg_share_begin(struct tg_gpu *gpu)
{
	const struct tg_param *params = gpu->policy->params;
	u32 i;

	gpu->share_by = TG_BY_PROCESS;
	for (i = 0; params && params[i].name; i++)
		if (tg_share_knob(gpu->policy, i))
			gpu->share_by = gpu->policy_knob[i];
}

const char *tg_share_check(const struct tg_gpu *gpu, const struct tg_client *client)
{
	const struct tg_sharer *sharer = client->sharer;

	if (!sharer || !sharer->clients)
		return "a client belongs to no sharer";
	if (!sharer->weight || !client->weight)
		return "a client or its sharer weighs nothing";
	if (sharer->by == TG_BY_PROCESS && !tg_sharer_single(client))
		return "two processes are one sharer";
	if (tg_client_joined(gpu, client) && !gpu->handover &&
	    (sharer->by != gpu->share_by || sharer->vgpu != vgpu_of(gpu, client)))
		return "a client belongs to a sharer of another kind";
	return NULL;
}

const char *tg_shares_check(const struct tg_gpu *gpu, u32 processes)
{
	u32 clients = processes, sharers = processes;
	const struct rb_node *node;
	const void *spare;

	for (node = rb_first_cached(&gpu->sharers); node; node = rb_next(node)) {
		clients += rb_entry(node, const struct tg_sharer, node)->clients;
		sharers++;
	}
	for (spare = gpu->spare_sharers; spare; spare = *(void *const *)spare)
		sharers++;
	return clients == gpu->nr_clients && sharers == gpu->nr_clients ? NULL :
	       "sharers, or their clients, are miscounted";
}
