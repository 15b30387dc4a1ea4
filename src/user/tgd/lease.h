/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lease.c: the core's bypass, given to a client for longer than one call.
 */
#ifndef TGD_LEASE_H
#define TGD_LEASE_H

struct device;

void lease_end(struct device *d);
void lease_look(struct device *d);
void lease_try(struct device *d);

#endif /* TGD_LEASE_H */
