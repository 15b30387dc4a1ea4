// SPDX-License-Identifier: GPL-2.0
/*
 * pci.c - the PCI function: identity, configuration space, the interrupt pin and message.
 *
 * Base addresses are the machine's business (it decodes them); the registers only say which regions
 * exist.  Capabilities: power management at 0x60 and MSI at 0x68, where this chip has them: nouveau
 * re-arms the message by writing byte 0x68; on Fermi, byte 0x088704 of BAR0.  The whole space is
 * mirrored at 0x088000 of BAR0.
 *
 * In D3hot nothing runs and only this space answers; everything else is away (mmio.c).  Back in D0
 * the function has been reset, and its memory, which was not refreshed, holds nothing of use.
 *
 * Called by mmio.c for registers and the configuration space, by pmc.c for interrupts, by fault.c.
 */
#include <string.h>

#include "pci.h"
#include "card.h"
#include "chip.h"
#include "dev.h"
#include "mmio.h"

#define PCI_COMMAND	0x04
#define PCI_CAP_PM	0x60
#define PCI_CAP_MSI	0x68
#define PCI_PM_STATE	(PCI_CAP_PM + 4)	/* bits 0-1: 0 D0, 3 D3hot */

static void put16(u8 *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

void pci_reset(struct card *card)
{
	u8 *c = card->pci.config;

	memset(c, 0, sizeof(card->pci.config));
	put16(c + 0x00, 0x10de);
	put16(c + 0x02, card->chip->device_id);
	put16(c + 0x06, 0x0010);		/* status: has capabilities */
	c[0x08] = card->chip->revision;
	c[0x0b] = 0x03;				/* display controller, VGA */
	put32(c + 0x10, 0x00000000);		/* BAR0: 32-bit memory */
	put32(c + 0x14, 0x0000000c);		/* BAR1: 64-bit, prefetchable */
	put32(c + 0x1c, 0x00000004);		/* BAR3: 64-bit */
	put16(c + 0x2c, 0x10de);
	put16(c + 0x2e, card->chip->subsystem_id);
	c[0x34] = PCI_CAP_PM;
	c[0x3d] = 1;				/* INTA */
	c[PCI_CAP_PM] = 0x01;
	c[PCI_CAP_PM + 1] = PCI_CAP_MSI;
	put16(c + PCI_CAP_PM + 2, 0x0003);	/* version 1.2, D0 and D3 */
	c[PCI_CAP_MSI] = 0x05;
	put16(c + PCI_CAP_MSI + 2, 0x0080);	/* one vector, 64-bit address */
	card->pci.intx = false;
	card->pci.msi_armed = true;
	card->host.intx(card->host.ctx, false);
}

static void pci_message(struct card *card)
{
	if (card->gone)
		return;
	if (!card->pci.intx || !card->pci.msi_on || !card->pci.msi_armed)
		return;
	card->pci.msi_armed = false;
	card->host.msi(card->host.ctx);
}

/* pci_intr() - PMC's interrupt output is at @level now */
void pci_intr(struct card *card, bool level)
{
	if (level == card->pci.intx || card->gone)
		return;
	card->pci.intx = level;
	card->host.intx(card->host.ctx, level);
	pci_message(card);
}

/* pci_busy() - an interrupt is pending, or the driver has not said yet that it handled one */
bool pci_busy(const struct card *card)
{
	return card->pci.intx || !card->pci.msi_armed || !(reg_get(card, 0x000140) & 1);
}

/* pci_spurious() - raise an interrupt while no unit has one pending */
void pci_spurious(struct card *card)
{
	if (card->gone)
		return;
	if (card->pci.msi_on) {
		card->host.msi(card->host.ctx);
	} else if (!card->pci.intx) {
		card->host.intx(card->host.ctx, true);
		card->host.intx(card->host.ctx, false);
	}
}

bool card_intx_level(const struct card *card)
{
	return card->pci.intx;
}

void card_msi_enable(struct card *card, bool on)
{
	card->pci.msi_on = on;
	card->pci.msi_armed = true;
	pci_message(card);
}

/* pci_rearm() - the driver has handled the last message */
void pci_rearm(struct card *card)
{
	card->pci.msi_armed = true;
	pci_message(card);
}

/* pci_away() - it is in D3hot */
bool pci_away(const struct card *card)
{
	return (card->pci.config[PCI_PM_STATE] & 3) == 3;
}

/* The power state may have been written; it was @away before. */
static void pci_power(struct card *card, bool away)
{
	if (away == pci_away(card))
		return;
	dev_off(card);
	if (away) {
		memset(card->vram, 0xa5, card->vram_size);
		pci_reset(card);
	}
}

/* Which bits of a byte of the configuration space can be written. */
static u8 pci_writable(u32 off)
{
	switch (off) {
	case PCI_COMMAND:
		return 0x47;
	case PCI_COMMAND + 1:
		return 0x05;
	case 0x0c:		/* cache line size */
	case 0x3c:		/* interrupt line */
		return 0xff;
	case PCI_PM_STATE:
		return 0x03;
	case PCI_CAP_MSI + 2:
		return 0x01;
	default:
		if (off >= PCI_CAP_MSI + 4 && off < PCI_CAP_MSI + 14)
			return 0xff;
		return 0;
	}
}

void pci_config(struct card *card, u32 off, u8 *buf, u32 len, bool write)
{
	for (u32 i = 0; i < len; i++, off++) {
		bool away = pci_away(card);
		u8 mask;

		if (off >= sizeof(card->pci.config)) {
			if (!write)
				buf[i] = 0;
			continue;
		}
		if (!write) {
			buf[i] = card->pci.config[off];
			continue;
		}
		mask = pci_writable(off);
		card->pci.config[off] = (card->pci.config[off] & ~mask) | (buf[i] & mask);
		if (off == PCI_CAP_MSI)
			pci_rearm(card);
		if (off == PCI_PM_STATE)
			pci_power(card, away);
	}
}

u32 pci_rd(struct card *card, u32 off)
{
	u32 val = 0;

	off -= 0x088000;
	if (off < sizeof(card->pci.config))
		pci_config(card, off, (u8 *)&val, sizeof(val), false);
	else
		val = reg_get(card, 0x088000 + off);
	return val;
}

void pci_wr(struct card *card, u32 off, u32 val)
{
	off -= 0x088000;
	if (off < sizeof(card->pci.config))
		pci_config(card, off, (u8 *)&val, sizeof(val), true);
	else
		reg_set(card, 0x088000 + off, val);
}
