/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much work makes how much GPU time. The rates are published figures of the GeForce 9800 GT
 * (G92) and of the GeForce GTX 480 (GF100); nothing here is measured or tuned. Pure functions.
 */
#ifndef TGL_WORK_H
#define TGL_WORK_H

#include <stdint.h>

/**
 * enum tgl_kind - which part of the engine does the work
 * @TGL_COMPUTE: a straight-line program launched over a grid of blocks
 * @TGL_FILL: a solid rectangle by the 2D engine
 * @TGL_COPY: a copy by the memory-to-memory engine
 * @TGL_UPLOAD: copies by it from the system's memory, one after the other
 */
enum tgl_kind {
	TGL_COMPUTE,
	TGL_FILL,
	TGL_COPY,
	TGL_UPLOAD,
};

/**
 * struct tgl_rates - what a card does in a microsecond
 * @name: the card
 * @processors: multiprocessors, the least number of blocks that keeps them all busy
 * @clocks: of all its multiprocessors together
 * @insn_clocks: clocks that one of them takes for an instruction of a warp of 32 threads
 * @pixels: 32-bit pixels filled
 * @bytes: bytes read and written in its memory
 * @link: bytes that come to it from the system's memory
 */
struct tgl_rates {
	const char *name;
	uint32_t processors;
	uint32_t clocks;
	uint32_t insn_clocks;
	uint32_t pixels;
	uint32_t bytes;
	uint32_t link;
};

extern const struct tgl_rates tgl_g92, tgl_gf100;

/* The program that a launch runs: every instruction 64 bits long, the last one exits. */
#define TGL_PROGRAM_INSNS	256
#define TGL_PROGRAM_WORDS	(2 * TGL_PROGRAM_INSNS)
#define TGL_PROGRAM_REGS	8
/* Threads in a block: two warps, so that blocks on one processor hide each other's latency. */
#define TGL_BLOCK_THREADS	64

/* Fills and copies work on lines of 4096 bytes, 1024 pixels of 4 bytes. */
#define TGL_LINE_BYTES		4096
#define TGL_LINE_PIXELS		1024
/* Copies start at one of this many lines of their source, so that successive groups differ. */
#define TGL_COPY_STARTS		16
/* With the copies' extra lines, or a guard line behind what is written, a buffer is 4 MiB. */
#define TGL_LINES_MAX		(1024 - TGL_COPY_STARTS)
/* Uploads are of so many lines each, half a MiB, as drivers do it piece by piece. */
#define TGL_UPLOAD_LINES	128
/* As many as a push buffer has room for. */
#define TGL_PASSES_MAX		256

/**
 * struct tgl_work - one command group's worth of work
 * @kind: what does it
 * @grid_x: compute: blocks in a row of the grid, 1 to 65535
 * @grid_y: compute: rows of the grid, 1 to 65535
 * @lines: fill, copy and upload: lines written, 1 to TGL_LINES_MAX
 * @passes: copy and upload: how often, 1 to TGL_PASSES_MAX
 * @ps: the GPU time that this is by the published rates, in picoseconds
 */
struct tgl_work {
	enum tgl_kind kind;
	uint32_t grid_x;
	uint32_t grid_y;
	uint32_t lines;
	uint32_t passes;
	uint64_t ps;
};

/**
 * tgl_work_size - choose the amount of work that takes a given time
 * @rates: on which card
 * @kind: what shall do the work
 * @cost_ns: the wanted GPU time in nanoseconds, at most 120 s
 *
 * Fills and copies are cut to what fits their buffers (on the G92 about 107 us and 143 us), uploads
 * to about 20 ms; nothing is smaller than the card can do: a block for each multiprocessor, one
 * line, one upload.
 *
 * Return: the work; its ps says what it really asks for.
 */
struct tgl_work tgl_work_size(const struct tgl_rates *rates, enum tgl_kind kind,
			      uint64_t cost_ns);

/**
 * tgl_vary - the GPU time of a group where frames differ
 * @cost_ns: in the mean, nanoseconds, 1 to 60 s
 * @percent: how far from that it may be, 0 to 100
 * @seed: which sequence, any number
 * @frame: the frame's number, from 0
 *
 * A function of its arguments alone. Over any stretch of frames the costs are spread evenly
 * between the bounds, so that two runs of different length ask for the same in the mean.
 *
 * Return: nanoseconds, from @cost_ns less @percent to @cost_ns and @percent.
 */
uint64_t tgl_vary(uint64_t cost_ns, unsigned int percent, uint32_t seed, uint64_t frame);

/**
 * tgl_program - write the compute program
 * @words: room for TGL_PROGRAM_WORDS words, as the card reads them
 */
void tgl_program(uint32_t *words);

/** tgl_program_gf100 - the same for Fermi's instructions */
void tgl_program_gf100(uint32_t *words);

#endif
