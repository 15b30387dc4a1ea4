// SPDX-License-Identifier: GPL-2.0
/*
 * vm_gf100.c - Fermi's page tables, and how it reports faults.
 *
 * The instance block names a directory (0x200) and the last address (0x208).  An entry of it
 * covers 128 MiB and points at a table of 128 KiB pages (low word), or of 4 KiB pages (high word),
 * or at both; a valid large page comes first.  With bit 0 of 0x100c80, large pages are of 64 KiB
 * and an entry covers 64 MiB.  There are no DMA objects.
 *
 * Called by vm.c.  Tables are written by the guest: nothing here trusts them.
 */
#include <string.h>

#include "vm.h"
#include "dev.h"
#include "instmem.h"
#include "mmio.h"
#include "pfifo_gf100.h"

#define VM_DIR		0x200
#define VM_LIMIT	0x208
#define VM_ADDR_BITS	40
#define PFB_CONFIG	0x100c80

#define TABLE_ENTRIES	1024	/* large pages of a directory entry */
#define SMALL_SHIFT	12

/* Reasons, as the fault record has them. */
enum { REASON_TABLE = 0, REASON_PAGE = 2, REASON_LIMIT = 3, REASON_READ_ONLY = 6 };

static u64 vram_rd64(struct card *card, u64 addr)
{
	return vram_rd32(card, addr) | (u64)vram_rd32(card, addr + 4) << 32;
}

/* A page's entry, in a table that one half of a directory entry names; 0: none. */
static u64 vm_entry(struct card *card, u32 half, u64 index)
{
	enum vm_reason why;
	u64 n = 8, pte;
	u8 *p;

	if (!(half & 3))
		return 0;
	/* in a directory 1 is video memory; elsewhere that is 0 */
	p = vm_memory(card, half & 2 ? half & 3 : 0, ((u64)(half & ~0xfu) << 8) + index * 8, false,
		      &n, &why);
	if (!p || n < 8)
		return 0;
	memcpy(&pte, p, sizeof(pte));
	return pte & 1 ? pte : 0;
}

u8 *vm_gf100_walk(struct card *card, u64 inst, u64 va, bool write, u64 *run, enum vm_reason *why)
{
	u32 large = reg_get(card, PFB_CONFIG) & 1 ? 16 : 17, shift = large;
	u64 dir = vram_rd64(card, inst + VM_DIR) & 0xfffffff000ull, cover, pde, pte;

	*why = VM_DMAOBJ_LIMIT;
	if (va >> VM_ADDR_BITS || va > vram_rd64(card, inst + VM_LIMIT))
		return NULL;
	cover = (u64)TABLE_ENTRIES << large;
	*why = VM_PT_NOT_PRESENT;
	pde = dir ? vram_rd64(card, dir + va / cover * 8) : 0;
	if (!(pde & 3) && !(pde >> 32 & 3))
		return NULL;
	pte = vm_entry(card, (u32)pde, va % cover >> large);
	if (!pte) {
		shift = SMALL_SHIFT;
		pte = vm_entry(card, (u32)(pde >> 32), va % cover >> SMALL_SHIFT);
	}
	*why = VM_PAGE_NOT_PRESENT;
	if (!pte)
		return NULL;
	if (write && pte & 4) {
		*why = VM_PAGE_READ_ONLY;
		return NULL;
	}
	*run = (1ull << shift) - (va & ((1ull << shift) - 1));
	return vm_memory(card, pte >> 33 & 3,
			 ((pte & 0xfffffff0) << 8) + (va & ((1ull << shift) - 1)), write, run, why);
}

/* vm_gf100_fault() - which unit it was, and which of its clients, in the MMU's own numbers */
void vm_gf100_fault(struct card *card, u64 inst, u64 addr, bool write, enum vm_who who,
		    enum vm_reason why)
{
	u32 unit, client, reason;

	switch (who) {
	case VM_PFIFO_PUSHBUF:
	case VM_PFIFO_SEMAPHORE:
		unit = 0x07;
		client = 0x06;
		break;
	case VM_BAR_FB:
		unit = 0x04;
		client = write ? 0x08 : 0x07;
		break;
	case VM_BAR_IN:
		unit = 0x05;
		client = write ? 0x08 : 0x07;
		break;
	case VM_PCE0:
		unit = 0x15;
		client = 0x01;
		break;
	case VM_PCE1:
		unit = 0x16;
		client = 0x02;
		break;
	case VM_GR_CODE:
		unit = 0x00;
		client = 0x14;
		break;
	default:
		unit = 0x00;
		client = 0x04;
		break;
	}
	switch (why) {
	case VM_PT_NOT_PRESENT:
	case VM_PT_TOO_SHORT:
		reason = REASON_TABLE;
		break;
	case VM_PAGE_READ_ONLY:
		reason = REASON_READ_ONLY;
		break;
	case VM_DMAOBJ_LIMIT:
	case VM_VRAM_LIMIT:
		reason = REASON_LIMIT;
		break;
	default:
		reason = REASON_PAGE;
		break;
	}
	/* bit 6: not of a GPC; 7: a write */
	pfifo_gf100_fault(card, unit, inst, addr, client << 8 | (write ? 0x80 : 0) | 0x40 | reason);
}
