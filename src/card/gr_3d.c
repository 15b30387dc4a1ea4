// SPDX-License-Identifier: GPL-2.0
/*
 * gr_3d.c - classes 0x8297 and 0x5097, 3D: methods are kept, queries are answered, nothing is
 * drawn.
 */
#include "priv.h"

#define DMA_QUERY		0x0188
#define QUERY_ADDRESS_HIGH	0x1b00
#define QUERY_GET		0x1b0c

static s64 gr_3d_mthd(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	if (mthd == QUERY_GET)
		return pgraph_query(card, ch, state, DMA_QUERY, QUERY_ADDRESS_HIGH, data);
	return 0;
}

const struct gr_class gr_3d = { .oclass = 0x8297, .slot = GR_3D, .mthd = gr_3d_mthd };
const struct gr_class gr_3d_g80 = { .oclass = 0x5097, .slot = GR_3D, .mthd = gr_3d_mthd };
