/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lies at which address: space_map.c.
 *
 * Pure: no lock, no allocation, so that tests/unit/space.c holds the same file against a list of
 * addresses. space.c calls it under its lock, gives the memory for mappings, and frees it.
 */
#ifndef TGK_SPACE_MAP_H
#define TGK_SPACE_MAP_H

#include <tg/types.h>

#define TGK_MAPPINGS_MAX	65536	/* of one file; what comes then is not known */

/**
 * struct tgk_mapping - a piece of an object at an address
 * @node: in tgk_map.tree
 * @first: its first address
 * @last: its last one; at least @first
 * @handle: the object, as its client calls it
 * @offset: where in the object, bytes
 */
struct tgk_mapping {
	struct rb_node node;
	u64 first, last;
	u32 handle;
	u64 offset;
};

/**
 * struct tgk_map - mappings, none of which overlaps another; empty: zeros
 * @tree: by address
 * @nr: how many; TGK_MAPPINGS_MAX at most
 */
struct tgk_map {
	struct rb_root_cached tree;
	u32 nr;
};

const struct tgk_mapping *tgk_map_find(const struct tgk_map *map, u64 address);
bool tgk_map_add(struct tgk_map *map, struct tgk_mapping *m);
struct tgk_mapping *tgk_map_cut(struct tgk_map *map, u64 first, u64 last,
				struct tgk_mapping **tail);

#endif /* TGK_SPACE_MAP_H */
