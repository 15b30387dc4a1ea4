// SPDX-License-Identifier: GPL-2.0
/*
 * Which mapping an address is in, while mappings come over others and go in part.
 *
 * space.c calls this under its lock; so does tests/unit/space.c.
 */
#include "space_map.h"

/* The first mapping that ends at this address or behind it. */
static struct tgk_mapping *first_from(const struct tgk_map *map, u64 address)
{
	struct rb_node *node = map->tree.rb_root.rb_node;
	struct tgk_mapping *found = NULL, *m;

	while (node) {
		m = rb_entry(node, struct tgk_mapping, node);
		if (m->last >= address) {
			found = m;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * tgk_map_find() - what lies there?
 * @map: the mappings
 * @address: where
 *
 * Return: the mapping; NULL: nothing that is known.
 */
const struct tgk_mapping *tgk_map_find(const struct tgk_map *map, u64 address)
{
	const struct tgk_mapping *m = first_from(map, address);

	return m && m->first <= address ? m : NULL;
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct tgk_mapping, node)->first <
	       rb_entry(b, struct tgk_mapping, node)->first;
}

/**
 * tgk_map_add() - something lies there now
 * @map: the mappings; none is where the new one lies
 * @m: the new one
 *
 * Return: there is room for it.
 */
bool tgk_map_add(struct tgk_map *map, struct tgk_mapping *m)
{
	if (map->nr == TGK_MAPPINGS_MAX)
		return false;
	rb_add_cached(&m->node, &map->tree, before);
	map->nr++;
	return true;
}

/* It begins at a later address of its own. */
static void shorten(struct tgk_mapping *m, u64 first)
{
	m->offset += first - m->first;
	m->first = first;
}

/**
 * tgk_map_cut() - nothing lies there any more
 * @map: the mappings
 * @first: the first address
 * @last: the last one; at least @first
 * @tail: memory for what lies behind, of a mapping that began before; NULL afterwards: it is used.
 *	Without, and without room, it is not known what lies there
 *
 * Return: a mapping that has gone, to be freed, and the caller calls again; NULL: that is all.
 */
struct tgk_mapping *tgk_map_cut(struct tgk_map *map, u64 first, u64 last,
				struct tgk_mapping **tail)
{
	struct tgk_mapping *m, *rest;

	while ((m = first_from(map, first)) && m->first <= last) {
		if (m->first >= first && m->last <= last) {
			rb_erase_cached(&m->node, &map->tree);
			map->nr--;
			return m;
		}
		if (m->first >= first) {
			shorten(m, last + 1);
			break;
		}
		rest = m->last > last && map->nr < TGK_MAPPINGS_MAX ? *tail : NULL;
		if (rest) {
			*tail = NULL;
			*rest = *m;
			shorten(rest, last + 1);
		}
		m->last = first - 1;
		if (rest)
			tgk_map_add(map, rest);
	}
	return NULL;
}
