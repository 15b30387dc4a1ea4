/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hook.c: stands in for functions of the driver.
 */
#ifndef TGK_HOOK_H
#define TGK_HOOK_H

#include "tgk.h"

int tgk_call_piece(const struct tgk_call *call, u32 i, struct tgk_piece *piece);
bool tgk_call_vram(const struct tgk_call *call, u64 *bytes);
int tgk_hook_free(const struct drm_gem_object *obj);
void tgk_object_put(struct drm_gem_object *obj);
/* driver/nouveau_push.c */
const struct tg_key *tgk_push_key(struct tg_key_builder *b, const struct tgk_call *call);

int tgk_hook_init(void);
void tgk_hook_exit(void);

#endif /* TGK_HOOK_H */
