// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are made from tables: the counters under stats/ and the knobs under knobs/.
 *
 * Process context. The list of files is changed under tgk_mutex, or while the module is loading or
 * unloading.
 */
#include <linux/slab.h>

#include "sysfs.h"

static LIST_HEAD(files);	/* tgk_mutex, or the module is loading or unloading */

/**
 * tgk_file_add() - make a file
 * @template: all of it but its name
 * @fmt: its name
 *
 * Return: 0 or a negative errno.
 */
int tgk_file_add(const struct tgk_file *template, const char *fmt, ...)
{
	struct tgk_file *file = kmemdup(template, sizeof(*template), GFP_KERNEL);
	va_list args;
	int ret;

	if (!file)
		return -ENOMEM;
	va_start(args, fmt);
	vscnprintf(file->name, sizeof(file->name), fmt, args);
	va_end(args);
	sysfs_attr_init(&file->ka.attr);
	file->ka.attr.name = file->name;
	file->ka.attr.mode = file->ka.store ? 0644 : 0444;
	ret = sysfs_create_file(file->dir, &file->ka.attr);
	if (ret)
		kfree(file);
	else
		list_add_tail(&file->node, &files);
	return ret;
}

/**
 * tgk_files_remove() - remove files, and wait for their readers
 * @gpu: those of this GPU; NULL: those of the module
 */
void tgk_files_remove(const struct tgk_gpu *gpu)
{
	struct tgk_file *file, *next;

	list_for_each_entry_safe(file, next, &files, node) {
		if (file->gpu != gpu)
			continue;
		list_del(&file->node);
		sysfs_remove_file(file->dir, &file->ka.attr);
		kfree(file);
	}
}
