// SPDX-License-Identifier: GPL-2.0
/*
 * The folder knobs/: the knobs of the core, of each policy and of the flight recorder (recorder.c),
 * and the poller's CPU.
 *
 * Process context, in the thread that reads or writes. A writer takes tgk_mutex; a policy's knob is
 * read under the lock of the first GPU.
 */
#include <linux/rculist.h>

#include "gpu.h"
#include "poll.h"
#include "recorder.h"
#include "settings.h"
#include "sysfs.h"

enum side { SIDE_VALUE, SIDE_MIN, SIDE_MAX, SIDE_DEFAULT, SIDES };

static const char *const side_names[SIDES] = { "", "_min", "_max", "_default" };

enum { OF_CORE = -1, OF_HOST = -2 };	/* tgk_file.policy */

static const struct tg_param *param_of(const struct tgk_file *file)
{
	switch (file->policy) {
	case OF_CORE:
		return &tg_core_params[file->nr];
	case OF_HOST:
		return &tg_host_params[file->nr];
	default:
		return &tg_policy_get(file->policy)->params[file->nr];
	}
}

/*
 * A policy's knobs are its own. While it is not in force they read as their defaults; without any
 * GPU, those of the chosen policy as the first one will have them.
 */
static s64 policy_knob_value(const struct tgk_file *file)
{
	s64 value = param_of(file)->def;
	const struct tg_gpu *core;
	struct tgk_gpu *gpu;

	rcu_read_lock();
	gpu = list_first_or_null_rcu(&tgk_gpus, struct tgk_gpu, node);
	if (gpu) {
		raw_spin_lock_irq(&gpu->lock);
		core = gpu->core.dry ? &gpu->core.dry->model : &gpu->core;
		if (core->policy == tg_policy_get(file->policy))
			value = core->policy_knob[file->nr];
		tgk_unlock_irq(gpu);
	} else if (file->policy == READ_ONCE(tgk_policy)) {
		value = READ_ONCE(tgk_policy_knobs[file->nr]);
	}
	rcu_read_unlock();
	return value;
}

static s64 knob_value(const struct tgk_file *file)
{
	switch (file->policy) {
	case OF_CORE:
		return READ_ONCE(tgk_knobs[file->nr]);
	case OF_HOST:
		return file->nr == TG_HOST_RECORDER ? READ_ONCE(tgk_recorder_kib) :
						      READ_ONCE(tgk_stutter_us);
	default:
		return policy_knob_value(file);
	}
}

static ssize_t knob_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tgk_file *file = tgk_file_of(ka);
	const struct tg_param *param = param_of(file);
	s64 value;

	switch (file->what) {
	case SIDE_MIN:
		value = param->min;
		break;
	case SIDE_MAX:
		value = param->max;
		break;
	case SIDE_DEFAULT:
		value = file->policy == OF_CORE ? tgk_knob_default(file->nr) : param->def;
		break;
	default:
		value = knob_value(file);
	}
	return sysfs_emit(buf, "%lld\n", value);
}

/* Under tgk_mutex. */
static int set_knob(const struct tgk_file *file, s64 value)
{
	if (file->policy != OF_HOST)
		return tgk_set_knob(file->policy, file->nr, value);
	if (file->nr == TG_HOST_RECORDER)
		return tgk_set_recorder(value);
	WRITE_ONCE(tgk_stutter_us, value);
	return 0;
}

static ssize_t knob_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			  size_t count)
{
	const struct tgk_file *file = tgk_file_of(ka);
	const struct tg_param *param = param_of(file);
	s64 value;
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	ret = kstrtos64(buf, 10, &value);
	if (ret)
		return ret;
	if (value < param->min || value > param->max)
		return -ERANGE;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	ret = set_knob(file, value);
	mutex_unlock(&tgk_mutex);
	return ret ?: count;
}

/* The knobs in @params, from number @nr on. */
static int knobs_add(int policy, const char *prefix, const struct tg_param *params, u32 nr)
{
	struct tgk_file file = {
		.dir = tgk_knobs_dir, .policy = policy, .nr = nr, .ka.show = knob_show,
	};
	int ret = 0;

	for (; params && params[file.nr].name; file.nr++) {
		for (file.what = 0; !ret && file.what < SIDES; file.what++) {
			file.ka.store = file.what == SIDE_VALUE ? knob_store : NULL;
			ret = tgk_file_add(&file, "%s%s%s%s", prefix, *prefix ? "_" : "",
					   params[file.nr].name, side_names[file.what]);
		}
	}
	return ret;
}

/* --- the poller --- */

static ssize_t poll_cpu_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", tgk_poll_cpu());
}

static ssize_t poll_cpu_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			      size_t count)
{
	unsigned int nr;
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	ret = kstrtouint(buf, 10, &nr) ?: tgk_poll_bind(nr);
	return ret ?: count;
}

static ssize_t poll_cpu_min_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static ssize_t poll_cpu_max_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", nr_cpu_ids - 1);
}

static ssize_t poll_cpu_default_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", tgk_poll_cpu_default());
}

static struct kobj_attribute poll_cpu_attr = __ATTR_RW(poll_cpu);
static struct kobj_attribute poll_cpu_min_attr = __ATTR_RO(poll_cpu_min);
static struct kobj_attribute poll_cpu_max_attr = __ATTR_RO(poll_cpu_max);
static struct kobj_attribute poll_cpu_default_attr = __ATTR_RO(poll_cpu_default);

static struct attribute *poll_knobs[] = {
	&poll_cpu_attr.attr, &poll_cpu_min_attr.attr, &poll_cpu_max_attr.attr,
	&poll_cpu_default_attr.attr, NULL
};

static const struct attribute_group poll_knobs_group = { .attrs = poll_knobs };

/* At load. */
int tgk_knobs_init(void)
{
	const struct tg_policy *policy;
	int ret, i;

	/* Of the host's, the first is the poller's CPU, whose range is the machine's. */
	ret = knobs_add(OF_CORE, "", tg_core_params, 0) ?:
	      knobs_add(OF_HOST, "", tg_host_params, TG_HOST_RECORDER);
	for (i = 0; !ret && (policy = tg_policy_get(i)); i++)
		ret = knobs_add(i, policy->name, policy->params, 0);
	return ret ?: sysfs_create_group(tgk_knobs_dir, &poll_knobs_group);
}
