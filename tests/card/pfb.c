// SPDX-License-Identifier: GPL-2.0
/* pfb.c - memory geometry as nouveau computes it, and the fault record. */
#include <stdlib.h>

#include "lib.h"

static void on_intx(void *ctx, bool level)
{
	(void)ctx;
	(void)level;
}

static void on_msi(void *ctx)
{
	(void)ctx;
}

static void *on_dma(void *ctx, u64 addr, u64 len, bool write)
{
	(void)ctx;
	(void)addr;
	(void)len;
	(void)write;
	return NULL;
}

static const struct {
	const char *name;
	u32 mib;
	bool good;
} sizes[] = {
	{ "64 MiB", 64, true }, { "128 MiB", 128, true }, { "256 MiB", 256, true },
	{ "512 MiB", 512, true }, { "1024 MiB", 1024, true },
	{ "32 MiB: too small", 32, false }, { "2048 MiB: too large", 2048, false },
	{ "192 MiB: no power of two", 192, false },
};

/* What nv50_fb_vram_rblock() predicts from the registers. */
static u64 predicted(struct card *card)
{
	u32 cfg, units;
	u64 row;

	card_read(card, 0, CARD_BAR0, 0x100204, &cfg, 4);
	card_read(card, 0, CARD_BAR0, 0x001540, &units, 4);
	row = (u64)__builtin_popcount(units >> 16 & 0xff) * (4u << (cfg >> 24 & 3)) *
	      (1u << (cfg >> 12 & 0xf)) * 8;
	return row << ((cfg >> 16 & 0xf) + 8);
}

int main(void)
{
	struct card_host host = { .intx = on_intx, .msi = on_msi, .dma = on_dma };
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
		struct card_config config = { .chip = "G92", .vram_mib = sizes[i].mib, .scale = 1 };
		struct card *card;
		u32 size = 0;

		/* the card only looks at memory when told to; a page stands for all of it */
		config.vram = malloc(4096);
		card = card_create(&config, &host, 0);
		if (card)
			card_read(card, 0, CARD_BAR0, 0x10020c, &size, 4);
		check(!!card == sizes[i].good &&
		      (!card || (predicted(card) == (u64)sizes[i].mib << 20 &&
				 size == sizes[i].mib << 20)), sizes[i].name, "card %p, size %#x",
		      (void *)card, size);
		card_destroy(card);
		free(config.vram);
	}

	bench_init(&b, 1);
	bench_start(&b);
	chan_open(&b, 3);
	check_eq("no fault at first", rd(&b, 0x100c90), 0);
	/* a fence at an address that has no page */
	chan_mthd(&b, 3, 0, 0x0060, BENCH_DMA);
	chan_mthd(&b, 3, 0, 0x0010, 0x12);
	chan_mthd(&b, 3, 0, 0x0014, 0x34567890);
	chan_mthd(&b, 3, 0, 0x001c, 2);
	chan_kick(&b, 3);
	check_eq("a fault is recorded", rd(&b, 0x100c90), 0x80000000);
	{
		static const struct { const char *name; u32 want; } words[] = {
			{ "by PFIFO, semaphore; page table missing", 0x1405 },
			{ "instance, low", 0 }, { "instance, high", 0 },
			{ "address, low", 0x7890 }, { "address, middle", 0x3456 },
			{ "address, high; a write", 0x12 },
		};
		u32 inst = b.chan[3].inst >> 12;

		for (u32 i = 0; i < ARRAY_LEN(words); i++) {
			u32 want = i == 1 ? inst & 0xffff : i == 2 ? inst >> 16 : words[i].want;

			wr(&b, 0x100c90, i << 24);
			check_eq(words[i].name, rd(&b, 0x100c94), want);
		}
	}
	wr(&b, 0x100c90, 0x80000000);
	check_eq("acknowledged", rd(&b, 0x100c90), 0);
	wr(&b, 0x100c80, 0x00060001);
	check_eq("TLB invalidation is done at once", rd(&b, 0x100c80) & 1, 0);
	wr(&b, 0x070000, 1);
	check_eq("flush is done at once", rd(&b, 0x070000) & 3, 0);
	bench_fini(&b);
	return done();
}
