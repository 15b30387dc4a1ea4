// SPDX-License-Identifier: GPL-2.0
/*
 * The row of panfrost, which drives Mali GPUs (Midgard and Bifrost): SUBMIT submits one job to one
 * of two slots, which work at a time: one for fragments, one for all else (vertices, tiling,
 * compute). They are two engines. The shaders are one for both: where both work, each is charged
 * the time of its slot, in which the other had its part of them. Not seen on hardware.
 *
 * Nothing but the syncobjs' handles stands in the client's memory. A handle that is changed before
 * the driver reads it is awaited in drm_sched: the job has not started then, and the core takes its
 * slot away.
 *
 * From Linux 6.18 on a file may make more contexts, each with a queue for each slot. Such share
 * channels here.
 *
 * sched.c calls this, in the submitting thread.
 */
#include <drm/panfrost_drm.h>

#include "sched.h"

enum { FRAGMENTS, OTHERS, ENGINES };

static_assert(ENGINES <= TG_ENGINES_MAX);

#ifdef DRM_IOCTL_PANFROST_JM_CTX_CREATE
#define CONTEXTS	16
#define context_of(_req) ((_req)->jm_ctx_handle % CONTEXTS)
#else
#define context_of(_req) 0
#endif

static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct drm_panfrost_submit *req = args;

	to->chid = context_of(req) * ENGINES +
		   (req->requirements & PANFROST_JD_REQ_FS ? FRAGMENTS : OTHERS);
	tgk_sched_list(to, req->in_syncs, req->in_sync_count, sizeof(u32), tgk_sched_decode_handle);
	return req->jc;
}

/* The schedulers of both slots have the same name: only the channel tells. */
static u32 engine_of(u32 chid)
{
	return chid % ENGINES;
}

TGK_SCHED_FUNCTIONS(panfrost, struct drm_panfrost_submit)

struct tgk_sched tgk_panfrost = {
	TGK_SCHED_ROW(panfrost, "panfrost", 0, { }, { }, .mixed = true, .unseen = true,
		      .engines = ENGINES, .engine_of = engine_of),
	.submit = { { DRM_PANFROST_SUBMIT, sizeof(struct drm_panfrost_submit), read } },
};
