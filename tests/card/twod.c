// SPDX-License-Identifier: GPL-2.0
/*
 * twod.c - 2D: which pixels a rectangle, a blit or an image from the pushbuffer changes, and
 * which not.
 *
 * Surfaces are 100 x 60 pixels.  Each row says what every pixel of the destination must be, by a
 * function of its position.
 */
#include <string.h>

#include "lib.h"

#define CH	1
#define SRC	0x3200000u
#define DST	0x3400000u
#define WIDTH	100
#define HEIGHT	60
#define PITCH	2048
#define COLOR	0xa1b2c3d4u

enum { F32 = 0xcf, F16 = 0xe8, F8 = 0xf3, F128 = 0xc0 };

static u32 bytes_of(u32 format)
{
	return format == F32 ? 4 : format == F16 ? 2 : format == F8 ? 1 : 16;
}

struct rectangle { int x0, y0, x1, y1; };

static const struct {
	const char *name;
	u32 format;
	bool linear;
	struct rectangle draw;
	struct rectangle clip;	/* empty: off */
	struct rectangle want;
} fills[] = {
	{ "32-bit fill", F32, true, { 3, 5, 50, 40 }, { 0 }, { 3, 5, 50, 40 } },
	{ "16-bit fill", F16, true, { 3, 5, 50, 40 }, { 0 }, { 3, 5, 50, 40 } },
	{ "8-bit fill", F8, true, { 3, 5, 50, 40 }, { 0 }, { 3, 5, 50, 40 } },
	{ "128-bit fill", F128, true, { 3, 5, 50, 40 }, { 0 }, { 3, 5, 50, 40 } },
	{ "block-linear fill", F32, false, { 3, 5, 50, 40 }, { 0 }, { 3, 5, 50, 40 } },
	{ "the whole surface", F32, true, { 0, 0, 100, 60 }, { 0 }, { 0, 0, 100, 60 } },
	{ "past every edge", F32, true, { -30, -30, 300, 300 }, { 0 }, { 0, 0, 100, 60 } },
	{ "clipped", F32, true, { 3, 5, 50, 40 }, { 10, 0, 20, 10 }, { 10, 5, 20, 10 } },
	{ "clipped to nothing", F32, true, { 3, 5, 50, 40 }, { 60, 0, 70, 10 }, { 0 } },
	{ "corners the wrong way round", F32, true, { 50, 40, 3, 5 }, { 0 }, { 0 } },
	{ "extreme corners", F32, true, { INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX }, { 0 },
	  { 0, 0, 100, 60 } },
};

/* Blits: destination rectangle, source position and step in 1/65536 pixels. */
static const struct {
	const char *name;
	u32 format;
	bool src_linear;
	bool dst_linear;
	int x, y, w, h;
	int sx, sy;
	int du, dv;
} blits[] = {
	{ "blit", F32, true, true, 10, 20, 30, 25, 5, 3, 0x10000, 0x10000 },
	{ "8-bit blit", F8, true, true, 10, 20, 30, 25, 5, 3, 0x10000, 0x10000 },
	{ "from block-linear", F32, false, true, 10, 20, 30, 25, 5, 3, 0x10000, 0x10000 },
	{ "to block-linear", F32, true, false, 10, 20, 30, 25, 5, 3, 0x10000, 0x10000 },
	{ "twice as large", F32, true, true, 10, 20, 30, 25, 5, 3, 0x8000, 0x8000 },
	{ "half as large", F32, true, true, 10, 20, 30, 25, 5, 3, 0x20000, 0x20000 },
	{ "mirrored", F32, true, true, 10, 20, 30, 25, 60, 50, -0x10000, -0x10000 },
	{ "past the source's edges sticks to them", F32, true, true, 10, 20, 80, 35, 60, -5,
	  0x10000, 0x10000 },
	{ "past the destination's edges", F32, true, true, -10, 50, 30, 25, 5, 3, 0x10000,
	  0x10000 },
};

static u64 at(u64 base, u32 bytes, bool linear, u32 x, u32 y)
{
	u64 xb = (u64)x * bytes;

	if (linear)
		return base + y * PITCH + xb;
	/* blocks of 64 bytes by 16 lines */
	return base + (xb / 64 + y / 16 * ((WIDTH * bytes + 63) / 64)) * 1024 +
	       y % 16 * 64 + xb % 64;
}

static void surface(struct bench *b, bool dst, u32 format, bool linear)
{
	u32 r = dst ? 0x200 : 0x230;

	chan_mthd(b, CH, SUB_2D, r, format);
	chan_mthd(b, CH, SUB_2D, r + 4, linear);
	chan_mthd(b, CH, SUB_2D, r + 8, 0x20);
	chan_mthd(b, CH, SUB_2D, r + 0x0c, 1);
	chan_mthd(b, CH, SUB_2D, r + 0x10, 0);
	chan_mthd(b, CH, SUB_2D, r + 0x14, PITCH);
	chan_mthd(b, CH, SUB_2D, r + 0x18, WIDTH);
	chan_mthd(b, CH, SUB_2D, r + 0x1c, HEIGHT);
	chan_mthd(b, CH, SUB_2D, r + 0x20, 0);
	chan_mthd(b, CH, SUB_2D, r + 0x24, dst ? DST : SRC);
}

static void setup(struct bench *b, u32 format, bool src_linear, bool dst_linear)
{
	bench_init(b, 1);
	bench_start(b);
	chan_open(b, CH);
	chan_bind(b, CH, SUB_2D);
	surface(b, true, format, dst_linear);
	surface(b, false, format, src_linear);
	chan_mthd(b, CH, SUB_2D, 0x2ac, 3);
	chan_kick(b, CH);
	bench_run(b, b->now + 1000000);
	memset(b->vram + DST, 0x55, 0x40000);
	for (u32 i = 0; i < 0x40000; i++)
		b->vram[SRC + i] = (u8)(i * 2654435761u >> 13);
}

static void finish(struct bench *b)
{
	chan_fence(b, CH, 1);
	chan_kick(b, CH);
	bench_run(b, b->now + 10000000);
}

static bool inside(const struct rectangle *r, int x, int y)
{
	return x >= r->x0 && x < r->x1 && y >= r->y0 && y < r->y1;
}

static void run_fills(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(fills); i++) {
		const struct rectangle *d = &fills[i].draw, *c = &fills[i].clip;
		u32 bytes = bytes_of(fills[i].format), bad = 0;
		u8 want[16];

		setup(&b, fills[i].format, true, fills[i].linear);
		if (c->x1) {
			chan_mthd(&b, CH, SUB_2D, 0x280, (u32)c->x0);
			chan_mthd(&b, CH, SUB_2D, 0x284, (u32)c->y0);
			chan_mthd(&b, CH, SUB_2D, 0x288, (u32)(c->x1 - c->x0));
			chan_mthd(&b, CH, SUB_2D, 0x28c, (u32)(c->y1 - c->y0));
			chan_mthd(&b, CH, SUB_2D, 0x290, 1);
		}
		chan_mthd(&b, CH, SUB_2D, 0x580, 4);
		chan_mthd(&b, CH, SUB_2D, 0x584, fills[i].format);
		chan_mthd(&b, CH, SUB_2D, 0x588, COLOR);
		chan_mthd(&b, CH, SUB_2D, 0x600, (u32)d->x0);
		chan_mthd(&b, CH, SUB_2D, 0x604, (u32)d->y0);
		chan_mthd(&b, CH, SUB_2D, 0x608, (u32)d->x1);
		chan_mthd(&b, CH, SUB_2D, 0x60c, (u32)d->y1);
		finish(&b);
		for (u32 n = 0; n < bytes; n++)
			want[n] = (u8)(COLOR >> 8 * (n % 4));
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++)
				for (u32 n = 0; n < bytes; n++)
					bad += b.vram[at(DST, bytes, fills[i].linear, (u32)x,
							 (u32)y) + n]
					       != (inside(&fills[i].want, x, y) ? want[n] : 0x55);
		check(!bad && vram32(&b, FENCE(CH)) == 1 && !rd(&b, R_GR_INTR), fills[i].name,
		      "%u bytes wrong, fence %u, interrupt %#x", bad, vram32(&b, FENCE(CH)),
		      rd(&b, R_GR_INTR));
		bench_fini(&b);
	}
}

static int clamp(int v, int max)
{
	return v < 0 ? 0 : v > max ? max : v;
}

static void run_blits(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(blits); i++) {
		struct rectangle r = { blits[i].x, blits[i].y, blits[i].x + blits[i].w,
				       blits[i].y + blits[i].h };
		u32 bytes = bytes_of(blits[i].format), bad = 0;
		u8 hole[4] = { 0x55, 0x55, 0x55, 0x55 };

		setup(&b, blits[i].format, blits[i].src_linear, blits[i].dst_linear);
		chan_mthd(&b, CH, SUB_2D, 0x8b0, (u32)blits[i].x);
		chan_mthd(&b, CH, SUB_2D, 0x8b4, (u32)blits[i].y);
		chan_mthd(&b, CH, SUB_2D, 0x8b8, (u32)blits[i].w);
		chan_mthd(&b, CH, SUB_2D, 0x8bc, (u32)blits[i].h);
		chan_mthd(&b, CH, SUB_2D, 0x8c0, (u32)blits[i].du << 16);
		chan_mthd(&b, CH, SUB_2D, 0x8c4, (u32)(blits[i].du >> 16));
		chan_mthd(&b, CH, SUB_2D, 0x8c8, (u32)blits[i].dv << 16);
		chan_mthd(&b, CH, SUB_2D, 0x8cc, (u32)(blits[i].dv >> 16));
		chan_mthd(&b, CH, SUB_2D, 0x8d0, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8d4, (u32)blits[i].sx);
		chan_mthd(&b, CH, SUB_2D, 0x8d8, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8dc, (u32)blits[i].sy);
		finish(&b);
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++) {
				int u = blits[i].sx * 0x10000 + blits[i].du * (x - r.x0);
				int v = blits[i].sy * 0x10000 + blits[i].dv * (y - r.y0);
				const u8 *want = hole;

				if (inside(&r, x, y))
					want = b.vram + at(SRC, bytes, blits[i].src_linear,
							   (u32)clamp(u >> 16, WIDTH - 1),
							   (u32)clamp(v >> 16, HEIGHT - 1));
				bad += !!memcmp(b.vram + at(DST, bytes, blits[i].dst_linear, (u32)x,
							    (u32)y), want, bytes);
			}
		check(!bad && vram32(&b, FENCE(CH)) == 1, blits[i].name,
		      "%u pixels wrong, fence %u", bad, vram32(&b, FENCE(CH)));
		bench_fini(&b);
	}
}

/* Images from the pushbuffer: each line starts with a fresh word. */
static const struct {
	const char *name;
	u32 format;
	u32 w, h;
	int x, y;
} images[] = {
	{ "32-bit image", F32, 5, 3, 7, 8 },
	{ "8-bit image, lines padded to words", F8, 5, 3, 7, 8 },
	{ "8-bit image as long as code is uploaded with", F8, 100, 1, 0, 0 },
	{ "16-bit image", F16, 3, 4, 7, 8 },
};

static void run_images(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(images); i++) {
		u32 bytes = bytes_of(images[i].format), line = images[i].w * bytes, bad = 0;
		u32 words = (line + 3) / 4;

		setup(&b, images[i].format, true, true);
		chan_mthd(&b, CH, SUB_2D, 0x838, images[i].w);
		chan_mthd(&b, CH, SUB_2D, 0x83c, images[i].h);
		chan_mthd(&b, CH, SUB_2D, 0x854, (u32)images[i].x);
		chan_mthd(&b, CH, SUB_2D, 0x85c, (u32)images[i].y);
		/* one word more than the image has */
		chan_word(&b, CH, 1 << 30 | (words * images[i].h + 1) << 18 | SUB_2D << 13 | 0x860);
		for (u32 w = 0; w < words * images[i].h + 1; w++)
			chan_word(&b, CH, 0x01010101u * (w + 1));
		finish(&b);
		for (u32 y = 0; y < HEIGHT; y++)
			for (u32 x = 0; x < WIDTH * bytes; x++) {
				int ix = (int)x - images[i].x * (int)bytes;
				int iy = (int)y - images[i].y;
				u8 want = 0x55;

				if (ix >= 0 && ix < (int)line && iy >= 0 && iy < (int)images[i].h)
					want = (u8)(iy * (int)words + ix / 4 + 1);
				bad += b.vram[DST + y * PITCH + x] != want;
			}
		check(!bad && vram32(&b, FENCE(CH)) == 1, images[i].name,
		      "%u bytes wrong, fence %u", bad, vram32(&b, FENCE(CH)));
		bench_fini(&b);
	}
}

static const struct {
	const char *name;
	u32 mthd, data;		/* before a fill */
	u32 intr;
	u32 logs;
} errors[] = {
	{ "a format that is none", 0x200, 0x01, 0x100000, 1 },
	{ "destination without memory", 0x220, 0x55, 0x200000, 2 },
	{ "an operation that is not modelled is said so", 0x2ac, 2, 0, 1 },
	{ "a shape that is not modelled is said so", 0x580, 3, 0, 1 },
};

static void run_errors(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(errors); i++) {
		setup(&b, F32, true, true);
		chan_mthd(&b, CH, SUB_2D, 0x580, 4);
		chan_mthd(&b, CH, SUB_2D, errors[i].mthd, errors[i].data);
		chan_mthd(&b, CH, SUB_2D, 0x5e0, 1 << 16 | 1);
		chan_mthd(&b, CH, SUB_2D, 0x5e0, 9 << 16 | 9);
		finish(&b);
		check(rd(&b, R_GR_INTR) == errors[i].intr && b.logs == errors[i].logs,
		      errors[i].name, "interrupt %#x, %u complaints", rd(&b, R_GR_INTR), b.logs);
		check_eq("... stops the engine if it is an error", vram32(&b, FENCE(CH)),
			 !errors[i].intr);
		wr(&b, 0x408e08, 0xc0000000);
		wr(&b, 0x400108, rd(&b, 0x400108));
		wr(&b, R_GR_INTR, errors[i].intr);
		wr(&b, R_GR_FIFO, 0x00010001);
		bench_run(&b, b.now + 1000000);
		check_eq("... until it is acknowledged", vram32(&b, FENCE(CH)), 1);
		bench_fini(&b);
	}
}

/* Blits of 32 million pixels: whether they begin. One that goes pixel by pixel would take long. */
static const struct {
	const char *name;
	u32 src_width, sx, du;
	u32 intr;
} large[] = {
	{ "a large blit", 8192, 0, 1, 0 },
	{ "... that is stretched", 8192, 0, 2, 0x100000 },
	{ "... from beyond its source's left edge", 8192, ~0u, 1, 0x100000 },
	{ "... and its right", 8191, 0, 1, 0x100000 },
	{ "... from a source of one pixel's width", 1, 0, 1, 0x100000 },
};

static void run_large(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(large); i++) {
		setup(&b, F8, true, true);
		chan_mthd(&b, CH, SUB_2D, 0x214, 0);
		chan_mthd(&b, CH, SUB_2D, 0x218, 8192);
		chan_mthd(&b, CH, SUB_2D, 0x21c, 4096);
		chan_mthd(&b, CH, SUB_2D, 0x248, large[i].src_width);
		chan_mthd(&b, CH, SUB_2D, 0x8b0, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8b4, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8b8, 8192);
		chan_mthd(&b, CH, SUB_2D, 0x8bc, 4096);
		chan_mthd(&b, CH, SUB_2D, 0x8c0, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8c4, large[i].du);
		chan_mthd(&b, CH, SUB_2D, 0x8c8, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8cc, 1);
		chan_mthd(&b, CH, SUB_2D, 0x8d0, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8d4, large[i].sx);
		chan_mthd(&b, CH, SUB_2D, 0x8d8, 0);
		chan_mthd(&b, CH, SUB_2D, 0x8dc, 0);
		chan_kick(&b, CH);
		check_eq(large[i].name, rd(&b, R_GR_INTR), large[i].intr);
		bench_fini(&b);
	}
}

/* A rectangle that is cut off with its channel, and drawn when the channel is back. */
static void run_off_and_on(void)
{
	u32 ramfc, bad = 0;
	struct bench b;

	setup(&b, F32, true, true);
	ramfc = b.chan[CH].inst + 0x4200;
	chan_mthd(&b, CH, SUB_2D, 0x580, 4);
	chan_mthd(&b, CH, SUB_2D, 0x588, COLOR);
	chan_mthd(&b, CH, SUB_2D, 0x5e0, 5 << 16 | 3);
	chan_mthd(&b, CH, SUB_2D, 0x5e0, 40 << 16 | 50);
	chan_mthd(&b, CH, SUB_2D, 0x5e0, 45 << 16 | 60);
	chan_mthd(&b, CH, SUB_2D, 0x5e0, 50 << 16 | 70);
	chan_kick(&b, CH);
	bench_run(&b, b.now + 20);
	wr(&b, 0x2600 + 4 * CH, 0);
	bench_run(&b, b.now + 1000000);
	wr(&b, 0x2600 + 4 * CH, 0x80000000 | ramfc >> 8);
	finish(&b);
	for (u32 y = 0; y < HEIGHT; y++)
		for (u32 x = 0; x < WIDTH; x++) {
			bool in = (x >= 3 && y >= 5 && x < 50 && y < 40) ||
				  (x >= 60 && y >= 45 && x < 70 && y < 50);

			bad += vram32(&b, at(DST, 4, true, x, y)) != (in ? COLOR : 0x55555555);
		}
	check(!bad && vram32(&b, FENCE(CH)) == 1, "rectangles, cut off by their channel's end and done anew",
	      "%u pixels wrong, fence %u", bad, vram32(&b, FENCE(CH)));
	bench_fini(&b);
}

int main(void)
{
	run_off_and_on();
	run_fills();
	run_large();
	run_blits();
	run_images();
	run_errors();
	return done();
}
