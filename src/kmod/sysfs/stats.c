// SPDX-License-Identifier: GPL-2.0
/*
 * The folder stats/: the module's counters, and what is counted for each GPU.
 *
 * Process context, in the thread that reads; a GPU's numbers are read under its lock. Files of a
 * GPU come and go under tgk_mutex.
 */
#include <tg/snap.h>

#include "feed.h"
#include "poll.h"
#include "sysfs.h"
#include "vram.h"

atomic64_t tgk_stats[TGK_STATS];

static const char *const stat_names[TGK_STATS] = {
	[TGK_STAT_SUBMITTED] = "submitted",
	[TGK_STAT_OPEN] = "open",
	[TGK_STAT_BYPASSED] = "bypassed",
	[TGK_STAT_WAITED] = "waited",
	[TGK_STAT_PASSED] = "passed",
	[TGK_STAT_FENCE_WAITED] = "fence_waited",
	[TGK_STAT_PARKED] = "parked",
	[TGK_STAT_RESUMED] = "resumed",
	[TGK_STAT_CANCELLED] = "cancelled",
	[TGK_STAT_FAILED] = "failed",
	[TGK_STAT_COMPLETED] = "completed",
	[TGK_STAT_CLOCK_NOTICED] = "clock_noticed",
	[TGK_STAT_CLOCK_EXACT] = "clock_exact",
	[TGK_STAT_CLOCK_BY] = "clock_by",
	[TGK_STAT_CLOCK_FORGED] = "clock_forged",
	[TGK_STAT_LOST] = "lost",
	[TGK_STAT_REPAIRED] = "repaired",
	[TGK_STAT_RECOVERED] = "recovered",
	[TGK_STAT_OVERLAPS] = "overlaps",
	[TGK_STAT_EJECTED] = "ejected",
	[TGK_STAT_DRAIN_CUT] = "drain_cut",
	[TGK_STAT_NOT_ADMITTED] = "not_admitted",
	[TGK_STAT_OVERLONG] = "overlong",
	[TGK_STAT_VRAM_REQUESTS] = "vram_requests",
	[TGK_STAT_VRAM_WAITED] = "vram_waited",
	[TGK_STAT_VRAM_REFUSED] = "vram_refused",
	[TGK_STAT_VRAM_LATE] = "vram_late",
	[TGK_STAT_VRAM_DEADLOCK] = "vram_deadlock",
	[TGK_STAT_VRAM_AGAIN] = "vram_again",
};

/* An open gate counts a submission once, as OPEN: `submitted` is the sum. */
static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const u32 nr = tgk_file_of(ka)->nr;
	s64 value = atomic64_read(&tgk_stats[nr]);

	if (!tgk_may_see_all())
		return -EACCES;
	if (nr == TGK_STAT_SUBMITTED)
		value += atomic64_read(&tgk_stats[TGK_STAT_OPEN]);
	return sysfs_emit(buf, "%lld\n", value);
}

static ssize_t poll_cpu_us_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	if (!tgk_may_see_all())
		return -EACCES;
	return sysfs_emit(buf, "%llu\n", tgk_poll_cpu_time() / NSEC_PER_USEC);
}

static ssize_t poll_readings_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	if (!tgk_may_see_all())
		return -EACCES;
	return sysfs_emit(buf, "%llu\n", tgk_poll_readings());
}

static struct kobj_attribute poll_cpu_us_attr = __ATTR_RO(poll_cpu_us);
static struct kobj_attribute poll_readings_attr = __ATTR_RO(poll_readings);

static struct attribute *poll_stats[] = {
	&poll_cpu_us_attr.attr, &poll_readings_attr.attr, NULL
};

static const struct attribute_group poll_stats_group = { .attrs = poll_stats };

/* At load: the counters of the module. */
int tgk_stats_init(void)
{
	struct tgk_file file = { .dir = tgk_stats_dir, .ka.show = stat_show };
	int ret = 0;

	for (; !ret && file.nr < TGK_STATS; file.nr++)
		ret = tgk_file_add(&file, "%s", stat_names[file.nr]);
	return ret ?: sysfs_create_group(tgk_stats_dir, &poll_stats_group);
}

/* --- of one GPU --- */

static const char *const engine_stats[] = { "inflight", "queued", "wedged" };

static ssize_t engine_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tgk_file *file = tgk_file_of(ka);
	struct tgk_gpu *gpu = file->gpu;
	u32 values[ARRAY_SIZE(engine_stats)];

	if (!tgk_may_see_all())
		return -EACCES;
	raw_spin_lock_irq(&gpu->lock);
	tgk_report_bypassed(gpu);
	values[0] = gpu->core.engine[file->nr].inflight;
	values[1] = gpu->core.engine[file->nr].queued;
	values[2] = gpu->core.engine[file->nr].wedged;
	tgk_unlock_irq(gpu);
	return sysfs_emit(buf, "%u\n", values[file->what]);
}

static ssize_t busy_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tgk_file *file = tgk_file_of(ka);
	struct tgk_gpu *gpu = file->gpu;
	s64 used;

	if (!tgk_may_see_all())
		return -EACCES;
	raw_spin_lock_irq(&gpu->lock);
	used = tg_snap_grown(&gpu->busy_seen[file->nr], gpu->core.engine[file->nr].used);
	tgk_unlock_irq(gpu);
	return sysfs_emit(buf, "%lld\n", used / NSEC_PER_USEC);
}

static ssize_t polled_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	struct tgk_gpu *gpu = tgk_file_of(ka)->gpu;
	u64 total;

	if (!tgk_may_see_all())
		return -EACCES;
	raw_spin_lock_irq(&gpu->lock);
	total = gpu->poll.total;
	tgk_unlock_irq(gpu);
	return sysfs_emit(buf, "%llu\n", total / NSEC_PER_USEC);
}

static const char *const vram_stats[] = { "size", "held", "resident", "accounts", "waiting" };

static ssize_t vram_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	const struct tgk_file *file = tgk_file_of(ka);
	struct tgk_gpu *gpu = file->gpu;
	u64 values[ARRAY_SIZE(vram_stats)];

	if (!tgk_may_see_all())
		return -EACCES;
	values[2] = tgk_vram_resident(gpu);
	raw_spin_lock_irq(&gpu->lock);
	values[0] = gpu->core.mem.size;
	values[1] = gpu->core.mem.used;
	values[3] = gpu->core.mem.accounts;
	values[4] = gpu->core.mem.waiting;
	tgk_unlock_irq(gpu);
	return sysfs_emit(buf, "%llu\n", values[file->what]);
}

/**
 * tgk_sysfs_gpu_add() - the files of one GPU
 * @gpu: the GPU
 *
 * Context: under tgk_mutex.
 *
 * Return: 0 or a negative errno.
 */
int tgk_sysfs_gpu_add(struct tgk_gpu *gpu)
{
	struct tgk_file file = { .dir = tgk_stats_dir, .gpu = gpu, .ka.show = engine_show };
	int ret = 0;

	for (file.nr = 0; file.nr < gpu->core.nr_engines; file.nr++)
		for (file.what = 0; !ret && file.what < ARRAY_SIZE(engine_stats); file.what++)
			ret = tgk_file_add(&file, "gpu%u_engine%u_%s", gpu->index, file.nr,
					   engine_stats[file.what]);
	file.ka.show = busy_show;
	for (file.nr = 0; !ret && file.nr < gpu->core.nr_engines; file.nr++)
		ret = tgk_file_add(&file, "gpu%u_engine%u_busy_us", gpu->index, file.nr);
	file.ka.show = polled_show;
	ret = ret ?: tgk_file_add(&file, "gpu%u_polled_us", gpu->index);
	file.ka.show = vram_show;
	for (file.what = 0; !ret && file.what < ARRAY_SIZE(vram_stats); file.what++)
		ret = tgk_file_add(&file, "gpu%u_vram_%s", gpu->index, vram_stats[file.what]);
	if (ret)
		tgk_files_remove(gpu);
	return ret;
}

/**
 * tgk_sysfs_gpu_remove() - take them away
 * @gpu: the GPU
 *
 * Context: under tgk_mutex.
 */
void tgk_sysfs_gpu_remove(struct tgk_gpu *gpu)
{
	tgk_files_remove(gpu);
}
