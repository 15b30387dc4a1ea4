/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nouveau's ioctls, by their place in drm_driver.ioctls, and their arguments.
 *
 * The channel ioctls' arguments became public in 6.6 (a public header before had only the
 * numbers); the layout has always been the same. driver/nouveau.c holds the sizes that nouveau
 * itself declares in its table against these.
 */
#ifndef TGK_WRAP_NOUVEAU_H
#define TGK_WRAP_NOUVEAU_H

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <uapi/drm/nouveau_drm.h>

#define TGK_NR_CHANNEL_ALLOC	0x02
#define TGK_NR_CHANNEL_FREE	0x03
#define TGK_NR_GROBJ_ALLOC	0x04
#define TGK_NR_NVIF		0x07
#define TGK_NR_EXEC		0x12
#define TGK_NR_GEM_NEW		0x40
#define TGK_NR_PUSHBUF		0x41

struct tgk_channel_alloc {
	u32 fb_ctxdma_handle, tt_ctxdma_handle;
	s32 channel;
	u32 pushbuf_domains;
	u32 notifier_handle;
	struct {
		u32 handle, grclass;
	} subchan[8];
	u32 nr_subchan;
};

struct tgk_channel_free {
	s32 channel;
};

struct tgk_grobj_alloc {
	s32 channel;
	u32 handle;
	s32 class;
};

/* What libdrm asks NVIF for when a channel gets an object: the channel's number is the token. */
#define TGK_NVIF_NEW		0x02

struct tgk_nvif_new {
	u8 version, type, pad02[4], owner, route;
	u64 token, object;
	struct {
		u8 version, pad01[6], route;
		u64 token, object;
		u32 handle;
		s32 oclass;
	} new;
};

/* EXEC came with 6.6. */
struct tgk_exec {
	u32 channel;
	u32 push_count, wait_count, sig_count;
	u64 wait_ptr, sig_ptr, push_ptr;
};

/* What @wait_ptr and @sig_ptr point at: so many of these. */
struct tgk_exec_sync {
	u32 flags;
	u32 handle;
	u64 point;
};

#define TGK_SYNC_TYPE		0x0f
#define TGK_SYNC_PLAIN		0
#define TGK_SYNC_TIMELINE	1

/* Never called: a changed prototype must break the build. */
static inline void tgk_nouveau_canary(const struct drm_driver *drv)
{
	int (*ioctl)(struct drm_device *dev, void *data, struct drm_file *file);
	void (*postclose)(struct drm_device *dev, struct drm_file *file);
	int (*dumb_create)(struct drm_file *file, struct drm_device *dev,
			   struct drm_mode_create_dumb *args);
	void (*free)(struct drm_gem_object *obj);

	ioctl = drv->ioctls[0].func;
	postclose = drv->postclose;
	dumb_create = drv->dumb_create;
	free = ((const struct drm_gem_object_funcs *)NULL)->free;
	(void)ioctl;
	(void)postclose;
	(void)dumb_create;
	(void)free;
}

#endif /* TGK_WRAP_NOUVEAU_H */
