// SPDX-License-Identifier: GPL-2.0
/*
 * What the file `snapshot` has behind the clients: its parts, which are engines, totals and GPUs.
 *
 * snapshot.c calls it in process context, without a lock, and knows what the reader may see.
 */
#include <linux/rculist.h>

#include <tg/snap.h>

#include "gpu.h"
#include "sysfs.h"
#include "totals.h"

/* How many GPUs there are, and engines of them. */
static void count_gpus(u32 *gpus, u32 *engines)
{
	const struct tgk_gpu *gpu;

	*gpus = 0;
	*engines = 0;
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		++*gpus;
		*engines += gpu->core.nr_engines;
	}
	rcu_read_unlock();
}

/**
 * tgk_parts_room() - bytes that the parts may take
 * @room: receives how many records of each part there is room for, by TG_PART_*
 * @all: as for tgk_parts_fill()
 */
size_t tgk_parts_room(u32 room[TG_PART_GPUS + 1], bool all)
{
	count_gpus(&room[TG_PART_GPUS], &room[TG_PART_ENGINES]);
	if (!all)
		room[TG_PART_ENGINES] = 0;
	room[TG_PART_TOTALS] = all ? tgk_totals_nr() : 1;
	return 3 * sizeof(struct tg_snap_part) +
	       room[TG_PART_ENGINES] * sizeof(struct tg_snap_engine) +
	       room[TG_PART_TOTALS] * sizeof(struct tg_snap_total) +
	       room[TG_PART_GPUS] * sizeof(struct tg_snap_gpu);
}

static u32 engines_read(struct tg_snap_engine *to, u32 room)
{
	struct tgk_gpu *gpu;
	u32 i, n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		for (i = 0; i < gpu->core.nr_engines && n < room; i++) {
			const struct tg_engine *engine = &gpu->core.engine[i];

			to[n++] = (struct tg_snap_engine){
				.gpu = gpu->index, .engine = i, .inflight = engine->inflight,
				.queued = engine->queued,
				.busy = tg_snap_grown(&gpu->busy_seen[i], engine->used),
			};
		}
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	return n;
}

static u32 gpus_read(struct tg_snap_gpu *to, u32 room)
{
	const struct tgk_gpu *gpu;
	u32 n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		if (n == room)
			break;
		to[n].gpu = gpu->index;
		strscpy_pad(to[n++].device, dev_name(gpu->dev), sizeof(to->device));
	}
	rcu_read_unlock();
	return n;
}

/**
 * tgk_parts_fill() - write the parts
 * @at: tgk_parts_room() bytes
 * @room: as that gave it
 * @uid: the reader
 * @all: it may see what counts for all users; else the total of its own user alone
 *
 * Return: bytes written.
 */
size_t tgk_parts_fill(void *at, const u32 room[TG_PART_GPUS + 1], u32 uid, bool all)
{
	struct tg_snap_part *part = at;
	void *next = at;

	if (all) {
		*part = (struct tg_snap_part){
			.kind = TG_PART_ENGINES, .size = sizeof(struct tg_snap_engine),
			.nr = engines_read((void *)(part + 1), room[TG_PART_ENGINES]),
		};
		next = (u8 *)(part + 1) + part->nr * part->size;
	}
	part = next;
	*part = (struct tg_snap_part){
		.kind = TG_PART_TOTALS, .size = sizeof(struct tg_snap_total),
		.nr = tgk_totals_read((void *)(part + 1), room[TG_PART_TOTALS], uid, all),
	};
	part = (void *)((u8 *)(part + 1) + part->nr * part->size);
	*part = (struct tg_snap_part){
		.kind = TG_PART_GPUS, .size = sizeof(struct tg_snap_gpu),
		.nr = gpus_read((void *)(part + 1), room[TG_PART_GPUS]),
	};
	next = (u8 *)(part + 1) + part->nr * part->size;
	return next - at;
}
