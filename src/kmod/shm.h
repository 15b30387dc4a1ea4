/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shm.c: device memory that processes share by key.
 */
#ifndef TGK_SHM_H
#define TGK_SHM_H

struct drm_device;

int tgk_shm_init(void);
void tgk_shm_gone(const struct drm_device *drm);
void tgk_shm_exit(void);

#endif /* TGK_SHM_H */
