/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl record, tgctl plot, and tgctl why of a full trace. Called by main.c through its table of
 * verbs, and by why.c. src/trace/trace.h is another file: it reads traces, and comes with replay.h.
 */
#ifndef TGCTL_TRACE_H
#define TGCTL_TRACE_H

#include "tgctl.h"

/* Of verbs with several options: which is which in struct tgctl_args. */
enum { RECORD_FOR, RECORD_GPU };
enum { PLOT_PERFETTO, PLOT_FROM, PLOT_TO, PLOT_CLIENT };

/** tgctl_has_trace() - is it the full trace that tells of waits? tgd has nothing else for that */
bool tgctl_has_trace(void);

enum tgctl_status tgctl_why_trace(const struct tgctl_args *args);
enum tgctl_status tgctl_record(const struct tgctl_args *args);
enum tgctl_status tgctl_plot(const struct tgctl_args *args);

#endif /* TGCTL_TRACE_H */
