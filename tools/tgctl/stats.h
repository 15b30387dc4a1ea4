/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl stats: the counters of the module. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_STATS_H
#define TGCTL_STATS_H

#include "tgctl.h"

enum tgctl_status tgctl_stats(const struct tgctl_args *args);

#endif /* TGCTL_STATS_H */
