// SPDX-License-Identifier: GPL-2.0
/*
 * pfifo_gf100.c - channels as the driver of a GF100 sees them: their table at 0x003000, the one
 * runlist, the page by which each is told of work, and the interrupts.  What channels do is in
 * pusher.c, puller.c and runlist.c.
 *
 * A channel is bound to its instance block (0x003000 + 8 n), set going (0x003004 + 8 n) and named
 * by the runlist.  Its doorbell is word 0x8c of a page of video memory (USERD); the card sees the
 * driver's writes to such pages when they come through the piece of BAR1 that 0x002254 names, and
 * reads the word when it starts to run the channel.  Three pushers (PBDMAs) serve the engines.
 *
 * Called by mmio.c for registers, by instmem.c for BAR1, by pfifo.c for interrupts and errors.
 */
#include <string.h>

#include "pfifo_gf100.h"
#include "chan.h"
#include "dev.h"
#include "engine.h"
#include "instmem.h"
#include "mmio.h"
#include "pfifo_priv.h"
#include "pmc.h"
#include "runlist.h"
#include "vm.h"

#define PFIFO_INTR		0x002100
#define PFIFO_INTR_EN		0x002140
#define PFIFO_POLL_AREA		0x002254	/* page of BAR1; bit 28: valid */
#define PFIFO_RUNLIST_BASE	0x002270	/* page, bits 28-29: where */
#define PFIFO_RUNLIST		0x002274	/* how many entries; writing makes it the runlist */
#define PFIFO_MMU_UNITS		0x00259c
#define PFIFO_PBDMA_UNITS	0x0025a0
#define PFIFO_ENGINE_UNITS	0x0025a4
#define PFIFO_ENGINE_INTR	0x0025a8	/* of engine n at + 4 n */
#define PFIFO_BLOCK		0x002630	/* engines that get no channel */
#define PFIFO_PREEMPT		0x002634	/* channel to be taken off; bit 20: not yet */
#define PFIFO_ENGINE_STATUS	0x002640	/* of engine n at + 4 n */
#define PFIFO_FAULT		0x002800	/* of unit n at + 16 n: instance, address, type */
#define PFIFO_RUNLIST_INTR	0x002a00
#define PFIFO_FAULT_TRIGGER	0x002a30	/* of engine n at + 4 n; bit 8: now */
#define PFIFO_CHANNELS		0x003000
#define PFIFO_CHANNELS_END	0x003400

#define INTR_MMU		BIT(28)
#define INTR_PBDMA		BIT(29)
#define INTR_RUNLIST		BIT(30)
#define INTR_ENGINE		BIT(31)

#define RUNLIST_DONE		BIT(28)
#define PREEMPT_PENDING		BIT(20)

/*
 * Engine status: nouveau 6.1 looks for busy in bit 31 and for a switch in bits 18 and 12; from 6.2
 * on in bit 28, and in bits 14 and 12.
 */
#define STATUS_BUSY		(BIT(31) | BIT(28))
#define STATUS_SWITCHING	(BIT(18) | BIT(14) | BIT(12))

#define PBDMA_BASE		0x040000
#define PBDMA_SIZE		0x2000
#define PBDMA_METHOD		0x0c0
#define PBDMA_DATA		0x0c4
#define PBDMA_INTR		0x108
#define PBDMA_CHANNEL		0x120
#define PBDMA_BAD_ENTRY		BIT(15)
#define PBDMA_BAD_COMMAND	BIT(18)
#define PBDMA_BAD_METHOD	BIT(21)
#define PBDMA_NO_OBJECT		BIT(23)
#define PBDMA_BAD_SEMAPHORE	BIT(25)

#define USER_SIZE		0x1000
#define USER_PUT		0x8c

/* In the instance block. */
#define RAMFC_USERD		0x08
#define RAMFC_IB		0x48

/* PFIFO's numbers of the engines. */
static const u8 engine_id[ENGINES] = { [ENGINE_GR] = 0, [ENGINE_CE0] = 4, [ENGINE_CE1] = 5 };
/* The pushers that nouveau assigns them to. */
static const u8 engine_pbdma[ENGINES] = { [ENGINE_GR] = 0, [ENGINE_CE0] = 2, [ENGINE_CE1] = 1 };

static struct engine *engine_of(struct card *card, u32 id)
{
	for (u32 i = 0; i < ENGINES; i++)
		if (engine_id[i] == id)
			return &card->engine[i];
	return NULL;
}

/* ---- interrupts and errors ------------------------------------------------------------------- */

u32 pfifo_gf100_intr(const struct card *card)
{
	const struct pfifo *fifo = &card->pfifo;

	return (fifo->mmu_units ? INTR_MMU : 0) | (fifo->pbdma_units ? INTR_PBDMA : 0) |
	       (fifo->runlist_intr ? INTR_RUNLIST : 0) | (fifo->nonstall ? INTR_ENGINE : 0);
}

/* pfifo_gf100_nonstall() - the interrupt that a channel asks for behind its fence */
void pfifo_gf100_nonstall(struct card *card, const struct chan *ch)
{
	card->pfifo.nonstall |= BIT(engine_id[ch->engine]);
	pmc_update(card);
}

/*
 * pfifo_gf100_fault() - record that the MMU could not translate an address of @unit; the first is
 * kept
 */
void pfifo_gf100_fault(struct card *card, u32 unit, u64 inst, u64 addr, u32 type)
{
	u32 record = PFIFO_FAULT + 16 * unit;

	if (card->pfifo.mmu_units & BIT(unit))
		return;
	reg_set(card, record, (u32)(inst >> 12));
	reg_set(card, record + 4, (u32)addr);
	reg_set(card, record + 8, (u32)(addr >> 32));
	reg_set(card, record + 12, type);
	card->pfifo.mmu_units |= BIT(unit);
	pmc_update(card);
}

/*
 * pfifo_gf100_error() - the channel's pusher cannot go on
 *
 * Without memory the MMU has told already, and the channel is through.  Otherwise PFIFO stands
 * until the driver has looked at it, and then goes on behind what was wrong.  A method of an object
 * of the driver's own is told in the same way, and is nothing wrong.
 */
void pfifo_gf100_error(struct card *card, struct chan *ch, enum pfifo_error error)
{
	static const struct { u32 intr; const char *what; } errors[] = {
		[PFIFO_BAD_COMMAND] = { PBDMA_BAD_COMMAND, "pusher: no command" },
		[PFIFO_EMPTY_ENTRY] = { PBDMA_BAD_ENTRY, "pusher: empty ring entry" },
		[PFIFO_BAD_METHOD] = { PBDMA_BAD_METHOD, "method without an engine" },
		[PFIFO_NO_OBJECT] = { PBDMA_NO_OBJECT, "method without an object" },
		[PFIFO_SOFTWARE] = { PBDMA_NO_OBJECT, NULL },
		[PFIFO_BAD_SEMAPHORE] = { PBDMA_BAD_SEMAPHORE, "semaphore error" },
	};
	u32 unit = engine_pbdma[ch->engine], regs = PBDMA_BASE + unit * PBDMA_SIZE;

	if (error == PFIFO_NO_MEMORY) {
		ch->stopped = true;
		return;
	}
	if (errors[error].what)
		dev_error(card, errors[error].what, (int)ch->chid,
			  (u64)ch->held_mthd << 32 | ch->held_data);
	reg_set(card, regs + PBDMA_METHOD, BIT(31) | ch->held_subc << 16 | ch->held_mthd);
	reg_set(card, regs + PBDMA_DATA, ch->held_data);
	reg_set(card, regs + PBDMA_CHANNEL, ch->chid);
	reg_set(card, regs + PBDMA_INTR, reg_get(card, regs + PBDMA_INTR) | errors[error].intr);
	card->pfifo.pbdma_units |= BIT(unit);
	card->pfifo.stall = INTR_PBDMA;
	pmc_update(card);
}

u32 pbdma_rd(struct card *card, u32 off)
{
	return reg_get(card, off);
}

void pbdma_wr(struct card *card, u32 off, u32 val)
{
	if (off % PBDMA_SIZE == PBDMA_INTR)
		val = reg_get(card, off) & ~val;
	reg_set(card, off, val);
}

/* ---- channels come and go -------------------------------------------------------------------- */

bool pfifo_gf100_blocked(const struct card *card, u32 engine)
{
	return reg_get(card, PFIFO_BLOCK) & BIT(engine_id[engine]);
}

static void chan_bind(struct card *card, struct chan *ch, u32 entry)
{
	u64 inst = (u64)(entry & 0x0fffffff) << 12;
	u32 ib_high = vram_rd32(card, inst + RAMFC_IB + 4);

	chan_start(card, ch, inst);
	ch->stopped = true;
	ch->inst = inst;
	vm_space(inst, &ch->push);
	ch->sema = ch->push;
	ch->ib_base = vram_rd32(card, inst + RAMFC_IB) | (u64)(ib_high & 0xff) << 32;
	ch->ib_mask = (1u << (ib_high >> 16 & 0x1f)) - 1;
	ch->userd = (vram_rd32(card, inst + RAMFC_USERD) & ~0x1ffu) |
		    (u64)(vram_rd32(card, inst + RAMFC_USERD + 4) & 0xff) << 32;
}

/* Channel @ch may run from now on, or no longer once the work in hand is done. */
static void chan_control(struct card *card, struct chan *ch, bool run)
{
	if (!ch->enabled)
		return;
	ch->stopped = !run;
	if (run)
		chan_doorbell(card, ch, vram_rd32(card, ch->userd + USER_PUT));
	pfifo_run(card);
}

/*
 * The channel is to leave its engine, so that its context may be changed in memory: at once, but
 * for the work in hand.  True: it has not left yet.
 */
static bool chan_preempt(struct card *card)
{
	struct chan *ch = &card->pfifo.chan[card->pfifo.preempt];

	for (u32 i = 0; i < ENGINES; i++) {
		struct engine *e = &card->engine[i];

		if (e->owner == (int)ch->chid && engine_working(e))
			return true;
		if (e->owner == (int)ch->chid) {
			engine_yield(e);
			pfifo_resume(card, ch);
		}
		if (e->ctx && e->ctx == ch->inst)
			e->ctx = 0;
	}
	return false;
}

static void gf100_runlist(struct card *card, u32 count)
{
	struct pfifo *fifo = &card->pfifo;
	u32 base = reg_get(card, PFIFO_RUNLIST_BASE), target = base >> 28 & 3;
	enum vm_reason why;
	u32 entry[2];

	count &= 0xfff;
	if (count > CARD_CHANNELS) {
		dev_error(card, "runlist too long", -1, count);
		count = CARD_CHANNELS;
	}
	for (u32 i = 0; i < CARD_CHANNELS; i++)
		fifo->chan[i].listed = false;
	fifo->runlist_len = 0;
	for (u32 i = 0; i < count; i++) {
		u64 run = sizeof(entry);
		u8 *p = vm_memory(card, target, ((u64)(base & 0x0fffffff) << 12) + 8 * i, false,
				  &run, &why);

		if (!p || run < sizeof(entry)) {
			dev_error(card, "no memory behind the runlist", -1, base);
			break;
		}
		memcpy(entry, p, sizeof(entry));
		fifo->runlist[i] = entry[0] % CARD_CHANNELS;
		fifo->chan[fifo->runlist[i]].listed = true;
		fifo->runlist_len++;
	}
	fifo->runlist_intr |= RUNLIST_DONE;
	pmc_update(card);
	pfifo_run(card);
}

void pfifo_gf100_reset(struct card *card)
{
	struct pfifo *fifo = &card->pfifo;

	fifo->mmu_units = 0;
	fifo->pbdma_units = 0;
	fifo->nonstall = 0;
	fifo->runlist_intr = 0;
	fifo->preempt = 0;
	for (u32 r = PBDMA_BASE; r < PBDMA_BASE + 3 * PBDMA_SIZE; r += 4)
		reg_set(card, r, 0);
}

/*
 * pfifo_gf100_user() - an access to the piece of BAR1 through which channels are told of work
 * @write: the memory behind it has been written already
 *
 * Return: true for a read that the channel answers, and not the memory.
 */
bool pfifo_gf100_user(struct card *card, u64 off, void *buf, u32 len, bool write)
{
	u32 area = reg_get(card, PFIFO_POLL_AREA), chid, at, val;
	u64 base = (u64)(area & 0x0fffffff) << 12;
	struct chan *ch;

	if (!(area & BIT(28)) || off < base || off - base >= CARD_CHANNELS * USER_SIZE || len != 4)
		return false;
	chid = (u32)(off - base) / USER_SIZE;
	at = (u32)off % USER_SIZE;
	ch = &card->pfifo.chan[chid];
	if (!ch->enabled || at < 0x40 || at > USER_PUT)
		return false;
	if (!write) {
		val = chan_user_rd(ch, at);
		memcpy(buf, &val, sizeof(val));
		return true;
	}
	if (at == USER_PUT && !ch->stopped) {
		memcpy(&val, buf, sizeof(val));
		chan_doorbell(card, ch, val);
	}
	return false;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The channel that has the engine, while the engine works or is stuck. */
static u32 engine_status(const struct engine *e)
{
	if (!e || e->owner < 0)
		return 0;
	return STATUS_BUSY | (e->state == GR_SWITCHING ? STATUS_SWITCHING : 0) | (u32)e->owner;
}

u32 pfifo_gf100_rd(struct card *card, u32 off)
{
	const struct pfifo *fifo = &card->pfifo;

	switch (off) {
	case PFIFO_INTR:
		return pfifo_gf100_intr(card);
	case PFIFO_MMU_UNITS:
		return fifo->mmu_units;
	case PFIFO_PBDMA_UNITS:
		return fifo->pbdma_units;
	case PFIFO_ENGINE_UNITS:
		return fifo->nonstall;
	case PFIFO_ENGINE_INTR ... PFIFO_ENGINE_INTR + 7 * 4:
		return fifo->nonstall >> (off - PFIFO_ENGINE_INTR) / 4 & 1;
	case PFIFO_PREEMPT:
		return fifo->preempt | (chan_preempt(card) ? PREEMPT_PENDING : 0);
	case PFIFO_ENGINE_STATUS ... PFIFO_ENGINE_STATUS + 7 * 4:
		return engine_status(engine_of(card, (off - PFIFO_ENGINE_STATUS) / 4));
	case PFIFO_RUNLIST_INTR:
		return fifo->runlist_intr;
	default:
		return reg_get(card, off);
	}
}

static void channel_wr(struct card *card, u32 off, u32 val)
{
	struct chan *ch = &card->pfifo.chan[(off - PFIFO_CHANNELS) / 8];

	if (off & 4) {
		chan_control(card, ch, val & 1);
		reg_set(card, off, val);
		return;
	}
	if (!(val & BIT(31)) && ch->enabled)
		chan_save(card, ch);
	if (!(val & BIT(31)) || !(reg_get(card, off) & BIT(31)))
		chan_stop(card, ch);
	if (val & BIT(31) && !(reg_get(card, off) & BIT(31)))
		chan_bind(card, ch, val);
	reg_set(card, off, val);
	pfifo_run(card);
}

void pfifo_gf100_wr(struct card *card, u32 off, u32 val)
{
	struct pfifo *fifo = &card->pfifo;

	if (off >= PFIFO_CHANNELS && off < PFIFO_CHANNELS_END) {
		channel_wr(card, off, val);
		return;
	}
	switch (off) {
	case PFIFO_INTR:
		return;		/* each bit goes with its cause */
	case PFIFO_MMU_UNITS:
		fifo->mmu_units &= ~val;
		pmc_update(card);
		return;
	case PFIFO_PBDMA_UNITS:
		fifo->pbdma_units &= ~val;
		pmc_update(card);
		if (!fifo->pbdma_units)
			pfifo_unstall(card);
		return;
	case PFIFO_ENGINE_INTR ... PFIFO_ENGINE_INTR + 7 * 4:
		if (val & 1)
			fifo->nonstall &= ~BIT((off - PFIFO_ENGINE_INTR) / 4);
		pmc_update(card);
		return;
	case PFIFO_RUNLIST_INTR:
		fifo->runlist_intr &= ~val;
		pmc_update(card);
		return;
	case PFIFO_PREEMPT:
		fifo->preempt = val % CARD_CHANNELS;
		chan_preempt(card);
		pfifo_run(card);
		return;
	case PFIFO_FAULT_TRIGGER ... PFIFO_FAULT_TRIGGER + 7 * 4:
		reg_set(card, off, val);
		if (val & BIT(8))
			pfifo_gf100_fault(card, val & 0x1f, 0, 0, 0);
		return;
	}
	reg_set(card, off, val);
	switch (off) {
	case PFIFO_INTR_EN:
		pmc_update(card);
		break;
	case PFIFO_RUNLIST:
		gf100_runlist(card, val);
		break;
	case PFIFO_BLOCK:
		pfifo_run(card);
		break;
	}
}
