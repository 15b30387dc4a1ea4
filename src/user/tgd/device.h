/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device.c: how the daemon drives the core, one for each device.
 */
#ifndef TGD_DEVICE_H
#define TGD_DEVICE_H

#include <tg/types.h>

struct client;
struct device;
struct spec;
struct tg_event;
struct tgd_hello;

#define TGD_DEVICES	64
#define TGD_DEVICES_PER_USER	16	/* that a user's programs were the first to name */

extern struct device *devices[TGD_DEVICES];
extern u32 nr_devices;

struct device *device_get(const struct tgd_hello *hello, u32 uid, const char **why);
void device_size(struct device *d, const struct client *comes);
const char *device_name(const struct device *d);
s64 device_now(const struct device *d);
int device_feed(struct device *d, struct tg_event *ev);
void device_settle(struct device *d);
void device_time(struct device *d);
s64 device_due(const struct device *d);
int device_takes_spec(struct device *d, const struct spec *spec, bool rematch);
int device_spec(struct device *d, const struct spec *spec, bool rematch, bool all);

#endif /* TGD_DEVICE_H */
