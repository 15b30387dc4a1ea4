// SPDX-License-Identifier: GPL-2.0
/*
 * The trace's records: events and actions to bytes, and back (tg/record.h, docs/trace.md).
 *
 * Called by every host that records (the kernel module under its GPU's lock, tgsim) and by
 * those that read a trace (tgsim). Pure: no state, no allocation. What is encoded is trusted,
 * what is decoded is not: after tg_record_check() a record may be read without further tests.
 */
#include <tg/record.h>

#define JOIN_NUMBERS	(2 * sizeof(u32))	/* pid and uid, ahead of the strings */
#define JOIN_STRINGS	3			/* comm, exe, cgroup; gpu may follow */
#define DATA_MAX	TG_SPEC_TEXT_MAX	/* no record has more behind it */

static u32 padded(u32 bytes)
{
	return (bytes + 7) & ~7u;
}

static u32 string_len(const char *string)
{
	return string ? strnlen(string, TG_RECORD_STRINGS) : 0;
}

/* Bytes behind an event's record, without padding. */
static u32 data_len(const struct tg_event *event, u32 spec_len)
{
	const struct tg_identity *id = event->identity;

	switch (event->kind) {
	case TG_EV_JOIN:
		return JOIN_NUMBERS + strnlen(id->comm, TG_COMM_LEN - 1) + string_len(id->exe) +
		       string_len(id->cgroup) + JOIN_STRINGS +
		       (string_len(id->gpu) ? string_len(id->gpu) + 1 : 0);
	case TG_EV_SUBMIT:
		return event->key ? tg_key_size(event->key->nr) : 0;
	case TG_EV_SPEC:
		return spec_len;
	case TG_EV_SAMPLE:
		return event->sample ? sizeof(struct tg_sample) : 0;
	case TG_EV_VGPU:
		return event->vgpu ? sizeof(struct tg_vgpu_conf) : 0;
	default:
		return 0;
	}
}

u32 tg_record_event_size(const struct tg_event *event, u32 spec_len)
{
	return sizeof(struct tg_record) + padded(data_len(event, spec_len));
}

static char *put(char *to, const void *from, u32 len)
{
	memcpy(to, from, len);
	return to + len;
}

static char *put_string(char *to, const char *string, u32 len)
{
	if (len)
		to = put(to, string, len);
	*to = '\0';
	return to + 1;
}

void tg_record_event(void *buf, const struct tg_event *event, u32 spec_len, int result)
{
	const u32 size = tg_record_event_size(event, spec_len);
	const struct tg_identity *id = event->identity;
	struct tg_record *record = buf;
	char *to = (char *)(record + 1);
	char *const end = (char *)buf + size;

	memset(record, 0, sizeof(*record));
	record->size = size;
	record->type = TG_REC_EVENT;
	record->kind = event->kind;
	record->result = -result;
	record->client = event->client;
	record->channel = event->channel;
	record->job = event->job;
	record->arg = event->arg;
	record->now = event->now;
	record->at = event->at;

	if (event->kind == TG_EV_JOIN) {
		record->at = id->payer | (s64)id->undelegated << 32 | (s64)id->kernel << 48;
		to = put(to, &id->pid, sizeof(id->pid));
		to = put(to, &id->uid, sizeof(id->uid));
		to = put_string(to, id->comm, strnlen(id->comm, TG_COMM_LEN - 1));
		to = put_string(to, id->exe, string_len(id->exe));
		to = put_string(to, id->cgroup, string_len(id->cgroup));
		if (string_len(id->gpu))
			to = put_string(to, id->gpu, string_len(id->gpu));
	} else if (event->kind == TG_EV_SUBMIT || event->kind == TG_EV_SAMPLE ||
		   event->kind == TG_EV_VGPU) {
		if (event->data)
			to = put(to, event->data, data_len(event, spec_len));
	} else if (event->kind == TG_EV_SPEC) {
		record->job = spec_len;
		if (spec_len)
			to = put(to, event->new_spec->text, spec_len);
	}
	memset(to, 0, end - to);
}

void tg_record_action(struct tg_record *record, const struct tg_action *action)
{
	memset(record, 0, sizeof(*record));
	record->size = sizeof(*record);
	record->type = TG_REC_ACTION;
	record->kind = action->kind;
	record->client = action->client;
	record->channel = action->arg;
	record->job = action->job;
	record->now = action->at;
}

/* Bytes that a JOIN has behind it, without padding; 0: they are not all there. */
static u32 join_len(const char *data, u32 room)
{
	u32 len = JOIN_NUMBERS, i, n;

	for (i = 0; i < JOIN_STRINGS; i++) {
		if (len >= room)
			return 0;
		n = strnlen(data + len, room - len);
		if (n == room - len || n > (i ? TG_RECORD_STRINGS : TG_COMM_LEN - 1))
			return 0;
		len += n + 1;
	}
	if (len == room || !data[len])
		return len;
	n = strnlen(data + len, room - len);
	return n == room - len || n > TG_RECORD_STRINGS ? 0 : len + n + 1;
}

/* Bytes that the key behind a SUBMIT says it has; 0: it is none. */
static u32 key_len(const struct tg_key *key, u32 room)
{
	if (room < sizeof(*key) || key->nr > TG_KEY_PAIRS)
		return 0;
	return tg_key_size(key->nr);
}

static bool event_is_well_formed(const struct tg_record *record)
{
	u32 room = record->size - sizeof(*record);
	u32 len = 0;

	if (record->kind >= TG_EV_KINDS)
		return false;
	if (record->kind == TG_EV_JOIN) {
		len = join_len(tg_record_data(record), room);
		if (!len)
			return false;
	} else if (record->kind == TG_EV_SUBMIT && room) {
		len = key_len((const struct tg_key *)tg_record_data(record), room);
		if (!len)
			return false;
	} else if (record->kind == TG_EV_SAMPLE && room) {
		len = sizeof(struct tg_sample);
	} else if (record->kind == TG_EV_VGPU && room) {
		len = sizeof(struct tg_vgpu_conf);
	} else if (record->kind == TG_EV_SPEC) {
		if (record->job > TG_SPEC_TEXT_MAX)
			return false;
		len = record->job;
	}
	return room == padded(len);
}

int tg_record_check(const void *buf, u64 len)
{
	const struct tg_record *record = buf;
	bool good;

	if (len < sizeof(*record))
		return 0;
	if (record->size < sizeof(*record) || record->size > sizeof(*record) + DATA_MAX ||
	    record->size & 7)
		return -EINVAL;
	if (len < record->size)
		return 0;

	switch (record->type) {
	case TG_REC_EVENT:
		good = event_is_well_formed(record);
		break;
	case TG_REC_ACTION:
		good = record->kind < TG_ACT_KINDS && record->size == sizeof(*record);
		break;
	case TG_REC_GAP:
	case TG_REC_CLOCK:
		good = record->size == sizeof(*record);
		break;
	default:
		good = false;
	}
	return good ? (int)record->size : -EINVAL;
}

void tg_record_read_event(const struct tg_record *record, struct tg_event *event,
			  struct tg_identity *id)
{
	const char *data = tg_record_data(record), *end = (const char *)record + record->size;
	u32 len;

	memset(event, 0, sizeof(*event));
	event->now = record->now;
	event->at = record->at;
	event->kind = record->kind;
	event->client = record->client;
	event->channel = record->channel;
	event->job = record->job;
	event->arg = record->arg;

	if (event->kind == TG_EV_SPEC)
		event->job = 0;
	if ((event->kind == TG_EV_SUBMIT || event->kind == TG_EV_SAMPLE ||
	     event->kind == TG_EV_VGPU) && record->size > sizeof(*record))
		event->data = data;
	if (event->kind != TG_EV_JOIN)
		return;

	memset(id, 0, sizeof(*id));
	memcpy(&id->pid, data, sizeof(id->pid));
	memcpy(&id->uid, data + sizeof(id->pid), sizeof(id->uid));
	id->payer = record->at;
	id->undelegated = record->at >> 32;
	id->kernel = record->at >> 48 & 1;
	data += JOIN_NUMBERS;
	len = strnlen(data, TG_COMM_LEN - 1);
	memcpy(id->comm, data, len);
	data += len + 1;
	len = strnlen(data, TG_RECORD_STRINGS);
	id->exe = len ? data : NULL;
	data += len + 1;
	id->cgroup = *data ? data : NULL;
	data += strlen(data) + 1;
	id->gpu = data < end && *data ? data : NULL;
	event->identity = id;
}
