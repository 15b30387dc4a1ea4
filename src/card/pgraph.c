// SPDX-License-Identifier: GPL-2.0
/*
 * pgraph.c - the graphics engine: one context at a time, work that takes time, and the account of
 * it.
 *
 * PFIFO grants the engine to a channel (pgraph_grant); if another context is loaded, switching to
 * this one takes time first.  Methods then go to the class of their subchannel's object.  A
 * method may start work; the channel waits until it ends (pgraph_event), and only then does the
 * work show its effect. Method decoding takes time too, paid in one piece before work or before
 * the channel shows anything (pgraph_settle).  The channel gives the engine up at the end of its
 * command group (pgraph_yield).
 *
 * Account: at every instant the engine is in one of three states, and pgraph_account() adds the
 * time since the last change to the state's sum, and to the channel's when busy.  They add up by
 * construction.
 *
 * 0x40032c (context), 0x400700 (status) and 0x400380-388 (its details) show the present instant.
 */
#include "priv.h"

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

/* Longer than any program: a guest may have one without an end. */
#define PROGRAM_MAX		0x100000

#define TRAP_CCACHE		0x010
#define TRAP_CCACHE_USTATUS	0x405018

/* What an MMU fault on request says it wanted to read. */
#define FAULT_MMU_ADDR		0x12345000

static const struct gr_class *const classes[] = {
	&gr_m2mf, &gr_2d, &gr_compute, &gr_3d, &gr_3d_g80, &gr_null,
};

static const struct gr_class *gr_class_find(u32 oclass)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i]->oclass == oclass)
			return classes[i];
	return NULL;
}

static struct chan *gr_chan(struct card *card)
{
	return &card->pfifo.chan[card->pgraph.owner];
}

/* ---- the account ----------------------------------------------------------------------------- */

void pgraph_account(struct card *card, enum gr_state next)
{
	struct pgraph *gr = &card->pgraph;
	s64 ns = card->t - gr->since;

	gr->ns[gr->state] += ns;
	if (gr->state == GR_BUSY)
		card->row[gr_chan(card)->row].busy_ns += ns;
	gr->since = card->t;
	gr->state = next;
}

/* ---- errors ---------------------------------------------------------------------------------- */

bool pgraph_intr(const struct card *card)
{
	return card->pgraph.intr & reg_get(card, GR_INTR_EN);
}

/* The engine stops at an error until the driver acknowledges it and lets the engine go on. */
static void gr_error(struct card *card, u32 intr, const char *what)
{
	struct pgraph *gr = &card->pgraph;

	dev_error(card, what, gr->owner,
		  (u64)reg_get(card, GR_TRAP_ADDR) << 32 | reg_get(card, GR_TRAP_DATA));
	gr->intr |= intr;
	gr->halted = true;
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
	reg_set(card, GR_TRAP, reg_get(card, GR_TRAP) | unit);
	reg_set(card, ustatus_reg, BIT(31) | ustatus);
	gr_error(card, INTR_TRAP, "graphics trap");
	return GR_FAILED;
}

/* As if the program of @ch had been unmapped. */
static void gr_mmu_fault(struct card *card, const struct chan *ch)
{
	struct dmaobj obj = { .inst = ch->inst };

	vm_fault(card, &obj, FAULT_MMU_ADDR, false, VM_GR_CODE, VM_PAGE_NOT_PRESENT);
	pgraph_trap(card, TRAP_CCACHE, TRAP_CCACHE_USTATUS, 1);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* pgraph_freeze() - from now on, what the engine does takes forever */
void pgraph_freeze(struct card *card)
{
	struct pgraph *gr = &card->pgraph;

	if (gr->frozen)
		return;
	gr->frozen = true;
	gr->rest = gr->end == CARD_NEVER ? 0 : gr->end - card->t;
	gr->end = CARD_NEVER;
}

/* pgraph_thaw() - it goes on where it was */
void pgraph_thaw(struct card *card)
{
	struct pgraph *gr = &card->pgraph;

	if (!gr->frozen)
		return;
	gr->frozen = false;
	if (gr->state != GR_IDLE)
		gr->end = card->t + gr->rest;
	else if (gr->owner >= 0 && !pgraph_paused(card))
		pfifo_resume(card, gr_chan(card));
	pfifo_run(card);
}

/* pgraph_working() - it has work or a context switch in hand */
bool pgraph_working(const struct card *card)
{
	return card->pgraph.state != GR_IDLE;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What has just begun takes so long. */
static void gr_until(struct card *card, s64 ns)
{
	struct pgraph *gr = &card->pgraph;

	if (gr->frozen)
		gr->rest = ns;
	else
		gr->end = card->t + ns;
}

static void gr_start(struct card *card, struct chan *ch, const struct gr_class *op, s64 ns)
{
	struct pgraph *gr = &card->pgraph;

	if (ch->unpaid)
		ns += cost_methods(ch->unpaid);
	ch->unpaid = 0;
	pgraph_account(card, GR_BUSY);
	gr->op = op;
	if (op && card->config.jitter)
		ns += cost_jitter(ns, dev_random(&card->jitter_seed));
	ns += gr->cold;
	gr->cold = 0;
	gr_until(card, dev_scaled(card, ns));
	if (fault_hits(card, FAULT_HANG, ch)) {
		pgraph_freeze(card);
		gr->rest = 0;
	}
}

/*
 * pgraph_settle() - charge for the methods decoded so far
 *
 * Return: true when nothing is owed; false when the engine is busy with it now.
 */
bool pgraph_settle(struct card *card, struct chan *ch)
{
	if (!ch->unpaid)
		return true;
	gr_start(card, ch, NULL, 0);
	return false;
}

/* pgraph_free() - nobody has the engine, and it may be given to someone */
bool pgraph_free(const struct card *card)
{
	return card->pgraph.owner < 0 && !pgraph_paused(card);
}

bool pgraph_paused(const struct card *card)
{
	return !card->pgraph.on || card->pgraph.halted || card->pgraph.frozen;
}

/* pgraph_grant() - the channel gets the engine.  Return: true when its context is there already */
bool pgraph_grant(struct card *card, struct chan *ch)
{
	struct pgraph *gr = &card->pgraph;

	gr->owner = (int)ch->chid;
	if (gr->ctx == ch->inst)
		return true;
	pgraph_account(card, GR_SWITCHING);
	gr->op = NULL;
	gr_until(card, dev_scaled(card, cost_switch()));
	return false;
}

void pgraph_yield(struct card *card)
{
	card->pgraph.owner = -1;
}

/* pgraph_abort() - whatever the owner does is cut off, without effect */
void pgraph_abort(struct card *card)
{
	struct pgraph *gr = &card->pgraph;

	pgraph_account(card, GR_IDLE);
	gr->owner = -1;
	gr->op = NULL;
	gr->end = CARD_NEVER;
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

	if (!ch->notify || card->pgraph.halted)
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

/* pgraph_event() - what the engine was doing ends now, if it is time */
void pgraph_event(struct card *card)
{
	struct pgraph *gr = &card->pgraph;
	const struct gr_class *op = gr->op;
	struct chan *ch;

	if (card->t < gr->end)
		return;
	ch = gr_chan(card);
	gr->end = CARD_NEVER;
	gr->op = NULL;
	if (gr->state == GR_SWITCHING) {
		gr->ctx = ch->inst;
		gr->switches++;
		if (card->config.cold)
			gr->cold = cost_cold(dev_random(&card->cold_seed));
		card->row[ch->row].switches++;
	}
	pgraph_account(card, GR_IDLE);
	if (op) {
		u32 *state = ch->state + op->slot * GR_METHODS;

		if (op->done)
			op->done(card, ch, state);
		gr_notify(card, ch, state);
	}
	pfifo_resume(card, ch);
	pfifo_run(card);
}

/*
 * pgraph_mthd() - execute a method of the owner
 * @data: its parameter; for method 0, the class of the object to bind
 *
 * Return: true when it is done and the next may follow; false when work has begun, or an error
 * stopped the engine.
 */
bool pgraph_mthd(struct card *card, struct chan *ch, u32 subc, u32 mthd, u32 data)
{
	const struct gr_class *class;
	u32 *state, context;
	s64 ns;

	if (!mthd) {
		class = gr_class_find(data);
		ch->subch[subc].oclass = data;
		ch->subch[subc].slot = class ? class->slot : -1;
	} else {
		class = gr_class_find(ch->subch[subc].oclass);
	}
	ch->unpaid++;
	reg_set(card, GR_TRAP_ADDR, BIT(31) | subc << 16 | mthd);
	reg_set(card, GR_TRAP_DATA, data);
	reg_set(card, GR_TRAP_CLASS, ch->subch[subc].oclass);
	if (!class) {
		gr_error(card, INTR_ILLEGAL_CLASS, "object of an unknown class");
		return false;
	}
	if (!mthd || class->slot < 0)
		return true;
	state = ch->state + class->slot * GR_METHODS;
	if (mthd >= 0x180 && mthd < 0x200) {
		/* objects are named by handle; what is kept is where they are */
		if (!pfifo_ramht(card, ch, data, &context)) {
			gr_error(card, INTR_ILLEGAL_MTHD, "unknown object handle");
			return false;
		}
		state[mthd / 4] = (context & 0xfffff) << 4;
		return true;
	}
	if (mthd == MTHD_NOTIFY) {
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
	if (ns && fault_hits(card, FAULT_MMU, ch)) {
		gr_mmu_fault(card, ch);
		return false;
	}
	if (ns) {
		gr_start(card, ch, class, ns);
		return false;
	}
	return gr_notify(card, ch, state);
}

/* ---- for the classes ------------------------------------------------------------------------- */

/* pgraph_object() - the DMA object that method @mthd was given */
void pgraph_object(struct card *card, const struct chan *ch, const u32 *state, u32 mthd,
		   struct dmaobj *obj)
{
	vm_dmaobj(card, ch->inst, state[mthd / 4], obj);
}

/*
 * pgraph_query() - write a query result: sequence number, or with it a zero and the time
 * @object: method that was given the DMA object; @mthd: address high, then low and sequence
 * @get: bit 15: short, the number alone
 */
s64 pgraph_query(struct card *card, const struct chan *ch, const u32 *state, u32 object, u32 mthd,
		 u32 get)
{
	struct { u32 seq; u32 zero; u64 time; } query = {
		state[mthd / 4 + 2], 0, ptimer_time(card)
	};
	u64 addr = (u64)(state[mthd / 4] & 0xff) << 32 | state[mthd / 4 + 1];
	struct dmaobj obj;

	pgraph_object(card, ch, state, object, &obj);
	if (!vm_write(card, &obj, addr, &query, get & BIT(15) ? 4 : sizeof(query), VM_GR_QUERY))
		return pgraph_trap(card, 0x001, 0x400804, 0x2);
	return 0;
}

/*
 * pgraph_program() - how many instructions a program has: bit 0 of the first word says whether an
 * instruction has two; the low bits of the second are 1 when the thread ends with it.
 *
 * Return: their number; 0 when the code cannot be read.
 */
u32 pgraph_program(struct card *card, const struct dmaobj *code, u64 addr)
{
	u32 buf[256], words = 0, at = 0, n = 0;

	while (n < PROGRAM_MAX) {
		u32 w[2];

		for (u32 i = 0; i < 2; i++) {
			if (at == words) {
				/* up to a page's end: memory may end where the program does */
				words = (0x400 - (addr & 0x3ff)) / 4;
				if (!vm_read(card, code, addr, buf, words * 4, VM_GR_CODE))
					return 0;
				addr += words * 4;
				at = 0;
			}
			w[i] = buf[at++];
			if (!(w[0] & 1))
				break;
		}
		n++;
		if (w[0] & 1 && (w[1] & 3) == 1)
			break;
	}
	if (card->budget > n / 64)
		card->budget -= n / 64;
	else
		card->budget = 0;
	return n;
}

/* The class of objects that do nothing. */
const struct gr_class gr_null = { .oclass = 0x0030, .slot = -1 };

/* ---- registers ------------------------------------------------------------------------------- */

void pgraph_reset(struct card *card)
{
	struct pgraph *gr = &card->pgraph;

	pgraph_abort(card);
	gr->on = false;
	gr->halted = false;
	gr->frozen = false;
	gr->ctx = 0;
	gr->intr = 0;
	for (u32 r = 0x400000; r < 0x410000; r += 4)
		reg_set(card, r, 0);
	pmc_update(card);
}

static u32 gr_status(const struct pgraph *gr)
{
	if (gr->state == GR_SWITCHING)
		return STATUS_BUSY | STATUS_CTXPROG;
	if (gr->state == GR_BUSY)
		return STATUS_BUSY | STATUS_DISPATCH | (gr->op ? gr->op->status : 0);
	return 0;
}

u32 pgraph_rd(struct card *card, u32 off)
{
	const struct pgraph *gr = &card->pgraph;

	switch (off) {
	case GR_INTR:
		return gr->intr;
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
	struct pgraph *gr = &card->pgraph;

	if (gr_is_ustatus(off)) {
		reg_set(card, off, val & BIT(31));
		return;
	}
	switch (off) {
	case GR_INTR:
		gr->intr &= ~val;
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
		if (gr->on && !gr->intr)
			gr->halted = false;
		if (pgraph_paused(card))
			break;
		/* an owner that was stopped between two methods goes on */
		if (gr->owner >= 0 && !pgraph_working(card))
			pfifo_resume(card, gr_chan(card));
		pfifo_run(card);
		break;
	}
}
