// SPDX-License-Identifier: GPL-2.0
/*
 * VM_BIND: what nouveau has mapped for a file, told to space.c.
 *
 * nouveau.c calls this in the thread of the call, in process context, under no lock of nouveau.
 */
#include <linux/uaccess.h>

#include "nouveau.h"
#include "space.h"

/* What tgk_vm_bind.op_ptr points at. */
struct op {
	u32 op, flags;
	u32 handle, pad;
	u64 addr, bo_offset, range;
};

#define BIND_MAP	0
#define BIND_SPARSE	0x100	/* of addresses without an object */

#define VA_END	BIT_ULL(47)	/* nouveau maps nothing behind it */

/* Could nouveau have taken it? It maps pages. */
static bool is_good(const struct op *op, bool map)
{
	return !((op->addr | op->range) & ~PAGE_MASK) && !(map && op->bo_offset & ~PAGE_MASK) &&
	       op->addr < VA_END && op->range <= VA_END - op->addr;
}

/**
 * tgk_nouveau_bound() - nouveau has taken a VM_BIND
 * @gpu: the GPU
 * @file: the file
 * @req: what it was asked for
 *
 * The client may have written other operations since nouveau read them: a prediction that is wrong
 * is its own. There are no more of them than nouveau itself has gone through.
 */
void tgk_nouveau_bound(struct tgk_gpu *gpu, const struct drm_file *file,
		       const struct tgk_vm_bind *req)
{
	const struct op __user *ops = u64_to_user_ptr(req->op_ptr);
	struct op op;
	struct tgk_piece piece;
	bool map;
	u32 i;

	for (i = 0; i < req->op_count && !fatal_signal_pending(current); i++) {
		if (copy_from_user(&op, &ops[i], sizeof(op)))
			return;
		map = op.op == BIND_MAP && !(op.flags & BIND_SPARSE);
		if (!is_good(&op, map))
			return;
		piece.handle = op.handle;
		piece.offset = op.bo_offset;
		piece.bytes = op.range;
		if (map)
			tgk_space_map(gpu, file, op.addr, &piece);
		else
			tgk_space_unmap(gpu, file, op.addr, op.range);
		cond_resched();
	}
}
