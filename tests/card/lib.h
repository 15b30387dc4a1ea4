/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib.h - a card on a bench: what every test of src/card needs.
 *
 * struct bench holds a card with 64 MiB of video memory, one megabyte of guest memory at
 * BENCH_RAM, and what the card did to its host.  Time is bench->now and moves only when a test
 * says so.
 *
 * Results go to stdout, a line each; done() prints the totals and gives main() its exit status.
 */
#ifndef CARD_TEST_LIB_H
#define CARD_TEST_LIB_H

#include "card.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#define BENCH_VRAM	(64u << 20)
#define BENCH_RAM	0x80000000ull	/* guest-physical */
#define BENCH_RAM_SIZE	(1u << 20)

/* GPU addresses: video memory is at 0, guest memory at BENCH_GART. */
#define BENCH_GART	0x20000000ull

/* Registers that many tests use. */
enum {
	R_PMC_INTR = 0x100, R_PMC_INTR_EN = 0x140, R_PFIFO_INTR = 0x2100, R_PFIFO_INTR_EN = 0x2140,
	R_PFIFO_PULL0 = 0x3250, R_GR_INTR = 0x400100, R_GR_INTR_EN = 0x40013c, R_GR_FIFO = 0x400500,
	R_GR_STATUS = 0x400700, R_GR_CTX = 0x40032c, R_CUR_CHAN = 0x3204,
};

struct bench {
	struct card *card;
	s64 now;
	s64 slow;		/* how long every call has taken when it looks at the clock */
	u8 *vram;
	u32 vram_bytes;
	u8 *ram;
	bool intx;
	unsigned int intx_rises;
	unsigned int msis;
	unsigned int logs;
	u32 runlist[128];
	u32 runlist_len;
	struct {
		u32 inst;	/* instance block */
		u32 push;	/* next free pushbuffer word, both video memory and GPU address */
		u32 start;	/* where the entry being built begins */
		u32 put;
	} chan[128];
};

/* A card as it comes out of reset; @scale as in struct card_config. */
void bench_init(struct bench *b, u32 scale);
void bench_init_chip(struct bench *b, const char *chip, u32 mib, u32 scale);
void bench_fini(struct bench *b);

/* The driver's start-up: interrupts on, PFIFO and PGRAPH running. */
void bench_start(struct bench *b);

/* Let time pass: @ns in one step, with the card told only at its end. */
void bench_pass(struct bench *b, s64 ns);
/* Let time pass until @until, telling the card exactly when its events are due. */
void bench_run(struct bench *b, s64 until);

u32 rd(struct bench *b, u32 reg);
void wr(struct bench *b, u32 reg, u32 val);
u32 vram32(struct bench *b, u64 addr);
void vram_set32(struct bench *b, u64 addr, u32 val);
void vram_set64(struct bench *b, u64 addr, u64 val);
/* A byte by its GPU address. */
u8 *bench_mem(struct bench *b, u64 addr);

/* A picture in memory, and what of it a copy begins with. */
struct face {
	u64 addr;
	u32 pitch;		/* 0: block-linear, described by: */
	u32 width, height, block, x, y;
};

#define LINES(addr, pitch)	{ addr, pitch, 0, 0, 0, 0, 0 }

/* Where byte (@x, @y) of it is, in gobs of @gob lines: envytools' formulae, written out again. */
u64 face_at(const struct face *f, u32 gob, u64 x, u64 y);

/*
 * Channel @chid with objects by handle: 1 a DMA object of the whole GPU address space; BENCH_M2MF,
 * BENCH_2D, BENCH_COMPUTE, BENCH_3D engine objects, bound to subchannels of that number minus 0x10.
 */
enum { BENCH_DMA = 1, BENCH_M2MF = 0x10, BENCH_2D, BENCH_COMPUTE, BENCH_3D, BENCH_SW, BENCH_BAD };
enum { SUB_M2MF, SUB_2D, SUB_COMPUTE, SUB_3D, SUB_SW, SUB_BAD };

void chan_open(struct bench *b, u32 chid);
void chan_close(struct bench *b, u32 chid);

/* Build a ring entry: commands, then chan_kick() to make it valid and ring the doorbell. */
void chan_word(struct bench *b, u32 chid, u32 word);
void chan_mthd(struct bench *b, u32 chid, u32 sub, u32 mthd, u32 data);
void chan_bind(struct bench *b, u32 chid, u32 sub);	/* and give the object its DMA objects */
void chan_launch(struct bench *b, u32 chid, u32 blocks);	/* 256 threads, 100 instructions */
void chan_fence(struct bench *b, u32 chid, u32 seq);	/* release at FENCE(chid), and interrupt */
void chan_acquire(struct bench *b, u32 chid, u64 addr, u32 seq, u32 op);
void chan_kick(struct bench *b, u32 chid);

#define FENCE(chid)	(0x3000000u + (chid) * 16)

/*
 * The same for a GF100 of GF_VRAM MiB: video memory at GPU address 0 and in BAR1, guest memory at
 * BENCH_GART, where the directory's entry 4 begins.  Commands are one method each.
 */
#define GF_VRAM		96
#define GF_USERD	0x1e00000u	/* doorbell pages, in video memory and in BAR1 */
void gf_start(struct bench *b);
void gf_space(struct bench *b, u32 inst);	/* the instance block has that address space */
void gf_open(struct bench *b, u32 chid);
void gf_close(struct bench *b, u32 chid);
void gf_mthd(struct bench *b, u32 chid, u32 sub, u32 mthd, u32 data);
void gf_launch(struct bench *b, u32 chid, u32 blocks);	/* 256 threads, 100 instructions */
void gf_copy(struct bench *b, u32 chid, u32 engine, u64 from, u64 to, u32 lines);	/* of 4 KiB */
void gf_semaphore(struct bench *b, u32 chid, u64 addr, u32 seq, u32 op);
void gf_fence(struct bench *b, u32 chid, u32 seq);
void gf_put(struct bench *b, u32 chid, u32 put);
void gf_kick(struct bench *b, u32 chid);

/* A vfio-user message begins with this. */
struct vfu_head { u16 id, cmd; u32 size, flags, error; };

/* Sends @len bytes, and the descriptor @pass unless it is -1.  False: not all went. */
bool vfu_send(int fd, const void *buf, size_t len, int pass);

/* How long chan_launch() should take: blocks of 8 warps, 100 instructions, 4 clocks at 1.5 GHz. */
s64 launch_ns(u32 blocks);

/* One result.  The row's name, and when it failed, what was seen. */
void check(bool good, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* a == b, for integers */
void check_eq(const char *name, u64 got, u64 want);
int done(void);

#endif
