// SPDX-License-Identifier: GPL-2.0
/*
 * The row of xe: EXEC submits, to a queue that the file has made. Not seen on hardware.
 *
 * The syncobjs to wait for stand in the client's memory, which it may change before the driver
 * reads it: sched_amdgpu.c says what follows.
 *
 * A submission names a queue, and the class of the engine is said when the queue is made. There
 * its channel learns it. A queue that was made before this module came has its first job on the
 * first engine. Render and compute share the shaders; all engines of a class count as one. A queue
 * may end, and its number, or the channel's, be that of a queue of another class: then the channel
 * uses both engines. A client may change the class, too, before the driver reads it, and goes past
 * the gate of the other engine once.
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
#include <linux/uaccess.h>

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

struct xe_queue {
	u64 extensions;
	u16 width, nr_places;
	u32 vm, flags, id;
	u64 places, reserved[2];
};

struct xe_place {
	u16 class, instance, gt, pad;
};

static_assert(sizeof(struct xe_exec) == 56);
static_assert(sizeof(struct xe_sync) == TGK_SYNC_SIZE);
static_assert(sizeof(struct xe_vm) == 32);
static_assert(sizeof(struct xe_queue) == 48);
static_assert(sizeof(struct xe_place) == 8);

#define CHANNELS	64	/* a file may have more queues */

enum { SHADERS, COPIES, VIDEO, ENHANCE, ENGINES };

static_assert(ENGINES <= TG_ENGINES_MAX);

/* RENDER, COPY, VIDEO_DECODE, which encodes, too, VIDEO_ENHANCE, COMPUTE */
static const u8 engine_of_class[] = { SHADERS, COPIES, VIDEO, ENHANCE, SHADERS };

/* All places of a queue are of one class, or the driver refuses it. VM_BIND executes nothing. */
static u32 queue_engine(const void *args)
{
	const struct xe_queue *req = args;
	struct xe_place place;

	if (copy_from_user(&place, u64_to_user_ptr(req->places), sizeof(place)))
		return TG_ENGINES_MAX;
	return place.class < ARRAY_SIZE(engine_of_class) ? engine_of_class[place.class] :
							    TG_ENGINES_MAX;
}

static u32 queue_chid(const void *args)
{
	return ((const struct xe_queue *)args)->id % CHANNELS;
}

/* A queue has a scheduler of its own, whose name is that of its class, and a number. */
static const struct tgk_ring rings[] = {
	{ "rcs", SHADERS }, { "ccs", SHADERS }, { "bcs", COPIES }, { "vcs", VIDEO },
	{ "vecs", ENHANCE },
};

static u32 engine(struct dma_fence *finished)
{
	return tgk_sched_engine(finished, rings, ARRAY_SIZE(rings));
}

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
TGK_SCHED_QUEUE_FUNCTION(xe, struct xe_queue)

struct tgk_sched tgk_xe = {
	TGK_SCHED_ROW(xe, "xe", 0x8086, TGK_SCHED_BESIDE_HOOK(xe), TGK_SCHED_QUEUE_HOOK(xe),
		      .mixed = true, .unseen = true, .engines = ENGINES, .engine = engine),
	.submit = { { 0x09, sizeof(struct xe_exec), read } },
	.beside = {
		.nr = 0x03, .size = sizeof(struct xe_vm), .makes = makes,
		.what = "a long-running address space: nobody is charged for what runs there",
	},
	.queue = {
		.nr = 0x06, .size = sizeof(struct xe_queue), .engine = queue_engine,
		.chid = queue_chid,
	},
};
