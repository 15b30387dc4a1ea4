/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What keys of tgctl top do to a client: its priority and its process. top_screen.c calls this when
 * the user has confirmed.
 */
#ifndef TGCTL_TOP_ACT_H
#define TGCTL_TOP_ACT_H

#include <uapi/timegraph.h>

#include "tgctl.h"

/**
 * top_act_prio() - set the priority of a client
 * @c: the client
 * @prio: 0 to 99
 * @said: receives what has come of it, a line for people
 * @size: its size
 */
void top_act_prio(const struct tg_snap_client *c, unsigned int prio, char *said, size_t size);

/**
 * top_act_signal() - send a signal to the process of a client, if that is still its process
 * @c: the client
 * @signal: SIGTERM, SIGKILL, SIGSTOP or SIGCONT
 * @said: as above
 * @size: likewise
 */
void top_act_signal(const struct tg_snap_client *c, int signal, char *said, size_t size);


/** top_act_why() - run `tgctl why` for the client, in the terminal that the caller has given back */
void top_act_why(const struct tg_snap_client *c);

#endif /* TGCTL_TOP_ACT_H */
