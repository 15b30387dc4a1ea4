// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a file of a driver's: the same for each driver.
 *
 * Each driver's function that stands in for its own one (tgk_driver.close) calls this, in process
 * context, under no lock of the driver.
 */
#include "channel.h"
#include "driver/driver.h"
#include "gpu.h"
#include "hook.h"
#include "space.h"

/**
 * tgk_driver_close() - let the driver end a file whose channels leave
 * @orig: the driver's function
 * @dev: the device
 * @file: the file; its channels leave before the driver lets go of them, and are forgotten then,
 *	as is what it has mapped
 */
void tgk_driver_close(unsigned long orig, struct drm_device *dev, struct drm_file *file)
{
	struct tgk_gpu *gpu;

	tgk_hook_enter();
	gpu = tgk_gpu_get(dev);
	if (gpu)
		tgk_channel_leave(gpu, file, NULL);
	((tgk_close_fn)orig)(dev, file);
	if (gpu) {
		tgk_channel_forget(gpu, file, NULL);
		tgk_space_close(gpu, file);
		tgk_gpu_put(gpu);
	}
	tgk_hook_leave();
}
