// SPDX-License-Identifier: GPL-2.0
/*
 * instmem.c - video memory by physical address, and the windows through which the CPU sees it.
 *
 * 0x700000-0x7fffff of BAR0 is 1 MiB of physical video memory, from 0x001700 << 16 on.  BAR1 and
 * BAR3 go through page tables: 0x001704 names the instance block, 0x001708 and 0x00170c the DMA
 * object in it whose base the window shows.  On Fermi each has an instance block of its own, named
 * by 0x001704 and 0x001714, and shows that one's space from 0 on.
 *
 * Called by mmio.c for the windows; by all units that read or write video memory directly.
 */
#include <string.h>

#include "instmem.h"
#include "card.h"
#include "chip.h"
#include "dev.h"
#include "mmio.h"
#include "pfifo_gf100.h"
#include "vm.h"

#define HOST_WINDOW	0x001700
#define HOST_INSTANCE	0x001704
#define HOST_BAR1	0x001708
#define HOST_BAR3	0x00170c
#define HOST_GF100_BAR1	0x001704
#define HOST_GF100_BAR3	0x001714
#define HOST_FLUSH	0x070000
#define HOST_FLUSH_END	0x070010

void instmem_reset(struct card *card)
{
	for (u32 r = HOST_WINDOW; r <= HOST_GF100_BAR3; r += 4)
		reg_set(card, r, 0);
}

/* vram_ptr() - @len bytes of video memory at @addr, or NULL when they are not all there */
u8 *vram_ptr(struct card *card, u64 addr, u64 len)
{
	if (addr > card->vram_size || len > card->vram_size - addr)
		return NULL;
	return card->vram + addr;
}

u32 vram_rd32(struct card *card, u64 addr)
{
	u8 *p = vram_ptr(card, addr, 4);
	u32 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static void transfer(u8 *mem, void *buf, u64 len, bool write)
{
	if (write)
		memcpy(mem, buf, len);
	else
		memcpy(buf, mem, len);
}

/* instmem_window() - access @len bytes at @off of the BAR0 window */
void instmem_window(struct card *card, u32 off, void *buf, u32 len, bool write)
{
	u64 addr = ((u64)reg_get(card, HOST_WINDOW) << 16) + off;
	u8 *p = vram_ptr(card, addr, len);

	if (p) {
		transfer(p, buf, len, write);
		return;
	}
	dev_error(card, "window access past the end of video memory", -1, addr);
	if (!write)
		memset(buf, 0xff, len);
}

/* The address space that BAR1 or BAR3 shows. */
static void instmem_bar_space(struct card *card, int bar, struct dmaobj *obj)
{
	u64 inst = (u64)(reg_get(card, HOST_INSTANCE) & 0x0fffffff) << 12;
	u32 object;

	if (card->chip->fermi) {
		object = reg_get(card, bar == CARD_BAR1 ? HOST_GF100_BAR1 : HOST_GF100_BAR3);
		vm_space((u64)(object & 0x0fffffff) << 12, obj);
		obj->valid = object & BIT(31);
		return;
	}
	object = reg_get(card, bar == CARD_BAR1 ? HOST_BAR1 : HOST_BAR3);
	*obj = (struct dmaobj){ .inst = inst };
	if (object & BIT(31))
		vm_dmaobj(card, inst, (object & 0x7fffffff) << 4, obj);
}

/* instmem_bar() - access @len bytes at @off of BAR1 or BAR3 */
void instmem_bar(struct card *card, int bar, u64 off, void *buf, u32 len, bool write)
{
	bool user = card->chip->fermi && bar == CARD_BAR1;
	enum vm_reason why = VM_NULL_DMAOBJ;
	u32 all = len;
	struct dmaobj obj;
	u64 run, at = off;
	u8 *p, *data = buf;

	if (user && !write && pfifo_gf100_user(card, off, buf, len, false))
		return;
	instmem_bar_space(card, bar, &obj);
	while (len) {
		p = vm_map(card, &obj, at, write, &run, &why);
		if (!p) {
			vm_fault(card, &obj, at, write,
				 bar == CARD_BAR1 ? VM_BAR_FB : VM_BAR_IN, why);
			if (!write)
				memset(data, 0xff, len);
			return;
		}
		if (run > len)
			run = len;
		transfer(p, data, run, write);
		data += run;
		at += run;
		len -= (u32)run;
	}
	if (user && write)
		pfifo_gf100_user(card, off, buf, all, true);
}

u32 instmem_rd(struct card *card, u32 off)
{
	return reg_get(card, off);
}

void instmem_wr(struct card *card, u32 off, u32 val)
{
	if (off >= HOST_FLUSH && off <= HOST_FLUSH_END)
		val &= ~3u;	/* flushed */
	reg_set(card, off, val);
}
