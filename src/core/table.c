// SPDX-License-Identifier: GPL-2.0
/*
 * What a GPU is made of at the start, and how its objects are found: tg_gpu_init(), the tables that
 * map numbers to objects, the sizes of the pools' objects.
 *
 * Hosts call tg_gpu_init() once, before anything else. The look-ups run under the GPU's lock.
 */
#include <tg/dry.h>
#include "knob.h"
#include "memory.h"
#include "table.h"
#include "vgpu.h"

struct tg_client *tg_gpu_client(const struct tg_gpu *gpu, u32 id)
{
	struct tg_client *client = gpu->buckets.clients[tg_bucket(gpu, id)];

	while (client && client->id != id)
		client = client->hash;
	return client;
}

struct tg_job *tg_gpu_job(const struct tg_gpu *gpu, u64 id)
{
	return tg_job_find(gpu, id);
}

void tg_client_hash(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_client **head = &gpu->buckets.clients[tg_bucket(gpu, client->id)];

	client->hash = *head;
	*head = client;
}

void tg_client_unhash(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_client **link = &gpu->buckets.clients[tg_bucket(gpu, client->id)];

	while (*link != client)
		link = &(*link)->hash;
	*link = client->hash;
}

void tg_channel_hash(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_channel **head =
		&gpu->buckets.channels[tg_channel_bucket(gpu, ch->client->id, ch->id)];

	ch->hash = *head;
	*head = ch;
}

void tg_channel_unhash(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_channel **link =
		&gpu->buckets.channels[tg_channel_bucket(gpu, ch->client->id, ch->id)];

	while (*link != ch)
		link = &(*link)->hash;
	*link = ch->hash;
}

/* Pools are chains of spare objects; the link is in an object's first bytes. */
const size_t tg_pool_size[TG_POOLS] = {
	[TG_POOL_CLIENT] = sizeof(struct tg_client),
	[TG_POOL_CHANNEL] = sizeof(struct tg_channel),
	[TG_POOL_RESERVE] = sizeof(struct tg_reserve),
	[TG_POOL_JOB] = sizeof(struct tg_job),
	[TG_POOL_HISTORY] = sizeof(struct tg_history),
	[TG_POOL_COST] = sizeof(struct tg_cost),
	[TG_POOL_CHUNK] = sizeof(struct tg_chunk),
	[TG_POOL_DRY] = sizeof(struct tg_dry),
	[TG_POOL_ACCOUNT] = sizeof(struct tg_account),
	[TG_POOL_REQUEST] = sizeof(struct tg_mem_request),
	[TG_POOL_SHARER] = sizeof(struct tg_sharer),
};

void tg_gpu_init(struct tg_gpu *gpu, u32 engines, u32 policy, const struct tg_buckets *buckets,
		 s64 now)
{
	u32 i;

	memset(gpu, 0, sizeof(*gpu));
	gpu->now = now;
	gpu->armed = TG_NEVER;
	gpu->left_look = TG_NEVER;
	gpu->lapse = TG_NEVER;
	gpu->nr_engines = engines;
	for (i = 0; i < engines; i++) {
		gpu->engine[i].index = i;
		gpu->engine[i].last_done = now;
		gpu->engine[i].paid = now;
		gpu->engine[i].idle_since = TG_NEVER;
		INIT_LIST_HEAD(&gpu->engine[i].freed);
		INIT_LIST_HEAD(&gpu->engine[i].busy);
	}
	gpu->buckets = *buckets;
	gpu->bucket_mask = (1U << buckets->bits) - 1;
	INIT_LIST_HEAD(&gpu->all_clients);
	INIT_LIST_HEAD(&gpu->syncs);
	INIT_LIST_HEAD(&gpu->reserves);
	INIT_LIST_HEAD(&gpu->overlaps);
	INIT_LIST_HEAD(&gpu->lost);
	tg_memory_init(gpu);
	gpu->throttled = RB_ROOT_CACHED;
	gpu->sharers = RB_ROOT_CACHED;
	for (i = 0; i < TG_KNOBS; i++)
		gpu->knob[i] = tg_knob_value(i, tg_core_params[i].def);

	tg_reserve_init(&gpu->background, TG_PE, TG_SEC, TG_SEC, now);
	memcpy(gpu->background.name, "background", sizeof("background"));
	list_add_tail(&gpu->background.all, &gpu->reserves);
	tg_vgpus_init(gpu);

	gpu->policy = tg_policy_get(policy);
	gpu->term = 1;
	gpu->edition = 1;
	tg_policy_begins(gpu->policy, NULL, gpu->policy_knob);
	if (gpu->policy->init)
		gpu->policy->init(gpu);
}
