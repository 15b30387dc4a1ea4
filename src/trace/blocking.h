/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many groups of lower priority did jobs wait for? Called by tgsim. One thread.
 */
#ifndef TGS_BLOCKING_H
#define TGS_BLOCKING_H

#include "trace.h"

/**
 * tgs_blocking() - count the lower-priority groups that jobs waited for
 * @t: the trace
 * @to: where to print them
 *
 * Return: 0: never more than were in flight when the job arrived; 1: more, or the trace does
 * not replay to its end.
 */
int tgs_blocking(const struct tgs_trace *t, FILE *to);

#endif /* TGS_BLOCKING_H */
