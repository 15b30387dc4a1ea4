/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace as JSON for other programs, and as a picture. Called by tgctl. One thread.
 */
#ifndef TGS_PERFETTO_H
#define TGS_PERFETTO_H

#include "trace.h"

/**
 * tgs_perfetto() - a trace as JSON for ui.perfetto.dev and chrome://tracing
 * @t: the trace
 * @path: file to write; "-": standard output
 * @error: room for TGS_MESSAGE bytes
 *
 * Clients are its processes, engines their threads, a group on the hardware a slice, a wait an
 * asynchronous one, a note an instant.
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_perfetto(const struct tgs_trace *t, const char *path, char *error);
/** tgs_trace_plot() - the same as a picture, by gnuplot: the first TGS_STRETCHES runs and waits */
int tgs_trace_plot(const struct tgs_trace *t, const char *path, char *error);

#endif /* TGS_PERFETTO_H */
