// SPDX-License-Identifier: GPL-2.0
/*
 * hostile.c - a guest that means harm: random registers, ring entries, methods, page tables and
 * instance blocks, on a G92 and on a GF100.  The sanitizers watch; what is checked is that no call
 * does unbounded work, and that the ground truth still adds up.
 *
 * usage: card_hostile [ROUNDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

/* Calls to card_advance() that one step may need before the card has caught up. */
#define ADVANCES_MAX	200000

static u64 state;

static u32 rnd(u32 below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((state >> 33) % below);
}

/* A number of a kind that breaks things. */
static u32 nasty(void)
{
	switch (rnd(6)) {
	case 0:
		return 0;
	case 1:
		return ~0u;
	case 2:
		return 1u << rnd(32);
	case 3:
		return rnd(256);
	case 4:
		return 0x2000000 + rnd(0x2000000);
	default:
		return rnd(0x10000) << 16 | rnd(0x10000);
	}
}

static const struct { u32 base, size; } places[] = {
	{ 0x000000, 0x400 }, { 0x001000, 0x800 }, { 0x002000, 0x2000 }, { 0x009000, 0x500 },
	{ 0x070000, 0x10 }, { 0x088000, 0x200 }, { 0x100c00, 0x100 }, { 0x300000, 0x1000 },
	{ 0x400000, 0x1000 }, { 0x408000, 0x1000 }, { 0x700000, 0x1000 }, { 0xc00000, 0x100000 },
	{ 0, 0x1000000 },
};

static void poke_register(struct bench *b)
{
	u32 p = rnd(ARRAY_LEN(places)), off = places[p].base + (rnd(places[p].size) & ~3u);
	u8 buf[16];

	if (rnd(2)) {
		/* switching units off, or freezing, ends the fun too often */
		if (off == 0x200 || off == 0x2504 || off == R_GR_FIFO || off == R_PFIFO_PULL0)
			return;
		wr(b, off, nasty());
	} else {
		card_read(b->card, b->now, CARD_BAR0, off + rnd(4), buf, 1 + rnd(8));
	}
}

static void poke_window(struct bench *b)
{
	static const int regions[] = { CARD_BAR1, CARD_BAR3, CARD_CONFIG, 2, 8 };
	int region = regions[rnd(ARRAY_LEN(regions))];
	u64 off = rnd(2) ? rnd(4096) : (u64)nasty() << rnd(16);
	u8 buf[64] = { 0 };

	if (rnd(2))
		card_write(b->card, b->now, region, off, buf, 1 + rnd(sizeof(buf)));
	else
		card_read(b->card, b->now, region, off, buf, 1 + rnd(sizeof(buf)));
}

/* Methods that start something. */
static const struct { u32 sub, mthd; } starts[] = {
	{ SUB_M2MF, 0x328 }, { SUB_2D, 0x60c }, { SUB_2D, 0x8dc }, { SUB_2D, 0x860 },
	{ SUB_2D, 0x5e0 }, { SUB_COMPUTE, 0x368 }, { SUB_COMPUTE, 0x31c }, { SUB_3D, 0x1b0c },
	{ 0, 0x1c }, { 0, 0x20 }, { 0, 0x60 }, { 0, 0x68 }, { 0, 0x6c }, { 0, 0x50 },
};

static void push_methods(struct bench *b, u32 chid)
{
	u32 n = 1 + rnd(40);

	while (n--) {
		u32 s = rnd(ARRAY_LEN(starts));

		switch (rnd(8)) {
		case 0:
			chan_word(b, chid, nasty());
			break;
		case 1:
			chan_bind(b, chid, rnd(6));
			break;
		case 2:
			chan_launch(b, chid, 1 + rnd(50));
			break;
		case 3:
			chan_mthd(b, chid, starts[s].sub, starts[s].mthd, nasty());
			break;
		case 4:
			chan_mthd(b, chid, rnd(8), rnd(0x800) * 4, nasty());
			break;
		case 5:
			/* plausible sizes, so that work begins */
			chan_mthd(b, chid, rnd(4), 0x200 + rnd(0x200) * 4, rnd(4096));
			break;
		case 6:
			/* most of these are never met: the channel is lost until it is closed */
			if (!rnd(64))
				chan_acquire(b, chid, FENCE(chid), rnd(4), 1 + rnd(4));
			break;
		default:
			chan_fence(b, chid, rnd(8));
		}
	}
	chan_kick(b, chid);
}

static void scribble(struct bench *b, u32 chid)
{
	switch (rnd(4)) {
	case 0:		/* instance block */
		vram_set32(b, b->chan[chid].inst + (rnd(0x9000) & ~3u), nasty());
		break;
	case 1:		/* page tables */
		vram_set32(b, 0x1000000 + (rnd(0x18000) & ~3u), nasty());
		break;
	case 2:		/* ring */
		vram_set32(b, 0x2000000 + chid * 0x20000 + 0x1f000 + (rnd(0x1000) & ~3u), nasty());
		break;
	default:	/* the doorbell alone */
		wr(b, 0xc00000 + chid * 0x2000 + 0x8c, nasty());
	}
}

/* What nouveau does about any interrupt: acknowledge, skip, go on. */
static void handle(struct bench *b)
{
	u32 intr = rd(b, R_PFIFO_INTR);

	if (intr & 1 << 12) {
		wr(b, 0x3244, rd(b, 0x3240));
		if (rnd(2))
			wr(b, 0x3334, rd(b, 0x3330));
		wr(b, 0x3220, 1);
	}
	wr(b, R_PFIFO_INTR, intr);
	wr(b, R_PFIFO_PULL0, 1);
	wr(b, R_GR_INTR, 0xffffffff);
	wr(b, R_GR_FIFO, 0x00010001);
}

static bool adds_up(struct bench *b)
{
	struct card_truth_channel c;
	struct card_truth_engine t;
	struct card_truth all;

	card_truth(b->card, b->now, &all);
	for (u32 e = 0; e < all.engines; e++) {
		s64 busy = 0, switching = 0;
		bool gaps = true;

		card_truth_engine(b->card, e, &t);
		for (u32 i = 0; i < all.channels; i++) {
			card_truth_channel_of(b->card, i, e, &c);
			busy += c.busy_ns;
			switching += c.switch_ns;
			gaps &= c.fence_gap_ns >= 0 && c.fence_gap_ns <= all.elapsed_ns;
		}
		if (t.busy_ns + t.switch_ns + t.idle_ns != all.elapsed_ns || busy != t.busy_ns ||
		    switching != t.switch_ns || !gaps || t.busy_ns < 0 || t.switch_ns < 0 ||
		    t.idle_ns < 0)
			return false;
	}
	return true;
}

/* ---- GF100 ----------------------------------------------------------------------------------- */

static const struct { u32 base, size; } gf_places[] = {
	{ 0x000000, 0x800 }, { 0x001100, 0x800 }, { 0x002000, 0x2000 }, { 0x040000, 0x6000 },
	{ 0x070000, 0x20 }, { 0x088000, 0x1000 }, { 0x100c00, 0x100 }, { 0x104000, 0x2000 },
	{ 0x10a000, 0x1000 }, { 0x400000, 0x1000 }, { 0x409000, 0x1000 }, { 0x500000, 0x4000 },
	{ 0x700000, 0x1000 }, { 0, 0x1000000 },
};

static void gf_poke(struct bench *b)
{
	u32 p = rnd(ARRAY_LEN(gf_places)), off = gf_places[p].base + (rnd(gf_places[p].size) & ~3u);
	u8 buf[16] = { 0 };

	if (!rnd(3))
		card_read(b->card, b->now, CARD_BAR0, off + rnd(4), buf, 1 + rnd(8));
	else if (!rnd(3))
		card_write(b->card, b->now, CARD_BAR1, GF_USERD + rnd(0x4000), buf, 1 + rnd(8));
	else if (off != 0x200 && off != R_GR_FIFO)
		wr(b, off, nasty());
}

static void gf_push(struct bench *b, u32 chid)
{
	u32 n = 1 + rnd(40);

	while (n--) {
		switch (rnd(9)) {
		case 0:
			chan_word(b, chid, nasty());
			break;
		case 1:
			gf_launch(b, chid, 1 + rnd(50));
			break;
		case 2:
			gf_copy(b, chid, 4 + rnd(2), 0x3800000 + rnd(0x1000),
				rnd(8) ? 0x4800000 : nasty(), rnd(100));
			break;
		case 3:
			gf_mthd(b, chid, rnd(8), rnd(0x1000) * 4, nasty());
			break;
		case 4:
			gf_mthd(b, chid, rnd(8), 0, rnd(32) << 16 | 0x9039);
			break;
		case 5:
			gf_mthd(b, chid, rnd(5), 0x200 + rnd(0x200) * 4, rnd(4096));
			break;
		case 6:
			if (!rnd(64))
				gf_semaphore(b, chid, FENCE(chid), rnd(4), rnd(16));
			break;
		default:
			gf_fence(b, chid, rnd(8));
		}
	}
	gf_kick(b, chid);
}

static void gf_scribble(struct bench *b, u32 chid)
{
	switch (rnd(3)) {
	case 0:
		vram_set32(b, b->chan[chid].inst + (rnd(0x1000) & ~3u), nasty());
		break;
	case 1:
		vram_set32(b, 0x1000000 + (rnd(0x28000) & ~3u), nasty());
		break;
	default:
		vram_set32(b, 0x2000000 + chid * 0x20000 + 0x1f000 + (rnd(0x1000) & ~3u), nasty());
	}
}

/* Acknowledge everything; what stands still is reset, and its channel made anew. */
static void gf_handle(struct bench *b)
{
	u32 units = rd(b, 0x259c);

	for (u32 unit = 0; unit < 3; unit++)
		wr(b, 0x040108 + unit * 0x2000, 0xffffffff);
	wr(b, 0x25a0, 0xffffffff);
	wr(b, 0x259c, units);
	for (u32 engine = 0; engine < 6; engine++)
		wr(b, 0x25a8 + 4 * engine, 1);
	wr(b, 0x2a00, 0xffffffff);
	wr(b, R_GR_INTR, 0xffffffff);
	if (units && !rnd(4)) {
		wr(b, 0x000200, ~(1u << 12 | 1u << 6 | 1u << 7));
		wr(b, 0x000200, 0xffffffff);
	}
	wr(b, R_GR_FIFO, 0x00010001);
}

/* One in four times they stay. */
static void gf_handle_often(struct bench *b)
{
	if (rnd(4))
		gf_handle(b);
}

static void handle_often(struct bench *b)
{
	for (u32 n = rnd(100); n && (rd(b, R_PFIFO_INTR) || rd(b, R_GR_INTR)); n--)
		handle(b);
}

/* What a guest does to a chip. */
struct guest {
	const char *label, *chip;
	u32 mib;
	void (*start)(struct bench *b);
	void (*open)(struct bench *b, u32 chid);
	void (*close)(struct bench *b, u32 chid);
	void (*poke)(struct bench *b);
	void (*scribble)(struct bench *b, u32 chid);
	void (*push)(struct bench *b, u32 chid);
	void (*handle)(struct bench *b);
};

static const struct guest g92 = {
	"", "G92", BENCH_VRAM >> 20, bench_start, chan_open, chan_close, poke_register, scribble,
	push_methods, handle_often
};

static const struct guest gf100 = {
	"GF100, ", "GF100", GF_VRAM, gf_start, gf_open, gf_close, gf_poke, gf_scribble, gf_push,
	gf_handle_often
};

static void round_of(const struct guest *g, u64 seed)
{
	u32 calls, most = 0;
	struct bench b;
	char name[64];

	state = seed;
	snprintf(name, sizeof(name), "%sseed %llu", g->label, (unsigned long long)seed);
	bench_init_chip(&b, g->chip, g->mib, 1 + rnd(3));
	g->start(&b);
	for (u32 c = 1; c <= 3; c++)
		g->open(&b, c);
	for (u32 i = 0; i < 3000; i++) {
		u32 chid = 1 + rnd(3);

		switch (rnd(10)) {
		case 0:
			g->poke(&b);
			break;
		case 1:
			poke_window(&b);
			break;
		case 2:
			if (!rnd(4))
				g->scribble(&b, chid);
			break;
		case 3:
			if (!rnd(4)) {
				g->close(&b, chid);
				g->open(&b, chid);
			}
			break;
		default:
			g->push(&b, chid);
		}
		b.now += rnd(4) ? rnd(1000000) : rnd(100);
		for (calls = 0; card_next_event(b.card) <= b.now && calls < ADVANCES_MAX; calls++)
			card_advance(b.card, b.now);
		g->handle(&b);
		if (calls > most)
			most = calls;
	}
	check(adds_up(&b) && most < ADVANCES_MAX, name, "most calls %u", most);
	bench_fini(&b);
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 12;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (u64 i = 0; i < rounds; i++)
		round_of(&g92, seed + i);
	for (u64 i = 0; i < rounds; i++)
		round_of(&gf100, seed + i);
	return done();
}
