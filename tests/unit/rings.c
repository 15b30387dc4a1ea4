// SPDX-License-Identifier: GPL-2.0
/*
 * Which engine executes a submission to amdgpu, xe or v3d: what its arguments tell before the gate, and what
 * the name of the ring's scheduler tells behind it. What a submission to v3d waits for. Each row of the module (src/kmod/driver/sched_*.c)
 * has both, and they must agree. Names of rings are those that the drivers of Linux 6.1 to 7.2 give.
 */
#include <string.h>

#include "rings/linux/uaccess.h"

#include "../lib/test.h"

enum { SHADERS, COPIES, THIRD, FOURTH, NONE = TG_ENGINES_MAX };

static u32 copies;		/* that were asked for */

unsigned long copy_from_user(void *to, const void *from, size_t size)
{
	copies++;
	if ((uintptr_t)from < 4096 || (uintptr_t)from >> 47)
		return size;
	memcpy(to, from, size);
	return 0;
}

/* As driver/sched.c, without its lock. */
u32 tgk_sched_engine(struct dma_fence *finished, const struct tgk_ring *ring, u32 nr)
{
	for (; nr--; ring++)
		if (!strncmp(finished->scheduler, ring->name, strlen(ring->name)))
			return ring->engine;
	return TG_ENGINES_MAX;
}

static u32 by_name(const struct tgk_sched *row, const char *scheduler)
{
	struct dma_fence fence = { scheduler };

	return row->driver.engine(&fence);
}

/* drm_amdgpu_cs_in, drm_amdgpu_cs_chunk, drm_amdgpu_cs_chunk_ib */
struct cs {
	u32 context, bos, nr_chunks, flags;
	u64 chunks;
};

struct chunk {
	u32 kind, words;
	u64 at;
};

struct ib {
	u32 pad, flags;
	u64 at;
	u32 bytes, ip, instance, ring;
};

/* The channel of a CS with one IB; @readable: of an IB that can be read. */
static u32 channel_of(u32 context, u32 ip, u32 ring, bool readable)
{
	const struct ib ib = { .ip = ip, .ring = ring };
	const struct chunk chunk = { 1, sizeof(ib) / 4, readable ? (uintptr_t)&ib : 8 };
	const u64 chunks[] = { (uintptr_t)&chunk };
	const struct cs cs = { .context = context, .nr_chunks = 1, .chunks = (uintptr_t)chunks };
	struct tgk_sched_args args = { };

	return tgk_amdgpu.submit[0].read(&cs, &args) ? args.chid : ~0u;
}

static const struct {
	u32 ip, engine;
	const char *rings[6];
} kinds[] = {
	{ 0, SHADERS, { "gfx", "gfx_0.0.0", "gfx_low", "gfx_high", "gfx_1" } },
	{ 1, SHADERS, { "comp_1.0.0", "comp_1.3.1" } },
	{ 2, COPIES, { "sdma0", "sdma1", "sdma0.3" } },
	{ 3, THIRD, { "uvd", "uvd_0", "uvd_1" } },
	{ 4, FOURTH, { "vce0", "vce2" } },
	{ 5, FOURTH, { "uvd_enc0", "uvd_enc_0.1" } },
	{ 6, THIRD, { "vcn_dec", "vcn_dec_1" } },
	{ 7, FOURTH, { "vcn_enc1", "vcn_enc_0.1", "vcn_unified_0" } },
	{ 8, THIRD, { "jpeg_dec", "jpeg_dec_1", "jpeg_dec_0.7" } },
	{ 9, FOURTH, { "vpe" } },
};

static void amdgpu(void)
{
	u32 i, k, chid, wrong = 0, unlike = 0, most = 0, mixed = 0;
	u32 engine_of[1024];

	memset(engine_of, 0xff, sizeof(engine_of));
	for (i = 0; i < ARRAY_SIZE(kinds) * 64; i++) {
		const u32 ip = i / 64, context = i / 4 % 16 + 1, ring = i % 4;

		chid = channel_of(context, ip, ring, true);
		most = max(most, chid);
		if (chid >= ARRAY_SIZE(engine_of))
			continue;
		wrong += tgk_amdgpu.driver.engine_of(chid) != kinds[ip].engine;
		mixed += engine_of[chid] != ~0u && engine_of[chid] != kinds[ip].engine;
		engine_of[chid] = kinds[ip].engine;
	}
	test_row("amdgpu: a CS tells the engine", !wrong, "%u of %u are of another", wrong, i);
	test_row("amdgpu: no channel has rings of two engines", !mixed, "%u", mixed);
	test_row("amdgpu: a file has few channels", most < 80, "number %u", most);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		for (k = 0; kinds[i].rings[k]; k++)
			if (by_name(&tgk_amdgpu, kinds[i].rings[k]) != kinds[i].engine) {
				printf("# %s\n", kinds[i].rings[k]);
				unlike++;
			}
	test_row("amdgpu: a fence tells the same engine", !unlike, "%u names", unlike);
	test_row("amdgpu: a ring of the driver's own tells none",
		 by_name(&tgk_amdgpu, "page0") == NONE && by_name(&tgk_amdgpu, "") == NONE, "one");
	chid = channel_of(1, 0, 0, false);
	test_row("amdgpu: an IB that cannot be read is of the first engine",
		 !tgk_amdgpu.driver.engine_of(chid), "channel %u", chid);
	for (wrong = 0, i = 0; i < 32; i++) {
		chid = channel_of(~0u - i, 10 + (1u << i), ~0u << i, true);
		wrong += chid > most || tgk_amdgpu.driver.engine_of(chid) >= tgk_amdgpu.driver.engines;
	}
	test_row("amdgpu: numbers that the driver refuses are a channel, too", !wrong, "%u", wrong);
}

/* drm_xe_exec_queue_create, drm_xe_engine_class_instance */
struct queue {
	u64 extensions;
	u16 width, nr_places;
	u32 vm, flags, id;
	u64 places, reserved[2];
};

struct place {
	u16 class, instance, gt, pad;
};

static u32 by_class(u16 class)
{
	const struct place place = { .class = class };
	const struct queue queue = { .width = 1, .nr_places = 1, .places = (uintptr_t)&place };

	return tgk_xe.queue.engine(&queue);
}

/* drm_xe_exec */
struct exec {
	u64 extensions;
	u32 queue, nr_syncs;
	u64 syncs, address;
	u16 nr_batches, pad[3];
	u64 reserved[2];
};

static void xe(void)
{
	static const struct {
		u32 class, engine;
		const char *scheduler;
	} classes[] = {
		{ 0, SHADERS, "rcs12" }, { 1, COPIES, "bcs0" }, { 2, THIRD, "vcs3" }, { 3, FOURTH, "vecs1" },
		{ 4, SHADERS, "ccs2" }, { 5, NONE, "gsccs7" }, { 6, NONE, "" }, { 65535, NONE, "x" },
	};
	struct queue queue = { .places = 8 };
	struct tgk_sched_args args = { };
	struct exec exec = { .nr_batches = 1 };
	u32 i, wrong = 0, unlike = 0, other = 0;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		wrong += by_class(classes[i].class) != classes[i].engine;
		unlike += by_name(&tgk_xe, classes[i].scheduler) != classes[i].engine;
	}
	test_row("xe: the class of a new queue tells the engine", !wrong, "%u of another", wrong);
	test_row("xe: a fence tells the same engine", !unlike, "%u names", unlike);
	test_row("xe: places that cannot be read tell none", tgk_xe.queue.engine(&queue) == NONE, "one");
	for (i = 1; i < 1000; i++) {
		queue.id = exec.queue = i;
		other += !tgk_xe.submit[0].read(&exec, &args) || args.chid != tgk_xe.queue.chid(&queue);
	}
	test_row("xe: a queue submits by the channel that was made with it", !other, "%u others", other);
	test_row("xe: the arguments are as long as these structures",
		 tgk_xe.queue.size == sizeof(queue) && tgk_xe.submit[0].size == sizeof(exec), "%zu and %zu",
		 tgk_xe.queue.size, tgk_xe.submit[0].size);
}

#include "rings/drm/v3d_drm.h"

enum { FRAME, TEXTURE, COMPUTE, CPU };	/* tgk_v3d.submit */

static const struct tgk_sched_args *v3d_read(u32 submit, const void *req)
{
	static struct tgk_sched_args args;

	args = (struct tgk_sched_args){ 0 };
	return tgk_v3d.submit[submit].read(req, &args) ? &args : NULL;
}

static const struct tgk_sched_args *v3d_frame(u32 bins, const void *extensions)
{
	const struct drm_v3d_submit_cl req = {
		.bcl_end = bins, .rcl_end = 8, .in_sync_bcl = 1, .in_sync_rcl = 2,
		.flags = extensions ? 3 : 1, .extensions = (uintptr_t)extensions,
	};

	return v3d_read(FRAME, &req);
}

/* A frame waits for these @handles and @lists. */
static bool waits(const struct tgk_sched_args *args, u32 handles, u32 lists)
{
	return args && args->nr_handles == handles && args->nr_lists == lists;
}

static void v3d_syncs(void)
{
	struct drm_v3d_multi_sync syncs = { .base.id = 1, .in_syncs = 4096, .in_sync_count = ~0u, .wait_stage = V3D_RENDER };
	struct drm_v3d_multi_sync first = { .base = { (uintptr_t)&syncs, 1, 0 }, .in_syncs = 8192, .in_sync_count = 3 };
	struct drm_v3d_extension ext[8];
	u32 i, wrong = 0;

	test_row("v3d: a frame waits for its syncobjs", waits(v3d_frame(8, NULL), 2, 0) &&
		 waits(v3d_frame(0, NULL), 1, 0), "for others");
	test_row("v3d: a list counts in their place", waits(v3d_frame(8, &syncs), 0, 1), "not so");
	test_row("v3d: of a list at most so many are read", v3d_frame(8, &syncs)->list[0].nr == TGK_SYNCS, "%u",
		 v3d_frame(8, &syncs)->list[0].nr);
	test_row("v3d: the last list counts", v3d_frame(8, &first)->list[0].at == 4096, "another");
	for (i = 0; i < 40; i++) {
		syncs.wait_stage = i < 32 ? i : ~0u << (i - 32);
		wrong += !waits(v3d_frame(8, &syncs), 0, syncs.wait_stage <= V3D_RENDER);
		wrong += !waits(v3d_frame(0, &syncs), 0, syncs.wait_stage == V3D_RENDER);
	}
	test_row("v3d: a list of a queue that has no job is none", !wrong, "%u", wrong);
	syncs.wait_stage = V3D_RENDER;
	syncs.base.next = (uintptr_t)&syncs;
	copies = 0;
	test_row("v3d: a list behind itself ends", waits(v3d_frame(8, &syncs), 0, 1) && copies <= 16, "%u copies", copies);
	for (i = 0; i < 8; i++)
		ext[i] = (struct drm_v3d_extension){ i < 7 ? (uintptr_t)&ext[i + 1] : (uintptr_t)&syncs, 77, 0 };
	test_row("v3d: the ninth extension is not read", waits(v3d_frame(8, ext), 2, 0) &&
		 waits(v3d_frame(8, ext + 1), 0, 1), "it is");
	ext[0].next = 1ull << 62;
	test_row("v3d: what cannot be read ends the extensions", waits(v3d_frame(8, ext), 2, 0) &&
		 waits(v3d_frame(8, (void *)8), 2, 0), "not so");
}

static void v3d(void)
{
	static const char *const schedulers[] = { "v3d_bin", "v3d_render", "v3d_tfu", "v3d_csd", "v3d_cache_clean", "v3d_cpu" };
	static const u32 channels[] = { 0, 1, 2, 2 };
	u64 args[TGK_SUBMITS * 4];
	u32 i, k, wrong = 0;

	for (k = 0; k < 256; k++)
		for (i = 0; i < TGK_SUBMITS; i++) {
			memset(args, k, sizeof(args));
			wrong += !v3d_read(i, args) || v3d_read(i, args)->chid != channels[i] ||
				 tgk_v3d.driver.engine_of(channels[i]) != channels[i] ||
				 tgk_v3d.submit[i].size > sizeof(args);
		}
	test_row("v3d: the ioctl tells the engine, whatever its arguments", !wrong, "%u", wrong);
	for (i = 0; i < ARRAY_SIZE(schedulers); i++)
		wrong += !tgk_v3d.driver.is_client(args, schedulers[i]);
	test_row("v3d: jobs are the client's by their scheduler", !wrong && !tgk_v3d.driver.is_client(args, "sdma0") &&
		 !tgk_v3d.driver.is_client(NULL, "v3d_bin"), "not so");
	v3d_syncs();
}

int main(void)
{
	amdgpu();
	xe();
	v3d();
	return test_end();
}
