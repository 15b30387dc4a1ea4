/* SPDX-License-Identifier: GPL-2.0 */
/*
 * virtio.c: virtio_gpu. Its ioctls are those of its public header; older kernels have some of them.
 */
#ifndef TGK_DRIVER_VIRTIO_H
#define TGK_DRIVER_VIRTIO_H

#include <linux/virtio.h>
#include <linux/virtio_config.h>

#include "driver/driver.h"

#define TGK_NR_EXECBUFFER	0x02
#define TGK_NR_TRANSFER_FROM	0x06
#define TGK_NR_TRANSFER_TO	0x07

#define TGK_EXECBUF_FENCE_IN	0x01
#define TGK_EXECBUF_FENCE_OUT	0x02
#define TGK_EXECBUF_RING	0x04

struct tgk_execbuffer {
	u32 flags, size;
	u64 command, objects;
	u32 nr_objects;
	s32 fence_fd;
	u32 ring, sync_stride;
	/* 6.6 and later: the drivers before do not have what follows. */
	u32 nr_in, nr_out;
	u64 in, out;
};

#define TGK_EXECBUFFER_OLD	offsetof(struct tgk_execbuffer, nr_in)

struct tgk_execbuffer_sync {
	u32 handle, flags;
	u64 point;
};

struct tgk_transfer {
	u32 object, box[6], level, offset, stride, layer_stride;
};

/* Does the device draw? Without, it shows a screen, and takes no commands. */
static inline bool tgk_virtio_draws(struct device *dev)
{
	return __virtio_test_bit(dev_to_virtio(dev), 0);	/* VIRTIO_GPU_F_VIRGL */
}

extern const struct tgk_driver tgk_virtio;

#endif /* TGK_DRIVER_VIRTIO_H */
