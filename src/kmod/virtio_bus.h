/* SPDX-License-Identifier: GPL-2.0 */
/*
 * virtio_bus.c: the bus of virtio devices.
 */
#ifndef TGK_VIRTIO_BUS_H
#define TGK_VIRTIO_BUS_H

#include <linux/types.h>

struct device;
struct notifier_block;

bool tgk_virtio_is(const struct device *dev);
bool tgk_virtio_below(struct device *pci, struct notifier_block *block);
void tgk_virtio_exit(struct notifier_block *block);

#endif /* TGK_VIRTIO_BUS_H */
