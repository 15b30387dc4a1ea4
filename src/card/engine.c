// SPDX-License-Identifier: GPL-2.0
/*
 * engine.c - what all engines have in common: one context at a time, work that takes time, and the
 * account of it.
 *
 * PFIFO grants an engine to a channel (engine_grant); if another context is loaded, switching to
 * this one takes time first.  Methods then go to the class of their subchannel's object (pgraph.c,
 * and for copy engines gr_copy.c), which may start work (engine_start); the channel waits until it
 * ends (engine_event), and only then does the work show its effect.  Method decoding takes time
 * too, paid in one piece before work or before the channel shows anything (engine_settle).  The
 * channel gives the engine up at the end of its command group (engine_yield).
 *
 * Account: at every instant the engine is in one of three states, and engine_account() adds the
 * time since the last change to the state's sum, and to the channel's when busy with its work or
 * switching to it.  They add up by construction.
 *
 * Called by puller.c, runlist.c, pfifo.c, pgraph.c, fault.c and, as time passes, by dev.c.
 */
#include "engine.h"
#include "card.h"
#include "chan.h"
#include "cost.h"
#include "dev.h"
#include "fault.h"
#include "gr.h"
#include "pgraph.h"
#include "runlist.h"

static struct chan *engine_chan(struct card *card, const struct engine *e)
{
	return &card->pfifo.chan[e->owner];
}

static u32 engine_index(const struct card *card, const struct engine *e)
{
	return (u32)(e - card->engine);
}

/* ---- the account ----------------------------------------------------------------------------- */

void engine_account(struct card *card, struct engine *e, enum gr_state next)
{
	s64 ns = card->t - e->since;

	e->ns[e->state] += ns;
	if (e->state != GR_IDLE) {
		struct chan *ch = engine_chan(card, e);
		struct row *row = &card->row[ch->row];

		if (e->state == GR_SWITCHING) {
			row->of[engine_index(card, e)].switch_ns += ns;
		} else {
			row->of[engine_index(card, e)].busy_ns += ns;
			ch->work_end = card->t;
		}
	}
	e->since = card->t;
	e->state = next;
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* engine_freeze() - stop the clock of the work in hand, and let no other begin */
void engine_freeze(struct card *card, struct engine *e, enum engine_freeze why)
{
	bool already = e->frozen;

	e->frozen |= why;
	if (already)
		return;
	e->rest = e->end == CARD_NEVER ? 0 : e->end - card->t;
	e->end = CARD_NEVER;
}

/* engine_thaw() - let the work in hand go on, for the time that it still takes */
void engine_thaw(struct card *card, struct engine *e)
{
	if (!e->frozen)
		return;
	e->frozen = 0;
	if (e->state != GR_IDLE)
		e->end = card->t + e->rest;
	else if (e->owner >= 0 && !engine_paused(e))
		pfifo_resume(card, engine_chan(card, e));
	pfifo_run(card);
}

/* engine_working() - does it have work or a context switch in hand? */
bool engine_working(const struct engine *e)
{
	return e->state != GR_IDLE;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* The work that has just begun takes @ns. */
static void engine_until(struct card *card, struct engine *e, s64 ns)
{
	if (e->frozen)
		e->rest = ns;
	else
		e->end = card->t + ns;
}

/* engine_start() - @ns of work of class @op begins; NULL: method decoding alone */
void engine_start(struct card *card, struct engine *e, struct chan *ch,
		  const struct gr_class *op, s64 ns)
{
	if (ch->unpaid)
		ns += cost_methods(card->chip, ch->unpaid);
	ch->unpaid = 0;
	engine_account(card, e, GR_BUSY);
	e->op = op;
	if (op && card->config.jitter)
		ns += cost_jitter(ns, dev_random(&card->jitter_seed));
	ns += e->cold;
	e->cold = 0;
	engine_until(card, e, dev_scaled(card, ns));
	if (fault_hits(card, FAULT_HANG, ch)) {
		engine_freeze(card, e, FREEZE_HANG);
		e->rest = 0;
	}
}

/*
 * engine_settle() - charge for the methods decoded so far
 *
 * Return: true when nothing is owed; false when the engine is busy with it now.
 */
bool engine_settle(struct card *card, struct engine *e, struct chan *ch)
{
	if (!ch->unpaid)
		return true;
	engine_start(card, e, ch, NULL, 0);
	return false;
}

/* engine_free() - no channel has the engine, and a channel may get it */
bool engine_free(const struct engine *e)
{
	return e->owner < 0 && !engine_paused(e);
}

bool engine_paused(const struct engine *e)
{
	return !e->on || e->halted || e->frozen;
}

/* engine_grant() - the channel gets the engine.  Return: true when its context is there already */
bool engine_grant(struct card *card, struct engine *e, struct chan *ch)
{
	e->owner = (int)ch->chid;
	if (e->ctx == ch->inst)
		return true;
	engine_account(card, e, GR_SWITCHING);
	e->op = NULL;
	engine_until(card, e, dev_scaled(card, engine_index(card, e) ? cost_switch_copy(card->chip) :
						cost_switch(card->chip)));
	return false;
}

void engine_yield(struct engine *e)
{
	e->owner = -1;
}

/* engine_abort() - cut the owner's work off, without effect; the engine has no owner then */
void engine_abort(struct card *card, struct engine *e)
{
	engine_account(card, e, GR_IDLE);
	e->owner = -1;
	e->op = NULL;
	e->end = CARD_NEVER;
}

/* engine_reset() - cut the work off and forget the loaded context; a hang ends, a stop does not */
void engine_reset(struct card *card, struct engine *e)
{
	engine_abort(card, e);
	e->halted = false;
	e->frozen &= ~(u32)FREEZE_HANG;
	e->ctx = 0;
}

/* engine_event() - end the work in hand, if its time has come */
void engine_event(struct card *card, struct engine *e)
{
	const struct gr_class *op = e->op;
	struct chan *ch;

	if (card->t < e->end)
		return;
	ch = engine_chan(card, e);
	e->end = CARD_NEVER;
	e->op = NULL;
	if (e->state == GR_SWITCHING) {
		e->ctx = ch->inst;
		e->switches++;
		/* copies do not go through the caches that a switch leaves cold */
		if (card->config.cold && e == card->engine)
			e->cold = cost_cold(card->chip, dev_random(&card->cold_seed));
		card->row[ch->row].of[engine_index(card, e)].switches++;
	}
	engine_account(card, e, GR_IDLE);
	if (op)
		pgraph_done(card, e, ch, op);
	pfifo_resume(card, ch);
	pfifo_run(card);
}
