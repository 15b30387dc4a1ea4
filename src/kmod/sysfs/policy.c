// SPDX-License-Identifier: GPL-2.0
/*
 * The files `policy`, `policies`, `version` and `foreground`.
 *
 * Process context, in the thread that reads or writes. A writer takes tgk_mutex; a reader takes the
 * lock of one GPU, which stays while the reader is under RCU.
 */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/rculist.h>

#include "gpu.h"
#include "settings.h"
#include "sysfs.h"

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%s\n", THIS_MODULE->version);
}

static ssize_t policies_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tg_policy *policy;
	ssize_t len = 0;
	u32 i;

	for (i = 0; (policy = tg_policy_get(i)); i++)
		len += sysfs_emit_at(buf, len, "%s\n", policy->name);
	return len;
}

/* The policy in force on the first GPU; without any, the one that the first will get. */
const char *tgk_policy_name(void)
{
	const char *name = tg_policy_get(READ_ONCE(tgk_policy))->name;
	struct tgk_gpu *gpu;

	rcu_read_lock();
	gpu = list_first_or_null_rcu(&tgk_gpus, struct tgk_gpu, node);
	if (gpu) {
		raw_spin_lock_irq(&gpu->lock);
		name = tg_gpu_policy(&gpu->core)->name;
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	return name;
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%s\n", tgk_policy_name());
}

/**
 * tgk_policies_log() - write to the log which policies there are
 * @wrong: the name that is none of theirs
 */
void tgk_policies_log(const char *wrong)
{
	const struct tg_policy *policy;
	char known[256] = "";
	u32 i;

	for (i = 0; (policy = tg_policy_get(i)); i++) {
		strlcat(known, " ", sizeof(known));
		strlcat(known, policy->name, sizeof(known));
	}
	pr_err_ratelimited("unknown policy '%s', known are:%s\n", wrong, known);
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			    size_t count)
{
	size_t len = tgk_trimmed(buf, count);
	char wrong[32];
	int nr, ret;

	if (!tgk_may_write())
		return -EPERM;
	nr = tg_policy_find(buf, len);
	if (nr < 0) {
		/* Not whole, and nothing that could pretend to be a line of the log. */
		strscpy(wrong, buf, min(len + 1, sizeof(wrong)));
		for (len = 0; wrong[len]; len++)
			if (!isprint(wrong[len]))
				wrong[len] = '?';
		tgk_policies_log(wrong);
		return -EINVAL;
	}
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	ret = tgk_set_policy(nr);
	mutex_unlock(&tgk_mutex);
	if (ret)
		return ret;
	/* The drain has a deadline. */
	return wait_event_killable(tgk_settled, tgk_policy_settled()) ?: count;
}

static ssize_t foreground_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(tgk_foreground));
}

static ssize_t foreground_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
				size_t count)
{
	unsigned int pid;
	int ret;

	ret = kstrtouint(buf, 10, &pid);
	if (ret)
		return ret;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	tgk_set_foreground(pid);
	mutex_unlock(&tgk_mutex);
	return count;
}

struct kobj_attribute tgk_foreground_attr = __ATTR_RW_MODE(foreground, 0600);
struct kobj_attribute tgk_version_attr = __ATTR_RO(version);
struct kobj_attribute tgk_policies_attr = __ATTR_RO(policies);
struct kobj_attribute tgk_policy_attr = __ATTR_RW(policy);
