/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace of one GPU: what was fed to the core and what it answered (tg/record.h).
 *
 * Begins with the GPU's core, so that it replays; ends when the memory is full, with one
 * record that counts what came later. Written under tgk_gpu.lock; read through debugfs without
 * it: what is published never changes, but for that count.
 */
#ifndef TGK_TRACE_H
#define TGK_TRACE_H

#include <tg/event.h>

struct dentry;

/**
 * struct tgk_trace - see above
 * @buf: memory, NULL: off
 * @size: bytes of it
 * @used: bytes that are published; written under the GPU's lock, read by anybody
 * @at: end of the records of the event being fed; the GPU's lock, as all below
 * @gap: the record that ends a full trace, or NULL
 * @lost: actions or an event that did not fit, in the event being fed
 * @file: in debugfs
 */
struct tgk_trace {
	u8 *buf;
	u32 size, used;
	u32 at;
	struct tg_record *gap;
	bool lost;
	struct dentry *file;
};

int tgk_trace_module_init(void);
void tgk_trace_module_exit(void);

/* Process context, before the GPU is visible, and after. */
int tgk_trace_init(struct tgk_trace *t, unsigned int kib, unsigned int gpu, const char *policy,
		   u32 engines, s64 now);
void tgk_trace_exit(struct tgk_trace *t);

/* Under the GPU's lock, between events: the core's clock shows @core, ktime_get_ns() @mono. */
void tgk_trace_clock(struct tgk_trace *t, s64 core, s64 mono);

/* Under the GPU's lock: begin, then actions, then end, for each event. */
void tgk_trace_begin(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len);
void tgk_trace_action(struct tgk_trace *t, const struct tg_action *action);
void tgk_trace_end(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len, int result);

#endif /* TGK_TRACE_H */
