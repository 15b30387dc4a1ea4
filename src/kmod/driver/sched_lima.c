// SPDX-License-Identifier: GPL-2.0
/*
 * The row of lima, which drives Mali-400 and 450: GEM_SUBMIT submits one job of a context to one of
 * two pipes, which work at a time: the geometry processor, and the pixel processors together. They
 * are two engines. Not seen on hardware.
 *
 * All that this row reads stands in the arguments, which the client cannot change any more. A job
 * that has nothing explicit to wait for waits in drm_sched for the objects that it names, as for
 * its own file's vertices: it has not started then, and the core takes its slot away.
 *
 * sched.c calls this, in the submitting thread.
 */
#include <drm/lima_drm.h>

#include "sched.h"

static_assert(LIMA_PIPE_GP == 0 && LIMA_PIPE_PP == 1);

#define PIPES		2	/* they are engines */
#define CONTEXTS	16	/* a file may have more */

static_assert(PIPES <= TG_ENGINES_MAX);

static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct drm_lima_gem_submit *req = args;
	u32 i;

	to->chid = req->ctx % CONTEXTS * PIPES + (req->pipe & 1);
	for (i = 0; i < ARRAY_SIZE(req->in_sync); i++)
		tgk_sched_handle(to, req->in_sync[i]);
	return req->pipe < PIPES && req->nr_bos;
}

static const struct tgk_ring rings[PIPES] = { { "gp", LIMA_PIPE_GP }, { "pp", LIMA_PIPE_PP } };

static u32 engine(struct dma_fence *finished)
{
	return tgk_sched_engine(finished, rings, ARRAY_SIZE(rings));
}

static u32 engine_of(u32 chid)
{
	return chid % PIPES;
}

TGK_SCHED_FUNCTIONS(lima, struct drm_lima_gem_submit)

struct tgk_sched tgk_lima = {
	TGK_SCHED_ROW(lima, "lima", 0, { }, { }, .mixed = true, .unseen = true,
		      .engines = PIPES, .engine = engine, .engine_of = engine_of),
	.submit = { { DRM_LIMA_GEM_SUBMIT, sizeof(struct drm_lima_gem_submit), read } },
};
