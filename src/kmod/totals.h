/* SPDX-License-Identifier: GPL-2.0 */
/*
 * totals.c: what the clients of each user and cgroup have used, those that have gone included.
 */
#ifndef TGK_TOTALS_H
#define TGK_TOTALS_H

#include <uapi/timegraph.h>

#include "tgk.h"

void tgk_totals_find(struct tgk_client *client);
void tgk_totals_leave(struct tgk_client *client);
void tgk_totals_come(struct tgk_client *client);
void tgk_totals_swap(struct tgk_client *client, struct tgk_client *new);
void tgk_totals_add(struct tgk_client *client);
void tgk_totals_joined(struct tgk_client *client);
u32 tgk_totals_nr(void);
u32 tgk_totals_read(struct tg_snap_total *to, u32 room, u32 uid, bool all);
void tgk_totals_free(void);

#endif /* TGK_TOTALS_H */
