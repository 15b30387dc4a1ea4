// SPDX-License-Identifier: GPL-2.0
/*
 * fault.c - faults on request: what breaks, when, and for which channel.
 *
 * A fault waits in a list until it is due, and then happens once.  Some hit the next work or the
 * next completion of a channel: the units ask fault_hits() there.  The others happen by themselves
 * in fault_event().  A hang, a stop, a card that is gone and a fast clock last until `heal`.
 *
 * Called by dev.c for requests and as time passes, by PFIFO and PGRAPH for what they do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "card.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "engine.h"
#include "pci.h"
#include "pfifo.h"
#include "pmc.h"
#include "ptimer.h"

#define RANDOM_GROUPS	1000
#define TIME_MAX	(1000000 * 1000000000ll)
#define GROUPS_MAX	1000000000000ull
/* A card that is to go waits until the driver has handled its interrupts: how often it looks. */
#define GONE_RETRY_NS	100000

static const struct {
	const char *name;
	bool channel;		/* may be meant for one channel */
} kinds[FAULT_KINDS] = {
	[FAULT_HANG] = { "hang", true },
	[FAULT_MMU] = { "mmu", true },
	[FAULT_METHOD] = { "method", true },
	[FAULT_SEMAPHORE] = { "semaphore", true },
	[FAULT_LOST_IRQ] = { "lost-irq", true },
	[FAULT_LATE_IRQ] = { "late-irq", true },
	[FAULT_SPURIOUS_IRQ] = { "spurious-irq", false },
	[FAULT_NOTIFY] = { "notify", false },
	[FAULT_STOP] = { "stop", false },
	[FAULT_GONE] = { "gone", false },
	[FAULT_CLOCK_FAST] = { "clock-fast", false },
	[FAULT_CLOCK_BACK] = { "clock-back", false },
	[FAULT_EARLY_TIME] = { "early-time", true },
	[FAULT_HEAL] = { "heal", false },
};

static bool fault_waits_for_work(enum fault_kind kind)
{
	return kinds[kind].channel;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The request may come from anywhere: bytes that are no plain text are quoted as question marks. */
static bool refuse(char *why, size_t size, const char *item, const char *wrong)
{
	char plain[41];
	size_t n;

	for (n = 0; n < sizeof(plain) - 1 && item[n]; n++) {
		bool good = item[n] >= ' ' && item[n] <= '~' && !strchr("\"\\", item[n]);

		plain[n] = good ? item[n] : '?';
	}
	plain[n] = 0;
	snprintf(why, size, "fault '%s': %s", plain, wrong);
	return false;
}

/* WHEN: N, Nus, Nms, Ns or random. */
static bool parse_when(struct card *card, const char *when, struct fault *f)
{
	static const struct { const char *unit; s64 ns; } units[] = {
		{ "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	unsigned long long n;
	char *end;

	if (!strcmp(when, "random")) {
		f->left = 1 + dev_random(&card->fault_seed) % RANDOM_GROUPS;
		return true;
	}
	if (*when < '0' || *when > '9')
		return false;
	errno = 0;
	n = strtoull(when, &end, 10);
	if (errno || n > GROUPS_MAX)
		return false;
	if (!*end) {
		f->left = n;
		return n > 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit) || n > (u64)(TIME_MAX / units[i].ns))
			continue;
		f->at = card->now + (s64)n * units[i].ns;
		return true;
	}
	return false;
}

static bool parse_one(struct card *card, char *item, struct fault *f, char *why, size_t size)
{
	char *channel = strchr(item, ':'), *when, *end;
	long n;

	*f = (struct fault){ .chid = -1, .at = card->now };
	if (channel)
		*channel++ = 0;
	when = strchr(item, '@');
	if (when)
		*when++ = 0;
	while (f->kind < FAULT_KINDS && strcmp(item, kinds[f->kind].name))
		f->kind++;
	if (f->kind == FAULT_KINDS)
		return refuse(why, size, item,
			      "no such kind (known: hang, mmu, method, semaphore, lost-irq, late-irq, early-time, spurious-irq, notify, stop, gone, clock-fast, clock-back, heal)");
	if (when && !parse_when(card, when, f))
		return refuse(why, size, when,
			      "when? A group from 1 on, a time like 20ms (us, ms, s), or random");
	if (!when && fault_waits_for_work(f->kind))
		f->left = 1;
	if (channel) {
		if (!kinds[f->kind].channel)
			return refuse(why, size, item, "is no one channel's");
		errno = 0;
		n = strtol(channel, &end, 10);
		if (!*channel || *end || errno || n < 0 || n >= CARD_CHANNELS)
			return refuse(why, size, channel, "a channel from 0 to 127 is wanted");
		f->chid = (int)n;
	}
	return true;
}

bool card_fault(struct card *card, s64 now, const char *request, char *why, size_t size)
{
	struct fault faults[CARD_FAULTS];
	char text[512], *save = NULL;
	u32 n = 0;

	card_advance(card, now);
	if (!*request)
		return refuse(why, size, "",
			      "KIND[@WHEN][:CHANNEL] is wanted, several joined by +");
	if (strlen(request) >= sizeof(text))
		return refuse(why, size, request, "more than 511 characters");
	strcpy(text, request);
	for (char *item = strtok_r(text, "+", &save); item; item = strtok_r(NULL, "+", &save)) {
		if (card->faults + n == CARD_FAULTS)
			return refuse(why, size, item, "more than 32 at once");
		if (!parse_one(card, item, &faults[n], why, size))
			return false;
		n++;
	}
	memcpy(card->fault + card->faults, faults, n * sizeof(*faults));
	card->faults += n;
	card_advance(card, now);
	return true;
}

/* ---- what is due ----------------------------------------------------------------------------- */

/* Fault @i is taken from the list; it has happened, unless that has been told of it before. */
static void fault_happens(struct card *card, u32 i, int chid)
{
	char what[48];

	if (!card->fault[i].second) {
		snprintf(what, sizeof(what), "fault on request: %s",
			 kinds[card->fault[i].kind].name);
		if (card->host.log)
			card->host.log(card->host.ctx, what, chid, 0);
		card->faults_done++;
	}
	memmove(card->fault + i, card->fault + i + 1,
		(--card->faults - i) * sizeof(*card->fault));
}

/*
 * fault_hits() - is this what a fault has waited for?
 * @ch: the channel whose work or completion it is
 *
 * Return: true when it happens now, to this channel.
 */
bool fault_hits(struct card *card, enum fault_kind kind, const struct chan *ch)
{
	for (u32 i = 0; i < card->faults; i++) {
		const struct fault *f = &card->fault[i];

		if (f->kind != kind || f->left > 1 || (!f->left && f->at > card->t) ||
		    (f->chid >= 0 && f->chid != (int)ch->chid))
			continue;
		fault_happens(card, i, (int)ch->chid);
		return true;
	}
	return false;
}

/* fault_group() - a command group has ended: count it for the faults that wait for the N-th */
void fault_group(struct card *card, const struct chan *ch)
{
	for (u32 i = 0; i < card->faults; i++) {
		struct fault *f = &card->fault[i];

		if (!f->left || (f->chid >= 0 && f->chid != (int)ch->chid))
			continue;
		if (f->left > 1) {
			f->left--;
		} else if (!fault_waits_for_work(f->kind)) {
			f->left = 0;
			f->at = card->t;
		}
	}
}

/* fault_next() - when the next fault happens by itself, or CARD_NEVER */
s64 fault_next(const struct card *card)
{
	s64 next = CARD_NEVER;

	for (u32 i = 0; i < card->faults; i++) {
		const struct fault *f = &card->fault[i];

		if (!f->left && !fault_waits_for_work(f->kind) && f->at < next)
			next = f->at;
	}
	return next;
}

/*
 * fault_later() - the second step, in @ns, of a fault that has just hit: it takes the place in the
 * list that the first one had
 */
void fault_later(struct card *card, enum fault_kind kind, s64 ns)
{
	card->fault[card->faults++] = (struct fault){
		.kind = kind, .chid = -1, .at = card->t + dev_scaled(card, ns), .second = true,
	};
}

void fault_event(struct card *card)
{
	u32 i = 0;
	struct fault f;

	while (i < card->faults) {
		f = card->fault[i];
		if (f.left || fault_waits_for_work(f.kind) || f.at > card->t) {
			i++;
			continue;
		}
		if (f.kind == FAULT_GONE && pci_busy(card)) {
			card->fault[i++].at = card->t + GONE_RETRY_NS;
			continue;
		}
		fault_happens(card, i, -1);
		switch (f.kind) {
		case FAULT_SPURIOUS_IRQ:
			pci_spurious(card);
			break;
		case FAULT_NOTIFY:
			pfifo_notify(card);
			break;
		case FAULT_STOP:
			engine_freeze(card, &card->engine[ENGINE_GR], FREEZE_STOP);
			break;
		case FAULT_GONE:
			for (u32 e = 0; e < card->chip->engines; e++)
				engine_freeze(card, &card->engine[e], FREEZE_STOP);
			card->gone = true;
			break;
		case FAULT_CLOCK_FAST:
			ptimer_fast(card, true);
			break;
		case FAULT_CLOCK_BACK:
			ptimer_back(card);
			break;
		case FAULT_HEAL:
			card->gone = false;
			ptimer_fast(card, false);
			pmc_update(card);
			for (u32 e = 0; e < card->chip->engines; e++)
				engine_thaw(card, &card->engine[e]);
			break;
		default:
			break;
		}
	}
}
