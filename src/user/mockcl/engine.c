// SPDX-License-Identifier: GPL-2.0
/*
 * Executes commands in the order and at the times at which a card would, however late this process is
 * woken: a command starts when its engine is free, the command before it in its channel has ended, and
 * the client has written it. mockcld.c calls it, from its only thread.
 *
 * Which channel is next: of those whose command waits when the engine becomes free, the next one round
 * robin; if none waits, the one whose command comes first.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine.h"

#define AHEAD	1000000000ull	/* ns, of the latest `now`: see ready() */

static const char *const engine_name[] = { "compute", "copy" };

void card_wake(struct client *c)
{
	atomic_fetch_add(&c->page->interrupts, 1);
	syscall(SYS_futex, &c->page->interrupts, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static uint64_t profiled(const struct device *d, uint64_t at)
{
	return (uint64_t)((unsigned __int128)at * d->rate >> 20) + d->offset;
}

/* The channel's first command that is not done, or NULL */
static struct mock_command *head(struct client *c, unsigned int i)
{
	struct mock_channel *ch;
	uint32_t done;

	if (!c->page || !c->used[i])
		return NULL;
	ch = &c->page->channel[i];
	done = atomic_load_explicit(&ch->done, memory_order_relaxed);
	return atomic_load(&ch->put) == done ? NULL : &ch->ring[done % MOCK_RING];
}

/*
 * From when on a command may run. One that came since @now was read is a moment ahead of it: it begins no earlier than it
 * was submitted. A client that says more than a second lies, and is not waited for.
 */
static uint64_t ready(const struct client *c, unsigned int i, const struct mock_command *cmd, uint64_t now)
{
	uint64_t at = cmd->submitted > now + AHEAD ? now : cmd->submitted;

	return at > c->ended[i] ? at : c->ended[i];
}

static void finish(struct client *c, unsigned int i, const struct device *d, uint64_t at)
{
	struct mock_channel *ch = &c->page->channel[i];
	uint32_t done = atomic_load_explicit(&ch->done, memory_order_relaxed);
	struct mock_command *cmd = &ch->ring[done % MOCK_RING];

	cmd->end = profiled(d, at);
	c->ended[i] = at;
	atomic_store(&ch->done, done + 1);
	if (atomic_load(&cmd->interrupt))
		card_wake(c);
}

static void account(struct card *card, struct engine *e, unsigned int n, unsigned int dev, uint64_t end)
{
	struct account *a = &e->client->account[dev];

	a->busy[n] += end - e->start;
	a->commands[n]++;
	if (!a->first)
		a->first = e->start;
	a->last = end;
	if (card->log)
		fprintf(card->log, "%u %s %d %u %" PRIu64 " %" PRIu64 "\n", dev, engine_name[n],
			e->client->pid, e->channel, e->start, end);
}

/*
 * Commands that take no time end as soon as they are at a channel's head. Return: did any?
 */
static bool pass(struct card *card, unsigned int dev, uint64_t now)
{
	struct mock_command *cmd;
	struct client *c;
	bool any = false;
	unsigned int i;
	uint64_t at;

	for (c = card->clients; c; c = c->next)
		for (i = 0; c->page && i < MOCK_CHANNELS; i++) {
			if (!c->used[i] || c->device[i] != dev)
				continue;
			while ((cmd = head(c, i)) && cmd->engine >= MOCK_NONE) {
				at = ready(c, i, cmd, now);
				atomic_store(&cmd->start, profiled(&card->device[dev], at));
				finish(c, i, &card->device[dev], at);
				any = true;
			}
		}
	return any;
}

/*
 * Which command engine @n executes next, and from when on. @best has that of the lowest rank: waiting
 * ones come before later ones; of those that wait, the ones behind the last channel come first.
 */
static uint64_t choose(struct card *card, unsigned int dev, unsigned int n, uint64_t now,
		       struct client **client, unsigned int *channel)
{
	struct engine *e = &card->device[dev].engine[n];
	uint64_t best = NEVER, at;
	bool behind = false, found_behind = false;
	struct mock_command *cmd;
	struct client *c;
	unsigned int i;

	for (c = card->clients; c; c = c->next)
		for (i = 0; c->page && i < MOCK_CHANNELS; i++) {
			cmd = c->used[i] && c->device[i] == dev ? head(c, i) : NULL;
			if (cmd && cmd->engine == n) {
				at = ready(c, i, cmd, now);
				if (at < e->free_at)
					at = e->free_at;
				if (at < best || (at == best && at == e->free_at && behind && !found_behind)) {
					best = at;
					*client = c;
					*channel = i;
					found_behind = behind;
				}
			}
			if (c == e->client && i == e->channel)
				behind = true;
		}
	return best;
}

static void begin(struct card *card, unsigned int dev, unsigned int n, uint64_t at)
{
	struct device *d = &card->device[dev];
	struct engine *e = &d->engine[n];
	struct mock_command *cmd = head(e->client, e->channel);

	e->busy = true;
	e->start = at;
	e->end = cmd->ns > NEVER - 1 - at ? NEVER : at + cmd->ns;
	if (n == MOCK_COMPUTE && d->hang) {
		d->hang--;
		e->end = NEVER;
	}
	atomic_store(&cmd->start, profiled(d, at));
}

static void end(struct card *card, unsigned int dev, unsigned int n)
{
	struct engine *e = &card->device[dev].engine[n];

	e->busy = false;
	e->free_at = e->end;
	account(card, e, n, dev, e->end);
	finish(e->client, e->channel, &card->device[dev], e->end);
}

/* One device until @now. The engines' next steps in the order of their times. */
static uint64_t run(struct card *card, unsigned int dev, uint64_t now)
{
	struct device *d = &card->device[dev];
	struct client *client[MOCK_ENGINES];
	unsigned int channel[MOCK_ENGINES], n, first;
	uint64_t at[MOCK_ENGINES];

	if (d->lost)
		return NEVER;
	for (;;) {
		while (pass(card, dev, now))
			;
		for (first = 0, n = 0; n < MOCK_ENGINES; n++) {
			at[n] = d->engine[n].busy ? d->engine[n].end :
				choose(card, dev, n, now, &client[n], &channel[n]);
			if (at[n] < at[first])
				first = n;
		}
		if (at[first] == NEVER || at[first] > now)
			return at[first];
		if (d->engine[first].busy) {
			end(card, dev, first);
			continue;
		}
		d->engine[first].client = client[first];
		d->engine[first].channel = channel[first];
		begin(card, dev, first, at[first]);
	}
}

uint64_t card_run(struct card *card, uint64_t now)
{
	uint64_t next = NEVER, at;
	unsigned int dev;

	for (dev = 0; dev < card->devices; dev++) {
		at = run(card, dev, now);
		if (at < next)
			next = at;
	}
	return next;
}

void card_idle(struct card *card, bool asleep)
{
	struct client *c;
	unsigned int dev, n;
	uint32_t idle;

	for (dev = 0; dev < card->devices; dev++) {
		/* What takes no time may be at a channel's head at any time */
		idle = 1u << MOCK_NONE;
		for (n = 0; n < MOCK_ENGINES; n++)
			if (!card->device[dev].engine[n].busy)
				idle |= 1u << n;
		for (c = card->clients; c; c = c->next)
			if (c->page)
				atomic_store(&c->page->idle[dev], asleep ? idle : 0);
	}
}

uint32_t card_busy(const struct card *card)
{
	unsigned int i;
	uint32_t busy = 0;

	for (i = 0; i < card->devices * MOCK_ENGINES; i++)
		busy |= (uint32_t)card->device[i / MOCK_ENGINES].engine[i % MOCK_ENGINES].busy << i;
	return busy;
}

void card_close(struct card *card, struct client *c, unsigned int channel, uint64_t now)
{
	struct engine *e;
	unsigned int n;

	if (channel >= MOCK_CHANNELS || !c->used[channel])
		return;
	for (n = 0; n < MOCK_ENGINES; n++) {
		e = &card->device[c->device[channel]].engine[n];
		if (e->busy && e->client == c && e->channel == channel) {
			account(card, e, n, c->device[channel], now);
			e->busy = false;
			e->free_at = now;
		}
	}
	c->used[channel] = false;
	atomic_store(&c->page->channel[channel].put, 0);
	atomic_store(&c->page->channel[channel].done, 0);
}

void card_leave(struct card *card, struct client *c, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < MOCK_CHANNELS; i++)
		card_close(card, c, i, now);
	for (i = 0; i < card->devices; i++) {
		card->device[i].held -= c->account[i].memory;
		c->account[i].memory = 0;
	}
}

int card_memory(struct card *card, struct client *c, unsigned int device, uint64_t bytes, bool take)
{
	struct device *d = &card->device[device];
	struct account *a = &c->account[device];

	if (device >= card->devices || (!take && bytes > a->memory))
		return EINVAL;
	if (!take) {
		a->memory -= bytes;
		d->held -= bytes;
		return 0;
	}
	if (d->fail || bytes > d->memory - d->held) {
		if (d->fail)
			d->fail--;
		a->refused++;
		return ENOMEM;
	}
	d->held += bytes;
	a->memory += bytes;
	if (a->memory > a->peak)
		a->peak = a->memory;
	return 0;
}

void card_clocks(struct card *card, struct client *c)
{
	unsigned int i;

	for (i = 0; i < card->devices; i++) {
		atomic_store(&c->page->offset[i], card->device[i].offset);
		atomic_store(&c->page->rate[i], card->device[i].rate);
	}
}

static void lose(struct card *card, unsigned int device, uint64_t now)
{
	struct engine *e;
	struct client *c;
	unsigned int n;

	for (n = 0; n < MOCK_ENGINES; n++) {
		e = &card->device[device].engine[n];
		if (e->busy)
			account(card, e, n, device, now);
		e->busy = false;
	}
	card->device[device].lost = true;
	for (c = card->clients; c; c = c->next)
		if (c->page) {
			atomic_store(&c->page->lost[device], 1);
			card_wake(c);
		}
}

int card_fault(struct card *card, unsigned int device, const char *text, uint64_t now)
{
	struct device *d = &card->device[device];
	struct client *c;
	unsigned int n;
	int64_t offset;
	double ppm;

	if (device >= card->devices)
		return EINVAL;
	if (!strcmp(text, "lose")) {
		lose(card, device, now);
	} else if (sscanf(text, "hang %u", &n) == 1) {
		d->hang = n;
	} else if (sscanf(text, "refuse %u", &n) == 1) {
		d->fail = n;
	} else if (sscanf(text, "clock %" SCNd64 " %lf", &offset, &ppm) == 2 && ppm > -1e6 && ppm < 1e6) {
		d->offset = offset;
		d->rate = (uint64_t)((1 << 20) * (1 + ppm / 1e6));
		for (c = card->clients; c; c = c->next)
			if (c->page)
				card_clocks(card, c);
	} else {
		return EINVAL;
	}
	return 0;
}
