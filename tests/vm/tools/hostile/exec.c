// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: EXEC and what belongs to it, on kernels that have it (Linux 6.6), and synchronisation objects.
 *
 * Left out, since stock nouveau does not survive it:
 *	VM_BIND on cards before Fermi: nouveau_uvmm.c has no page tables for these, WARNs, and maps
 *		nothing (seen on the G92, 6.12). So only files of a Fermi or later are made for EXEC
 *	bindings that are taken, but those that a file begins with: nouveau of 6.12 WARNs when they
 *		are replaced
 *	VM_INIT after a buffer has been imported: nouveau of 6.12 does not take the buffer's address back
 *		when the file is closed, and Oopses when the buffer goes. A thread may import by the
 *		number of a file that is closed, which the new file has now: hence no_imports
 *	pushes without a byte: the channel hangs (Linux 7.3), with or without timegraph.ko
 *	pushes at addresses where nothing is: nouveau kills the channel, and sometimes others. So each
 *		file that has called VM_INIT has its buffers at the same addresses before anybody can
 *		use it, and they stay. What one process writes where another one's pushes are (a
 *		forked process shares that memory) is right for that one, too
 *	a list of fences to wait for that cannot be read, or is too long: nouveau of 6.12 frees what
 *		it could not get, an Oops. timegraph.ko refuses such a list before, but it comes and
 *		goes here. The case exec-fences-errno has these (`infence faults`)
 *	lists of 2 GiB and more: the kernel WARNs where nouveau asks for that much
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>

#include "hostile.h"

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

/*
 * What a file begins with: its buffers for commands, at their places. The list is where no other process
 * can write, since it is not to bind anything else. Return: all of them are bound.
 */
bool place_buffers(struct thread *t, struct file *file)
{
	unsigned int i, placed = 0;

	for (i = 0; i < OBJECTS / 2; i++) {
		struct object *object = &file->object[i];
		struct vm_bind_op op = {
			.handle = object->handle, .addr = VA + i * VA_STEP, .range = object->bytes,
		};
		struct vm_bind req = { .op_count = 1, .op_ptr = dry ? 0 : (uintptr_t)&op };

		note(t, &op, sizeof(op));
		t->exact = true;
		if (call(t, file, VM_BIND, NR(0x11), &req, sizeof(req)))
			continue;
		object->va = VA + i * VA_STEP;
		placed++;
	}
	return placed == OBJECTS / 2;
}

/* So long a list of fences, mostly. */
static uint32_t some_count(struct thread *t, uint32_t right)
{
	return one_in(t, 40) ? 1u << below(t, 21) : right;
}

/* Refused ones, and empty ones: what a file has bound at its begin stays bound. */
static void do_vm_bind(struct thread *t)
{
	struct file *file = some_file(t, true);
	struct vm_bind_op *op = list(t, 4);
	struct vm_bind req = { .op_count = one_in(t, 2) };

	*op = (struct vm_bind_op) {
		.handle = wild(t) | 1 << 20, .addr = VA + OBJECTS * VA_STEP, .range = PAGE,
	};
	if (one_in(t, 4)) {
		req.sig_count = some_count(t, 1);
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

/* So that nouveau refuses it before it looks at the addresses. */
static void spoil_exec(struct thread *t, struct exec *req, struct exec_push *push)
{
	switch (below(t, 4)) {
	case 0: req->channel = wild(t) | 1 << 20; break;
	case 1: push->va_len = 1 << 23 | (push->va_len & 0xffc); break;	/* too long */
	case 2: push->flags = wild(t); break;
	default: req->push_count = 0x80000000 | wild(t); break;		/* too many */
	}
}

/* Commands that do nothing, as do_pushbuf() has them; or a mere wait. */
static void do_exec(struct thread *t)
{
	struct file *file = some_file(t, true);
	struct exec_push *push = list(t, 2);
	struct sync *sync = list(t, 3);
	const unsigned int waits = one_in(t, 3), sigs = below(t, 2);
	const unsigned int pushes = one_in(t, 12) ? 0 : 1 + below(t, 3);
	struct exec req = {
		.channel = file->chan[0], .push_count = pushes, .wait_count = waits,
	};
	unsigned int i;

	/* Never empty, not for a moment: another process may have its pushes here. */
	for (i = 0; i < 8; i++)
		push[i] = (struct exec_push){
			.va = VA + below(t, OBJECTS / 2) * VA_STEP + 64 * below(t, 32),
			.va_len = 4 + 4 * below(t, 256),
		};
	some_syncs(t, file, sync, 8);
	if (pushes && one_in(t, 8))
		spoil_exec(t, &req, push);
	req.sig_count = some_count(t, sigs);
	req.push_ptr = list_address(t, push, pushes * sizeof(*push));
	req.wait_ptr = (uintptr_t)sync;
	req.sig_ptr = list_address(t, sync + 4, sigs * sizeof(*sync));
	t->exact = waits;
	call(t, file, EXEC, NR(0x12), &req, sizeof(req));
}

static void do_syncobj(struct thread *t)
{
	struct file *file = some_file(t, true);
	const unsigned int slot = below(t, SYNCS);
	struct drm_syncobj_create create = { .flags = one_in(t, 4) };
	struct drm_syncobj_destroy destroy = { .handle = file->sync[slot] };
	struct { uint64_t point; uint32_t handle; } *one = list(t, 5);
	struct drm_syncobj_timeline_array timeline = {
		.handles = (uintptr_t)&one->handle, .points = (uintptr_t)&one->point,
		.count_handles = 1,
	};
	struct drm_syncobj_array reset = { .handles = (uintptr_t)&one->handle, .count_handles = 1 };
	struct drm_syncobj_wait wait = { .handles = (uintptr_t)&one->handle, .count_handles = 1 };
	struct timespec now = { };

	one->handle = file->sync[slot];
	one->point = below(t, 16);
	switch (below(t, 5)) {
	case 0:
		if (destroy.handle)
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
		if (!dry)
			clock_gettime(CLOCK_MONOTONIC, &now);
		wait.timeout_nsec = now.tv_sec * 1000000000ll + now.tv_nsec + below(t, 20000000);
		call(t, file, SYNCOBJ, 0xc3, &wait, sizeof(wait));
		break;
	}
}

const struct op exec_ops[] = {
	{ "vm_bind", 8, do_vm_bind },
	{ "exec", 60, do_exec },
	{ "syncobj", 20, do_syncobj },
	{ },
};
