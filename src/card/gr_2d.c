// SPDX-License-Identifier: GPL-2.0
/*
 * gr_2d.c - class 0x502d, 2D: solid rectangles, blits with point sampling, images from the
 * pushbuffer.
 *
 * Source and destination have the same number of bytes per pixel, and pixels are copied as they
 * are (SRCCOPY); other operations and shapes take their time and draw nothing, which is logged.
 * Rectangles and blits show when their time has passed; image data is written as it arrives.
 *
 * Called by pgraph.c for methods, and when work ends.
 */
#include <string.h>

#include "gr.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "pgraph.h"
#include "surface.h"
#include "vm.h"

#define DMA_DST			0x0184
#define DMA_SRC			0x0188
#define DST			0x0200
#define SRC			0x0230
#define CLIP_X			0x0280	/* then y, width, height, enable */
#define ROP			0x02a0
#define OPERATION		0x02ac
#define DRAW_SHAPE		0x0580
#define DRAW_COLOR		0x0588
#define DRAW_POINT16		0x05e0
#define DRAW_POINT32		0x0600
#define DRAW_POINT32_END	0x0800
#define SIFC_WIDTH		0x0838
#define SIFC_HEIGHT		0x083c
#define SIFC_DST_X		0x0854
#define SIFC_DST_Y		0x085c
#define SIFC_DATA		0x0860
#define BLIT_DST_X		0x08b0	/* then y, width, height */
#define BLIT_DU_DX_FRACT	0x08c0	/* then integer part, dv/dy likewise */
#define BLIT_SRC_X_FRACT	0x08d0	/* then integer part, y likewise; the last one draws */
#define BLIT_SRC_Y_INT		0x08dc

/* Words of a surface, from DST or SRC on. */
enum { S_FORMAT, S_LINEAR, S_BLOCK, S_DEPTH, S_LAYER, S_PITCH, S_WIDTH, S_HEIGHT, S_HIGH, S_LOW };

/* Most pixels of a blit that goes pixel by pixel: more would keep the host too long. */
#define BY_PIXEL_MAX		(4096 * 4096)

#define SHAPE_RECTANGLES	4
#define OP_SRCCOPY_AND		0
#define OP_SRCCOPY		3
#define OP_ROP			4
#define ROP_COPY		0xcc

#define ERROR_INVALID_VALUE	4
#define ERROR_FORMAT_MISMATCH	0x31

#define TRAP_PROP		0x100
#define TRAP_PROP_USTATUS	0x408e08
#define TRAP_PROP_DST2D_FAULT	BIT(4)
#define TRAP_TEXTURE		0x040
#define TRAP_TEXTURE_USTATUS	0x408900
#define TRAP_TEXTURE_FAULT	0x3

/*
 * Not methods: where this class keeps what it needs between methods.  A guest that writes here
 * anyway reaches nothing that it could not reach by methods.
 */
#define OWN_WORK		0x0fe0	/* what is being drawn: a method number */
#define OWN_X0			0x0fe4	/* rectangle: first corner, then second */
#define OWN_Y0			0x0fe8
#define OWN_X1			0x0fec
#define OWN_Y1			0x0ff0
#define OWN_POINTS		0x0ff4	/* DRAW_POINT16: how many came */
#define OWN_SIFC_X		0x0ff8	/* SIFC: position in the image, bytes, */
#define OWN_SIFC_Y		0x0ffc	/* and lines */

/* A rectangle of pixels, end excluded; 64 bits so that nothing overflows. */
struct rect {
	s64 x0, y0, x1, y1;
};

static struct surface twod_surface(struct card *card, const struct chan *ch, const u32 *state,
				   bool dst)
{
	const u32 *r = state + (dst ? DST : SRC) / 4;
	struct surface s = {
		.addr = (u64)(r[S_HIGH] & 0xff) << 32 | r[S_LOW],
		.linear = r[S_LINEAR] & 1,
		.pitch = r[S_PITCH],
		.height = r[S_HEIGHT],
		.z = r[S_LAYER],
		.block = r[S_BLOCK],
	};

	if (!s.linear)
		s.pitch = (r[S_WIDTH] & 0xffff) * surface_pixel_bytes(r[S_FORMAT]);
	pgraph_object(card, ch, state, dst ? DMA_DST : DMA_SRC, &s.obj);
	return s;
}

static void rect_clip(struct rect *r, s64 x0, s64 y0, s64 x1, s64 y1)
{
	if (r->x0 < x0)
		r->x0 = x0;
	if (r->y0 < y0)
		r->y0 = y0;
	if (r->x1 > x1)
		r->x1 = x1;
	if (r->y1 > y1)
		r->y1 = y1;
	if (r->x1 < r->x0)
		r->x1 = r->x0;
	if (r->y1 < r->y0)
		r->y1 = r->y0;
}

/* What of @r is on the destination, and in the clip rectangle when there is one. */
static void twod_clip(const u32 *state, struct rect *r)
{
	const u32 *clip = state + CLIP_X / 4;

	rect_clip(r, 0, 0, state[DST / 4 + S_WIDTH] & 0x1ffff, state[DST / 4 + S_HEIGHT] & 0x1ffff);
	if (clip[4] & 1)
		rect_clip(r, (s32)clip[0], (s32)clip[1], (s64)(s32)clip[0] + (s32)clip[2],
			  (s64)(s32)clip[1] + (s32)clip[3]);
}

static struct rect twod_solid_rect(const u32 *state)
{
	struct rect r = {
		(s32)state[OWN_X0 / 4], (s32)state[OWN_Y0 / 4],
		(s32)state[OWN_X1 / 4], (s32)state[OWN_Y1 / 4],
	};

	twod_clip(state, &r);
	return r;
}

static struct rect twod_blit_rect(const u32 *state)
{
	const u32 *dst = state + BLIT_DST_X / 4;
	struct rect r = {
		(s32)dst[0], (s32)dst[1], (s64)(s32)dst[0] + (s32)dst[2],
		(s64)(s32)dst[1] + (s32)dst[3],
	};

	twod_clip(state, &r);
	return r;
}

/* Can we draw this, or only take the time for it? */
static bool twod_copies(struct card *card, const struct chan *ch, const u32 *state)
{
	u32 op = state[OPERATION / 4] & 7;

	if (op == OP_SRCCOPY || op == OP_SRCCOPY_AND ||
	    (op == OP_ROP && (state[ROP / 4] & 0xff) == ROP_COPY))
		return true;
	dev_error(card, "2D operation that is not modelled", (int)ch->chid, op);
	return false;
}

static s64 fixed(const u32 *state, u32 fract)
{
	return (s64)((u64)state[fract / 4 + 1] << 32 | state[fract / 4]);
}

/*
 * Is each line of the blit a piece of a line of its source? Otherwise it goes pixel by pixel: it is
 * stretched, or sticks to an edge of the source.
 */
static bool twod_by_lines(const u32 *state, const struct rect *r)
{
	u64 u = (u64)fixed(state, BLIT_SRC_X_FRACT) +
		(u64)(r->x0 - (s32)state[BLIT_DST_X / 4]) * (1ull << 32);
	s64 width = state[SRC / 4 + S_WIDTH] & 0x1ffff, sx = (s64)u >> 32;

	return fixed(state, BLIT_DU_DX_FRACT) == 1ll << 32 && sx >= 0 &&
	       sx + (r->x1 - r->x0) <= width;
}

static s64 twod_cost(struct card *card, const struct chan *ch, const u32 *state,
		     const struct rect *r, bool blit)
{
	u64 pixels = (u64)(r->x1 - r->x0) * (u64)(r->y1 - r->y0);
	u64 bytes = pixels * surface_pixel_bytes(state[DST / 4]), vram = 0, system = 0;
	struct surface dst = twod_surface(card, ch, state, true);
	struct surface src = twod_surface(card, ch, state, false);

	if (!surface_pixel_bytes(state[DST / 4]))
		return pgraph_data_error(card, ERROR_INVALID_VALUE);
	if (blit && surface_pixel_bytes(state[DST / 4]) != surface_pixel_bytes(state[SRC / 4]))
		return pgraph_data_error(card, ERROR_FORMAT_MISMATCH);
	if (bytes > CARD_OP_BYTES ||
	    (blit && pixels > BY_PIXEL_MAX && !twod_by_lines(state, r)))
		return pgraph_data_error(card, ERROR_INVALID_VALUE);
	if (!pixels)
		return 0;
	*(vm_is_system(card, &dst.obj, dst.addr) ? &system : &vram) += bytes;
	if (blit)
		*(vm_is_system(card, &src.obj, src.addr) ? &system : &vram) += bytes;
	return cost_pixels(card->chip, pixels, vram, system);
}

/* ---- solid rectangles ------------------------------------------------------------------------ */

static s64 twod_solid(struct card *card, struct chan *ch, u32 *state)
{
	struct rect r = twod_solid_rect(state);

	state[OWN_WORK / 4] = DRAW_SHAPE;
	if ((state[DRAW_SHAPE / 4] & 7) != SHAPE_RECTANGLES) {
		dev_error(card, "2D shape that is not modelled", (int)ch->chid,
			  state[DRAW_SHAPE / 4]);
		return 0;
	}
	return twod_cost(card, ch, state, &r, false);
}

static void twod_solid_done(struct card *card, struct chan *ch, u32 *state)
{
	struct surface dst = twod_surface(card, ch, state, true);
	u32 bytes = surface_pixel_bytes(state[DST / 4]);
	struct rect r = twod_solid_rect(state);
	u8 line[1024];

	if (!twod_copies(card, ch, state))
		return;
	for (u32 i = 0; i < sizeof(line); i++)
		line[i] = (u8)(state[DRAW_COLOR / 4] >> 8 * (i % bytes % 4));
	for (s64 y = r.y0; y < r.y1; y++) {
		u64 x = (u64)r.x0 * bytes, end = (u64)r.x1 * bytes;

		while (x < end) {
			u64 n = end - x < sizeof(line) ? end - x : sizeof(line);

			if (!surface_write(card, &dst, x, (u32)y, line, n, VM_GR_DST2D)) {
				pgraph_trap(card, TRAP_PROP, TRAP_PROP_USTATUS,
					    TRAP_PROP_DST2D_FAULT);
				return;
			}
			x += n;
		}
	}
}

/* ---- blits ----------------------------------------------------------------------------------- */

static void twod_blit_done(struct card *card, struct chan *ch, u32 *state)
{
	struct surface dst = twod_surface(card, ch, state, true);
	struct surface src = twod_surface(card, ch, state, false);
	u32 bytes = surface_pixel_bytes(state[DST / 4]);
	struct rect r = twod_blit_rect(state);
	s64 du = fixed(state, BLIT_DU_DX_FRACT), dv = fixed(state, BLIT_DU_DX_FRACT + 8);
	s64 width = state[SRC / 4 + S_WIDTH] & 0x1ffff;
	s64 height = state[SRC / 4 + S_HEIGHT] & 0x1ffff;
	bool read_failed = false, ok = true, by_lines = twod_by_lines(state, &r);

	if (!twod_copies(card, ch, state) || !width || !height)
		return;
	for (s64 y = r.y0; ok && y < r.y1; y++) {
		/* the position wraps like the chip's fixed point, and sticks to the edges */
		s64 v = (s64)((u64)fixed(state, BLIT_SRC_X_FRACT + 8) +
			      (u64)dv * (u64)(y - (s32)state[BLIT_DST_X / 4 + 1])) >> 32;
		u64 u = (u64)fixed(state, BLIT_SRC_X_FRACT) +
			(u64)du * (u64)(r.x0 - (s32)state[BLIT_DST_X / 4]);
		s64 sx = (s64)u >> 32, n = r.x1 - r.x0;

		v = v < 0 ? 0 : v >= height ? height - 1 : v;
		if (by_lines) {
			ok = surface_copy(card, &dst, (u64)r.x0 * bytes, (u32)y, VM_GR_DST2D, &src,
					  (u64)sx * bytes, (u32)v, VM_GR_SRC2D, (u64)n * bytes,
					  &read_failed);
			continue;
		}
		for (s64 x = r.x0; ok && x < r.x1; x++, u += (u64)du) {
			sx = (s64)u >> 32;
			sx = sx < 0 ? 0 : sx >= width ? width - 1 : sx;
			ok = surface_copy(card, &dst, (u64)x * bytes, (u32)y, VM_GR_DST2D, &src,
					  (u64)sx * bytes, (u32)v, VM_GR_SRC2D, bytes,
					  &read_failed);
		}
	}
	if (ok)
		return;
	if (read_failed)
		pgraph_trap(card, TRAP_TEXTURE, TRAP_TEXTURE_USTATUS, TRAP_TEXTURE_FAULT);
	else
		pgraph_trap(card, TRAP_PROP, TRAP_PROP_USTATUS, TRAP_PROP_DST2D_FAULT);
}

/* ---- images from the pushbuffer -------------------------------------------------------------- */

/* One word of image data; every line starts with a fresh word. */
static s64 twod_image(struct card *card, struct chan *ch, u32 *state, u32 data)
{
	u32 bytes = surface_pixel_bytes(state[DST / 4]);
	u64 line = (u64)(state[SIFC_WIDTH / 4] & 0xffff) * bytes;
	u64 at = state[OWN_SIFC_X / 4], n = line - at < 4 ? line - at : 4;
	s64 y = (s64)(s32)state[SIFC_DST_Y / 4] + state[OWN_SIFC_Y / 4];
	s64 x = (s64)(s32)state[SIFC_DST_X / 4] * bytes + (s64)at;
	struct surface dst;
	struct rect r;

	if (!bytes)
		return pgraph_data_error(card, ERROR_INVALID_VALUE);
	if (at >= line || state[OWN_SIFC_Y / 4] >= state[SIFC_HEIGHT / 4])
		return 0;	/* more data than image */
	state[OWN_SIFC_X / 4] += (u32)n;
	if (state[OWN_SIFC_X / 4] >= line) {
		state[OWN_SIFC_X / 4] = 0;
		state[OWN_SIFC_Y / 4]++;
	}
	r = (struct rect){ x / bytes, y, (x + (s64)n + bytes - 1) / bytes, y + 1 };
	if (x < 0)
		return 0;
	twod_clip(state, &r);
	if (r.x0 * bytes > x || r.x1 * bytes < x + (s64)n || r.y0 == r.y1)
		return 0;
	dst = twod_surface(card, ch, state, true);
	if (!surface_write(card, &dst, (u64)x, (u32)y, &data, n, VM_GR_DST2D))
		return pgraph_trap(card, TRAP_PROP, TRAP_PROP_USTATUS, TRAP_PROP_DST2D_FAULT);
	return 0;
}

/* ---- methods --------------------------------------------------------------------------------- */

static s64 twod_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	struct rect r;
	u32 second;

	switch (mthd) {
	case DRAW_SHAPE:
		state[OWN_POINTS / 4] = 0;
		return 0;
	case DRAW_POINT16:
		second = state[OWN_POINTS / 4]++ & 1;
		state[(second ? OWN_X1 : OWN_X0) / 4] = data & 0xffff;
		state[(second ? OWN_Y1 : OWN_Y0) / 4] = data >> 16;
		return second ? twod_solid(card, ch, state) : 0;
	case DRAW_POINT32 ... DRAW_POINT32_END - 4:
		/* x and y of points in turn: every second point completes a rectangle */
		second = mthd >> 2 & 3;
		state[OWN_X0 / 4 + second] = data;
		return second == 3 ? twod_solid(card, ch, state) : 0;
	case SIFC_DST_Y:
		state[OWN_SIFC_X / 4] = 0;
		state[OWN_SIFC_Y / 4] = 0;
		return 0;
	case SIFC_DATA:
		return twod_image(card, ch, state, data);
	case BLIT_SRC_Y_INT:
		state[OWN_WORK / 4] = BLIT_DST_X;
		r = twod_blit_rect(state);
		return twod_cost(card, ch, state, &r, true);
	default:
		return 0;
	}
}

static void twod_done(struct card *card, struct chan *ch, u32 *state)
{
	if (state[OWN_WORK / 4] == BLIT_DST_X)
		twod_blit_done(card, ch, state);
	else
		twod_solid_done(card, ch, state);
}

const struct gr_class gr_2d = {
	.oclass = 0x502d,
	.slot = GR_2D,
	.status = BIT(17) | BIT(24),
	.vstatus = { 0, 0, 1 << 15 | 1 << 21 },
	.mthd = twod_mthd,
	.done = twod_done,
};

/* The same on Fermi, but that addresses need no DMA object. */
const struct gr_class gr_2d_gf100 = {
	.oclass = 0x902d,
	.slot = GR_2D,
	.status = BIT(17) | BIT(24),
	.vstatus = { 0, 0, 1 << 15 | 1 << 21 },
	.mthd = twod_mthd,
	.done = twod_done,
};
