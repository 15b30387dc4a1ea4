/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl clients: the clients of the GPU. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_CLIENTS_H
#define TGCTL_CLIENTS_H

#include "tgctl.h"

enum tgctl_status tgctl_clients(const struct tgctl_args *args);

#endif /* TGCTL_CLIENTS_H */
