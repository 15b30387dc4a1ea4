/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gates of clients, and what is in flight behind them unseen: gate.c.
 */
#ifndef TG_CORE_GATE_H
#define TG_CORE_GATE_H

#include <tg/policy.h>

void tg_client_set_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate);
void tg_gate_settled(struct tg_gpu *gpu, struct tg_client *client);
bool tg_gate_go_on(struct tg_gpu *gpu, struct tg_client *client);
void tg_gate_hold(struct tg_gpu *gpu, struct tg_client *client);
void tg_gates_go_on(struct tg_gpu *gpu);
void tg_client_settle(struct tg_gpu *gpu, struct tg_client *client);
void tg_client_idle(struct tg_gpu *gpu, struct tg_client *client);
int tg_gates_quiet(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_idle_event(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_client_cut(struct tg_gpu *gpu, struct tg_client *client);

#endif /* TG_CORE_GATE_H */
