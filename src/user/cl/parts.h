/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * parts.c: a grid of work-groups, cut into boxes.
 */
#ifndef TGCL_PARTS_H
#define TGCL_PARTS_H

#include "cl.h"

/**
 * struct grid - a launch's work-groups, and where its parts are
 * @dims: 1 to 3; what a grid has not is 1
 * @offset: the program's
 * @global: work-items
 * @local: of a group; where the program leaves it to the driver, what parts are made of
 * @given: the program or the kernel has said @local
 * @groups: in each dimension
 * @items: work-items in all
 * @left: groups that no part has had; parts are taken from the end
 */
struct grid {
	cl_uint dims;
	size_t offset[3], global[3], local[3], groups[3];
	bool given;
	uint64_t items, left;
};

/** struct part - a box of groups: work-items from @from on, @size of them; @items in all */
struct part {
	size_t group[3], offset[3], size[3];
	uint64_t groups, items;
};

bool grid_make(struct grid *g, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local);
void grid_part(struct grid *g, uint64_t most, struct part *p);

#endif /* TGCL_PARTS_H */
