// SPDX-License-Identifier: GPL-2.0
/*
 * dev.c - the card as a whole: birth, reset, the passing of time, the ground truth.
 *
 * Time passes in card_advance(): events are taken in the order of their modelled time, each at
 * its own instant (card->t), so it does not matter how late or how seldom the host calls.
 *
 * Called by the host (card.h), and by all units for errors, random numbers and the ground truth.
 */
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "card.h"
#include "chan.h"
#include "chip.h"
#include "engine.h"
#include "falcon.h"
#include "fault.h"
#include "gr.h"
#include "instmem.h"
#include "mmio.h"
#include "pbus.h"
#include "pci.h"
#include "pfb.h"
#include "pfifo.h"
#include "pgraph.h"
#include "pmc.h"
#include "ptimer.h"
#include "runlist.h"
#include "vbios.h"

void dev_error(struct card *card, const char *what, int chid, u64 value)
{
	card->errors++;
	if (card->host.log)
		card->host.log(card->host.ctx, what, chid, value);
}

/* dev_random() - the next number of a seeded sequence (splitmix64), of which @state is the place */
u64 dev_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* dev_taken() - how long the present call has taken by the host's clock, from the @now it came with */
s64 dev_taken(const struct card *card)
{
	s64 ns = card->host.clock ? card->host.clock(card->host.ctx) - card->now : 0;

	return ns > 0 ? ns : 0;
}

/* ---- birth and reset ------------------------------------------------------------------------- */

/* dev_off() - bring all units into their state at power-on */
void dev_off(struct card *card)
{
	pgraph_reset(card);
	pfifo_reset(card);
	pce_enable(card, ENGINE_CE0, false);
	pce_enable(card, ENGINE_CE1, false);
	mmio_reset(card);
	instmem_reset(card);
	pmc_reset(card);
	pbus_reset(card);
	ptimer_reset(card);
	pfb_reset(card);
	for (const struct card_strap *s = card->chip->straps; s && s->reg; s++)
		reg_set(card, s->reg, s->val);
}

void card_reset(struct card *card, s64 now)
{
	card_advance(card, now);
	if (card->gone)
		return;
	dev_off(card);
	pci_reset(card);
}

u32 card_vram_default(const char *chip)
{
	const struct card_chip *c = card_chip_find(chip);

	return c ? c->vram_mib : 0;
}

bool card_vram_ok(const char *chip, u32 mib)
{
	const struct card_chip *c = card_chip_find(chip);

	for (u32 i = 0; c && i < 5; i++)
		if (mib == c->vram_unit << i)
			return true;
	return false;
}

struct card *card_create(const struct card_config *config, const struct card_host *host, s64 now)
{
	struct card *card;
	u32 *state;

	if (!card_vram_ok(config->chip, config->vram_mib) || !config->vram || config->scale < 1 ||
	    config->scale > 1000)
		return NULL;
	card = calloc(1, sizeof(*card));
	if (!card)
		return NULL;
	card->config = *config;
	card->host = *host;
	card->chip = card_chip_find(config->chip);
	card->t0 = now;
	card->now = now;
	card->t = now;
	card->vram = config->vram;
	card->vram_size = (u64)config->vram_mib << 20;
	card->fault_seed = config->seed;
	card->cold_seed = config->seed + 1;
	card->jitter_seed = config->seed + 2;
	for (u32 i = 0; i < ENGINES; i++) {
		card->engine[i].since = now;
		card->engine[i].owner = -1;
		card->engine[i].end = CARD_NEVER;
	}
	card->pfifo.retry_at = CARD_NEVER;
	card->ptimer.alarm = CARD_NEVER;
	card->reg = calloc(1, CARD_MMIO_SIZE);
	card->rows_room = 64;
	card->row = calloc(card->rows_room, sizeof(*card->row));
	state = calloc(CARD_CHANNELS * GR_SLOTS, GR_METHODS * sizeof(*state));
	if (!card->reg || !card->row || !state) {
		free(state);
		card_destroy(card);
		return NULL;
	}
	for (u32 i = 0; i < CARD_CHANNELS; i++) {
		card->pfifo.chan[i].chid = i;
		card->pfifo.chan[i].state = state + i * GR_SLOTS * GR_METHODS;
	}
	vbios_build(card);
	card_reset(card, now);
	return card;
}

void card_destroy(struct card *card)
{
	if (!card)
		return;
	free(card->pfifo.chan[0].state);
	free(card->row);
	free(card->reg);
	free(card);
}

/* ---- time ------------------------------------------------------------------------------------ */

s64 card_next_event(const struct card *card)
{
	s64 next = CARD_NEVER;

	if (card->pfifo.behind)
		return card->t;
	for (u32 i = 0; i < card->chip->engines; i++)
		if (next > card->engine[i].end)
			next = card->engine[i].end;
	if (next > card->pfifo.retry_at)
		next = card->pfifo.retry_at;
	if (next > card->ptimer.alarm)
		next = card->ptimer.alarm;
	if (card->faults && next > fault_next(card))
		next = fault_next(card);
	return next;
}

void card_advance(struct card *card, s64 now)
{
	if (now > card->now)
		card->now = now;
	card->budget = CARD_BUDGET;
	while (card->budget && card_next_event(card) <= card->now) {
		if (card->t < card_next_event(card))
			card->t = card_next_event(card);
		card->budget--;
		if (card->pfifo.behind)
			pfifo_run(card);
		for (u32 i = 0; i < card->chip->engines; i++)
			engine_event(card, &card->engine[i]);
		pfifo_retry(card);
		ptimer_event(card);
		fault_event(card);
	}
	/* all events up to @now are done: accesses happen now */
	if (card_next_event(card) > card->now)
		card->t = card->now;
}

/* ---- ground truth ---------------------------------------------------------------------------- */

/* dev_row() - a row for a new channel: the number of the row */
u32 dev_row(struct card *card, u32 chid)
{
	u32 instance = 0;
	struct row *row;

	for (u32 i = 0; i < card->rows; i++)
		if (card->row[i].chid == chid)
			instance++;
	if (card->rows == card->rows_room && card->rows_room < CARD_ROWS) {
		row = realloc(card->row, 2 * card->rows_room * sizeof(*row));
		if (row) {
			card->row = row;
			card->rows_room *= 2;
		}
	}
	if (card->rows == card->rows_room) {
		/* out of rows: the last one serves all further channels, and an error is counted */
		dev_error(card, "too many channels were created to tell apart", (int)chid, 0);
		return card->rows - 1;
	}
	card->row[card->rows] = (struct row){ .chid = chid, .instance = instance, .alive = true };
	return card->rows++;
}

void dev_gap(struct card *card, s64 ns)
{
	if (ns < 0 || ns >= GAP_MAX_NS)
		return;
	card->gap[ns / GAP_STEP_NS]++;
	card->gaps++;
}

static s64 gap_quantile(const struct card *card, u32 percent)
{
	u64 rank = (card->gaps * percent + 99) / 100, seen = 0;

	if (!card->gaps)
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(card->gap); i++) {
		seen += card->gap[i];
		if (seen >= rank)
			return (s64)i * GAP_STEP_NS + GAP_STEP_NS / 2;
	}
	return GAP_MAX_NS;
}

/*
 * What is told is as of card->t. To book the time from there to @now on the engine's present state
 * would be a guess that a later reading takes back.
 */
void card_truth(struct card *card, s64 now, struct card_truth *out)
{
	struct card_truth_engine gr;

	card_advance(card, now);
	card_truth_engine(card, ENGINE_GR, &gr);
	*out = (struct card_truth){
		.chip = card->chip->name,
		.scale = card->config.scale,
		.elapsed_ns = card->t - card->t0,
		.behind_ns = card->now - card->t,
		.busy_ns = gr.busy_ns,
		.switch_ns = gr.switch_ns,
		.idle_ns = gr.idle_ns,
		.late_ns = gr.late_ns,
		.self_late_ns = gr.self_late_ns,
		.groups = gr.groups,
		.switches = gr.switches,
		.errors = card->errors,
		.faults = card->faults_done,
		.away = card->away,
		.gap_n = card->gaps,
		.gap_p50_ns = gap_quantile(card, 50),
		.gap_p90_ns = gap_quantile(card, 90),
		.engines = card->chip->engines,
		.channels = card->rows,
	};
}

u64 card_groups(const struct card *card)
{
	u64 groups = 0;

	for (u32 i = 0; i < card->chip->engines; i++)
		groups += card->engine[i].groups;
	return groups;
}

void card_truth_engine(const struct card *card, u32 i, struct card_truth_engine *out)
{
	static const char *const names[ENGINES] = { "PGRAPH", "PCE0", "PCE1" };
	const struct engine *e = &card->engine[i];
	s64 rest = card->t - e->since;

	*out = (struct card_truth_engine){
		.name = names[i],
		.busy_ns = e->ns[GR_BUSY] + (e->state == GR_BUSY ? rest : 0),
		.switch_ns = e->ns[GR_SWITCHING] + (e->state == GR_SWITCHING ? rest : 0),
		.idle_ns = e->ns[GR_IDLE] + (e->state == GR_IDLE ? rest : 0),
		.late_ns = e->late_ns,
		.self_late_ns = e->self_late_ns,
		.groups = e->groups,
		.switches = e->switches,
	};
}

void card_truth_channel_of(const struct card *card, u32 i, u32 engine,
			   struct card_truth_channel *out)
{
	const struct engine *e = &card->engine[engine];
	const struct row *row = &card->row[i];
	s64 rest = 0;

	if (e->state != GR_IDLE && card->pfifo.chan[e->owner].row == i)
		rest = card->t - e->since;
	*out = (struct card_truth_channel){
		.chid = row->chid,
		.instance = row->instance,
		.alive = row->alive,
		.busy_ns = row->of[engine].busy_ns + (e->state == GR_BUSY ? rest : 0),
		.switch_ns = row->of[engine].switch_ns + (e->state == GR_SWITCHING ? rest : 0),
		.fence_gap_ns = row->of[engine].fence_gap_ns,
		.groups = row->of[engine].groups,
		.switches = row->of[engine].switches,
	};
}

void card_truth_channel(const struct card *card, u32 i, struct card_truth_channel *out)
{
	card_truth_channel_of(card, i, ENGINE_GR, out);
}
