// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/timegraph: its folders, made at load and removed at unload. docs/sysfs-abi.md
 * describes every file.
 *
 * Process context. main.c calls this; the other files here have what is in the folders.
 */
#include "settings.h"
#include "sysfs.h"
#include "wrap/sysfs.h"

static struct kobject *root, *private_dir;
struct kobject *tgk_clients_dir, *tgk_stats_dir, *tgk_knobs_dir;

static struct attribute *root_attrs[] = {
	&tgk_version_attr.attr, &tgk_policy_attr.attr, &tgk_policies_attr.attr,
	&tgk_spec_commit_attr.attr, &tgk_spec_result_attr.attr, &tgk_foreground_attr.attr, NULL
};

static TGK_BIN_ATTR *root_bin_attrs[] = {
	&tgk_spec_attr, &tgk_snapshot_attr, &tgk_waits_attr, &tgk_waits_frozen_attr, NULL
};

static const struct attribute_group root_group = {
	.attrs = root_attrs,
	.bin_attrs = root_bin_attrs,
};

/*
 * The folders of clients lie in a folder that only root can enter: the links and times of an open
 * folder would show others how many clients there are and when they come. `clients` is a link to
 * it.
 */
static int private_init(void)
{
	static const struct attribute private = { .name = "private" };

	private_dir = kobject_create_and_add(private.name, root);
	if (!private_dir)
		return -ENOMEM;
	tgk_clients_dir = kobject_create_and_add("clients", private_dir);
	if (!tgk_clients_dir)
		return -ENOMEM;
	return sysfs_chmod_file(root, &private, 0500) ?:
	       sysfs_create_link(root, tgk_clients_dir, "clients");
}

/**
 * tgk_sysfs_init() - make /sys/kernel/timegraph
 *
 * Context: process, at load.
 *
 * Return: 0 or a negative errno.
 */
int tgk_sysfs_init(void)
{
	int ret = -ENOMEM;

	root = kobject_create_and_add("timegraph", kernel_kobj);
	if (!root)
		return ret;
	tgk_stats_dir = kobject_create_and_add("stats", root);
	tgk_knobs_dir = kobject_create_and_add("knobs", root);
	if (tgk_stats_dir && tgk_knobs_dir)
		ret = private_init() ?: tgk_stats_init() ?: tgk_knobs_init() ?:
		      tgk_vgpus_init(root) ?: sysfs_create_group(root, &root_group);
	if (ret)
		tgk_sysfs_exit();
	return ret;
}

/**
 * tgk_sysfs_exit() - remove it
 *
 * Context: process, without tgk_mutex: waits for readers and writers.
 */
void tgk_sysfs_exit(void)
{
	sysfs_remove_group(root, &root_group);
	tgk_files_remove(NULL);
	tgk_vgpus_exit();
	kobject_put(tgk_knobs_dir);
	kobject_put(tgk_stats_dir);
	sysfs_remove_link(root, "clients");
	kobject_put(tgk_clients_dir);
	kobject_put(private_dir);
	kobject_put(root);
	tgk_snapshots_free();
	tgk_spec_text_free();
	tgk_spec_free(tgk_spec);
	tgk_spec = NULL;
}
