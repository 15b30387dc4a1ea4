// SPDX-License-Identifier: GPL-2.0
/*
 * lib.c - the bench for the tests of src/card; lib.h is the manual.
 *
 * Layout of video memory: instance blocks from 1 MiB, page tables at 16 MiB, pushbuffers from 32
 * MiB, fences at 48 MiB, the compute program at 47 MiB.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "lib.h"

#define INST_BASE	0x100000u
#define INST_SIZE	0x20000u
#define INST_DIR	0x200
#define INST_RAMFC	0x4200
#define INST_DMA	0x4400
#define INST_OBJECT	0x4500
#define INST_RAMHT	0x8000
#define PT_VRAM		0x1000000u
#define PT_RAM		0x1010000u
#define RUNLIST		0x1f00000u
#define PUSH_BASE	0x2000000u
#define PUSH_SIZE	0x20000u
#define RING		0x1f000u	/* in the push area: 512 entries */
#define PROGRAM		0x2f00000u
#define PROGRAM_LENGTH	100

#define GUARD		4096

static unsigned int passed, failed;

/* ---- results --------------------------------------------------------------------------------- */

void check(bool good, const char *name, const char *fmt, ...)
{
	va_list args;

	if (good) {
		passed++;
		printf("ok %s\n", name);
		return;
	}
	failed++;
	printf("not ok %s: ", name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void check_eq(const char *name, u64 got, u64 want)
{
	check(got == want, name, "got %#llx, want %#llx", (unsigned long long)got,
	      (unsigned long long)want);
}

int done(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}

/* ---- the host -------------------------------------------------------------------------------- */

static void on_intx(void *ctx, bool level)
{
	struct bench *b = ctx;

	b->intx_rises += level && !b->intx;
	b->intx = level;
}

static void on_msi(void *ctx)
{
	struct bench *b = ctx;

	b->msis++;
}

static void *on_dma(void *ctx, u64 addr, u64 len, bool write)
{
	struct bench *b = ctx;

	(void)write;
	if (addr < BENCH_RAM || addr - BENCH_RAM > BENCH_RAM_SIZE ||
	    len > BENCH_RAM_SIZE - (addr - BENCH_RAM))
		return NULL;
	return b->ram + (addr - BENCH_RAM);
}

static void on_log(void *ctx, const char *what, int chid, u64 value)
{
	struct bench *b = ctx;

	(void)what;
	(void)chid;
	(void)value;
	b->logs++;
}

static s64 on_clock(void *ctx)
{
	struct bench *b = ctx;

	return b->now + b->slow;
}

/*
 * Zeroed memory between two pages that may not be touched.  The address sanitizer's own guards would
 * take longer to set up than most tests run.
 */
static void *fenced(size_t size)
{
	u8 *p = mmap(NULL, size + 2 * GUARD, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD, size, PROT_READ | PROT_WRITE))
		return NULL;
	return p + GUARD;
}

void bench_init(struct bench *b, u32 scale)
{
	bench_init_chip(b, "G92", BENCH_VRAM >> 20, scale);
}

void bench_init_chip(struct bench *b, const char *chip, u32 mib, u32 scale)
{
	struct card_config config = { .chip = chip, .vram_mib = mib, .scale = scale };
	struct card_host host = {
		.ctx = b, .intx = on_intx, .msi = on_msi, .dma = on_dma, .log = on_log,
		.clock = on_clock,
	};

	memset(b, 0, sizeof(*b));
	b->now = 1000000000;
	b->vram_bytes = mib << 20;
	b->vram = fenced(b->vram_bytes);
	b->ram = calloc(1, BENCH_RAM_SIZE);
	config.vram = b->vram;
	b->card = card_create(&config, &host, b->now);
	if (!b->vram || !b->ram || !b->card) {
		puts("Bail out! no card");
		exit(1);
	}
}

void bench_fini(struct bench *b)
{
	card_destroy(b->card);
	munmap(b->vram - GUARD, b->vram_bytes + 2 * GUARD);
	free(b->ram);
}

u32 rd(struct bench *b, u32 reg)
{
	u32 val;

	card_read(b->card, b->now, CARD_BAR0, reg, &val, sizeof(val));
	return val;
}

void wr(struct bench *b, u32 reg, u32 val)
{
	card_write(b->card, b->now, CARD_BAR0, reg, &val, sizeof(val));
}

u8 *bench_mem(struct bench *b, u64 addr)
{
	return addr >= BENCH_GART ? b->ram + (addr - BENCH_GART) : b->vram + addr;
}

u64 face_at(const struct face *f, u32 gob, u64 x, u64 y)
{
	u64 rows = (u64)gob << (f->block >> 4), blocks_x = (f->width + 63) / 64;

	if (f->pitch)
		return f->addr + y * f->pitch + x;
	x += f->x;
	y += f->y;
	return f->addr + (x / 64 + y / rows * blocks_x) * 64 * rows + y % rows / gob * gob * 64 +
	       y % gob * 64 + x % 64;
}

u32 vram32(struct bench *b, u64 addr)
{
	u32 val;

	memcpy(&val, b->vram + addr, sizeof(val));
	return val;
}

void vram_set32(struct bench *b, u64 addr, u32 val)
{
	memcpy(b->vram + addr, &val, sizeof(val));
}

void vram_set64(struct bench *b, u64 addr, u64 val)
{
	memcpy(b->vram + addr, &val, sizeof(val));
}

void bench_pass(struct bench *b, s64 ns)
{
	b->now += ns;
	card_advance(b->card, b->now);
}

void bench_run(struct bench *b, s64 until)
{
	while (card_next_event(b->card) <= until) {
		if (b->now < card_next_event(b->card))
			b->now = card_next_event(b->card);
		card_advance(b->card, b->now);
	}
	b->now = until;
	card_advance(b->card, b->now);
}

void bench_start(struct bench *b)
{
	wr(b, 0x000200, 0xffffffff);
	wr(b, R_PFIFO_INTR_EN, 0xffffffff);
	wr(b, R_GR_INTR_EN, 0xffffffff);
	wr(b, R_GR_FIFO, 0x00010001);
	wr(b, 0x003200, 1);
	wr(b, R_PFIFO_PULL0, 1);
	wr(b, 0x002500, 1);
	wr(b, R_PMC_INTR_EN, 1);
	/* video memory by 64 KiB pages, guest memory by 4 KiB pages */
	for (u32 i = 0; i < BENCH_VRAM >> 16; i++)
		vram_set64(b, PT_VRAM + 8 * i, ((u64)i << 16) | 1);
	for (u32 i = 0; i < BENCH_RAM_SIZE >> 12; i++)
		vram_set64(b, PT_RAM + 8 * i, (BENCH_RAM + ((u64)i << 12)) | 0x21);
	/* the program: long instructions that do nothing, the last one ends it */
	for (u32 i = 0; i < PROGRAM_LENGTH; i++) {
		vram_set32(b, PROGRAM + 8 * i, 0xf0000001);
		vram_set32(b, PROGRAM + 8 * i + 4,
			   i == PROGRAM_LENGTH - 1 ? 0xe0000001 : 0xe0000000);
	}
}

/* ---- channels -------------------------------------------------------------------------------- */

static u32 ramht_slot(u32 handle)
{
	return handle & 511;	/* handles below 512 hash to themselves */
}

static void object(struct bench *b, u32 inst, u32 handle, u32 engine, u32 off)
{
	u32 entry = inst + INST_RAMHT + 8 * ramht_slot(handle);

	vram_set32(b, entry, handle);
	vram_set32(b, entry + 4, engine << 20 | off >> 4);
}

static void runlist_write(struct bench *b)
{
	for (u32 i = 0; i < b->runlist_len; i++)
		vram_set32(b, RUNLIST + 4 * i, b->runlist[i]);
	wr(b, 0x32f4, RUNLIST >> 12);
	wr(b, 0x32ec, b->runlist_len);
}

void chan_open(struct bench *b, u32 chid)
{
	static const struct { u32 handle, engine, oclass; } objects[] = {
		{ BENCH_M2MF, 1, 0x5039 }, { BENCH_2D, 1, 0x502d }, { BENCH_COMPUTE, 1, 0x50c0 },
		{ BENCH_3D, 1, 0x8297 }, { BENCH_SW, 0, 0x506e }, { BENCH_BAD, 1, 0x1234 },
	};
	u32 inst = INST_BASE + chid * INST_SIZE, ramfc = inst + INST_RAMFC;
	u32 push = PUSH_BASE + chid * PUSH_SIZE;

	memset(b->vram + inst, 0, INST_SIZE);
	vram_set64(b, inst + INST_DIR, PT_VRAM | 1);
	vram_set64(b, inst + INST_DIR + 8, PT_RAM | 3);
	vram_set32(b, inst + INST_DMA, 0x3d);
	vram_set32(b, inst + INST_DMA + 4, 0xffffffff);
	vram_set32(b, inst + INST_DMA + 12, 0xff000000);
	object(b, inst, BENCH_DMA, 0, INST_DMA);
	for (u32 i = 0; i < ARRAY_LEN(objects); i++) {
		vram_set32(b, inst + INST_OBJECT + 16 * i, objects[i].oclass);
		object(b, inst, objects[i].handle, objects[i].engine, INST_OBJECT + 16 * i);
	}
	vram_set32(b, ramfc + 0x48, INST_DMA >> 4);
	vram_set32(b, ramfc + 0x50, push + RING);
	vram_set32(b, ramfc + 0x54, 9 << 16);
	vram_set32(b, ramfc + 0x80, 4 << 24 | INST_RAMHT >> 4);
	vram_set32(b, ramfc + 0x98, inst >> 12);
	b->chan[chid].inst = inst;
	b->chan[chid].push = push;
	b->chan[chid].start = push;
	b->chan[chid].put = 0;
	wr(b, 0x2600 + 4 * chid, 0x80000000 | ramfc >> 8);
	b->runlist[b->runlist_len++] = chid;
	runlist_write(b);
}

void chan_close(struct bench *b, u32 chid)
{
	u32 n = 0;

	wr(b, 0x2600 + 4 * chid, 0);
	for (u32 i = 0; i < b->runlist_len; i++)
		if (b->runlist[i] != chid)
			b->runlist[n++] = b->runlist[i];
	b->runlist_len = n;
	runlist_write(b);
}

void chan_word(struct bench *b, u32 chid, u32 word)
{
	vram_set32(b, b->chan[chid].push, word);
	b->chan[chid].push += 4;
}

void chan_mthd(struct bench *b, u32 chid, u32 sub, u32 mthd, u32 data)
{
	chan_word(b, chid, 1 << 18 | sub << 13 | mthd);
	chan_word(b, chid, data);
}

void chan_bind(struct bench *b, u32 chid, u32 sub)
{
	chan_mthd(b, chid, sub, 0x0000, sub + BENCH_M2MF);
	switch (sub) {
	case SUB_M2MF:
	case SUB_2D:
		chan_mthd(b, chid, sub, 0x0184, BENCH_DMA);
		chan_mthd(b, chid, sub, 0x0188, BENCH_DMA);
		break;
	case SUB_COMPUTE:
		chan_mthd(b, chid, sub, 0x01a4, BENCH_DMA);
		chan_mthd(b, chid, sub, 0x01c0, BENCH_DMA);
		break;
	case SUB_3D:
		chan_mthd(b, chid, sub, 0x0188, BENCH_DMA);
		break;
	}
}

void chan_launch(struct bench *b, u32 chid, u32 blocks)
{
	chan_mthd(b, chid, SUB_COMPUTE, 0x0210, 0);
	chan_mthd(b, chid, SUB_COMPUTE, 0x0214, PROGRAM);
	chan_mthd(b, chid, SUB_COMPUTE, 0x03a4, 1 << 16 | blocks);
	chan_mthd(b, chid, SUB_COMPUTE, 0x03ac, 1 << 16 | 256);
	chan_mthd(b, chid, SUB_COMPUTE, 0x03b0, 1);
	chan_mthd(b, chid, SUB_COMPUTE, 0x02b4, 256);
	chan_mthd(b, chid, SUB_COMPUTE, 0x0368, 0);
}

s64 launch_ns(u32 blocks)
{
	s64 clocks = 8 * PROGRAM_LENGTH * 4;
	/* 1.5 clocks per ns; 14 multiprocessors, but a block runs on one */
	s64 one = (clocks * 2 + 2) / 3, all = (blocks * clocks + 20) / 21;

	return one > all ? one : all;
}

static void chan_sema(struct bench *b, u32 chid, u64 addr, u32 seq, u32 op)
{
	chan_mthd(b, chid, 0, 0x0060, BENCH_DMA);
	chan_mthd(b, chid, 0, 0x0010, (u32)(addr >> 32));
	chan_mthd(b, chid, 0, 0x0014, (u32)addr);
	chan_mthd(b, chid, 0, 0x0018, seq);
	chan_mthd(b, chid, 0, 0x001c, op);
}

void chan_fence(struct bench *b, u32 chid, u32 seq)
{
	chan_sema(b, chid, FENCE(chid), seq, 2);
	chan_mthd(b, chid, 0, 0x0020, 0);
}

void chan_acquire(struct bench *b, u32 chid, u64 addr, u32 seq, u32 op)
{
	chan_sema(b, chid, addr, seq, op);
}

void chan_kick(struct bench *b, u32 chid)
{
	u32 base = PUSH_BASE + chid * PUSH_SIZE;
	u32 bytes = b->chan[chid].push - b->chan[chid].start;
	u32 entry = base + RING + 8 * b->chan[chid].put;

	vram_set32(b, entry, b->chan[chid].start);
	vram_set32(b, entry + 4, bytes / 4 << 10);
	b->chan[chid].put = (b->chan[chid].put + 1) & 511;
	b->chan[chid].start = b->chan[chid].push;
	wr(b, 0xc00000 + chid * 0x2000 + 0x8c, b->chan[chid].put);
	/* room for the next one; what has been executed may be overwritten */
	if (b->chan[chid].push > base + RING - 0x2000) {
		b->chan[chid].push = base;
		b->chan[chid].start = base;
	}
}

/* ---- GF100 ----------------------------------------------------------------------------------- */

#define GF_BAR_INST	0xf0000u
#define GF_DIR		0x1000000u
#define GF_TABLE_VRAM	0x1010000u
#define GF_TABLE_RAM	0x1020000u

void gf_space(struct bench *b, u32 inst)
{
	vram_set64(b, inst + 0x200, GF_DIR);
	vram_set64(b, inst + 0x208, (1ull << 40) - 1);
}

void gf_start(struct bench *b)
{
	wr(b, 0x000200, 0xffffffff);
	wr(b, 0x000204, 0xffffffff);
	wr(b, 0x000640, 0xffffffff);
	wr(b, R_PFIFO_INTR_EN, 0xffffffff);
	wr(b, 0x002254, 1u << 28 | GF_USERD >> 12);
	wr(b, R_GR_INTR_EN, 0xffffffff);
	wr(b, R_GR_FIFO, 0x00010001);
	wr(b, R_PMC_INTR_EN, 1);
	/* video memory by large pages, guest memory by 4 KiB pages: 0x20000000 is entry 4 */
	vram_set64(b, GF_DIR, GF_TABLE_VRAM >> 8 | 1);
	for (u64 i = 0; i < b->vram_bytes >> 17; i++)
		vram_set64(b, GF_TABLE_VRAM + 8 * i, i << 17 >> 8 | 1);
	vram_set64(b, GF_DIR + 8 * 4, ((u64)(GF_TABLE_RAM >> 8) | 1) << 32);
	for (u64 i = 0; i < BENCH_RAM_SIZE >> 12; i++)
		vram_set64(b, GF_TABLE_RAM + 8 * i, (BENCH_RAM + (i << 12)) >> 8 | 5ull << 32 | 1);
	gf_space(b, GF_BAR_INST);
	wr(b, 0x001704, 1u << 31 | GF_BAR_INST >> 12);
	for (u32 i = 0; i < PROGRAM_LENGTH; i++) {
		vram_set32(b, PROGRAM + 8 * i, i == PROGRAM_LENGTH - 1 ? 0x00001de7 : 0x00001c00);
		vram_set32(b, PROGRAM + 8 * i + 4,
			   i == PROGRAM_LENGTH - 1 ? 0x80000000 : 0x30000000);
	}
}

static void gf_runlist(struct bench *b)
{
	for (u32 i = 0; i < b->runlist_len; i++)
		vram_set64(b, RUNLIST + 8 * i, 4ull << 32 | b->runlist[i]);
	wr(b, 0x2270, RUNLIST >> 12);
	wr(b, 0x2274, 0x01f00000 | b->runlist_len);
}

void gf_open(struct bench *b, u32 chid)
{
	u32 inst = INST_BASE + chid * INST_SIZE, push = PUSH_BASE + chid * PUSH_SIZE;

	memset(b->vram + inst, 0, 0x1000);
	memset(b->vram + GF_USERD + chid * 0x1000, 0, 0x1000);
	gf_space(b, inst);
	vram_set32(b, inst + 0x08, GF_USERD + chid * 0x1000);
	vram_set32(b, inst + 0x48, push + RING);
	vram_set32(b, inst + 0x4c, 9 << 16);
	b->chan[chid].inst = inst;
	b->chan[chid].push = push;
	b->chan[chid].start = push;
	b->chan[chid].put = 0;
	wr(b, 0x3000 + 8 * chid, 0xc0000000 | inst >> 12);
	wr(b, 0x3004 + 8 * chid, 0x001f0001);
	b->runlist[b->runlist_len++] = chid;
	gf_runlist(b);
}

void gf_close(struct bench *b, u32 chid)
{
	u32 n = 0;

	wr(b, 0x3004 + 8 * chid, 0);
	wr(b, 0x3000 + 8 * chid, 0);
	for (u32 i = 0; i < b->runlist_len; i++)
		if (b->runlist[i] != chid)
			b->runlist[n++] = b->runlist[i];
	b->runlist_len = n;
	gf_runlist(b);
}

void gf_mthd(struct bench *b, u32 chid, u32 sub, u32 mthd, u32 data)
{
	chan_word(b, chid, 1u << 29 | 1 << 16 | sub << 13 | mthd >> 2);
	chan_word(b, chid, data);
}

void gf_launch(struct bench *b, u32 chid, u32 blocks)
{
	gf_mthd(b, chid, SUB_COMPUTE, 0, 0x90c0);
	gf_mthd(b, chid, SUB_COMPUTE, 0x1608, 0);
	gf_mthd(b, chid, SUB_COMPUTE, 0x160c, PROGRAM);
	gf_mthd(b, chid, SUB_COMPUTE, 0x0238, 1 << 16 | blocks);
	gf_mthd(b, chid, SUB_COMPUTE, 0x023c, 1);
	gf_mthd(b, chid, SUB_COMPUTE, 0x03ac, 1 << 16 | 256);
	gf_mthd(b, chid, SUB_COMPUTE, 0x03b0, 1);
	gf_mthd(b, chid, SUB_COMPUTE, 0x0368, 0);
}

void gf_copy(struct bench *b, u32 chid, u32 engine, u64 from, u64 to, u32 lines)
{
	const u32 words[] = {
		(u32)(from >> 32), (u32)from, (u32)(to >> 32), (u32)to, 4096, 4096, 4096, lines
	};

	gf_mthd(b, chid, 4, 0, engine << 16 | (engine == 4 ? 0x90b5 : 0x90b8));
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		gf_mthd(b, chid, 4, 0x30c + 4 * i, words[i]);
	gf_mthd(b, chid, 4, 0x300, 0x110);
}

void gf_semaphore(struct bench *b, u32 chid, u64 addr, u32 seq, u32 op)
{
	gf_mthd(b, chid, 0, 0x0010, (u32)(addr >> 32));
	gf_mthd(b, chid, 0, 0x0014, (u32)addr);
	gf_mthd(b, chid, 0, 0x0018, seq);
	gf_mthd(b, chid, 0, 0x001c, op);
}

void gf_fence(struct bench *b, u32 chid, u32 seq)
{
	gf_semaphore(b, chid, FENCE(chid), seq, 2);
	gf_mthd(b, chid, 0, 0x0020, 0);
}

void gf_put(struct bench *b, u32 chid, u32 put)
{
	card_write(b->card, b->now, CARD_BAR1, GF_USERD + chid * 0x1000 + 0x8c, &put, sizeof(put));
}

void gf_kick(struct bench *b, u32 chid)
{
	u32 base = PUSH_BASE + chid * PUSH_SIZE, entry = base + RING + 8 * b->chan[chid].put;

	vram_set32(b, entry, b->chan[chid].start);
	vram_set32(b, entry + 4, (b->chan[chid].push - b->chan[chid].start) / 4 << 10);
	b->chan[chid].put = (b->chan[chid].put + 1) & 511;
	b->chan[chid].start = b->chan[chid].push;
	gf_put(b, chid, b->chan[chid].put);
	if (b->chan[chid].push > base + RING - 0x4000) {
		b->chan[chid].push = base;
		b->chan[chid].start = base;
	}
}

/* ---- vfio-user ------------------------------------------------------------------------------- */

bool vfu_send(int fd, const void *buf, size_t len, int pass)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1 };

	if (pass >= 0) {
		struct cmsghdr *c;

		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass, sizeof(pass));
	}
	return sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}
