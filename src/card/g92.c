// SPDX-License-Identifier: GPL-2.0
/*
 * g92.c - the table of chips: what tells a G92 from its relatives.
 *
 * The board is a GeForce 9800 GT: 7 TPs of 2 MPs of 8 stream processors, 4 memory partitions of
 * 64 bits with 4 ROPs each.  Speeds are in cost.c.  Called by dev.c when a card is made.
 */
#include <string.h>

#include "priv.h"

static const struct card_chip chips[] = {
	{
		.name = "G92",
		.boot0 = 0x092000a2,
		.device_id = 0x0605,
		.subsystem_id = 0x062d,
		.revision = 0xa2,
		/* 7 TPs (bits 0-15), 4 partitions (16-23), 2 MPs in each TP (24-27) */
		.units = 0x030f007f,
		.partitions = 4,
		/* 27 MHz crystal */
		.crystal_strap = 0x8000009f,
	},
};

const struct card_chip *card_chip_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}
