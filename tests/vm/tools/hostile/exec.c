// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: EXEC and what belongs to it, on kernels that have it (Linux 6.6), and synchronisation objects.
 *
 * Left out: bindings that are taken, but those that a process begins with, since nouveau of 6.12 WARNs when they are
 * replaced; pushes without a byte, on which the channel hangs (Linux 7.3), with or without timegraph.ko; and pushes at
 * addresses where nothing is, after which nouveau kills the channel, and sometimes others.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>

#include "hostile.h"

#define NR(nr)		(DRM_COMMAND_BASE + (nr))
#define VA		(1ull << 32)	/* object i lies at VA + i * VA_STEP */
#define VA_STEP		(1ull << 24)
#define TIMELINE	1		/* struct sync.flags */

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
	uint64_t timeline_value;
};

struct exec_push {
	uint64_t va;
	uint32_t va_len, flags;
};

struct exec {
	uint32_t channel, push_count, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, push_ptr;
};

/* What a process begins with: its buffers for commands, at their places. */
void place_buffers(struct thread *t, struct file *file)
{
	struct vm_bind_op *op = list(t, 2);
	unsigned int i;

	for (i = 0; i < OBJECTS / 2; i++) {
		struct object *object = &file->object[i];
		struct vm_bind req = { .op_count = 1, .op_ptr = (uintptr_t)op };

		*op = (struct vm_bind_op) {
			.handle = object->handle, .addr = VA + i * VA_STEP, .range = object->bytes,
		};
		if (!call(t, file, VM_BIND, NR(0x11), &req, sizeof(req)))
			object->va = op->addr;
	}
}

/* Refused ones, and empty ones: what a process has bound at its begin stays bound. */
static void do_vm_bind(struct thread *t)
{
	struct file *file = some_file(t, true);
	struct vm_bind_op *op = list(t, 2);
	struct vm_bind req = { .op_count = one_in(t, 2) };

	*op = (struct vm_bind_op) {
		.handle = wild(t) | 1 << 20, .addr = VA + OBJECTS * VA_STEP, .range = PAGE,
	};
	if (one_in(t, 4)) {
		req.sig_count = wild(t);
		req.sig_ptr = list_address(t, op, 16);
	}
	req.op_ptr = list_address(t, op, sizeof(*op));
	call(t, file, VM_BIND, NR(0x11), &req, sizeof(req));
}

static void some_syncs(struct thread *t, const struct file *file, struct sync *sync, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		sync[i].handle = file->sync[below(t, SYNCS)];
		sync[i].flags = one_in(t, 4) ? TIMELINE : 0;
		sync[i].timeline_value = sync[i].flags ? below(t, 16) : 0;
		if (one_in(t, 32))
			sync[i].flags = wild(t);
		if (one_in(t, 32))
			sync[i].handle = wild(t);
		if (one_in(t, 32))
			sync[i].timeline_value = wild(t);
	}
}

static uint32_t some_count(struct thread *t, uint32_t right)
{
	return one_in(t, 40) ? wild(t) : right;
}

static void do_exec(struct thread *t)
{
	struct file *file = some_file(t, true);
	struct exec_push *push = list(t, 2);
	struct sync *sync = list(t, 3);
	const struct object *object = &file->object[below(t, OBJECTS / 2)];
	const unsigned int pushes = object->va ? 1 + below(t, 3) : 0, waits = one_in(t, 3), sigs = below(t, 2);
	struct exec req = { .channel = file->chan[0] };
	unsigned int i;

	memset(push, 0, 8 * sizeof(*push));
	for (i = 0; i < pushes; i++)
		push[i] = (struct exec_push){ .va = object->va + 64 * below(t, 32), .va_len = 4 + 4 * below(t, 256) };
	some_syncs(t, file, sync, 8);
	if (one_in(t, 16))
		req.channel = wild(t) | 1 << 20;
	if (one_in(t, 32))
		push[0].va_len = 1 << 23 | (push[0].va_len & 0xffc);
	if (one_in(t, 32))
		push[0].flags = wild(t);
	req.push_count = pushes ? some_count(t, pushes) : 0;
	req.wait_count = some_count(t, waits);
	req.sig_count = some_count(t, sigs);
	req.push_ptr = list_address(t, push, pushes * sizeof(*push));
	req.wait_ptr = list_address(t, sync, waits * sizeof(*sync));
	req.sig_ptr = list_address(t, sync + 4, sigs * sizeof(*sync));
	/* What lies behind the right list is a push without a byte: only counts that nouveau refuses */
	if (req.push_count > pushes && req.push_count < 100000)
		req.push_count = 0x80000000;
	call(t, file, EXEC, NR(0x12), &req, sizeof(req));
}

static void do_syncobj(struct thread *t)
{
	struct file *file = some_file(t, true);
	const unsigned int slot = below(t, SYNCS);
	struct drm_syncobj_create create = { .flags = one_in(t, 4) };
	struct drm_syncobj_destroy destroy = { .handle = file->sync[slot] };
	uint32_t handle = file->sync[slot];
	uint64_t point = below(t, 16);
	struct drm_syncobj_timeline_array timeline = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
	};
	struct drm_syncobj_array reset = { .handles = (uintptr_t)&handle, .count_handles = 1 };
	struct drm_syncobj_wait wait = { .handles = (uintptr_t)&handle, .count_handles = 1 };
	struct timespec now;

	switch (below(t, 5)) {
	case 0:
		if (handle)
			call(t, file, SYNCOBJ, 0xc0, &destroy, sizeof(destroy));
		file->sync[slot] = 0;
		if (!call(t, file, SYNCOBJ, 0xbf, &create, sizeof(create)))
			file->sync[slot] = create.handle;
		break;
	case 1:
		call(t, file, SYNCOBJ, 0xcd, &timeline, sizeof(timeline));
		break;
	case 2:
		call(t, file, SYNCOBJ, 0xc4, &reset, sizeof(reset));
		break;
	case 3:
		call(t, file, SYNCOBJ, 0xc5, &reset, sizeof(reset));	/* signal */
		break;
	default:
		clock_gettime(CLOCK_MONOTONIC, &now);
		wait.timeout_nsec = now.tv_sec * 1000000000ll + now.tv_nsec + below(t, 20000000);
		call(t, file, SYNCOBJ, 0xc3, &wait, sizeof(wait));
		break;
	}
}

const struct op exec_ops[] = {
	{ "vm_bind", 20, do_vm_bind },
	{ "exec", 60, do_exec },
	{ "syncobj", 20, do_syncobj },
	{ },
};
