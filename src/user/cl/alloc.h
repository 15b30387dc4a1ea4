/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * alloc.c: the calls that get and give memory.
 */
#ifndef TGCL_ALLOC_H
#define TGCL_ALLOC_H

#include "cl.h"

void alloc_in_child(void);
extern __typeof__(clCreateBuffer) layer_clCreateBuffer;
extern __typeof__(clCreateBufferWithProperties) layer_clCreateBufferWithProperties;
extern __typeof__(clCreateImage) layer_clCreateImage;
extern __typeof__(clCreateImageWithProperties) layer_clCreateImageWithProperties;
extern __typeof__(clCreateImage2D) layer_clCreateImage2D;
extern __typeof__(clCreateImage3D) layer_clCreateImage3D;
extern __typeof__(clCreatePipe) layer_clCreatePipe;
extern __typeof__(clSVMAlloc) layer_clSVMAlloc;
extern __typeof__(clSVMFree) layer_clSVMFree;
extern __typeof__(clEnqueueSVMFree) layer_clEnqueueSVMFree;

#endif /* TGCL_ALLOC_H */
