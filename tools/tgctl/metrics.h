/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl metrics: all counters as OpenMetrics. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_METRICS_H
#define TGCTL_METRICS_H

#include "tgctl.h"

enum { METRICS_HTTP, METRICS_TEXT };

enum tgctl_status tgctl_metrics(const struct tgctl_args *args);

#endif /* TGCTL_METRICS_H */
