// SPDX-License-Identifier: GPL-2.0
/*
 * The bus of virtio devices, which virtio_gpu binds to.
 *
 * A virtual machine's GPU is a PCI device, bound to virtio-pci, and below it a virtio device, bound
 * to virtio_gpu. Its driver may come and go while the PCI device stays bound, so attach.c must hear
 * of both buses. The virtio bus has no name that a module can link to, and this module must load
 * where there is none: the first virtio device below such a PCI device shows it. From then on its
 * module is held, or the bus could end before we let go of it.
 *
 * attach.c calls this, in process context, under the lock of a device but not under tgk_mutex.
 */
#include <linux/device.h>
#include <linux/device/bus.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>

#include "virtio_bus.h"

#define DISPLAY	0x1050		/* 0x1040 and virtio's number of a GPU */
#define HOLDS	"virtio_check_driver_offered_feature"	/* in the module of the bus */

static typeof(((struct device *)NULL)->bus) bus;	/* written once, under bus_mutex */
static DEFINE_MUTEX(bus_mutex);

/**
 * tgk_virtio_is() - is it a device on that bus?
 * @dev: the device
 *
 * Return: false also as long as the bus is not known.
 */
bool tgk_virtio_is(const struct device *dev)
{
	return dev->bus && dev->bus == READ_ONCE(bus);
}

static int on_virtio(struct device *dev, void *data)
{
	return dev->bus && !strcmp(dev->bus->name, "virtio") && (*(struct device **)data = dev);
}

static int learn(struct device *dev, struct notifier_block *block)
{
	int ret;

	if (!__symbol_get(HOLDS))
		return -ENOENT;
	ret = bus_register_notifier(dev->bus, block);
	if (ret)
		__symbol_put(HOLDS);
	else
		WRITE_ONCE(bus, dev->bus);
	return ret;
}

/**
 * tgk_virtio_below() - is a virtio GPU below this device?
 * @pci: a PCI device of virtio's vendor, locked
 * @block: hears of the virtio bus from the first such time on
 *
 * Return: yes, and the bus is known. If it cannot be, a message has said so.
 */
bool tgk_virtio_below(struct device *pci, struct notifier_block *block)
{
	struct device *dev = NULL;
	int ret = 0;

	if (to_pci_dev(pci)->device != DISPLAY)
		return false;
	device_for_each_child(pci, &dev, on_virtio);
	if (!dev)
		return false;
	mutex_lock(&bus_mutex);
	if (!bus)
		ret = learn(dev, block);
	mutex_unlock(&bus_mutex);
	if (ret)
		pr_err("%s: cannot hear of the virtio bus (error %d)\n", dev_name(pci), ret);
	return !ret;
}

/**
 * tgk_virtio_exit() - hear of the bus no more
 * @block: as given to tgk_virtio_below()
 *
 * Context: process, at unload, when the PCI bus is not heard of any more.
 */
void tgk_virtio_exit(struct notifier_block *block)
{
	if (!bus)
		return;
	bus_unregister_notifier(bus, block);
	__symbol_put(HOLDS);
	bus = NULL;
}
