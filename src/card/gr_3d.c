// SPDX-License-Identifier: GPL-2.0
/*
 * gr_3d.c - classes 0x8297 and 0x5097, 3D, and Fermi's 0x9097: methods are kept, queries are
 * answered, nothing is drawn.  Clears and draws take as long as what was asked for says: pixels,
 * vertices, and the lengths of their programs.
 *
 * What a draw covers is not known without drawing it; the model assumes that it touches each pixel
 * of its viewport, as far as the scissors let it, once.
 *
 * Called by pgraph.c for methods, and when work ends.
 */
#include "gr.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "pgraph.h"
#include "surface.h"
#include "vm.h"

#define DMA_QUERY		0x0188
#define DMA_CODE		0x0198
#define VIEWPORT_HORIZ		0x0c00	/* extent in the high half; vertical next */
#define VERTEX_BUFFER_COUNT	0x0d78
#define SCISSOR_ENABLE		0x0e00
#define SCISSOR_HORIZ		0x0e04	/* first low, end high; vertical next */
#define SCREEN_SCISSOR_HORIZ	0x0ff4
#define RT_CONTROL		0x121c
#define ZETA_HORIZ		0x1228
#define VB_ELEMENT_U8		0x1304
#define ZETA_ENABLE		0x1538
#define VB_ELEMENT_U32		0x15e8
#define VB_ELEMENT_U16		0x15f0
#define CLEAR_BUFFERS		0x19d0
#define QUERY_ADDRESS_HIGH	0x1b00
#define QUERY_GET		0x1b0c

#define CLEAR_ZETA		0x03
#define CLEAR_COLOUR		0x3c
#define ZETA_BYTES		4

/*
 * What the draw that is being described has so far; methods of these numbers are PFIFO's, and do
 * not get here.
 */
#define OWN_VERTICES		0x0010
#define OWN_WORDS		0x0014	/* of vertices in the pushbuffer */

/**
 * struct threed - where the classes differ: numbers of methods, and bits
 * @rt_format, @rt_horiz: of the first target; its height follows its width
 * @rt_layout, @rt_linear: method and bit that say that it is in lines, and its width in bytes
 * @begin, @end: of a draw
 * @index_count: vertices by an array of indices; 0: by the pushbuffer only
 * @data, @attributes: a word of a vertex, and which words it has; 0: from arrays only
 * @clear_flags: method that says what limits a clear: @clear_viewport, and @clear_scissor (0: any
 *	scissor does)
 * @code: addresses of vertex and pixel programs, high and low
 * @start: what is added to them
 * @header: bytes before a program's first instruction
 * @query_brief: bit of a query that wants no more than its number
 * @program: measures a program
 */
struct threed {
	u32 rt_format, rt_horiz, rt_layout, rt_linear;
	u32 begin, end, index_count, data, attributes;
	u32 clear_flags, clear_viewport, clear_scissor;
	u32 code[2], start[2], header;
	u32 query_brief;
	u32 (*program)(struct card *card, const struct dmaobj *code, u64 addr);
};

static const struct threed tesla = {
	.rt_format = 0x0208, .rt_horiz = 0x1240, .rt_layout = 0x1240, .rt_linear = BIT(31),
	.begin = 0x15dc, .end = 0x15e0, .data = 0x1640, .attributes = 0x1650,
	.clear_flags = 0x143c, .clear_viewport = BIT(4),
	.code = { 0x0f7c, 0x0fa4 }, .start = { 0x140c, 0x1414 },
	.query_brief = BIT(15),
	.program = pgraph_program,
};

static const struct threed fermi = {
	.rt_format = 0x0810, .rt_horiz = 0x0808, .rt_layout = 0x0814, .rt_linear = BIT(12),
	.begin = 0x1618, .end = 0x1614, .index_count = 0x17e0,
	.clear_flags = 0x10f8, .clear_viewport = BIT(12), .clear_scissor = BIT(8),
	.code = { 0x1608, 0x1608 }, .start = { 0x2044, 0x2144 }, .header = 0x50,
	.query_brief = BIT(28),
	.program = pgraph_program_gf100,
};

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/*
 * The smallest of target, screen, viewport and scissor, each way.  Where they begin does not
 * matter: a driver keeps the others inside the target.
 */
static u64 threed_pixels(const struct threed *t, const u32 *state, bool viewport, bool scissors)
{
	u64 width = state[t->rt_horiz / 4] & 0x0fffffff;
	u64 height = state[t->rt_horiz / 4 + 1] & 0x1ffff;
	const u32 *screen = state + SCREEN_SCISSOR_HORIZ / 4, *scissor = state + SCISSOR_HORIZ / 4;
	const u32 *view = state + VIEWPORT_HORIZ / 4;
	u32 bytes = surface_pixel_bytes(state[t->rt_format / 4]);

	if (state[t->rt_layout / 4] & t->rt_linear)
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
	if (scissors && state[SCISSOR_ENABLE / 4] & 1) {
		for (u32 i = 0; i < 2; i++) {
			u32 first = scissor[i] & 0xffff, end = scissor[i] >> 16;
			u64 *extent = i ? &height : &width;

			*extent = min_u64(*extent, end > first ? end - first : 0);
		}
	}
	return width * height;
}

static s64 threed_clear(const struct threed *t, const struct card *card, const u32 *state,
			u32 buffers)
{
	u32 flags = state[t->clear_flags / 4];
	u64 pixels = threed_pixels(t, state, flags & t->clear_viewport,
				   !t->clear_scissor || flags & t->clear_scissor);
	u64 bytes = 0;

	if (buffers & CLEAR_COLOUR)
		bytes += pixels * surface_pixel_bytes(state[t->rt_format / 4]);
	if (buffers & CLEAR_ZETA)
		bytes += pixels * ZETA_BYTES;
	return bytes ? cost_pixels(card->chip, pixels, bytes, 0) : 0;
}

/* Its length; 0 when it cannot be read: nothing is drawn with it, so that is no error here. */
static u32 threed_program(const struct threed *t, struct card *card, const struct chan *ch,
			  const u32 *state, u32 which)
{
	const u32 *address = state + t->code[which] / 4;
	u64 addr = ((u64)(address[0] & 0xff) << 32 | address[1]) + state[t->start[which] / 4] +
		   t->header;
	struct dmaobj code;

	pgraph_object(card, ch, state, DMA_CODE, &code);
	return t->program(card, &code, addr);
}

static s64 threed_draw(const struct threed *t, struct card *card, const struct chan *ch, u32 *state)
{
	const u32 *attributes = state + t->attributes / 4;
	u32 words = (u32)(__builtin_popcount(attributes[0]) + __builtin_popcount(attributes[1]));
	u64 vertices = state[OWN_VERTICES / 4], pixels, bytes;

	if (words)
		vertices += state[OWN_WORDS / 4] / words;
	state[OWN_VERTICES / 4] = 0;
	state[OWN_WORDS / 4] = 0;
	if (!vertices)
		return 0;
	pixels = threed_pixels(t, state, true, true);
	bytes = pixels * surface_pixel_bytes(state[t->rt_format / 4]);
	if (state[ZETA_ENABLE / 4] & 1)
		bytes += 2 * pixels * ZETA_BYTES;
	return cost_draw(card->chip, vertices, threed_program(t, card, ch, state, 0),
			 pixels, threed_program(t, card, ch, state, 1), bytes);
}

static s64 threed_mthd(const struct threed *t, struct card *card, struct chan *ch, u32 *state,
		       u32 mthd, u32 data)
{
	u32 *vertices = state + OWN_VERTICES / 4;

	if (mthd == t->begin) {
		*vertices = 0;
		state[OWN_WORDS / 4] = 0;
		return 0;
	}
	if (mthd == t->end)
		return threed_draw(t, card, ch, state);
	if (mthd == t->index_count)
		*vertices += data;
	if (mthd == t->data)
		state[OWN_WORDS / 4]++;
	switch (mthd) {
	case CLEAR_BUFFERS:
		return threed_clear(t, card, state, data);
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
	case QUERY_GET:
		return pgraph_query(card, ch, state, DMA_QUERY, QUERY_ADDRESS_HIGH,
				    data & t->query_brief);
	default:
		return 0;
	}
}

static s64 tesla_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	return threed_mthd(&tesla, card, ch, state, mthd, data);
}

static s64 fermi_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	return threed_mthd(&fermi, card, ch, state, mthd, data);
}

/* Rasteriser, ROPs and multiprocessors are busy. */
#define STATUS_3D	(BIT(23) | BIT(24))
#define VSTATUS_3D	{ 0, 1 << 12, 1 << 21 }

const struct gr_class gr_3d = {
	.oclass = 0x8297, .slot = GR_3D, .mthd = tesla_mthd,
	.status = STATUS_3D, .vstatus = VSTATUS_3D,
};

const struct gr_class gr_3d_g80 = {
	.oclass = 0x5097, .slot = GR_3D, .mthd = tesla_mthd,
	.status = STATUS_3D, .vstatus = VSTATUS_3D,
};

const struct gr_class gr_3d_gf100 = {
	.oclass = 0x9097, .slot = GR_3D, .mthd = fermi_mthd,
	.status = STATUS_3D, .vstatus = VSTATUS_3D,
};
