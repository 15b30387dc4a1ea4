/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bus that the test card is on, and its comings and goings: QEMU's -device edu, a PCI device that can be
 * unbound and rebound as any card; or, under the name of a driver for systems on a chip, a platform
 * device of that name, made here. tg_mock.c alone includes this.
 */
#ifndef TG_BUS_H
#define TG_BUS_H

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
	platform_device = platform_device_register_simple(name, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(platform_device))
		return PTR_ERR(platform_device);
	ret = platform_driver_register(&platform_driver);
	if (ret)
		platform_device_unregister(platform_device);
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
}

#endif /* TG_BUS_H */
