/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card under another driver's name: what tg_mock.c reads from the arguments of that driver's
 * ioctls. The structures are those of the kernel's own headers. tg_mock.c alone includes this.
 *
 * amdgpu: contexts 1 to 16 are there. A job is as long in ns as the last IB's va_start says, and its
 * ring goes by the IP: graphics, compute, copies, any other. Of two IBs the last one counts.
 * xe: queues 1 to 16 are there, and queue N is of ring (N - 1) % 4. A call that makes a queue is given number 1 + its
 * class, however often. A job is as long as `address` says. Without a batch there is none.
 *
 * panfrost: a job is as long as `jc` says; ring 0 executes fragments, ring 1 the rest. lima: contexts 1 to 16 are there;
 * a job is as long as `frame` says, and its ring is the pipe. Objects are not looked at. v3d: tg_as_v3d.h.
 * etnaviv: a job is as long as `stream_size` says, its ring is the pipe, and the syncobj `pad` gets its fence.
 *
 * The schedulers are called as that driver's.
 */
#ifndef TG_AS_H
#define TG_AS_H

#include <linux/sync_file.h>

#include <uapi/drm/amdgpu_drm.h>
#include <uapi/drm/etnaviv_drm.h>
#include <uapi/drm/lima_drm.h>
#include <uapi/drm/panfrost_drm.h>
#if __has_include(<uapi/drm/xe_drm.h>)
#include <uapi/drm/xe_drm.h>
#endif

#include "tg_mock.h"

#define AS_QUEUES	16
#define AS_RINGS	4
#define AS_CHUNKS	4096

/* A job beside a call's own. @ns: 0: there is none */
struct mock_part {
	u32 ring, ns;
};

/*
 * What a call wants: @ring executes it for @ns, after @in; @out gets its fence. @none: there is no job. Its job waits
 * for @before, which then waits for @in in its place; @after waits for it, and has the fence.
 */
struct mock_call {
	bool none;
	u32 ring, out, ins;
	u64 ns;
	struct mock_part before, after;
	struct dma_fence *in[TGMOCK_INS];
};

static void call_put(struct mock_call *c)
{
	while (c->ins)
		dma_fence_put(c->in[--c->ins]);
}

/* As xe: what is to be signalled gets what was to be awaited. */
static int call_no_job(const struct mock_call *c, struct drm_syncobj *out)
{
	struct dma_fence *fence = c->ins ? dma_fence_get(c->in[c->ins - 1]) : dma_fence_get_stub();

	if (out)
		drm_syncobj_replace_fence(out, fence);
	dma_fence_put(fence);
	return 0;
}

static int call_in(struct mock_call *c, struct drm_file *file, u32 handle, u64 point, u64 flags)
{
	const int ret = c->ins == TGMOCK_INS ? -EINVAL :
			drm_syncobj_find_fence(file, handle, point, flags, &c->in[c->ins]);

	c->ins += !ret;
	return ret;
}

/* @nr handles of syncobjs, in the client's memory. */
static int call_ins(struct mock_call *c, struct drm_file *file, u64 at, u32 nr)
{
	const u32 __user *handles = u64_to_user_ptr(at);
	u32 handle, i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = get_user(handle, &handles[i]) ? -EFAULT : call_in(c, file, handle, 0, 0);
	return ret;
}

static int as_tgmock(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct tgmock_submit *req = data;
	struct drm_syncobj *out;
	int ret;

	if (req->flags || req->ns > TGMOCK_NS || req->ins > TGMOCK_INS)
		return -EINVAL;
	out = drm_syncobj_find(file, req->out);
	if (out)
		drm_syncobj_put(out);
	else if (req->out)
		return -ENOENT;
	ret = call_ins(c, file, req->in, req->ins);
	c->ring = req->ring;
	c->out = req->out;
	c->ns = req->ns;
	return ret;
}

/* Syncobjs in the client's memory: handles, or with a point of a timeline. */
static int as_amdgpu_syncs(struct mock_call *c, struct drm_file *file, const struct drm_amdgpu_cs_chunk *chunk)
{
	const bool timeline = chunk->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT;
	const u32 size = timeline ? sizeof(struct drm_amdgpu_cs_chunk_syncobj) : sizeof(u32);
	struct drm_amdgpu_cs_chunk_syncobj sync = { };
	int ret = 0;
	u32 i;

	for (i = 0; i < chunk->length_dw * 4 / size && !ret; i++) {
		if (copy_from_user(&sync, u64_to_user_ptr(chunk->chunk_data + (u64)i * size), size))
			return -EFAULT;
		if (chunk->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT)
			c->out = sync.handle;
		else
			ret = call_in(c, file, sync.handle, timeline ? sync.point : 0, sync.flags);
	}
	return ret;
}

static int as_amdgpu_chunk(struct mock_call *c, struct drm_file *file, const struct drm_amdgpu_cs_chunk *chunk)
{
	struct drm_amdgpu_cs_chunk_ib ib;

	switch (chunk->chunk_id) {
	case AMDGPU_CHUNK_ID_IB:
		if (chunk->length_dw * 4 < sizeof(ib))
			return -EINVAL;
		if (copy_from_user(&ib, u64_to_user_ptr(chunk->chunk_data), sizeof(ib)))
			return -EFAULT;
		if (ib.ip_type >= AMDGPU_HW_IP_NUM || ib.ip_instance || ib.ring >= 4)
			return -EINVAL;
		c->ring = min_t(u32, ib.ip_type, AS_RINGS - 1);
		c->ns = ib.va_start;
		return 0;
	case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
	case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
		return as_amdgpu_syncs(c, file, chunk);
	default:
		return -EINVAL;
	}
}

static int as_amdgpu(struct mock_call *c, void *data, struct drm_file *file)
{
	union drm_amdgpu_cs *cs = data;
	struct drm_amdgpu_cs_chunk chunk;
	bool job = false;
	u64 address;
	int ret = 0;
	u32 i;

	if (!cs->in.num_chunks || !cs->in.ctx_id || cs->in.ctx_id > AS_QUEUES)
		return -EINVAL;
	if (cs->in.num_chunks > AS_CHUNKS)
		return -ENOMEM;
	for (i = 0; i < cs->in.num_chunks && !ret; i++) {
		if (copy_from_user(&address, u64_to_user_ptr(cs->in.chunks + i * sizeof(address)), sizeof(address)) ||
		    copy_from_user(&chunk, u64_to_user_ptr(address), sizeof(chunk)))
			return -EFAULT;
		job |= chunk.chunk_id == AMDGPU_CHUNK_ID_IB;
		ret = as_amdgpu_chunk(c, file, &chunk);
	}
	cs->out.handle = 1;
	return ret ?: job ? 0 : -EINVAL;
}

#ifdef DRM_IOCTL_XE_EXEC
static int as_xe(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_xe_exec *req = data;
	struct drm_xe_sync sync;
	int ret = 0;
	u32 i;

	if (req->extensions || req->num_syncs > DRM_XE_MAX_SYNCS || req->num_batch_buffer > 1)
		return -EINVAL;
	if (!req->exec_queue_id || req->exec_queue_id > AS_QUEUES)
		return -ENOENT;
	for (i = 0; i < req->num_syncs && !ret; i++) {
		if (copy_from_user(&sync, u64_to_user_ptr(req->syncs + i * sizeof(sync)), sizeof(sync)))
			return -EFAULT;
		if (sync.type > DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ)
			return -EINVAL;
		if (sync.flags & DRM_XE_SYNC_FLAG_SIGNAL)
			c->out = sync.handle;
		else
			ret = call_in(c, file, sync.handle,
				      sync.type == DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ ? sync.timeline_value : 0, 0);
	}
	c->none = !req->num_batch_buffer;
	c->ring = (req->exec_queue_id - 1) % AS_RINGS;
	c->ns = req->address;
	return ret;
}

static int as_xe_vm(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_vm_create *req = data;

	if (req->extensions || req->flags > 7)
		return -EINVAL;
	req->vm_id = 1;
	return 0;
}

static int as_xe_queue(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_exec_queue_create *req = data;
	struct drm_xe_engine_class_instance place;

	if (req->extensions || req->flags || req->width != 1 || req->num_placements != 1)
		return -EINVAL;
	if (copy_from_user(&place, u64_to_user_ptr(req->instances), sizeof(place)))
		return -EFAULT;
	if (place.engine_class > DRM_XE_ENGINE_CLASS_COMPUTE)
		return -EINVAL;
	req->exec_queue_id = 1 + place.engine_class;
	return 0;
}
#endif

#ifdef DRM_IOCTL_AMDGPU_USERQ
static int as_amdgpu_userq(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_userq *req = data;

	if (req->in.op != AMDGPU_USERQ_OP_CREATE && req->in.op != AMDGPU_USERQ_OP_FREE)
		return -EINVAL;
	req->out.queue_id = 1;
	return 0;
}
#endif

static int as_panfrost(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_panfrost_submit *req = data;
	int ret;

	if (!req->jc || req->requirements & ~PANFROST_JD_REQ_FS)
		return -EINVAL;
#ifdef DRM_IOCTL_PANFROST_JM_CTX_CREATE
	if (req->pad || req->jm_ctx_handle > AS_QUEUES)
		return -EINVAL;
#endif
	ret = call_ins(c, file, req->in_syncs, req->in_sync_count);
	c->ring = req->requirements & PANFROST_JD_REQ_FS ? 0 : 1;
	c->out = req->out_sync;
	c->ns = req->jc;
	return ret;
}

static int as_lima(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_lima_gem_submit *req = data;
	int ret = 0;
	u32 i;

	if (req->pipe > LIMA_PIPE_PP || !req->nr_bos || req->flags & ~LIMA_SUBMIT_FLAG_EXPLICIT_FENCE)
		return -EINVAL;
	if (!req->ctx || req->ctx > AS_QUEUES)
		return -ENOENT;
	for (i = 0; i < ARRAY_SIZE(req->in_sync) && !ret; i++)
		if (req->in_sync[i])
			ret = call_in(c, file, req->in_sync[i], 0, 0);
	c->ring = req->pipe;
	c->out = req->out_sync;
	c->ns = req->frame;
	return ret;
}

static int as_etnaviv(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_etnaviv_gem_submit *req = data;

	if (req->pipe >= AS_RINGS || req->stream_size % 4 || req->exec_state > ETNA_PIPE_VG ||
	    req->flags & ~ETNA_SUBMIT_FLAGS || req->nr_bos > 1000)
		return -EINVAL;
	if (req->flags & ETNA_SUBMIT_FENCE_FD_IN) {
		c->in[0] = sync_file_get_fence(req->fence_fd);
		if (!c->in[0])
			return -EINVAL;
		c->ins = 1;
	}
	c->ring = req->pipe;
	c->out = req->pad;
	c->ns = req->stream_size;
	return 0;
}

#include "tg_as_v3d.h"

static int mock_submit(struct drm_device *drm, void *data, struct drm_file *file,
		       int (*read)(struct mock_call *c, void *data, struct drm_file *file));

/* A table of ioctls for each name. */
#define SUBMIT(_as) \
static int submit_##_as(struct drm_device *drm, void *data, struct drm_file *file) \
{ \
	return mock_submit(drm, data, file, as_##_as); \
}

#define DRM_IOCTL_TGMOCK_SUBMIT DRM_IOW(DRM_COMMAND_BASE + TGMOCK_SUBMIT, struct tgmock_submit)

SUBMIT(tgmock)
static const struct drm_ioctl_desc ioctls_tgmock[] = {
	DRM_IOCTL_DEF_DRV(TGMOCK_SUBMIT, submit_tgmock, DRM_RENDER_ALLOW),
};

SUBMIT(amdgpu)
static const struct drm_ioctl_desc ioctls_amdgpu[] = {
	DRM_IOCTL_DEF_DRV(AMDGPU_CS, submit_amdgpu, DRM_RENDER_ALLOW),
#ifdef DRM_IOCTL_AMDGPU_USERQ
	DRM_IOCTL_DEF_DRV(AMDGPU_USERQ, as_amdgpu_userq, DRM_RENDER_ALLOW),
#endif
};

#ifdef DRM_IOCTL_XE_EXEC
SUBMIT(xe)
static const struct drm_ioctl_desc ioctls_xe[] = {
	DRM_IOCTL_DEF_DRV(XE_VM_CREATE, as_xe_vm, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_CREATE, as_xe_queue, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XE_EXEC, submit_xe, DRM_RENDER_ALLOW),
};
#endif

SUBMIT(panfrost)
static const struct drm_ioctl_desc ioctls_panfrost[] = {
	DRM_IOCTL_DEF_DRV(PANFROST_SUBMIT, submit_panfrost, DRM_RENDER_ALLOW),
};

SUBMIT(lima)
static const struct drm_ioctl_desc ioctls_lima[] = {
	DRM_IOCTL_DEF_DRV(LIMA_GEM_SUBMIT, submit_lima, DRM_RENDER_ALLOW),
};

SUBMIT(etnaviv)
static const struct drm_ioctl_desc ioctls_etnaviv[] = {
	DRM_IOCTL_DEF_DRV(ETNAVIV_GEM_SUBMIT, submit_etnaviv, DRM_RENDER_ALLOW),
};

SUBMIT(v3d_cl)
SUBMIT(v3d_tfu)
SUBMIT(v3d_csd)
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
SUBMIT(v3d_cpu)
#endif
static const struct drm_ioctl_desc ioctls_v3d[] = {
	DRM_IOCTL_DEF_DRV(V3D_SUBMIT_CL, submit_v3d_cl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(V3D_SUBMIT_TFU, submit_v3d_tfu, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(V3D_SUBMIT_CSD, submit_v3d_csd, DRM_RENDER_ALLOW),
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
	DRM_IOCTL_DEF_DRV(V3D_SUBMIT_CPU, submit_v3d_cpu, DRM_RENDER_ALLOW),
#endif
};

/* Each name, the vendor of its devices (tg_bus.h), and what the schedulers of its rings are called. */
static const struct mock_as {
	const char *name;
	u16 vendor;
	const struct drm_ioctl_desc *ioctls;
	int nr;
	const char *ring[TGMOCK_RINGS];
} known[] = {
	{ "tgmock", 0x1234, ioctls_tgmock, ARRAY_SIZE(ioctls_tgmock), { "ring0", "ring1", "ring2", "ring3" } },
	{ "amdgpu", 0x1002, ioctls_amdgpu, ARRAY_SIZE(ioctls_amdgpu),
	  { "gfx_0.0.0", "comp_1.0.0", "sdma0", "vcn_dec_0" } },
	{ "panfrost", 0, ioctls_panfrost, ARRAY_SIZE(ioctls_panfrost), { "pan_js", "pan_js", "pan_js", "pan_js" } },
	{ "lima", 0, ioctls_lima, ARRAY_SIZE(ioctls_lima), { "gp", "pp", "none", "none" } },
	{ "etnaviv", 0, ioctls_etnaviv, ARRAY_SIZE(ioctls_etnaviv), { "130000.gpu", "134000.gpu", "2204000.gpu", "x" } },
	{ "v3d", 0, ioctls_v3d, ARRAY_SIZE(ioctls_v3d),
	  { "v3d_render", "v3d_tfu", "v3d_csd", "v3d_bin", "v3d_cache_clean" } },
#ifdef DRM_IOCTL_XE_EXEC
	{ "xe", 0x8086, ioctls_xe, ARRAY_SIZE(ioctls_xe), { "rcs1", "bcs2", "vcs3", "vecs4" } },
#endif
};

#endif /* TG_AS_H */
