/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * kernels.c: which source a cl_kernel is of, what it uses, and how long it takes.
 */
#ifndef TGCL_KERNELS_H
#define TGCL_KERNELS_H

#include "cl.h"
#include "objects.h"
#include "slice.h"

struct args;
struct scan;
struct source;
struct twin;

/**
 * struct kernel - a kernel of one source; it stays
 * @name: its own
 * @uses: enum uses
 * @source: which; of programs that have none, too
 * @has_source: its program has
 * @listed: the user wants it sliced whatever it uses
 * @lock: all below
 * @item_ns: time for each work-item, by recent launches; 0: not known
 * @change: ns, the least time between two of its parts; 0: not known. Read without the lock
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
	int64_t change;
	uint64_t sliced, parts, rewritten, whole[WHOLE_REASONS];
	bool said;
	struct kernel *next;
};

/**
 * struct handle - a cl_kernel of the program
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

struct handle *kernel_handle(cl_kernel handle);
const struct scan *source_scan(const struct source *s);
struct kernel *kernel_of(cl_kernel handle);
struct kernel *kernel_first(void);
struct kernel *kernel_next(const struct kernel *k);
void kernels_in_child(void);
extern __typeof__(clCreateKernel) layer_clCreateKernel;
extern __typeof__(clCreateKernelsInProgram) layer_clCreateKernelsInProgram;
extern __typeof__(clCloneKernel) layer_clCloneKernel;
extern __typeof__(clRetainKernel) layer_clRetainKernel;
extern __typeof__(clReleaseKernel) layer_clReleaseKernel;

#endif /* TGCL_KERNELS_H */
