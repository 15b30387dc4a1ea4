// SPDX-License-Identifier: GPL-2.0
/*
 * The files `waits` and `waits_frozen`, and the knobs of the flight recorder (recorder.c).
 *
 * Process context, in the thread that reads or writes. Writing a knob takes tgk_mutex.
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

/* --- knobs --- */

enum side { SIDE_VALUE, SIDE_MIN, SIDE_MAX, SIDE_DEFAULT, SIDES };

static const char *const sides[SIDES] = { "", "_min", "_max", "_default" };

static ssize_t knob_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tgk_file *file = tgk_file_of(ka);
	const struct tg_param *param = &tg_host_params[file->nr];
	s64 value = file->nr == TG_HOST_RECORDER ? READ_ONCE(tgk_recorder_kib) :
						   READ_ONCE(tgk_stutter_us);

	if (file->what == SIDE_MIN)
		value = param->min;
	else if (file->what == SIDE_MAX)
		value = param->max;
	else if (file->what == SIDE_DEFAULT)
		value = param->def;
	return sysfs_emit(buf, "%lld\n", value);
}

static ssize_t knob_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			  size_t count)
{
	const u32 nr = tgk_file_of(ka)->nr;
	unsigned int value;
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	ret = kstrtouint(buf, 10, &value);
	if (ret)
		return ret;
	if (value > tg_host_params[nr].max)
		return -ERANGE;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	if (nr == TG_HOST_RECORDER)
		ret = tgk_set_recorder(value);
	else
		WRITE_ONCE(tgk_stutter_us, value);
	mutex_unlock(&tgk_mutex);
	return ret ?: count;
}

/* At load. */
int tgk_waits_init(void)
{
	struct tgk_file file = { .dir = tgk_knobs_dir, .ka.show = knob_show };
	int ret = 0;

	for (file.nr = TG_HOST_RECORDER; file.nr <= TG_HOST_STUTTER; file.nr++) {
		for (file.what = 0; !ret && file.what < SIDES; file.what++) {
			file.ka.store = file.what == SIDE_VALUE ? knob_store : NULL;
			ret = tgk_file_add(&file, "%s%s", tg_host_params[file.nr].name,
					   sides[file.what]);
		}
	}
	return ret;
}
