/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * twins.c: kernels of a rewritten source, launched in the place of the program's own.
 */
#ifndef TGCL_TWINS_H
#define TGCL_TWINS_H

#include "cl.h"

struct handle;
struct kernel;

void args_copy(struct handle *to, struct handle *from);
cl_kernel twin_get(cl_kernel kernel, const struct kernel *k, cl_device_id device);
void twin_forget(struct handle *h);
void twins_in_child(void);
extern __typeof__(clSetKernelArg) layer_clSetKernelArg;
extern __typeof__(clSetKernelArgSVMPointer) layer_clSetKernelArgSVMPointer;
extern __typeof__(clSetKernelExecInfo) layer_clSetKernelExecInfo;
extern __typeof__(clReleaseContext) layer_clReleaseContext;

#endif /* TGCL_TWINS_H */
