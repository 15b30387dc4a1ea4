// SPDX-License-Identifier: GPL-2.0
/*
 * truth.c - the ground truth as JSON, with what cardd itself counts: messages, and stolen time.
 *
 * Called by main.c under `card_lock`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/json.h"
#include "truth.h"

/* A group before which the client waited for more messages than this was not a warm one. */
#define WARM_MESSAGES	32
/* How long the card may catch up before a reading. */
#define CATCH_UP_NS	1000000000

/* Messages that the client waited for between completions, and those of warm groups alone. */
static struct { u64 groups, waited, warm_groups, warm_waited; } messages;

void truth_count(const struct card *card, const struct vfu *vfu)
{
	u64 groups = card_groups(card) - messages.groups, waited, posted;

	if (!groups)
		return;
	vfu_messages(vfu, &waited, &posted);
	if (waited - messages.waited <= groups * WARM_MESSAGES) {
		messages.warm_groups += groups;
		messages.warm_waited += waited - messages.waited;
	}
	messages.groups += groups;
	messages.waited = waited;
}

/*
 * Lets the card do all that was due by @now. A guest may have more in its rings than this machine
 * works through in the time that it stands for; then the truth says how far behind the card is.
 */
static void truth_catch_up(struct card *card, s64 now)
{
	while (card_next_event(card) <= now && clock_ns() - now < CATCH_UP_NS)
		card_advance(card, now);
}

static void truth_engine(const struct card *card, struct json *j, u32 i)
{
	struct card_truth_engine e;

	card_truth_engine(card, i, &e);
	json_open(j, NULL, '{');
	json_string(j, "name", e.name);
	json_s64(j, "busy_ns", e.busy_ns);
	json_s64(j, "switch_ns", e.switch_ns);
	json_s64(j, "idle_ns", e.idle_ns);
	json_s64(j, "late_ns", e.late_ns);
	json_s64(j, "self_late_ns", e.self_late_ns);
	json_u64(j, "groups", e.groups);
	json_u64(j, "switches", e.switches);
	json_close(j, '}');
}

/* A channel has a row for the first engine, and for each other one that it used. */
static void truth_channel(const struct card *card, struct json *j, u32 i, u32 engine)
{
	struct card_truth_channel c;
	struct card_truth_engine e;

	card_truth_channel_of(card, i, engine, &c);
	if (engine && !c.groups && !c.switch_ns)
		return;
	card_truth_engine(card, engine, &e);
	json_open(j, NULL, '{');
	json_u64(j, "channel", c.chid);
	json_u64(j, "instance", c.instance);
	json_string(j, "engine", e.name);
	json_bool(j, "alive", c.alive);
	json_s64(j, "busy_ns", c.busy_ns);
	json_s64(j, "switch_ns", c.switch_ns);
	json_s64(j, "fence_gap_ns", c.fence_gap_ns);
	json_u64(j, "groups", c.groups);
	json_u64(j, "switches", c.switches);
	json_close(j, '}');
}

/*
 * CPU time that the host of this machine, itself a guest, has taken from it, ms; 0 on real
 * hardware.
 */
static u64 stolen_ms(void)
{
	FILE *f = fopen("/proc/stat", "r");
	unsigned long long ticks = 0;

	if (!f)
		return 0;
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	fclose(f);
	return ticks * 1000 / (u64)sysconf(_SC_CLK_TCK);
}

static void truth_write(struct card *card, const struct vfu *vfu, FILE *f)
{
	struct json j = { .to = f, .bytes = JSON_ASCII };
	struct card_truth t;
	u64 waited, posted;
	double per_group = 0;
	s64 now = clock_ns();

	truth_catch_up(card, now);
	card_truth(card, now, &t);
	vfu_messages(vfu, &waited, &posted);
	if (messages.warm_groups)
		per_group = (double)messages.warm_waited / (double)messages.warm_groups;
	json_open(&j, NULL, '{');
	json_string(&j, "card", t.chip);
	json_u64(&j, "scale", t.scale);
	json_s64(&j, "elapsed_ns", t.elapsed_ns);
	json_s64(&j, "behind_ns", t.behind_ns);
	json_open(&j, "engines", '[');
	for (u32 i = 0; i < t.engines; i++)
		truth_engine(card, &j, i);
	json_close(&j, ']');
	json_open(&j, "channels", '[');
	for (u32 i = 0; i < t.channels; i++)
		for (u32 e = 0; e < t.engines; e++)
			truth_channel(card, &j, i, e);
	json_close(&j, ']');
	json_open(&j, "gap_ns", '{');
	json_u64(&j, "n", t.gap_n);
	json_s64(&j, "p50", t.gap_p50_ns);
	json_s64(&j, "p90", t.gap_p90_ns);
	json_close(&j, '}');
	json_open(&j, "messages", '{');
	json_u64(&j, "waited", waited);
	json_u64(&j, "posted", posted);
	json_close(&j, '}');
	json_fixed(&j, "waited_per_pushbuf", per_group, 2);
	json_u64(&j, "stolen_ms", stolen_ms());
	json_u64(&j, "errors", t.errors);
	json_u64(&j, "faults", t.faults);
	json_u64(&j, "away", t.away);
	json_close(&j, '}');
	fputc('\n', f);
}

char *truth_json(struct card *card, const struct vfu *vfu, size_t *len)
{
	char *buf = NULL;
	FILE *f = open_memstream(&buf, len);

	if (!f)
		return NULL;
	truth_write(card, vfu, f);
	if (fclose(f)) {
		free(buf);
		return NULL;
	}
	return buf;
}
