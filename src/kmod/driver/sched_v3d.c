// SPDX-License-Identifier: GPL-2.0
/*
 * The row of v3d, which drives VideoCore VI and VII (Raspberry Pi 4 and 5). Not seen on hardware.
 * Each of its ioctls that submit makes jobs of its own kind, so the ioctl tells the engine:
 *
 * - SUBMIT_CL, a frame: a job that bins, where there is anything to bin; one that renders; one that
 *   cleans caches, where the client wants that.
 * - SUBMIT_TFU: one job of the unit that formats textures.
 * - SUBMIT_CSD: a compute shader, and behind it a job that cleans caches. SUBMIT_CPU, from Linux
 *   6.8 on: a job on the CPU, and behind it those of a SUBMIT_CSD where it computes the shader's
 *   size. What it does lies in the client's memory, which may change, so it is taken for compute.
 *
 * Such jobs wait for each other: the submission starts with the first and ends with the last
 * (tgk_driver.chained). A frame may be binned while another one is rendered. Each is charged from
 * the end of the one before.
 *
 * Extensions, a list in the client's memory, say what to wait for in the place of the arguments'
 * syncobjs. They are read once, each word copied before it is looked at, and at most EXTENSIONS of
 * them. A client that names other fences to the driver has its later jobs wait in drm_sched while
 * its first one has started: it keeps the engine, and is charged for that as for work.
 *
 * sched.c calls this, in the submitting thread.
 */
#include <linux/uaccess.h>

#include <drm/v3d_drm.h>

#include "sched.h"

#define EXTENSIONS	8	/* Mesa has two */

enum { FRAMES, TEXTURES, COMPUTE, ENGINES };	/* they are channels, too */

static_assert(ENGINES <= TG_ENGINES_MAX);

static void decode(const void *entry, struct tgk_sync *sync)
{
	sync->handle = ((const struct drm_v3d_sem *)entry)->handle;
}

static_assert(sizeof(struct drm_v3d_sem) <= TGK_SYNC_SIZE);

/*
 * What an extension MULTI_SYNC says, which counts in the place of the arguments' syncobjs: what
 * jobs of one queue wait for. @queues: those that the submission has jobs of. Return: there is one.
 */
static bool read_syncs(u64 at, u32 queues, struct tgk_sched_args *to)
{
	struct drm_v3d_multi_sync ext;
	bool any = false;
	u32 i;

	for (i = 0; at && i < EXTENSIONS; i++, at = ext.base.next) {
		if (copy_from_user(&ext.base, u64_to_user_ptr(at), sizeof(ext.base)))
			break;
		if (ext.base.id != DRM_V3D_EXT_ID_MULTI_SYNC)
			continue;
		if (copy_from_user(&ext.in_syncs, u64_to_user_ptr(at + sizeof(ext.base)),
				   sizeof(ext) - sizeof(ext.base)))
			break;
		any = true;
		to->nr_lists = 0;
		if (ext.wait_stage < 32 && queues >> ext.wait_stage & 1)
			tgk_sched_list(to, ext.in_syncs, ext.in_sync_count,
				       sizeof(struct drm_v3d_sem), decode);
	}
	return any;
}

static_assert(offsetof(struct drm_v3d_multi_sync, in_syncs) == sizeof(struct drm_v3d_extension));

static bool read_cl(const void *args, struct tgk_sched_args *to)
{
	const struct drm_v3d_submit_cl *req = args;
	const bool bins = req->bcl_start != req->bcl_end;

	to->chid = FRAMES;
	if (!(req->flags & DRM_V3D_SUBMIT_EXTENSION) ||
	    !read_syncs(req->extensions, 1 << V3D_RENDER | bins << V3D_BIN, to)) {
		tgk_sched_handle(to, bins ? req->in_sync_bcl : 0);
		tgk_sched_handle(to, req->in_sync_rcl);
	}
	return true;
}

/* Of the ioctls but SUBMIT_CL. */
static bool read_one(u32 flags, u64 extensions, u32 handle, enum v3d_queue queue,
		     struct tgk_sched_args *to)
{
	to->chid = queue == V3D_TFU ? TEXTURES : COMPUTE;
	if (!(flags & DRM_V3D_SUBMIT_EXTENSION) || !read_syncs(extensions, 1 << queue, to))
		tgk_sched_handle(to, handle);
	return true;
}

static bool read_tfu(const void *args, struct tgk_sched_args *to)
{
	const struct drm_v3d_submit_tfu *req = args;

	return read_one(req->flags, req->extensions, req->in_sync, V3D_TFU, to);
}

static bool read_csd(const void *args, struct tgk_sched_args *to)
{
	const struct drm_v3d_submit_csd *req = args;

	return read_one(req->flags, req->extensions, req->in_sync, V3D_CSD, to);
}

#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
static bool read_cpu(const void *args, struct tgk_sched_args *to)
{
	const struct drm_v3d_submit_cpu *req = args;

	return read_one(req->flags, req->extensions, 0, V3D_CPU, to);
}
#endif

/* Other drivers make jobs in any thread that runs out of memory. */
static bool is_client(const void *owner, const char *scheduler)
{
	return owner && str_has_prefix(scheduler, "v3d_");
}

static u32 engine_of(u32 chid)
{
	return chid;
}

TGK_SCHED_FUNCTIONS(v3d, struct drm_v3d_submit_cl)
TGK_SCHED_SUBMIT_FUNCTION(v3d, tfu, 1, struct drm_v3d_submit_tfu)
TGK_SCHED_SUBMIT_FUNCTION(v3d, csd, 2, struct drm_v3d_submit_csd)
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
TGK_SCHED_SUBMIT_FUNCTION(v3d, cpu, 3, struct drm_v3d_submit_cpu)
#endif

struct tgk_sched tgk_v3d = {
	TGK_SCHED_DRIVER(v3d, "v3d", 0, .mixed = true, .is_client = is_client, .chained = true,
			 .unseen = true, .engines = ENGINES, .engine_of = engine_of),
	.hook = {
		[TGK_SCHED_SUBMIT] = TGK_SCHED_SUBMIT_HOOK(v3d),
		[TGK_SCHED_SUBMIT + 1] = TGK_SCHED_SUBMIT_HOOK(tfu),
		[TGK_SCHED_SUBMIT + 2] = TGK_SCHED_SUBMIT_HOOK(csd),
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
		[TGK_SCHED_SUBMIT + 3] = TGK_SCHED_SUBMIT_HOOK(cpu),
#endif
		[TGK_SCHED_CLOSE] = { .ours = (unsigned long)close_v3d },
	},
	.submit = {
		{ DRM_V3D_SUBMIT_CL, sizeof(struct drm_v3d_submit_cl), read_cl },
		{ DRM_V3D_SUBMIT_TFU, sizeof(struct drm_v3d_submit_tfu), read_tfu },
		{ DRM_V3D_SUBMIT_CSD, sizeof(struct drm_v3d_submit_csd), read_csd },
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
		{ DRM_V3D_SUBMIT_CPU, sizeof(struct drm_v3d_submit_cpu), read_cpu },
#endif
	},
};
