/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgctl asks of tgrund, over D-Bus. libsystemd is opened when it is needed, so tgctl runs where
 * there is none. Called by run.c and prio.c.
 */
#ifndef TGCTL_BUS_H
#define TGCTL_BUS_H

#include "lines.h"

/** bus_there() - does systemd run, and so tgrund make scopes? */
bool bus_there(void);

/** bus_start() - have this process moved into a scope with such a line; false after a message */
bool bus_start(const struct run_line *line);

/** bus_prio() - have a client's priority set, downwards where we are not root; false after a message */
bool bus_prio(u32 client, unsigned int prio);

#endif /* TGCTL_BUS_H */
