/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client.c: the records that clients publish become events, and the answers go into their slots.
 */
#ifndef TGD_CLIENT_H
#define TGD_CLIENT_H

#include <tg/types.h>
#include <uapi/tgd.h>

struct client;
struct conn;
struct device;
struct slot;

void client_prepare(void);
struct client *client_new(struct device *d, struct conn *conn, const struct tgd_hello *hello);
void client_sent(struct client *c);
void client_gone(struct client *c);
void client_forget(struct client *c);
void client_drain(struct client *c, u64 head);
void client_answer(struct slot *s, enum tgd_answer answer);
void client_yield(struct slot *s);
void client_notice(struct client *c, u32 kind, u32 number);

#endif /* TGD_CLIENT_H */
