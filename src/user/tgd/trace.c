// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of a device: what is fed to its core and what comes out, by the core's own recorder
 * (tg/record.h), from tg_gpu_init() on. It is kept in memory, up to --trace-kib, and read by tools
 * as the file `trace`. Called by device.c around each event.
 */
#include <stdlib.h>

#include <tg/record.h>

#include "main.h"
#include "settings.h"
#include "tgd.h"
#include "trace.h"

void trace_start(struct device *d)
{
	struct tg_trace_head head = {
		.magic = TG_TRACE_MAGIC,
		.version = TG_TRACE_VERSION,
		.engines = d->core.nr_engines,
		.now = d->core.now,
	};

	if (!settings.trace_kib)
		return;
	memcpy(head.policy, d->core.policy->name, strlen(d->core.policy->name));
	d->trace.bytes = need(malloc(sizeof(head)));
	d->trace.room = d->trace.len = sizeof(head);
	memcpy(d->trace.bytes, &head, sizeof(head));
}

/* Room behind what is there; NULL: nothing is recorded, or no more. */
static void *room_for(struct trace *t, u64 bytes)
{
	u64 limit = (u64)settings.trace_kib << 10;
	char *grown;
	void *at;

	if (!t->bytes || t->lost)
		return NULL;
	/* The last place is for the record that says that there are no more. */
	if (t->len + bytes + sizeof(struct tg_record) > limit) {
		t->lost = 1;
		return NULL;
	}
	if (t->len + bytes > t->room) {
		t->room = min(2 * (t->len + bytes), limit);
		grown = realloc(t->bytes, t->room);
		if (!grown) {
			t->lost = 1;
			return NULL;
		}
		t->bytes = grown;
	}
	at = t->bytes + t->len;
	t->len += bytes;
	return at;
}

void trace_begin(struct device *d, const struct tg_event *ev, u32 spec_len)
{
	d->trace.begun = d->trace.len;
	room_for(&d->trace, tg_record_event_size(ev, spec_len));
}

void trace_action(struct device *d, const struct tg_action *action)
{
	struct tg_record *record = room_for(&d->trace, sizeof(*record));

	if (record)
		tg_record_action(record, action);
}

/* An event that found a pool empty is fed again, and only then recorded. */
void trace_end(struct device *d, const struct tg_event *ev, u32 spec_len, int result)
{
	struct trace *t = &d->trace;
	struct tg_record gap = { .size = sizeof(gap), .type = TG_REC_GAP, .arg = 1 }, *last;

	if (!t->bytes)
		return;
	if (t->lost > 1) {
		last = (struct tg_record *)(t->bytes + t->len) - 1;
		last->arg += result != -ENOMEM;
		return;
	}
	if (t->lost || result == -ENOMEM)
		t->len = t->begun;
	else
		tg_record_event(t->bytes + t->begun, ev, spec_len, result);
	if (!t->lost)
		return;
	t->lost = 2;
	t->bytes = need(realloc(t->bytes, t->len + sizeof(gap)));
	memcpy(t->bytes + t->len, &gap, sizeof(gap));
	t->len += sizeof(gap);
	say("the trace of device %u is full after %llu KiB: it ends here (--trace-kib)", d->index,
	    (unsigned long long)t->len >> 10);
}
