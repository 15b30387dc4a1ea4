// SPDX-License-Identifier: GPL-2.0
/*
 * cost.c - how long things take on a GeForce 9800 GT.
 *
 * Every constant has its published source beside it, and is left alone: no result is tuned here.
 * Pure functions; called by PGRAPH and its classes.  All results are at least 1 ns and saturate
 * instead of overflowing, so that a guest may ask for any amount of work.
 */
#include "priv.h"

/*
 * Clocks: NVIDIA's product page for the GeForce 9800 GT: graphics clock 600 MHz, processor clock
 * 1500 MHz, 112 processor cores, memory 900 MHz GDDR3 on 256 bits: 57.6 GB/s.
 */
#define CORE_MHZ	600
#define SHADER_MHZ	1500
#define VRAM_MBPS	57600

/*
 * 112 cores are 14 multiprocessors of 8.  A warp of 32 threads therefore takes 4 shader clocks per
 * instruction: CUDA Programming Guide 2.0, section 5.1.1.1, "to issue one instruction for a warp,
 * the multiprocessor takes 4 clock cycles".
 */
#define MULTIPROCESSORS	14
#define WARP_THREADS	32
#define WARP_CLOCKS	4

/*
 * 16 ROPs, one pixel per clock each (4 partitions of 4; NVIDIA GeForce 8800/9800 technical briefs):
 * 9.6 Gpixel/s at 600 MHz.
 */
#define ROPS		16

/* Assumed, as no source of NVIDIA's gives it: a vertex is fetched and set up per core clock. */

/*
 * After a context switch the second-level texture and constant caches hold the other context's
 * data: 32 KiB in each of 4 partitions (H. Wong et al., Demystifying GPU Microarchitecture
 * through Microbenchmarking, ISPASS 2010, for the same generation: 256 KiB over 8 partitions of
 * the GT200).  How much of it is fetched again is not published: assumed is anything from none
 * to all, at a sixteenth of the memory's speed, since the accesses wait for each other: up to 36
 * us, on average half as much as the switch itself.
 */
#define COLD_BYTES	(4 * 32 * 1024)
#define COLD_MBPS	(VRAM_MBPS / 16)

/* Assumed, as no source gives it: work takes up to half a percent less or more. */
#define JITTER_PER_MILLE	5

/*
 * PCI Express 2.0, 16 lanes: 5 GT/s, 8b/10b coded, is 8 GB/s; packets carry 128 bytes of payload
 * in 152 (16 header with 64-bit address, 4 LCRC, 2 sequence, 2 framing): PCI Express Base
 * Specification 2.0, chapters 2-4.  6.7 GB/s; measurements of such boards are between 5.5 and
 * 6.5.
 */
#define PCIE_MBPS	6736

/*
 * The front end decodes one method per core clock: envytools, PGRAPH, and the pusher's one word
 * per clock.  It only keeps the time of a stream of pure state changes from being nothing.
 */
#define METHOD_CLOCKS	1

/*
 * A context switch saves one context image and loads another.  CONTEXT_BYTES is the size of the
 * image that nouveau computes for these units (nv50_grctx_init, as seen in the descriptors it
 * writes); strands move it, one word per core clock each, 10 of them at once (ctxnv50.c has 8 for
 * pipeline state and 2 for TP state), and the two transfers follow one another.  35 us; LoGA,
 * section 2.2, calls it "virtually no overhead" beside kernels of milliseconds.
 */
#define CONTEXT_BYTES	0x67000
#define CONTEXT_STRANDS	10

/* a * b / c, rounded up, at least 1, saturated well below what a scale of 1000 would overflow. */
static s64 muldiv(u64 a, u64 b, u64 c)
{
	const u64 most = INT64_MAX / 4000;
	u128 x = ((u128)a * b + c - 1) / c;

	if (x > most)
		return most;
	return x ? (s64)x : 1;
}

s64 cost_methods(u64 methods)
{
	return muldiv(methods * METHOD_CLOCKS, 1000, CORE_MHZ);
}

s64 cost_switch(void)
{
	return 2 * muldiv(CONTEXT_BYTES / 4 / CONTEXT_STRANDS, 1000, CORE_MHZ);
}

/*
 * cost_launch() - a compute launch of @blocks blocks of @threads threads, each executing
 * @instructions: the warps share the multiprocessors evenly, but no block is spread over two.
 */
s64 cost_launch(u64 blocks, u32 threads, u32 instructions)
{
	u64 warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
	u64 clocks = warps * instructions * WARP_CLOCKS;
	s64 one = muldiv(clocks, 1000, SHADER_MHZ);
	s64 all = muldiv(clocks, blocks * 1000, (u64)MULTIPROCESSORS * SHADER_MHZ);

	return one > all ? one : all;
}

/* cost_memory() - bytes moved to or from video memory and system memory; the two overlap */
s64 cost_memory(u64 vram_bytes, u64 system_bytes)
{
	s64 vram = muldiv(vram_bytes, 1000, VRAM_MBPS);
	s64 system = muldiv(system_bytes, 1000, PCIE_MBPS);

	return vram > system ? vram : system;
}

/* cost_pixels() - pixels written by the ROPs, and the bytes that it takes to do so */
s64 cost_pixels(u64 pixels, u64 vram_bytes, u64 system_bytes)
{
	s64 rop = muldiv(pixels, 1000, ROPS * CORE_MHZ);
	s64 memory = cost_memory(vram_bytes, system_bytes);

	return rop > memory ? rop : memory;
}

/*
 * cost_draw() - @vertices through a program of that many instructions, @pixels through another:
 * both share the multiprocessors; set-up and ROPs work beside them
 */
s64 cost_draw(u64 vertices, u32 vertex_program, u64 pixels, u32 pixel_program, u64 vram_bytes)
{
	u64 warps_v = vertices / WARP_THREADS + 1, warps_p = pixels / WARP_THREADS + 1;
	u64 clocks = (warps_v * vertex_program + warps_p * pixel_program) * WARP_CLOCKS;
	s64 shade = muldiv(clocks, 1000, (u64)MULTIPROCESSORS * SHADER_MHZ);
	s64 setup = muldiv(vertices, 1000, CORE_MHZ);
	s64 raster = cost_pixels(pixels, vram_bytes, 0);

	if (setup > shade)
		shade = setup;
	return raster > shade ? raster : shade;
}

/* cost_cold() - what finding the caches cold takes, once after a switch */
s64 cost_cold(u64 random)
{
	return muldiv(random % COLD_BYTES, 1000, COLD_MBPS);
}

/* cost_jitter() - how much longer, or with a negative sign shorter, work of @ns takes */
s64 cost_jitter(s64 ns, u64 random)
{
	s64 most = ns / 1000 * JITTER_PER_MILLE;

	return most ? (s64)(random % (u64)(2 * most + 1)) - most : 0;
}
