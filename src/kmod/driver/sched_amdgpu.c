// SPDX-License-Identifier: GPL-2.0
/*
 * The row of amdgpu: CS submits, to a ring of a context. Not seen on hardware.
 *
 * Its arguments name chunks in the client's memory: commands and where they go; syncobjs to wait
 * for. The module reads their heads once, each word copied before it is looked at, and at most
 * CHUNKS of them. The client may have changed all of it when the driver reads it. So nothing but
 * the channel, its engine and the wait for fences depends on it:
 *
 * - A client that names one ring to us and another one to the driver goes past the gate of the
 *   latter's engine, once for each channel: by the fence the channel learns that it uses both
 *   (sched.c), and its next job waits for both.
 * - The fence is found by the thread that makes it, of whatever channel (tgk_driver.mixed).
 * - A fence that we have not awaited is awaited in drm_sched: the job has not started then, and
 *   the core takes its slot away.
 *
 * Engines are four, which is all that the core has. Graphics and compute share the shaders. The
 * decoder and the encoder are two; each has several rings of hardware beside each other (JPEG,
 * VPE, two instances of VCN or SDMA), which count as one. From VCN 4 on, what is decoded goes to
 * the ring of the encoder.
 *
 * DEPENDENCIES are not awaited here: they name work of the same file alone.
 *
 * The thread of a CS makes jobs of the driver's own, too: page tables and moves before the
 * client's, and behind it one that wipes an object whose last reference the CS has had. The owner
 * of a job tells which it is.
 *
 * A CS may consist of jobs on several rings (a gang). Only the one that the driver arms last is
 * seen: what the others take is not charged. User-mode queues (USERQ) pass no ioctl.
 *
 * sched.c calls this, in the submitting thread.
 */
#include <linux/uaccess.h>

#include <drm/drm.h>

#include "sched.h"

#define CHUNKS		1024	/* RADV has some 200 */

struct amdgpu_cs {
	u32 context, bos, nr_chunks, flags;
	u64 chunks;
};

struct amdgpu_chunk {
	u32 kind, words;
	u64 at;
};

enum { IB = 1, SYNCOBJ_IN = 4, TIMELINE_WAIT = 8 };	/* amdgpu_chunk.kind */

struct amdgpu_ib {
	u32 pad, flags;
	u64 at;
	u32 bytes, ip, instance, ring;
};

struct amdgpu_timeline {
	u32 handle, flags;
	u64 point;
};

struct amdgpu_userq {
	u32 op, queue, ip, doorbell, offset, flags;
	u64 at, bytes, rptr, wptr, mqd, mqd_bytes;
};

#define USERQ_CREATE	1

static_assert(sizeof(struct amdgpu_cs) == 24);
static_assert(sizeof(struct amdgpu_chunk) == 16);
static_assert(sizeof(struct amdgpu_ib) == 32);
static_assert(sizeof(struct amdgpu_timeline) == 16);
static_assert(sizeof(struct amdgpu_userq) == 72);

enum { SHADERS, COPIES, DECODER, ENCODER, ENGINES };

static_assert(ENGINES <= TG_ENGINES_MAX);

#define CONTEXTS	8
#define QUEUES		9	/* of one context */
#define ENCODER_QUEUE	8

/*
 * drm_sched has a queue for each ring of a context, and a file may have thousands. Here they are
 * 72: of 8 contexts, the graphics ring, four for compute, two for copies, the decoder, the encoder.
 */
static u32 channel(u32 context, u32 ip, u32 ring)
{
	/* GFX, COMPUTE, DMA, UVD, VCE, UVD_ENC, VCN_DEC, VCN_ENC, VCN_JPEG; VPE and what follows */
	static const u8 first[] = { 0, 1, 5, 7, 8, 8, 7, 8, 7 };
	static const u8 last[] = { 0, 4, 6, 7, 8, 8, 7, 8, 7 };
	u32 queue = ENCODER_QUEUE;

	if (ip < ARRAY_SIZE(first))
		queue = first[ip] + min_t(u32, ring, last[ip] - first[ip]);
	return context % CONTEXTS * QUEUES + queue;
}

static u32 engine_of(u32 chid)
{
	static const u8 engines[QUEUES] = {
		SHADERS, SHADERS, SHADERS, SHADERS, SHADERS, COPIES, COPIES, DECODER, ENCODER,
	};

	return engines[chid % QUEUES];
}

/* The names of amdgpu's rings. The first one counts that fits. */
static const struct tgk_ring rings[] = {
	{ "gfx", SHADERS }, { "comp", SHADERS }, { "sdma", COPIES },
	{ "uvd_enc", ENCODER }, { "uvd", DECODER }, { "vce", ENCODER },
	{ "vcn_dec", DECODER }, { "vcn", ENCODER }, { "jpeg", DECODER }, { "vpe", ENCODER },
};

static u32 engine(struct dma_fence *finished)
{
	return tgk_sched_engine(finished, rings, ARRAY_SIZE(rings));
}

static void decode_timeline(const void *entry, struct tgk_sync *sync)
{
	const struct amdgpu_timeline *t = entry;

	sync->handle = t->handle;
	sync->point = t->point;
	sync->flags = t->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
}

static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct amdgpu_cs *req = args;
	const u64 __user *at = u64_to_user_ptr(req->chunks);
	const u32 nr = min_t(u32, req->nr_chunks, CHUNKS);
	struct amdgpu_chunk chunk;
	struct amdgpu_ib ib = { };
	u64 address;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (copy_from_user(&address, &at[i], sizeof(address)) ||
		    copy_from_user(&chunk, u64_to_user_ptr(address), sizeof(chunk)))
			break;
		if (chunk.kind == SYNCOBJ_IN)
			tgk_sched_list(to, chunk.at, chunk.words, sizeof(u32),
				       tgk_sched_decode_handle);
		else if (chunk.kind == TIMELINE_WAIT)
			tgk_sched_list(to, chunk.at, chunk.words / 4,
				       sizeof(struct amdgpu_timeline), decode_timeline);
		else if (chunk.kind == IB &&
			 copy_from_user(&ib, u64_to_user_ptr(chunk.at), sizeof(ib)))
			break;
	}
	to->chid = channel(req->context, ib.ip, ib.ring);
	return true;
}

/* A CS is its address space's; AMDGPU_FENCE_OWNER_UNDEFINED, _VM and _KFD are 0, 1 and 2. */
static bool is_client(const void *owner, const char *scheduler)
{
	return (unsigned long)owner > 2;
}

static bool makes(const void *args)
{
	return ((const struct amdgpu_userq *)args)->op == USERQ_CREATE;
}

TGK_SCHED_FUNCTIONS(amdgpu, struct amdgpu_cs)
TGK_SCHED_BESIDE_FUNCTION(amdgpu, struct amdgpu_userq)

struct tgk_sched tgk_amdgpu = {
	TGK_SCHED_ROW(amdgpu, "amdgpu", 0x1002, TGK_SCHED_BESIDE_HOOK(amdgpu), { }, .mixed = true,
		      .is_client = is_client, .unseen = true, .engines = ENGINES, .engine = engine,
		      .engine_of = engine_of),
	.submit = { { 0x04, sizeof(struct amdgpu_cs), read } },
	.beside = {
		.nr = 0x16, .size = sizeof(struct amdgpu_userq), .makes = makes,
		.what = "a user-mode queue: what is submitted to it bypasses the scheduler",
	},
};
