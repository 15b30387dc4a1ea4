/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card as v3d. Its rings: 0 renders, 1 formats textures, 2 computes, 3 bins, 4 cleans caches and does what the
 * CPU does. An end less a start is how many ns a command list takes; `iia`, `cfg[0]`: likewise. Cleaning and the
 * CPU take AS_V3D_NS. Objects are not looked at. tg_as.h alone includes this.
 */
#ifndef TG_AS_V3D_H
#define TG_AS_V3D_H

#include <uapi/drm/v3d_drm.h>

#define AS_V3D_NS		1000
#define AS_V3D_EXTENSIONS	64

/* As the driver: a handle that names nothing is left out, a syncobj without a fence is refused. */
static int as_v3d_in(struct mock_call *c, struct drm_file *file, u32 handle)
{
	const int ret = call_in(c, file, handle, 0, 0);

	return ret == -ENOENT ? 0 : ret;
}

/* @queues: of which the submission has jobs */
static int as_v3d_syncs(struct mock_call *c, struct drm_file *file, u64 at, u32 queues)
{
	struct drm_v3d_multi_sync ext;
	struct drm_v3d_sem sem;
	int ret = 0;
	u32 i;

	if (copy_from_user(&ext, u64_to_user_ptr(at), sizeof(ext)))
		return -EFAULT;
	if (ext.pad || (!ext.in_sync_count && !ext.out_sync_count))
		return -EINVAL;
	for (i = 0; i < ext.out_sync_count; i++) {
		if (copy_from_user(&sem, u64_to_user_ptr(ext.out_syncs + (u64)i * sizeof(sem)), sizeof(sem)))
			return -EFAULT;
		c->out = sem.handle;
	}
	if (ext.wait_stage >= 32 || !(queues >> ext.wait_stage & 1))
		return 0;
	for (i = 0; i < ext.in_sync_count && !ret; i++) {
		if (copy_from_user(&sem, u64_to_user_ptr(ext.in_syncs + (u64)i * sizeof(sem)), sizeof(sem)))
			return -EFAULT;
		ret = as_v3d_in(c, file, sem.handle);
	}
	return ret;
}

/* @multi: there is a MULTI_SYNC. @csd: NULL: an extension for the CPU is refused */
static int as_v3d_extensions(struct mock_call *c, struct drm_file *file, u64 at, u32 queues, bool *multi, u32 *csd)
{
	struct drm_v3d_extension ext;
	int ret = 0;
	u32 i;

	for (i = 0; at && !ret; i++, at = ext.next) {
		if (i == AS_V3D_EXTENSIONS)
			return -EINVAL;
		if (copy_from_user(&ext, u64_to_user_ptr(at), sizeof(ext)))
			return -EFAULT;
		if (ext.id == DRM_V3D_EXT_ID_MULTI_SYNC && !*multi) {
			*multi = true;
			ret = as_v3d_syncs(c, file, at, queues);
#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
		} else if (ext.id == DRM_V3D_EXT_ID_CPU_INDIRECT_CSD && csd && !*csd) {
			if (get_user(*csd, (u32 __user *)u64_to_user_ptr(at +
				     offsetof(struct drm_v3d_indirect_csd, submit.cfg))))
				ret = -EFAULT;
#endif
		} else {
			ret = -EINVAL;
		}
	}
	return ret;
}

static int as_v3d_cl(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_v3d_submit_cl *req = data;
	const u32 bin = req->bcl_end - req->bcl_start;
	bool multi = false;
	int ret = 0;

	if (req->pad || req->flags & ~(DRM_V3D_SUBMIT_CL_FLUSH_CACHE | DRM_V3D_SUBMIT_EXTENSION))
		return -EINVAL;
	if (!req->bo_handle_count)
		return -EINVAL;
	c->out = req->out_sync;
	if (req->flags & DRM_V3D_SUBMIT_EXTENSION)
		ret = as_v3d_extensions(c, file, req->extensions, 1 << V3D_RENDER | !!bin << V3D_BIN, &multi, NULL);
	if (!ret && !multi)
		ret = as_v3d_in(c, file, req->in_sync_rcl) ?: bin ? as_v3d_in(c, file, req->in_sync_bcl) : 0;
	c->ns = req->rcl_end - req->rcl_start;
	c->before = (struct mock_part){ 3, bin };
	c->after = (struct mock_part){ 4, req->flags & DRM_V3D_SUBMIT_CL_FLUSH_CACHE ? AS_V3D_NS : 0 };
	return ret;
}

static int as_v3d_one(struct mock_call *c, struct drm_file *file, u32 flags, u64 extensions, u32 in, u32 queue)
{
	bool multi = false;
	int ret = 0;

	if (flags && !(flags & DRM_V3D_SUBMIT_EXTENSION))
		return -EINVAL;
	if (flags)
		ret = as_v3d_extensions(c, file, extensions, 1 << queue, &multi, NULL);
	return ret ?: multi ? 0 : as_v3d_in(c, file, in);
}

static int as_v3d_tfu(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_v3d_submit_tfu *req = data;

	c->out = req->out_sync;
	c->ring = 1;
	c->ns = req->iia;
	return as_v3d_one(c, file, req->flags, req->extensions, req->in_sync, V3D_TFU);
}

static int as_v3d_csd(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_v3d_submit_csd *req = data;

	if (req->pad)
		return -EINVAL;
	c->out = req->out_sync;
	c->ring = 2;
	c->ns = req->cfg[0];
	c->after = (struct mock_part){ 4, AS_V3D_NS };
	return as_v3d_one(c, file, req->flags, req->extensions, req->in_sync, V3D_CSD);
}

#ifdef DRM_IOCTL_V3D_SUBMIT_CPU
static int as_v3d_cpu(struct mock_call *c, void *data, struct drm_file *file)
{
	const struct drm_v3d_submit_cpu *req = data;
	bool multi = false;
	u32 csd = 0;
	int ret = 0;

	if (!(req->flags & DRM_V3D_SUBMIT_EXTENSION) || !req->extensions)
		return -EINVAL;
	ret = as_v3d_extensions(c, file, req->extensions, 1 << V3D_CPU, &multi, &csd);
	c->ring = csd ? 2 : 4;
	c->ns = csd ?: AS_V3D_NS;
	c->before = (struct mock_part){ 4, csd ? AS_V3D_NS : 0 };
	c->after = (struct mock_part){ 4, csd ? AS_V3D_NS : 0 };
	return ret;
}
#endif

#endif /* TG_AS_V3D_H */
