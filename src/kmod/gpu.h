/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpu.c: the life of a GPU.
 */
#ifndef TGK_GPU_H
#define TGK_GPU_H

#include <linux/pci.h>

#include "tgk.h"

struct dma_buf;

extern struct list_head tgk_gpus;	/* tgk_mutex; readers: RCU */
/* tgk_mutex; a GPU is here from tgk_gpu_close() to tgk_gpu_destroy(). */
extern struct list_head tgk_gpus_closed;

struct tgk_gpu *tgk_gpu_create(const struct tgk_driver *driver, const struct drm_device *drm,
			       struct device *dev);
u32 tgk_gpu_close(struct tgk_gpu *gpu, enum tgk_closing how);
bool tgk_gpu_unused(const struct tgk_gpu *gpu);
void tgk_gpu_destroy(struct tgk_gpu *gpu);
struct tgk_gpu *tgk_gpu_get(const struct drm_device *drm);
int tgk_gpu_made(const struct dma_buf *buf, u64 *vram);

/** tgk_in_bar() - does the address lie in one of a PCI device's BARs? Context: any */
static inline bool tgk_in_bar(const struct device *dev, phys_addr_t at)
{
	const struct pci_dev *pci = to_pci_dev(dev);
	int i;

	for (i = 0; i < PCI_STD_NUM_BARS && dev_is_pci(dev); i++)
		if (pci_resource_len(pci, i) && at >= pci_resource_start(pci, i) &&
		    at <= pci_resource_end(pci, i))
			return true;
	return false;
}

static inline void tgk_gpu_put(struct tgk_gpu *gpu)
{
	/* tgk_gpu_unused() sees the last one; the memory may go then. */
	atomic_fetch_dec_release(&gpu->calls);
}

#endif /* TGK_GPU_H */
