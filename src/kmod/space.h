/* SPDX-License-Identifier: GPL-2.0 */
/*
 * space.c: which object lies at an address of the GPU.
 */
#ifndef TGK_SPACE_H
#define TGK_SPACE_H

#include "tgk.h"

/**
 * struct tgk_piece - a piece of an object
 * @handle: the object, as its client calls it
 * @offset: where in it, bytes
 * @bytes: how many; neither has been checked
 */
struct tgk_piece {
	u32 handle;
	u64 offset, bytes;
};

void tgk_space_map(struct tgk_gpu *gpu, const struct drm_file *file, u64 address,
		   const struct tgk_piece *piece);
void tgk_space_unmap(struct tgk_gpu *gpu, const struct drm_file *file, u64 address, u64 bytes);
bool tgk_space_find(struct tgk_gpu *gpu, const struct drm_file *file, u64 address, u64 bytes,
		    struct tgk_piece *piece);
void tgk_space_close(struct tgk_gpu *gpu, const struct drm_file *file);
void tgk_spaces_free(struct tgk_gpu *gpu);

#endif /* TGK_SPACE_H */
