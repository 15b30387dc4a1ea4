/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Long kernels in parts: what kernels.c, twins.c, parts.c and slice.c share. slice.c has the essay.
 */
#ifndef TGCL_SLICE_H
#define TGCL_SLICE_H

#include "cl.h"
#include "objects.h"

/** enum whole - why a long kernel is launched whole; SLICED: it is not, if it is expected to be long */
enum whole {
	SLICED, WHOLE_NO_SOURCE, WHOLE_PRINTF, WHOLE_PIPES, WHOLE_ATOMICS, WHOLE_VOLATILE, WHOLE_ENQUEUE,
	WHOLE_VENDOR, WHOLE_INCLUDE, WHOLE_SPELLING, WHOLE_GRID, WHOLE_LOCAL_SIZE, WHOLE_ONE_GROUP,
	WHOLE_BLOCKED, WHOLE_REFUSED, WHOLE_REASONS
};

/**
 * struct kernel - a kernel of one source; it stays
 * @name: its own
 * @uses: enum uses
 * @source: which; of programs that have none, too
 * @has_source: its program has
 * @listed: the user wants it sliced whatever it uses
 * @lock: all below
 * @item_ns: time for each work-item, by recent launches; 0: not known
 * @sliced, @parts, @rewritten: launches, of how many parts, and how many by a twin
 * @whole: launches that took longer than the bound, by reason
 * @said: the user has been told
 * @next: the one that was found before it
 */
struct kernel {
	char *name;
	uint32_t uses;
	struct source *source;
	bool has_source, listed;
	pthread_mutex_t lock;
	double item_ns;
	uint64_t sliced, parts, rewritten, whole[WHOLE_REASONS];
	bool said;
	struct kernel *next;
};

/**
 * struct handle - a cl_kernel of the program (kernels.c)
 * @object: its entry in the table; the first member
 * @of: what is known of it; NULL: nobody has asked yet
 * @args, @twin: see twins.c
 */
struct handle {
	struct object object;
	struct kernel *of;
	struct args *args;
	struct twin *twin;
};

/* kernels.c */
struct handle *kernel_handle(cl_kernel handle);
const struct scan *source_scan(const struct source *s);
struct kernel *kernel_of(cl_kernel handle);
const struct kernel *kernel_first(void);
const struct kernel *kernel_next(const struct kernel *k);

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

/* parts.c */
bool grid_make(struct grid *g, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local);
void grid_part(struct grid *g, uint64_t most, struct part *p);

/* twins.c */
void args_copy(struct handle *to, struct handle *from);
cl_kernel twin_get(cl_kernel kernel, const struct kernel *k, cl_device_id device);
void twin_forget(struct handle *h);
void twins_in_child(void);

/* slice.c */
int64_t slice_bound(void);
bool slice_listed(const char *name);
void slice_in_child(void);

#endif /* TGCL_SLICE_H */
