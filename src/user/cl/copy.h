/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * copy.c: every enqueue call but that of kernels.
 */
#ifndef TGCL_COPY_H
#define TGCL_COPY_H

#include "cl.h"

extern __typeof__(clEnqueueReadBuffer) layer_clEnqueueReadBuffer;
extern __typeof__(clEnqueueWriteBuffer) layer_clEnqueueWriteBuffer;
extern __typeof__(clEnqueueReadBufferRect) layer_clEnqueueReadBufferRect;
extern __typeof__(clEnqueueWriteBufferRect) layer_clEnqueueWriteBufferRect;
extern __typeof__(clEnqueueCopyBuffer) layer_clEnqueueCopyBuffer;
extern __typeof__(clEnqueueCopyBufferRect) layer_clEnqueueCopyBufferRect;
extern __typeof__(clEnqueueFillBuffer) layer_clEnqueueFillBuffer;
extern __typeof__(clEnqueueMapBuffer) layer_clEnqueueMapBuffer;
extern __typeof__(clEnqueueUnmapMemObject) layer_clEnqueueUnmapMemObject;
extern __typeof__(clEnqueueMigrateMemObjects) layer_clEnqueueMigrateMemObjects;
extern __typeof__(clEnqueueReadImage) layer_clEnqueueReadImage;
extern __typeof__(clEnqueueWriteImage) layer_clEnqueueWriteImage;
extern __typeof__(clEnqueueCopyImage) layer_clEnqueueCopyImage;
extern __typeof__(clEnqueueCopyImageToBuffer) layer_clEnqueueCopyImageToBuffer;
extern __typeof__(clEnqueueCopyBufferToImage) layer_clEnqueueCopyBufferToImage;
extern __typeof__(clEnqueueFillImage) layer_clEnqueueFillImage;
extern __typeof__(clEnqueueMapImage) layer_clEnqueueMapImage;
extern __typeof__(clEnqueueSVMMemcpy) layer_clEnqueueSVMMemcpy;
extern __typeof__(clEnqueueSVMMemFill) layer_clEnqueueSVMMemFill;
extern __typeof__(clEnqueueSVMMap) layer_clEnqueueSVMMap;
extern __typeof__(clEnqueueSVMUnmap) layer_clEnqueueSVMUnmap;
extern __typeof__(clEnqueueSVMMigrateMem) layer_clEnqueueSVMMigrateMem;
extern __typeof__(clEnqueueMarkerWithWaitList) layer_clEnqueueMarkerWithWaitList;
extern __typeof__(clEnqueueBarrierWithWaitList) layer_clEnqueueBarrierWithWaitList;
extern __typeof__(clEnqueueNativeKernel) layer_clEnqueueNativeKernel;
extern __typeof__(clEnqueueWaitForEvents) layer_clEnqueueWaitForEvents;

#endif /* TGCL_COPY_H */
