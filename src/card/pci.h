/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PCI function: pci.c.
 *
 * Called by mmio.c for registers, the configuration space, and to know whether the function is
 * away, by pmc.c for interrupts, by fault.c, and by dev.c at reset. One thread at a time (card.h).
 */
#ifndef CARD_PCI_H
#define CARD_PCI_H

#include "types.h"

struct card;

struct pci {
	u8 config[256];
	bool intx;		/* level of the pin */
	bool msi_on;
	bool msi_armed;
};

void pci_reset(struct card *card);
bool pci_away(const struct card *card);
void pci_intr(struct card *card, bool level);
bool pci_busy(const struct card *card);
void pci_spurious(struct card *card);
void pci_config(struct card *card, u32 off, u8 *buf, u32 len, bool write);
u32 pci_rd(struct card *card, u32 off);
void pci_wr(struct card *card, u32 off, u32 val);
void pci_rearm(struct card *card);

#endif
