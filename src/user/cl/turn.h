/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * turn.c: turns of commands whose turn the program's thread may not wait for.
 */
#ifndef TGCL_TURN_H
#define TGCL_TURN_H

#include "cl.h"

struct far;
struct later;

/**
 * struct turn - a command between turn_begin() and turn_end()
 * @nr: for the driver, as @wait, @event and @blocking
 * @given: the program's, or NULL
 * @own: the command's event, if @event is this
 * @kernel: a launch
 * @bytes: of a copy: those of one size should take equally long; of a launch: launch_work()
 * @keep: it waits for the program, see blocked_keep()
 * @waits: the program waits for it in the call
 * @entered: @job is its turn
 * @later: it waits behind a gate
 * @far: it is far, see far.c
 */
struct turn {
	cl_command_queue queue;
	cl_uint nr;
	const cl_event *wait;
	cl_event *event, *given, own, *list;
	cl_bool blocking;
	size_t bytes;
	bool kernel, keep, waits, entered;
	struct tgu_job job;
	struct later *later;
	struct far *far;
};

void turn_begin(struct turn *t, cl_command_queue queue, bool kernel, size_t bytes, cl_bool blocking,
		cl_uint nr, const cl_event *wait, cl_event *event);
void turn_barrier(struct turn *t);
bool turn_is_far(struct device *d, cl_command_queue queue, cl_uint nr, const cl_event *wait);
void turn_draws_near(cl_command_queue queue, cl_uint nr, const cl_event *wait);
cl_int turn_end(struct turn *t, cl_int ret);
void turns_prune(void);
void turns_in_child(void);

#endif /* TGCL_TURN_H */
