// SPDX-License-Identifier: GPL-2.0
/*
 * The folder vgpus/: the virtual GPUs that all GPUs have. The spec sets them, and root may change
 * them here afterwards.
 *
 * Process context. The table is guarded by tgk_mutex; readers of what a virtual GPU has used take
 * the GPUs' locks. A slot of the table is a folder: there are as many as there may be virtual
 * GPUs, so none comes or goes while somebody reads it.
 */
#include <linux/ctype.h>
#include <linux/rculist.h>

#include "feed.h"
#include "gpu.h"
#include "settings.h"
#include "sysfs.h"

static struct tg_vgpu_conf table[TG_VGPUS_MAX];	/* tgk_mutex, as is @by_hand */
static bool by_hand;				/* it is not what the spec says any more */
static struct kobject *vgpus_dir, *dirs[TG_VGPUS_MAX + 1];	/* 0: of the rest */

static int feed(struct tgk_gpu *gpu, const struct tg_vgpu_conf *conf)
{
	struct tg_event ev = { .kind = TG_EV_VGPU, .vgpu = conf };
	int ret;

	raw_spin_lock_irq(&gpu->lock);
	ret = tgk_feed(gpu, &ev);
	tgk_unlock_irq(gpu);
	return ret;
}

/**
 * tgk_vgpus_spec() - another spec is in force
 * @spec: the spec
 *
 * Context: under tgk_mutex.
 */
void tgk_vgpus_spec(const struct tg_spec *spec)
{
	u32 i, k;

	lockdep_assert_held(&tgk_mutex);
	memset(table, 0, sizeof(table));
	by_hand = false;
	for (i = 0; i < spec->nr_vgpus; i++) {
		memcpy(table[i].name, spec->text + spec->vgpus[i].name.off,
		       spec->vgpus[i].name.len);
		for (k = 0; k < TG_VGPU_SHARES; k++)
			table[i].share[k] = spec->vgpus[i].share[k];
	}
}

/**
 * tgk_vgpus_attach() - feed a new GPU what root has changed since the spec
 * @gpu: it has the spec already
 *
 * Context: under tgk_mutex.
 */
void tgk_vgpus_attach(struct tgk_gpu *gpu)
{
	struct tg_vgpu_conf none = { };
	u32 i;

	lockdep_assert_held(&tgk_mutex);
	if (!by_hand)
		return;
	/* All that the spec has make room first: the shares may have been moved about. */
	for (i = 1; i <= TG_VGPUS_MAX; i++) {
		memcpy(none.name, gpu->core.vgpu[i].name, sizeof(none.name));
		if (none.name[0])
			feed(gpu, &none);
	}
	for (i = 0; i < TG_VGPUS_MAX; i++)
		if (table[i].name[0])
			feed(gpu, &table[i]);
}

/* Under tgk_mutex: slot @nr is to be @conf, or empty. */
static int set(u32 nr, const struct tg_vgpu_conf *conf)
{
	struct tg_vgpu_conf none = table[nr];
	struct tgk_gpu *gpu;
	u32 sum, i, k;

	for (k = 0; k < TG_VGPU_SHARES; k++) {
		for (i = 0, sum = conf->share[k]; i < TG_VGPUS_MAX; i++)
			sum += i == nr ? 0 : table[i].share[k];
		if (sum > 100)
			return -ENOSPC;
	}
	memset(none.share, 0, sizeof(none.share));
	list_for_each_entry(gpu, &tgk_gpus, node) {
		feed(gpu, conf->name[0] ? conf : &none);
		tgk_gpu_settle(gpu);
	}
	table[nr] = *conf;
	by_hand = true;
	return 0;
}

/* --- files --- */

enum { FILE_NAME = TG_VGPU_SHARES, FILE_CLIENTS, FILE_COMPUTE_TIME, FILE_COPY_TIME, FILE_VRAM };

/**
 * struct vgpu_attr - a file in each folder
 * @ka: the attribute
 * @what: which; below TG_VGPU_SHARES: that share
 */
struct vgpu_attr {
	struct kobj_attribute ka;
	u32 what;
};

static u32 what_of(const struct kobj_attribute *ka)
{
	return container_of(ka, struct vgpu_attr, ka)->what;
}

/* Number of the folder: 0 is that of the rest, others are slots of the table, from 1. */
static u32 folder(const struct kobject *kobj)
{
	u32 nr = 0;

	while (dirs[nr] != kobj)
		nr++;
	return nr;
}

static s64 value_of(const struct tg_gpu *core, u32 nr, u32 what)
{
	switch (what) {
	case FILE_CLIENTS:
		return core->vgpu[nr].clients;
	case FILE_VRAM:
		return core->mem.part[nr].used;
	default:
		return core->vgpu[nr].used[what == FILE_COPY_TIME ? TG_COPY : TG_COMPUTE];
	}
}

/* Add up a value of the virtual GPU of that name over all GPUs; empty: of the rest. */
static s64 sum_of(const char *name, u32 what)
{
	const struct tg_vgpu *v;
	struct tgk_gpu *gpu;
	s64 sum = 0;
	u32 i;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		for (i = 0; i <= TG_VGPUS_MAX; i++) {
			v = &gpu->core.vgpu[i];
			if ((i ? !v->name[0] : *name) || strcmp(v->name, name))
				continue;
			sum += value_of(&gpu->core, i, what);
		}
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	return sum;
}

/* The rest has what the others leave, of time 1 percent at the least. */
static u32 rest_of(u32 share)
{
	u32 sum = 0, i;

	for (i = 0; i < TG_VGPUS_MAX; i++)
		sum += table[i].share[share];
	return sum == 100 && share != TG_MEMORY ? 1 : 100 - sum;
}

static ssize_t vgpu_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const u32 nr = folder(kobj), what = what_of(ka);
	struct tg_vgpu_conf conf = { };
	u32 share = 0;

	/* Sums over the clients of all users. */
	if (what > FILE_NAME && !tgk_may_see_all())
		return -EACCES;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	if (nr)
		conf = table[nr - 1];
	if (what < TG_VGPU_SHARES)
		share = nr ? conf.share[what] : rest_of(what);
	mutex_unlock(&tgk_mutex);
	if (what == FILE_NAME)
		return sysfs_emit(buf, "%s\n", conf.name);
	if (what < TG_VGPU_SHARES)
		return sysfs_emit(buf, "%u\n", share);
	return sysfs_emit(buf, "%lld\n", nr && !conf.name[0] ? 0 : sum_of(conf.name, what));
}

/* A name makes a virtual GPU of an empty slot, with 1 percent of each; the empty one removes it. */
static int set_name(u32 nr, const char *buf, size_t len)
{
	struct tg_vgpu_conf conf = { };
	u32 i, k;

	while (len && isspace(buf[len - 1]))
		len--;
	if (len >= TG_NAME_LEN)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (iscntrl(buf[i]))
			return -EINVAL;
	memcpy(conf.name, buf, len);
	if (!len)
		return table[nr].name[0] ? set(nr, &conf) : 0;
	if (table[nr].name[0])
		return -EBUSY;
	for (i = 0; i < TG_VGPUS_MAX; i++)
		if (!strcmp(table[i].name, conf.name))
			return -EEXIST;
	for (k = 0; k < TG_VGPU_SHARES; k++)
		conf.share[k] = 1;
	return set(nr, &conf);
}

static int set_share(u32 nr, u32 share, const char *buf)
{
	struct tg_vgpu_conf conf = table[nr];
	unsigned int value;
	int ret;

	ret = kstrtouint(buf, 10, &value);
	if (ret)
		return ret;
	if (!conf.name[0])
		return -ENOENT;
	if (value < 1 || value > 100)
		return -ERANGE;
	conf.share[share] = value;
	return set(nr, &conf);
}

static ssize_t vgpu_store(struct kobject *kobj, struct kobj_attribute *ka, const char *buf,
			  size_t count)
{
	const u32 nr = folder(kobj), what = what_of(ka);
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	if (!nr)
		return -EPERM;
	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	ret = what == FILE_NAME ? set_name(nr - 1, buf, count) : set_share(nr - 1, what, buf);
	mutex_unlock(&tgk_mutex);
	return ret ?: count;
}

#define VGPU_ATTR(_name, _mode, _store, _what)						\
	static struct vgpu_attr vgpu_##_name = {					\
		.ka = __ATTR(_name, _mode, vgpu_show, _store), .what = _what,		\
	}

VGPU_ATTR(name, 0644, vgpu_store, FILE_NAME);
VGPU_ATTR(compute, 0644, vgpu_store, TG_COMPUTE);
VGPU_ATTR(copy, 0644, vgpu_store, TG_COPY);
VGPU_ATTR(memory, 0644, vgpu_store, TG_MEMORY);
VGPU_ATTR(clients, 0444, NULL, FILE_CLIENTS);
VGPU_ATTR(compute_time, 0444, NULL, FILE_COMPUTE_TIME);
VGPU_ATTR(copy_time, 0444, NULL, FILE_COPY_TIME);
VGPU_ATTR(vram, 0444, NULL, FILE_VRAM);

static struct attribute *vgpu_attrs[] = {
	&vgpu_name.ka.attr, &vgpu_compute.ka.attr, &vgpu_copy.ka.attr, &vgpu_memory.ka.attr,
	&vgpu_clients.ka.attr, &vgpu_compute_time.ka.attr, &vgpu_copy_time.ka.attr,
	&vgpu_vram.ka.attr, NULL
};

static const struct attribute_group vgpu_group = { .attrs = vgpu_attrs };

/**
 * tgk_vgpus_init() - make the folder vgpus
 * @root: where
 *
 * Context: process, at load. tgk_vgpus_exit() also after an error.
 *
 * Return: 0 or a negative errno.
 */
int tgk_vgpus_init(struct kobject *root)
{
	char name[4];
	u32 nr;
	int ret;

	vgpus_dir = kobject_create_and_add("vgpus", root);
	if (!vgpus_dir)
		return -ENOMEM;
	for (nr = 0; nr <= TG_VGPUS_MAX; nr++) {
		snprintf(name, sizeof(name), "%u", nr);
		dirs[nr] = kobject_create_and_add(name, vgpus_dir);
		ret = dirs[nr] ? sysfs_create_group(dirs[nr], &vgpu_group) : -ENOMEM;
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tgk_vgpus_exit() - remove it
 *
 * Context: process, without tgk_mutex: waits for readers and writers.
 */
void tgk_vgpus_exit(void)
{
	u32 nr;

	for (nr = 0; nr <= TG_VGPUS_MAX; nr++)
		kobject_put(dirs[nr]);
	kobject_put(vgpus_dir);
}
