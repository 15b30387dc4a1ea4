/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * device.c: which physical device a cl_device_id is, and how its clock stands to the system's.
 */
#ifndef TGCL_DEVICE_H
#define TGCL_DEVICE_H

#include "cl.h"

struct device *device_get(cl_device_id id);
int64_t device_time(struct device *d, cl_ulong time, bool *exact);
void devices_reap(void);
void devices_in_child(void);

#endif /* TGCL_DEVICE_H */
