// SPDX-License-Identifier: GPL-2.0
/*
 * NVIDIA's chips. Registers: which chip it is, which channel its graphics engine works for, and its
 * clock. And in which form a chip takes commands.
 *
 * poll.c and clock.c map the pages and call the readers; attach.c and gpu.c ask which chip it is;
 * nouveau_push.c asks for the form of commands. Nothing is ever written.
 */
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "nouveau.h"

/*
 * Tesla: PFIFO's channel (0x003204), which is the one that PGRAPH works for, or worked for last;
 * PGRAPH's status (0x400700): bit 0 busy, bit 8 its context program, which is a switch.
 */
static u32 g84_read(void __iomem *const *page)
{
	const u32 channel = readl(page[0] + 0x204);
	const u32 status = readl(page[1] + 0x700);

	if (channel == ~0u || status == ~0u)
		return TGK_CHID_GONE;
	return (status & (BIT(0) | BIT(8))) == BIT(0) ? channel & 0x7f : TGK_CHID_NONE;
}

/*
 * Fermi: the status of engine 0 in one word (0x002640), as nouveau reads it: bit 28 busy, 14 and 12
 * a switch is under way, 6:0 the channel.
 */
static u32 gf100_read(void __iomem *const *page)
{
	const u32 status = readl(page[0] + 0x640);

	if (status == ~0u)
		return TGK_CHID_GONE;
	return (status & (BIT(28) | BIT(14) | BIT(12))) == BIT(28) ? status & 0x7f : TGK_CHID_NONE;
}

/*
 * Kepler: the status of engine 0 in one word (0x002640): bit 31 busy, 15 a switch is under way,
 * 12 the number is a group's and not a channel's, 11:0 the number. Reads that fail give 0xbad0xxxx.
 */
static u32 gk104_read(void __iomem *const *page)
{
	const u32 status = readl(page[0] + 0x640);

	if (status == ~0u || status >> 16 == 0xbad0)
		return TGK_CHID_GONE;
	return (status & (BIT(31) | BIT(15) | BIT(12))) == BIT(31) ? status & 0xfff : TGK_CHID_NONE;
}

/*
 * PTIMER (0x009400 and 0x009410): nanoseconds, the lower and the upper half; it counts by 32. The
 * driver sets it when it starts. @r is the lower half's reading.
 */
static bool nv04_time(void __iomem *page, struct tgk_reading *r)
{
	u32 high, low;

	do {
		high = readl(page + 0x410);
		r->before = ktime_get_ns();
		low = readl(page + 0x400);
		r->after = ktime_get_ns();
		if (high == ~0u && low == ~0u)
			return false;
	} while (readl(page + 0x410) != high);
	r->gpu = (u64)high << 32 | low;
	return true;
}

#define PTIMER	0x009000
#define FERMI	0x0c0		/* the first of them; every later chip has a higher number */

/*
 * Fermi's two copy engines work beside PGRAPH for the same channels. Younger chips serve each
 * engine by channels of its own.
 */
const struct tgk_chip tgk_nouveau_chips[TGK_NOUVEAU_CHIPS] = {
	{ 0x084, 0x0af, 1, { 0x003000, 0x400000 }, g84_read, PTIMER, nv04_time },
	{ FERMI, 0x0d9, 3, { 0x002000 }, gf100_read, PTIMER, nv04_time },
	{ 0x0e4, 0x108, 1, { 0x002000 }, gk104_read, PTIMER, nv04_time },
};

/**
 * tgk_nouveau_chip_id() - which chip is it?
 * @dev: a GPU's
 *
 * Context: process.
 *
 * Return: nouveau's number of it; TGK_CHIP_NONE: it does not say.
 */
u32 tgk_nouveau_chip_id(struct device *dev)
{
	const resource_size_t bar = pci_resource_start(to_pci_dev(dev), 0);
	void __iomem *boot = bar ? ioremap(bar, PAGE_SIZE) : NULL;
	u32 id = ~0u;

	/* Asleep, it would read as ones. */
	if (boot && !pm_runtime_resume_and_get(dev)) {
		id = readl(boot);
		pm_runtime_put(dev);
	}
	if (boot)
		iounmap(boot);
	return id >> 20 & TGK_CHIP_NONE;
}

/**
 * tgk_nouveau_methods() - in which form does it take commands?
 * @chip: nouveau's number of it
 *
 * Context: any.
 */
enum tg_methods tgk_nouveau_methods(u32 chip)
{
	return chip < FERMI ? TG_METHODS_NV50 : TG_METHODS_GF100;
}
