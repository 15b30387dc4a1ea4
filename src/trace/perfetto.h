/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What spans.c has read, for people: as a trace for Perfetto, and as a picture. Called by tgctl. One
 * thread.
 */
#ifndef TGS_PERFETTO_H
#define TGS_PERFETTO_H

#include "spans.h"

/**
 * tgs_perfetto() - a trace in Perfetto's own format
 * @s: the trace, read
 * @path: file to write, its name ends in .pftrace or .perfetto-trace; "-": standard output
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_perfetto(const struct tgs_spans *s, const char *path, char *error);
/**
 * tgs_trace_plot() - the same as a picture, by gnuplot
 * @s: the trace, read
 * @path: as tgs_picture_open()'s
 * @end: when the first run or wait began that is not in it, since it shows TGS_STRETCHES at most,
 *	the first ones; TG_NEVER: it shows all
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_trace_plot(const struct tgs_spans *s, const char *path, s64 *end, char *error);

#endif /* TGS_PERFETTO_H */
