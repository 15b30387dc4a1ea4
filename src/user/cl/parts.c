// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A grid of work-groups, cut into boxes: arithmetic alone. slice.c calls it in the program's threads.
 *
 * The groups have an order, dimension 0 the fastest, and parts are taken from the end. So the first part
 * has the last group of each dimension, which may be smaller than the others: if the driver refuses such
 * groups, or an offset that is too large, it does so before anything has run.
 */
#include "parts.h"

/* What parts are made of where the driver chooses the groups: it finds good ones in these. */
static const size_t grain[3][3] = { { 256, 1, 1 }, { 32, 16, 1 }, { 16, 8, 8 } };

/**
 * grid_make() - from the arguments of a launch; @local may be NULL
 *
 * Return: false: the driver refuses this, or it is nothing
 */
bool grid_make(struct grid *g, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
	uint64_t items = 1;
	cl_uint i;

	if (dims < 1 || dims > 3 || !global)
		return false;
	*g = (struct grid){ .dims = dims, .given = local, .left = 1 };
	for (i = 0; i < 3; i++) {
		g->offset[i] = offset && i < dims ? offset[i] : 0;
		g->global[i] = i < dims ? global[i] : 1;
		g->local[i] = i >= dims ? 1 : local ? local[i] : grain[dims - 1][i];
		if (!g->global[i] || !g->local[i] || g->offset[i] > SIZE_MAX - g->global[i] ||
		    __builtin_mul_overflow(items, g->global[i], &items))
			return false;
		g->groups[i] = g->global[i] / g->local[i] + !!(g->global[i] % g->local[i]);
		g->left *= g->groups[i];
	}
	g->items = items;
	return true;
}

/* How many work-items of dimension @i the first @groups groups have. */
static size_t items_of(const struct grid *g, cl_uint i, size_t groups)
{
	return groups == g->groups[i] ? g->global[i] : groups * g->local[i];
}

/* The box of @nr groups of dimension @dim that ends at @end, whole in the dimensions below. */
static void box(const struct grid *g, struct part *p, const size_t end[3], cl_uint dim, uint64_t nr)
{
	size_t count[3] = { 1, 1, 1 };
	cl_uint i;

	p->groups = p->items = 1;
	for (i = 0; i < 3; i++) {
		count[i] = i < dim ? g->groups[i] : i == dim ? nr : 1;
		p->group[i] = i < dim ? 0 : end[i] - count[i];
		p->offset[i] = p->group[i] * g->local[i];
		p->size[i] = items_of(g, i, p->group[i] + count[i]) - p->offset[i];
		p->groups *= count[i];
		p->items *= p->size[i];
	}
}

/** grid_part() - take a part of at most @most groups, at least one; some must be left */
void grid_part(struct grid *g, uint64_t most, struct part *p)
{
	const uint64_t row = g->groups[0], plane = row * g->groups[1];
	const uint64_t in_plane = (g->left - 1) % plane + 1, in_row = (g->left - 1) % row + 1;
	/* Where the last group that is left lies, and one more */
	const size_t end[3] = { in_row, (in_plane - 1) / row + 1, (g->left - 1) / plane + 1 };
	uint64_t nr;

	most = most ? most : 1;
	if (in_plane == plane && most >= plane) {
		nr = most / plane < end[2] ? most / plane : end[2];
		box(g, p, end, 2, nr);
	} else if (in_row == row && most >= row) {
		nr = most / row < end[1] ? most / row : end[1];
		box(g, p, end, 1, nr);
	} else {
		box(g, p, end, 0, most < end[0] ? most : end[0]);
	}
	g->left -= p->groups;
}
