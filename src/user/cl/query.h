/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * query.c: queries whose answers the layer would change.
 */
#ifndef TGCL_QUERY_H
#define TGCL_QUERY_H

#include "cl.h"

extern __typeof__(clGetCommandQueueInfo) layer_clGetCommandQueueInfo;
extern __typeof__(clGetEventProfilingInfo) layer_clGetEventProfilingInfo;

#endif /* TGCL_QUERY_H */
