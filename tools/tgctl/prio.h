/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl prio: priorities of running clients. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_PRIO_H
#define TGCTL_PRIO_H

#include "tgctl.h"

enum tgctl_status tgctl_prio(const struct tgctl_args *args);

#endif /* TGCTL_PRIO_H */
