// SPDX-License-Identifier: GPL-2.0
/*
 * The row of etnaviv, which drives Vivante GPUs (i.MX 6 and 8): GEM_SUBMIT submits one job to one
 * of the device's cores (3D, 2D, vector graphics), which the driver calls pipes. Each has a
 * scheduler of its own, and works beside the others: they are engines. Not seen on hardware.
 *
 * All that this row reads stands in the arguments, which the client cannot change any more, but the
 * file of the fence that the job waits for: the client may put another one in its place before the
 * driver looks. That is awaited in drm_sched, and so is what used the objects before: the job has
 * not started then, and the core takes its slot away.
 *
 * A core is a device of its own, and the DRM device is there while all are bound (parts.c).
 *
 * sched.c calls this, in the submitting thread.
 */
#include <drm/etnaviv_drm.h>

#include "sched.h"

#define PIPES		4	/* at most; they are channels, and engines */

static_assert(PIPES <= TG_ENGINES_MAX);

static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct drm_etnaviv_gem_submit *req = args;

	to->chid = req->pipe;
	if (req->flags & ETNA_SUBMIT_FENCE_FD_IN)
		tgk_sched_file(to, req->fence_fd);
	return req->pipe < PIPES;
}

static u32 engine_of(u32 chid)
{
	return chid;
}

TGK_SCHED_FUNCTIONS(etnaviv, struct drm_etnaviv_gem_submit)

struct tgk_sched tgk_etnaviv = {
	TGK_SCHED_ROW(etnaviv, "etnaviv", 0, { }, { }, .component = "etnaviv-gpu", .unseen = true,
		      .engines = PIPES, .engine_of = engine_of),
	.submit = { { DRM_ETNAVIV_GEM_SUBMIT, sizeof(struct drm_etnaviv_gem_submit), read } },
	.files = true,
};
