// SPDX-License-Identifier: GPL-2.0
/*
 * Trace records: every event and action comes back as it went in, and no malformed record
 * passes the check.
 */
#include <stdlib.h>
#include <tg/record.h>
#include "../lib/test.h"

#define R	sizeof(struct tg_record)

/* A kind's numbers have names in struct tg_event, and lie where those of a record lie. */
_Static_assert(offsetof(struct tg_event, join.account) == offsetof(struct tg_event, job),
	       "JOIN: the second number is a record's job");
_Static_assert(offsetof(struct tg_event, mem.request) == offsetof(struct tg_event, job),
	       "MEM_REQUEST, MEM_CANCEL: the second number is a record's job");
_Static_assert(offsetof(struct tg_event, knob.of_policy) == offsetof(struct tg_event, job) &&
	       offsetof(struct tg_event, knob.value) == offsetof(struct tg_event, at),
	       "KNOB: the second number is a record's job, the third its at");

static u64 buf[(sizeof(struct tg_record) + TG_SPEC_TEXT_MAX + 64) / 8];
static char longest[TG_RECORD_STRINGS + 2];

static const struct tg_identity plain = {
	.pid = 7, .uid = 1000, .payer = 999, .comm = "game", .exe = "/usr/bin/game",
	.cgroup = "/user.slice",
};
static const struct tg_identity bare = { .pid = 8 };
static const struct tg_identity full = {
	.pid = U32_MAX, .uid = U32_MAX, .payer = U32_MAX, .comm = "123456789012345", .exe = "/e",
	.undelegated = 0xffff,
};
static const struct tg_identity only_cgroup = { .pid = 1, .uid = 2, .comm = "x", .cgroup = "/c",
						 .undelegated = 1 };
static const struct tg_identity somewhere = {
	.pid = 7, .comm = "game", .exe = "/g", .cgroup = "/c", .gpu = "0000:01:00.0",
};
static const struct tg_identity nameless = { .pid = 8, .comm = "abc", .gpu = "" };
static const struct tg_identity deep = {
	.pid = 1, .uid = 2, .comm = "x", .exe = longest, .cgroup = longest, .gpu = longest,
};
static const struct tg_key key = { 0x12345678, 2, { 1ull << 56 | 1, 2ull << 56 | 3 } };
static const struct tg_key empty_key = { 1, 0, { } };
static u64 largest_key[1 + TG_KEY_PAIRS];
static const struct tg_spec spec = { .text = "a:prt:pe:1:1:2\n# c\n" };

/* Round trips. */
static const struct tg_sample seen = { 12 * TG_MSEC, 7 * TG_MSEC, 42, 1 };

#define EVENT(_now, _at, _kind, _client, _channel, _job, _arg, _data) {			\
	.now = _now, .at = _at, .kind = _kind, .client = _client, .channel = _channel,	\
	.job = _job, .arg = _arg, .data = _data }

static const struct event_row {
	const char *name;
	struct tg_event event;
	u32 spec_len, size;
	int result;
} event_rows[] = {
	{ "join", EVENT(5, 4, TG_EV_JOIN, 1, 2, 0, 3, &plain), 0, R + 40, 0 },
	{ "join of a nameless process", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &bare), 0, R + 16,
	  0 },
	{ "join with the longest name", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &full), 0, R + 32,
	  -EINVAL },
	{ "join with a cgroup only", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &only_cgroup), 0,
	  R + 16, 0 },
	{ "join with the longest paths", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &deep), 0,
	  R + 12304, -ENOMEM },
	{ "leave", EVENT(6, 6, TG_EV_LEAVE, U32_MAX, U32_MAX, 0, 0, NULL), 0, R, -ENOENT },
	{ "submit", EVENT(S64_MAX, S64_MAX, TG_EV_SUBMIT, 1, 1, U64_MAX, 0, NULL), 0, R,
	  -EEXIST },
	{ "done", EVENT(9, 8, TG_EV_DONE, 0, 0, 77, 0, NULL), 0, R, -EBUSY },
	{ "timer at zero", EVENT(0, 0, TG_EV_TIMER, 0, 0, 0, 0, NULL), 0, R, 0 },
	{ "spec", EVENT(9, 9, TG_EV_SPEC, 0, 0, 0, 1, &spec), 19, R + 24, 0 },
	{ "spec of eight bytes", EVENT(9, 9, TG_EV_SPEC, 0, 0, 0, 1, &spec), 8, R + 8, 0 },
	{ "empty spec", EVENT(9, 9, TG_EV_SPEC, 0, 0, 0, 0, &spec), 0, R, 0 },
	{ "knob", EVENT(9, -1, TG_EV_KNOB, 0, 0, 1, 3, NULL), 0, R, 0 },
	{ "submit with a key", EVENT(9, 9, TG_EV_SUBMIT, 1, 1, 7, 0, &key), 0, R + 24, 0 },
	{ "submit with a key of no pairs", EVENT(9, 9, TG_EV_SUBMIT, 1, 1, 7, 0, &empty_key), 0,
	  R + 8, 0 },
	{ "submit with the largest key", EVENT(9, 9, TG_EV_SUBMIT, 1, 1, 7, 0, largest_key), 0,
	  R + 8 + 8 * TG_KEY_PAIRS, -ENOENT },
	{ "prio", EVENT(9, 9, TG_EV_PRIO, 4, 0, 0, 99, NULL), 0, R, -EINVAL },
	{ "foreground", EVENT(9, 9, TG_EV_FOREGROUND, 0, 0, 0, U32_MAX, NULL), 0, R, 0 },
	{ "nice", EVENT(9, 9, TG_EV_NICE, 4, 0, 0, 99, NULL), 0, R, -EINVAL },
	{ "memory asked for", EVENT(9, 9, TG_EV_MEM_REQUEST, 7, 1, 8, 1ull << 40, NULL), 0, R, 0 },
	{ "sample", EVENT(9, 8, TG_EV_SAMPLE, 3, 0, 0, 0, &seen), 0, R + 24, 0 },
	{ "sample of nothing", EVENT(9, 9, TG_EV_SAMPLE, 0, 0, 0, 0, NULL), 0, R, -EINVAL },
	{ "join on a GPU with a name", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &somewhere), 0, R + 32, 0 },
	{ "join on one without", EVENT(5, 5, TG_EV_JOIN, 1, 0, 0, 1, &nameless), 0, R + 16, 0 },
};

static bool same_string(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *compare(const struct event_row *row, const struct tg_record *record)
{
	const struct tg_event *in = &row->event;
	const struct tg_identity *id = in->data;
	struct tg_identity got_id;
	struct tg_event got;

	tg_record_read_event(record, &got, &got_id);
	if (got.now != in->now || (got.at != in->at && in->kind != TG_EV_JOIN) || got.kind != in->kind ||
	    got.client != in->client || got.channel != in->channel || got.job != in->job ||
	    got.arg != in->arg || record->result != -row->result)
		return "a number changed";
	if (in->kind == TG_EV_JOIN &&
	    (got.data != &got_id || got_id.pid != id->pid || got_id.uid != id->uid ||
	     got_id.payer != id->payer || got_id.undelegated != id->undelegated ||
	     strcmp(got_id.comm, id->comm) || !same_string(got_id.exe, id->exe) ||
	     !same_string(got_id.cgroup, id->cgroup) ||
	     !same_string(got_id.gpu, id->gpu && *id->gpu ? id->gpu : NULL)))
		return "the identity changed";
	if (in->kind == TG_EV_SUBMIT &&
	    (!got.data != !in->data ||
	     (in->data && memcmp(got.data, in->data, row->size - R))))
		return "the key changed";
	if (in->kind == TG_EV_SAMPLE &&
	    (!got.data != !in->data || (in->data && memcmp(got.data, &seen, sizeof(seen)))))
		return "the sample changed";
	if (in->kind == TG_EV_SPEC &&
	    (record->job != row->spec_len ||
	     memcmp(tg_record_data(record), spec.text, row->spec_len)))
		return "the text changed";
	return NULL;
}

static void round_trip(const struct event_row *row)
{
	u32 size = tg_record_event_size(&row->event, row->spec_len);
	const char *wrong = NULL;
	u32 len;

	memset(buf, 0xa5, sizeof(buf));
	tg_record_event(buf, &row->event, row->spec_len, row->result);
	for (len = 0; len < size && !wrong; len++)
		if (tg_record_check(buf, len))
			wrong = "a part of it passes as a record";
	if (size != row->size)
		wrong = "size";
	else if (((u8 *)buf)[size] != 0xa5)
		wrong = "written beyond its size";
	else if (!wrong && tg_record_check(buf, sizeof(buf)) != (int)size)
		wrong = "refused";
	else if (!wrong)
		wrong = compare(row, (struct tg_record *)buf);
	test_row(row->name, !wrong, "%s (%u bytes)", wrong, size);
}

static void action(void)
{
	struct tg_action in = { TG_ACT_NOTE, 3, 1ull << 40, 0, TG_NOTE_LOST, buf };
	struct tg_action arm = { TG_ACT_ARM, 0, 0, TG_NEVER - 1, 0, NULL };
	struct tg_record r;

	tg_record_action(&r, &in);
	test_row("action", tg_record_check(&r, sizeof(r)) == sizeof(r) &&
		 r.type == TG_REC_ACTION && r.kind == TG_ACT_NOTE && r.client == 3 &&
		 r.job == 1ull << 40 && r.channel == TG_NOTE_LOST && !r.arg && !r.at,
		 "changed or refused");
	tg_record_action(&r, &arm);
	test_row("action with a time", r.kind == TG_ACT_ARM && r.now == TG_NEVER - 1, "changed");
}

/* A good record of some kind, with bytes replaced. */
static const struct bad_row {
	const char *name;
	u32 from;		/* row of event_rows */
	u32 offset;
	u64 value;
	u32 bytes;		/* of it */
	int want;
} bad_rows[] = {
	{ "size 0", 8, 0, 0, 4, -EINVAL },
	{ "size of half a record", 8, 0, 32, 4, -EINVAL },
	{ "size not a multiple of 8", 8, 0, R + 4, 4, -EINVAL },
	{ "size larger than any", 8, 0, R + 65536 + 8, 4, -EINVAL },
	{ "size of 4 GiB", 8, 0, U32_MAX & ~7u, 4, -EINVAL },
	{ "size larger than the event's", 8, 0, R + 16, 4, -EINVAL },
	{ "no such type", 8, 4, TG_REC_TYPES, 1, -EINVAL },
	{ "no such event", 8, 5, TG_EV_KINDS, 1, -EINVAL },
	{ "gap", 8, 4, TG_REC_GAP, 1, R },
	{ "gap with data", 9, 4, TG_REC_GAP, 1, -EINVAL },
	{ "clock", 8, 4, TG_REC_CLOCK, 1, R },
	{ "clock with data", 9, 4, TG_REC_CLOCK, 1, -EINVAL },
	{ "no such action", 8, 4, TG_REC_ACTION | TG_ACT_KINDS << 8, 2, -EINVAL },
	{ "action with data", 9, 4, TG_REC_ACTION, 1, -EINVAL },
	{ "spec longer than its record", 9, 16, 25, 8, -EINVAL },
	{ "spec shorter than its record", 9, 16, 16, 8, -EINVAL },
	{ "spec length that overflows", 9, 16, (1ull << 32) + 19, 8, -EINVAL },
	{ "join cut in front of its strings", 0, 0, R + 8, 4, -EINVAL },
	{ "join without data", 0, 0, R, 4, -EINVAL },
	{ "sample with half of its data", 18, 0, R + 16, 4, -EINVAL },
	{ "sample with too much data", 18, 0, R + 32, 4, -EINVAL },
	{ "join longer than its strings", 0, 0, R + 48, 4, -EINVAL },
	{ "join with a comm of 16 bytes", 2, R + 8 + 15, 'x', 1, -EINVAL },
	{ "submit with more pairs than its record", 13, R + 4, 3, 4, -EINVAL },
	{ "submit with fewer pairs than its record", 13, R + 4, 1, 4, -EINVAL },
	{ "submit with a number of pairs that overflows", 13, R + 4, 0x20000002, 4, -EINVAL },
	{ "submit with more pairs than a key has", 15, R + 4, TG_KEY_PAIRS + 1, 4, -EINVAL },
	{ "done with a key", 13, 5, TG_EV_DONE, 1, -EINVAL },
	{ "join with one string less", 1, R + 8, 0x6161616161616161, 8, -EINVAL },
	{ "join with a GPU's name that does not end", 23, R + 14, 0x6161, 2, -EINVAL },
	{ "join with a GPU's name of one byte", 23, R + 14, 0x61, 1, R + 16 },
};

static void bad(const struct bad_row *row)
{
	const struct event_row *from = &event_rows[row->from];
	int got;

	memset(buf, 0, sizeof(buf));
	tg_record_event(buf, &from->event, from->spec_len, 0);
	memcpy((char *)buf + row->offset, &row->value, row->bytes);
	got = tg_record_check(buf, sizeof(buf));
	test_row(row->name, got == row->want, "%d, not %d", got, row->want);
}

/* A path longer than what is recorded whole is cut, and still a good record. */
static void too_long(void)
{
	struct tg_identity id = deep;
	struct tg_event ev = { .kind = TG_EV_JOIN, .data = &id }, got;
	struct tg_identity got_id;
	int size;

	longest[TG_RECORD_STRINGS] = 'y';
	tg_record_event(buf, &ev, 0, 0);
	size = tg_record_check(buf, sizeof(buf));
	if (size > 0)
		tg_record_read_event((struct tg_record *)buf, &got, &got_id);
	test_row("a path that is too long is cut", size > 0 && got_id.exe &&
		 strlen(got_id.exe) == TG_RECORD_STRINGS &&
		 strlen(got_id.cgroup) == TG_RECORD_STRINGS &&
		 strlen(got_id.gpu) == TG_RECORD_STRINGS, "size %d", size);
}

/* Whatever the bytes: what passes lies within the buffer, so that ASan would tell. */
static void noise(void)
{
	u32 i, j, passed = 0, keys = 0;
	u64 x = 88172645463325252u;

	for (i = 0; i < 200000; i++) {
		u32 len = 48 + i % 16 * 8;
		u8 *copy = malloc(len);
		struct tg_identity id;
		struct tg_event ev;

		tg_record_event(buf, &event_rows[i % 4 == 3 ? 13 : i % 4].event, 0, 0);
		memcpy(copy, buf, len);
		for (j = 0; j < 3; j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			copy[j == 0 ? (x >> 8) % 8 : (x >> 8) % len] = x;
		}
		if (tg_record_check(copy, len) > 0) {
			passed++;
			memset(&ev, 0, sizeof(ev));
			if (((struct tg_record *)copy)->type == TG_REC_EVENT)
				tg_record_read_event((struct tg_record *)copy, &ev, &id);
			if (ev.kind == TG_EV_SUBMIT && ev.data) {
				const struct tg_key *got = ev.data;

				memcpy(buf, got, tg_key_size(got->nr));
				keys++;
			}
		}
		free(copy);
	}
	test_row("noise", passed > 100 && keys > 100,
		 "only %u of the damaged records pass, %u keys", passed, keys);
}

int main(void)
{
	u32 i;

	memset(longest, 'x', TG_RECORD_STRINGS);
	((struct tg_key *)largest_key)->nr = TG_KEY_PAIRS;
	memset(largest_key + 1, 0x5a, TG_KEY_PAIRS * sizeof(u64));
	for (i = 0; i < ARRAY_SIZE(event_rows); i++)
		round_trip(&event_rows[i]);
	action();
	for (i = 0; i < ARRAY_SIZE(bad_rows); i++)
		bad(&bad_rows[i]);
	too_long();
	noise();
	return test_end();
}
