/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header of this name, what src/kmod/driver/sched_v3d.c takes: as of Linux 6.8. */
#ifndef V3D_DRM_H
#define V3D_DRM_H

enum { DRM_V3D_SUBMIT_CL = 0, DRM_V3D_SUBMIT_TFU = 6, DRM_V3D_SUBMIT_CSD = 7, DRM_V3D_SUBMIT_CPU = 11 };

#define DRM_IOCTL_V3D_SUBMIT_CPU		DRM_V3D_SUBMIT_CPU
#define DRM_V3D_SUBMIT_CL_FLUSH_CACHE	1
#define DRM_V3D_SUBMIT_EXTENSION	2
#define DRM_V3D_EXT_ID_MULTI_SYNC	1

enum v3d_queue { V3D_BIN, V3D_RENDER, V3D_TFU, V3D_CSD, V3D_CACHE_CLEAN, V3D_CPU };

struct drm_v3d_extension {
	u64 next;
	u32 id, flags;
};

struct drm_v3d_sem {
	u32 handle, flags;
	u64 point, mbz[2];
};

struct drm_v3d_multi_sync {
	struct drm_v3d_extension base;
	u64 in_syncs, out_syncs;
	u32 in_sync_count, out_sync_count, wait_stage, pad;
};

struct drm_v3d_submit_cl {
	u32 bcl_start, bcl_end, rcl_start, rcl_end, in_sync_bcl, in_sync_rcl, out_sync, qma, qms, qts;
	u64 bo_handles;
	u32 bo_handle_count, flags, perfmon_id, pad;
	u64 extensions;
};

struct drm_v3d_submit_tfu {
	u32 icfg, iia, other[9], bo_handles[4], in_sync, out_sync, flags;
	u64 extensions;
	u32 ioc, pad;
};

struct drm_v3d_submit_csd {
	u32 cfg[7], coef[4];
	u64 bo_handles;
	u32 bo_handle_count, in_sync, out_sync, perfmon_id;
	u64 extensions;
	u32 flags, pad;
};

struct drm_v3d_submit_cpu {
	u64 bo_handles;
	u32 bo_handle_count, flags;
	u64 extensions;
};

#endif /* V3D_DRM_H */
