/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * far.c: commands whose end may be long in coming.
 */
#ifndef TGCL_FAR_H
#define TGCL_FAR_H

#include "cl.h"

struct far;

bool far_events(struct device *d, cl_uint nr, const cl_event *events);
bool far_ahead(cl_command_queue queue);
bool far_in(cl_command_queue queue);
struct far *far_begin(cl_command_queue queue, bool until_turn);
void far_barrier(struct far *f);
void far_went(struct far *f, cl_event event);
void far_over(struct far *f);
void far_wait(cl_command_queue queue);
cl_int far_finish(cl_command_queue queue);
void far_prune(void);
void far_in_child(void);

#endif /* TGCL_FAR_H */
