// SPDX-License-Identifier: GPL-2.0
/*
 * Drivers on drm_sched: one ioctl submits; drm_sched's fences of the job are made in the thread
 * that calls it; `scheduled` signals when the job goes to the GPU, and `finished` when it has
 * ended. That is all that the core hears of a job (fence.c), whatever the driver. A row says the
 * rest.
 *
 * A submission is gated at the ioctl. Behind it nothing may wait: drivers hold locks there, or are
 * on the way of memory that the system needs.
 *
 * None of them is served unless the parameter `drivers` names it (list.c). hook.c calls the
 * functions that stand in for the driver's, as it does nouveau's (driver.h).
 */
#include <linux/module.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>

#include "await.h"
#include "gpu.h"
#include "sched.h"
#include "submit.h"
#include "wrap/fence.h"

typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);

static const struct tgk_sched *row_of(const struct tgk_driver *driver)
{
	return container_of(driver, struct tgk_sched, driver);
}

static int submit(const struct tgk_sched *row, struct drm_device *dev, void *data,
		  struct drm_file *file)
{
	struct tgk_call call = {
		.orig = (ioctl_fn)row->hook[TGK_SCHED_SUBMIT].orig,
		.dev = dev, .data = data, .file = file, .size = row->size, .sched = true,
	};
	struct tgk_gpu *gpu;
	int ret;

	tgk_hook_enter();
	gpu = row->channel(data, &call.chid) ? tgk_gpu_get(dev) : NULL;
	if (gpu) {
		ret = tgk_await(gpu, &call) ?: tgk_submit(gpu, &call);
		tgk_gpu_put(gpu);
	} else {
		ret = call.orig(dev, data, file);
	}
	tgk_hook_leave();
	return ret;
}

/* The driver refuses a syncobj that is not there, or has no fence. */
static int in_fence(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
		    struct dma_fence **fence)
{
	u32 handle;
	const int more = row_of(driver)->in_sync(call->data, i, &handle);

	if (more > 0 && drm_syncobj_find_fence(call->file, handle, 0, 0, fence))
		*fence = NULL;
	return more;
}

/* Such arguments are refused by the driver before it does anything. */
static void prove_submit(const struct tgk_hook *hook, struct drm_file *file)
{
	u8 args[TGK_ARGS];

	memset(args, 0xff, sizeof(args));
	((ioctl_fn)hook->orig)(file->minor->dev, args, file);
}

/* The size says whether the arguments are those that the row knows. */
static bool is_known(const struct tgk_driver *driver, const struct drm_driver *drv)
{
	const struct tgk_sched *row = row_of(driver);

	return row->nr < drv->num_ioctls && drv->ioctls[row->nr].func &&
	       _IOC_SIZE(drv->ioctls[row->nr].cmd) == row->size &&
	       (drv->driver_features & DRIVER_RENDER) && (drv->driver_features & DRIVER_SYNCOBJ) &&
	       drv->postclose && drv->fops && drv->fops->owner;
}

static unsigned long address(const struct tgk_driver *driver, const struct drm_driver *drv,
			     u32 hook)
{
	return hook == TGK_SCHED_SUBMIT ? (unsigned long)drv->ioctls[row_of(driver)->nr].func :
					  (unsigned long)drv->postclose;
}

/* A row's functions that stand in for the driver's, and the type of its submission's arguments. */
#define FUNCTIONS(_row, _args) \
static_assert(sizeof(_args) <= TGK_ARGS); \
static int submit_##_row(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return submit(&tgk_##_row, dev, data, file); \
} \
static void close_##_row(struct drm_device *dev, struct drm_file *file) \
{ \
	tgk_driver_close(tgk_##_row.hook[TGK_SCHED_CLOSE].orig, dev, file); \
}

/* What all rows have, of a driver of this name and vendor; then what tgk_driver has beside that. */
#define ROW(_row, _name, _vendor, _beside...) \
	.driver = { \
		.name = _name, .vendor = _vendor, .hooked = &tgk_##_row.hooked, \
		.hooks = tgk_##_row.hook, .nr_hooks = TGK_SCHED_HOOKS, \
		.close = &tgk_##_row.hook[TGK_SCHED_CLOSE], \
		.is_known = is_known, .address = address, .in_fence = in_fence, \
		_beside \
	}, \
	.hook = { \
		[TGK_SCHED_SUBMIT] = { \
			.ours = (unsigned long)submit_##_row, .prove = prove_submit, \
		}, \
		[TGK_SCHED_CLOSE] = { .ours = (unsigned long)close_##_row }, \
	}

/* --- the test card: tests/vm/mock --- */

struct mock_submit {
	u32 ring, flags;
	u64 ns;
	u32 ins, out;
	u64 in;
};

#define MOCK_RINGS	4
#define MOCK_INS	32
#define MOCK_NS		1000000000

/* How many rings the card has is not known here: the driver refuses those beyond. */
static bool mock_channel(const void *args, u32 *chid)
{
	const struct mock_submit *req = args;

	*chid = req->ring;
	return !req->flags && req->ring < MOCK_RINGS && req->ns <= MOCK_NS && req->ins <= MOCK_INS;
}

/* Handles that cannot be read end the wait: the driver answers, as it would without us. */
static int mock_in_sync(const void *args, u32 i, u32 *handle)
{
	const struct mock_submit *req = args;
	const u32 __user *ins = u64_to_user_ptr(req->in);

	return i < req->ins && !get_user(*handle, &ins[i]);
}

/* It calls the schedulers of a ring after it, whether files share them or have each its own. */
static u32 mock_engine(struct dma_fence *finished)
{
	const char *name = tgk_fences_of(finished)->sched->name;

	return strlen(name) == 5 && !strncmp(name, "ring", 4) ? name[4] - '0' : 0;
}

/* A channel is a ring. */
static u32 mock_engine_of(u32 chid)
{
	return chid;
}

FUNCTIONS(mock, struct mock_submit)

struct tgk_sched tgk_mock = {
	ROW(mock, "tgmock", 0x1234, .engines = MOCK_RINGS, .engine = mock_engine,
	    .engine_of = mock_engine_of),
	.nr = 0, .size = sizeof(struct mock_submit),
	.channel = mock_channel, .in_sync = mock_in_sync,
};
