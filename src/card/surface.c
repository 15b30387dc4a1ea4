// SPDX-License-Identifier: GPL-2.0
/*
 * surface.c - pictures in memory: where byte (x, y) of a pitch or block-linear surface is.
 *
 * Block-linear: gobs of 64 bytes by 4 lines, on Fermi 8; blocks of gobs; blocks in rows (envytools,
 * hw/memory/g80-surface).  The storage types of the page tables rearrange memory further. Since
 * every access of the model goes through the page tables, they are not modelled.
 *
 * Called by the M2MF, copy, 2D and 3D classes; x is in bytes.
 */
#include <string.h>

#include "surface.h"
#include "chip.h"
#include "dev.h"
#include "vm.h"

/* surface_pixel_bytes() - bytes of a pixel in a format of 2D or 3D; 0: there is no such format */
u32 surface_pixel_bytes(u32 format)
{
	switch (format & 0xff) {
	case 0xc0 ... 0xc5:
		return 16;
	case 0xc6 ... 0xce:
		return 8;
	case 0xcf ... 0xe7:
	case 0xf9:
	case 0xfa:
	case 0xfd ... 0xff:
		return 4;
	case 0xe8 ... 0xf2:
	case 0xf8:
	case 0xfb:
	case 0xfc:
		return 2;
	case 0xf3 ... 0xf7:
		return 1;
	default:
		return 0;
	}
}

#define GOB_X	64

/* surface_offset() - address of a byte; @run: how many follow in the same line in one piece */
u64 surface_offset(const struct card_chip *chip, const struct surface *s, u64 x, u32 y, u64 *run)
{
	const u32 gob_y = chip->gob_lines;
	u32 bx = s->block & 7, by = s->block >> 4 & 7, bz = s->block >> 8 & 7;
	u64 block_x = (u64)GOB_X << bx, block_y = (u64)gob_y << by;
	u64 block_bytes = (block_x * block_y) << bz;
	u64 blocks_x = (s->pitch + block_x - 1) / block_x;
	u64 blocks_y = (s->height + block_y - 1) / block_y;
	u64 block, gob;

	if (s->linear) {
		*run = UINT32_MAX;
		return s->addr + (u64)y * s->pitch + x;
	}
	*run = GOB_X - x % GOB_X;
	block = x / block_x + (y / block_y) * blocks_x + (u64)(s->z >> bz) * blocks_x * blocks_y;
	gob = x % block_x / GOB_X + ((y % block_y / gob_y) << bx) +
	      ((u64)(s->z & (BIT(bz) - 1)) << (bx + by));
	return s->addr + block * block_bytes + gob * GOB_X * gob_y + y % gob_y * GOB_X + x % GOB_X;
}

static u8 *surface_map(struct card *card, const struct surface *s, u64 x, u32 y, bool write,
		       enum vm_who who, u64 *run)
{
	enum vm_reason why = VM_OK;
	u64 in_line, off = surface_offset(card->chip, s, x, y, &in_line);
	u8 *p = vm_map(card, &s->obj, off, write, run, &why);

	if (!p) {
		vm_fault(card, &s->obj, off, write, who, why);
		return NULL;
	}
	if (*run > in_line)
		*run = in_line;
	return p;
}

/* What a piece of memory costs: finding it is like a method, and so is each 4 KiB of it. */
static void surface_charge(struct card *card, u64 bytes)
{
	dev_charge(card, 1 + bytes / 4096);
}

/*
 * surface_copy() - @len bytes of one line to another
 *
 * Return: false when memory was missing, and *@read_failed whether it was the source.
 */
bool surface_copy(struct card *card, const struct surface *dst, u64 dx, u32 dy, enum vm_who dst_who,
		  const struct surface *src, u64 sx, u32 sy, enum vm_who src_who, u64 len,
		  bool *read_failed)
{
	while (len) {
		u64 from_run, to_run, n = len;
		u8 *from = surface_map(card, src, sx, sy, false, src_who, &from_run);
		u8 *to = from ? surface_map(card, dst, dx, dy, true, dst_who, &to_run) : NULL;

		if (!to) {
			*read_failed = !from;
			return false;
		}
		if (n > from_run)
			n = from_run;
		if (n > to_run)
			n = to_run;
		memmove(to, from, n);
		surface_charge(card, n);
		sx += n;
		dx += n;
		len -= n;
	}
	return true;
}

bool surface_write(struct card *card, const struct surface *dst, u64 x, u32 y, const void *buf,
		   u64 len, enum vm_who who)
{
	while (len) {
		u64 run;
		u8 *p = surface_map(card, dst, x, y, true, who, &run);

		if (!p)
			return false;
		if (run > len)
			run = len;
		memcpy(p, buf, run);
		surface_charge(card, run);
		buf = (const u8 *)buf + run;
		x += run;
		len -= run;
	}
	return true;
}

bool surface_read(struct card *card, const struct surface *src, u64 x, u32 y, void *buf, u64 len,
		  enum vm_who who)
{
	while (len) {
		u64 run;
		u8 *p = surface_map(card, src, x, y, false, who, &run);

		if (!p)
			return false;
		if (run > len)
			run = len;
		memcpy(buf, p, run);
		surface_charge(card, run);
		buf = (u8 *)buf + run;
		x += run;
		len -= run;
	}
	return true;
}
