// SPDX-License-Identifier: GPL-2.0
/*
 * The row of xe: EXEC submits, to a queue that the file has made. Not seen on hardware.
 *
 * The syncobjs to wait for stand in the client's memory, which it may change before the driver
 * reads it: sched_amdgpu.c says what follows, and why all is one engine. Here, a queue may end, and
 * its number be that of a queue of another engine.
 *
 * A job of a long-running address space (a VM made with LR) has no end that the kernel knows of:
 * drm_sched is told that it has ended when it begins. It waits for its turn as any other, is
 * charged next to nothing, and the next one goes while it runs.
 *
 * An EXEC without a batch makes no job: its syncobjs to signal get what it was to wait for. It has
 * nothing to do with the gate.
 *
 * sched.c calls this, in the submitting thread.
 */
#include "sched.h"

struct xe_exec {
	u64 extensions;
	u32 queue, nr_syncs;
	u64 syncs, address;
	u16 nr_batches, pad[3];
	u64 reserved[2];
};

struct xe_sync {
	u64 extensions;
	u32 kind, flags;
	u64 handle, point, reserved[2];
};

enum { SYNCOBJ, TIMELINE };	/* xe_sync.kind */

#define SYNC_SIGNAL	1

struct xe_vm {
	u64 extensions;
	u32 flags, id;
	u64 reserved[2];
};

#define VM_LR		2

static_assert(sizeof(struct xe_exec) == 56);
static_assert(sizeof(struct xe_sync) == TGK_SYNC_SIZE);
static_assert(sizeof(struct xe_vm) == 32);

#define CHANNELS	64	/* a file may have more queues */

static void decode(const void *entry, struct tgk_sync *sync)
{
	const struct xe_sync *s = entry;

	if (s->kind > TIMELINE || s->flags & SYNC_SIGNAL)
		return;
	sync->handle = s->handle;
	sync->point = s->kind == TIMELINE ? s->point : 0;
}

static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct xe_exec *req = args;

	to->chid = req->queue % CHANNELS;
	tgk_sched_list(to, req->syncs, req->nr_syncs, sizeof(struct xe_sync), decode);
	return req->nr_batches;
}

static bool makes(const void *args)
{
	return ((const struct xe_vm *)args)->flags & VM_LR;
}

TGK_SCHED_FUNCTIONS(xe, struct xe_exec)
TGK_SCHED_BESIDE_FUNCTION(xe, struct xe_vm)

struct tgk_sched tgk_xe = {
	TGK_SCHED_ROW(xe, "xe", 0x8086, TGK_SCHED_BESIDE_HOOK(xe), .mixed = true,
		      .unseen = true),
	.nr = 0x09, .size = sizeof(struct xe_exec), .read = read,
	.beside = {
		.nr = 0x03, .size = sizeof(struct xe_vm), .makes = makes,
		.what = "a long-running address space: nobody is charged for what runs there",
	},
};
