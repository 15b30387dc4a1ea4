/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /sys/kernel/timegraph: what the rest of the module calls, and what the files of this folder
 * share.
 *
 * All of it runs in process context.
 */
#ifndef TGK_SYSFS_H
#define TGK_SYSFS_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "stats.h"
#include "tgk.h"

/* --- for the rest of the module --- */

int tgk_sysfs_init(void);
void tgk_sysfs_exit(void);
/* Under tgk_mutex: the files of one GPU. */
int tgk_sysfs_gpu_add(struct tgk_gpu *gpu);
void tgk_sysfs_gpu_remove(struct tgk_gpu *gpu);
void tgk_policies_log(const char *wrong);

/* vgpus.c: under tgk_mutex */
void tgk_vgpus_spec(const struct tg_spec *spec);
void tgk_vgpus_attach(struct tgk_gpu *gpu);

/* For client.c, which makes the folders of clients. */
extern struct kobject *tgk_clients_dir;
extern const struct sysfs_ops tgk_client_ops;
extern const struct attribute_group *tgk_client_groups[];

/* --- among the files of this folder --- */

/* access.c */
size_t tgk_trimmed(const char *buf, size_t len);
bool tgk_may_write(void);
bool tgk_may_see_all(void);
u32 tgk_own_uid(void);

/* policy.c */
const char *tgk_policy_name(void);
extern struct kobj_attribute tgk_version_attr, tgk_policies_attr, tgk_policy_attr,
			     tgk_foreground_attr;

/* spec.c */
extern struct kobj_attribute tgk_spec_commit_attr, tgk_spec_result_attr;
extern struct bin_attribute tgk_spec_attr;
void tgk_spec_text_free(void);

/* clients.c */
void tgk_client_record(const struct tgk_gpu *gpu, const struct tg_client *c,
		       struct tg_snap_client *s);

/* parts.c */
size_t tgk_parts_room(u32 room[TG_PART_GPUS + 1], bool all);
size_t tgk_parts_fill(void *at, const u32 room[TG_PART_GPUS + 1], u32 uid, bool all);

/* snapshot.c */
typedef int tgk_make(void **data, size_t *len, u32 uid, bool all);
extern struct bin_attribute tgk_snapshot_attr;
ssize_t tgk_kept_read(const struct file *file, tgk_make *make, char *buf, loff_t off, size_t count);
void tgk_snapshots_free(void);

/* waits.c */
extern struct bin_attribute tgk_waits_attr, tgk_waits_frozen_attr;

/* stats.c, knobs.c, vgpus.c: at load and unload */
extern struct kobject *tgk_stats_dir, *tgk_knobs_dir;
int tgk_stats_init(void);
int tgk_knobs_init(void);
int tgk_vgpus_init(struct kobject *root);
void tgk_vgpus_exit(void);

/* table.c */

/**
 * struct tgk_file - a file that is made from a table
 * @ka: the attribute
 * @name: its name
 * @node: in the list of files; tgk_mutex
 * @dir: where it is
 * @gpu: stats: whose, NULL: the module's
 * @policy: knobs: number of the policy, -1: the core, -2: the module itself
 * @nr: which counter or knob
 * @what: which of the engine's counters; which side of the knob
 */
struct tgk_file {
	struct kobj_attribute ka;
	char name[64];
	struct list_head node;
	struct kobject *dir;
	struct tgk_gpu *gpu;
	int policy;
	u32 nr, what;
};

static inline struct tgk_file *tgk_file_of(struct kobj_attribute *ka)
{
	return container_of(ka, struct tgk_file, ka);
}

__printf(2, 3) int tgk_file_add(const struct tgk_file *template, const char *fmt, ...);
void tgk_files_remove(const struct tgk_gpu *gpu);

#endif /* TGK_SYSFS_H */
