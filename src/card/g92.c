// SPDX-License-Identifier: GPL-2.0
/*
 * g92.c - what tells a G92 from other chips: its identity, its registers' units, its speed.
 *
 * The board is a GeForce 9800 GT: 7 TPs of 2 MPs of 8 stream processors, 4 memory partitions of
 * 64 bits with 4 ROPs each.  Also finds a chip by its name, for dev.c when a card is made.
 */
#include <string.h>

#include "chip.h"
#include "gr.h"
#include "instmem.h"
#include "pbus.h"
#include "pci.h"
#include "pfb.h"
#include "pfifo.h"
#include "pgraph.h"
#include "pmc.h"
#include "ptimer.h"
#include "vbios.h"

static const struct mmio_range ranges[] = {
	{ 0x000000, 0x001000, pmc_rd, pmc_wr },
	{ 0x001000, 0x001700, pbus_rd, pbus_wr },
	{ 0x001700, 0x002000, instmem_rd, instmem_wr },
	{ 0x002000, 0x004000, pfifo_rd, pfifo_wr },
	{ 0x009000, 0x00a000, ptimer_rd, ptimer_wr },
	{ 0x070000, 0x071000, instmem_rd, instmem_wr },
	{ 0x088000, 0x089000, pci_rd, pci_wr },
	{ 0x100000, 0x102000, pfb_rd, pfb_wr },
	{ 0x300000, 0x310000, vbios_rd, vbios_wr },
	{ 0x400000, 0x410000, pgraph_rd, pgraph_wr },
	{ 0xc00000, 0xd00000, pfifo_user_rd, pfifo_user_wr },
};

static const struct gr_class *const classes[] = {
	&gr_m2mf, &gr_2d, &gr_compute, &gr_3d, &gr_3d_g80, &gr_null, NULL,
};

/*
 * A context switch saves one context image and loads another.  CONTEXT_BYTES is the size of the
 * image that nouveau computes for these units (nv50_grctx_init, as seen in the descriptors it
 * writes); strands move it, one word per core clock each, 10 of them at once (ctxnv50.c has 8 for
 * pipeline state and 2 for TP state), and the two transfers follow one another.  35 us; LoGA,
 * section 2.2, calls it "virtually no overhead" beside kernels of milliseconds.
 */
#define CORE_MHZ	600
#define CONTEXT_BYTES	0x67000
#define CONTEXT_STRANDS	10
#define STRAND_NS	((CONTEXT_BYTES / 4 / CONTEXT_STRANDS * 1000 + CORE_MHZ - 1) / CORE_MHZ)

const struct card_chip chip_g92 = {
	.name = "G92",
	.boot0 = 0x092000a2,
	.device_id = 0x0605,
	.subsystem_id = 0x062d,
	.revision = 0xa2,
	/* 7 TPs (bits 0-15), 4 partitions (16-23), 2 MPs in each TP (24-27) */
	.units = 0x030f007f,
	.partitions = 4,
	/* 27 MHz crystal */
	.crystal_strap = 0x8000009f,
	.gob_lines = 4,
	.vram_mib = 256,
	.vram_unit = 64,
	.engines = 1,
	.bios_version = 0x62920000,	/* 62.92 */
	.ranges = ranges,
	.range_count = ARRAY_SIZE(ranges),
	.classes = classes,
	.rates = {
		/*
		 * NVIDIA's product page for the GeForce 9800 GT: graphics clock 600 MHz, processor
		 * clock 1500 MHz, 112 processor cores, memory 900 MHz GDDR3 on 256 bits: 57.6 GB/s.
		 */
		.core_mhz = CORE_MHZ,
		.shader_mhz = 1500,
		.vram_mbps = 57600,
		/*
		 * 112 cores are 14 multiprocessors of 8.  A warp of 32 threads therefore takes 4
		 * shader clocks per instruction: CUDA Programming Guide 2.0, section 5.1.1.1, "to
		 * issue one instruction for a warp, the multiprocessor takes 4 clock cycles".
		 */
		.multiprocessors = 14,
		.warp_clocks = 4,
		/*
		 * 16 ROPs, one pixel per clock each (4 partitions of 4; NVIDIA GeForce 8800/9800
		 * technical briefs): 9.6 Gpixel/s at 600 MHz.
		 */
		.rops = 16,
		/*
		 * After a context switch the second-level texture and constant caches hold the
		 * other context's data: 32 KiB in each of 4 partitions (H. Wong et al.,
		 * Demystifying GPU Microarchitecture through Microbenchmarking, ISPASS 2010, for
		 * the same generation: 256 KiB over 8 partitions of the GT200).  How much of it is
		 * fetched again is not published: assumed is anything from none to all, at a
		 * sixteenth of the memory's speed, since the accesses wait for each other: up to 36
		 * us, on average half as much as the switch itself.
		 */
		.cold_bytes = 4 * 32 * 1024,
		.cold_mbps = 57600 / 16,
		.switch_ns = 2 * STRAND_NS,
	},
};

const struct card_chip *card_chip_find(const char *name)
{
	static const struct card_chip *const chips[] = { &chip_g92, &chip_gf100 };

	for (size_t i = 0; name && i < ARRAY_SIZE(chips); i++)
		if (!strcmp(chips[i]->name, name))
			return chips[i];
	return NULL;
}
