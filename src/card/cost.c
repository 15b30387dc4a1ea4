// SPDX-License-Identifier: GPL-2.0
/*
 * cost.c - how long things take on the card.
 *
 * The chip's rates, each with its published source, are in its own file (g92.c, gf100.c); what is
 * the same for both is here.  Nothing is tuned by a result.  Pure functions; called by the engines
 * and their classes.  All results are at least 1 ns and saturate instead of overflowing, so that a
 * guest may ask for any amount of work.
 */
#include "cost.h"
#include "chip.h"

#define WARP_THREADS	32

/* Assumed, as no source of NVIDIA's gives it: a vertex is fetched and set up per core clock. */

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

/* a * b / c, rounded up, at least 1, saturated well below what a scale of 1000 would overflow. */
static s64 muldiv(u64 a, u64 b, u64 c)
{
	const u64 most = INT64_MAX / 4000;
	u128 x = ((u128)a * b + c - 1) / c;

	if (x > most)
		return most;
	return x ? (s64)x : 1;
}

s64 cost_methods(const struct card_chip *chip, u64 methods)
{
	return muldiv(methods * METHOD_CLOCKS, 1000, chip->rates.core_mhz);
}

s64 cost_switch(const struct card_chip *chip)
{
	return chip->rates.switch_ns;
}

s64 cost_switch_copy(const struct card_chip *chip)
{
	return chip->rates.copy_switch_ns;
}

/*
 * cost_launch() - a compute launch of @blocks blocks of @threads threads, each executing
 * @instructions: the warps share the multiprocessors evenly, but no block is spread over two.
 */
s64 cost_launch(const struct card_chip *chip, u64 blocks, u32 threads, u32 instructions)
{
	const struct card_rates *r = &chip->rates;
	u64 warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
	u64 clocks = warps * instructions * r->warp_clocks;
	s64 one = muldiv(clocks, 1000, r->shader_mhz);
	s64 all = muldiv(clocks, blocks * 1000, (u64)r->multiprocessors * r->shader_mhz);

	return one > all ? one : all;
}

/* cost_memory() - bytes moved to or from video memory and system memory; the two overlap */
s64 cost_memory(const struct card_chip *chip, u64 vram_bytes, u64 system_bytes)
{
	s64 vram = muldiv(vram_bytes, 1000, chip->rates.vram_mbps);
	s64 system = muldiv(system_bytes, 1000, PCIE_MBPS);

	return vram > system ? vram : system;
}

/* cost_pixels() - pixels written by the ROPs, and the bytes that it takes to do so */
s64 cost_pixels(const struct card_chip *chip, u64 pixels, u64 vram_bytes, u64 system_bytes)
{
	s64 rop = muldiv(pixels, 1000, chip->rates.rops * chip->rates.core_mhz);
	s64 memory = cost_memory(chip, vram_bytes, system_bytes);

	return rop > memory ? rop : memory;
}

/*
 * cost_draw() - @vertices through a program of that many instructions, @pixels through another:
 * both share the multiprocessors; set-up and ROPs work beside them
 */
s64 cost_draw(const struct card_chip *chip, u64 vertices, u32 vertex_program, u64 pixels,
	      u32 pixel_program, u64 vram_bytes)
{
	const struct card_rates *r = &chip->rates;
	u64 warps_v = vertices / WARP_THREADS + 1, warps_p = pixels / WARP_THREADS + 1;
	u64 clocks = (warps_v * vertex_program + warps_p * pixel_program) * r->warp_clocks;
	s64 shade = muldiv(clocks, 1000, (u64)r->multiprocessors * r->shader_mhz);
	s64 setup = muldiv(vertices, 1000, r->core_mhz);
	s64 raster = cost_pixels(chip, pixels, vram_bytes, 0);

	if (setup > shade)
		shade = setup;
	return raster > shade ? raster : shade;
}

/* cost_cold() - what finding the caches cold takes, once after a switch */
s64 cost_cold(const struct card_chip *chip, u64 random)
{
	return muldiv(random % chip->rates.cold_bytes, 1000, chip->rates.cold_mbps);
}

/* cost_jitter() - how much longer, or with a negative sign shorter, work of @ns takes */
s64 cost_jitter(s64 ns, u64 random)
{
	s64 most = ns / 1000 * JITTER_PER_MILLE;

	return most ? (s64)(random % (u64)(2 * most + 1)) - most : 0;
}
