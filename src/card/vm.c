// SPDX-License-Identifier: GPL-2.0
/*
 * vm.c - GPU virtual memory: DMA objects, page tables, faults.
 *
 * A 40-bit address is looked up in a directory of 2048 entries at offset 0x200 of the instance
 * block; an entry covers 512 MiB and points at a table of 4 KiB or 64 KiB pages.  A page entry
 * carries the log of the number of equal neighbours, and the address where their common block
 * starts.  Memory is video memory or, by the host's leave, the guest's.  There is no TLB: each
 * access reads the tables, so the model does not notice a driver that forgets to invalidate.
 *
 * Tables and objects are written by the guest: nothing here trusts them.  Fermi's tables, and its
 * record of faults, are in vm_gf100.c.
 *
 * Called by all units that read or write memory by an address of the GPU.
 */
#include <string.h>

#include "vm.h"
#include "chip.h"
#include "dev.h"
#include "instmem.h"

#define VM_DIR_OFFSET	0x200
#define VM_ADDR_BITS	40
#define VM_DIR_SHIFT	29
#define VM_ADDR_MASK	0xfffffff000ull

static u32 get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* vm_dmaobj() - read the DMA object at offset @off of instance block @inst */
void vm_dmaobj(struct card *card, u64 inst, u32 off, struct dmaobj *obj)
{
	u8 *p = off ? vram_ptr(card, inst + off, 24) : NULL;

	*obj = (struct dmaobj){ .inst = inst };
	if (!p)
		return;
	obj->target = get32(p) >> 16 & 3;
	obj->limit = get32(p + 4) | (u64)(get32(p + 12) >> 24) << 32;
	obj->base = get32(p + 8) | (u64)(get32(p + 12) & 0xff) << 32;
	obj->valid = true;
}

/* vm_space() - what addresses mean without a DMA object: the whole of the instance's space */
void vm_space(u64 inst, struct dmaobj *obj)
{
	*obj = (struct dmaobj){
		.inst = inst, .limit = (1ull << VM_ADDR_BITS) - 1, .target = VM_TARGET_VM, .valid = true,
	};
}

/* vm_memory() - @pa of @target, shortening *@run to what lies there in one piece; NULL: nothing */
u8 *vm_memory(struct card *card, u32 target, u64 pa, bool write, u64 *run, enum vm_reason *why)
{
	u8 *p;

	if (target < 2) {
		if (pa >= card->vram_size) {
			*why = VM_VRAM_LIMIT;
			return NULL;
		}
		if (*run > card->vram_size - pa)
			*run = card->vram_size - pa;
		return card->vram + pa;
	}
	if (*run > 0x1000 - (pa & 0xfff))
		*run = 0x1000 - (pa & 0xfff);
	p = card->host.dma(card->host.ctx, pa, *run, write);
	if (!p)
		*why = VM_PAGE_NOT_PRESENT;
	return p;
}

static u8 *vm_walk(struct card *card, u64 inst, u64 va, bool write, u64 *run, enum vm_reason *why)
{
	u32 shift, entries, target;
	u64 pde, pte, block, index, n = 8;
	u8 *p;

	p = vram_ptr(card, inst + VM_DIR_OFFSET + (va >> VM_DIR_SHIFT) * 8, 8);
	pde = p ? get64(p) : 0;
	*why = VM_PT_NOT_PRESENT;
	if (va >> VM_ADDR_BITS || !(pde & 1))
		return NULL;
	if (pde & 2) {
		static const u32 small[] = { 0x20000, 0x8000, 0x4000, 0x2000 };

		shift = 12;
		entries = small[pde >> 5 & 3];
	} else {
		shift = 16;
		entries = 0x2000;
	}
	index = (va & ((1ull << VM_DIR_SHIFT) - 1)) >> shift;
	if (index >= entries) {
		*why = VM_PT_TOO_SHORT;
		return NULL;
	}
	p = vm_memory(card, pde >> 2 & 3, (pde & VM_ADDR_MASK) + index * 8, false, &n, why);
	if (!p || n < 8)
		return NULL;
	pte = get64(p);
	*why = VM_PAGE_NOT_PRESENT;
	if (!(pte & 1))
		return NULL;
	if (write && pte & 8) {
		*why = VM_PAGE_READ_ONLY;
		return NULL;
	}
	target = pte >> 4 & 3;
	block = 1ull << (shift + (pte >> 7 & 7));
	*run = block - (va & (block - 1));
	return vm_memory(card, target, (pte & VM_ADDR_MASK) + (va & (block - 1)), write, run, why);
}

/**
 * vm_map() - the memory at offset @off of @obj
 * @run: bytes that follow in one piece
 * @why: set when it fails
 *
 * Return: host pointer, good inside the present call, or NULL.
 */
u8 *vm_map(struct card *card, const struct dmaobj *obj, u64 off, bool write, u64 *run,
	   enum vm_reason *why)
{
	u64 addr = obj->base + off;
	u8 *p;

	if (!obj->valid) {
		*why = VM_NULL_DMAOBJ;
		return NULL;
	}
	if (addr > obj->limit || addr < off) {
		*why = VM_DMAOBJ_LIMIT;
		return NULL;
	}
	if (obj->target == VM_TARGET_VM) {
		p = (card->chip->fermi ? vm_gf100_walk : vm_walk)(card, obj->inst, addr, write,
								  run, why);
	} else {
		*run = 1ull << 32;
		p = vm_memory(card, obj->target, addr, write, run, why);
	}
	if (p && *run > obj->limit - addr + 1)
		*run = obj->limit - addr + 1;
	return p;
}

/* vm_fault() - note a failed access where the driver looks for it */
void vm_fault(struct card *card, const struct dmaobj *obj, u64 off, bool write, enum vm_who who,
	      enum vm_reason why)
{
	u64 addr = obj->base + off;

	dev_error(card, "memory fault", -1, addr);
	if (card->chip->fermi) {
		vm_gf100_fault(card, obj->inst, addr, write, who, why);
		return;
	}
	if (card->pfb.trapped)
		return;
	card->pfb.trapped = true;
	card->pfb.trap[0] = (u32)who | (u32)why << 4;
	card->pfb.trap[1] = (u32)(obj->inst >> 12) & 0xffff;
	card->pfb.trap[2] = (u32)(obj->inst >> 28) & 0xffff;
	card->pfb.trap[3] = (u32)addr & 0xffff;
	card->pfb.trap[4] = (u32)(addr >> 16) & 0xffff;
	card->pfb.trap[5] = ((u32)(addr >> 32) & 0xff) | (write ? 0 : 0x100);
}

bool vm_read(struct card *card, const struct dmaobj *obj, u64 off, void *buf, u64 len,
	     enum vm_who who)
{
	enum vm_reason why = VM_OK;
	u64 run;
	u8 *p;

	while (len) {
		p = vm_map(card, obj, off, false, &run, &why);
		if (!p) {
			vm_fault(card, obj, off, false, who, why);
			return false;
		}
		if (run > len)
			run = len;
		memcpy(buf, p, run);
		buf = (u8 *)buf + run;
		off += run;
		len -= run;
	}
	return true;
}

bool vm_write(struct card *card, const struct dmaobj *obj, u64 off, const void *buf, u64 len,
	      enum vm_who who)
{
	enum vm_reason why = VM_OK;
	u64 run;
	u8 *p;

	while (len) {
		p = vm_map(card, obj, off, true, &run, &why);
		if (!p) {
			vm_fault(card, obj, off, true, who, why);
			return false;
		}
		if (run > len)
			run = len;
		memcpy(p, buf, run);
		buf = (const u8 *)buf + run;
		off += run;
		len -= run;
	}
	return true;
}

/* vm_is_system() - whether @off of @obj is in the guest's memory; for costs, by its first page */
bool vm_is_system(struct card *card, const struct dmaobj *obj, u64 off)
{
	enum vm_reason why;
	u64 run;
	u8 *p = vm_map(card, obj, off, false, &run, &why);

	return p && (p < card->vram || p >= card->vram + card->vram_size);
}
