// SPDX-License-Identifier: GPL-2.0
/*
 * pfslices FILE - the groups in a trace that `tgctl plot --perfetto` has written, a line each: process, job, begin and
 * end, ns on CLOCK_BOOTTIME. Read by itself, with no code of what has written it; tests/lib/pftrace reads more, but needs
 * Python, which a guest has not.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS	10000
#define CLOCKS	100

struct bytes {
	const unsigned char *at, *end;
};

static struct track {
	uint64_t uuid, parent, pid, job, begin;
} tracks[TRACKS];
static struct { uint64_t core, boot; } clocks[CLOCKS];
static unsigned int nr_tracks, nr_clocks;

static void die(const char *why)
{
	fprintf(stderr, "pfslices: %s\n", why);
	exit(1);
}

static uint64_t varint(struct bytes *b)
{
	uint64_t n = 0;
	int shift;

	for (shift = 0; shift < 64; shift += 7) {
		if (b->at == b->end)
			die("a number that does not end");
		n |= (uint64_t)(*b->at & 0x7f) << shift;
		if (*b->at++ < 0x80)
			return n;
	}
	die("a number that is too long");
	return 0;
}

/* The next field: its number (0: none), and its value or its bytes. */
static unsigned int field(struct bytes *b, uint64_t *n, struct bytes *in)
{
	uint64_t key;

	if (b->at == b->end)
		return 0;
	key = varint(b);
	switch (key & 7) {
	case 0:
		*n = varint(b);
		break;
	case 1:
		if (b->end - b->at < 8)
			die("a field that is cut off");
		memcpy(n, b->at, 8);
		b->at += 8;
		break;
	case 2:
		*n = varint(b);
		if (*n > (uint64_t)(b->end - b->at))
			die("a message that is cut off");
		in->at = b->at;
		in->end = b->at += *n;
		break;
	default:
		die("no such kind of field");
	}
	return key >> 3;
}

static struct track *track_of(uint64_t uuid)
{
	unsigned int i;

	for (i = 0; i < nr_tracks; i++)
		if (tracks[i].uuid == uuid)
			return &tracks[i];
	die("an event without its track");
	return NULL;
}

static void read_clocks(struct bytes b)
{
	struct bytes in, clock;
	uint64_t n, id = 0;
	unsigned int f;

	if (nr_clocks == CLOCKS)
		die("too many clocks");
	while (field(&b, &n, &in)) {
		for (clock = in; (f = field(&clock, &n, &in));) {
			if (f == 1)
				id = n;
			else if (id == 64)
				clocks[nr_clocks].core = n;
			else if (id == 6)
				clocks[nr_clocks].boot = n;
		}
	}
	nr_clocks++;
}

static void read_track(struct bytes b)
{
	struct track *t = &tracks[nr_tracks++];
	struct bytes in, process;
	unsigned int f;
	uint64_t n;

	if (nr_tracks == TRACKS)
		die("too many tracks");
	while ((f = field(&b, &n, &in))) {
		if (f == 1)
			t->uuid = n;
		else if (f == 5)
			t->parent = n;
		else if (f == 3)
			for (process = in; (f = field(&process, &n, &in));)
				t->pid = f == 1 ? n : t->pid;
	}
}

static uint64_t job_of(struct bytes arg, uint64_t job)
{
	struct bytes in;
	uint64_t n, value = 0;
	unsigned int f, is = 0;

	while ((f = field(&arg, &n, &in))) {
		if (f == 3)
			value = n;
		else if (f == 10)
			is = n == 3 && !memcmp(in.at, "job", 3);
	}
	return is ? value : job;
}

static uint64_t boottime(uint64_t core)
{
	unsigned int i = 0;

	if (!nr_clocks)
		die("no clock");
	while (i + 1 < nr_clocks && clocks[i + 1].core <= core)
		i++;
	return core - clocks[i].core + clocks[i].boot;
}

static void read_event(struct bytes b, uint64_t time)
{
	uint64_t n, type = 0, track = 0, job = 0;
	struct bytes in;
	unsigned int f, gpu = 0;
	struct track *t;

	while ((f = field(&b, &n, &in))) {
		if (f == 9)
			type = n;
		else if (f == 11)
			track = n;
		else if (f == 22)
			gpu = n == 3 && !memcmp(in.at, "gpu", 3);
		else if (f == 4)
			job = job_of(in, job);
	}
	if (type > 2)
		return;
	t = track_of(track);
	if (type == 1) {
		t->job = gpu ? job : 0;
		t->begin = time;
	} else if (t->job) {
		printf("%llu %llu %llu %llu\n", (unsigned long long)track_of(t->parent)->pid,
		       (unsigned long long)t->job, (unsigned long long)boottime(t->begin),
		       (unsigned long long)boottime(time));
		t->job = 0;
	}
}

int main(int argc, char **argv)
{
	static unsigned char data[64 << 20];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	struct bytes b = { data, data }, packet, in, event, none = { 0 };
	uint64_t n, time;
	unsigned int kind;

	if (!f)
		die("usage: pfslices FILE");
	b.end += fread(data, 1, sizeof(data), f);
	fclose(f);
	while (field(&b, &n, &packet)) {
		event = none;
		time = 0;
		while ((kind = field(&packet, &n, &in))) {
			if (kind == 8)
				time = n;
			else if (kind == 6)
				read_clocks(in);
			else if (kind == 60)
				read_track(in);
			else if (kind == 11)
				event = in;
		}
		if (event.at)
			read_event(event, time);
	}
	return 0;
}
