// SPDX-License-Identifier: GPL-2.0
/*
 * Traces as bytes (docs/trace.md): written event by event, read whole, printed record by record.
 * The bytes that are read come from a file and may be anything. Called by the simulator (writing),
 * by all that look at a trace, and by the fuzzer. One thread.
 */
#include <ctype.h>
#include <stdlib.h>
#include <tg/policy.h>

#include "lib/number.h"
#include "mem.h"
#include "trace.h"

/* ---- writing ---------------------------------------------------------------------------- */

static void *room_for(struct tgs_writer *w, u64 bytes)
{
	void *at;

	if (w->len + bytes > w->room) {
		w->room = 2 * (w->len + bytes);
		w->buf = tgs_grow(w->buf, w->room, 1);
	}
	at = (char *)w->buf + w->len;
	w->len += bytes;
	return at;
}

int tgs_writer_open(struct tgs_writer *w, const char *path, const struct tg_gpu *gpu)
{
	struct tg_trace_head head = {
		.magic = TG_TRACE_MAGIC,
		.version = TG_TRACE_VERSION,
		.engines = gpu->nr_engines,
		.now = gpu->now,
	};

	memset(w, 0, sizeof(*w));
	w->file = fopen(path, "w");
	if (!w->file)
		return -errno;
	memcpy(head.policy, gpu->policy->name, strlen(gpu->policy->name));
	w->failed = fwrite(&head, sizeof(head), 1, w->file) != 1;
	return 0;
}

void tgs_writer_begin(struct tgs_writer *w, const struct tg_event *event, u32 spec_len)
{
	w->len = 0;
	room_for(w, tg_record_event_size(event, spec_len));
}

void tgs_writer_action(struct tgs_writer *w, const struct tg_action *action)
{
	tg_record_action(room_for(w, sizeof(struct tg_record)), action);
}

void tgs_writer_end(struct tgs_writer *w, const struct tg_event *event, u32 spec_len, int result)
{
	tg_record_event(w->buf, event, spec_len, result);
	if (fwrite(w->buf, w->len, 1, w->file) != 1)
		w->failed = true;
}

int tgs_writer_close(struct tgs_writer *w)
{
	free(w->buf);
	if (fclose(w->file) || w->failed)
		return -EIO;
	return 0;
}

/* ---- reading ---------------------------------------------------------------------------- */

int tgs_trace_read(struct tgs_trace *t, const void *data, u64 len, char *error)
{
	struct tg_trace_head *head = &t->head;
	char name[sizeof(head->policy) + 1];
	int policy;

	memset(t, 0, sizeof(*t));
	if (len < sizeof(*head)) {
		snprintf(error, TGS_MESSAGE, "%llu bytes; a trace starts with %zu bytes of head",
			 (unsigned long long)len, sizeof(*head));
		return -EINVAL;
	}
	memcpy(head, data, sizeof(*head));
	if (head->magic == __builtin_bswap32(TG_TRACE_MAGIC)) {
		snprintf(error, TGS_MESSAGE,
			 "recorded on a machine of the other byte order; replay it there");
		return -EINVAL;
	}
	if (head->magic != TG_TRACE_MAGIC) {
		snprintf(error, TGS_MESSAGE, "not a trace; one starts with \"TRG1\"");
		return -EINVAL;
	}
	if (head->version != TG_TRACE_VERSION) {
		snprintf(error, TGS_MESSAGE, "trace of version %u; version %u wanted",
			 head->version, TG_TRACE_VERSION);
		return -EINVAL;
	}
	if (!head->engines || head->engines > TG_ENGINES_MAX) {
		snprintf(error, TGS_MESSAGE, "%u engines; 1 to %u wanted", head->engines,
			 TG_ENGINES_MAX);
		return -EINVAL;
	}
	if (head->now < 0 || head->now == TG_NEVER) {
		snprintf(error, TGS_MESSAGE, "a start at %lld ns; from 0 on, before the clock's end",
			 (long long)head->now);
		return -EINVAL;
	}
	policy = tg_policy_find(head->policy, strnlen(head->policy, sizeof(head->policy)));
	if (policy < 0) {
		snprintf(error, TGS_MESSAGE, "no policy '%s' here",
			 tgs_plain(name, head->policy, sizeof(name)));
		return -EINVAL;
	}
	t->policy = policy;
	t->len = len - sizeof(*head);
	t->bytes = tgs_alloc(t->len / 8 + 1, 8);
	memcpy(t->bytes, (const char *)data + sizeof(*head), t->len);
	return 0;
}

void tgs_trace_deinit(struct tgs_trace *t)
{
	free(t->bytes);
	memset(t, 0, sizeof(*t));
}

const struct tg_record *tgs_trace_next(const struct tgs_trace *t, u64 *pos, char *error)
{
	const void *at = (const char *)t->bytes + *pos;
	int size;

	*error = '\0';
	if (*pos == t->len)
		return NULL;
	size = tg_record_check(at, t->len - *pos);
	if (size <= 0) {
		snprintf(error, TGS_MESSAGE, "%s at byte %llu",
			 size ? "malformed record" : "the trace is cut off inside a record",
			 (unsigned long long)(sizeof(t->head) + *pos));
		return NULL;
	}
	*pos += size;
	return at;
}

/* ---- printing --------------------------------------------------------------------------- */

static const char *const event_names[] = {
	"JOIN", "LEAVE", "SUBMIT", "CANCEL", "STARTED", "REFUSED", "DONE", "IDLE", "TIMER",
	"SPEC", "POLICY", "KNOB", "SAMPLE", "PRIO", "FOREGROUND", "MEM_SIZE", "MEM_REQUEST",
	"MEM_CANCEL", "MEM_FREE", "VGPU", "ENGINES", "BYPASSED", "QUIET", "NICE",
};

static const char *const action_names[] = {
	"FREE", "ARM", "NOTE", "GATE", "SYNC", "GONE", "POLL", "WOULD", "MEM_GRANT",
	"MEM_REFUSE", "WATCH", "YIELD",
};

static const char *const gate_names[] = { "OPEN", "TRACK", "ASK", "HOLD" };

static const char *const note_names[] = {
	"LOST", "REPAIRED", "RECOVERED", "OVERLAP", "EJECTED_PICK", "EJECTED_STARVED",
	"DRAIN_CUT", "POLICY", "DRY", "NOT_ADMITTED", "NO_VRAM", "VRAM_LATE", "VRAM_DEADLOCK",
	"FORGED", "OVERLONG",
};

_Static_assert(ARRAY_SIZE(event_names) == TG_EV_KINDS, "an event has no name");
_Static_assert(ARRAY_SIZE(action_names) == TG_ACT_KINDS, "an action has no name");
_Static_assert(ARRAY_SIZE(note_names) == TG_NOTES, "a note has no name");

static const char *name(const char *const *names, u32 nr, u32 i)
{
	return i < nr ? names[i] : "?";
}

const char *tgs_note_name(u32 note)
{
	return name(note_names, ARRAY_SIZE(note_names), note);
}

const char *tgs_plain(char *to, const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < size - 1 && name[i]; i++)
		to[i] = isprint((unsigned char)name[i]) ? name[i] : '?';
	to[i] = '\0';
	return to;
}

bool tgs_is_client(const char *wanted, u32 client, u32 pid, const char *comm)
{
	uint64_t nr;

	if (!strncmp(wanted, "pid=", 4))
		return number_read(wanted + 4, UINT32_MAX, &nr) && nr == pid;
	if (number_read(wanted, UINT64_MAX, &nr))
		return nr == client;
	return strlen(wanted) < TG_COMM_LEN && !strncmp(wanted, comm, TG_COMM_LEN);
}

static void print_event(FILE *to, const struct tg_record *r)
{
	char comm[TG_COMM_LEN];
	struct tg_identity id;
	struct tg_event ev;

	tg_record_read_event(r, &ev, &id);
	fprintf(to, "%lld event %s", (long long)ev.now, event_names[ev.kind]);
	if (ev.at != ev.now)
		fprintf(to, " at=%lld", (long long)ev.at);
	if (ev.client || ev.kind <= TG_EV_SUBMIT)
		fprintf(to, " client=%u channel=%u", ev.client, ev.channel);
	if (ev.job)
		fprintf(to, " job=%llu", (unsigned long long)ev.job);
	if (ev.arg)
		fprintf(to, " arg=%llu", (unsigned long long)ev.arg);
	if (ev.kind == TG_EV_JOIN)
		fprintf(to, " pid=%u uid=%u comm=\"%s\"", id.pid, id.uid,
			tgs_plain(comm, id.comm, sizeof(comm)));
	if (ev.kind == TG_EV_SAMPLE && ev.sample) {
		const struct tg_sample *s = ev.sample;

		fprintf(to, " length=%lld busy=%lld groups=%u%s", (long long)s->length,
			(long long)s->busy, s->groups, s->active ? " active" : "");
	}
	if (ev.kind == TG_EV_SPEC)
		fprintf(to, " bytes=%llu", (unsigned long long)r->job);
	if (r->result)
		fprintf(to, " result=%s", strerror(r->result));
}

static void print_action(FILE *to, const struct tg_record *r)
{
	fprintf(to, "  -> %s", action_names[r->kind]);
	if (r->client)
		fprintf(to, " client=%u", r->client);
	if (r->job)
		fprintf(to, " job=%llu", (unsigned long long)r->job);
	if (r->kind == TG_ACT_ARM || r->kind == TG_ACT_POLL || r->kind == TG_ACT_WOULD)
		fprintf(to, " at=%lld", (long long)r->now);
	if (r->kind == TG_ACT_POLL)
		fprintf(to, " arg=%u", r->channel);
	if (r->kind == TG_ACT_GATE)
		fprintf(to, " %s", name(gate_names, ARRAY_SIZE(gate_names), r->channel));
	if (r->kind == TG_ACT_NOTE)
		fprintf(to, " %s", name(note_names, ARRAY_SIZE(note_names), r->channel));
}

void tgs_record_print(FILE *to, const struct tg_record *record)
{
	if (record->type == TG_REC_EVENT)
		print_event(to, record);
	else if (record->type == TG_REC_ACTION)
		print_action(to, record);
	else if (record->type == TG_REC_CLOCK)
		fprintf(to, "%lld: the system's clocks show %lld since the boot, %llu without sleep",
			(long long)record->now, (long long)record->at,
			(unsigned long long)record->arg);
	else
		fprintf(to, "%llu records were lost here", (unsigned long long)record->arg);
}
