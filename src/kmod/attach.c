// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the GPUs of the drivers that are served (driver/list.c), and lets go of them.
 *
 * A GPU is attached when the module is loaded, or when the driver binds to it. It is detached when
 * the driver is unbound, before the driver removes anything: by then no thread waits in our
 * functions any more, and every call that was in the driver through us has come out.
 *
 * A driver binds to a PCI device, or to a virtio device below one, which comes and goes with it
 * (virtio_bus.c); or to a platform device, as a system on a chip has them. A GPU is known by its
 * PCI device, or by that. Where its device consists of parts (parts.c), the GPU is attached when
 * the last part has come, and detached before the first goes.
 *
 * main.c calls tgk_attach_init() and tgk_attach_exit(); the bus calls on_bus(). Attach and detach
 * run in process context, under the lock of the device that the driver binds to, then tgk_mutex.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "attach.h"
#include "driver/driver.h"
#include "gpu.h"
#include "hook.h"
#include "parts.h"
#include "poll.h"
#include "shm.h"
#include "virtio_bus.h"

/* A child of the GPU's device: the DRM minor's device keeps the minor. */
static int minor_of(struct device *dev, void *data)
{
	struct drm_device **drm = data;
	const struct drm_minor *minor;

	if (!dev->class || strcmp(dev->class->name, "drm") || MAJOR(dev->devt) != DRM_MAJOR)
		return 0;
	minor = dev_get_drvdata(dev);
	if (minor)
		*drm = minor->dev;
	return *drm ? 1 : 0;
}

static bool is_platform(const struct device *dev)
{
	return dev->bus == &platform_bus_type;
}

/* What its GPU is known by, of a device that a driver binds to; NULL: it is on another bus. */
static struct device *known_by(const struct device *dev)
{
	struct device *by = tgk_virtio_is(dev) ? dev->parent : (struct device *)dev;

	return dev_is_pci(by) || is_platform(dev) ? by : NULL;
}

/* May its devices be known by such a one? @by: of known_by(). */
static bool may_drive(const struct tgk_driver *driver, const struct device *by)
{
	return is_platform(by) ? !driver->vendor : to_pci_dev(by)->vendor == driver->vendor;
}

/* Which of the drivers that we serve is bound to a device? NULL: none. */
static const struct tgk_driver *driver_of(const struct device *dev)
{
	const struct device *by = known_by(dev);
	const struct tgk_driver *driver;
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++) {
		driver = tgk_drivers[i];
		if (tgk_driver_served(i) && driver->virtio == tgk_virtio_is(dev) && by &&
		    may_drive(driver, by) && dev->driver &&
		    !strcmp(dev->driver->name, driver->name))
			return driver;
	}
	return NULL;
}

static struct tgk_gpu *gpu_of(const struct device *dev)
{
	struct tgk_gpu *gpu;

	list_for_each_entry(gpu, &tgk_gpus, node)
		if (gpu->dev == dev)
			return gpu;
	return NULL;
}

/*
 * Switch off hooks of a driver that no GPU needs. Return: all of them are off; tgk_hooks_put() is
 * to follow.
 */
static bool hooks_rest(const struct tgk_driver *driver)
{
	bool any = false, several = false;
	const struct tgk_gpu *gpu;

	list_for_each_entry(gpu, &tgk_gpus, node) {
		if (gpu->driver != driver)
			continue;
		any = true;
		several |= gpu->core.nr_engines > 1;
	}
	if (!any)
		tgk_hooks_off(driver);
	else if (!several)
		tgk_hooks_several_off(driver);
	return !any;
}

static struct drm_device *drm_of(struct device *dev)
{
	struct drm_device *drm = NULL;

	device_for_each_child(dev, &drm, minor_of);
	return drm;
}

/* The device's DRM device, of a driver that is known. Return: an ERR_PTR() after a message. */
static struct drm_device *find_drm(const struct tgk_driver *driver, struct device *dev)
{
	struct drm_device *drm = drm_of(dev);

	if (!drm) {
		pr_err("%s: %s is bound but has no DRM device\n", dev_name(dev), driver->name);
		return ERR_PTR(-ENODEV);
	}
	if (!driver->is_known(driver, drm->driver)) {
		pr_err("%s: this %s's ioctls are not those that we know\n", dev_name(dev),
		       driver->name);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (tgk_hooks_held(driver) && !tgk_hooks_are_of(driver, drm->driver)) {
		pr_err("%s: belongs to a second %s\n", dev_name(dev), driver->name);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return drm;
}

/* Under the device's lock and tgk_mutex. */
static int attach(const struct tgk_driver *driver, struct device *dev)
{
	struct device *by = known_by(dev);
	struct drm_device *drm;
	struct tgk_gpu *gpu;
	u32 chip = 0;
	int ret;

	if (gpu_of(by))
		return 0;
	/* The last part that comes calls again. */
	if (driver->component && (!tgk_parts_rest() || !drm_of(by)))
		return 0;
	if (driver->draws && !driver->draws(dev)) {
		pr_info("%s: only shows a screen: left alone\n", dev_name(by));
		return 0;
	}
	drm = find_drm(driver, by);
	if (IS_ERR(drm))
		return PTR_ERR(drm);
	if (driver->chip_id)
		chip = driver->chip_id(by);
	if (chip == TGK_CHIP_NONE) {
		pr_err("%s: does not answer, so what chip it is cannot be told\n", dev_name(by));
		ret = -ENODEV;
		goto refuse;
	}
	ret = tgk_hooks_held(driver) ? 0 : tgk_hooks_on(driver, drm);
	if (ret)
		goto refuse;
	if (tgk_chip_engines(driver, chip) > 1)
		ret = tgk_hooks_several_on(driver, drm);
	gpu = ret ? ERR_PTR(ret) : tgk_gpu_create(driver, drm, by);
	if (IS_ERR(gpu)) {
		if (hooks_rest(driver))
			tgk_hooks_put(driver);
		ret = PTR_ERR(gpu);
		goto refuse;
	}
	pr_info("GPU %u is %s, policy %s\n", gpu->index, dev_name(by),
		tg_gpu_policy(&gpu->core)->name);
	if (driver->unseen)
		pr_notice("GPU %u: this module has not been seen on hardware that %s drives\n",
			  gpu->index, driver->name);
	return 0;

refuse:
	pr_err("%s: not scheduled (error %d)\n", dev_name(by), ret);
	return ret;
}

/*
 * Wait until the closed GPU of @dev is destroyed; NULL: all that are closed. Unbinding and
 * unloading may wait for the same one: the first that finds it unused destroys it. A client's
 * thread may be stuck inside the driver, so tgk_mutex is not held while this waits.
 */
static void destroy_closed(const struct device *dev)
{
	struct tgk_gpu *gpu, *next;
	unsigned int n = 0;
	bool left = true;

	while (left) {
		left = false;
		mutex_lock(&tgk_mutex);
		list_for_each_entry_safe(gpu, next, &tgk_gpus_closed, node) {
			if (dev && gpu->dev != dev)
				continue;
			if (tgk_gpu_unused(gpu)) {
				tgk_gpu_destroy(gpu);
				continue;
			}
			left = true;
			if (n % 2000 == 1999)
				pr_notice("GPU %u: still waiting for %u calls inside %s\n",
					  gpu->index, atomic_read(&gpu->calls), gpu->driver->name);
		}
		mutex_unlock(&tgk_mutex);
		/* TASK_IDLE: a long wait for clients is not to be reported as a hung task. */
		if (left)
			schedule_timeout_idle(HZ / 100);
		n++;
	}
}

static bool leaving;	/* tgk_mutex: none is attached any more */

/* Under the device's lock: the driver is about to leave it. @dev: what its GPU is known by. */
static void detach(const struct device *dev)
{
	const struct tgk_driver *driver;
	const struct drm_device *drm = NULL;
	struct module *owner = NULL;
	unsigned int index = 0;
	struct tgk_gpu *gpu;
	u32 waiters = 0;

	mutex_lock(&tgk_mutex);
	gpu = gpu_of(dev);
	if (gpu) {
		index = gpu->index;
		drm = gpu->drm;
		driver = gpu->driver;
		waiters = tgk_gpu_close(gpu, TGK_GONE);
		if (hooks_rest(driver)) {
			/* A GPU that comes meanwhile switches the hooks on anew. */
			owner = gpu->drm->driver->fops->owner;
			__module_get(owner);
			tgk_hooks_put(driver);
		}
	}
	mutex_unlock(&tgk_mutex);
	destroy_closed(dev);
	if (!gpu)
		return;
	tgk_shm_gone(drm);
	pr_info("GPU %u has gone: %u waiters released, hooks %s\n", index, waiters,
		owner ? "off" : "stay on for the others");
	module_put(owner);
}

/* While GPUs are attached: is one scheduled now, and why was the first one refused that was? */
struct attaching {
	const struct tgk_driver *driver;
	bool any;
	int refused;
};

/* The device's lock is held, and keeps the driver bound. */
static void attach_bound(struct device *dev, struct attaching *a)
{
	int ret;

	mutex_lock(&tgk_mutex);
	if (!leaving && driver_of(dev) == a->driver) {
		ret = attach(a->driver, dev);
		a->refused = a->refused ?: ret;
		a->any |= !!gpu_of(known_by(dev));
	}
	mutex_unlock(&tgk_mutex);
}

static int attach_child(struct device *dev, void *data)
{
	if (tgk_virtio_is(dev)) {
		device_lock(dev);
		attach_bound(dev, data);
		device_unlock(dev);
	}
	return 0;
}

static int on_bus(struct notifier_block *nb, unsigned long action, void *data);
static struct notifier_block on_pci_block = { .notifier_call = on_bus };
static struct notifier_block on_virtio_block = { .notifier_call = on_bus };
static struct notifier_block on_platform_block = { .notifier_call = on_bus };

/* Under the lock of a PCI device, of the driver's vendor. */
static void attach_pci(struct device *pci, struct attaching *a)
{
	if (!a->driver->virtio)
		attach_bound(pci, a);
	else if (tgk_virtio_below(pci, &on_virtio_block))
		device_for_each_child(pci, a, attach_child);
}

static int attach_platform(struct device *dev, void *data)
{
	device_lock(dev);
	attach_bound(dev, data);
	device_unlock(dev);
	return 0;
}

/* Under the lock of a part. That of its whole is taken inside it, and never the other way round. */
static int attach_whole(struct device *dev, void *data)
{
	const struct attaching *a = data;

	return strcmp(to_platform_device(dev)->name, a->driver->name) ? 0 :
	       attach_platform(dev, data);
}

/* All GPUs of a driver; none of them is attached meanwhile. Waits for those that close, too. */
static void detach_those_of(const struct tgk_driver *driver)
{
	const struct tgk_gpu *gpu;
	struct device *dev;

	do {
		dev = NULL;
		mutex_lock(&tgk_mutex);
		list_for_each_entry(gpu, &tgk_gpus, node)
			if (gpu->driver == driver)
				dev = gpu->dev;
		get_device(dev);
		mutex_unlock(&tgk_mutex);
		detach(dev);
		put_device(dev);
	} while (dev);
}

/* A device, locked, is about to be bound or unbound, or has been: it may be a part. */
static void on_part(struct device *dev, unsigned long action)
{
	struct attaching a = { .driver = tgk_part_of(dev) };
	const bool moves = action == BUS_NOTIFY_BIND_DRIVER || action == BUS_NOTIFY_UNBIND_DRIVER;

	if (!moves)
		tgk_part_rests(dev);
	if (!a.driver)
		return;
	if (moves) {
		mutex_lock(&tgk_mutex);
		tgk_part_moves(dev);
		mutex_unlock(&tgk_mutex);
	}
	if (action == BUS_NOTIFY_UNBIND_DRIVER)
		detach_those_of(a.driver);
	else if (action == BUS_NOTIFY_BOUND_DRIVER)
		bus_for_each_dev(&platform_bus_type, NULL, &a, attach_whole);
}

static int on_bus(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data, *by = known_by(dev);
	struct attaching a = { };
	u32 i;

	if (nb == &on_platform_block && action != BUS_NOTIFY_ADD_DEVICE &&
	    action != BUS_NOTIFY_DEL_DEVICE && action != BUS_NOTIFY_REMOVED_DEVICE)
		on_part(dev, action);
	if (action == BUS_NOTIFY_UNBIND_DRIVER && by)
		detach(by);
	for (i = 0; action == BUS_NOTIFY_BOUND_DRIVER && i < TGK_DRIVERS; i++) {
		a.driver = tgk_drivers[i];
		if (!tgk_driver_served(i) || !by || !may_drive(a.driver, by))
			continue;
		if (dev_is_pci(dev))
			attach_pci(dev, &a);
		else
			attach_bound(dev, &a);
	}
	return NOTIFY_OK;
}

static int pass(struct device *dev, void *data)
{
	device_lock(dev);
	device_unlock(dev);
	return 0;
}

static void attach_those_of(struct attaching *a)
{
	struct pci_dev *pci = NULL;

	/* Parts that were moving before the bus was heard of rest after this. */
	if (a->driver->component)
		bus_for_each_dev(&platform_bus_type, NULL, NULL, pass);
	if (!a->driver->vendor) {
		bus_for_each_dev(&platform_bus_type, NULL, a, attach_platform);
		return;
	}
	while ((pci = pci_get_device(a->driver->vendor, PCI_ANY_ID, pci))) {
		device_lock(&pci->dev);
		attach_pci(&pci->dev, a);
		device_unlock(&pci->dev);
	}
}

/* Return: 0 if a GPU is scheduled, or none was refused; else why the first one was. */
static int attach_all(void)
{
	struct attaching a = { };
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++) {
		a.driver = tgk_drivers[i];
		if (tgk_driver_served(i))
			attach_those_of(&a);
	}
	return a.any ? 0 : a.refused;
}

/*
 * Redirected calls that are not counted yet may come until tgk_hooks_calls_end(): they find no GPU,
 * and pass through.
 */
static void detach_all(void)
{
	struct tgk_gpu *gpu, *next;
	u32 i;

	mutex_lock(&tgk_mutex);
	leaving = true;
	list_for_each_entry_safe(gpu, next, &tgk_gpus, node)
		tgk_gpu_close(gpu, TGK_PASS);
	for (i = 0; i < TGK_DRIVERS; i++)
		if (tgk_hooks_held(tgk_drivers[i]))
			tgk_hooks_off(tgk_drivers[i]);
	mutex_unlock(&tgk_mutex);
	destroy_closed(NULL);
	tgk_hooks_calls_end();
	mutex_lock(&tgk_mutex);
	for (i = 0; i < TGK_DRIVERS; i++)
		if (tgk_hooks_held(tgk_drivers[i]))
			tgk_hooks_put(tgk_drivers[i]);
	mutex_unlock(&tgk_mutex);
}

/**
 * tgk_attach_init() - attach to all GPUs that are there, and to those that come
 *
 * Context: process, at load.
 *
 * Return: 0, also when there is none; else a negative errno after a message.
 */
int tgk_attach_init(void)
{
	int ret;

	if (TGK_UNTRIED)
		pr_notice("this kernel is newer than 7.2, the newest that has been tried\n");
	ret = tgk_hook_init() ?: bus_register_notifier(&pci_bus_type, &on_pci_block);
	if (ret)
		return ret;
	ret = bus_register_notifier(&platform_bus_type, &on_platform_block);
	if (ret) {
		bus_unregister_notifier(&pci_bus_type, &on_pci_block);
		tgk_hook_exit();
		return ret;
	}
	ret = attach_all();
	if (ret) {
		tgk_attach_exit();
		return ret;
	}
	mutex_lock(&tgk_mutex);
	if (list_empty(&tgk_gpus))
		pr_info("no GPU is bound to %s: waiting for one\n", tgk_drivers_named());
	mutex_unlock(&tgk_mutex);
	return 0;
}

/**
 * tgk_attach_exit() - detach from all GPUs; no call is in this module when it returns
 *
 * Context: process, at unload.
 */
void tgk_attach_exit(void)
{
	/* A GPU that is unbound meanwhile is waited for by its notifier. */
	detach_all();
	/* Without tgk_mutex: it waits for notifiers, and they take it. */
	bus_unregister_notifier(&platform_bus_type, &on_platform_block);
	bus_unregister_notifier(&pci_bus_type, &on_pci_block);
	tgk_virtio_exit(&on_virtio_block);
	tgk_hook_exit();
}
