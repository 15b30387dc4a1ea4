/* SPDX-License-Identifier: GPL-2.0 */
/*
 * totals.c: what the clients of each user and cgroup have used, those that have gone included.
 */
#ifndef TGD_TOTALS_H
#define TGD_TOTALS_H

#include <stdio.h>

#include <tg/types.h>

struct client;

void totals_find(struct client *c);
void totals_joined(struct client *c);
void totals_add(struct client *c);
void totals_leave(struct client *c);
void totals_write(FILE *to, u32 uid, bool all);

#endif /* TGD_TOTALS_H */
