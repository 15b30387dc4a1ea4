/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace: the events that went into the core and the actions that came out, as bytes.
 *
 * A trace is one struct tg_trace_head, then records back to back. Each record starts with
 * struct tg_record and is a multiple of 8 bytes long. An event's record is followed by those of
 * the actions that it caused, so a trace that starts at tg_gpu_init() replays: feed the
 * events to a fresh tg_gpu, and the actions must be the same (tgsim replay).
 * docs/trace.md describes the layout for readers in other languages.
 *
 * Byte order is the host's; the head's magic tells. Encoding and decoding are pure and
 * allocate nothing; the decoder takes hostile input.
 */
#ifndef TG_RECORD_H
#define TG_RECORD_H

#include <tg/event.h>
#include <tg/predict.h>
#include <tg/spec.h>

#define TG_TRACE_MAGIC		0x31475254u	/* "TRG1" where bytes run little end first */
#define TG_TRACE_VERSION	1

/**
 * struct tg_trace_head - start of a trace
 * @magic: TG_TRACE_MAGIC
 * @version: TG_TRACE_VERSION
 * @engines: as given to tg_gpu_init()
 * @policy: name of the policy at tg_gpu_init(), NUL-padded
 * @now: as given to tg_gpu_init()
 */
struct tg_trace_head {
	u32 magic;
	u16 version;
	u16 engines;
	char policy[16];
	s64 now;
};

/**
 * enum tg_record_type - what a record holds
 * @TG_REC_EVENT: an event, with its data behind it
 * @TG_REC_ACTION: an action that the event before it caused
 * @TG_REC_GAP: records were lost here; what follows does not replay. arg: how many
 * @TG_REC_CLOCK: from here on, until the next of them, the core's clock shows now when the system's
 *	clocks show at (since the boot, sleep included) and arg (sleep left out). Replay takes no
 *	notice. Stands behind the head, and wherever the system has slept; a simulation has none.
 */
enum tg_record_type { TG_REC_EVENT, TG_REC_ACTION, TG_REC_GAP, TG_REC_CLOCK, TG_REC_TYPES };

/**
 * struct tg_record - one record
 * @size: bytes, this struct included, a multiple of 8
 * @type: enum tg_record_type
 * @kind: enum tg_event_kind or enum tg_action_kind
 * @result: event: what tg_gpu_feed() returned, negated (0, or a positive errno)
 * @client: as in the event or action
 * @channel: as in the event; action: its arg
 * @job: as in the event or action
 * @arg: as in the event; GAP: records lost; CLOCK: the system's clock without sleep
 * @now: event: its now; action: its at; CLOCK: the core's clock
 * @at: event: its at, of JOIN its identity's payer in the low 32 bits, its undelegated in the
 *	16 bits above, and its kernel in the one above those; action: 0; CLOCK: the system's clock
 *	since the boot
 *
 * Behind it: JOIN: u32 pid, u32 uid, then comm, exe, cgroup and, if it has a name, the GPU's, each
 * NUL-terminated (an absent exe or cgroup is the empty string), NUL-padded. SUBMIT: nothing if the
 * key is not known, else u32 hash, u32 number of pairs, then as many u64 pairs (struct tg_key).
 * SPEC: the text, NUL-padded, its length in @job. SAMPLE: struct tg_sample. VGPU: struct
 * tg_vgpu_conf. Others: nothing.
 */
struct tg_record {
	u32 size;
	u8 type, kind;
	u16 result;
	u32 client, channel;
	u64 job, arg;
	s64 now, at;
};

#define TG_RECORD_STRINGS	4096	/* longest exe, cgroup or gpu that is recorded whole */

/**
 * tg_record_event_size() - bytes that an event's record takes
 * @event: the event
 * @spec_len: bytes of the spec's text (SPEC), else 0
 */
u32 tg_record_event_size(const struct tg_event *event, u32 spec_len);

/**
 * tg_record_event() - encode an event
 * @buf: room for tg_record_event_size() bytes, 8-byte aligned
 * @event: the event
 * @spec_len: bytes of the spec's text (SPEC), else 0
 * @result: what tg_gpu_feed() returned
 */
void tg_record_event(void *buf, const struct tg_event *event, u32 spec_len, int result);

/**
 * tg_record_action() - encode an action
 * @record: the result; sizeof(*record) bytes
 * @action: the action
 */
void tg_record_action(struct tg_record *record, const struct tg_action *action);

/**
 * tg_record_check() - is there a whole, well-formed record?
 * @buf: bytes of a trace, at a record's start, 8-byte aligned
 * @len: how many there are
 *
 * Return: the record's size; 0: not whole yet; -EINVAL: malformed.
 */
int tg_record_check(const void *buf, u64 len);

/**
 * tg_record_read_event() - decode an event
 * @record: one that passed tg_record_check(), of type EVENT
 * @event: the result; @event->data points to @id for JOIN, into @record for SUBMIT,
 *	SAMPLE and VGPU; for SPEC the caller parses tg_record_data() and sets it
 * @id: room for a JOIN's identity; its strings point into @record
 */
void tg_record_read_event(const struct tg_record *record, struct tg_event *event,
			  struct tg_identity *id);

/** tg_record_data() - what stands behind a record */
static inline const char *tg_record_data(const struct tg_record *record)
{
	return (const char *)(record + 1);
}

#endif /* TG_RECORD_H */
