/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client.c: processes on a GPU.
 */
#ifndef TGK_CLIENT_H
#define TGK_CLIENT_H

#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "tgk.h"
#include "wrap/task.h"

u32 tgk_payer(void);
struct tgk_client *tgk_client_new(struct tgk_gpu *gpu);
struct tgk_client *tgk_client_of_driver(struct tgk_gpu *gpu);
struct tgk_client *tgk_client_find(struct tgk_gpu *gpu);
struct tgk_client *tgk_client_left(struct tgk_gpu *gpu, const struct tgk_client *new, u32 account);
void tgk_client_swap(struct tgk_gpu *gpu, struct tgk_client *client, struct tgk_client *new);
void tgk_client_add(struct tgk_gpu *gpu, struct tgk_client *client);
void tgk_client_gate(struct tgk_client *client, u32 gate);
void tgk_client_sync(struct tgk_client *client);
void tgk_client_hangs(struct tgk_client *client);
void tgk_watch(struct work_struct *work);
void tgk_client_gone(struct tgk_client *client);
void tgk_client_match(struct tgk_gpu *gpu, struct tgk_client *client, const struct tg_spec *spec);
u32 tgk_clients_of(struct tgk_gpu *gpu, u32 uid, bool all);
void tgk_clients_match(struct tgk_gpu *gpu, const struct tg_spec *spec);
void tgk_client_hold(struct tgk_client *client);
void tgk_client_put(struct tgk_client *client);

/* Is it the current process, in the program that it executes now? */
static inline bool tgk_client_is_current(const struct tgk_client *client)
{
	return READ_ONCE(client->pid) == task_tgid(current) &&
	       READ_ONCE(client->exec) == tgk_exec_id();
}

/* Has it exited, or executed another program? Under tgk_gpu.lock and RCU. */
static inline bool tgk_client_is_dead(const struct tgk_client *client)
{
	return !pid_task(client->pid, PIDTYPE_TGID) ||
	       (client->pid == task_tgid(current) && client->exec != tgk_exec_id());
}

/* Is it matched against @spec, or is there no spec? Under tgk_gpu.lock. */
static inline bool tgk_client_matched(const struct tgk_client *client, const struct tg_spec *spec)
{
	return !spec || client->ident.serial == spec->serial;
}

#endif /* TGK_CLIENT_H */
