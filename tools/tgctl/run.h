/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl run: a program with a priority or a reserve of its own, or under the user's host. Called by
 * main.c through its table of verbs.
 */
#ifndef TGCTL_RUN_H
#define TGCTL_RUN_H

#include "tgctl.h"

enum { RUN_HOST, RUN_PRIO, RUN_RESERVE, RUN_VGPU, RUN_MEM };

/** tgctl_run() - the verb `run`; returns only when it fails */
enum tgctl_status tgctl_run(const struct tgctl_args *args);

#endif /* TGCTL_RUN_H */
