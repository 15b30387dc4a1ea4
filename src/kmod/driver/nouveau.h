/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of nouveau's backend share.
 */
#ifndef TGK_NOUVEAU_H
#define TGK_NOUVEAU_H

#include "driver/driver.h"

#define TGK_NR_VM_BIND		0x11	/* of the ioctl that came with EXEC */

/* Its arguments. */
struct tgk_vm_bind {
	u32 op_count, flags;
	u32 wait_count, sig_count;
	u64 wait_ptr, sig_ptr, op_ptr;
};

/* nouveau.c */
extern const struct tgk_driver tgk_nouveau;

/* nouveau_push.c */
bool tgk_nouveau_vram(const struct tgk_call *call, u64 *bytes);
const struct tg_key *tgk_nouveau_key(struct tg_key_builder *b, struct tgk_gpu *gpu,
				     const struct tgk_call *call);

/* nouveau_bind.c */
void tgk_nouveau_bound(struct tgk_gpu *gpu, const struct drm_file *file,
		       const struct tgk_vm_bind *req);

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
