/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients and their channels: client.c.
 */
#ifndef TG_CORE_CLIENT_H
#define TG_CORE_CLIENT_H

#include <tg/policy.h>

int tg_client_join(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_leave(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_engines(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_channel_over(struct tg_gpu *gpu, struct tg_channel *channel);
void tg_channel_sort_in(struct tg_channel *channel);
void tg_channel_sort_out(struct tg_channel *channel);
/* The client has no channel any more, and goes. */
void tg_client_forget(struct tg_gpu *gpu, struct tg_client *client);

/*
 * May an event that works on all clients in steps come to this one, too: is it the @first that the
 * work comes to, or has the event visits left for it (TG_VISITS)? If so, its visits are counted.
 */
bool tg_visit(struct tg_gpu *gpu, const struct tg_client *client, bool first);

/* Jobs of the channel begin to wait: it is among the first of tg_client.channels from now on. */
static inline void tg_channel_begins(struct tg_channel *channel)
{
	if (channel->client->channels->next)
		tg_channel_sort_in(channel);
}

/* None of them waits any more: it is behind those. */
static inline void tg_channel_ceases(struct tg_channel *channel)
{
	if (channel->client->channels->next)
		tg_channel_sort_out(channel);
}

/* In the order of their first JOIN; NULL: there is none */
static inline struct tg_client *tg_client_after(struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->all.next == &gpu->all_clients ? NULL :
	       list_entry(client->all.next, struct tg_client, all);
}

/* Is it a driver's own work, and no process? Its gate stays at HOLD, and no policy knows it. */
static inline bool tg_client_is_kernel(const struct tg_client *client)
{
	return client->id_data->kernel;
}

static inline struct tg_client *tg_client_first(struct tg_gpu *gpu)
{
	return list_first_entry_or_null(&gpu->all_clients, struct tg_client, all);
}

#endif /* TG_CORE_CLIENT_H */
