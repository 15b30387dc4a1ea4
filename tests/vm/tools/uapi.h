/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures of nouveau's requests that this machine's headers may lack: the kernel's own header
 * (include/uapi/drm/nouveau_drm.h) has them since Linux 6.6. For the programs of the VM cases.
 */
#ifndef VMTOOLS_UAPI_H
#define VMTOOLS_UAPI_H

#include <stdint.h>

#include <drm.h>

struct channel_alloc {
	uint32_t fb, tt;
	int32_t channel;
	uint32_t domains, notifier;
	struct {
		uint32_t handle, grclass;
	} subchan[8];
	uint32_t nr_subchan;
};

struct grobj_alloc {
	int32_t channel;
	uint32_t handle;
	int32_t class;
};

struct vm_init {
	uint64_t kernel_managed_addr, kernel_managed_size;
};

struct vm_bind_op {
	uint32_t op, flags, handle, pad;
	uint64_t addr, bo_offset, range;
};

struct vm_bind {
	uint32_t op_count, flags, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, op_ptr;
};

struct sync {
	uint32_t flags, handle;
	uint64_t point;
};

struct exec_push {
	uint64_t va;
	uint32_t va_len, flags;
};

struct exec {
	uint32_t channel, push_count, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, push_ptr;
};

#define VM_INIT	DRM_IOWR(DRM_COMMAND_BASE + 0x10, struct vm_init)
#define VM_BIND	DRM_IOWR(DRM_COMMAND_BASE + 0x11, struct vm_bind)
#define EXEC	DRM_IOWR(DRM_COMMAND_BASE + 0x12, struct exec)

#endif
