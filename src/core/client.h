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

#endif /* TG_CORE_CLIENT_H */
