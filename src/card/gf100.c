// SPDX-License-Identifier: GPL-2.0
/*
 * gf100.c - what tells a GF100 from other chips: its identity, its registers' units, its speed.
 *
 * The board is a GeForce GTX 480: 15 multiprocessors of 32 cores in 4 GPCs, 6 memory partitions of
 * 64 bits with 8 ROPs each, two copy engines beside the graphics engine.
 */
#include "chip.h"
#include "falcon.h"
#include "gr.h"
#include "instmem.h"
#include "pbus.h"
#include "pci.h"
#include "pfb.h"
#include "pfifo_gf100.h"
#include "pgraph.h"
#include "pmc.h"
#include "ptimer.h"
#include "vbios.h"

#define PARTITIONS	6

static const struct mmio_range ranges[] = {
	{ 0x000000, 0x001000, pmc_rd, pmc_wr },
	{ 0x001000, 0x001700, pbus_rd, pbus_wr },
	{ 0x001700, 0x002000, instmem_rd, instmem_wr },
	{ 0x002000, 0x004000, pfifo_gf100_rd, pfifo_gf100_wr },
	{ 0x009000, 0x00a000, ptimer_rd, ptimer_wr },
	{ 0x040000, 0x046000, pbdma_rd, pbdma_wr },
	{ 0x070000, 0x071000, instmem_rd, instmem_wr },
	{ 0x088000, 0x089000, pci_rd, pci_wr },
	{ 0x100000, 0x101000, pfb_gf100_rd, pfb_gf100_wr },
	{ 0x104000, 0x106000, falcon_rd, falcon_wr },
	{ 0x10a000, 0x10b000, falcon_rd, falcon_wr },
	{ 0x300000, 0x310000, vbios_rd, vbios_wr },
	{ 0x400000, 0x600000, pgraph_gf100_rd, pgraph_gf100_wr },
};

/* What the board's firmware and the chip's fuses have left behind. */
static const struct card_strap straps[] = {
	{ 0x000640, ~0u },	/* any unit may interrupt; nouveau up to 6.1 takes that for granted */
	{ 0x0212cc, 1 },	/* fuse: speed grade; nouveau wants one */
	{ 0x02240c, BIT(1) },	/* the card has been set up, so that the driver need not */
	{ 0x022438, PARTITIONS },
	{ 0x100800, PARTITIONS },	/* caches in front of them, */
	{ 0x17e8dc, 4u << 28 },	/* each of so many slices */
	{ 0x101000, 0x80400000 },	/* 27 MHz crystal (bits 6 and 22), memory of kind 0 (2-5) */
	{ 0 },
};

static const struct gr_class *const classes[] = {
	&gr_m2mf_gf100, &gr_2d_gf100, &gr_compute_gf100, &gr_3d_gf100, &gr_copy0, &gr_copy1, NULL,
};

const struct card_chip chip_gf100 = {
	.name = "GF100",
	.fermi = true,
	.boot0 = 0x0c0000a3,
	.device_id = 0x06c0,
	.subsystem_id = 0x075f,
	.revision = 0xa3,
	.partitions = PARTITIONS,
	.gob_lines = 8,
	.vram_mib = 384,
	.vram_unit = 96,
	.engines = 3,
	.bios_version = 0x70001c00,	/* 70.00.1c.00 */
	.straps = straps,
	.ranges = ranges,
	.range_count = ARRAY_SIZE(ranges),
	.classes = classes,
	.rates = {
		/*
		 * NVIDIA's product page for the GeForce GTX 480: graphics clock 700 MHz, processor
		 * clock 1401 MHz, 480 cores, memory 1848 MHz GDDR5 on 384 bits: 177.4 GB/s.
		 */
		.core_mhz = 700,
		.shader_mhz = 1401,
		.vram_mbps = 177400,
		/*
		 * NVIDIA's Next Generation CUDA Compute Architecture: Fermi (white paper, 2009): 32
		 * cores to a multiprocessor, two schedulers that each issue a warp's instruction to
		 * 16 cores over two clocks: one instruction of a warp per clock.
		 */
		.multiprocessors = 15,
		.warp_clocks = 1,
		/* 48 ROPs (GF100 white paper, 2010: six partitions of eight) */
		.rops = 48,
		/*
		 * The second-level cache of 768 KiB (Fermi white paper) serves all; what another
		 * context left is fetched again, none to all of it, at a sixteenth of the memory's
		 * speed, as assumed for the G92.
		 */
		.cold_bytes = 768 * 1024,
		.cold_mbps = 177400 / 16,
		/* Fermi white paper: a context switch takes less than 25 us */
		.switch_ns = 25000,
		/*
		 * A copy engine's context is 256 bytes, which its program saves and loads by
		 * itself; assumed: a microsecond, some hundred instructions and two trips to
		 * memory.
		 */
		.copy_switch_ns = 1000,
	},
};
