// SPDX-License-Identifier: GPL-2.0
/*
 * nouveau's younger way to submit work (Linux 6.6): the client lays its address space out by itself
 * (VM_INIT, VM_BIND), hands addresses of commands to a channel (EXEC), and waits for a
 * synchronisation object. libdrm_nouveau does not know it. Called by gpu.c.
 *
 * The structures are the kernel's (include/uapi/drm/nouveau_drm.h), which this machine's headers
 * may be too old for.
 */
#include <errno.h>
#include <time.h>

#include <xf86drm.h>

#include "slot.h"
#include "units.h"

#define VM_INIT		0x10
#define VM_BIND		0x11
#define EXEC		0x12

#define WAIT_NS		(30 * TGL_NS_PER_SEC)

/* nouveau keeps these of the 2^40 bytes of addresses; the rest is ours. */
#define KERNEL_VA	(1ull << 39)
#define KERNEL_BYTES	(1ull << 38)

struct vm_init {
	uint64_t kernel_managed_addr;
	uint64_t kernel_managed_size;
};

struct vm_bind_op {
	uint32_t op;		/* 0: map */
	uint32_t flags;
	uint32_t handle;
	uint32_t pad;
	uint64_t addr;
	uint64_t bo_offset;
	uint64_t range;
};

struct vm_bind {
	uint32_t op_count;
	uint32_t flags;		/* 0: done when the call returns */
	uint32_t wait_count;
	uint32_t sig_count;
	uint64_t wait_ptr;
	uint64_t sig_ptr;
	uint64_t op_ptr;
};

struct sync {
	uint32_t flags;		/* 0: a plain syncobj */
	uint32_t handle;
	uint64_t timeline_value;
};

struct exec_push {
	uint64_t va;
	uint32_t va_len;
	uint32_t flags;
};

struct exec {
	uint32_t channel;
	uint32_t push_count;
	uint32_t wait_count;
	uint32_t sig_count;
	uint64_t wait_ptr;
	uint64_t sig_ptr;
	uint64_t push_ptr;
};

int tgl_exec_init(int fd)
{
	struct vm_init req = {
		.kernel_managed_addr = KERNEL_VA, .kernel_managed_size = KERNEL_BYTES
	};

	return drmCommandWriteRead(fd, VM_INIT, &req, sizeof(req));
}

int tgl_exec_bind(int fd, uint32_t handle, uint64_t va, uint64_t size)
{
	struct vm_bind_op op = { .handle = handle, .addr = va, .range = size };
	struct vm_bind req = { .op_count = 1, .op_ptr = (uintptr_t)&op };

	return drmCommandWriteRead(fd, VM_BIND, &req, sizeof(req));
}

int tgl_exec_syncobj(int fd, uint32_t *syncobj)
{
	return drmSyncobjCreate(fd, 0, syncobj) ? -errno : 0;
}

int tgl_exec_submit(int fd, uint32_t channel, uint64_t va, uint32_t bytes, uint32_t syncobj)
{
	struct exec_push push = { .va = va, .va_len = bytes };
	struct sync done = { .handle = syncobj };
	struct exec req = {
		.channel = channel,
		.push_count = 1,
		.sig_count = 1,
		.sig_ptr = (uintptr_t)&done,
		.push_ptr = (uintptr_t)&push,
	};

	return drmCommandWriteRead(fd, EXEC, &req, sizeof(req));
}

int tgl_exec_wait(int fd, uint32_t syncobj)
{
	struct timespec now;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ret = drmSyncobjWait(fd, &syncobj, 1,
			     (int64_t)(now.tv_sec * TGL_NS_PER_SEC + now.tv_nsec + WAIT_NS), 0,
			     NULL);
	return ret == -ETIME ? -EBUSY : ret;
}
