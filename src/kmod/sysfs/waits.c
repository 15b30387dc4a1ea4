// SPDX-License-Identifier: GPL-2.0
/*
 * The files `waits` and `waits_frozen` of the flight recorder (recorder.c).
 *
 * Process context, in the thread that reads or writes.
 */
#include "recorder.h"
#include "sysfs.h"
#include "wrap/sysfs.h"

static ssize_t waits_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			  loff_t off, size_t count)
{
	return tgk_kept_read(file, tgk_waits_copy, buf, off, count);
}

struct bin_attribute tgk_waits_attr = {
	.attr = { .name = "waits", .mode = 0444 },
	.read = waits_read,
};

static ssize_t frozen_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			   loff_t off, size_t count)
{
	return tgk_may_see_all() ? tgk_waits_frozen(buf, off, count) : -EACCES;
}

/* "0" drops the copy. */
static ssize_t frozen_write(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			    loff_t off, size_t count)
{
	if (!tgk_may_write())
		return -EPERM;
	if (off || tgk_trimmed(buf, count) != 1 || *buf != '0')
		return -EINVAL;
	tgk_waits_thaw();
	return count;
}

struct bin_attribute tgk_waits_frozen_attr = {
	.attr = { .name = "waits_frozen", .mode = 0644 },
	.read = frozen_read,
	.write = frozen_write,
};
