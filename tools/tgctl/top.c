// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl top: what the clients do now, as the difference of readings: a table once or again and
 * again, JSON, or a screen (top_screen.c). All of them show what top_rows.c computes.
 */
#include "top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/json.h"
#include "sysfs.h"
#include "table.h"
#include "top_rows.h"
#include "top_screen.h"

enum show { SHOW_TABLE, SHOW_JSON, SHOW_SCREEN };

static void print_row(struct json *j, const struct top_row *r)
{
	json_line(j);
	json_open(j, NULL, '{');
	json_u64(j, "id", r->c.id);
	json_u64(j, "pid", r->c.pid);
	json_u64(j, "uid", r->c.uid);
	json_u64(j, "gpu", r->c.gpu);
	json_string(j, "comm", r->c.comm);
	json_u64(j, "prio", r->c.prio);
	json_fixed(j, "share_percent", r->share, 3);
	json_fixed(j, "rate_hz", r->rate, 3);
	json_fixed(j, "latency_us", r->latency * 1e3, 3);
	json_fixed(j, "run_us", r->run * 1e3, 3);
	json_open(j, "wait_us", '{');
	json_fixed(j, "reserve", r->reserve * 1e3, 3);
	json_fixed(j, "policy", r->policy * 1e3, 3);
	if (r->wait99 >= 0) {
		json_fixed(j, "p50", r->wait50 * 1e3, 3);
		json_fixed(j, "p99", r->wait99 * 1e3, 3);
	}
	json_close(j, '}');
	if (r->latency99 >= 0) {
		json_fixed(j, "latency_p50_us", r->latency50 * 1e3, 3);
		json_fixed(j, "latency_p99_us", r->latency99 * 1e3, 3);
	}
	json_fixed(j, "would_wait_us", r->would * 1e3, 3);
	json_fixed(j, "budget_us", r->c.budget / 1e3, 3);
	json_fixed(j, "capacity_us", r->c.capacity / 1e3, 3);
	json_fixed(j, "period_us", r->c.period / 1e3, 3);
	json_u64(j, "vram", r->c.vram);
	json_string(j, "state", snapshot_word(snapshot_states, r->c.state));
	json_string(j, "reserve", r->c.reserve_name);
	json_string(j, "vgpu", r->c.vgpu_name);
	json_close(j, '}');
}

static void print_json(const struct top_frame *frame)
{
	const struct tg_snap_head *head = &frame->now->head;
	struct json j = { .to = stdout };
	size_t i;

	json_open(&j, NULL, '{');
	json_s64(&j, "now_us", head->now / TG_USEC);
	json_text(&j, "policy", head->policy, strnlen(head->policy, sizeof(head->policy)));
	json_s64(&j, "dry_run", frame->dry);
	json_u64(&j, "gpus", head->gpus);
	json_open(&j, "engines", '[');
	for (i = 0; i < frame->nr_engines; i++) {
		json_open(&j, NULL, '{');
		json_u64(&j, "gpu", frame->engines[i].e.gpu);
		json_u64(&j, "engine", frame->engines[i].e.engine);
		json_fixed(&j, "busy_percent", frame->engines[i].busy, 3);
		json_u64(&j, "inflight", frame->engines[i].e.inflight);
		json_u64(&j, "queued", frame->engines[i].e.queued);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "clients", '[');
	for (i = 0; i < frame->nr; i++)
		print_row(&j, &frame->rows[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	putchar('\n');
}

static void print_table(const struct top_frame *frame)
{
	static bool again;
	size_t nr, i;
	char **lines = top_lines(frame, table_limit(), &nr);
	const char *why = top_no_effect(frame);

	if (again)
		putchar('\n');
	else if (why)
		tgctl_error("%s", why);
	again = true;
	for (i = 0; i < nr; i++) {
		puts(lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static bool read_now(struct snapshot *snap, bool *dry)
{
	char *value;

	if (!snapshot_read(snap))
		return false;
	value = sysfs_read_value("knobs/dry_run");
	*dry = value && !strcmp(value, "1");
	free(value);
	return value;
}

static void nap(s64 ns)
{
	struct timespec t = { ns / TG_SEC, ns % TG_SEC };

	nanosleep(&t, NULL);
}

/* Readings of the past, the latest first. */
static struct snapshot past[TOP_READINGS];
static size_t nr_past;

static void remember(const struct snapshot *snap)
{
	if (nr_past == TOP_READINGS)
		free(past[--nr_past].data);
	memmove(past + 1, past, nr_past * sizeof(*past));
	past[0] = *snap;
	nr_past++;
}

/* Show one reading until the next one is due. Return: false: the user, or whoever reads, wants no more. */
static bool show_frame(enum show show, const struct snapshot *now, bool dry, bool once)
{
	const s64 due = top_clock() + top_view.every;
	enum top_next next = TOP_TIME;
	struct top_frame frame;
	bool added = false;

	do {
		top_frame_make(&frame, past, nr_past, now, dry);
		if (show == SHOW_JSON) {
			print_json(&frame);
		} else if (show == SHOW_TABLE) {
			print_table(&frame);
		} else {
			if (!added)
				top_screen_add(&frame);
			added = true;
			top_screen_draw(&frame);
			next = top_screen_wait(&frame, due);
		}
		top_frame_free(&frame);
	} while (next == TOP_AGAIN);
	if (show == SHOW_SCREEN)
		return next != TOP_END;
	if (!tgctl_flush() || once)
		return false;
	nap(top_view.every);
	return true;
}

static enum tgctl_status watch(enum show show, bool once)
{
	struct snapshot now;
	bool dry, go_on;

	if (!read_now(&now, &dry))
		return TGCTL_FAILED;
	remember(&now);
	if (show == SHOW_SCREEN && !top_screen_begin())
		show = SHOW_TABLE;
	nap(show == SHOW_SCREEN ? TOP_EVERY_MIN : top_view.every);
	do {
		if (!read_now(&now, &dry)) {
			top_screen_end();
			return TGCTL_FAILED;
		}
		go_on = show_frame(show, &now, dry, once);
		remember(&now);
	} while (go_on);
	return TGCTL_OK;
}

static bool choose(const char *sort, const char *columns)
{
	char *wrong, *known;

	if (sort && !top_sort_by(sort)) {
		tgctl_error("top: cannot sort by '%s'; share, rate, latency, wait, wait99, latency99, "
			    "gpu_time, prio, pid or comm", sort);
		return false;
	}
	wrong = columns ? top_columns_choose(columns) : NULL;
	if (!wrong)
		return true;
	known = top_columns_known();
	tgctl_error("top: no column '%s'; %s", wrong, known);
	free(wrong);
	free(known);
	return false;
}

enum tgctl_status tgctl_top(const struct tgctl_args *args)
{
	const char *every = args->option[TOP_EVERY], *filter = args->option[TOP_FILTER];
	const bool once = args->option[TOP_ONCE];
	bool terminal;

	if (every && (!tgctl_time(every, &top_view.every) || top_view.every < TOP_EVERY_MIN ||
		      top_view.every > TOP_EVERY_MAX)) {
		tgctl_error("top: '%s' is no time from 100ms to 60s", every);
		return TGCTL_USAGE;
	}
	if (!choose(args->option[TOP_SORT], args->option[TOP_COLUMNS]))
		return TGCTL_USAGE;
	if (filter)
		snprintf(top_view.filter, sizeof(top_view.filter), "%s", filter);
	terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	return watch(args->option[TOP_JSON] ? SHOW_JSON : terminal && !once ? SHOW_SCREEN : SHOW_TABLE,
		     once);
}
