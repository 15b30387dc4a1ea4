/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl why, tgctl record, tgctl plot: the module's trace. Called by main.c through its table of
 * verbs. src/trace/trace.h is another file: it reads traces, and comes with replay.h.
 */
#ifndef TGCTL_TRACE_H
#define TGCTL_TRACE_H

#include "tgctl.h"

/* Of verbs with several options: which is which in struct tgctl_args. */
enum { WHY_LAST, WHY_TRACE };
enum { RECORD_FOR, RECORD_GPU };
enum { PLOT_PERFETTO, PLOT_FROM, PLOT_TO, PLOT_CLIENT };

enum tgctl_status tgctl_why(const struct tgctl_args *args);
enum tgctl_status tgctl_record(const struct tgctl_args *args);
enum tgctl_status tgctl_plot(const struct tgctl_args *args);

#endif /* TGCTL_TRACE_H */
