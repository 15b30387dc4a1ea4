// SPDX-License-Identifier: GPL-2.0
/*
 * macro.c - Fermi's macros: small programs, part of a channel's context in PGRAPH, that stand for
 * several methods.  Mesa has some of its own, for state that depends on other state and for draws
 * whose parameters are in memory.
 *
 * They are written by methods 0x0114 to 0x0120, started by method 0x3800 + 8 n, and given more
 * parameters by the next one, 0x3804 + 8 n.  What a macro sends are methods like those from the
 * pushbuffer: it fills ch->held, as chan_decode() in pusher.c does, which calls us there.  So a
 * macro waits where its channel waits.  Its instructions: envytools, envydis/macro.c.  They take no
 * time; the methods do.
 *
 * Called by pusher.c to run one, and by pgraph.c for the methods that write and start one.
 */
#include "macro.h"
#include "chan.h"
#include "dev.h"
#include "gr.h"

#define UPLOAD_POS	0x0114	/* in words */
#define UPLOAD_DATA	0x0118
#define MACRO_ID	0x011c
#define MACRO_POS	0x0120
#define MACRO_START	0x3800	/* and a parameter of it at + 4 */

#define CODE_WORDS	0x800
#define MACROS		256
/* What is kept in the context: code, where each macro begins, and the two "where to" of above. */
#define OWN_POS		CODE_WORDS
#define OWN_UPLOAD	(OWN_POS + MACROS)
#define OWN_ID		(OWN_UPLOAD + 1)

/* Instructions without work between them: the chip has a watchdog too. */
#define STEPS_MAX	0x10000
#define END		(~0u)

static u32 *macro_state(struct chan *ch)
{
	return ch->state + GR_MACRO * GR_METHODS;
}

static void macro_fail(struct card *card, struct chan *ch, const char *what, u64 value)
{
	dev_error(card, what, (int)ch->chid, value);
	ch->macro.running = false;
	ch->macro.waits = false;
}

static void macro_address(struct macro *m, u32 value)
{
	m->mthd = (value & 0xfff) << 2;
	m->step = (value >> 12 & 0x3f) << 2;
}

static void macro_send(struct chan *ch, u32 value)
{
	struct macro *m = &ch->macro;

	/* the others are PFIFO's and our own, which it does not reach */
	if (m->mthd >= 0x100 && m->mthd < MACRO_START) {
		ch->held = true;
		ch->held_subc = m->subc;
		ch->held_mthd = m->mthd;
		ch->held_data = value;
		m->sent = true;
	}
	m->mthd = (m->mthd + m->step) & 0x3ffc;
}

static void macro_wait(struct macro *m, u32 reg, bool send)
{
	m->waits = true;
	m->wait_reg = reg;
	m->wait_send = send;
}

static void macro_set(struct macro *m, u32 reg, u32 value)
{
	if (reg)
		m->reg[reg] = value;
}

/* Bits 4-6: where a result goes */
static void macro_result(struct chan *ch, u32 insn, u32 value)
{
	struct macro *m = &ch->macro;
	u32 how = insn >> 4 & 7, reg = insn >> 8 & 7;

	if (how == 2 || how >= 5)
		macro_address(m, value);
	if (how == 3 || how == 4)
		macro_send(ch, value);
	else if (how == 7)
		macro_send(ch, value >> 12 & 0x3f);
	if (how == 0 || how == 3 || how == 5)
		macro_wait(m, reg, false);
	else
		macro_set(m, reg, value);
	if (how == 6)
		macro_wait(m, 0, true);
}

static u32 field(u32 value, u32 from, u32 size)
{
	return from < 32 ? value >> from & (BIT(size) - 1) : 0;
}

static u32 shifted(u32 value, u32 by)
{
	return by < 32 ? value << by : 0;
}

static bool macro_alu(struct macro *m, u32 op, u32 a, u32 b, u32 *value)
{
	u64 sum;

	switch (op) {
	case 0:
	case 1:
		sum = (u64)a + b + (op ? m->carry : 0);
		break;
	case 2:
	case 3:
		sum = (u64)a - b - (op == 3 ? m->carry : 0);
		break;
	case 8:
		*value = a ^ b;
		return true;
	case 9:
		*value = a | b;
		return true;
	case 10:
		*value = a & b;
		return true;
	case 11:
		*value = a & ~b;
		return true;
	case 12:
		*value = ~(a & b);
		return true;
	default:
		return false;
	}
	m->carry = sum >> 32 & 1;
	*value = (u32)sum;
	return true;
}

/* What was last written to a method of the class on the macro's subchannel. */
static u32 macro_read(struct chan *ch, u32 mthd)
{
	int slot = ch->subch[ch->macro.subc].slot;

	return slot < 0 ? 0 : ch->state[slot * GR_METHODS + (mthd & 0xfff)];
}

/*
 * One instruction.  A branch that is taken, and the end, come after the next one, but for branches
 * that say otherwise (bit 5); with both in one, the end is for when the branch is not taken.
 */
static void macro_step(struct card *card, struct chan *ch)
{
	struct macro *m = &ch->macro;
	u32 at = m->pc, insn = macro_state(ch)[at % CODE_WORDS], value = 0;
	u32 a = m->reg[insn >> 11 & 7], b = m->reg[insn >> 14 & 7];
	u32 from = insn >> 17 & 0x1f, size = insn >> 22 & 0x1f, to = insn >> 27;
	u32 imm = (u32)((s32)insn >> 14);
	bool taken = false, good = true;

	if (++m->steps > STEPS_MAX) {
		macro_fail(card, ch, "macro without an end", at);
		return;
	}
	m->pc = m->next;
	if (m->pc != END)
		m->next = m->pc + 1;
	switch (insn & 7) {
	case 0:
		good = macro_alu(m, from, a, b, &value);
		break;
	case 1:
		value = a + imm;
		break;
	case 2:
		value = (a & ~shifted(BIT(size) - 1, to)) | shifted(field(b, from, size), to);
		break;
	case 3:
		value = shifted(field(b, a, size), to);
		break;
	case 4:
		value = shifted(field(b, from, size), a);
		break;
	case 5:
		value = macro_read(ch, a + imm);
		break;
	case 7:
		taken = (a != 0) == (insn >> 4 & 1);
		break;
	default:
		good = false;
	}
	if (!good) {
		macro_fail(card, ch, "macro: no instruction", (u64)at << 32 | insn);
		return;
	}
	if ((insn & 7) != 7)
		macro_result(ch, insn, value);
	if (taken && insn & BIT(5)) {
		m->pc = at + imm;
		m->next = m->pc + 1;
	} else if (taken) {
		m->next = at + imm;
	} else if (insn & BIT(7)) {
		m->next = END;
	}
}

/* The macro ends once the method that the last instruction sends has been executed. */
static void macro_end(struct macro *m)
{
	if (m->pc == END && !m->waits)
		m->running = false;
}

/*
 * macro_run() - on to the macro's next method, its next parameter, or its end
 *
 * Return: false when the call's budget is spent.
 */
bool macro_run(struct card *card, struct chan *ch)
{
	struct macro *m = &ch->macro;

	while (m->running && !m->waits && !ch->held) {
		if (!card->budget)
			return false;
		card->budget--;
		macro_step(card, ch);
		macro_end(m);
	}
	return true;
}

static void macro_start(struct chan *ch, u32 subc, u32 n, u32 data)
{
	u32 pos = macro_state(ch)[OWN_POS + n];

	ch->macro = (struct macro){
		.running = true, .subc = subc, .pc = pos, .next = pos + 1, .reg = { [1] = data },
	};
}

static void macro_parameter(struct card *card, struct chan *ch, u32 data)
{
	struct macro *m = &ch->macro;

	if (!m->waits) {
		macro_fail(card, ch, "macro: more parameters than it takes", data);
		return;
	}
	m->waits = false;
	if (m->wait_send)
		macro_send(ch, data);
	else
		macro_set(m, m->wait_reg, data);
	macro_end(m);
}

/*
 * macro_mthd() - look at a method of PGRAPH's
 *
 * Return: true when it was for macros.
 */
bool macro_mthd(struct card *card, struct chan *ch, u32 subc, u32 mthd, u32 data)
{
	u32 *state = macro_state(ch);
	bool sent = ch->macro.sent;

	ch->macro.sent = false;
	if (mthd >= MACRO_START && mthd & 4) {
		macro_parameter(card, ch, data);
		return true;
	}
	if (ch->macro.waits && !sent)
		macro_fail(card, ch, "macro: fewer parameters than it takes", mthd);
	switch (mthd) {
	case UPLOAD_POS:
		state[OWN_UPLOAD] = data;
		return true;
	case UPLOAD_DATA:
		state[state[OWN_UPLOAD]++ % CODE_WORDS] = data;
		return true;
	case MACRO_ID:
		state[OWN_ID] = data;
		return true;
	case MACRO_POS:
		state[OWN_POS + state[OWN_ID] % MACROS] = data % CODE_WORDS;
		return true;
	}
	if (mthd < MACRO_START)
		return false;
	macro_start(ch, subc, (mthd - MACRO_START) / 8, data);
	return true;
}
