// SPDX-License-Identifier: GPL-2.0
/*
 * gr_3d.c - classes 0x8297 and 0x5097, 3D: methods are kept, queries are answered, nothing is
 * drawn.  Clears and draws take as long as what was asked for says: pixels, vertices, and the
 * lengths of their programs.
 *
 * What a draw covers is not known without drawing it; the model assumes that it touches each pixel
 * of its viewport, as far as the scissors let it, once.
 */
#include "priv.h"

#define DMA_QUERY		0x0188
#define DMA_CODE		0x0198
#define RT_FORMAT		0x0208
#define VIEWPORT_HORIZ		0x0c00	/* extent in the high half; vertical next */
#define VERTEX_BUFFER_COUNT	0x0d78
#define SCISSOR_ENABLE		0x0e00
#define SCISSOR_HORIZ		0x0e04	/* first low, end high; vertical next */
#define VP_ADDRESS_HIGH		0x0f7c
#define FP_ADDRESS_HIGH		0x0fa4
#define SCREEN_SCISSOR_HORIZ	0x0ff4
#define RT_CONTROL		0x121c
#define ZETA_HORIZ		0x1228
#define RT_HORIZ		0x1240
#define VB_ELEMENT_U8		0x1304
#define VP_START_ID		0x140c
#define FP_START_ID		0x1414
#define CLEAR_FLAGS		0x143c
#define ZETA_ENABLE		0x1538
#define VERTEX_BEGIN_GL		0x15dc
#define VERTEX_END_GL		0x15e0
#define VB_ELEMENT_U32		0x15e8
#define VB_ELEMENT_U16		0x15f0
#define VERTEX_DATA		0x1640
#define VP_ATTR_EN		0x1650
#define CLEAR_BUFFERS		0x19d0
#define QUERY_ADDRESS_HIGH	0x1b00
#define QUERY_GET		0x1b0c

#define RT_LINEAR		BIT(31)
#define CLEAR_BY_VIEWPORT	BIT(4)
#define CLEAR_ZETA		0x03
#define CLEAR_COLOUR		0x3c
#define ZETA_BYTES		4

/* Not methods: what the draw that is being described has so far. */
#define OWN_VERTICES		0x1ff0
#define OWN_WORDS		0x1ff4	/* of vertices in the pushbuffer */

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/*
 * The smallest of target, screen, viewport and scissor, each way.  Where they begin does not
 * matter: a driver keeps the others inside the target.
 */
static u64 threed_pixels(const u32 *state, bool viewport)
{
	u64 width = state[RT_HORIZ / 4] & 0x0fffffff, height = state[RT_HORIZ / 4 + 1] & 0x1ffff;
	const u32 *screen = state + SCREEN_SCISSOR_HORIZ / 4, *scissor = state + SCISSOR_HORIZ / 4;
	const u32 *view = state + VIEWPORT_HORIZ / 4;
	u32 bytes = surface_pixel_bytes(state[RT_FORMAT / 4]);

	if (state[RT_HORIZ / 4] & RT_LINEAR)
		width /= bytes ? bytes : 1;
	if (!(state[RT_CONTROL / 4] & 0xf) || !width || !height) {
		width = state[ZETA_HORIZ / 4] & 0x1ffff;
		height = state[ZETA_HORIZ / 4 + 1] & 0x1ffff;
	}
	width = min_u64(width, screen[0] >> 16);
	height = min_u64(height, screen[1] >> 16);
	if (viewport) {
		width = min_u64(width, view[0] >> 16);
		height = min_u64(height, view[1] >> 16);
	}
	if (state[SCISSOR_ENABLE / 4] & 1) {
		for (u32 i = 0; i < 2; i++) {
			u32 first = scissor[i] & 0xffff, end = scissor[i] >> 16;
			u64 *extent = i ? &height : &width;

			*extent = min_u64(*extent, end > first ? end - first : 0);
		}
	}
	return width * height;
}

static s64 threed_clear(const struct card *card, const u32 *state, u32 buffers)
{
	u64 pixels = threed_pixels(state, state[CLEAR_FLAGS / 4] & CLEAR_BY_VIEWPORT), bytes = 0;

	if (buffers & CLEAR_COLOUR)
		bytes += pixels * surface_pixel_bytes(state[RT_FORMAT / 4]);
	if (buffers & CLEAR_ZETA)
		bytes += pixels * ZETA_BYTES;
	return bytes ? cost_pixels(card->chip, pixels, bytes, 0) : 0;
}

/* Its length; 0 when it cannot be read: nothing is drawn with it, so that is no error here. */
static u32 threed_program(struct card *card, const struct chan *ch, const u32 *state, u32 address,
			  u32 start)
{
	u64 addr = ((u64)(state[address / 4] & 0xff) << 32 | state[address / 4 + 1]) +
		   state[start / 4];
	struct dmaobj code;

	pgraph_object(card, ch, state, DMA_CODE, &code);
	return pgraph_program(card, &code, addr & ~3ull);
}

static s64 threed_draw(struct card *card, const struct chan *ch, u32 *state)
{
	u32 words = (u32)__builtin_popcount(state[VP_ATTR_EN / 4]) +
		    (u32)__builtin_popcount(state[VP_ATTR_EN / 4 + 1]);
	u64 vertices = state[OWN_VERTICES / 4], pixels, bytes;

	if (words)
		vertices += state[OWN_WORDS / 4] / words;
	state[OWN_VERTICES / 4] = 0;
	state[OWN_WORDS / 4] = 0;
	if (!vertices)
		return 0;
	pixels = threed_pixels(state, true);
	bytes = pixels * surface_pixel_bytes(state[RT_FORMAT / 4]);
	if (state[ZETA_ENABLE / 4] & 1)
		bytes += 2 * pixels * ZETA_BYTES;
	return cost_draw(card->chip, vertices,
			 threed_program(card, ch, state, VP_ADDRESS_HIGH, VP_START_ID),
			 pixels, threed_program(card, ch, state, FP_ADDRESS_HIGH, FP_START_ID),
			 bytes);
}

static s64 gr_3d_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	u32 *vertices = state + OWN_VERTICES / 4;

	switch (mthd) {
	case CLEAR_BUFFERS:
		return threed_clear(card, state, data);
	case VERTEX_BEGIN_GL:
		*vertices = 0;
		state[OWN_WORDS / 4] = 0;
		return 0;
	case VERTEX_BUFFER_COUNT:
		*vertices += data;
		return 0;
	case VB_ELEMENT_U32:
		*vertices += 1;
		return 0;
	case VB_ELEMENT_U16:
		*vertices += 2;
		return 0;
	case VB_ELEMENT_U8:
		*vertices += 4;
		return 0;
	case VERTEX_DATA:
		state[OWN_WORDS / 4]++;
		return 0;
	case VERTEX_END_GL:
		return threed_draw(card, ch, state);
	case QUERY_GET:
		return pgraph_query(card, ch, state, DMA_QUERY, QUERY_ADDRESS_HIGH, data);
	default:
		return 0;
	}
}

/* Rasteriser, ROPs and multiprocessors are busy. */
#define STATUS_3D	(BIT(23) | BIT(24))
#define VSTATUS_3D	{ 0, 1 << 12, 1 << 21 }

const struct gr_class gr_3d = {
	.oclass = 0x8297, .slot = GR_3D, .mthd = gr_3d_mthd,
	.status = STATUS_3D, .vstatus = VSTATUS_3D,
};

const struct gr_class gr_3d_g80 = {
	.oclass = 0x5097, .slot = GR_3D, .mthd = gr_3d_mthd,
	.status = STATUS_3D, .vstatus = VSTATUS_3D,
};
