/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header of this name, what src/kmod/driver/sched_amdgpu.c takes. */
#ifndef DRM_H
#define DRM_H

#define DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT	2

#endif /* DRM_H */
