/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which line of the spec a client follows, and its priority: match.c.
 */
#ifndef TG_CORE_MATCH_H
#define TG_CORE_MATCH_H

#include <tg/policy.h>

const struct tg_spec_entry *tg_match_entry(const struct tg_gpu *gpu, const struct tg_identity *id);
void tg_client_match(struct tg_gpu *gpu, struct tg_client *client);
int tg_client_spec(struct tg_gpu *gpu, const struct tg_event *ev);
/* Has the spec in force yet to come to the client? */
static inline bool tg_client_stale(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->edition != (u16)gpu->edition || client->owed;
}

/* Has its priority been set by hand since a spec last came to running clients? */
static inline bool tg_client_by_hand(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->by_hand && client->edition == (u16)gpu->edition;
}

void tg_clients_walk(struct tg_gpu *gpu);
void tg_clients_rematch(struct tg_gpu *gpu);
void tg_client_matched(struct tg_gpu *gpu, struct tg_client *client);
int tg_client_prio(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_foreground(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_nice(struct tg_gpu *gpu, const struct tg_event *ev);
/* Does its priority follow its process's on the CPU? tg_gpu.nice counts the clients that do. */
void tg_client_follow(struct tg_gpu *gpu, struct tg_client *client, bool nice);

#endif /* TG_CORE_MATCH_H */
