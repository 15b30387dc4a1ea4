// SPDX-License-Identifier: GPL-2.0
/*
 * pgraph.c - the graphics engine: its objects, their methods, its errors.  How it takes time, and
 * whose context it holds, is engine.c.
 *
 * Methods go to the class of their subchannel's object; classes of copy engines (gr_copy.c) are found
 * here too, since their objects are bound in the same way.  0x40032c (context), 0x400700 (status)
 * and 0x400380-388 (its details) show the present instant.  What differs on GF100 is in
 * pgraph_gf100.c.
 *
 * Called by mmio.c for registers, by puller.c for methods, by engine.c when work ends.
 */
#include "pgraph.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "fault.h"
#include "gr.h"
#include "macro.h"
#include "mmio.h"
#include "pmc.h"
#include "ptimer.h"
#include "puller.h"
#include "runlist.h"
#include "vm.h"

#define GR_RESET		0x400040
#define GR_INTR			0x400100
#define GR_TRAP			0x400108
#define GR_ECODE		0x400110
#define GR_INTR_EN		0x40013c
#define GR_CTX_CUR		0x40032c
#define GR_VSTATUS_0		0x400380
#define GR_VSTATUS_2		0x400388
#define GR_FIFO			0x400500
#define GR_STATUS		0x400700
#define GR_TRAP_ADDR		0x400704
#define GR_TRAP_DATA		0x400708
#define GR_TRAP_CLASS		0x400814
#define GR_SUBC_CLASS		0x404200	/* Fermi: of subchannel n at + 4 n */

#define INTR_NOTIFY		BIT(0)
#define INTR_ILLEGAL_MTHD	BIT(4)
#define INTR_ILLEGAL_CLASS	BIT(5)
#define INTR_DATA_ERROR		BIT(20)
#define INTR_TRAP		BIT(21)

#define STATUS_BUSY		BIT(0)
#define STATUS_DISPATCH		BIT(1)
#define STATUS_CTXPROG		BIT(8)

#define CTX_VALID		BIT(31)

/* Methods that every class has. */
#define MTHD_NOTIFY		0x0104
#define MTHD_DMA_NOTIFY		0x0180

/* Instructions read of a program at most: a guest's program may have no end. */
#define PROGRAM_MAX		0x100000

#define TRAP_CCACHE		0x010
#define TRAP_CCACHE_USTATUS	0x405018

/* The address in the record of an MMU fault on request. */
#define FAULT_MMU_ADDR		0x12345000

/* The class of an object of engine @e; each engine has its own. */
static const struct gr_class *gr_class_find(const struct card *card, const struct engine *e,
					    u32 oclass)
{
	const u8 engine = (u8)(e - card->engine);

	for (const struct gr_class *const *c = card->chip->classes; *c; c++)
		if ((*c)->oclass == oclass && (*c)->engine == engine)
			return *c;
	return NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

bool pgraph_intr(const struct card *card)
{
	return card->pgraph.intr & reg_get(card, GR_INTR_EN);
}

/* The engine stops at an error until the driver acknowledges it and lets the engine go on. */
static void gr_error(struct card *card, u32 intr, const char *what)
{
	dev_error(card, what, card->engine[ENGINE_GR].owner,
		  (u64)reg_get(card, GR_TRAP_ADDR) << 32 | reg_get(card, GR_TRAP_DATA));
	card->pgraph.intr |= intr;
	card->engine[ENGINE_GR].halted = true;
	pmc_update(card);
}

/* pgraph_data_error() - the method's parameters make no sense; @code: why, to the driver */
s64 pgraph_data_error(struct card *card, u32 code)
{
	reg_set(card, GR_ECODE, code);
	gr_error(card, INTR_DATA_ERROR, "graphics data error");
	return GR_FAILED;
}

/* pgraph_trap() - a unit of the engine failed; it says how in its status register */
s64 pgraph_trap(struct card *card, u32 unit, u32 ustatus_reg, u32 ustatus)
{
	if (card->chip->fermi) {
		/* the fault itself is the MMU's to report; the engine waits to be reset */
		card->engine[ENGINE_GR].halted = true;
		return GR_FAILED;
	}
	reg_set(card, GR_TRAP, reg_get(card, GR_TRAP) | unit);
	reg_set(card, ustatus_reg, BIT(31) | ustatus);
	gr_error(card, INTR_TRAP, "graphics trap");
	return GR_FAILED;
}

/* As if the program of @ch had been unmapped, or what it copies. */
static void gr_mmu_fault(struct card *card, struct engine *e, const struct chan *ch)
{
	static const enum vm_who who[ENGINES] = { VM_GR_CODE, VM_PCE0, VM_PCE1 };
	struct dmaobj obj = { .inst = ch->inst };

	vm_fault(card, &obj, FAULT_MMU_ADDR, false, who[e - card->engine], VM_PAGE_NOT_PRESENT);
	if (card->chip->fermi)
		e->halted = true;
	else
		pgraph_trap(card, TRAP_CCACHE, TRAP_CCACHE_USTATUS, 1);
}

/*
 * The method before this one asked for a notifier: time, result and state (0: done), at the start
 * of the object's DMA object for notifiers.  False: it cannot be written.
 */
static bool gr_notify(struct card *card, struct chan *ch, const u32 *state)
{
	struct { u64 time; u32 result; u32 state; } done = { ptimer_time(card), 0, 0 };
	bool interrupt = ch->notify == 2;
	struct dmaobj obj;

	if (!ch->notify || card->engine[ENGINE_GR].halted)
		return true;
	ch->notify = 0;
	pgraph_object(card, ch, state, MTHD_DMA_NOTIFY, &obj);
	if (!vm_write(card, &obj, 0, &done, sizeof(done), VM_GR_NOTIFY)) {
		pgraph_trap(card, 0x001, 0x400804, 0x1);
		return false;
	}
	if (interrupt) {
		card->pgraph.intr |= INTR_NOTIFY;
		pmc_update(card);
	}
	return true;
}

/* pgraph_done() - the time of a work of class @op is over: its effect becomes visible */
void pgraph_done(struct card *card, struct engine *e, struct chan *ch, const struct gr_class *op)
{
	u32 *state = ch->state + op->slot * GR_METHODS;

	if (op->done)
		op->done(card, ch, state);
	if (e == &card->engine[ENGINE_GR])
		gr_notify(card, ch, state);
}

/* Methods name objects by handle; the model keeps the address of their description. */
static bool gr_dma_object(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data)
{
	u32 context;

	if (!pfifo_ramht(card, ch, data, &context)) {
		gr_error(card, INTR_ILLEGAL_MTHD, "unknown object handle");
		return false;
	}
	state[mthd / 4] = (context & 0xfffff) << 4;
	return true;
}

/* The method begins work of @ns. */
static void gr_work(struct card *card, struct engine *e, struct chan *ch,
		    const struct gr_class *class, s64 ns)
{
	if (fault_hits(card, FAULT_MMU, ch)) {
		gr_mmu_fault(card, e, ch);
		return;
	}
	ch->macro.steps = 0;
	ch->work = ns;
	engine_start(card, e, ch, class, ns);
}

/*
 * pgraph_mthd() - execute a method of the owner of engine @e
 * @data: its parameter; for method 0, the class of the object to bind
 *
 * Return: true when it is done and the next may follow; false when work has begun, or an error
 * stopped the engine.
 */
bool pgraph_mthd(struct card *card, struct engine *e, struct chan *ch, u32 subc, u32 mthd,
		 u32 data)
{
	const struct gr_class *class;
	bool redo = ch->redo;
	u32 *state;
	s64 ns;

	ch->redo = false;
	if (!mthd) {
		class = gr_class_find(card, e, data);
		ch->subch[subc].oclass = data;
		ch->subch[subc].slot = class ? class->slot : -1;
	} else {
		class = gr_class_find(card, e, ch->subch[subc].oclass);
	}
	ch->unpaid++;
	if (e != &card->engine[ENGINE_GR] && (!class || fault_hits(card, FAULT_METHOD, ch))) {
		/* nouveau's program for copy engines drops what it does not know */
		dev_error(card, "no method of a copy engine", (int)ch->chid, (u64)mthd << 32 | data);
		return true;
	}
	reg_set(card, GR_TRAP_ADDR, BIT(31) | subc << 16 | mthd);
	reg_set(card, GR_TRAP_DATA, data);
	reg_set(card, card->chip->fermi ? GR_SUBC_CLASS + 4 * subc : GR_TRAP_CLASS,
		ch->subch[subc].oclass);
	if (!class) {
		gr_error(card, INTR_ILLEGAL_CLASS, "object of an unknown class");
		return false;
	}
	if (!mthd || class->slot < 0)
		return true;
	if (redo) {
		/* its class, or a macro, has seen it before, and would not take it for the same */
		gr_work(card, e, ch, class, ch->work);
		return false;
	}
	if (card->chip->fermi && e == &card->engine[ENGINE_GR] &&
	    macro_mthd(card, ch, subc, mthd, data))
		return true;
	state = ch->state + class->slot * GR_METHODS;
	if (mthd >= 0x180 && mthd < 0x200 && !card->chip->fermi)
		return gr_dma_object(card, ch, state, mthd, data);
	if (mthd == MTHD_NOTIFY && !card->chip->fermi) {
		ch->notify = 1 + (data & 1);
		return true;
	}
	if (fault_hits(card, FAULT_METHOD, ch)) {
		gr_error(card, INTR_ILLEGAL_MTHD, "illegal method");
		return false;
	}
	state[mthd / 4] = data;
	ns = class->mthd(card, ch, state, mthd, data);
	if (ns == GR_FAILED)
		return false;
	if (ns) {
		gr_work(card, e, ch, class, ns);
		return false;
	}
	return gr_notify(card, ch, state);
}

/* ---- for the classes ------------------------------------------------------------------------- */

/* pgraph_object() - the DMA object that method @mthd was given */
void pgraph_object(struct card *card, const struct chan *ch, const u32 *state, u32 mthd,
		   struct dmaobj *obj)
{
	if (card->chip->fermi)
		vm_space(ch->inst, obj);
	else
		vm_dmaobj(card, ch->inst, state[mthd / 4], obj);
}

/*
 * pgraph_query() - write a query result: sequence number, or with it a zero and the time
 * @object: method that was given the DMA object; @mthd: address high, then low and sequence
 * @brief: the number alone
 */
s64 pgraph_query(struct card *card, const struct chan *ch, const u32 *state, u32 object, u32 mthd,
		 bool brief)
{
	struct { u32 seq; u32 zero; u64 time; } query = {
		state[mthd / 4 + 2], 0, ptimer_time(card)
	};
	u64 addr = (u64)(state[mthd / 4] & 0xff) << 32 | state[mthd / 4 + 1];
	struct dmaobj obj;

	pgraph_object(card, ch, state, object, &obj);
	if (!vm_write(card, &obj, addr, &query, brief ? 4 : sizeof(query), VM_GR_QUERY))
		return pgraph_trap(card, 0x001, 0x400804, 0x2);
	return 0;
}

/* A program's code, read word by word. */
struct code {
	const struct dmaobj *object;
	u64 addr;		/* where the next words for @buf are */
	u32 buf[256];
	u32 words;		/* in @buf, */
	u32 at;			/* of which so many have been taken */
};

/* Takes a word. False: it cannot be read. */
static bool code_word(struct card *card, struct code *code, u32 *word)
{
	if (code->at == code->words) {
		/* up to a page's end: memory may end where the program does */
		code->words = (0x400 - (code->addr & 0x3ff)) / 4;
		code->at = 0;
		if (!vm_read(card, code->object, code->addr, code->buf, code->words * 4, VM_GR_CODE))
			return false;
		code->addr += code->words * 4;
	}
	*word = code->buf[code->at++];
	return true;
}

/*
 * What reading @n instructions costs a hostile guest, whose programs may be long, and may end where
 * they cannot be read.
 */
static void program_charge(struct card *card, u32 n)
{
	dev_charge(card, n / 64);
}

/*
 * pgraph_program() - how many instructions a program has: bit 0 of the first word says whether an
 * instruction has two; the low bits of the second are 1 when the thread ends with it.
 *
 * Return: their number; 0 when the code cannot be read.
 */
u32 pgraph_program(struct card *card, const struct dmaobj *object, u64 addr)
{
	struct code code = { .object = object, .addr = addr & ~3ull };
	u32 n = 0, w[2];
	bool good = true;

	while (n < PROGRAM_MAX) {
		good = code_word(card, &code, &w[0]) &&
		       (!(w[0] & 1) || code_word(card, &code, &w[1]));
		if (!good)
			break;
		n++;
		if (w[0] & 1 && (w[1] & 3) == 1)
			break;
	}
	program_charge(card, n);
	return good ? n : 0;
}

/*
 * pgraph_program_gf100() - the same for Fermi: all instructions have two words, and the thread ends
 * with the first EXIT that every thread executes.
 */
u32 pgraph_program_gf100(struct card *card, const struct dmaobj *object, u64 addr)
{
	struct code code = { .object = object, .addr = addr & ~7ull };
	u32 n = 0, w[2];
	bool good = true;

	while (n < PROGRAM_MAX) {
		good = code_word(card, &code, &w[0]) && code_word(card, &code, &w[1]);
		if (!good)
			break;
		n++;
		/*
		 * class in bits 0-3, predicate in 10-13, 7 being "always"; operation in the top six
		 */
		if ((w[0] & 0x3c0f) == 0x1c07 && w[1] >> 26 == 0x20)
			break;
	}
	program_charge(card, n);
	return good ? n : 0;
}

/* The class of objects that do nothing. */
const struct gr_class gr_null = { .oclass = 0x0030, .slot = -1 };

/* ---- registers ------------------------------------------------------------------------------- */

void pgraph_reset(struct card *card)
{
	engine_reset(card, &card->engine[ENGINE_GR]);
	card->engine[ENGINE_GR].on = false;
	card->pgraph.intr = 0;
	for (u32 r = 0x400000; r < 0x410000; r += 4)
		reg_set(card, r, 0);
	pmc_update(card);
}

static u32 gr_status(const struct engine *gr)
{
	if (gr->state == GR_SWITCHING)
		return STATUS_BUSY | STATUS_CTXPROG;
	if (gr->state == GR_BUSY)
		return STATUS_BUSY | STATUS_DISPATCH | (gr->op ? gr->op->status : 0);
	return 0;
}

u32 pgraph_rd(struct card *card, u32 off)
{
	const struct engine *gr = &card->engine[ENGINE_GR];

	switch (off) {
	case GR_INTR:
		return card->pgraph.intr;
	case GR_CTX_CUR:
		return gr->ctx ? CTX_VALID | (u32)(gr->ctx >> 12) : 0;
	case GR_VSTATUS_0 ... GR_VSTATUS_2:
		return gr->op ? gr->op->vstatus[(off - GR_VSTATUS_0) / 4] : 0;
	case GR_STATUS:
		return gr_status(gr);
	default:
		return reg_get(card, off);
	}
}

/* The status registers of the units: bits 30 and 31 acknowledge. */
static bool gr_is_ustatus(u32 off)
{
	switch (off) {
	case 0x400804:
	case 0x400c04:
	case 0x401800:
	case 0x402000:
	case 0x405018:
	case 0x406800:
		return true;
	default:
		if (off < 0x408000)
			return false;
		off &= 0xfff;
		return off == 0x900 || off == 0xe08 || off == 0x314;
	}
}

void pgraph_wr(struct card *card, u32 off, u32 val)
{
	struct engine *gr = &card->engine[ENGINE_GR];

	if (gr_is_ustatus(off)) {
		reg_set(card, off, val & BIT(31));
		return;
	}
	switch (off) {
	case GR_INTR:
		card->pgraph.intr &= ~val;
		pmc_update(card);
		return;
	case GR_TRAP:
		reg_set(card, off, reg_get(card, off) & ~val);
		return;
	case GR_CTX_CUR:
		gr->ctx = val & CTX_VALID ? (u64)(val & 0x0fffffff) << 12 : 0;
		return;
	case GR_STATUS:
		return;
	}
	reg_set(card, off, val);
	switch (off) {
	case GR_INTR_EN:
		pmc_update(card);
		break;
	case GR_FIFO:
		gr->on = val & 1;
		if (gr->on && !card->pgraph.intr)
			gr->halted = false;
		if (engine_paused(gr))
			break;
		/* an owner that was stopped between two methods goes on */
		if (gr->owner >= 0 && !engine_working(gr))
			pfifo_resume(card, &card->pfifo.chan[gr->owner]);
		pfifo_run(card);
		break;
	}
}
