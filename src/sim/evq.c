// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue: timers in a heap of four children per node, since most of its cost is in cache
 * lines and a node's children share one or two. A timer knows its slot, so that it can be moved and
 * cleared. Timers set to the same time fire in the order in which they were set, so that a run can
 * be repeated. Called by gpu.c for the hardware's timers, by run.c, client.c and poll.c for the
 * others.
 */
#include <stdlib.h>

#include "evq.h"
#include "mem.h"

static bool before(const struct tgs_slot *a, const struct tgs_slot *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void place(struct tgs_evq *q, u32 slot, struct tgs_slot what)
{
	q->heap[slot] = what;
	what.timer->slot = slot;
}

/* Children of i are 4i - 2 to 4i + 1, so its parent is (i + 2) / 4. */
static void sift(struct tgs_evq *q, u32 slot, struct tgs_slot what)
{
	u32 child, best, end;

	while (slot > 1 && before(&what, &q->heap[(slot + 2) / 4])) {
		place(q, slot, q->heap[(slot + 2) / 4]);
		slot = (slot + 2) / 4;
	}
	for (;;) {
		child = 4 * slot - 2;
		if (child > q->nr)
			break;
		end = min(child + 3, q->nr);
		for (best = child++; child <= end; child++)
			if (before(&q->heap[child], &q->heap[best]))
				best = child;
		if (!before(&q->heap[best], &what))
			break;
		place(q, slot, q->heap[best]);
		slot = best;
	}
	place(q, slot, what);
}

void tgs_evq_set(struct tgs_evq *q, struct tgs_timer *timer, s64 at)
{
	struct tgs_slot what = { at, q->order++, timer };
	u32 slot = timer->slot;

	if (!slot) {
		if (q->nr + 1 >= q->room) {
			q->room = q->room ? 2 * q->room : 64;
			q->heap = tgs_grow(q->heap, q->room, sizeof(*q->heap));
		}
		slot = ++q->nr;
	}
	sift(q, slot, what);
}

void tgs_evq_clear(struct tgs_evq *q, struct tgs_timer *timer)
{
	u32 slot = timer->slot;

	if (!slot)
		return;
	timer->slot = 0;
	q->nr--;
	if (slot <= q->nr)
		sift(q, slot, q->heap[q->nr + 1]);
}

struct tgs_timer *tgs_evq_pop(struct tgs_evq *q, s64 *at)
{
	struct tgs_timer *timer;

	if (!q->nr)
		return NULL;
	timer = q->heap[1].timer;
	*at = q->heap[1].at;
	tgs_evq_clear(q, timer);
	return timer;
}

void tgs_evq_deinit(struct tgs_evq *q)
{
	free(q->heap);
	memset(q, 0, sizeof(*q));
}
