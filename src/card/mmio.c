// SPDX-License-Identifier: GPL-2.0
/*
 * mmio.c - the register space, and the entry points for the guest's accesses.
 *
 * The chip's table sends each range of BAR0 to its unit.  Registers of units that are not modelled
 * (display, thermal, video engines, ...) keep what is written, which is what their drivers need to
 * come up.
 *
 * Called by the host, once for each access.
 */
#include <string.h>

#include "mmio.h"
#include "card.h"
#include "chip.h"
#include "dev.h"
#include "instmem.h"
#include "pci.h"

#define WINDOW_BASE	0x700000
#define WINDOW_END	0x800000

/* Fermi: the one register of the PCI function's that is a byte. */
#define PCI_REARM	0x088704

void mmio_reset(struct card *card)
{
	for (u32 i = 0; i < ARRAY_SIZE(card->reg_used); i++) {
		if (card->reg_used[i])
			memset((u8 *)card->reg + (i << CARD_REG_PAGE), 0, 1 << CARD_REG_PAGE);
		card->reg_used[i] = false;
	}
}

static const struct mmio_range *mmio_find(const struct card *card, u32 off)
{
	const struct mmio_range *ranges = card->chip->ranges;
	size_t lo = 0, hi = card->chip->range_count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (off < ranges[mid].start)
			hi = mid;
		else if (off >= ranges[mid].end)
			lo = mid + 1;
		else
			return &ranges[mid];
	}
	return NULL;
}

u32 mmio_rd(struct card *card, u32 off)
{
	const struct mmio_range *range = mmio_find(card, off);

	return range ? range->rd(card, off) : reg_get(card, off);
}

void mmio_wr(struct card *card, u32 off, u32 val)
{
	const struct mmio_range *range = mmio_find(card, off);

	if (range)
		range->wr(card, off, val);
	else
		reg_set(card, off, val);
}

u64 card_region_size(const struct card *card, int region)
{
	(void)card;
	switch (region) {
	case CARD_BAR0:
		return CARD_MMIO_SIZE;
	case CARD_BAR1:
		return 256ull << 20;
	case CARD_BAR3:
		return 32ull << 20;
	case CARD_CONFIG:
		return 256;
	default:
		return 0;
	}
}

static bool mmio_inside(const struct card *card, int region, u64 off, u32 len)
{
	u64 size = card_region_size(card, region);

	return off < size && len <= size - off;
}

void card_read(struct card *card, s64 now, int region, u64 off, void *buf, u32 len)
{
	u8 *out = buf;

	card_advance(card, now);
	if (card->gone) {
		memset(buf, 0xff, len);
		return;
	}
	if (!mmio_inside(card, region, off, len)) {
		dev_error(card, "read past the end of a region", -1, off);
		memset(buf, 0xff, len);
		return;
	}
	if (region == CARD_CONFIG) {
		pci_config(card, (u32)off, buf, len, false);
		return;
	}
	if (pci_away(card)) {
		card->away++;
		memset(buf, 0xff, len);
		return;
	}
	if (region != CARD_BAR0) {
		instmem_bar(card, region, off, buf, len, false);
		return;
	}
	if (off >= WINDOW_BASE && off + len <= WINDOW_END) {
		instmem_window(card, (u32)off - WINDOW_BASE, buf, len, false);
		return;
	}
	while (len) {
		u32 val = mmio_rd(card, (u32)off & ~3u);
		u32 at = off & 3, n = 4 - at < len ? 4 - at : len;

		memcpy(out, (u8 *)&val + at, n);
		out += n;
		off += n;
		len -= n;
	}
}

void card_write(struct card *card, s64 now, int region, u64 off, const void *buf, u32 len)
{
	const u8 *in = buf;

	card_advance(card, now);
	if (card->gone)
		return;
	if (!mmio_inside(card, region, off, len)) {
		dev_error(card, "write past the end of a region", -1, off);
		return;
	}
	if (region == CARD_CONFIG) {
		pci_config(card, (u32)off, (u8 *)buf, len, true);
		return;
	}
	if (pci_away(card)) {
		card->away++;
		return;
	}
	if (region != CARD_BAR0) {
		instmem_bar(card, region, off, (void *)buf, len, true);
		return;
	}
	if (off >= WINDOW_BASE && off + len <= WINDOW_END) {
		instmem_window(card, (u32)off - WINDOW_BASE, (void *)buf, len, true);
		return;
	}
	if (off == PCI_REARM && len == 1 && card->chip->fermi) {
		pci_rearm(card);
		return;
	}
	if ((off | len) & 3) {
		/* VGA registers are bytes; no unit of ours has such */
		if (mmio_find(card, (u32)off) || mmio_find(card, (u32)off + len - 1)) {
			dev_error(card, "write to a part of a register", -1, off);
			return;
		}
		memcpy((u8 *)card->reg + off, buf, len);
		card->reg_used[off >> CARD_REG_PAGE] = true;
		card->reg_used[(off + len - 1) >> CARD_REG_PAGE] = true;
		return;
	}
	for (; len; in += 4, off += 4, len -= 4) {
		u32 val;

		memcpy(&val, in, sizeof(val));
		mmio_wr(card, (u32)off, val);
	}
}
