// SPDX-License-Identifier: GPL-2.0
/*
 * What spans.c has read, as a trace in Perfetto's own format, which ui.perfetto.dev and
 * trace_processor open: a protobuf, one field after the other, so that two such files behind each
 * other are a file. Called by tgctl. One thread.
 *
 * Processes have their pids, so a client's tracks stand in the process that an ftrace of the same
 * machine shows. Each client has a track for each engine that it used, with its groups as slices,
 * and tracks for its waits, whose slices are named for their cause. A flow goes from the begin of a
 * wait to the end of each group that ran meanwhile: the end, since its begin may be earlier, and
 * flows go forward. Each reserve is a counter, its budget; each note an instant.
 *
 * Times are on the core's clock, which stands still while the system sleeps, and has a number of
 * its own here: CLOCK_CORE. Snapshots say what CLOCK_BOOTTIME and CLOCK_MONOTONIC showed when.
 */
#include <stdlib.h>

#include "lib/file.h"
#include "lib/utf8.h"
#include "mem.h"
#include "perfetto.h"

enum { CLOCK_MONO = 3, CLOCK_BOOT = 6, CLOCK_CORE = 64 };	/* numbers of clocks; 64 to 127: ours */

/* Fields by their numbers: protos/perfetto/trace in Perfetto's sources. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_FLAGS = 13, PACKET_TIME_CLOCK = 58, PACKET_TRACK = 60
};
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, COUNTER_UNIT = 3, UNIT_TIME_NS = 1 };
enum {
	EVENT_ARG = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23,
	EVENT_VALUE = 30, EVENT_FLOW = 47, EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ARG_UINT = 3, ARG_STRING = 6, ARG_NAME = 10 };

/* What a track shows; with a number and a place, its uuid. */
enum kind { PROCESS, RUNS, WAITS, BUDGET, NOTES };

struct message {
	unsigned char *bytes;
	u32 len, room;
};

struct writer {
	const struct tgs_spans *s;
	FILE *to;
	u64 seed;		/* of uuids and flows: another trace of the same machine has others */
	bool begun;
	bool *shown;		/* clients whose process has been written */
	struct message packet, body, part, inner;
};

/* ---- protobuf ------------------------------------------------------------------------------ */

static void put(struct message *m, const void *bytes, u32 len)
{
	if (m->len + len > m->room) {
		m->room = 2 * (m->len + len) + 64;
		m->bytes = tgs_grow(m->bytes, m->room, 1);
	}
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void varint(struct message *m, u64 n)
{
	unsigned char byte;

	do {
		byte = (n & 0x7f) | (n > 0x7f ? 0x80 : 0);
		put(m, &byte, 1);
		n >>= 7;
	} while (n);
}

static void number(struct message *m, u32 field, u64 n)
{
	varint(m, field << 3);
	varint(m, n);
}

static void fixed(struct message *m, u32 field, u64 n)
{
	unsigned char bytes[8];
	u32 i;

	for (i = 0; i < 8; i++)
		bytes[i] = n >> (8 * i);
	varint(m, field << 3 | 1);
	put(m, bytes, 8);
}

static void bytes(struct message *m, u32 field, const void *data, u32 len)
{
	varint(m, field << 3 | 2);
	varint(m, len);
	put(m, data, len);
}

static void nested(struct message *m, u32 field, struct message *inner)
{
	bytes(m, field, inner->bytes, inner->len);
	inner->len = 0;
}

/* A process calls itself anything; a string is UTF-8. */
static void string(struct message *m, u32 field, const char *s)
{
	char clean[256];
	u32 len = strlen(s), n = 0;
	uint32_t code;
	size_t took;

	while (len && n + 4 < sizeof(clean)) {
		took = utf8_decode(s, len, &code);
		if (!took || utf8_is_control(code)) {
			clean[n++] = '?';
			took = took ? took : 1;
		} else {
			memcpy(clean + n, s, took);
			n += took;
		}
		s += took;
		len -= took;
	}
	bytes(m, field, clean, n);
}

/* ---- packets ------------------------------------------------------------------------------- */

/* Writes the packet that has been begun in @w->packet. */
static void packet(struct writer *w)
{
	struct message head = { };

	number(&w->packet, PACKET_SEQUENCE, 0x54470000 | (w->seed & 0xffff));
	if (!w->begun)
		number(&w->packet, PACKET_FLAGS, 1);	/* the sequence begins here */
	w->begun = true;
	varint(&head, TRACE_PACKET << 3 | 2);
	varint(&head, w->packet.len);
	fwrite(head.bytes, 1, head.len, w->to);
	fwrite(w->packet.bytes, 1, w->packet.len, w->to);
	w->packet.len = 0;
	free(head.bytes);
}

static u64 uuid(const struct writer *w, enum kind kind, u32 id, u32 place)
{
	return w->seed << 48 | (u64)(kind + 1) << 40 | (u64)id << 8 | place;
}

static void clock_at(struct writer *w, u32 id, s64 at)
{
	number(&w->inner, CLOCK_ID, id);
	number(&w->inner, CLOCK_TIME, at);
	nested(&w->body, CLOCKS_CLOCK, &w->inner);
}

static void clocks(struct writer *w)
{
	const struct tgs_clock alone = { w->s->start, w->s->start, w->s->start };
	u32 i, nr = w->s->nr_clocks;

	for (i = 0; i < (nr ? nr : 1); i++) {
		const struct tgs_clock *c = nr ? &w->s->clocks[i] : &alone;

		clock_at(w, CLOCK_CORE, c->core);
		clock_at(w, CLOCK_BOOT, c->boottime);
		clock_at(w, CLOCK_MONO, c->monotonic);
		nested(&w->packet, PACKET_CLOCKS, &w->body);
		packet(w);
	}
}

static void track_begin(struct writer *w, u64 id, u64 parent, const char *name)
{
	number(&w->body, TRACK_UUID, id);
	if (parent)
		number(&w->body, TRACK_PARENT, parent);
	string(&w->body, TRACK_NAME, name);
}

static void track_end(struct writer *w)
{
	nested(&w->packet, PACKET_TRACK, &w->body);
	packet(w);
}

static void event_begin(struct writer *w, u32 type, s64 at, u64 track)
{
	number(&w->packet, PACKET_TIME, at);
	number(&w->packet, PACKET_TIME_CLOCK, CLOCK_CORE);
	number(&w->body, EVENT_TYPE, type);
	number(&w->body, EVENT_TRACK, track);
}

static void event_name(struct writer *w, const char *category, const char *name)
{
	string(&w->body, EVENT_CATEGORY, category);
	string(&w->body, EVENT_NAME, name);
}

static void event_end(struct writer *w)
{
	nested(&w->packet, PACKET_EVENT, &w->body);
	packet(w);
}

static void arg_number(struct writer *w, const char *name, u64 n)
{
	string(&w->part, ARG_NAME, name);
	number(&w->part, ARG_UINT, n);
	nested(&w->body, EVENT_ARG, &w->part);
}

static void arg_string(struct writer *w, const char *name, const char *text)
{
	string(&w->part, ARG_NAME, name);
	string(&w->part, ARG_STRING, text);
	nested(&w->body, EVENT_ARG, &w->part);
}

/* ---- what is shown ------------------------------------------------------------------------- */

static u64 process_of(const struct writer *w, const struct tgs_who *who)
{
	return uuid(w, PROCESS, who->pid, 0);
}

/* A client comes into sight: its process, unless another one of that process has been seen. */
static void process(struct writer *w, u32 client)
{
	const struct tgs_who *who = &w->s->clients[client];
	u32 i;

	for (i = 0; i < w->s->nr_clients; i++)
		if (w->shown[i] && w->s->clients[i].pid == who->pid)
			return;
	w->shown[client] = true;
	track_begin(w, process_of(w, who), 0, who->comm);
	number(&w->part, PROCESS_PID, who->pid);
	string(&w->part, PROCESS_NAME, who->comm);
	nested(&w->body, TRACK_PROCESS, &w->part);
	track_end(w);
}

/* How the end of a group is known, by enum tg_done. */
static const char *const end_by[] = {
	"interrupt", "GPU clock", "GPU clock, of a later group", "interrupt, the slot is forged",
};

/* The flow between a wait and a group that ran meanwhile: @behind's number in the list. */
static u64 flow(const struct writer *w, u32 behind)
{
	return w->seed << 48 | (behind + 1);
}

/* An array's elements in another order than it has them. */
struct order {
	u32 key, nr;
	s64 then;
};

/* A group; @waits: who waited for it, by their numbers in tgs_spans.behind. */
static void run(struct writer *w, const struct tgs_run *r, const struct order *waits, u32 nr)
{
	u64 track = uuid(w, RUNS, w->s->clients[r->client].id, r->engine);
	u32 i;

	event_begin(w, TYPE_BEGIN, r->from, track);
	event_name(w, "gpu", "group");
	arg_number(w, "job", r->job);
	arg_number(w, "channel", r->channel);
	arg_string(w, "end_by", r->known == TGS_NOT_OVER ? "the trace's end" :
		   end_by[r->known < ARRAY_SIZE(end_by) ? r->known : 0]);
	arg_number(w, "noticed_late_ns", r->lag);
	event_end(w);
	event_begin(w, TYPE_END, r->until, track);
	for (i = 0; i < nr; i++)
		fixed(&w->body, EVENT_FLOW_END, flow(w, waits[i].nr));
	event_end(w);
}

static int by_key(const void *a, const void *b)
{
	const struct order *oa = a, *ob = b;

	if (oa->key != ob->key)
		return oa->key < ob->key ? -1 : 1;
	return (oa->then > ob->then) - (oa->then < ob->then);
}

static void runs(struct writer *w)
{
	const struct tgs_spans *s = w->s;
	struct order *order = tgs_alloc(s->nr_behind + 1, sizeof(*order));
	u8 *engines = tgs_alloc(s->nr_clients + 1, 1);
	u32 i, next = 0, first;
	char name[64];

	for (i = 0; i < s->nr_behind; i++)
		order[i] = (struct order){ .key = s->behind[i].run, .nr = i, .then = i };
	qsort(order, s->nr_behind, sizeof(*order), by_key);
	for (i = 0; i < s->nr_runs; i++) {
		const struct tgs_run *r = &s->runs[i];
		const struct tgs_who *who = &s->clients[r->client];

		for (first = next; next < s->nr_behind && order[next].key == i; next++)
			;
		if (!r->shown)
			continue;
		if (!(engines[r->client] & 1 << r->engine)) {
			engines[r->client] |= 1 << r->engine;
			process(w, r->client);
			snprintf(name, sizeof(name), "GPU engine %u, client %u", r->engine, who->id);
			track_begin(w, uuid(w, RUNS, who->id, r->engine), process_of(w, who), name);
			track_end(w);
		}
		run(w, r, order + first, next - first);
	}
	free(order);
	free(engines);
}

static const struct {
	const char *cause, *name, *arg;
} phases[TGS_PHASES + 1] = {
	[TGS_RESERVE] = { "its reserve", "waits: reserve", "reserve_ns" },
	[TGS_WINDOW] = { "groups of its own client in flight", "waits: window", "window_ns" },
	[TGS_POLICY] = { "the policy, which chose others", "waits: policy", "policy_ns" },
	[TGS_HANDOVER] = { "a switch of policies", "waits: handover", "handover_ns" },
	[TGS_PHASES] = { "not known", "waits", NULL },
};

static void wait_args(struct writer *w, const struct tgs_wait *wait, u32 behind, u32 nr)
{
	const struct tgs_spans *s = w->s;
	const struct tgs_behind *longest = NULL;
	const struct tgs_who *who;
	char name[64];
	u32 i;

	arg_number(w, "job", wait->job);
	arg_number(w, "channel", wait->channel);
	arg_string(w, "cause", phases[wait->cause].cause ? phases[wait->cause].cause : "not known");
	for (i = 0; i < TGS_PHASES; i++)
		if (wait->spent[i] && phases[i].arg)
			arg_number(w, phases[i].arg, wait->spent[i]);
	for (i = behind; i < behind + nr; i++)
		if (!longest || s->behind[i].time > longest->time)
			longest = &s->behind[i];
	if (!longest)
		return;
	who = &s->clients[s->runs[longest->run].client];
	snprintf(name, sizeof(name), "%s, client %u, process %u", who->comm, who->id, who->pid);
	arg_string(w, "blocker", name);
	arg_number(w, "blocker_job", s->runs[longest->run].job);
	arg_number(w, "blocker_ns", longest->time);
}

static void one_wait(struct writer *w, u32 nr, u64 track)
{
	const struct tgs_spans *s = w->s;
	const struct tgs_wait *wait = &s->waits[nr];
	u32 low = 0, high = s->nr_behind, end, i;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (s->behind[mid].wait < nr)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < s->nr_behind && s->behind[end].wait == nr; end++)
		;
	event_begin(w, TYPE_BEGIN, wait->from, track);
	event_name(w, "wait", phases[wait->cause].name ? phases[wait->cause].name : "waits");
	wait_args(w, wait, low, end - low);
	for (i = low; i < end; i++)
		fixed(&w->body, EVENT_FLOW, flow(w, i));
	event_end(w);
	event_begin(w, TYPE_END, wait->until, track);
	event_end(w);
}

/*
 * Waits of one client may overlap; slices of one track may not: each has the first of the client's
 * that is free. These tracks are numbered through the file.
 */
static void waits(struct writer *w)
{
	const struct tgs_spans *s = w->s;
	struct order *order = tgs_alloc(s->nr_waits + 1, sizeof(*order));
	s64 *ends = tgs_alloc(s->nr_waits + 1, sizeof(*ends));
	u32 i, lane, nr_lanes = 0, first = 0, client = 0;
	char name[64];

	for (i = 0; i < s->nr_waits; i++)
		order[i] = (struct order){ s->waits[i].client, i, s->waits[i].from };
	qsort(order, s->nr_waits, sizeof(*order), by_key);
	for (i = 0; i < s->nr_waits; i++) {
		const struct tgs_wait *wait = &s->waits[order[i].nr];
		const struct tgs_who *who = &s->clients[wait->client];

		if (!wait->shown)
			continue;
		if (wait->client != client) {
			first += nr_lanes;
			nr_lanes = 0;
		}
		client = wait->client;
		for (lane = 0; lane < nr_lanes && ends[lane] > wait->from; lane++)
			;
		if (lane == nr_lanes) {
			nr_lanes++;
			process(w, wait->client);
			snprintf(name, sizeof(name), "waits, client %u", who->id);
			track_begin(w, uuid(w, WAITS, first + lane, 0), process_of(w, who), name);
			track_end(w);
		}
		ends[lane] = wait->until;
		one_wait(w, order[i].nr, uuid(w, WAITS, first + lane, 0));
	}
	free(ends);
	free(order);
}

static void budgets(struct writer *w)
{
	const struct tgs_spans *s = w->s;
	char name[TG_NAME_LEN + 32];
	u32 i;

	for (i = 0; i < s->nr_reserves; i++) {
		if (!s->reserves[i].shown)
			continue;
		if (*s->reserves[i].name)
			snprintf(name, sizeof(name), "budget of reserve %s", s->reserves[i].name);
		else
			snprintf(name, sizeof(name), "budget of client %u", s->reserves[i].client);
		track_begin(w, uuid(w, BUDGET, i, 0), 0, name);
		number(&w->part, COUNTER_UNIT, UNIT_TIME_NS);
		nested(&w->body, TRACK_COUNTER, &w->part);
		track_end(w);
	}
	for (i = 0; i < s->nr_levels; i++) {
		event_begin(w, TYPE_COUNTER, s->levels[i].at, uuid(w, BUDGET, s->levels[i].reserve, 0));
		number(&w->body, EVENT_VALUE, s->levels[i].budget);
		event_end(w);
	}
}

static void notes(struct writer *w)
{
	const struct tgs_spans *s = w->s;
	u64 track = uuid(w, NOTES, 0, 0);
	u32 i;

	if (!s->nr_notes)
		return;
	track_begin(w, track, 0, "timegraph: notes");
	track_end(w);
	for (i = 0; i < s->nr_notes; i++) {
		event_begin(w, TYPE_INSTANT, s->notes[i].at, track);
		event_name(w, "note", tgs_note_name(s->notes[i].note));
		if (s->notes[i].client != TGS_NOBODY) {
			arg_number(w, "client", s->clients[s->notes[i].client].id);
			arg_string(w, "comm", s->clients[s->notes[i].client].comm);
		}
		event_end(w);
	}
}

static bool ends_in(const char *path, const char *end)
{
	u64 len = strlen(path), n = strlen(end);

	return len > n && !strcmp(path + len - n, end);
}

/* Puts into the file what has been written to memory: the end of that sets @text and @len. */
static int put_file(FILE *memory, char *const *text, const size_t *len, const char *path,
		    char *error)
{
	const char *why;

	if (ferror(memory) | fclose(memory)) {
		snprintf(error, TGS_MESSAGE, "out of memory");
		return -ENOMEM;
	}
	why = file_write(path, *text, *len);
	if (why)
		snprintf(error, TGS_MESSAGE, "cannot write %.160s: %s",
			 strcmp(path, "-") ? path : "to standard output", why);
	return why ? -EIO : 0;
}

int tgs_perfetto(const struct tgs_spans *s, const char *path, char *error)
{
	struct writer w = { .s = s, .seed = 1 + (u64)s->start * 0x9e3779b97f4a7c15ull % 0xfffe };
	char *text = NULL;
	size_t len = 0;
	int err;

	if (strcmp(path, "-") && !ends_in(path, ".pftrace") && !ends_in(path, ".perfetto-trace")) {
		snprintf(error, TGS_MESSAGE, "%.160s: with --perfetto, a name that ends in "
			 ".pftrace or .perfetto-trace wanted", path);
		return -EINVAL;
	}
	w.to = open_memstream(&text, &len);
	if (!w.to) {
		snprintf(error, TGS_MESSAGE, "out of memory");
		return -ENOMEM;
	}
	w.shown = tgs_alloc(s->nr_clients + 1, sizeof(*w.shown));
	clocks(&w);
	runs(&w);
	waits(&w);
	budgets(&w);
	notes(&w);
	err = put_file(w.to, &text, &len, path, error);
	free(text);
	free(w.shown);
	free(w.packet.bytes);
	free(w.body.bytes);
	free(w.part.bytes);
	free(w.inner.bytes);
	return err;
}
