/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl shm: segments of device memory that processes share. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_SHM_H
#define TGCTL_SHM_H

#include "tgctl.h"

enum tgctl_status tgctl_shm(const struct tgctl_args *args);

#endif /* TGCTL_SHM_H */
