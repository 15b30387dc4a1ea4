/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GPU virtual memory: vm.c, and vm_gf100.c for Fermi's page tables and faults.
 *
 * Called by instmem.c for BAR1 and BAR3, by PFIFO's files for pushbuffers, semaphores and runlists,
 * and by surface.c, pgraph.c and the classes (gr.h) for what they read and write. A pointer to
 * memory is good until the call into the card returns. One thread at a time (card.h).
 */
#ifndef CARD_VM_H
#define CARD_VM_H

#include "types.h"

struct card;

/* Why a translation failed: the values of the trap registers. */
enum vm_reason {
	VM_OK = -1,
	VM_PT_NOT_PRESENT = 0,
	VM_PT_TOO_SHORT = 1,
	VM_PAGE_NOT_PRESENT = 2,
	VM_PAGE_READ_ONLY = 4,
	VM_NULL_DMAOBJ = 6,
	VM_VRAM_LIMIT = 11,
	VM_DMAOBJ_LIMIT = 15,
};

/*
 * The unit that accesses memory: engine in bits 0-3, client 8-11, its part 12-15 of trap register
 * 0.
 */
enum vm_who {
	VM_PFIFO_PUSHBUF = 0x0805,
	VM_PFIFO_SEMAPHORE = 0x1405,
	VM_GR_NOTIFY = 0x1300,
	VM_GR_QUERY = 0x2300,
	VM_GR_M2MF_IN = 0x4300,
	VM_GR_M2MF_OUT = 0x5300,
	VM_GR_CODE = 0x0500,
	VM_GR_SRC2D = 0x0a00,
	VM_GR_DST2D = 0xcb00,
	VM_BAR_FB = 0x0006,
	VM_BAR_IN = 0x1006,
	/* copy engines of GF100 */
	VM_PCE0 = 0x10000,
	VM_PCE1 = 0x10001,
};

enum vm_target { VM_TARGET_VM, VM_TARGET_VRAM, VM_TARGET_PCI, VM_TARGET_PCI_NOSNOOP };

/* A DMA object: a piece of one of the address spaces. */
struct dmaobj {
	u64 inst;		/* instance block whose page tables VM_TARGET_VM means */
	u64 base;
	u64 limit;		/* last address */
	u8 target;
	bool valid;
};

void vm_dmaobj(struct card *card, u64 inst, u32 off, struct dmaobj *obj);
void vm_space(u64 inst, struct dmaobj *obj);
u8 *vm_memory(struct card *card, u32 target, u64 pa, bool write, u64 *run, enum vm_reason *why);
u8 *vm_map(struct card *card, const struct dmaobj *obj, u64 off, bool write, u64 *run,
	   enum vm_reason *why);
bool vm_read(struct card *card, const struct dmaobj *obj, u64 off, void *buf, u64 len,
	     enum vm_who who);
bool vm_write(struct card *card, const struct dmaobj *obj, u64 off, const void *buf, u64 len,
	      enum vm_who who);
bool vm_is_system(struct card *card, const struct dmaobj *obj, u64 off);
void vm_fault(struct card *card, const struct dmaobj *obj, u64 off, bool write, enum vm_who who,
	      enum vm_reason why);

/* vm_gf100.c: the same for Fermi's page tables and faults */
u8 *vm_gf100_walk(struct card *card, u64 inst, u64 va, bool write, u64 *run, enum vm_reason *why);
void vm_gf100_fault(struct card *card, u64 inst, u64 addr, bool write, enum vm_who who,
		    enum vm_reason why);

#endif
