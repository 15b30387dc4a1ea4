// SPDX-License-Identifier: GPL-2.0
/*
 * pgraph_gf100.c - the graphics engine as the driver of a GF100 sets it up: what it consists of,
 * and its context-switch microcontrollers.
 *
 * nouveau loads a program of its own into the hub's controller (FECS, 0x409000) and into those of
 * the GPCs (GPCCS, 0x41a000), and from then on talks to it by mailbox.  The programs are not run:
 * what they answer is answered here.  That is the size of a context when they start; "make this
 * channel current" and "unload it" while nouveau has its first context made; stop and go.
 * Contexts of channels are switched by engine.c.
 *
 * Called by mmio.c.  Errors, methods and the registers for them are pgraph.c's.
 */
#include "pgraph.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "mmio.h"

#define GR_INTR			0x400100
#define GR_TRAP			0x400108
#define GR_INTR_EN		0x40013c
#define GR_FIFO			0x400500
#define GR_STATUS		0x400700
#define GR_POWER_MODE		0x404170

#define FECS_INTR_SET		0x409000
#define FECS_CPU_CONTROL	0x409100
#define FECS_DATA		0x409500
#define FECS_COMMAND		0x409504
#define FECS_UNITS		0x409604	/* GPCs 0-4, ROP partitions 16-20 */
#define FECS_MAILBOX_0		0x409800
#define FECS_MAILBOX_1		0x409804
#define FECS_MAILBOX_0_SET	0x409820
#define FECS_MAILBOX_0_CLEAR	0x409840
#define FECS_CHAN_CURRENT	0x409b00
#define FECS_CHAN_NEXT		0x409b04
#define FECS_READY		BIT(31)

/* Commands of nouveau's program, and of both. */
#define COMMAND_SET_CHANNEL	0x01
#define COMMAND_STOP		0x38
#define COMMAND_START		0x39

/* FECS_INTR_SET: the channel has changed. */
#define INTR_CHSW		BIT(8)

#define GPC_BASE		0x500000
#define GPC_SIZE		0x8000
#define GPC_TPCS		0x2608

/*
 * Bytes that a context takes.  nouveau's program adds it up from what the units say, which is not
 * published; this much has room for everything that nouveau writes into one.
 */
#define CONTEXT_BYTES		0x20000

/* GeForce GTX 480: 15 of 16 TPCs, each one multiprocessor. */
static const u8 tpcs[] = { 4, 4, 4, 3 };

u32 pgraph_gf100_rd(struct card *card, u32 off)
{
	const struct engine *gr = &card->engine[ENGINE_GR];

	switch (off) {
	case GR_INTR:
	case GR_STATUS:
		return pgraph_rd(card, off);
	case FECS_UNITS:
		return card->chip->partitions << 16 | ARRAY_SIZE(tpcs);
	case FECS_CHAN_CURRENT:
		return gr->ctx ? FECS_READY | (u32)(gr->ctx >> 12) : 0;
	}
	if (off >= GPC_BASE && off < GPC_BASE + ARRAY_SIZE(tpcs) * GPC_SIZE &&
	    off % GPC_SIZE == GPC_TPCS)
		return tpcs[(off - GPC_BASE) / GPC_SIZE];
	return reg_get(card, off);
}

static void fecs_command(struct card *card, u32 command)
{
	u32 data = reg_get(card, FECS_DATA);

	switch (command) {
	case COMMAND_SET_CHANNEL:
		card->engine[ENGINE_GR].ctx = (u64)(data & 0x0fffffff) << 12;
		reg_set(card, FECS_CHAN_NEXT, data);
		reg_set(card, FECS_MAILBOX_0, reg_get(card, FECS_MAILBOX_0) | FECS_READY);
		break;
	case COMMAND_STOP:
	case COMMAND_START:
		reg_set(card, FECS_MAILBOX_1, 1);
		break;
	default:
		dev_error(card, "unknown command to PGRAPH's context switching", -1, command);
	}
}

void pgraph_gf100_wr(struct card *card, u32 off, u32 val)
{
	switch (off) {
	case GR_INTR:
	case GR_TRAP:
	case GR_INTR_EN:
	case GR_FIFO:
	case GR_STATUS:
		pgraph_wr(card, off, val);
		return;
	case GR_POWER_MODE:
		val &= ~BIT(4);		/* done */
		break;
	case FECS_INTR_SET:
		/* there is no next channel: the current one is unloaded */
		if (val & INTR_CHSW && !(reg_get(card, FECS_CHAN_NEXT) & FECS_READY))
			card->engine[ENGINE_GR].ctx = 0;
		return;
	case FECS_CPU_CONTROL:
		if (val & BIT(1)) {
			reg_set(card, FECS_MAILBOX_0, FECS_READY);
			reg_set(card, FECS_MAILBOX_1, CONTEXT_BYTES);
		}
		return;
	case FECS_COMMAND:
		fecs_command(card, val);
		return;
	case FECS_MAILBOX_0_SET:
		reg_set(card, FECS_MAILBOX_0, reg_get(card, FECS_MAILBOX_0) | val);
		return;
	case FECS_MAILBOX_0_CLEAR:
		reg_set(card, FECS_MAILBOX_0, reg_get(card, FECS_MAILBOX_0) & ~val);
		return;
	case FECS_UNITS:
	case FECS_CHAN_CURRENT:
		return;
	}
	reg_set(card, off, val);
}
