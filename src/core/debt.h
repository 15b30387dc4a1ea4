/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients that have left and owe something: debt.c.
 */
#ifndef TG_CORE_DEBT_H
#define TG_CORE_DEBT_H

#include <tg/policy.h>

/** tg_debt_left() - the client's last channel has left; jobs of it may be in flight */
void tg_debt_left(struct tg_gpu *gpu, struct tg_client *client);
/** tg_debt_keeps() - its last job is over: return: it stays, since it owes something */
bool tg_debt_keeps(struct tg_gpu *gpu, struct tg_client *client);
/** tg_debt_of() - was it this user's process that left last? */
bool tg_debt_of(struct tg_gpu *gpu, const struct tg_client *client, u32 uid);
/** tg_debt_over() - it has a channel again, or goes */
void tg_debt_over(struct tg_gpu *gpu, const struct tg_client *client);
/** tg_debts_lapse() - one of those that owe nothing any more goes */
void tg_debts_lapse(struct tg_gpu *gpu);
/** tg_debts_forgive() - another spec comes, or none: all that have left go */
void tg_debts_forgive(struct tg_gpu *gpu);

#endif /* TG_CORE_DEBT_H */
