/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of nouveau's backend share.
 */
#ifndef TGK_NOUVEAU_H
#define TGK_NOUVEAU_H

#include "driver/driver.h"

/* nouveau.c */
extern const struct tgk_driver tgk_nouveau;

/* nouveau_push.c */
bool tgk_nouveau_vram(const struct tgk_call *call, u64 *bytes);
const struct tg_key *tgk_nouveau_key(struct tg_key_builder *b, u32 chip,
				     const struct tgk_call *call);

/* nouveau_fence.c */
int tgk_nouveau_watch(void);
void tgk_nouveau_unwatch(void);
bool tgk_nouveau_slots(struct dma_fence *fence, struct tgk_slots *slots);
void tgk_nouveau_want_signal(struct dma_fence *fence);

/* nouveau_chip.c */
#define TGK_NOUVEAU_CHIPS	3
extern const struct tgk_chip tgk_nouveau_chips[TGK_NOUVEAU_CHIPS];
u32 tgk_nouveau_chip_id(struct device *dev);
enum tg_methods tgk_nouveau_methods(u32 chip);

#endif /* TGK_NOUVEAU_H */
