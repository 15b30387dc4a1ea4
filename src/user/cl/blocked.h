/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * blocked.c: commands that wait for the program itself.
 */
#ifndef TGCL_BLOCKED_H
#define TGCL_BLOCKED_H

#include "cl.h"

bool event_unfinished(cl_event event);
cl_command_queue event_queue(cl_event event);
bool blocked(cl_command_queue queue, cl_uint nr, const cl_event *events);
void blocked_keep(cl_command_queue queue, cl_event event);
void blocked_in_child(void);

#endif /* TGCL_BLOCKED_H */
