/* SPDX-License-Identifier: GPL-2.0 */
/* What enqueue.c, enqueue_image.c and svm.c have in common: transfers. */
#ifndef MOCKCL_ENQUEUE_H
#define MOCKCL_ENQUEUE_H

#include "driver.h"

/** transfer() - a command on the copy engine that does @w when it ends */
cl_int transfer(cl_command_queue q, cl_command_type type, const struct work *w, cl_mem keep, cl_mem keep_2,
		cl_bool wait, cl_uint n, const cl_event *list, cl_event *out);
/** memory_check() - is it an image, or a buffer, of the queue's context? */
cl_int memory_check(cl_command_queue q, cl_mem m, bool image);
/** host_refused() - do the object's flags keep the host from this? */
bool host_refused(cl_mem m, cl_map_flags flags);

#endif /* MOCKCL_ENQUEUE_H */
