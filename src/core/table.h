/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables that map numbers to objects: chained buckets in the host's memory. Numbers count up,
 * so their low bits spread them evenly over the buckets. Hosts may number channels in steps of
 * 4096, too.
 */
#ifndef TG_CORE_TABLE_H
#define TG_CORE_TABLE_H

#include <tg/policy.h>

void tg_client_hash(struct tg_gpu *gpu, struct tg_client *client);
void tg_client_unhash(struct tg_gpu *gpu, struct tg_client *client);
void tg_channel_hash(struct tg_gpu *gpu, struct tg_channel *channel);
void tg_channel_unhash(struct tg_gpu *gpu, struct tg_channel *channel);

static inline u32 tg_bucket(const struct tg_gpu *gpu, u64 nr)
{
	return nr & gpu->bucket_mask;
}

/* The pointer to the job of that number in its bucket, or the NULL at the bucket's end. */
static inline struct tg_job **tg_job_link(const struct tg_gpu *gpu, u64 id)
{
	struct tg_job **link = &gpu->buckets.jobs[tg_bucket(gpu, id)];

	while (*link && (*link)->id != id)
		link = &(*link)->hash;
	return link;
}

static inline struct tg_job *tg_job_find(const struct tg_gpu *gpu, u64 id)
{
	return *tg_job_link(gpu, id);
}

static inline u32 tg_channel_bucket(const struct tg_gpu *gpu, u32 client, u32 channel)
{
	return tg_bucket(gpu, client + ((u64)channel << 3) - channel + (channel >> 12));
}

static inline struct tg_channel *tg_channel_find(const struct tg_gpu *gpu, u32 client, u32 channel)
{
	struct tg_channel *ch = gpu->buckets.channels[tg_channel_bucket(gpu, client, channel)];

	while (ch && (ch->id != channel || ch->client->id != client))
		ch = ch->hash;
	return ch;
}

#endif /* TG_CORE_TABLE_H */
