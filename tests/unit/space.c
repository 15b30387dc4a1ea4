// SPDX-License-Identifier: GPL-2.0
/*
 * The module's map of a file's addresses (src/kmod/space_map.c) against a plain list of them:
 * mappings over others, in part, without memory for what is left behind; at both ends of 2^64.
 *
 * space [STEPS [SEED]]
 */
#include <stdlib.h>
#include <string.h>

#include "tg_env.h"

#include "space_map.h"
#include "../lib/test.h"

#define CELLS	96u
#define UNIT	0x1000ull	/* bytes of a cell */

struct cell {
	u32 handle;	/* 0: nothing is known to lie here */
	u64 offset;
};

static struct cell cells[CELLS];
static struct tgk_map map;
static u64 base;		/* address of the first cell */
static u64 seed = 1;
static u32 allocated;

static u32 random_below(u32 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % n;
}

static u64 address_of(u32 cell)
{
	return base + cell * UNIT;
}

static struct tgk_mapping *alloc(void)
{
	struct tgk_mapping *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	allocated++;
	return m;
}

static void release(struct tgk_mapping *m)
{
	allocated -= !!m;
	free(m);
}

/* From cell @from to cell @to nothing lies; @memory for a tail, or none. */
static void cut(u32 from, u32 to, bool memory)
{
	struct tgk_mapping *tail = memory ? alloc() : NULL, *gone;
	const struct tgk_mapping *m = tgk_map_find(&map, address_of(from));
	u32 i, end = to;

	/* One mapping holds the cells before, between and behind, and there is no memory for two. */
	if (!memory && m && m->first < address_of(from) && m->last > address_of(to) + UNIT - 1)
		end = (u32)((m->last - base) / UNIT);
	while ((gone = tgk_map_cut(&map, address_of(from), address_of(to) + UNIT - 1, &tail)))
		release(gone);
	release(tail);
	for (i = from; i <= end; i++)
		cells[i] = (struct cell){ 0 };
}

static void add(u32 from, u32 to, u32 handle, u64 offset)
{
	struct tgk_mapping *m = alloc();
	u32 i;

	*m = (struct tgk_mapping){
		.first = address_of(from), .last = address_of(to) + UNIT - 1, .handle = handle, .offset = offset,
	};
	if (!tgk_map_add(&map, m))
		abort();
	for (i = from; i <= to; i++)
		cells[i] = (struct cell){ handle, offset + (i - from) * UNIT };
}

/* How many addresses are answered otherwise than the list says? The first and the last of each cell. */
static u32 wrong(void)
{
	const struct tgk_mapping *m;
	u32 i, end, bad = 0;
	u64 at;

	for (i = 0; i < CELLS; i++)
		for (end = 0; end < 2; end++) {
			at = address_of(i) + (end ? UNIT - 1 : 0);
			m = tgk_map_find(&map, at);
			bad += cells[i].handle ? !m || m->handle != cells[i].handle ||
				m->offset + (at - m->first) != cells[i].offset + (end ? UNIT - 1 : 0) : !!m;
		}
	return bad;
}

static void random_steps(const char *name, u64 first, u32 steps)
{
	u32 i, from, to, bad = 0, most = 0;

	base = first;
	for (i = 0; i < steps && !bad; i++) {
		from = random_below(CELLS);
		to = from + random_below(random_below(8) ? 12 : CELLS);
		if (to >= CELLS)
			to = CELLS - 1;
		cut(from, to, random_below(4));
		if (random_below(3))
			add(from, to, 1 + i, random_below(1000) * UNIT);
		bad = wrong();
		most = max(most, map.nr);
	}
	test_row(name, !bad && most > 8, "step %u: %u addresses; %u mappings at most", i, bad, most);
	test_row("it counts what it has", map.nr == allocated, "%u of %u", map.nr, allocated);
	cut(0, CELLS - 1, true);
	test_row("nothing is left of it", !map.nr && !allocated && !wrong(), "%u, %u", map.nr, allocated);
}

/* One mapping, of which each second unit goes */
static void full(void)
{
	const u64 units = 2 * TGK_MAPPINGS_MAX + 100;
	struct tgk_mapping *m = alloc(), *tail;
	bool added, all = true;
	u32 most = 0;
	u64 i;

	*m = (struct tgk_mapping){ .last = units * UNIT - 1, .handle = 1 };
	added = tgk_map_add(&map, m);
	for (i = 1; i < units; i += 2) {
		tail = alloc();
		while ((m = tgk_map_cut(&map, i * UNIT, (i + 1) * UNIT - 1, &tail)))
			release(m);
		release(tail);
		most = max(most, map.nr);
	}
	test_row("full: it has as many as it may", added && most == TGK_MAPPINGS_MAX, "%u", most);
	for (i = 0; i < 2 * TGK_MAPPINGS_MAX; i++) {
		m = (struct tgk_mapping *)tgk_map_find(&map, i * UNIT);
		all &= i % 2 ? !m : m && m->offset == m->first;
	}
	test_row("full: what it has is right", all && !tgk_map_find(&map, units * UNIT - 1), "wrong");
	m = alloc();
	m->first = units * UNIT;
	m->last = m->first + UNIT - 1;
	added = tgk_map_add(&map, m);
	test_row("full: no more is taken", !added && map.nr == TGK_MAPPINGS_MAX, "%u", map.nr);
	if (!added)
		release(m);
	tail = NULL;
	while ((m = tgk_map_cut(&map, 0, U64_MAX, &tail)))
		release(m);
	test_row("full: nothing is left of it", !map.nr && !allocated, "%u, %u", map.nr, allocated);
}

int main(int argc, char **argv)
{
	const u32 steps = argc > 1 ? (u32)atoi(argv[1]) : 20000;

	if (argc > 2)
		seed = (u64)atoll(argv[2]);
	random_steps("from address 0", 0, steps);
	random_steps("in the middle", 0x7f0000000000ull, steps);
	random_steps("to the last address", 0ull - CELLS * UNIT, steps);
	full();
	return test_end();
}
