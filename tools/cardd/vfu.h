/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vfu.h - the vfio-user server: one client (QEMU), one card.
 *
 * vfu.c owns the connection, the guest's memory maps and the interrupt event descriptors, and is
 * the only file that knows the protocol.  Single-threaded: everything is called from main.c's
 * loop, the vfu_card_*() functions from inside the card.
 */
#ifndef CARDD_VFU_H
#define CARDD_VFU_H

#include "card.h"

struct vfu;

/**
 * vfu_create() - a server without a client
 * Return: NULL when memory is short.
 */
struct vfu *vfu_create(void);
void vfu_destroy(struct vfu *vfu);

/** vfu_card_host() - the callbacks for card_create(); .log and .clock are left to the caller */
struct card_host vfu_card_host(struct vfu *vfu);

/** vfu_attach() - serve @card to the client on socket @fd, which is taken over */
void vfu_attach(struct vfu *vfu, struct card *card, int fd);

/** vfu_detach() - the client is gone: its socket, memory and interrupts too */
void vfu_detach(struct vfu *vfu);

/**
 * vfu_serve() - handle the messages that have arrived
 * Return: true to go on, false when the client has left or broke the protocol (said on stderr).
 */
bool vfu_serve(struct vfu *vfu);

/** vfu_messages() - how many messages the client waited for an answer to, and how many not */
void vfu_messages(const struct vfu *vfu, u64 *waited, u64 *posted);

/** clock_ns() - the host's monotonic clock, ns; in main.c */
s64 clock_ns(void);

#endif
