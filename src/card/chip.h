/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between chips, and which chips there are: g92.c, gf100.c.
 *
 * Called by dev.c when a card is made; mmio.c goes by a chip's ranges, and all units by its other
 * fields. All of it is constant.
 */
#ifndef CARD_CHIP_H
#define CARD_CHIP_H

#include "types.h"

struct card;
struct gr_class;

struct mmio_range {
	u32 start;
	u32 end;
	u32 (*rd)(struct card *card, u32 off);
	void (*wr)(struct card *card, u32 off, u32 val);
};

/* A plain register that is not 0 at power-on. */
struct card_strap {
	u32 reg;
	u32 val;
};

/**
 * struct card_rates - what cost.c reckons with; each constant's source is in the chip's file
 * @core_mhz, @shader_mhz: clocks
 * @vram_mbps: bytes per microsecond to and from video memory
 * @multiprocessors: how many run blocks
 * @warp_clocks: shader clocks of one instruction of a warp
 * @rops: pixels per core clock
 * @cold_bytes, @cold_mbps: what is fetched again after a switch, at most, and how fast
 * @switch_ns: one context out, another one in; @copy_switch_ns: the same for a copy engine
 */
struct card_rates {
	u32 core_mhz;
	u32 shader_mhz;
	u32 vram_mbps;
	u32 multiprocessors;
	u32 warp_clocks;
	u32 rops;
	u32 cold_bytes;
	u32 cold_mbps;
	u32 switch_ns;
	u32 copy_switch_ns;
};

struct card_chip {
	const char *name;
	bool fermi;		/* the younger kind of PFIFO, page tables and PGRAPH set-up */
	u32 boot0;		/* PMC identification, 0x000000 */
	u16 device_id;
	u16 subsystem_id;
	u8 revision;
	u32 units;		/* 0x001540: which TPs, MPs and memory partitions there are */
	u32 partitions;		/* how many of the latter */
	u32 crystal_strap;	/* 0x101000 */
	u32 gob_lines;		/* of the least piece of a block-linear surface: 64 bytes by so many */
	u32 vram_mib;		/* unless told */
	u32 vram_unit;		/* the least it may have, MiB; doubled up to four times */
	u32 engines;		/* of enum engine_id */
	u32 bios_version;
	const struct card_strap *straps;	/* ended by register 0 */
	const struct mmio_range *ranges;	/* by address */
	u32 range_count;
	const struct gr_class *const *classes;	/* ended by NULL */
	struct card_rates rates;
};

extern const struct card_chip chip_g92, chip_gf100;

const struct card_chip *card_chip_find(const char *name);

#endif
