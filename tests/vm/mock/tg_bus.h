/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bus that the test card is on, and its comings and goings: QEMU's -device edu, a PCI device that can be
 * unbound and rebound as any card; or, under the name of a driver for systems on a chip, a platform
 * device of that name, made here. As etnaviv that one is a whole with two parts, `etnaviv-gpu.0` and
 * `.1`: the card is there while both are bound. tg_mock.c alone includes this.
 */
#ifndef TG_BUS_H
#define TG_BUS_H

#include <linux/component.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/version.h>

static int mock_bind(struct device *dev);
static void mock_unbind(struct device *dev);

static u16 bus_vendor;		/* of the name that the card has; 0: it is a platform device */

static const struct pci_device_id pci_ids[] = { { PCI_DEVICE(0x1234, 0x11e8) }, { } };

/* For as long as ours is bound the device is of the name's vendor. */
static int pci_bind(struct pci_dev *pci, const struct pci_device_id *id)
{
	const int ret = mock_bind(&pci->dev);

	if (!ret)
		pci->vendor = bus_vendor;
	return ret;
}

static void pci_unbind(struct pci_dev *pci)
{
	mock_unbind(&pci->dev);
	pci->vendor = pci_ids[0].vendor;
}

static struct pci_driver pci_driver = { .id_table = pci_ids, .probe = pci_bind, .remove = pci_unbind };

static struct platform_device *platform_device;

static int platform_bind(struct platform_device *platform)
{
	return mock_bind(&platform->dev);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static void platform_unbind(struct platform_device *platform)
{
	mock_unbind(&platform->dev);
}
#else
static int platform_unbind(struct platform_device *platform)
{
	mock_unbind(&platform->dev);
	return 0;
}
#endif

static struct platform_driver platform_driver = { .probe = platform_bind, .remove = platform_unbind };

#define BUS_PARTS 2

static struct platform_device *part_device[BUS_PARTS];

static int part_bind(struct device *dev, struct device *whole, void *data)
{
	return 0;
}

static void part_unbind(struct device *dev, struct device *whole, void *data) { }

static const struct component_ops part_ops = { .bind = part_bind, .unbind = part_unbind };

static int part_probe(struct platform_device *part)
{
	return component_add(&part->dev, &part_ops);
}

static int whole_bind(struct device *dev)
{
	int ret = component_bind_all(dev, NULL);

	if (ret)
		return ret;
	ret = mock_bind(dev);
	if (ret)
		component_unbind_all(dev, NULL);
	return ret;
}

static void whole_unbind(struct device *dev)
{
	mock_unbind(dev);
	component_unbind_all(dev, NULL);
}

static const struct component_master_ops whole_ops = { .bind = whole_bind, .unbind = whole_unbind };

static int whole_probe(struct platform_device *whole)
{
	struct component_match *match = NULL;
	u32 i;

	for (i = 0; i < BUS_PARTS; i++)
		component_match_add(&whole->dev, &match, component_compare_dev, &part_device[i]->dev);
	return component_master_add_with_match(&whole->dev, &whole_ops, match);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static void part_remove(struct platform_device *part)
{
	component_del(&part->dev, &part_ops);
}

static void whole_remove(struct platform_device *whole)
{
	component_master_del(&whole->dev, &whole_ops);
}
#else
static int part_remove(struct platform_device *part)
{
	component_del(&part->dev, &part_ops);
	return 0;
}

static int whole_remove(struct platform_device *whole)
{
	component_master_del(&whole->dev, &whole_ops);
	return 0;
}
#endif

static struct platform_driver part_driver = {
	.probe = part_probe, .remove = part_remove, .driver.name = "etnaviv-gpu",
};

static void parts_end(u32 nr)
{
	platform_driver_unregister(&part_driver);
	while (nr--)
		platform_device_unregister(part_device[nr]);
}

static int parts_begin(void)
{
	int ret = platform_driver_register(&part_driver);
	u32 i;

	for (i = 0; i < BUS_PARTS && !ret; i++) {
		part_device[i] = platform_device_register_simple("etnaviv-gpu", i, NULL, 0);
		ret = PTR_ERR_OR_ZERO(part_device[i]);
		if (ret)
			parts_end(i);
	}
	if (!ret) {
		platform_driver.probe = whole_probe;
		platform_driver.remove = whole_remove;
	}
	return ret;
}

static bool bus_parts(const char *name)
{
	return !strcmp(name, "etnaviv");
}

/* @vendor: 0: on the platform bus */
static int bus_begin(const char *name, u16 vendor, const struct dev_pm_ops *pm)
{
	int ret;

	bus_vendor = vendor;
	pci_driver.name = name;
	pci_driver.driver.pm = pm;
	platform_driver.driver.name = name;
	platform_driver.driver.pm = pm;
	if (vendor)
		return pci_register_driver(&pci_driver);
	ret = bus_parts(name) ? parts_begin() : 0;
	if (ret)
		return ret;
	platform_device = platform_device_register_simple(name, PLATFORM_DEVID_NONE, NULL, 0);
	ret = PTR_ERR_OR_ZERO(platform_device);
	if (!ret) {
		ret = platform_driver_register(&platform_driver);
		if (ret)
			platform_device_unregister(platform_device);
	}
	if (ret && bus_parts(name))
		parts_end(BUS_PARTS);
	return ret;
}

static void bus_end(void)
{
	if (bus_vendor) {
		pci_unregister_driver(&pci_driver);
		return;
	}
	platform_driver_unregister(&platform_driver);
	platform_device_unregister(platform_device);
	if (bus_parts(platform_driver.driver.name))
		parts_end(BUS_PARTS);
}

#endif /* TG_BUS_H */
