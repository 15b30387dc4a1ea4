/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces as bytes (docs/trace.md): written event by event, read whole, printed record by record.
 * Called by the simulator, which writes them, and by all that look at one: replay.c, perfetto.c,
 * tgsim and tgctl. One thread.
 */
#ifndef TGS_TRACE_H
#define TGS_TRACE_H

#include <stdio.h>
#include <tg/gpu.h>
#include <tg/record.h>

#define TGS_MESSAGE	256	/* room for a message */

/** struct tgs_writer - a trace being written to a file */
struct tgs_writer {
	FILE *file;
	bool failed;
	u64 *buf;		/* records of the event that is being fed */
	u64 len, room;		/* bytes */
};

/**
 * tgs_writer_open() - start a trace
 * @w: the writer
 * @path: file to create
 * @gpu: as it comes from tg_gpu_init()
 *
 * Return: 0, or a negative errno.
 */
int tgs_writer_open(struct tgs_writer *w, const char *path, const struct tg_gpu *gpu);
/** tgs_writer_begin() - @event is about to be fed; tgs_writer_action() for what it emits */
void tgs_writer_begin(struct tgs_writer *w, const struct tg_event *event, u32 spec_len);
void tgs_writer_action(struct tgs_writer *w, const struct tg_action *action);
/** tgs_writer_end() - @event has been fed: write it and its actions out */
void tgs_writer_end(struct tgs_writer *w, const struct tg_event *event, u32 spec_len, int result);
/** tgs_writer_close() - Return: 0, or a negative errno when anything could not be written */
int tgs_writer_close(struct tgs_writer *w);

/**
 * struct tgs_trace - a trace in memory
 * @head: its start
 * @bytes: what follows, 8-byte aligned
 * @len: bytes of it
 * @policy: number of the head's policy
 */
struct tgs_trace {
	struct tg_trace_head head;
	u64 *bytes;
	u64 len;
	u32 policy;
};

/**
 * tgs_trace_read() - take a trace apart
 * @t: the result; tgs_trace_deinit() when done, also after an error
 * @data: the file's bytes
 * @len: how many
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or -EINVAL with @error filled in. Records are not looked at yet.
 */
int tgs_trace_read(struct tgs_trace *t, const void *data, u64 len, char *error);
void tgs_trace_deinit(struct tgs_trace *t);

/**
 * tgs_trace_next() - step through the records
 * @t: the trace
 * @pos: offset of the record to get, moved behind it
 * @error: room for TGS_MESSAGE bytes; empty at a clean end
 *
 * Return: the record, or NULL: the end, or something is wrong there.
 */
const struct tg_record *tgs_trace_next(const struct tgs_trace *t, u64 *pos, char *error);

/**
 * tgs_is_client() - does the user mean this client?
 * @wanted: a client's number, pid=N, or a name
 * @client: its number
 * @pid: its process
 * @comm: its name, TG_COMM_LEN bytes, behind whose end are NULs
 */
bool tgs_is_client(const char *wanted, u32 client, u32 pid, const char *comm);

/**
 * tgs_plain() - a name as a terminal may have it: who is named by it has chosen it
 * @to: @size bytes: @name, with a '?' for each byte that is not printable
 * @name: up to @size - 1 bytes; a NUL ends it
 *
 * Return: @to.
 */
const char *tgs_plain(char *to, const char *name, size_t size);

/** tgs_note_name() - a word for an enum tg_note */
const char *tgs_note_name(u32 note);

/** tgs_record_print() - one line of text for a record, without newline */
void tgs_record_print(FILE *to, const struct tg_record *record);

#endif /* TGS_TRACE_H */
